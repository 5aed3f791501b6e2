"""The log of all calls, written twice a second. A crash may lose its last entries, but never a journal record.
Where other processes read it, the first call of each environment is written at once.

Entries whose write fails are kept and written with the next flush.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple, cast

from twindiff.catalog import CallRecord, RunRecord, TranscriptRecord
from twindiff.kit.clock import Clock
from twindiff.kit.errors import MissingOperation, UnknownOperation
from twindiff.storage import CatalogStore, NotServed, StorageEngine
from twindiff.storage.backoff import RecordRetries, describe_error
from twindiff.storage.feed import Feed

from .transcripts import Policy, RecordedExchange, Transcript, pack, wants

log = logging.getLogger("twindiff")

AT_ONCE = 100
"""Calls read by one query."""
FORGOTTEN_AT_ONCE = 1000
IN_ONE_PART = 25
"""Calls whose transcripts are packed together."""
MAX_HELD_BYTES = 64_000_000
"""Bytes of request and response bodies waiting to be written; above it, calls are logged without transcripts."""
PACKED_AT_ONCE = 250_000
"""Bytes of bodies after which one flush ends, so that other work can run."""
UNKNOWN_OPERATION = UnknownOperation.code
"""Error code of a call to an operation that, as far as the twin knows, does not exist: a mistake of the caller."""
MISSING_OPERATION = MissingOperation.code
"""Error code of a call to an operation that the vendor has and its twin lacks."""
AGENT_REFUSED = "agent_refused"
"""Error code of a request by which an agent tried to use the control plane."""
HOST_REFUSED = "host_refused"
"""Error code of a request to a host for which the TLS door does not answer."""
MAX_REFUSED_LISTED = 10
"""Requests with that code that are listed by name."""
NOT_HERE = (UNKNOWN_OPERATION, MISSING_OPERATION)


class CallLogEntry(NamedTuple):
    """One call; `at` is in microseconds since 1970. `said` is a `Transcript` once the entry is written."""

    at: int
    twin: str
    operation: str
    actor: str
    status: int
    milliseconds: float
    error: str | None
    seq: int | None
    said: RecordedExchange | Transcript | None = None
    host: str | None = None


class CallLog:
    """All calls to the twins of each environment, including reads and rejected requests."""

    def __init__(
        self,
        engine: StorageEngine,
        catalog: CatalogStore,
        transcripts: Policy = "all",
        *,
        is_read_elsewhere: bool = False,
    ) -> None:
        self._engine = engine
        self._is_read_elsewhere = is_read_elsewhere
        self._catalog = catalog
        self._policy: Policy = transcripts
        self._waiting: dict[str, list[CallLogEntry]] = {}
        self._written: dict[str, int] = {}
        self._guard = threading.Lock()
        self._writing = threading.RLock()
        """Held while calls are written: until the commit they are neither waiting nor numbered for other threads."""
        self._held = 0
        self.failing = RecordRetries("Deleting the calls of environment")
        """Ended environments whose calls could not be deleted."""
        self._large: list[RecordedExchange] = []
        self.feed = Feed()
        """Announces every call of this process; its numbers are counts, not seqs."""
        self.total = 0
        self.waiting = 0

    def add(self, environment_id: str, entry: CallLogEntry) -> None:
        """Queue a call for the next flush."""
        heard: RecordedExchange | Transcript | None = entry.said
        if isinstance(heard, RecordedExchange):
            held = heard.held
            if not wants(self._policy, entry.status, entry.error) or self._held + held > MAX_HELD_BYTES:
                entry, held = entry._replace(said=None), 0
            elif heard.is_large:
                self._large.append(heard)
        else:
            held = 0
        with self._guard:
            self.total += 1
            self.waiting += 1
            self._held += held
            self._waiting.setdefault(environment_id, []).append(entry)
        self.feed.announce_commit(environment_id, self.total)
        is_first = self._is_read_elsewhere and environment_id not in self._written
        if is_first or (entry.error == AGENT_REFUSED and self._engine.is_shared):
            # Lists of other shards read from the file whether an environment has been called. Other processes over a
            # database judge its agent, whose refused requests to the control plane they must not miss.
            with contextlib.suppress(NotServed):  # the next flush writes it
                self.flush(1 if is_first else 2**31)

    @property
    def has_large(self) -> bool:
        """Whether large bodies are waiting to be digested outside the thread that writes the log."""
        return bool(self._large)

    def digest(self) -> None:
        """Replace large bodies by their digests; safe in any thread."""
        while self._large:
            self._large.pop().digest()

    def flush(self, most: int = 2**31) -> int:
        """Write waiting calls, at most about `most`, in one transaction; returns how many were written."""
        with self._writing:
            taken = self._take(most)
            try:
                if taken:
                    self._write(taken)
            except BaseException:
                self._put_back(taken)
                raise
        return sum(map(len, taken.values()))

    def _take(self, most: int) -> dict[str, list[CallLogEntry]]:
        """Remove up to `most` waiting calls from the queue, one environment after the other; fewer if they are large.

        If `most` covers all waiting calls, their size does not matter.
        """
        taken: dict[str, list[CallLogEntry]] = {}
        left = PACKED_AT_ONCE if most < self.waiting else 2**62
        with self._guard:
            while self._waiting and most > 0 and left > 0:
                environment_id, entries = self._waiting.popitem()
                count = 0
                while count < min(most, len(entries)) and left > 0:
                    left -= _held_bytes(entries[count])
                    count += 1
                taken[environment_id], rest = entries[:count], entries[count:]
                if rest:
                    self._waiting[environment_id] = rest
                most -= count
                self._weigh(taken[environment_id], -1)
        return taken

    def _put_back(self, taken: dict[str, list[CallLogEntry]]) -> None:
        with self._guard:
            for environment_id, entries in taken.items():
                self._waiting[environment_id] = entries + self._waiting.get(environment_id, [])
                self._weigh(entries, 1)

    def _weigh(self, entries: list[CallLogEntry], sign: int) -> None:
        self.waiting += sign * len(entries)
        self._held += sign * sum(map(_held_bytes, entries))

    def _write(self, calls: dict[str, list[CallLogEntry]]) -> None:
        packed = {each: _pack_transcripts(each, entries) for each, entries in calls.items()}
        with self._engine.transaction():
            last = self._last_numbers([*calls])
            self._catalog.add_all(
                [
                    _record(environment_id, number, entry)
                    for environment_id, entries in calls.items()
                    for number, entry in enumerate(entries, last.get(environment_id, 0) + 1)
                ]
            )
            self._catalog.add_all(
                [
                    TranscriptRecord(
                        environment_id=environment_id, first=before + start, last=before + end, packed=text
                    )
                    for environment_id, parts in packed.items()
                    for before in [last.get(environment_id, 0)]
                    for start, end, text in parts
                ]
            )
        for environment_id, entries in calls.items():
            self._written[environment_id] = last.get(environment_id, 0) + len(entries)

    def restore(self, environment_id: str, entries: list[CallLogEntry]) -> None:
        """Write imported calls before an environment has any of its own."""
        self._write({environment_id: entries})

    def _last_numbers(self, environment_ids: list[str]) -> dict[str, int]:
        """Return the number of the last written call by environment; environments without calls are omitted."""
        last: dict[str, int] = {}
        if not self._engine.is_shared:  # no other process writes calls
            last = {each: self._written[each] for each in environment_ids if each in self._written}
        unknown = [each for each in environment_ids if each not in last]
        if unknown:
            newest, by = (-CallRecord.environment_id, -CallRecord.number), CallRecord.environment_id
            calls = self._catalog.pages(CallRecord, by, unknown, order=newest, limit=1, columns=(CallRecord.number,))
            last |= {each: number for each, ((number,),) in calls.items()}
        return last

    def _last_number(self, environment_id: str) -> int:
        return self._last_numbers([environment_id]).get(environment_id, 0)

    def list(self, environment_id: str, *, after: int, limit: int) -> list[CallRecord]:
        """Return up to `limit` calls of an environment with a number above `after`, in order."""
        self.flush()
        return self._catalog.rows(
            CallRecord,
            CallRecord.environment_id == environment_id,
            CallRecord.number > after,
            order=(CallRecord.environment_id, CallRecord.number),
            limit=limit,
        )

    def transcripts(self, calls: Sequence[CallRecord]) -> dict[int, str]:
        """Return the packed transcripts of calls of one environment, by the number of each part's first call.

        `calls` are in order. `transcripts.unpack` decodes the result.
        """
        if not calls:
            return {}
        parts = self._catalog.rows(
            TranscriptRecord,
            TranscriptRecord.environment_id == calls[0].environment_id,
            TranscriptRecord.last >= calls[0].number,
            TranscriptRecord.first <= calls[-1].number,
            order=(TranscriptRecord.environment_id, TranscriptRecord.last),
            limit=len(calls),
            columns=(TranscriptRecord.first, TranscriptRecord.packed),
        )
        return dict(cast(list[tuple[int, str]], parts))

    def parts(self, environment_id: str, *, after: int, limit: int = 2**53) -> Iterator[list[CallRecord]]:
        """Yield the calls up to now, as `list` returns them, in parts. Calls added meanwhile are omitted."""
        last = min(after + limit, self.last(environment_id))
        while after < last and (part := self.list(environment_id, after=after, limit=min(AT_ONCE, last - after))):
            yield part
            after = part[-1].number

    def last(self, environment_id: str) -> int:
        """Return the number of an environment's last call, written or waiting; 0 before the first."""
        with self._writing:
            with self._guard:
                waiting = len(self._waiting.get(environment_id, ()))
            return self._last_number(environment_id) + waiting

    def of_run(self, run: RunRecord, end: int) -> Iterator[list[CallRecord]]:
        """Yield the calls of a run up to the seq `end`, in parts.

        Runs of earlier releases have no `start_call`; for those, calls are selected by time. Calls added meanwhile are
        omitted.
        """
        for part in self.parts(run.environment_id, after=run.start_call or 0):
            calls = [call for call in part if run.start_call is not None or call.at >= run.created_at]
            within = list(takewhile(lambda call: (call.seq or 0) <= end, calls))
            yield within
            if len(within) < len(calls):
                return

    def kept_of_run(self, run: RunRecord, limit: int, after: int = 0) -> Iterator[list[CallRecord]]:
        """Yield the calls behind a run's latest result, in parts; of an open run, all so far.

        Only calls with a number above `after` are included. They stay readable after the environment is deleted. Runs
        of earlier releases may yield later calls too.
        """
        after = max(after, run.start_call or 0)
        limit = limit if run.end_call is None else min(limit, run.end_call - after)
        return self.parts(run.environment_id, after=after, limit=limit)

    def unknown(self, environment_id: str) -> int:
        """Count the calls of an environment to operations that its twin does not have."""
        self.flush()
        return self._catalog.count(
            CallRecord, CallRecord.environment_id == environment_id, CallRecord.error.in_(NOT_HERE)
        )

    def list_refused(self, environment_id: str, *, after: int) -> list[str]:
        """List the control plane requests that an environment's agent made, with call numbers above `after`."""
        with self._writing:
            with self._guard:
                waiting = list(self._waiting.get(environment_id, ()))
            last = self._last_number(environment_id)
            written = self._catalog.rows(
                CallRecord,
                CallRecord.environment_id == environment_id,
                CallRecord.number > after,
                CallRecord.error == AGENT_REFUSED,
                limit=MAX_REFUSED_LISTED,
            )
        late = [each for number, each in enumerate(waiting, last + 1) if number > after and each.error == AGENT_REFUSED]
        return [each.operation for each in (*written, *late)][:MAX_REFUSED_LISTED]

    def forget(self, environment_id: str) -> Iterator[None]:
        """Drop the log of a deleted environment, in parts.

        The log stays as long as results of the environment's runs do.
        """
        if not self.outlives(environment_id):
            yield from self.drop(environment_id)

    def outlives(self, environment_id: str) -> bool:
        """Return whether the log of an environment stays after it, because results of its runs do."""
        return self._catalog.find(RunRecord, RunRecord.environment_id == environment_id) is not None

    def drop(self, environment_id: str) -> Iterator[None]:
        """Drop a log unconditionally, in parts."""
        with self._writing:  # calls that another thread is writing would be there after it
            with self._guard:
                self._weigh(self._waiting.pop(environment_id, []), -1)
            last = self._last_number(environment_id)
        for end in range(FORGOTTEN_AT_ONCE, last + FORGOTTEN_AT_ONCE, FORGOTTEN_AT_ONCE):
            mine = CallRecord.environment_id == environment_id
            self._catalog.remove_all(CallRecord, mine, CallRecord.number <= end)
            said = TranscriptRecord.environment_id == environment_id
            self._catalog.remove_all(TranscriptRecord, said, TranscriptRecord.last <= end)
            yield
        self._written.pop(environment_id, None)


def _held_bytes(entry: CallLogEntry) -> int:
    return entry.said.held if isinstance(entry.said, RecordedExchange) else 0


def _pack_transcripts(environment_id: str, entries: Sequence[CallLogEntry]) -> list[tuple[int, int, str]]:
    """Pack transcripts in parts: the positions of a part's first and last call, counted from 1, and its packed text."""
    said = [_make_transcript(environment_id, each) for each in entries]
    parts = [(start, said[start : start + IN_ONE_PART]) for start in range(0, len(said), IN_ONE_PART)]
    return [(start + 1, start + len(part), pack(part)) for start, part in parts if any(part)]


def _make_transcript(environment_id: str, entry: CallLogEntry) -> Transcript | None:
    """The transcript of a call; one that cannot be made is left out, so that it holds up no other call."""
    if not isinstance(entry.said, RecordedExchange):
        return entry.said
    try:
        return entry.said.transcript()
    except Exception as error:  # noqa: BLE001 - as above
        reason = describe_error(error)
        log.warning("The transcript of %s in environment %s set aside: %s", entry.operation, environment_id, reason)
        return None


def _record(environment_id: str, number: int, entry: CallLogEntry) -> CallRecord:
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
        host=entry.host,
    )
