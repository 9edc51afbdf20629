"""How patient the control plane is: limits of restarts, back-off arithmetic, time-outs."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Policy:
    """All times in seconds."""

    max_failures: int = 5  # runs without progress until a person is asked
    first_delay: float = 5.0
    max_delay: float = 60.0
    settled_after: float = 300.0  # a run that lasted so long counts as progress
    max_starting: int = 1  # Spark is heavy to start: two at once are slower than one by one
    start_timeout: float = 300.0
    silence_timeout: float = 60.0
    stop_grace: float = 20.0
    look_again: float = 1.0  # while a worker runs
    look_soon: float = 0.25  # while something is about to change

    def retry_delay(self, failures: int) -> float | None:
        """Seconds until the next start after so many failures in a row; None: give up.

        The first retry comes at once, since most deaths are accidents.
        """
        if failures >= self.max_failures:
            return None
        if failures <= 1:
            return 0.0
        # Bounded before the power is taken: a user may allow a great many failures.
        doublings = min(failures - 2, 32)
        return min(self.first_delay * 2.0**doublings, self.max_delay)
