"""What records look like. Pure: a seeded `random.Random` and a time in, plain dicts out."""
