"""The tables of the catalog. A column added later must be nullable: data directories live longer than releases.

Instants are wall-clock UTC. `created` numbers rise with every record of a kind, so that "newest" is exact.
"""

from __future__ import annotations

from twindiff.kit.rows import Column, Json, Row, Timestamp, column


class TemplateRecord(
    Row, table="templates", key=("template_id",), indexes=(("service", "name", "created"), ("schema_name",))
):
    """A starting state under a name; `hash` names its content, which never changes."""

    template_id: Column[str]
    service: Column[str]
    name: Column[str]
    hash: Column[str]
    schema_name: Column[str]
    created: Column[int]
    created_at: Column[Timestamp]
    version: Column[str] = column(default="v1")
    description: Column[str | None] = column(default=None)
    origin: Column[str] = column(default="built-in")
    """Where it came from: `built-in`, `import` or `environment <id>`."""
    visibility: Column[str] = column(default="public")
    counters: Column[Json] = column(default={})
    clock: Column[Json | None] = column(default=None)


class EnvironmentRecord(
    Row,
    table="environments",
    key=("environment_id",),
    indexes=(("status", "expires"), ("status", "created"), ("created",), ("token_hash",)),
):
    """An environment; `expires` is in microseconds since 1970."""

    environment_id: Column[str]
    status: Column[str]
    """ready, expired or deleted."""
    service: Column[str]
    """The first twin, which `environmentUrl` points to."""
    templates: Column[Json]
    """Template id by twin."""
    origin: Column[Json]
    tokens: Column[Json]
    token_hash: Column[str]
    created: Column[int]
    created_at: Column[Timestamp]
    expires: Column[int]
    name: Column[str | None] = column(default=None)
    parent: Column[str | None] = column(default=None)
    """The environment that a fork left."""
    parent_seq: Column[int | None] = column(default=None)
    """The point it left it at."""
    gate: Column[Json | None] = column(default=None)
    """What a twin run asks of those who call its twins."""
    faults: Column[Json | None] = column(default=None)
    """What goes wrong on purpose, in the order in which it does."""


class CheckpointRecord(Row, table="checkpoints", key=("environment_id", "name"), indexes=(("name",),)):
    """A point of an environment under a name."""

    environment_id: Column[str]
    name: Column[str]
    seq: Column[int]
    created: Column[int]
    created_at: Column[Timestamp]


class RunRecord(
    Row,
    table="runs",
    key=("run_id",),
    indexes=(("environment_id", "created"), ("before_snapshot",), ("created",)),
):
    """An interval of an environment: after `start_seq`, up to now or to `end_seq` once it is closed."""

    run_id: Column[str]
    environment_id: Column[str]
    status: Column[str]
    start_seq: Column[int]
    before_snapshot: Column[str]
    created: Column[int]
    created_at: Column[Timestamp]
    once: Column[bool] = column(default=False)
    end_seq: Column[int | None] = column(default=None)
    test_id: Column[str | None] = column(default=None)
    suite_id: Column[str | None] = column(default=None)
    after_snapshot: Column[str | None] = column(default=None)
    diff: Column[str | None] = column(default=None)
    """The latest diff as JSON text, packed if it is long."""
    verdict: Column[str | None] = column(default=None)
    """The latest verdict, likewise."""
    start_call: Column[int | None] = column(default=None)
    """The number of the environment's last call before it; runs of earlier releases have none."""
    end_call: Column[int | None] = column(default=None)
    """The number of its last call when its latest result was kept."""


class SuiteRecord(Row, table="suites", key=("suite_id",), indexes=(("created",),)):
    suite_id: Column[str]
    name: Column[str]
    description: Column[str]
    visibility: Column[str]
    owner: Column[str]
    created: Column[int]
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp]


class TestRecord(Row, table="tests", key=("test_id",), indexes=(("suite_id", "created"),)):
    """A task with the checks that judge it; `spec` is JSON text, so that it is kept as it was written."""

    __test__ = False

    test_id: Column[str]
    suite_id: Column[str]
    name: Column[str]
    prompt: Column[str]
    type: Column[str]
    seed_template: Column[str]
    spec: Column[str]
    created: Column[int]
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp]
    impersonate_user_id: Column[str | None] = column(default=None)
    clock: Column[Json | None] = column(default=None)
    seed_templates: Column[Json | None] = column(default=None)
    """The locations of its templates, of a test that starts from several; `seed_template` is the first."""
    users: Column[Json | None] = column(default=None)
    """Whom the agent acts as, by twin."""
    impersonate_email: Column[str | None] = column(default=None)


class TrialSetRecord(Row, table="trial_sets", key=("trial_set_id",), indexes=(("created",), ("suite_id", "created"))):
    """What came of an agent's trials at a suite; its counts are those of its trials."""

    trial_set_id: Column[str]
    suite_id: Column[str]
    suite: Column[str]
    """The name of the suite when it was begun."""
    agent: Column[str]
    created: Column[int]
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp]
    planned: Column[int] = column(default=0)
    """How many trials it is to have in the end; 0 where nobody has said."""
    tests: Column[int] = column(default=0)
    trials: Column[int] = column(default=0)
    passed: Column[int] = column(default=0)


class TrialRecord(
    Row,
    table="trials",
    key=("trial_set_id", "test_id", "number"),
    indexes=(("trial_set_id", "position", "number"),),
):
    """One trial of a test; `number` counts those of the test from 1, `position` orders tests as their suite does."""

    trial_set_id: Column[str]
    test_id: Column[str]
    number: Column[int]
    position: Column[int]
    test: Column[str]
    passed: Column[bool]
    reason: Column[str]
    percent: Column[float]
    seconds: Column[float]
    created_at: Column[Timestamp]
    environment_id: Column[str] = column(default="")
    run_id: Column[str] = column(default="")
    is_kept: Column[bool] = column(default=False)
    """Whether its environment was left to be looked into."""
    verdict: Column[str | None] = column(default=None)
    """A copy of the run's verdict, as runs keep theirs."""


class CallRecord(Row, table="calls", key=("environment_id", "number")):
    """One operation that reached a twin, reads and refusals included."""

    environment_id: Column[str]
    number: Column[int]
    at: Column[Timestamp]
    twin: Column[str]
    operation: Column[str]
    actor: Column[str]
    status: Column[int]
    milliseconds: Column[float]
    error: Column[str | None] = column(default=None)
    seq: Column[int | None] = column(default=None)


class TranscriptRecord(Row, table="transcripts", key=("environment_id", "last")):
    """What the calls from `first` to `last` asked and were answered, packed."""

    environment_id: Column[str]
    last: Column[int]
    first: Column[int]
    packed: Column[str]


class WebhookRecord(Row, table="webhooks", key=("webhook_id",), indexes=(("environment_id", "created"),)):
    """Somebody who is told of an environment's events, by its settings; rows of a twin may name others."""

    webhook_id: Column[str]
    environment_id: Column[str]
    twin: Column[str]
    url: Column[str]
    events: Column[Json]
    """Names of events; all of them, if there are none."""
    secret: Column[str]
    start_seq: Column[int]
    """The journal record after which it is told."""
    created: Column[int]
    created_at: Column[Timestamp]


class OutboxRecord(Row, table="outboxes", key=("environment_id",)):
    """An environment that somebody subscribed to: the records up to `seq` have become deliveries."""

    environment_id: Column[str]
    seq: Column[int]
    numbered: Column[int] = column(default=0)
    """The number of its latest delivery."""


class DeliveryRecord(
    Row,
    table="deliveries",
    key=("environment_id", "number"),
    indexes=(("environment_id", "subscription", "status", "number"), ("environment_id", "status", "seq")),
):
    """What one subscriber is told of one event; `next_at` is by the environment's clock, in microseconds since 1970."""

    environment_id: Column[str]
    number: Column[int]
    subscription: Column[str]
    twin: Column[str]
    seq: Column[int]
    event: Column[str]
    notification: Column[Json]
    created_at: Column[Timestamp]
    status: Column[str] = column(default="pending")
    """pending, delivered, failed or cancelled."""
    next_at: Column[int] = column(default=0)
    tries: Column[int] = column(default=0)
    """Attempts since it was queued, or queued again; `attempts` are all of them."""
    attempts: Column[int] = column(default=0)
    failure: Column[str | None] = column(default=None)
    """What became of the latest attempt, if it failed."""


class AttemptRecord(Row, table="delivery_attempts", key=("environment_id", "number", "attempt")):
    """A try to deliver; `at` is wall-clock time."""

    environment_id: Column[str]
    number: Column[int]
    attempt: Column[int]
    at: Column[Timestamp]
    milliseconds: Column[float]
    status: Column[int | None] = column(default=None)
    failure: Column[str | None] = column(default=None)
    message: Column[str | None] = column(default=None)
    """What went wrong, in words."""


class TwinRunRecord(
    Row, table="twin_runs", key=("run_id",), indexes=(("environment_id",), ("scenario_id",), ("created",))
):
    """An environment as a twin run: what it was provisioned for and with. A scenario's own environment is one too."""

    run_id: Column[str]
    environment_id: Column[str]
    """Empty until the run is ready."""
    status: Column[str]
    """queued, provisioning, ready, torn_down, cancelled or failed; that it has expired its environment says."""
    twins: Column[Json]
    requested: Column[Json]
    """The names by which the twins were asked for, by twin."""
    is_public: Column[bool]
    proxy_token: Column[str]
    secret: Column[str]
    baseline_kind: Column[str]
    seed_results: Column[Json]
    created: Column[int]
    created_at: Column[Timestamp]
    access_profile: Column[str | None] = column(default=None)
    scenario_id: Column[str | None] = column(default=None)
    of_scenario: Column[bool] = column(default=False)
    """Whether it is the scenario's own environment, which stays until it is deleted."""
    copy_name: Column[str | None] = column(default=None)
    """Under which name it is a copy of the scenario's environment; None for the one that all share."""
    ports: Column[bool] = column(default=False)
    updated_at: Column[Timestamp | None] = column(default=None)
    ttl_minutes: Column[int | None] = column(default=None)
    """How long it is to last from when it is ready."""
    error: Column[str | None] = column(default=None)
    """Why it failed."""
    heard: Column[int | None] = column(default=None)
    """When the process that makes it last gave a sign, in microseconds since 1970."""
    prompt_results: Column[Json | None] = column(default=None)
    """What of the prompt that it was filled by was understood, and what was not."""


class ScenarioRecord(Row, table="scenarios", key=("scenario_id",), indexes=(("created",),)):
    """A world that can be provisioned: what each twin is seeded with."""

    scenario_id: Column[str]
    name: Column[str]
    seed_config: Column[Json]
    twins: Column[Json]
    tags: Column[Json]
    created: Column[int]
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp]
    description: Column[str | None] = column(default=None)
    prompt: Column[str | None] = column(default=None)


class TestRunRecord(
    Row,
    table="test_runs",
    key=("run_id",),
    indexes=(("created",), ("status", "created"), ("repo", "created"), ("test_id", "created")),
):
    """A run that takes its time: a test in a browser, and whatever else is queued, watched, cancelled and kept."""

    __test__ = False

    run_id: Column[str]
    kind: Column[str]
    """test or url for a test in a browser; other kinds have workers of their own."""
    status: Column[str]
    """queued or running; then completed, failed or cancelled, and nothing else after that."""
    asked: Column[Json]
    """What the request said, by its names."""
    owner: Column[str]
    """The process of the server that has it in its hands."""
    heard: Column[int]
    """When that process last said so, in microseconds since 1970."""
    created: Column[int]
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp]
    view_token: Column[str] = column(default="")
    """What opens the page of the run where the server has a key."""
    secrets: Column[Json] = column(default={})
    """Values that steps are given and no answer shows."""
    start_url: Column[str | None] = column(default=None)
    prompt: Column[str | None] = column(default=None)
    test_config: Column[Json | None] = column(default=None)
    outcome: Column[Json] = column(default={})
    """How it ended: failure_category, failure_detail, passed, failed, total, checks, diff."""
    repo: Column[str | None] = column(default=None)
    test_id: Column[str | None] = column(default=None)
    twin_run_id: Column[str | None] = column(default=None)
    sandbox_id: Column[str | None] = column(default=None)
    session_id: Column[str | None] = column(default=None)
    source_run_id: Column[str | None] = column(default=None)
    """The run that it repeats, or that it is a part of."""
    events: Column[int] = column(default=0)
    """How many events it has."""
    finished_at: Column[Timestamp | None] = column(default=None)


class TestRunEventRecord(Row, table="test_run_events", key=("run_id", "number")):
    """Something that happened in a run; steps are the events of type `step`."""

    __test__ = False

    run_id: Column[str]
    number: Column[int]
    at: Column[Timestamp]
    type: Column[str]
    message: Column[str]
    data: Column[Json] = column(default={})


class SavedTestRecord(
    Row, table="saved_tests", key=("test_id",), indexes=(("created",), ("repo_full_name", "created"))
):
    """A test in a browser that is kept under a name, perhaps with checks of what its twins change."""

    test_id: Column[str]
    name: Column[str]
    test_config: Column[Json]
    tags: Column[Json]
    created: Column[int]
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp]
    description: Column[str | None] = column(default=None)
    prompt: Column[str | None] = column(default=None)
    start_url: Column[str | None] = column(default=None)
    repo_full_name: Column[str | None] = column(default=None)
    ci_enabled: Column[bool] = column(default=False)
    paths: Column[Json] = column(default=[])
    """Patterns of files whose change is a reason to run it."""
    twins: Column[Json] = column(default=[])
    checks: Column[Json | None] = column(default=None)
    run_id: Column[str | None] = column(default=None)
    """The run that it was made of."""


class CheckSettingRecord(Row, table="check_settings", key=("repo", "trigger_mode")):
    """When pull requests of a repository are to be checked."""

    repo: Column[str]
    trigger_mode: Column[str]
    branch: Column[str | None] = column(default=None)
    enabled: Column[bool] = column(default=False)
    comment_on_pr: Column[bool] = column(default=False)


TABLES = (
    TemplateRecord,
    EnvironmentRecord,
    CheckpointRecord,
    RunRecord,
    SuiteRecord,
    TestRecord,
    TrialSetRecord,
    TrialRecord,
    CallRecord,
    TranscriptRecord,
    WebhookRecord,
    OutboxRecord,
    DeliveryRecord,
    AttemptRecord,
    TwinRunRecord,
    ScenarioRecord,
    TestRunRecord,
    TestRunEventRecord,
    SavedTestRecord,
    CheckSettingRecord,
)
