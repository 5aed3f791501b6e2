"""Loaded environments: their pages, position, and undo logs of the latest operations."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from twindiff.kit.clock import Clock
from twindiff.storage import EnvironmentOrigin, UnknownPoint, WorkDue
from twindiff.storage.due import earliest
from twindiff.storage.journal import JournalRecord

from .database import Database
from .pages import Pages, Undo
from .records import StoredRecord
from .table_sql import SqliteSchemaSql

REMEMBERED = 256
"""Journal segments that an environment can roll back without the journal, within UNDO_BYTES."""
UNDO_BYTES = 4 * 1024 * 1024
"""Bytes of replaced pages that an environment keeps to roll back without the journal."""
ALL_UNDO_BYTES = 256 * 1024 * 1024
"""Bytes of replaced pages of all environments, divided equally among them."""

POOLED = 32
"""Connections of one twin, shared by its environments."""


class JournalPosition(NamedTuple):
    """A position in a journal: the last `seq`, the environment's `clock`, the wall clock `at` then, and the counters.

    Times are in microseconds since 1970. `since` counts the operations from the last image that is not provisional.
    """

    seq: int
    clock: int
    at: int
    counters: dict[str, int]
    since: int = 0


class Imaged(NamedTuple):
    """An image in an environment's history: its ids, and the numbers of pages that differ from its base, by twin.

    `since` is 0, or the number of operations that a provisional image is ahead of its base.
    """

    seq: int
    ids: dict[str, int]
    dirty: dict[str, set[int]]
    since: int


class Point(NamedTuple):
    """A copy of an environment at one position: pages by twin, and the images in its history."""

    pages: dict[str, Pages]
    position: JournalPosition
    images: list[Imaged]


class JournalSegment(NamedTuple):
    """What rolling back needs of the operations up to `seq` of one commit, usually one: position before, undo log."""

    before: JournalPosition
    seq: int
    twin: str
    undo: Undo


class LiveEnvironment:
    """One loaded environment, the in-memory equivalent of its journal."""

    __slots__ = ("begun", "due", "env", "images", "origin", "pages", "position", "steps", "undo_bytes")

    def __init__(self, env: str, origin: EnvironmentOrigin, point: Point, due: int) -> None:
        self.env = env
        self.origin = origin
        self.pages, self.position, self.images = point
        self.begun = self.position.seq
        self.steps: deque[JournalSegment] = deque()
        self.undo_bytes = 0
        self.due = due
        """A lower bound for the time of the next job, in microseconds since 1970."""

    @property
    def seq(self) -> int:
        return self.position.seq

    @property
    def since_image(self) -> int:
        """The number of operations since the last image."""
        return self.position.since - (self.images[-1].since if self.images else 0)

    def now(self, wall: int, *, writes: bool) -> Clock:
        """Return the environment's clock at a wall-clock time."""
        return self.origin.clock.at(wall, self.position.clock, self.position.at, writes=writes)

    def time_of(self, at: int | None, wall: int, *, writes: bool) -> tuple[Clock, int]:
        """Return the clock of an operation and the wall clock; raises WorkDue as `StorageEngine.read` does."""
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
        """Advance `position` over uncommitted operations for the block, then restore it; restore `due` on an error."""
        position, due = self.position, self.due
        try:
            yield
        except BaseException:
            self.due = due
            raise
        finally:
            self.position = position

    def go_on(self, records: Sequence[StoredRecord], undo: Undo) -> None:
        """Advance over committed operations of one twin, which share an undo log."""
        last = records[-1]
        self._remember(JournalSegment(self.position, last.seq, last.twin, undo))
        self.position = position_after(last, self.position.since + len(records))

    def note_due(self, tables: SqliteSchemaSql, record: StoredRecord) -> None:
        """Lower `due` to the earliest due time that a record has written."""
        due_at = tables.due_at
        written = [(row, due_at[name]) for name, _, _, row in record.changes if name in due_at and row is not None]
        if written:
            times = [row[place] for row, places in written for place in places]
            self.due = min(self.due, earliest(times, self.origin.clock_start))

    def advance(self, record: JournalRecord) -> None:
        """Advance over a record that set the clock."""
        twin = next(iter(self.pages))
        self._remember(JournalSegment(self.position, record.seq, twin, Undo(self.pages[twin].count)))
        self.position = position_after(record, self.position.since + 1)

    def return_to(self, point: Point, record: JournalRecord, *, remembered: bool) -> None:
        """Return to an earlier point, with its rewind record as the last; undo logs before the point are retained."""
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
        """Drop the oldest undo logs beyond REMEMBERED segments and `most_bytes`."""
        while self.steps and (len(self.steps) > REMEMBERED or self.undo_bytes > most_bytes):
            self.undo_bytes -= self.steps.popleft().undo.size
        if len(self.images) < 2:
            return
        first = self.steps[0].before.seq if self.steps else self.seq
        while len(self.images) > 1 and self.images[1].seq <= first and not self.images[1].since:
            del self.images[0]

    def refuse_unknown(self, seq: int) -> None:
        """Raise UnknownPoint unless 0 <= seq <= the last seq."""
        if not 0 <= seq <= self.seq:
            raise UnknownPoint(f"unknown point {seq}: this environment has points 0 to {self.seq}")

    def is_materialized(self, seq: int) -> bool:
        """Whether a point can be reached by undo logs alone."""
        return seq == self.seq or any(step.before.seq == seq for step in self.steps)

    def point_at(self, seq: int) -> Point:
        """Return a copy of a point that `is_materialized`."""
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
        """Drop provisional images from the history, so that dirty pages are relative to the last other one.

        Returns their ids.
        """
        dropped: list[int] = []
        while self.images and self.images[-1].since:
            passing = self.images.pop()
            _add_dirty(self.pages, passing)
            dropped += passing.ids.values()
        return dropped

    def note_image(self, ids: dict[str, int], since: int) -> None:
        """Record an image of the current position, relative to which no page is dirty."""
        self.images.append(Imaged(self.seq, ids, {twin: pages.dirty for twin, pages in self.pages.items()}, since))
        for pages in self.pages.values():
            pages.dirty = set()
        self.position = self.position._replace(since=since)


def _add_dirty(pages: dict[str, Pages], image: Imaged) -> None:
    """Make dirty pages relative to the base of an image: add those that differ between the two."""
    for twin, numbers in image.dirty.items():
        pages[twin].dirty |= numbers


def position_at_birth(origin: EnvironmentOrigin) -> JournalPosition:
    """Return the position of a new environment."""
    return JournalPosition(0, origin.clock_start, origin.created, origin.counters)


def position_after(record: JournalRecord | StoredRecord, since: int) -> JournalPosition:
    """Return the position after a record, `since` operations after an image."""
    return JournalPosition(record.seq, record.clock, record.at, record.ids, since)


def position_of_fork(position: JournalPosition, origin: EnvironmentOrigin, made: int) -> JournalPosition:
    """Return the initial position of a fork made at the wall clock `made`, from its parent's position at the point."""
    return position._replace(clock=origin.clock.resume_at(made, position.clock, position.at), at=made)


class SqlitePool:
    """The connections of one twin. Each stays on the pages it served last until other pages need it."""

    def __init__(self, tables: SqliteSchemaSql) -> None:
        self.tables = tables
        self._databases: list[Database] = []
        self._next = 0

    def open(self, pages: Pages) -> Database:
        """Return a database over these pages, for the current operation only."""
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
