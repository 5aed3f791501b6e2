"""Operations for sandboxes: create, read and delete one, and list its changes.
A sandbox is an environment with one twin, whether it was created here or by the platform API.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import msgspec

from twindiff.changes import Include
from twindiff.changes.entries import EntryChange, render_entries
from twindiff.kit.clock import Clock
from twindiff.kit.twin import Operations
from twindiff.server.apis.sandboxes.sandboxes import Sandboxes, SandboxState, Status
from twindiff.server.openapi import describe_sandboxes
from twindiff.server.parameters import MAX_TTL_SECONDS, Limit
from twindiff.server.use_cases.environments import delete_environment
from twindiff.storage.journal import JournalRecord

api = Operations()

DEFAULT_TTL_SECONDS = 3600
MAX_SEED_BYTES = 4_000_000
"""Maximum bytes of a request that creates a sandbox."""

Ttl = Annotated[int, msgspec.Meta(ge=1, le=MAX_TTL_SECONDS)]
Offset = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class SandboxContext(NamedTuple):
    """The dependencies of an operation: the sandboxes, and the server's address as the client used it."""

    sandboxes: Sandboxes
    address: str


class Sandbox(msgspec.Struct):
    """`status` is `ready`, `active` once a call has reached it, or `expired`; `base_url` is the vendor's API."""

    id: str
    api: str
    scenario: str
    status: Status
    base_url: str
    created_at: str
    expires_at: str


class SandboxList(msgspec.Struct):
    """A page; `total` counts all that match."""

    sandboxes: list[Sandbox]
    total: int


class DiffEntry(msgspec.Struct):
    """An operation that changed something; `timestamp` is by the sandbox's clock."""

    id: str
    sandbox_id: str
    operation: str
    timestamp: str
    changes: list[EntryChange]


class DiffList(msgspec.Struct):
    """A page; `total` counts all entries that `include` shows."""

    diffs: list[DiffEntry]
    total: int


@api.post("/sandboxes", status=201, body_limit=MAX_SEED_BYTES)
async def create_sandbox(
    desk: SandboxContext,
    api: str,
    scenario: str | None = None,
    seed_data: dict[str, Any] | None = None,
    ttl: Ttl | None = DEFAULT_TTL_SECONDS,
) -> Sandbox:
    """Create a sandbox of one twin (`api`) from a scenario, which is the name of a template, for `ttl` seconds.
    `seed_data` is `{table: [row]}`; its rows are added to the scenario's or replace them by key, and stand alone if no
    scenario is given. Without either, the sandbox starts with the twin's `<twin>_default`.
    """
    twin = desk.sandboxes.twin(api)
    return _render_sandbox(desk, await desk.sandboxes.create(twin, scenario, seed_data, ttl or DEFAULT_TTL_SECONDS))


@api.get("/sandboxes")
def list_sandboxes(
    desk: SandboxContext, status: Status | None = None, api: str | None = None, limit: Limit = 100, offset: Offset = 0
) -> SandboxList:
    """Sandboxes, newest first."""
    twin = None if api is None else desk.sandboxes.twin(api)
    page, total = desk.sandboxes.list(status=status, twin=twin, limit=limit, offset=offset)
    return SandboxList([_render_sandbox(desk, known) for known in desk.sandboxes.load_states(page)], total)


@api.get("/sandboxes/{sandbox_id}")
def get_sandbox(desk: SandboxContext, sandbox_id: str) -> Sandbox:
    """One sandbox; an expired one remains readable for a day."""
    (known,) = desk.sandboxes.load_states([desk.sandboxes.find(sandbox_id)])
    return _render_sandbox(desk, known)


@api.delete("/sandboxes/{sandbox_id}", status=204)
async def delete_sandbox(desk: SandboxContext, sandbox_id: str) -> None:
    """Delete a sandbox; results of its runs stay readable."""
    await delete_environment(desk.sandboxes.service, desk.sandboxes.find(sandbox_id).environment_id)


@api.get("/sandboxes/{sandbox_id}/diffs")
async def list_diffs(
    desk: SandboxContext,
    sandbox_id: str,
    limit: Limit = 100,
    offset: Offset = 0,
    include: Include = "plain",
) -> DiffList:
    """The changes of each operation, oldest first; operations undone by a rewind are left out.
    `include` is `plain`, `derived` to add what the vendor computes, or `all` for everything that is stored.
    """
    service, histories = desk.sandboxes.service, desk.sandboxes.histories
    record = desk.sandboxes.find(sandbox_id)
    service.registry.get(record.service)
    await service.loader.run_due_work(record.environment_id)
    shown = (await histories.of(record.environment_id)).list_shown(include)
    records = await histories.records(record.environment_id, shown[offset : offset + limit])
    desk.sandboxes.find(sandbox_id)  # raises if it was deleted meanwhile, as the records are then incomplete

    def compose() -> list[DiffEntry]:
        schemas = service.registry.schemas
        return [_entry(record.environment_id, each, render_entries(each, schemas, include)) for each in records]

    return DiffList(await service.runtime.compose(records, compose), len(shown))


@api.get("/openapi.json")
def openapi(desk: SandboxContext) -> dict[str, Any]:
    """This API as OpenAPI 3.1."""
    return describe_sandboxes()


def _render_sandbox(desk: SandboxContext, known: SandboxState) -> Sandbox:
    record = known.record
    return Sandbox(
        id=record.environment_id,
        api=record.service,
        scenario=known.scenario,
        status=known.status,
        base_url=f"{desk.address}/api/env/{record.environment_id}/services/{record.service}",
        created_at=_instant(record.created),
        expires_at=_instant(record.expires),
    )


def _entry(sandbox_id: str, record: JournalRecord, changes: list[EntryChange]) -> DiffEntry:
    return DiffEntry(f"{sandbox_id}-{record.seq}", sandbox_id, record.operation, _instant(record.clock), changes)


def _instant(micros: int) -> str:
    return f"{Clock(micros).iso()}Z"
