"""Lists of records, version 3: those whose members are given. https://developers.hubspot.com/docs/guides/api/crm/lists/overview"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from twindiff.kit.call import Call
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from ..number_ids import read_number_id
from .account import type_id_of
from .list_filters import check_branch, list_filtered
from .list_filters import list_members as list_rows_of_members
from .object_schemas import get_kind
from .record_lookup import find_record, find_records
from .records import list_places
from .tables import CrmContactList, CrmListMember
from .wire_style import HubSpotError, NoSuchRecord, page_results, show_time

api = Operations(prefix="/crm/v3/lists")
MAX_SEARCHED = 500
MAX_MEMBERS = 250
MAX_CHANGED_MEMBERS = 100_000
_GIVEN = ("MANUAL", "SNAPSHOT")
Shown = dict[str, Any]
Ids = list[Any]


def _show(call: Call, row: CrmContactList) -> Shown:
    changed = show_time(row.updated_at or row.created_at)
    user = str(row.author_id) if row.author_id else None
    return {
        "listId": str(row.id),
        "listVersion": 1,
        "name": row.name,
        "objectTypeId": type_id_of(row.kind),
        "processingType": row.processing or ("DYNAMIC" if row.is_dynamic else "MANUAL"),
        "processingStatus": "COMPLETE",
        "size": len(list_rows_of_members(call, row)) + row.others,
        "createdAt": show_time(row.created_at),
        "createdById": user,
        "updatedAt": changed,
        "updatedById": user,
        "filtersUpdatedAt": show_time(row.created_at),
        **({"deletedAt": show_time(row.deleted_at)} if row.deleted_at else {}),
    }


def _find(call: Call, id: str, *, deleted: bool = False) -> CrmContactList:
    row = call.db.find(CrmContactList, CrmContactList.id == read_number_id(id))
    if row is None or (row.deleted_at is not None) != deleted:
        raise NoSuchRecord(f"List does not exist with ID {id}.")
    return row


def _list_there(call: Call) -> list[CrmContactList]:
    return [*call.db.rows(CrmContactList, CrmContactList.deleted_at.is_null(), order=CrmContactList.id)]


def _check_name(call: Call, kind: str, name: str, own: int = 0) -> str:
    if not name.strip():
        raise HubSpotError("The list's name cannot be blank.")
    if any(row.kind == kind and row.name == name and row.id != own for row in _list_there(call)):
        raise HubSpotError(f"A list with the name '{name}' exists already.")
    return name


@api.get("")
def list_by_ids(call: Call, list_ids: list[str] | None = None) -> Shown:
    """Return the lists with some ids; those that do not exist are left out."""
    return {"lists": [_show(call, row) for row in _list_there(call) if str(row.id) in (list_ids or ())]}


@api.post("")
def post_list(
    call: Call,
    name: str,
    object_type_id: str,
    processing_type: str,
    filter_branch: dict[str, Any] | None = None,
) -> Shown:
    """Create a list: without members, or dynamic, with those that meet its filters."""
    kind = get_kind(call, object_type_id)
    if processing_type not in (*_GIVEN, "DYNAMIC"):
        raise HubSpotError(f"Invalid input JSON: '{processing_type}' is no processing type.")
    is_dynamic = processing_type == "DYNAMIC"
    filters: Any = check_branch(filter_branch) if is_dynamic or filter_branch else []
    row = CrmContactList(
        id=call.db.next("contact_list"),
        name=_check_name(call, kind, name),
        kind=kind,
        processing=processing_type,
        is_dynamic=is_dynamic,
        filters=filters,
        created_at=call.clock.iso(),
    )
    row = call.db.add(row)
    if processing_type == "SNAPSHOT" and filters:
        for each in list_filtered(call, row):
            call.db.add(CrmListMember(list_id=row.id, record_id=each, added_at=call.clock.iso()))
    return {"list": _show(call, row)}


@api.post("/search", reads=True)
def search_lists(
    call: Call,
    query: str = "",
    count: int = 20,
    offset: int = 0,
    list_ids: list[str] | None = None,
    processing_types: list[str] | None = None,
) -> Shown:
    """Find lists by words of their names, ids and processing types."""
    shown = [_show(call, row) for row in _list_there(call) if query.lower() in row.name.lower()]
    shown = [
        each
        for each in shown
        if (not list_ids or each["listId"] in list_ids)
        and (not processing_types or each["processingType"] in processing_types)
    ]
    for each in shown:
        each["additionalProperties"] = {"hs_list_size": str(each.pop("size"))}
    start, most = max(offset, 0), min(max(count, 1), MAX_SEARCHED)
    page = shown[start : start + most]
    return {"offset": start + len(page), "hasMore": len(shown) > start + most, "lists": page, "total": len(shown)}


@api.get("/object-type-id/{objectTypeId}/name/{listName}")
def get_by_name(call: Call, object_type_id: str, list_name: str) -> Shown:
    """Return the list of a kind with a name."""
    kind = get_kind(call, object_type_id)
    for row in _list_there(call):
        if row.kind == kind and row.name == list_name:
            return {"list": _show(call, row)}
    raise NoSuchRecord(f"List does not exist with name {list_name} and object type ID {object_type_id}.")


@api.get("/records/{objectTypeId}/{recordId}/memberships")
def list_of_record(call: Call, object_type_id: str, record_id: str) -> Shown:
    """List the lists in which a record is."""
    kind = get_kind(call, object_type_id)
    record = find_record(call, kind, record_id)
    there = {row.id for row in _list_there(call)}
    shown = [
        {
            "listId": str(each.list_id),
            "listVersion": 1,
            "firstAddedTimestamp": show_time(each.added_at),
            "lastAddedTimestamp": show_time(each.added_at),
        }
        for each in [*list_places(call, kind, record.id), *_places_by_filters(call, kind, record.id)]
        if each.list_id in there
    ]
    return {"results": shown, "total": len(shown)}


def _places_by_filters(call: Call, kind: str, id: str) -> list[CrmListMember]:
    """Return the places of a record in dynamic lists."""
    rows = [row for row in _list_there(call) if row.kind == kind and row.is_dynamic]
    return [each for row in rows for each in list_rows_of_members(call, row) if each.record_id == id]


@api.put("/{listId}/update-list-filters")
def put_filters(call: Call, list_id: str, filter_branch: dict[str, Any]) -> Shown:
    """Change the filters of a dynamic list."""
    row = _find(call, list_id)
    if not row.is_dynamic:
        raise HubSpotError("Only lists with processing type DYNAMIC have filters that can be changed.")
    row = call.db.change(row, filters=check_branch(filter_branch), updated_at=call.clock.iso())
    return {"updatedList": _show(call, row)}


@api.get("/{listId}")
def get_list(call: Call, list_id: str) -> Shown:
    """Return a list."""
    return {"list": _show(call, _find(call, list_id))}


@api.delete("/{listId}", status=204)
def delete_list(call: Call, list_id: str) -> None:
    """Delete a list, which can be restored."""
    call.db.change(_find(call, list_id), deleted_at=call.clock.iso())


@api.put("/{listId}/restore", status=204)
def restore_list(call: Call, list_id: str) -> None:
    """Restore a list that was deleted, with its members."""
    call.db.change(_find(call, list_id, deleted=True), deleted_at=None)


@api.put("/{listId}/update-list-name")
def put_name(call: Call, list_id: str, list_name: str) -> Shown:
    """Change the name of a list."""
    row = _find(call, list_id)
    name = _check_name(call, row.kind, list_name, row.id)
    return {"updatedList": _show(call, call.db.change(row, name=name, updated_at=call.clock.iso()))}


@api.get("/{listId}/memberships")
def list_members(call: Call, list_id: str, after: str = "", limit: int = 100) -> Shown:
    """List the records of a list in the order of their ids."""
    members = list_rows_of_members(call, _find(call, list_id))
    shown = [{"recordId": each.record_id, "membershipTimestamp": show_time(each.added_at)} for each in members]
    return {"total": len(shown), **page_results(shown, after, min(max(limit, 1), MAX_MEMBERS))}


@api.get("/{listId}/memberships/join-order")
def list_in_join_order(call: Call, list_id: str, after: str = "", limit: int = 100) -> Shown:
    """List the records of a list in the order in which they were added."""
    members = sorted(list_rows_of_members(call, _find(call, list_id)), key=lambda each: each.added_at)
    shown = [{"recordId": each.record_id, "membershipTimestamp": show_time(each.added_at)} for each in members]
    return {"total": len(shown), **page_results(shown, after, min(max(limit, 1), MAX_MEMBERS))}


@api.put("/{listId}/memberships/add")
def add_members(call: Call, list_id: str, body: Annotated[Ids, Body]) -> Shown:
    """Add records to a list; those that are in it already are left out of the answer."""
    return _change(call, _find(call, list_id), body, ())


@api.put("/{listId}/memberships/remove")
def remove_members(call: Call, list_id: str, body: Annotated[Ids, Body]) -> Shown:
    """Take records out of a list."""
    return _change(call, _find(call, list_id), (), body)


@api.put("/{listId}/memberships/add-and-remove")
def change_members(
    call: Call,
    list_id: str,
    record_ids_to_add: list[str | int] | None = None,
    record_ids_to_remove: list[str | int] | None = None,
) -> Shown:
    """Add records to a list and take others out of it."""
    return _change(call, _find(call, list_id), record_ids_to_add or (), record_ids_to_remove or ())


@api.put("/{listId}/memberships/add-from/{sourceListId}", status=204)
def add_from_list(call: Call, list_id: str, source_list_id: str) -> None:
    """Add all records of another list of the same kind."""
    row, source = _find(call, list_id), _find(call, source_list_id)
    if row.kind != source.kind:
        raise HubSpotError("The lists are of different object types.")
    _change(call, row, [each.record_id for each in list_rows_of_members(call, source)], ())


@api.delete("/{listId}/memberships", status=204)
def remove_all_members(call: Call, list_id: str) -> None:
    """Take all records out of a list."""
    row = _find(call, list_id)
    _change(call, row, (), [each.record_id for each in list_rows_of_members(call, row)])


def _change(call: Call, row: CrmContactList, added: Sequence[Any], removed: Sequence[Any]) -> Shown:
    """Change the members of a list. Raises HubSpotError for one whose members follow from filters."""
    if row.is_dynamic:
        raise HubSpotError("Memberships of a list with processing type DYNAMIC cannot be changed.")
    if any(isinstance(each, bool) or not isinstance(each, (str, int)) for each in (*added, *removed)):
        raise HubSpotError("Invalid input JSON: ids of records are texts.")
    if len(added) + len(removed) > MAX_CHANGED_MEMBERS:
        raise HubSpotError(f"At most {MAX_CHANGED_MEMBERS:,} memberships are changed at once.")
    known = {each.id for each in find_records(call, row.kind)}
    inside = {each.record_id: each for each in list_rows_of_members(call, row)}
    wanted, gone = [*dict.fromkeys(map(str, added))], [*dict.fromkeys(map(str, removed))]
    new = [each for each in wanted if each in known and each not in inside]
    old = [each for each in gone if each in inside]
    for each in new:
        call.db.add(CrmListMember(list_id=row.id, record_id=each, added_at=call.clock.iso()))
    for each in old:
        call.db.remove(inside[each])
    if new or old:
        call.db.change(row, updated_at=call.clock.iso())
    missing = [each for each in (*wanted, *gone) if each not in known]
    return {"recordsIdsAdded": new, "recordIdsRemoved": old, "recordIdsMissing": [*dict.fromkeys(missing)]}
