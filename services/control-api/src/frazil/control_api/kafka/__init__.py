"""What the control API itself asks of a broker: who it is, and whether it is there."""
