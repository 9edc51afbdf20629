"""Calls from Java to Python objects, by our own JVM alone."""

from typing import Any

from py4j.clientserver import ClientServer
from py4j.java_gateway import JavaObject
from pyspark.java_gateway import ensure_callback_server_started

_IDLE_SECONDS = 30
_NO_TIMEOUT = 0


def serve_callbacks(gateway: ClientServer) -> None:
    """Start Python's callback server; it answers who knows the secret of the gateway.

    Without a secret any user of the machine could call our functions.
    """
    gateway.python_parameters.auth_token = gateway.java_parameters.auth_token
    ensure_callback_server_started(gateway)  # type: ignore[no-untyped-call]
    _show_secret(gateway)


def _show_secret(gateway: ClientServer) -> None:
    """Give Java a client that shows the secret: the copy that PySpark asks for has lost it."""
    java: Any = gateway.jvm
    server: Any = JavaObject("GATEWAY_SERVER", gateway._gateway_client)  # noqa: SLF001
    client = java.py4j.PythonClient(
        server.getGateway(),
        None,
        gateway._python_proxy_port,  # noqa: SLF001
        server.getCallbackClient().getAddress(),
        _IDLE_SECONDS,
        java.java.util.concurrent.TimeUnit.SECONDS,
        java.javax.net.SocketFactory.getDefault(),
        server,
        True,
        _NO_TIMEOUT,
        gateway.java_parameters.auth_token,
    )
    field = java.java.lang.Class.forName("py4j.Gateway").getDeclaredField("cbClient")
    field.setAccessible(True)
    field.set(server.getGateway(), client)
