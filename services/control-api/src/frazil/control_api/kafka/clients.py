"""Connections to a broker for a few questions, told apart and bounded in time.

Java's client properties are what people have, so they are what is given; here they become the
arguments of our own client.
"""

import asyncio
import re
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from aiokafka.client import AIOKafkaClient
from aiokafka.errors import KafkaConnectionError, KafkaError, NodeNotReadyError

from frazil.control_api.core.errors import BrokerError

REQUEST_MS = 5_000
TOTAL_SECONDS = 10.0

_MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
_PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")


def client_arguments(properties: Mapping[str, str]) -> dict[str, Any]:
    """Translate Java's properties; reads certificates from files, so it blocks."""
    protocol = properties.get("security.protocol", "PLAINTEXT").upper()
    if protocol not in _PROTOCOLS:
        raise BrokerError(f"security.protocol {protocol} is none of {', '.join(_PROTOCOLS)}")
    arguments: dict[str, Any] = {
        "bootstrap_servers": properties.get("bootstrap.servers", ""),
        "client_id": properties.get("client.id", "frazil-control-api"),
        "request_timeout_ms": REQUEST_MS,
        "security_protocol": protocol,
    }
    if protocol.endswith("SSL"):
        arguments["ssl_context"] = _ssl_context(properties)
    if protocol.startswith("SASL"):
        arguments |= _sasl(properties)
    return arguments


def _sasl(properties: Mapping[str, str]) -> dict[str, str]:
    mechanism = properties.get("sasl.mechanism", "GSSAPI")
    if mechanism not in _MECHANISMS:
        raise BrokerError(
            f"sasl.mechanism {mechanism} is not supported by the control API; "
            f"{', '.join(_MECHANISMS)} are"
        )
    jaas = properties.get("sasl.jaas.config", "")
    return {
        "sasl_mechanism": mechanism,
        "sasl_plain_username": _jaas_option(jaas, "username"),
        "sasl_plain_password": _jaas_option(jaas, "password"),
    }


def _jaas_option(jaas: str, name: str) -> str:
    found = re.search(rf"""\b{name}\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s;"']+))""", jaas)
    if found is None:
        raise BrokerError(f"sasl.jaas.config has no {name}")
    quoted, single, bare = found.groups()
    return re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else single or bare or ""


def _ssl_context(properties: Mapping[str, str]) -> ssl.SSLContext:
    try:
        context = _trusting(properties)
        _load_own_certificate(context, properties)
    except (OSError, ValueError) as error:
        raise BrokerError(f"The ssl.* properties cannot be used: {error}") from error
    # Java's way to say that the name in the certificate does not matter.
    if properties.get("ssl.endpoint.identification.algorithm", "https") == "":
        context.check_hostname = False
    return context


def _trusting(properties: Mapping[str, str]) -> ssl.SSLContext:
    inline = properties.get("ssl.truststore.certificates")
    location = properties.get("ssl.truststore.location")
    if inline is None and location is not None:
        _require_pem(properties, "truststore")
    return ssl.create_default_context(cafile=location, cadata=inline)


def _load_own_certificate(context: ssl.SSLContext, properties: Mapping[str, str]) -> None:
    password = properties.get("ssl.key.password")
    if location := properties.get("ssl.keystore.location"):
        _require_pem(properties, "keystore")
        context.load_cert_chain(location, password=password)
    elif key := properties.get("ssl.keystore.key"):
        chain = properties.get("ssl.keystore.certificate.chain", "")
        # Python reads certificates of its own from files only; this one is for nobody else's eyes.
        with NamedTemporaryFile("w", suffix=".pem") as file:
            file.write(f"{key}\n{chain}\n")
            file.flush()
            context.load_cert_chain(file.name, password=password)


def _require_pem(properties: Mapping[str, str], store: str) -> None:
    kind = properties.get(f"ssl.{store}.type", "JKS")
    if kind.upper() != "PEM":
        name = Path(properties[f"ssl.{store}.location"]).name
        raise BrokerError(
            f"ssl.{store}.location {name} is of type {kind}, which the control API cannot read. "
            f"Convert it to PEM and set ssl.{store}.type=PEM"
        )


@asynccontextmanager
async def connected(properties: Mapping[str, str]) -> AsyncIterator[Any]:
    """Open a client of the cluster; whatever is done with it has a bounded time in all."""
    async with broker_errors(properties):
        client = AIOKafkaClient(**await asyncio.to_thread(client_arguments, properties))
        try:
            await client.bootstrap()
            yield client
        finally:
            await client.close()


@asynccontextmanager
async def broker_errors(properties: Mapping[str, str]) -> AsyncIterator[None]:
    """Turn what a Kafka client may raise, and its silence, into one error of ours."""
    servers = properties.get("bootstrap.servers")
    try:
        # Not wait_for: before Python 3.12 it may swallow a cancellation.
        async with asyncio.timeout(TOTAL_SECONDS):
            yield
    except (TimeoutError, KafkaConnectionError, NodeNotReadyError) as error:
        raise BrokerError(f"Kafka at {servers} does not answer") from error
    except (KafkaError, OSError, ValueError) as error:
        raise BrokerError(f"Kafka at {servers} refused a request: {error or error!r}") from error
