"""The admin API of a run's twin, the same for every twin: state, reset, config, clock, unsupported calls."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any, Literal

import msgspec

from twindiff.catalog import CallRecord
from twindiff.environments.call_log import NOT_HERE
from twindiff.environments.environments import LoadedEnvironment
from twindiff.kit.errors import ApiError, InvalidParameter
from twindiff.kit.http import Request, Response, json_answer
from twindiff.kit.styles.base import json_object
from twindiff.kit.twin import Twin
from twindiff.server.apis.platform.clocks import clock_moved, clock_shown
from twindiff.server.service import Service
from twindiff.server.unknown_fields import refuse_unknown_fields
from twindiff.server.use_cases import clocks
from twindiff.server.use_cases.points import reset

HEALTH = "/healthz"
FULL = "full"
_ADMIN_PATH = re.compile(r"/admin/[\w-]*")
MIN_FREE_SLOTS = 20
"""Rows of each table in the state; with `full=1` it has all rows."""


class AdminNotFound(ApiError):
    """The admin plane has /admin/state, /admin/reset, /admin/config, /admin/clock and /admin/stub-hits."""

    status = 404


def is_admin(path: str) -> bool:
    """Whether a path belongs to the admin API instead of the vendor's; Shopify's are longer than one word in /admin."""
    return path == HEALTH or path.startswith("/_admin/") or _ADMIN_PATH.fullmatch(path) is not None


async def answer_admin(service: Service, environment: LoadedEnvironment, twin: Twin, request: Request) -> Response:
    """Respond to a request to the admin API; raises AdminNotFound."""
    if request.path == HEALTH:
        return json_answer({"status": "ok", "twin": twin.name})
    name = request.path.removeprefix("/_admin/").removeprefix("/admin/")
    handler = _HANDLERS.get((request.verb, name))
    if handler is None:
        raise AdminNotFound
    refuse_unknown_fields(request.query_parameters(), [FULL] if name == "state" else [])
    if request.body and request.verb == "POST":
        known = Advance.__struct_fields__ if name == "clock" else ()
        refuse_unknown_fields(json_object(request.body), known)
    await service.loader.load(environment)
    try:
        return json_answer(await handler(service, environment, twin, request))
    except msgspec.ValidationError as error:
        raise InvalidParameter("", str(error)) from None


async def _state(service: Service, environment: LoadedEnvironment, twin: Twin, request: Request) -> dict[str, Any]:
    most = None if request.query_parameters().get(FULL) == "1" else MIN_FREE_SLOTS

    def look(moment: Any) -> dict[str, Any]:
        tables = [table for table in twin.tables if table.visibility != "bookkeeping"]
        counts = {table.name: moment.db.count(table.row) for table in tables}
        rows = {
            table.name: [msgspec.structs.asdict(row) for row in moment.db.rows(table.row, limit=most)]
            for table in tables
            if counts[table.name]
        }
        return {"logical_now": f"{moment.clock.iso()}Z", "counts": counts, "tables": rows}

    await service.loader.run_due_work(environment.id)
    now = service.engine.present(environment.id).clock
    state = service.engine.read(environment.id, twin.name, look, at=now)
    return {"twin": twin.name, "environment_id": environment.id, "seq": service.engine.seq(environment.id), **state}


async def _reset(service: Service, environment: LoadedEnvironment, twin: Twin, request: Request) -> dict[str, Any]:
    seq = await reset(service, environment.id)
    return {"status": "reset", "twin": twin.name, "scope": [*environment.twins], "seq": seq}


async def _config(service: Service, environment: LoadedEnvironment, twin: Twin, request: Request) -> dict[str, Any]:
    return {
        "twin": twin.name,
        "twins": [*environment.twins],
        "auth": environment.tokens.mode,
        "acts_as": environment.tokens.users.get(twin.name, environment.tokens.actor),
        "clock": environment.origin.clock.mode,
        "operations": len(twin.dispatch.operations),
    }


async def _clock(service: Service, environment: LoadedEnvironment, twin: Twin, request: Request) -> dict[str, Any]:
    return msgspec.to_builtins(clock_shown(environment.id, await clocks.show_clock(service, environment.id)))


async def _advance(service: Service, environment: LoadedEnvironment, twin: Twin, request: Request) -> dict[str, Any]:
    wanted = msgspec.convert(json_object(request.body), Advance) if request.body else Advance()
    moved = await clocks.set_clock(service, environment.id, wanted.advance, wanted.to, wanted.until)
    return msgspec.to_builtins(clock_moved(environment.id, moved))


class Advance(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a clock request, as in the platform API."""

    advance: float | None = None
    to: str | float | None = None
    until: Literal["next", "idle"] | None = None


async def _stub_hits(service: Service, environment: LoadedEnvironment, twin: Twin, request: Request) -> dict[str, Any]:
    service.calls.log.flush()
    mine = (CallRecord.environment_id == environment.id, CallRecord.twin == twin.name)
    lacking = CallRecord.error.in_(NOT_HERE)
    calls = service.catalog.rows(CallRecord, *mine, lacking, order=CallRecord.number, limit=1000)
    hits: dict[str, int] = {}
    for each in calls:
        hits[each.operation] = hits.get(each.operation, 0) + 1
    return {"total_hits": len(calls), "hits": [{"operation": name, "count": count} for name, count in hits.items()]}


Handler = Callable[[Service, LoadedEnvironment, Twin, Request], Awaitable[dict[str, Any]]]

_HANDLERS: dict[tuple[str, str], Handler] = {
    ("GET", "state"): _state,
    ("POST", "reset"): _reset,
    ("GET", "config"): _config,
    ("GET", "clock"): _clock,
    ("POST", "clock"): _advance,
    ("GET", "stub-hits"): _stub_hits,
}
