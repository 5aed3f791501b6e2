"""Metadata templates: the fields of instances and the values they may have.

https://developer.box.com/guides/metadata/templates
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

import msgspec

from twindiff.kit import UNSET, Body, Call, Meta, Operations, Struct, UnsetType
from twindiff.twins.box.wire_style import BadRequest, check_limit, marker_of, marker_page, offset_in, require_json_patch

from ..core.access import acting_user, require_admin
from ..core.errors import (
    AccessDeniedInsufficientPermissions,
    MetadataBadRequest,
    NotFound,
    TemplateAlreadyExists,
)
from ..enterprise.users import ENTERPRISE
from ..event_delivery.event_emission import record
from ..tables.further_tables import MetadataInstance, MetadataTemplate
from .template_edits import apply_operations, key_from, new_option, operations_in

api = Operations(prefix="/2.0")
_KEY = re.compile(r"[a-zA-Z_][-a-zA-Z0-9_]*")
Shown = dict[str, Any]


class FieldOption(Struct):
    """An option of an enum field."""

    key: str
    staticConfig: dict[str, Any] | UnsetType = UNSET  # noqa: N815 - Box's name


class TemplateField(Struct):
    """A field of a template."""

    type: Literal["string", "float", "date", "enum", "multiSelect", "integer"]
    displayName: Annotated[str, Meta(min_length=1, max_length=4096)]  # noqa: N815 - Box's name
    key: Annotated[str, Meta(min_length=1, max_length=256)] | None = None
    """Box requires it in its description, but makes one from the name for its own command line tool, which omits it."""
    description: Annotated[str, Meta(max_length=4096)] | None = None
    hidden: bool = False
    options: list[FieldOption] | None = None


def enterprise_scope(call: Call) -> str:
    """Return the scope of the caller's enterprise: `enterprise_` followed by its id."""
    enterprise: dict[str, Any] = acting_user(call).enterprise or ENTERPRISE
    return f"enterprise_{enterprise['id']}"


def full_scope(call: Call, scope: str) -> str:
    """Return a scope with the enterprise's id; raise MetadataBadRequest if it is not a valid scope."""
    if scope == "enterprise":
        return enterprise_scope(call)
    if scope != "global" and not scope.startswith("enterprise_"):
        raise MetadataBadRequest(f"'{scope}' is no scope; there are 'global' and 'enterprise'")
    return scope


PROPERTIES = MetadataTemplate(
    id="00000000-0000-4000-8000-000000000001",
    scope="global",
    template_key="properties",
    display_name="Custom Metadata",
    copy_instance_on_item_copy=True,
)
"""The template that accepts any text under any key."""

SKILL_CARDS = MetadataTemplate(
    id="00000000-0000-4000-8000-000000000002",
    scope="global",
    template_key="boxSkillsCards",
    display_name="Box Skills Cards",
    hidden=True,
)
"""The template of skill cards: its field `cards` is a list of objects."""

_GLOBAL = {each.template_key: each for each in (PROPERTIES, SKILL_CARDS)}


def find_template(call: Call, scope: str, key: str) -> MetadataTemplate | None:
    """Return a template by scope and key, both compared without case, or None."""
    if scope == "global" and key in _GLOBAL:
        return _GLOBAL[key]
    where = (MetadataTemplate.scope == full_scope(call, scope), MetadataTemplate.template_key == key)
    return call.db.find(MetadataTemplate, *where)


def template_object(template: MetadataTemplate) -> Shown:
    """Render a template with its fields."""
    return {
        "id": template.id,
        "type": "metadata_template",
        "templateKey": template.template_key,
        "scope": template.scope,
        "displayName": template.display_name or template.template_key,
        "hidden": bool(template.hidden),
        "copyInstanceOnItemCopy": bool(template.copy_instance_on_item_copy),
        "fields": template.fields,
    }


def _page(call: Call, scope: str, marker: str, limit: int) -> Shown:
    start, end = offset_in(marker), offset_in(marker) + check_limit(limit) + 1
    own = call.db.rows(
        MetadataTemplate, MetadataTemplate.scope == scope, order=MetadataTemplate.template_key, limit=end
    )
    rows = [*(_GLOBAL.values() if scope == "global" else ()), *own][start:end]
    more = marker_of(start + limit) if len(rows) > limit else None
    return marker_page([template_object(row) for row in rows[:limit]], limit, more)


@api.get("/metadata_templates/enterprise")
def list_enterprise(call: Call, marker: str = "", limit: int = 100) -> Shown:
    """List the templates of the enterprise.

    https://developer.box.com/reference/get-metadata-templates-enterprise
    """
    return _page(call, enterprise_scope(call), marker, limit)


@api.get("/metadata_templates/global")
def list_global(call: Call, marker: str = "", limit: int = 100) -> Shown:
    """List the global templates, which all enterprises have.

    https://developer.box.com/reference/get-metadata-templates-global
    """
    return _page(call, "global", marker, limit)


@api.get("/metadata_templates")
def find_by_instance(call: Call, metadata_instance_id: str, marker: str = "", limit: int = 100) -> Shown:
    """Find the template of an instance.

    https://developer.box.com/reference/get-metadata-templates
    """
    check_limit(limit)
    instance = call.db.find(MetadataInstance, MetadataInstance.id == metadata_instance_id)
    template = find_template(call, instance.scope, instance.template_key) if instance else None
    return marker_page([template_object(template)] if template else [], limit, None)


@api.get("/metadata_templates/{scope}/{template_key}/schema")
def get_template(call: Call, scope: str, template_key: str) -> Shown:
    """Get a template by its scope and key.

    https://developer.box.com/reference/get-metadata-templates-id-id-schema
    """
    return template_object(_existing(call, scope, template_key))


def _existing(call: Call, scope: str, key: str) -> MetadataTemplate:
    template = find_template(call, scope, key)
    if template is None:
        raise NotFound.of("metadata_template", f"{scope}.{key}")
    return template


@api.get("/metadata_templates/{template_id}")
def get_by_id(call: Call, template_id: str) -> Shown:
    """Get a template by its id.

    https://developer.box.com/reference/get-metadata-templates-id
    """
    template = call.db.find(MetadataTemplate, MetadataTemplate.id == template_id)
    if template is None:
        raise NotFound.of("metadata_template", template_id)
    return template_object(template)


@api.post("/metadata_templates/schema", status=201)
def create_template(
    call: Call,
    scope: str,
    displayName: Annotated[str, Meta(min_length=1, max_length=4096)],  # noqa: N803 - Box's name
    templateKey: Annotated[str, Meta(max_length=64)] | None = None,  # noqa: N803 - Box's name
    hidden: bool = False,
    fields: list[TemplateField] | None = None,
    copyInstanceOnItemCopy: bool = False,  # noqa: N803 - Box's name
) -> Shown:
    """Create a template.

    https://developer.box.com/reference/post-metadata-templates-schema
    """
    require_admin(call)
    if scope == "global":
        raise AccessDeniedInsufficientPermissions
    key = key_from(displayName, "template") if templateKey is None else templateKey
    if not _KEY.fullmatch(key):
        raise BadRequest.of("invalid_parameter", "templateKey", f"Invalid value '{key}'.")
    if find_template(call, scope, key):
        raise TemplateAlreadyExists(f"There is a template '{key}' already")
    made = MetadataTemplate(
        id=call.ids.uuid(),
        scope=full_scope(call, scope),
        template_key=key,
        display_name=displayName,
        hidden=hidden,
        copy_instance_on_item_copy=copyInstanceOnItemCopy,
        fields=_fields(call, fields or []),
    )
    call.db.add(made)
    record(call, "METADATA_TEMPLATE_CREATE", template_object(made), owner=call.actor)
    return template_object(made)


def _fields(call: Call, fields: list[TemplateField]) -> list[Shown]:
    keys = [field.key for field in fields if field.key]
    for key in keys:
        if keys.count(key) > 1:
            raise BadRequest.of("invalid_parameter", "fields", f"Two fields have the key '{key}'.")
    for field in fields:
        if not field.key:
            field.key = key_from(field.displayName, "field", keys)
            keys.append(field.key)
    return [_field(call, field) for field in fields]


def _field(call: Call, field: TemplateField) -> Shown:
    shown: Shown = {"id": call.ids.uuid(), "type": field.type, "key": field.key, "displayName": field.displayName}
    shown["hidden"] = field.hidden
    if field.description:
        shown["description"] = field.description
    if field.type in ("enum", "multiSelect"):
        if field.options is None:
            raise BadRequest.of("missing_parameter", "options", f"The field '{field.key}' needs options.")
        shown["options"] = [new_option(call, msgspec.to_builtins(option)) for option in field.options]
    return shown


@api.put("/metadata_templates/{scope}/{template_key}/schema", layers=(require_json_patch,))
def update_template(call: Call, scope: str, template_key: str, operations: Annotated[bytes, Body]) -> Shown:
    """Apply a list of operations, such as `addField`, `editTemplate` or `addEnumOption`, to a template.

    https://developer.box.com/reference/put-metadata-templates-id-id-schema
    """
    require_admin(call)
    template = _existing(call, scope, template_key)
    changes = apply_operations(call, template, operations_in(operations))
    now = call.db.change(template, **changes) if changes else template
    record(call, "METADATA_TEMPLATE_UPDATE", template_object(now), owner=call.actor)
    return template_object(now)


@api.delete("/metadata_templates/{scope}/{template_key}/schema", status=204)
def delete_template(call: Call, scope: str, template_key: str) -> None:
    """Delete a template and all of its instances.

    https://developer.box.com/reference/delete-metadata-templates-id-id-schema
    """
    require_admin(call)
    template = _existing(call, scope, template_key)
    if template.scope == "global":
        raise AccessDeniedInsufficientPermissions
    of = (MetadataInstance.scope == template.scope, MetadataInstance.template_key == template.template_key)
    for instance in call.db.rows(MetadataInstance, *of):
        call.db.remove(instance)
    call.db.remove(template)
    record(call, "METADATA_TEMPLATE_DELETE", template_object(template), owner=call.actor)
