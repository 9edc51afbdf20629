"""What can go wrong, each with its HTTP status and a sentence. `api.errors` puts it on the wire.

ControlError
+- BadRequestError              400
|  +- InvalidConnectorError     400  (all complaints about a configuration)
+- NotFoundError                404
|  +- RouteNotFoundError        404
+- NotAcceptableError           406
+- AlreadyExistsError           409
+- UnsupportedMediaTypeError    415
+- StoreError                   500
+- EngineError                  503
"""

from collections.abc import Sequence
from typing import ClassVar

from frazil.contracts.plugins import InvalidConfigError


class ControlError(Exception):
    """The root. `before_route` marks what Connect answers without a Content-Type."""

    status: ClassVar[int] = 500
    before_route: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class BadRequestError(ControlError):
    status = 400


class InvalidConnectorError(BadRequestError):
    """A configuration with faults, worded as Connect's clients take it apart."""

    def __init__(self, messages: Sequence[str]) -> None:
        super().__init__(str(InvalidConfigError(messages)))


class NotFoundError(ControlError):
    status = 404


class RouteNotFoundError(NotFoundError):
    before_route = True

    def __init__(self) -> None:
        super().__init__("HTTP 404 Not Found")


class NotAcceptableError(ControlError):
    status = 406
    before_route = True

    def __init__(self) -> None:
        super().__init__("HTTP 406 Not Acceptable")


class AlreadyExistsError(ControlError):
    status = 409


class UnsupportedMediaTypeError(ControlError):
    status = 415
    before_route = True

    def __init__(self) -> None:
        super().__init__("HTTP 415 Unsupported Media Type")


class StoreError(ControlError):
    """What is stored cannot be reached or read."""


class EngineError(ControlError):
    """The engine cannot do what it was told; the next pass tries again."""

    status = 503
