"""Context variables across threads: a thread begins without those of whoever it works for."""

from collections.abc import Callable
from contextvars import copy_context
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def in_this_context(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function that other threads call know what is bound here: whose its logs are."""
    context = copy_context()

    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        # A copy each time, for a context can be entered by one thread only.
        return context.copy().run(function, *args, **kwargs)

    return call
