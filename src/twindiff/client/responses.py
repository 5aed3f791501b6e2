"""What a server answers, typed. Fields that a later server adds are ignored."""

from __future__ import annotations

from typing import Any, TypedDict

import msgspec


class Diff(TypedDict):
    """Net changes: each row says its `__table__`; an update has `before`, `after`, `changed` and `derived`."""

    inserts: list[dict[str, Any]]
    updates: list[dict[str, Any]]
    deletes: list[dict[str, Any]]


class Made(msgspec.Struct, rename="camel"):
    """A new environment; `agent_token` opens its services and nothing else."""

    environment_id: str
    service: str
    agent_token: str
    expires_at: str


class Forked(msgspec.Struct, rename="camel"):
    environment_id: str
    environment_url: str
    agent_token: str
    parent: str
    at: int


class Forks(msgspec.Struct):
    environments: list[Forked]


class EnvironmentInfo(msgspec.Struct, rename="camel"):
    """What a server knows of an environment; `templates` are template ids by twin."""

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
    """A point under a name."""

    name: str
    seq: int
    created_at: str


class Checkpoints(msgspec.Struct):
    checkpoints: list[Checkpoint]


class RewindResult(msgspec.Struct):
    """`seq` is the rewind itself."""

    seq: int


class PendingWork(msgspec.Struct):
    """Work that waits for its time; `operation` is what the journal will call it."""

    at: str
    twin: str
    operation: str
    actor: str


class ClockState(msgspec.Struct):
    """An environment's time, ISO 8601 in UTC, how its clock runs, and the work that falls due `next`, if any."""

    mode: str
    now: str
    seq: int
    next: PendingWork | None


class CompletedWork(msgspec.Struct):
    """Work that fell due and was done; `error` is the code of one that failed."""

    at: str
    twin: str
    operation: str
    actor: str
    seq: int | None
    error: str | None


class Advanced(ClockState, rename="camel"):
    """A clock that was set forward, and what fell due on the way, in order.

    When that was too much for one request, `still_due` pieces are left, and the clock stands where it got to.
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
    """What an operation told those who subscribed of, by the vendor's name for it."""

    name: str
    payload: dict[str, Any]


class Record(msgspec.Struct):
    """An operation that wrote; `to` is the point that a rewind went back to."""

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
    """A body of so many `bytes`: its text, which ends early when it `is_cut`, or the digest of one that is no text."""

    bytes: int
    text: str | None = None
    is_cut: bool = False
    sha256: str | None = None


class CallRequest(msgspec.Struct):
    """What a call asked; the path begins below the twin's base URL."""

    method: str
    path: str
    body: CallBody
    query: str = ""
    headers: dict[str, str] = {}


class CallResponse(msgspec.Struct):
    """What a call was answered."""

    status: int
    body: CallBody
    headers: dict[str, str] = {}


class Transcript(msgspec.Struct):
    """What a call asked, and what it was answered."""

    request: CallRequest
    answer: CallResponse


class LoggedCall(msgspec.Struct):
    """A call that reached a twin; `seq` is what it wrote, if it did, and `transcript` is there if it was asked for."""

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
    """Who is told of which events of a twin; of all of them, if none is named. `secret` signs what is sent."""

    webhook_id: str
    twin: str
    url: str
    events: list[str]
    secret: str
    created_at: str


class WebhookList(msgspec.Struct):
    webhooks: list[Webhook]


class Fault(msgspec.Struct):
    """Something that goes wrong on purpose, as it was set, and how many calls it has `met` since."""

    fault: dict[str, Any]
    met: int


class Faults(msgspec.Struct):
    faults: list[Fault]


class DeliveryAttempt(msgspec.Struct):
    """A try to deliver, at wall-clock time; `failure` is None where it went well."""

    at: str
    milliseconds: float
    status: int | None
    failure: str | None
    message: str | None


class Delivery(msgspec.Struct, rename="camel"):
    """What a webhook is told of an event; `status` is pending, delivered, failed or cancelled."""

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
    run_id: str
    before_snapshot: str


class Verdict(msgspec.Struct):
    """Whether the checks hold; `explanations` say why not, one for each that failed.

    `warnings` tell which tables and columns of the checks there are not. `refused` are requests to the control plane
    that the agent made with its token, which no check looks at.
    """

    passed: bool
    score: dict[str, Any]
    failures: list[str]
    explanations: list[dict[str, Any]]
    warnings: list[str] = []
    refused: list[str] = []

    def __repr__(self) -> str:
        """One line that a failing `assert verdict.passed` shows: how many assertions hold, and what the first lacks."""
        word = "passed" if self.passed else "failed"
        held = f"{self.score.get('passed', 0)} of {self.score.get('total', 0)} assertions hold"
        return f"<Verdict {word}: {'. '.join([held, *self.why[:1]])}>"

    @property
    def overreach(self) -> str:
        """That the agent asked the control plane for something, in a sentence; empty if it did not."""
        return f"The agent asked the control plane, with its token: {', '.join(self.refused)}" if self.refused else ""

    @property
    def why(self) -> list[str]:
        """Why the checks do not hold, one sentence for each that failed."""
        return [str(each["text"]) for each in self.explanations if "text" in each] or self.failures

    def assert_passed(self) -> None:
        """Raise an AssertionError that says why each check failed, unless all hold."""
        __tracebackhide__ = True  # pytest shows the line that asks, and not this one
        if not self.passed:
            held = f"{self.score.get('passed', 0)} of {self.score.get('total', 0)} assertions hold"
            raise AssertionError("\n".join([f"{held}:", *(f"- {each}" for each in self.why)]))


class RunResult(msgspec.Struct, rename="camel"):
    """A run's latest diff and verdict, None before there is one; `calls` are there if they were asked for."""

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
    """A starting state of one twin."""

    id: str
    service: str
    name: str
    origin: str
    description: str | None


class TemplateList(msgspec.Struct):
    templates: list[Template]


class Test(msgspec.Struct):
    """A task with its checks; `seed_template` is what its environments start from."""

    __test__ = False

    id: str
    name: str
    prompt: str
    type: str
    seed_template: str
    expected_output: dict[str, Any]
    seed_templates: list[str] = []
    """The templates of a test that starts from several; `seed_template` is the first."""

    @property
    def starts_from(self) -> tuple[str, ...]:
        """The templates that its environments start from."""
        return tuple(self.seed_templates) or (self.seed_template,)


class Suite(msgspec.Struct):
    """Tests under a name; a list of suites leaves the tests out."""

    id: str
    name: str
    description: str
    tests: list[Test] = []


class SuiteList(msgspec.Struct, rename="camel"):
    test_suites: list[Suite]


class ImportResult(msgspec.Struct):
    """What an import came to, by name of template or suite; `left_out` are files of twins that are not installed.

    `warnings` tell which tables and columns of checks there are not.
    """

    templates: list[str]
    suites: list[str]
    unchanged: list[str]
    left_out: list[str]
    warnings: list[str] = []


class ConfidenceInterval(msgspec.Struct):
    """A share from 0 to 1, and between what it lies with 95 % confidence."""

    value: float
    low: float
    high: float


class PassAtK(msgspec.Struct, rename="camel"):
    """What is to be expected of k trials of each test: that at least one of them passes, and that all do."""

    k: int
    pass_at_k: ConfidenceInterval
    pass_all_of_k: ConfidenceInterval


class TestTried(msgspec.Struct, rename="camel"):
    """What came of a test; `score` is the mean in percent, `reason` and the ids are of its first trial that failed."""

    __test__ = False

    test_id: str
    test: str
    trials: int
    passed: int
    share: ConfidenceInterval
    score: float
    seconds: float
    reason: str
    run_id: str
    environment_id: str
    is_kept: bool


class TrialSet(msgspec.Struct, rename="camel"):
    """What came of an agent's trials at a suite; a list of sets leaves out all that comes after the counts."""

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


class TrialSetList(msgspec.Struct, rename="camel"):
    trial_sets: list[TrialSet]


class TrialSetEnded(msgspec.Struct, rename="camel"):
    trial_set_id: str
    status: str


class KeptTrial(msgspec.Struct, rename="camel"):
    """A trial of a set; `result(run_id, calls=True)` tells its diff and its calls."""

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


class KeptTrials(msgspec.Struct):
    trials: list[KeptTrial]


class TestCompared(msgspec.Struct, rename="camel"):
    """How often a test passed in either of two sets, from 0 to 1."""

    __test__ = False

    test_id: str
    test: str
    before: float
    after: float


class TrialSetComparison(msgspec.Struct):
    """How two trial sets differ; `p` is how likely as many tests would differ by chance."""

    before: TrialSet
    after: TrialSet
    difference: ConfidenceInterval
    p: float
    better: int
    worse: int
    tests: list[TestCompared]
