"""How much memory the bodies of requests may take: each one, and all that are in flight. Pure."""

from dataclasses import dataclass

from frazil.table_catalog.core.errors import BusyError, TooLargeError


@dataclass(slots=True)
class Budget:
    """Bytes that all requests share, of which half are for callers who are known."""

    most: int
    most_each: int
    taken: int = 0


@dataclass(slots=True)
class Share:
    """What one request has taken; `known` once it is proven that it is from one of our keys."""

    budget: Budget
    known: bool = False
    taken: int = 0

    def announce(self, size: int) -> None:
        """Refuse a body by what its head says of it."""
        if size > self.budget.most_each:
            raise TooLargeError(f"the body has {size} bytes, and {self.budget.most_each} are taken")

    def take(self, size: int) -> None:
        """Raise TooLargeError or BusyError if there is no room for so many bytes more."""
        if self.taken + size > self.budget.most_each:
            raise TooLargeError(
                f"the body has more than the {self.budget.most_each} bytes that are taken"
            )
        room = self.budget.most if self.known else self.budget.most // 2
        if size and self.budget.taken + size > room:
            raise BusyError("the bodies of other requests take all memory there is for them")
        self.taken += size
        self.budget.taken += size

    def give_back(self) -> None:
        self.budget.taken -= self.taken
        self.taken = 0
