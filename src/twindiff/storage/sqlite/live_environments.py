"""Environments that are awake: their pages, where they stand, and the way back over their latest operations."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from twindiff.kit.clock import Clock
from twindiff.storage import Origin, UnknownPoint, WorkDue
from twindiff.storage.due import earliest
from twindiff.storage.journal import JournalRecord

from .database import Database
from .pages import Pages, Undo
from .records import StoredRecord
from .table_sql import SqliteSchemaSql

REMEMBERED = 256
"""Operations over which an environment can go back without asking the journal, if their pages are not too many."""
UNDO_BYTES = 4 * 1024 * 1024
"""Bytes of replaced pages that an environment keeps, to go back without asking the journal."""
ALL_UNDO_BYTES = 256 * 1024 * 1024
"""Bytes of them that all environments keep together; each has an equal part of it."""

POOLED = 32
"""Connections of one twin; environments take turns on them."""


class JournalPosition(NamedTuple):
    """A point: after which record, with which clock (and wall clock then) and counters.

    `since` counts the operations on the way to it from the last image that was not a passing one.
    """

    seq: int
    clock: int
    at: int
    counters: dict[str, int]
    since: int = 0


class Imaged(NamedTuple):
    """An image on the way to where an environment stands: its ids by twin, and in which pages it differs from its base.

    `since` is 0, or how many operations a passing one is ahead of its base.
    """

    seq: int
    ids: dict[str, int]
    dirty: dict[str, set[int]]
    since: int


class Point(NamedTuple):
    """Pages to be written apart from an environment's own, where they stand, and the images on the way there."""

    pages: dict[str, Pages]
    position: JournalPosition
    images: list[Imaged]


class JournalSegment(NamedTuple):
    """Operations up to `seq` that were kept together, mostly one, as far as going back over them needs."""

    before: JournalPosition
    seq: int
    twin: str
    undo: Undo


class LiveEnvironment:
    """One environment; the journal says the same, only later."""

    __slots__ = ("begun", "due", "env", "images", "origin", "pages", "position", "steps", "undo_bytes")

    def __init__(self, env: str, origin: Origin, point: Point, due: int) -> None:
        self.env = env
        self.origin = origin
        self.pages, self.position, self.images = point
        self.begun = self.position.seq
        self.steps: deque[JournalSegment] = deque()
        self.undo_bytes = 0
        self.due = due
        """No later than the time of any work that falls due."""

    @property
    def seq(self) -> int:
        return self.position.seq

    @property
    def since_image(self) -> int:
        """Operations on the way from the last image to here."""
        return self.position.since - (self.images[-1].since if self.images else 0)

    def now(self, wall: int, *, writes: bool) -> Clock:
        """The environment's time at a wall-clock instant."""
        return self.origin.clock.at(wall, self.position.clock, self.position.at, writes=writes)

    def time_of(self, at: int | None, wall: int, *, writes: bool) -> tuple[Clock, int]:
        """The time of an operation, and the wall clock then; raises WorkDue where `Engine.read` says so."""
        if at is None:
            clock = self.now(wall, writes=writes)
            if clock.micros >= self.due:
                raise WorkDue(clock.micros)
            return clock, wall
        last, last_wall = self.position.clock, self.position.at
        clock = max(at, last)
        return Clock(clock), self.origin.clock.wall_of(clock, wall, last, last_wall)

    @contextmanager
    def ahead(self) -> Generator[None]:
        """Stand after operations that nobody knows of yet, and then where it stood; what is raised undoes them."""
        position, due = self.position, self.due
        try:
            yield
        except BaseException:
            self.due = due
            raise
        finally:
            self.position = position

    def go_on(self, records: Sequence[StoredRecord], undo: Undo) -> None:
        """Stand after operations of a twin that wrote, over which the way back is one."""
        last = records[-1]
        self._remember(JournalSegment(self.position, last.seq, last.twin, undo))
        self.position = position_after(last, self.position.since + len(records))

    def note_due(self, tables: SqliteSchemaSql, record: StoredRecord) -> None:
        """Note when work falls due by what a record has written."""
        due_at = tables.due_at
        written = [(row, due_at[name]) for name, _, _, row in record.changes if name in due_at and row is not None]
        if written:
            times = [row[place] for row, places in written for place in places]
            self.due = min(self.due, earliest(times, self.origin.clock_start))

    def advance(self, record: JournalRecord) -> None:
        """Stand after a record that set the clock."""
        twin = next(iter(self.pages))
        self._remember(JournalSegment(self.position, record.seq, twin, Undo(self.pages[twin].count)))
        self.position = position_after(record, self.position.since + 1)

    def return_to(self, point: Point, record: JournalRecord, *, remembered: bool) -> None:
        """Stand at an earlier point again, after the record that says so; the way back from there stays known."""
        while self.steps and (not remembered or self.steps[-1].seq > point.position.seq):
            self.undo_bytes -= self.steps.pop().undo.size
        self.pages, position, self.images = point
        twin = next(iter(self.pages))
        self._remember(JournalSegment(position, record.seq, twin, Undo(self.pages[twin].count)))
        self.position = position_after(record, position.since)

    def _remember(self, step: JournalSegment) -> None:
        self.steps.append(step)
        self.undo_bytes += step.undo.size
        if len(self.steps) > REMEMBERED or self.undo_bytes > UNDO_BYTES:
            self.forget_steps(UNDO_BYTES)

    def forget_steps(self, most_bytes: int) -> None:
        """Keep the way back over so many operations, and so many bytes, at most."""
        while self.steps and (len(self.steps) > REMEMBERED or self.undo_bytes > most_bytes):
            self.undo_bytes -= self.steps.popleft().undo.size
        if len(self.images) < 2:
            return
        first = self.steps[0].before.seq if self.steps else self.seq
        while len(self.images) > 1 and self.images[1].seq <= first and not self.images[1].since:
            del self.images[0]

    def refuse_unknown(self, seq: int) -> None:
        """Raises UnknownPoint for a point that is not there."""
        if not 0 <= seq <= self.seq:
            raise UnknownPoint(f"unknown point {seq}: this environment has points 0 to {self.seq}")

    def is_materialized(self, seq: int) -> bool:
        """Whether the way back to a point is known."""
        return seq == self.seq or any(step.before.seq == seq for step in self.steps)

    def point_at(self, seq: int) -> Point:
        """A remembered point."""
        pages, images = {twin: each.copy() for twin, each in self.pages.items()}, list(self.images)
        position = self.position
        for step in reversed(self.steps):
            if position.seq == seq:
                break
            pages[step.twin].take_back(step.undo)
            position = step.before
        while images and images[-1].seq > seq:
            _add_dirty(pages, images.pop())
        return Point(pages, position, images)

    def drop_passing(self) -> list[int]:
        """Be no more than different from the last image that is not passing; gives the ids of those that are."""
        dropped: list[int] = []
        while self.images and self.images[-1].since:
            passing = self.images.pop()
            _add_dirty(self.pages, passing)
            dropped += passing.ids.values()
        return dropped

    def note_image(self, ids: dict[str, int], since: int) -> None:
        """Stand at an image."""
        self.images.append(Imaged(self.seq, ids, {twin: pages.dirty for twin, pages in self.pages.items()}, since))
        for pages in self.pages.values():
            pages.dirty = set()
        self.position = self.position._replace(since=since)


def _add_dirty(pages: dict[str, Pages], image: Imaged) -> None:
    """Pages that differed from an image differ in more from the one before it."""
    for twin, numbers in image.dirty.items():
        pages[twin].dirty |= numbers


def position_at_birth(origin: Origin) -> JournalPosition:
    """Where an environment stands before anything happened."""
    return JournalPosition(0, origin.clock_start, origin.created, origin.counters)


def position_after(record: JournalRecord | StoredRecord, since: int) -> JournalPosition:
    """Where an environment stands after a record, so many operations after an image."""
    return JournalPosition(record.seq, record.clock, record.at, record.ids, since)


def position_of_fork(position: JournalPosition, origin: Origin, made: int) -> JournalPosition:
    """Where a fork that was made at this wall clock stands, given where its parent stood at the point."""
    return position._replace(clock=origin.clock.resume_at(made, position.clock, position.at), at=made)


class SqlitePool:
    """The connections of one twin. Each stays with the pages it served last until another needs it."""

    def __init__(self, tables: SqliteSchemaSql) -> None:
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
