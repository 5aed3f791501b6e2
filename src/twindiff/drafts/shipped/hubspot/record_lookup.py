"""Finds records, reads their properties and shows them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from twindiff.kit.call import Call

from .account import DEFAULTS, columns_of
from .tables import RECORDS, CrmActivity
from .wire_style import NoSuchRecord, show_time


def find_records(call: Call, kind: str, *, archived: bool = False) -> list[Any]:
    """Return the records of a kind, the oldest first."""
    table = RECORDS.get(kind, CrmActivity)
    where = [] if kind in RECORDS else [CrmActivity.kind == kind]
    rows = call.db.rows(table, table.archived == archived, table.merged_into.is_null(), *where)
    return sorted(rows, key=lambda row: int(row.id))


def find_record(call: Call, kind: str, id: str, id_property: str = "") -> Any:
    """Return a record by id or another property; the id of a merged one leads to the other. Raises NoSuchRecord."""
    if id_property and id_property != "hs_object_id":
        matches = [row for row in find_records(call, kind) if str(read_property(kind, row, id_property)) == id]
        row = matches[0] if matches else None
    else:
        table = RECORDS.get(kind, CrmActivity)
        row = call.db.find(table, table.id == id)
        while row is not None and row.merged_into:
            row = call.db.find(table, table.id == row.merged_into)
    if row is None or row.archived or (kind not in RECORDS and row.kind != kind):
        raise NoSuchRecord
    return row


_LONG_CODES = re.compile(r"\+(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})")
"""The calling code of a country at the beginning of a number."""


def _read_mobile(row: Any) -> str | None:
    """Return the number of a mobile phone as HubSpot computes it: without all that is no digit."""
    number = re.sub(r"[^\d+]", "", str(row.properties.get("mobilephone") or ""))
    return number or None


def _read_searchable_mobile(row: Any) -> str | None:
    number = _read_mobile(row)
    return _LONG_CODES.sub("", number, count=1) if number else None


COMPUTED: Mapping[str, Callable[[Any], str | None]] = {
    "hs_all_contact_vids": lambda row: row.id,
    "hs_email_domain": lambda row: (row.email or "").rpartition("@")[2] or None,
    "hs_is_contact": lambda _row: "true",
    "hs_is_unworked": lambda _row: "true",
    "hs_pipeline": lambda _row: "contacts-lifecycle-pipeline",
    "hs_calculated_mobile_number": _read_mobile,
    "hs_searchable_calculated_mobile_number": _read_searchable_mobile,
}
"""The properties of contacts that HubSpot computes."""


def read_property(kind: str, row: Any, name: str) -> Any:
    """Return the value of a property of a record; None if it has none."""
    if name == "hs_object_id":
        return row.id
    if name == "createdate" or (name == "hs_createdate" and kind not in RECORDS):
        return show_time(row.created_at)
    if name in ("lastmodifieddate", "hs_lastmodifieddate"):
        return show_time(row.updated_at)
    if kind == "contacts" and name in COMPUTED:
        return COMPUTED[name](row)
    return getattr(row, name) if name in columns_of(kind) else row.properties.get(name)


def show_record(kind: str, row: Any, names: Sequence[str] = ()) -> dict[str, Any]:
    """Return a record with the usual properties and those of the names."""
    modified = "lastmodifieddate" if kind == "contacts" else "hs_lastmodifieddate"
    usual = DEFAULTS.get(kind, ("hs_createdate", modified, "hs_object_id"))
    asked = [name for each in names for name in each.split(",") if name]
    chosen = [*(usual if not asked else ("createdate", "hs_object_id", modified)), *asked]
    return {
        "id": row.id,
        "properties": {name: read_property(kind, row, name) for name in dict.fromkeys(chosen)},
        "createdAt": show_time(row.created_at),
        "updatedAt": show_time(row.updated_at),
        "archived": row.archived,
    }
