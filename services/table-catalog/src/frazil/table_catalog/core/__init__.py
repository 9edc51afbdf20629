"""What is decided without I/O: words, errors, metadata, signatures, rights."""
