"""Billing periods: intervals that are counted from an anchor, so that the 31st comes back after a short month.

https://docs.stripe.com/billing/subscriptions/billing-cycle
"""

from __future__ import annotations

import calendar
from collections.abc import Mapping
from datetime import UTC, datetime

DAY = 86400
SECONDS = {"day": DAY, "week": 7 * DAY}
MONTHS = {"month": 1, "year": 12}


def shift_time(moment: int, interval: str, count: int) -> int:
    """A time some intervals later, or earlier; a day that a month lacks is its last."""
    if seconds := SECONDS.get(interval):
        return moment + seconds * count
    at = datetime.fromtimestamp(moment, UTC)
    month = at.month - 1 + MONTHS[interval] * count
    year, month = at.year + month // 12, month % 12 + 1
    day = min(at.day, calendar.monthrange(year, month)[1])
    return int(at.replace(year=year, month=month, day=day).timestamp())


def next_boundary(anchor: int, after: int, interval: str, count: int) -> int:
    """The first boundary of the periods around an anchor that is later than a time."""
    if interval in MONTHS:
        turn = (_months(after) - _months(anchor)) // (MONTHS[interval] * count)
    else:
        turn = (after - anchor) // (SECONDS[interval] * count)
    while (boundary := shift_time(anchor, interval, count * turn)) <= after:
        turn += 1
    return boundary


def previous_boundary(anchor: int, at: int, interval: str, count: int) -> int:
    """The last boundary of the periods around an anchor that is not later than a time."""
    following = next_boundary(anchor, at, interval, count)
    turn = 1
    while (earlier := shift_time(following, interval, -count * turn)) > at:
        turn += 1
    back = next_boundary(anchor, earlier - 1, interval, count)
    return back if back <= at else earlier


def next_day(after: int, wanted: Mapping[str, int | None]) -> int:
    """The first time later than another on a day of a month; what is not said of its time is as it is then."""
    start = datetime.fromtimestamp(after, UTC)
    hour, minute, second = (wanted[name] for name in ("hour", "minute", "second"))
    clock = start.replace(
        day=1,
        hour=start.hour if hour is None else hour,
        minute=start.minute if minute is None else minute,
        second=start.second if second is None else second,
    )
    months = (shift_time(int(clock.timestamp()), "month", count) for count in range(14))
    days = (_on_day(each, wanted["day_of_month"] or 1) for each in months)
    month = wanted["month"]
    return next(each for each in days if each > after and month in (None, datetime.fromtimestamp(each, UTC).month))


def _on_day(moment: int, day: int) -> int:
    """A time on a day of its month, or on the month's last day."""
    at = datetime.fromtimestamp(moment, UTC)
    return int(at.replace(day=min(day, calendar.monthrange(at.year, at.month)[1])).timestamp())


def _months(moment: int) -> int:
    at = datetime.fromtimestamp(moment, UTC)
    return at.year * 12 + at.month
