"""Applies lists of operations to metadata templates.

https://developer.box.com/guides/metadata/templates/update
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from itertools import count
from typing import Any, cast

import msgspec

from twindiff.kit import Call
from twindiff.kit.json_values import read_json

from ..core.errors import MetadataBadRequest
from ..tables.further_tables import MetadataTemplate

Shown = dict[str, Any]


def operations_in(body: bytes) -> list[Shown]:
    """Parse the list of operations in a request body; raise MetadataBadRequest if it is not one."""
    try:
        read: Any = read_json(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise MetadataBadRequest("The body is no JSON") from None
    if not isinstance(read, list) or not all(isinstance(each, dict) for each in cast(list[Any], read)):
        raise MetadataBadRequest("The body must be a list of operations")
    return cast(list[Shown], read)


def key_from(display_name: str, default: str, taken: Collection[str] = ()) -> str:
    """Return a key made from a name, such as `dueDate` from `Due date`, with a number if it is among `taken`."""
    words = re.findall(r"[A-Za-z0-9]+", display_name)
    key = "".join([words[0].lower(), *(word.capitalize() for word in words[1:])])[:60] if words else default
    key = f"_{key}" if key[0].isdecimal() else key
    numbered = (f"{key}{number}" for number in count(1))
    return key if key not in taken else next(each for each in numbered if each not in taken)


class _Draft:
    """The working copy of a template while operations are applied to it."""

    def __init__(self, call: Call, template: MetadataTemplate) -> None:
        self.call = call
        self.fields: list[Shown] = [{**each} for each in template.fields]
        self.columns: Shown = {}

    def field(self, key: Any) -> Shown:
        """Return a field by its key; raise MetadataBadRequest if there is none."""
        field = next((each for each in self.fields if each["key"] == key), None)
        if field is None:
            raise MetadataBadRequest(f"The template has no field '{key}'")
        return field

    def option(self, field: Shown, key: Any) -> Shown:
        """Return an option of a field by its key; raise MetadataBadRequest if there is none."""
        option = next((each for each in field.get("options", []) if each["key"] == key), None)
        if option is None:
            raise MetadataBadRequest(f"The field '{field['key']}' has no option '{key}'")
        return option


def _pick_option_fields(data: Shown) -> Shown:
    return {name: data[name] for name in ("key", "staticConfig") if name in data}


def new_option(call: Call, data: Any) -> Shown:
    """Return an option in its stored form. Options of classifications have `staticConfig` besides their key."""
    given: Shown = cast(Shown, data) if isinstance(data, dict) else {}
    if not given.get("key"):
        raise MetadataBadRequest("The option needs a key")
    return {"id": call.ids.uuid(), **_pick_option_fields(given)}


def _data(operation: Shown) -> Shown:
    return operation.get("data") or {}


def _edit_template(draft: _Draft, operation: Shown) -> None:
    names = {"displayName": "display_name", "hidden": "hidden", "copyInstanceOnItemCopy": "copy_instance_on_item_copy"}
    data: Shown = _data(operation)
    draft.columns |= {names[name]: value for name, value in data.items() if name in names}


def _add_field(draft: _Draft, operation: Shown) -> None:
    data: Shown = {"key": operation.get("fieldKey"), **_data(operation)}
    if not (data.get("type") and isinstance(data.get("displayName"), str) and data["displayName"]):
        raise MetadataBadRequest("addField needs data with type and displayName")
    if not data.get("key"):
        data["key"] = key_from(data["displayName"], "field", [each["key"] for each in draft.fields])
    if any(each["key"] == data["key"] for each in draft.fields):
        raise MetadataBadRequest(f"The template has a field '{data['key']}' already")
    given: Any = data.get("options") or []
    if not isinstance(given, list):
        raise MetadataBadRequest("The options are a list")
    options = [new_option(draft.call, each) for each in cast(list[Any], given)]
    made = {"id": draft.call.ids.uuid(), "hidden": False, **data}
    draft.fields.append({**made, "options": options} if options else made)


def _edit_field(draft: _Draft, operation: Shown) -> None:
    field, data = draft.field(operation.get("fieldKey")), _data(operation)
    field |= {name: data[name] for name in ("displayName", "description", "hidden", "key") if name in data}


def _remove_field(draft: _Draft, operation: Shown) -> None:
    draft.fields.remove(draft.field(operation.get("fieldKey")))


def _add_option(draft: _Draft, operation: Shown) -> None:
    field, data = draft.field(operation.get("fieldKey")), _data(operation)
    field["options"] = [*field.get("options", []), new_option(draft.call, data)]


def _edit_option(draft: _Draft, operation: Shown) -> None:
    field = draft.field(operation.get("fieldKey"))
    key = operation.get("enumOptionKey") or operation.get("multiSelectOptionKey")
    option, data = draft.option(field, key), _data(operation)
    known: list[Shown] = field["options"]
    options = [each if each is not option else {**each, **_pick_option_fields(data)} for each in known]
    field["options"] = options


def _remove_option(draft: _Draft, operation: Shown) -> None:
    field = draft.field(operation.get("fieldKey"))
    option = draft.option(field, operation.get("enumOptionKey") or operation.get("multiSelectOptionKey"))
    field["options"] = [each for each in field["options"] if each is not option]


def _reorder_fields(draft: _Draft, operation: Shown) -> None:
    keys: list[Any] = operation.get("fieldKeys") or []
    if sorted(map(str, keys)) != sorted(each["key"] for each in draft.fields):
        raise MetadataBadRequest("fieldKeys must name each field once")
    draft.fields = [draft.field(key) for key in keys]


def _reorder_options(draft: _Draft, operation: Shown) -> None:
    field = draft.field(operation.get("fieldKey"))
    keys: list[Any] = operation.get("enumOptionKeys") or operation.get("multiSelectOptionKeys") or []
    if sorted(map(str, keys)) != sorted(each["key"] for each in field.get("options", [])):
        raise MetadataBadRequest("The keys must name each option once")
    field["options"] = [draft.option(field, key) for key in keys]


_EDITS: dict[str, Callable[[_Draft, Shown], None]] = {
    "editTemplate": _edit_template,
    "addField": _add_field,
    "editField": _edit_field,
    "removeField": _remove_field,
    "reorderFields": _reorder_fields,
    "addEnumOption": _add_option,
    "addMultiSelectOption": _add_option,
    "editEnumOption": _edit_option,
    "editMultiSelectOption": _edit_option,
    "removeEnumOption": _remove_option,
    "removeMultiSelectOption": _remove_option,
    "reorderEnumOptions": _reorder_options,
    "reorderMultiSelectOptions": _reorder_options,
}


def apply_operations(call: Call, template: MetadataTemplate, operations: list[Shown]) -> Shown:
    """Return the columns of a template after operations; raise MetadataBadRequest if one cannot be applied."""
    draft = _Draft(call, template)
    for operation in operations:
        edit = _EDITS.get(str(operation.get("op")))
        if edit is None:
            raise MetadataBadRequest(f"'{operation.get('op')}' is no operation; there are {', '.join(_EDITS)}")
        edit(draft, operation)
    return {**draft.columns, "fields": draft.fields} if draft.fields != template.fields else draft.columns
