"""Iceberg catalogs through PyIceberg; what a server answers never chooses code or addresses."""
