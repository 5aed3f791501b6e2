"""Reads the fields of records from bodies: what each may hold is declared once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from .wire_style import Shown, refuse_fields, refuse_parameter

Kinds = type | tuple[str, ...]
"""The type of a field, or the texts that it may be."""
USER: Mapping[str, Kinds] = {
    "name": str, "role": ("end-user", "agent", "admin"), "external_id": str, "phone": str, "alias": str, "notes": str,
    "organization_id": int, "verified": bool, "suspended": bool, "tags": list, "user_fields": dict,
}  # fmt: skip
ORGANIZATION: Mapping[str, Kinds] = {
    "name": str, "external_id": str, "details": str, "notes": str, "group_id": int, "domain_names": list,
    "tags": list, "organization_fields": dict, "shared_tickets": bool, "shared_comments": bool,
}  # fmt: skip
GROUP: Mapping[str, Kinds] = {"name": str, "description": str, "is_public": bool, "default": bool}
TICKET: Mapping[str, Kinds] = {
    "subject": str, "status": ("new", "open", "pending", "hold", "solved", "closed"),
    "priority": ("urgent", "high", "normal", "low"), "type": ("problem", "incident", "question", "task"),
    "requester_id": int, "submitter_id": int, "assignee_id": int, "group_id": int, "organization_id": int,
    "external_id": str, "due_at": str, "tags": list, "custom_fields": list, "collaborator_ids": list,
}  # fmt: skip
_REQUIRED = frozenset(["name", "status", "role", "verified", "suspended", "is_public", "default"])
"""Fields that cannot be null."""


def read_object(body: Any, name: str) -> Shown:
    """Return the object that a body has under a name. Raises ZendeskError."""
    given: Any = cast(Shown, body).get(name) if isinstance(body, dict) else None
    if not isinstance(given, dict):
        raise refuse_parameter(f"You passed an invalid value for the {name} attribute. It must be an object.")
    return cast(Shown, given)


def read_fields(given: Mapping[str, Any], kinds: Mapping[str, Kinds]) -> Shown:
    """Return the fields of a record that are given; others are ignored. Raises ZendeskError for what cannot be."""
    values: Shown = {}
    problems: dict[str, str] = {}
    for name in (each for each in kinds if each in given):
        value: Any = given[name]
        kind = kinds[name]
        if kind is str and isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if kind is int and isinstance(value, str) and value.isdecimal():
            value = int(value)
        if kind in (list, dict) and value is None:
            continue
        problem = _find_problem(name, value, kind)
        if problem:
            problems[name] = problem
        is_tags = name == "tags" and not problem
        values[name] = [*dict.fromkeys(map(str, cast(list[Any], value)))] if is_tags else value
    if problems:
        raise refuse_fields(problems)
    return values


def _find_problem(name: str, value: Any, kind: Kinds) -> str:
    label = name.replace("_", " ").capitalize()
    if value is None:
        return f"{label}: cannot be blank" if name in _REQUIRED else ""
    if isinstance(kind, tuple):
        return "" if value in kind else f"{label}: {value} is not valid. It is one of: {', '.join(kind)}"
    is_right: bool = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
    if is_right and kind is int and not 0 < value < 2**53:
        is_right = False
    if is_right and name == "name" and not str(value).strip():
        return f"{label}: cannot be blank"
    return "" if is_right else f"{label}: {value!r} is not valid"
