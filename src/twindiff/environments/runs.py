"""Runs: judged intervals of an environment's journal."""

from __future__ import annotations

from collections.abc import Generator
from hashlib import blake2b
from typing import NamedTuple, cast

from twindiff.catalog import EnvironmentRecord, RunRecord
from twindiff.catalog.stamps import new_uuid, stamp
from twindiff.kit.errors import ApiError
from twindiff.kit.store import Store
from twindiff.storage import StorageEngine
from twindiff.storage.cooperative import CooperativeStep
from twindiff.storage.journal import JournalRecord
from twindiff.storage.whole_catalog import WholeCatalog

from . import interval_reading
from .environments import EnvironmentDeleted, Environments


class RunNotFound(ApiError):
    """run not found"""

    status = 404


class SnapshotNotFound(ApiError):
    """No run of the environment began with this snapshot."""

    status = 404


class RunAlreadyCompleted(ApiError):
    """The run is closed: it was started to be judged once, and has been."""


class RunInterval(NamedTuple):
    """What a run covers when it is judged: the journal up to the seq `end`.

    `records` lead from its start to its end; `rewound` lists the rewinds in between as `{"at_seq": …, "to_seq": …}`.
    """

    run: RunRecord
    end: int
    twins: list[str]
    records: list[JournalRecord]
    rewound: list[dict[str, int]]

    @property
    def after_snapshot(self) -> str:
        return snapshot("after", self.run.environment_id, self.end)


class RunStart(NamedTuple):
    """Where a run starts: the seq of a point, None for the current one, and the number of the last call before."""

    seq: int | None
    call: int


def snapshot(side: str, environment_id: str, seq: int) -> str:
    """Return the snapshot name of a point: `before_` or `after_` and eight hexadecimal digits."""
    return f"{side}_{blake2b(f'{environment_id}:{seq}'.encode(), digest_size=4).hexdigest()}"


class RunStore:
    """The runs of a catalog."""

    def __init__(
        self,
        engine: StorageEngine,
        catalog: Store,
        whole: WholeCatalog,
        environments: Environments,
        *,
        once: bool = False,
    ) -> None:
        self._engine = engine
        self._catalog = catalog
        self._whole = whole
        self._environments = environments
        self._once = once

    def start(
        self, environment_id: str, *, test_id: str | None, suite_id: str | None, once: bool | None, start: RunStart
    ) -> RunRecord:
        """Record the start of a run; raises what `Environments.get` raises."""
        environment = self._environments.get(environment_id)
        self._engine.admit()
        seq = self._engine.seq(environment.id) if start.seq is None else start.seq
        now = stamp()
        return self._catalog.add(
            RunRecord(
                run_id=new_uuid(),
                environment_id=environment.id,
                status="running",
                start_seq=seq,
                before_snapshot=snapshot("before", environment.id, seq),
                created=now.micros,
                created_at=now.iso,
                once=self._once if once is None else once,
                test_id=test_id,
                suite_id=suite_id,
                start_call=start.call,
            )
        )

    def get(self, run_id: str) -> RunRecord:
        runs = self._whole.newest(RunRecord, RunRecord.run_id == run_id.lower())
        if not runs:
            raise RunNotFound(f"run not found: '{run_id}'")
        return runs[0]

    def list(self, *, limit: int, status: str = "") -> list[RunRecord]:
        """Return runs of all shards, newest first."""
        where = (RunRecord.status == status,) if status else ()
        return self._whole.newest(RunRecord, *where, limit=limit)

    def since_snapshot(self, environment_id: str, before: str) -> RunRecord:
        """Return the latest run of an environment that began with this snapshot; raises SnapshotNotFound."""
        record = self._environments.record(environment_id)
        runs = self._catalog.rows(
            RunRecord,
            RunRecord.before_snapshot == before,
            RunRecord.environment_id == record.environment_id,
            order=-RunRecord.created,
            limit=1,
        )
        if not runs:
            raise SnapshotNotFound(f"no run of environment '{environment_id}' began with the snapshot '{before}'")
        return runs[0]

    def interval(self, run: RunRecord) -> Generator[CooperativeStep, None, RunInterval]:
        """Return what an open run covers now, read in parts; raises RunAlreadyCompleted, EnvironmentDeleted."""
        _refuse_closed(run)
        return self.covered_interval(run)

    def net_interval(self, run: RunRecord) -> Generator[CooperativeStep, None, RunInterval]:
        """Like `interval`, but the records may be net changes instead of single operations."""
        _refuse_closed(run)
        live = self._environments.live(run.environment_id)
        if live is not None:
            end = self._engine.seq(live.id)
            comparison = yield from interval_reading.compare_far_points(
                self._engine, live.id, live.origin, run.start_seq, end
            )
            if comparison is not None:
                return RunInterval(run, end, [*live.twins], comparison.records, _rewound(comparison.rewinds))
        return (yield from self.covered_interval(run))

    def covered_interval(self, run: RunRecord) -> Generator[CooperativeStep, None, RunInterval]:
        """Return what a run covers now, or covered when it was closed, read in parts; raises EnvironmentDeleted."""
        live = self._environments.live(run.environment_id)
        twins = [*live.twins] if live else self._twins(run)
        known = yield from interval_reading.interval(self._engine, run.environment_id, run.start_seq, run.end_seq)
        if live and not known:
            twins = self._twins(run)  # another process may have deleted it unnoticed
        end = run.start_seq + len(known)
        rewound = _rewound(known)
        records = yield from interval_reading.difference(self._engine, run.environment_id, run.start_seq, end, known)
        return RunInterval(run, end, twins, records, rewound)

    def _twins(self, run: RunRecord) -> list[str]:
        environment = self._catalog.get(EnvironmentRecord, run.environment_id)
        if environment.status == "deleted":
            raise EnvironmentDeleted(
                f"environment '{run.environment_id}' has been deleted; the stored results of its runs stay readable"
            )
        return list(cast(dict[str, str], environment.templates))

    def keep_diff(self, interval: RunInterval, diff: str, *, end_call: int) -> RunRecord:
        """Store a diff, packed by `stored_results`, as the latest; raises RunAlreadyCompleted when another came first.

        `end_call` is the number of the last call before it.

        Once a run has a verdict, its diff is kept, so that the two can be judged again.
        """
        if interval.run.verdict is not None:
            return interval.run
        if interval.run.status != "running":  # and never will be again
            return self._keep(interval.run, interval, end_call=end_call, diff=diff)
        run = self.get(interval.run.run_id)
        status = run.status if run.verdict is not None else "completed"
        return self._keep(run, interval, end_call=end_call, status=status, diff=diff)

    def keep_verdict(self, interval: RunInterval, status: str, diff: str, verdict: str, *, end_call: int) -> RunRecord:
        """Store a diff and its verdict, both packed by `stored_results`; raises as `keep_diff` does."""
        run = self.get(interval.run.run_id)
        return self._keep(run, interval, end_call=end_call, status=status, diff=diff, verdict=verdict)

    def _keep(self, run: RunRecord, interval: RunInterval, **result: str | int) -> RunRecord:
        if not run.once:
            return self._catalog.change(run, after_snapshot=interval.after_snapshot, **result)
        with self._engine.transaction():  # two processes may judge at once, and only the first may store
            _refuse_closed(self.get(run.run_id))
            return self._catalog.change(run, after_snapshot=interval.after_snapshot, end_seq=interval.end, **result)


def _rewound(records: list[JournalRecord]) -> list[dict[str, int]]:
    return [{"at_seq": record.seq, "to_seq": record.to} for record in records if record.to is not None]


def _refuse_closed(run: RunRecord) -> None:
    if run.end_seq is not None:
        raise RunAlreadyCompleted(f"run '{run.run_id}' is closed: it was started with once and has been judged")
