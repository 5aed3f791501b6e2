"""The context that all pages of an environment share: its record, its position, its clock and its twins."""

from __future__ import annotations

from typing import Any, NamedTuple

from starlette.requests import Request

from twindiff.catalog import CheckpointRecord, EnvironmentRecord
from twindiff.environments.environments import LoadedEnvironment
from twindiff.environments.points import Point
from twindiff.kit.clock import Clock
from twindiff.kit.twin import Twin
from twindiff.server.service import Service


class PageContext(NamedTuple):
    """The environment of a page; `environment` is None once it has ended."""

    record: EnvironmentRecord
    environment: LoadedEnvironment | None
    seq: int
    checkpoints: list[CheckpointRecord]
    now: str
    next: str
    """The next due job and its time, as text; empty if there is none."""
    twins: list[str]
    screens: list[str]
    """Twins that have inspector views."""

    @property
    def id(self) -> str:
        return self.record.environment_id

    @property
    def base(self) -> str:
        return f"/inspect/environments/{self.id}"

    @property
    def title(self) -> str:
        return self.record.name or self.id[:8]


async def look(service: Service, environment_id: str) -> PageContext:
    """Load the context of an environment without changing it; raises what `Environments.record` raises."""
    record = service.environments.record(environment_id)
    if record.status == "ready":
        return await _look_at_living(service, record)
    return PageContext(record, None, service.engine.seq(record.environment_id), [], "", "", list(record.templates), [])


async def _look_at_living(service: Service, record: EnvironmentRecord) -> PageContext:
    environment = service.environments.get(record.environment_id)
    await service.loader.load(environment)
    state = service.clocks.show(environment.id)
    waits = f"{state.operation} at {Clock(state.next.due).iso()[:19].replace('T', ' ')}" if state.next else ""
    return PageContext(
        record,
        environment,
        service.engine.seq(environment.id),
        service.points.checkpoints(environment.id),
        Clock(state.now).iso(),
        waits,
        [*environment.twins],
        [name for name, twin in environment.twins.items() if twin.screen],
    )


def living(looking: PageContext, service: Service) -> LoadedEnvironment:
    """The loaded environment; raises EnvironmentDeleted or EnvironmentExpired if it has ended."""
    return looking.environment or service.environments.get(looking.id)


def twin_of(service: Service, environment: LoadedEnvironment, request: Request) -> Twin:
    """The twin named in the URL; raises TwinNotFound."""
    return service.twin_of(environment, request.path_params["twin"])


def point(service: Service, looking: PageContext, given: str | None) -> int | None:
    """The seq of a point in the URL; None for the current one."""
    if not given:
        return None
    at: Point = given
    seq = service.points.seq(looking.id, at)
    return None if seq == looking.seq else seq


def number(given: str | None, otherwise: int = 0, most: int = 2**53) -> int:
    """Parse a number in the URL, at most `most`; returns `otherwise` if it is missing or invalid."""
    return min(int(given), most) if given and given.isascii() and given.isdecimal() and len(given) < 17 else otherwise


def head_context(looking: PageContext, tab: str) -> dict[str, Any]:
    """The template variables of the head of an environment's pages."""
    return {"env": looking, "tab": tab}
