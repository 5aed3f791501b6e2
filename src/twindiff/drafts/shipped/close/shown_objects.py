"""How Close's answers show its objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast
from urllib.parse import quote

from twindiff.kit.call import Call

from .custom_values import show_custom
from .tables import (
    CloseActivity,
    CloseContact,
    CloseCustomField,
    CloseLead,
    CloseOpportunity,
    CloseStatus,
    CloseTask,
    CloseUser,
)
from .wire_style import show_time

ORGANIZATION = "orga_tw1nd1ffOrganization000000000000000000000"
Shown = dict[str, Any]
_PERIODS = {"one_time": 1, "annual": 1, "monthly": 12}
"""How often in a year the value of an opportunity is paid."""


def _show_common(row: Any) -> Shown:
    return {
        "id": row.id,
        "organization_id": ORGANIZATION,
        "created_by": row.created_by,
        "updated_by": row.updated_by,
        "date_created": show_time(row.date_created),
        "date_updated": show_time(row.date_updated),
    }


def _name_of(call: Call, user_id: str | None) -> str | None:
    row = call.db.find(CloseUser, CloseUser.id == user_id) if user_id else None
    return f"{row.first_name} {row.last_name}".strip() if row else None


def _label_of(call: Call, status_id: str) -> str:
    row = call.db.find(CloseStatus, CloseStatus.id == status_id)
    return row.label if row else ""


def show_lead(call: Call, row: CloseLead) -> Shown:
    """Return a lead with its contacts, tasks and opportunities."""
    search = f"https://google.com/search?q={quote(row.name)}"
    contacts = call.db.rows(CloseContact, CloseContact.lead_id == row.id, order=CloseContact.made_number)
    tasks = call.db.rows(CloseTask, CloseTask.lead_id == row.id, order=CloseTask.made_number)
    deals = call.db.rows(CloseOpportunity, CloseOpportunity.lead_id == row.id, order=CloseOpportunity.made_number)
    return {
        **_show_common(row),
        "name": row.name,
        "display_name": row.name or (show_contact(call, contacts[0])["display_name"] if contacts else ""),
        "status_id": row.status_id,
        "status_label": _label_of(call, row.status_id),
        "description": "",
        "url": None,
        "addresses": [],
        **cast(Shown, row.details),
        "contacts": [show_contact(call, each) for each in contacts],
        "tasks": [show_task(call, each) for each in tasks],
        "opportunities": [show_opportunity(call, each) for each in deals],
        "custom": {
            field.name: row.custom[field.id]
            for field in call.db.rows(CloseCustomField, order=CloseCustomField.made_number)
            if field.id in row.custom
        },
        **show_custom(row.custom),
        "created_by_name": _name_of(call, row.created_by),
        "updated_by_name": _name_of(call, row.updated_by),
        "html_url": f"https://app.close.com/lead/{row.id}/",
        "integration_links": [{"name": "Google Search", "url": search}],
    }


def show_contact(call: Call, row: CloseContact) -> Shown:
    """Return a contact; its name for people is its first address or phone if it has none."""
    details = cast(Shown, row.details)
    others = [each.get("email") or each.get("phone") for name in ("emails", "phones") for each in details.get(name, ())]
    url = f"https://www.linkedin.com/search/results/people/?keywords={quote(row.name)}" if row.name else ""
    return {
        **_show_common(row),
        "lead_id": row.lead_id,
        "name": row.name,
        "display_name": row.name or next(iter(others), ""),
        "title": "",
        "emails": [],
        "phones": [],
        "urls": [],
        **details,
        **({"phones": [_show_phone(each) for each in details["phones"]]} if "phones" in details else {}),
        **show_custom(row.custom),
        "integration_links": [{"name": "LinkedIn Search", "url": url}],
    }


def _show_phone(given: Shown) -> Shown:
    """Return a phone; how a number is written in its country is not known, only that it is one."""
    return {"country": None, "phone_formatted": given["phone"], **given}


def show_opportunity(call: Call, row: CloseOpportunity) -> Shown:
    """Return an opportunity; values are in cents."""
    details = cast(Shown, row.details)
    lead = call.db.find(CloseLead, CloseLead.id == row.lead_id)
    status = call.db.find(CloseStatus, CloseStatus.id == row.status_id)
    contact_id = details.get("contact_id")
    contact = call.db.find(CloseContact, CloseContact.id == contact_id) if contact_id else None
    usual: Shown = {
        "note": "", "confidence": 50, "value": None, "value_currency": "USD", "value_period": "one_time",
        "date_won": None, "contact_id": None, "user_id": row.created_by,
    }  # fmt: skip
    shown = {**usual, **details}
    value = shown["value"] or 0
    annual = value * _PERIODS[shown["value_period"]]
    formatted = None if shown["value"] is None else f"${value / 100:,.0f}"
    period = {"monthly": " monthly", "annual": " annual"}.get(shown["value_period"], "")
    return {
        **_show_common(row),
        **shown,
        **show_custom(row.custom),
        "lead_id": row.lead_id,
        "lead_name": lead.name if lead else "",
        "contact_name": contact.name if contact else None,
        "status_id": row.status_id,
        "status_label": status.label if status else "",
        "status_type": status.type if status else "active",
        "status_display_name": status.label if status else "",
        "user_name": _name_of(call, shown["user_id"]),
        "value_formatted": formatted and formatted + period,
        "annualized_value": annual,
        "expected_value": value * shown["confidence"] // 100,
        "annualized_expected_value": annual * shown["confidence"] // 100,
        "created_by_name": _name_of(call, row.created_by),
        "updated_by_name": _name_of(call, row.updated_by),
        "integration_links": [],
    }


def show_task(call: Call, row: CloseTask) -> Shown:
    """Return a task."""
    details: Shown = {"text": "", "date": None, "is_complete": False, "assigned_to": row.created_by}
    details |= cast(Shown, row.details)
    lead = call.db.find(CloseLead, CloseLead.id == row.lead_id)
    return {
        **_show_common(row),
        "_type": "lead",
        "lead_id": row.lead_id,
        "lead_name": lead.name if lead else "",
        "contact_id": None,
        "object_type": None,
        "object_id": None,
        "view": None,
        "is_dateless": details["date"] is None,
        "due_date": details["date"],
        **details,
        "assigned_to_name": _name_of(call, details["assigned_to"]),
        "created_by_name": _name_of(call, row.created_by),
        "updated_by_name": _name_of(call, row.updated_by),
    }


def show_activity(call: Call, row: CloseActivity) -> Shown:
    """Return a note, call, e-mail, SMS or meeting."""
    usual = {"contact_id": None, "user_id": row.created_by, "activity_at": show_time(row.date_created)}
    details = {**usual, **row.details}
    return {
        **_show_common(row),
        "_type": "SMS" if row.kind == "sms" else row.kind.capitalize(),
        "lead_id": row.lead_id,
        **details,
        "user_name": _name_of(call, details["user_id"]),
        "users": [],
        "created_by_name": _name_of(call, row.created_by),
        "updated_by_name": _name_of(call, row.updated_by),
    }


def show_field(call: Call, row: CloseCustomField) -> Shown:
    """Return a custom field."""
    return {
        **_show_common(row),
        "name": row.name,
        "type": row.type,
        "description": None,
        "choices": None,
        "accepts_multiple_values": False,
        "editable_with_roles": [],
        "is_shared": row.owner == "shared",
        **cast(Shown, row.details),
    }


def show_status(call: Call, row: CloseStatus) -> Shown:
    """Return a status; those of opportunities have a type."""
    shown = {"id": row.id, "label": row.label, "organization_id": ORGANIZATION}
    return {**shown, "type": row.type} if row.owner == "opportunity" else shown


def show_user(row: CloseUser) -> Shown:
    """Return a user."""
    return {
        "id": row.id,
        "email": row.email,
        "first_name": row.first_name,
        "last_name": row.last_name,
        "image": "",
        "organizations": [ORGANIZATION],
    }


SHOWN: Mapping[type[Any], Callable[[Call, Any], Shown]] = {
    CloseLead: show_lead,
    CloseContact: show_contact,
    CloseOpportunity: show_opportunity,
    CloseTask: show_task,
    CloseActivity: show_activity,
    CloseCustomField: show_field,
    CloseStatus: show_status,
}
"""How the rows of each table are shown."""
