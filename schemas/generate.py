"""Writes what is generated from the code: JSON schemas, OpenAPI, reference pages.

`python schemas/generate.py` writes the files; with `--check` it names those that differ instead.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from frazil.contracts.assignment import Assignment
from frazil.contracts.config import Key, KeyFamily, KeyType, form_pattern
from frazil.contracts.config_infos import ConfigDefinition
from frazil.contracts.ledger import Ledger
from frazil.contracts.plugins import PLUGINS, Plugin
from frazil.contracts.plugins.not_yet import NotYet
from frazil.contracts.validators import AtLeast, Matches, OneOf
from frazil.contracts.worker_status import WorkerStatus
from frazil.control_api.app import create_app
from frazil.control_api.settings import EngineKind, Settings
from frazil.runtime.metrics import declared

ROOT = Path(__file__).resolve().parent.parent

_Schema = dict[str, Any]
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_MODELS: dict[str, type[BaseModel]] = {
    "assignment": Assignment,
    "ledger": Ledger,
    "worker-status": WorkerStatus,
}
_NUMBERS = (KeyType.INT, KeyType.SHORT, KeyType.LONG)
_SCALARS = ["string", "number", "boolean"]

_PAGE = """\
<!-- Written by schemas/generate.py from the keys in packages/contracts. Do not edit. -->

# {title}

{summary}

{classes}

{needs}

```json
{example}
```

## How keys are read

{notes}

{sections}{limits}"""
_LIMITS = """
## Not in this release

Each of these is refused by name when the connector is created.

| key | refused | instead |
| --- | --- | --- |
"""
_METRICS_PAGE = """\
<!-- Written by schemas/generate.py from frazil.runtime.metrics. Do not edit. -->

# Metrics

`GET /metrics` of the control API answers in Prometheus's text format; so do `/metrics` of each
worker, where the `frazil_sink_*` figures are counted, and of the table catalog, which counts the
`frazil_catalog_*` ones.

- `frazil_*` tell of Frazil itself.
- `kafka_connect_*` are the names that exporters for Kafka Connect's JMX have made common, so that
  dashboards and alerts on the states of connectors and tasks go on working. Those that end in
  `_count` have no type, for by Prometheus's rules only a histogram or a summary may have a count;
  `frazil_connectors` and `frazil_tasks` are the gauges for dashboards of your own.
- `kafka_connector_*` are the figures of each connector, as its living worker told the reconciler
  last. Counters begin anew with each worker. Of several control APIs on one database only the one
  that leads has them (`frazil_leader`).

A figure that nobody knows yet is left out, and a connector that was deleted is gone at once.

| name | type | labels | meaning |
| --- | --- | --- | --- |
{rows}
"""
_NOTES = (
    "Values are texts; numbers and booleans are taken too and kept as texts.",
    "Unknown keys are ignored, as in Kafka Connect, unless they begin with `iceberg.` or "
    "`frazil.`: those are refused with the nearest name there is. `frazil.unknown.keys=warn` "
    "ignores them too.",
)
_TABLE_HEAD = (
    "| key | type | default | importance | meaning |",
    "| --- | --- | --- | --- | --- |",
)


def generated() -> Iterator[tuple[str, str]]:
    """Yield the path of every generated file, from the root of the repository, and its text."""
    for name, model in _MODELS.items():
        schema = {"$schema": _DIALECT, **model.model_json_schema()}
        yield f"schemas/{name}.schema.json", _json(schema)
    for simple_name, plugins in _grouped(PLUGINS, _simple_name).items():
        yield f"schemas/connector-config.{simple_name}.schema.json", _json(config_schema(plugins))
    for title, plugins in _grouped(PLUGINS, lambda plugin: plugin.about.title).items():
        name = title.lower().replace(" ", "-")
        yield f"docs/reference/connectors/{name}.md", reference_page(plugins)
    yield "docs/reference/metrics.md", metrics_page()
    yield "schemas/openapi.json", _json(_openapi())


def _grouped(
    plugins: Iterable[Plugin], name_of: Callable[[Plugin], str]
) -> dict[str, list[Plugin]]:
    groups: dict[str, list[Plugin]] = {}
    for plugin in plugins:
        groups.setdefault(name_of(plugin), []).append(plugin)
    return groups


def _simple_name(plugin: Plugin) -> str:
    return plugin.class_name.rpartition(".")[2]


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, indent=2) + "\n"


def _openapi() -> _Schema:
    return create_app(Settings(engine=EngineKind.FAKE, database_url="sqlite://")).openapi()


def config_schema(plugins: list[Plugin]) -> _Schema:
    """Describe the flat configuration of a class (and its namesakes) for editors and checkers."""
    first = plugins[0]
    keys = first.common_keys + first.keys
    properties = {key.name: _property(key) for key in keys}
    names = sorted(frozenset().union(*(plugin.names for plugin in plugins)))
    properties["connector.class"] |= {"enum": names}
    return {
        "$schema": _DIALECT,
        "title": f"Configuration of {_simple_name(first)}",
        "type": "object",
        "required": [key.name for key in keys if key.is_required],
        "properties": properties,
        "patternProperties": {
            **{_ecma(family): {"description": family.documentation} for family in first.families},
            r"^(?!iceberg\.|frazil\.)": {"type": _SCALARS},
        },
        "additionalProperties": False,
    }


def _ecma(family: KeyFamily) -> str:
    # Python also escapes the hyphen, which the regular expressions of JSON schema forbid.
    return f"^{form_pattern(family.form).pattern}$".replace(r"\-", "-")


def _property(key: Key) -> _Schema:
    schema: _Schema = {"description": key.documentation}
    if not key.is_required and (default := ConfigDefinition.of(key).default_value) is not None:
        schema["default"] = default
    if key.type in _NUMBERS:
        schema |= {"type": ["integer", "string"], "pattern": "^[+-]?[0-9]+$"}
    elif key.type is KeyType.DOUBLE:
        schema["type"] = ["number", "string"]
    elif key.type is KeyType.BOOLEAN:
        schema["enum"] = [True, False, "true", "false"]
    else:
        schema["type"] = "string"
    match key.validator:
        case OneOf(values, ignore_case=True):
            schema["enum"] = [*values, *map(str.lower, values)]
        case OneOf(values):
            schema["enum"] = list(values)
        case AtLeast(minimum):
            schema["minimum"] = minimum
        case Matches(pattern):
            schema["pattern"] = f"^{pattern}$"
    return schema


def metrics_page() -> str:
    rows = (
        f"| `{one.name}` | {one.type} | {', '.join(f'`{label}`' for label in one.labels)} | "
        f"{one.documentation} |"
        for one in declared()
    )
    return _METRICS_PAGE.format(rows="\n".join(rows))


def reference_page(plugins: Sequence[Plugin]) -> str:
    """Write the page of a class and its namesakes from its keys."""
    first = plugins[0]
    about = first.about
    classes = "\n".join(f"- `{plugin.class_name}`, version {plugin.version}" for plugin in plugins)
    limits = [f"| `{each.form}` | {each.value} | {each.advice} |\n" for each in first.limits]
    return _PAGE.format(
        title=about.title,
        summary=about.summary,
        classes=classes,
        needs=about.needs,
        example=json.dumps(about.example, indent=2),
        notes="\n".join(f"- {note}" for note in (*_NOTES, *about.notes)),
        sections="\n".join(_sections(first)),
        limits=_LIMITS + "".join(limits) if limits else "",
    )


def _sections(plugin: Plugin) -> Iterator[str]:
    """Yield a table for each group, the class's own first."""
    rows: dict[str, list[str]] = {}
    for key in plugin.keys + plugin.common_keys:
        rows.setdefault(key.group or "Own keys", []).append(_key_row(key, plugin.limits))
    for family in plugin.families:
        rows.setdefault(family.group, []).append(_family_row(family, plugin.limits))
    for group, lines in rows.items():
        yield "\n".join((f"## {group}", "", *_TABLE_HEAD, *lines, ""))


def _key_row(key: Key, limits: Sequence[NotYet]) -> str:
    default = ConfigDefinition.of(key).default_value
    shown = "required" if key.is_required else f"`{default}`" if default else ""
    meaning = f"{key.documentation}{_bounds(key)}{_limit(key.name, limits)}"
    return f"| `{key.name}` | {key.type} | {shown} | {key.importance} | {meaning} |"


def _family_row(family: KeyFamily, limits: Sequence[NotYet]) -> str:
    meaning = f"{family.documentation}{_limit(family.form, limits)}"
    return f"| `{family.form}` | STRING | | {family.importance} | {meaning} |"


def _bounds(key: Key) -> str:
    match key.validator:
        case OneOf(values, ignore_case=True):
            return f" One of {', '.join(f'`{value.lower()}`' for value in values)}."
        case OneOf(values):
            return f" One of {', '.join(f'`{value}`' for value in values)}."
        case AtLeast(minimum):
            return f" At least {minimum}."
        case _:
            return ""


def _limit(name: str, limits: Sequence[NotYet]) -> str:
    values = [limit.value for limit in limits if limit.form == name]
    return f" **Not yet: {values[0]}.**" if values else ""


def drifted() -> list[str]:
    """Name the generated files that are not what the code would write."""
    return [name for name, text in generated() if not _holds(ROOT / name, text)]


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        names = drifted()
        for name in names:
            sys.stderr.write(f"{name} is not what the code says: run `make schemas`.\n")
        return 1 if names else 0
    if arguments:
        sys.stderr.write("Usage: python schemas/generate.py [--check]\n")
        return 2
    for name, text in generated():
        path = ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
