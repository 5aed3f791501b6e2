"""Shield lists: countries, domains, addresses or networks for the rules of Box Shield (API version 2025.0).

https://developer.box.com/reference/v2025.0/resources/shield-list
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import to_builtins

from twindiff.kit import Call, Meta, Operations, Struct, revise
from twindiff.twins.box.wire_style import require_version

from ..core.access import acting_user, require_admin
from ..core.errors import Conflict, NotFound
from ..core.row_stamps import fold_name, format_instant
from ..enterprise.users import enterprise_of
from ..tables.administration_tables import ShieldList
from ..views.item_views import Shown

api = Operations(prefix="/2.0", layers=(require_version,))
Name = Annotated[str, Meta(min_length=1)]
Named = Annotated[list[str], Meta(min_length=1)]


class Countries(Struct, tag="country"):
    """Country codes."""

    country_codes: Named


class Domains(Struct, tag="domain"):
    """Mail domains."""

    domains: Named


class Addresses(Struct, tag="email"):
    """Mail addresses."""

    email_addresses: Named


class Networks(Struct, tag="ip"):
    """IP addresses and ranges."""

    ip_addresses: Named


Content = Countries | Domains | Addresses | Networks


def _list_object(call: Call, row: ShieldList) -> Shown:
    return {
        "type": row.type,
        "id": row.id,
        "name": row.name,
        "enterprise": {"type": "enterprise", "id": enterprise_of(acting_user(call))["id"]},
        "description": row.description,
        "created_at": format_instant(row.created_at),
        "updated_at": format_instant(row.updated_at or row.created_at),
        "content": row.content,
    }


def _find(call: Call, id: str) -> ShieldList:
    require_admin(call)
    row = call.db.find(ShieldList, ShieldList.id == id)
    if row is None:
        raise NotFound.of("shield_list", id)
    return row


@api.get("/shield_lists")
def list_lists(call: Call) -> Shown:
    """List the shield lists, each with the type of its content.

    https://developer.box.com/reference/v2025.0/get-shield-lists
    """
    require_admin(call)
    entries = [
        {"type": row.type, "id": row.id, "name": row.name, "content": {"type": row.content["type"]}}
        for row in call.db.rows(ShieldList, order=ShieldList.id)
    ]
    return {"entries": entries}


@api.post("/shield_lists")
def create_list(call: Call, name: Name, content: Content, description: str = "") -> Shown:
    """Create a list with a unique name.

    https://developer.box.com/reference/v2025.0/post-shield-lists
    """
    require_admin(call)
    made = ShieldList(
        id=call.ids.uuid(),
        name=name,
        folded_name=fold_name(name),
        description=description,
        content=to_builtins(content),
        created_at=call.clock.iso(),
    )
    return _list_object(call, call.db.add(made, taken=Conflict))


@api.get("/shield_lists/{shield_list_id}")
def get_list(call: Call, shield_list_id: str) -> Shown:
    """Get a list.

    https://developer.box.com/reference/v2025.0/get-shield-lists-id
    """
    return _list_object(call, _find(call, shield_list_id))


@api.put("/shield_lists/{shield_list_id}")
def update_list(call: Call, shield_list_id: str, name: Name, content: Content, description: str | None = None) -> Shown:
    """Replace the name and the content of a list.

    https://developer.box.com/reference/v2025.0/put-shield-lists-id
    """
    row = _find(call, shield_list_id)
    if call.db.find(ShieldList, ShieldList.folded_name == fold_name(name), ShieldList.id != row.id):
        raise Conflict
    changes = {"name": name, "folded_name": fold_name(name), "content": to_builtins(content)}
    said: dict[str, Any] = {} if description is None else {"description": description}
    return _list_object(call, revise(call.db, row, stamp={"updated_at": call.clock.iso()}, **changes, **said))


@api.delete("/shield_lists/{shield_list_id}", status=204)
def delete_list(call: Call, shield_list_id: str) -> None:
    """Delete a list.

    https://developer.box.com/reference/v2025.0/delete-shield-lists-id
    """
    call.db.remove(_find(call, shield_list_id))
