"""The tables of the catalog. A column added later must be nullable, since data directories outlive releases.

Timestamps are wall-clock UTC. `created` is strictly increasing within a table, so that the newest record is unique.
"""

from __future__ import annotations

from twindiff.kit.rows import Column, Json, Row, Timestamp, column


class TemplateRecord(
    Row, table="templates", key=("template_id",), indexes=(("service", "name", "created"), ("schema_name",))
):
    """A named template of one twin; `hash` identifies its immutable content."""

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
    """The source: `built-in`, `import` or `environment <id>`."""
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
    """The first twin, the target of `environmentUrl`."""
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
    """The environment that this one was forked from."""
    parent_seq: Column[int | None] = column(default=None)
    """The point of the parent at which it was forked."""
    gate: Column[Json | None] = column(default=None)
    """The access policy of a twin run for callers of its twins."""
    faults: Column[Json | None] = column(default=None)
    """The injected faults, in the order in which they apply."""
    ports: Column[Json | None] = column(default=None)
    """The loopback port of each twin that has one: `{twin: {"port": number, "was": number or null}}`; `was` is a port
    that another program had at a start of the server."""


class CheckpointRecord(Row, table="checkpoints", key=("environment_id", "name"), indexes=(("name",),)):
    """A named point of an environment."""

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
    """An interval of an environment: after `start_seq`, up to `end_seq`, or up to now while the run is open."""

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
    """The latest diff as JSON text, compressed if it is long."""
    verdict: Column[str | None] = column(default=None)
    """The latest verdict, in the same format."""
    start_call: Column[int | None] = column(default=None)
    """The number of the environment's last call before the run; None in runs of earlier releases."""
    end_call: Column[int | None] = column(default=None)
    """The number of the environment's last call when the latest result was stored."""


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
    """A task with the checks that judge it; `spec` is JSON text, which preserves it exactly as written."""

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
    """The locations of its templates, if there are several; `seed_template` is the first."""
    users: Column[Json | None] = column(default=None)
    """The user that the agent acts as, by twin."""
    impersonate_email: Column[str | None] = column(default=None)
    warnings: Column[Json | None] = column(default=None)
    """Parts of its file without effect: unknown keys, and values that its twins and templates lack."""


class TrialSetRecord(Row, table="trial_sets", key=("trial_set_id",), indexes=(("created",), ("suite_id", "created"))):
    """The results of an agent's trials of a suite; its counts are totals over its trials."""

    trial_set_id: Column[str]
    suite_id: Column[str]
    suite: Column[str]
    """The name of the suite when the first trial started."""
    agent: Column[str]
    created: Column[int]
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp]
    planned: Column[int] = column(default=0)
    """The intended number of trials; 0 if it was not specified."""
    tests: Column[int] = column(default=0)
    trials: Column[int] = column(default=0)
    passed: Column[int] = column(default=0)
    errors: Column[int | None] = column(default=None)
    """The number of trials that do not count, since they could not start, end or be judged."""
    label: Column[str | None] = column(default=None)
    model: Column[str | None] = column(default=None)
    parameters: Column[Json | None] = column(default=None)
    """Parameters of the agent, by name."""
    revision: Column[str | None] = column(default=None)
    """The git revision of the agent's code."""
    input_tokens: Column[int | None] = column(default=None)
    output_tokens: Column[int | None] = column(default=None)
    cost: Column[float | None] = column(default=None)
    """The cost of all trials in US dollars, as far as it is known."""
    seconds: Column[float | None] = column(default=None)
    """The total duration of all trials."""


class TrialRecord(
    Row,
    table="trials",
    key=("trial_set_id", "test_id", "number"),
    indexes=(("trial_set_id", "position", "number"),),
):
    """One trial of a test; `number` counts trials of the test from 1, `position` is the test's index in the suite."""

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
    """Whether its environment was retained for inspection."""
    verdict: Column[str | None] = column(default=None)
    """A copy of the run's verdict, in the format of `RunRecord.verdict`."""
    error: Column[str | None] = column(default=None)
    """Why the trial does not count; empty if it counts."""
    input_tokens: Column[int | None] = column(default=None)
    output_tokens: Column[int | None] = column(default=None)
    cost: Column[float | None] = column(default=None)
    messages: Column[str | None] = column(default=None)
    """What the agent logged, as packed JSON."""


class CallRecord(Row, table="calls", key=("environment_id", "number")):
    """One operation that reached a twin, including reads and rejected calls."""

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
    host: Column[str | None] = column(default=None)
    """The vendor's host that the client addressed; None if it used an address of the server."""


class TranscriptRecord(Row, table="transcripts", key=("environment_id", "last")):
    """The requests and responses of the calls from `first` to `last`, compressed."""

    environment_id: Column[str]
    last: Column[int]
    first: Column[int]
    packed: Column[str]


class WebhookRecord(Row, table="webhooks", key=("webhook_id",), indexes=(("environment_id", "created"),)):
    """A webhook subscription in the settings of an environment; rows of a twin may declare further ones."""

    webhook_id: Column[str]
    environment_id: Column[str]
    twin: Column[str]
    url: Column[str]
    events: Column[Json]
    """Names of events; an empty list means all events."""
    secret: Column[str]
    start_seq: Column[int]
    """Only events of journal records after this one are delivered."""
    created: Column[int]
    created_at: Column[Timestamp]


class OutboxRecord(Row, table="outboxes", key=("environment_id",)):
    """The outbox of an environment with subscriptions: events of records up to `seq` have become deliveries."""

    environment_id: Column[str]
    seq: Column[int]
    numbered: Column[int] = column(default=0)
    """The number of the latest delivery."""


class DeliveryRecord(
    Row,
    table="deliveries",
    key=("environment_id", "number"),
    indexes=(("environment_id", "subscription", "status", "number"), ("environment_id", "status", "seq")),
):
    """The delivery of one event to one subscriber.

    `next_at` is the time of the next attempt by the environment's clock, in microseconds since 1970.
    """

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
    """Attempts since it was last queued; `attempts` is the total."""
    attempts: Column[int] = column(default=0)
    failure: Column[str | None] = column(default=None)
    """The failure of the latest attempt; None if it succeeded."""


class AttemptRecord(Row, table="delivery_attempts", key=("environment_id", "number", "attempt")):
    """One delivery attempt; `at` is wall-clock time."""

    environment_id: Column[str]
    number: Column[int]
    attempt: Column[int]
    at: Column[Timestamp]
    milliseconds: Column[float]
    status: Column[int | None] = column(default=None)
    failure: Column[str | None] = column(default=None)
    message: Column[str | None] = column(default=None)
    """The failure as a message for people."""


class TwinRunRecord(
    Row, table="twin_runs", key=("run_id",), indexes=(("environment_id",), ("scenario_id",), ("created",))
):
    """A twin run: an environment and how it was provisioned. A scenario's own environment is a twin run too."""

    run_id: Column[str]
    environment_id: Column[str]
    """Empty until the run is ready."""
    status: Column[str]
    """queued, provisioning, ready, torn_down, cancelled or failed; expiry is recorded by its environment."""
    twins: Column[Json]
    requested: Column[Json]
    """The name used for each twin in the request, by twin."""
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
    """Whether it is the scenario's own environment, which exists until it is deleted."""
    copy_name: Column[str | None] = column(default=None)
    """The name of this copy of the scenario's environment; None for the shared one."""
    ports: Column[bool] = column(default=False)
    updated_at: Column[Timestamp | None] = column(default=None)
    ttl_minutes: Column[int | None] = column(default=None)
    """The lifetime in minutes from when it is ready."""
    error: Column[str | None] = column(default=None)
    """The reason of the failure."""
    heard: Column[int | None] = column(default=None)
    """The last heartbeat of the process that provisions it, in microseconds since 1970."""
    prompt_results: Column[Json | None] = column(default=None)
    """Which parts of its seed prompt were understood, and which were not."""


class ScenarioRecord(Row, table="scenarios", key=("scenario_id",), indexes=(("created",),)):
    """A scenario that can be provisioned: the seed configuration of each twin."""

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
    prompt_results: Column[Json | None] = column(default=None)
    """Which parts of its prompt its seed configuration shows, and which not; None once either was changed."""


class TestRunRecord(
    Row,
    table="test_runs",
    key=("run_id",),
    indexes=(("created",), ("status", "created"), ("repo", "created"), ("test_id", "created")),
):
    """A long-running job that is queued, watched and cancelled, such as a test in a browser."""

    __test__ = False

    run_id: Column[str]
    kind: Column[str]
    """test or url for a test in a browser; other kinds have their own workers."""
    status: Column[str]
    """queued or running; then completed, failed or cancelled, which are final."""
    asked: Column[Json]
    """The parameters of the request, by their names on the wire."""
    owner: Column[str]
    """The server process that runs it."""
    heard: Column[int]
    """The last heartbeat of that process, in microseconds since 1970."""
    created: Column[int]
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp]
    view_token: Column[str] = column(default="")
    """The token that opens the page of the run if the server requires a key."""
    secrets: Column[Json] = column(default={})
    """Values available to steps, which no response contains."""
    start_url: Column[str | None] = column(default=None)
    prompt: Column[str | None] = column(default=None)
    test_config: Column[Json | None] = column(default=None)
    outcome: Column[Json] = column(default={})
    """The result, with the keys failure_category, failure_detail, passed, failed, total, checks, diff."""
    repo: Column[str | None] = column(default=None)
    test_id: Column[str | None] = column(default=None)
    twin_run_id: Column[str | None] = column(default=None)
    sandbox_id: Column[str | None] = column(default=None)
    session_id: Column[str | None] = column(default=None)
    source_run_id: Column[str | None] = column(default=None)
    """The run that it repeats or belongs to."""
    events: Column[int] = column(default=0)
    """The number of its events."""
    finished_at: Column[Timestamp | None] = column(default=None)


class TestRunEventRecord(Row, table="test_run_events", key=("run_id", "number")):
    """An event of a run; a step is an event of type `step`."""

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
    """A saved browser test, perhaps with checks of the changes in its twins."""

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
    """Patterns of the files whose change triggers it."""
    twins: Column[Json] = column(default=[])
    checks: Column[Json | None] = column(default=None)
    run_id: Column[str | None] = column(default=None)
    """The run that it was created from."""


class CheckSettingRecord(Row, table="check_settings", key=("repo", "trigger_mode")):
    """When and how pull requests of a repository are checked."""

    repo: Column[str]
    trigger_mode: Column[str]
    branch: Column[str | None] = column(default=None)
    enabled: Column[bool] = column(default=False)
    comment_on_pr: Column[bool] = column(default=True)
    environment_id: Column[str | None] = column(default=None)
    """The environment whose GitHub twin hosts the repository."""
    hook_id: Column[int | None] = column(default=None)
    """The webhook of the twin that starts runs."""
    hook_secret: Column[str | None] = column(default=None)
    installation_id: Column[int | None] = column(default=None)
    default_branch: Column[str | None] = column(default=None)


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
