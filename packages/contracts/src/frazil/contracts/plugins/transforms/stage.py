"""What a transform or predicate class is: its names, its keys, and the rules between them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal

from frazil.contracts.config import Importance, Key, KeyType, Width
from frazil.contracts.config_infos import ConfigDefinition
from frazil.contracts.validators import Validator, Value

Kind = Literal["transformation", "predicate"]
Options = Mapping[str, Any]
# From the typed options to what is wrong between them: the option to say it at, and the words.
StageRule = Callable[[Options], Iterator[tuple[str, str]]]

SIDES = ("Key", "Value")


@dataclass(frozen=True)
class StageClass:
    """`word` is what the class is called in code; several classes may be one word."""

    word: str
    packages: tuple[str, ...]
    _: KW_ONLY
    kind: Kind = "transformation"
    sided: bool = False
    keys: tuple[Key, ...] = ()
    rules: tuple[StageRule, ...] = ()
    version: str

    @property
    def class_names(self) -> tuple[str, ...]:
        """All classes of this word; those with sides have one for keys and one for values."""
        endings = [f"${side}" for side in SIDES] if self.sided else [""]
        return tuple(f"{package}.{self.word}{end}" for package in self.packages for end in endings)

    def plugins(self) -> Iterator["StagePlugin"]:
        for name in self.class_names:
            yield StagePlugin(name, self)


@dataclass(frozen=True)
class StagePlugin:
    """One class as the plugin endpoints show it."""

    class_name: str
    stage: StageClass

    @property
    def type(self) -> Kind:
        return self.stage.kind

    @property
    def version(self) -> str:
        return self.stage.version

    @property
    def names(self) -> frozenset[str]:
        return frozenset({self.class_name, self.class_name.rpartition(".")[2]})

    @property
    def side(self) -> str | None:
        """Return `Key` or `Value` for a class that has such sides."""
        found = self.class_name.rpartition("$")[2]
        return found if found in SIDES else None

    def definitions(self) -> list[ConfigDefinition]:
        return [ConfigDefinition.of(key) for key in self.stage.keys]

    def keys(self, prefix: str, group: str) -> tuple[Key, ...]:
        """Return the keys as they stand in a connector, under the alias of the stage."""
        return tuple(
            replace(key, name=prefix + key.name, group=group, order=order)
            for order, key in enumerate(self.stage.keys, start=4)
        )


def option(
    name: str,
    kind: KeyType = KeyType.STRING,
    *,
    default: Any = None,
    importance: Importance = Importance.MEDIUM,
    documentation: str,
    validator: Validator | None = None,
) -> Key:
    """Make a key as Connect defines those of transforms: without a width or a name to show."""
    return Key(
        name,
        kind,
        default=default,
        importance=importance,
        documentation=documentation,
        width=Width.NONE,
        display_name=name,
        validator=validator,
    )


def given(options: Options, *names: str) -> list[str]:
    """List those of the options that hold something."""
    return [name for name in names if options.get(name) not in (None, "", ())]


def text(value: Value) -> str:
    """Return a value that its key's type says is a text; nothing is the empty one."""
    return value if isinstance(value, str) else ""
