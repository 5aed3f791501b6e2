"""Sandbox runs: run the application of a branch with its twins for a limited time, then remove everything of it."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple

from twindiff.catalog import TestRunRecord
from twindiff.catalog.stamps import stamp
from twindiff.environments.clocks import ClockRequest
from twindiff.environments.runs import RunNotFound
from twindiff.kit.clock import SECOND, Clock
from twindiff.kit.errors import ApiError
from twindiff.server.apis.sandbox_runs import checkouts, containers, install_cache
from twindiff.server.apis.sandbox_runs.application import (
    Application,
    ApplicationFolder,
    CommandSequence,
    Milestone,
    environment,
    free_port,
    is_open,
    list_own_variables,
    wait_until_healthy,
)
from twindiff.server.apis.sandbox_runs.checkouts import Repositories, Revision
from twindiff.server.apis.sandbox_runs.code_sources import CodeSource, CodeSources
from twindiff.server.apis.sandbox_runs.compose_file import read_compose
from twindiff.server.apis.sandbox_runs.compose_network import can_have_network
from twindiff.server.apis.sandbox_runs.compose_services import ComposePlace, prepare_services
from twindiff.server.apis.sandbox_runs.config import (
    NO_CONTAINERS,
    InstallStep,
    StartCommand,
    fill_variables,
    show_variables,
    start_of,
)
from twindiff.server.apis.sandbox_runs.config_files import InvalidSandboxConfig, check_variables
from twindiff.server.apis.sandbox_runs.confinement import FOLDERS, Confinement, find_confinement
from twindiff.server.apis.sandbox_runs.containers import Container, ImageBuild
from twindiff.server.apis.sandbox_runs.hosted_repositories import HostedRepositories
from twindiff.server.apis.sandbox_runs.install_cache import CachedStep, InstallCache, join_plainly, list_commands
from twindiff.server.apis.sandbox_runs.last_output import with_last_output
from twindiff.server.apis.sandbox_runs.leftovers import PREFIX, ApplicationLives, remove_abandoned_sandboxes
from twindiff.server.apis.test_runs.ledger import ENDED
from twindiff.server.apis.test_runs.runs import TestRunService
from twindiff.server.apis.test_runs.temporary import TemporaryFolder, describe_remains
from twindiff.server.apis.twin_runs.runs import REAL, TwinRunRequest
from twindiff.server.apis.twin_runs.scenarios import ScenarioStore, WorldSource
from twindiff.server.door.variables import door_variables, write_certificates
from twindiff.server.use_cases.doors import open_door
from twindiff.server.use_cases.webhooks import create_webhook

KIND = "sandbox"
MINUTE = 60
SECONDS_TO_START = 60.0
SECONDS_TO_END = 20.0
MAX_SANDBOXES = 20
"""Maximum number of concurrent applications."""


class PortTaken(ApiError):
    """Somebody listens on the port of the application already."""

    status = 409


class TooManySandboxes(ApiError):
    """Too many applications are running; delete sandbox runs that are done with."""

    status = 429


class SandboxNotEnded(ApiError):
    """The sandbox run is still being ended; ask again."""

    status = 503


class SandboxRunRequest(NamedTuple):
    """The request for a sandbox run."""

    repo: str | None
    branch: str | None = None
    pr_url: str | None = None
    target: str | None = None
    twins: Sequence[str] | None = None
    scenario_id: str | None = None
    scenario_prompt: str | None = None
    ttl_minutes: int = 60
    env: Mapping[str, str] = {}
    clock: ClockRequest | None = None
    """The clock of the twins; by default that of the repository's file, or of the world."""
    seconds_to_start: float = SECONDS_TO_START
    commit: str | None = None
    """The commit to start; `branch` is then only a label."""
    more_twins: Sequence[str] = ()
    """Twins in addition to those that the repository's file names."""
    source: CodeSource | None = None
    """The code, if it is resolved already; the code that resolved it removes it."""


class Prepared(NamedTuple):
    """An application that is checked out but not started yet."""

    source: CodeSource
    claimed: TemporaryFolder
    start: StartCommand
    port: int
    """The port of this machine at which it answers."""
    confinement: Confinement
    guard: Path | None = None
    steps: Sequence[CachedStep] = ()
    """The installation steps that the cache keeps."""
    has_network: bool = False
    """Whether its services have a network of their own, in which it listens on the port that its file names."""

    @property
    def listens_on(self) -> int:
        """The port on which it listens, in a network of its own or in that of this machine."""
        return (self.start.port or self.port) if self.has_network else self.port

    @property
    def revision(self) -> Revision:
        """The commit that is checked out."""
        return self.source.revision

    @property
    def root(self) -> Path:
        """The folder that contains everything of the application."""
        return self.claimed.path

    @property
    def certificates(self) -> Path:
        """The folder of the certificates that it trusts if it comes in by the TLS door; its container sees it too."""
        return self.root / "home" / "certificates"


class SandboxRunService:
    """Creates, watches and ends the sandbox runs of a server."""

    def __init__(self, tests: TestRunService, scenarios: ScenarioStore, hosted: HostedRepositories) -> None:
        self.tests = tests
        self.ledger = tests.ledger
        self.service = tests.service
        settings = self.service.settings
        local = Repositories(dict(settings.repositories), closed=settings.api_key is not None)
        self.sources = CodeSources(local, hosted, self.service.runtime)
        self._scenarios = scenarios
        self._cache = InstallCache(settings.data_dir)
        self._gone: dict[str, asyncio.Event] = {}
        self._living: dict[str, Application] = {}
        """Applications of ended runs with a process that could not be ended."""
        tests.sweeps.append(remove_abandoned_sandboxes)
        tests.queue.clears_lost.append(self._clear_lost)

    async def create(self, wanted: SandboxRunRequest, address: str) -> TestRunRecord:
        """Check out an application and start it; removes everything of it on failure."""
        self.tests.queue.check()
        check_variables(wanted.env)
        if len(self._gone) >= MAX_SANDBOXES:
            raise TooManySandboxes
        source = wanted.source or await self.sources.open(wanted.repo, wanted.branch, wanted.pr_url, wanted.commit)
        try:
            prepared = await self.service.runtime.run_in_thread(partial(self._prepare, wanted, source))
        finally:
            if wanted.source is None:
                source.remove()
        twin_run_id: str | None = None
        try:
            twin_run_id = await self._provide(wanted, prepared)
            door = await self._open_door(twin_run_id, prepared) if prepared.start.target.proxy else {}
            own, variables = _fill_variables(wanted, prepared, await self.twins(twin_run_id, address), door)
            work = await self.service.runtime.run_in_thread(partial(_work, prepared, variables, self._hidden_folders()))
            run = self._record(wanted, prepared, twin_run_id, variables, own)
        except BaseException:
            if twin_run_id:
                self._scenarios.runs.tear_down(twin_run_id)
            await self.service.runtime.run_in_thread(prepared.claimed.remove)
            raise
        await self.tests.queue.put(run.run_id, partial(self._perform, run.run_id, prepared, wanted, work), seated=False)
        return run

    def _prepare(self, wanted: SandboxRunRequest, source: CodeSource) -> Prepared:
        confinement = find_confinement()
        claimed = TemporaryFolder(PREFIX)
        try:
            for name in FOLDERS[1:]:
                (claimed.path / name).mkdir()
            checkouts.check_out(source.revision, claimed.path / "app")
            start = start_of(claimed.path / "app", wanted.target, wanted.env)
            guard = _guard_build(start, claimed.path)
            has_network = bool(start.compose and start.engine and can_have_network(start.engine))
            port = free_port() if has_network else start.port or free_port()
            if is_open(port):
                raise PortTaken(f"app_port {port}: somebody listens there already; leave app_port out to be given one")
            if confinement.first_uid is not None and not confinement.bwrap:
                claimed.path.chmod(0o711)  # lets the application's user traverse it to its own folders
            kept = [each for each in start.target.install if isinstance(each, InstallStep)]
            steps = self._cache.open(source.repo, kept, start.folder, claimed.path, confinement)
            return Prepared(source, claimed, start, port, confinement, guard, steps, has_network)
        except BaseException:
            claimed.remove()
            raise

    def _hidden_folders(self) -> list[str]:
        """Folders to hide from applications, in addition to what confinement always hides."""
        settings = self.service.settings
        kept = [] if settings.data_dir in ("", ":memory:") else [settings.data_dir]
        return [*kept, tempfile.gettempdir(), *(path for _, path in settings.repositories)]

    async def _provide(self, wanted: SandboxRunRequest, prepared: Prepared) -> str | None:
        """Start the twin run of an application: with the twins of the request, else those that its file names."""
        twins = prepared.start.target.twins if wanted.twins is None else wanted.twins
        twins = list(dict.fromkeys([*twins, *wanted.more_twins]))
        if not twins:
            if hooked := prepared.start.target.webhooks:
                raise InvalidSandboxConfig(f"webhooks.{next(iter(hooked))}: there are no twins; name it in twins")
            return None
        source = WorldSource(wanted.scenario_id, wanted.scenario_prompt)
        clock = wanted.clock or prepared.start.target.clock
        ports = self._scenarios.runs.can_open_ports(len(twins))
        asked = TwinRunRequest(twins, wanted.ttl_minutes, ports=ports, clock=clock.to_clock_mode() if clock else REAL)
        run, _ = await self._scenarios.provide(asked, source)
        return run.run_id

    async def _open_door(self, twin_run_id: str | None, prepared: Prepared) -> dict[str, str]:
        """Open the TLS door for an application; returns its variables. Raises InvalidSandboxConfig without twins."""
        run = self.tests.twins.find(twin_run_id)
        if run is None:
            raise InvalidSandboxConfig("proxy: there are no twins whose hosts could be answered; name some in twins")
        entry = await open_door(self.service, run.environment_id)
        folder = prepared.certificates
        folder.mkdir()
        write_certificates(folder, entry.certificate)
        return door_variables(entry.proxy_url, folder)

    async def twins(self, twin_run_id: str | None, address: str) -> dict[str, Any]:
        """The twins of an application, by name; empty without a twin run."""
        run = self.tests.twins.find(twin_run_id)
        return await self._scenarios.runs.instances(run, address) if run else {}

    def _record(
        self,
        wanted: SandboxRunRequest,
        prepared: Prepared,
        twin_run_id: str | None,
        variables: Mapping[str, str],
        own: Sequence[str],
    ) -> TestRunRecord:
        """Record a run; `own` are the names of those variables that its file and its request give."""
        start = prepared.start
        asked = {
            "repo": prepared.source.repo,
            "branch": prepared.revision.name,
            "pr_url": wanted.pr_url,
            "commit_sha": prepared.revision.commit,
            "app_command": None if start.compose else start.command or None,
            "app_command_guessed_from": start.guess,
            "dockerfile_path": start.target.dockerfile_path if start.containerfile else None,
            "compose": start.target.compose,
            "app_port": prepared.listens_on,
            "confinement": _describe_confinement(prepared),
            "env_vars": dict(variables),
            "own_variables": [*own],
            **self.tests.twins.scenario(twin_run_id, wanted.scenario_prompt),
            "expires_at": Clock(stamp().micros + wanted.ttl_minutes * MINUTE * SECOND).iso()[:19] + "Z",
        }
        return self.ledger.add(KIND, asked, repo=prepared.source.repo, twin_run_id=twin_run_id)

    # From the start of an application to its end

    async def _perform(self, run_id: str, prepared: Prepared, wanted: SandboxRunRequest, work: CommandSequence) -> None:
        stop = asyncio.Event()
        gone = self._gone[run_id] = asyncio.Event()
        self.tests.queue.listens(run_id, lambda message: None if message else stop.set())
        place = ApplicationFolder(prepared.start.folder, prepared.root)
        mask = await self.ledger.do(lambda: self.ledger.mask(self.ledger.find(run_id)))
        application = Application(work, place, partial(self._tell, run_id, "output"), mask.text)
        try:
            await self._begin(run_id, prepared)
            self.service.webhooks.client.application_ports.add(prepared.port)
            await application.start()
            status, said = await self._watch(run_id, application, prepared, wanted, stop)
            if status == "failed":  # before it is ended, of which a shell prints a line
                said = with_last_output(said, application.last_lines)
        finally:
            self.tests.queue.deaf(run_id)
            await asyncio.shield(self._clear(run_id, application, prepared))
            gone.set()
        await self.ledger.do(partial(self._end, run_id, status, said))

    async def _begin(self, run_id: str, prepared: Prepared) -> None:
        def begin() -> None:
            revision, start = prepared.revision, prepared.start
            self.ledger.change(self.ledger.find(run_id), status="provisioning")
            self.ledger.tell(run_id, "git", f"{revision.name} at {revision.commit[:12]} of {prepared.source.place}")
            self.ledger.tell(run_id, "start", f"{_how(start)}, PORT={prepared.listens_on}")
            self.ledger.tell(run_id, "log", _describe_confinement(prepared))
            for number, cached in enumerate(prepared.steps):
                self.ledger.tell(run_id, "log", install_cache.describe(cached, number))
            if not prepared.steps and any(isinstance(each, InstallStep) for each in start.target.install):
                self.ledger.tell(run_id, "log", install_cache.describe_unused(prepared.confinement))
            if start.unused_keys:
                self.ledger.tell(
                    run_id, "log", f"without effect in a sandbox run: {', '.join(start.unused_keys)[:500]}"
                )
            if start.target.dockerfile_path and not start.containerfile:
                unused = start.target.dockerfile_path
                self.ledger.tell(run_id, "log", f"{unused} is not used, {NO_CONTAINERS}; app_command is run as it is")

        await self.ledger.do(begin)

    async def _watch(
        self, run_id: str, application: Application, prepared: Prepared, wanted: SandboxRunRequest, stop: asyncio.Event
    ) -> tuple[str, str]:
        """Wait for the end of an application; returns the final status and its reason."""
        stopped = asyncio.create_task(stop.wait())
        opening = asyncio.create_task(self._opens(run_id, application, prepared, wanted.seconds_to_start))
        ended: asyncio.Task[str] | None = None
        try:
            await asyncio.wait((opening, stopped), return_when=asyncio.FIRST_COMPLETED)
            if stopped.done():
                return "cancelled", "deleted"
            if problem := opening.result():
                return "failed", problem
            await self.ledger.do(partial(self._ready, run_id, f"http://127.0.0.1:{prepared.port}"))
            ended = asyncio.create_task(self._end_of(run_id, application))
            seconds = wanted.ttl_minutes * MINUTE
            await asyncio.wait((ended, stopped), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if stopped.done():
                return "cancelled", "deleted"
            if not ended.done():
                await self.ledger.do(
                    partial(self._note_end, run_id, "the application was ended, as its time was over,")
                )
                return "completed", "expired"
            return "failed", ended.result()
        finally:
            for task in (stopped, opening, ended):
                if task:
                    task.cancel()

    async def _end_of(self, run_id: str, application: Application) -> str:
        """Wait for the end of an application or of a service of it, and describe how it ended."""
        said = f"the application {await application.begin_to_end()}".rstrip(",")
        await self.ledger.do(partial(self._note_end, run_id, said))
        await application.wait_for_end()  # and until all that it printed is read
        await self.ledger.do(partial(self._note_end, run_id, said, with_last_output("", application.last_lines)))
        return said

    async def _opens(self, run_id: str, application: Application, prepared: Prepared, seconds: float) -> str | None:
        if milestone := application.work.milestone:
            if problem := await application.passes_milestone():
                return problem
            await self._tell(run_id, "log", milestone.done)
        return await application.opens(prepared.port, seconds, prepared.listens_on) or await self._connects(
            run_id, application, prepared, seconds
        )

    async def _connects(self, run_id: str, application: Application, prepared: Prepared, seconds: float) -> str | None:
        """Wait until the health path answers, and send the twins' webhooks to the application; or say what is wrong."""
        target, address = prepared.start.target, f"http://127.0.0.1:{prepared.port}"
        if path := target.health_path:
            healthy = wait_until_healthy(f"{address}{path}", seconds)
            if problem := await application.lives_until(healthy, f"{path} answered"):
                return problem
        if (twin_run_id := self.ledger.find(run_id).twin_run_id) is None:
            return None
        for twin, path in target.webhooks.items():
            try:
                twin_run, name = self._scenarios.runs.alive(twin_run_id), self.service.registry.get(twin).name
                await create_webhook(self.service, twin_run.environment_id, name, f"{address}{path}", (), None)
            except ApiError as error:
                refused = f"the webhooks of {twin} could not be sent to {path}: {error}"
                return self.tests.twins.why_ended(twin_run_id) or refused
            await self._tell(run_id, "log", f"webhooks of {twin} are sent to {path}")
        return self.tests.twins.why_ended(twin_run_id)

    def _ready(self, run_id: str, app_url: str) -> None:
        run = self.ledger.find(run_id)
        if run.status not in ENDED:
            self.ledger.change(run, status="ready", outcome={"app_url": app_url})
            self.ledger.tell(run_id, "status", f"ready at {app_url}", {"status": "ready"})

    def _note_end(self, run_id: str, said: str, printed: str = "") -> None:
        """Record that an application ended, and what it printed last, for the tests that it serves, before its
        leftovers are gone.
        """
        run = self.ledger.find(run_id)
        if run.status not in ENDED:
            self.ledger.change(run, outcome={**run.outcome, "app_ended": said, "app_printed": printed})

    async def _tell(self, run_id: str, type: str, message: str) -> None:
        await self.ledger.do(partial(self.ledger.tell, run_id, type, message))

    async def _clear(self, run_id: str, application: Application, prepared: Prepared) -> None:
        """End the application and its twins, and remove its files."""
        try:
            await application.end()
        except ApplicationLives as lives:
            self._living[run_id] = application
            await self._tell(run_id, "log", str(lives))
        finally:
            self.service.webhooks.client.application_ports.discard(prepared.port)
            try:
                await asyncio.to_thread(prepared.claimed.remove)
                if prepared.root.exists():
                    await self._tell(run_id, "log", describe_remains(prepared.root))
                await self.ledger.do(lambda: self._tear_down(self.ledger.find(run_id)))
            finally:
                self._gone.pop(run_id, None)

    def _tear_down(self, run: TestRunRecord) -> None:
        if run.twin_run_id:
            self._scenarios.runs.tear_down(run.twin_run_id)

    def _clear_lost(self, run: TestRunRecord) -> None:
        """End the twins of a sandbox run whose server process has died."""
        if run.kind == KIND:
            with suppress(RunNotFound):
                self._tear_down(run)

    def _end(self, run_id: str, status: str, said: str) -> None:
        detail = {"failure_category": "application", "failure_detail": said} if status == "failed" else {}
        self.ledger.end(run_id, status, summary=said, **detail)

    # Existing sandbox runs

    def find(self, sandbox_id: str) -> TestRunRecord:
        """Find a sandbox run by its id; raises RunNotFound."""
        run = self.ledger.find_by_id(sandbox_id)
        if run is None or run.kind != KIND:
            raise RunNotFound(f"There is no sandbox run '{sandbox_id[:100]}'")
        return run

    async def delete(self, sandbox_id: str) -> TestRunRecord:
        """End a sandbox run and wait until nothing of it is left; no-op for one that has ended.
        Raises SandboxNotEnded after `SECONDS_TO_END`, ApplicationLives if a process cannot be ended.
        """
        run = self.find(sandbox_id)
        gone = self._gone.get(run.run_id)
        run = self.tests.cancel(run.run_id)
        if gone:
            await self.service.runtime.run_on_loop(_wait_for(gone))
        if living := self._living.get(run.run_id):
            await self.service.runtime.run_on_loop(living.end())
            self._living.pop(run.run_id, None)
        return run


async def _wait_for(gone: asyncio.Event) -> None:
    try:
        await asyncio.wait_for(gone.wait(), SECONDS_TO_END)
    except TimeoutError:
        raise SandboxNotEnded from None


def _fill_variables(
    wanted: SandboxRunRequest, prepared: Prepared, twins: Mapping[str, Any], door: Mapping[str, str]
) -> tuple[Sequence[str], dict[str, str]]:
    """The names of those variables that the file and the request give, and all; the twins' override `door`'s.

    Raises InvalidSandboxConfig for a PORT that is not the port on which the application has to listen.
    """
    given = {**door, **{name: each for twin in twins.values() for name, each in twin["env_vars"].items()}}
    own = fill_variables(
        {**show_variables(prepared.start.target.env), **wanted.env}, twins, f"http://127.0.0.1:{prepared.port}"
    )
    port = str(prepared.listens_on)
    if own.get("PORT", port) != port:
        raise InvalidSandboxConfig(
            f"env: PORT is the port that the run gives to the application, and cannot be {own['PORT'][:20]!r}; "
            "name a port by app_port instead"
        )
    return [*own], {**given, **own, "PORT": port}


def _work(prepared: Prepared, env: Mapping[str, str], hidden: Sequence[str]) -> CommandSequence:
    """The commands to run: the application on this machine, or the engine that builds and runs its containers."""
    start = prepared.start
    shared = prepared.certificates if start.target.proxy else None
    if start.engine and start.compose:
        own = prepared.port if prepared.has_network else None
        place = ComposePlace(start.engine, _name_container(), prepared.root, prepared.root / "app", shared, own)
        return prepare_services(read_compose(start.compose, env), start.command, place, env)
    if start.engine and start.containerfile:
        build = ImageBuild(start.containerfile, start.folder, prepared.guard)
        words = ["/bin/sh", "-c", start.command] if start.command else []
        named = (start.engine, _name_container(), prepared.root, build)
        container = Container(*named, entrypoint="" if words else None, arguments=words, shared=shared)
        told = [containers.build_command(container, build), containers.run_command(container, env)]
        temporary = prepared.root / "engine"
        temporary.mkdir()
        variables, ends = containers.environment(env, temporary), containers.ends([container])
        return CommandSequence(told, variables, limits={}, ends=ends, milestone=Milestone(container.image_id))
    root, confinement, target = prepared.root, prepared.confinement, start.target
    texts = [_text(each) for each in target.install[len(prepared.steps) :]]
    install, services, [command] = (
        [confinement.wrap(["/bin/sh", "-c", each], root, start.folder, hidden) for each in commands]
        for commands in (texts, target.services.values(), [start.command])
    )
    cached = [list_commands(each, start.folder, confinement, hidden) for each in prepared.steps]
    install = [*(command for commands in cached for command in commands), *install]
    milestone = None
    if install:
        milestone = Milestone(root / "installed", "it is installed", "its installation was done", "was not installed")
        install = [*install, ["touch", str(milestone.file)]]
    return CommandSequence(
        [*install, command],
        list_own_variables(),
        variables=environment(root / "home", env),
        milestone=milestone,
        services=dict(zip(target.services, services, strict=True)),
        first_uid=confinement.first_uid,
        owned=[*(root / name for name in FOLDERS), *(each.root for each in prepared.steps)],
    )


def _name_container() -> str:
    return f"twindiff-sandbox-{token_hex(8)}"


def _text(step: str | InstallStep) -> str:
    """The command of a step that is not kept."""
    return step if isinstance(step, str) else join_plainly(step)


def _guard_build(start: StartCommand, root: Path) -> Path | None:
    """Check the build context, and return the guarding runtime for the build, if the engine needs one."""
    if start.engine is None or start.containerfile is None:
        return None
    containers.check_context(start.folder)
    return containers.write_guard(start.engine, root, start.folder)


def _describe_confinement(prepared: Prepared) -> str:
    """Describe how an application is confined."""
    if prepared.start.compose:
        return "in a container for each service"
    return "in a container" if prepared.start.containerfile else prepared.confinement.describe()


def _how(start: StartCommand) -> str:
    """Describe how an application is started, for its logs."""
    if start.compose:
        return f"the services of {start.target.compose} by {start.engine}, of which {start.command} is the application"
    if start.engine and start.containerfile:
        command = start.command or "what its image runs"
        return f"{command}, in a container of {start.target.dockerfile_path} by {start.engine}"
    return f"{start.command} (guessed from {start.guess})" if start.guess else start.command
