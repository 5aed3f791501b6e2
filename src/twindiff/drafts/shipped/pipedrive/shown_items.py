"""How version 1 shows items. https://developers.pipedrive.com/docs/api/v1"""

from __future__ import annotations

from typing import Any, cast

from twindiff.kit.call import Call

from .item_kinds import ItemKind, list_custom_fields
from .tables import (
    PipedriveActivity,
    PipedriveDeal,
    PipedriveNote,
    PipedriveOrganization,
    PipedrivePerson,
    PipedriveStage,
    PipedriveUser,
)
from .wire_style import show_time

Shown = dict[str, Any]
COMPANY = 7_100_001
_ADDRESS = (
    "subpremise", "street_number", "route", "sublocality", "locality", "admin_area_level_1", "admin_area_level_2",
    "country", "postal_code", "formatted_address",
)  # fmt: skip
_TIMES = ("next_activity_date", "next_activity_time", "next_activity_id", "last_activity_id", "last_activity_date")


def show_user(row: PipedriveUser | None, id: int) -> Shown:
    """Return a user as items show their owner."""
    name, email = (row.name, row.email) if row else ("", "")
    return {"id": id, "name": name, "email": email, "has_pic": 0, "pic_hash": None, "active_flag": True, "value": id}


def find_owner(call: Call, id: int) -> Shown:
    """Return the owner of an item."""
    return show_user(call.db.find(PipedriveUser, PipedriveUser.id == id), id)


def show_mail(call: Call, word: str = "") -> str:
    """Return the address that files mail with an item: `company+deal3@pipedrivemail.com`."""
    name, _, host = call.db.rows(PipedriveUser)[0].company_mail.partition("@")
    return f"{name}{word}@{host}"


def _show_counts(call: Call, column: str, id: int) -> Shown:
    """Return how many deals, activities and notes a person or an organization has."""
    of = {table: [row for row in call.db.rows(table, getattr(table, column) == id) if row.is_active]
          for table in (PipedriveDeal, PipedriveActivity, PipedriveNote)}  # fmt: skip
    deals = [row.status for row in cast(list[PipedriveDeal], of[PipedriveDeal])]
    done = [row.done for row in cast(list[PipedriveActivity], of[PipedriveActivity])]
    return {
        "open_deals_count": deals.count("open"), "related_open_deals_count": 0,
        "closed_deals_count": len(deals) - deals.count("open"), "related_closed_deals_count": 0,
        "email_messages_count": 0, "activities_count": len(done), "done_activities_count": sum(done),
        "undone_activities_count": len(done) - sum(done), "files_count": 0, "notes_count": len(of[PipedriveNote]),
        "won_deals_count": deals.count("won"), "related_won_deals_count": 0,
        "lost_deals_count": deals.count("lost"), "related_lost_deals_count": 0,
    }  # fmt: skip


def _show_organization(call: Call, row: PipedriveOrganization) -> Shown:
    people = [each for each in call.db.rows(PipedrivePerson, PipedrivePerson.org_id == row.id) if each.is_active]
    return {
        **_show_counts(call, "org_id", row.id),
        "name": row.name,
        "people_count": len(people),
        "category_id": None,
        "country_code": None,
        "first_char": row.name[:1].lower(),
        "address": None,
        **{f"address_{part}": None for part in _ADDRESS},
        "cc_email": show_mail(call),
        "edit_name": True,
    }


def _show_reference(call: Call, table: Any, id: int | None) -> Shown | None:
    """Return a person or an organization as another item shows it."""
    row: Any = call.db.find(table, table.id == id) if id is not None else None
    if row is None:
        return None
    if isinstance(row, PipedrivePerson):
        shown = {"active_flag": row.is_active, "name": row.name, "email": row.email, "phone": row.phone}
        return {**shown, "owner_id": row.owner_id, "value": row.id}
    people = [each for each in call.db.rows(PipedrivePerson, PipedrivePerson.org_id == row.id) if each.is_active]
    return {
        "name": row.name, "people_count": len(people), "owner_id": row.owner_id,
        "address": row.details.get("address"), "active_flag": row.is_active, "cc_email": show_mail(call),
        "value": row.id,
    }  # fmt: skip


def _name_of(reference: Shown | None) -> str | None:
    return reference["name"] if reference else None


def _show_person(call: Call, row: PipedrivePerson) -> Shown:
    first, _, last = row.name.partition(" ")
    organization = _show_reference(call, PipedriveOrganization, row.org_id)
    empty: list[Any] = [{"value": "", "primary": True}]
    addresses = cast(list[Shown], row.email)
    return {
        **_show_counts(call, "person_id", row.id),
        "name": row.name,
        "first_name": first,
        "last_name": last or None,
        "participant_open_deals_count": 0,
        "participant_closed_deals_count": 0,
        "org_id": organization,
        "org_name": _name_of(organization),
        "email": row.email or empty,
        "phone": row.phone or empty,
        "primary_email": next((each["value"] for each in addresses if each["primary"]), None),
        "first_char": row.name[:1].lower(),
        "last_incoming_mail_time": None,
        "last_outgoing_mail_time": None,
        "cc_email": show_mail(call, f"+person{row.id}"),
    }


def _show_progress(row: PipedriveDeal) -> Shown:
    """Return the status of a deal, and since when it is won or lost."""
    won = show_time(row.update_time) if row.status == "won" else None
    lost = show_time(row.update_time) if row.status == "lost" else None
    return {
        "status": row.status, "active": row.status == "open", "deleted": row.status == "deleted",
        "stage_change_time": None, "probability": None, "lost_reason": None, "expected_close_date": None,
        "close_time": won or lost, "won_time": won, "first_won_time": won, "lost_time": lost,
    }  # fmt: skip


def _show_deal(call: Call, row: PipedriveDeal) -> Shown:
    stage = call.db.find(PipedriveStage, PipedriveStage.id == row.stage_id)
    person = _show_reference(call, PipedrivePerson, row.person_id)
    organization = _show_reference(call, PipedriveOrganization, row.org_id)
    owner = find_owner(call, row.owner_id)
    value = int(row.value) if row.value == int(row.value) else row.value
    return {
        "creator_user_id": owner,
        "user_id": owner,
        "person_id": person,
        "org_id": organization,
        "person_name": _name_of(person),
        "org_name": _name_of(organization),
        "stage_id": row.stage_id,
        "stage_order_nr": stage.order_nr if stage else 0,
        "pipeline_id": stage.pipeline_id if stage else 1,
        "title": row.title,
        "value": value,
        "currency": row.currency,
        "formatted_value": f"${value:,}" if row.currency == "USD" else f"{value:,} {row.currency}",
        "weighted_value": value,
        **_show_progress(row),
        **{f"{each}_count": 0 for each in ("products", "files", "notes", "email_messages", "activities",
                                           "done_activities", "undone_activities", "participants")},
        "rotten_time": None,
        "cc_email": show_mail(call, f"+deal{row.id}"),
        "org_hidden": False,
        "person_hidden": False,
    }  # fmt: skip


def _show_activity(call: Call, row: PipedriveActivity) -> Shown:
    return {
        "user_id": row.owner_id, "subject": row.subject, "type": row.type, "done": row.done, "deal_id": row.deal_id,
        "person_id": row.person_id, "org_id": row.org_id, "due_date": show_time(row.add_time), "due_time": "",
        "duration": "", "note": None, "public_description": None, "location": None, "busy_flag": None,
        "person_name": _name_of(_show_reference(call, PipedrivePerson, row.person_id)),
        "org_name": _name_of(_show_reference(call, PipedriveOrganization, row.org_id)),
        "assigned_to_user_id": row.owner_id, "created_by_user_id": row.owner_id,
    } | {"due_date": (row.add_time or "")[:10]}  # fmt: skip


def _show_note(call: Call, row: PipedriveNote) -> Shown:
    owner = find_owner(call, row.owner_id)
    return {
        "user_id": row.owner_id, "content": row.content, "deal_id": row.deal_id, "person_id": row.person_id,
        "org_id": row.org_id, "lead_id": None, "pinned_to_deal_flag": False, "pinned_to_person_flag": False,
        "pinned_to_organization_flag": False, "last_update_user_id": None,
        "organization": _show_reference(call, PipedriveOrganization, row.org_id),
        "person": _show_reference(call, PipedrivePerson, row.person_id),
        "user": {"name": owner["name"], "email": owner["email"], "icon_url": None, "is_you": True},
    }  # fmt: skip


def _show_product(call: Call, row: Any) -> Shown:
    return {"name": row.name, "code": None, "unit": None, "tax": 0, "category": None, "selectable": True,
            "first_char": row.name[:1].lower(), "prices": []}  # fmt: skip


_SHOWN: dict[str, Any] = {
    "organization": _show_organization, "person": _show_person, "deal": _show_deal, "activity": _show_activity,
    "note": _show_note, "product": _show_product,
}  # fmt: skip


def show_item(call: Call, kind: ItemKind, row: Any, *, has_owner_name: bool = True) -> Shown:
    """Return an item with its custom fields; those that are not set are null."""
    owner = find_owner(call, row.owner_id)
    is_party = kind.name in ("organization", "person")
    party: Shown = {"visible_to": "3", "label": None, **dict.fromkeys(_TIMES), "picture_id": None}
    return {
        "id": row.id,
        "company_id": COMPANY,
        **(party if kind.name in ("organization", "person", "deal") else {}),
        **({"owner_id": owner} if kind.name not in ("activity", "note", "deal") else {}),
        **_SHOWN[kind.name](call, row),
        "active_flag": row.is_active,
        "followers_count": int(is_party),
        "add_time": show_time(row.add_time),
        "update_time": show_time(row.update_time),
        **{field.key: None for field in list_custom_fields(call, kind)},
        **cast(Shown, row.details),
        **({"owner_name": owner["name"]} if has_owner_name else {}),
    }


def show_related(call: Call, row: Any) -> Shown:
    """Return the objects that an item names, as `related_objects` shows them: its owner."""
    owner = find_owner(call, row.owner_id)
    return {"user": {str(row.owner_id): {name: value for name, value in owner.items() if name != "value"}}}
