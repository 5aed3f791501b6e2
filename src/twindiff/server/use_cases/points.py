"""Points of an environment: name them, rewind to them, compare them, fork new environments from them."""

from __future__ import annotations

from typing import Any

import msgspec

from twindiff import changes
from twindiff.catalog import CheckpointRecord
from twindiff.environments.environments import CreatedEnvironment, LoadedEnvironment
from twindiff.environments.points import Point, PointDifference
from twindiff.kit.errors import ApiError
from twindiff.server.service import Service
from twindiff.storage import OperationContext

FORKS_AT_ONCE = 50
"""Forks created before yielding to the event loop."""
MAX_COPIED_ROWS = 2_000_000
"""Maximum rows that the forks of one request may copy, with an engine that copies rows: about a minute's work."""


class TooManyRows(ApiError):
    """So many forks of so large an environment would take too long at once."""

    status = 413


async def create_checkpoint(service: Service, env_id: str, name: str, at: Point | None = None) -> CheckpointRecord:
    """Name a point: the current one, or `at`."""
    await service.loader.run_due_work(env_id)
    return service.points.checkpoint(env_id, name, at)


async def fork(
    service: Service, env_id: str, at: Point | None, count: int, name: str | None
) -> list[CreatedEnvironment]:
    """Create `count` independent environments from the current point, or from `at`: all of them, or none."""
    environment = service.environments.get(env_id)
    await service.loader.run_due_work(environment.id)
    seq = service.points.seq(environment.id, service.engine.seq(environment.id) if at is None else at)
    if count > 1 and service.engine.embedded is None:  # a database copies each row
        _check_copies(service, environment, count)
    made: list[CreatedEnvironment] = []
    try:
        while len(made) < count:
            await service.loader.materialize(service.environments.get(env_id), seq)
            made += service.points.fork(environment.id, seq, min(FORKS_AT_ONCE, count - len(made)), name)
            await service.runtime.yield_to_loop()
    except BaseException:  # includes cancellation when the client disconnects: all of them, or none
        for each in made:
            service.environments.delete(each.environment.environment_id)
        raise
    return made


def _check_copies(service: Service, environment: LoadedEnvironment, count: int) -> None:
    """Raise TooManyRows if the forks would copy too many rows; a single fork is always allowed."""

    def count_rows(twin: str) -> int:
        tables = service.registry.get(twin).tables

        def count(moment: OperationContext) -> int:
            return sum(moment.db.count(each.row) for each in tables)

        return service.engine.read(environment.id, twin, count, at=0)

    rows = sum(count_rows(twin) for twin in environment.origin.templates)
    if rows * count > MAX_COPIED_ROWS:
        most = max(1, MAX_COPIED_ROWS // rows)
        raise TooManyRows(
            f"count: the environment has {rows:,} rows, and {count} forks of it would copy {rows * count:,}, of which "
            f"{MAX_COPIED_ROWS:,} are the most at once with PostgreSQL; ask for up to {most} forks at a time"
        )


async def rewind(service: Service, env_id: str, to: Point) -> tuple[int, int]:
    """Rewind to a point; returns the seq of the rewind itself and that of the point."""
    environment = service.environments.get(env_id)
    seq = service.points.seq(environment.id, to)
    await service.loader.materialize(environment, seq)
    return service.points.rewind(environment.id, seq), seq


async def reset(service: Service, env_id: str) -> int:
    """Reset to the templates' state; returns the seq of the reset itself."""
    environment = service.environments.get(env_id)
    await service.loader.materialize(environment, 0)
    return service.environments.reset(environment.id)


async def diff_points(
    service: Service, env_id: str, start: Point, end: Point | None, include: changes.Include, rows: changes.Rows
) -> tuple[PointDifference, bytes]:
    """The net difference between two points (`end` defaults to the current one), and its diff as JSON."""
    await service.loader.run_due_work(env_id)
    difference = await service.runtime.run_steps(service.points.changes(env_id, start, end))

    def compose() -> bytes:
        return msgspec.json.encode(_diff(service, difference, include, rows))

    return difference, await service.runtime.compose(difference.records, compose)


def _diff(
    service: Service, difference: PointDifference, include: changes.Include, rows: changes.Rows
) -> dict[str, Any]:
    several = len(difference.twins) > 1
    return changes.diff(difference.records, service.registry.schemas, include=include, rows=rows, several_twins=several)
