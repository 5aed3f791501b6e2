"""Adds to a learnt description the operations that recordings do not show and that follow from those that they do.

Where one collection has members that are read, changed and removed, another is taken to have them as well, with answers
wrapped alike. Each such operation is marked with `x-implied`, which makes its answers guesses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from .documents import Schema
from .names import plural, singular, snake

MARK = "x-implied"
_KEYS = ("id", "gid", "sid", "uuid")
_NO_COLLECTION = ("search", "count", "query", "me", "login", "token")


class _Wrapping(NamedTuple):
    """How an object stands in a body: under a `field`, which may be the object's own name (`{}`); or bare, if empty."""

    field: str

    def wrap(self, schema: Schema, name: str) -> Schema:
        """Return the schema of a body that holds an object of a name."""
        if not self.field:
            return schema
        field = self.field.format(name)
        return {"type": "object", "properties": {field: schema}, "required": [field]}


class _Collection(NamedTuple):
    path: str
    name: str
    """What one of its objects is called, such as `order`."""
    item: Schema
    ending: str
    """What ends each of its paths, such as `.json`."""

    @property
    def member(self) -> str:
        """The path of one of its objects."""
        return f"{self.path.removesuffix(self.ending)}/{{{self.name}_id}}{self.ending}"


def add_implied_operations(paths: dict[str, Schema]) -> None:
    """Add what follows from the paths of a learnt description to them."""
    collections = [each for path, verbs in paths.items() if (each := _read_collection(path, verbs))]
    members = {each.path: _find_member(paths, each) for each in collections}
    shown = [(each, members[each.path]) for each in collections if members[each.path]]
    style = _Style(
        [(each.name, paths[path]) for each, path in shown], [(each.name, paths[each.path]) for each in collections]
    )
    for each in collections:
        path = members[each.path] or each.member
        here, there = paths[each.path], paths.get(path, {})
        for verb, schemas in style.imply(each.item, each.name).items():
            target = here if verb == "post" else there
            is_other_change = verb in ("put", "patch") and ("put" in there or "patch" in there)
            if verb not in target and not is_other_change:
                target[verb] = _describe(each.path if verb == "post" else path, *schemas)
        if there:
            paths[path] = there


class _Style:
    """How the API that was recorded answers about one object, by what it does of those that were shown."""

    def __init__(self, members: list[tuple[str, Schema]], collections: list[tuple[str, Schema]]) -> None:
        self._members, self._collections = members, collections

    def imply(self, item: Schema, name: str) -> dict[str, tuple[Schema | None, Schema | None, str]]:
        """Return body, answer and status of what an object of a collection has, by verb."""
        implied: dict[str, tuple[Schema | None, Schema | None, str]] = {}
        for verb in ("get", "post", "put", "patch", "delete"):
            among = self._collections if verb == "post" else self._members
            known = next(((of, verbs[verb]) for of, verbs in among if _succeeds(verbs.get(verb))), None)
            if known is None:
                continue
            of, operation = known
            status = _status_of(operation)
            body, answer = _body_of(operation), _answer_of(operation, status)
            is_object = verb != "delete" and answer is not None
            implied[verb] = (
                _read_wrapping(body, of).wrap(_take_any(item), name) if body else None,
                _read_wrapping(answer, of).wrap(item, name) if is_object and answer else answer,
                status,
            )
        return implied


def _read_collection(path: str, verbs: Mapping[str, Any]) -> _Collection | None:
    """Return the collection that a path lists; None if it lists nothing that has ids."""
    ending = match[0] if (match := re.search(r"\.(json|xml)$", path)) else ""
    word = path.removesuffix(ending).rpartition("/")[2]
    operation = verbs.get("get")
    if operation is None or "{" in word or snake(word) in _NO_COLLECTION or not _succeeds(operation):
        return None
    item = next(_lists_in(_answer_of(operation, _status_of(operation)) or {}, 0), None)
    properties = cast(Schema, item.get("properties", {})) if item else {}
    name = singular(snake(word))
    return _Collection(path, name, item, ending) if item and {*_KEYS} & properties.keys() else None


def _lists_in(schema: Schema, depth: int) -> Iterator[Schema]:
    """Yield the schemas of the objects of the lists in an answer, the outermost first."""
    if "items" in schema:
        yield schema["items"]
    elif depth < 2:
        for inner in cast(Schema, schema.get("properties", {})).values():
            yield from _lists_in(inner, depth + 1)


def _find_member(paths: Mapping[str, Schema], of: _Collection) -> str:
    """Return the path of a collection's objects that recordings show; empty if they show none."""
    shape = re.compile(re.escape(of.path.removesuffix(of.ending)) + r"/\{\w+\}" + re.escape(of.ending))
    return next((path for path in paths if shape.fullmatch(path)), "")


def _succeeds(operation: Any) -> bool:
    return bool(operation) and any(
        (code.startswith("2") and "content" in response) or code == "204"
        for code, response in cast(Schema, operation["responses"]).items()
    )


def _status_of(operation: Schema) -> str:
    return next(code for code in operation["responses"] if code.startswith("2"))


def _answer_of(operation: Schema, status: str) -> Schema | None:
    content = operation["responses"][status].get("content", {}).get("application/json")
    return cast(Schema, content["schema"]) if content else None


def _body_of(operation: Schema) -> Schema | None:
    body = operation.get("requestBody")
    return cast(Schema, body["content"]["application/json"]["schema"]) if body else None


def _read_wrapping(schema: Schema | None, name: str) -> _Wrapping:
    """Return how an object of a name stands in a body."""
    properties = cast(Schema, schema.get("properties", {})) if schema else {}
    if {*_KEYS} & properties.keys():
        return _Wrapping("")
    for field, inner in properties.items():
        if "properties" in inner:
            return _Wrapping("{}" if snake(field) in (name, plural(name)) else field)
    return _Wrapping("")


def _take_any(item: Schema) -> Schema:
    """Return the schema of what a body may give of an object: any of its fields but its key."""
    properties = cast(Schema, item["properties"])
    return {"type": "object", "properties": {name: each for name, each in properties.items() if name not in _KEYS}}


def _describe(path: str, body: Schema | None, answer: Schema | None, status: str) -> Schema:
    names = re.findall(r"\{(\w+)\}", path)
    operation: Schema = {
        MARK: True,
        "parameters": [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names],
        "responses": {
            status: {
                "description": "not seen",
                **({"content": {"application/json": {"schema": answer}}} if answer else {}),
            }
        },
    }
    if body:
        operation["requestBody"] = {"content": {"application/json": {"schema": body}}}
    return operation
