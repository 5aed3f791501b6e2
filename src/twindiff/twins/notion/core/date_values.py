"""Dates and ranges between requests, rows and answers: rows hold `2026-07-01`, or `{start, end, time_zone}`."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from ..wire_style import ValidationError
from .body_rules import invalid_body

Values = dict[str, Any]
_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?")


def pack_date(value: Values, path: str) -> Any:
    """Return a date, or a range, as rows have it; raise ValidationError for a text that is no date."""
    start, end, zone = value["start"], value.get("end"), value.get("time_zone")
    for name, each in (("start", start), ("end", end)):
        if each is not None and not is_date(each):
            raise invalid_body(f"{path}.{name}", "a valid ISO 8601 date string", each)
    if end and len(start) > 10 != len(end) > 10:
        raise invalid_body(f"{path}.end", "of the same precision as start", end)
    if end and end < start:
        raise invalid_body(f"{path}.end", f"after `{start}`", end)
    start, end = (normalize_time(each, zone) if each else None for each in (start, end))
    return start if end is None else {"start": start, "end": end, "time_zone": None}


def is_date(text: str) -> bool:
    """Return whether a text is an ISO date, with or without a time."""
    if not _DATE.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def normalize_time(text: str, zone: str | None) -> str:
    """Return a date as it is, and an instant to the minute with its offset, which a time zone tells else."""
    if len(text) == 10:
        return text
    at = datetime.fromisoformat(text).replace(second=0, microsecond=0)
    try:
        at = at if at.tzinfo else at.replace(tzinfo=ZoneInfo(zone) if zone else UTC)
    except (KeyError, ValueError, OSError):
        raise ValidationError(
            f"body failed validation: {zone[:50] if zone else zone} is not a valid IANA time zone."
        ) from None
    return at.isoformat(timespec="milliseconds")


def date_object(value: Any) -> Values | None:
    """Render a date."""
    return {"start": value, "end": None, "time_zone": None} if isinstance(value, str) else value
