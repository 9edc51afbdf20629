"""The `frazil` command and the stacks behind it."""
