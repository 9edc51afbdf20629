"""What can go wrong, each with its HTTP status and a sentence. `api.errors` puts it on the wire.

ControlError
+- BadRequestError              400
|  +- InvalidConnectorError     400  (all complaints about a configuration)
+- ForbiddenError               403
+- NotFoundError                404
|  +- RouteNotFoundError        404
+- NotAcceptableError           406
+- AlreadyExistsError           409
+- NotShownError                409
+- NotUndoneError               409
+- PendingRewindError           409
+- SideBranchError              409
+- TooLargeError                413
+- UnsupportedMediaTypeError    415
|  +- MissingContentTypeError   415
+- TooManyPreviewsError         429
+- TooManyGuessesError          429
+- TooManyStreamsError          429
+- BadCredentialsFileError      500
+- StoreError                   503
+- BrokerError                  500  (Kafka, in the words of Connect)
|  +- GroupBusyError            500
|  +- UnknownPartitionError     400
+- CatalogError                 502
+- SecretError                  503  (a `${...}` reference)
|  +- SecretRefusedError        400
|  +- SecretMissingError        503
+- EngineError                  503
+- CatalogTimeoutError          504
"""

from collections.abc import Sequence
from typing import ClassVar

from frazil.contracts.plugins import InvalidConfigError


class ControlError(Exception):
    """The root. `before_route` marks what Connect answers without a Content-Type."""

    status: ClassVar[int] = 500
    before_route: ClassVar[bool] = False
    # Seconds after which the same request may be sent again.
    retry_after: int | None = None

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class BadRequestError(ControlError):
    status = 400


class InvalidConnectorError(BadRequestError):
    """A configuration with faults, worded as Connect's clients take it apart."""

    def __init__(self, messages: Sequence[str]) -> None:
        super().__init__(str(InvalidConfigError(messages)))


class ForbiddenError(ControlError):
    status = 403


class NotFoundError(ControlError):
    status = 404


class RouteNotFoundError(NotFoundError):
    """A part of the path that cannot be what the route takes it for."""

    def __init__(self) -> None:
        super().__init__("HTTP 404 Not Found")


class NotAcceptableError(ControlError):
    status = 406
    before_route = True

    def __init__(self) -> None:
        super().__init__("HTTP 406 Not Acceptable")


class AlreadyExistsError(ControlError):
    status = 409


class NotShownError(ControlError):
    """A decision on what nobody was asked."""

    status = 409


class NotUndoneError(ControlError):
    """A table cannot go back to an earlier schema."""

    status = 409


class PendingRewindError(ControlError):
    """One that waits for a worker means something else by it."""

    status = 409


class SideBranchError(ControlError):
    """A side branch has to end first, or to begin."""

    status = 409


class TooLargeError(ControlError):
    status = 413

    def __init__(self, most: int) -> None:
        super().__init__(f"The body of a request may have {most} bytes, and this one has more")


class UnsupportedMediaTypeError(ControlError):
    status = 415
    before_route = True

    def __init__(self) -> None:
        super().__init__("HTTP 415 Unsupported Media Type")


class MissingContentTypeError(UnsupportedMediaTypeError):
    """There is a body and no word on its type, which Connect sees only when it reads the body."""

    before_route = False


class TooManyPreviewsError(ControlError):
    """Each takes the memory of a worker."""

    status = 429


class TooManyGuessesError(ControlError):
    """A password is not checked now: each check takes a core for a while."""

    status = 429

    def __init__(self, why: str, seconds: int) -> None:
        super().__init__(f"{why}: try again in {seconds} s")
        self.retry_after = seconds


class TooManyStreamsError(ControlError):
    """Each holds a connection for as long as its reader likes."""

    status = 429

    def __init__(self, most: int) -> None:
        super().__init__(
            f"There are {most} readers of events and logs, and there may be no more: end one of "
            "them, or try again later"
        )


class BadCredentialsFileError(ControlError):
    """The message names the caller whose entry is wrong, and never what it holds."""


class StoreError(ControlError):
    """What is stored cannot be reached or read."""

    status = 503


class BrokerError(ControlError):
    """Kafka does not answer, refuses, or cannot be asked with these properties."""


class GroupBusyError(BrokerError):
    """The consumer group has members, which alone may say where they are."""


class UnknownPartitionError(BrokerError):
    status = 400


class SecretError(ControlError):
    """A reference cannot be resolved; the message never has a part of a value."""

    status = 503


class SecretRefusedError(SecretError):
    """It may not be resolved, or nobody knows how."""

    status = 400


class SecretMissingError(SecretError):
    """It may be resolved, but nothing is there."""


class EngineError(ControlError):
    """The engine cannot do what it was told; the next pass tries again."""

    status = 503


class CatalogError(ControlError):
    """The catalog of a connector's tables said no, or nothing that could be understood."""

    status = 502


class CatalogTimeoutError(ControlError):
    status = 504
