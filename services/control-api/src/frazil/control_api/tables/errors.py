"""Why a table cannot be read: a sentence of ours for the caller, the rest for the log."""


class UnreadableError(Exception):
    """`detail` may be anything that a catalog says; it is for the log."""

    def __init__(self, sentence: str, detail: str = "") -> None:
        super().__init__(f"{sentence}: {detail}" if detail else sentence)
        self.sentence = sentence
