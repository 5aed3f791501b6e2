"""The storage interface that every engine implements, and the types it exchanges with its callers.

An engine runs the work of an operation inside one transaction, captures the changed rows below the API, and appends
them to the journal before the response is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import msgspec

from twindiff.kit.blobs import Blobs
from twindiff.kit.clock import Clock, ClockMode
from twindiff.kit.errors import ApiError
from twindiff.kit.errors import NotServed as NotServed
from twindiff.kit.rows import Expression, Row
from twindiff.kit.store import Store

from .cooperative import CooperativeStep
from .due import WorkDue as WorkDue
from .feed import Feed
from .journal import JournalRecord, Values
from .schema import Schema

if TYPE_CHECKING:
    from .durability import Durability
    from .quota import StorageQuota
    from .sqlite import SqliteEngine

T = TypeVar("T")


class StorageFull(NotServed):
    """The disk is full; nothing was written. Free space, or delete environments, and try again."""

    status = 507


class StorageUnavailable(NotServed):
    """The database cannot be reached, or cannot write now; nothing was lost. Try again in a second."""

    status = 503

    def __init__(self, message: str = "") -> None:
        super().__init__(message, headers=(("Retry-After", "1"),))


class StorageBusy(StorageUnavailable):
    """Others hold the locks that are needed; nothing was written. Try again in a second."""

    code = "storage_unavailable"


class EnvironmentGone(NotServed):
    """The environment is not there any more: another process has deleted it."""

    code = "gone"
    status = 410


class JournalIncomplete(NotServed):
    """Operations are missing from the journal for ever, so what they changed is not known. Reset the environment."""

    status = 409


class WrongStorage(Exception):
    """The database cannot be used as it is; the message says what to do."""


class TooLong(ApiError):
    """A value that rows are found by is longer than the database takes."""


class UnknownPoint(ApiError):
    """The environment has no such point."""

    status = 404


class SchemaChanged(ApiError):
    """The environment was made by another version of a twin and cannot be carried over."""

    status = 409


class DataDirectoryInUse(Exception):
    """Another process owns the data directory."""


class Template(NamedTuple):
    """An immutable starting state of one twin, named by the hash of its content."""

    hash: str
    schema_hash: str
    counters: dict[str, int]


class TemplatePayload(NamedTuple):
    """A template with all its rows by table name, for an engine that may not store it yet."""

    template: Template
    rows: Mapping[str, list[Values]]
    is_built_in: bool = False
    """Whether the twin ships the template, so that all users of this server share it."""


class EnvironmentOrigin(msgspec.Struct, frozen=True):
    """The definition of an environment: a template hash per twin, its clock mode and its counters.

    `created` is the wall clock and `clock_start` the environment's clock at creation, in microseconds since 1970.
    """

    templates: dict[str, str]
    clock: ClockMode
    created: int
    clock_start: int
    counters: dict[str, int] = {}


class OperationContext(NamedTuple):
    """The store and the clock that an engine passes to the work of one operation."""

    db: Store
    clock: Clock


class OperationInfo:
    """Twin, operation and actor for the journal record. The work may still set `actor` until it returns."""

    __slots__ = ("actor", "operation", "twin")

    def __init__(self, twin: str, operation: str, actor: str) -> None:
        self.twin = twin
        self.operation = operation
        self.actor = actor

    def to_tuple(self) -> tuple[str, str, str]:
        """Return `(twin, operation, actor)`, in the order of a journal record."""
        return self.twin, self.operation, self.actor


class PlannedOperation(NamedTuple):
    """An operation scheduled for the time `at`, in microseconds since 1970."""

    info: OperationInfo
    work: Callable[[OperationContext], object]
    at: int


class Present(NamedTuple):
    """The current position of an environment: its clock, its last `seq`, and the earliest time that a job may fall due.

    `clock` and `due` are in microseconds since 1970.
    """

    clock: int
    seq: int
    due: int


class PointComparison(NamedTuple):
    """The difference between two points: net changes as one record per twin, and the rewind records in between."""

    records: list[JournalRecord]
    rewinds: list[JournalRecord]


class CatalogStore(Store, Protocol):
    """A store for catalog records, which are also deleted in bulk."""

    def remove_all(self, table: type[Row], *where: Expression) -> None:
        """Delete all matching rows."""
        ...


class StorageEngine(Protocol):
    """Stores templates, environments, journals and the catalog. Writing operations are serial per environment."""

    may_block: bool
    """Whether operations wait for a database, so that they must run in threads and not on the event loop."""
    is_shared: bool
    """Whether other processes may write the same environments and catalog."""
    blobs: Blobs
    """The files of all environments, which are too large for rows."""
    feed: Feed
    """Reports every writing operation and every rewind, from all processes of the server."""
    room: StorageQuota
    """The storage quota; writing operations and new files are charged to it."""

    @property
    def embedded(self) -> SqliteEngine | None:
        """The engine itself where it runs in the server's process, and so can copy an environment for a long call.

        None where a database does the work.
        """
        ...

    @property
    def durability(self) -> Durability | None:
        """What holds responses back until their writes are durable, if the settings ask for that."""
        ...

    def schema(self, schema: Schema) -> None:
        """Register the tables of a twin."""
        ...

    def add_template(self, twin: str, rows: Mapping[str, Iterable[Mapping[str, Any]]]) -> Template:
        """Store a template of full rows by table name; the same content always has the same hash."""
        ...

    def keep_template(self, twin: str, start: TemplatePayload) -> Iterator[CooperativeStep]:
        """Store a template whose hash is known; yields steps that may run in another thread."""
        ...

    def template_rows(self, twin: str, hash: str) -> dict[str, list[Values]]:
        """Return every row of a template by table name. Safe to call in any thread."""
        ...

    def copy_template(
        self, env: str, origin: EnvironmentOrigin, twin: str
    ) -> Generator[CooperativeStep, None, Template]:
        """Store the current state of one twin of a loaded environment as a template, and return the template.

        Yields steps that may run in another thread.
        """
        ...

    def has_template(self, twin: str, hash: str) -> bool:
        """Whether a template is stored. A positive result defers its removal, even if no environment uses it yet."""
        ...

    def template(self, twin: str, hash: str) -> Store:
        """Return the rows of a template as a read-only store."""
        ...

    def ready(self, origin: EnvironmentOrigin) -> str | None:
        """Return the id of a pre-provisioned environment for `create` to claim, or None if there is none."""
        ...

    def create(self, env: str, origin: EnvironmentOrigin) -> None: ...

    def is_loaded(self, env: str) -> bool:
        """Whether the environment is loaded, so that no rebuild is needed before its use."""
        ...

    def load(self, env: str, origin: EnvironmentOrigin) -> None:
        """Load an environment from its template, last image and journal; raises SchemaChanged."""
        ...

    def evict(self, env: str) -> None:
        """Evict an idle environment from memory."""
        ...

    def read(self, env: str, twin: str, work: Callable[[OperationContext], T], *, at: int | None = None) -> T:
        """Run work that cannot write, and return its result.

        With `at` (microseconds since 1970) the work runs at that time, or at the clock of the last record if that is
        later. Without it, raises WorkDue if a job falls due by now.
        """
        ...

    def write(
        self, env: str, info: OperationInfo, work: Callable[[OperationContext], T], *, at: int | None = None
    ) -> tuple[T, int | None]:
        """Run work in one transaction; return its result and the seq of its record, or None if no row changed.

        Any exception of `work` rolls the transaction back. Events of an operation that changed no row are discarded.
        Raises StorageFull, and WorkDue as `read` does.
        """
        ...

    def write_all(self, env: str, twin: str, operations: Iterable[PlannedOperation]) -> list[int | None]:
        """Run operations of one twin in one commit, each with its own record.

        Returns the seq of each operation that ran, or None for one that changed no row.

        Any exception rolls all of them back. The engine takes the next operation from the iterable once those before
        it have run. It stops, without running it, at the first operation whose time is not before the earliest job
        that those before it scheduled; it may also stop earlier. A shared engine runs one operation.
        All share the time limit of a single operation, and raise TooSlow beyond it.
        """
        ...

    def is_materialized(self, env: str, seq: int) -> bool:
        """Whether a point of a loaded environment can be reached without a rebuild; raises UnknownPoint."""
        ...

    def materialize(self, env: str, origin: EnvironmentOrigin, seq: int) -> None:
        """Rebuild a point and cache it, so that a following rewind or fork is immediate. May run in any thread."""
        ...

    def rewind(self, env: str, to: int) -> int:
        """Restore rows, clock and counters as they were after the seq `to` (0: the beginning); return the new seq.

        The journal is not truncated: it gets a rewind record. Raises UnknownPoint, and JournalIncomplete unless `to`
        is 0.
        """
        ...

    def present(self, env: str) -> Present:
        """Return the current position of a loaded environment."""
        ...

    def expect(self, env: str, due: int, seq: int) -> None:
        """Set the earliest time that a job falls due, unless the last record of the environment is no longer `seq`."""
        ...

    def advance(self, env: str, to: int) -> int:
        """Set the clock to a later time, in microseconds since 1970; return the seq of the journal record for it."""
        ...

    def fork(self, env: str, at: int, child: str) -> None:
        """Create the environment `child`, which shares the history of `env` up to the seq `at`.

        Raises UnknownPoint, JournalIncomplete.
        """
        ...

    def import_environment(
        self, env: str, origin: EnvironmentOrigin, starts: Mapping[str, TemplatePayload], records: list[JournalRecord]
    ) -> Iterator[CooperativeStep]:
        """Create an environment exported from another server, from all its records and its initial templates.

        Yields steps that may run in another thread; the caller runs each before it takes the next. Empties `records`.
        A caller that stops early calls `delete` to remove the partial environment.
        """
        ...

    def delete(self, env: str) -> None:
        """Delete an environment and its journal."""
        ...

    def admit(self) -> None:
        """Raise StorageUnavailable while the storage should not take new runs."""
        ...

    def announce(self, env: str) -> None:
        """Publish an environment on the feed of every process, although its journal has no new record."""
        ...

    def leads(self) -> bool:
        """Whether this process is the leader, which runs the tasks of a single process. Call it before each task."""
        ...

    def seq(self, env: str) -> int:
        """Return the number of records in the journal of an environment."""
        ...

    def records(self, env: str, after: int = 0, upto: int | None = None) -> list[JournalRecord]:
        """Return the records with `after < seq <= upto`, those before a fork from its parent.

        Raises JournalIncomplete.
        """
        ...

    def difference(self, env: str, after: int, upto: int) -> list[JournalRecord]:
        """Return the records that lead from one point to another, with rewinds resolved."""
        ...

    def compare(self, env: str, origin: EnvironmentOrigin, start: int, end: int) -> PointComparison | None:
        """Compare the rows of two points, in any thread; return None if folding the records is faster."""
        ...

    def maintain(self) -> Generator[CooperativeStep]:
        """Run background maintenance; yields steps that may run in another thread. Raises StorageFull."""
        ...

    def measure(self) -> None:
        """Update `room` with the bytes in use, if there is a limit. Too slow for a request: call it periodically."""
        ...

    def catalog(self, schema: Schema) -> CatalogStore:
        """Return a durable store for catalog records; each write commits unless a `transaction` is open."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """Run several catalog writes in one transaction."""
        ...

    async def wait_until_durable(self) -> None:
        """Wait until all previous writes survive a power failure, if the engine is configured for it."""
        ...

    def close(self) -> None: ...
