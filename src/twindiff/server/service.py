"""The composition root: creates and connects every part of a server."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterator
from concurrent.futures import Future
from functools import cached_property, partial
from typing import Any, TypeVar, cast

from twindiff.catalog import TABLES, WebhookRecord
from twindiff.catalog.shard_ids import serve_shard
from twindiff.catalog.stamps import wall
from twindiff.environments.calls import Calls
from twindiff.environments.clocks import Clocks
from twindiff.environments.environments import (
    EnvironmentDeleted,
    EnvironmentExpired,
    EnvironmentNotFound,
    Environments,
    LoadedEnvironment,
)
from twindiff.environments.outbox import Outbox
from twindiff.environments.points import EnvironmentPoints
from twindiff.environments.registry import Registry
from twindiff.environments.retention import forget_ended
from twindiff.environments.runs import RunStore
from twindiff.environments.subscriptions import Subscriptions
from twindiff.environments.templates import TemplateStore
from twindiff.environments.transfer import Transfer
from twindiff.environments.unused_templates import UnusedTemplateSweeper
from twindiff.kit.clock import SECOND
from twindiff.kit.errors import ApiError
from twindiff.kit.events import OVER_SOCKETS
from twindiff.kit.http import Request, Response
from twindiff.kit.request_context import RequestContext
from twindiff.kit.rows import table_of
from twindiff.kit.twin import Twin
from twindiff.server.auth import no_such_twin
from twindiff.server.dispatcher import Dispatcher
from twindiff.server.door.door import Door
from twindiff.server.long_calls import LongCalls
from twindiff.server.origins import HOOK_RECEIVER
from twindiff.server.ports import Ports
from twindiff.server.runtime import Runtime, run_waiting
from twindiff.server.settings import Settings
from twindiff.server.shards.data_directory import list_folders, record_count, refuse_other_count
from twindiff.server.webhook_client import WebhookClient
from twindiff.storage import CatalogStore, EnvironmentGone, NotServed, SchemaChanged, StorageEngine
from twindiff.storage.backoff import Backoff, RecordRetries
from twindiff.storage.schema import Schema
from twindiff.storage.sqlite import SqliteEngine
from twindiff.storage.sqlite.other_shards import OtherShards
from twindiff.storage.whole_catalog import WholeCatalog
from twindiff.suites.agent_diff import Importer
from twindiff.suites.suites import Suites
from twindiff.suites.trial_sets import TrialSetStore

T = TypeVar("T")

log = logging.getLogger("twindiff")

CALLS_AT_ONCE = 25
"""Calls written to the log in one transaction."""
MAINTENANCE_SECONDS = 0.5
SECONDS_UNUSED = 600
"""Seconds after which unreachable templates are deleted; it may take twice that."""
DAY = 24 * 3600 * SECOND
LARGE_BODY = 20_000
"""Bytes of a body above which it is parsed off the event loop: a form of this size takes two milliseconds."""


CATALOG = Schema("catalog", tuple(table_of(row) for row in TABLES))


class StepPause:
    """Until when a step that has failed is not tried again, in seconds of the monotonic clock."""

    def __init__(self) -> None:
        self.backoff = Backoff("Maintenance")
        self.until = 0.0


class Service:
    """The storage engine, the catalog, and what is built on them."""

    delivers = True
    """Whether events are delivered to subscribers."""

    def __init__(self, settings: Settings, registry: Registry | None = None, others: OtherShards | None = None) -> None:
        """Open the storage; `others` reads the other shards, by default from their folders on this machine."""
        self.settings = settings
        self.registry = registry or Registry.load_installed()
        self.engine = _engine(settings, others)
        self.runtime = self._runtime()
        if not self.engine.inline:
            _ = self.registry.twins  # raises what the database lacks for any twin before anything is served
        self.registry.watch(self.engine.schema)
        catalog, whole = self.catalog, self.whole_catalog
        self.templates = TemplateStore(self.engine, catalog, whole, self.registry)
        self.environments = Environments(self.engine, catalog, whole, self.registry, settings.most_environments)
        self.points = EnvironmentPoints(self.engine, catalog, self.environments)
        self.transfer = Transfer(self.engine, catalog, self.registry, self.templates, self.environments)
        self.calls = Calls(self.engine, catalog, settings.transcripts, is_read_elsewhere=settings.shard.total > 1)
        self.clocks = Clocks(self.engine, self.environments, self.calls.due, self.runtime.arrivals)
        self.runs = RunStore(self.engine, catalog, whole, self.environments, once=settings.runs_once)
        self.suites = Suites(self.engine, catalog, whole, self.templates, self.registry, self.environments.actors)
        self.trial_sets = TrialSetStore(self.engine, catalog)
        self.importer = Importer(self.engine, self.registry, self.templates, self.suites)
        self.subscriptions = Subscriptions(self.engine, catalog)
        self.outbox = Outbox(self.engine, catalog, self.environments, self.subscriptions)
        self.ports = Ports()
        self.targets = self._webhook_client()
        self.dispatcher = Dispatcher(self.engine, self.environments, self.outbox, self.targets, self.awaken)
        self.long_calls = self._long_calls()
        self._swept = time.monotonic()
        self._pauses: dict[str, StepPause] = {}  # of steps of the maintenance that have failed, by name
        self._failing = RecordRetries("Maintenance:")
        self.started = time.time()
        self.without_calls: set[str] = set()
        """Ended environments whose logged calls are still to be deleted."""
        self.background: list[Callable[[], Coroutine[Any, Any, None]]] = []
        """Further background tasks that run until the server stops, which cancels them."""
        self._loading: Future[None] | None = None
        """Completes when all twins are loaded; None if they were loaded before the first request."""
        self.trouble: NotServed | None = None
        """The storage error that currently prevents maintenance, if any."""
        if not self.engine.inline:
            self.templates.write_built_in()

    @cached_property
    def door(self) -> Door:
        """The TLS door, which listens once it is opened."""
        run, wait = self._run_lookup, self.wait_for_twins
        return Door(self.settings, self.environments, self.registry, self.calls, run, wait)

    async def _run_lookup(self, work: Callable[[], T]) -> T:
        """Run a read of the catalog for a connection: where that may block, in a thread."""
        return await run_waiting(self.engine, work)

    def _webhook_client(self) -> WebhookClient:
        hosts, is_keyless = frozenset(self.settings.webhook_hosts), self.settings.api_key is None
        listening, receivers = self.ports.listening, (HOOK_RECEIVER,)
        return WebhookClient(hosts, listening, is_loopback_open=is_keyless, receivers=receivers)

    @cached_property
    def unused(self) -> UnusedTemplateSweeper | None:
        """The removal of unused templates; None where an administrator of the database does it."""
        embedded = self.engine.embedded
        return UnusedTemplateSweeper(embedded, self.catalog, self.environments) if embedded else None

    @cached_property
    def catalog(self) -> CatalogStore:
        """The records that this process writes."""
        return self.engine.catalog(CATALOG)

    @cached_property
    def whole_catalog(self) -> WholeCatalog:
        """The records of all shards, for reading."""
        embedded = self.engine.embedded
        return (
            WholeCatalog(self.catalog, partial(embedded.others.catalogs, CATALOG))
            if embedded
            else WholeCatalog(self.catalog)
        )

    def _runtime(self) -> Runtime:
        return Runtime(inline=self.engine.inline)

    def _long_calls(self) -> LongCalls | None:
        """The worker threads for long calls; None where each call has a thread anyway."""
        embedded = self.engine.embedded
        return LongCalls(embedded, self.calls, self, self.runtime.arrivals) if embedded else None

    async def answer(
        self, environment: LoadedEnvironment, twin: Twin, exchange: RequestContext, *, trusted: bool
    ) -> Response:
        """Respond to one request to a twin of a loaded environment without blocking others for long."""
        if self.long_calls is None:
            return self.calls.answer(environment, twin, exchange, trusted=trusted)
        return await self.long_calls.answer(environment, twin, exchange, trusted=trusted)

    async def read(self, environment: LoadedEnvironment, body: bytes, work: Callable[[], T]) -> T:
        """Run work that parses the body of a request to a twin, in a reader thread if the body is large."""
        if self.long_calls is None or len(body) <= LARGE_BODY:
            return work()
        return await self.long_calls.read(environment.id, work)

    def load_twins(self, work: Callable[[], None]) -> None:
        """Load all twins with `work` in a thread; only requests that need a twin wait for it."""
        loading = self._loading = Future[None]()
        loading.set_running_or_notify_cancel()  # a pending one would be cancelled with its waiter

        def load() -> None:
            try:
                work()
            finally:
                loading.set_result(None)

        threading.Thread(target=load, name="twindiff twins", daemon=True).start()

    @property
    def is_loading(self) -> bool:
        """Whether twins are still loading while requests are served."""
        return self._loading is not None and not self._loading.done()

    async def wait_for_twins(self, names: Collection[str] = ()) -> None:
        """Wait until the named twins are loaded, or all without names; loads missing ones off the event loop."""
        if self._loading and not names:
            await asyncio.wrap_future(self._loading)
        elif not self.registry.has(names):
            await asyncio.to_thread(self.registry.load, names)

    def twins_of(self, environment_id: str, twin: str) -> Collection[str]:
        """The names of the twins that an environment needs, if one of them is `twin` (not an alias); else nothing."""
        with contextlib.suppress(ApiError):
            twins = cast(dict[str, str], self.environments.record(environment_id).templates)
            return twins if twin in twins else ()
        return ()

    def twins_named(self, request: Request) -> list[str]:
        """The twins whose names occur in a request, also as a part of a template's name."""
        said = b" ".join((request.path.encode(errors="replace"), request.query.encode(errors="replace"), request.body))
        return [name for name in self.registry.names if name.encode() in said]

    def twin_of(self, environment: LoadedEnvironment, name: str) -> Twin:
        """The twin of an environment by name or alias; raises TwinNotFound."""
        twin = environment.twin(name, self.registry)
        if twin is None:
            raise no_such_twin(environment, name, self.registry)
        return twin

    def subscribe(self, record: WebhookRecord) -> None:
        """Add a subscription, and deliver events to it from now on."""
        with self.engine.transaction():
            self.subscriptions.add(record)
            self.outbox.open(record.environment_id, record.start_seq)
        self.dispatcher.notify(record.environment_id)

    def subscribe_over_sockets(self, environment: LoadedEnvironment, twin: Twin) -> str:
        """The id of the subscription for sockets of a twin; created, for all events, if there is none."""
        record = self.subscriptions.over_sockets(environment.id, twin.name)
        if record is None:
            record = self.subscriptions.prepare(environment, twin, OVER_SOCKETS, (), None)
            self.subscribe(record)
        return record.webhook_id

    def lasting(self, work: Awaitable[T]) -> Awaitable[T]:
        """Await `work`, and then that its writes are durable, if the settings ask for that."""
        durability = self.engine.durability
        return durability.wait_for_answer(work) if durability else work

    async def awaken(self, environment: LoadedEnvironment) -> None:
        """Load an environment; an evicted one is rebuilt off the event loop."""
        if not self.engine.awake(environment.id):
            await self._rebuilt(environment, lambda: self.engine.wake(environment.id, environment.origin))
        self.environments.awaken(environment)

    async def settle(self, environment_id: str) -> None:
        """Run the jobs that are due in an environment before its state is read; no-op if it cannot be used."""
        with contextlib.suppress(
            EnvironmentDeleted, EnvironmentExpired, EnvironmentNotFound, EnvironmentGone, SchemaChanged
        ):
            environment = self.environments.get(environment_id)
            if any(twin.jobs for twin in environment.twins.values()):
                await self.awaken(environment)
                await self.runtime.run_steps(self.clocks.catch_up(environment.id))

    async def _rebuilt(self, environment: LoadedEnvironment, work: Callable[[], None]) -> None:
        """Rebuild an environment off the event loop; if it ends meanwhile, raise that as the error."""
        try:
            await self.runtime.run_in_thread(work)
        finally:
            self._refuse_ended(environment)

    def _refuse_ended(self, environment: LoadedEnvironment) -> None:
        try:
            self.environments.get(environment.id)
        except EnvironmentDeleted:
            self.engine.delete(environment.id)
            raise
        except ApiError:
            self.engine.sleep(environment.id)
            raise

    async def materialize(self, environment: LoadedEnvironment, seq: int) -> None:
        """Materialize the state of an environment at `seq`, off the event loop if it has to be rebuilt."""
        await self.awaken(environment)
        if not self.engine.is_materialized(environment.id, seq):
            recall = self.engine.materialize
            await self._rebuilt(environment, lambda: recall(environment.id, environment.origin, seq))

    async def maintenance_loop(self) -> None:
        """Write the call log and clean up twice a second until cancelled, in steps too short to block the
        event loop.
        """
        backoff = Backoff("Maintenance")
        while True:
            await asyncio.sleep(MAINTENANCE_SECONDS)
            try:
                await self.runtime.run_request(self._maintain)
                self.trouble = None
                backoff.reset()
            except NotServed as error:
                backoff.fail(error)
                self.trouble = error

    async def _maintain(self) -> None:
        """Run each step of the maintenance; one that fails waits longer each time and delays no other step."""
        for step in (self.write_calls, self._tidy, self._settle_moving, self._sweep_unused, self._maintain_engine):
            await self._attempt(step)

    async def _attempt(self, step: Callable[[], Awaitable[None]]) -> None:
        """Run a step unless its last failure was too short a time ago."""
        name = step.__name__
        pause = self._pauses.get(name)
        if pause and pause.until > time.monotonic():
            return
        try:
            await step()
        except NotServed:
            raise
        except Exception as error:  # noqa: BLE001 - an internal error must not end the maintenance
            pause = self._pauses.setdefault(name, StepPause())
            pause.until = time.monotonic() + pause.backoff.fail(error)
        else:
            self._pauses.pop(name, None)

    async def _tidy(self) -> None:
        for _ in self.tidy():
            await self.runtime.yield_to_loop()

    async def _settle_moving(self) -> None:
        """Run due work in environments that have subscribers and a moving clock."""
        for environment_id in self.dispatcher.moving:
            work = f"due work of environment {environment_id}"
            if not self._failing.is_due(work) or not self._is_moving(environment_id):
                continue  # no need to load an evicted environment
            with self._failing.attempt(work):
                await self.settle(environment_id)

    def _is_moving(self, environment_id: str) -> bool:
        """Whether the clock of an environment that can be used runs by itself."""
        try:
            return self.environments.get(environment_id).origin.clock.moves
        except ApiError:
            return False

    async def _sweep_unused(self) -> None:
        if self.unused and time.monotonic() - self._swept > SECONDS_UNUSED:
            self._swept = time.monotonic()
            for _ in self.unused.sweep():
                await self.runtime.yield_to_loop()
            if embedded := self.engine.embedded:
                await self.runtime.run_steps(embedded.unnamed_blobs.sweep())

    async def _maintain_engine(self) -> None:
        await self.runtime.run_steps(self.engine.maintain())
        self.engine.measure()

    async def write_calls(self) -> None:
        """Write the pending calls to the log, in batches."""
        log = self.calls.log
        if log.has_large:
            await self.runtime.run_in_thread(log.digest)
        left = log.waiting
        while left > 0:
            left -= log.flush(CALLS_AT_ONCE) or left
            await self.runtime.yield_to_loop()

    def tidy(self) -> Iterator[None]:
        """Expire environments, evict idle ones, and delete data past its retention time, in steps."""
        ended = self.environments.tidy(self.settings.idle_seconds)
        for environment_id in self.ports.environments():
            work = f"ports of environment {environment_id}"
            if self._failing.is_due(work):
                with self._failing.attempt(work):
                    self._close_ports_of_ended(environment_id)
        self.without_calls.update(ended)
        yield from self.forget_calls()
        before = wall() - round(self.settings.keep_days * DAY)
        yield from forget_ended(self.engine, self.catalog, self.calls.log, before)

    def _close_ports_of_ended(self, environment_id: str) -> None:
        status = self.environments.record(environment_id).status
        if status == "deleted":
            self.ports.close(environment_id)
        elif status != "ready":
            self.ports.retire(environment_id)

    def forget_calls(self) -> Iterator[None]:
        """Delete the logged calls of ended environments, in steps; those whose deletion fails are retried later."""
        failing = self.calls.log.failing
        for environment_id in filter(failing.is_due, list(self.without_calls)):
            with failing.attempt(environment_id):
                yield from self.calls.log.forget(environment_id)
                self.without_calls.discard(environment_id)

    def close(self) -> None:
        self.door.close()
        self.ports.close_all()
        self.runtime.close()
        if self.long_calls:
            self.long_calls.close()
        with contextlib.suppress(NotServed):
            self.calls.log.flush()
        self.engine.close()


def _engine(settings: Settings, others: OtherShards | None) -> StorageEngine:
    """The storage engine that the settings name; PostgreSQL is an optional extra."""
    if not settings.storage:
        serve_shard(settings.shard)
        refuse_other_count(settings.data_dir, settings.shard)
        folders = list_folders(settings.data_dir, settings.shard.total)
        own = folders.pop(settings.shard.number)
        engine = SqliteEngine(
            own, fsync=settings.fsync, most_bytes=settings.most_bytes, others=others or OtherShards(folders)
        )
        record_count(settings.data_dir, settings.shard)
        return engine
    from twindiff.storage.postgres import PostgresEngine

    return PostgresEngine(settings.storage, ready=settings.ready, most_bytes=settings.most_bytes)
