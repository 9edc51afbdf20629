"""Stands in front of the Docker engine's socket and confines what the control API may ask of it."""
