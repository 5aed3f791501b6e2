"""Metadata instances on files and folders.

https://developer.box.com/guides/metadata/instances
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from twindiff.kit import Body, Call, Operations

from ..core.access import ROOT, find_file, find_folder
from ..core.errors import (
    Forbidden,
    InstanceNotFound,
    InstanceTupleNotFound,
    MetadataBadRequest,
    MethodNotAllowed,
    SchemaValidationFailed,
    TupleAlreadyExists,
)
from ..core.preserved_versions import reschedule_disposition
from ..event_delivery.event_emission import emit_item_event
from ..tables.further_tables import MetadataInstance, MetadataTemplate
from ..tables.item_tables import Item
from ..views.item_views import instance_object
from ..wire_style import require_json_patch
from .metadata_templates import SKILL_CARDS, find_template, full_scope
from .template_edits import operations_in

api = Operations(prefix="/2.0")
Shown = dict[str, Any]
Values = Annotated[dict[str, Any], Body]


def _item(call: Call, kind: str, item_id: str, *needed: Any) -> Item:
    if kind == "folder" and item_id == ROOT:
        raise MethodNotAllowed("The root folder has no metadata.")
    return find_file(call, item_id, *needed) if kind == "file" else find_folder(call, item_id, *needed)


def _instances(call: Call, item: Item) -> list[MetadataInstance]:
    here = (MetadataInstance.item_id == item.id, MetadataInstance.item_type == item.type)
    return call.db.rows(MetadataInstance, *here)


def _instance(call: Call, item: Item, scope: str, key: str) -> MetadataInstance:
    instance = call.db.find(
        MetadataInstance,
        MetadataInstance.item_id == item.id,
        MetadataInstance.item_type == item.type,
        MetadataInstance.scope == full_scope(call, scope),
        MetadataInstance.template_key == key,
    )
    if instance is None:
        raise InstanceNotFound
    return instance


def check_values(template: MetadataTemplate, data: Shown) -> Shown:
    """Return values that fit a template; raise SchemaValidationFailed with the reason if they do not."""
    if template.template_key == "properties" and template.scope == "global":
        for key, value in data.items():
            if not isinstance(value, str):
                raise SchemaValidationFailed(f"{key}: the values of global.properties are texts")
        return data
    if template is SKILL_CARDS:
        if not isinstance(data.get("cards"), list):
            raise SchemaValidationFailed("cards: the value is a list of skill cards")
        return data
    fields = {field["key"]: field for field in template.fields}
    for key, value in data.items():
        if key not in fields:
            raise SchemaValidationFailed(f"{template.template_key}: there is no field '{key}'")
        problem = _problem(fields[key], value)
        if problem:
            raise SchemaValidationFailed(f"{key}: {problem}")
    return data


def _problem(field: Shown, value: Any) -> str | None:
    """Return what is wrong with the value of a field, or None."""
    kind, options = field["type"], [each["key"] for each in field.get("options", [])]
    fits = {
        "string": lambda: isinstance(value, str),
        "float": lambda: isinstance(value, int | float) and not isinstance(value, bool),
        "integer": lambda: isinstance(value, int) and not isinstance(value, bool),
        "date": lambda: isinstance(value, str) and _is_instant(value),
        "enum": lambda: value in options,
        "multiSelect": lambda: isinstance(value, list) and all(each in options for each in value),  # pyright: ignore[reportUnknownVariableType]
    }
    return None if fits.get(kind, lambda: True)() else f"'{str(value)[:100]}' is no value of a field of type {kind}"


def _is_instant(text: str) -> bool:
    try:
        return "T" in text and bool(datetime.fromisoformat(text))
    except ValueError:
        return False


def _list(call: Call, item: Item) -> Shown:
    return {"entries": [instance_object(each) for each in _instances(call, item)], "limit": 100}


def _create(call: Call, item: Item, scope: str, key: str, data: Shown) -> Shown:
    template = find_template(call, scope, key)
    if template is None:
        raise InstanceTupleNotFound(f"There is no template '{key}' in the scope '{scope}'")
    here = [(each.scope, each.template_key) for each in _instances(call, item)]
    if (template.scope, template.template_key) in here:
        raise TupleAlreadyExists
    made = MetadataInstance(
        id=call.ids.uuid(),
        item_id=item.id,
        item_type=item.type,
        scope=template.scope,
        template_key=template.template_key,
        data=check_values(template, data),
        applied_at=call.clock.iso(),
    )
    call.db.add(made)
    reschedule_disposition(call, "metadata_template")
    emit_item_event(call, "METADATA_INSTANCE_CREATE", item, "METADATA_INSTANCE.CREATED")
    return instance_object(made)


def _update(call: Call, item: Item, scope: str, key: str, body: bytes) -> Shown:
    instance, template = _instance(call, item, scope, key), find_template(call, scope, key)
    data = dict(instance.data)
    for operation in operations_in(body):
        data = patch_values(data, operation)
    if template is not None:
        check_values(template, data)
    now = call.db.change(instance, data=data, version=instance.version + 1)
    reschedule_disposition(call, "metadata_template")
    emit_item_event(call, "METADATA_INSTANCE_UPDATE", item, "METADATA_INSTANCE.UPDATED")
    return instance_object(now)


def patch_values(data: Shown, operation: Shown) -> Shown:
    """Return the values after one JSON Patch operation (RFC 6902); raise MetadataBadRequest if it cannot be applied."""
    verb, key = operation.get("op"), _key_in(operation.get("path"))
    outer, _, place = key.rpartition("/")
    if isinstance(data.get(outer), list):
        return {**data, outer: _patched_list(data[outer], place, operation)}
    if verb not in ("add", "replace", "remove", "test", "move", "copy"):
        raise MetadataBadRequest(f"'{verb}' is no operation")
    if verb in ("replace", "remove", "test") and key not in data:
        raise MetadataBadRequest(f"There is no value at '/{key}'")
    if verb in ("add", "replace", "test") and "value" not in operation:
        raise MetadataBadRequest(f"'{verb}' needs a value")
    if verb == "test":
        if data[key] != operation["value"]:
            raise MetadataBadRequest(f"The value at '/{key}' is another one")
        return data
    if verb in ("move", "copy"):
        source = _key_in(operation.get("from"))
        if source not in data:
            raise MetadataBadRequest(f"There is no value at '/{source}'")
        kept = {name: value for name, value in data.items() if verb == "copy" or name != source}
        return {**kept, key: data[source]}
    if verb == "remove":
        return {name: value for name, value in data.items() if name != key}
    return {**data, key: operation["value"]}


def _patched_list(values: list[Any], place: str, operation: Shown) -> list[Any]:
    """Return a list after an element was added, replaced or removed at an index, such as the card at `/cards/0`."""
    verb, end = operation.get("op"), len(values)
    at = end if place == "-" and verb == "add" else int(place) if place.isdecimal() and len(place) < 9 else end + 1
    if verb not in ("add", "replace", "remove") or at > end or (verb != "add" and at == end):
        raise MetadataBadRequest(f"There is nothing to {verb} at '{operation.get('path')}'")
    if verb != "remove" and "value" not in operation:
        raise MetadataBadRequest(f"'{verb}' needs a value")
    put = [] if verb == "remove" else [operation["value"]]
    return [*values[:at], *put, *values[at + (verb != "add") :]]


def _key_in(path: Any) -> str:
    if not isinstance(path, str) or not path.startswith("/") or len(path) < 2:
        raise MetadataBadRequest(f"'{path}' is no path to a value; it begins with a slash")
    return path[1:].replace("~1", "/").replace("~0", "~")


def _delete(call: Call, item: Item, scope: str, key: str) -> None:
    call.db.remove(_instance(call, item, scope, key))
    reschedule_disposition(call, "metadata_template")
    emit_item_event(call, "METADATA_INSTANCE_DELETE", item, "METADATA_INSTANCE.DELETED")


@api.get("/files/{file_id}/metadata")
def list_of_file(call: Call, file_id: str) -> Shown:
    """List the instances on a file.

    https://developer.box.com/reference/get-files-id-metadata
    """
    return _list(call, _item(call, "file", file_id))


@api.get("/folders/{folder_id}/metadata")
def list_of_folder(call: Call, folder_id: str) -> Shown:
    """List the instances on a folder.

    https://developer.box.com/reference/get-folders-id-metadata
    """
    if folder_id == ROOT:
        raise Forbidden("The root folder has no metadata.")
    return _list(call, _item(call, "folder", folder_id))


@api.get("/files/{file_id}/metadata/{scope}/{template_key}")
def get_of_file(call: Call, file_id: str, scope: str, template_key: str) -> Shown:
    """Get an instance on a file.

    https://developer.box.com/reference/get-files-id-metadata-id-id
    """
    return instance_object(_instance(call, _item(call, "file", file_id), scope, template_key))


@api.get("/folders/{folder_id}/metadata/{scope}/{template_key}")
def get_of_folder(call: Call, folder_id: str, scope: str, template_key: str) -> Shown:
    """Get an instance on a folder.

    https://developer.box.com/reference/get-folders-id-metadata-id-id
    """
    return instance_object(_instance(call, _item(call, "folder", folder_id), scope, template_key))


@api.post("/files/{file_id}/metadata/{scope}/{template_key}", status=201)
def create_on_file(call: Call, data: Values, file_id: str, scope: str, template_key: str) -> Shown:
    """Apply a template to a file, with values.

    https://developer.box.com/reference/post-files-id-metadata-id-id
    """
    return _create(call, _item(call, "file", file_id, "edit_metadata"), scope, template_key, data)


@api.post("/folders/{folder_id}/metadata/{scope}/{template_key}", status=201)
def create_on_folder(call: Call, data: Values, folder_id: str, scope: str, template_key: str) -> Shown:
    """Apply a template to a folder, with values.

    https://developer.box.com/reference/post-folders-id-metadata-id-id
    """
    return _create(call, _item(call, "folder", folder_id, "edit_metadata"), scope, template_key, data)


@api.put("/files/{file_id}/metadata/{scope}/{template_key}", layers=(require_json_patch,))
def update_on_file(call: Call, patch: Annotated[bytes, Body], file_id: str, scope: str, template_key: str) -> Shown:
    """Apply a JSON Patch to the values of an instance, all operations or none.

    https://developer.box.com/reference/put-files-id-metadata-id-id
    """
    return _update(call, _item(call, "file", file_id, "edit_metadata"), scope, template_key, patch)


@api.put("/folders/{folder_id}/metadata/{scope}/{template_key}", layers=(require_json_patch,))
def update_on_folder(call: Call, patch: Annotated[bytes, Body], folder_id: str, scope: str, template_key: str) -> Shown:
    """Apply a JSON Patch to the values of an instance, all operations or none.

    https://developer.box.com/reference/put-folders-id-metadata-id-id
    """
    return _update(call, _item(call, "folder", folder_id, "edit_metadata"), scope, template_key, patch)


@api.delete("/files/{file_id}/metadata/{scope}/{template_key}", status=204)
def delete_from_file(call: Call, file_id: str, scope: str, template_key: str) -> None:
    """Delete an instance from a file.

    https://developer.box.com/reference/delete-files-id-metadata-id-id
    """
    _delete(call, _item(call, "file", file_id, "edit_metadata"), scope, template_key)


@api.delete("/folders/{folder_id}/metadata/{scope}/{template_key}", status=204)
def delete_from_folder(call: Call, folder_id: str, scope: str, template_key: str) -> None:
    """Delete an instance from a folder.

    https://developer.box.com/reference/delete-folders-id-metadata-id-id
    """
    _delete(call, _item(call, "folder", folder_id, "edit_metadata"), scope, template_key)
