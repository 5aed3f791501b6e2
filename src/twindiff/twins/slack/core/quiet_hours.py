"""Default do-not-disturb hours at night."""

from __future__ import annotations

from datetime import datetime, time, timedelta, tzinfo

_START, _END = time(22), time(8)


def quiet_hours(now: datetime, zone: tzinfo) -> tuple[int, int]:
    """Return start and end, in seconds since 1970, of the current or next do-not-disturb hours in a time zone."""
    today = now.astimezone(zone).date()
    for day in (today - timedelta(days=1), today):
        start = datetime.combine(day, _START, zone)
        end = datetime.combine(day + timedelta(days=1), _END, zone)
        if end > now:
            return int(start.timestamp()), int(end.timestamp())
    raise AssertionError("tomorrow's quiet hours end after now")
