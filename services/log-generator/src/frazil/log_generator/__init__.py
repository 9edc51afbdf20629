"""Seeded log records of real shape, good and bad."""
