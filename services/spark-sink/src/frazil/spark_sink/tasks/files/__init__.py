"""File formats that a task writes, each behind the same small contract."""
