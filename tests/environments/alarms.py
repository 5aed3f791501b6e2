"""A twin of alarms, each by one kind of time, that ring by themselves."""

from __future__ import annotations

from typing import Any

from twindiff.environments.registry import Registry
from twindiff.kit import ApiError, Call, Column, Operations, Row, Timestamp, Twin, Users, column
from twindiff.kit.errors import NotServed
from twindiff.kit.styles.base import Style

api = Operations()


class Person(Row, table="people", key=("person_id",)):
    person_id: Column[str]
    email: Column[str]


class Alarm(Row, table="alarms", key=("alarm_id",)):
    """It rings at a second since 1970, `again` times more after so many seconds."""

    alarm_id: Column[str]
    person_id: Column[str]
    rings_at: Column[int | None] = column(default=None)
    every: Column[int] = column(default=0)
    again: Column[int] = column(default=0)


class Egg(Row, table="eggs", key=("egg_id",)):
    egg_id: Column[int]
    done_at: Column[Timestamp | None] = column(default=None)
    then: Column[str] = column(default="be eaten")
    peeled_at: Column[Timestamp | None] = column(default=None)


class Ring(Row, table="rings", key=("ring_id",)):
    ring_id: Column[str]
    of: Column[str]
    at: Column[Timestamp]
    by: Column[str]


class Burnt(ApiError):
    """It is not to be eaten."""

    status = 409


@api.post("/alarms")
def set_alarm(call: Call, id: str, at: int | None = None, every: int = 0, again: int = 0) -> dict[str, Any]:
    """Set an alarm, or set it anew."""
    known = call.db.find(Alarm, Alarm.alarm_id == id)
    if known:
        call.db.change(known, rings_at=at, every=every, again=again)
    else:
        call.db.add(Alarm(alarm_id=id, person_id=call.actor, rings_at=at, every=every, again=again))
    return {}


@api.post("/eggs")
def boil(call: Call, id: int, done_at: str, then: str = "be eaten", peeled_at: str | None = None) -> dict[str, Any]:
    """Put an egg on; `then` says what it does when it is done."""
    call.db.add(Egg(egg_id=id, done_at=done_at, then=then, peeled_at=peeled_at))
    return {}


@api.post("/notes")
def note(call: Call, text: str) -> dict[str, Any]:
    """Write something that has nothing to do with time."""
    _ring(call, text)
    return {}


@api.get("/rings")
def rings(call: Call) -> list[list[str]]:
    """What has rung, when, by whom."""
    return [[each.of, each.at, each.by] for each in call.db.rows(Ring, order=(Ring.at, Ring.ring_id))]


@api.due(Alarm.rings_at, actor=Alarm.person_id)
def ring(call: Call, row: Alarm) -> None:
    """Ring, and perhaps again later."""
    _ring(call, row.alarm_id)
    later = row.again and (row.rings_at or 0) + row.every
    call.db.change(row, rings_at=later or None, again=max(0, row.again - 1))


OUTAGES: list[NotServed] = []
"""What the storage says instead, once each, of eggs that are done."""


@api.due(Egg.done_at)
def take_off(call: Call, row: Egg) -> None:
    """Take an egg off the stove."""
    if OUTAGES:
        raise OUTAGES.pop()
    _ring(call, f"egg {row.egg_id}")
    if row.then == "burn":
        raise Burnt
    if row.then == "explode":
        raise ZeroDivisionError(row.egg_id)
    if row.then == "be weighed":
        call.blobs.put(b"60 g")
    if row.then.startswith("silence "):
        alarm = call.db.get(Alarm, row.then.removeprefix("silence "))
        call.db.change(alarm, rings_at=None)
    if row.then.startswith("put off "):
        alarm = call.db.get(Alarm, row.then.removeprefix("put off "))
        call.db.change(alarm, rings_at=(alarm.rings_at or 0) + 20)
    if row.then != "stay":
        call.db.remove(row)


@api.due(Egg.peeled_at, Egg.then == "burn")
def peel(call: Call, row: Egg) -> None:
    """Peel an egg that was burnt, which never works."""
    raise Burnt


def _ring(call: Call, of: str) -> None:
    call.db.add(Ring(ring_id=f"{call.db.next('ring'):04}", of=of, at=call.clock.iso(), by=call.actor))


twin = Twin(
    "alarms",
    Style(),
    api,
    tables=(Person, Alarm, Egg, Ring),
    users=Users(Person, Person.person_id, Person.email),
    templates={
        "empty": lambda: {"people": [{"person_id": "P1", "email": "p1@example.com"}]},
        "crowd": lambda: {
            "people": [{"person_id": "P1", "email": "p1@example.com"}],
            "alarms": [{"alarm_id": f"{n:03}", "person_id": "P1", "rings_at": 1_800_000_060} for n in range(300)],
        },
        "nobody": lambda: {
            "people": [{"person_id": "P1", "email": "p1@example.com"}],
            "alarms": [{"alarm_id": "lost", "person_id": "", "rings_at": 1_800_000_060}],
        },
        "set": lambda: {
            "people": [{"person_id": "P1", "email": "p1@example.com"}],
            "alarms": [
                {"alarm_id": "past", "person_id": "P1", "rings_at": 1_700_000_000},
                {"alarm_id": "soon", "person_id": "P1", "rings_at": 1_800_000_060},
            ],
        },
    },
)
registry = Registry([twin])
