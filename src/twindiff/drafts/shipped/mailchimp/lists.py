"""Lists and merge fields. https://mailchimp.com/developer/marketing/api/lists/, /list-merges/"""

from __future__ import annotations

import re
from typing import Annotated, Any, cast

from twindiff.kit.call import Call
from twindiff.kit.clock import Clock
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations, Rows

from .field_selection import select_fields
from .tables import OF_LISTS, MailchimpList, MailchimpMember, MailchimpMergeField
from .wire_style import (
    MailchimpError,
    ResourceNotFound,
    link,
    links_of,
    links_of_collection,
    page_rows,
    show_time,
)

api = Operations(layers=[select_fields])
Shown = dict[str, Any]
LIST = "tw1nd1ff01"
MAX_LISTS = 5
"""Lists that the plan of the account includes."""
_BEGIN = Clock(1_767_225_600_000_000).iso()
_USUAL = (
    ("FNAME", "First Name", "text", {"size": 25}), ("LNAME", "Last Name", "text", {"size": 25}),
    ("ADDRESS", "Address", "address", {"default_country": 164}),
    ("PHONE", "Phone Number", "phone", {"phone_format": "none"}),
)  # fmt: skip
_TYPES = ("text", "number", "address", "phone", "date", "url", "imageurl", "radio", "dropdown", "birthday", "zip")
_PARTS = {
    "abuse-reports": "Abuse", "activity": "Activity", "clients": "Clients", "growth-history": "Growth",
    "interest-categories": "InterestCategories", "members": "Members", "merge-fields": "MergeFields",
    "segments": "Segments", "webhooks": "Webhooks", "signup-forms": "SignupForms", "locations": "Locations",
}  # fmt: skip
_SINGLE = ("activity", "clients")


def make_fields(list_id: str) -> list[Shown]:
    """Return the rows of the merge fields that a new list has."""
    return [
        {"list_id": list_id, "merge_id": n, "tag": tag, "name": name, "type": kind, "display_order": n + 1,
         "options": options}
        for n, (tag, name, kind, options) in enumerate(_USUAL, 1)
    ]  # fmt: skip


def list_rows() -> Rows:
    """Return the rows of a first list."""
    row = {"id": LIST, "name": "Newsletter", "date_created": _BEGIN}
    return {"lists": [row], "merge_fields": make_fields(LIST)}


def find_list(call: Call, id: str) -> MailchimpList:
    """Return a list; raises ResourceNotFound."""
    return call.db.get(MailchimpList, id, missing=ResourceNotFound)


def list_fields(call: Call, list_id: str) -> list[MailchimpMergeField]:
    """Return the merge fields of a list by tag."""
    rows = call.db.rows(MailchimpMergeField, MailchimpMergeField.list_id == list_id)
    return sorted(rows, key=lambda row: row.tag)


def show_list(call: Call, row: MailchimpList) -> Shown:
    """Return a list with the counts of its members."""
    counts = {"subscribed": 0, "unsubscribed": 0, "cleaned": 0}
    for each in call.db.rows(MailchimpMember, MailchimpMember.list_id == row.id):
        counts[each.status] = counts.get(each.status, 0) + 1
    stats: Shown = {
        "member_count": counts["subscribed"], "unsubscribe_count": counts["unsubscribed"],
        "cleaned_count": counts["cleaned"], "member_count_since_send": counts["subscribed"],
        "unsubscribe_count_since_send": 0, "cleaned_count_since_send": 0, "campaign_count": 0,
        "campaign_last_sent": "", "merge_field_count": len(list_fields(call, row.id)), "avg_sub_rate": 0,
        "avg_unsub_rate": 0, "target_sub_rate": 0, "open_rate": 0, "click_rate": 0, "last_sub_date": "",
        "last_unsub_date": "",
    }  # fmt: skip
    number = int.from_bytes(row.id.encode()[:3])
    return {
        "id": row.id,
        "web_id": number,
        "name": row.name,
        "permission_reminder": "",
        "use_archive_bar": True,
        "campaign_defaults": {"from_name": "", "from_email": "", "subject": "", "language": "en"},
        "notify_on_subscribe": "",
        "notify_on_unsubscribe": "",
        "date_created": show_time(row.date_created),
        "list_rating": 0,
        "email_type_option": False,
        "subscribe_url_short": f"http://eepurl.com/{row.id}",
        "subscribe_url_long": f"https://example.us1.list-manage.com/subscribe?id={row.id}",
        "beamer_address": f"{row.id}@inbound.mailchimp.com",
        "visibility": "prv",
        "double_optin": False,
        "has_welcome": False,
        "marketing_permissions": False,
        "modules": [],
        "stats": stats,
        **cast(Shown, row.details),
        "_links": _link_list(row.id),
    }


def _link_list(id: str) -> list[dict[str, str]]:
    path = f"/lists/{id}"
    parts = [
        link(rel, f"{path}/{rel}", target=f"{kind}/Response")
        if rel in _SINGLE
        else link(rel, f"{path}/{rel}", "GET", f"{kind}/CollectionResponse", f"Paths/Lists/{kind}/Collection")
        for rel, kind in _PARTS.items()
    ]
    batch = link("batch-sub-unsub-members", path, "POST", "BatchPOST-Response", "Definitions/Lists/BatchPOST")
    return [*links_of(path, ""), batch, link("delete", path, "DELETE"), *parts]


@api.get("/3.0/ping")
def get_ping(call: Call) -> Shown:
    """Answer that all is well."""
    return {"health_status": "Everything's Chimpy!"}


@api.get("/oauth2/metadata")
def get_metadata(call: Call) -> Shown:
    """Return the account of a token, and where its API is."""
    email = "agent@example.com"
    login = {"email": email, "avatar": None, "login_id": 168_000_001, "login_name": email, "login_email": email}
    account = {"dc": "us1", "role": "admin", "accountname": "Twindiff", "user_id": 131_000_001, "login": login}
    return {**account, "login_url": "https://login.mailchimp.com", "api_endpoint": "https://us1.api.mailchimp.com"}


@api.get("/3.0/lists")
def list_lists(call: Call, count: int = 10, offset: int = 0) -> Shown:
    """List the lists."""
    rows = call.db.rows(MailchimpList, order=MailchimpList.position)
    links = links_of_collection("/lists", "", "")
    most = max(MAX_LISTS, len(rows))
    limits = {"may_create": len(rows) < most, "max_instances": most, "current_total_instances": len(rows)}
    return {
        "lists": [show_list(call, each) for each in page_rows(rows, count, offset)],
        "total_items": len(rows),
        "constraints": limits,
        "_links": [links[0], links[2]],
    }


@api.post("/3.0/lists")
def post_list(call: Call, body: Annotated[dict[str, Any], Body]) -> Shown:
    """Create a list."""
    needed = ("name", "permission_reminder", "campaign_defaults", "contact", "email_type_option")
    missing = [name for name in needed if body.get(name) is None]
    if missing:
        raise MailchimpError(400, f"The resource submitted could not be validated. Missing: {', '.join(missing)}")
    id = call.ids.uuid().replace("-", "")[-10:]
    details = {name: value for name, value in body.items() if name != "name"}
    number = call.db.next("list")
    row = MailchimpList(id=id, name=str(body["name"]), details=details, date_created=call.clock.iso(), position=number)
    call.db.add(row)
    for each in make_fields(id):
        call.db.add(MailchimpMergeField(**each))
    return show_list(call, row)


@api.get("/3.0/lists/{list_id}")
def get_list(call: Call, list_id: str) -> Shown:
    """Return a list."""
    return show_list(call, find_list(call, list_id))


@api.patch("/3.0/lists/{list_id}")
def patch_list(call: Call, list_id: str, body: Annotated[dict[str, Any], Body]) -> Shown:
    """Change a list."""
    row = find_list(call, list_id)
    details = {**row.details, **{name: value for name, value in body.items() if name != "name"}}
    return show_list(call, call.db.change(row, name=str(body.get("name", row.name)), details=details))


@api.delete("/3.0/lists/{list_id}", status=204)
def delete_list(call: Call, list_id: str) -> None:
    """Remove a list with all that is of it."""
    row = find_list(call, list_id)
    for table in OF_LISTS:
        for each in call.db.rows(table, table.list_id == row.id):
            call.db.remove(each)
    call.db.remove(row)


# -- merge fields ------------------------------------------------------------------------------------------------------


def _show_field(row: MailchimpMergeField) -> Shown:
    path = f"/lists/{row.list_id}/merge-fields/{row.merge_id}"
    names = ("merge_id", "tag", "name", "type", "required", "default_value", "public", "display_order", "options",
             "help_text", "list_id")  # fmt: skip
    links = [*links_of(path, "MergeFields/"), link("delete", path, "DELETE")]
    return {**{name: getattr(row, name) for name in names}, "_links": links}


def _find_field(call: Call, list_id: str, merge_id: str) -> MailchimpMergeField:
    rows = list_fields(call, find_list(call, list_id).id)
    row = next((each for each in rows if str(each.merge_id) == merge_id), None)
    if row is None:
        raise ResourceNotFound
    return row


@api.get("/3.0/lists/{list_id}/merge-fields")
def list_merge_fields(call: Call, list_id: str, count: int = 10, offset: int = 0, type: str = "") -> Shown:
    """List the merge fields of a list."""
    rows = [each for each in list_fields(call, find_list(call, list_id).id) if not type or each.type == type]
    links = links_of_collection(f"/lists/{list_id}/merge-fields", "MergeFields/", "")
    shown = [_show_field(each) for each in page_rows(rows, count, offset)]
    listed = {"merge_fields": shown, "list_id": list_id, "total_items": len(rows)}
    return {**listed, "_links": [links[0], links[2], links[1]]}


@api.post("/3.0/lists/{list_id}/merge-fields")
def post_merge_field(call: Call, list_id: str, body: Annotated[dict[str, Any], Body]) -> Shown:
    """Add a merge field to a list."""
    known = list_fields(call, find_list(call, list_id).id)
    name, kind = str(body.get("name") or ""), body.get("type")
    tag = str(body.get("tag") or re.sub(r"\W", "", name)[:10]).upper()
    if not name or kind not in _TYPES:
        raise MailchimpError(400, f"A merge field has a name, and a type of: {', '.join(_TYPES)}")
    if tag in [each.tag for each in known]:
        raise MailchimpError(400, f'A Merge Field with the tag "{tag}" already exists for this list.')
    number = max((each.merge_id for each in known), default=0) + 1
    options = {"size": 25} if kind == "text" else {}
    values = {name: body[name] for name in ("required", "default_value", "public", "help_text") if name in body}
    row = MailchimpMergeField(
        list_id=list_id, merge_id=number, tag=tag, name=name, type=str(kind), display_order=number + 1,
        options=body.get("options") or options, **values,
    )  # fmt: skip
    return _show_field(call.db.add(row))


@api.get("/3.0/lists/{list_id}/merge-fields/{merge_id}")
def get_merge_field(call: Call, list_id: str, merge_id: str) -> Shown:
    """Return a merge field."""
    return _show_field(_find_field(call, list_id, merge_id))


@api.patch("/3.0/lists/{list_id}/merge-fields/{merge_id}")
def patch_merge_field(call: Call, list_id: str, merge_id: str, body: Annotated[dict[str, Any], Body]) -> Shown:
    """Change a merge field."""
    row = _find_field(call, list_id, merge_id)
    names = ("name", "tag", "required", "default_value", "public", "help_text", "display_order", "options")
    return _show_field(call.db.change(row, **{name: body[name] for name in names if name in body}))


@api.delete("/3.0/lists/{list_id}/merge-fields/{merge_id}", status=204)
def delete_merge_field(call: Call, list_id: str, merge_id: str) -> None:
    """Remove a merge field."""
    call.db.remove(_find_field(call, list_id, merge_id))
