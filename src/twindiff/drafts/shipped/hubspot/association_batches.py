"""Associations in batches, and their types. https://developers.hubspot.com/docs/api-reference/crm-associations-v4/guide"""

from __future__ import annotations

from typing import Any

import msgspec

from twindiff.kit.call import Call
from twindiff.kit.twin import Operations

from .account import association_type, name_one, type_id_of
from .associations import associate, check_types, drop_types, list_associated, show_types, unlink
from .object_schemas import get_kind
from .record_lookup import find_record
from .records import check_batch, show_batch

api = Operations()
Shown = dict[str, Any]
_V3 = "/crm/v3/associations/{fromObjectType}/{toObjectType}"
_V4 = "/crm/v4/associations/{fromObjectType}/{toObjectType}"


class RecordReference(msgspec.Struct):
    """The id of a record."""

    id: str | int


class AssociationInput(msgspec.Struct, rename={"first": "from", "second": "to"}):
    """Two records of a batch; `type` is the name of the association in version 3, `types` are those of version 4."""

    first: RecordReference
    second: RecordReference
    type: str | int = ""
    types: list[dict[str, Any]] = msgspec.field(default_factory=list[dict[str, Any]])


class AssociationEnds(msgspec.Struct, rename={"first": "from", "second": "to"}):
    """A record and those whose associations with it end."""

    first: RecordReference
    second: list[RecordReference]


def _associate_each(call: Call, from_kind: str, to_kind: str, inputs: list[AssociationInput]) -> None:
    check_batch(inputs)
    for each in inputs:
        types = check_types(call, from_kind, to_kind, each.types)
        first = find_record(call, from_kind, str(each.first.id))
        associate(call, (from_kind, first.id), (to_kind, find_record(call, to_kind, str(each.second.id)).id), types)


def _name_type(from_kind: str, to_kind: str) -> str:
    return f"{name_one(from_kind)}_to_{name_one(to_kind)}"


@api.post(f"{_V4}/batch/create")
def create_labelled(call: Call, from_object_type: str, to_object_type: str, inputs: list[AssociationInput]) -> Any:
    """Associate pairs of records by the types that are given, beside those that they have."""
    first, second = get_kind(call, from_object_type), get_kind(call, to_object_type)
    _associate_each(call, first, second, inputs)
    return show_batch(call, [_show_pair(call, first, second, each) for each in inputs], 201)


def _show_pair(call: Call, first: str, second: str, given: AssociationInput) -> Shown:
    types = show_types(call, (first, str(given.first.id)), (second, str(given.second.id)))
    return {
        "fromObjectTypeId": type_id_of(first),
        "fromObjectId": int(given.first.id),
        "toObjectTypeId": type_id_of(second),
        "toObjectId": int(given.second.id),
        "labels": [each["label"] for each in types if each["label"]],
    }


@api.post(f"{_V4}/batch/associate/default")
def create_default(call: Call, from_object_type: str, to_object_type: str, inputs: list[AssociationInput]) -> Any:
    """Associate pairs of records by the usual type."""
    first, second = get_kind(call, from_object_type), get_kind(call, to_object_type)
    _associate_each(call, first, second, inputs)
    spec = {"associationCategory": "HUBSPOT_DEFINED", "associationTypeId": association_type(first, second)}
    pairs = [(str(each.first.id), str(each.second.id)) for each in inputs]
    return show_batch(call, [{"from": {"id": a}, "to": {"id": b}, "associationSpec": spec} for a, b in pairs])


@api.post(f"{_V4}/batch/read", reads=True)
def read_labelled(call: Call, from_object_type: str, to_object_type: str, inputs: list[RecordReference]) -> Any:
    """Return the records that belong to each of up to 100 records."""
    check_batch(inputs)
    first, second = get_kind(call, from_object_type), get_kind(call, to_object_type)
    results: list[Shown] = []
    for each in inputs:
        others = list_associated(call, first, str(each.id), second)
        if others:
            own = (first, str(each.id))
            to = [{"toObjectId": int(id), "associationTypes": show_types(call, own, (second, id))} for id in others]
            results.append({"from": {"id": str(each.id)}, "to": to})
    return show_batch(call, results)


@api.post(f"{_V4}/batch/archive", status=204)
def archive_labelled(call: Call, from_object_type: str, to_object_type: str, inputs: list[AssociationEnds]) -> None:
    """End the associations of records with those that are listed."""
    check_batch(inputs)
    for each in inputs:
        for other in each.second:
            unlink(
                call,
                get_kind(call, from_object_type),
                str(each.first.id),
                get_kind(call, to_object_type),
                str(other.id),
            )


@api.post(f"{_V4}/batch/labels/archive", status=204)
def archive_labels(call: Call, from_object_type: str, to_object_type: str, inputs: list[AssociationInput]) -> None:
    """Take types from pairs of records; without the usual type two records do not belong together."""
    check_batch(inputs)
    first, second = get_kind(call, from_object_type), get_kind(call, to_object_type)
    for each in inputs:
        types = check_types(call, first, second, each.types)
        drop_types(call, (first, str(each.first.id)), (second, str(each.second.id)), types)


@api.get(f"{_V3}/types")
def list_types(call: Call, from_object_type: str, to_object_type: str) -> Shown:
    """List the types of associations between two kinds, by version 3."""
    first, second = get_kind(call, from_object_type), get_kind(call, to_object_type)
    id = association_type(first, second)
    return {"results": [{"id": str(id), "name": _name_type(first, second)}] if id else []}


@api.post(f"{_V3}/batch/create")
def create_early(call: Call, from_object_type: str, to_object_type: str, inputs: list[AssociationInput]) -> Any:
    """Associate pairs of records, by version 3."""
    first, second = get_kind(call, from_object_type), get_kind(call, to_object_type)
    _associate_each(call, first, second, inputs)
    name = _name_type(first, second)
    pairs = [(str(each.first.id), str(each.second.id)) for each in inputs]
    return show_batch(call, [{"from": {"id": a}, "to": {"id": b}, "type": name} for a, b in pairs], 201)


@api.post(f"{_V3}/batch/read", reads=True)
def read_early(call: Call, from_object_type: str, to_object_type: str, inputs: list[RecordReference]) -> Any:
    """Return the records that belong to each of up to 100 records, by version 3."""
    check_batch(inputs)
    first, second = get_kind(call, from_object_type), get_kind(call, to_object_type)
    name = _name_type(first, second)
    results: list[Shown] = []
    for each in inputs:
        others = list_associated(call, first, str(each.id), second)
        if others:
            results.append({"from": {"id": str(each.id)}, "to": [{"id": id, "type": name} for id in others]})
    return show_batch(call, results)


@api.post(f"{_V3}/batch/archive", status=204)
def archive_early(call: Call, from_object_type: str, to_object_type: str, inputs: list[AssociationInput]) -> None:
    """End the associations of pairs of records, by version 3."""
    check_batch(inputs)
    for each in inputs:
        unlink(
            call,
            get_kind(call, from_object_type),
            str(each.first.id),
            get_kind(call, to_object_type),
            str(each.second.id),
        )
