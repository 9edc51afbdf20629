"""Schemas of tables, and what records ask of them."""
