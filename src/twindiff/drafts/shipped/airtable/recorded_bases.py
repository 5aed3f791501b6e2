"""Finds the bases, tables and records that must have been there before recorded calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast
from urllib.parse import unquote

from ...recorded_needs import is_reading
from ...recordings import RecordedCall, show_timestamp

Shown = dict[str, Any]
_MISSING = ("NOT_FOUND", "TABLE_NOT_FOUND")


def find_bases(calls: Sequence[RecordedCall]) -> Mapping[str, list[Shown]]:
    """Return the rows of what calls show or name and do not make."""
    bases = _BaseRows()
    for call in calls:
        words = [unquote(each) for each in call.path.strip("/").split("/")]
        if words[:2] == ["v0", "meta"]:
            bases.read_schema(call, words[2:])
        elif len(words) > 2 and words[0] == "v0":
            bases.read_records(call, words[1], words[2])
    return {table: [*rows.values()] for table, rows in bases.tables.items()}


class _BaseRows:
    """Collects rows by table and key."""

    def __init__(self) -> None:
        self.tables: dict[str, dict[str, Shown]] = {"bases": {}, "tables": {}, "records": {}}
        self._made: set[str] = set()

    def read_schema(self, call: RecordedCall, words: list[str]) -> None:
        """Note the bases and tables that an answer shows; a base whose tables are not found has a hidden schema."""
        answer = _object(call.answer)
        for each in answer.get("bases", ()) if call.status == 200 else ():
            base = self._base(str(each["id"]))
            base |= {"name": each["name"], "permission_level": each["permissionLevel"], "is_listed": True}
        if words[0] == "bases" and len(words) > 2 and isinstance(answer.get("error"), dict):
            self._base(words[1])["schema_is_hidden"] = True
        for position, each in enumerate(answer.get("tables", ()) if len(words) > 2 else ()):
            is_known = str(each["id"]) in self.tables["tables"]
            table = self._table(words[1], str(each["id"]))
            if is_known and table.get("fields"):
                continue
            shown = {"name": each["name"], "primary_field_id": each["primaryFieldId"]}
            table |= {**shown, "fields": each["fields"], "views": each["views"], "position": position}

    def read_records(self, call: RecordedCall, base: str, said: str) -> None:
        """Note the table that a call names and the records that it shows."""
        answer = _object(call.answer)
        if _object(answer.get("error")).get("type") in _MISSING or answer.get("error") in _MISSING:
            return
        known = self.tables["tables"].values()
        table = next((row for row in known if row["base_id"] == base and said in (row["id"], row["name"])), None)
        table = table or self._table(base, said if said.startswith("tbl") else f"tbl{len(known):014d}", said)
        listed: list[Any] = answer.get("records") or [answer]
        for each in [_object(item) for item in listed if call.status == 200]:
            id = str(each.get("id"))
            if not is_reading(call):
                self._made |= {id} if call.verb == "POST" else set()
            elif id not in self._made and "fields" in each and id not in self.tables["records"]:
                at = show_timestamp(str(each.get("createdTime") or "2026-01-01T00:00:00Z"))
                row = {"id": id, "table_id": table["id"], "fields": each["fields"], "created_time": at}
                self.tables["records"][id] = {**row, "position": len(self.tables["records"]) - 1_000_000}

    def _base(self, id: str) -> Shown:
        usual: Shown = {"id": id, "name": id, "is_listed": False}
        return self.tables["bases"].setdefault(id, usual)

    def _table(self, base: str, id: str, name: str = "") -> Shown:
        self._base(base)
        number = len(self.tables["tables"])
        usual: Shown = {"id": id, "base_id": base, "name": name or id, "position": number}
        return self.tables["tables"].setdefault(id, usual)


def _object(value: Any) -> Shown:
    return cast(Shown, value) if isinstance(value, dict) else {}
