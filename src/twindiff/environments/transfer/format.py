"""The export file of an environment: gzipped JSON lines, which `zcat` and `jq` can read.

The first line describes the file. Then come the rows of its templates, the records of its journal, its checkpoints, its
calls, and the bytes of files in chunks. The last line gives the number of lines before it. The file has no paths, and
it is decompressed only as far as it is read.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal

import msgspec

from twindiff.kit.clock import Mode
from twindiff.kit.errors import ApiError
from twindiff.kit.events import Event
from twindiff.kit.rows import Table
from twindiff.storage.journal import JournalRecord, RowChange, Values

from ..transcripts import Transcript

FORMAT = 1
MAX_FILE_BYTES = 128_000_000
"""The largest file, in bytes."""
MAX_UNPACKED_BYTES = 256_000_000
"""The largest decompressed content, in bytes of JSON."""
PIECE = 1 << 20
"""Bytes of an exported file per line."""

_DIGEST = re.compile("[0-9a-f]{64}")
_LEVEL = 6


class InvalidExport(ApiError):
    """The file is not an environment that twindiff exported, or it is damaged."""


class ExportTooLarge(ApiError):
    """The environment is too large to travel in one file."""

    status = 413


Instant = Annotated[int, msgspec.Meta(ge=0, le=20_000_000_000_000_000)]
"""Microseconds from 1970 to 2603. Counters have the same bounds, since some of them count time."""
Seq = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
Counters = dict[str, Instant]


class ExportLine(msgspec.Struct, tag_field="kind", omit_defaults=True, forbid_unknown_fields=True):
    """A line of the file, tagged by `kind`."""


class ClockLine(msgspec.Struct, frozen=True):
    """The mode and start of the clock."""

    mode: Mode
    start: Instant


class TwinLine(msgspec.Struct, frozen=True):
    """The initial state of a twin; `schema` is the hash of its tables, `template` is a name for people."""

    schema: str
    template: str
    counters: Counters


class Head(ExportLine, tag="environment"):
    """The description of the file. It has no tokens but those in the rows of templates: see `stand_ins`."""

    format: int
    twindiff: str
    environment: str
    name: str | None
    actor: str
    auth: Literal["lenient", "strict"]
    ttl_seconds: Annotated[int, msgspec.Meta(ge=1, le=10**9)]
    clock: ClockLine
    created: Instant
    clock_start: Instant
    counters: Counters
    twins: Annotated[dict[str, TwinLine], msgspec.Meta(min_length=1)]
    users: dict[str, str] = {}


class RowLine(ExportLine, tag="row"):
    """A row of a template."""

    twin: str
    table: str
    values: Values


class ChangeLine(msgspec.Struct, frozen=True):
    """A row that an operation inserted (`before` is null), deleted (`after` is null) or updated."""

    table: str
    key: tuple[Any, ...]
    before: Values | None
    after: Values | None


class EventLine(msgspec.Struct, frozen=True):
    """An event that an operation emitted, with the vendor's name for it."""

    name: str
    payload: dict[str, Any]


class RecordLine(ExportLine, tag="record"):
    """A record of the journal. Earlier releases stored its events as rows."""

    seq: Seq
    twin: str
    operation: str
    actor: str
    at: Instant
    clock: Instant
    ids: Counters
    changes: list[ChangeLine]
    to: Seq | None = None
    events: list[EventLine] = []


class CheckpointLine(ExportLine, tag="checkpoint"):
    """A named point."""

    name: str
    seq: Seq


class CallLine(ExportLine, tag="call"):
    """A call to a twin."""

    at: Instant
    twin: str
    operation: str
    actor: str
    status: Annotated[int, msgspec.Meta(ge=100, le=999)]
    milliseconds: Annotated[float, msgspec.Meta(ge=0, le=1e12)]
    error: str | None = None
    seq: Seq | None = None
    said: Transcript | None = None
    host: str | None = None


class BytesLine(ExportLine, tag="bytes"):
    """A chunk of a file that rows name by its SHA-256; the chunks of a file are in order."""

    digest: str
    data: bytes


class End(ExportLine, tag="end"):
    """Marks the file as complete."""

    lines: int


class ExportHeader(msgspec.Struct):
    """The fields that the first line has in every format version."""

    kind: Literal["environment"]
    format: int
    twindiff: str


_encode = msgspec.json.Encoder().encode
_decode_written = msgspec.json.Decoder(ExportHeader).decode
_decode: msgspec.json.Decoder[ExportLine] = msgspec.json.Decoder(
    Head | RowLine | RecordLine | CheckpointLine | CallLine | BytesLine | End  # pyright: ignore[reportArgumentType]
)


def record_line(record: JournalRecord, tables: Mapping[str, Table]) -> RecordLine:
    """Return the exported form of a record, without its environment's id and without columns that no longer exist."""
    changes = [
        ChangeLine(table, key, _known_columns(before, tables[table]), _known_columns(after, tables[table]))
        for table, key, before, after in record.changes
    ]
    return RecordLine(
        seq=record.seq,
        twin=record.twin,
        operation=record.operation,
        actor=record.actor,
        at=record.at,
        clock=record.clock,
        ids=record.ids,
        changes=changes,
        to=record.to,
        events=[EventLine(event.name, event.payload) for event in record.events],
    )


def _known_columns(values: Values | None, table: Table) -> Values | None:
    if values is None or values.keys() <= table.columns.keys():
        return values
    return {name: value for name, value in values.items() if name in table.columns}


def record_of(line: RecordLine, environment_id: str, changes: list[RowChange], events: list[Event]) -> JournalRecord:
    """Return the journal record of an exported line, with validated changes and events."""
    return JournalRecord(
        env=environment_id,
        seq=line.seq,
        twin=line.twin,
        operation=line.operation,
        actor=line.actor,
        at=line.at,
        clock=line.clock,
        ids=line.ids,
        changes=changes,
        to=line.to,
        events=events,
    )


class Writer:
    """Writes a file; the same lines give the same bytes. `digests` are the SHA-256 values found in rows."""

    def __init__(self) -> None:
        self._packed = io.BytesIO()
        self._stream = gzip.GzipFile(fileobj=self._packed, mode="wb", compresslevel=_LEVEL, mtime=0)
        self._lines = 0
        self._unpacked = 0
        self.digests: set[str] = set()

    def pack(self, lines: Iterable[ExportLine]) -> None:
        """Write lines; raises ExportTooLarge."""
        for line in lines:
            self._note_digests(line)
            self._write(line)

    def _write(self, line: ExportLine) -> None:
        text = _encode(line) + b"\n"
        self._lines += 1
        self._unpacked += len(text)
        self._stream.write(text)
        if self._unpacked > MAX_UNPACKED_BYTES or self._packed.tell() > MAX_FILE_BYTES:
            raise ExportTooLarge(
                f"the environment is too large to travel: a file takes {MAX_UNPACKED_BYTES:,} bytes of JSON, "
                f"or {MAX_FILE_BYTES:,} bytes when it is packed; fork it at an earlier point and export that"
            )

    def _note_digests(self, line: ExportLine) -> None:
        if isinstance(line, RowLine):
            self._look_through(line.values)
        elif isinstance(line, RecordLine):
            for change in line.changes:
                self._look_through(change.after or {})

    def _look_through(self, values: Mapping[str, Any]) -> None:
        for value in values.values():
            if isinstance(value, str) and len(value) == 64 and _DIGEST.fullmatch(value):
                self.digests.add(value)

    def finish(self) -> bytes:
        """Write the last line and return the whole file."""
        self._write(End(lines=self._lines))
        self._stream.close()
        return self._packed.getvalue()


def read_lines(file: bytes) -> Iterator[tuple[int, ExportLine]]:
    """Yield the lines of a file with their numbers; raises InvalidExport, ExportTooLarge."""
    number = 0
    line: ExportLine | None = None
    for number, text in enumerate(_texts(file), 1):
        if number == 1:
            _refuse_other_formats(text)
        if isinstance(line, End):
            raise InvalidExport(f"line {number}: something stands after the end")
        line = _line(number, text)
        yield number, line
    if line is None:
        raise InvalidExport("the file is empty")
    if not isinstance(line, End) or line.lines != number - 1:
        given = f"it says {line.lines} lines and has {number - 1}" if isinstance(line, End) else "its end is missing"
        raise InvalidExport(f"the file is not whole: {given}; export the environment again")


def _texts(file: bytes) -> Iterator[bytes]:
    left = MAX_UNPACKED_BYTES
    with gzip.GzipFile(fileobj=io.BytesIO(file)) as stream:
        try:
            while text := stream.readline(left + 1):
                left -= len(text)
                if left < 0:
                    raise ExportTooLarge(
                        f"the file holds more than {MAX_UNPACKED_BYTES:,} bytes of JSON, which is the most"
                    )
                yield text
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            problem = "it is cut off" if isinstance(error, EOFError) else str(error)
            raise InvalidExport(f"the file cannot be unpacked: {problem}; export the environment again") from None


def _refuse_other_formats(text: bytes) -> None:
    try:
        written = _decode_written(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise InvalidExport("the file does not begin as an environment that twindiff exported") from None
    if written.format != FORMAT:
        raise InvalidExport(
            f"the file is of format {written.format}, written by twindiff {written.twindiff}; "
            f"this one reads format {FORMAT}: import it with the version that wrote it"
        )


def _line(number: int, text: bytes) -> ExportLine:
    try:
        return _decode.decode(text)
    except RecursionError:
        raise InvalidExport(f"line {number}: a value is nested too deeply") from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InvalidExport(f"line {number}: {error}") from None
