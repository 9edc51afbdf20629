"""SQL transforms: Spark selects between two passes of Python over the records."""
