"""Inspector views of a Salesforce org: a table of each object, records, and opportunities by stage."""

from __future__ import annotations

from typing import Any

from twindiff.kit.call import Call
from twindiff.kit.inspector_views import Card, Lane, Screen, ScreenLink, ScreenTable

from .objects import OBJECTS, SalesforceObject
from .queries import list_fields, read_field

MAX_ROWS = 200
_SHOWN = {
    "Account": ("Industry", "Phone", "Website"),
    "Contact": ("Email", "Phone", "Title"),
    "Lead": ("Company", "Email", "Status"),
    "Opportunity": ("StageName", "Amount", "CloseDate"),
    "Case": ("Status", "Priority", "Subject"),
}


def screen(call: Call, path: str) -> Screen | None:
    """Render `Account`, `Account/ID` and so on, `pipeline`, and "" for the accounts."""
    name, _, id = (path or "Account").partition("/")
    shown: Screen | None = None
    kind = OBJECTS.get(name)
    if name == "pipeline":
        shown = _pipeline(call)
    elif kind and not id:
        shown = _list(call, kind)
    elif kind:
        row = call.db.find(kind.row, kind.row.Id == id)
        shown = _record(call, kind, row) if row else None
    links = [*(ScreenLink(each, each) for each in OBJECTS), ScreenLink("Pipeline", "pipeline")]
    return shown._replace(places=[("Objects", links)]) if shown else None


def _title(kind: SalesforceObject, row: Any) -> str:
    for name in ("Name", "CaseNumber", "Subject", "Username"):
        if name in kind.fields or (name == "Name" and kind.has_name_parts):
            return str(read_field(kind, row, name) or row.Id)
    return row.Id


def _list(call: Call, kind: SalesforceObject) -> Screen:
    names = _SHOWN.get(kind.name, ())
    rows = call.db.rows(kind.row, ~kind.row.IsDeleted, limit=MAX_ROWS)
    cells = [
        [
            ScreenLink(_title(kind, row), f"{kind.name}/{row.Id}"),
            *(str(read_field(kind, row, name) or "") for name in names),
        ]
        for row in rows
    ]
    return Screen(kind.name, tables=[ScreenTable("", (kind.name, *names), cells)])


def _record(call: Call, kind: SalesforceObject, row: Any) -> Screen:
    facts: list[tuple[str, str | ScreenLink]] = []
    for name in list_fields(call, kind):
        value = read_field(kind, row, name)
        target = OBJECTS.get(kind.fields[name].target) if name in kind.fields else None
        if value not in (None, ""):
            facts.append((name, ScreenLink(value, f"{target.name}/{value}") if target else str(value)))
    return Screen(_title(kind, row), trail=[ScreenLink(kind.name, kind.name)], facts=facts)


def _pipeline(call: Call) -> Screen:
    kind = OBJECTS["Opportunity"]
    rows = call.db.rows(kind.row, ~kind.row.IsDeleted, limit=MAX_ROWS)
    stages = [*dict.fromkeys(str(row.StageName) for row in rows)]
    lanes = [
        Lane(
            stage,
            [
                Card(_title(kind, row), f"Opportunity/{row.Id}", [str(row.Amount or "")])
                for row in rows
                if row.StageName == stage
            ],
        )
        for stage in stages
    ]
    return Screen("Pipeline", lanes=lanes)
