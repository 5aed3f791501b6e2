"""Pull request runs: compare a branch with its base, start its application, and run the selected tests."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from twindiff.browser.config import check_url
from twindiff.catalog import SavedTestRecord, TestRunRecord
from twindiff.catalog.stamps import new_uuid
from twindiff.kit.errors import ApiError
from twindiff.server.apis.pr_runs.check_reports import CheckReporter
from twindiff.server.apis.pr_runs.choice import choose_tests
from twindiff.server.apis.pr_runs.comparison import BranchComparison, compare
from twindiff.server.apis.pr_runs.repository_names import list_names
from twindiff.server.apis.pr_runs.repository_tests import FOLDER, read_tests
from twindiff.server.apis.pr_runs.settings import CheckSettings
from twindiff.server.apis.pr_runs.verdicts import ChangeVerdict
from twindiff.server.apis.sandbox_runs.checkouts import Revision
from twindiff.server.apis.sandbox_runs.code_sources import CodeSource, HostedChange
from twindiff.server.apis.sandbox_runs.runs import SandboxRunRequest, SandboxRunService
from twindiff.server.apis.test_runs.ledger import ENDED
from twindiff.server.apis.test_runs.reports import (
    NOTHING_TESTED,
    TestResult,
    check_run,
    render_cancelled,
    write_reports,
)
from twindiff.server.apis.test_runs.runs import BrowserNotInstalled, TestRunRequest, or_invalid
from twindiff.server.apis.test_runs.saved import SavedTestStore
from twindiff.server.apis.test_runs.views import page_url, scenario_of

KIND = "pr"
MAX_RUNS_SEARCHED = 100
"""Latest runs of a repository among which that of a repeated delivery is looked for."""
MAX_FILES_NAMED = 5
"""Changed files that the message names if no test matches them."""
OPENS = "the application opens"
"""The title of the test that runs if no saved test is selected."""
STARTS = "the application starts"
"""The title of the result that fails if the application does not start."""
FRESH_AT_URL = (
    "fresh: the application at frontend_url runs already and cannot be started anew; leave out fresh, or frontend_url"
)
RUNS_ON = "the application runs until its tests are done"
"""The title of the result that fails if the application or a service of it ended by itself during a passed test."""
CHOOSES = "the change chooses tests"
"""The title of the result that fails if no test is selected, unless that is allowed."""


class PrRunRequest(NamedTuple):
    """The request for a pull request run."""

    repo: str | None
    branch: str | None = None
    pr_url: str | None = None
    base: str | None = None
    frontend_url: str | None = None
    commit: str | None = None
    allow_no_tests: bool | None = None
    twins: Sequence[str] | None = None
    scenario_id: str | None = None
    scenario_prompt: str | None = None
    about: Mapping[str, Any] = {}
    """Fields that are only stored: context_notes, session_id, run_type."""


class ChangePlan(NamedTuple):
    """The plan of a run: the change and its tests."""

    wanted: PrRunRequest
    source: CodeSource
    compared: BranchComparison
    names: list[str]
    """The names of the repository."""
    kept: list[SavedTestRecord]
    """All its tests, saved ones and those in the repository."""
    tests: list[SavedTestRecord]
    """The tests that the change selects."""
    invalid: Mapping[str, str]
    """Errors of test files in the repository, by file."""
    fresh: Collection[str]
    """Ids of tests that get an application and twins of their own."""
    address: str

    @property
    def revision(self) -> Revision:
        """The tested revision."""
        return self.compared.revision

    @property
    def shared(self) -> list[SavedTestRecord]:
        """The tests that share one application."""
        return [test for test in self.tests if test.test_id not in self.fresh]

    def why_no_tests(self) -> str:
        """The message for a change that selects no test, with what to do about it."""
        others = "" if len(self.names) < 2 else f" ({', '.join(self.names[1:])})"
        if not self.kept:
            said = f"no test is kept of {self.names[0]}{others}"
        else:
            files = ", ".join(self.compared.changed[:MAX_FILES_NAMED])
            said = f"none of {len(self.kept)} tests of {self.names[0]} takes part in checks and is for one of: {files}"
        return (
            f"no test was chosen: {said}. Keep one with `twindiff tests create --ci --repo …` or in {FOLDER}/*.yml, "
            "or allow it with allow_no_tests (--allow-no-tests)"
        )


class RunCancelled(Exception):
    """The run was cancelled."""


class PrRuns:
    """Creates and executes the pull request runs of a server."""

    def __init__(self, saved: SavedTestStore, sandboxes: SandboxRunService, settings: CheckSettings) -> None:
        self._tests = saved.runs
        self._saved = saved
        self._sandboxes = sandboxes
        self._settings = settings
        self._reporter = CheckReporter(sandboxes.sources.hosted)
        self._ledger = saved.runs.ledger
        self._runtime = sandboxes.service.runtime

    async def create(self, wanted: PrRunRequest, address: str) -> TestRunRecord:
        """Queue a run; raises UnknownRepository, UnknownBranch, NothingChanged."""
        self._tests.queue.check()
        if url := wanted.frontend_url:
            or_invalid(lambda: check_url(url, "frontend_url"))
        source = await self._sandboxes.sources.open(wanted.repo, wanted.branch, wanted.pr_url, wanted.commit)
        try:
            plan = await self._runtime.run_in_thread(partial(self._plan, wanted, source, address))
            kept = [*self._saved.of_repository(plan.names), *plan.kept]
            plan = plan._replace(kept=kept, tests=choose_tests(kept, plan.compared.changed))
            run = self._record(plan)
        except BaseException:
            source.remove()
            raise
        await self._tests.queue.put(run.run_id, partial(self._perform_reported, run.run_id, plan), seated=False)
        return run

    def find_started(self, repo: str, delivery: str) -> TestRunRecord | None:
        """Find the run that a delivery of a webhook has started, among the latest of a repository."""
        latest = self._ledger.list(MAX_RUNS_SEARCHED, repo=repo, kinds=(KIND,)) if delivery else []
        return next((run for run in latest if run.asked.get("delivery") == delivery), None)

    def _plan(self, wanted: PrRunRequest, source: CodeSource, address: str) -> ChangePlan:
        revision, change = source.revision, source.change
        compared = compare(revision, wanted.base or (change.base if change else None))
        named = dict(self._sandboxes.service.settings.repositories)
        names = [source.repo] if change else list_names(source.repo, revision.repository, named)
        own = read_tests(revision, self._saved)
        return ChangePlan(wanted, source, compared, names, own.tests, [], own.invalid, own.fresh, address)

    def _record(self, plan: ChangePlan) -> TestRunRecord:
        wanted, revision, repo = plan.wanted, plan.revision, plan.source.repo
        names = [test.name for test in plan.tests]
        asked = {
            **wanted.about,
            "branch": revision.name,
            "base": plan.compared.base,
            "pr_url": wanted.pr_url,
            "commit_sha": revision.commit,
            "changed_files": plan.compared.changed,
            "chosen_tests": [{"id": test.test_id, "name": test.name} for test in plan.tests],
            "twins": [*(wanted.twins or ())],
        }
        session_id = wanted.about.get("session_id") or new_uuid()
        run = self._ledger.add(KIND, asked, repo=repo, session_id=session_id)
        tell = partial(self._ledger.tell, run.run_id)
        tell("status", "queued", {"status": "queued"})
        changed = plan.compared.changed
        tell("log", f"{len(changed)} files differ from {plan.compared.base}: {', '.join(changed)}")
        tell("log", f"tests that were chosen: {', '.join(names)}" if names else plan.why_no_tests())
        return run

    # From the start of the application to the verdict

    async def _perform_reported(self, run_id: str, plan: ChangePlan) -> None:
        """Perform a run and end it with its verdict, which a GitHub twin that hosts the code gets first."""
        change, check_run_id = plan.source.change, None
        try:
            if change:
                check_run_id = await self._begin_check(run_id, plan, change)
            results = await self._perform(run_id, plan)
        finally:
            plan.source.remove()
        run = await self._ledger.do(partial(self._ledger.find, run_id))
        url = page_url(run, plan.address)
        if change:
            report = self._render_check(plan, results, url)
            await self._report(run_id, change, check_run_id, report, is_comment_wanted=results is not None)
        if results is not None:
            await self._ledger.do(partial(self._conclude, run_id, plan, results))

    async def _begin_check(self, run_id: str, plan: ChangePlan, change: HostedChange) -> int | None:
        run = await self._ledger.do(partial(self._ledger.find, run_id))
        try:
            return await self._reporter.begin(change, run_id, page_url(run, plan.address))
        except ApiError as error:  # such as an environment that has ended
            await self._ledger.do(partial(self._ledger.tell, run_id, "log", f"no check run could be posted: {error}"))
            return None

    def _render_check(self, plan: ChangePlan, results: list[TestResult] | None, url: str) -> dict[str, Any]:
        """Render the check run of a verdict, or without results of a cancelled run."""
        if results is None:
            return render_cancelled(url)
        return check_run(plan.revision.commit, results, ChangeVerdict(results).summary, url)

    async def _report(
        self,
        run_id: str,
        change: HostedChange,
        check_run_id: int | None,
        report: dict[str, Any],
        *,
        is_comment_wanted: bool,
    ) -> None:
        """Complete the check run, and write the comment unless the settings of the repository refuse one."""
        setting = await self._ledger.do(partial(self._settings.find, change.repository.name, "pr"))
        try:
            if check_run_id is not None:
                await self._reporter.conclude(change, check_run_id, report)
            if is_comment_wanted and (setting is None or setting.comment_on_pr):
                await self._reporter.comment(change, report)
        except ApiError as error:
            await self._ledger.do(partial(self._ledger.tell, run_id, "log", f"the report was not posted: {error}"))

    async def _perform(self, run_id: str, plan: ChangePlan) -> list[TestResult] | None:
        """Run the tests of a plan; returns their results, None if the run was cancelled."""
        stop = asyncio.Event()
        self._tests.queue.listens(run_id, lambda message: None if message else stop.set())
        await self._ledger.do(partial(self._ledger.begin, run_id))
        sandbox: TestRunRecord | None = None
        results: list[TestResult] = []
        try:
            for problem in self._problems(plan):
                results.append(await self._note(run_id, problem, len(results) + 1))
            if not plan.wanted.frontend_url and (plan.shared or not plan.tests):
                sandbox = await self._start_sandbox(run_id, plan, plan.shared, stop)
            if problem := sandbox and _start_problem(sandbox):
                results.append(await self._note(run_id, problem, len(results) + 1))
            else:
                for test in plan.tests or [None]:
                    number = len(results) + 1
                    if test and test.test_id in plan.fresh:
                        results += await self._run_fresh(run_id, plan, test, number, stop)
                    else:
                        results.append(await self._run_test(run_id, plan, test, sandbox, number, stop))
        except RunCancelled:
            return None
        except ApiError as error:  # the application of the branch cannot be started
            refused = TestResult(STARTS, "", "error", str(error), category="application")
            results.append(await self._note(run_id, refused, len(results) + 1))
        finally:
            self._tests.queue.deaf(run_id)
            if sandbox:
                await self._end_sandbox(run_id, sandbox)
        number = len(results) + 1
        return [*results, *(await self._note_early_end(run_id, sandbox, results, number) if sandbox else [])]

    def _problems(self, plan: ChangePlan) -> list[TestResult]:
        """Results for test files that cannot be read, and for a change that selects no test."""
        unreadable = [TestResult(path, "", "error", said, category="tests") for path, said in plan.invalid.items()]
        if plan.tests or (unreadable and not plan.kept):
            return unreadable
        allowed = plan.wanted.allow_no_tests
        if allowed is None:
            allowed = self._sandboxes.service.settings.allow_no_tests
        status = "skipped" if allowed else "failed"
        return [*unreadable, TestResult(CHOOSES, "", status, plan.why_no_tests(), category="no_tests")]

    async def _start_sandbox(
        self, run_id: str, plan: ChangePlan, tests: Sequence[SavedTestRecord], stop: asyncio.Event
    ) -> TestRunRecord:
        """Start a sandbox run of the branch for some tests and return it once ready or failed.

        Raises RunCancelled, or a refusal.
        """
        wanted = plan.wanted
        named = [twin for test in tests for twin in test.twins]
        asked = SandboxRunRequest(
            plan.source.repo,
            plan.revision.name,
            wanted.pr_url,
            source=plan.source,
            twins=wanted.twins,
            more_twins=[] if wanted.twins is not None else named,
            scenario_id=wanted.scenario_id,
            scenario_prompt=wanted.scenario_prompt,
        )
        sandbox = await self._runtime.run_request(lambda: self._sandboxes.create(asked, plan.address))
        await self._ledger.do(partial(self._name_sandbox, run_id, sandbox))
        await self._ledger.do(partial(self._note_scenario, run_id, sandbox))
        try:
            return await self._until(sandbox.run_id, lambda run: run.status in ("ready", *ENDED), stop)
        except RunCancelled:
            await self._end_sandbox(run_id, sandbox)
            raise

    async def _end_sandbox(self, run_id: str, sandbox: TestRunRecord) -> None:
        """End the sandbox of a run; logs it if that takes too long or fails, which changes no result."""
        try:
            await self._runtime.run_request(lambda: self._sandboxes.delete(sandbox.run_id))
        except ApiError as error:
            said = f"sandbox run {sandbox.run_id} has not ended with its tests: {error}"
            await self._ledger.do(partial(self._ledger.tell, run_id, "log", said))

    def _name_sandbox(self, run_id: str, sandbox: TestRunRecord) -> None:
        """Log a sandbox, the first of which is the run's."""
        run = self._ledger.find(run_id)
        if not run.sandbox_id:
            self._ledger.change(run, sandbox_id=sandbox.run_id)
        started = sandbox.asked["app_command"] or sandbox.asked["dockerfile_path"] or sandbox.asked["compose"]
        self._ledger.tell(run_id, "log", f"sandbox run {sandbox.run_id}: {started}")

    def _note_scenario(self, run_id: str, part: TestRunRecord) -> None:
        """Store how far the twins of the sandbox, or of the first test, reflect the scenario_prompt; log what is
        missing.
        """
        run, said = self._ledger.find(run_id), scenario_of(part)
        self._ledger.change(run, asked={**run.asked, **said})
        for warning in said["scenario_warnings"]:
            self._ledger.tell(run_id, "log", f"scenario_prompt: {warning}")

    async def _run_fresh(
        self, run_id: str, plan: ChangePlan, test: SavedTestRecord, number: int, stop: asyncio.Event
    ) -> list[TestResult]:
        """Run a test with an application and twins of its own; raises RunCancelled."""
        refused = TestResult(test.name, "", "error", FRESH_AT_URL, category="tests")
        if plan.wanted.frontend_url:
            return [await self._note(run_id, refused, number)]
        try:
            sandbox = await self._start_sandbox(run_id, plan, [test], stop)
        except ApiError as error:
            refused = refused._replace(detail=str(error), category="application")
            return [await self._note(run_id, refused, number)]
        try:
            if problem := _start_problem(sandbox):
                return [await self._note(run_id, problem._replace(name=test.name, run_id=""), number)]
            result = await self._run_test(run_id, plan, test, sandbox, number, stop)
        finally:
            await self._end_sandbox(run_id, sandbox)
        return [result, *await self._note_early_end(run_id, sandbox, [result], number + 1)]

    async def _note_early_end(
        self, run_id: str, sandbox: TestRunRecord, results: Sequence[TestResult], number: int
    ) -> list[TestResult]:
        """Note and return a failed result if all tests passed though the application had ended by itself."""
        sandbox = await self._ledger.do(partial(self._ledger.find, sandbox.run_id))
        outcome = sandbox.outcome
        ended = outcome.get("app_ended")
        if not ended or any(each.is_bad for each in results):
            return []
        detail = f"{ended.rstrip(',')}{outcome['app_printed']}"
        lost = TestResult(RUNS_ON, sandbox.run_id, "failed", detail, category="application")
        return [await self._note(run_id, lost, number)]

    async def _run_test(
        self,
        run_id: str,
        plan: ChangePlan,
        test: SavedTestRecord | None,
        sandbox: TestRunRecord | None,
        number: int,
        stop: asyncio.Event,
    ) -> TestResult:
        """Run a saved test, or without one test that the application opens; raises RunCancelled."""
        result, begun = TestResult(test.name if test else OPENS, "", "passed"), time.monotonic()
        wanted = self._test_run_request(run_id, plan, test, sandbox)
        try:
            child = await self._runtime.run_request(lambda: self._tests.create(wanted, plan.address))
            result = result._replace(run_id=child.run_id)
            if sandbox is None and number == 1:
                await self._ledger.do(partial(self._note_scenario, run_id, child))
            child = await self._until(child.run_id, lambda run: run.status in ENDED, stop)
            if child.status != "completed":
                said = str(child.outcome.get("failure_detail") or child.status)
                nothing = child.outcome.get("failure_category") in NOTHING_TESTED
                result = result._replace(status="error" if nothing else "failed", detail=said, category="tests")
        except ApiError as error:
            category = "browser" if isinstance(error, BrowserNotInstalled) else "tests"
            result = result._replace(status="error", detail=str(error), category=category)
        except RunCancelled:
            await self._ledger.do(partial(self._tests.cancel, result.run_id))
            raise
        return await self._note(run_id, result._replace(seconds=time.monotonic() - begun), number)

    async def _note(self, run_id: str, result: TestResult, number: int) -> TestResult:
        """Record the result of a test as a step event of the run; returns it without secrets."""
        mask = await self._ledger.do(lambda: self._ledger.mask(self._ledger.find(run_id)))
        result = result._replace(name=mask.text(result.name), detail=mask.text(result.detail))
        step: dict[str, Any] = {"id": result.run_id or result.name, "step": number, "title": result.name}
        step |= {"status": "failed" if result.is_bad else result.status, "run_id": result.run_id}
        step |= {"milliseconds": result.seconds * 1000} if result.seconds else {}
        step |= {"detail": result.detail} if result.detail else {}
        said = f"{result.name}: {result.detail}" if result.is_bad else result.name
        await self._ledger.do(partial(self._ledger.tell, run_id, "step", said, step))
        return result

    def _test_run_request(
        self, run_id: str, plan: ChangePlan, test: SavedTestRecord | None, sandbox: TestRunRecord | None
    ) -> TestRunRequest:
        wanted = plan.wanted
        revision = plan.revision
        about = {
            "repo": plan.source.repo,
            "branch": revision.name,
            "commit_sha": revision.commit,
            "source_run_id": run_id,
        }
        about["trigger_source"] = "pr"
        twin_run_id = sandbox.twin_run_id if sandbox else None
        twins = [] if sandbox else [*(wanted.twins or (test.twins if test else []))]
        asked = TestRunRequest(
            start_url=wanted.frontend_url,
            scenario_id=None if sandbox else wanted.scenario_id,
            scenario_prompt=None if sandbox else wanted.scenario_prompt,
            sandbox_id=sandbox.run_id if sandbox else None,
            twins=twins,
            provision_id=twin_run_id,
            about=about,
        )
        if test is None:
            return asked
        return asked._replace(
            prompt=test.prompt,
            test_config=test.test_config,
            checks=test.checks,
            about={**about, "test_id": test.test_id, "name": test.name},
        )

    async def _until(
        self, run_id: str, is_there: Callable[[TestRunRecord], bool], stop: asyncio.Event
    ) -> TestRunRecord:
        """Wait until a run satisfies a condition; raises RunCancelled."""
        while True:
            run = await self._ledger.do(partial(self._ledger.find, run_id))
            if is_there(run):
                return run
            if stop.is_set():
                raise RunCancelled
            await self._ledger.news(run_id)

    def _conclude(self, run_id: str, plan: ChangePlan, results: list[TestResult]) -> None:
        """Write the reports, and end the run with its verdict."""
        verdict = ChangeVerdict(results)
        run = self._ledger.find(run_id)
        folder, url = self._tests.artifacts.open(run_id), page_url(run, plan.address)
        write_reports(folder, results, verdict.summary, url, head_sha=plan.revision.commit)
        self._ledger.end(run_id, verdict.status, **verdict.outcome())


def _start_problem(sandbox: TestRunRecord) -> TestResult | None:
    """The failed result if the application of a branch did not start; None if it is ready."""
    if sandbox.status == "ready":
        return None
    said = str(sandbox.outcome.get("failure_detail") or f"its sandbox run is {sandbox.status}")
    return TestResult(STARTS, sandbox.run_id, "error", said, category="application")
