"""The kinds of objects that Close has, with what each takes. https://developer.close.com/resources/"""

from __future__ import annotations

from typing import Any, NamedTuple

from twindiff.kit.call import Call
from twindiff.kit.clock import Clock
from twindiff.kit.rows import Row
from twindiff.kit.twin import Rows

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
from .wire_style import CloseError

USER = "user_tw1nd1ffAdaByron00000000000000000000000000"
_BEGIN = Clock(1_767_225_600_000_000).iso()
_STATUSES = (
    ("lead", "Potential", "active"), ("lead", "Bad Fit", "active"), ("lead", "Qualified", "active"),
    ("lead", "Customer", "active"), ("opportunity", "Active", "active"), ("opportunity", "Won", "won"),
    ("opportunity", "Lost", "lost"),
)  # fmt: skip
FIELD_TYPES = (
    "text", "textarea", "number", "date", "datetime", "url", "choices", "user", "contact", "hidden", "custom_object",
)  # fmt: skip


class CrmKind(NamedTuple):
    """A kind of objects: its table, the prefix of its ids, and the fields that a body may give."""

    name: str
    table: type[Row]
    prefix: str
    fields: tuple[str, ...]
    needed: tuple[str, ...] = ()
    of: tuple[tuple[str, str], ...] = ()
    """Columns that say which of the table's rows are of the kind."""

    @property
    def columns(self) -> frozenset[str]:
        """The names of the table's columns."""
        return frozenset(self.table.__annotations__)


_ACTIVITY_FIELDS = ("contact_id", "user_id", "date", "activity_at")
_ACTIVITIES = {
    "note": ("note", "note_html", "title", "pinned"),
    "call": ("direction", "status", "note", "duration", "phone", "disposition", "recording_url", "source"),
    "email": ("subject", "body_text", "body_html", "to", "cc", "bcc", "sender", "status", "direction", "template_id"),
    "sms": ("status", "text", "direction", "remote_phone", "local_phone"),
    "meeting": ("title", "status", "starts_at", "ends_at", "duration", "location", "note", "attendees"),
}
_FIELD_OWNERS = ("lead", "contact", "opportunity", "activity", "shared")
KINDS = (
    CrmKind("lead", CloseLead, "lead_", ("name", "status_id", "description", "url", "addresses")),
    CrmKind("contact", CloseContact, "cont_", ("lead_id", "name", "title", "emails", "phones", "urls")),
    CrmKind(
        "opportunity", CloseOpportunity, "oppo_",
        ("lead_id", "status_id", "note", "confidence", "value", "value_currency", "value_period", "date_won",
         "contact_id", "user_id"),
        ("lead_id",),
    ),
    CrmKind(
        "task", CloseTask, "task_", ("lead_id", "text", "date", "is_complete", "assigned_to", "_type"), ("lead_id",)
    ),
    *(
        CrmKind(f"activity/{name}", CloseActivity, "acti_", ("lead_id", *_ACTIVITY_FIELDS, *fields), ("lead_id",),
                (("kind", name),))
        for name, fields in _ACTIVITIES.items()
    ),
    *(
        CrmKind(f"custom_field/{owner}", CloseCustomField, "cf_",
                ("name", "type", "description", "choices", "accepts_multiple_values", "editable_with_roles"),
                ("name", "type"), (("owner", owner),))
        for owner in _FIELD_OWNERS
    ),
    *(
        CrmKind(f"status/{owner}", CloseStatus, "stat_", ("label", "type"), ("label",), (("owner", owner),))
        for owner in ("lead", "opportunity")
    ),
)  # fmt: skip


def crm_rows() -> Rows:
    """Return the rows of a user and the usual statuses."""
    user = {"id": USER, "email": "agent@example.com", "first_name": "Ada", "last_name": "Byron"}
    statuses = [
        {"id": f"stat_tw1nd1ff{owner}{label.replace(' ', '')}", "owner": owner, "label": label, "type": kind,
         "position": number}
        for number, (owner, label, kind) in enumerate(_STATUSES)
    ]  # fmt: skip
    return {"users": [user], "statuses": statuses}


def find_row(call: Call, kind: CrmKind, id: str) -> Any:
    """Return the row of an object; raises CloseError."""
    table: Any = kind.table
    row = call.db.find(table, table.id == id)
    if row is None or any(getattr(row, name) != value for name, value in kind.of):
        raise CloseError(f"{kind.name.rpartition('/')[2].capitalize()} {id} was not found.", status=404)
    return row


def list_rows(call: Call, kind: CrmKind) -> list[Any]:
    """Return the rows of a kind, the oldest first; custom fields are in the order of their names."""
    table: Any = kind.table
    where = [getattr(table, name) == value for name, value in kind.of]
    if table is CloseCustomField:
        return sorted(call.db.rows(table, *where), key=lambda row: (row.name, row.made_number))
    return call.db.rows(table, *where, order=table.position if table is CloseStatus else table.made_number)


def find_caller(call: Call) -> str:
    """Return the id of the user who calls."""
    return call.db.rows(CloseUser)[0].id
