"""Environments that are awake: their pages, where they stand, and the way back over their latest operations."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from twindiff.kit.clock import Clock
from twindiff.storage import Origin, WorkDue
from twindiff.storage.journal import Record

from .database import Database
from .pages import Pages, Undo
from .store import Tables

REMEMBERED = 256
"""Operations over which an environment can go back without asking the journal."""

POOLED = 32
"""Connections of one twin; environments take turns on them."""


class Standing(NamedTuple):
    """A point: after which record, with which clock (and wall clock then) and counters."""

    seq: int
    clock: int
    at: int
    counters: dict[str, int]


class Step(NamedTuple):
    """One operation, as far as going back over it needs."""

    before: Standing
    seq: int
    twin: str
    undo: Undo


class Space:
    """One environment; the journal says the same, only later."""

    __slots__ = ("due", "env", "imaged", "origin", "pages", "standing", "steps")

    def __init__(self, env: str, origin: Origin, standing: Standing, due: int) -> None:
        self.env = env
        self.origin = origin
        self.standing = standing
        self.pages: dict[str, Pages] = {}
        self.steps: deque[Step] = deque(maxlen=REMEMBERED)
        self.imaged = 0
        self.due = due
        """No later than the time of any work that falls due."""

    @property
    def seq(self) -> int:
        return self.standing.seq

    def now(self, wall: int, *, writes: bool) -> Clock:
        """The environment's time at a wall-clock instant."""
        return self.origin.clock.at(wall, self.standing.clock, self.standing.at, writes=writes)

    def time_of(self, at: int | None, wall: int, *, writes: bool) -> tuple[Clock, int]:
        """The time of an operation, and the wall clock then; raises WorkDue where `Engine.read` says so."""
        if at is None:
            clock = self.now(wall, writes=writes)
            if clock.micros >= self.due:
                raise WorkDue(clock.micros)
            return clock, wall
        _, last, last_wall, _ = self.standing
        clock = max(at, last)
        return Clock(clock), self.origin.clock.wall_of(clock, wall, last, last_wall)

    def go_on(self, record: Record, undo: Undo) -> None:
        """Stand after an operation that wrote."""
        self.steps.append(Step(self.standing, record.seq, record.twin, undo))
        self.standing = standing_after(record)

    def advance(self, record: Record) -> None:
        """Stand after a record that set the clock."""
        twin = next(iter(self.pages))
        self.steps.append(Step(self.standing, record.seq, twin, Undo(self.pages[twin].count)))
        self.standing = standing_after(record)

    def return_to(self, pages: dict[str, Pages], standing: Standing, record: Record, *, remembered: bool) -> None:
        """Stand at an earlier point again, after the record that says so; the way back from there stays known."""
        while self.steps and (not remembered or self.steps[-1].seq > standing.seq):
            self.steps.pop()
        self.pages = pages
        twin = next(iter(pages))
        self.steps.append(Step(standing, record.seq, twin, Undo(pages[twin].count)))
        self.standing = standing_after(record)

    def remembers(self, seq: int) -> bool:
        """Whether the way back to a point is known."""
        return seq == self.seq or any(step.before.seq == seq for step in self.steps)

    def pages_at(self, seq: int) -> tuple[dict[str, Pages], Standing]:
        """Copies of the pages as they were at a remembered point, and where it stood."""
        pages = {twin: each.copy() for twin, each in self.pages.items()}
        standing = self.standing
        for step in reversed(self.steps):
            if standing.seq == seq:
                break
            pages[step.twin].take_back(step.undo)
            standing = step.before
        return pages, standing


def standing_at_birth(origin: Origin) -> Standing:
    """Where an environment stands before anything happened."""
    return Standing(0, origin.clock_start, origin.created, origin.counters)


def standing_after(record: Record) -> Standing:
    """Where an environment stands after a record."""
    return Standing(record.seq, record.clock, record.at, record.ids)


def standing_of_fork(standing: Standing, origin: Origin, made: int) -> Standing:
    """Where a fork that was made at this wall clock stands, given where its parent stood at the point."""
    return standing._replace(clock=origin.clock.resumed(made, standing.clock, standing.at), at=made)


class Pool:
    """The connections of one twin. Each stays with the pages it served last until another needs it."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self._databases: list[Database] = []
        self._next = 0

    def open(self, pages: Pages) -> Database:
        """A database over these pages, for the operation at hand."""
        database = pages.mounted
        if database is None or database.pages is not pages:
            database = pages.mounted = self._turn_to(pages)
        return database

    def _turn_to(self, pages: Pages) -> Database:
        if len(self._databases) < POOLED:
            database = Database(self.tables, pages)
            self._databases.append(database)
            return database
        self._next = (self._next + 1) % POOLED
        database = self._databases[self._next]
        database.mount(pages)
        return database

    def close(self) -> None:
        for database in self._databases:
            database.close()
