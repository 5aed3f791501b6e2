"""Webhooks, timelines, cards, sign-in, users and the account, as apps of developers call them.

https://developers.hubspot.com/docs/reference/api/webhooks, /docs/reference/api/app-management/oauth/tokens,
/docs/reference/api/crm/extensions/timeline, /docs/reference/api/settings/users/users
"""

from __future__ import annotations

import re
from typing import Any, cast

from twindiff.kit.errors import MissingOperation
from twindiff.kit.http import ValueResponse
from twindiff.kit.twin import Operations

from ..document_collections import (
    DocumentCollection,
    DocumentRequest,
    Shown,
    declare_operation,
    serve_collections,
)
from .account import OWNER, PORTAL
from .document_styles import DocumentsByGuid, DocumentsOfVersion3
from .wire_style import HubSpotError, NoSuchRecord, show_time

api = Operations()
_V3, _GUID = DocumentsOfVersion3(), DocumentsByGuid()
_EVENT = re.compile(r"(contact|company|deal|ticket|product|line_item|conversation|object)\.[A-Za-z]+")
TOKEN_SECONDS = 1800


def _check_subscription(_request: DocumentRequest, fields: Shown) -> None:
    event = str(fields.get("eventType") or "")
    if not _EVENT.fullmatch(event):
        raise HubSpotError(f"Invalid input JSON: '{event}' is no event type")
    if event.endswith(".propertyChange") and not fields.get("propertyName"):
        raise HubSpotError("propertyName is required for propertyChange subscriptions")


def _show_template(request: DocumentRequest, fields: Shown) -> Shown:
    tokens: Any = fields.get("tokens") or []
    now = show_time(request.call.clock.iso())
    listed: list[Shown] = [
        {"options": [], "createdAt": now, "updatedAt": now, **cast(Shown, each)}
        for each in cast(list[Any], tokens)
        if isinstance(each, dict)
    ]
    return {**fields, "tokens": listed}


SUBSCRIPTIONS = DocumentCollection(
    table="webhook_subscriptions", path="/webhooks/v3/{appId}/subscriptions", style=_V3, name="subscription",
    item="/{subscriptionId}", required=("eventType",), check=_check_subscription, defaults={"active": False},
)  # fmt: skip
TEMPLATES = DocumentCollection(
    table="timeline_templates", path="/crm/v3/timeline/{appId}/event-templates", style=_V3, name="event template",
    item="/{eventTemplateId}", updates_by=("PUT",), required=("name", "objectType"), show=_show_template,
    defaults={"headerTemplate": "", "detailTemplate": "", "tokens": []}, created=200,
)  # fmt: skip
EVENTS = DocumentCollection(table="timeline_events", path="/crm/v3/timeline/events", style=_V3, name="event")
USERS = DocumentCollection(
    table="users", path="/settings/v3/users", style=_V3, name="user", item="/{userId}", updates_by=("PUT",),
    required=("email",), unique=("email",), aliases=("email",), hidden=frozenset(["sendWelcomeEmail"]),
    defaults={"roleIds": [], "superAdmin": False},
)  # fmt: skip
COLLECTIONS = (
    SUBSCRIPTIONS, TEMPLATES, USERS,
    DocumentCollection(
        table="crm_cards", path="/crm/v3/extensions/cards/{appId}", style=_V3, name="card", item="/{cardId}",
        required=("title", "fetch", "display", "actions"),
    ),
    DocumentCollection(
        table="automation_actions", path="/automation/v4/actions/{appId}", style=_V3, name="action definition",
        item="/{definitionId}", required=("actionUrl", "labels", "inputFields"),
        defaults={"published": False, "functions": [], "revisionId": "1", "objectTypes": []},
    ),
    DocumentCollection(
        table="imports", path="/crm/v3/imports", style=_V3, name="import", item="/{importId}",
        serves=frozenset(["list", "read"]),
    ),
)  # fmt: skip
serve_collections(api, COLLECTIONS)


def _update_subscriptions(request: DocumentRequest) -> Any:
    """Activate or pause subscriptions."""
    results: list[Shown] = []
    for each in request.read_objects("inputs"):
        row = SUBSCRIPTIONS.find(request, str(each.get("id")))
        row = SUBSCRIPTIONS.change(request, row, {"active": bool(each.get("active"))})
        results.append(SUBSCRIPTIONS.view(request, row))
    now = show_time(request.call.clock.iso())
    return {"status": "COMPLETE", "results": results, "startedAt": now, "completedAt": now}


declare_operation(api, "POST /webhooks/v3/{appId}/subscriptions/batch/update", _update_subscriptions)

# -- settings of an app, one of a kind --------------------------------------------------------------------------------

SETTINGS = DocumentCollection(
    table="app_settings", path="/settings/{appId}", style=_V3, name="settings", item="/{kind}", key="kind",
    given_key="kind",
)  # fmt: skip


def _serve_settings(path: str, kind: str, required: tuple[str, ...], verbs: tuple[str, ...]) -> None:
    """Declare the operations of settings that an app has once."""

    def find(request: DocumentRequest) -> Any:
        row = next((each for each in SETTINGS.rows(request) if each.key == kind), None)
        if row is None:
            raise NoSuchRecord(f"No settings found for app {request.path['appId']}")
        return row

    def show(row: Any) -> Shown:
        return {name: value for name, value in row.fields.items() if name != "kind"}

    def read(request: DocumentRequest) -> Any:
        return show(find(request))

    def write(request: DocumentRequest) -> Any:
        given = request.read_object()
        known = next((each for each in SETTINGS.rows(request) if each.key == kind), None)
        absent = [name for name in required if given.get(name) is None and known is None]
        if absent:
            raise _V3.refuse_absent(kind, absent)
        row = SETTINGS.change(request, known, given) if known else SETTINGS.add(request, {**given, "kind": kind})
        return show(row)

    def remove(request: DocumentRequest) -> Any:
        request.call.db.remove(find(request))
        return ValueResponse(None, 204)

    label = kind.replace("_", " ")
    declare_operation(api, f"GET {path}", read, f"Return the settings of an app's {label}.")
    for verb in verbs:
        declare_operation(api, f"{verb} {path}", write, f"Set the settings of an app's {label}.")
    declare_operation(api, f"DELETE {path}", remove, f"Remove the settings of an app's {label}.")


_serve_settings("/webhooks/v3/{appId}/settings", "webhooks", ("targetUrl", "throttling"), ("PUT",))
_serve_settings("/crm/v3/extensions/calling/{appId}/settings", "calling", ("name", "url"), ("POST", "PATCH"))
_serve_settings(
    "/crm/v3/extensions/videoconferencing/settings/{appId}", "video_conferences", ("createMeetingUrl",), ("PUT",)
)

# -- timeline ---------------------------------------------------------------------------------------------------------


def _find_template(request: DocumentRequest, key: str) -> Any:
    rows = request.call.db.rows(TEMPLATES.row, TEMPLATES.row.key == key)
    if not rows:
        raise HubSpotError(f"No event template with id '{key}' exists")
    return rows[0]


def _add_token(request: DocumentRequest) -> Any:
    """Add a token to a template of events."""
    row = TEMPLATES.find(request)
    given = request.read_object()
    if not given.get("name") or not given.get("type"):
        raise _V3.refuse_absent("token", [each for each in ("name", "label", "type") if not given.get(each)])
    tokens: list[Any] = row.fields.get("tokens") or []
    TEMPLATES.change(request, row, {"tokens": [*tokens, given]})
    now = show_time(request.call.clock.iso())
    return {"options": [], **given, "createdAt": now, "updatedAt": now}


def _token_of(request: DocumentRequest) -> tuple[Any, list[Any], Shown]:
    row = TEMPLATES.find(request)
    tokens: list[Any] = row.fields.get("tokens") or []
    token = next((each for each in tokens if each.get("name") == request.path["tokenName"]), None)
    if token is None:
        raise NoSuchRecord(f"No token found with name '{request.path['tokenName']}'")
    return row, tokens, token


def _change_token(request: DocumentRequest) -> Any:
    """Change a token of a template."""
    row, tokens, token = _token_of(request)
    changed = {**token, **request.read_object(), "name": token["name"]}
    TEMPLATES.change(request, row, {"tokens": [changed if each is token else each for each in tokens]})
    return {"options": [], **changed}


def _remove_token(request: DocumentRequest) -> Any:
    """Take a token from a template."""
    row, tokens, token = _token_of(request)
    TEMPLATES.change(request, row, {"tokens": [each for each in tokens if each is not token]})
    return ValueResponse(None, 204)


def _add_event(request: DocumentRequest, given: Shown) -> Shown:
    template = _find_template(request, str(given.get("eventTemplateId")))
    if not any(given.get(name) for name in ("email", "objectId", "utk", "domain")):
        raise HubSpotError("One of 'email', 'objectId', 'utk' and 'domain' is required")
    about: Shown = {
        "objectType": template.fields["objectType"],
        "timestamp": show_time(request.call.clock.iso()),
        "tokens": {},
    }
    key = {"id": given["id"]} if given.get("id") else {"id": request.call.ids.uuid()}
    collection_key = f"{template.key}/{key['id']}"
    known = request.call.db.find(EVENTS.row, EVENTS.row.scope == "", EVENTS.row.key == collection_key)
    fields: Shown = {**about, **given, **key, "createdAt": show_time(request.call.clock.iso())}
    EVENTS.store(request.call, "", collection_key, {**(known.fields if known else {}), **fields})
    return fields


def _create_event(request: DocumentRequest) -> Any:
    """Add an event to the timeline of a record."""
    return ValueResponse(_add_event(request, request.read_object()), 201)


def _create_events(request: DocumentRequest) -> Any:
    """Add events to timelines; if one is refused, none is added."""
    results = [_add_event(request, each) for each in request.read_objects("inputs")]
    now = show_time(request.call.clock.iso())
    return ValueResponse({"status": "COMPLETE", "results": results, "startedAt": now, "completedAt": now}, 201)


def _get_event(request: DocumentRequest) -> Any:
    """Return an event of a timeline."""
    key = f"{request.path['eventTemplateId']}/{request.path['eventId']}"
    row = request.call.db.find(EVENTS.row, EVENTS.row.scope == "", EVENTS.row.key == key)
    if row is None:
        raise NoSuchRecord(f"No event found with id '{request.path['eventId']}'")
    return row.fields


_TOKENS = "/crm/v3/timeline/{appId}/event-templates/{eventTemplateId}/tokens"
declare_operation(api, f"POST {_TOKENS}", _add_token)
declare_operation(api, f"PUT {_TOKENS}/{{tokenName}}", _change_token)
declare_operation(api, f"DELETE {_TOKENS}/{{tokenName}}", _remove_token)
declare_operation(api, "POST /crm/v3/timeline/events", _create_event)
declare_operation(api, "POST /crm/v3/timeline/events/batch/create", _create_events)
declare_operation(api, "GET /crm/v3/timeline/events/{eventTemplateId}/{eventId}", _get_event)

# -- sign-in and the account ------------------------------------------------------------------------------------------

GRANTS = DocumentCollection(
    table="oauth_grants", path="/oauth/v1", style=_V3, name="token", key="refresh_token", given_key="refresh_token",
)  # fmt: skip


class UnknownGrant(HubSpotError):
    """missing or unknown refresh token"""

    category = "BAD_REFRESH_TOKEN"


class UnknownCode(HubSpotError):
    """missing or unknown auth code"""

    category = "BAD_AUTH_CODE"


def _grant(request: DocumentRequest) -> Any:
    """Exchange a code or a refresh token for tokens; the access token is that of the request's environment."""
    body: Any = request.body
    given = {**request.query, **(cast(Shown, body) if isinstance(body, dict) else {})}
    kind = given.get("grant_type")
    if kind not in ("authorization_code", "refresh_token"):
        raise HubSpotError(f"unsupported grant_type '{kind}'" if kind else "missing or unknown grant_type")
    if kind == "authorization_code" and not given.get("code"):
        raise UnknownCode(body={"error": "invalid_request", "error_description": "missing or unknown auth code"})
    refresh = given.get("refresh_token") if kind == "refresh_token" else request.call.ids.uuid()
    if not refresh:
        said = "missing or unknown refresh token"
        raise UnknownGrant(body={"error": "invalid_request", "error_description": said})
    if not request.call.db.find(GRANTS.row, GRANTS.row.scope == "", GRANTS.row.key == str(refresh)):
        GRANTS.add(request, {"refresh_token": str(refresh), "client_id": given.get("client_id")})
    token = {"token_type": "bearer", "refresh_token": str(refresh), "access_token": request.call.token}
    return {**token, "expires_in": TOKEN_SECONDS}


def _about_token(request: DocumentRequest, token: str) -> Shown:
    return {
        "token": token,
        "user": "agent@example.com",
        "hub_domain": "twin.example.com",
        "scopes": ["oauth", "crm.objects.contacts.read", "crm.objects.contacts.write"],
        "hub_id": PORTAL,
        "app_id": 100_001,
        "user_id": int(OWNER),
        "token_type": "access",
    }


def _read_access_token(request: DocumentRequest) -> Any:
    """Return what an access token is for."""
    token = request.path["token"]
    if token != request.call.token:
        raise NoSuchRecord("invalid token")
    return {**_about_token(request, token), "expires_in": TOKEN_SECONDS}


def _read_refresh_token(request: DocumentRequest) -> Any:
    """Return what a refresh token is for."""
    row = GRANTS.find(request, request.path["token"])
    about = _about_token(request, row.key)
    return {**about, "token_type": "refresh", "client_id": row.fields.get("client_id")}


def _revoke(request: DocumentRequest) -> Any:
    """Revoke a refresh token."""
    request.call.db.remove(GRANTS.find(request, request.path["token"]))
    return ValueResponse(None, 204)


def _read_account(_request: DocumentRequest) -> Any:
    """Return what the account is."""
    return {
        "portalId": PORTAL,
        "accountType": "STANDARD",
        "timeZone": "US/Eastern",
        "companyCurrency": "USD",
        "additionalCurrencies": [],
        "utcOffset": "-05:00",
        "utcOffsetMilliseconds": -18_000_000,
        "uiDomain": "app.hubspot.com",
        "dataHostingLocation": "na1",
    }


def _read_usage(request: DocumentRequest) -> Any:
    """Return how many calls private apps made today; calls are not counted."""
    now = show_time(request.call.clock.iso())
    about = {"name": "private-apps-api-calls-daily", "usageLimit": 1_000_000, "currentUsage": 0, "collectedAt": now}
    return {"results": [{**about, "fetchStatus": "SUCCESS", "resetsAt": now}]}


def _read_old_usage(request: DocumentRequest) -> Any:
    """Return how many calls were made today, by version 1; calls are not counted."""
    at = request.call.clock.micros // 1000
    about = {"name": "api-calls-daily", "usageLimit": 1_000_000, "currentUsage": 0, "collectedAt": at}
    return [{**about, "fetchStatus": "SUCCESS", "resetsAt": at}]


def _list_roles(_request: DocumentRequest) -> Any:
    """List the roles of users."""
    return {"results": [{"id": "1", "name": "Super Admin", "requiresBillingWrite": False}]}


def _list_teams(_request: DocumentRequest) -> Any:
    """List the teams, of which there are none."""
    return {"results": []}


def _refuse_export(_request: DocumentRequest) -> Any:
    """Refuse jobs whose files this twin does not write."""
    raise MissingOperation("This drafted twin writes no files of exports and reads none of imports.")


declare_operation(api, "POST /oauth/v1/token", _grant)
declare_operation(api, "GET /oauth/v1/access-tokens/{token}", _read_access_token)
declare_operation(api, "GET /oauth/v1/refresh-tokens/{token}", _read_refresh_token)
declare_operation(api, "DELETE /oauth/v1/refresh-tokens/{token}", _revoke)
declare_operation(api, "GET /account-info/v3/details", _read_account)
declare_operation(api, "GET /account-info/v3/api-usage/daily/private-apps", _read_usage)
declare_operation(api, "GET /integrations/v1/limit/daily", _read_old_usage)
declare_operation(api, "GET /settings/v3/users/roles", _list_roles)
declare_operation(api, "GET /settings/v3/users/teams", _list_teams)
for _name in ("POST /crm/v3/imports", "POST /crm/v3/exports/export/async"):
    declare_operation(api, _name, _refuse_export)
TABLES = (*COLLECTIONS, EVENTS, SETTINGS, GRANTS)
