"""Times as milliseconds since 1970, which is how Connect counts them, and back."""

from datetime import UTC, date, datetime, time, timedelta

DAY = 86_400_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_DAY = EPOCH.toordinal()
_MILLISECOND = timedelta(milliseconds=1)


def millis_of(value: datetime | date | time) -> int:
    """Count the milliseconds since 1970; of a time of day, those since midnight."""
    if isinstance(value, datetime):
        since = (value if value.tzinfo else value.replace(tzinfo=UTC)) - EPOCH
        return since.days * DAY + since.seconds * 1000 + since.microseconds // 1000
    if isinstance(value, date):
        return days_of(value) * DAY
    seconds = (value.hour * 60 + value.minute) * 60 + value.second
    return seconds * 1000 + value.microsecond // 1000


def days_of(value: date) -> int:
    """Count the days from 1970-01-01."""
    return value.toordinal() - _EPOCH_DAY


def datetime_of(millis: int) -> datetime:
    """Return a time in UTC; it raises OverflowError outside of the years 1 to 9999."""
    return EPOCH + _MILLISECOND * millis


def date_of(millis: int) -> date:
    """Return the day of a time; it raises ValueError or OverflowError outside of those years."""
    return date.fromordinal(_EPOCH_DAY + millis // DAY)


def time_of(millis: int) -> time:
    """Return the time of day."""
    seconds, millis = divmod(millis % DAY, 1000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return time(hour, minute, second, millis * 1000)
