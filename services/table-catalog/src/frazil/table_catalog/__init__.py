"""An Iceberg REST catalog in AIStor's shape: `/_iceberg`, SigV4, warehouses."""
