"""Writes notion_default.json: the workspace of a bicycle company, made by the twin's own operations.

Run it as `python notion/seeds/make_workspace.py`; it writes the same file every time.
"""

# ruff: noqa: E501, ISC004 - the data of the template, one object a line
from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import httpx

from twindiff.local import Twindiff
from twindiff.twins.notion import twin
from twindiff.twins.notion.core.api_version import LATEST

Row = dict[str, Any]
UUID_TEXT = re.compile(r"(?!00000000-)[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
PEOPLE = [
    ("00000000-0000-4000-8000-0000000000c1", "John Doe", "john@example.com"),
    ("00000000-0000-4000-8000-0000000000c2", "Sarah Smith", "sarah@example.com"),
    ("00000000-0000-4000-8000-0000000000c3", "Robert Smith", "robert@example.com"),
]
JOHN, SARAH, ROBERT = (id for id, _, _ in PEOPLE)
BOT = "00000000-0000-4000-8000-0000000000b1"
START = "2026-01-05T09:00:00"
ROWS: dict[str, list[Row]] = {
    "notion_workspaces": [{"id": "00000000-0000-4000-8000-0000000000f0", "name": "Harbor Bikes"}],
    "notion_users": [
        *({"id": id, "name": name, "type": "person", "email": email} for id, name, email in PEOPLE),
        {"id": BOT, "name": "AI Agent", "type": "bot"},
    ],
    "notion_pages": [
        {
            "id": "00000000-0000-4000-8000-000000000001",
            "title": "Harbor Bikes",
            "icon": {"emoji": "🚲"},
            "created_by": JOHN,
            "created_time": START,
            "last_edited_by": JOHN,
            "last_edited_time": START,
        }
    ],
}
HOME = "00000000-0000-4000-8000-000000000001"
WIKI: list[tuple[str, str, str, list[tuple[str, str, str]]]] = [
    (
        "Wiki",
        "📚",
        "# Welcome\nEverything that everyone at Harbor Bikes should be able to look up.\n"
        '<callout icon="💡" color="blue_bg">\n\tSomething missing? Ask **Sarah**.\n</callout>\n---',
        [
            (
                "Onboarding",
                "👋",
                "## Your first week\n- [x] Laptop and keys\n- [ ] Meet the workshop\n- [ ] Read the **repair handbook**\n"
                '## Who is who\n<table header-row="true" header-column="false">\n<tr>\n<td>Person</td>\n<td>Ask about</td>'
                "\n</tr>\n<tr>\n<td>John Doe</td>\n<td>Money and suppliers</td>\n</tr>\n<tr>\n<td>Sarah Smith</td>\n"
                "<td>Customers and the web shop</td>\n</tr>\n<tr>\n<td>Robert Smith</td>\n<td>The workshop</td>\n</tr>\n</table>",
            ),
            (
                "Repair handbook",
                "🔧",
                "## Wheels\n1. Check the spokes\n2. True the wheel\n3. Check the tension again\n## Brakes\n<details>\n"
                "<summary>Recall of 2026</summary>\n\tReplace levers of series **BL-7** without charge.\n</details>\n"
                "> Never ride before the second test.\n```python\ndef tension(newtons, spokes):\n    return newtons / spokes\n```",
            ),
            (
                "Opening hours",
                "🕘",
                "<columns>\n\t<column>\n\t\t### Summer\n\t\tMonday to Saturday, 9 to 19\n\t</column>\n\t<column>\n"
                "\t\t### Winter\n\t\tTuesday to Saturday, 10 to 18\n\t</column>\n</columns>",
            ),
        ],
    ),
]
PROJECTS = [
    ("Spring campaign", "In progress", "2026-03-01", "2026-04-15", 12000, [SARAH]),
    ("Web shop relaunch", "In progress", "2026-01-12", "2026-05-30", 40000, [SARAH, JOHN]),
    ("Workshop extension", "Not started", "2026-06-01", "2026-09-30", 85000, [ROBERT]),
    ("Brake lever recall", "Done", "2025-11-03", "2026-01-30", 4500, [ROBERT]),
]
TASKS = [
    ("Draft the flyer", "Spring campaign", "Done", "High", "2026-03-05", SARAH, 6),
    ("Book the market stand", "Spring campaign", "In progress", "High", "2026-03-12", SARAH, 2),
    ("Print 2,000 flyers", "Spring campaign", "Not started", "Medium", "2026-03-20", JOHN, 1),
    ("Choose photos", "Spring campaign", "Not started", "Low", "2026-03-22", None, 3),
    ("Compare payment providers", "Web shop relaunch", "Done", "High", "2026-02-02", JOHN, 8),
    ("Move the catalog", "Web shop relaunch", "In progress", "High", "2026-04-01", SARAH, 30),
    ("Write shipping terms", "Web shop relaunch", "Not started", "Medium", "2026-04-10", JOHN, 5),
    ("Test checkout on phones", "Web shop relaunch", "Not started", "High", "2026-05-04", None, 12),
    ("Redirect old links", "Web shop relaunch", "Not started", "Low", "2026-05-20", SARAH, 4),
    ("Ask for three offers", "Workshop extension", "Not started", "Medium", "2026-06-08", ROBERT, 6),
    ("Measure the yard", "Workshop extension", "Done", "Low", "2026-02-20", ROBERT, 2),
    ("Write to owners of BL-7", "Brake lever recall", "Done", "High", "2025-11-10", SARAH, 10),
    ("Exchange 41 levers", "Brake lever recall", "Done", "High", "2026-01-15", ROBERT, 40),
]
COMPANIES = [
    ("Velora Components", "Supplier", "https://velora.example.com"),
    ("City of Bridgeport", "Customer", "https://bridgeport.example.com"),
    ("Greenline Couriers", "Customer", "https://greenline.example.com"),
    ("Pedal & Bean Café", "Prospect", "https://pedalbean.example.com"),
]
CONTACTS = [
    ("Mia Keller", "Velora Components", "mia.keller@velora.example.com", "+1 555 0101"),
    ("Tom Alvarez", "City of Bridgeport", "t.alvarez@bridgeport.example.com", "+1 555 0102"),
    ("Ines Park", "Greenline Couriers", "ines@greenline.example.com", "+1 555 0103"),
    ("Otto Lind", "Pedal & Bean Café", "otto@pedalbean.example.com", "+1 555 0104"),
]
DEALS = [
    ("40 city bikes", "City of Bridgeport", "Negotiation", 52000, "2026-04-30"),
    ("Service contract 2026", "Greenline Couriers", "Won", 18000, "2026-01-20"),
    ("12 cargo bikes", "Greenline Couriers", "Proposal", 46800, "2026-05-15"),
    ("Fleet for the café", "Pedal & Bean Café", "Lead", 7600, "2026-06-30"),
    ("Maintenance training", "City of Bridgeport", "Lost", 3000, "2026-02-10"),
]
MEETINGS = [
    (
        "Weekly 2026-W08",
        "2026-02-16",
        [JOHN, SARAH, ROBERT],
        "Levers are all exchanged",
        "Sarah books the market stand",
    ),
    ("Weekly 2026-W09", "2026-02-23", [JOHN, SARAH], "The catalog has 1,140 articles", "John asks for a second offer"),
    ("Kick-off web shop", "2026-01-12", [JOHN, SARAH], "Launch before the summer", "Compare payment providers"),
]


class Workspace:
    """Makes pages, databases and rows through the API."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    def ask(self, verb: str, path: str, body: Row) -> Any:
        """Return the JSON of an answer that must be a success."""
        answer = self._client.request(verb, f"https://api.notion.com/v1/{path}", json=body)
        if not answer.is_success:
            raise SystemExit(answer.text)
        return answer.json()

    def page(self, parent: str, title: str, icon: str, markdown: str) -> str:
        """Make a page and return its id."""
        body = {
            "parent": {"page_id": parent},
            "icon": {"emoji": icon},
            "properties": {"title": _text(title)},
            "markdown": markdown,
        }
        return self.ask("POST", "pages", body)["id"]

    def database(self, parent: str, title: str, icon: str, properties: Row) -> str:
        """Make a database and return the id of its data source."""
        initial: Row = {"properties": {"Name": {"title": {}}, **properties}}
        body: Row = {
            "parent": {"type": "page_id", "page_id": parent},
            "title": _text(title),
            "icon": {"emoji": icon},
            "initial_data_source": initial,
        }
        return self.ask("POST", "databases", body)["data_sources"][0]["id"]

    def row(self, source: str, name: str, markdown: str = "", **values: Any) -> str:
        """Make a row and return its id."""
        given = {key: value for key, value in values.items() if value is not None}
        body = {
            "parent": {"data_source_id": source},
            "properties": {"Name": {"title": _text(name)}, **given},
            "markdown": markdown,
        }
        return self.ask("POST", "pages", body)["id"]


def _text(content: str) -> list[Row]:
    return [{"text": {"content": content}}]


def _select(*names: str) -> Row:
    return {"select": {"options": [{"name": name} for name in names]}}


def _relation(source: str, back: str) -> Row:
    dual = {"type": "dual_property", "dual_property": {"synced_property_name": back}}
    return {"relation": {"data_source_id": source, **dual}}


def _rollup(relation: str, property: str, function: str) -> Row:
    return {"rollup": {"relation_property_name": relation, "rollup_property_name": property, "function": function}}


def _relate(*ids: str) -> Row:
    return {"relation": [{"id": id} for id in ids]}


def _people(*ids: str | None) -> Row:
    return {"people": [{"id": id} for id in ids if id]}


def fill(space: Workspace) -> None:
    """Make everything."""
    for title, icon, text, pages in WIKI:
        parent = space.page(HOME, title, icon, text)
        for each in pages:
            space.page(parent, *each)
    _fill_projects(space, space.page(HOME, "Projects", "🗂️", "What we are working on, and who does what by when."))
    _fill_customers(space, space.page(HOME, "CRM", "🤝", "Companies, the people there, and what they may buy."))
    _fill_meetings(space, space.page(HOME, "Meetings", "📝", "Notes of every meeting, the newest first."))


def _fill_projects(space: Workspace, parent: str) -> None:
    stages = {
        "status": {
            "options": [
                {"name": "Not started", "color": "default"},
                {"name": "In progress", "color": "blue"},
                {"name": "Done", "color": "green"},
            ]
        }
    }
    projects = space.database(
        parent, "Projects", "🗂️",
        {"Status": stages, "Timeline": {"date": {}}, "Budget": {"number": {"format": "dollar"}}, "Owners": {"people": {}}},
    )  # fmt: skip
    named = {
        name: space.row(
            projects, name, f"## Goal\n{name} is done by {end}.", Status={"status": {"name": status}},
            Timeline={"date": {"start": start, "end": end}}, Budget={"number": budget}, Owners=_people(*owners),
        )
        for name, status, start, end, budget, owners in PROJECTS
    }  # fmt: skip
    _fill_tasks(space, parent, projects, named, stages)


def _fill_tasks(space: Workspace, parent: str, projects: str, named: dict[str, str], stages: Row) -> None:
    overdue = 'not empty(prop("Due")) and prop("Status") != "Done" and prop("Due") < today()'
    tasks = space.database(
        parent, "Tasks", "✅",
        {"Project": _relation(projects, "Tasks"), "Status": stages, "Priority": _select("High", "Medium", "Low"),
         "Due": {"date": {}}, "Assignee": {"people": {}}, "Hours": {"number": {}}, "ID": {"unique_id": {"prefix": "TASK"}}},
    )  # fmt: skip
    space.ask("PATCH", f"data_sources/{tasks}", {"properties": {"Overdue": {"formula": {"expression": overdue}}}})
    for name, project, status, priority, due, assignee, hours in TASKS:
        space.row(
            tasks, name, Project=_relate(named[project]), Status={"status": {"name": status}},
            Priority={"select": {"name": priority}}, Due={"date": {"start": due}}, Assignee=_people(assignee),
            Hours={"number": hours},
        )  # fmt: skip
    sums = {"Hours": _rollup("Tasks", "Hours", "sum"), "Number of tasks": _rollup("Tasks", "Name", "count")}
    space.ask("PATCH", f"data_sources/{projects}", {"properties": sums})
    board = {"group_by": {"property_id": "Status", "type": "status"}}
    space.ask(
        "POST",
        "views",
        {"data_source_id": tasks, "name": "By status", "type": "board", "configuration": {"type": "board", **board}},
    )


def _fill_customers(space: Workspace, parent: str) -> None:
    companies = space.database(
        parent, "Companies", "🏢", {"Kind": _select("Customer", "Supplier", "Prospect"), "Website": {"url": {}}}
    )
    named = {
        name: space.row(companies, name, Kind={"select": {"name": kind}}, Website={"url": url})
        for name, kind, url in COMPANIES
    }
    contacts = space.database(
        parent,
        "Contacts",
        "👤",
        {"Company": _relation(companies, "Contacts"), "Email": {"email": {}}, "Phone": {"phone_number": {}}},
    )
    for name, company, email, phone in CONTACTS:
        space.row(
            contacts, name, Company=_relate(named[company]), Email={"email": email}, Phone={"phone_number": phone}
        )
    deals = space.database(
        parent, "Deals", "💶",
        {"Company": _relation(companies, "Deals"), "Stage": _select("Lead", "Proposal", "Negotiation", "Won", "Lost"),
         "Amount": {"number": {"format": "dollar"}}, "Close date": {"date": {}}},
    )  # fmt: skip
    for name, company, stage, amount, day in DEALS:
        values = {
            "Company": _relate(named[company]),
            "Stage": {"select": {"name": stage}},
            "Amount": {"number": amount},
        }
        space.row(deals, name, "", **values, **{"Close date": {"date": {"start": day}}})
    total = {"Deal total": _rollup("Deals", "Amount", "sum")}
    space.ask("PATCH", f"data_sources/{companies}", {"properties": total})
    space.ask("POST", "views", {"data_source_id": deals, "name": "Pipeline", "type": "board",
                                "configuration": {"type": "board", "group_by": {"property_id": "Stage", "type": "select"}}})  # fmt: skip


def _fill_meetings(space: Workspace, parent: str) -> None:
    meetings = space.database(parent, "Meetings", "📝", {"Date": {"date": {}}, "Present": {"people": {}}})
    for name, day, present, note, action in MEETINGS:
        text = f"## Notes\n- {note}\n## Actions\n- [ ] {action}"
        space.row(meetings, name, text, Date={"date": {"start": day}}, Present=_people(*present))


def build() -> dict[str, list[Row]]:
    """Return the template's rows by table."""
    twin.templates["workspace_people"] = lambda: ROWS
    clock = {"mode": "steps", "start": START}
    with Twindiff(twins=[twin]) as td, td.create("notion:workspace_people", user=BOT, clock=clock) as env:
        headers = {"Authorization": f"Bearer {env.token}", "Notion-Version": LATEST}
        with httpx.Client(transport=td.transport(env), headers=headers) as client:
            fill(Workspace(client))
        tables = {name: list(rows) for name, rows in ROWS.items()}
        for row in env.diff(include="all")["inserts"]:
            name = row["__table__"]
            kept = {
                key: value for key, value in row.items() if key != "__table__" and value not in (None, False, "", {})
            }
            tables.setdefault(name, []).append(kept)
    return tables


def _order(row: Row) -> tuple[str, str, str]:
    return row.get("created_time", ""), row.get("position", ""), row.get("id", "")


def write_text() -> str:
    """Return the template as the text of a file, one row a line, in the order of making."""
    tables = [
        f'"{name}": [\n'
        + ",\n".join(json.dumps(row, separators=(",", ":"), ensure_ascii=False) for row in sorted(rows, key=_order))
        + "\n]"
        for name, rows in build().items()
    ]
    # New environments count ids from one again, so those of the template must be others.
    return UUID_TEXT.sub(lambda match: str(uuid5(NAMESPACE_URL, match[0])), "{\n" + ",\n".join(tables) + "\n}\n")


if __name__ == "__main__":
    Path(__file__).with_name("notion_default.json").write_text(write_text(), "utf-8")
