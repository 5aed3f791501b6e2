"""Conditions on the words of texts, as the filters `searchableContent` have them."""

from __future__ import annotations

from typing import Any

from twindiff.kit import all_of, any_of, not_
from twindiff.kit.graphql.errors import NullOperand
from twindiff.kit.rows import Column, Expression


def match_all_words(columns: tuple[Column[Any], ...], comparator: dict[str, Any]) -> Expression:
    """Build the condition that every word of a text occurs in at least one of the columns."""

    def holds(text: str) -> Expression:
        return all_of(*(any_of(*(column.contains(word, fold=True) for column in columns)) for word in text.split()))

    parts: list[Expression] = []
    for operator, operand in comparator.items():
        if operand is None and operator not in ("and", "or"):
            raise NullOperand(operator)
    if comparator.get("contains") is not None:
        parts.append(holds(comparator["contains"]))
    if comparator.get("notContains") is not None:
        parts.append(not_(holds(comparator["notContains"])))
    return all_of(*parts)
