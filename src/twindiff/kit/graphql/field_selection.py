"""Collects the fields that an operation selects: spreads fragments, evaluates directives, merges equal response keys.

This is linear in the selected fields, whereas the library's rule for overlapping fields is quadratic.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from graphql import GraphQLField, GraphQLNamedType, GraphQLSchema, is_composite_type, print_ast
from graphql.language import FieldNode, FragmentDefinitionNode, FragmentSpreadNode, InlineFragmentNode, SelectionSetNode
from graphql.type import GraphQLIncludeDirective, GraphQLSkipDirective
from graphql.utilities import do_types_overlap

from twindiff.kit.throttling import yield_processor

from .arguments import NOTHING, Arguments, DocumentRejected, Variables, VariableUse, arguments_of
from .errors import TooComplex
from .library import is_leaf

MAX_FIELDS = 20_000
_INTROSPECTION = {"__schema", "__type"}
_DIRECTIVES = {"include": GraphQLIncludeDirective, "skip": GraphQLSkipDirective}


class SelectedField(NamedTuple):
    """A response key: its field, the arguments, and the selections below it, merged from all occurrences."""

    key: str
    name: str
    field: Any
    """The schema's field; None for `__typename`."""
    arguments: Arguments
    below: list[SelectionSetNode]
    node: FieldNode


class Selecting:
    """Collects the selections of one operation."""

    def __init__(
        self,
        schema: GraphQLSchema,
        fragments: dict[str, FragmentDefinitionNode],
        uses: VariableUse,
        variables: Variables,
    ) -> None:
        self.schema = schema
        self.fragments = fragments
        self.uses = uses
        self.variables = variables
        self.used_fragments: set[str] = set()
        self.asks_schema = False
        self._fields = 0
        self._conditions: dict[tuple[str, GraphQLNamedType], GraphQLNamedType] = {}

    def of(self, concrete: Any, sets: list[SelectionSetNode], named: Any = None) -> list[SelectedField]:
        """The selected fields of a concrete type; `named` is the type of the selection: the same or an interface.

        Raises DocumentRejected for an invalid selection and TooComplex for too many fields.
        """
        collected: dict[str, SelectedField] = {}
        for each in sets:
            self._collect(concrete, named or concrete, each, collected, ())
        return list(collected.values())

    def _collect(
        self,
        concrete: Any,
        named: Any,
        selections: SelectionSetNode,
        collected: dict[str, SelectedField],
        inside: tuple[str, ...],
    ) -> None:
        for selection in selections.selections:
            wanted = not selection.directives or self._is_wanted(selection)
            if isinstance(selection, FieldNode):
                asked = self._field(concrete, named, selection)
                if wanted and asked:
                    self._merge(collected, asked)
            elif isinstance(selection, InlineFragmentNode):
                condition = selection.type_condition
                kind = self._condition(condition.name.value, named) if condition else named
                if wanted and self._applies(kind, concrete):
                    self._collect(concrete, kind, selection.selection_set, collected, inside)
            elif isinstance(selection, FragmentSpreadNode) and wanted:
                self._spread(concrete, named, selection, collected, inside)

    def _spread(
        self,
        concrete: Any,
        named: Any,
        spread: FragmentSpreadNode,
        collected: dict[str, SelectedField],
        inside: tuple[str, ...],
    ) -> None:
        name = spread.name.value
        fragment = self.fragments.get(name)
        if fragment is None or name in inside:
            raise DocumentRejected(f"Fragment '{name}' is unknown or contains itself.", spread)
        self.used_fragments.add(name)
        kind = self._condition(fragment.type_condition.name.value, named)
        if self._applies(kind, concrete):
            self._collect(concrete, kind, fragment.selection_set, collected, (*inside, name))

    def _condition(self, name: str, named: GraphQLNamedType) -> GraphQLNamedType:
        known = self._conditions.get((name, named))
        if known is not None:
            return known
        kind: Any = self.schema.get_type(name)
        if not is_composite_type(kind) or not do_types_overlap(self.schema, kind, cast(Any, named)):
            raise DocumentRejected(
                f"A fragment cannot be spread here as objects of type '{named}' can never be of type '{name}'."
            )
        self._conditions[name, named] = kind
        return kind

    def _applies(self, kind: Any, concrete: Any) -> bool:
        return kind is concrete or (not hasattr(kind, "is_type_of") and self.schema.is_sub_type(kind, concrete))

    def _is_wanted(self, node: Any) -> bool:
        for directive in node.directives:
            name = directive.name.value
            declared = _DIRECTIVES.get(name)
            if declared is None:
                raise DocumentRejected(f"Unknown directive '@{name}'.", directive)
            arguments = arguments_of(self.uses, declared.args, directive.arguments)
            if arguments.of(self.variables).get("if") is (name == "skip"):
                return False
        return True

    def _field(self, concrete: Any, named: Any, node: FieldNode) -> SelectedField | None:
        yield_processor()
        self._fields += 1
        if self._fields > MAX_FIELDS:
            raise TooComplex(f"The query asks for more than {MAX_FIELDS:,} fields")
        name = node.name.value
        key = node.alias.value if node.alias else name
        if name == "__typename":
            if node.selection_set or node.arguments:
                raise DocumentRejected("Field '__typename' has neither subfields nor arguments.", node)
            return SelectedField(key, name, None, NOTHING, [], node)
        if name in _INTROSPECTION and concrete is self.schema.query_type:
            self.asks_schema = True
            return None
        fields: dict[str, GraphQLField] = getattr(named, "fields", {})
        if name not in fields:
            raise DocumentRejected(f"Cannot query field '{name}' on type '{named}'.", node)
        field: Any = concrete.fields[name]
        if is_leaf(field.type) is (node.selection_set is not None):
            raise DocumentRejected(f"Field '{name}' must have a selection of subfields, or must not.", node)
        below = [node.selection_set] if node.selection_set else []
        return SelectedField(key, name, field, arguments_of(self.uses, field.args, node.arguments), below, node)

    def _merge(self, collected: dict[str, SelectedField], asked: SelectedField) -> None:
        known = collected.setdefault(asked.key, asked)
        if known is asked:
            return
        if known.name != asked.name or _differ(known.node, asked.node):
            raise DocumentRejected(
                f"Fields '{asked.key}' conflict because they are different fields or have differing arguments."
                " Use different aliases on the fields to fetch both if this was intentional.",
                asked.node,
            )
        known.below.extend(asked.below)


def asks_id(sets: list[SelectionSetNode]) -> bool:
    """Whether a selection is exactly `{ id }`."""
    if len(sets) != 1 or len(sets[0].selections) != 1:
        return False
    (only,) = sets[0].selections
    if not isinstance(only, FieldNode) or only.name.value != "id":
        return False
    return not (only.alias or only.arguments or only.directives or only.selection_set)


def _differ(one: FieldNode, other: FieldNode) -> bool:
    return bool(one.arguments or other.arguments) and _text(one) != _text(other)


def _text(node: FieldNode) -> list[tuple[str, str]]:
    return sorted((each.name.value, print_ast(each.value)) for each in node.arguments)
