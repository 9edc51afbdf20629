"""Why tasks cannot write a table at all, whatever its records are."""


class UnsupportedTableError(Exception):
    """The table has something that tasks cannot write; the message says what."""
