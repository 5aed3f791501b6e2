"""The data file, with journal, images, templates and catalog, and the lock of the data directory."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec

from twindiff.storage import DataDirectoryInUse, StorageFull, StorageUnavailable, Template
from twindiff.storage.cooperative import CooperativeStep, yield_control
from twindiff.storage.journal import JournalRecord
from twindiff.storage.quota import StorageQuota
from twindiff.storage.schema import Schema

from .connection import OUT_OF_SPACE, CannotOpen, SqliteConnection, connect, roll_back
from .ddl import column_text, quote, statements
from .format_migration import carry_over
from .images import IMAGE_TABLES, ImageFile, QueuedImage, Stored
from .records import StoredRecord, decode, encode
from .write_ahead_log import Log

LAST_SEQ = 2**62
"""Greater than the seq of any record."""
IN_MEMORY = ":memory:"
NAME = "twindiff.db"
LAYOUT = 4
"""The version of the tables below and of packed records; a data directory with a later one is refused."""

PIECE = 1 << 18
"""Bytes of a template image that are written in one go; a longer one is stored in pieces."""

MAX_LOG_BYTES = 64 * 1024 * 1024
"""Bytes to which the file of the write-ahead log is truncated when it is reset."""

ROWS_AT_ONCE = 100
"""Rows of deleted environments that are removed by one statement."""
MIN_FREE_PAGES = 2000
"""Free pages that are worth a vacuum."""
PAGES_FREED_AT_ONCE = 200

_TABLES = """
CREATE TABLE IF NOT EXISTS journal (env TEXT NOT NULL, seq INTEGER NOT NULL, record BLOB NOT NULL) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS journal_env_seq ON journal (env, seq);
CREATE TABLE IF NOT EXISTS row_columns (number INTEGER PRIMARY KEY, columns BLOB NOT NULL UNIQUE) STRICT;
CREATE TABLE IF NOT EXISTS template_images (
    twin TEXT NOT NULL, hash TEXT NOT NULL, schema_hash TEXT NOT NULL, counters TEXT NOT NULL, image BLOB NOT NULL,
    PRIMARY KEY (twin, hash)
) STRICT;
CREATE TABLE IF NOT EXISTS template_pieces (
    twin TEXT NOT NULL, hash TEXT NOT NULL, at INTEGER NOT NULL, piece BLOB NOT NULL, PRIMARY KEY (twin, hash, at)
) STRICT;
CREATE TABLE IF NOT EXISTS rewinds (
    env TEXT NOT NULL, seq INTEGER NOT NULL, target INTEGER NOT NULL, PRIMARY KEY (env, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS forks (
    env TEXT PRIMARY KEY NOT NULL, parent TEXT NOT NULL, at INTEGER NOT NULL, made INTEGER NOT NULL,
    forgotten INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX IF NOT EXISTS forks_parent ON forks (parent);
CREATE INDEX IF NOT EXISTS forks_forgotten ON forks (env) WHERE forgotten;
"""


_FREE = "forgotten AND NOT EXISTS (SELECT 1 FROM forks AS child WHERE child.parent = forks.env)"


class ForkOrigin(NamedTuple):
    """The origin of a fork: its parent, the seq at which it was forked, and the wall clock then in microseconds."""

    parent: str
    at: int
    made: int


class Rewind(NamedTuple):
    """A rewind record and its target, resolved so that it is not a rewind record itself where possible."""

    seq: int
    target: int


class JournalSpan(NamedTuple):
    """A segment of an environment's own journal, `after < seq <= upto`, without rewinds."""

    env: str
    after: int
    upto: int


class ReplayPlan(NamedTuple):
    """The replay plan of a point: the image of each twin to start from (or the templates), and segments to replay."""

    images: list[Stored]
    stretches: list[JournalSpan]


class Reading:
    """Read access to a data file through one connection."""

    def __init__(self, connection: SqliteConnection) -> None:
        self.connection = connection
        self.images = ImageFile(connection)
        self._columns: dict[int, bytes] = {}

    def _decode(self, packed: bytes) -> JournalRecord:
        return decode(packed, self._columns_of)

    def _columns_of(self, number: int) -> bytes:
        """Return the packed `Columns` with a number; they are cached."""
        columns = self._columns.get(number)
        if columns is None:
            query = "SELECT columns FROM row_columns WHERE number = ?"
            ((columns,),) = self.connection.execute(query, (number,)).fetchall()
            self._columns[number] = columns
        return columns

    def last_record(self, env: str) -> JournalRecord | None:
        """Return the newest record in an environment's own journal, without its parents; None if deleted or empty."""
        if self.is_forgotten(env):
            return None
        query = "SELECT record FROM journal WHERE env = ? ORDER BY seq DESC LIMIT 1"
        row = self.connection.execute(query, (env,)).fetchone()
        return self._decode(row[0]) if row else None

    def is_forgotten(self, env: str) -> bool:
        return self.connection.execute("SELECT 1 FROM forks WHERE env = ? AND forgotten", (env,)).fetchone() is not None

    def records(self, env: str, after: int, upto: int) -> list[JournalRecord]:
        """Return records with `after < seq <= upto`, those before a fork from its parent; none if it was deleted."""
        if self.is_forgotten(env):
            return []
        query = "SELECT record FROM journal WHERE env = ? AND seq > ? AND seq <= ? ORDER BY seq DESC"
        records: list[JournalRecord] = []
        for name, last in self._lineage(env, upto):
            records += [self._decode(record) for (record,) in self.connection.execute(query, (name, after, last))]
            if records and records[-1].seq == after + 1:
                break
        return records[::-1]

    def _lineage(self, env: str, upto: int) -> Iterator[tuple[str, int]]:
        """Yield an environment and its ancestors, each with the last seq that belongs to its history."""
        born: ForkOrigin | None = ForkOrigin(env, upto, 0)
        while born:
            upto = min(born.at, upto)
            yield born.parent, upto
            born = self.born(born.parent)

    def born(self, env: str) -> ForkOrigin | None:
        """Return the origin of a fork; None for other environments."""
        query = "SELECT parent, at, made FROM forks WHERE env = ? AND parent <> ''"
        row = self.connection.execute(query, (env,)).fetchone()
        return ForkOrigin(*row) if row else None

    def load_template(self, twin: str, hash: str) -> tuple[Template, bytes] | None:
        query = "SELECT schema_hash, counters, image FROM template_images WHERE twin = ? AND hash = ?"
        row = self.connection.execute(query, (twin, hash)).fetchone()
        if not row:
            return None
        schema_hash, counters, image = row
        template = Template(hash, str(schema_hash), msgspec.json.decode(str(counters)))
        return template, bytes(image) or self._pieces(twin, hash)

    def _pieces(self, twin: str, hash: str) -> bytes:
        query = "SELECT piece FROM template_pieces WHERE twin = ? AND hash = ? ORDER BY at"
        return b"".join([piece for (piece,) in self.connection.execute(query, (twin, hash))])

    def templates(self) -> set[tuple[str, str]]:
        """Return all templates as (twin, hash)."""
        rows = self.connection.execute("SELECT twin, hash FROM template_images")
        return {(str(twin), str(hash)) for twin, hash in rows}

    def has_template(self, twin: str, hash: str) -> bool:
        query = "SELECT 1 FROM template_images WHERE twin = ? AND hash = ?"
        return self.connection.execute(query, (twin, hash)).fetchone() is not None

    def way_to(self, env: str, seq: int) -> ReplayPlan:
        """Return the replay plan of a point. It walks back from the point, and from a rewind to its target."""
        stretches: list[JournalSpan] = []
        while True:
            born = self.born(env)
            if born and seq <= born.at:
                env = born.parent
                continue
            rewind = self._last_rewind(env, seq)
            begin = rewind.seq if rewind else born.at if born else 0
            images = self.images.latest(env, seq)
            if images and images[0].seq >= begin:
                stretches.append(JournalSpan(env, images[0].seq, seq))
                return ReplayPlan(images, stretches[::-1])
            stretches.append(JournalSpan(env, begin, seq))
            if rewind:
                seq = rewind.target
            elif born:
                env, seq = born.parent, born.at
            else:
                return ReplayPlan([], stretches[::-1])

    def _last_rewind(self, env: str, upto: int) -> Rewind | None:
        query = "SELECT seq, target FROM rewinds WHERE env = ? AND seq <= ? ORDER BY seq DESC LIMIT 1"
        row = self.connection.execute(query, (env, upto)).fetchone()
        return Rewind(*row) if row else None

    def target(self, env: str, seq: int) -> int:
        """Return the target if `seq` is a rewind, else `seq` itself."""
        rewind = self._last_rewind(env, seq)
        return rewind.target if rewind and rewind.seq == seq else seq

    def rewinds(self, env: str, after: int, upto: int) -> list[JournalRecord]:
        """Return the rewind records with `after < seq <= upto`, those before a fork from its parent."""
        query = "SELECT seq FROM rewinds WHERE env = ? AND seq > ? AND seq <= ?"
        lineage = self._lineage(env, upto)
        listed = [seq for name, last in lineage for (seq,) in self.connection.execute(query, (name, after, last))]
        return [record for seq in sorted(listed) for record in self.records(env, seq - 1, seq)]

    def stretch(self, stretch: JournalSpan) -> Iterator[JournalRecord]:
        """Yield the records of a journal segment."""
        query = "SELECT record FROM journal WHERE env = ? AND seq > ? AND seq <= ? ORDER BY seq"
        return (self._decode(record) for (record,) in self.connection.execute(query, stretch))


class DataFile(Reading):
    """All durable data. It survives `kill -9`; a power failure loses what was not synced."""

    def __init__(self, directory: str, room: StorageQuota) -> None:
        self._room = room
        self._lock = None if directory == IN_MEMORY else _take(Path(directory))
        in_memory = f"file:/twindiff-{id(self)}?vfs=memdb"
        self._path = in_memory if directory == IN_MEMORY else str(Path(directory) / NAME)
        self._is_full = False
        self._numbers: dict[bytes, int] = {}
        """Numbers of packed columns that are certainly in `row_columns`."""
        self.forgotten = 0
        """The number of environments and templates removed so far."""
        super().__init__(self._connect())
        self.log = Log(self._path, self.connection, self._connect)
        try:
            self._prepare("MEMORY" if directory == IN_MEMORY else "WAL")
        except BaseException:  # including KeyboardInterrupt: release the lock
            self.close()
            raise

    def _prepare(self, journal: str) -> None:
        self._check_layout()
        self.connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # has an effect on new files only
        self.connection.execute(f"PRAGMA journal_mode = {journal}")
        self.connection.execute(f"PRAGMA journal_size_limit = {MAX_LOG_BYTES}")
        self.connection.execute("PRAGMA synchronous = NORMAL")
        self.connection.execute(_TABLES + IMAGE_TABLES)
        carry_over(self.connection)
        self._touch()

    def _connect(self) -> SqliteConnection:
        with self._name_lack_of_descriptors():
            connection = connect(self._path)
        connection.set_busy_timeout(5000)
        return connection

    @contextmanager
    def _name_lack_of_descriptors(self) -> Generator[None]:
        """Raise StorageUnavailable if the file, or the log beside it, cannot be opened for want of descriptors."""
        try:
            yield
        except CannotOpen:
            if Path(self._path).is_file():  # so the path is right: the process is out of file descriptors
                raise StorageUnavailable("The server has too many files open; raise its limit") from None
            raise

    @contextmanager
    def reader(self) -> Generator[Reading]:
        """Open a separate connection, for use in another thread."""
        connection = self._connect()
        try:
            with self._name_lack_of_descriptors():  # the log is opened when something is read first
                yield Reading(connection)
        finally:
            connection.close()

    def _check_layout(self) -> None:
        ((layout,),) = self.connection.execute("PRAGMA user_version")
        if layout > LAYOUT:
            raise DataDirectoryInUse(f"{self._path} was written by a later version of twindiff; upgrade to open it")

    def owned_by(self, owner: str) -> None:
        """Write the owner to the lock file, for the error message of a process that finds it locked."""
        if self._lock:
            _describe(self._lock, owner)

    def close(self) -> None:
        self.connection.close()
        self.log.close()
        if self._lock:
            self._lock.close()

    def ensure(self, schema: Schema) -> None:
        """Create missing tables and indexes, and add missing columns, which are NULL in existing rows."""
        for table in schema.tables.values():
            existing = {row[1] for row in self.connection.execute(f"PRAGMA table_info({quote(table.name)})")}
            for column in table.columns.values():
                if existing and column.name not in existing:
                    self.connection.execute(f"ALTER TABLE {quote(table.name)} ADD COLUMN {column_text(column)}")
            for statement in statements(table):
                self.connection.execute(statement)

    @contextmanager
    def transaction(self) -> Generator[None]:
        """Run several writes in one transaction; nested ones join the outermost. Raises StorageFull."""
        if self.connection.in_transaction:
            yield
            return
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.connection.execute("COMMIT")
        except OUT_OF_SPACE:
            self._roll_back()
            self.write_over()
            raise StorageFull from None
        except BaseException:  # including KeyboardInterrupt: all or nothing is written
            self._roll_back()
            raise

    def _roll_back(self) -> None:
        roll_back(self.connection)
        self._numbers.clear()

    def append(self, *records: JournalRecord | StoredRecord) -> None:
        """Append records to the journal, all of them or none; raises StorageFull."""
        packed = [encode(record, self._number) for record in records]
        self._room.take(sum(map(len, packed)))
        if len(records) == 1 and records[0].to is None:
            return self._insert(records[0], packed[0])
        with self.transaction():
            for record, each in zip(records, packed, strict=True):
                self._insert(record, each)
                if record.to is not None:
                    values = (record.env, record.seq, self.target(record.env, record.to))
                    self._write("INSERT INTO rewinds (env, seq, target) VALUES (?, ?, ?)", values)

    def _number(self, columns: bytes) -> int:
        """Return the number of packed columns, assigning one if necessary."""
        number = self._numbers.get(columns)
        if number is None:
            self._write("INSERT OR IGNORE INTO row_columns (columns) VALUES (?)", (columns,))
            query = "SELECT number FROM row_columns WHERE columns = ?"
            ((number,),) = self.connection.execute(query, (columns,)).fetchall()
            self._numbers[columns] = number
        return number

    def _insert(self, record: JournalRecord | StoredRecord, packed: bytes) -> None:
        self._write("INSERT INTO journal (env, seq, record) VALUES (?, ?, ?)", (record.env, record.seq, packed))

    def _write(self, statement: str, parameters: Sequence[Any]) -> None:
        try:
            self.connection.execute(statement, parameters)
        except OUT_OF_SPACE:
            self.write_over()
            raise StorageFull from None

    def write_over(self) -> None:
        """Overwrite a failed commit in the write-ahead log with another one.

        Its frames may be complete in the log if only the sync failed; recovery after a crash would then apply it.
        """
        self._is_full = True
        if not self.connection.in_transaction:
            with suppress(*OUT_OF_SPACE):
                self._touch()

    def _touch(self) -> None:
        self.connection.execute(f"PRAGMA user_version = {LAYOUT}")

    def refuse_full(self) -> None:
        """Raise StorageFull if the disk was full and still is."""
        if self._is_full and not self.connection.in_transaction:
            try:
                self._touch()
            except OUT_OF_SPACE:
                raise StorageFull from None
            self._is_full = False

    def add_fork(self, env: str, born: ForkOrigin) -> None:
        """Store the origin of a fork; raises StorageFull."""
        self._write("INSERT INTO forks (env, parent, at, made) VALUES (?, ?, ?, ?)", (env, *born))

    def forget(self, env: str) -> None:
        """Mark an environment as deleted; `remove_forgotten` removes its data. Raises StorageFull."""
        row = "INSERT INTO forks (env, parent, at, made, forgotten) VALUES (?, '', 0, 0, 1)"
        self._write(f"{row} ON CONFLICT DO UPDATE SET forgotten = 1", (env,))

    def remove_forgotten(self) -> Generator[CooperativeStep]:
        """Remove journals and images of deleted environments that have no forks; yields between parts."""
        while env := self._free():
            for table in ("journal", "rewinds"):
                some = f"SELECT seq FROM {table} WHERE env = ?1 LIMIT {ROWS_AT_ONCE}"
                yield from self._remove_all(f"DELETE FROM {table} WHERE env = ?1 AND seq IN ({some})", env)
            for id in self.images.ids(env):
                some = f"SELECT rowid FROM image_pages WHERE image = ?1 LIMIT {ROWS_AT_ONCE}"
                yield from self._remove_all(f"DELETE FROM image_pages WHERE rowid IN ({some})", id)
                self._write("DELETE FROM images WHERE id = ?", (id,))
            self._write("DELETE FROM forks WHERE env = ?", (env,))
            self.forgotten += 1

    def _remove_all(self, statement: str, whose: str | int) -> Generator[CooperativeStep]:
        self._write(statement, (whose,))
        while self.connection.changes():
            yield yield_control
            self._write(statement, (whose,))

    def _free(self) -> str | None:
        """Return a deleted environment without forks, if any."""
        row = self.connection.execute(f"SELECT env FROM forks WHERE {_FREE}").fetchone()
        return str(row[0]) if row else None

    def is_free(self, env: str) -> bool:
        """Whether an environment is deleted and has no forks."""
        return self.connection.execute(f"SELECT 1 FROM forks WHERE env = ? AND {_FREE}", (env,)).fetchone() is not None

    def used_bytes(self) -> int:
        """Return the bytes of all pages except free ones."""
        names = ("page_size", "page_count", "freelist_count")
        size, all, free = (self.connection.execute(f"PRAGMA {name}").fetchall()[0][0] for name in names)
        return int(size * (all - free))

    def shrink(self) -> Generator[CooperativeStep]:
        """Return free pages to the file system if there are many; yields between parts.

        Has no effect on files of releases before `auto_vacuum`. Raises StorageFull, since it needs space in the log.
        """
        ((free,),), ((all,),) = (self.connection.execute(f"PRAGMA {name}") for name in ("freelist_count", "page_count"))
        if free < MIN_FREE_PAGES or free * 4 < all:
            return
        for _ in range(0, free, PAGES_FREED_AT_ONCE):
            try:
                self.connection.execute(f"PRAGMA incremental_vacuum({PAGES_FREED_AT_ONCE})").fetchall()
            except OUT_OF_SPACE:
                self.write_over()
                raise StorageFull from None
            yield yield_control

    def save_template(self, twin: str, template: Template, image: bytes) -> Generator[CooperativeStep]:
        """Write a template; yields between parts. It exists once the last part is written."""
        pieces = range(0, len(image), PIECE) if len(image) > PIECE else ()
        for at in pieces:
            query = "INSERT OR REPLACE INTO template_pieces (twin, hash, at, piece) VALUES (?, ?, ?, ?)"
            self._write(query, (twin, template.hash, at, image[at : at + PIECE]))
            yield yield_control
        counters = msgspec.json.encode(template.counters).decode()
        self._write(
            "INSERT OR IGNORE INTO template_images (twin, hash, schema_hash, counters, image) VALUES (?, ?, ?, ?, ?)",
            (twin, template.hash, template.schema_hash, counters, b"" if pieces else image),
        )

    def forget_template(self, twin: str, hash: str) -> None:
        with self.transaction():
            for table in ("template_images", "template_pieces"):
                self._write(f"DELETE FROM {table} WHERE twin = ? AND hash = ?", (twin, hash))
        self.forgotten += 1

    def save_pages(self, pages: list[tuple[int, int, bytes]]) -> None:
        """Write some pages of an image, as (image, number, page); `save_image` completes it. Raises StorageFull."""
        with self.transaction():
            self.images.add_pages(pages)

    def save_image(self, taken: QueuedImage) -> None:
        """Register an image whose pages are written; raises StorageFull."""
        with self.transaction():
            self.images.add(taken)

    def drop_images(self, ids: Iterable[int]) -> None:
        """Delete images by id."""
        with self.transaction():
            self.images.drop(ids)


def _take(directory: Path) -> IO[str]:
    """Lock a data directory for this process; raises DataDirectoryInUse with the owner from the lock file."""
    directory.mkdir(parents=True, exist_ok=True)
    lock = (directory / "lock").open("a+")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.seek(0)
        owner = lock.read().strip() or "another process"
        lock.close()
        raise DataDirectoryInUse(f"The data directory {directory} is in use by {owner}") from None
    _describe(lock, f"pid {os.getpid()}")
    return lock


def _describe(lock: IO[str], owner: str) -> None:
    lock.seek(0)
    lock.truncate()
    lock.write(owner)
    lock.flush()
