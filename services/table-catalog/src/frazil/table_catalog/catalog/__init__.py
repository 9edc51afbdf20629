"""What is kept: rows in a database, metadata files beside the tables."""
