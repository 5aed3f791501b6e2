"""Inspector views of a HubSpot account: tables of records, and deals as a board."""

from __future__ import annotations

from typing import Any

from twindiff.kit.call import Call
from twindiff.kit.inspector_views import Card, Lane, Screen, ScreenLink, ScreenTable

from .account import columns_of
from .associations import list_associated
from .records import read_property
from .tables import RECORDS, CrmDeal, CrmStage

MAX_ROWS = 200
_TITLES = {"contacts": "email", "companies": "name", "deals": "dealname", "tickets": "subject"}


def screen(call: Call, path: str) -> Screen | None:
    """Render `contacts`, `contacts/ID` and so on, `board` of the deals, and "" for the contacts."""
    kind, _, id = (path or "contacts").partition("/")
    shown: Screen | None = None
    if kind == "board":
        shown = _board(call)
    elif kind in RECORDS and not id:
        shown = _list(call, kind)
    elif kind in RECORDS:
        row = call.db.find(RECORDS[kind], RECORDS[kind].id == id)
        shown = _record(call, kind, row) if row else None
    links = [*(ScreenLink(each.capitalize(), each) for each in RECORDS), ScreenLink("Deals by stage", "board")]
    return shown._replace(places=[("CRM", links)]) if shown else None


def _title(kind: str, row: Any) -> str:
    return getattr(row, _TITLES[kind]) or row.id


def _list(call: Call, kind: str) -> Screen:
    names = columns_of(kind)[:6]
    rows = call.db.rows(RECORDS[kind], ~RECORDS[kind].archived, limit=MAX_ROWS)
    cells = [
        [ScreenLink(_title(kind, row), f"{kind}/{row.id}"), *(getattr(row, name) or "" for name in names)]
        for row in rows
    ]
    return Screen(kind.capitalize(), tables=[ScreenTable("", ("Record", *names), cells)])


def _record(call: Call, kind: str, row: Any) -> Screen:
    names = [*columns_of(kind), *row.properties]
    facts: list[tuple[str, str | ScreenLink]] = [
        (name, str(value)) for name in names if (value := read_property(kind, row, name)) is not None
    ]
    for other, table in RECORDS.items():
        for id in list_associated(call, kind, row.id, other):
            linked = call.db.find(table, table.id == id)
            facts.append((other, ScreenLink(_title(other, linked) if linked else id, f"{other}/{id}")))
    return Screen(_title(kind, row), trail=[ScreenLink(kind.capitalize(), kind)], facts=facts)


def _board(call: Call) -> Screen:
    stages = call.db.rows(CrmStage, CrmStage.kind == "deals", order=CrmStage.display_order)
    lanes = [
        Lane(
            stage.label,
            [
                Card(each.dealname or each.id, f"deals/{each.id}", [each.amount or ""])
                for each in call.db.rows(CrmDeal, CrmDeal.dealstage == stage.id, ~CrmDeal.archived, limit=MAX_ROWS)
            ],
        )
        for stage in stages
    ]
    return Screen("Deals by stage", lanes=lanes)
