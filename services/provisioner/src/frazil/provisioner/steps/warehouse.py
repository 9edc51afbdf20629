"""The warehouse of a catalog, through AIStor's own calls, which PyIceberg does not know."""

import hashlib
import json
from collections.abc import Mapping
from urllib.parse import quote

import httpx
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from pyiceberg.exceptions import RESTError

from frazil.provisioner.steps.answers import reason


class Warehouse:
    """Calls are signed with the properties that PyIceberg signs with. They block."""

    def __init__(self, client: httpx.Client, properties: Mapping[str, str]) -> None:
        self._client = client
        self._name = properties["warehouse"]
        self._url = f"{properties['uri'].rstrip('/')}/v1/warehouses"
        self._signer = SigV4Auth(
            Credentials(properties["client.access-key-id"], properties["client.secret-access-key"]),
            properties["rest.signing-name"],
            properties["rest.signing-region"],
        )

    def exists(self) -> bool:
        response = self._ask("GET", f"{self._url}/{quote(self._name, safe='')}")
        if response.status_code == httpx.codes.NOT_FOUND:
            return False
        _check(response)
        return True

    def create(self) -> None:
        """Take a bucket of that name as it is; what another has made meanwhile is fine."""
        body = {"name": self._name, "upgrade-existing": True}
        response = self._ask("POST", self._url, json.dumps(body).encode())
        if response.status_code != httpx.codes.CONFLICT:
            _check(response)

    def _ask(self, method: str, url: str, body: bytes = b"") -> httpx.Response:
        headers = {
            "Content-Type": "application/json",
            # AIStor wants it; PyIceberg sends it with empty bodies only.
            "X-Amz-Content-SHA256": hashlib.sha256(body).hexdigest(),
        }
        signed = AWSRequest(method, url, headers, body)
        self._signer.add_auth(signed)
        return self._client.request(method, url, content=body, headers=dict(signed.headers))


def _check(response: httpx.Response) -> None:
    if not response.is_success:
        raise RESTError(reason(response))
