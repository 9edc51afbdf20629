"""The pure floor: what a connector is and what to do about it. No I/O, no frameworks."""
