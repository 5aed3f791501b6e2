"""Answers about the schema: large, the same every time, and bounded by how much they say."""

from __future__ import annotations

from typing import Any

import msgspec
from graphql import GraphQLError

from twindiff.kit.pace import give_way

from . import oracle
from .cache import SizedCache
from .errors import TooComplex
from .run import Run

KEPT_BYTES = 8_000_000
"""Of answers about one schema; that to the question of tools has 1.4 MB."""


class _Full(BaseException):
    """An answer has become too large; no resolver may take this for a mistake in one field."""


class Introspections:
    """The latest answers that are about the schema alone, as JSON."""

    def __init__(self) -> None:
        self._answers: SizedCache[tuple[msgspec.Raw, list[GraphQLError]]] = SizedCache(KEPT_BYTES)

    def answer(
        self, api: Any, text: str, run: Run, operation_name: str | None, variables: dict[str, Any]
    ) -> tuple[Any, list[GraphQLError]]:
        """Data, as JSON that is written already, and errors; raises TooComplex."""
        key = _key(text, operation_name, variables)
        answer = self._answers.get(key)
        if answer is None:
            data, errors = bounded(api, text, run, operation_name, variables)
            answer = msgspec.Raw(msgspec.json.encode(data)), errors
            self._answers.put(key, answer, len(answer[0]) + len(text))
        return answer

    def knows(self, text: str, operation_name: str | None, variables: dict[str, Any]) -> bool:
        """Whether an answer is at hand."""
        return _key(text, operation_name, variables) in self._answers


def _key(text: str, operation_name: str | None, variables: dict[str, Any]) -> tuple[str, str | None, str]:
    return text, operation_name, repr(sorted(variables.items()))


def bounded(
    api: Any, text: str, run: Run, operation_name: str | None, variables: dict[str, Any]
) -> tuple[Any, list[GraphQLError]]:
    """Data and errors of a document that asks about the schema, among others; raises TooComplex."""
    left: int = api.limits.introspection

    def count(resolve: Any, source: Any, info: Any, **given: Any) -> Any:
        nonlocal left
        give_way()
        left -= 1
        if left < 0:
            raise _Full
        return resolve(source, info, **given)

    try:
        return oracle.execute(api, text, run, operation_name, variables, middleware=[count])
    except _Full:
        most = f"{api.limits.introspection:,}"
        raise TooComplex(f"The answer about the schema has more than {most} values; ask for less at once") from None
