"""What `frazil status` shows, as rows of a table."""

from frazil.cli.connectors import ConnectorView, connector_views
from frazil.cli.folder import StackFolder
from frazil.cli.stack import CATALOG, CONTROL_API, KAFKA, is_running

Row = tuple[str, str, str, str]
COLUMNS = ("part", "state", "address", "pid")


def rows(folder: StackFolder) -> list[Row]:
    """Raise NotStartedError for a stack that never was up."""
    ports = folder.read_state().ports
    addresses = {
        KAFKA: ports.bootstrap_servers,
        CATALOG: f"{ports.catalog_url}/_iceberg",
        CONTROL_API: ports.api_url,
    }
    services = [_service(folder, name, address) for name, address in addresses.items()]
    if not folder.service(CONTROL_API).is_alive():
        return services
    return services + [_connector(view) for view in connector_views(ports.api_url)]


def summary(folder: StackFolder) -> str:
    verb = "is running" if is_running(folder) else "is stopped"
    return f"Stack '{folder.name}' {verb}; its data is in {folder.root}"


def _service(folder: StackFolder, name: str, address: str) -> Row:
    pid = folder.service(name).pid
    return name, "running" if pid else "stopped", address, str(pid or "")


def _connector(view: ConnectorView) -> Row:
    return view.name, view.state.value, view.trace.partition("\n")[0], ""
