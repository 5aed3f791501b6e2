"""Subscriptions, e-mails, campaigns, marketing events, workflows and events of HubSpot's marketing APIs.

https://developers.hubspot.com/docs/reference/api/marketing, https://legacydocs.hubspot.com/docs/methods/email/email_overview
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError
from twindiff.kit.http import ValueResponse
from twindiff.kit.twin import Operations

from ..document_collections import (
    ALL,
    DocumentCollection,
    DocumentRequest,
    Shown,
    declare_operation,
    serve_collections,
)
from .account import PORTAL
from .document_styles import ContentOfVersion3, DocumentsByGuid, DocumentsOfVersion3
from .record_lookup import find_records
from .wire_style import HubSpotError, NoSuchRecord, show_time

api = Operations()
_V3, _CONTENT, _GUID = DocumentsOfVersion3(), ContentOfVersion3(), DocumentsByGuid()
_READ = frozenset(["list", "read"])
_STATUSES = ("SUBSCRIBED", "NOT_SUBSCRIBED")
DEFINITIONS: tuple[Shown, ...] = (
    {"id": "1001", "name": "Marketing Information", "description": "Marketing offers and updates.",
     "purpose": "Marketing", "communicationMethod": "Email", "isActive": True, "isDefault": True, "isInternal": False},
    {"id": "1002", "name": "One to One", "description": "One to One emails", "purpose": "Sales",
     "communicationMethod": "Email", "isActive": True, "isDefault": True, "isInternal": True},
)  # fmt: skip
"""The types of subscriptions that every account has."""


class WorkflowsOfVersion3(DocumentsOfVersion3):
    """Lists are `{"workflows": […]}`, ids are numbers, and times milliseconds."""

    times = ("insertedAt", "updatedAt")
    numbers_keys = True

    def show_list(self, request: DocumentRequest, shown: list[Shown]) -> Any:
        return {"workflows": shown}

    def read_list(self, answer: Any) -> list[Any]:
        listed = cast(Shown, answer).get("workflows") if isinstance(answer, dict) else None
        return cast(list[Any], listed) if isinstance(listed, list) else []

    def show_now(self, call: Call) -> Any:
        return call.clock.micros // 1000


class MarketingEvents(DocumentsOfVersion3):
    """Events are named by the id that an app gives them."""

    def refuse_absent(self, name: str, absent: Sequence[str]) -> ApiError:
        return HubSpotError(f"Invalid input JSON: missing required fields: {', '.join(absent)}")

    def refuse_missing(self, name: str, key: str) -> ApiError:
        return NoSuchRecord(f"Unable to find Marketing Event with externalEventId '{key}'")


WORKFLOWS = DocumentCollection(
    table="workflows", path="/automation/v3/workflows", style=WorkflowsOfVersion3(), name="workflow",
    required=("name", "type"), fields="name, type: text; enabled: boolean; actions: list",
    defaults={"enabled": False, "actions": [], "portalId": PORTAL, "contactListIds": {}},
    created=200, serves=ALL - {"update"},
)  # fmt: skip
EMAILS = DocumentCollection(
    table="marketing_emails", path="/marketing/v3/emails", style=DocumentsOfVersion3(), name="email", item="/{emailId}",
    required=("name",),
    fields="name, subject, language, activeDomain: text; archived, isPublished, sendOnPublish: boolean;"
           "content, from, to, subscriptionDetails: object",
    defaults={"subject": "", "state": "DRAFT", "type": "BATCH_EMAIL", "archived": False, "isPublished": False,
              "language": "en", "content": {}, "from": {}, "to": {}, "subscriptionDetails": {}, "sendOnPublish": True},
    filters=("type",),
)  # fmt: skip
CAMPAIGNS = DocumentCollection(
    table="campaigns", path="/marketing/v3/campaigns", style=_GUID, name="campaign", item="/{campaignGuid}",
    required=("properties",), fields="properties: object", defaults={"businessUnits": []},
)  # fmt: skip
EVENTS = DocumentCollection(
    table="marketing_events", path="/marketing/v3/marketing-events/events", style=MarketingEvents(),
    name="marketing event", item="/{externalEventId}", key="externalEventId", given_key="externalEventId",
    required=("eventName", "externalEventId", "externalAccountId", "eventOrganizer"),
    fields="eventName, externalAccountId, eventOrganizer, eventType, eventDescription, eventUrl: text;"
           "startDateTime, endDateTime: time; eventCancelled, eventCompleted: boolean; customProperties: list",
    created=200,
    defaults={"eventType": None, "startDateTime": None, "endDateTime": None, "eventDescription": None,
              "eventUrl": None, "eventCancelled": False, "eventCompleted": False, "customProperties": []},
    serves=ALL - {"list"},
)  # fmt: skip
COLLECTIONS = (
    WORKFLOWS, EMAILS, CAMPAIGNS, EVENTS,
    DocumentCollection(
        table="email_campaigns", path="/email/public/v1/campaigns", style=_V3, serves=frozenset(["read"])
    ),
    DocumentCollection(
        table="smtp_tokens", path="/marketing/v3/transactional/smtp-tokens", style=_V3, name="SMTP token",
        item="/{tokenId}", required=("createContact", "campaignName"), serves=ALL - {"update"},
        defaults={"createdBy": "agent@example.com", "emailCampaignId": "0"},
    ),
    DocumentCollection(
        table="broadcasts", path="/broadcast/v1/broadcasts", style=DocumentsByGuid(), name="broadcast",
        item="/{broadcastGuid}", key="broadcastGuid", required=("channelGuid", "content"), created=200,
        serves=frozenset(["create", "read", "delete"]), defaults={"status": "SCHEDULED", "portalId": PORTAL},
    ),
)  # fmt: skip
serve_collections(api, COLLECTIONS)


def _enrol(request: DocumentRequest) -> Any:
    """Enrol a contact in a workflow, or take it out."""
    workflow = WORKFLOWS.find(request, request.path["workflowId"])
    email = request.path["email"].lower()
    contact = next((row for row in find_records(request.call, "contacts") if row.email == email), None)
    if contact is None:
        raise NoSuchRecord("contact does not exist")
    return workflow, contact.id


def _add_to_workflow(request: DocumentRequest) -> Any:
    """Enrol a contact in a workflow."""
    workflow, contact = _enrol(request)
    enrolled = [*workflow.fields.get("enrolledContacts", []), contact]
    WORKFLOWS.change(request, workflow, {"enrolledContacts": [*dict.fromkeys(enrolled)]})
    return ValueResponse(None, 204)


def _take_from_workflow(request: DocumentRequest) -> Any:
    """Take a contact out of a workflow."""
    workflow, contact = _enrol(request)
    left = [each for each in workflow.fields.get("enrolledContacts", []) if each != contact]
    WORKFLOWS.change(request, workflow, {"enrolledContacts": left})
    return ValueResponse(None, 204)


_ENROLMENTS = "/automation/v2/workflows/{workflowId}/enrollments/contacts/{email}"
declare_operation(api, f"POST {_ENROLMENTS}", _add_to_workflow)
declare_operation(api, f"DELETE {_ENROLMENTS}", _take_from_workflow)

# -- marketing events --------------------------------------------------------------------------------------------------

ATTENDANCE = DocumentCollection(
    table="marketing_event_attendance", path="/marketing/v3/marketing-events/attendance", style=_V3, name="attendance",
)  # fmt: skip


def _upsert_event(request: DocumentRequest) -> Any:
    """Create the event of an app's id, or change it."""
    given = {**request.read_object(), "externalEventId": request.path["externalEventId"]}
    row = next((each for each in EVENTS.rows(request) if each.key == request.path["externalEventId"]), None)
    row = EVENTS.change(request, row, given) if row else EVENTS.add(request, given)
    return EVENTS.view(request, row)


def _upsert_events(request: DocumentRequest) -> Any:
    """Create or change events by the ids of an app."""
    results: list[Shown] = []
    for each in request.read_objects("inputs"):
        inner = request._replace(path={"externalEventId": str(each.get("externalEventId"))}, body=each)
        results.append(_upsert_event(inner))
    now = show_time(request.call.clock.iso())
    return {"status": "COMPLETE", "results": results, "startedAt": now, "completedAt": now}


def _delete_events(request: DocumentRequest) -> Any:
    """Remove events by the ids of an app; those that do not exist are left out."""
    wanted = {str(each.get("externalEventId")) for each in request.read_objects("inputs")}
    for row in EVENTS.rows(request):
        if row.key in wanted:
            EVENTS.remove(request.call, row)
    return ValueResponse(None, 204)


def _search_events(request: DocumentRequest) -> Any:
    """Find events whose id begins with a text."""
    begins = request.query.get("q", "")
    shown = [EVENTS.view(request, row) for row in EVENTS.rows(request) if row.key.startswith(begins)]
    return {"results": shown}


def _finish_event(flag: str) -> Any:
    def respond(request: DocumentRequest) -> Any:
        """Mark an event."""
        row = EVENTS.find(request, request.path["externalEventId"])
        return EVENTS.view(request, EVENTS.change(request, row, {flag: True, **request.read_object()}))

    return respond


def _attend(request: DocumentRequest) -> Any:
    """Store that contacts registered for an event, attended it or cancelled."""
    state = request.path["subscriberState"]
    if state not in ("register", "attend", "cancel"):
        raise HubSpotError(f"Invalid subscriber state '{state}'")
    event = EVENTS.find(request, request.path["externalEventId"])
    inputs = request.read_objects("inputs")
    for each in inputs:
        ATTENDANCE.add(request, {**each, "event": event.key, "state": state})
    now = show_time(request.call.clock.iso())
    results: list[Shown] = [{"vid": each.get("vid"), "email": each.get("email"), "properties": {}} for each in inputs]
    return {"status": "COMPLETE", "results": results, "startedAt": now, "completedAt": now}


_EVENTS = EVENTS.path
declare_operation(api, f"PUT {_EVENTS}/{{externalEventId}}", _upsert_event)
declare_operation(api, f"POST {_EVENTS}/upsert", _upsert_events)
declare_operation(api, f"POST {_EVENTS}/delete", _delete_events)
declare_operation(api, f"GET {_EVENTS}/search", _search_events)
declare_operation(
    api, f"POST {_EVENTS}/{{externalEventId}}/cancel", _finish_event("eventCancelled"), "Cancel an event."
)
declare_operation(api, f"POST {_EVENTS}/{{externalEventId}}/complete", _finish_event("eventCompleted"), "End an event.")
for _way in ("create", "email-create"):
    declare_operation(api, f"POST {ATTENDANCE.path}/{{externalEventId}}/{{subscriberState}}/{_way}", _attend)

# -- subscriptions -----------------------------------------------------------------------------------------------------

STATUSES = DocumentCollection(
    table="subscription_statuses", path="/communication-preferences/v3/status/email/{email}", style=_V3,
    name="subscription status",
)  # fmt: skip


def _statuses_of(request: DocumentRequest, email: str) -> dict[str, Shown]:
    rows = STATUSES.rows_in(request.call, email.lower())
    return {str(row.fields["id"]): row.fields for row in rows}


def _show_status(definition: Shown, known: Shown | None) -> Shown:
    own = known or {}
    names = ("id", "name", "description")
    return {
        **{name: definition[name] for name in names},
        "status": own.get("status", "NOT_SUBSCRIBED"),
        "sourceOfStatus": "SUBSCRIPTION_STATUS" if known else "PORTAL_WIDE_STATUS",
        "brandId": None,
        "preferenceGroupName": None,
        "legalBasis": own.get("legalBasis"),
        "legalBasisExplanation": own.get("legalBasisExplanation"),
    }


def _list_definitions(_request: DocumentRequest) -> Any:
    """List the types of subscriptions."""
    return {"subscriptionDefinitions": [dict(each) for each in DEFINITIONS]}


def _get_statuses(request: DocumentRequest) -> Any:
    """Return what an address is subscribed to."""
    email = request.path["email"]
    known = _statuses_of(request, email)
    listed = [_show_status(each, known.get(str(each["id"]))) for each in DEFINITIONS]
    return {"recipient": email, "subscriptionStatuses": listed}


def _subscribe(status: str) -> Any:
    def respond(request: DocumentRequest) -> Any:
        """Change what an address is subscribed to."""
        given = request.read_object()
        email, wanted = str(given.get("emailAddress") or "").lower(), str(given.get("subscriptionId") or "")
        definition = next((each for each in DEFINITIONS if each["id"] == wanted), None)
        if "@" not in email:
            raise HubSpotError(f"Email address {email} is invalid")
        if definition is None:
            raise HubSpotError(f"Subscription {wanted} does not exist for portal {PORTAL}")
        own = {"id": wanted, "status": status}
        own |= {name: given.get(name) for name in ("legalBasis", "legalBasisExplanation")}
        inner = request._replace(path={"email": email})
        known = next((row for row in STATUSES.rows(inner) if row.fields["id"] == wanted), None)
        if known is not None and known.fields["status"] == status:
            raise HubSpotError(f"{email} is already {status.lower().replace('_', ' ')} to subscription {wanted}")
        STATUSES.store(request.call, email, wanted, {**(known.fields if known else {}), **own})
        return _show_status(definition, own)

    return respond


_PREFERENCES = "/communication-preferences/v3"
declare_operation(api, f"GET {_PREFERENCES}/definitions", _list_definitions)
declare_operation(api, f"GET {_PREFERENCES}/status/email/{{email}}", _get_statuses)
declare_operation(api, f"POST {_PREFERENCES}/subscribe", _subscribe("SUBSCRIBED"), "Subscribe an address.")
declare_operation(api, f"POST {_PREFERENCES}/unsubscribe", _subscribe("NOT_SUBSCRIBED"), "Unsubscribe an address.")


def _list_old_definitions(_request: DocumentRequest) -> Any:
    """List the types of subscriptions, by version 1."""
    kept = ("name", "description")
    listed = [
        {"id": int(each["id"]), "portalId": PORTAL, **{name: each[name] for name in kept}, "active": True,
         "internal": each["isInternal"], "category": each["purpose"], "channel": "Email", "order": number,
         "businessUnitId": 0, "internalName": each["name"]}
        for number, each in enumerate(DEFINITIONS)
    ]  # fmt: skip
    return {"subscriptionDefinitions": listed}


def _show_old_status(request: DocumentRequest, email: str) -> Shown:
    known = _statuses_of(request, email)
    left = known.get("all", {}).get("status") == "NOT_SUBSCRIBED"
    own = [
        {
            "id": int(id),
            "updatedAt": each.get("at", 0),
            "subscribed": each["status"] == "SUBSCRIBED",
            "optState": "OPT_IN",
        }
        for id, each in known.items()
        if id != "all"
    ]
    about = {"subscribed": not left, "markedAsSpam": False, "unsubscribeFromPortal": left, "portalId": PORTAL}
    about |= {
        "bounced": False,
        "email": email,
        "subscriptionStatuses": own,
        "status": "unsubscribed" if left else "subscribed",
    }
    return about


def _get_old_status(request: DocumentRequest) -> Any:
    """Return what an address is subscribed to, by version 1."""
    return _show_old_status(request, request.path["email"])


def _put_old_status(request: DocumentRequest) -> Any:
    """Change what an address is subscribed to, by version 1."""
    given = request.read_object()
    email = request.path["email"].lower()
    listed: Any = given.get("subscriptionStatuses") or []
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in cast(list[Any], listed)):
        raise HubSpotError("Invalid input JSON: subscriptionStatuses must be a list of objects")
    changes = [(str(each.get("id")), bool(each.get("subscribed", True))) for each in cast(list[Shown], listed)]
    if given.get("unsubscribeFromAll"):
        changes.append(("all", False))
    inner = request._replace(path={"email": email})
    known = {row.key: row for row in STATUSES.rows(inner)}
    for id, is_subscribed in changes:
        if id != "all" and not id.isdecimal():
            raise HubSpotError(f"Subscription {id} does not exist for portal {PORTAL}")
        at = request.call.clock.micros // 1000
        own = {"id": id, "status": _STATUSES[0] if is_subscribed else _STATUSES[1], "at": at}
        fields: Shown = {**(known[id].fields if id in known else {}), **own}
        known[id] = STATUSES.store(request.call, email, id, fields)
    return {"status": "SUCCESS"}


def _list_timeline(request: DocumentRequest) -> Any:
    """List the changes of subscriptions, by version 1."""
    rows = request.call.db.rows(STATUSES.row, order=STATUSES.row.number)
    listed = [
        {"timestamp": row.fields.get("at", 0), "portalId": PORTAL, "recipient": row.scope, "normalizedEmailId": row.key,
         "changes": [{"source": "SOURCE_RECIPIENT", "timestamp": row.fields.get("at", 0), "portalId": PORTAL,
                      "changeType": "PORTAL_STATUS" if row.key == "all" else "SUBSCRIPTION_STATUS",
                      "change": "SUBSCRIBED" if row.fields["status"] == "SUBSCRIBED" else "UNSUBSCRIBED"}]}
        for row in rows
    ]  # fmt: skip
    return {"hasMore": False, "offset": "", "timeline": listed}


_OLD = "/email/public/v1/subscriptions"
declare_operation(api, f"GET {_OLD}", _list_old_definitions)
declare_operation(api, f"GET {_OLD}/timeline", _list_timeline)
declare_operation(api, f"GET {_OLD}/{{email}}", _get_old_status)
declare_operation(api, f"PUT {_OLD}/{{email}}", _put_old_status)

# -- sending, events ---------------------------------------------------------------------------------------------------

SENT = DocumentCollection(
    table="sent_emails", path="/marketing/v3/transactional/single-email", style=_V3, name="e-mail", item="/{statusId}",
    key="statusId",
)  # fmt: skip
BEHAVIOUR = DocumentCollection(table="event_completions", path="/events/v3/events", style=_V3, name="event")


def _send_email(request: DocumentRequest) -> Any:
    """Accept a transactional e-mail. It is stored, and sent to no one."""
    given = request.read_object()
    if not isinstance(given.get("emailId"), int) or not isinstance(given.get("message"), dict):
        raise HubSpotError("Invalid input JSON: 'emailId' and 'message' are required")
    now = show_time(request.call.clock.iso())
    row = SENT.add(request, {**given, "status": "PENDING", "requestedAt": now})
    return {"requestedAt": now, "statusId": row.key, "status": "PENDING"}


def _get_sent(request: DocumentRequest) -> Any:
    """Return what became of a transactional e-mail."""
    row = SENT.find(request)
    about = {"statusId": row.key, "status": "COMPLETE", "sendResult": "SENT"}
    return {**about, "requestedAt": row.fields["requestedAt"], "completedAt": row.fields["requestedAt"]}


def _send_event(request: DocumentRequest) -> Any:
    """Store that an event of the account's own happened."""
    given = request.read_object()
    if not given.get("eventName"):
        raise HubSpotError("Invalid input JSON: 'eventName' is required")
    if not any(given.get(name) for name in ("email", "objectId", "utk")):
        raise HubSpotError("One of 'email', 'objectId' and 'utk' is required")
    now = show_time(request.call.clock.iso())
    event = {"eventType": given["eventName"], "occurredAt": given.get("occurredAt") or now, "objectType": "CONTACT"}
    BEHAVIOUR.add(request, {**event, **{name: given.get(name) for name in ("objectId", "email", "utk", "properties")}})
    return ValueResponse(None, 204)


def _track_event(request: DocumentRequest) -> Any:
    """Store that an event happened, as the tracking address takes it."""
    BEHAVIOUR.add(request, {"eventType": request.query.get("_n", ""), **request.query})
    return ValueResponse(None, 200)


def _list_events(request: DocumentRequest) -> Any:
    """List the events of a record or of a type."""
    rows = [row.fields for row in BEHAVIOUR.rows_in(request.call, "")]
    for name in ("objectId", "eventType"):
        if name in request.query:
            rows = [each for each in rows if str(each.get(name)) == request.query[name]]
    return _V3.show_list(request, [dict(each) for each in rows])


declare_operation(api, "POST /marketing/v3/transactional/single-email/send", _send_email)
declare_operation(api, "GET /marketing/v3/email/send-statuses/{statusId}", _get_sent)
declare_operation(api, "POST /events/v3/send", _send_event)
declare_operation(api, "GET /v1/event", _track_event, reads=False)
declare_operation(api, "GET /events/v3/events", _list_events)
TABLES = (*COLLECTIONS, ATTENDANCE, STATUSES, SENT, BEHAVIOUR)
