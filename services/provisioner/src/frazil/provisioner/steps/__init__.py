"""The systems, one module each: look at it, take one step. Decisions are in `plan`."""
