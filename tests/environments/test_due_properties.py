"""However the clock got there, the same work was done at the same times; and what is repeated is the same again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.environments.alarms import registry
from tests.server_mode import stored
from twindiff.catalog import EnvironmentRecord
from twindiff.catalog.stamps import wall
from twindiff.environments.environments import LoadedEnvironment
from twindiff.kit.auth import Tokens
from twindiff.kit.clock import SECOND, Clock, ClockMode, Mode
from twindiff.server import Service, Settings
from twindiff.storage import EnvironmentOrigin
from twindiff.storage.journal import ADVANCE, JournalRecord

START = 1_800_000_000
LAST = 100
A_YEAR = 365 * 24 * 3600

ALARMS = st.builds(
    lambda at, every, again: {"rings_at": None if at is None else START + at, "every": every, "again": again},
    st.none() | st.integers(-5, LAST),
    st.integers(1, 20),
    st.integers(0, 3),
)
EGGS = st.builds(
    lambda at, then: {"done_at": None if at is None else Clock(START * SECOND + at * SECOND // 2).iso(), "then": then},
    st.none() | st.integers(-5, 2 * LAST),
    st.sampled_from(["be eaten", "be eaten", "burn", "explode", "stay"]),
)


class Kitchen:
    """A service whose environments begin at any time one likes."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._engine = service.engine
        self._template = ""

    def furnish(self, alarms: list[dict[str, Any]], eggs: list[dict[str, Any]]) -> None:
        """What the environments to come begin with."""
        people = [{"person_id": "P1", "email": "p1@example.com"}]
        rows = {
            "people": people,
            "alarms": [{"alarm_id": f"A{n}", "person_id": "P1", **each} for n, each in enumerate(alarms)],
            "eggs": [{"egg_id": n, **each} for n, each in enumerate(eggs)],
            "rings": [{"ring_id": uuid4().hex, "of": "", "at": "2000-01-01T00:00:00", "by": ""}],
        }
        self._template = self._service.templates.add(registry.get("alarms"), uuid4().hex, rows, origin="test").hash

    def environment(self, mode: Mode, *, age: int = 0) -> LoadedEnvironment:
        """An environment that began so many seconds ago by the wall clock."""
        created = wall() - age * SECOND
        clock = ClockMode(mode, START * SECOND)
        origin = EnvironmentOrigin({"alarms": self._template}, clock, created, clock.start)
        record = EnvironmentRecord(
            environment_id=uuid4().hex,
            status="ready",
            service="alarms",
            templates={"alarms": "any"},
            origin=msgspec.to_builtins(origin),
            tokens=msgspec.to_builtins(Tokens("P1")),
            token_hash="",
            created=created,
            created_at=Clock(created).iso(),
            expires=created + A_YEAR * SECOND * 100,
        )
        self._engine.create(record.environment_id, origin)
        return LoadedEnvironment(record, registry)

    def advance(self, environment: LoadedEnvironment, to: int, *, most: int = 100) -> None:
        """Set the clock to so many seconds after the start; `most` pieces of work are kept at once."""
        target = (START + to) * SECOND
        while self._service.calls.due.do_some(environment, target, most):
            pass
        if target > self._engine.present(environment.id).clock:
            self._engine.advance(environment.id, target)

    def look(self, environment: LoadedEnvironment) -> None:
        """One call that reads, which finds whatever is due."""

        def read(at: int | None) -> None:
            self._engine.read(environment.id, "alarms", lambda moment: None, at=at)

        self._service.calls.due.before(environment, read)

    def work(self, environment: LoadedEnvironment) -> list[Any]:
        """What the journal says of work that fell due."""
        return [_work(record) for record in self._engine.records(environment.id) if record.operation != ADVANCE]

    def rewind(self, environment: LoadedEnvironment, to: int) -> None:
        self._engine.rewind(environment.id, to)

    def seq(self, environment: LoadedEnvironment) -> int:
        return self._engine.seq(environment.id)


def _work(record: JournalRecord) -> tuple[Any, ...]:
    return record.operation, record.actor, record.clock - START * SECOND, record.ids, record.changes


@pytest.fixture(scope="module")
def kitchen() -> Iterator[Kitchen]:
    """No server runs beside it: an engine is for one thread, and a server's would maintain it at the same time."""
    with stored(Settings(), registry) as settings:
        service = Service(settings, registry)
        yield Kitchen(service)
        service.close()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    alarms=st.lists(ALARMS, max_size=4),
    eggs=st.lists(EGGS, max_size=4),
    stops=st.lists(st.integers(0, 2 * LAST), max_size=5),
)
def test_one_step_many_steps_and_finding_out_late_do_the_same_work(
    kitchen: Kitchen, alarms: list[dict[str, Any]], eggs: list[dict[str, Any]], stops: list[int]
):
    kitchen.furnish(alarms, eggs)
    one, many, late = (
        kitchen.environment("frozen"),
        kitchen.environment("steps"),
        kitchen.environment("offset", age=A_YEAR),
    )
    kitchen.advance(one, 2 * LAST)
    for stop in [*sorted(stops), 2 * LAST]:
        kitchen.advance(many, stop, most=1)
    kitchen.look(late)
    assert kitchen.work(one) == kitchen.work(many) == kitchen.work(late)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    alarms=st.lists(ALARMS, min_size=1, max_size=4),
    eggs=st.lists(EGGS, max_size=4),
    back=st.integers(0, 20),
)
def test_a_rewind_and_the_same_again_repeat_the_journal(
    kitchen: Kitchen, alarms: list[dict[str, Any]], eggs: list[dict[str, Any]], back: int
):
    kitchen.furnish(alarms, eggs)
    environment = kitchen.environment("steps")
    kitchen.advance(environment, 2 * LAST)
    done = kitchen.work(environment)
    point = back % (kitchen.seq(environment) + 1)
    kitchen.rewind(environment, point)
    kitchen.advance(environment, 2 * LAST)
    (_, *again) = kitchen.work(environment)[len(done) :]
    assert again == done[point:]
