"""Time zones in user objects: name, label and offset from UTC at an instant."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

UNKNOWN = "Etc/UTC"
"""The zone of users without one."""

_LABELS = {
    ("ACDT", 10.5): "Australian Central Daylight Time",
    ("ACST", 9.5): "Australian Central Standard Time",
    ("AEDT", 11): "Australian Eastern Daylight Time",
    ("AEST", 10): "Australian Eastern Standard Time",
    ("AKDT", -8): "Alaska Daylight Time",
    ("AKST", -9): "Alaska Standard Time",
    ("AWST", 8): "Australian Western Standard Time",
    ("BST", 1): "British Summer Time",
    ("CAT", 2): "Central Africa Time",
    ("CDT", -5): "Central Daylight Time",
    ("CEST", 2): "Central European Summer Time",
    ("CET", 1): "Central European Time",
    ("CST", -6): "Central Standard Time",
    ("CST", 8): "China Standard Time",
    ("EAT", 3): "East Africa Time",
    ("EDT", -4): "Eastern Daylight Time",
    ("EEST", 3): "Eastern European Summer Time",
    ("EET", 2): "Eastern European Time",
    ("EST", -5): "Eastern Standard Time",
    ("GMT", 0): "Greenwich Mean Time",
    ("HKT", 8): "Hong Kong Time",
    ("HST", -10): "Hawaii-Aleutian Standard Time",
    ("IDT", 3): "Israel Daylight Time",
    ("IST", 1): "Irish Standard Time",
    ("IST", 2): "Israel Standard Time",
    ("IST", 5.5): "India Standard Time",
    ("JST", 9): "Japan Standard Time",
    ("KST", 9): "Korea Standard Time",
    ("MDT", -6): "Mountain Daylight Time",
    ("MSK", 3): "Moscow Time",
    ("MST", -7): "Mountain Standard Time",
    ("NZDT", 13): "New Zealand Daylight Time",
    ("NZST", 12): "New Zealand Standard Time",
    ("PDT", -7): "Pacific Daylight Time",
    ("PST", -8): "Pacific Standard Time",
    ("PST", 8): "Philippine Standard Time",
    ("SAST", 2): "South Africa Standard Time",
    ("SST", -11): "Samoa Standard Time",
    ("UTC", 0): "Coordinated Universal Time",
    ("WAT", 1): "West Africa Time",
    ("WEST", 1): "Western European Summer Time",
    ("WET", 0): "Western European Time",
    ("WIB", 7): "Western Indonesia Time",
}
"""Labels by abbreviation and offset in hours, since IST alone may be Dublin, Jerusalem or Delhi."""


def zone_object(name: str | None, now: datetime) -> dict[str, Any]:
    """Return the `tz` fields of a user; a zone that is unknown on this machine keeps its name and counts as UTC."""
    name = name or UNKNOWN
    local = now.astimezone(zone_of(name))
    offset = local.utcoffset() or timedelta()
    short = local.tzname() or "UTC"
    label = _LABELS.get((short, offset / timedelta(hours=1)), short)
    return {"tz": name, "tz_label": label, "tz_offset": int(offset.total_seconds())}


@lru_cache(maxsize=1024)
def zone_of(name: str | None) -> tzinfo:
    """Return the time zone with this name; UTC for None and for unknown names."""
    try:
        return ZoneInfo(name) if name else UTC
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC
