"""Operations for templates: list the initial states, and create new ones from environments."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from twindiff.kit.twin import Operations
from twindiff.server.service import Service
from twindiff.server.use_cases.templates import copy_template

api = Operations()


class TemplateBrief(msgspec.Struct):
    id: str
    service: str
    description: str | None
    name: str
    origin: str


class TemplateList(msgspec.Struct):
    templates: list[TemplateBrief]


class TemplatePerson(msgspec.Struct):
    id: str
    email: str | None


class TemplateShown(msgspec.Struct, rename="camel"):
    """`tables` has the row counts of non-empty tables; `users` are those that an environment can act as."""

    id: str
    service: str
    description: str | None
    name: str
    version: str
    schema_name: str
    origin: str
    hash: str
    tables: dict[str, int]
    users: list[TemplatePerson]


class TemplateMade(msgspec.Struct, rename="camel"):
    template_id: str
    template_name: str
    service: str


@api.get("/templates")
def list_templates(service: Service) -> TemplateList:
    """The newest template of every service and name, newest first."""
    records = service.templates.list()
    return TemplateList([TemplateBrief(t.template_id, t.service, t.description, t.name, t.origin) for t in records])


@api.get("/templates/{templateId}")
def get_template(service: Service, template_id: str) -> TemplateShown:
    """One template; `schemaName` is its location, `hash` identifies its content."""
    t = service.templates.get(template_id)
    twin = service.registry.get(t.service)
    rows = service.engine.template(t.service, t.hash)
    counts = {table.name: rows.count(table.row) for table in twin.tables}
    people = rows.rows(twin.users.table, columns=(twin.users.id, twin.users.email)) if twin.users else []
    return TemplateShown(
        t.template_id,
        t.service,
        t.description,
        t.name,
        t.version,
        t.schema_name,
        t.origin,
        t.hash,
        {name: count for name, count in counts.items() if count},
        [TemplatePerson(id, email) for id, email in people],
    )


@api.post("/templates/from-environment")
async def from_environment(
    platform: Service,
    environment_id: str,
    service: str,
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=200)],
    description: str | None = None,
    visibility: Literal["public", "private"] = "private",
    version: str = "v1",
) -> TemplateMade:
    """Store the current state of one twin of an environment as a template."""
    template = await copy_template(platform, environment_id, service, name, description, version, visibility)
    return TemplateMade(template.template_id, template.name, template.service)
