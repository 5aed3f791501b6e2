"""Introspection: bounded in size, and cached, since the same query always has the same result."""

from __future__ import annotations

from typing import Any

import msgspec
from graphql import ExecutionContext, FieldNode, GraphQLError, GraphQLSchema, print_ast
from graphql.type import GraphQLType

from twindiff.kit.throttling import yield_processor

from . import oracle
from .cache import SizedCache
from .errors import TooComplex
from .run import GraphqlRun

KEPT_BYTES = 8_000_000
"""The most bytes of cached results for one schema; the standard query's result has 1.4 MB."""


class _Full(BaseException):
    """The result is too large; a BaseException, so that the executor does not treat it as the error of a field."""


class Introspections:
    """A cache of recent results of pure introspection queries, as JSON."""

    def __init__(self) -> None:
        self._answers: SizedCache[tuple[msgspec.Raw, list[GraphQLError]]] = SizedCache(KEPT_BYTES)

    def answer(
        self, api: Any, text: str, run: GraphqlRun, operation_name: str | None, variables: dict[str, Any]
    ) -> tuple[Any, list[GraphQLError]]:
        """The data, as encoded JSON, and the errors; raises TooComplex."""
        key = _key(text, operation_name, variables)
        answer = self._answers.get(key)
        if answer is None:
            data, errors = execute_bounded(api, text, run, operation_name, variables)
            answer = msgspec.Raw(msgspec.json.encode(data)), errors
            self._answers.put(key, answer, len(answer[0]) + len(text))
        return answer

    def knows(self, text: str, operation_name: str | None, variables: dict[str, Any]) -> bool:
        """Whether the result is cached."""
        return _key(text, operation_name, variables) in self._answers


def _key(text: str, operation_name: str | None, variables: dict[str, Any]) -> tuple[str, str | None, str]:
    return text, operation_name, repr(sorted(variables.items()))


def execute_bounded(
    api: Any, text: str, run: GraphqlRun, operation_name: str | None, variables: dict[str, Any]
) -> tuple[Any, list[GraphQLError]]:
    """The data and errors of a document that contains introspection; raises TooComplex."""
    try:
        return oracle.execute(api, text, run, operation_name, variables, _Bounded)
    except _Full:
        most = f"{api.limits.introspection:,}"
        raise TooComplex(f"The answer about the schema has more than {most} values; ask for less at once") from None


class _Bounded(ExecutionContext):
    """An executor that counts the values of a result and caches the fields of each part of the schema.

    A schema refers to few types from very many places, so the cache saves seconds.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._left: int = self.context_value.api.limits.introspection
        self._known: dict[tuple[int, str], tuple[Any, int]] = {}
        self._texts: dict[int, str] = {}

    def execute_field(self, parent_type: Any, source: Any, field_nodes: Any, path: Any) -> Any:
        yield_processor()
        self._take(1)
        return super().execute_field(parent_type, source, field_nodes, path)

    def execute_fields(self, parent_type: Any, source_value: Any, path: Any, fields: Any) -> Any:
        """Cached by `id()`, which is safe: parts of the schema live as long as it, and the library keeps the fields."""
        if not isinstance(source_value, GraphQLType | GraphQLSchema):
            return super().execute_fields(parent_type, source_value, path, fields)
        key = id(source_value), self._text(fields)
        if key in self._known:
            answer, count = self._known[key]
            self._take(count)
            return answer
        before = self._left
        answer = super().execute_fields(parent_type, source_value, path, fields)
        self._known[key] = answer, before - self._left
        return answer

    def _text(self, fields: dict[str, list[FieldNode]]) -> str:
        text = self._texts.get(id(fields))
        if text is None:
            text = self._texts[id(fields)] = " ".join(print_ast(node) for nodes in fields.values() for node in nodes)
        return text

    def _take(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise _Full
