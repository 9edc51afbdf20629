"""Where keys come from: a file that may change while we run."""
