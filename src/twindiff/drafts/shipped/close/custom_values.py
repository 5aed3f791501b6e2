"""Values of custom fields: `custom.cf_…` in bodies and answers. https://developer.close.com/topics/custom-fields/"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

from twindiff.kit.call import Call
from twindiff.kit.clock import iso_instant, micros_of

from .tables import CloseCustomField
from .wire_style import CloseError, show_time


def read_custom(call: Call, owner: str, body: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Return the custom values of an object by id of a field, with those of a body; null clears one.

    Raises CloseError for a field that the objects of `owner` do not have, and for a value that is none of its type.
    """
    given = {name.removeprefix("custom."): value for name, value in body.items() if name.startswith("custom.")}
    inner: Any = body.get("custom")
    given |= cast(dict[str, Any], inner) if isinstance(inner, dict) else {}
    values = {**known}
    for name, value in given.items():
        field = call.db.find(CloseCustomField, CloseCustomField.id == name)
        field = field or call.db.find(CloseCustomField, CloseCustomField.name == name, CloseCustomField.owner == owner)
        if field is None or field.owner not in (owner, "shared"):
            raise CloseError(fields={f"custom.{name}": "Custom Field not found."})
        values[field.id] = _read_values(field, value)
    return {name: value for name, value in values.items() if value not in (None, [])}


def show_custom(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return custom values as answers have them."""
    return {f"custom.{name}": value for name, value in values.items()}


def _read_values(field: CloseCustomField, value: Any) -> Any:
    if not field.details.get("accepts_multiple_values") or value is None:
        return _read_value(field, value)
    values: list[Any] = cast(list[Any], value) if isinstance(value, list) else [value]
    return [_read_value(field, each) for each in values]


def _read_value(field: CloseCustomField, value: Any) -> Any:
    if value is None:
        return None
    name = f"custom.{field.id}"
    choices = field.details.get("choices")
    if field.type == "choices" and choices and value not in choices:
        raise CloseError(fields={name: f"'{value}' is not one of the choices: {', '.join(map(str, choices))}."})
    try:
        if field.type == "number":
            return value if isinstance(value, (int, float)) else float(str(value))
        if field.type in ("date", "datetime"):
            moment = iso_instant(micros_of(datetime.fromisoformat(str(value)))).isoformat()
            return moment[:10] if field.type == "date" else show_time(moment)
    except ValueError:
        raise CloseError(fields={name: f"'{value}' is no {field.type}."}) from None
    return value
