"""Builds templates from seed configurations: runs the twin's seeding as one operation in a scratch environment."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from datetime import date, timedelta
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple, cast

import msgspec

from twindiff.catalog import TemplateRecord
from twindiff.catalog.stamps import new_environment_id
from twindiff.environments.due import run_due_within
from twindiff.kit.call import Call
from twindiff.kit.clock import SECOND, ClockMode
from twindiff.kit.errors import ApiError
from twindiff.kit.seeding import InvalidSeedConfig, Person, Seeding
from twindiff.kit.twin import Twin
from twindiff.server.default_templates import empty_template
from twindiff.server.service import Service
from twindiff.storage import EnvironmentOrigin, OperationContext, OperationInfo, Template
from twindiff.storage.cooperative import CooperativeStep, run_to_end
from twindiff.storage.deadline import NEVER
from twindiff.storage.journal import Values

AGENT = Person("Agent", "agent@example.com")
"""The acting user of a run; the first person of every cast."""
WORLDS_BEGIN = 1_767_603_600_000_000
"""Monday, 5 January 2026, 9:00 UTC, in microseconds: the start time of seeded worlds and their runs. It is fixed so
that the same configuration builds the same world, and its "tomorrow" stays a day ahead.
"""
HOUR = 3600 * SECOND
DAY = 24 * HOUR
WEEK = 7 * DAY
REMEMBERED = 256
_DATE = re.compile(r"(20\d\d-\d\d-\d\d)(T\d\d:\d\d.*)?")

Config = Mapping[str, Mapping[str, Any]]
Wanted = tuple[Twin, Mapping[str, Any], Sequence[Person]]
"""A twin, its part of a configuration, and the people of the whole world."""


class WorldTime(NamedTuple):
    """When a world begins, and the later instant for which it is made; both in microseconds since 1970.

    What falls due between the two has happened: renewals are billed, scheduled messages are sent.
    """

    begins: int = WORLDS_BEGIN
    reaches: int = WORLDS_BEGIN


USUAL_TIME = WorldTime()


class SeededWorld(NamedTuple):
    """A seeded template, and the number of seeded records by kind."""

    template: TemplateRecord
    counts: dict[str, int]
    last_due: int
    next_due: int
    """None of its jobs is due between these instants (microseconds since 1970): it is the world of any of them."""


class SeededRecords(NamedTuple):
    """The number of seeded records by kind, when the last job was due that ran afterwards, and when the next one is."""

    counts: dict[str, int]
    last_due: int
    next_due: int


class Worlds:
    """Builds worlds with a cache of recent ones; rebuilds a cached world whose template was deleted."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._made: dict[bytes, SeededWorld] = {}

    def world(
        self, twin: Twin, config: Mapping[str, Any], people: Sequence[Person], time: WorldTime = USUAL_TIME
    ) -> SeededWorld:
        """Build or find the world of a configuration for one twin, as of an instant; raises InvalidSeedConfig."""
        wanted = (twin, config, people)
        world = self._find(wanted, time)
        if world is None:
            parts = _seeding(twin).read(config)
            world = self._keep(wanted, time, self._seed(twin, parts, people, time))
        return world

    def rows(self, twin: str, config: Config, time: WorldTime = USUAL_TIME) -> dict[str, list[Values]]:
        """The rows of one twin's world as of an instant, by table; raises InvalidSeedConfig."""
        named = self._service.registry.get(twin)
        world = self.world(named, config.get(named.name, {}), cast_of(config), time)
        return self._service.engine.template_rows(named.name, world.template.hash)

    def has(self, config: Config, twins: Collection[str], time: WorldTime = USUAL_TIME) -> bool:
        """Whether the worlds of these twins are built already; raises UnknownTwin for a name in the configuration."""
        return all(self._find(each, time) for each in self._wanted_worlds(config, twins) if each[0].seeding)

    async def prepare(self, config: Config, twins: Collection[str] | None = None, time: WorldTime = USUAL_TIME) -> None:
        """Build the worlds of a configuration, or of some of its twins, off the event loop.
        Raises UnknownTwin, or InvalidSeedConfig with every problem of all twins.
        """
        problems: list[str] = []
        for wanted in self._wanted_worlds(config, twins):
            try:
                await self._prepare(wanted, time)
            except InvalidSeedConfig as error:
                problems += [f"seed_config.{wanted[0].name}.{each}" for each in error.problems]
        if problems:
            raise InvalidSeedConfig(problems)

    def _wanted_worlds(self, config: Config, twins: Collection[str] | None) -> list[Wanted]:
        """The worlds to build: each twin with its part of the configuration, which may be empty, and the people."""
        people = cast_of(config)
        given = {self._service.registry.get(name).name: parts for name, parts in config.items()}
        names = [*given] if twins is None else [name for name in twins if name in given or self._takes_people(name)]
        return [(self._service.registry.get(name), given.get(name, {}), people) for name in names]

    def _takes_people(self, name: str) -> bool:
        return self._service.registry.get(name).seeding is not None

    async def _prepare(self, wanted: Wanted, time: WorldTime) -> None:
        twin, config, people = wanted
        seeding = _seeding(twin)
        if not self._find(wanted, time):
            self._keep(wanted, time, await self._seeded_aside(twin, seeding.read(config), people, time))

    def _find(self, wanted: Wanted, time: WorldTime) -> SeededWorld | None:
        """A cached world of that time whose template is still stored."""
        world = self._made.get(_key(wanted, time.begins))
        if world is None or not world.last_due <= time.reaches < world.next_due:
            return None
        return world if self._service.engine.has_template(world.template.service, world.template.hash) else None

    def _keep(self, wanted: Wanted, time: WorldTime, world: SeededWorld) -> SeededWorld:
        if len(self._made) >= REMEMBERED:
            self._made.pop(next(iter(self._made)))
        self._made[_key(wanted, time.begins)] = world
        return world

    def _seed(self, twin: Twin, parts: Any, people: Sequence[Person], time: WorldTime) -> SeededWorld:
        scratch = self._scratch(twin, time.begins)
        try:
            seeded, _ = self._service.engine.write(scratch.id, _intent(twin), _work(twin, parts, people, time))
            return _world(scratch, run_to_end(self._copying(twin, scratch)), seeded)
        finally:
            self._service.engine.delete(scratch.id)

    async def _seeded_aside(self, twin: Twin, parts: Any, people: Sequence[Person], time: WorldTime) -> SeededWorld:
        """Build a world off the event loop, where the embedded engine would block it."""
        engine = self._service.engine.embedded
        if engine is None:
            return self._seed(twin, parts, people, time)
        scratch = self._scratch(twin, time.begins)
        try:
            snapshot = engine.snapshot(scratch.id, twin.name, writes=True)
            write = partial(snapshot.write, scratch.id, _intent(twin), limit=lambda: NEVER)
            seeded, _ = await self._service.runtime.run_in_thread(partial(write, _work(twin, parts, people, time)))
            engine.take_over(snapshot)
            template = await self._service.runtime.run_steps(self._copying(twin, scratch))
            return _world(scratch, template, seeded)
        finally:
            engine.delete(scratch.id)

    def _scratch(self, twin: Twin, begins: int) -> Scratch:
        empty = empty_template(self._service, twin)
        origin = EnvironmentOrigin(
            {twin.name: empty.hash}, ClockMode("steps", begins), created=begins, clock_start=begins
        )
        scratch = Scratch(new_environment_id(), origin, empty)
        self._service.engine.create(scratch.id, origin)
        return scratch

    def _copying(self, twin: Twin, scratch: Scratch) -> Generator[CooperativeStep, None, Template]:
        return self._service.engine.copy_template(scratch.id, scratch.origin, twin.name)


class Scratch(NamedTuple):
    """A scratch environment in which a world is built."""

    id: str
    origin: EnvironmentOrigin
    empty: TemplateRecord


def _world(scratch: Scratch, stored: Template, seeded: SeededRecords) -> SeededWorld:
    template = msgspec.structs.replace(scratch.empty, hash=stored.hash, counters=stored.counters)
    return SeededWorld(template, *seeded)


def _seeding(twin: Twin) -> Seeding:
    """The seeding of a twin; raises InvalidSeedConfig if it has none."""
    if twin.seeding is None:
        raise InvalidSeedConfig(["the twin takes no seed configuration; leave it out"])
    return twin.seeding


def _key(wanted: Wanted, begins: int) -> bytes:
    twin, config, people = wanted
    return sha256(msgspec.json.encode([twin.name, config, people, begins], order="sorted")).digest()


def find_latest_beginning(now: int) -> int:
    """The latest Monday, 9:00 UTC, before an instant: when the worlds of runs begin whose clock starts then.

    Instants are in microseconds since 1970.
    """
    return WORLDS_BEGIN + (now - WORLDS_BEGIN) // WEEK * WEEK


def find_beginning_today(now: int) -> tuple[int, int]:
    """When the worlds begin whose prompts speak of today: the latest 9:00 UTC before an instant; and by how much their
    dates move, whole days. All are in microseconds.
    """
    midnight = WORLDS_BEGIN // DAY * DAY
    by = (now - midnight) // DAY * DAY
    begins = WORLDS_BEGIN + by
    return begins if begins <= now else begins - DAY, by


def shift_dates(value: Any, by: int) -> Any:
    """Move all dates and times in a configuration, such as `2026-01-06T10:00`, by a number of microseconds."""
    if not by:
        return value
    if isinstance(value, str):
        match = _DATE.fullmatch(value)
        if match is None:
            return value
        moved = date.fromisoformat(match[1]) + timedelta(microseconds=by)
        return f"{moved.isoformat()}{match[2] or ''}"
    if isinstance(value, list | tuple):
        return [shift_dates(each, by) for each in cast("Sequence[Any]", value)]
    if isinstance(value, dict):
        return {name: shift_dates(each, by) for name, each in cast("dict[str, Any]", value).items()}
    return value


def _intent(twin: Twin) -> OperationInfo:
    return OperationInfo(twin.name, "seed", "")


def _work(
    twin: Twin, parts: Any, people: Sequence[Person], time: WorldTime
) -> Callable[[OperationContext], SeededRecords]:
    seeding = _seeding(twin)

    def seed(moment: OperationContext) -> SeededRecords:
        counts = seeding.write(Call("", moment.db, moment.clock), parts, people)
        try:
            return SeededRecords(counts, *run_due_within(twin, moment, time.begins, time.reaches))
        except ApiError as error:
            raise InvalidSeedConfig([f"what falls due before the run starts fails: {error}"]) from None

    return seed


def cast_of(config: Config) -> list[Person]:
    """The people named in the configuration of any twin, without duplicates, the agent first.

    Raises InvalidSeedConfig if one email address has several names.
    """
    people = {AGENT.email: AGENT}
    for parts in config.values():
        users: Any = parts.get("users", [])
        named = map(_person, cast(list[Any], users) if isinstance(users, list) else [])
        for person in filter(None, named):
            known = people.setdefault(person.email, person)
            if known.name != person.name:
                names = f"'{known.name[:100]}' and '{person.name[:100]}'"
                said = f"the users {names} have the email address '{person.email}'"
                raise InvalidSeedConfig(
                    [f"{said}; give one of them another `email`, or both the same name (`real_name` in Slack)"]
                )
    return list(people.values())


class _Named(msgspec.Struct):
    """The fields of a configuration entry that describe a person."""

    name: str
    real_name: str | None = None
    email: str | None = None
    timezone: str | None = None


def _person(given: Any) -> Person | None:
    """The person in a configuration entry; None if it is invalid, which the twin reports itself."""
    try:
        named = _Named(given) if isinstance(given, str) else msgspec.convert(given, _Named)
    except msgspec.ValidationError:
        return None
    return Person(named.real_name or named.name, named.email or email_of(named.name), named.timezone or AGENT.timezone)


def email_of(name: str) -> str:
    """The default email address for a name."""
    return f"{'.'.join(name.lower().split())}@example.com"
