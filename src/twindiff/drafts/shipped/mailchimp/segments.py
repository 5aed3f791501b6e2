"""Static and saved segments, interests and notes of members.

https://mailchimp.com/developer/marketing/api/list-segments/, /interest-categories/, /list-member-notes/
"""

from __future__ import annotations

from typing import Annotated, Any, cast

from twindiff.kit.call import Call
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from ..number_ids import read_number_id
from .field_selection import select_fields
from .lists import find_list
from .members import find_member, hash_address, show_member
from .segment_conditions import meets_options, read_options
from .tables import (
    MailchimpInterest,
    MailchimpInterestCategory,
    MailchimpMember,
    MailchimpNote,
    MailchimpSegment,
)
from .wire_style import MailchimpError, ResourceNotFound, page_rows, show_time

api = Operations(prefix="/3.0/lists/{list_id}", layers=[select_fields])
Shown = dict[str, Any]
Given = Annotated[dict[str, Any], Body]
MAX_NOTE_CHARACTERS = 1000
_FORMS = ("checkboxes", "dropdown", "radio", "hidden")


# -- segments ----------------------------------------------------------------------------------------------------------


def find_segment(call: Call, list_id: str, id: str) -> MailchimpSegment:
    """Return a segment of a list; raises ResourceNotFound."""
    row = call.db.get(MailchimpSegment, read_number_id(id), missing=ResourceNotFound)
    if row.list_id != find_list(call, list_id).id:
        raise ResourceNotFound
    return row


def list_segment_members(call: Call, row: MailchimpSegment) -> list[MailchimpMember]:
    """Return the members of a segment that are not archived."""
    members = call.db.rows(MailchimpMember, MailchimpMember.list_id == row.list_id)
    there = [each for each in members if each.status != "archived"]
    if row.options:
        return [each for each in there if meets_options(call, cast(Shown, row.options), each)]
    return [each for each in there if each.id in row.member_ids]


def _show_segment(call: Call, row: MailchimpSegment) -> Shown:
    times = {"created_at": show_time(row.created_at), "updated_at": show_time(row.updated_at)}
    about = {"id": row.id, "name": row.name, "member_count": len(list_segment_members(call, row))}
    about["type"] = "saved" if row.options else "static"
    options: Any = row.options or {"match": "any", "conditions": []}
    return {**about, **times, "options": options, "list_id": row.list_id, "_links": []}


def _find_ids(call: Call, list_id: str, given: Any) -> tuple[list[str], list[str]]:
    """Return the ids of the members with some addresses, and the addresses that none has."""
    if not isinstance(given, list) or not all(isinstance(each, str) for each in cast(list[Any], given)):
        raise MailchimpError(400, "static_segment: Schema describes array of addresses")
    ids: list[str] = []
    unknown: list[str] = []
    for each in cast(list[str], given):
        is_there = call.db.find(
            MailchimpMember, MailchimpMember.list_id == list_id, MailchimpMember.id == hash_address(each)
        )
        (ids if is_there else unknown).append(hash_address(each) if is_there else each)
    return ids, unknown


def _find_static(call: Call, list_id: str, id: str) -> MailchimpSegment:
    """Return a static segment, whose members are chosen one by one. Raises MailchimpError."""
    row = find_segment(call, list_id, id)
    if row.options:
        raise MailchimpError(400, "You can only add and remove the members of a static segment")
    return row


def _read_options(call: Call, list_id: str, body: Shown) -> Shown:
    """Return the options of a body; empty for none. Raises MailchimpError."""
    if body.get("options") is None:
        return {}
    if body.get("static_segment") is not None:
        raise MailchimpError(400, "static_segment: This field cannot be provided with the options field")
    return read_options(call, list_id, body["options"])


@api.get("/segments")
def list_segments(call: Call, list_id: str, count: int = 10, offset: int = 0, type: str = "") -> Shown:
    """List the segments of a list."""
    rows = call.db.rows(MailchimpSegment, MailchimpSegment.list_id == find_list(call, list_id).id)
    rows = [each for each in rows if type in ("", "saved" if each.options else "static")]
    shown = [_show_segment(call, each) for each in page_rows(rows, count, offset)]
    return {"segments": shown, "list_id": list_id, "total_items": len(rows), "_links": []}


@api.post("/segments")
def post_segment(call: Call, list_id: str, body: Given) -> Shown:
    """Create a segment of the members with some addresses, or of those that meet conditions."""
    of, name = find_list(call, list_id).id, body.get("name")
    if not isinstance(name, str) or not name:
        raise MailchimpError(400, "name: This value should not be blank.")
    if call.db.find(MailchimpSegment, MailchimpSegment.list_id == of, MailchimpSegment.name == name):
        raise MailchimpError(400, "Sorry, that tag already exists.")
    options = _read_options(call, of, body)
    ids = [] if options else _find_ids(call, of, body.get("static_segment", []))[0]
    now, number = call.clock.iso(), 2_000_000 + call.db.next("segment")
    about: Shown = {"id": number, "list_id": of, "name": name, "created_at": now, "updated_at": now}
    return _show_segment(call, call.db.add(MailchimpSegment(**about, member_ids=ids, options=options)))


@api.get("/segments/{segment_id}")
def get_segment(call: Call, list_id: str, segment_id: str) -> Shown:
    """Return a segment."""
    return _show_segment(call, find_segment(call, list_id, segment_id))


@api.patch("/segments/{segment_id}")
def patch_segment(call: Call, list_id: str, segment_id: str, body: Given) -> Shown:
    """Change the name of a segment, or replace its members or its conditions."""
    row = find_segment(call, list_id, segment_id)
    values: Shown = {"name": str(body["name"])} if body.get("name") else {}
    if options := _read_options(call, row.list_id, body):
        values |= {"options": options, "member_ids": []}
    elif "static_segment" in body:
        values |= {"options": {}}
        values["member_ids"] = _find_ids(call, row.list_id, body["static_segment"])[0]
    return _show_segment(call, call.db.change(row, **values, updated_at=call.clock.iso()))


@api.delete("/segments/{segment_id}", status=204)
def delete_segment(call: Call, list_id: str, segment_id: str) -> None:
    """Remove a segment; its members stay."""
    call.db.remove(find_segment(call, list_id, segment_id))


@api.post("/segments/{segment_id}")
def post_segment_batch(call: Call, list_id: str, segment_id: str, body: Given) -> Shown:
    """Add members to a segment and take others from it."""
    row = _find_static(call, list_id, segment_id)
    added, unknown = _find_ids(call, row.list_id, body.get("members_to_add") or [])
    removed, unknown_too = _find_ids(call, row.list_id, body.get("members_to_remove") or [])
    ids = [each for each in dict.fromkeys([*row.member_ids, *added]) if each not in removed]
    call.db.change(row, member_ids=ids, updated_at=call.clock.iso())
    said = "Email addresses exist in list but are not subscribed or do not exist in list"
    errors = [{"email_addresses": [*unknown, *unknown_too], "error": said}] if unknown or unknown_too else []
    shown = {
        name: [show_member(call, call.db.get(MailchimpMember, row.list_id, id)) for id in ids]
        for name, ids in (("members_added", added), ("members_removed", removed))
    }
    counts = {"total_added": len(added), "total_removed": len(removed), "error_count": len(errors)}
    return {**shown, "errors": errors, **counts, "_links": []}


@api.get("/segments/{segment_id}/members")
def list_members_of(call: Call, list_id: str, segment_id: str, count: int = 10, offset: int = 0) -> Shown:
    """List the members of a segment."""
    rows = list_segment_members(call, find_segment(call, list_id, segment_id))
    shown = [show_member(call, each) for each in page_rows(rows, count, offset)]
    return {"members": shown, "total_items": len(rows), "_links": []}


@api.post("/segments/{segment_id}/members")
def post_segment_member(call: Call, list_id: str, segment_id: str, email_address: str) -> Shown:
    """Add a member to a segment."""
    row, member = _find_static(call, list_id, segment_id), find_member(call, list_id, email_address)
    call.db.change(row, member_ids=[*dict.fromkeys([*row.member_ids, member.id])], updated_at=call.clock.iso())
    return show_member(call, member)


@api.delete("/segments/{segment_id}/members/{subscriber_hash}", status=204)
def delete_segment_member(call: Call, list_id: str, segment_id: str, subscriber_hash: str) -> None:
    """Take a member from a segment."""
    row, member = _find_static(call, list_id, segment_id), find_member(call, list_id, subscriber_hash)
    if member.id not in row.member_ids:
        raise ResourceNotFound
    call.db.change(row, member_ids=[each for each in row.member_ids if each != member.id])


@api.get("/tag-search")
def search_tags(call: Call, list_id: str, name: str = "") -> Shown:
    """List the tags that members of a list have, or those whose name begins with a text."""
    rows = call.db.rows(MailchimpMember, MailchimpMember.list_id == find_list(call, list_id).id)
    tags = {str(tag["name"]): tag for row in rows for tag in cast(list[Shown], row.tags)}
    shown = [{"id": each["id"], "name": word} for word, each in sorted(tags.items()) if word.startswith(name)]
    return {"tags": shown, "total_items": len(shown), "_links": []}


# -- interests ---------------------------------------------------------------------------------------------------------


def _get_category(call: Call, list_id: str, id: str) -> MailchimpInterestCategory:
    row = call.db.get(MailchimpInterestCategory, id, missing=ResourceNotFound)
    if row.list_id != find_list(call, list_id).id:
        raise ResourceNotFound
    return row


def _show_category(row: MailchimpInterestCategory) -> Shown:
    about = {"list_id": row.list_id, "id": row.id, "title": row.title, "display_order": row.display_order}
    return {**about, "type": row.type, "_links": []}


def _make_id(call: Call) -> str:
    return call.ids.uuid().replace("-", "")[-10:]


@api.get("/interest-categories")
def list_categories(call: Call, list_id: str, count: int = 10, offset: int = 0, type: str = "") -> Shown:
    """List the categories of interests of a list."""
    of = find_list(call, list_id).id
    rows = call.db.rows(MailchimpInterestCategory, MailchimpInterestCategory.list_id == of)
    rows = sorted((row for row in rows if not type or row.type == type), key=lambda row: (row.display_order, row.id))
    shown = [_show_category(each) for each in page_rows(rows, count, offset)]
    return {"list_id": list_id, "categories": shown, "total_items": len(rows), "_links": []}


@api.post("/interest-categories")
def post_category(call: Call, list_id: str, title: str, type: str, display_order: int = 0) -> Shown:
    """Create a category of interests."""
    of = find_list(call, list_id).id
    if type not in _FORMS or not title:
        raise MailchimpError(400, f"A category has a title, and a type of: {', '.join(_FORMS)}")
    row = MailchimpInterestCategory(
        id=_make_id(call), list_id=of, title=title, type=type, display_order=display_order
    )  # fmt: skip
    return _show_category(call.db.add(row))


@api.get("/interest-categories/{interest_category_id}")
def get_category(call: Call, list_id: str, interest_category_id: str) -> Shown:
    """Return a category of interests."""
    return _show_category(_get_category(call, list_id, interest_category_id))


@api.patch("/interest-categories/{interest_category_id}")
def patch_category(
    call: Call, list_id: str, interest_category_id: str, title: str = "", display_order: int | None = None
) -> Shown:
    """Change a category of interests."""
    row = _get_category(call, list_id, interest_category_id)
    order = row.display_order if display_order is None else display_order
    return _show_category(call.db.change(row, title=title or row.title, display_order=order))


@api.delete("/interest-categories/{interest_category_id}", status=204)
def delete_category(call: Call, list_id: str, interest_category_id: str) -> None:
    """Remove a category with its interests."""
    row = _get_category(call, list_id, interest_category_id)
    for each in call.db.rows(MailchimpInterest, MailchimpInterest.category_id == row.id):
        call.db.remove(each)
    call.db.remove(row)


def _show_interest(call: Call, row: MailchimpInterest) -> Shown:
    members = call.db.rows(MailchimpMember, MailchimpMember.list_id == row.list_id)
    count = sum(cast(Shown, each.details).get("interests", {}).get(row.id) is True for each in members)
    about = {"category_id": row.category_id, "list_id": row.list_id, "id": row.id, "name": row.name}
    return {**about, "subscriber_count": str(count), "display_order": row.display_order, "_links": []}


def _get_interest(call: Call, list_id: str, category_id: str, id: str) -> MailchimpInterest:
    row = call.db.get(MailchimpInterest, id, missing=ResourceNotFound)
    if row.category_id != _get_category(call, list_id, category_id).id:
        raise ResourceNotFound
    return row


@api.get("/interest-categories/{interest_category_id}/interests")
def list_interests(call: Call, list_id: str, interest_category_id: str, count: int = 10, offset: int = 0) -> Shown:
    """List the interests of a category."""
    of = _get_category(call, list_id, interest_category_id).id
    rows = call.db.rows(MailchimpInterest, MailchimpInterest.category_id == of, order=MailchimpInterest.display_order)
    shown = [_show_interest(call, each) for each in page_rows(rows, count, offset)]
    about = {"list_id": list_id, "category_id": of}
    return {"interests": shown, **about, "total_items": len(rows), "_links": []}


@api.post("/interest-categories/{interest_category_id}/interests")
def post_interest(call: Call, list_id: str, interest_category_id: str, name: str, display_order: int = 0) -> Shown:
    """Add an interest to a category."""
    of = _get_category(call, list_id, interest_category_id)
    if not name:
        raise MailchimpError(400, "name: This value should not be blank.")
    number = display_order or call.db.count(MailchimpInterest, MailchimpInterest.category_id == of.id) + 1
    row = MailchimpInterest(
        id=_make_id(call), list_id=of.list_id, category_id=of.id, name=name, display_order=number
    )  # fmt: skip
    return _show_interest(call, call.db.add(row))


@api.get("/interest-categories/{interest_category_id}/interests/{interest_id}")
def get_interest(call: Call, list_id: str, interest_category_id: str, interest_id: str) -> Shown:
    """Return an interest."""
    return _show_interest(call, _get_interest(call, list_id, interest_category_id, interest_id))


@api.patch("/interest-categories/{interest_category_id}/interests/{interest_id}")
def patch_interest(call: Call, list_id: str, interest_category_id: str, interest_id: str, name: str) -> Shown:
    """Change the name of an interest."""
    row = _get_interest(call, list_id, interest_category_id, interest_id)
    return _show_interest(call, call.db.change(row, name=name or row.name))


@api.delete("/interest-categories/{interest_category_id}/interests/{interest_id}", status=204)
def delete_interest(call: Call, list_id: str, interest_category_id: str, interest_id: str) -> None:
    """Remove an interest."""
    call.db.remove(_get_interest(call, list_id, interest_category_id, interest_id))


# -- notes -------------------------------------------------------------------------------------------------------------


def _show_note(row: MailchimpNote) -> Shown:
    times = {"created_at": show_time(row.created_at), "updated_at": show_time(row.updated_at)}
    about = {"id": row.id, **times, "created_by": "Agent", "note": row.note}
    return {**about, "list_id": row.list_id, "email_id": row.member_id, "contact_id": "", "_links": []}


def _get_note(call: Call, list_id: str, subscriber_hash: str, id: str) -> MailchimpNote:
    row = call.db.get(MailchimpNote, read_number_id(id), missing=ResourceNotFound)
    if (row.list_id, row.member_id) != (list_id, find_member(call, list_id, subscriber_hash).id):
        raise ResourceNotFound
    return row


def _check_note(note: str) -> str:
    if not note or len(note) > MAX_NOTE_CHARACTERS:
        raise MailchimpError(400, f"note: a note has 1 to {MAX_NOTE_CHARACTERS} characters")
    return note


@api.get("/members/{subscriber_hash}/notes")
def list_notes(call: Call, list_id: str, subscriber_hash: str, count: int = 10, offset: int = 0) -> Shown:
    """List the notes about a member, the newest first."""
    member = find_member(call, list_id, subscriber_hash)
    rows = call.db.rows(MailchimpNote, MailchimpNote.list_id == list_id, MailchimpNote.member_id == member.id)[::-1]
    shown = [_show_note(each) for each in page_rows(rows, count, offset)]
    return {"notes": shown, "email_id": member.id, "list_id": list_id, "total_items": len(rows), "_links": []}


@api.post("/members/{subscriber_hash}/notes")
def post_note(call: Call, list_id: str, subscriber_hash: str, note: str) -> Shown:
    """Write a note about a member."""
    member, now = find_member(call, list_id, subscriber_hash), call.clock.iso()
    row = MailchimpNote(
        id=call.db.next("note"), list_id=list_id, member_id=member.id, note=_check_note(note), created_at=now,
        updated_at=now,
    )  # fmt: skip
    return _show_note(call.db.add(row))


@api.get("/members/{subscriber_hash}/notes/{note_id}")
def get_note(call: Call, list_id: str, subscriber_hash: str, note_id: str) -> Shown:
    """Return a note about a member."""
    return _show_note(_get_note(call, list_id, subscriber_hash, note_id))


@api.patch("/members/{subscriber_hash}/notes/{note_id}")
def patch_note(call: Call, list_id: str, subscriber_hash: str, note_id: str, note: str) -> Shown:
    """Change a note about a member."""
    row = _get_note(call, list_id, subscriber_hash, note_id)
    return _show_note(call.db.change(row, note=_check_note(note), updated_at=call.clock.iso()))


@api.delete("/members/{subscriber_hash}/notes/{note_id}", status=204)
def delete_note(call: Call, list_id: str, subscriber_hash: str, note_id: str) -> None:
    """Remove a note about a member."""
    call.db.remove(_get_note(call, list_id, subscriber_hash, note_id))
