"""Associations in batches, and their types. https://developers.hubspot.com/docs/api-reference/crm-associations-v4/guide"""

from __future__ import annotations

from typing import Any

import msgspec

from twindiff.kit.call import Call
from twindiff.kit.twin import Operations

from .account import KINDS, association_type, association_types, name_one
from .associations import associate, list_associated, unlink
from .record_lookup import find_record
from .records import check_batch, get_kind, show_batch
from .wire_style import HubSpotError

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


def _check_types(first: str, second: str, given: AssociationInput) -> None:
    """Raise HubSpotError for a type that does not lead from one kind to the other."""
    known = association_types(first, second)
    for each in given.types:
        if each.get("associationTypeId") not in known:
            said = f"Association type {each.get('associationTypeId')} does not lead from {first} to {second}"
            raise HubSpotError(f"{said}, whose types are: {', '.join(map(str, known)) or 'none'}.")


def _associate_each(call: Call, from_kind: str, to_kind: str, inputs: list[AssociationInput]) -> None:
    check_batch(inputs)
    for each in inputs:
        _check_types(from_kind, to_kind, each)
        first = find_record(call, from_kind, str(each.first.id))
        associate(call, (from_kind, first.id), (to_kind, find_record(call, to_kind, str(each.second.id)).id))


def _name_type(from_kind: str, to_kind: str) -> str:
    return f"{name_one(from_kind)}_to_{name_one(to_kind)}"


@api.post(f"{_V4}/batch/create")
def create_labelled(call: Call, from_object_type: str, to_object_type: str, inputs: list[AssociationInput]) -> Any:
    """Associate pairs of records by the types that are given, which are not told apart."""
    first, second = get_kind(from_object_type), get_kind(to_object_type)
    _associate_each(call, first, second, inputs)
    shown: list[Shown] = [
        {"fromObjectTypeId": KINDS[first], "fromObjectId": int(each.first.id), "toObjectTypeId": KINDS[second],
         "toObjectId": int(each.second.id), "labels": []}
        for each in inputs
    ]  # fmt: skip
    return show_batch(call, shown, 201)


@api.post(f"{_V4}/batch/associate/default")
def create_default(call: Call, from_object_type: str, to_object_type: str, inputs: list[AssociationInput]) -> Any:
    """Associate pairs of records by the usual type."""
    first, second = get_kind(from_object_type), get_kind(to_object_type)
    _associate_each(call, first, second, inputs)
    spec = {"associationCategory": "HUBSPOT_DEFINED", "associationTypeId": association_type(first, second)}
    pairs = [(str(each.first.id), str(each.second.id)) for each in inputs]
    return show_batch(call, [{"from": {"id": a}, "to": {"id": b}, "associationSpec": spec} for a, b in pairs])


@api.post(f"{_V4}/batch/read", reads=True)
def read_labelled(call: Call, from_object_type: str, to_object_type: str, inputs: list[RecordReference]) -> Any:
    """Return the records that belong to each of up to 100 records."""
    check_batch(inputs)
    first, second = get_kind(from_object_type), get_kind(to_object_type)
    about = {"category": "HUBSPOT_DEFINED", "typeId": association_type(first, second), "label": None}
    results: list[Shown] = []
    for each in inputs:
        others = list_associated(call, first, str(each.id), second)
        if others:
            to = [{"toObjectId": int(id), "associationTypes": [about]} for id in others]
            results.append({"from": {"id": str(each.id)}, "to": to})
    return show_batch(call, results)


@api.post(f"{_V4}/batch/archive", status=204)
def archive_labelled(call: Call, from_object_type: str, to_object_type: str, inputs: list[AssociationEnds]) -> None:
    """End the associations of records with those that are listed."""
    check_batch(inputs)
    for each in inputs:
        for other in each.second:
            unlink(call, get_kind(from_object_type), str(each.first.id), get_kind(to_object_type), str(other.id))


@api.get(f"{_V4}/labels")
def list_labels(call: Call, from_object_type: str, to_object_type: str) -> Shown:
    """List the types of associations that HubSpot has between two kinds."""
    ids = association_types(get_kind(from_object_type), get_kind(to_object_type))
    labels = (None, "Primary")[: len(ids)]
    types = [
        {"category": "HUBSPOT_DEFINED", "typeId": id, "label": label}
        for id, label in zip(reversed(ids), labels, strict=True)
    ]
    return {"results": types}


@api.get(f"{_V3}/types")
def list_types(call: Call, from_object_type: str, to_object_type: str) -> Shown:
    """List the types of associations between two kinds, by version 3."""
    first, second = get_kind(from_object_type), get_kind(to_object_type)
    id = association_type(first, second)
    return {"results": [{"id": str(id), "name": _name_type(first, second)}] if id else []}


@api.post(f"{_V3}/batch/create")
def create_early(call: Call, from_object_type: str, to_object_type: str, inputs: list[AssociationInput]) -> Any:
    """Associate pairs of records, by version 3."""
    first, second = get_kind(from_object_type), get_kind(to_object_type)
    _associate_each(call, first, second, inputs)
    name = _name_type(first, second)
    pairs = [(str(each.first.id), str(each.second.id)) for each in inputs]
    return show_batch(call, [{"from": {"id": a}, "to": {"id": b}, "type": name} for a, b in pairs], 201)


@api.post(f"{_V3}/batch/read", reads=True)
def read_early(call: Call, from_object_type: str, to_object_type: str, inputs: list[RecordReference]) -> Any:
    """Return the records that belong to each of up to 100 records, by version 3."""
    check_batch(inputs)
    first, second = get_kind(from_object_type), get_kind(to_object_type)
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
        unlink(call, get_kind(from_object_type), str(each.first.id), get_kind(to_object_type), str(each.second.id))
