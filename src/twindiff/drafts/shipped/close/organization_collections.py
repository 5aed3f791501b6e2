"""What an organization of Close has beside leads and activities: smart views, templates, sequences, webhooks and so on.

https://developer.close.com/resources/
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters, digits
from typing import Any, cast

from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError, MissingOperation
from twindiff.kit.twin import Operations

from ..document_collections import (
    ALL,
    CollectionStyle,
    DocumentCollection,
    DocumentRequest,
    Shown,
    declare_operation,
    serve_collections,
)
from ..document_fields import FieldType
from .crm_kinds import USER
from .shown_objects import ORGANIZATION
from .wire_style import CloseError, page_rows, pick_fields, show_time

api = Operations()
ID_LETTERS = 43
_API = "/api/v1"
_READ = frozenset(["list", "read"])
_PREFIXES = {
    "saved_searches": "save", "email_templates": "tmpl", "sms_templates": "smstmpl", "sequences": "seq",
    "sequence_subscriptions": "sub", "webhooks": "whsub", "exports": "expo", "bulk_actions": "bulk",
    "pipelines": "pipe", "groups": "group", "roles": "role", "integration_links": "link", "phone_numbers": "phon",
    "custom_activity_types": "actitype", "custom_object_types": "cotype", "custom_objects": "co", "comments": "comm",
    "connected_accounts": "emailacct", "custom_activities": "acti",
}  # fmt: skip


class OrganizationDocuments(CollectionStyle):
    """Lists are `{"data", "has_more"}`, ids have prefixes, and times are `date_created` and `date_updated`."""

    def show_list(self, request: DocumentRequest, shown: list[Shown]) -> Any:
        limit, skip = request.read_whole("_limit", 100), request.read_whole("_skip", 0)
        return page_rows(shown, lambda each: each, limit, skip, request.query.get("_fields", ""))

    def read_list(self, answer: Any) -> list[Any]:
        listed: Any = cast(Shown, answer).get("data") if isinstance(answer, dict) else None
        return cast(list[Any], listed) if isinstance(listed, list) else []

    def show_deleted(self, request: DocumentRequest, shown: Shown) -> Any:
        return {}

    def refuse_missing(self, name: str, key: str) -> ApiError:
        return CloseError("Empty query result.", status=404)

    def refuse_absent(self, name: str, absent: Sequence[str]) -> ApiError:
        return CloseError(fields=dict.fromkeys(absent, "This field is required."))

    def refuse_invalid(self, name: str, field: str, kind: FieldType, value: Any) -> ApiError:
        return CloseError(fields={field: f"This field must be {kind.description}."})

    def refuse_taken(self, name: str, taken: str, value: Any) -> ApiError:
        return CloseError(fields={taken: f"A {name} with this {taken} exists already."})

    def make_key(self, call: Call, collection: DocumentCollection) -> Any:
        return call.ids.new(f"{_PREFIXES[collection.table]}_", ID_LETTERS, ascii_letters + digits)

    def stamp(self, call: Call, *, is_new: bool) -> Shown:
        now = show_time(call.clock.iso())
        made = {"date_created": now, "created_by": USER, "organization_id": ORGANIZATION}
        return {**(made if is_new else {}), "date_updated": now, "updated_by": USER}


_STYLE = OrganizationDocuments()


def _collection(table: str, path: str, name: str, *required: str, **more: Any) -> DocumentCollection:
    return DocumentCollection(
        table=table, path=f"{_API}/{path}/", item="{id}/", style=_STYLE, name=name, required=required,
        updates_by=("PUT",), created=200, deleted=200, **more,
    )  # fmt: skip


def _check_hook(_request: DocumentRequest, fields: Shown) -> None:
    events: Any = fields.get("events")
    if (
        not isinstance(events, list)
        or not events
        or not all(isinstance(each, dict) for each in cast(list[Any], events))
    ):
        raise CloseError(fields={"events": "This field must be a list of objects with object_type and action."})
    if not str(fields.get("url", "")).startswith(("https://", "http://")):
        raise CloseError(fields={"url": "Not a valid URL."})


COLLECTIONS = (
    _collection("saved_searches", "saved_search", "smart view", "name",
                fields="name: text; is_shared: boolean; shared_with: list", filters=("type",),
                defaults={"query": "", "s_query": None, "is_shared": False, "shared_with": [], "type": "lead",
                          "user_id": USER}),
    _collection("email_templates", "email_template", "e-mail template", "name",
                fields="name, subject, body: text; is_shared, is_archived: boolean; attachments: list",
                defaults={"subject": "", "body": "", "is_shared": False, "is_archived": False, "attachments": [],
                          "user_id": USER, "unsubscribe_link_id": None}),
    _collection("sms_templates", "sms_template", "SMS template", "name", "text",
                fields="name, text: text; is_shared: boolean",
                defaults={"is_shared": False, "status": "active", "user_id": USER}),
    _collection("sequences", "sequence", "sequence", "name", fields="name, timezone: text; steps: list",
                defaults={"status": "active", "timezone": "America/Los_Angeles", "steps": [], "trigger_query": None,
                          "allow_manual_enrollment": True, "owner_id": None, "schedule": None}),
    _collection("sequence_subscriptions", "sequence_subscription", "sequence subscription", "sequence_id", "contact_id",
                serves=ALL - {"delete"}, filters=("sequence_id", "contact_id", "lead_id"),
                defaults={"status": "active", "sender_account_id": None, "sender_name": None, "sender_email": None}),
    _collection("webhooks", "webhook", "webhook", "url", "events", check=_check_hook,
                fields="url: text; events: list; status: active|paused; verify_ssl: boolean",
                defaults={"status": "active", "verify_ssl": True}),
    _collection("pipelines", "pipeline", "pipeline", "name", fields="name: text; statuses: list",
                defaults={"statuses": []}),
    _collection("groups", "group", "group", "name", fields="name: text; members: list", defaults={"members": []}),
    _collection("roles", "role", "role", "name", fields="name: text; permissions: list",
                defaults={"permissions": [], "editable": True}),
    _collection("integration_links", "integration_link", "integration link", "name", "url", "type",
                fields="name, url: text; type: lead|contact|opportunity"),
    _collection("phone_numbers", "phone_number", "phone number", serves=ALL - {"create"}),
    _collection("connected_accounts", "connected_account", "connected account", serves=_READ),
    _collection("custom_activity_types", "custom_activity", "custom activity type", "name",
                fields="name, description: text; is_archived, api_create_only: boolean",
                defaults={"description": "", "fields": [], "is_archived": False, "api_create_only": False}),
    _collection("custom_activities", "activity/custom", "custom activity", "custom_activity_type_id", "lead_id",
                fields="custom_activity_type_id, lead_id: text; status: draft|published",
                defaults={"status": "published", "_type": "CustomActivity", "contact_id": None, "user_id": USER},
                filters=("custom_activity_type_id", "lead_id", "contact_id")),
    _collection("custom_object_types", "custom_object_type", "custom object type", "name", "name_plural",
                fields="name, name_plural, description: text; api_create_only: boolean",
                defaults={"description": "", "fields": [], "api_create_only": False}),
    _collection("custom_objects", "custom_object", "custom object", "custom_object_type_id", "lead_id", "name",
                filters=("custom_object_type_id", "lead_id")),
    _collection("comments", "comment", "comment", "object_id", "body", fields="object_id, body: text",
                defaults={"object_type": "activity"},
                filters=("object_id", "thread_id")),
    _collection("exports", "export", "export", serves=_READ),
)  # fmt: skip
serve_collections(api, COLLECTIONS)


def _refuse(said: str) -> Any:
    def respond(_request: DocumentRequest) -> Any:
        """Refuse what this twin does not do."""
        raise MissingOperation(said)

    return respond


def _render_template(request: DocumentRequest) -> Any:
    """Return the subject and the body of a template, without what stands for its variables."""
    row = next(each for each in COLLECTIONS if each.table == "email_templates").find(request)
    return {"subject": row.fields.get("subject"), "body": row.fields.get("body")}


def _get_organization(request: DocumentRequest) -> Any:
    """Return the organization."""
    if request.path["id"] != ORGANIZATION:
        raise CloseError("Empty query result.", status=404)
    shown: Shown = {"id": ORGANIZATION, "name": "Twindiff", "currency": "USD", "memberships": []}
    return pick_fields(shown, request.query.get("_fields", ""))


def _list_none(_request: DocumentRequest) -> Any:
    """List what this organization has none of."""
    return {"data": [], "has_more": False}


declare_operation(api, f"GET {_API}/email_template/{{id}}/render/", _render_template)
declare_operation(api, f"GET {_API}/organization/{{id}}/", _get_organization)
for _path in ("send_as", "dialer", "scheduling_link", "shared_scheduling_link", "unsubscribe/email", "form"):
    declare_operation(api, f"GET {_API}/{_path}/", _list_none)
for _name in ("export/lead", "export/opportunity", "files/upload"):
    _refused = _refuse("This drafted twin writes no files.")
    declare_operation(api, f"POST {_API}/{_name}/", _refused, "Refuse a file, which this twin does not write.")
