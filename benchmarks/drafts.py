"""What lists of a drafted twin cost in process, over a table of 100,000 rows.

    python -m benchmarks.drafts [--rows 100000] [--json]

Each figure is the median of the clock's milliseconds of single requests in process, handler and JSON, beside what it is
to stay below.
"""

from __future__ import annotations

import argparse
import json
from statistics import median
from time import perf_counter
from typing import Any

import httpx
from rich.console import Console
from rich.table import Table

from twindiff.drafts import Draft, DraftedTwin
from twindiff.drafts.documents import describe
from twindiff.drafts.overlay import Overlay, ResourceOverlay
from twindiff.local import Twindiff

TIMES = 15
CALLS: dict[str, tuple[str, float]] = {
    "the first page": ("/tickets?limit=50", 20.0),
    "a page in the middle, by offset": ("/tickets?limit=50&offset=50000", 30.0),
    "the page after an id in the middle": ("/tickets?limit=50&after=t050000", 60.0),
    "by equality, 1 in 1,000": ("/tickets?limit=50&team=team7", 60.0),
    "by a list of labels": ("/tickets?limit=50&labels=label7", 250.0),
    "by a bound": ("/tickets?limit=50&created_after=2026-06-01T00:00:00Z", 100.0),
    "sorted by a field": ("/tickets?limit=50&sort=-priority", 150.0),
    "a search for a word": ("/tickets?limit=50&q=needle", 250.0),
    "one": ("/tickets/t050000", 5.0),
    "1,000 teams by the number of their tickets": ("/teams?limit=50&size=100", 100.0),
}


def describe_tickets() -> dict[str, Any]:
    """Return the description of a table of tickets."""
    text = {"type": "string"}
    ticket: dict[str, Any] = {
        "type": "object",
        "properties": {
            **dict.fromkeys(("id", "title", "team"), text),
            "labels": {"type": "array", "items": text},
            "priority": {"type": "integer"},
            "created_at": {"type": "string", "format": "date-time"},
        },
    }
    page = {"type": "object", "properties": {"total": {"type": "integer"}, "data": {"type": "array", "items": ticket}}}
    names = ("team", "labels", "created_after", "sort", "q", "after")
    parameters = [{"name": name, "in": "query", "schema": text} for name in names]
    parameters += [{"name": name, "in": "query", "schema": {"type": "integer"}} for name in ("limit", "offset")]

    whole = {"type": "integer"}
    limit = {"name": "limit", "in": "query", "schema": whole}
    team: dict[str, Any] = {"type": "object", "properties": {"id": text, "size": whole}}
    teams = {"type": "array", "items": team}

    def answer(schema: dict[str, Any]) -> dict[str, Any]:
        return {"responses": {"200": {"content": {"application/json": {"schema": schema}}}}}

    paths = {
        "/tickets": {"get": {"parameters": parameters, **answer(page)}},
        "/tickets/{id}": {"get": answer(ticket)},
        "/teams": {"get": {"parameters": [{"name": "size", "in": "query", "schema": whole}, limit], **answer(teams)}},
        "/teams/{id}": {"get": answer(team)},
    }
    return {"openapi": "3.0.3", "info": {"title": "Tickets"}, "paths": paths}


def make_twin(count: int) -> DraftedTwin:
    """Return the twin with so many rows in its base template."""
    rows: list[dict[str, Any]] = [
        {
            "id": f"t{number:06d}",
            "title": "needle" if number % 10_000 == 7 else f"ticket {number}",
            "team": f"team{number % 1000}",
            "labels": [f"label{number % 500}", "all"],
            "priority": number * 7919 % 10_007,
            "created_at": f"2026-{number % 12 + 1:02d}-{number % 28 + 1:02d}T00:00:00Z",
        }
        for number in range(count)
    ]
    sized = ResourceOverlay(computed={"size": {"count": "tickets", "where": {"team": "$id"}}})
    teams: list[dict[str, Any]] = [{"id": f"team{number}"} for number in range(1000)]
    overlay = Overlay(resources={"teams": sized}, seeds={"tickets": rows, "teams": teams})
    return Draft(describe(describe_tickets()), "tickets", overlay).twin()


def measure(client: httpx.Client, url: str) -> float:
    """Return the median milliseconds of a request."""
    taken: list[float] = []
    for _ in range(TIMES):
        begin = perf_counter()
        answered = client.get(url)
        taken.append((perf_counter() - begin) * 1000)
        assert answered.status_code == 200, answered.text
    return median(taken)


def main() -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with Twindiff(twins=[make_twin(options.rows)]) as td, td.create("tickets:tickets_base") as environment:
        headers = {"Authorization": f"Bearer {environment.token}"}
        transport = td.transport(environment, "tickets")
        with httpx.Client(transport=transport, base_url="http://tickets.test", headers=headers) as client:
            figures = {name: (measure(client, url), bar) for name, (url, bar) in CALLS.items()}
    if options.json:
        print(json.dumps({name: {"milliseconds": got, "bar": bar} for name, (got, bar) in figures.items()}))
        return
    table = Table("list", "ms", "bar", title=f"{options.rows:,} rows")
    for name, (got, bar) in figures.items():
        table.add_row(name, f"{got:.1f}", f"{bar:.0f}")
    Console().print(table)


if __name__ == "__main__":
    main()
