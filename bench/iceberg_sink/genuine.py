"""The genuine sink: a Kafka Connect worker from jars, with Apache Iceberg's plugin."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from frazil.cli.ports import HOST
from frazil.runtime.jars import JarStore

JARS = Path(__file__).parent / "jars"

# As Kafka's own start script has it, for a worker of a size that Connect's users give it.
_FLAGS = ("-Xms256m", "-Xmx2g", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20")
_PLUGIN_FOLDER = "iceberg"


@dataclass(frozen=True)
class Worker:
    """`plugins` are folders of jars by their names, beside the sink's own."""

    java: Path
    jars: JarStore
    folder: Path
    port: int
    bootstrap_servers: str
    plugins: Mapping[str, Path] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    def prepare(self) -> None:
        plugins = self.folder / "plugins"
        plugins.mkdir(parents=True)
        for name, folder in {_PLUGIN_FOLDER: self.jars.folder("plugin"), **self.plugins}.items():
            (plugins / name).symlink_to(folder)
        self._properties.write_text(properties(self.url, self.bootstrap_servers, plugins))

    def command(self) -> list[str]:
        return [
            str(self.java),
            *_FLAGS,
            "-Dlog4j2.level=WARN",
            "-cp",
            f"{self.jars.folder('worker')}/*",
            "org.apache.kafka.connect.cli.ConnectDistributed",
            str(self._properties),
        ]

    @property
    def _properties(self) -> Path:
        return self.folder / "connect.properties"


def properties(url: str, bootstrap_servers: str, plugins: Path) -> str:
    """Render the configuration of a lone worker.

    Offsets are flushed every second: a task without records would else hold up each commit for
    as long as that, a minute by default.
    """
    settings = {
        "bootstrap.servers": bootstrap_servers,
        "listeners": url,
        "group.id": "genuine",
        "plugin.path": plugins,
        "plugin.discovery": "service_load",
        "offset.flush.interval.ms": 1000,
        "key.converter": "org.apache.kafka.connect.storage.StringConverter",
        "value.converter": "org.apache.kafka.connect.json.JsonConverter",
        **{f"{kind}.storage.topic": f"connect-{kind}" for kind in _STORED},
        **{f"{kind}.storage.replication.factor": 1 for kind in _STORED},
    }
    return "".join(f"{key}={value}\n" for key, value in settings.items())


_STORED = ("config", "offset", "status")
