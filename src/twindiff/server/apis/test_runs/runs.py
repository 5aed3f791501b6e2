"""Test runs: create, execute, evaluate with the changes in twins, and rerun."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast
from urllib.parse import urlsplit

from twindiff.browser import config as configs
from twindiff.browser.artifact_masking import mask_texts
from twindiff.browser.chromium import NoBrowser, chromium
from twindiff.browser.config import ConfigError, Scalar, TestConfig
from twindiff.browser.job import TYPED_SECRET, BrowserJob, BrowserLimits, LanguageModel, RunEvent
from twindiff.browser.masking import TextMask, is_secret_name, secret_names
from twindiff.catalog import TestRunEventRecord, TestRunRecord
from twindiff.kit.errors import ApiError, InvalidParameter
from twindiff.server.apis.test_runs.artifacts import Artifacts
from twindiff.server.apis.test_runs.ledger import ENDED, Ledger
from twindiff.server.apis.test_runs.likely_causes import (
    MAX_CAUSES,
    describe_unreached,
    find_unreached_hosts,
    with_likely_causes,
)
from twindiff.server.apis.test_runs.page_statements import describe_served
from twindiff.server.apis.test_runs.queue import Queue
from twindiff.server.apis.test_runs.reports import NOTHING_TESTED, TestResult, write_reports
from twindiff.server.apis.test_runs.run_secrets import restore_masked
from twindiff.server.apis.test_runs.temporary import remove_abandoned
from twindiff.server.apis.test_runs.twins import RunTwins
from twindiff.server.apis.test_runs.views import page_url, said_by_checks
from twindiff.server.apis.test_runs.workers import BrowserWorker
from twindiff.server.apis.twin_runs.runs import TwinRunService
from twindiff.server.door.variables import PROXY
from twindiff.server.language_models import configured_model
from twindiff.storage.backoff import describe_error

if TYPE_CHECKING:
    from twindiff.browser.planner import PromptPlan

T = TypeVar("T")

KINDS = ("test", "url")
"""Kinds of runs in a browser."""
MAX_NAME = 200
"""Maximum characters of a run's name in its reports."""
DEFAULT_SECONDS = 300
MAX_SECONDS = 1800
_DIALOGUE = ("ask_user_question", "answer", "message")
_URL = re.compile(r"https?://[^\s<>\"'`)\]]+")


class InvalidTestConfig(ApiError):
    """The test cannot be run as it is written."""

    code = "invalid_test"
    status = 422


class BrowserNotInstalled(ApiError):
    """There is no browser here."""

    status = 501


class SandboxNotReady(ApiError):
    """The sandbox is not ready; wait until it is."""

    code = "not_ready"
    status = 409


class RunIsOver(ApiError):
    """The run has ended; nothing can be told to it any more."""

    status = 409


log = logging.getLogger("twindiff")

NOTHING: Mapping[str, Any] = {}


class TestRunRequest(NamedTuple):
    """The request for a test run."""

    prompt: str | None = None
    start_url: str | None = None
    test_config: Mapping[str, Any] | None = None
    parameters: Mapping[str, Scalar] = {}
    credentials: Mapping[str, str] = {}
    hosts: Sequence[str] = ()
    twins: Sequence[str] = ()
    ttl_minutes: int = 60
    provision_id: str | None = None
    scenario_id: str | None = None
    scenario_prompt: str | None = None
    clock: Mapping[str, str] = {}
    """The clock of the twins that are made, as fields of a ClockRequest; by default the real one."""
    checks: Mapping[str, Any] | None = None
    sandbox_id: str | None = None
    seconds: float = DEFAULT_SECONDS
    about: Mapping[str, Any] = {}
    """Fields that are only stored: repo, branch, pr_url, session_id, test_id, source_run_id, trigger_source and the
    like.
    """


class TestRunService:
    """Creates, executes and reruns the test runs of a server."""

    __test__ = False

    def __init__(self, twin_runs: TwinRunService, twins: RunTwins) -> None:
        self.service = twin_runs.service
        self.ledger = Ledger(self.service)
        self.queue = Queue(self.service, self.ledger)
        self.sweeps: list[Callable[[], object]] = [remove_abandoned]
        """Functions that remove leftovers of dead servers at start-up, each in a thread."""
        self.artifacts = Artifacts(self.service.settings.data_dir)
        self.twins = twins
        self.service.background.append(self.serve)

    async def serve(self) -> None:
        """Execute runs until cancelled."""
        try:
            await asyncio.gather(self.queue.serve(), *map(_sweep, self.sweeps))
        finally:
            self.artifacts.forget()

    def plan_config(self, prompt: str) -> dict[str, Any]:
        """Plan the TestConfig of a prompt; without steps if part of it is not understood, so that its runs
        plan again.
        """
        planned = _plan(prompt)
        if planned.unclear:
            return configs.to_json(TestConfig(prompt=prompt))
        return configs.to_json(TestConfig(prompt=prompt, steps=planned.steps, twin_checks=planned.twin_checks))

    async def create(self, wanted: TestRunRequest, address: str, kind: str = "test") -> TestRunRecord:
        """Queue a run; leaves nothing behind if it is refused. Raises InvalidTestConfig and what twins raise."""
        browser = _browser()
        self.queue.check()
        wanted = self._with_twins_of_sandbox(wanted)
        config, prompt, start_url, said = await self._plan_run(wanted)
        secrets = {**wanted.credentials}
        given = {**secrets, **{name: str(value) for name, value in wanted.parameters.items()}}
        values = or_invalid(lambda: configs.values(config, given))
        start_url = or_invalid(lambda: configs.check_url(configs.fill_parameters(start_url, values), "start_url"))
        hosts = or_invalid(lambda: [*_named_hosts(wanted.hosts), *_opened_origins(config, start_url, values)])
        self.twins.check(wanted.checks, wanted.twins, wanted.provision_id)
        said["not_understood"] = [*said.get("not_understood", []), *self.twins.absent(config.twin_checks, wanted)]
        twin_run_id = None if said["not_understood"] else await self.twins.provide(wanted, config.twin_checks)
        scenario = self.twins.scenario(twin_run_id, wanted.scenario_prompt, is_new=not wanted.provision_id)
        checks, unknown = await self.twins.checks(config.twin_checks, wanted.checks, twin_run_id)
        said["not_understood"] += unknown
        about = wanted.about
        run = self.ledger.add(
            kind,
            {**about, **_kept_fields(wanted), **said, "twins": [*wanted.twins], **scenario},
            secrets=secrets,
            start_url=start_url,
            prompt=prompt,
            test_config=configs.to_json(config),
            twin_run_id=twin_run_id,
            sandbox_id=wanted.sandbox_id,
            **{name: about.get(name) for name in ("repo", "test_id", "session_id", "source_run_id")},
        )
        self.ledger.tell(run.run_id, "status", "queued", {"status": "queued"})
        if said["not_understood"]:
            self._end(run.run_id, _not_understood(said["not_understood"]), {}, address)
            return self.ledger.find(run.run_id)
        job = self._job(run, config, values, wanted, browser, address, hosts)
        await self.queue.put(run.run_id, lambda: self._perform(job, checks, twin_run_id))
        return run

    async def _plan_run(self, wanted: TestRunRequest) -> tuple[TestConfig, str | None, str, dict[str, Any]]:
        """Plan a run; returns its config, prompt, start URL, and facts about the prompt. Raises InvalidTestConfig."""
        config = or_invalid(lambda: configs.read(wanted.test_config or {}))
        prompt = wanted.prompt or config.prompt or None
        said: dict[str, Any] = {}
        if prompt and not config.steps and not config.twin_checks:
            planned = await self.service.runtime.run_in_thread(partial(_plan, prompt))
            config.prompt = prompt
            if not planned.unclear:
                config.steps, config.twin_checks = planned.steps, planned.twin_checks
            config = or_invalid(lambda: configs.read(configs.to_json(config)))
            said = {"planned": True, "subject": planned.subject, "not_understood": planned.unclear}
            if planned.unclear and configured_model():
                config.twin_checks = planned.twin_checks
                said = {"planned": True, "by": "agent", "not_understood": []}
        app_url = wanted.sandbox_id and str(self._ready_sandbox(wanted.sandbox_id).outcome["app_url"])
        start_url = wanted.start_url or app_url or config.starting_url or _url_in(prompt)
        if not start_url:
            raise InvalidTestConfig("start_url: give an absolute address, a sandbox_id, or a prompt that has one")
        if wanted.start_url:
            or_invalid(lambda: configs.check_url(start_url, "start_url"))
        return config, prompt, start_url, said

    def _with_twins_of_sandbox(self, wanted: TestRunRequest) -> TestRunRequest:
        """Replace the twins of the request by those of its sandbox; raises RunNotFound, NotReady, InvalidParameter.
        Twins created for the test alone would get no calls from the sandbox, so checks of them would be meaningless.
        """
        if wanted.sandbox_id is None:
            return wanted
        sandbox = self._ready_sandbox(wanted.sandbox_id)
        own = self.twins.find(sandbox.twin_run_id)
        if wanted.twins:
            raise InvalidParameter("twins", _why_no_twins(sandbox.run_id, own.twins if own else ()))
        if own is None and wanted.checks and not wanted.provision_id:
            raise InvalidParameter("checks", _why_no_twins(sandbox.run_id, ()))
        provision_id = wanted.provision_id or (own and own.run_id)
        if own and provision_id and self.twins.runs.alive(provision_id).run_id != own.run_id:
            raise InvalidParameter("provision_id", _why_no_twins(sandbox.run_id, own.twins))
        return wanted._replace(sandbox_id=sandbox.run_id, provision_id=provision_id)

    def _ready_sandbox(self, sandbox_id: str) -> TestRunRecord:
        """Find a sandbox whose application responds; raises RunNotFound, NotReady."""
        sandbox = self.ledger.find(sandbox_id)
        if sandbox.status != "ready" or not sandbox.outcome.get("app_url"):
            why = sandbox.outcome.get("failure_detail")
            raise SandboxNotReady(
                f"The sandbox '{sandbox_id}' is {sandbox.status}, not ready{f': {why}' if why else ''}"
            )
        return sandbox

    def _job(
        self,
        run: TestRunRecord,
        config: TestConfig,
        values: Mapping[str, str],
        wanted: TestRunRequest,
        browser: str,
        address: str,
        hosts: list[str],
    ) -> BrowserJob:
        settings = self.service.settings
        return BrowserJob(
            run_id=run.run_id,
            start_url=run.start_url or "",
            config=config,
            folder=str(self.artifacts.root / run.run_id),
            chromium=browser,
            control=[address, *self._list_own_addresses()],
            hosts=hosts,
            twins=self.twins.addresses(run.twin_run_id, address),
            values=dict(values),
            secrets=[*dict.fromkeys([*wanted.credentials, *secret_names(values)])],
            hidden=self.ledger.mask(run).secrets,
            prompt=run.prompt or "",
            goal=run.asked.get("by") == "agent" and not config.steps,
            model=_model(),
            limits=BrowserLimits(
                wanted.seconds,
                settings.run_memory_mb,
                settings.run_network_mb,
                step_seconds=settings.step_seconds,
            ),
        )

    def _list_own_addresses(self) -> list[str]:
        """The addresses of the server on this machine, besides the one by which the run was requested."""
        return [f"http://127.0.0.1:{port}" for port in self.service.ports.listening.list_control_ports()]

    async def _perform(self, job: BrowserJob, checks: Mapping[str, Any] | None, twin_run_id: str | None) -> None:
        """Execute a run in a worker, then evaluate the changes in its twins."""
        run_id, do = job.run_id, self.ledger.do
        self.artifacts.open(run_id)
        watched = await self.twins.begin(twin_run_id)
        if (await do(lambda: self.ledger.begin(run_id))).status in ENDED:
            return
        worker = BrowserWorker(job, lambda event: self._hear(run_id, event))
        self.queue.listens(run_id, worker.tell)
        try:
            end = await worker.run()
        finally:
            self.queue.deaf(run_id)
            await asyncio.to_thread(mask_texts, self.artifacts.texts(run_id), await do(lambda: self._mask(run_id)))
        outcome = await self.twins.judge(watched, checks)
        await do(lambda: self._end(run_id, end, outcome, job.control[0]))

    def _mask(self, run_id: str) -> TextMask:
        return self.ledger.mask(self.ledger.find(run_id))

    async def _hear(self, run_id: str, event: RunEvent) -> None:
        await self.ledger.do(lambda: self._note(run_id, event))

    def _note(self, run_id: str, event: RunEvent) -> None:
        if event.type == TYPED_SECRET:
            self.ledger.learn_secret(run_id, event.message)
            return
        if event.type == "config":
            run = self.ledger.find(run_id)
            self.ledger.change(run, test_config=event.data)
        self.ledger.tell(run_id, event.type, event.message, event.data)

    def _end(self, run_id: str, end: RunEvent, outcome: dict[str, Any], address: str) -> None:
        """End a run with the result of its worker and the changes in its twins, and write its reports."""
        steps = [step.data for step in self.steps(run_id) if step.data["id"] != "start"]
        passed = sum(step["status"] == "passed" for step in steps)
        run = self.ledger.find(run_id)
        sandbox = self.ledger.find_by_id(run.sandbox_id or "")
        if ended := sandbox and _why_application_ended(sandbox):
            end = _with_early_end(end, ended, "application")
        else:
            end = _with_early_end(end, self.twins.why_ended(run.twin_run_id), "twins_ended")
        end = RunEvent(end.type, end.message, _judge_end(end.data, outcome.get("checks"), _sentences(run)))
        data = self.ledger.mask(run).value(with_likely_causes(end, self._list_likely_causes(run, sandbox)).data)
        total = len((cast(dict[str, Any], run.test_config or {})).get("steps", []))
        counts = {"passed": passed, "failed": len(steps) - passed, "total": max(total, len(steps))}
        summary = data.get("failure_detail") or f"{passed} of {counts['total']} steps passed"
        name = self.ledger.mask(run).text(str(run.asked.get("name") or run.prompt or run.start_url))[:MAX_NAME]
        result = _result(run, name, data, sum(float(step.get("milliseconds", 0)) for step in steps) / 1000)
        result = result._replace(steps=self.ledger.mask(run).value(_describe_served_statements(steps)))
        head_sha = sandbox and sandbox.asked.get("commit_sha")
        write_reports(self.artifacts.open(run_id), [result], summary, page_url(run, address), head_sha)
        self.ledger.end(run_id, str(data.pop("status")), **{**counts, **data, **outcome, "summary": summary})

    def _list_likely_causes(self, run: TestRunRecord, sandbox: TestRunRecord | None) -> list[str]:
        """Requests of its pages that were refused, and vendors' own hosts that its application did not reach."""
        refused = [event.message for event in self.ledger.events(run.run_id) if event.type == "refused"][:MAX_CAUSES]
        twin_run = self.twins.find(sandbox.twin_run_id) if sandbox else None
        if sandbox is None or twin_run is None or PROXY[0] in sandbox.asked["env_vars"]:
            return refused
        events = self.ledger.events(sandbox.run_id)
        printed = [each.message for each in events if each.type == "output" and each.at >= run.created_at]
        twins = [self.service.registry.get(str(name)) for name in twin_run.twins]
        unreached = find_unreached_hosts(printed, twins)
        return [*refused, *(describe_unreached(host, twin) for host, twin in unreached.items())]

    def steps(self, run_id: str) -> list[TestRunEventRecord]:
        """List the step events of a run."""
        return [event for event in self.ledger.events(run_id) if event.type == "step"]

    # Existing runs

    def cancel(self, run_id: str) -> TestRunRecord:
        """Cancel a run at once and return it; its results so far are kept. No-op if it has ended."""
        run = self.ledger.find(run_id)
        if run.status not in ENDED:
            said = "the run was cancelled"
            run = self.ledger.end(
                run.run_id, "cancelled", failure_category="cancelled", failure_detail=said, summary=said
            )
            self.queue.end(run.run_id)
        return run

    def message(self, run_id: str, message: str) -> TestRunRecord:
        """Send an answer or an instruction to a run; raises RunIsOver."""
        run = self.ledger.find(run_id)
        if run.status in ENDED or not message:
            raise RunIsOver(f"The run '{run.run_id}' is {run.status}; it takes no message any more")
        if is_secret_name(self._question(run.run_id)):
            self.ledger.learn_secret(run.run_id, message)
        self.ledger.tell(run.run_id, "message", message)
        if not self.queue.say(run.run_id, message):
            self.ledger.tell(run.run_id, "log", "the message waits: the run has not begun")
        return run

    def _question(self, run_id: str) -> str:
        """The question that a run waits for an answer to, or an empty text."""
        last = next((event for event in reversed(self.ledger.events(run_id)) if event.type in _DIALOGUE), None)
        return last.message if last and last.type == "ask_user_question" else ""

    def configure(self, run_id: str, test_config: Mapping[str, Any]) -> TestRunRecord:
        """Change the TestConfig that reruns use; raises InvalidTestConfig. Texts that responses show masked may come
        back as they were shown.
        """
        run = self.ledger.find(run_id)
        restored = restore_masked(test_config, run.test_config, self.ledger.mask(run))
        config = or_invalid(lambda: configs.read(restored))
        return self.ledger.change(run, test_config=configs.to_json(config))

    async def rerun(
        self, run_id: str, changes: Mapping[str, Any], address: str, said: Mapping[str, Any] = NOTHING
    ) -> TestRunRecord:
        """Rerun a run; `changes` are fields of TestRunRequest that replace the original ones, `said` is only stored."""
        run = self.ledger.find(run_id)
        asked: Mapping[str, Any] = run.asked
        if changes.keys() & _WORLDS:
            asked = {name: value for name, value in asked.items() if name not in _WORLDS}
        about = {name: value for name, value in asked.items() if name not in TestRunRequest._fields}
        is_new = "prompt" in changes and "test_config" not in changes
        if "prompt" in changes or "test_config" in changes:
            about = {name: value for name, value in about.items() if name not in OF_A_PROMPT}
        wanted = TestRunRequest(
            prompt=run.prompt,
            start_url=None if changes.get("sandbox_id") else run.start_url,
            test_config=None if is_new else run.test_config,
            credentials=run.secrets,
            **{name: asked[name] for name in _AGAIN if asked.get(name) is not None},
            **self._place_again(run, changes),
            about={**about, **said, "source_run_id": run.run_id},
        )
        if changes.get("sandbox_id"):
            wanted = wanted._replace(twins=())
        return await self.create(wanted._replace(**changes), address, run.kind if run.kind in KINDS else "test")

    def _place_again(self, run: TestRunRecord, changes: Mapping[str, Any]) -> dict[str, Any]:
        """The sandbox and twin run in which to rerun a run, unless `changes` name others."""
        if {"sandbox_id", "start_url", "twins"} & changes.keys():
            return {}
        if run.sandbox_id:
            return {"sandbox_id": run.sandbox_id}
        provision_id = run.asked.get("provision_id")
        ended = provision_id and not run.asked.get("checks") and not self.twins.is_ready(provision_id)
        return {} if ended else without_none(provision_id=provision_id)


def _describe_served_statements(steps: Sequence[Mapping[str, Any]]) -> list[str]:
    """Lines about the steps of a model, with the statements that each serves; none for other runs."""
    return [
        f"{step['step']}. {step['title']} ({describe_served(step)}): {step['status']}"
        for step in steps
        if step.get("statements")
    ]


def _result(run: TestRunRecord, name: str, end: Mapping[str, Any], seconds: float) -> TestResult:
    """The result of a run for its reports."""
    if end["status"] == "completed":
        return TestResult(name, run.run_id, "passed", seconds=seconds)
    status = "error" if end.get("failure_category") in NOTHING_TESTED else "failed"
    return TestResult(name, run.run_id, status, str(end.get("failure_detail") or end["status"]), seconds)


OF_A_PROMPT = ("planned", "by", "subject", "not_understood")
"""Facts about the planning of a prompt, which do not apply to another prompt."""
_WORLDS = {"scenario_id", "scenario_prompt"}
"""The alternative sources of a twin's data; a run has at most one."""
_AGAIN = (
    *("parameters", "hosts", "twins", "ttl_minutes", "scenario_id", "scenario_prompt", "clock", "checks", "seconds"),
)


def _plan(prompt: str) -> PromptPlan:
    # Compiling its patterns takes half a second, and many servers never run a test.
    from twindiff.browser.planner import plan

    return plan(prompt)


async def _sweep(sweep: Callable[[], object]) -> None:
    """Remove leftovers of dead servers in a thread; what fails is left to the next start, and ends no other work."""
    try:
        await asyncio.to_thread(sweep)
    except Exception as error:  # noqa: BLE001 - as above
        log.warning("Leftovers of dead servers stay until the next start: %s", describe_error(error))


def _not_understood(unclear: Sequence[str]) -> RunEvent:
    """The final event of a run whose prompt is not fully understood: it fails without doing anything."""
    said = f"of the prompt this was not understood, so nothing was done: {'; '.join(unclear)}"
    counts = {"passed": 0, "failed": 0, "total": 0}
    return RunEvent(
        "end", said, {"status": "failed", **counts, "failure_category": "not_understood", "failure_detail": said}
    )


def _sentences(run: TestRunRecord) -> dict[str, str]:
    """The prompt's sentences about twins, by the name that failures give their assertions (`assertion#1`, …)."""
    checks = cast(dict[str, list[Any]], run.asked.get("checks") or {})
    expected = configs.read(cast(dict[str, Any], run.test_config or {})).twin_checks
    first = len(checks.get("assertions", [])) + 1
    return {f"assertion#{number}": each.sentence for number, each in enumerate(expected, first)}


def _judge_end(
    end: Mapping[str, Any], checks: Mapping[str, Any] | None, sentences: Mapping[str, str]
) -> dict[str, Any]:
    """The final data of a run: the result of its steps, unless the checks of its twins failed."""
    if end["status"] != "completed":
        return dict(end)
    if checks and not checks["passed"]:
        said = f"what the twins changed is not as checked: {'; '.join(said_by_checks(checks, sentences))}"
        return {**end, "status": "failed", "failure_category": "checks", "failure_detail": said}
    return dict(end)


def _why_application_ended(sandbox: TestRunRecord) -> str | None:
    """How the application of a sandbox ended during a test, and what it printed last; None while it runs."""
    if sandbox.status == "cancelled":
        return "the sandbox run of the application was deleted during the test"
    ended = sandbox.outcome.get("app_ended")
    return ended and f"{ended} during the test{sandbox.outcome.get('app_printed', '')}"


def _with_early_end(end: RunEvent, why: str | None, category: str) -> RunEvent:
    """Let a run fail whose application or twins ended before it, even if each step passed on pages loaded before."""
    if why is None or end.data["status"] not in ("completed", "failed"):
        return end
    said = f"{end.data.get('failure_detail') or 'the steps passed'}; {why}"
    data = {**end.data, "status": "failed", "failure_category": category, "failure_detail": said}
    return RunEvent(end.type, said, data)


def without_none(**fields: Any) -> dict[str, Any]:
    """The fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def _kept_fields(wanted: TestRunRequest) -> dict[str, Any]:
    """The fields of a request that its record stores."""
    names = (*_AGAIN, "provision_id")
    return {name: value for name in names if (value := getattr(wanted, name)) not in (None, {}, [], ())}


def _why_no_twins(sandbox_id: str, own: Sequence[str]) -> str:
    """Why a test of a sandbox cannot name twins, or has none to evaluate."""
    if own:
        return (
            f"the sandbox '{sandbox_id}' has twins of its own ({', '.join(own)}), which its application calls: "
            "leave twins and provision_id out, and checks judge those"
        )
    return (
        f"the sandbox '{sandbox_id}' was started without twins, and its application would call no others: "
        "name them when it is started, or in its .arga/sandbox.yml"
    )


def _browser() -> str:
    try:
        return chromium()
    except NoBrowser as error:
        raise BrowserNotInstalled(str(error)) from None


def _model() -> LanguageModel | None:
    """The configured model in the form that workers use, or None."""
    model = configured_model()
    return model and LanguageModel(model.url, model.name, dict(model.headers), model.is_anthropic)


def or_invalid(read: Callable[[], T]) -> T:
    """Call `read`, and raise its ConfigError as InvalidTestConfig."""
    try:
        return read()
    except ConfigError as error:
        raise InvalidTestConfig(str(error)) from None


def _named_hosts(hosts: Sequence[str]) -> list[str]:
    """Validate the hosts of a request, with or without scheme and port; raises ConfigError."""
    for host in hosts:
        configs.check_url(host if "//" in host else f"http://{host}", "hosts")
    return [*hosts]


def _opened_origins(config: TestConfig, start_url: str, values: Mapping[str, str]) -> list[str]:
    """The origins that `goto` steps open, as far as known before the run; raises ConfigError."""
    origins: list[str] = []
    for number, step in enumerate(config.steps):
        given = str(step.value)
        if step.action != "goto" or not set(configs.REFERENCE.findall(given)) <= values.keys():
            continue
        url = configs.join_url(start_url, configs.fill_parameters(given, values), f"test_config.steps[{number}].value")
        parts = urlsplit(url)
        origins.append(f"{parts.scheme}://{parts.netloc}")
    return list(dict.fromkeys(origins))


def _url_in(prompt: str | None) -> str | None:
    match = _URL.search(prompt or "")
    return match[0].rstrip(".,;:!?") if match else None
