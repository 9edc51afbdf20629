"""Connect's transforms and predicates, each from one draft of a record to the next."""
