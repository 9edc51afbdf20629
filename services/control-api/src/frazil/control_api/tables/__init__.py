"""Iceberg tables, read in a process of its own: the only room that knows PyIceberg."""
