"""The ports of a local stack, and a sentence for one that is taken."""

import socket

from pydantic import BaseModel, ConfigDict

from frazil.runtime.errors import UserError

HOST = "127.0.0.1"


class PortTakenError(UserError):
    def __init__(self, *, port: int, user: str, setting: str) -> None:
        super().__init__(
            f"Port {port}, meant for {user}, is taken by another program. "
            f"Set {setting} to a free one, or stop that program."
        )


class Ports(BaseModel):
    model_config = ConfigDict(frozen=True)

    api: int
    kafka: int
    controller: int
    catalog: int

    @property
    def api_url(self) -> str:
        return f"http://{HOST}:{self.api}"

    @property
    def catalog_url(self) -> str:
        return f"http://{HOST}:{self.catalog}"

    @property
    def bootstrap_servers(self) -> str:
        return f"{HOST}:{self.kafka}"

    def require_free(self) -> None:
        """Raise PortTakenError for the first one that somebody else listens at."""
        require_free(self.kafka, user="the Kafka broker", setting="FRAZIL_KAFKA_PORT")
        require_free(
            self.controller, user="Kafka's controller", setting="FRAZIL_KAFKA_CONTROLLER_PORT"
        )
        require_free(self.catalog, user="the table catalog", setting="FRAZIL_CATALOG_PORT")
        require_free(self.api, user="the control API", setting="FRAZIL_PORT")


def require_free(port: int, *, user: str, setting: str) -> None:
    with socket.socket() as probe:
        # As servers do it; otherwise the port of one that just ended looks taken for a minute.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise PortTakenError(port=port, user=user, setting=setting) from error


def free_ports() -> Ports:
    """Let the system choose; for stacks that nobody needs to find."""
    probes = [socket.socket() for _ in range(4)]
    try:
        for probe in probes:
            probe.bind((HOST, 0))
        api, kafka, controller, catalog = (probe.getsockname()[1] for probe in probes)
    finally:
        for probe in probes:
            probe.close()
    return Ports(api=api, kafka=kafka, controller=controller, catalog=catalog)


def answers(port: int, host: str = HOST) -> bool:
    try:
        socket.create_connection((host, port), timeout=1).close()
    except OSError:
        return False
    return True
