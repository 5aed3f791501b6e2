"""Inspector views of a Salesforce org: a table of each object, records, and opportunities by stage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twindiff.kit.call import Call
from twindiff.kit.inspector_views import Card, Lane, Screen, ScreenLink, ScreenTable

from .objects import OBJECTS, ObjectField, SalesforceObject, children_of
from .queries import list_fields, read_field

MAX_ROWS = 200
MAX_RELATED_ROWS = 20
_STAGES = (
    "Prospecting",
    "Qualification",
    "Needs Analysis",
    "Value Proposition",
    "Id. Decision Makers",
    "Perception Analysis",
    "Proposal/Price Quote",
    "Negotiation/Review",
)
_LAST_STAGES = ("Closed Won", "Closed Lost")
"""The stages of a new org, in their order; an org's own stand between both."""
_AUDITED = {"CreatedById": "User", "LastModifiedById": "User"}
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
    cells = [_show_cells(kind, row, names) for row in rows]
    return Screen(kind.name, tables=[ScreenTable("", (kind.name, *names), cells)])


def _record(call: Call, kind: SalesforceObject, row: Any) -> Screen:
    facts: list[tuple[str, str | ScreenLink]] = []
    for name in list_fields(call, kind):
        value = read_field(kind, row, name)
        target = OBJECTS.get(kind.fields[name].target if name in kind.fields else _AUDITED.get(name, ""))
        if value not in (None, "", False):
            facts.append((name, _link(call, target, value) if target else str(value)))
    tables = [_list_related(call, plural, *child, row.Id) for plural, child in children_of(kind.name).items()]
    related = [each for each in tables if each.rows]
    return Screen(_title(kind, row), trail=[ScreenLink(kind.name, kind.name)], facts=facts, tables=related)


def _link(call: Call, kind: SalesforceObject, id: str) -> ScreenLink | str:
    """Return a link to a record by its title; the id of one that does not exist."""
    row = call.db.find(kind.row, kind.row.Id == id)
    return ScreenLink(_title(kind, row), f"{kind.name}/{id}") if row else id


def _list_related(call: Call, plural: str, kind: SalesforceObject, field: ObjectField, id: str) -> ScreenTable:
    """Return the records that refer to one."""
    names = [name for name in _SHOWN.get(kind.name, ()) if name != field.name]
    is_here = [~kind.row.IsDeleted, getattr(kind.row, field.name) == id]
    rows = call.db.rows(kind.row, *is_here, limit=MAX_RELATED_ROWS)
    return ScreenTable(plural, (kind.name, *names), [_show_cells(kind, row, names) for row in rows])


def _show_cells(kind: SalesforceObject, row: Any, names: Sequence[str]) -> list[str | ScreenLink]:
    texts = [_show_value(read_field(kind, row, name)) for name in names]
    return [ScreenLink(_title(kind, row), f"{kind.name}/{row.Id}"), *texts]


def _show_value(value: Any) -> str:
    return f"{value:,.2f}" if isinstance(value, float) else str(value or "")


def _pipeline(call: Call) -> Screen:
    kind = OBJECTS["Opportunity"]
    rows = call.db.rows(kind.row, ~kind.row.IsDeleted, limit=MAX_ROWS)
    used = [*dict.fromkeys(str(row.StageName) for row in rows)]
    own = [stage for stage in used if stage not in (*_STAGES, *_LAST_STAGES)]
    stages = [stage for stage in (*_STAGES, *own, *_LAST_STAGES) if stage in used]
    lanes = [
        Lane(
            stage,
            [
                Card(
                    _title(kind, row),
                    f"Opportunity/{row.Id}",
                    [_show_value(row.Amount)] if row.Amount is not None else [],
                )
                for row in rows
                if row.StageName == stage
            ],
        )
        for stage in stages
    ]
    return Screen("Pipeline", lanes=lanes)
