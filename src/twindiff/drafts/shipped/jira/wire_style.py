"""Jira's wire style, errors and times. https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/"""

from __future__ import annotations

from typing import Any

from twindiff.kit.call import Call
from twindiff.kit.clock import iso_instant
from twindiff.kit.errors import ApiError, InvalidParameter, NotFound
from twindiff.kit.http import Response
from twindiff.kit.request_context import RequestContext

from ...wire_style import DraftStyle


class JiraError(ApiError):
    """The request cannot be fulfilled."""

    def __init__(self, message: str = "", **fields: str) -> None:
        super().__init__(message)
        self.messages = [message] if message else []
        self.fields = fields


class InvalidFields(JiraError):
    """Fields of the request have values that they cannot have."""

    def __init__(self, fields: dict[str, str]) -> None:
        super().__init__()
        self.fields = fields


class NoSuchObject(JiraError):
    """There is no such object, or the caller may not see it."""

    status = 404


class UnservedJql(JiraError):
    """Jira has this and the twin lacks it."""

    status = 501


class JiraStyle(DraftStyle):
    """Errors are `{"errorMessages": [text], "errors": {field: text}}`; other operations answer as described."""

    naming = "camel"

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        messages, fields = [str(error)], dict[str, str]()
        if isinstance(error, JiraError):
            messages, fields = error.messages, error.fields
        elif isinstance(error, InvalidParameter) and error.name:
            messages, fields = [], {error.name: error.problem}
        elif isinstance(error, NotFound):
            messages = [f"The {error.details['kind'].lower()} does not exist or you do not have permission to see it."]
        body = {"errorMessages": messages, "errors": fields}
        return self.error_in(body, error, exchange)


def is_plain_text(call: Call) -> bool:
    """Return whether the request is for version 2 of the API, whose texts are no documents."""
    exchange: RequestContext | None = call.memo.get("exchange")
    return exchange is not None and "/rest/api/3/" not in exchange.request.path


def show_time(timestamp: str | None) -> str | None:
    """Return a Timestamp as Jira shows it: `2026-01-31T09:30:00.000+0000`."""
    if timestamp is None:
        return None
    whole, _, fraction = timestamp.partition(".")
    return f"{whole}.{(fraction or '000')[:3]}+0000"


def show_agile_time(timestamp: str | None) -> str | None:
    """Return a Timestamp as the Agile API shows it: `2026-01-31T09:30:00.000Z`."""
    shown = show_time(timestamp)
    return shown and shown.replace("+0000", "Z")


def time_of(micros: int) -> str:
    """Return microseconds since 1970 as a Timestamp holds them."""
    return iso_instant(micros).isoformat()


def page_values(rows: list[Any], start: int, most: int) -> dict[str, Any]:
    """Return the envelope of a paged list: `startAt`, `maxResults`, `total`, `isLast` and `values`."""
    shown = rows[start : start + most]
    return {
        "maxResults": most,
        "startAt": start,
        "total": len(rows),
        "isLast": start + most >= len(rows),
        "values": shown,
    }
