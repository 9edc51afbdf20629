"""The desired state of the local stack, with values for all that it asks for."""

from pathlib import Path

from frazil.provisioner.desired import DesiredState, Part, load

LOCAL = Path(__file__).parents[2] / "deploy" / "local" / "desired-state.yaml"
_VALUES = {
    "KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:9092",
    "CONNECT_URL": "http://127.0.0.1:8083",
    "CATALOG_URL": "http://minio:9000",
    "CATALOG_ACCESS_KEY": "minioadmin",
    "CATALOG_SECRET_KEY": "minioadmin",
    "CATALOG_KEYS": "/data/keys",
}


def local_state(**values: str) -> DesiredState:
    return load(LOCAL, _VALUES | values, parts=tuple(Part))
