"""Dates that a prompt says by a word: `today`, `tomorrow`, `in three days`, by the clock and zone of the page.

They stand in steps as parameters such as `{{tomorrow}}` and `{{in_3_days}}`, so that a saved
test means the day of its run.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from twindiff.browser.words import NUMBERS

_NAME = re.compile(r"(today)|(tomorrow)|(yesterday)|in_(\d{1,4})_days|(\d{1,4})_days_ago")
_NUMBER = rf"(\d{{1,3}}|an?|{'|'.join(NUMBERS[1:])})"
SPOKEN_DATE = re.compile(
    rf"\b(?:the date of |the current date\b)?(?:(?P<day>today|tomorrow|yesterday)(?:['’]s date)?\b(?!['’])"  # noqa: RUF001
    rf"|(?P<at>in {_NUMBER} (?P<unit>days?|weeks?)"
    rf"|{_NUMBER} (?P<unit2>days?|weeks?) (?P<way>from (?:now|today)|ago))\b)"
)
"""A date in lower case; with a capital letter, `Today` is the name of a link."""
PAGE_DATE = "() => { const now = new Date(); return [now.getFullYear(), now.getMonth() + 1, now.getDate()]; }"
"""The date of a page in its time zone, as year, month and day."""


def parameter_of(said: re.Match[str]) -> str:
    """Return the parameter that a spoken date means, without braces."""
    if said["day"]:
        return said["day"]
    word = next(each for each in (said[3], said[5]) if each).lower()
    number = NUMBERS.index(word) if word in NUMBERS else 1 if word in ("a", "an") else int(word)
    days = number * (7 if (said["unit"] or said["unit2"]).startswith("week") else 1)
    return f"{days}_days_ago" if said["way"] == "ago" else f"in_{days}_days"


def is_date(name: str) -> bool:
    """Return whether a parameter is a date that needs no value."""
    return bool(_NAME.fullmatch(name))


def date_of(name: str, today: date) -> date:
    """Return the date of a parameter for which `is_date` holds."""
    said = _NAME.fullmatch(name)
    assert said, name
    days = 1 if said[2] else -1 if said[3] else int(said[4] or 0) - int(said[5] or 0)
    return today + timedelta(days)


def forms_of(day: date) -> list[str]:
    """Return the texts by which a page may show a date.

    `11/12/2026` is left out where it may be a day of November or of December.
    """
    number, year = day.day, day.year
    forms = [day.isoformat(), f"{number:02}.{day.month:02}.{year}", f"{number}.{day.month}.{year}"]
    for month in (day.strftime("%B"), day.strftime("%b")):
        forms += [f"{month} {number}", f"{month} {number:02}", f"{number} {month}", f"{number:02} {month}"]
        forms += [f"{number}. {month}"]
    if number > 12 or number == day.month:
        forms += [f"{day.month}/{number}/{year}", f"{day.month:02}/{number:02}/{year}"]
        forms += [f"{number}/{day.month}/{year}", f"{number:02}/{day.month:02}/{year}"]
    return forms
