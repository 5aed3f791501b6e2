"""The OAuth scopes that each method requires: a token issued with scopes needs one of those listed.

https://developers.google.com/workspace/calendar/api/auth
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from twindiff.kit import Call
from twindiff.kit.oauth import valid_token
from twindiff.kit.request_context import RequestContext
from twindiff.kit.styles.google import GoogleError

from .oauth import ACCESS

PREFIX = "https://www.googleapis.com/auth/"
_LISTS = frozenset({"calendar.calendarlist", "calendar.calendarlist.readonly", "calendar.readonly"})
_EVENTS = frozenset({"calendar.events", "calendar.events.owned"})
_READ_EVENTS = _EVENTS | {
    "calendar.app.created",
    "calendar.events.freebusy",
    "calendar.events.owned.readonly",
    "calendar.events.public.readonly",
    "calendar.events.readonly",
    "calendar.readonly",
}
_RULES = frozenset({"calendar.acls", "calendar.acls.readonly"})
_SETTINGS = frozenset({"calendar.readonly", "calendar.settings", "calendar.settings.readonly"})
_CREATED = frozenset({"calendar.app.created"})
_CALENDARS = frozenset({"calendar.calendars"})
_LIST = frozenset({"calendar.calendarlist"})
_RULE = frozenset({"calendar.acls"})
_READ_OWNED = _READ_EVENTS - {"calendar.events", "calendar.events.readonly"}

SCOPES: Mapping[str, frozenset[str]] = {
    "DELETE /calendars/{calendarId}/acl/{ruleId}": _RULE,
    "GET /calendars/{calendarId}/acl/{ruleId}": _RULES | {"calendar.readonly"},
    "POST /calendars/{calendarId}/acl": _RULE,
    "GET /calendars/{calendarId}/acl": _RULES,
    "PATCH /calendars/{calendarId}/acl/{ruleId}": _RULE,
    "PUT /calendars/{calendarId}/acl/{ruleId}": _RULE,
    "POST /calendars/{calendarId}/acl/watch": _RULES,
    "DELETE /users/me/calendarList/{calendarId}": _LIST | _CREATED,
    "GET /users/me/calendarList/{calendarId}": _LISTS | _CREATED,
    "POST /users/me/calendarList": _LIST,
    "GET /users/me/calendarList": _LISTS,
    "PATCH /users/me/calendarList/{calendarId}": _LIST | _CREATED,
    "PUT /users/me/calendarList/{calendarId}": _LIST | _CREATED,
    "POST /users/me/calendarList/watch": _LISTS,
    "POST /calendars/{calendarId}/clear": _CALENDARS,
    "DELETE /calendars/{calendarId}": _CALENDARS | _CREATED,
    "GET /calendars/{calendarId}": _CALENDARS | _CREATED | {"calendar.calendars.readonly", "calendar.readonly"},
    "POST /calendars": _CALENDARS | _CREATED,
    "PATCH /calendars/{calendarId}": _CALENDARS | _CREATED,
    "PUT /calendars/{calendarId}": _CALENDARS | _CREATED,
    "POST /calendars/{calendarId}/transferOwnership": _CALENDARS,
    "POST /channels/stop": _RULES | _READ_EVENTS | _LISTS | _SETTINGS,
    "GET /colors": _LISTS | _READ_OWNED,
    "DELETE /calendars/{calendarId}/events/{eventId}": _EVENTS | _CREATED,
    "GET /calendars/{calendarId}/events/{eventId}": _READ_EVENTS,
    "POST /calendars/{calendarId}/events/import": _EVENTS | _CREATED,
    "POST /calendars/{calendarId}/events": _EVENTS | _CREATED,
    "GET /calendars/{calendarId}/events/{eventId}/instances": _READ_EVENTS,
    "GET /calendars/{calendarId}/events": _READ_EVENTS,
    "POST /calendars/{calendarId}/events/{eventId}/move": _EVENTS,
    "PATCH /calendars/{calendarId}/events/{eventId}": _EVENTS | _CREATED,
    "POST /calendars/{calendarId}/events/quickAdd": _EVENTS | _CREATED,
    "PUT /calendars/{calendarId}/events/{eventId}": _EVENTS | _CREATED,
    "POST /calendars/{calendarId}/events/watch": _READ_EVENTS,
    "POST /freeBusy": frozenset({"calendar.events.freebusy", "calendar.freebusy", "calendar.readonly"}),
    "GET /users/me/settings/{setting}": _SETTINGS,
    "GET /users/me/settings": _SETTINGS,
    "POST /users/me/settings/watch": _SETTINGS,
}
"""Scopes without PREFIX by operation name; the scope `calendar` alone permits every method."""


class InsufficientScopes(GoogleError):
    """Request had insufficient authentication scopes."""

    status = 403
    code = "insufficientPermissions"


def require_scope(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Any:
    """Middleware that raises InsufficientScopes if the token lacks a scope; tokens without scopes permit everything."""
    wanted = SCOPES.get(exchange.operation.name)
    known = valid_token(call, call.token, "access") if wanted and call.token.startswith(ACCESS) else None
    given = {each.removeprefix(PREFIX) for each in known.scope.split()} if known else set[str]()
    if wanted and given and not given & {"calendar", *wanted}:
        raise InsufficientScopes
    return proceed()
