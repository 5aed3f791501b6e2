"""Compiles arguments of fields: constants are coerced once, values with variables are built for each call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isinf
from typing import Any

from graphql import (
    GraphQLInputObjectType,
    Undefined,
    is_input_object_type,
    is_list_type,
    is_non_null_type,
)
from graphql.language import (
    ArgumentNode,
    ListValueNode,
    NullValueNode,
    ObjectValueNode,
    ValueNode,
    VariableNode,
)
from graphql.utilities import is_type_sub_type_of

from .errors import InvalidInput
from .library import type_from_ast, value_from_ast

Variables = Mapping[str, Any]
Make = Callable[[Variables], Any]


class DocumentRejected(Exception):
    """The compiler does not take the document; the library's validation says why, or else this message."""

    def __init__(self, message: str, node: Any = None) -> None:
        super().__init__(message)
        self.node = node


class Arguments:
    """The arguments of a field by GraphQL name, without the omitted ones; `made` are functions of the variables."""

    __slots__ = ("constant", "made")

    def __init__(self, constant: dict[str, Any], made: dict[str, Make]) -> None:
        self.constant = constant
        self.made = made

    def of(self, variables: Variables) -> dict[str, Any]:
        """The values by name for these variables; arguments whose variable was omitted are left out."""
        if not self.made:
            return self.constant
        given = dict(self.constant)
        for name, make in self.made.items():
            value = make(variables)
            if value is not Undefined:
                given[name] = value
        return given


NOTHING = Arguments({}, {})


class VariableUse:
    """The variables of an operation, with their types, and the names of those in use."""

    def __init__(self, schema: Any, definitions: Any) -> None:
        self.schema = schema
        self.definitions = {each.variable.name.value: each for each in definitions}
        self.used: set[str] = set()

    def check(self, node: VariableNode, wanted: Any, default: Any) -> str:
        """The name of a variable that is valid where the type `wanted` is; raises DocumentRejected for others."""
        name = node.name.value
        definition = self.definitions.get(name)
        if definition is None:
            raise DocumentRejected(f"Variable '${name}' is not defined.", node)
        self.used.add(name)
        kind = type_from_ast(self.schema, definition.type)
        if kind is None:
            raise DocumentRejected(f"Unknown type of variable '${name}'.", definition)
        if is_non_null_type(wanted) and not is_non_null_type(kind):
            has_default = definition.default_value is not None and not isinstance(
                definition.default_value, NullValueNode
            )
            if not has_default and default is Undefined:
                raise DocumentRejected(
                    f"Variable '${name}' of type '{kind}' used in position expecting type '{wanted}'.", node
                )
            wanted = wanted.of_type
        if not is_type_sub_type_of(self.schema, kind, wanted):
            raise DocumentRejected(
                f"Variable '${name}' of type '{kind}' used in position expecting type '{wanted}'.", node
            )
        return name


def arguments_of(uses: VariableUse, declared: Mapping[str, Any], nodes: tuple[ArgumentNode, ...]) -> Arguments:
    """Compile the arguments of a field or directive; raises DocumentRejected for invalid ones."""
    if not declared and not nodes:
        return NOTHING
    constant: dict[str, Any] = {
        name: arg.default_value for name, arg in declared.items() if arg.default_value is not Undefined
    }
    made: dict[str, Make] = {}
    seen: set[str] = set()
    for node in nodes:
        name = node.name.value
        argument = declared.get(name)
        if argument is None or name in seen:
            raise DocumentRejected(f"Unknown or repeated argument '{name}'.", node)
        seen.add(name)
        value = _value(uses, node.value, argument.type, argument.default_value)
        if callable(value):
            made[name] = value
        else:
            constant[name] = value
    for name, argument in declared.items():
        if name not in seen and is_non_null_type(argument.type) and argument.default_value is Undefined:
            raise DocumentRejected(f"Argument '{name}' of type '{argument.type}' is required, but it was not provided.")
    return Arguments(constant, made)


def _value(uses: VariableUse, node: ValueNode, kind: Any, default: Any) -> Any:
    """Compile a value to a constant, or to a function of the variables."""
    if isinstance(node, VariableNode):
        return _variable(uses.check(node, kind, default), kind)
    bare = kind.of_type if is_non_null_type(kind) else kind
    if is_list_type(bare) and not isinstance(node, NullValueNode):
        items = node.values if isinstance(node, ListValueNode) else (node,)
        return _list([_value(uses, item, bare.of_type, Undefined) for item in items])
    if is_input_object_type(bare) and isinstance(node, ObjectValueNode):
        return _object(uses, node, bare)
    held = set(_variables_in(node))
    uses.used |= held
    if held:
        # Only custom scalars, such as JSON, can contain variables here; the library substitutes them.
        return _by_library(node, kind)
    value = value_from_ast(node, kind)
    if value is Undefined or (isinstance(value, float) and isinf(value)):
        raise DocumentRejected(f"Expected value of type '{kind}'.", node)
    return value


def _list(parts: list[Any]) -> Any:
    if not any(callable(part) for part in parts):
        return parts

    def make(variables: Variables) -> list[Any]:
        made = [_now(part, variables) for part in parts]
        return [None if each is Undefined else each for each in made]

    return make


def _by_library(node: ValueNode, kind: Any) -> Make:
    return lambda variables: value_from_ast(node, kind, dict(variables))


def _variable(name: str, kind: Any) -> Make:
    required = is_non_null_type(kind)

    def make(variables: Variables) -> Any:
        value = variables.get(name, Undefined)
        if required and value is None:
            raise InvalidInput(f"Variable '${name}' must not be null here")
        return value

    return make


def _object(uses: VariableUse, node: ObjectValueNode, kind: GraphQLInputObjectType) -> Any:
    given = {each.name.value: each for each in node.fields}
    if len(given) != len(node.fields) or given.keys() - kind.fields.keys():
        raise DocumentRejected(f"Unknown or repeated field of '{kind}'.", node)
    parts: dict[str, Any] = {}
    for name, field in kind.fields.items():
        if name in given:
            parts[name] = _value(uses, given[name].value, field.type, field.default_value)
        elif field.default_value is not Undefined:
            parts[name] = field.default_value
        elif is_non_null_type(field.type):
            raise DocumentRejected(f"Field '{kind}.{name}' of required type '{field.type}' was not provided.", node)

    if not any(callable(part) for part in parts.values()):
        return parts

    def make(variables: Variables) -> dict[str, Any]:
        made = {name: _now(part, variables) for name, part in parts.items()}
        return {name: value for name, value in made.items() if value is not Undefined}

    return make


def _now(value: Any, variables: Variables) -> Any:
    return value(variables) if callable(value) else value


def _variables_in(node: Any) -> Any:
    if isinstance(node, VariableNode):
        yield node.name.value
    elif isinstance(node, ListValueNode):
        for each in node.values:
            yield from _variables_in(each)
    elif isinstance(node, ObjectValueNode):
        for each in node.fields:
            yield from _variables_in(each.value)
