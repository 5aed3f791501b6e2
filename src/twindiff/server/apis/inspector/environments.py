"""Pages of environments: the list, and for one its timeline, its calls, and the difference between two points."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from twindiff import changes
from twindiff.catalog import EnvironmentRecord
from twindiff.catalog.stamps import wall
from twindiff.kit.clock import Clock
from twindiff.kit.rows import Expression, any_of, not_
from twindiff.server.apis.inspector.page_context import head_context, look, number, point
from twindiff.server.apis.inspector.rendering import page
from twindiff.server.apis.inspector.timelines import timeline
from twindiff.server.service import Service
from twindiff.server.use_cases.calls import call_of_environment

LISTED = 200
STATUSES = ("ready", "expired", "deleted", "all")
DIFFERENCES = 500
"""Maximum rows of a diff on a page."""


class ListedEnvironment(NamedTuple):
    """A row of the list of environments."""

    id: str
    name: str
    status: str
    twins: list[str]
    seq: int
    created: str
    expires: str


async def environments(service: Service, request: Request) -> Response:
    """List environments, newest first, filtered by status, twin and search text."""
    given = request.query_params
    status, twin, words = given.get("status", "ready"), given.get("twin", ""), given.get("q", "").strip()
    where = _where(service, status, twin, words)
    records = service.whole_catalog.newest(EnvironmentRecord, *where, limit=LISTED)
    total = service.whole_catalog.count(EnvironmentRecord, *where)
    return page(
        "environments.html",
        environments=[_list_entry(service, record) for record in records],
        total=total,
        status=status,
        twin=twin,
        words=words,
        statuses=STATUSES,
        twins=sorted(service.registry.twins),
    )


def _where(service: Service, status: str, twin: str, words: str) -> list[Expression]:
    where: list[Expression] = [] if status == "all" else [EnvironmentRecord.status == status]
    if status == "ready":
        where.append(EnvironmentRecord.expires > wall())
    if twin in service.registry.twins:
        where.append(not_(EnvironmentRecord.templates.json(twin).is_null()))
    if words:
        in_id = EnvironmentRecord.environment_id.starts(words.lower().replace("-", ""))
        where.append(any_of(in_id, EnvironmentRecord.name.contains(words, fold=True)))
    return where


def _list_entry(service: Service, record: EnvironmentRecord) -> ListedEnvironment:
    return ListedEnvironment(
        record.environment_id,
        record.name or "",
        record.status,
        list(record.templates),
        service.engine.seq(record.environment_id),
        record.created_at,
        Clock(record.expires).iso(),
    )


async def environment(service: Service, request: Request) -> Response:
    """One environment: its timeline, live or before a call."""
    looking = await look(service, request.path_params["id"])
    before = number(request.query_params.get("before")) or None
    shown = await timeline(service, looking.id, None, before)

    def draw() -> Response:
        return page("timeline.html", **head_context(looking, "timeline"), timeline=shown, live=before is None)

    return await service.runtime.run_in_thread(draw)


async def call(service: Service, request: Request) -> Response:
    """One call: its request, its response, and the rows that it changed."""
    looking = await look(service, request.path_params["id"])
    record, said = await call_of_environment(service, looking.id, request.path_params["number"])
    last = service.calls.log.last(looking.id)
    rows: Any = None
    if record.seq and looking.environment:
        rows = await _differences(service, looking.id, record.seq - 1, record.seq, "all")
    return page("call.html", **head_context(looking, "timeline"), call=record, last=last, said=said, diff=rows)


async def difference(service: Service, request: Request) -> Response:
    """The difference between two points."""
    looking = await look(service, request.path_params["id"])
    given = request.query_params
    start = point(service, looking, given.get("from")) if given.get("from") else 0
    end = point(service, looking, given.get("to"))
    first = looking.seq if start is None else start
    last = looking.seq if end is None else end
    rows = await _differences(service, looking.id, first, last, "plain")
    return page("difference.html", **head_context(looking, "difference"), diff=rows, start=first, end=last)


class Differences(NamedTuple):
    """Rows of a diff with sign, heading and changed columns, and the number of rows left out."""

    rows: list[dict[str, Any]]
    left_out: int


async def _differences(
    service: Service, environment_id: str, start: int, end: int, include: changes.Include
) -> Differences:
    interval = await service.runtime.run_steps(service.points.changes(environment_id, start, end))
    several = len(interval.twins) > 1

    def compose() -> Differences:
        return render_diff(
            changes.diff(interval.records, service.registry.schemas, include=include, several_twins=several)
        )

    return await service.runtime.compose(interval.records, compose)


def render_diff(diff: dict[str, list[dict[str, Any]]]) -> Differences:
    """Convert a diff for a page."""
    rows = [
        *({"sign": "+", **_heading(row), "columns": _columns(row)} for row in diff["inserts"]),
        *(
            {
                "sign": "~",
                **_heading(row, row["after"]),
                "columns": [(name, row["before"].get(name), row["after"].get(name)) for name in row["changed"]],
            }
            for row in diff["updates"]
        ),
        *({"sign": "-", **_heading(row), "columns": _columns(row)} for row in diff["deletes"]),
    ]
    return Differences(rows[:DIFFERENCES], max(0, len(rows) - DIFFERENCES))


def _heading(row: dict[str, Any], values: dict[str, Any] | None = None) -> dict[str, Any]:
    first = next((value for name, value in (values or row).items() if not name.startswith("__")), "")
    return {"twin": row.get("__twin__", ""), "table": row["__table__"], "key": first}


def _columns(row: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in row.items() if not name.startswith("__") and value is not None]


def as_json(value: Any) -> Response:
    """Respond with a value as JSON."""
    return Response(msgspec.json.encode(value), media_type="application/json")
