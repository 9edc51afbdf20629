"""The `frazil` command and the local stack behind it."""
