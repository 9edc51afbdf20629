"""Connect's converters: how the bytes of a key, a value or a header become a value."""
