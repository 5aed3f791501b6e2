"""What every page of an environment begins with: its record, where it stands, and what one can do with it."""

from __future__ import annotations

from typing import Any, NamedTuple

from starlette.requests import Request

from twindiff.catalog import CheckpointRecord, EnvironmentRecord
from twindiff.environments.environments import LoadedEnvironment
from twindiff.environments.points import Point
from twindiff.kit.clock import Clock
from twindiff.kit.twin import Twin
from twindiff.server.service import Service


class Looking(NamedTuple):
    """An environment that is looked at; `environment` is None once it has ended."""

    record: EnvironmentRecord
    environment: LoadedEnvironment | None
    seq: int
    checkpoints: list[CheckpointRecord]
    now: str
    next: str
    """What falls due next, in words."""
    twins: list[str]
    screens: list[str]
    """Twins that show themselves to people."""

    @property
    def id(self) -> str:
        return self.record.environment_id

    @property
    def base(self) -> str:
        return f"/inspect/environments/{self.id}"

    @property
    def title(self) -> str:
        return self.record.name or self.id[:8]


async def look(service: Service, environment_id: str) -> Looking:
    """Open an environment without changing anything in it; raises what `Environments.record` raises."""
    record = service.environments.record(environment_id)
    if record.status == "ready":
        return await _look_at_living(service, record)
    return Looking(record, None, service.engine.seq(record.environment_id), [], "", "", list(record.templates), [])


async def _look_at_living(service: Service, record: EnvironmentRecord) -> Looking:
    environment = service.environments.get(record.environment_id)
    await service.awaken(environment)
    state = service.clocks.show(environment.id)
    waits = f"{state.operation} at {Clock(state.next.due).iso()[:19].replace('T', ' ')}" if state.next else ""
    return Looking(
        record,
        environment,
        service.engine.seq(environment.id),
        service.points.checkpoints(environment.id),
        Clock(state.now).iso(),
        waits,
        [*environment.twins],
        [name for name, twin in environment.twins.items() if twin.screen],
    )


def living(looking: Looking, service: Service) -> LoadedEnvironment:
    """The environment; raises EnvironmentDeleted or EnvironmentExpired when it has ended."""
    return looking.environment or service.environments.get(looking.id)


def twin_of(service: Service, environment: LoadedEnvironment, request: Request) -> Twin:
    """The twin that an address names; raises TwinNotFound."""
    return service.twin_of(environment, request.path_params["twin"])


def point(service: Service, looking: Looking, given: str | None) -> int | None:
    """The point that an address names; None for the present one."""
    if not given:
        return None
    at: Point = given
    seq = service.points.seq(looking.id, at)
    return None if seq == looking.seq else seq


def number(given: str | None, otherwise: int = 0, most: int = 2**53) -> int:
    """A number of an address; what is none counts as not given."""
    return min(int(given), most) if given and given.isascii() and given.isdecimal() and len(given) < 17 else otherwise


def head_context(looking: Looking, tab: str) -> dict[str, Any]:
    """What the head of an environment's pages shows."""
    return {"env": looking, "tab": tab}
