"""Sandboxes: environments with exactly one twin, whichever API created them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, cast

from twindiff.catalog import CallRecord, EnvironmentRecord, TemplateRecord
from twindiff.catalog.stamps import wall
from twindiff.environments.environments import EnvironmentNotFound, EnvironmentRequest, InvalidEnvironmentId
from twindiff.environments.registry import UnknownTwin, did_you_mean
from twindiff.environments.templates import UnknownTemplate
from twindiff.kit.errors import ApiError
from twindiff.kit.rows import Expression, all_of, any_of, exists, not_
from twindiff.kit.twin import Twin
from twindiff.server.apis.sandboxes.histories import Histories
from twindiff.server.apis.sandboxes.seeding import seed_scenario
from twindiff.server.default_templates import default_template, empty_template
from twindiff.server.service import Service

Status = Literal["ready", "active", "expired"]

NOBODY = "agent"
"""The acting user where a twin has no users."""
FIRST = 1
"""The number of an environment's first call in the call log."""


class SandboxNotFound(ApiError):
    """There is no such sandbox."""

    status = 404


class UnknownApi(ApiError):
    """No twin of that name is installed."""


class UnknownScenario(ApiError):
    """The twin has no such scenario."""


class SandboxState(NamedTuple):
    """A sandbox's environment, its scenario's name, and whether a call has reached it."""

    record: EnvironmentRecord
    scenario: str
    called: bool

    @property
    def status(self) -> Status:
        if self.record.status != "ready" or self.record.expires <= wall():
            return "expired"
        return "active" if self.called else "ready"


class Sandboxes:
    """The sandboxes of a server."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.histories = Histories(service)
        self._catalog = service.whole_catalog

    def twin(self, api: str) -> Twin:
        """Find a twin by name or alias; raises UnknownApi, which suggests the nearest name."""
        registry = self.service.registry
        try:
            return registry.get(api)
        except UnknownTwin:
            near = did_you_mean(api, registry.by_alias)
            raise UnknownApi(f"Unknown api '{api}'. There are: {', '.join(registry.names)}.{near}") from None

    async def create(
        self, twin: Twin, scenario: str | None, seed_data: dict[str, Any] | None, ttl_seconds: int
    ) -> SandboxState:
        """Create a sandbox that acts as its first user; raises UnknownScenario, InvalidSeed."""
        if scenario is not None:
            template = self._find_scenario(twin, scenario)
        else:
            template = self._default(twin) if seed_data is None else empty_template(self.service, twin)
        if seed_data is not None:
            template = await seed_scenario(self.service, template, seed_data)
        environments = self.service.environments
        user = environments.actors.first([template]) or NOBODY
        made = environments.create(EnvironmentRequest([template], user_id=user, ttl_seconds=ttl_seconds))
        return SandboxState(made.environment, template.name, called=False)

    def _find_scenario(self, twin: Twin, name: str) -> TemplateRecord:
        try:
            return self.service.templates.find_named(twin.name, name)
        except UnknownTemplate as error:
            raise UnknownScenario(f"unknown scenario: {str(error).removeprefix('template not found: ')}") from None

    def _default(self, twin: Twin) -> TemplateRecord:
        template = default_template(self.service, twin)
        if template is None:
            raise UnknownScenario(f"{twin.name} has no scenario; give seed_data, or import a template")
        return template

    def find(self, sandbox_id: str) -> EnvironmentRecord:
        """Find the environment of a sandbox; raises SandboxNotFound."""
        try:
            record = self.service.environments.record(sandbox_id)
        except (InvalidEnvironmentId, EnvironmentNotFound):
            raise SandboxNotFound(f"There is no sandbox '{sandbox_id[:100]}'") from None
        if record.status == "deleted":
            raise SandboxNotFound(f"The sandbox '{record.environment_id}' has been deleted")
        if len(record.templates) > 1:
            have = ", ".join(record.templates)
            raise SandboxNotFound(
                f"The environment '{record.environment_id}' has the twins {have}; a sandbox is an environment of one"
            )
        return record

    def list(
        self, *, status: Status | None, twin: Twin | None, limit: int, offset: int
    ) -> tuple[list[EnvironmentRecord], int]:
        """A page of sandboxes, newest first, and the number of all that match."""
        self.service.calls.log.flush()
        names = self.service.registry.names
        where = (_of_one([twin.name] if twin else names, names), *_standing(status))
        page = self._catalog.newest(EnvironmentRecord, *where, limit=limit, offset=offset)
        return page, self._catalog.count(EnvironmentRecord, *where)

    def load_states(self, records: Sequence[EnvironmentRecord]) -> list[SandboxState]:
        """Load the sandbox state of each environment, in two queries."""
        self.service.calls.log.flush()
        scenarios = self._catalog.rows(
            TemplateRecord,
            TemplateRecord.template_id.in_({_template_id(record) for record in records}),
            columns=(TemplateRecord.template_id, TemplateRecord.name),
        )
        called = self._catalog.rows(
            CallRecord,
            CallRecord.environment_id.in_([record.environment_id for record in records]),
            CallRecord.number == FIRST,
            columns=(CallRecord.environment_id,),
        )
        names = dict(cast(list[tuple[str, str]], scenarios))
        return [
            SandboxState(record, names[_template_id(record)], (record.environment_id,) in called) for record in records
        ]


def _template_id(record: EnvironmentRecord) -> str:
    return record.templates[record.service]


def _of_one(wanted: list[str], installed: list[str]) -> Expression:
    """Match environments with one of the wanted twins and no other."""
    templates = EnvironmentRecord.templates
    return any_of(
        *(
            all_of(
                EnvironmentRecord.service == name,
                *(templates.json(other).is_null() for other in installed if other != name),
            )
            for name in wanted
        )
    )


def _standing(status: Status | None) -> tuple[Expression, ...]:
    """Match sandboxes by status; None matches all that are not deleted."""
    lasts = EnvironmentRecord.status == "ready"
    now = wall()
    if status is None:
        return (EnvironmentRecord.status.in_(("ready", "expired")),)
    if status == "expired":
        return (any_of(EnvironmentRecord.status == "expired", all_of(lasts, EnvironmentRecord.expires <= now)),)
    mine = CallRecord.environment_id == EnvironmentRecord.environment_id
    called = exists(CallRecord, mine, CallRecord.number == FIRST)
    return lasts, EnvironmentRecord.expires > now, called if status == "active" else not_(called)
