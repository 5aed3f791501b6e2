"""Where rows live: engines behind one interface, and the journal of every change.

An engine runs an operation's work inside one transaction, captures what it changed below the API, and appends that to
the journal before the answer leaves.
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
    from .quota import Room

T = TypeVar("T")


class StorageFull(NotServed):
    """The disk is full; nothing was written. Free space, or delete environments, and try again."""

    status = 507


class StorageUnavailable(NotServed):
    """The database cannot be reached, or cannot write now; nothing was lost. Try again in a second."""

    status = 503

    def __init__(self, message: str = "") -> None:
        super().__init__(message, headers=(("Retry-After", "1"),))


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
    """A template with all its rows by table, for an engine that may not have it."""

    template: Template
    rows: Mapping[str, list[Values]]
    is_built_in: bool = False
    """Whether a twin brings it, so that it is the same for everyone here."""


class Origin(msgspec.Struct, frozen=True):
    """What an environment starts from: a template hash per twin, its clock and its counters.

    `created` and `clock_start` are the wall clock and the environment's clock at creation, in microseconds since 1970.
    """

    templates: dict[str, str]
    clock: ClockMode
    created: int
    clock_start: int
    counters: dict[str, int] = {}


class OperationContext(NamedTuple):
    """What an engine hands to the work of one operation."""

    db: Store
    clock: Clock


class OperationInfo:
    """Who writes what, for the journal; who it is must be known when the work is done."""

    __slots__ = ("actor", "operation", "twin")

    def __init__(self, twin: str, operation: str, actor: str) -> None:
        self.twin = twin
        self.operation = operation
        self.actor = actor

    def to_tuple(self) -> tuple[str, str, str]:
        """Twin, operation and actor, as a record has them."""
        return self.twin, self.operation, self.actor


class PlannedOperation(NamedTuple):
    """An operation that is to run at a time, in microseconds since 1970."""

    intent: OperationInfo
    work: Callable[[OperationContext], object]
    at: int


class Present(NamedTuple):
    """Where an environment stands: its clock, its last record, and when work falls due at the earliest.

    Times are in microseconds since 1970.
    """

    clock: int
    seq: int
    due: int


class PointComparison(NamedTuple):
    """What differs between two points: net changes, as a record for each twin, and the rewinds between the two."""

    records: list[JournalRecord]
    rewinds: list[JournalRecord]


class CatalogStore(Store, Protocol):
    """A Store for our own records, of which many come and go at once."""

    def remove_all(self, table: type[Row], *where: Expression) -> None:
        """Delete all matching rows."""
        ...


class StorageEngine(Protocol):
    """Stores templates, environments, journals and the catalog. Writing operations are serial per environment."""

    inline: bool
    """Whether work is quick enough to run on the event loop."""
    blobs: Blobs
    """Bytes too large for rows, of all environments."""
    feed: Feed
    """Tells of every operation that wrote and of every rewind, whichever process of the server it was in."""
    room: Room
    """What may be written yet; operations that write and bytes of files count themselves out of it."""

    def schema(self, schema: Schema) -> None:
        """Make a twin's tables known."""
        ...

    def add_template(self, twin: str, rows: Mapping[str, Iterable[Mapping[str, Any]]]) -> Template:
        """Store a template of full rows by table; the same content gives the same hash."""
        ...

    def keep_template(self, twin: str, start: TemplatePayload) -> Iterator[CooperativeStep]:
        """Store a template whose hash is known; gives the parts of that which may be done in another thread."""
        ...

    def template_rows(self, twin: str, hash: str) -> dict[str, list[Values]]:
        """Every row of a template by table, read in any thread."""
        ...

    def copy_template(self, env: str, origin: Origin, twin: str) -> Generator[CooperativeStep, None, Template]:
        """Store the present state of an awake environment's twin as a template; gives what other threads may do."""
        ...

    def has_template(self, twin: str, hash: str) -> bool:
        """Whether a template is stored; one that is stays for a while, even if no environment began with it."""
        ...

    def template(self, twin: str, hash: str) -> Store:
        """The rows of a template, read-only."""
        ...

    def ready(self, origin: Origin) -> str | None:
        """The id of an environment that was made ahead, for `create` to take; None where nothing is."""
        ...

    def create(self, env: str, origin: Origin) -> None: ...

    def awake(self, env: str) -> bool:
        """Whether the environment can be used without being rebuilt first."""
        ...

    def wake(self, env: str, origin: Origin) -> None:
        """Rebuild an environment from its template, last image and journal; raises SchemaChanged."""
        ...

    def sleep(self, env: str) -> None:
        """Drop what an idle environment keeps in memory."""
        ...

    def read(self, env: str, twin: str, work: Callable[[OperationContext], T], *, at: int | None = None) -> T:
        """Run work that cannot write.

        Raises WorkDue when work falls due before, unless it is told at what time it runs, `at`, or as soon after it as
        the clock stands.
        """
        ...

    def write(
        self, env: str, intent: OperationInfo, work: Callable[[OperationContext], T], *, at: int | None = None
    ) -> tuple[T, int | None]:
        """Run work in one transaction; return its result and the seq of what it wrote, or None when nothing changed.

        Raises WorkDue as `read` does.
        Whatever `work` raises rolls everything back. Events of an operation that changed nothing are forgotten. Raises
        StorageFull.
        """
        ...

    def write_all(self, env: str, twin: str, operations: Iterable[PlannedOperation]) -> list[int | None]:
        """Run operations of a twin, each with a record of its own, and keep all of them at once; gives their seqs.

        Whatever is raised undoes them all. Each is asked for when those before it are done, and the first that is not
        before the time of work that these have left due ends them, undone; the engine may ask for no more. An engine
        that is not `inline` asks for one. They have as long together as one alone: TooSlow is among what is raised.
        """
        ...

    def is_materialized(self, env: str, seq: int) -> bool:
        """Whether a point of an awake environment can be reached without a rebuild; raises UnknownPoint."""
        ...

    def materialize(self, env: str, origin: Origin, seq: int) -> None:
        """Rebuild a point that is not remembered, so that rewind and fork find it at once. May run in any thread."""
        ...

    def rewind(self, env: str, to: int) -> int:
        """Return to a point: the rows, clock and counters as they were after that seq; 0 is the beginning.

        The journal notes it and goes on; the new seq is returned. Raises UnknownPoint, and JournalIncomplete unless
        the point is the beginning.
        """
        ...

    def present(self, env: str) -> Present:
        """Where an awake environment stands."""
        ...

    def expect(self, env: str, due: int, seq: int) -> None:
        """Note when work falls due next, unless the environment has gone on from `seq` meanwhile."""
        ...

    def advance(self, env: str, to: int) -> int:
        """Set the clock to a later time, in microseconds since 1970; the journal notes it, and its seq is returned."""
        ...

    def fork(self, env: str, at: int, child: str) -> None:
        """Make an environment that shares all up to a point with its parent and goes on by itself.

        Raises UnknownPoint, JournalIncomplete.
        """
        ...

    def import_environment(
        self, env: str, origin: Origin, starts: Mapping[str, TemplatePayload], records: list[JournalRecord]
    ) -> Iterator[CooperativeStep]:
        """Make an environment that lived elsewhere, out of all its records, which fit the templates it began with.

        Gives the parts of that which may be done in another thread, each to be done before the next is asked for. The
        records are used up. What is left when it ends early is for `delete`.
        """
        ...

    def delete(self, env: str) -> None:
        """Forget an environment with its journal."""
        ...

    def admit(self) -> None:
        """Raises StorageUnavailable while no new run should begin."""
        ...

    def announce(self, env: str) -> None:
        """Tell the feed of an environment, in every process, though its journal holds no more than it did."""
        ...

    def leads(self) -> bool:
        """Whether this process is the one that does what must be done once; asked again and again."""
        ...

    def seq(self, env: str) -> int:
        """How many records the journal of an environment holds."""
        ...

    def records(self, env: str, after: int = 0, upto: int | None = None) -> list[JournalRecord]:
        """Journal records with `after < seq <= upto`; a fork begins with its parent's. Raises JournalIncomplete."""
        ...

    def difference(self, env: str, after: int, upto: int) -> list[JournalRecord]:
        """Records that lead from one point to another, with rewinds resolved."""
        ...

    def compare(self, env: str, origin: Origin, start: int, end: int) -> PointComparison | None:
        """What differs between two points by their rows, in any thread; None where records tell it sooner."""
        ...

    def measure(self) -> None:
        """Tell `room` how many bytes are held now, if that is limited; no request does."""
        ...

    def catalog(self, schema: Schema) -> CatalogStore:
        """A durable Store for our own records; each write commits unless a `transaction` is open."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """Make several catalog writes one."""
        ...

    async def wait_until_durable(self) -> None:
        """Wait until all that was written so far survives a power cut, where that is asked for."""
        ...

    def close(self) -> None: ...
