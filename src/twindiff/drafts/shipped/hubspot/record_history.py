"""The former values of properties, as `propertiesWithHistory` asks for them.

https://developers.hubspot.com/docs/reference/api/crm/objects/contacts
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .record_lookup import read_property, show_record
from .wire_style import HubSpotError, show_time

MAX_RECORDS_WITH_HISTORY = 50
"""How many records a list or a batch shows with former values."""
MAX_VALUES = {"contacts": 45}
MAX_VALUES_OF_OTHERS = 20
_SOURCE = {"sourceType": "INTEGRATION", "sourceId": "1000001"}
_TIMES = ("createdate", "hs_createdate", "lastmodifieddate", "hs_lastmodifieddate", "hs_object_id")


def extend_history(kind: str, row: Any, values: Mapping[str, Any], now: str) -> dict[str, Any]:
    """Return the history of a record that gets `values` now; `row` is None for a new one."""
    history: dict[str, Any] = dict(row.history) if row is not None else {}
    for name, value in values.items():
        current = read_property(kind, row, name) if row is not None else None
        if (current or "") == (value or ""):
            continue
        known = history.get(name) or ([[current, row.created_at]] if row is not None and current is not None else [])
        history[name] = [[value, now], *known][: MAX_VALUES.get(kind, MAX_VALUES_OF_OTHERS)]
    return history


def show_with_history(kind: str, row: Any, names: Sequence[str], asked: Sequence[str] | None) -> dict[str, Any]:
    """Return a record, with the former values of the properties that are asked for."""
    shown = show_record(kind, row, names)
    wanted = [name for each in asked or () for name in each.split(",") if name]
    if wanted:
        shown["propertiesWithHistory"] = {name: _list_values(kind, row, name) for name in dict.fromkeys(wanted)}
    return shown


def check_number(number: int, asked: Sequence[str] | None) -> None:
    """Raise HubSpotError for more records than are shown with former values, if those are asked for."""
    if asked and number > MAX_RECORDS_WITH_HISTORY:
        raise HubSpotError(f"At most {MAX_RECORDS_WITH_HISTORY} records are returned with propertiesWithHistory.")


def _list_values(kind: str, row: Any, name: str) -> list[dict[str, Any]]:
    current = read_property(kind, row, name)
    usual = [[current, row.updated_at if name.endswith("modifieddate") else row.created_at]]
    known = row.history.get(name) if name not in _TIMES else None
    values = known or (usual if current is not None else [])
    return [{"value": value, "timestamp": show_time(at), **_SOURCE} for value, at in values]
