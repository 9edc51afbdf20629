"""Iceberg tables: which one a record is for, what becomes of it there, and the guarded commit."""
