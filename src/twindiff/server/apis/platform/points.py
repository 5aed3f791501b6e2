"""Operations for points of an environment: name them, rewind to them, compare them, fork from them.
A point is a seq or the name of a checkpoint; 0 is the state of the templates.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from twindiff import changes
from twindiff.catalog import CheckpointRecord
from twindiff.environments.environments import CreatedEnvironment
from twindiff.environments.points import Point
from twindiff.kit.errors import ApiError
from twindiff.kit.twin import Operations
from twindiff.server.apis.platform.environments import EnvironmentReset
from twindiff.server.service import Service
from twindiff.server.use_cases import points as use_cases
from twindiff.server.use_cases import ports

api = Operations()

MAX_FORKS = 1000


class InvalidCount(ApiError):
    """Between 1 and 1,000 environments can be forked at once."""


Count = Annotated[int, msgspec.Meta(ge=1, le=MAX_FORKS), InvalidCount]


class CheckpointShown(msgspec.Struct, rename="camel"):
    """A named point."""

    name: str
    seq: int
    created_at: str


class CheckpointList(msgspec.Struct):
    checkpoints: list[CheckpointShown]


class Fork(msgspec.Struct, rename="camel"):
    """An environment forked from its `parent` at the point `at`; `agentToken` opens its services and nothing else."""

    environment_id: str
    environment_url: str
    agent_token: str
    parent: str
    at: int


class ForkList(msgspec.Struct):
    environments: list[Fork]


class RewindResult(msgspec.Struct, rename="camel"):
    """`seq` is the rewind itself, `to` the point that it returned to."""

    environment_id: str
    seq: int
    to: int


class PointDiff(msgspec.Struct, rename={"environment_id": "environmentId", "start": "from", "end": "to"}):
    """The net diff between two points."""

    environment_id: str
    start: int
    end: int
    diff: msgspec.Raw


class PortOpened(msgspec.Struct, rename="camel"):
    """A loopback URL that serves one twin only."""

    environment_id: str
    twin: str
    url: str


@api.post("/env/{envId}/checkpoints", status=201)
async def create_checkpoint(service: Service, env_id: str, name: str, at: Point | None = None) -> CheckpointShown:
    """Name a point: the current one, or `at`."""
    return _checkpoint(await use_cases.create_checkpoint(service, env_id, name, at))


@api.get("/env/{envId}/checkpoints")
def list_checkpoints(service: Service, env_id: str) -> CheckpointList:
    """The checkpoints of an environment, in the order they were made."""
    return CheckpointList([_checkpoint(record) for record in service.points.checkpoints(env_id)])


@api.delete("/env/{envId}/checkpoints/{name}")
def delete_checkpoint(service: Service, env_id: str, name: str) -> CheckpointShown:
    """Delete a checkpoint's name; its seq remains a point."""
    return _checkpoint(service.points.remove(env_id, name))


def _checkpoint(record: CheckpointRecord) -> CheckpointShown:
    return CheckpointShown(record.name, record.seq, record.created_at)


@api.post("/env/{envId}/fork", status=201)
async def fork_environment(
    service: Service, env_id: str, at: Point | None = None, count: Count = 1, name: str | None = None
) -> ForkList:
    """Create independent environments from the current point, or from `at`: all of them, or none."""
    return ForkList([_fork(each) for each in await use_cases.fork(service, env_id, at, count, name)])


def _fork(made: CreatedEnvironment) -> Fork:
    record = made.environment
    url = f"/api/env/{record.environment_id}/services/{record.service}"
    return Fork(record.environment_id, url, made.agent_token, record.parent or "", record.parent_seq or 0)


@api.post("/env/{envId}/rewind")
async def rewind_environment(service: Service, env_id: str, to: Point) -> RewindResult:
    """Rewind to a point: rows, clock and ids are as they were then. Runs that span it report it under `rewound`.
    Later records stay in the journal, and their points can be returned to.
    """
    return RewindResult(env_id, *await use_cases.rewind(service, env_id, to))


@api.post("/env/{envId}/reset")
async def reset_environment(service: Service, env_id: str) -> EnvironmentReset:
    """Reset to the templates' state, point 0; runs that span the reset report it under `rewound`."""
    return EnvironmentReset(env_id, await use_cases.reset(service, env_id))


@api.get("/env/{envId}/diff")
async def diff_points(
    service: Service,
    env_id: str,
    from_: Point = 0,
    to: Point | None = None,
    include: changes.Include = "plain",
    rows: changes.Rows = "full",
) -> PointDiff:
    """The net difference between two points, by default from the templates' state to the current one."""
    difference, text = await use_cases.diff_points(service, env_id, from_, to, include, rows)
    return PointDiff(env_id, difference.start, difference.end, msgspec.Raw(text))


@api.post("/env/{envId}/ports", status=201)
async def open_port(service: Service, env_id: str, twin: str) -> PortOpened:
    """Open a loopback port that serves one twin only, for SDKs that drop the path of a base URL; at most 256."""
    environment = service.environments.get(env_id)
    name = service.twin_of(environment, twin).name
    return PortOpened(environment.id, name, await ports.open_port(service, environment.id, name))
