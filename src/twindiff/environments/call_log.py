"""The log of all calls. It is written twice a second: a crash may lose the last entries, never one of the journal."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

from twindiff.catalog import CallRecord, RunRecord
from twindiff.kit.clock import Clock
from twindiff.storage import CatalogStore, Engine

AT_ONCE = 100
"""Calls that are read in one go."""
FORGOTTEN_AT_ONCE = 1000
UNKNOWN_OPERATION = "unknown_operation"
"""The error of a call that named an operation which its twin does not have."""


class Entry(NamedTuple):
    """One call; `at` is in microseconds since 1970."""

    at: int
    twin: str
    operation: str
    actor: str
    status: int
    milliseconds: float
    error: str | None
    seq: int | None


class CallLog:
    """What reached the twins of each environment, reads and refusals included."""

    def __init__(self, engine: Engine, catalog: CatalogStore) -> None:
        self._engine = engine
        self._catalog = catalog
        self._waiting: dict[str, list[Entry]] = {}
        self._written: dict[str, int] = {}
        self._guard = threading.Lock()
        self.total = 0
        self.waiting = 0

    def add(self, environment_id: str, entry: Entry) -> None:
        """Note a call, to be written soon."""
        with self._guard:
            self.total += 1
            self.waiting += 1
            self._waiting.setdefault(environment_id, []).append(entry)

    def flush(self, most: int = 2**31) -> None:
        """Write what is waiting, or `most` calls of it, in one transaction."""
        taken = self._take(most)
        if taken:
            self._write(taken)

    def _take(self, most: int) -> dict[str, list[Entry]]:
        taken: dict[str, list[Entry]] = {}
        with self._guard:
            while self._waiting and most > 0:
                environment_id, entries = self._waiting.popitem()
                taken[environment_id], rest = entries[:most], entries[most:]
                if rest:
                    self._waiting[environment_id] = rest
                most -= len(taken[environment_id])
                self.waiting -= len(taken[environment_id])
        return taken

    def _write(self, calls: dict[str, list[Entry]]) -> None:
        with self._engine.transaction():
            last = self._last_numbers([*calls])
            self._catalog.add_all(
                [
                    _record(environment_id, number, entry)
                    for environment_id, entries in calls.items()
                    for number, entry in enumerate(entries, last.get(environment_id, 0) + 1)
                ]
            )
        for environment_id, entries in calls.items():
            self._written[environment_id] = last.get(environment_id, 0) + len(entries)

    def restore(self, environment_id: str, entries: list[Entry]) -> None:
        """Write calls that were made elsewhere, before any of an environment's own."""
        self._write({environment_id: entries})

    def _last_numbers(self, environment_ids: list[str]) -> dict[str, int]:
        """The numbers of the last calls that are written, by environment; those that have none are left out."""
        last: dict[str, int] = {}
        if self._engine.inline:  # else other processes write too
            last = {each: self._written[each] for each in environment_ids if each in self._written}
        unknown = [each for each in environment_ids if each not in last]
        if unknown:
            newest, by = (-CallRecord.environment_id, -CallRecord.number), CallRecord.environment_id
            found = self._catalog.pages(CallRecord, by, unknown, order=newest, limit=1, columns=(CallRecord.number,))
            last |= {each: number for each, ((number,),) in found.items()}
        return last

    def _last_number(self, environment_id: str) -> int:
        return self._last_numbers([environment_id]).get(environment_id, 0)

    def list(self, environment_id: str, *, after: int, limit: int) -> list[CallRecord]:
        """Calls of an environment in order, those after a number."""
        self.flush()
        return self._catalog.rows(
            CallRecord,
            CallRecord.environment_id == environment_id,
            CallRecord.number > after,
            order=(CallRecord.environment_id, CallRecord.number),
            limit=limit,
        )

    def parts(self, environment_id: str, *, after: int, limit: int = 2**53) -> Iterator[list[CallRecord]]:
        """Calls up to now, as `list` gives them, in parts; what comes between two parts is left out."""
        last = min(after + limit, self.last(environment_id))
        while after < last and (found := self.list(environment_id, after=after, limit=min(AT_ONCE, last - after))):
            yield found
            after = found[-1].number

    def last(self, environment_id: str) -> int:
        """The number of an environment's last call, written or waiting; 0 before the first."""
        with self._guard:
            waiting = len(self._waiting.get(environment_id, ()))
        return self._last_number(environment_id) + waiting

    def of_run(self, run: RunRecord, end: int) -> Iterator[list[CallRecord]]:
        """The calls up to now of a run that ends at a seq, in parts; of an earlier release's run, those since its time.

        What comes between two parts is left out.
        """
        for found in self.parts(run.environment_id, after=run.start_call or 0):
            calls = [call for call in found if run.start_call is not None or call.at >= run.created_at]
            within = list(takewhile(lambda call: (call.seq or 0) <= end, calls))
            yield within
            if len(within) < len(calls):
                return

    def unknown(self, environment_id: str) -> int:
        """How many calls of an environment named an operation that its twin does not have."""
        self.flush()
        return self._catalog.count(
            CallRecord, CallRecord.environment_id == environment_id, CallRecord.error == UNKNOWN_OPERATION
        )

    def forget(self, environment_id: str) -> Iterator[None]:
        """Drop the log of a deleted environment, in parts."""
        with self._guard:
            self.waiting -= len(self._waiting.pop(environment_id, ()))
        mine = CallRecord.environment_id == environment_id
        for end in range(FORGOTTEN_AT_ONCE, self._last_number(environment_id) + FORGOTTEN_AT_ONCE, FORGOTTEN_AT_ONCE):
            self._catalog.remove_all(CallRecord, mine, CallRecord.number <= end)
            yield
        self._written.pop(environment_id, None)


def _record(environment_id: str, number: int, entry: Entry) -> CallRecord:
    return CallRecord(
        environment_id=environment_id,
        number=number,
        at=Clock(entry.at).iso(),
        twin=entry.twin,
        operation=entry.operation,
        actor=entry.actor,
        status=entry.status,
        milliseconds=round(entry.milliseconds, 3),
        error=entry.error,
        seq=entry.seq,
    )
