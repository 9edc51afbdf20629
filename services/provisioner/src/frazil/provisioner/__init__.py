"""Topics, namespaces, tables and connectors as one desired state: plan, apply, check."""
