"""Where workers live: one module an engine, all of them held to one contract suite."""
