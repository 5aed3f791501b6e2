"""Expands ids in a response to the objects they identify: `expand[]=data.customer`, as in Stripe's API.

https://docs.stripe.com/expand
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from .errors import InvalidParameter

Load = Callable[[Sequence[str]], Mapping[str, Mapping[str, Any]]]
"""Loads objects by id in one query: returns a mapping of id to object, without the ids that do not exist."""

Fields = dict[str, Any]

Include = Callable[[Fields], Any]
"""Computes, from the object that holds it, a field that is present only when a path names it."""


def expand(
    value: Any,
    paths: Iterable[str],
    loads: Mapping[str, Load],
    *,
    deepest: int = 4,
    includes: Mapping[str, Include] | None = None,
    is_left_out: Callable[[Fields, str], bool] = lambda fields, name: False,
) -> None:
    """Replace ids by objects in `value`, in place, at each dotted path; a path continues into every item of a list.

    `loads` maps a field name to its loader, or `object.field` for objects whose key `object` has that value and whose
    ids need another loader. `includes` maps `object.field` to the function that computes the field. A path ends at an
    object of which `is_left_out` says that it lacks the named field, as stubs of deleted objects do. An id without an
    object stays. Raises InvalidParameter for `expand` if a path has more than `deepest` names or cannot be expanded.
    """
    for path in paths:
        names = path.split(".")
        if len(names) > deepest:
            problem = f"You cannot expand more than {deepest} levels of a property. Property: {path}"
            raise InvalidParameter("expand", problem)
        holders = [value]
        for name in names:
            holders = [each for each in holders if not _ends_here(each, name, is_left_out)]
            _include(holders, name, includes or {})
            if name == names[-1]:
                _check(holders, name, path, {**loads, **(includes or {})})
            holders = _step(holders, name, path, loads)


def _ends_here(holder: Any, name: str, is_left_out: Callable[[Fields, str], bool]) -> bool:
    return isinstance(holder, dict) and is_left_out(cast(Fields, holder), name)


def _include(holders: list[Any], name: str, includes: Mapping[str, Include]) -> None:
    for holder in holders:
        if isinstance(holder, dict) and name not in holder:
            fields = cast(Fields, holder)
            if include := includes.get(f"{fields.get('object')}.{name}"):
                fields[name] = include(fields)


def _check(holders: list[Any], name: str, path: str, expandable: Mapping[str, Any]) -> None:
    """Refuse a path that ends at a number, a boolean or null in a field that is not expandable."""
    for holder in holders:
        fields = cast(Fields, holder) if isinstance(holder, dict) else {}
        can_be = name in expandable or f"{fields.get('object')}.{name}" in expandable
        if not can_be and name in fields and isinstance(fields[name], int | float | None):
            raise _cannot(path)


def _step(holders: list[Any], name: str, path: str, loads: Mapping[str, Load]) -> list[Any]:
    """Return the values under `name`, with ids expanded and lists flattened to their items."""
    wanted: dict[str, list[Fields]] = {}
    values: list[Any] = []
    for holder in holders:
        if not isinstance(holder, dict) or name not in holder:
            raise _cannot(path)
        fields = cast(Fields, holder)
        if isinstance(fields[name], str) or _is_of_ids(fields[name]):
            wanted.setdefault(_load_name(fields, name, path, loads), []).append(fields)
        else:
            values += _items(fields[name])
    for load_name, several in wanted.items():
        values += _expand_ids(several, name, loads[load_name])
    return values


def _load_name(fields: Fields, name: str, path: str, loads: Mapping[str, Load]) -> str:
    load_name = f"{fields.get('object')}.{name}"
    load_name = load_name if load_name in loads else name
    if load_name not in loads:
        raise _cannot(path)
    return load_name


def _expand_ids(several: list[Fields], name: str, load: Load) -> list[Any]:
    """Objects in place of ids; an id without an object stays."""
    objects = load([*dict.fromkeys(id for fields in several for id in _items(fields[name]))])

    def put(id: Any) -> Any:
        # A copy: a deeper expansion inside this object must not show where the same object occurs elsewhere.
        return {**loaded} if (loaded := objects.get(id)) else id

    for fields in several:
        ids: list[Any] = _items(fields[name])
        fields[name] = put(fields[name]) if isinstance(fields[name], str) else [put(id) for id in ids]
    return [each for fields in several for each in _items(fields[name]) if not isinstance(each, str)]


def _is_of_ids(value: Any) -> bool:
    """Whether a value is a list of ids, such as the discounts of an invoice."""
    if not isinstance(value, list):
        return False
    each = cast(list[Any], value)
    return bool(each) and all(isinstance(id, str) for id in each)


def _items(value: Any) -> list[Any]:
    if value is None:
        return []
    return cast(list[Any], value) if isinstance(value, list) else [value]


def _cannot(path: str) -> InvalidParameter:
    return InvalidParameter("expand", f"This property cannot be expanded ({path}).")
