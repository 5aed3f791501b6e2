"""Members of lists, found by the MD5 of their address. https://mailchimp.com/developer/marketing/api/list-members/"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import md5
from typing import Annotated, Any, cast

from twindiff.kit.call import Call
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from .field_selection import select_fields
from .lists import find_list, list_fields
from .tables import MailchimpInterest, MailchimpList, MailchimpMember
from .wire_style import (
    Link,
    MailchimpError,
    ResourceNotFound,
    link,
    links_of,
    links_of_collection,
    page_rows,
    show_time,
)

api = Operations(prefix="/3.0/lists/{list_id}", layers=[select_fields])
MAX_BATCH = 500
Shown = dict[str, Any]
_MOVED = ("email_type", "status", "merge_fields", "tags", "language", "vip", "details", "web_id", "timestamp_opt")
"""What a member keeps whose address changes."""
_STATUSES = ("subscribed", "unsubscribed", "cleaned", "pending", "transactional")
_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_LOCATION = {"latitude": 0, "longitude": 0, "gmtoff": 0, "dstoff": 0, "country_code": "", "timezone": "", "region": ""}


def hash_address(address: str) -> str:
    """Return the id of a member: the MD5 of its address in lower case."""
    return md5(address.lower().encode(), usedforsecurity=False).hexdigest()


def _find(call: Call, list_id: str, said: str) -> MailchimpMember | None:
    """Return a member by hash or address."""
    table, of = MailchimpMember, MailchimpMember.list_id == find_list(call, list_id).id
    if "@" in said:
        return call.db.find(table, of, table.email_address.equals(said))
    return call.db.find(table, of, table.id == said.lower())


def find_member(call: Call, list_id: str, said: str) -> MailchimpMember:
    """Return a member of a list by hash or address; raises ResourceNotFound."""
    row = _find(call, list_id, said)
    if row is None:
        raise ResourceNotFound
    return row


def _link_member(path: str) -> list[Link]:
    return [
        *links_of(path, "Members/"),
        link("upsert", path, "PUT", "Members/Response", "Definitions/Lists/Members/PUT"),
        link("delete", path, "DELETE"),
        link("activity", f"{path}/activity", target="Members/Activity/Response"),
        link("goals", f"{path}/goals", target="Members/Goals/Response"),
        link("notes", f"{path}/notes", target="Members/Notes/CollectionResponse"),
        link("events", f"{path}/events", "POST", "Members/Events/POST"),
        link("delete_permanent", f"{path}/actions/delete-permanent", "POST"),
    ]


def show_member(call: Call, row: MailchimpMember) -> Shown:
    """Return a member; it has `interests` if its list has any."""
    path = f"/lists/{row.list_id}/members/{row.id}"
    values = cast(Shown, row.merge_fields)
    interests = {each.id: False for each in call.db.rows(MailchimpInterest, MailchimpInterest.list_id == row.list_id)}
    merged = {each.tag: values.get(each.tag, each.default_value) for each in list_fields(call, row.list_id)}
    return {
        "id": row.id,
        "email_address": row.email_address,
        "unique_email_id": row.id[:10],
        "contact_id": hash_address(row.id),
        "full_name": " ".join(str(merged[tag]) for tag in ("FNAME", "LNAME") if merged.get(tag)),
        "web_id": row.web_id,
        "email_type": row.email_type,
        "status": row.status,
        "consents_to_one_to_one_messaging": True,
        "merge_fields": merged,
        "stats": {"avg_open_rate": 0, "avg_click_rate": 0},
        "ip_signup": "",
        "timestamp_signup": "",
        "ip_opt": "192.0.2.1",
        "timestamp_opt": show_time(row.timestamp_opt),
        "member_rating": 2,
        "last_changed": show_time(row.last_changed),
        "language": row.language,
        "vip": row.vip,
        "email_client": "",
        "location": _LOCATION,
        "source": "API - Generic",
        "tags_count": len(row.tags),
        "tags": row.tags,
        "list_id": row.list_id,
        **cast(Shown, row.details),
        **({"interests": {**interests, **cast(Shown, row.details).get("interests", {})}} if interests else {}),
        "_links": _link_member(path),
    }


@api.get("/members")
def list_members(
    call: Call,
    list_id: str,
    count: int = 10,
    offset: int = 0,
    status: str = "",
    since_last_changed: str = "",
    sort_field: str = "",
    sort_dir: str = "ASC",
) -> Shown:
    """List the members of a list that are not archived, or those of a status."""
    table = MailchimpMember
    rows = call.db.rows(table, table.list_id == find_list(call, list_id).id, order=table.web_id)
    rows = [row for row in rows if (row.status == status if status else row.status != "archived")]
    if since_last_changed:
        rows = [row for row in rows if show_time(row.last_changed) > since_last_changed.replace("Z", "+00:00")]
    if sort_field in ("last_changed", "timestamp_opt"):
        is_down = sort_dir.upper() == "DESC"
        rows.sort(key=lambda row: (getattr(row, sort_field) or "", row.web_id), reverse=is_down)
    shown = [show_member(call, each) for each in page_rows(rows, count, offset)]
    links = links_of_collection(f"/lists/{list_id}/members", "Members/", "Members/")
    return {"members": shown, "list_id": list_id, "total_items": len(rows), "_links": links}


def _read_values(call: Call, list_id: str, given: Mapping[str, Any], known: MailchimpMember | None) -> Shown:
    """Return the columns of what a body gives; raises MailchimpError for a status that there is not."""
    values = {name: given[name] for name in ("email_type", "language", "vip", "status") if given.get(name) is not None}
    if values.get("status", "subscribed") not in _STATUSES:
        raise MailchimpError(400, f"status: the value must be one of {', '.join(_STATUSES)}")
    merged: Any = given.get("merge_fields")
    if isinstance(merged, dict):
        values["merge_fields"] = {**(known.merge_fields if known else {}), **cast(Shown, merged)}
    return {**values, **_read_interests(call, list_id, given, known)}


def _read_interests(call: Call, list_id: str, given: Mapping[str, Any], known: MailchimpMember | None) -> Shown:
    interests: Any = given.get("interests")
    if not isinstance(interests, dict):
        return {}
    ids = {each.id for each in call.db.rows(MailchimpInterest, MailchimpInterest.list_id == list_id)}
    chosen = {each: bool(is_on) for each, is_on in cast(Shown, interests).items()}
    unknown = [each for each in chosen if each not in ids]
    if unknown:
        raise MailchimpError(400, f"interests: Invalid interest ID: '{unknown[0]}'.")
    details: Shown = {**(cast(Shown, known.details) if known else {})}
    details["interests"] = {**details.get("interests", {}), **chosen}
    return {"details": details}


def _add(call: Call, of: MailchimpList, given: Mapping[str, Any], status: Any) -> MailchimpMember:
    """Add a member, or let an archived one in again; raises MailchimpError for an address that is none or taken."""
    address = str(given.get("email_address") or "")
    if not _ADDRESS.fullmatch(address):
        raise MailchimpError(400, "Please provide a valid email address.")
    if not status:
        raise MailchimpError(400, "status: This value should not be blank.")
    known = _find(call, of.id, address)
    if known is not None and known.status != "archived":
        said = f"{address} is already a list member. Use PUT to insert or update list members."
        raise MailchimpError(400, said, "Member Exists")
    now = call.clock.iso()
    values: Shown = {**_read_values(call, of.id, {**given, "status": status}, known), "last_changed": now}
    if known is not None:
        return call.db.change(known, **values)
    names = [{"id": call.db.next("tag") + 5_000_000, "name": str(each)} for each in given.get("tags") or ()]
    opted = now if status == "subscribed" else None
    number = 440_000_000 + call.db.next("member")
    row = MailchimpMember(
        list_id=of.id, id=hash_address(address), email_address=address, web_id=number, tags=names,
        timestamp_opt=opted, **values,
    )  # fmt: skip
    return call.db.add(row)


@api.post("/members")
def post_member(call: Call, list_id: str, body: Annotated[dict[str, Any], Body]) -> Shown:
    """Add a member to a list."""
    return show_member(call, _add(call, find_list(call, list_id), body, body.get("status")))


@api.get("/members/{subscriber_hash}")
def get_member(call: Call, list_id: str, subscriber_hash: str) -> Shown:
    """Return a member."""
    return show_member(call, find_member(call, list_id, subscriber_hash))


def _change(call: Call, row: MailchimpMember, given: Mapping[str, Any]) -> MailchimpMember:
    values = _read_values(call, row.list_id, given, row)
    address = str(given.get("email_address") or row.email_address)
    if address.lower() != row.email_address.lower():
        if _find(call, row.list_id, address):
            raise MailchimpError(400, f"{address} is already a list member.", "Member Exists")
        kept: dict[str, Any] = {name: getattr(row, name) for name in _MOVED}
        call.db.remove(row)
        key = {"list_id": row.list_id, "id": hash_address(address), "email_address": address}
        fields: Any = {**kept, **values, **key, "last_changed": call.clock.iso()}
        return call.db.add(MailchimpMember(**fields))
    return call.db.change(row, **values, last_changed=call.clock.iso())


@api.put("/members/{subscriber_hash}")
def put_member(call: Call, list_id: str, subscriber_hash: str, body: Annotated[dict[str, Any], Body]) -> Shown:
    """Change a member, or add one with `status_if_new`."""
    row = _find(call, list_id, subscriber_hash)
    if row is None:
        given = {"email_address": subscriber_hash, **body} if "@" in subscriber_hash else body
        return show_member(call, _add(call, find_list(call, list_id), given, body.get("status_if_new")))
    return show_member(call, _change(call, row, body))


@api.patch("/members/{subscriber_hash}")
def patch_member(call: Call, list_id: str, subscriber_hash: str, body: Annotated[dict[str, Any], Body]) -> Shown:
    """Change a member."""
    return show_member(call, _change(call, find_member(call, list_id, subscriber_hash), body))


@api.delete("/members/{subscriber_hash}", status=204)
def delete_member(call: Call, list_id: str, subscriber_hash: str) -> None:
    """Archive a member."""
    row = find_member(call, list_id, subscriber_hash)
    if row.status in ("archived", "pending", "cleaned"):
        said = "This list member cannot be removed. Can not archive a contact that is bounced, pending or archived"
        raise MailchimpError(405, said)
    call.db.change(row, status="archived", last_changed=call.clock.iso())


@api.post("/members/{subscriber_hash}/actions/delete-permanent", status=204)
def delete_permanently(call: Call, list_id: str, subscriber_hash: str) -> None:
    """Remove a member for good."""
    call.db.remove(find_member(call, list_id, subscriber_hash))


@api.get("/members/{subscriber_hash}/tags")
def list_member_tags(call: Call, list_id: str, subscriber_hash: str) -> Shown:
    """List the tags of a member."""
    tags = find_member(call, list_id, subscriber_hash).tags
    return {"tags": tags, "total_items": len(tags), "_links": []}


@api.post("/members/{subscriber_hash}/tags", status=204)
def post_member_tags(call: Call, list_id: str, subscriber_hash: str, tags: list[dict[str, Any]]) -> None:
    """Give a member the tags that are active, and take the others from it."""
    row = find_member(call, list_id, subscriber_hash)
    known = {str(each["name"]): each for each in cast(list[Shown], row.tags)}
    for each in tags:
        name = str(each.get("name") or "")
        if each.get("status") not in ("active", "inactive") or not name:
            raise MailchimpError(400, "Each tag has a name and a status, which is active or inactive")
        if each["status"] == "inactive":
            known.pop(name, None)
        elif name not in known:
            known[name] = {"id": _find_tag(call, list_id, name), "name": name}
    call.db.change(row, tags=[*known.values()])


def _find_tag(call: Call, list_id: str, name: str) -> int:
    """Return the id that a tag has with other members of the list, or a new one."""
    for row in call.db.rows(MailchimpMember, MailchimpMember.list_id == list_id):
        for each in cast(list[Shown], row.tags):
            if each["name"] == name:
                return int(each["id"])
    return 5_000_000 + call.db.next("tag")


@api.post("")
def post_batch(call: Call, list_id: str, members: list[dict[str, Any]], update_existing: bool = False) -> Shown:
    """Add up to 500 members, or change those that there are if `update_existing` is true."""
    of = find_list(call, list_id)
    if len(members) > MAX_BATCH:
        raise MailchimpError(400, f"members: at most {MAX_BATCH} members are written at once")
    done: dict[str, list[Shown]] = {"new_members": [], "updated_members": [], "errors": []}
    for each in members:
        address = str(each.get("email_address") or "")
        known = _find(call, of.id, address) if address else None
        try:
            with call.db.savepoint():
                is_new = known is None or not update_existing
                row = _add(call, of, each, each.get("status")) if is_new else _change(call, cast(Any, known), each)
                done["new_members" if is_new else "updated_members"].append(show_member(call, row))
        except MailchimpError as error:
            code = "ERROR_CONTACT_EXISTS" if error.title else "ERROR_GENERIC"
            done["errors"].append({"email_address": address, "error": str(error), "error_code": code})
    counts = {"total_created": len(done["new_members"]), "total_updated": len(done["updated_members"])}
    return {**done, **counts, "error_count": len(done["errors"]), "_links": []}
