"""HTTP: the only room that knows FastAPI."""
