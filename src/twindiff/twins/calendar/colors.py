"""The colors of calendars and events: https://developers.google.com/workspace/calendar/api/v3/reference/colors"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, Operations

api = Operations()

FOREGROUND = "#1d1d1d"
CALENDAR = dict(
    zip(
        map(str, range(1, 25)),
        [
            "#ac725e",
            "#d06b64",
            "#f83a22",
            "#fa573c",
            "#ff7537",
            "#ffad46",
            "#42d692",
            "#16a765",
            "#7bd148",
            "#b3dc6c",
            "#fbe983",
            "#fad165",
            "#92e1c0",
            "#9fe1e7",
            "#9fc6e7",
            "#4986e7",
            "#9a9cff",
            "#b99aff",
            "#c2c2c2",
            "#cabdbf",
            "#cca6ac",
            "#f691b2",
            "#cd74e6",
            "#a47ae2",
        ],
        strict=True,
    )
)
EVENT = dict(
    zip(
        map(str, range(1, 12)),
        [
            "#a4bdfc",
            "#7ae7bf",
            "#dbadff",
            "#ff887c",
            "#fbd75b",
            "#ffb878",
            "#46d6db",
            "#e1e1e1",
            "#5484ed",
            "#51b749",
            "#dc2127",
        ],
        strict=True,
    )
)


def nearest_color(rgb: str) -> str:
    """Return the id of the calendar color that is most similar to a color of the form `#0088aa`."""
    return min(
        CALENDAR, key=lambda id: sum((a - b) ** 2 for a, b in zip(_parts(CALENDAR[id]), _parts(rgb), strict=True))
    )


def _parts(rgb: str) -> bytes:
    return bytes.fromhex(rgb.removeprefix("#"))


@api.get("/colors")
def get_colors(call: Call) -> dict[str, Any]:
    """List the colors of calendars and events."""
    return {
        "kind": "calendar#colors",
        "updated": "2012-02-14T00:00:00.000Z",
        "calendar": {id: {"background": color, "foreground": FOREGROUND} for id, color in CALENDAR.items()},
        "event": {id: {"background": color, "foreground": FOREGROUND} for id, color in EVENT.items()},
    }
