"""The responses of the platform API as structs. Unknown fields, from a newer server, are ignored."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

import msgspec


class Diff(TypedDict):
    """Net changes: each row has its `__table__`; an update has `before`, `after`, `changed` and `derived`."""

    inserts: list[dict[str, Any]]
    updates: list[dict[str, Any]]
    deletes: list[dict[str, Any]]


class Made(msgspec.Struct, rename="camel"):
    """A new environment; `agent_token` gives access to its twins and nothing else."""

    environment_id: str
    service: str
    agent_token: str
    expires_at: str


class Forked(msgspec.Struct, rename="camel"):
    """A new fork; `parent` is the id of the original environment and `at` the point of the fork."""

    environment_id: str
    environment_url: str
    agent_token: str
    parent: str
    at: int


class Forks(msgspec.Struct):
    environments: list[Forked]


class EnvironmentInfo(msgspec.Struct, rename="camel"):
    """An environment; `templates` maps twins to template ids, and `seq` is its current point."""

    environment_id: str
    name: str | None
    status: str
    service: str
    templates: dict[str, str]
    created_at: str
    expires_at: str
    seq: int


class EnvironmentInfos(msgspec.Struct):
    environments: list[EnvironmentInfo]


class Ended(msgspec.Struct, rename="camel"):
    environment_id: str
    status: str


class Checkpoint(msgspec.Struct, rename="camel"):
    """A named point."""

    name: str
    seq: int
    created_at: str


class Checkpoints(msgspec.Struct):
    checkpoints: list[Checkpoint]


class RewindResult(msgspec.Struct):
    """`seq` is the point of the rewind itself."""

    seq: int


class PendingWork(msgspec.Struct):
    """A job that is not due yet; `operation` is its name in the journal."""

    at: str
    twin: str
    operation: str
    actor: str


class ClockState(msgspec.Struct):
    """An environment's clock: its `mode`, the time `now` (ISO 8601 in UTC), and the `next` due job, if any."""

    mode: str
    now: str
    seq: int
    next: PendingWork | None


class CompletedWork(msgspec.Struct):
    """A due job that has run; `error` is the code of one that failed."""

    at: str
    twin: str
    operation: str
    actor: str
    seq: int | None
    error: str | None


class Advanced(ClockState, rename="camel"):
    """A clock that was advanced, and the jobs that `ran`, in order.

    If there were too many jobs for one request, `still_due` of them are left, and the clock is at the last that ran.
    """

    ran: list[CompletedWork]
    still_due: int


class Differing(msgspec.Struct):
    diff: Diff


class Opened(msgspec.Struct):
    url: str


class Change(msgspec.Struct):
    """A row that was inserted (`before` is None), deleted (`after` is None) or updated."""

    table: str
    key: tuple[Any, ...]
    before: dict[str, Any] | None
    after: dict[str, Any] | None


class RecordedEvent(msgspec.Struct):
    """An event that an operation emitted, by the vendor's name for it."""

    name: str
    payload: dict[str, Any]


class Record(msgspec.Struct):
    """A journal record: an operation that wrote; `to` is the target point of a rewind."""

    seq: int
    twin: str
    operation: str
    actor: str
    at: str
    changes: list[Change]
    to: int | None = None
    events: list[RecordedEvent] = []


class Records(msgspec.Struct):
    records: list[Record]


class CallBody(msgspec.Struct):
    """A body with its size in bytes and its text, truncated if `is_cut`; a binary body has its SHA-256 instead."""

    bytes: int
    text: str | None = None
    is_cut: bool = False
    sha256: str | None = None


class CallRequest(msgspec.Struct):
    """The request of a call; `path` is relative to the twin's base URL."""

    method: str
    path: str
    body: CallBody
    query: str = ""
    headers: dict[str, str] = {}


class CallResponse(msgspec.Struct):
    """The response of a call."""

    status: int
    body: CallBody
    headers: dict[str, str] = {}


class Transcript(msgspec.Struct):
    """The request and the response of a call."""

    request: CallRequest
    answer: CallResponse


class LoggedCall(msgspec.Struct):
    """A call that reached a twin; `seq` is its journal record if it wrote; `transcript` is None unless requested."""

    number: int
    at: str
    twin: str
    operation: str
    actor: str
    status: int
    milliseconds: float
    error: str | None
    seq: int | None
    transcript: Transcript | None = None


class CallList(msgspec.Struct):
    calls: list[LoggedCall]


class Webhook(msgspec.Struct, rename="camel"):
    """A webhook for events of a twin; empty `events` means all of them. `secret` signs its requests."""

    webhook_id: str
    twin: str
    url: str
    events: list[str]
    secret: str
    created_at: str


class WebhookList(msgspec.Struct):
    webhooks: list[Webhook]


class Fault(msgspec.Struct):
    """An injected fault, as it was set, and the number of calls that it has `met` since."""

    fault: dict[str, Any]
    met: int


class Faults(msgspec.Struct):
    faults: list[Fault]


class DeliveryAttempt(msgspec.Struct):
    """An attempt to deliver, at wall time; `failure` is None if it succeeded."""

    at: str
    milliseconds: float
    status: int | None
    failure: str | None
    message: str | None


class Delivery(msgspec.Struct, rename="camel"):
    """The delivery of an event to a webhook; `status` is pending, delivered, failed or cancelled."""

    number: int
    webhook_id: str
    twin: str
    event: str
    seq: int
    status: str
    created_at: str
    attempts: list[DeliveryAttempt]


class Deliveries(msgspec.Struct):
    deliveries: list[Delivery]


class Started(msgspec.Struct, rename="camel"):
    """A run that was started."""

    run_id: str
    before_snapshot: str


class Verdict(msgspec.Struct):
    """The verdict of the checks; each of `explanations` describes a failed check in its `text`.

    `score` has `passed`, `total` and `percent`. `warnings` name unknown tables and columns in the checks. `refused` are
    requests to the control plane that the agent made with its token; the checks ignore them.
    """

    passed: bool
    score: dict[str, Any]
    failures: list[str]
    explanations: list[dict[str, Any]]
    warnings: list[str] = []
    refused: list[str] = []

    def __repr__(self) -> str:
        """A line for a failing `assert verdict.passed`: the number of passed assertions and the first explanation."""
        word = "passed" if self.passed else "failed"
        held = f"{self.score.get('passed', 0)} of {self.score.get('total', 0)} assertions hold"
        return f"<Verdict {word}: {'. '.join([held, *self.why[:1]])}>"

    @property
    def overreach(self) -> str:
        """A sentence about the agent's requests to the control plane; empty if there were none."""
        return f"The agent asked the control plane, with its token: {', '.join(self.refused)}" if self.refused else ""

    @property
    def undecided(self) -> str:
        """Why the checks could not be judged, if that is all that failed; else empty."""
        unsure = [each for each in self.explanations if each.get("undecided")]
        return str(unsure[0]["text"]) if unsure and len(unsure) == len(self.explanations) else ""

    @property
    def why(self) -> list[str]:
        """A sentence for each failed check."""
        return [str(each["text"]) for each in self.explanations if "text" in each] or self.failures

    def assert_passed(self) -> None:
        """Raise an AssertionError that explains each failed check, unless all have passed."""
        __tracebackhide__ = True  # pytest then shows the caller's line instead of this one
        if not self.passed:
            held = f"{self.score.get('passed', 0)} of {self.score.get('total', 0)} assertions hold"
            raise AssertionError("\n".join([f"{held}:", *(f"- {each}" for each in self.why)]))


class RunResult(msgspec.Struct, rename="camel"):
    """A run's latest diff and verdict, None before there is one; `calls` is empty unless requested."""

    run_id: str
    status: str
    passed: bool
    score: dict[str, Any] | None
    failures: list[str]
    diff: Diff | None
    created_at: str
    warnings: list[str] = []
    calls: list[LoggedCall] = []


class Template(msgspec.Struct):
    """An initial state of one twin."""

    id: str
    service: str
    name: str
    origin: str
    description: str | None


class TemplateList(msgspec.Struct):
    templates: list[Template]


class Test(msgspec.Struct):
    """A task (`prompt`) with its checks (`expected_output`); its environments are created from `seed_template`."""

    __test__ = False

    id: str
    name: str
    prompt: str
    type: str
    seed_template: str
    expected_output: dict[str, Any]
    seed_templates: list[str] = []
    """All templates of a test with several; `seed_template` is the first."""
    clock: dict[str, Any] | None = None
    """How the clock of its environments runs, if the test says so."""
    warnings: list[str] = []
    """What of it is ignored or never holds: unknown keys, tables, columns, users, rows and operations."""

    @property
    def starts_from(self) -> tuple[str, ...]:
        """The templates that its environments are created from."""
        return tuple(self.seed_templates) or (self.seed_template,)


class Suite(msgspec.Struct):
    """A named set of tests; a list of suites omits the tests."""

    id: str
    name: str
    description: str
    tests: list[Test] = []


class SuiteList(msgspec.Struct, rename="camel"):
    test_suites: list[Suite]


class Extended(msgspec.Struct, rename="camel"):
    """When an environment ends."""

    environment_id: str
    expires_at: str


class ImportResult(msgspec.Struct):
    """The result of an import: names of templates and suites; `left_out` are files of twins that are not installed.

    `warnings` say what of them is ignored or never holds.
    """

    templates: list[str]
    suites: list[str]
    unchanged: list[str]
    left_out: list[str]
    warnings: list[str] = []


class ConfidenceInterval(msgspec.Struct):
    """A share from 0 to 1 with its 95 % confidence interval."""

    value: float
    low: float
    high: float


class PassAtK(msgspec.Struct, rename="camel"):
    """The estimated share of tests of which at least one of k trials passes, and of which all k do."""

    k: int
    pass_at_k: ConfidenceInterval
    pass_all_of_k: ConfidenceInterval


class TestTried(msgspec.Struct, rename="camel"):
    """The trials of a test; `score` is the mean in percent, `reason` and the ids are of the first failed trial.

    `share` and `score` are None if all trials ended with `errors`, which do not count. `no_op_score` is the score of an
    agent that does nothing.
    """

    __test__ = False

    test_id: str
    test: str
    trials: int
    passed: int
    share: ConfidenceInterval | None
    score: float | None
    seconds: float
    reason: str
    run_id: str
    environment_id: str
    is_kept: bool
    errors: int = 0
    no_op_score: float | None = None


class TrialSet(msgspec.Struct, rename="camel"):
    """The result of an agent's trials of a suite; a list of sets omits `share`, `of_k` and `results`.

    Of `trials`, `passed` have passed, and `errors` count neither as passed nor as failed. `cost` is in US dollars,
    `seconds` is the duration of all trials together.
    """

    trial_set_id: str
    test_suite_id: str
    suite: str
    agent: str
    created_at: str
    planned: int
    tests: int
    trials: int
    passed: int
    share: ConfidenceInterval | None = None
    of_k: list[PassAtK] = []
    results: list[TestTried] = []
    errors: int = 0
    label: str = ""
    model: str = ""
    parameters: dict[str, Any] = {}
    revision: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    seconds: float = 0.0
    uncounted_tests: int = 0


class TrialSetList(msgspec.Struct, rename="camel"):
    trial_sets: list[TrialSet]


class TrialSetEnded(msgspec.Struct, rename="camel"):
    trial_set_id: str
    status: str


class KeptTrial(msgspec.Struct, rename="camel"):
    """A trial of a set; `result(run_id, calls=True)` has its diff and its calls.

    One with the status `error` has neither passed nor failed. `messages` are what the agent logged.
    """

    test_id: str
    test: str
    number: int
    passed: bool
    reason: str
    score: dict[str, Any] | None
    failures: list[str]
    explanations: list[dict[str, Any]]
    seconds: float
    environment_id: str
    run_id: str
    is_kept: bool
    status: Literal["passed", "failed", "error"] = "failed"
    error: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    messages: list[dict[str, Any]] = []
    created_at: str = ""


class KeptTrials(msgspec.Struct):
    trials: list[KeptTrial]


class TestCompared(msgspec.Struct, rename="camel"):
    """The share of passed trials of a test, from 0 to 1, in each of two sets."""

    __test__ = False

    test_id: str
    test: str
    before: float
    after: float


class TrialSetComparison(msgspec.Struct):
    """A comparison of two trial sets; `p` is the probability that as many tests differ by chance."""

    before: TrialSet
    after: TrialSet
    difference: ConfidenceInterval
    p: float
    better: int
    worse: int
    tests: list[TestCompared]
