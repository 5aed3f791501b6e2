"""Points of an environment: every operation that wrote is one, addressed by its seq; a checkpoint names one.

A past point never changes: the journal only grows, and a rewind is a journal record like any other.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import NamedTuple

import msgspec

from twindiff.catalog import CheckpointRecord
from twindiff.catalog.stamps import stamp
from twindiff.kit.errors import ApiError
from twindiff.kit.store import Store
from twindiff.storage import EnvironmentOrigin, StorageEngine, UnknownPoint
from twindiff.storage.cooperative import CooperativeStep
from twindiff.storage.journal import JournalRecord

from . import interval_reading
from .environments import CreatedEnvironment, EnvironmentDeleted, Environments
from .registry import did_you_mean

Point = int | str
"""A seq, or the name of a checkpoint; 0 is the templates' state."""

DIGITS = 20
"""A number with this many digits is not a seq."""

MAX_NAME_CHARACTERS = 100
_NAME = re.compile(rf"(?!\d+$)[\w.-]{{1,{MAX_NAME_CHARACTERS}}}")


class ForeignPoint(ApiError):
    """The checkpoint belongs to another environment."""

    status = 404


class CheckpointNotFound(ApiError):
    """The environment has no checkpoint of that name."""

    status = 404


class CheckpointTaken(ApiError):
    """The environment has a checkpoint of that name already."""

    status = 409


class InvalidCheckpointName(ApiError):
    """A checkpoint's name is 1 to 100 letters, digits, dots, dashes and underscores, and not a number."""


def refuse_unfit_name(name: str) -> None:
    """Raise InvalidCheckpointName for a name that no checkpoint may have."""
    if not _NAME.fullmatch(name):
        raise InvalidCheckpointName(f"'{name}' cannot name a checkpoint. {InvalidCheckpointName.__doc__}")


class PointDifference(NamedTuple):
    """The records that lead from one point of an environment to another."""

    start: int
    end: int
    twins: list[str]
    records: list[JournalRecord]


class EnvironmentPoints:
    """The points of environments: name them, rewind to them, fork from them."""

    def __init__(self, engine: StorageEngine, catalog: Store, environments: Environments) -> None:
        self._engine = engine
        self._catalog = catalog
        self._environments = environments

    def seq(self, environment_id: str, point: Point) -> int:
        """Return the seq of a point: a seq itself, or the name of a checkpoint. Raises UnknownPoint, ForeignPoint."""
        if isinstance(point, int) or (point.isdecimal() and len(point) < DIGITS):
            return self._check_point(environment_id, int(point))
        checkpoint = self._find(environment_id, point)
        if checkpoint is None:
            raise self._no_such(environment_id, point[:MAX_NAME_CHARACTERS])
        return checkpoint.seq

    def _check_point(self, environment_id: str, seq: int) -> int:
        last = self._engine.seq(environment_id)
        if not 0 <= seq <= last:
            raise UnknownPoint(f"unknown point {seq}: environment '{environment_id}' has points 0 to {last}")
        return seq

    def _find(self, environment_id: str, name: str) -> CheckpointRecord | None:
        mine = CheckpointRecord.environment_id == environment_id
        return self._catalog.find(CheckpointRecord, mine, CheckpointRecord.name == name)

    def _no_such(self, environment_id: str, name: str) -> ApiError:
        other = self._catalog.find(CheckpointRecord, CheckpointRecord.name == name)
        if other:
            return ForeignPoint(
                f"the checkpoint '{name}' belongs to environment '{other.environment_id}', not to '{environment_id}'"
            )
        names = [each.name for each in self.checkpoints(environment_id)]
        return UnknownPoint(
            f"unknown point '{name}': environment '{environment_id}' has the checkpoints "
            f"{', '.join(names) or '(none)'}, and every seq is a point.{did_you_mean(name, names)}"
        )

    def checkpoint(self, environment_id: str, name: str, at: Point | None = None) -> CheckpointRecord:
        """Name a point, by default the present one.

        Raises InvalidCheckpointName, CheckpointTaken, and what `seq` and `Environments.get` raise.
        """
        environment = self._environments.get(environment_id)
        refuse_unfit_name(name)
        taken = self._find(environment.id, name)
        if taken:
            raise CheckpointTaken(
                f"the checkpoint '{name}' exists, as point {taken.seq}; delete it or choose another name"
            )
        seq = self._engine.seq(environment.id) if at is None else self.seq(environment.id, at)
        now = stamp()
        return self._catalog.add(
            CheckpointRecord(environment_id=environment.id, name=name, seq=seq, created=now.micros, created_at=now.iso)
        )

    def checkpoints(self, environment_id: str) -> list[CheckpointRecord]:
        """Return the checkpoints of an environment, in order of creation."""
        mine = CheckpointRecord.environment_id == self._environments.record(environment_id).environment_id
        return self._catalog.rows(CheckpointRecord, mine, order=CheckpointRecord.created)

    def remove(self, environment_id: str, name: str) -> CheckpointRecord:
        """Delete a checkpoint; the point stays. Raises CheckpointNotFound."""
        environment = self._environments.get(environment_id)
        checkpoint = self._find(environment.id, name)
        if checkpoint is None:
            names = [each.name for each in self.checkpoints(environment.id)]
            raise CheckpointNotFound(
                f"environment '{environment.id}' has no checkpoint '{name}'.{did_you_mean(name, names)}"
            )
        self._catalog.remove(checkpoint)
        return checkpoint

    def rewind(self, environment_id: str, to: int) -> int:
        """Rewind to a point; returns the new seq. Later records stay in the journal, and their points stay points."""
        environment = self._environments.get(environment_id)
        self._environments.load(environment)
        return self._engine.rewind(environment.id, to)

    def fork(self, environment_id: str, at: int, count: int, name: str | None) -> list[CreatedEnvironment]:
        """Create `count` environments that continue from a point, all or none; raises what `Environments.fork` does."""
        environment = self._environments.get(environment_id)
        self._environments.load(environment)
        made: list[CreatedEnvironment] = []
        try:
            with self._engine.transaction():
                made.extend(self._environments.fork(environment.id, at, name) for _ in range(count))
        except BaseException:  # on any exception, nothing half-made stays
            forks = [each.environment.environment_id for each in made]
            self._environments.drop(forks)
            for fork in forks:  # an engine of several processes keeps forks that the catalog has rolled back
                self._engine.delete(fork)
            raise
        return made

    def changes(
        self, environment_id: str, start: Point, end: Point | None
    ) -> Generator[CooperativeStep, None, PointDifference]:
        """Return what differs between two points, as `difference`, but as net changes where they lie far apart."""
        record = self._environments.record(environment_id)
        if record.status != "deleted":
            env, origin = record.environment_id, msgspec.convert(record.origin, EnvironmentOrigin)
            first = self.seq(env, start)
            last = self._engine.seq(env) if end is None else self.seq(env, end)
            comparison = yield from interval_reading.compare_far_points(self._engine, env, origin, first, last)
            if comparison is not None:
                return PointDifference(first, last, list(record.templates), comparison.records)
        return (yield from self.difference(environment_id, start, end))

    def difference(
        self, environment_id: str, start: Point, end: Point | None
    ) -> Generator[CooperativeStep, None, PointDifference]:
        """Return the records that lead from one point to another, or to the present, read in parts.

        Raises what `seq` raises, and EnvironmentDeleted.
        """
        record = self._environments.record(environment_id)
        env = record.environment_id
        if record.status == "deleted":
            raise EnvironmentDeleted(f"environment '{env}' has been deleted")
        first = self.seq(env, start)
        last = self._engine.seq(env) if end is None else self.seq(env, end)
        known = yield from interval_reading.interval(self._engine, env, min(first, last), max(first, last))
        records = yield from interval_reading.difference(self._engine, env, first, last, known)
        return PointDifference(first, last, list(record.templates), records)
