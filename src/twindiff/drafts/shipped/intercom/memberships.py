"""Tags, and which contacts, companies and conversations have them.

https://developers.intercom.com/docs/references/rest-api/api.intercom.io/tags
"""

from __future__ import annotations

from typing import Any

from twindiff.kit.call import Call

from .tables import IntercomMembership, IntercomTag
from .wire_style import IntercomError

Shown = dict[str, Any]


def show_tag(row: IntercomTag) -> Shown:
    """Return a tag."""
    return {"type": "tag", "id": row.id, "name": row.name}


def find_tag(call: Call, id: str) -> IntercomTag:
    """Return a tag; raises IntercomError."""
    row = call.db.find(IntercomTag, IntercomTag.id == id)
    if row is None:
        raise IntercomError(404, "not_found", "Resource Not Found")
    return row


def show_tags(call: Call, kind: str, owner: str) -> list[Shown]:
    """Return the tags of an object by name."""
    ids = list_targets(call, kind, owner)
    rows = call.db.rows(IntercomTag, IntercomTag.id.in_(ids)) if ids else []
    return [show_tag(each) for each in sorted(rows, key=lambda row: row.name.lower())]


def list_targets(call: Call, kind: str, owner: str) -> list[str]:
    """Return the ids of what belongs to an object, in order."""
    table = IntercomMembership
    return sorted(each.target for each in call.db.rows(table, table.kind == kind, table.owner == owner))


def add_member(call: Call, kind: str, owner: str, target: str) -> None:
    """Let something belong to an object; twice is no error."""
    table = IntercomMembership
    if call.db.find(table, table.kind == kind, table.owner == owner, table.target == target) is None:
        call.db.add(table(kind=kind, owner=owner, target=target))


def remove_member(call: Call, kind: str, owner: str, target: str) -> None:
    """End that something belongs to an object."""
    table = IntercomMembership
    row = call.db.find(table, table.kind == kind, table.owner == owner, table.target == target)
    if row is not None:
        call.db.remove(row)
