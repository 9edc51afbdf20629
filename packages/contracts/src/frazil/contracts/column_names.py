"""Names of columns: those that they are to have, and those that records may have for them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from frazil.contracts.columns import Path


@dataclass(frozen=True)
class ColumnNames:
    """`renames` leads from a path to a new last name; what is above has its new names already."""

    renames: Mapping[Path, str] = field(default_factory=dict)
    ignore_case: bool = False

    @classmethod
    def of(
        cls,
        wanted: Mapping[Path, str],
        *,
        ignore_case: bool = False,
        refuses: Callable[[Path], bool] = lambda _: False,
    ) -> "ColumnNames":
        """Read what is wanted, where what is above is named in either way; some may be refused."""
        names = cls(ignore_case=ignore_case)
        for path in sorted(wanted, key=len):
            above = names.now(path[:-1])
            if not refuses((*above, wanted[path])):
                more = {(*above, path[-1]): wanted[path]}
                names = replace(names, renames={**names.renames, **more})
        return names

    def __bool__(self) -> bool:
        return self.ignore_case or bool(self.renames)

    def key(self, name: str) -> str:
        return name.lower() if self.ignore_case else name

    def name(self, above: Path, name: str) -> str:
        """Return the name that a column has by now; what is above has its own already."""
        path = self._keys((*above, name))
        return next((new for old, new in self.renames.items() if self._keys(old) == path), name)

    def now(self, path: Path) -> Path:
        known: Path = ()
        for name in path:
            known = (*known, self.name(known, name))
        return known

    def spelled(self, text: str) -> str:
        """Return a path in words, as a key of a configuration has it, as it is by now."""
        return ".".join(self.now(tuple(text.split("."))))

    def former(self, above: Path, name: str) -> list[str]:
        """List what a column was called before."""
        path = self._keys((*above, name))
        return [
            old[-1] for old, new in self.renames.items() if self._keys((*old[:-1], new)) == path
        ]

    def spellings(self, path: Path) -> list[Path]:
        """List the paths that records may have for a column; the one of now is first."""
        found: list[Path] = [()]
        for depth, name in enumerate(path):
            known = [name, *self.former(path[:depth], name)]
            found = [(*above, one) for above in found for one in known]
        return found

    def grouped(self, above: Path, names: Iterable[str]) -> dict[str, list[str]]:
        """Tell which of some names are those of one column, by its key."""
        found: dict[str, list[str]] = {}
        for name in names:
            found.setdefault(self.key(self.name(above, name)), []).append(name)
        return found

    def _keys(self, path: Path) -> Path:
        return tuple(map(self.key, path))
