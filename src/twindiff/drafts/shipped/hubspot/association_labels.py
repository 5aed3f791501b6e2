"""Labels that an account adds to associations.

https://developers.hubspot.com/docs/api-reference/crm-associations-schema-v4/guide
"""

from __future__ import annotations

import re
from typing import Any

from twindiff.kit.call import Call
from twindiff.kit.twin import Operations

from .associations import list_types
from .object_schemas import get_kind
from .tables import CrmAssociation, CrmAssociationLabel
from .wire_style import HubSpotError, NoSuchRecord, RecordConflict

api = Operations(prefix="/crm/v4/associations/{fromObjectType}/{toObjectType}/labels")
FIRST_TYPE = 1000
"""Types that accounts add are numbered above those of HubSpot."""
MAX_LABELS = 50
"""Labels between two kinds that an account can have."""
_NAME = re.compile(r"[A-Za-z]\w*")
Shown = dict[str, Any]


@api.get("")
def list_labels(call: Call, from_object_type: str, to_object_type: str) -> Shown:
    """List the types of associations from one kind to another: HubSpot's, and those that the account has added."""
    return {"results": list_types(call, get_kind(call, from_object_type), get_kind(call, to_object_type))}


@api.post("")
def post_label(call: Call, from_object_type: str, to_object_type: str, label: str, name: str,
               inverse_label: str = "") -> Shown:  # fmt: skip
    """Add a label, with a type for each direction; between records of one kind one type serves both, unless paired."""
    kinds = get_kind(call, from_object_type), get_kind(call, to_object_type)
    if not label.strip() or not _NAME.fullmatch(name):
        raise HubSpotError("'label' cannot be blank, and 'name' has letters, digits and underscores after a letter.")
    known = [*_list_rows(call, *kinds), *_list_rows(call, *reversed(kinds))]
    if any(each.name == name for each in known):
        raise RecordConflict(f"An association label with the name '{name}' exists already.")
    if len({each.name for each in known}) >= MAX_LABELS:
        raise HubSpotError(f"There are {MAX_LABELS} association labels between these object types already.")
    onward = FIRST_TYPE + call.db.next("association_type")
    is_paired = kinds[0] != kinds[1] or bool(inverse_label)
    back = FIRST_TYPE + call.db.next("association_type") if is_paired else onward
    directions = [(onward, kinds, label, back), (back, kinds[::-1], inverse_label or label, onward)]
    for id, (first, second), said, inverse in directions[: 2 if is_paired else 1]:
        call.db.add(
            CrmAssociationLabel(type_id=id, from_kind=first, to_kind=second, name=name, label=said, inverse_id=inverse)
        )
    told = [{"category": "USER_DEFINED", "typeId": id, "label": said} for id, _, said, _ in directions]
    return {"results": told if is_paired else told[:1]}


@api.put("", status=204)
def put_label(call: Call, from_object_type: str, to_object_type: str, association_type_id: int, label: str,
              inverse_label: str = "") -> None:  # fmt: skip
    """Change the texts of a label."""
    row = _find_label(call, from_object_type, to_object_type, str(association_type_id))
    if not label.strip():
        raise HubSpotError("'label' cannot be blank.")
    call.db.change(row, label=label)
    if inverse_label and row.inverse_id != row.type_id:
        other = call.db.get(CrmAssociationLabel, row.inverse_id)
        call.db.change(other, label=inverse_label)


@api.delete("/{associationTypeId}", status=204)
def delete_label(call: Call, from_object_type: str, to_object_type: str, association_type_id: str) -> None:
    """Remove a label in both directions; the records stay associated."""
    row = _find_label(call, from_object_type, to_object_type, association_type_id)
    gone = {row.type_id, row.inverse_id}
    for each in call.db.rows(CrmAssociation):
        if gone & {*each.labels}:
            call.db.change(each, labels=[id for id in each.labels if id not in gone])
    for id in gone:
        call.db.remove(call.db.get(CrmAssociationLabel, id))


def _list_rows(call: Call, from_kind: str, to_kind: str) -> list[CrmAssociationLabel]:
    table = CrmAssociationLabel
    return [*call.db.rows(table, table.from_kind == from_kind, table.to_kind == to_kind)]


def _find_label(call: Call, from_object_type: str, to_object_type: str, type_id: str) -> CrmAssociationLabel:
    rows = _list_rows(call, get_kind(call, from_object_type), get_kind(call, to_object_type))
    row = next((each for each in rows if str(each.type_id) == type_id), None)
    if row is None:
        raise NoSuchRecord(f"No association label with the type id {type_id} leads between these object types.")
    return row
