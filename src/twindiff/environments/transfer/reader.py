"""Reads an export file into an environment ready to import; all of it is validated before anything is written."""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple

import msgspec

from twindiff.catalog.stamps import new_environment_id
from twindiff.kit.clock import ClockMode
from twindiff.kit.events import Event
from twindiff.storage import EnvironmentOrigin, SchemaChanged, Template, TemplatePayload
from twindiff.storage.journal import ADVANCE, FORMER_QUEUE, JournalRecord, Values, former_event
from twindiff.storage.schema import Schema
from twindiff.storage.values import canonical

from ..call_log import CallLogEntry
from ..points import refuse_unfit_name
from ..registry import Registry
from .format import (
    BytesLine,
    CallLine,
    CheckpointLine,
    ExportLine,
    Head,
    InvalidExport,
    RecordLine,
    RowLine,
    read_lines,
    record_of,
)
from .validate import MAX_NAME_CHARACTERS, Forms, RowSet, check_changes, full_changes


class Contents(NamedTuple):
    """A valid environment read from a file, with the id that it will have."""

    id: str
    head: Head
    origin: EnvironmentOrigin
    starts: dict[str, TemplatePayload]
    records: list[JournalRecord]
    checkpoints: dict[str, int]
    calls: list[CallLogEntry]
    files: list[bytes]


def read_export(file: bytes, registry: Registry) -> Contents:
    """Read and validate a file; raises InvalidExport, UnknownTwin, SchemaChanged and others of status 400."""
    reader: Reader | None = None
    for number, line in read_lines(file):
        try:
            if reader:
                reader.take(line)
            elif isinstance(line, Head):
                reader = Reader(line, registry)
        except InvalidExport as error:
            if reader and reader.other_tables:
                raise SchemaChanged(f"line {number}: {error}. {reader.other_tables}") from None
            raise InvalidExport(f"line {number}: {error}") from None
    assert reader, "a file begins with its head"
    return reader.contents()


class Reader:
    """Collects the lines of a file."""

    def __init__(self, head: Head, registry: Registry) -> None:
        self._head = head
        self._id = new_environment_id()
        self._schemas = {twin: _schema(twin, registry) for twin in head.twins}
        self.other_tables = _other_tables(head, self._schemas)
        """A likely cause of rows that do not fit, if the file was written with other tables; else empty."""
        self._forms = Forms(self._schemas)
        self._row_set = RowSet(self._forms)
        self._rows: dict[str, dict[str, list[Values]]] = {twin: {} for twin in head.twins}
        self._records: list[JournalRecord] = []
        self._checkpoints: dict[str, int] = {}
        self._calls: list[CallLogEntry] = []
        self._pieces: dict[str, list[bytes]] = {}

    def take(self, line: ExportLine) -> None:
        """Parse one line; raises InvalidExport."""
        match line:
            case RowLine():
                self._take_row(line)
            case RecordLine():
                self._take_record(line)
            case CheckpointLine():
                self._take_checkpoint(line)
            case CallLine():
                self._calls.append(CallLogEntry(*(getattr(line, name) for name in CallLogEntry._fields)))
            case BytesLine():
                self._pieces.setdefault(line.digest, []).append(line.data)
            case Head():
                raise InvalidExport("another environment begins")
            case _:
                pass

    def _take_row(self, line: RowLine) -> None:
        if line.table == FORMER_QUEUE:
            return
        form = self._forms.get(line.twin, line.table)
        values = form.full(line.values)
        self._row_set.add(form, values)
        self._rows[line.twin].setdefault(line.table, []).append(values)

    def _take_record(self, line: RecordLine) -> None:
        if line.to is None and not _sets_the_clock(line):
            self._forms.refuse_stranger(line.twin)
        changes = [
            full_changes(self._forms.get(line.twin, each.table), each.key, each.before, each.after)
            for each in line.changes
            if each.table != FORMER_QUEUE
        ]
        self._records.append(record_of(line, self._id, changes, _events(line)))

    def _take_checkpoint(self, line: CheckpointLine) -> None:
        refuse_unfit_name(line.name)
        if line.name in self._checkpoints:
            raise InvalidExport(f"the checkpoint '{line.name}' is there twice")
        self._checkpoints[line.name] = line.seq

    def contents(self) -> Contents:
        """Return the environment, after the last line; raises InvalidExport."""
        check_changes(self._row_set, self._records)
        self._refuse_unknown_points()
        starts = {twin: self._start(twin) for twin in self._schemas}
        clock = ClockMode(self._head.clock.mode, self._head.clock.start)
        origin = EnvironmentOrigin(
            templates={twin: start.template.hash for twin, start in starts.items()},
            clock=clock,
            created=self._head.created,
            clock_start=self._head.clock_start,
            counters=self._head.counters,
        )
        files = [_file(digest, pieces) for digest, pieces in self._pieces.items()]
        return Contents(self._id, self._head, origin, starts, self._records, self._checkpoints, self._calls, files)

    def _refuse_unknown_points(self) -> None:
        last = len(self._records)
        said = [*self._checkpoints.values(), *(call.seq for call in self._calls if call.seq is not None)]
        if said and max(said) > last:
            raise InvalidExport(f"a checkpoint or a call speaks of point {max(said)}; the journal ends at {last}")

    def _start(self, twin: str) -> TemplatePayload:
        rows, counters = self._rows[twin], self._head.twins[twin].counters
        schema = self._schemas[twin]
        return TemplatePayload(Template(schema.content_hash(rows, counters), schema.hash, counters), rows)


def _sets_the_clock(line: RecordLine) -> bool:
    return not line.twin and line.operation == ADVANCE and not line.changes


def _schema(twin: str, registry: Registry) -> Schema:
    """Return the tables of a twin; raises UnknownTwin, and InvalidExport for an alias."""
    if registry.get(twin[:MAX_NAME_CHARACTERS]).name != twin:
        raise InvalidExport(f"'{twin}' is only an alias of a twin")
    return registry.schemas[twin]


def _other_tables(head: Head, schemas: dict[str, Schema]) -> str:
    others = [twin for twin, schema in schemas.items() if schema.hash != head.twins[twin].schema]
    if not others:
        return ""
    return (
        f"The {others[0]} twin that wrote the file (twindiff {head.twindiff[:MAX_NAME_CHARACTERS]}) has other tables "
        "than the "
        "one that is installed here; import it where that version is installed"
    )


def _events(line: RecordLine) -> list[Event]:
    """Return the events that an operation emitted; earlier releases stored them as rows."""
    try:
        former = [former_event(each.after) for each in line.changes if each.table == FORMER_QUEUE and each.after]
    except msgspec.ValidationError as error:
        raise InvalidExport(f"a row of {line.twin}.{FORMER_QUEUE}: {error}") from None
    return [*former, *(Event(each.name, canonical(each.payload)) for each in line.events)]


def _file(digest: str, pieces: list[bytes]) -> bytes:
    data = b"".join(pieces)
    if sha256(data).hexdigest() != digest:
        raise InvalidExport(f"the bytes of the file {digest[:MAX_NAME_CHARACTERS]} are not those it is named by")
    return data
