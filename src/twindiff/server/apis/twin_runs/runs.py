"""Twin runs: provision, read, extend, lock, reset, tear down. All routes share the same records."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

import msgspec

from twindiff.catalog import EnvironmentRecord, TemplateRecord, TwinRunRecord
from twindiff.catalog.stamps import new_environment_id, stamp
from twindiff.environments.access_policy import EnvironmentAccessPolicy
from twindiff.environments.environments import EnvironmentRequest
from twindiff.environments.runs import RunNotFound
from twindiff.kit.clock import SECOND, ClockMode
from twindiff.kit.errors import ApiError
from twindiff.kit.twin import Twin
from twindiff.server.apis.event_streams import StreamSlots
from twindiff.server.apis.twin_runs.makers import BEGINNING, LOST, RunMakers
from twindiff.server.apis.twin_runs.worlds import AGENT, USUAL_TIME, Config, Worlds, WorldTime, cast_of
from twindiff.server.default_templates import default_template, empty_template
from twindiff.server.mcp_address import MCP_PATH, describe_mcp
from twindiff.server.service import Service
from twindiff.server.use_cases.ports import open_port

MINUTE = 60
YEAR_OF_MINUTES = 525_600
MAX_TTL_MINUTES = 480
"""Maximum minutes from now until the end of a run."""
REAL = ClockMode("real")
"""The clock that agrees with the one of an application on this machine."""
CANDIDATE_API_ONLY = "candidate_api_only"
OPEN = (*BEGINNING, "ready")


class RunEnded(ApiError):
    """The run has ended; nothing can be done with it any more."""

    status = 409


class NotReady(ApiError):
    """The run is still being made."""


class NoTwins(ApiError):
    """A run needs at least one twin."""


class TwinRunRequest(NamedTuple):
    """The request for a run; `config` is None for the twins' own starter worlds."""

    twins: Sequence[str]
    ttl_minutes: int = 60
    config: Config | None = None
    baseline_kind: str = "seed"
    public: bool = True
    access_profile: str | None = None
    scenario_id: str | None = None
    of_scenario: bool = False
    copy_name: str | None = None
    ports: bool = False
    prompt_results: dict[str, Any] | None = None
    """Facts about the prompt that it is seeded from."""
    auth: Literal["lenient", "strict"] = "lenient"
    """With `strict`, calls without a known token are refused as the vendors do."""
    clock: ClockMode | None = None
    """The clock of the twins; by default the real one, with which configured worlds begin lately."""
    world_time: WorldTime = USUAL_TIME
    """When a configured world begins, and for which instant it is made."""


class TwinRunService:
    """Provisions, reads and ends the twin runs of a server."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.worlds = Worlds(service)
        self._catalog = service.catalog
        self.makers = RunMakers(service)
        self.streams = StreamSlots()

    def can_open_ports(self, count: int, share: int = 2) -> bool:
        """Return whether the twins of a run that ends with this process can have ports of their own.

        Over one database, each process would open others; clients of a cluster may be on another machine. The twins use
        at most one part of `share` of all ports of this process.
        """
        embedded = self.service.engine.embedded
        is_near = embedded is not None and embedded.others.are_near
        return is_near and self.service.runtime.has_event_loop and self.service.ports.has_room(count, share)

    def twins(self, names: Sequence[str]) -> dict[str, Twin]:
        """Find twins by name or alias, keyed by the requested names; raises NoTwins, or UnknownTwin with a
        near miss.
        """
        if not names:
            raise NoTwins
        return {name: self.service.registry.get(name) for name in dict.fromkeys(names)}

    def provision(self, asked: TwinRunRequest) -> TwinRunRecord:
        """Provision a run at once; leaves nothing behind on failure. Raises UnknownTwin, InvalidSeedConfig."""
        run = self._record(asked)
        return self._catalog.add(msgspec.structs.replace(run, **self._make_environment(run, asked)))

    def announce(self, asked: TwinRunRequest) -> TwinRunRecord:
        """Record a run to be provisioned later; raises UnknownTwin."""
        run = self._catalog.add(self._record(asked))
        self.makers.own.add(run.run_id)
        return run

    def begin(self, run_id: str) -> bool:
        """Set a run to `provisioning`; false if it was ended meanwhile."""
        return self._change_if_beginning(run_id, status="provisioning")

    def fulfil(self, run_id: str, asked: TwinRunRequest) -> None:
        """Provision a recorded run, unless it was ended meanwhile; raises InvalidSeedConfig."""
        run = self.find(run_id)
        if run.status not in BEGINNING:
            return
        made = self._make_environment(run, asked)
        if not self._change_if_beginning(run_id, baseline_kind=asked.baseline_kind, **made):
            self.service.environments.delete(made["environment_id"])

    def fail(self, run_id: str, error: str) -> None:
        """Set a run to `failed` with an error."""
        self._change_if_beginning(run_id, status="failed", error=error)

    def _change_if_beginning(self, run_id: str, **fields: Any) -> bool:
        with self.service.engine.transaction():  # no other process may end it between read and write
            run = self.find(run_id)
            if run.status in BEGINNING:
                self._catalog.change(run, **{"updated_at": stamp().iso, **fields})
            return run.status in BEGINNING

    def forget(self, run_id: str) -> None:
        """Delete the record of a run that could not be provisioned."""
        self._catalog.remove(self.find(run_id))

    def _record(self, asked: TwinRunRequest) -> TwinRunRecord:
        now, requested = stamp(), self.twins(asked.twins)
        return TwinRunRecord(
            run_id=new_environment_id(),
            environment_id="",
            status="queued",
            twins=[*dict.fromkeys(twin.name for twin in requested.values())],
            requested={twin.name: name for name, twin in requested.items()},
            is_public=asked.public,
            proxy_token=secrets.token_urlsafe(24),
            secret=secrets.token_hex(16),
            baseline_kind=asked.baseline_kind,
            seed_results={},
            created=now.micros,
            created_at=now.iso,
            access_profile=asked.access_profile,
            scenario_id=asked.scenario_id,
            of_scenario=asked.of_scenario,
            copy_name=asked.copy_name,
            ports=asked.ports,
            updated_at=now.iso,
            ttl_minutes=asked.ttl_minutes,
            heard=now.micros,
        )

    def _make_environment(self, run: TwinRunRecord, asked: TwinRunRequest) -> dict[str, Any]:
        """Create the environment of a run; returns fields of the run's record."""
        twins = {name: self.service.registry.get(name) for name in cast(list[str], run.twins)}
        templates, results = self._templates(twins, asked)
        users = self._users(templates)
        made = self.service.environments.create(
            EnvironmentRequest(
                [*templates.values()],
                users=users,
                ttl_seconds=(run.ttl_minutes or asked.ttl_minutes) * MINUTE,
                clock=asked.clock or REAL,
                auth=asked.auth,
                **_credentials(twins, users, run.secret),
                name=" ".join(["twin run", run.run_id[:8], *filter(None, [run.scenario_id, run.copy_name])]),
                gate=EnvironmentAccessPolicy(run.run_id, run.proxy_token, run.is_public),
            )
        )
        return {
            "environment_id": made.environment.environment_id,
            "status": "ready",
            "seed_results": results,
            "prompt_results": asked.prompt_results,
            "updated_at": stamp().iso,
        }

    def _templates(
        self, twins: Mapping[str, Twin], asked: TwinRunRequest
    ) -> tuple[dict[str, TemplateRecord], dict[str, Any]]:
        """The template of each twin, and the results of seeding by name."""
        templates: dict[str, TemplateRecord] = {}
        results: dict[str, Any] = {}
        config = None if asked.config is None else self._by_name(asked.config)
        people = cast_of(config or {})
        for name, twin in twins.items():
            if config is None:
                usual = default_template(self.service, twin)
                templates[name] = usual or empty_template(self.service, twin)
                results[name] = {"status": "seeded" if usual else "skipped", "template": templates[name].name}
            elif name not in config and twin.seeding is None:
                templates[name] = empty_template(self.service, twin)
                results[name] = {"status": "skipped", "reason": "the scenario says nothing of this twin"}
            else:
                world = self.worlds.world(twin, config.get(name, {}), people, asked.world_time)
                templates[name] = world.template
                results[name] = {"status": "seeded", "counts": world.counts}
        if asked.baseline_kind == "seed":
            unused = {"status": "skipped", "reason": "the run has no such twin"}
            results.update((name, unused) for name in config or () if name not in twins)
        return templates, results

    def _by_name(self, config: Config) -> dict[str, Mapping[str, Any]]:
        return {self.service.registry.get(name).name: parts for name, parts in config.items()}

    def _users(self, templates: Mapping[str, TemplateRecord]) -> dict[str, str]:
        """The acting user of each twin: the world's agent, else the first user of the first twin, matched by email."""
        actors = self.service.environments.actors
        users: dict[str, str] = {}
        email = AGENT.email
        for name, template in templates.items():
            people = actors.people(template)
            user = people.with_email(email) or next(iter(people.ids), "")
            if user:
                users[name] = user
                email = people.emails[people.ids.index(user)] or email
        return users

    def find(self, run_id: str) -> TwinRunRecord:
        """Find a run by its id; raises RunNotFound."""
        run = self._catalog.find(TwinRunRecord, TwinRunRecord.run_id == run_id.replace("-", "").lower()[:64])
        if run is None:
            raise RunNotFound(f"There is no run '{run_id[:100]}'; `twindiff twin-runs ls` lists them")
        return run

    def newest(self, limit: int) -> list[tuple[TwinRunRecord, str, int | None]]:
        """List runs of all shards with status and end (microseconds since 1970, None until ready), newest first."""
        catalog = self.service.whole_catalog
        runs = catalog.newest(TwinRunRecord, limit=limit)
        theirs = EnvironmentRecord.environment_id.in_([run.environment_id for run in runs if run.environment_id])
        environments = {each.environment_id: each for each in catalog.newest(EnvironmentRecord, theirs)}
        return [(run, *self._standing(run, environments.get(run.environment_id))) for run in runs]

    def _standing(self, run: TwinRunRecord, environment: EnvironmentRecord | None) -> tuple[str, int | None]:
        if run.status != "ready" or environment is None:
            return self.status(run), environment and environment.expires
        lasts = environment.status == "ready" and environment.expires > stamp().micros
        return "ready" if lasts else "expired", environment.expires

    def status(self, run: TwinRunRecord) -> str:
        """The current status of a run, including `expired`, and `failed` for a lost one."""
        if run.status == "ready":
            return "ready" if self._lasts(run) else "expired"
        return "failed" if self.makers.is_lost(run) else run.status

    def error(self, run: TwinRunRecord) -> str | None:
        """The error of a failed run, or None."""
        return LOST if self.makers.is_lost(run) else run.error

    def _lasts(self, run: TwinRunRecord) -> bool:
        try:
            self.service.environments.get(run.environment_id)
        except ApiError:
            return False
        return True

    def alive(self, run_id: str) -> TwinRunRecord:
        """Find a ready run; raises RunNotFound, NotReady, RunEnded."""
        run = self.open(run_id)
        if run.status in BEGINNING:
            raise NotReady(f"The run '{run.run_id}' is {run.status}; wait until it is ready.")
        return run

    def open(self, run_id: str) -> TwinRunRecord:
        """Find a run that has not ended; raises RunNotFound, RunEnded."""
        run = self.find(run_id)
        status = self.status(run)
        if status not in OPEN:
            raise RunEnded(f"The run '{run.run_id}' has ended: it is {status}. Provision another one.")
        return run

    def extend(self, run_id: str, ttl_minutes: int) -> TwinRunRecord:
        """Extend the time to live of a run, up to `MAX_TTL_MINUTES` from now; never shortens it."""
        run = self.open(run_id)
        if run.status in BEGINNING:
            given = run.ttl_minutes or 0
            return self._catalog.change(run, ttl_minutes=max(given, min(given + ttl_minutes, MAX_TTL_MINUTES)))
        ends = self.service.environments.record(run.environment_id).expires
        latest = stamp().micros + MAX_TTL_MINUTES * MINUTE * SECOND
        wanted = min(ends + ttl_minutes * MINUTE * SECOND, latest)
        self.service.environments.extend(run.environment_id, max(ends, wanted))
        return run

    def lock(self, run_id: str) -> bool:
        """Make a run private; returns whether it was public."""
        run = self.open(run_id)
        was_public = run.is_public
        if was_public:
            with self.service.engine.transaction():
                self._catalog.change(run, is_public=False)
                gate = EnvironmentAccessPolicy(run.run_id, run.proxy_token, is_public=False)
                if run.environment_id:
                    self.service.environments.close_gate(run.environment_id, gate)
        return was_public

    def reset(self, run_id: str) -> TwinRunRecord:
        """Reset all twins to the state they were provisioned with, in one operation."""
        run = self.alive(run_id)
        self.service.environments.reset(run.environment_id)
        return run

    def tear_down(self, run_id: str, status: str = "torn_down") -> TwinRunRecord:
        """End a run and return it; no-op if it has ended."""
        with self.service.engine.transaction():  # the run and its environment end together
            run = self.find(run_id)
            if run.status not in OPEN:
                return run
            if self.makers.is_lost(run):
                return self.makers.give_up(run)
            if run.status == "ready":
                self.service.environments.expire(run.environment_id)
            run = self._catalog.change(run, status=status, updated_at=stamp().iso)
        if run.environment_id:
            self.service.ports.retire(run.environment_id)
        return run

    async def instances(self, run: TwinRunRecord, address: str) -> dict[str, Any]:
        """Describe the twins of a run by requested name; base URLs begin with `address`, or are those of their ports.
        Keys: `name`, `label`, `base_url`, `admin_url`, `path_url`, `env_vars`, `show_in_ui`, `mcp_url`, `mcp`.
        """
        instances: dict[str, Any] = {}
        for twin in (self.service.registry.get(name) for name in (run.twins if run.environment_id else ())):
            base_url = path_url = f"{address}/api/env/{run.environment_id}/services/{twin.name}"
            if run.ports and self._lasts(run):
                base_url = await open_port(self.service, run.environment_id, twin.name)
            name = run.requested.get(twin.name, twin.name)
            instances[name] = {
                "name": name,
                "label": twin.name.replace("_", " ").title(),
                "base_url": base_url,
                "admin_url": base_url,
                "path_url": path_url,
                "env_vars": twin.variables.values(base_url, run.secret),
                "show_in_ui": True,
                "mcp_url": f"{base_url}{MCP_PATH}",
                "mcp": {**describe_mcp(twin), "url": f"{base_url}{MCP_PATH}"},
            }
        return instances


def _credentials(twins: Mapping[str, Twin], users: Mapping[str, str], secret: str) -> dict[str, Any]:
    """The credentials in a run's environment variables, as fields of an EnvironmentRequest."""
    acting = [(twin.variables, users[name]) for name, twin in twins.items() if name in users]
    signing = {name: twin.variables.signing_secret(secret) for name, twin in twins.items()}
    return {
        "tokens": {token: user for variables, user in acting for token in variables.credentials(secret)},
        "refresh": {token: user for variables, user in acting for token in variables.renewals(secret)},
        "clients": {id: key for twin in twins.values() for id, key in twin.variables.clients(secret).items()},
        "signing": {name: key for name, key in signing.items() if key},
    }
