"""Associations between records. https://developers.hubspot.com/docs/reference/api/crm/associations"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, cast

from twindiff.kit.call import Call
from twindiff.kit.parameter_sources import Body
from twindiff.kit.rows import all_of, any_of
from twindiff.kit.twin import Operations

from .account import association_type, association_types, invert_type, rank_of, type_id_of
from .object_schemas import get_kind
from .record_lookup import find_record, show_record
from .tables import CrmAssociation, CrmAssociationLabel
from .wire_style import HubSpotError, page_results

api = Operations()
Shown = dict[str, Any]
Record = tuple[str, str]
"""A kind and an id."""


def _order(first: Record, second: Record) -> tuple[Record, Record]:
    is_onward = (rank_of(first[0]), first[1]) <= (rank_of(second[0]), second[1])
    return (first, second) if is_onward else (second, first)


def find_association(call: Call, first: Record, second: Record) -> CrmAssociation | None:
    """Return the association of two records, in whatever direction it was made."""
    one, two = _order(first, second)
    table = CrmAssociation
    return call.db.find(
        table, table.from_kind == one[0], table.from_id == one[1], table.to_kind == two[0], table.to_id == two[1]
    )


def associate(call: Call, first: Record, second: Record, types: Sequence[int] = ()) -> None:
    """Associate two records, which must exist, by types of the direction between them; twice is no error."""
    one, two = _order(first, second)
    usual = association_type(one[0], two[0])
    given = types if one == first else [invert(call, first[0], second[0], each) for each in types]
    row = find_association(call, first, second)
    known: list[int] = row.labels if row else []
    labels = [*dict.fromkeys([*known, *(each for each in given if each != usual)])]
    if row is None:
        call.db.add(
            CrmAssociation(from_kind=one[0], from_id=one[1], to_kind=two[0], to_id=two[1], type_id=usual, labels=labels)
        )
    elif labels != known:
        call.db.change(row, labels=labels)


def drop_types(call: Call, first: Record, second: Record, types: Sequence[int]) -> None:
    """Take types from the association of two records; without the usual one it ends."""
    row = find_association(call, first, second)
    if row is None:
        return
    if association_type(first[0], second[0]) in types:
        call.db.remove(row)
        return
    is_onward = _order(first, second)[0] == first
    dropped = {*(types if is_onward else (invert(call, first[0], second[0], each) for each in types))}
    call.db.change(row, labels=[each for each in row.labels if each not in dropped])


def invert(call: Call, from_kind: str, to_kind: str, type_id: int) -> int:
    """Return the type of the other direction of an association."""
    label = call.db.find(CrmAssociationLabel, CrmAssociationLabel.type_id == type_id)
    return label.inverse_id if label else invert_type(from_kind, to_kind, type_id)


def list_types(call: Call, from_kind: str, to_kind: str) -> list[Shown]:
    """Return the types of associations from one kind to another as HubSpot shows them, the usual one first."""
    ids = association_types(from_kind, to_kind)
    own = [
        {"category": "HUBSPOT_DEFINED", "typeId": id, "label": label}
        for id, label in zip(reversed(ids), (None, "Primary")[: len(ids)], strict=True)
    ]
    table = CrmAssociationLabel
    rows = call.db.rows(table, table.from_kind == from_kind, table.to_kind == to_kind, order=table.type_id)
    return [*own, *({"category": "USER_DEFINED", "typeId": row.type_id, "label": row.label} for row in rows)]


def check_types(call: Call, from_kind: str, to_kind: str, given: Any) -> list[int]:
    """Return the ids of `[{"associationCategory", "associationTypeId"}]`.

    Raises HubSpotError for a type that leads elsewhere.
    """
    known = {each["typeId"] for each in list_types(call, from_kind, to_kind)}
    listed: list[Any] = cast(list[Any], given) if isinstance(given, list) else []
    if given is not None and not (isinstance(given, list) and all(isinstance(each, dict) for each in listed)):
        raise HubSpotError("Invalid input JSON: the association types must be a list of objects.")
    ids: list[Any] = [each.get("associationTypeId") for each in listed]
    for id in ids:
        if not isinstance(id, int) or isinstance(id, bool) or id not in known:
            said = f"Association type {id} does not lead from {from_kind} to {to_kind}"
            raise HubSpotError(f"{said}, whose types are: {', '.join(map(str, sorted(known))) or 'none'}.")
    return ids


def show_types(call: Call, first: Record, second: Record) -> list[Shown]:
    """Return the types of the association of two records in the direction from the first, the usual one last."""
    row = find_association(call, first, second)
    is_onward = _order(first, second)[0] == first
    ids: list[int] = row.labels if row else []
    own = {each if is_onward else invert(call, second[0], first[0], each) for each in ids}
    known = list_types(call, first[0], second[0])
    usual = known[0] if known else {"category": "HUBSPOT_DEFINED", "typeId": 0, "label": None}
    return [*(each for each in known if each["typeId"] in own), usual]


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


@api.get("/crm/v4/objects/{objectType}/{objectId}/associations/{toObjectType}")
def list_v4(
    call: Call, object_type: str, object_id: str, to_object_type: str, after: str = "", limit: int = 500
) -> dict[str, Any]:
    """List the records of a kind that belong to a record."""
    kind, to_kind = get_kind(call, object_type), get_kind(call, to_object_type)
    shown = [
        {"toObjectId": int(each), "associationTypes": show_types(call, (kind, object_id), (to_kind, each))}
        for each in list_associated(call, kind, object_id, to_kind)
    ]
    return page_results(shown, after, limit)


@api.get("/crm/v3/objects/{objectType}/{objectId}/associations/{toObjectType}")
def list_v3(
    call: Call, object_type: str, object_id: str, to_object_type: str, after: str = "", limit: int = 500
) -> dict[str, Any]:
    """List the records of a kind that belong to a record, by version 3."""
    kind, to_kind = get_kind(call, object_type), get_kind(call, to_object_type)
    name = f"{kind.removesuffix('s')}_to_{to_kind.removesuffix('s')}"
    shown = [{"id": each, "type": name} for each in list_associated(call, kind, object_id, to_kind)]
    return page_results(shown, after, limit)


def _put(
    call: Call, object_type: str, object_id: str, to_object_type: str, to_object_id: str, given: Any = None
) -> dict[str, Any]:
    first, second = (get_kind(call, object_type), object_id), (get_kind(call, to_object_type), to_object_id)
    types = check_types(call, first[0], second[0], given)
    _check_pair(call, first, second)
    known = find_association(call, first, second)
    if known and types:
        call.db.change(known, labels=[])
    associate(call, first, second, types)
    return {
        "fromObjectTypeId": type_id_of(first[0]),
        "fromObjectId": int(object_id),
        "toObjectTypeId": type_id_of(second[0]),
        "toObjectId": int(to_object_id),
        "labels": [each["label"] for each in show_types(call, first, second) if each["label"]],
    }


@api.put("/crm/v4/objects/{objectType}/{objectId}/associations/default/{toObjectType}/{toObjectId}")
def put_default(call: Call, object_type: str, object_id: str, to_object_type: str, to_object_id: str) -> dict[str, Any]:
    """Associate two records by the usual type."""
    shown = _put(call, object_type, object_id, to_object_type, to_object_id)
    kinds = get_kind(call, object_type), get_kind(call, to_object_type)
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
    """Associate two records by the types in the body, which replace those that they had."""
    return _put(call, object_type, object_id, to_object_type, to_object_id, body)


@api.put("/crm/v3/objects/{objectType}/{objectId}/associations/{toObjectType}/{toObjectId}/{associationType}")
def put_v3(
    call: Call, object_type: str, object_id: str, to_object_type: str, to_object_id: str, association_type: str
) -> dict[str, Any]:
    """Associate two records, by version 3; the answer is the first one."""
    _put(call, object_type, object_id, to_object_type, to_object_id)
    kind = get_kind(call, object_type)
    return show_record(kind, find_record(call, kind, object_id))


@api.delete("/crm/v4/objects/{objectType}/{objectId}/associations/{toObjectType}/{toObjectId}", status=204)
def delete_v4(call: Call, object_type: str, object_id: str, to_object_type: str, to_object_id: str) -> None:
    """End the association of two records."""
    unlink(call, get_kind(call, object_type), object_id, get_kind(call, to_object_type), to_object_id)


@api.delete(
    "/crm/v3/objects/{objectType}/{objectId}/associations/{toObjectType}/{toObjectId}/{associationType}", status=204
)
def delete_v3(
    call: Call, object_type: str, object_id: str, to_object_type: str, to_object_id: str, association_type: str
) -> None:
    """End the association of two records, by version 3."""
    unlink(call, get_kind(call, object_type), object_id, get_kind(call, to_object_type), to_object_id)
