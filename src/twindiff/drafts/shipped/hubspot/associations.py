"""Associations between records. https://developers.hubspot.com/docs/reference/api/crm/associations"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit.call import Call
from twindiff.kit.parameter_sources import Body
from twindiff.kit.rows import all_of, any_of
from twindiff.kit.twin import Operations

from .account import KINDS, association_type, find_kind
from .record_lookup import find_record, show_record
from .tables import CrmAssociation
from .wire_style import HubSpotError, page_results

api = Operations()
Record = tuple[str, str]
"""A kind and an id."""


def _order(first: Record, second: Record) -> tuple[Record, Record]:
    kinds = [*KINDS]
    return (
        (first, second) if (kinds.index(first[0]), first[1]) <= (kinds.index(second[0]), second[1]) else (second, first)
    )


def _get_kind(said: str) -> str:
    kind = find_kind(said)
    if kind is None:
        raise HubSpotError(f"Unable to infer object type from: {said}")
    return kind


def associate(call: Call, first: Record, second: Record) -> None:
    """Associate two records, which must exist; twice is no error."""
    one, two = _order(first, second)
    key = (one[0], one[1], two[0], two[1])
    columns = (CrmAssociation.from_kind, CrmAssociation.from_id, CrmAssociation.to_kind, CrmAssociation.to_id)
    if call.db.find(CrmAssociation, *(column == value for column, value in zip(columns, key, strict=True))) is None:
        type_id = association_type(one[0], two[0])
        call.db.add(CrmAssociation(from_kind=key[0], from_id=key[1], to_kind=key[2], to_id=key[3], type_id=type_id))


def unlink(call: Call, kind: str, id: str, to_kind: str = "", to_id: str = "") -> None:
    """End the associations of a record, or that with one other record."""
    table = CrmAssociation
    rows = call.db.rows(
        table,
        any_of(all_of(table.from_kind == kind, table.from_id == id), all_of(table.to_kind == kind, table.to_id == id)),
    )
    for row in rows:
        other = (row.to_kind, row.to_id) if (row.from_kind, row.from_id) == (kind, id) else (row.from_kind, row.from_id)
        if not to_kind or other == (to_kind, to_id):
            call.db.remove(row)


def list_associated(call: Call, kind: str, id: str, to_kind: str) -> list[str]:
    """Return the ids of the records of a kind that belong to a record."""
    table = CrmAssociation
    onward = call.db.rows(table, table.from_kind == kind, table.from_id == id, table.to_kind == to_kind)
    back = call.db.rows(table, table.to_kind == kind, table.to_id == id, table.from_kind == to_kind)
    return [*dict.fromkeys([*(each.to_id for each in onward), *(each.from_id for each in back)])]


def _check_pair(call: Call, first: Record, second: Record) -> None:
    find_record(call, *first)
    find_record(call, *second)


def _type_of(kind: str, to_kind: str) -> dict[str, Any]:
    return {"category": "HUBSPOT_DEFINED", "typeId": association_type(kind, to_kind), "label": None}


@api.get("/crm/v4/objects/{objectType}/{objectId}/associations/{toObjectType}")
def list_v4(
    call: Call, object_type: str, object_id: str, to_object_type: str, after: str = "", limit: int = 500
) -> dict[str, Any]:
    """List the records of a kind that belong to a record."""
    kind, to_kind = _get_kind(object_type), _get_kind(to_object_type)
    shown = [
        {"toObjectId": int(each), "associationTypes": [_type_of(kind, to_kind)]}
        for each in list_associated(call, kind, object_id, to_kind)
    ]
    return page_results(shown, after, limit)


@api.get("/crm/v3/objects/{objectType}/{objectId}/associations/{toObjectType}")
def list_v3(
    call: Call, object_type: str, object_id: str, to_object_type: str, after: str = "", limit: int = 500
) -> dict[str, Any]:
    """List the records of a kind that belong to a record, by version 3."""
    kind, to_kind = _get_kind(object_type), _get_kind(to_object_type)
    name = f"{kind.removesuffix('s')}_to_{to_kind.removesuffix('s')}"
    shown = [{"id": each, "type": name} for each in list_associated(call, kind, object_id, to_kind)]
    return page_results(shown, after, limit)


def _put(call: Call, object_type: str, object_id: str, to_object_type: str, to_object_id: str) -> dict[str, Any]:
    first, second = (_get_kind(object_type), object_id), (_get_kind(to_object_type), to_object_id)
    _check_pair(call, first, second)
    associate(call, first, second)
    return {
        "fromObjectTypeId": KINDS[first[0]],
        "fromObjectId": int(object_id),
        "toObjectTypeId": KINDS[second[0]],
        "toObjectId": int(to_object_id),
        "labels": [],
    }


@api.put("/crm/v4/objects/{objectType}/{objectId}/associations/default/{toObjectType}/{toObjectId}")
def put_default(call: Call, object_type: str, object_id: str, to_object_type: str, to_object_id: str) -> dict[str, Any]:
    """Associate two records by the usual type."""
    shown = _put(call, object_type, object_id, to_object_type, to_object_id)
    kinds = _get_kind(object_type), _get_kind(to_object_type)
    spec = {"associationCategory": "HUBSPOT_DEFINED", "associationTypeId": association_type(*kinds)}
    result = {"from": {"id": object_id}, "to": {"id": to_object_id}, "associationSpec": spec}
    return {"status": "COMPLETE", "results": [result], "labels": shown["labels"]}


@api.put("/crm/v4/objects/{objectType}/{objectId}/associations/{toObjectType}/{toObjectId}", status=201)
def put_v4(
    call: Call,
    object_type: str,
    object_id: str,
    to_object_type: str,
    to_object_id: str,
    body: Annotated[Any, Body] = None,
) -> dict[str, Any]:
    """Associate two records by the types in the body, which are not told apart."""
    return _put(call, object_type, object_id, to_object_type, to_object_id)


@api.put("/crm/v3/objects/{objectType}/{objectId}/associations/{toObjectType}/{toObjectId}/{associationType}")
def put_v3(
    call: Call, object_type: str, object_id: str, to_object_type: str, to_object_id: str, association_type: str
) -> dict[str, Any]:
    """Associate two records, by version 3; the answer is the first one."""
    _put(call, object_type, object_id, to_object_type, to_object_id)
    kind = _get_kind(object_type)
    return show_record(kind, find_record(call, kind, object_id))


@api.delete("/crm/v4/objects/{objectType}/{objectId}/associations/{toObjectType}/{toObjectId}", status=204)
def delete_v4(call: Call, object_type: str, object_id: str, to_object_type: str, to_object_id: str) -> None:
    """End the association of two records."""
    unlink(call, _get_kind(object_type), object_id, _get_kind(to_object_type), to_object_id)


@api.delete(
    "/crm/v3/objects/{objectType}/{objectId}/associations/{toObjectType}/{toObjectId}/{associationType}", status=204
)
def delete_v3(
    call: Call, object_type: str, object_id: str, to_object_type: str, to_object_id: str, association_type: str
) -> None:
    """End the association of two records, by version 3."""
    unlink(call, _get_kind(object_type), object_id, _get_kind(to_object_type), to_object_id)
