"""Twin runs: provision, look, extend, lock, reset, tear down. Whatever the route, they are the same records."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from twindiff.catalog import EnvironmentRecord, TemplateRecord, TwinRunRecord
from twindiff.catalog.stamps import new_environment_id, stamp
from twindiff.environments.environments import Wanted
from twindiff.environments.gate import Gate
from twindiff.kit.clock import SECOND
from twindiff.kit.errors import ApiError
from twindiff.kit.twin import Twin
from twindiff.server.service import Service
from twindiff.server.starting import default_template, empty_template
from twindiff.server.twin_runs.worlds import AGENT, Config, Worlds, cast_of

MINUTE = 60
YEAR_OF_MINUTES = 525_600
CANDIDATE_API_ONLY = "candidate_api_only"


class RunNotFound(ApiError):
    """There is no such run."""

    status = 404


class RunEnded(ApiError):
    """The run has ended; nothing can be done with it any more."""

    status = 409


class NoTwins(ApiError):
    """A run needs at least one twin."""


class Asked(NamedTuple):
    """What a run is to be; `config` is None for the twins' own starter worlds."""

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


class TwinRuns:
    """The twin runs of a server."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.worlds = Worlds(service)
        self._catalog = service.catalog

    def twins(self, names: Sequence[str]) -> dict[str, Twin]:
        """The twins that are named, by the names they are asked for; raises UnknownTwin with the nearest name."""
        if not names:
            raise NoTwins
        return {name: self.service.registry.get(name) for name in dict.fromkeys(names)}

    def provision(self, asked: Asked) -> TwinRunRecord:
        """Make a run; nothing of it is left when that fails. Raises UnknownTwin, InvalidSeedConfig."""
        requested = self.twins(asked.twins)
        twins = {twin.name: twin for twin in requested.values()}
        templates, results = self._templates(twins, asked)
        secret, run_id, proxy_token = secrets.token_hex(16), new_environment_id(), secrets.token_urlsafe(24)
        users = self._users(templates)
        made = self.service.environments.create(
            Wanted(
                [*templates.values()],
                users=users,
                ttl_seconds=asked.ttl_minutes * MINUTE,
                tokens=_tokens(twins, users, secret),
                name=f"twin run {run_id}",
                gate=Gate(run_id, proxy_token, asked.public),
            )
        )
        now = stamp()
        return self._catalog.add(
            TwinRunRecord(
                run_id=run_id,
                environment_id=made.environment.environment_id,
                status="ready",
                twins=[*twins],
                requested={twin.name: name for name, twin in requested.items()},
                is_public=asked.public,
                proxy_token=proxy_token,
                secret=secret,
                baseline_kind=asked.baseline_kind,
                seed_results=results,
                created=now.micros,
                created_at=now.iso,
                access_profile=asked.access_profile,
                scenario_id=asked.scenario_id,
                of_scenario=asked.of_scenario,
                copy_name=asked.copy_name,
                ports=asked.ports,
                updated_at=now.iso,
            )
        )

    def _templates(self, twins: Mapping[str, Twin], asked: Asked) -> tuple[dict[str, TemplateRecord], dict[str, Any]]:
        """What each twin starts from, and what is said of that."""
        templates: dict[str, TemplateRecord] = {}
        results: dict[str, Any] = {}
        config = None if asked.config is None else self._by_name(asked.config)
        people = cast_of(config or {})
        for name, twin in twins.items():
            if config is None:
                found = default_template(self.service, twin)
                templates[name] = found or empty_template(self.service, twin)
                results[name] = {"status": "seeded" if found else "skipped", "template": templates[name].name}
            elif name not in config and twin.seeding is None:
                templates[name] = empty_template(self.service, twin)
                results[name] = {"status": "skipped", "reason": "the scenario says nothing of this twin"}
            else:
                world = self.worlds.world(twin, config.get(name, {}), people)
                templates[name] = world.template
                results[name] = {"status": "seeded", "counts": world.counts}
        return templates, results

    def _by_name(self, config: Config) -> dict[str, Mapping[str, Any]]:
        return {self.service.registry.get(name).name: parts for name, parts in config.items()}

    def _users(self, templates: Mapping[str, TemplateRecord]) -> dict[str, str]:
        """Whom each twin acts as: the agent of the world, or else the first user of the first twin, by email."""
        actors = self.service.environments.actors
        found: dict[str, str] = {}
        email = AGENT.email
        for name, template in templates.items():
            people = actors.people(template)
            user = people.with_email(email) or next(iter(people.ids), "")
            if user:
                found[name] = user
                email = people.emails[people.ids.index(user)] or email
        return found

    def find(self, run_id: str) -> TwinRunRecord:
        """A run by its id; raises RunNotFound."""
        found = self._catalog.find(TwinRunRecord, TwinRunRecord.run_id == run_id.replace("-", "").lower()[:64])
        if found is None:
            raise RunNotFound(f"There is no run '{run_id[:100]}'")
        return found

    def newest(self, limit: int) -> list[tuple[TwinRunRecord, str, int]]:
        """Runs with how they stand and when they end, newest first."""
        runs = self._catalog.rows(TwinRunRecord, order=-TwinRunRecord.created, limit=limit)
        theirs = EnvironmentRecord.environment_id.in_([run.environment_id for run in runs])
        found = {each.environment_id: each for each in self._catalog.rows(EnvironmentRecord, theirs)}
        return [(run, _standing(run, found[run.environment_id]), found[run.environment_id].expires) for run in runs]

    def status(self, run: TwinRunRecord) -> str:
        """How a run stands: as it was left, or expired."""
        return "expired" if run.status == "ready" and not self._lasts(run) else run.status

    def _lasts(self, run: TwinRunRecord) -> bool:
        try:
            self.service.environments.get(run.environment_id)
        except ApiError:
            return False
        return True

    def alive(self, run_id: str) -> TwinRunRecord:
        """A run that can be worked with; raises RunNotFound, RunEnded."""
        run = self.find(run_id)
        status = self.status(run)
        if status != "ready":
            raise RunEnded(f"The run '{run.run_id}' has ended: it is {status}. Provision another one.")
        return run

    def extend(self, run_id: str, ttl_minutes: int) -> TwinRunRecord:
        """Let a run last so long from now on."""
        run = self.alive(run_id)
        self.service.environments.extend(run.environment_id, stamp().micros + ttl_minutes * MINUTE * SECOND)
        return run

    def lock(self, run_id: str) -> bool:
        """Make a run private; whether it was public."""
        run = self.alive(run_id)
        was_public = run.is_public
        if was_public:
            with self.service.engine.transaction():
                self._catalog.change(run, is_public=False)
                gate = Gate(run.run_id, run.proxy_token, is_public=False)
                self.service.environments.close_gate(run.environment_id, gate)
        return was_public

    def reset(self, run_id: str) -> TwinRunRecord:
        """Return every twin to what it was provisioned with, in one step."""
        run = self.alive(run_id)
        self.service.environments.reset(run.environment_id)
        return run

    def tear_down(self, run_id: str, status: str = "torn_down") -> TwinRunRecord:
        """End a run; ending it again changes nothing."""
        run = self.find(run_id)
        if run.status == "ready":
            self.service.environments.delete(run.environment_id)
            self.service.ports.close(run.environment_id)
            self.service.without_calls.add(run.environment_id)
            run = self._catalog.change(run, status=status, updated_at=stamp().iso)
        return run

    async def instances(self, run: TwinRunRecord, address: str) -> dict[str, Any]:
        """Each twin of a run by the name it was asked for, as its callers reach it from an address of ours."""
        found: dict[str, Any] = {}
        for twin in (self.service.registry.get(name) for name in run.twins):
            base_url = f"{address}/api/env/{run.environment_id}/services/{twin.name}"
            if run.ports and self._lasts(run):
                base_url = await self.service.runtime.run_on_loop(
                    self.service.ports.open(run.environment_id, twin.name)
                )
            name = run.requested.get(twin.name, twin.name)
            found[name] = {
                "name": name,
                "label": twin.name.replace("_", " ").title(),
                "base_url": base_url,
                "admin_url": base_url,
                "env_vars": twin.variables.values(base_url, run.secret),
                "show_in_ui": True,
            }
        return found


def _standing(run: TwinRunRecord, environment: EnvironmentRecord) -> str:
    lasts = environment.status == "ready" and environment.expires > stamp().micros
    return "expired" if run.status == "ready" and not lasts else run.status


def _tokens(twins: Mapping[str, Twin], users: Mapping[str, str], secret: str) -> dict[str, str]:
    """The tokens of a run's variables, and whom they act as."""
    return {
        token: users[name]
        for name, twin in twins.items()
        if name in users
        for token in twin.variables.credentials(secret)
    }
