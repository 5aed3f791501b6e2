"""Environments: make them, look at them, reset and delete them."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any, Literal, TypedDict

import msgspec

from twindiff.catalog import EnvironmentRecord, RunRecord, TemplateRecord, TestRecord
from twindiff.environments.clocks import ClockWanted
from twindiff.environments.environments import DEFAULT_TTL_SECONDS, Wanted
from twindiff.environments.reading import interval
from twindiff.environments.templates import TemplateNotFound, UnknownTemplate
from twindiff.kit.clock import Clock
from twindiff.kit.errors import ApiError
from twindiff.kit.http import Answer, json_answer
from twindiff.kit.twin import Operations
from twindiff.server.service import Service
from twindiff.storage import NotServed
from twindiff.storage.journal import Record
from twindiff.suites.suites import TestNotFound, clock_of

api = Operations()

MOST_SECONDS = 30 * 24 * 3600
Limit = Annotated[int, msgspec.Meta(ge=1, le=1000)]
After = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class TemplateNotGiven(ApiError):
    """one of templateId, (templateService+templateName), templateSchema, templates, or testId must be provided"""


class UserNotGiven(ApiError):
    """impersonateUserId or impersonateEmail must be provided when initializing without a testId"""


class UnknownTest(ApiError):
    """test not found"""

    code = "test_not_found"


class TemplateSchemaNotRegistered(ApiError):
    """template schema not registered"""


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
    """What an operation told those who subscribed of, by the vendor's name for it."""

    name: str
    payload: dict[str, Any]


class JournalRecord(msgspec.Struct, omit_defaults=True):
    """An operation that wrote; `at` is the environment's time, `to` the seq that a reset went back to."""

    seq: int
    twin: str
    operation: str
    actor: str
    at: str
    changes: list[ChangeShown]
    to: int | None = None
    events: list[EventShown] = []


class Journal(msgspec.Struct):
    records: list[JournalRecord]


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
    ttl_seconds: Annotated[int, msgspec.Meta(ge=0, le=MOST_SECONDS)] | None = None,
    impersonate_user_id: str | None = None,
    impersonate_email: str | None = None,
    users: dict[str, str] | None = None,
    clock: ClockWanted | None = None,
    auth: Literal["lenient", "strict"] = "lenient",
    tokens: dict[str, str] | None = None,
    name: str | None = None,
) -> EnvironmentMade:
    """Make an environment of a template, of several (`templates: ["slack:slack_default", …]`), or for a test.

    Without a test someone must be named to act as: by `impersonateUserId` or `impersonateEmail`, which is the same
    person in every twin by email address, or by `users`, ids or addresses by twin. `tokens` are further tokens and the
    users they act as. Unless told otherwise the clock is the test's, or else the real one.
    """
    test = _test(service, test_id)
    how = clock or (clock_of(test) if test else None)
    wanted = _wanted_templates(service, test, template_id, template_service, template_name, template_schema, templates)
    made = service.environments.create(
        Wanted(
            templates=wanted,
            **_acting(test, impersonate_user_id, impersonate_email, users),
            ttl_seconds=ttl_seconds or DEFAULT_TTL_SECONDS,
            clock=how.resolved() if how else None,
            auth=auth,
            tokens=tokens,
            name=name,
        )
    )
    return environment_made(made.environment, made.agent_token, wanted)


class _Acting(TypedDict):
    """Who acts in an environment, as `Wanted` says it."""

    user_id: str | None
    email: str | None
    users: dict[str, str] | None


def _acting(test: TestRecord | None, user: str | None, email: str | None, users: dict[str, str] | None) -> _Acting:
    user = user or (test.impersonate_user_id if test and not email and not users else None)
    if test is None and not user and not email and not users:
        raise UserNotGiven
    return {"user_id": user, "email": email, "users": users}


def _test(service: Service, test_id: str | None) -> TestRecord | None:
    try:
        return service.suites.test(test_id) if test_id else None
    except TestNotFound as error:
        raise UnknownTest(str(error)) from None


def _wanted_templates(
    service: Service,
    test: TestRecord | None,
    template_id: str | None,
    twin: str | None,
    name: str | None,
    schema: str | None,
    several: list[str] | None,
) -> list[TemplateRecord]:
    known = service.templates
    location = schema or (test.seed_template if test else None)
    if test and location:
        return [_located(service, location)]
    if template_id:
        return [_with_id(service, template_id)]
    if twin and name:
        return [known.named(twin, name)]
    if several:
        return [known.named(*_service_and_name(each)) for each in several]
    if location:
        return [_located(service, location)]
    raise TemplateNotGiven


def _located(service: Service, location: str) -> TemplateRecord:
    template = service.templates.located(location)
    if template is None:
        raise TemplateSchemaNotRegistered(f"template schema not registered: '{location}'")
    return template


def _with_id(service: Service, template_id: str) -> TemplateRecord:
    try:
        return service.templates.get(template_id)
    except TemplateNotFound as error:
        raise UnknownTemplate(f"{error}: '{template_id}'") from None


def _service_and_name(text: str) -> tuple[str, str]:
    twin, colon, name = text.partition(":")
    if not colon:
        raise TemplateNotGiven(f"a template is named 'service:name', not '{text}'")
    return twin, name


def _url(environment_id: str, twin: str) -> str:
    return f"/api/env/{environment_id}/services/{twin}"


def environment_made(record: EnvironmentRecord, token: str, templates: list[TemplateRecord]) -> EnvironmentMade:
    """What is said of a new environment, once."""
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
    found = service.environments.list(limit=limit, status=status)
    return EnvironmentList([_shown(service, record) for record in found])


@api.get("/env/{envId}")
def get_environment(service: Service, env_id: str) -> EnvironmentShown:
    """One environment, whatever its status."""
    return _shown(service, service.environments.record(env_id))


def _shown(service: Service, record: EnvironmentRecord) -> EnvironmentShown:
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
    record = service.environments.delete(env_id)
    service.ports.close(record.environment_id)
    service.without_calls.add(record.environment_id)
    with suppress(NotServed):  # it is deleted; the rest is tried again
        for _ in service.forget_calls():
            await service.runtime.yield_to_loop()
    return EnvironmentStatus(env_id, "deleted")


@api.get("/env/{envId}/journal")
async def journal(service: Service, env_id: str, after: After = 0, limit: Limit = 100) -> Journal | Answer:
    """Every operation that wrote, in order, with full rows before and after."""
    env = service.environments.record(env_id).environment_id
    await service.settle(env)
    last = min(after + limit, service.engine.seq(env))
    found = await service.runtime.run_steps(interval(service.engine, env, after, last))

    def compose() -> Answer:
        return json_answer(Journal([_journalled(each) for each in found]))

    return await service.runtime.compose(found, compose)


def _journalled(record: Record) -> JournalRecord:
    changes = [ChangeShown(*change) for change in record.changes]
    at = Clock(record.clock).iso()
    events = [EventShown(*event) for event in record.events]
    return JournalRecord(record.seq, record.twin, record.operation, record.actor, at, changes, record.to, events)


@api.get("/env/{envId}/runs")
def environment_runs(service: Service, env_id: str, limit: Limit = 100) -> RunBriefs:
    """Runs of an environment, newest first."""
    return briefs(service.environments.runs(env_id, limit))


def briefs(runs: list[RunRecord]) -> RunBriefs:
    """Runs without their results."""
    return RunBriefs([RunBrief(run.run_id, run.status, run.environment_id, run.created_at) for run in runs])
