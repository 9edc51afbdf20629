"""The control plane: Kafka Connect's REST API over a registry, a reconciler and an engine."""
