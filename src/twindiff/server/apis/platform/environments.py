"""Operations for environments: create, read, reset and delete them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from twindiff.catalog import EnvironmentRecord, RunRecord, TemplateRecord
from twindiff.catalog.stamps import stamp
from twindiff.environments.clocks import ClockRequest
from twindiff.kit.clock import SECOND, Clock
from twindiff.kit.http import Response, json_answer
from twindiff.kit.twin import Operations
from twindiff.server.parameters import MAX_TTL_SECONDS, After, Limit
from twindiff.server.service import Service
from twindiff.server.use_cases import environments as use_cases
from twindiff.storage.journal import JournalRecord

api = Operations()


class EnvironmentMade(msgspec.Struct, rename="camel"):
    """`agentToken` opens this environment's services and nothing else."""

    environment_id: str
    template_schema: str
    schema_name: str
    service: str
    environment_url: str
    expires_at: str
    agent_token: str
    environment_urls: dict[str, str]


class EnvironmentStatus(msgspec.Struct, rename="camel"):
    environment_id: str
    status: str


class EnvironmentShown(msgspec.Struct, rename="camel"):
    environment_id: str
    name: str | None
    status: str
    service: str
    templates: dict[str, str]
    environment_url: str
    created_at: str
    expires_at: str
    seq: int


class EnvironmentList(msgspec.Struct):
    environments: list[EnvironmentShown]


class EnvironmentReset(msgspec.Struct, rename="camel"):
    environment_id: str
    seq: int


class ChangeShown(msgspec.Struct):
    """A row that was inserted (`before` is null), deleted (`after` is null) or updated."""

    table: str
    key: tuple[Any, ...]
    before: dict[str, Any] | None
    after: dict[str, Any] | None


class EventShown(msgspec.Struct):
    """An event that an operation emitted to subscribers, with the vendor's name for it."""

    name: str
    payload: dict[str, Any]


class OperationRecord(msgspec.Struct, omit_defaults=True):
    """A writing operation; `at` is the environment's time, `to` the seq that a reset or rewind returned to."""

    seq: int
    twin: str
    operation: str
    actor: str
    at: str
    changes: list[ChangeShown]
    to: int | None = None
    events: list[EventShown] = []


class JournalPage(msgspec.Struct):
    records: list[OperationRecord]


class RunBrief(msgspec.Struct, rename="camel"):
    run_id: str
    status: str
    environment_id: str
    created_at: str


class RunBriefs(msgspec.Struct):
    runs: list[RunBrief]


@api.post("/initEnv", status=201)
def init_env(
    service: Service,
    test_id: str | None = None,
    template_id: str | None = None,
    template_service: str | None = None,
    template_name: str | None = None,
    template_schema: str | None = None,
    templates: list[str] | None = None,
    ttl_seconds: Annotated[int, msgspec.Meta(ge=0, le=MAX_TTL_SECONDS)] | None = None,
    impersonate_user_id: str | None = None,
    impersonate_email: str | None = None,
    users: dict[str, str] | None = None,
    clock: ClockRequest | None = None,
    auth: Literal["lenient", "strict"] = "lenient",
    tokens: dict[str, str] | None = None,
    name: str | None = None,
) -> EnvironmentMade:
    """Create an environment from a template, from several (`templates: ["slack:slack_default", …]`), or for a test.
    Without a test, the user to act as is required: `impersonateUserId` or `impersonateEmail`, which is the same person
    in every twin by email address, or `users`, ids or addresses by twin. `tokens` maps further tokens to the users they
    act as. The clock defaults to the test's, or else the real one.
    """
    made, used = use_cases.create_environment(
        service,
        use_cases.EnvironmentSource(test_id, template_id, template_service, template_name, template_schema, templates),
        use_cases.ActorSelection(impersonate_user_id, impersonate_email, users),
        ttl_seconds=ttl_seconds,
        clock=clock,
        auth=auth,
        tokens=tokens,
        name=name,
    )
    return environment_made(made.environment, made.agent_token, used)


def _url(environment_id: str, twin: str) -> str:
    return f"/api/env/{environment_id}/services/{twin}"


def environment_made(record: EnvironmentRecord, token: str, templates: list[TemplateRecord]) -> EnvironmentMade:
    """Render a new environment with its agent token, which no later response has."""
    return EnvironmentMade(
        environment_id=record.environment_id,
        template_schema=templates[0].schema_name,
        schema_name=f"state_{record.environment_id}",
        service=record.service,
        environment_url=_url(record.environment_id, record.service),
        expires_at=Clock(record.expires).iso(),
        agent_token=token,
        environment_urls={each.service: _url(record.environment_id, each.service) for each in templates},
    )


@api.get("/env")
def list_environments(
    service: Service, limit: Limit = 100, status: Literal["ready", "expired", "deleted"] | None = None
) -> EnvironmentList:
    """Environments, newest first."""
    records = service.environments.list(limit=limit, status=status)
    return EnvironmentList([_render_environment(service, record) for record in records])


@api.get("/env/{envId}")
def get_environment(service: Service, env_id: str) -> EnvironmentShown:
    """One environment, whatever its status."""
    return _render_environment(service, service.environments.record(env_id))


def _render_environment(service: Service, record: EnvironmentRecord) -> EnvironmentShown:
    return EnvironmentShown(
        environment_id=record.environment_id,
        name=record.name,
        status=record.status,
        service=record.service,
        templates=record.templates,
        environment_url=_url(record.environment_id, record.service),
        created_at=record.created_at,
        expires_at=Clock(record.expires).iso(),
        seq=service.engine.seq(record.environment_id),
    )


@api.delete("/env/{envId}")
async def delete_environment(service: Service, env_id: str) -> EnvironmentStatus:
    """Delete an environment; results of its runs stay readable."""
    await use_cases.delete_environment(service, env_id)
    return EnvironmentStatus(env_id, "deleted")


class EnvironmentExtended(msgspec.Struct, rename="camel"):
    environment_id: str
    expires_at: str


@api.post("/env/{envId}/extend")
def extend_environment(
    service: Service, env_id: str, ttl_seconds: Annotated[int, msgspec.Meta(ge=1, le=MAX_TTL_SECONDS)]
) -> EnvironmentExtended:
    """Let an environment live for so many seconds from now on, if it would end sooner; a client's lease of it."""
    record = service.environments.record(env_id)
    expires = max(record.expires, stamp().micros + ttl_seconds * SECOND)
    service.environments.extend(record.environment_id, expires)
    return EnvironmentExtended(record.environment_id, Clock(expires).iso())


@api.get("/env/{envId}/journal")
async def journal(service: Service, env_id: str, after: After = 0, limit: Limit = 100) -> JournalPage | Response:
    """Every writing operation, in order, with full rows before and after."""
    records = await use_cases.read_journal(service, env_id, after, limit)

    def compose() -> Response:
        return json_answer(JournalPage([_render_record(each) for each in records]))

    return await service.runtime.compose(records, compose)


def _render_record(record: JournalRecord) -> OperationRecord:
    changes = [ChangeShown(*change) for change in record.changes]
    at = Clock(record.clock).iso()
    events = [EventShown(event.name, event.payload) for event in record.events]
    return OperationRecord(record.seq, record.twin, record.operation, record.actor, at, changes, record.to, events)


@api.get("/env/{envId}/runs")
def environment_runs(service: Service, env_id: str, limit: Limit = 100) -> RunBriefs:
    """Runs of an environment, newest first."""
    return briefs(service.environments.runs(env_id, limit))


def briefs(runs: list[RunRecord]) -> RunBriefs:
    """Render runs without their results."""
    return RunBriefs([RunBrief(run.run_id, run.status, run.environment_id, run.created_at) for run in runs])
