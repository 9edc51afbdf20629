"""What can go wrong, as the specification words it. `api.errors` puts it on the wire.

CatalogError
+- BadRequestError         400
+- NotAuthorizedError      401  (no caller that is known)
|  +- OAuthError           401 or 400  (in OAuth's own words)
+- ForbiddenError          403  (not signed by a key of ours, or without the right)
+- NotFoundError           404
|  +- NoSuchWarehouseError, NoSuchNamespaceError, NoSuchTableError, NoSuchViewError
+- NotAllowedError         405  (a method that a route does not have)
+- ConflictError           409
|  +- AlreadyExistsError, WarehouseExistsError, CommitFailedError
|  +- NamespaceNotEmptyError, WarehouseNotEmptyError
+- TooLargeError           413
+- UnprocessableError      422
+- RefusedBeforeError      the status that it had
+- StoreError              503  (nothing was done)
+- BusyError               503  (nothing was done: too much is under way)
+- CommitUnknownError      500  (it may have been done; others would have clients send it again)
+- TooSlowError            504  (reading only)
+- BadKeysFileError        500
"""

from enum import StrEnum


class Reason(StrEnum):
    """Why somebody is turned away, as it is counted."""

    UNSIGNED = "unsigned"
    SERVICE = "service"
    HOST = "host"
    KEY = "key"
    CLOCK = "clock"
    SIGNATURE = "signature"
    BODY = "body"
    COPY = "copy"
    RIGHT = "right"
    TOKEN = "token"  # noqa: S105 (a word, no token)
    OTHER = "other"


class CatalogError(Exception):
    """The root; `kind` is the `type` that clients tell errors apart by."""

    status: int = 500
    kind: str = "InternalServerError"
    # Seconds after which the same request may be sent again, whatever it asks for.
    retry_after: int | None = None

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class BadRequestError(CatalogError):
    status = 400
    kind = "BadRequestException"


class NotAuthorizedError(CatalogError):
    status = 401
    kind = "NotAuthorizedException"
    reason = Reason.TOKEN


class OAuthError(NotAuthorizedError):
    """A token is not handed out; `code` is one of OAuth's, which knows 401 for strangers alone."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.status = 401 if code == "invalid_client" else 400


class ForbiddenError(CatalogError):
    status = 403
    kind = "ForbiddenException"

    def __init__(self, message: str, reason: Reason = Reason.OTHER) -> None:
        super().__init__(message)
        self.reason = reason


class NotFoundError(CatalogError):
    status = 404
    kind = "NotFoundException"


class NoSuchWarehouseError(NotFoundError):
    kind = "NoSuchWarehouseException"

    def __init__(self, name: str) -> None:
        super().__init__(f"Warehouse does not exist: {name}")


class NoSuchNamespaceError(NotFoundError):
    kind = "NoSuchNamespaceException"

    def __init__(self, namespace: object) -> None:
        super().__init__(f"Namespace does not exist: {namespace}")


class NoSuchTableError(NotFoundError):
    kind = "NoSuchTableException"

    def __init__(self, identifier: object) -> None:
        super().__init__(f"Table does not exist: {identifier}")


class NoSuchViewError(NotFoundError):
    kind = "NoSuchViewException"

    def __init__(self, identifier: object) -> None:
        super().__init__(f"View does not exist: {identifier}")


class NotAllowedError(CatalogError):
    status = 405
    kind = "UnsupportedOperationException"


class ConflictError(CatalogError):
    status = 409
    kind = "ConflictException"


class AlreadyExistsError(ConflictError):
    kind = "AlreadyExistsException"


class WarehouseExistsError(ConflictError):
    kind = "WarehouseAlreadyExistsException"


class NamespaceNotEmptyError(ConflictError):
    kind = "NamespaceNotEmptyException"


class WarehouseNotEmptyError(ConflictError):
    kind = "WarehouseNotEmptyException"


class CommitFailedError(ConflictError):
    """A requirement does not hold, or somebody else was first: the client may try again."""

    kind = "CommitFailedException"


class UnprocessableError(CatalogError):
    status = 422
    kind = "UnprocessableEntityException"


class StoreError(CatalogError):
    """Database or files do not answer, and nothing was changed."""

    status = 503
    kind = "ServiceUnavailableException"
    retry_after = 1


class BusyError(CatalogError):
    """There is too much to do, and nothing was begun."""

    status = 503
    kind = "ServiceUnavailableException"
    retry_after = 1


class CommitUnknownError(CatalogError):
    """The answer to a commit was lost: clients must look before they clean up or send it again."""

    status = 500
    kind = "CommitStateUnknownException"


class TooSlowError(CatalogError):
    """A reading request was given up; one that changes something is a CommitUnknownError."""

    status = 504
    kind = "RequestTimeoutException"


class RefusedBeforeError(CatalogError):
    """The same was asked under the same Idempotency-Key, and is answered as it was."""

    def __init__(self, *, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind


class TooLargeError(CatalogError):
    status = 413
    kind = "BadRequestException"


class BadKeysFileError(CatalogError):
    """The message names the key whose entry is wrong, and never what it holds."""
