"""Why tasks cannot write a table, whatever its records are."""


class StorageError(OSError):
    """A store does not take a file, or refuses us; the message is the store's."""


class UnsupportedTableError(Exception):
    """The table has something that tasks cannot write; the message says what."""
