"""Compares the rows of meetings with the times that a prompt says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from twindiff.server.apis.twin_runs.world_prompt_details import FIRST_MONDAY, RULES, Meetings

NEXT_MONDAY = FIRST_MONDAY + timedelta(weeks=1)


def is_at(row: Mapping[str, Any], when: Meetings) -> bool:
    """Whether the row of a meeting has a time that a prompt says, also if it lasts all day."""
    is_all_day = "dateTime" not in row["start"]
    if when.is_all_day or is_all_day:
        is_on = when.day is None or row["start"]["date"] == when.day.isoformat()
        return when.is_all_day and is_all_day and is_on and (when.time, when.minutes) == (None, None)
    return is_then(row, when)


def is_then(row: Mapping[str, Any], when: Meetings) -> bool:
    """Whether the row of a meeting has a time that a prompt says."""
    start, end = (datetime.fromisoformat(row[edge]["dateTime"]).replace(tzinfo=None) for edge in ("start", "end"))
    days = [when.day] if when.day else [NEXT_MONDAY + timedelta(days=day) for day in range(7)] if when.weeks else []
    return (
        (not days or any(_falls_on(day, start.date(), row["recurrence"] or ()) for day in days))
        and when.time in (None, start.time())
        and when.minutes in (None, (end - start) // timedelta(minutes=1))
        and (when.rule is None or when.rule in (row["recurrence"] or ()))
    )


def _falls_on(day: date, start: date, rules: Sequence[str]) -> bool:
    """Whether a meeting, which may recur by one of `RULES`, has an occurrence on a day."""
    since, months = (day - start).days, (day.year - start.year) * 12 + day.month - start.month
    return since == 0 or (
        (RULES["day"] in rules and 0 < since < 20)
        or (RULES["week"] in rules and since % 7 == 0 and 0 < since < 12 * 7)
        or (RULES["month"] in rules and day.day == start.day and 0 < months < 12)
        or (RULES["year"] in rules and day.day == start.day and months % 12 == 0 and 0 < months < 5 * 12)
    )
