"""Signs requests of clients to the S3 store, after a look at what they would do."""

from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from frazil.runtime.logs import get_logger
from frazil.table_catalog.catalog.lending import Keys, Lender
from frazil.table_catalog.core.delegation import Reach
from frazil.table_catalog.core.errors import ForbiddenError
from frazil.table_catalog.core.s3_requests import S3Request, check_request, origin, spelled

log = get_logger(__name__)


class _SignedAs(S3SigV4Auth):  # type: ignore[misc]
    """Signs for a body that somebody else sends, of which only the digest is known."""

    def __init__(self, keys: Keys, region: str, digest: str) -> None:
        credentials = Credentials(keys.access_key, keys.secret_key, keys.token)
        super().__init__(credentials, "s3", region)
        self._digest = digest

    def payload(self, request: AWSRequest) -> str:  # noqa: ARG002 (botocore's word)
        return self._digest


class Signer:
    def __init__(self, lender: Lender, *, region: str, endpoint: str | None) -> None:
        """Without an endpoint the store is AWS's."""
        aws = (f"https://s3.{region}.amazonaws.com", "https://s3.amazonaws.com")
        self._endpoints = frozenset(origin(one) for one in ([endpoint] if endpoint else aws))
        self._lender = lender
        self._region = region

    def sign(self, who: str, reach: Reach, request: S3Request) -> tuple[str, dict[str, str]]:
        """Return the URI to use and the headers that a request lacks; raises ForbiddenError."""
        try:
            deed = check_request(request, reach, endpoints=self._endpoints)
        except ForbiddenError as error:
            log.info("not_signed", key=who, reason=error.message)
            raise
        signed = AWSRequest(request.method, spelled(request.uri), request.signed_headers)
        _SignedAs(self._lender.lend(who, reach), self._region, deed.digest).add_auth(signed)
        headers = {name.lower(): value for name, value in signed.headers.items()}
        missing = headers.keys() - request.headers.keys()
        return signed.url, {name: headers[name] for name in missing}
