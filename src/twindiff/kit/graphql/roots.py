"""Resolvers of root fields, generated or hand-written: functions of a run and arguments that return a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from twindiff.kit.call import Call

from . import entity_operations
from .entity import EntitySpec
from .errors import NotImplementedHere
from .loaders import PAGING, keywords
from .names import lower_first
from .run import GraphqlRun
from .section import ConnectionRows, Root
from .surfaces import GeneratedRoot

Resolve = Callable[[GraphqlRun, dict[str, Any]], Any]


Guard = Callable[[Call, dict[str, Any]], None]
"""A function of a call and the arguments of a root field that raises an error to refuse it."""


def resolver(
    root: Any, extras: Callable[[GraphqlRun], dict[str, Any]], *, paged: bool, guard: Guard | None = None
) -> Resolve:
    """The resolver of a root field; `extras` returns the fields of every payload besides its entity."""
    resolve = _resolve_root(root, extras, paged=paged)
    if guard is None:
        return resolve

    def check_and_resolve(run: GraphqlRun, arguments: dict[str, Any]) -> Any:
        guard(run.call, arguments)
        return resolve(run, arguments)

    return check_and_resolve


def _resolve_root(root: Any, extras: Callable[[GraphqlRun], dict[str, Any]], *, paged: bool) -> Resolve:
    if isinstance(root, Root):
        return _by_hand(root, PAGING if paged else frozenset(), extras)
    generated: GeneratedRoot = root
    if generated.spec.row is None:
        return _rim(generated)
    return _VERBS[generated.verb](generated.spec, extras)


def _by_hand(root: Root, unwanted: frozenset[str], extras: Callable[[GraphqlRun], dict[str, Any]]) -> Resolve:
    """The resolver of a hand-written root; the dict that a mutation returns is merged over `extras`."""

    def resolve(run: GraphqlRun, arguments: dict[str, Any]) -> Any:
        value: Any = root.function(run.call, **keywords({n: v for n, v in arguments.items() if n not in unwanted}))
        return extras(run) | cast(Any, value) if root.writes and isinstance(value, dict) else value

    return resolve


def _rim(root: GeneratedRoot) -> Resolve:
    if root.verb == "list":
        return _nothing

    def refuse(run: GraphqlRun, arguments: dict[str, Any]) -> Any:
        raise NotImplementedHere(f"'{root.name}'")

    return refuse


def _nothing(run: GraphqlRun, arguments: dict[str, Any]) -> Any:
    return []


def _list(spec: EntitySpec, extras: Any) -> Resolve:
    entity: Any = _Listed(spec)
    return lambda run, arguments: ConnectionRows(entity)


class _Listed:
    """A stand-in for an entity's class where only its spec is known."""

    def __init__(self, spec: EntitySpec) -> None:
        self.spec = spec


def _get(spec: EntitySpec, extras: Any) -> Resolve:
    return lambda run, arguments: entity_operations.find_entity(run, spec, arguments.get("id") or "")


def _create(spec: EntitySpec, extras: Any) -> Resolve:
    name = spec.word("payload") or lower_first(spec.name)
    return lambda run, arguments: {name: entity_operations.create_entity(run, spec, arguments["input"]), **extras(run)}


def _update(spec: EntitySpec, extras: Any) -> Resolve:
    name = spec.word("payload") or lower_first(spec.name)

    def update(run: GraphqlRun, arguments: dict[str, Any]) -> Any:
        row = entity_operations.find_entity(run, spec, arguments["id"])
        return {name: entity_operations.update_entity(run, spec, row, arguments["input"]), **extras(run)}

    return update


def _verb(act: Callable[..., Any]) -> Callable[[EntitySpec, Any], Resolve]:
    def make(spec: EntitySpec, extras: Any) -> Resolve:
        def resolve(run: GraphqlRun, arguments: dict[str, Any]) -> Any:
            row = act(run, spec, entity_operations.find_entity(run, spec, arguments["id"]), arguments)
            return {"entity": row, "entityId": row.id, **extras(run)}

        return resolve

    return make


_VERBS: dict[str, Callable[[EntitySpec, Any], Resolve]] = {
    "list": _list,
    "get": _get,
    "create": _create,
    "update": _update,
    "archive": _verb(entity_operations.archive_entity),
    "unarchive": _verb(entity_operations.unarchived_row),
    "delete": _verb(entity_operations.delete_entity),
}
