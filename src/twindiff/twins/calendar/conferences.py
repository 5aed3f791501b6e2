"""Conferences (Google Meet): https://developers.google.com/workspace/calendar/api/guides/create-events#conferencing"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from .errors import Invalid
from .event_bodies import fields_of

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def with_conference(call: Call, columns: dict[str, Any], version: int) -> dict[str, Any]:
    """Return event columns with the conference that their `createRequest` asks for.

    Clients with `version` 0 of `conferenceDataVersion` neither set nor clear conferences. Raises Invalid for an unknown
    type.
    """
    if "conference_data" not in columns:
        return columns
    if version < 1:
        return {name: value for name, value in columns.items() if name != "conference_data"}
    given = columns["conference_data"]
    if not given:
        return {**columns, "hangout_link": None}
    wanted = given.get("createRequest")
    if not wanted or given.get("conferenceId"):
        return columns
    return {**columns, **_meeting(call, wanted)}


def _meeting(call: Call, wanted: dict[str, Any]) -> dict[str, Any]:
    kind = fields_of(wanted.get("conferenceSolutionKey")).get("type", "hangoutsMeet")
    if not wanted.get("requestId") or kind != "hangoutsMeet":
        raise Invalid("Invalid conference type value." if wanted.get("requestId") else "Missing conference requestId.")
    letters = call.ids.new("", 10, LETTERS)
    code = f"{letters[:3]}-{letters[3:7]}-{letters[7:]}"
    link = f"https://meet.google.com/{code}"
    data = {
        "createRequest": {
            "requestId": wanted["requestId"],
            "conferenceSolutionKey": {"type": kind},
            "status": {"statusCode": "success"},
        },
        "entryPoints": [{"entryPointType": "video", "uri": link, "label": f"meet.google.com/{code}"}],
        "conferenceSolution": {"key": {"type": kind}, "name": "Google Meet"},
        "conferenceId": code,
    }
    return {"conference_data": data, "hangout_link": link}
