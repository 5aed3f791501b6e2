"""Values with placeholders, as overlays write them: `$name` is a value, and `${name}` its text inside another.

A name may have dots: `$parent.id`. `$$` is a dollar sign. Nothing is evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

Lookup = Callable[[str], Any]
"""Returns the value of a name; None for an unknown one."""
_WHOLE = re.compile(r"\$([A-Za-z_][\w.\-]*)")
_INSIDE = re.compile(r"\$\{([A-Za-z_][\w.\-]*)\}")


def fill_placeholders(template: Any, lookup: Lookup) -> Any:
    """Return a template with its placeholders replaced; values keep their type, empty keys are left out."""
    if isinstance(template, dict):
        filled = {
            _fill_key(name, lookup): fill_placeholders(each, lookup)
            for name, each in cast(dict[str, Any], template).items()
        }
        return {name: value for name, value in filled.items() if name}
    if isinstance(template, list):
        return [fill_placeholders(each, lookup) for each in cast(list[Any], template)]
    if not isinstance(template, str) or "$" not in template:
        return template
    if template.startswith("$$"):
        return "$" + _INSIDE.sub(lambda match: _text(lookup(match[1])), template[2:])
    whole = _WHOLE.fullmatch(template)
    return lookup(whole[1]) if whole else _INSIDE.sub(lambda match: _text(lookup(match[1])), template)


def _fill_key(name: str, lookup: Lookup) -> str:
    return _text(fill_placeholders(name, lookup)) if "$" in name else name


def names_in(template: Any) -> Iterator[str]:
    """Yield the names of the placeholders of a template."""
    if isinstance(template, dict):
        for name, each in cast(dict[str, Any], template).items():
            yield from names_in(name)
            yield from names_in(each)
    elif isinstance(template, list):
        for each in cast(list[Any], template):
            yield from names_in(each)
    elif isinstance(template, str):
        whole = _WHOLE.fullmatch(template)
        yield from [whole[1]] if whole else _INSIDE.findall(template)


def look_up(name: str, *values: Mapping[str, Any]) -> Any:
    """Return the value of a dotted name in the first mapping that has it; None if none has."""
    for each in values:
        value: Any = each.get(name)
        if value is None:
            value = each
            for part in name.split("."):
                value = cast(Mapping[str, Any], value).get(part) if isinstance(value, Mapping) else None
        if value is not None:
            return value
    return None


def value_at(value: Any, path: str, otherwise: Any = None) -> Any:
    """Return what stands at a dotted path of objects, the whole for an empty one; `otherwise` if there is nothing."""
    for name in path.split(".") if path else ():
        value = cast(Mapping[str, Any], value).get(name, otherwise) if isinstance(value, Mapping) else otherwise
    return value


def nest_value(path: str, value: Any) -> dict[str, Any]:
    """Return objects in which a value stands at a dotted path."""
    for name in reversed(path.split(".")):
        value = {name: value}
    return cast(dict[str, Any], value)


def _text(value: Any) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
