"""Requests with hostile values, made of the signatures of operations."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec.inspect as types
from graphql import (
    GraphQLField,
    GraphQLSchema,
    get_named_type,
    is_enum_type,
    is_input_object_type,
    is_leaf_type,
    is_list_type,
    is_non_null_type,
    is_required_argument,
    is_required_input_field,
)  # fmt: skip

from twindiff.kit.twin import Dispatch, Operation

TEXTS = {
    "own address": "http://127.0.0.1:1/api/platform/initEnv",
    "broken address": "http://[::1",
    "any letters": "https://ほげ.example/あ?ü=\N{SNOWMAN}\x01\x1b[31m\x7f\x85\u2028\u202e\U0001f600",
    "lines and nulls": "../../etc/passwd\r\nSet-Cookie: a=b\x00",
    "long": "x" * 100_000,
    "digits": "9" * 400,
}
MAX_IN_QUERY = 5_000
NUMBERS = [0, -1, 2**53 + 1, 2**63 - 1, -(2**63), 10**4]


class Hostile(NamedTuple):
    """A text and a number that stand wherever an operation takes one."""

    text: str
    number: int


class Call(NamedTuple):
    """A request, relative to the address of a twin or of the server."""

    verb: str
    path: str
    query: dict[str, str]
    body: Any
    """What is sent as JSON, or as a form."""


Known = Mapping[str, str]
"""Ids that there are, by the names of their tables."""


class Share(NamedTuple):
    """One of `step` calls in turn, from the `first` on."""

    first: int = 0
    step: int = 1


ALL = Share()


def calls_of(
    dispatch: Dispatch, hostile: Hostile, known: Known | None = None, alone: Share = ALL
) -> Iterator[tuple[str, Call]]:
    """For each operation of REST or RPC: all parameters, and those that are required `alone` or with another in turn.

    What is required is an id that there is, where one is known and others are hostile beside it.
    """
    number = count(alone.first)
    for operation in dispatch.operations:
        if " " not in operation.name or operation.name.split(" ")[0].isupper():
            info = types.type_info(operation.bound.contract)
            assert isinstance(info, types.StructType)
            for names in _choices(info, number, alone.step):
                given = {each.encode_name: _fill(each.type, hostile) for each in info.fields if each.name in names}
                needed = {each.encode_name for each in info.fields if each.required}
                yield operation.name, _call(operation, {**given, **_ids_of(needed, known or {})}, hostile, known or {})


def _choices(info: types.StructType, number: Iterator[int], step: int) -> Iterator[set[str]]:
    required = {each.name for each in info.fields if each.required}
    yield {each.name for each in info.fields}
    for more in (set[str](), *({each.name} for each in info.fields if not each.required)):
        if next(number) % step == 0:
            yield required | more


def _ids_of(names: set[str], known: Known) -> dict[str, str]:
    found = {name: known.get(f"{name.removesuffix('Id').removesuffix('_id')}s") for name in names}
    return {name: id for name, id in found.items() if id}


def _call(operation: Operation, given: dict[str, Any], hostile: Hostile, known: Known) -> Call:
    verb = operation.declared.verb or "POST"
    path = operation.declared.path
    for name in operation.placeholders:
        table = path.partition(f"/{{{name}}}")[0].rpartition("/")[2]
        value = known.get(table) or given.get(name, hostile.text)
        given.pop(name, None)
        path = path.replace(f"{{{name}}}", quote(str(value)[:300] or "x", safe=""))
    body = given.pop(operation.bound.body, given) if operation.bound.body else given
    texts = {name: each if isinstance(each, str) else json.dumps(each) for name, each in given.items()}
    query = {name: text[:MAX_IN_QUERY] for name, text in texts.items()}
    return Call(verb, path, query if verb in ("GET", "DELETE") else {}, body)


def documents_of(
    schema: GraphQLSchema, hostile: Hostile, known: Known, alone: Share = ALL
) -> Iterator[tuple[str, dict[str, Any]]]:
    """For each root field of GraphQL: all arguments, and those that are required `alone` or with another in turn."""
    number = count(alone.first)
    for kind, root in (("query", schema.query_type), ("mutation", schema.mutation_type)):
        for name, field in root.fields.items() if root else ():
            required = {each for each, argument in field.args.items() if is_required_argument(argument)}
            others = (set[str](), *({each} for each in sorted(set(field.args) - required)))
            single = [required | each for each in others if next(number) % alone.step == 0]
            for names in (set(field.args), *single):
                yield f"{kind} {name}", _document(kind, name, field, names, hostile, known)


def _document(
    kind: str, name: str, field: GraphQLField, names: set[str], hostile: Hostile, known: Known
) -> dict[str, Any]:
    declared = ", ".join(f"${each}: {field.args[each].type}" for each in sorted(names))
    given = ", ".join(f"{each}: ${each}" for each in sorted(names))
    selection = "" if is_leaf_type(get_named_type(field.type)) else "{ __typename }"
    text = f"{kind}{declared and f'({declared})'} {{ {name}{given and f'({given})'} {selection} }}"
    variables = {each: _argument(field.args[each].type, hostile) for each in names}
    if "id" in names:
        tables = sorted((each for each in known if name.startswith(each.removesuffix("s"))), key=len)
        variables["id"] = known[tables[-1]] if tables else hostile.text
    return {"query": text, "variables": variables}


def _argument(kind: Any, hostile: Hostile, depth: int = 2) -> Any:
    """A value of a type of GraphQL, hostile wherever it may be."""
    if is_non_null_type(kind):
        return _argument(kind.of_type, hostile, depth)
    if is_list_type(kind):
        return [_argument(kind.of_type, hostile, depth - 1)] if depth else []
    if is_enum_type(kind):
        return next(iter(kind.values))
    if is_input_object_type(kind):
        fields = kind.fields.items()
        return {
            name: _argument(each.type, hostile, depth - 1)
            for name, each in fields
            if depth > 0 or is_required_input_field(each)
        }
    if kind.name in ("Int", "Float"):
        return max(-(2**31), min(hostile.number, 2**31 - 1)) if kind.name == "Int" else hostile.number
    return kind.name == "Boolean" or hostile.text


def as_form(value: Any, name: str = "") -> dict[str, str]:
    """A nested value as fields of a form: `items[0][price]`."""
    if not isinstance(value, dict | list):
        return {name: value if isinstance(value, str) else json.dumps(value)}
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    fields: dict[str, str] = {}
    for key, each in pairs:
        fields |= as_form(each, f"{name}[{key}]" if name else str(key))
    return fields


def _fill(kind: types.Type, hostile: Hostile, depth: int = 4) -> Any:
    """A value of a type, hostile wherever it may be."""
    match kind:
        case types.StrType() | types.AnyType():
            return hostile.text
        case types.IntType() | types.FloatType():
            return hostile.number
        case types.BoolType():
            return True
        case types.LiteralType(values=values):
            return values[0]
        case types.ListType(item_type=item) | types.VarTupleType(item_type=item):
            return [_fill(item, hostile, depth - 1)] if depth else []
        case types.StructType(fields=fields):
            return {each.encode_name: _fill(each.type, hostile, depth - 1) for each in fields} if depth else {}
        case types.DictType(value_type=item):
            return {hostile.text[:40] or "x": _fill(item, hostile, depth - 1)} if depth else {}
        case types.UnionType(types=of):
            return _fill(next(each for each in of if not isinstance(each, types.NoneType)), hostile, depth)
        case _:
            return hostile.text
