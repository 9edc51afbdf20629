"""Why a request does not reach the engine."""


class RefusedError(Exception):
    """The request asks for what the control API has no need of; answered with 403."""


class MalformedError(Exception):
    """The request is no HTTP, or larger than any that is needed; `status` says which."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
