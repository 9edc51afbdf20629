"""A catalog of this process, and callers whose keys have different rights."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from tests.support.iceberg_rest import Rest, Space
from tests.support.served import served

from frazil.table_catalog.app import create_app
from frazil.table_catalog.settings import Settings

WAREHOUSE = "wh"


@dataclass(frozen=True)
class KeyedCatalog:
    uri: str
    folder: Path
    stack: ExitStack

    @property
    def root(self) -> str:
        """Where the warehouse is."""
        return f"{(self.folder / 'warehouses').as_uri()}/{WAREHOUSE}"

    def rest(self, key: str) -> Rest:
        form = {"client_id": key, "client_secret": f"{key}-secret"}
        url = f"{self.uri}/v1/oauth/tokens"
        asked = {"grant_type": "client_credentials", **form}
        answer = httpx.post(url, data=asked, trust_env=False, timeout=30).raise_for_status()
        headers = {"Authorization": f"Bearer {answer.json()['access_token']}"}
        client = httpx.Client(base_url=self.uri, headers=headers, trust_env=False, timeout=30)
        return Rest(self.stack.enter_context(client), WAREHOUSE)

    def space(self, key: str, name: str) -> Space:
        """Look at a namespace as the owner of a key does; he makes it if he may and it is not."""
        rest = self.rest(key)
        rest.client.post(f"{rest.root}/namespaces", json={"namespace": [name]})
        return Space(rest, name)

    def files(self, place: str) -> list[str]:
        """List the files below a folder of the warehouse."""
        top = self.folder / "warehouses" / WAREHOUSE / place
        return sorted(str(one.relative_to(top)) for one in top.rglob("*") if one.is_file())


@contextmanager
def keyed_catalog(
    folder: Path, keys: Mapping[str, Mapping[str, Any]], **more: Any
) -> Iterator[KeyedCatalog]:
    """Serve one; each key's secret is `<key>-secret`."""
    file = folder / "keys.toml"
    file.touch(mode=0o600)
    lines = []
    for name, rights in keys.items():
        lines += [f'["{name}"]', f'secret = "{name}-secret"']
        lines += [f"{right} = {str(given).lower()}" for right, given in rights.items()]
    file.write_text("\n".join(lines))
    given: dict[str, Any] = {
        "keys": file,
        "oauth": True,
        "database_url": f"sqlite:///{folder / 'catalog.db'}",
        "warehouse_root": (folder / "warehouses").as_uri(),
        "warehouses": (WAREHOUSE,),
    }
    settings = Settings(**given | more)
    with ExitStack() as stack, served(create_app(settings)) as address:
        yield KeyedCatalog(f"{address}{settings.prefix}", folder, stack)
