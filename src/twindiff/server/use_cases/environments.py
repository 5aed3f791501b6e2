"""Environments: create them from templates or for a test, read their journals, delete them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from twindiff.catalog import TemplateRecord, TestRecord
from twindiff.environments.actors import NOBODY
from twindiff.environments.clocks import ClockRequest
from twindiff.environments.environments import DEFAULT_TTL_SECONDS, CreatedEnvironment, EnvironmentRequest
from twindiff.environments.interval_reading import interval
from twindiff.environments.templates import TemplateNotFound, UnknownTemplate
from twindiff.kit.errors import ApiError
from twindiff.server.service import Service
from twindiff.storage import NotServed
from twindiff.storage.journal import JournalRecord
from twindiff.suites.suites import TestNotFound, clock_of, templates_of


class TemplateNotGiven(ApiError):
    """one of templateId, (templateService+templateName), templateSchema, templates, or testId must be provided"""


class UserNotGiven(ApiError):
    """impersonateUserId or impersonateEmail must be provided when initializing without a testId"""


class UnknownTest(ApiError):
    """test not found"""

    code = "test_not_found"


class TemplateSchemaNotRegistered(ApiError):
    """template schema not registered"""


class EnvironmentSource(NamedTuple):
    """What an environment starts from; the first alternative that is given counts."""

    test_id: str | None = None
    template_id: str | None = None
    twin: str | None = None
    name: str | None = None
    """The name of a template of `twin`."""
    schema: str | None = None
    """The location of a template."""
    several: list[str] | None = None
    """Several templates, each as `service:name`."""


class ActorSelection(NamedTuple):
    """The acting user: an id, an email address, or either of them by twin; defaults to the test's user."""

    user_id: str | None = None
    email: str | None = None
    users: dict[str, str] | None = None


def create_environment(
    service: Service,
    start: EnvironmentSource,
    acting: ActorSelection,
    *,
    ttl_seconds: int | None = None,
    clock: ClockRequest | None = None,
    auth: str = "lenient",
    tokens: dict[str, str] | None = None,
    name: str | None = None,
) -> tuple[CreatedEnvironment, list[TemplateRecord]]:
    """Create an environment, and return it with its templates; raises TemplateNotGiven, UserNotGiven, UnknownTest, ….
    The clock defaults to the test's, or else the templates'.
    """
    test = _test(service, start.test_id)
    how = clock or (clock_of(test) if test else None)
    templates = _templates(service, test, start)
    who = _actor(service, test, acting, templates)
    made = service.environments.create(
        EnvironmentRequest(
            templates=templates,
            user_id=who.user_id,
            email=who.email,
            users=who.users,
            ttl_seconds=ttl_seconds or DEFAULT_TTL_SECONDS,
            clock=how.to_clock_mode() if how else None,
            auth=auth,
            tokens=tokens,
            name=name,
        )
    )
    return made, templates


def _actor(
    service: Service, test: TestRecord | None, acting: ActorSelection, templates: Sequence[TemplateRecord]
) -> ActorSelection:
    """The acting user; raises UserNotGiven if neither the request nor a test names one of those that there are."""
    if acting.user_id or acting.email or acting.users:
        return acting
    if test is None and service.environments.actors.first(templates):
        raise UserNotGiven
    if test is None:
        return ActorSelection(NOBODY)
    return ActorSelection(test.impersonate_user_id, test.impersonate_email, test.users)


def _test(service: Service, test_id: str | None) -> TestRecord | None:
    try:
        return service.suites.test(test_id) if test_id else None
    except TestNotFound as error:
        raise UnknownTest(str(error)) from None


def _templates(service: Service, test: TestRecord | None, start: EnvironmentSource) -> list[TemplateRecord]:
    known = service.templates
    location = start.schema
    if test:
        return [_find_template_at(service, each) for each in ([location] if location else templates_of(test))]
    if start.template_id:
        return [_with_id(service, start.template_id)]
    if start.twin and start.name:
        return [known.find_named(start.twin, start.name)]
    if start.several:
        return [known.meant(each) for each in start.several]
    if location:
        return [_find_template_at(service, location)]
    raise TemplateNotGiven


def _find_template_at(service: Service, location: str) -> TemplateRecord:
    template = service.templates.find_at(location)
    if template is None:
        raise TemplateSchemaNotRegistered(f"template schema not registered: '{location}'")
    return template


def _with_id(service: Service, template_id: str) -> TemplateRecord:
    try:
        return service.templates.get(template_id)
    except TemplateNotFound as error:
        raise UnknownTemplate(f"{error}: '{template_id}'") from None


async def delete_environment(service: Service, env_id: str) -> None:
    """Delete an environment; results of its runs stay readable."""
    record = service.environments.delete(env_id)
    service.ports.close(record.environment_id)
    service.call_log.ended.add(record.environment_id)
    with suppress(NotServed):  # it is deleted; the rest is retried later
        for _ in service.call_log.forget_ended():
            await service.runtime.yield_to_loop()


async def read_journal(service: Service, env_id: str, after: int, limit: int) -> list[JournalRecord]:
    """List the writing operations in order, with full rows before and after."""
    env = service.environments.record(env_id).environment_id
    await service.loader.run_due_work(env)
    last = min(after + limit, service.engine.seq(env))
    return await service.runtime.run_steps(interval(service.engine, env, after, last))
