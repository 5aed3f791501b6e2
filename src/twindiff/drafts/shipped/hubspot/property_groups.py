"""Groups of properties, and the paths of properties before version 3 that name their kind.

https://developers.hubspot.com/docs/reference/api/crm/properties,
https://legacydocs.hubspot.com/docs/methods/deals/deal_properties_overview
"""

from __future__ import annotations

from typing import Any

from twindiff.kit.call import Call
from twindiff.kit.twin import Operations

from . import companies_v2
from .account import PORTAL
from .object_schemas import get_kind
from .tables import CrmProperty, CrmPropertyGroup
from .wire_style import HubSpotError, NoSuchRecord, RecordConflict

api = Operations()
Shown = dict[str, Any]


def _list_groups(call: Call, object_type: str) -> list[tuple[CrmPropertyGroup, bool]]:
    """Return the groups of a kind; those that only properties name are HubSpot's own, as the second value says."""
    kind = get_kind(call, object_type)
    rows = call.db.rows(CrmPropertyGroup, CrmPropertyGroup.kind == kind, order=CrmPropertyGroup.display_order)
    known = {row.name for row in rows}
    if any(row.is_own for row in rows):
        return [(row, row.is_own) for row in rows]
    named = dict.fromkeys(row.group_name for row in call.db.rows(CrmProperty, CrmProperty.kind == kind))
    own = [
        CrmPropertyGroup(kind=kind, name=name, label=_label(name), display_order=number)
        for number, name in enumerate(name for name in named if name and name not in known)
    ]
    return [*((row, True) for row in own), *((row, False) for row in rows)]


def _label(name: str) -> str:
    stem = name.removesuffix("information")
    return f"{stem.capitalize()} Information" if stem and stem != name else name.capitalize()


def _find_group(call: Call, object_type: str, name: str) -> tuple[CrmPropertyGroup, bool]:
    for row, is_own in _list_groups(call, object_type):
        if row.name == name:
            return row, is_own
    raise NoSuchRecord(f"Couldn't find a Group with the given name '{name}'.")


def _add_group(call: Call, object_type: str, name: str, label: str, order: int) -> CrmPropertyGroup:
    if not name:
        raise HubSpotError("A group of properties must have a name.")
    if name in [row.name for row, _ in _list_groups(call, object_type)]:
        raise RecordConflict(f"The Group named '{name}' already exists.")
    return call.db.add(CrmPropertyGroup(kind=get_kind(call, object_type), name=name, label=label, display_order=order))


def _change_group(
    call: Call, object_type: str, name: str, label: str | None, order: int | None
) -> tuple[CrmPropertyGroup, bool]:
    row, is_own = _find_group(call, object_type, name)
    if is_own:
        raise HubSpotError(f"The group '{name}' is defined by HubSpot and cannot be changed.")
    given = {"label": label, "display_order": order}
    return call.db.change(row, **{key: value for key, value in given.items() if value is not None}), is_own


def _remove_group(call: Call, object_type: str, name: str) -> None:
    row, is_own = _find_group(call, object_type, name)
    if is_own:
        raise HubSpotError(f"The group '{name}' is defined by HubSpot and cannot be deleted.")
    if call.db.find(CrmProperty, CrmProperty.kind == row.kind, CrmProperty.group_name == name):
        raise HubSpotError(f"The group '{name}' has properties; move or delete these first.")
    call.db.remove(row)


# -- version 3 ---------------------------------------------------------------------------------------------------------


def _show(row: CrmPropertyGroup) -> Shown:
    return {"name": row.name, "label": row.label, "displayOrder": row.display_order, "archived": False}


@api.get("/crm/v3/properties/{objectType}/groups")
def list_property_groups(call: Call, object_type: str) -> Shown:
    """List the groups of the properties of a kind of records."""
    return {"results": [_show(row) for row, _ in _list_groups(call, object_type)]}


@api.post("/crm/v3/properties/{objectType}/groups", status=201)
def post_property_group(call: Call, object_type: str, name: str, label: str, display_order: int = -1) -> Shown:
    """Add a group of properties."""
    return _show(_add_group(call, object_type, name, label, display_order))


@api.get("/crm/v3/properties/{objectType}/groups/{groupName}")
def get_property_group(call: Call, object_type: str, group_name: str) -> Shown:
    """Return a group of properties."""
    return _show(_find_group(call, object_type, group_name)[0])


@api.patch("/crm/v3/properties/{objectType}/groups/{groupName}")
def patch_property_group(
    call: Call, object_type: str, group_name: str, label: str | None = None, display_order: int | None = None
) -> Shown:
    """Change a group of properties that the account has added."""
    return _show(_change_group(call, object_type, group_name, label, display_order)[0])


@api.delete("/crm/v3/properties/{objectType}/groups/{groupName}", status=204)
def delete_property_group(call: Call, object_type: str, group_name: str) -> None:
    """Remove a group of properties that is empty."""
    _remove_group(call, object_type, group_name)


# -- before version 3 --------------------------------------------------------------------------------------------------


def _show_early(row: CrmPropertyGroup, is_own: bool) -> Shown:
    names = {"name": row.name, "displayName": row.label, "displayOrder": row.display_order}
    return {**names, "hubspotDefined": is_own}


@api.get("/properties/v1/{objectType}/groups")
def list_groups(call: Call, object_type: str) -> list[Shown]:
    """List the groups of the properties of a kind of records."""
    return [_show_early(*each) for each in _list_groups(call, object_type)]


@api.post("/properties/v1/{objectType}/groups")
def post_group(call: Call, object_type: str, name: str, display_name: str = "", display_order: int = 0) -> Shown:
    """Add a group of properties."""
    return _show_early(_add_group(call, object_type, name, display_name, display_order), False)


@api.put("/properties/v1/{objectType}/groups/named/{name}")
def put_group(
    call: Call, object_type: str, name: str, display_name: str | None = None, display_order: int | None = None
) -> Shown:
    """Change a group of properties that the account has added."""
    return _show_early(*_change_group(call, object_type, name, display_name, display_order))


@api.delete("/properties/v1/{objectType}/groups/named/{name}", status=204)
def delete_group(call: Call, object_type: str, name: str) -> None:
    """Remove a group of properties that is empty."""
    _remove_group(call, object_type, name)


def _declare_properties(prefix: str, kind: str) -> None:
    """Declare the properties of one kind below a prefix that names the kind."""

    def list_definitions_early(call: Call) -> list[Shown]:
        return companies_v2.list_definitions(call, kind)

    def post_definition_early(
        call: Call,
        name: str,
        label: str = "",
        description: str = "",
        group_name: str = "",
        type: str = "string",
        field_type: str = "",
        options: list[Any] | None = None,
    ) -> Shown:
        return companies_v2.post_definition(
            call, kind, name, label, description, group_name, type, field_type, options
        )  # fmt: skip

    def put_definition_early(
        call: Call,
        name: str,
        label: str | None = None,
        description: str | None = None,
        group_name: str | None = None,
        field_type: str | None = None,
    ) -> Shown:
        return companies_v2.put_definition(call, kind, name, label, description, group_name, field_type)

    def delete_definition_early(call: Call, name: str) -> None:
        companies_v2.delete_definition(call, kind, name)

    api.get(f"{prefix}/properties")(list_definitions_early)
    api.post(f"{prefix}/properties")(post_definition_early)
    api.put(f"{prefix}/properties/named/{{name}}")(put_definition_early)
    api.delete(f"{prefix}/properties/named/{{name}}", status=204)(delete_definition_early)


def _declare_groups(prefix: str, kind: str) -> None:
    """Declare the groups of properties of one kind below a prefix that names the kind."""

    def list_groups_early(call: Call) -> list[Shown]:
        shown = list_groups(call, kind)
        return shown if prefix.startswith("/contacts") else [_drop_origin(each) for each in shown]

    def post_group_early(call: Call, name: str, display_name: str = "", display_order: int | None = None) -> Shown:
        order = len(_list_groups(call, kind)) if display_order is None else display_order
        shown = _drop_origin(post_group(call, kind, name, display_name, order))
        return {"portalId": PORTAL, **shown}

    def put_group_early(
        call: Call, name: str, display_name: str | None = None, display_order: int | None = None
    ) -> Shown:
        return _drop_origin(put_group(call, kind, name, display_name, display_order))

    def delete_group_early(call: Call, name: str) -> None:
        _remove_group(call, kind, name)

    api.get(f"{prefix}/groups")(list_groups_early)
    api.post(f"{prefix}/groups")(post_group_early)
    api.put(f"{prefix}/groups/named/{{name}}")(put_group_early)
    api.delete(f"{prefix}/groups/named/{{name}}", status=204)(delete_group_early)


def _drop_origin(shown: Shown) -> Shown:
    return {name: value for name, value in shown.items() if name != "hubspotDefined"}


for _prefix, _kind in (("/deals/v1", "deals"), ("/companies/v2", "companies"), ("/contacts/v2", "contacts")):
    _declare_properties(_prefix, _kind)
    _declare_groups(_prefix, _kind)
