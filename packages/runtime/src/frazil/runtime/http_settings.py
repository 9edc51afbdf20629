"""Settings that every HTTP server has: TLS, and the names by which browsers may call it."""

from ipaddress import ip_address
from typing import Self

from pydantic import Field, FilePath, model_validator

from frazil.runtime.private import write_fault
from frazil.runtime.settings import FrazilSettings, Names


class HttpSettings(FrazilSettings):
    """What a server needs to know before it serves."""

    allowed_hosts: Names = Field(
        default=(),
        description="Further names by which browsers may call, such as `connect.example.com`, "
        "`*.example.com` or `*`, separated by commas; addresses, `localhost` and names without a "
        "dot always may.",
    )
    tls_certificate: FilePath | None = Field(
        default=None, description="Certificate chain (PEM); with it the API is served by TLS only."
    )
    tls_key: FilePath | None = Field(
        default=None, description="Private key of the certificate (PEM)."
    )
    tls_client_ca: FilePath | None = Field(
        default=None, description="Authority (PEM) that callers' certificates have to be from."
    )

    @model_validator(mode="after")
    def _refuse_half_of_tls(self) -> Self:
        if (self.tls_certificate is None) != (self.tls_key is None):
            raise ValueError("FRAZIL_TLS_CERTIFICATE and FRAZIL_TLS_KEY need each other")
        if self.tls_client_ca is not None and self.tls_certificate is None:
            raise ValueError("FRAZIL_TLS_CLIENT_CA needs FRAZIL_TLS_CERTIFICATE")
        return self

    @model_validator(mode="after")
    def _refuse_files_that_others_may_change(self) -> Self:
        """Who changes these files decides who is trusted."""
        for file in (self.tls_key, self.tls_client_ca):
            fault = write_fault(file) if file is not None else None
            if fault is not None:
                raise ValueError(fault)
        return self


def is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
