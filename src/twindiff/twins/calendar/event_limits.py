"""Sizes of what an event may hold: texts that are cut in silence, and values that are refused.

Extended properties: https://developers.google.com/workspace/calendar/api/guides/extended-properties#limitations
Conferences: https://developers.google.com/workspace/calendar/api/v3/reference/events#conferenceData
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .errors import Invalid, ValueTooLarge
from .event_bodies import fields_of

MAX_DESCRIPTION_CHARACTERS = 8_192
"""Google cuts longer descriptions: https://github.com/phw198/OutlookGoogleCalendarSync/issues/1368"""

MAX_PROPERTY_NAME_CHARACTERS = 44
MAX_PROPERTY_VALUE_CHARACTERS = 1_024
MAX_PROPERTIES = 300
MAX_PROPERTIES_BYTES = 32_768
MAX_RECURRENCE_BYTES = 32_768
MAX_RECURRENCE_LINES = 1_500
"""Google's own limit is not public; series with some 1,700 EXDATE lines are refused, see
https://github.com/derekantrican/GAS-ICS-Sync/issues/271
"""

CONFERENCE_TEXTS = {"notes": 2_048}
ENTRY_POINT_TEXTS = {
    "uri": 1_300,
    "label": 512,
    "pin": 128,
    "accessCode": 128,
    "meetingCode": 128,
    "passcode": 128,
    "password": 128,
}
"""The most characters of the texts of an entry point, by field."""


def cut_texts(columns: dict[str, Any]) -> dict[str, Any]:
    """Return event columns with texts cut as Google cuts them: a long description, and extended properties."""
    cut = dict(columns)
    if len(columns.get("description") or "") > MAX_DESCRIPTION_CHARACTERS:
        cut["description"] = columns["description"][:MAX_DESCRIPTION_CHARACTERS]
    if columns.get("extended_properties"):
        properties = fields_of(columns["extended_properties"])
        cut["extended_properties"] = {kind: _cut_properties(values) for kind, values in properties.items()}
    return cut


def _cut_properties(values: Any) -> Any:
    """Drop properties with a long name and cut long values."""
    if not isinstance(values, dict):
        return values
    return {
        name: value[:MAX_PROPERTY_VALUE_CHARACTERS] if isinstance(value, str) else value
        for name, value in fields_of(values).items()
        if len(name) <= MAX_PROPERTY_NAME_CHARACTERS
    }


def check_sizes(columns: Mapping[str, Any]) -> None:
    """Raise ValueTooLarge for too many properties or recurrence lines, and Invalid for long texts of a conference."""
    lines = columns.get("recurrence") or ()
    if len(lines) > MAX_RECURRENCE_LINES or sum(len(line.encode()) for line in lines) > MAX_RECURRENCE_BYTES:
        raise ValueTooLarge
    for values in map(fields_of, fields_of(columns.get("extended_properties")).values()):
        size = sum(len(name.encode()) + len((value or "").encode()) for name, value in values.items())
        if len(values) > MAX_PROPERTIES or size > MAX_PROPERTIES_BYTES:
            raise ValueTooLarge
    conference = fields_of(columns.get("conference_data"))
    _check_lengths(conference, CONFERENCE_TEXTS, "conferenceData")
    points = conference.get("entryPoints")
    for point in points if isinstance(points, list) else ():  # pyright: ignore[reportUnknownVariableType]
        _check_lengths(fields_of(point), ENTRY_POINT_TEXTS, "conferenceData.entryPoints")


def _check_lengths(value: Mapping[str, Any], most: Mapping[str, int], place: str) -> None:
    for name, length in most.items():
        if len(str(value.get(name) or "")) > length:
            raise Invalid(f"Invalid value for {place}.{name}: it has more than {length} characters.")
