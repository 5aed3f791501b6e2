"""What Notion's operations cost in process, over a workspace of 50,000 pages in 40 data sources.

    python -m benchmarks.notion [--pages 50000] [--json]

One data source has 10,000 pages with ten properties, of which two are computed; the others share the rest. Every figure
is in milliseconds: the median of the processor's, and the least, the median and the 99th percentile of the clock's, of
single calls in process, handler and JSON; beside them what they are to stay below.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from contextlib import closing
from statistics import median, quantiles
from time import perf_counter, thread_time
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from twindiff.environments.environments import EnvironmentRequest
from twindiff.kit.http import Request
from twindiff.server import Service, Settings

BOT = "00000000-0000-4000-8000-0000000000b1"
LARGE = 10_000
SOURCES = 40
BLOCKS = 100
SECONDS = 1.0
FEWEST, MOST = 5, 500
PAGE, CHILDREN, QUERY, APPEND = 1.0, 3.0, 10.0, 15.0
"""Milliseconds that each is to take at most."""
STAGES = ("Not started", "In progress", "Done")
Row = dict[str, Any]


class Figure(NamedTuple):
    operation: str
    processor: float
    least: float
    p50: float
    p99: float
    bar: float | None
    """What it is to stay below."""


def uuid(kind: int, number: int) -> str:
    """An id that tells what it is of."""
    return f"{kind:08d}-0000-4000-9000-{number:012d}"


def properties_of(source: str) -> list[Row]:
    """The schema of a data source."""
    options = [{"id": uuid(9, n), "name": name, "color": "blue"} for n, name in enumerate(STAGES)]
    double = f"{{{{notion:block_property:Price:{source}:x}}}} * 2"
    named: dict[str, tuple[str, Row]] = {
        "title": ("title", {}), "Stage": ("select", {"options": options}), "Price": ("number", {"format": "dollar"}),
        "Notes": ("rich_text", {}), "Due": ("date", {}), "Done": ("checkbox", {}),
        "Tags": ("multi_select", {"options": []}), "Link": ("url", {}),
        "Twice": ("formula", {"expression": double}), "Made": ("created_time", {}),
    }  # fmt: skip
    return [
        {"data_source_id": source, "id": id, "name": "Name" if id == "title" else id, "type": kind, "config": config}
        for id, (kind, config) in named.items()
    ]


def page_of(number: int, source: int) -> Row:
    """A page of a data source."""
    values: Row = {
        "Stage": STAGES[number % 3], "Price": number * 7919 % 10_007, "Notes": f"note {number}",
        "Due": f"2026-{number % 12 + 1:02d}-{number % 28 + 1:02d}", "Link": f"https://example.com/{number}",
    }  # fmt: skip
    values |= {"Done": True} if number % 2 else {}
    return {
        "id": uuid(1, number), "title": f"Page {number}", "parent_type": "data_source_id", "parent_id": uuid(3, source),
        "data_source_id": uuid(3, source), "position": f"c{number:05d}", "properties": values, "created_by": BOT,
        "created_time": "2026-01-05T09:00:00", "last_edited_time": f"2026-01-05T{number % 24:02d}:00:00",
    }  # fmt: skip


def rows_of(pages: int) -> dict[str, list[Row]]:
    """The workspace's rows."""
    home = uuid(0, 1)
    place = {"parent_type": "page_id", "parent_id": home}
    databases = [{"id": uuid(2, n), "title": f"Database {n}", **place} for n in range(SOURCES)]
    sources = [{"id": uuid(3, n), "database_id": uuid(2, n), "title": f"Database {n}"} for n in range(SOURCES)]
    owners = [0 if number < LARGE else 1 + number % (SOURCES - 1) for number in range(pages)]
    blocks = [
        {"id": uuid(4, n), "type": "paragraph", "text": f"block {n}", "position": f"b{n:02d}", **place}
        for n in range(BLOCKS)
    ]
    return {
        "notion_users": [{"id": BOT, "name": "Bot", "type": "bot"}],
        "notion_pages": [{"id": home, "title": "Home"}, *(page_of(n, owner) for n, owner in enumerate(owners))],
        "notion_databases": databases,
        "notion_data_sources": sources,
        "notion_properties": [row for source in sources for row in properties_of(source["id"])],
        "notion_blocks": blocks,
    }


class Workspace:
    """An environment spoken to without a socket."""

    def __init__(self, service: Service, template: Any) -> None:
        self.service = service
        made = service.environments.create(EnvironmentRequest([template], user_id=BOT))
        self.environment = service.environments.get(made.environment.environment_id)
        self.twin, self.token = service.registry.get("notion"), made.agent_token

    def call(self, verb: str, path: str, body: Any = None) -> Any:
        """An answer, which must be a success."""
        headers = {
            "content-type": "application/json",
            "notion-version": "2026-03-11",
            "authorization": f"Bearer {self.token}",
        }
        bare, _, query = path.partition("?")
        data = b"" if body is None else json.dumps(body).encode()
        exchange = self.twin.exchange(Request(verb, f"/v1/{bare}", query, headers, data), "http://notion.example")
        assert exchange, path
        return self.service.calls.answer(self.environment, self.twin, exchange, trusted=True)


def measure(name: str, work: Callable[[], Any], bar: float | None = None) -> Figure:
    """Do something over and over for a while."""
    times: list[float] = []
    processor: list[float] = []
    while len(times) < FEWEST or (sum(times) < SECONDS * 1000 and len(times) < MOST):
        started, began = perf_counter(), thread_time()
        answer = work()
        times.append((perf_counter() - started) * 1000)
        processor.append((thread_time() - began) * 1000)
        assert answer.status < 400, answer.body
    cuts = quantiles(times, n=100)
    return Figure(name, median(processor), min(times), cuts[49], cuts[98], bar)


IS_DONE = {"property": "Stage", "select": {"equals": "Done"}}
FILTER = {"and": [IS_DONE, {"property": "Price", "number": {"greater_than": 9000}}]}
SORTED: Row = {"sorts": [{"property": "Price", "direction": "descending"}], "page_size": 100}
QUERIES: dict[str, Row] = {
    "100 of 10,000, filtered and sorted": {"filter": FILTER, **SORTED},
    "100 of 10,000, a third of them, sorted": {"filter": IS_DONE, **SORTED},
    "100 of 10,000, all of them, sorted": SORTED,
    "100 of 10,000, as they stand": {"page_size": 100},
    "100 of 10,000, by text": {"filter": {"property": "Notes", "rich_text": {"contains": "99"}}, "page_size": 100},
    "100 of 10,000, by a formula": {"filter": {"property": "Twice", "formula": {"number": {"greater_than": 20_000}}}},
}
BARS = {"100 of 10,000, filtered and sorted": QUERY, "100 of 10,000, as they stand": QUERY}


def figures_of(pages: int) -> list[Figure]:
    """Measure everything in a workspace with so many pages."""
    with closing(Service(Settings())) as service:
        template = service.templates.add(
            service.registry.get("notion"), "notion_large", rows_of(pages), origin="benchmark"
        )
        space = Workspace(service, template)
        home, source = uuid(0, 1), uuid(3, 0)
        children = [{"paragraph": {"rich_text": [{"text": {"content": f"line {n}"}}]}} for n in range(100)]
        value = {"properties": {"Price": {"number": 5}}}
        body = {"parent": {"data_source_id": source}, **value}
        return [
            measure("users/me", lambda: space.call("GET", "users/me")),
            measure("a page", lambda: space.call("GET", f"pages/{uuid(1, 5000)}"), PAGE),
            measure("100 children", lambda: space.call("GET", f"blocks/{home}/children?page_size=100"), CHILDREN),
            *(
                measure(
                    name, lambda query=query: space.call("POST", f"data_sources/{source}/query", query), BARS.get(name)
                )
                for name, query in QUERIES.items()
            ),
            measure("a search", lambda: space.call("POST", "search", {"query": "Page 4711", "page_size": 20})),
            measure("a page made", lambda: space.call("POST", "pages", body)),
            measure("a value set", lambda: space.call("PATCH", f"pages/{uuid(1, 77)}", value)),
            measure(
                "100 blocks appended",
                lambda: space.call("PATCH", f"blocks/{home}/children", {"children": children}),
                APPEND,
            ),
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=50_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = figures_of(options.pages)
    if options.json:
        print(json.dumps({"figures": [figure._asdict() for figure in figures]}))
        return
    table = Table(title=f"Notion in process, {options.pages:,} pages, milliseconds")
    for title in Figure._fields:
        table.add_column(title, justify="left" if title == "operation" else "right")
    for name, *times, bar in figures:
        over = "" if bar is None else f"{'over' if times[0] > bar else 'below'} {bar:g}"
        table.add_row(name, *(f"{each:.3f}" for each in times), over)
    Console().print(table)


if __name__ == "__main__":
    main()
