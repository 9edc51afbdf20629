"""Topics, tables, connectors, Trino's catalogs as one desired state: plan, apply, check."""
