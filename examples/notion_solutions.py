"""What to do for every task of notion_suite.json, call by call.

`twindiff import agent-diff` brings the tasks in, and then
`twindiff suites run "bicycle company" --agent examples.notion_solutions:work` passes all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx

from twindiff.client import Task

Json = dict[str, Any]


class Workspace:
    """The calls that most tasks take."""

    def __init__(self, task: Task) -> None:
        headers = {"Authorization": f"Bearer {task.token}", "Notion-Version": "2026-03-11"}
        self.http = httpx.Client(base_url=task.url, headers=headers, trust_env=False)

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *raised: object) -> None:
        self.http.close()

    def __call__(self, verb: str, path: str, body: Any = None) -> Any:
        answer = self.http.request(verb, f"/v1/{path}", json=body)
        answer.raise_for_status()
        return answer.json()

    def find(self, title: str, kind: str = "page") -> str:
        """The id of the one page or data source with a title."""
        found = self("POST", "search", {"query": title, "filter": {"property": "object", "value": kind}})["results"]
        (only,) = [each for each in found if title_of(each) == title]
        return only["id"]

    def blocks(self, parent: str) -> list[Json]:
        """The children of a page or a block."""
        return self("GET", f"blocks/{parent}/children")["results"]

    def append(self, parent: str, *children: Json) -> None:
        """Add blocks at the end."""
        self("PATCH", f"blocks/{parent}/children", {"children": [*children]})

    def rows(self, source: str, **query: Any) -> list[Json]:
        """The pages of a data source."""
        return self("POST", f"data_sources/{source}/query", query)["results"]

    def change(self, page: str, **properties: Any) -> None:
        """Set properties of a page."""
        self("PATCH", f"pages/{page}", {"properties": properties})


def text(content: str) -> list[Json]:
    """A rich text."""
    return [{"text": {"content": content}}]


def title_of(thing: Json) -> str:
    """The title of a page or a data source."""
    title = thing.get("title") or next(
        each["title"] for each in thing["properties"].values() if each["type"] == "title"
    )
    return "".join(each["plain_text"] for each in title)


def work(task: Task) -> None:
    """Solve the task that the prompt is of."""
    solve = next(solve for words, solve in SOLUTIONS.items() if words in task.prompt)
    with Workspace(task) as space:
        solve(space)


def add_a_to_do(space: Workspace) -> None:
    space.append(space.find("Onboarding"), {"to_do": {"rich_text": text("Order a bike helmet")}})


def tick_a_to_do(space: Workspace) -> None:
    (block,) = [each for each in space.blocks(space.find("Onboarding")) if "Meet" in str(each)]
    space("PATCH", f"blocks/{block['id']}", {"to_do": {"checked": True}})


def finish_a_task(space: Workspace) -> None:
    space.change(space.find("Book the market stand"), Status={"status": {"name": "Done"}})


def plan_a_task(space: Workspace) -> None:
    project, tasks = space.find("Workshop extension"), space.find("Tasks", "data_source")
    john = next(each["id"] for each in space("GET", "users")["results"] if each["name"] == "John Doe")
    properties = {
        "Name": {"title": text("Apply for the building permit")},
        "Project": {"relation": [{"id": project}]},
        "Status": {"status": {"name": "Not started"}},
        "Priority": {"select": {"name": "High"}},
        "Due": {"date": {"start": "2026-05-15"}},
        "Assignee": {"people": [{"id": john}]},
    }
    space("POST", "pages", {"parent": {"data_source_id": tasks}, "properties": properties})


def warn_of_a_holiday(space: Workspace) -> None:
    callout = {"rich_text": text("Closed on May 1"), "icon": {"emoji": "⚠️"}, "color": "red_background"}
    space.append(space.find("Opening hours"), {"callout": callout})


def add_up_hours(space: Workspace) -> None:
    project, tasks = space.find("Web shop relaunch"), space.find("Tasks", "data_source")
    is_open = {"property": "Status", "status": {"does_not_equal": "Done"}}
    of_project = {"property": "Project", "relation": {"contains": project}}
    rows = space.rows(tasks, filter={"and": [is_open, of_project]})
    hours = sum(each["properties"]["Hours"]["number"] for each in rows)
    space("POST", "comments", {"parent": {"page_id": project}, "rich_text": text(f"Open hours: {hours}")})


def negotiate_a_deal(space: Workspace) -> None:
    space.change(space.find("12 cargo bikes"), Stage={"select": {"name": "Negotiation"}}, Amount={"number": 44000})


def describe_a_chain(space: Workspace) -> None:
    items = [{"bulleted_list_item": {"rich_text": text(each)}} for each in ("Clean", "Measure", "Oil")]
    space.append(space.find("Repair handbook"), {"toggle": {"rich_text": text("Chain care"), "children": items}})


def compare_shops(space: Workspace) -> None:
    columns = [
        {"column": {"children": [{"heading_3": {"rich_text": text(head)}}, {"paragraph": {"rich_text": text(body)}}]}}
        for head, body in (("For", "More room"), ("Against", "Higher rent"))
    ]
    parent = {"page_id": space.find("Wiki")}
    children = [{"column_list": {"children": columns}}]
    space("POST", "pages", {"parent": parent, "properties": {"title": text("Second shop")}, "children": children})


def mark_paid_deals(space: Workspace) -> None:
    deals = space.find("Deals", "data_source")
    space("PATCH", f"data_sources/{deals}", {"properties": {"Paid": {"checkbox": {}}}})
    for row in space.rows(deals, filter={"property": "Stage", "select": {"equals": "Won"}}):
        space.change(row["id"], Paid={"checkbox": True})


SOLUTIONS: dict[str, Callable[[Workspace], None]] = {
    "bike helmet": add_a_to_do,
    "met the workshop": tick_a_to_do,
    "market stand is booked": finish_a_task,
    "building permit": plan_a_task,
    "May 1": warn_of_a_holiday,
    "Open hours": add_up_hours,
    "cargo bikes": negotiate_a_deal,
    "Chain care": describe_a_chain,
    "Second shop": compare_shops,
    "Paid": mark_paid_deals,
}
