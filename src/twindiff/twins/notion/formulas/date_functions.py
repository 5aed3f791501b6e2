"""The functions of formulas for dates. Dates are in UTC; weeks begin on Monday."""

# The table below takes functions of any arguments, so its lambdas cannot be checked.
# pyright: reportUnknownLambdaType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from .formula_values import DateValue, Value, as_date, as_number, format_date, format_value, parse_date_value
from .syntax import FormulaError

SPANS = {
    "years": "years", "year": "years", "quarters": "quarters", "quarter": "quarters", "months": "months",
    "month": "months", "weeks": "weeks", "week": "weeks", "days": "days", "day": "days", "hours": "hours",
    "hour": "hours", "minutes": "minutes", "minute": "minutes", "seconds": "seconds", "second": "seconds",
    "milliseconds": "milliseconds",
}  # fmt: skip
_MONTHS = {"years": 12, "quarters": 3, "months": 1}


def _unit(value: Value) -> str:
    unit = SPANS.get(format_value(value))
    if unit is None:
        raise FormulaError(f"Not a unit of time: {format_value(value)[:30]}")
    return unit


def _shift(at: datetime, amount: float, unit: str) -> datetime:
    try:
        if unit not in _MONTHS:
            return at + timedelta(**{unit: amount})
        years, month = divmod(at.year * 12 + at.month - 1 + int(amount) * _MONTHS[unit], 12)
        day = at.day
        while day > 28:
            try:
                return at.replace(year=years, month=month + 1, day=day)
            except ValueError:
                day -= 1
        return at.replace(year=years, month=month + 1, day=day)
    except (ValueError, OverflowError):
        raise FormulaError("The date is out of range") from None


def _add_time(value: Value, amount: Value, unit: Value, sign: int) -> Value:
    if value is None:
        return None
    date, span = as_date(value), _unit(unit)
    is_time = date.has_time or span in ("hours", "minutes", "seconds", "milliseconds")
    end = _shift(date.end, sign * as_number(amount), span) if date.end else None
    return DateValue(_shift(date.start, sign * as_number(amount), span), end, is_time)


def _between(later: Value, earlier: Value, unit: Value) -> Value:
    if later is None or earlier is None:
        return None
    end, start, span = as_date(later).start, as_date(earlier).start, _unit(unit)
    if span not in _MONTHS:
        return int((end - start) / timedelta(**{span: 1}))
    months = (end.year - start.year) * 12 + end.month - start.month
    step = 1 if end >= start else -1
    if months * step > 0 and (_shift(start, months, "months") - end) * step > timedelta():
        months -= step
    return int(months / _MONTHS[span])


def _part(read: Callable[[datetime], int]) -> Callable[[Value], Value]:
    return lambda value: None if value is None else read(as_date(value).start)


def _format(value: Value, pattern: Value, zone: Value = None) -> Value:
    return "" if value is None else format_date(as_date(value).start, format_value(pattern))


def _range(start: Value, end: Value) -> Value:
    first, last = as_date(start), as_date(end)
    return DateValue(first.start, last.start, first.has_time or last.has_time)


def _start(value: Value) -> Value:
    return None if value is None else as_date(value)._replace(end=None)


def _end(value: Value) -> Value:
    return None if value is None else DateValue(as_date(value).end or value.start, None, value.has_time)


def _from_timestamp(value: Value) -> Value:
    try:
        return DateValue(datetime.fromtimestamp(as_number(value) / 1000, UTC), None, True)
    except (ValueError, OverflowError, OSError):
        raise FormulaError("The date is out of range") from None


FUNCTIONS: dict[str, tuple[Callable[..., Any], int, int | None]] = {
    "minute": (_part(lambda at: at.minute), 1, 1),
    "hour": (_part(lambda at: at.hour), 1, 1),
    "day": (_part(lambda at: at.isoweekday()), 1, 1),
    "date": (_part(lambda at: at.day), 1, 1),
    "week": (_part(lambda at: at.isocalendar().week), 1, 1),
    "month": (_part(lambda at: at.month), 1, 1),
    "year": (_part(lambda at: at.year), 1, 1),
    "dateAdd": (lambda value, amount, unit: _add_time(value, amount, unit, 1), 3, 3),
    "dateSubtract": (lambda value, amount, unit: _add_time(value, amount, unit, -1), 3, 3),
    "dateBetween": (_between, 3, 3),
    "dateRange": (_range, 2, 2),
    "dateStart": (_start, 1, 1),
    "dateEnd": (_end, 1, 1),
    "start": (_start, 1, 1),
    "end": (_end, 1, 1),
    "timestamp": (lambda value: None if value is None else int(as_date(value).start.timestamp() * 1000), 1, 1),
    "fromTimestamp": (_from_timestamp, 1, 1),
    "formatDate": (_format, 2, 3),
    "parseDate": (lambda text: parse_date_value(format_value(text)), 1, 1),
}
