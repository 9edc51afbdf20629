"""Where connectors are remembered. The only room that knows SQL."""
