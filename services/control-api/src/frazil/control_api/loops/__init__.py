"""What runs for ever: the queue of names, the reconciler, the timers."""
