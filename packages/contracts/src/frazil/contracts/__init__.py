"""Words on the wire. Pydantic and the standard library only; nothing here does I/O."""
