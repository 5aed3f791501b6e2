"""Templates made of seed configurations: the twin's own seeding runs once, as an operation, in a world of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple, cast

import msgspec

from twindiff.catalog import TemplateRecord
from twindiff.catalog.stamps import new_environment_id
from twindiff.kit.call import Call
from twindiff.kit.clock import ClockMode
from twindiff.kit.seeding import InvalidSeedConfig, Person
from twindiff.kit.twin import Twin
from twindiff.server.service import Service
from twindiff.server.starting import empty_template
from twindiff.storage import Intent, Moment, Origin

AGENT = Person("Agent", "agent@example.com")
"""Whom a run acts as; the first of every cast."""
BEGINNING = 1_767_603_600_000_000
"""5 January 2026, 9:00 UTC: when seeded worlds were made, so that the same configuration makes the same world."""
REMEMBERED = 256

Config = Mapping[str, Mapping[str, Any]]


class World(NamedTuple):
    """A template, and how many of each kind were seeded into it."""

    template: TemplateRecord
    counts: dict[str, int]


class Worlds:
    """Makes worlds, and knows those it made lately."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._made: dict[bytes, World] = {}

    def check(self, config: Config) -> None:
        """Try a whole configuration; raises InvalidSeedConfig that names every part that does not fit."""
        problems: list[str] = []
        people = cast_of(config)
        for name, parts in config.items():
            try:
                self.world(self._service.registry.get(name), parts, people)
            except InvalidSeedConfig as error:
                problems += [f"seed_config.{name}.{each}" for each in error.problems]
        if problems:
            raise InvalidSeedConfig(problems)

    def world(self, twin: Twin, config: Mapping[str, Any], people: Sequence[Person]) -> World:
        """The template of a configuration for one twin; raises InvalidSeedConfig."""
        if twin.seeding is None:
            raise InvalidSeedConfig([f"the {twin.name} twin takes no seed configuration; leave it out"])
        parts = twin.seeding.read(config)
        key = sha256(msgspec.json.encode([twin.name, config, people], order="sorted")).digest()
        if key not in self._made:
            if len(self._made) >= REMEMBERED:
                self._made.pop(next(iter(self._made)))
            self._made[key] = self._seeded(twin, parts, people)
        return self._made[key]

    def _seeded(self, twin: Twin, parts: Any, people: Sequence[Person]) -> World:
        engine, empty = self._service.engine, empty_template(self._service, twin)
        scratch, clock = new_environment_id(), ClockMode("steps", BEGINNING)
        origin = Origin({twin.name: empty.hash}, clock, created=BEGINNING, clock_start=BEGINNING)
        seeding = twin.seeding
        assert seeding, "only a twin that can be seeded comes here"

        def work(moment: Moment) -> dict[str, int]:
            return seeding.write(Call("", moment.db, moment.clock), parts, people)

        engine.create(scratch, origin)
        try:
            counts, _ = engine.write(scratch, Intent(twin.name, "seed", ""), work)
            stored = engine.copy_template(scratch, origin, twin.name)
        finally:
            engine.delete(scratch)
        template = msgspec.structs.replace(empty, hash=stored.hash, counters=stored.counters)
        return World(template, counts)


def cast_of(config: Config) -> list[Person]:
    """The people of a world: whoever any twin's configuration names, once, the agent first."""
    found = {AGENT.email: AGENT}
    for parts in config.values():
        users: Any = parts.get("users", [])
        named = map(_person, cast(list[Any], users) if isinstance(users, list) else [])
        found.update({person.email: person for person in named if person and person.email not in found})
    return list(found.values())


class _Named(msgspec.Struct):
    """A part that says who somebody is."""

    name: str
    real_name: str | None = None
    email: str | None = None
    timezone: str | None = None


def _person(given: Any) -> Person | None:
    """The person whom a part names; None for what does not fit, which is for the twin to refuse."""
    try:
        named = _Named(given) if isinstance(given, str) else msgspec.convert(given, _Named)
    except msgspec.ValidationError:
        return None
    return Person(named.real_name or named.name, named.email or email_of(named.name), named.timezone or AGENT.timezone)


def email_of(name: str) -> str:
    """The address of somebody of whom only the name is known."""
    return f"{'.'.join(name.lower().split())}@example.com"
