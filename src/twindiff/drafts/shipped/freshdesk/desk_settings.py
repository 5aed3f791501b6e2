"""Roles, the fields of tickets with their choices, and contacts that become agents.

https://developers.freshdesk.com/api/#roles, /#ticket-fields
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from twindiff.kit.call import Call
from twindiff.kit.http import Response
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from .contacts import find_contact
from .tables import BEGIN, FreshdeskAgent, FreshdeskGroup
from .tickets import show_agent
from .wire_style import RecordNotFound, Shown, page_rows, read_fields, read_number, refuse_field, show_time

api = Operations(prefix="/api/v2")
FIRST_ROLE = 72_100_000_001
FIRST_FIELD = 72_300_000_001
_ROLES = ("Account Administrator", "Administrator", "Supervisor", "Agent")
_AGENT: Mapping[str, Any] = {
    "occasional": bool, "signature": str, "ticket_scope": (1, 2, 3), "group_ids": list, "role_ids": list,
    "skill_ids": list, "type": ("support_agent", "field_agent"), "focus_mode": bool,
}  # fmt: skip
_STATUSES = {2: "Open", 3: "Pending", 4: "Resolved", 5: "Closed", 6: "Waiting on Customer", 7: "Waiting on Third Party"}
_PRIORITIES = {1: "Low", 2: "Medium", 3: "High", 4: "Urgent"}
_SOURCES = {"Email": 1, "Portal": 2, "Phone": 3, "Twitter": 5, "Facebook": 6, "Chat": 7, "Feedback Widget": 9,
            "Outbound Email": 10}  # fmt: skip
_TYPES = ("Question", "Incident", "Problem", "Feature Request", "Refund")
_FIELDS = (
    ("requester", "Search a requester", "default_requester"), ("subject", "Subject", "default_subject"),
    ("ticket_type", "Type", "default_ticket_type"), ("source", "Source", "default_source"),
    ("status", "Status", "default_status"), ("priority", "Priority", "default_priority"),
    ("group", "Group", "default_group"), ("agent", "Agent", "default_agent"),
    ("description", "Description", "default_description"), ("company", "Company", "default_company"),
)  # fmt: skip
_NEEDED = ("requester", "subject", "status", "priority", "description")


# -- roles -------------------------------------------------------------------------------------------------------------


def _list_roles() -> list[Shown]:
    at = show_time(BEGIN)
    about = {"default": True, "agent_type": 1, "created_at": at, "updated_at": at}
    return [
        {"id": FIRST_ROLE + number, "name": name, "description": f"{name} of the account", **about}
        for number, name in enumerate(_ROLES)
    ]


@api.get("/roles")
def list_roles(call: Call, page: int = 1, per_page: int = 30) -> Response:
    """List the roles, which every account has."""
    return page_rows(f"{call.base_url}/api/v2/roles", _list_roles(), lambda each: each, page, per_page)


@api.get("/roles/{role_id}")
def get_role(_call: Call, role_id: str) -> Shown:
    """Return a role."""
    return _find(_list_roles(), role_id)


def _find(listed: list[Shown], id: str) -> Shown:
    number = read_number(id)
    for each in listed:
        if each["id"] == number:
            return each
    raise RecordNotFound


# -- fields of tickets -------------------------------------------------------------------------------------------------


def _choices_of(call: Call, name: str) -> Any:
    """Return the choices of a field, in the form that it has; None for a field of any value."""
    if name == "status":
        return {str(number): [label, label] for number, label in _STATUSES.items()}
    if name == "priority":
        return {label: number for number, label in _PRIORITIES.items()}
    if name in ("group", "agent"):
        table: Any = FreshdeskGroup if name == "group" else FreshdeskAgent
        return {row.name: row.id for row in call.db.rows(table)}
    return {"source": _SOURCES, "ticket_type": [*_TYPES]}.get(name)


def _list_fields(call: Call) -> list[Shown]:
    at = show_time(BEGIN)
    shown: list[Shown] = []
    for number, (name, label, kind) in enumerate(_FIELDS):
        is_needed = name in _NEEDED
        about: Shown = {"id": FIRST_FIELD + number, "name": name, "label": label, "description": label, "type": kind}
        about |= {"position": number + 1, "default": True, "customers_can_edit": is_needed}
        about |= {"label_for_customers": label, "required_for_closure": False, "required_for_agents": is_needed}
        about |= {"required_for_customers": is_needed, "displayed_to_customers": is_needed}
        choices = _choices_of(call, name)
        more = {} if choices is None else {"choices": choices}
        shown.append({**about, **more, "created_at": at, "updated_at": at})
    return shown


@api.get("/ticket_fields")
def list_ticket_fields(call: Call, type: str = "") -> list[Shown]:
    """List the fields of tickets, or those of a type."""
    if type and type not in [kind for _, _, kind in _FIELDS]:
        raise refuse_field("type", f"It should be one of these values: '{','.join(kind for _, _, kind in _FIELDS)}'")
    return [each for each in _list_fields(call) if not type or each["type"] == type]


@api.get("/admin/ticket_fields")
def list_admin_fields(call: Call) -> list[Shown]:
    """List the fields of tickets without their choices."""
    return [{name: value for name, value in each.items() if name != "choices"} for each in _list_fields(call)]


@api.get("/admin/ticket_fields/{field_id}")
def get_admin_field(call: Call, field_id: str) -> Shown:
    """Return a field of tickets with its choices."""
    return _find(_list_fields(call), field_id)


# -- agents ------------------------------------------------------------------------------------------------------------


@api.put("/contacts/{contact_id}/make_agent")
def make_agent(call: Call, contact_id: str, body: Annotated[dict[str, Any] | None, Body] = None) -> Shown:
    """Make an agent of a contact, who needs an address and keeps the id."""
    row = find_contact(call, contact_id)
    if row.deleted:
        raise RecordNotFound
    values = read_fields(body or {}, _AGENT)
    _check_ids(call, values)
    if not row.email:
        raise refuse_field("email", "It should be in the 'valid email address' format", "missing_field")
    if call.db.find(FreshdeskAgent, FreshdeskAgent.id == row.id) is not None:
        raise refuse_field("id", "The contact is an agent already", "inconsistent_state", 409)
    details = {name: value for name, value in values.items() if value is not None}
    agent = FreshdeskAgent(id=row.id, name=row.name, email=row.email, details=details, created_at=call.clock.iso())
    return show_agent(call.db.add(agent))


def _check_ids(call: Call, values: Mapping[str, Any]) -> None:
    """Raise FreshdeskError for roles and groups that there are not."""
    known = {
        "role_ids": {each["id"] for each in _list_roles()},
        "group_ids": {row.id for row in call.db.rows(FreshdeskGroup)},
    }
    for name, ids in known.items():
        given: list[Any] = values.get(name) or []
        if not all(isinstance(each, int) and each in ids for each in given):
            raise refuse_field(name, f"There is no {name.removesuffix('_ids')} matching the given {name}")
