"""Billing periods, counted from an anchor, so that the 31st returns after a short month.

https://docs.stripe.com/billing/subscriptions/billing-cycle
"""

from __future__ import annotations

import calendar
from collections.abc import Mapping
from datetime import UTC, datetime

from twindiff.twins.stripe.core.wire_style import StripeError

DAY = 86400
SECONDS = {"day": DAY, "week": 7 * DAY}
MONTHS = {"month": 1, "year": 12}
MAX_TRIAL_DAYS = 730


def shift_time(moment: int, interval: str, count: int) -> int:
    """Shift a timestamp by `count` intervals; a day that the month lacks becomes its last day."""
    if seconds := SECONDS.get(interval):
        return moment + seconds * count
    at = datetime.fromtimestamp(moment, UTC)
    month = at.month - 1 + MONTHS[interval] * count
    year, month = at.year + month // 12, month % 12 + 1
    day = min(at.day, calendar.monthrange(year, month)[1])
    return int(at.replace(year=year, month=month, day=day).timestamp())


def next_boundary(anchor: int, after: int, interval: str, count: int) -> int:
    """Return the first period boundary after a time."""
    if interval in MONTHS:
        turn = (_months(after) - _months(anchor)) // (MONTHS[interval] * count)
    else:
        turn = (after - anchor) // (SECONDS[interval] * count)
    while (boundary := shift_time(anchor, interval, count * turn)) <= after:
        turn += 1
    return boundary


def previous_boundary(anchor: int, at: int, interval: str, count: int) -> int:
    """Return the last period boundary at or before a time."""
    following = next_boundary(anchor, at, interval, count)
    turn = 1
    while (earlier := shift_time(following, interval, -count * turn)) > at:
        turn += 1
    back = next_boundary(anchor, earlier - 1, interval, count)
    return back if back <= at else earlier


def next_day(after: int, wanted: Mapping[str, int | None]) -> int:
    """Return the first time after `after` on the requested day of month; missing parts are those of `after`."""
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
    """Return a time on a day of its month, or on the month's last day."""
    at = datetime.fromtimestamp(moment, UTC)
    return int(at.replace(day=min(day, calendar.monthrange(at.year, at.month)[1])).timestamp())


def _months(moment: int) -> int:
    at = datetime.fromtimestamp(moment, UTC)
    return at.year * 12 + at.month


def check_trial_days(days: float, param: str) -> None:
    """Raise StripeError for a trial that is negative or longer than two years.

    https://docs.stripe.com/api/subscriptions/create#create_subscription-trial_end
    """
    if days < 0:
        message = "This value must be greater than or equal to 0."
        raise StripeError(message, code="parameter_invalid_integer", param=param)
    if days > MAX_TRIAL_DAYS:
        message = f"The maximum number of trial period days is {MAX_TRIAL_DAYS} (2 years)."
        raise StripeError(message, param=param)
