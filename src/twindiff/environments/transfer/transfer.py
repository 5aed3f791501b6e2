"""Exports a whole environment to a file, and imports a file as an environment that continues where the other was.

Both are generators: they yield work that may run in another thread, and continue when it is done.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, cast

import msgspec

from twindiff import __version__
from twindiff.catalog import CallRecord, CheckpointRecord, EnvironmentRecord, TemplateRecord
from twindiff.catalog.stamps import stamp
from twindiff.kit.auth import Tokens
from twindiff.kit.clock import SECOND, micros_of
from twindiff.kit.rows import Table
from twindiff.kit.store import Store
from twindiff.storage import EnvironmentOrigin, NotServed, SchemaChanged, StorageEngine, TemplatePayload
from twindiff.storage.cooperative import CooperativeStep, portions, yield_control
from twindiff.storage.journal import JournalRecord

from ..call_log import CallLog
from ..environments import CreatedEnvironment, EnvironmentDeleted, Environments, new_token, token_hash
from ..registry import Registry
from ..templates import Naming, TemplateStore
from ..transcripts import Transcript, unpack
from .format import (
    FORMAT,
    PIECE,
    BytesLine,
    CallLine,
    CheckpointLine,
    ClockLine,
    ExportLine,
    Head,
    RecordLine,
    RowLine,
    TwinLine,
    Writer,
    record_line,
)
from .reader import Contents, read_export
from .stand_ins import StandIns

AT_ONCE = 100
"""Rows or records read or written at a time."""
CALLS_AT_ONCE = 25
"""Calls, with their transcripts, read or written at a time."""


class Transfer:
    """Exports and imports environments."""

    def __init__(
        self,
        engine: StorageEngine,
        catalog: Store,
        registry: Registry,
        templates: TemplateStore,
        environments: Environments,
    ) -> None:
        self._engine = engine
        self._catalog = catalog
        self._registry = registry
        self._templates = templates
        self._environments = environments

    def export(self, environment_id: str, log: CallLog) -> Generator[CooperativeStep, None, bytes]:
        """Export an environment to a file; raises what `record` raises, EnvironmentDeleted, ExportTooLarge."""
        writer = Writer()
        for lines in self._portions(self._environments.record(environment_id), log):
            yield partial(writer.pack, lines)
            self._refuse_deleted(environment_id)
        whole: list[bytes] = []
        yield lambda: whole.append(self._finish_file(writer))
        return whole[0]

    def _refuse_deleted(self, environment_id: str) -> None:
        if self._environments.record(environment_id).status == "deleted":
            raise EnvironmentDeleted(f"environment '{environment_id}' has been deleted")

    def _portions(self, record: EnvironmentRecord, log: CallLog) -> Iterator[Iterable[ExportLine]]:
        """Yield the lines up to the present point; changes made while reading are omitted."""
        env, origin = record.environment_id, msgspec.convert(record.origin, EnvironmentOrigin)
        self._refuse_deleted(env)
        last = self._engine.seq(env)
        yield [self._head(record, origin)]
        secrets = {twin: self._registry.get(twin).secret_columns for twin in origin.templates}
        stand_ins = StandIns(secrets, record.token_hash)
        for after in range(0, last, AT_ONCE):
            for each in self._engine.records(env, after, min(after + AT_ONCE, last)):
                stand_ins.learn(each)
            yield []
        for twin, hash in origin.templates.items():
            for table in self._registry.get(twin).tables:
                for rows in self._rows(twin, hash, table):
                    yield map(stand_ins.keep_row, rows)
        for after in range(0, last, AT_ONCE):
            records = self._engine.records(env, after, min(after + AT_ONCE, last))
            yield map(stand_ins.in_record, map(self._record, records))
        checkpoints = self._catalog.rows(
            CheckpointRecord, CheckpointRecord.environment_id == env, order=CheckpointRecord.created
        )
        yield [CheckpointLine(each.name, each.seq) for each in checkpoints if each.seq <= last]
        for calls in _calls(env, log, last):
            yield map(stand_ins.in_call, calls)

    def _head(self, record: EnvironmentRecord, origin: EnvironmentOrigin) -> Head:
        tokens = msgspec.convert(record.tokens, Tokens)
        templates = {
            twin: self._catalog.get(TemplateRecord, id) for twin, id in cast(dict[str, str], record.templates).items()
        }
        return Head(
            format=FORMAT,
            twindiff=__version__,
            environment=record.environment_id,
            name=record.name,
            actor=tokens.actor,
            auth=tokens.mode,
            users=tokens.users,
            ttl_seconds=max(1, (record.expires - record.created) // SECOND),
            clock=ClockLine(origin.clock.mode, origin.clock.start),
            created=origin.created,
            clock_start=origin.clock_start,
            counters=origin.counters,
            twins={
                twin: TwinLine(
                    self._registry.schemas[twin].hash,
                    templates[twin].name,
                    cast(dict[str, int], templates[twin].counters),
                )
                for twin in origin.templates
            },
        )

    def _record(self, record: JournalRecord) -> RecordLine:
        tables = self._registry.schemas[record.twin].tables if record.changes else {}
        gone = [change.table for change in record.changes if change.table not in tables]
        if gone:
            raise SchemaChanged(f"The {record.twin} twin no longer has the table '{gone[0]}', which was used")
        return record_line(record, tables)

    def _rows(self, twin: str, hash: str, table: Table) -> Iterator[list[RowLine]]:
        store = self._engine.template(twin, hash)
        offset = 0
        while rows := store.rows(table.row, limit=AT_ONCE, offset=offset):
            yield [RowLine(twin, table.name, msgspec.structs.asdict(row)) for row in rows]
            offset += AT_ONCE

    def _finish_file(self, writer: Writer) -> bytes:
        """Add the files that the rows name, and return the whole export."""
        for digest in sorted(writer.digests):
            if self._engine.blobs.has(digest):
                with self._engine.blobs.open(digest) as file:
                    while data := file.read(PIECE):
                        writer.pack([BytesLine(digest, data)])
        return writer.finish()

    def read(self, file: bytes) -> Contents:
        """Read and validate a file, in any thread; raises what `read_export` raises."""
        return read_export(file, self._registry)

    def import_contents(
        self, contents: Contents, log: CallLog, *, name: str | None, ttl_seconds: int
    ) -> Generator[CooperativeStep, None, CreatedEnvironment]:
        """Create an environment from validated contents, under a new id and token.

        Until it is complete its record says that it has expired, so no request can use it and what a crash leaves is
        removed with expired environments.
        """
        token = new_token()
        record = self._catalog.add(_pending_record(contents, token, name))
        try:
            yield partial(self._keep_files, contents.files)
            yield from self._engine.import_environment(contents.id, contents.origin, contents.starts, contents.records)
            yield from self._note(contents, log)
            return CreatedEnvironment(self._mark_ready(record, contents, ttl_seconds), token)
        except BaseException:  # on any exception, nothing half-made stays
            with suppress(NotServed):  # what cannot be removed now is removed by `tidy` in a day
                self._environments.delete(contents.id)
                for _ in log.forget(contents.id):
                    pass
            self._engine.evict(contents.id)  # it must not stay in memory even if it could not be removed
            raise

    def _keep_files(self, files: list[bytes]) -> None:
        while files:
            self._engine.blobs.put(files.pop())

    def _note(self, contents: Contents, log: CallLog) -> Iterator[CooperativeStep]:
        """Store checkpoints and calls."""
        for names in portions([*contents.checkpoints], AT_ONCE):
            with self._engine.transaction():
                for each in names:
                    now = stamp()
                    self._catalog.add(
                        CheckpointRecord(
                            environment_id=contents.id,
                            name=each,
                            seq=contents.checkpoints[each],
                            created=now.micros,
                            created_at=now.iso,
                        )
                    )
            yield yield_control
        for calls in portions(contents.calls, CALLS_AT_ONCE):
            log.restore(contents.id, calls)
            yield yield_control

    def _mark_ready(self, record: EnvironmentRecord, contents: Contents, ttl_seconds: int) -> EnvironmentRecord:
        with self._engine.transaction():
            self._refuse_deleted(contents.id)
            templates = {twin: self._template(twin, start) for twin, start in contents.starts.items()}
            now = stamp()
            return self._catalog.change(
                record,
                status="ready",
                templates=templates,
                created=now.micros,
                created_at=now.iso,
                expires=now.micros + ttl_seconds * SECOND,
            )

    def _template(self, twin: str, start: TemplatePayload) -> str:
        """Return the id of a template with this content; one that is new here gets a name of its own."""
        hash = start.template.hash
        known = self._templates.holding(twin, hash)
        naming = Naming(twin, f"imported-{hash[:12]}", "import", visibility="private")
        return (known or self._templates.copy(start.template, naming)).template_id


def _calls(environment_id: str, log: CallLog, last: int) -> Iterator[list[CallLine]]:
    after = 0
    while calls := log.list(environment_id, after=after, limit=CALLS_AT_ONCE):
        said = unpack(log.transcripts(calls))
        yield [_call(each, said.get(each.number)) for each in calls if (each.seq or 0) <= last]
        after = calls[-1].number


def _call(record: CallRecord, said: Transcript | None) -> CallLine:
    return CallLine(
        at=micros_of(datetime.fromisoformat(record.at)),
        twin=record.twin,
        operation=record.operation,
        actor=record.actor,
        status=record.status,
        milliseconds=record.milliseconds,
        error=record.error,
        seq=record.seq,
        said=said,
        host=record.host,
    )


def _pending_record(contents: Contents, token: str, name: str | None) -> EnvironmentRecord:
    """Return the record of an environment that is still being imported."""
    now = stamp()
    head = contents.head
    tokens: dict[str, Any] = msgspec.to_builtins(Tokens(head.actor, head.auth, users=head.users))
    return EnvironmentRecord(
        environment_id=contents.id,
        status="expired",
        service=next(iter(head.twins)),
        templates={},
        origin=msgspec.to_builtins(contents.origin),
        tokens=tokens,
        token_hash=token_hash(token),
        created=now.micros,
        created_at=now.iso,
        expires=now.micros,
        name=head.name if name is None else name,
    )
