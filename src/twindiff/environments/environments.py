"""Environments: isolated, temporary copies of templates."""

from __future__ import annotations

import secrets
import time
from contextlib import suppress
from datetime import datetime
from hashlib import blake2b
from typing import Any, NamedTuple, cast
from uuid import UUID

import msgspec

from twindiff.catalog import (
    AttemptRecord,
    CheckpointRecord,
    DeliveryRecord,
    EnvironmentRecord,
    OutboxRecord,
    RunRecord,
    TemplateRecord,
    WebhookRecord,
)
from twindiff.catalog.shard_ids import count_served_shards, own_shard
from twindiff.catalog.stamps import new_environment_id, stamp, wall
from twindiff.kit.auth import Tokens
from twindiff.kit.clock import SECOND, ClockMode, micros_of
from twindiff.kit.due import NEVER
from twindiff.kit.errors import ApiError
from twindiff.kit.limits import Meter
from twindiff.kit.rows import not_
from twindiff.kit.twin import Twin
from twindiff.storage import CatalogStore, EnvironmentGone, EnvironmentOrigin, StorageEngine
from twindiff.storage.backoff import RecordRetries
from twindiff.storage.whole_catalog import WholeCatalog

from .access_policy import EnvironmentAccessPolicy
from .actors import ActorMap, Actors
from .faults import ArmedFault, Fault, check_faults
from .registry import Registry

DEFAULT_TTL_SECONDS = 1800
KEPT_AFTER_EXPIRY = 24 * 3600 * SECOND
TOKEN_PREFIX = "tda_"  # noqa: S105 - only a prefix
AT_ONCE = 100
"""Environments expired or deleted by one `expire_and_evict`, so that it stays short."""
MAX_ROOM_OF_A_SHARD = 100
"""Environments that a shard of several creates before it counts those of all again."""
MAX_EVICTION_SECONDS = 0.005
MAX_EVICTED = 10_000
"""Evicted environments of which something stays in memory."""


class InvalidEnvironmentId(ApiError):
    """invalid environment id"""


class EnvironmentNotFound(ApiError):
    """environment not found"""

    status = 404


class EnvironmentDeleted(ApiError):
    """The environment has been deleted."""

    status = 410


class EnvironmentExpired(ApiError):
    """The environment has expired."""

    status = 410


class RepeatedTwin(ApiError):
    """An environment has one template of each twin."""


class InvalidAgentToken(ApiError):
    """A token that cannot be told from an agent's."""

    code = "invalid_token"


class TooManyEnvironments(ApiError):
    """There are as many environments as this server may have; delete some, or let them expire sooner."""

    status = 429


class EnvironmentRequest(NamedTuple):
    """The parameters of a new environment."""

    templates: list[TemplateRecord]
    user_id: str | None = None
    email: str | None = None
    users: dict[str, str] | None = None
    """User ids or email addresses by twin, where the person differs between twins."""
    ttl_seconds: int = DEFAULT_TTL_SECONDS
    clock: ClockMode | None = None
    auth: str = "lenient"
    tokens: dict[str, str] | None = None
    clients: dict[str, str] | None = None
    """The secrets of OAuth applications by client id; if empty, every application is accepted."""
    refresh: dict[str, str] | None = None
    """Refresh tokens, each with the id of the user it renews access for."""
    signing: dict[str, str] | None = None
    """The secrets by which twins sign webhook deliveries, by twin; otherwise each webhook has its own."""
    name: str | None = None
    gate: EnvironmentAccessPolicy | None = None


class LoadedEnvironment:
    """The in-memory state of an environment that requests need."""

    __slots__ = (
        "came_by",
        "door_secret",
        "expires",
        "faults",
        "gate",
        "id",
        "last_used_at",
        "meter",
        "origin",
        "secret",
        "status",
        "token_hash",
        "tokens",
        "twins",
    )

    def __init__(self, record: EnvironmentRecord, registry: Registry) -> None:
        self.id = record.environment_id
        self.status = record.status
        self.expires = record.expires
        self.origin = msgspec.convert(record.origin, EnvironmentOrigin)
        self.token_hash = record.token_hash
        self.secret = token_hash(f"addresses {record.token_hash}")
        self.door_secret = door_secret_of(record.token_hash)
        """The password of the environment at the TLS door, and the secret in the tokens of programs that come by it."""
        self.twins: dict[str, Twin] = {name: registry.get(name) for name in cast(dict[str, str], record.templates)}
        self.tokens = self._with_door_tokens(msgspec.convert(record.tokens, Tokens))
        self.gate = msgspec.convert(record.gate, EnvironmentAccessPolicy) if record.gate else None
        self.faults = [ArmedFault(fault) for fault in msgspec.convert(record.faults or [], list[Fault])]
        self.came_by: dict[str, str] = {}
        """The address by which the last call to each twin came, by the twin's name."""
        self.last_used_at = wall()
        self.meter = Meter()

    def _with_door_tokens(self, tokens: Tokens) -> Tokens:
        """Add the tokens that programs which come by the TLS door find in their variables; they act as the agent."""
        actors, refresh = dict(tokens.actors), dict(tokens.refresh)
        for twin in self.twins.values():
            user = tokens.users.get(twin.name, tokens.actor)
            for known, added in (
                (actors, twin.variables.credentials(self.door_secret)),
                (refresh, twin.variables.renewals(self.door_secret)),
            ):
                for token in added:
                    known.setdefault(token, user)
        return msgspec.structs.replace(tokens, actors=actors, refresh=refresh)

    def twin(self, name: str, registry: Registry) -> Twin | None:
        """Return the twin with this name or alias if the environment has it, else None."""
        twin = self.twins.get(name) or registry.find(name)
        return twin if twin and twin.name in self.twins else None

    def opens_with(self, token: str) -> bool:
        """Return whether a token is this environment's agent token."""
        return secrets.compare_digest(token_hash(token), self.token_hash)


class EvictedEnvironment(NamedTuple):
    """What stays in memory of an evicted environment, beyond its records."""

    faults: list[ArmedFault]
    """Its faults with their counters."""
    due_at: int
    """When its first job is due, in microseconds since 1970; 0 if that is unknown. Not read if storage is shared."""
    came_by: dict[str, str]
    """The address by which the last call to each twin came, by the twin's name."""


class CreatedEnvironment(NamedTuple):
    """A new environment and its agent token, which is stored only as a hash."""

    environment: EnvironmentRecord
    agent_token: str


class Environments:
    """The environments of a catalog."""

    def __init__(
        self,
        engine: StorageEngine,
        catalog: CatalogStore,
        whole: WholeCatalog,
        registry: Registry,
        most: int = 100_000,
    ) -> None:
        self._engine = engine
        self._catalog = catalog
        self._whole = whole
        self._registry = registry
        self._most = most
        self._room = 0
        """Environments that may be created before the next count; counting 100,000 takes a while."""
        self._live: dict[str, LoadedEnvironment] = {}
        self._evicted: dict[str, EvictedEnvironment] = {}
        self._failing = RecordRetries("Ending or evicting environment")
        self.actors = Actors(engine, registry)

    def create(self, wanted: EnvironmentRequest) -> CreatedEnvironment:
        """Create an environment from one or more templates; raises UnknownUser, TooManyEnvironments, StorageFull."""
        self._refuse_too_many()
        acting = self.actors.resolve(wanted.templates, wanted.user_id or "", wanted.email or "", wanted.users or {})
        for token, user in (wanted.tokens or {}).items():
            self.actors.check(wanted.templates, user)
            if not token or token.startswith(TOKEN_PREFIX):
                raise InvalidAgentToken(
                    f"the token '{token}' cannot be used: one must not be empty nor begin with {TOKEN_PREFIX}"
                )
        _refuse_repeated_twins(wanted.templates)
        now = stamp()
        clock = wanted.clock or self._clock_of(wanted.templates)
        origin = EnvironmentOrigin(
            templates={template.service: template.hash for template in wanted.templates},
            clock=clock,
            created=now.micros,
            clock_start=now.micros if clock.mode == "real" else clock.start,
            counters=_merged_counters(wanted.templates),
        )
        token = new_token()
        record = EnvironmentRecord(
            environment_id=self._engine.ready(origin) or new_environment_id(),
            status="ready",
            service=wanted.templates[0].service,
            templates={template.service: template.template_id for template in wanted.templates},
            origin=msgspec.to_builtins(origin),
            tokens=msgspec.to_builtins(_tokens(wanted, acting)),
            token_hash=token_hash(token),
            created=now.micros,
            created_at=now.iso,
            expires=now.micros + wanted.ttl_seconds * SECOND,
            name=wanted.name,
            gate=msgspec.to_builtins(wanted.gate),
        )
        self._begin(record, origin)
        self._live[record.environment_id] = LoadedEnvironment(record, self._registry)
        return CreatedEnvironment(record, token)

    def _begin(self, record: EnvironmentRecord, origin: EnvironmentOrigin) -> None:
        """Create an environment and its catalog record."""
        self._engine.create(record.environment_id, origin)
        try:
            self._catalog.add(record)
        except BaseException:  # on any exception, nothing half-made stays
            self.drop([record.environment_id])
            raise

    def _clock_of(self, templates: list[TemplateRecord]) -> ClockMode:
        """Return the default clock: starting at the time of the first template that has one, else the wall clock."""
        begins = (self._registry.get(each.service).clocks.get(each.name) for each in templates)
        start = next(filter(None, begins), None)
        return ClockMode("offset", micros_of(datetime.fromisoformat(start))) if start else ClockMode()

    def fork(self, environment_id: str, at: int, name: str | None) -> CreatedEnvironment:
        """Create an environment that continues independently from a point of another, with the same time to live.

        Raises what `get` raises, UnknownPoint and TooManyEnvironments.
        """
        self._refuse_too_many()
        parent = self._catalog.get(EnvironmentRecord, self.get(environment_id).id)
        now, token = stamp(), new_token()
        record = msgspec.structs.replace(
            parent,
            environment_id=new_environment_id(),
            token_hash=token_hash(token),
            created=now.micros,
            created_at=now.iso,
            expires=now.micros + parent.expires - parent.created,
            name=name,
            faults=None,
            parent=parent.environment_id,
            parent_seq=at,
        )
        with self._engine.transaction():
            self._catalog.add(record)
            self._engine.fork(parent.environment_id, at, record.environment_id)
        self._live[record.environment_id] = LoadedEnvironment(record, self._registry)
        return CreatedEnvironment(record, token)

    def _refuse_too_many(self) -> None:
        self._engine.room.take()
        if self._room <= 0:
            left = self._most - self.count("ready")
            if left <= 0:
                raise TooManyEnvironments(f"There are {self._most:,} environments, as many as this server may have")
            # Other shards create too: few of the last ones are taken unseen.
            self._room = left if count_served_shards() == 1 else max(1, min(MAX_ROOM_OF_A_SHARD, left // 100))
        self._room -= 1

    def drop(self, environment_ids: list[str]) -> None:
        """Discard the in-memory state of environments that were not created after all, or are gone."""
        for environment_id in environment_ids:
            self._forget(environment_id)
            self._engine.evict(environment_id)

    def _forget(self, environment_id: str) -> None:
        self._live.pop(environment_id, None)
        self._evicted.pop(environment_id, None)

    def of_agent(self, token: str) -> LoadedEnvironment | None:
        """Return the environment that an agent token opens, or None if there is none or it has ended."""
        record = self._catalog.find(EnvironmentRecord, EnvironmentRecord.token_hash == token_hash(token))
        with suppress(EnvironmentDeleted, EnvironmentExpired):
            return self.get(record.environment_id) if record else None
        return None

    def get(self, environment_id: str) -> LoadedEnvironment:
        """Return a ready environment; raises EnvironmentNotFound, EnvironmentDeleted, EnvironmentExpired."""
        environment = self._live.get(environment_id) or self._find(environment_id)
        if environment.status == "ready" and environment.expires <= wall() and self._has_expired(environment):
            self._expire(environment.id)
            environment.status = "expired"
        if environment.status != "ready":
            error = EnvironmentExpired if environment.status == "expired" else EnvironmentDeleted
            reason = "has expired (TTL reached)" if environment.status == "expired" else "has been deleted"
            raise error(f"environment '{environment.id}' {reason}")
        return environment

    def _has_expired(self, environment: LoadedEnvironment) -> bool:
        """Return whether an environment has expired; rereads the record, since another process may have extended it."""
        environment.expires = self.record(environment.id).expires
        return environment.expires <= wall()

    def extend(self, environment_id: str, expires: int) -> None:
        """Set when an environment expires, in microseconds since 1970; raises what `get` raises."""
        environment = self.get(environment_id)
        self._catalog.change(self.record(environment.id), expires=expires)
        environment.expires = expires

    def close_gate(self, environment_id: str, gate: EnvironmentAccessPolicy) -> None:
        """Set the access policy of an environment's twins; raises what `get` raises."""
        environment = self.get(environment_id)
        self._catalog.change(self.record(environment.id), gate=msgspec.to_builtins(gate))
        environment.gate = gate

    def set_faults(self, environment_id: str, faults: list[Fault]) -> list[ArmedFault]:
        """Replace the environment's faults; raises what `get` raises, and InvalidParameter."""
        environment = self.get(environment_id)
        check_faults(faults, list(environment.twins.values()))
        self._catalog.change(self.record(environment.id), faults=msgspec.to_builtins(faults) or None)
        environment.faults = [ArmedFault(fault) for fault in faults]
        return environment.faults

    def live(self, environment_id: str) -> LoadedEnvironment | None:
        """Return an environment that this process knows to be ready; another process may have ended it meanwhile."""
        environment = self._live.get(environment_id)
        return environment if environment and environment.status == "ready" else None

    def _find(self, environment_id: str) -> LoadedEnvironment:
        environment = LoadedEnvironment(self.record(environment_id), self._registry)
        if environment.status == "ready":
            self._live[environment.id] = environment
            evicted = self._evicted.pop(environment.id, None)
            environment.came_by = evicted.came_by if evicted else {}
            if evicted and [each.fault for each in evicted.faults] == [each.fault for each in environment.faults]:
                environment.faults = evicted.faults
        return environment

    def may_have_due_work(self, environment_id: str) -> bool:
        """Return whether a job may be due by a clock that runs by itself, without loading an evicted environment.

        Raises what `get` raises.
        """
        evicted = self._evicted.get(environment_id)
        if evicted and not self._engine.is_shared:  # other processes may have scheduled jobs since
            return evicted.due_at <= wall()
        environment = self.get(environment_id)
        return environment.origin.clock.moves and self._due_at(environment) <= wall()

    def _due_at(self, environment: LoadedEnvironment) -> int:
        """Return when the first job is due, in microseconds since 1970; 0 if unknown, NEVER if the clock stands."""
        if not environment.origin.clock.moves:
            return NEVER
        if not (self._engine.is_shared or self._engine.is_loaded(environment.id)):
            return 0
        try:
            present = self._engine.present(environment.id)
        except EnvironmentGone:  # another process has deleted it
            return 0
        return wall() + present.due - present.clock

    def record(self, environment_id: str) -> EnvironmentRecord:
        """Return the catalog record of an environment, whatever its status.

        Raises EnvironmentNotFound, InvalidEnvironmentId.
        """
        try:
            key = UUID(environment_id).hex
        except ValueError:
            raise InvalidEnvironmentId(f"invalid environment id: '{environment_id}' is not a UUID") from None
        record = self._catalog.find(EnvironmentRecord, EnvironmentRecord.environment_id == key)
        if record is None:
            raise EnvironmentNotFound(f"environment not found: '{environment_id}'")
        return record

    def load(self, environment: LoadedEnvironment) -> None:
        """Load an environment into memory if it is evicted, which replays at most 1,000 operations."""
        environment.last_used_at = wall()
        if not self._engine.is_loaded(environment.id):
            self._engine.load(environment.id, environment.origin)

    def list(self, *, limit: int, status: str | None = None) -> list[EnvironmentRecord]:
        """Return environments of all shards, newest first."""
        where = () if status is None else (EnvironmentRecord.status == status,)
        return self._whole.newest(EnvironmentRecord, *where, limit=limit)

    def count(self, status: str) -> int:
        """Count the environments with a status, those of all shards."""
        return self._whole.count(EnvironmentRecord, EnvironmentRecord.status == status)

    def count_own(self, status: str) -> int:
        """Count the environments of this shard with a status."""
        return self._catalog.count(EnvironmentRecord, EnvironmentRecord.status == status)

    def delete(self, environment_id: str) -> EnvironmentRecord:
        """Delete an environment with its journal; deleting it again is no error. Its runs keep their results."""
        record = self.record(environment_id)
        if record.status != "deleted":
            self._end(record)
        return record

    def _end(self, record: EnvironmentRecord) -> None:
        with self._engine.transaction():
            self._catalog.change(record, status="deleted")
            mine = CheckpointRecord.environment_id == record.environment_id
            for checkpoint in self._catalog.rows(CheckpointRecord, mine):
                self._catalog.remove(checkpoint)
            self._forget(record.environment_id)
            if self._catalog.find(OutboxRecord, OutboxRecord.environment_id == record.environment_id):
                self._engine.announce(record.environment_id)
            for table in (WebhookRecord, OutboxRecord, DeliveryRecord, AttemptRecord):
                self._catalog.remove_all(table, table.environment_id == record.environment_id)
            self._engine.delete(record.environment_id)

    def reset(self, environment_id: str) -> int:
        """Rewind to the templates' state; returns the new seq."""
        environment = self.get(environment_id)
        self.load(environment)
        return self._engine.rewind(environment.id, 0)

    def expire(self, environment_id: str) -> None:
        """Expire an environment early: it responds no more, and its journal stays as after a normal expiry."""
        record = self.record(environment_id)
        if record.status == "ready":
            self._catalog.change(record, expires=min(record.expires, wall()))
            self._expire(record.environment_id)

    def _expire(self, environment_id: str) -> None:
        record = self._catalog.get(EnvironmentRecord, environment_id)
        self._catalog.change(record, status="expired")
        self._forget(environment_id)
        self._engine.evict(environment_id)

    def expire_and_evict(self, idle_seconds: float) -> list[str]:
        """Expire due environments, delete those that expired a day ago and evict idle ones; returns the deleted ids."""
        now = wall()
        for record in self._due("ready", now):
            with self._failing.attempt(record.environment_id):
                self._expire(record.environment_id)
        ended: list[str] = []
        for record in self._due("expired", now - KEPT_AFTER_EXPIRY):
            with self._failing.attempt(record.environment_id):
                self._end(record)
                ended.append(record.environment_id)
        self._evict_idle(now - idle_seconds * SECOND)
        return ended

    def _evict_idle(self, since: float) -> None:
        """Evict idle environments for a few milliseconds, since that may write images; the next round continues."""
        end = time.perf_counter() + MAX_EVICTION_SECONDS
        idle = [each for each in self._live.values() if each.last_used_at < since and self._failing.is_due(each.id)]
        for environment in idle:
            with self._failing.attempt(environment.id):
                self._evict(environment)
            if time.perf_counter() > end:
                break

    def _evict(self, environment: LoadedEnvironment) -> None:
        due_at = self._due_at(environment)
        self._engine.evict(environment.id)
        del self._live[environment.id]
        self._evicted[environment.id] = EvictedEnvironment(environment.faults, due_at, environment.came_by)
        if len(self._evicted) > MAX_EVICTED:
            del self._evicted[next(iter(self._evicted))]

    def _due(self, status: str, before: int) -> list[EnvironmentRecord]:
        """Return the environments with a status that are due, except those that wait for their next try."""
        failing = self._failing.waiting
        return self._catalog.rows(
            EnvironmentRecord,
            EnvironmentRecord.status == status,
            EnvironmentRecord.expires <= before,
            *([not_(EnvironmentRecord.environment_id.in_(failing))] if failing else ()),
            order=(EnvironmentRecord.status, EnvironmentRecord.expires),
            limit=AT_ONCE,
        )

    def runs(self, environment_id: str, limit: int) -> list[RunRecord]:
        """Return the runs of an environment, newest first."""
        where = RunRecord.environment_id == self.record(environment_id).environment_id
        return self._catalog.rows(RunRecord, where, order=-RunRecord.created, limit=limit)


def _refuse_repeated_twins(templates: list[TemplateRecord]) -> None:
    names: dict[str, str] = {}
    for template in templates:
        if template.service in names:
            two = f"'{names[template.service]}' and '{template.name}'"
            raise RepeatedTwin(f"an environment has one template of each twin; of {template.service} it is given {two}")
        names[template.service] = template.name


def _tokens(wanted: EnvironmentRequest, acting: ActorMap) -> Tokens:
    return Tokens(
        acting.actor,
        cast(Any, wanted.auth),
        wanted.tokens or {},
        acting.users,
        wanted.clients or {},
        wanted.refresh or {},
        wanted.signing or {},
    )


def _merged_counters(templates: list[TemplateRecord]) -> dict[str, int]:
    merged: dict[str, int] = {}
    for template in templates:
        for name, value in cast(dict[str, int], template.counters).items():
            merged[name] = max(value, merged.get(name, 0))
    return merged


def door_secret_of(hashed_token: str) -> str:
    """Derive the password of an environment at the TLS door from the hash of its agent token."""
    return token_hash(f"door {hashed_token}")


def new_token() -> str:
    """Create an agent token, which begins with the shard of its environment unless that is shard 0."""
    shard = own_shard()
    return TOKEN_PREFIX + (f"{shard}." if shard else "") + secrets.token_urlsafe(24)


def shard_of_token(token: str) -> int:
    """Return the shard of the environment that an agent token opens."""
    shard, dot, _ = token.removeprefix(TOKEN_PREFIX).partition(".")
    return int(shard) if dot and shard.isdecimal() and shard.isascii() and len(shard) < 6 else 0


def token_hash(token: str) -> str:
    """Return the hash under which an agent token is stored."""
    return blake2b(token.encode(), digest_size=16).hexdigest()
