"""What a filter says before it is compiled: whether it constrains anything, negates, or decides about null.

Linear's filters follow no textbook logic where rows lack a relation. The rules below were measured on its API:
https://github.com/brekkylab/backlot/pull/116 · https://github.com/brekkylab/backlot/pull/133
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from .comparators import ORDERED, STRING

Given = Mapping[str, Any]

NEGATIVE = frozenset(
    ["neq", "nin", "neqIgnoreCase", "notContains", "notContainsIgnoreCase", "notStartsWith", "notEndsWith"]
)
"""The operators of comparators that negate."""
OPERATORS = NEGATIVE | frozenset(STRING.split()) | frozenset(ORDERED.split())
"""The operators of comparators but `null`, which is a word of relations and collections as well."""
_LISTS = ("and", "or")


def is_empty(given: Given) -> bool:
    """Whether a filter has no field but null ones and empty `and` and `or`: a branch that says nothing."""
    return all(value is None or (name in _LISTS and all(map(is_empty, value))) for name, value in given.items())


def is_vacuous(given: Given) -> bool:
    """Whether no comparator inside a filter has an operator, as in `{name: {}}`: every row matches.

    An empty `or` is a predicate that every row satisfies, so a collection or relation must still have a row.
    """
    return all(_says_nothing(name, value) for name, value in given.items())


def _says_nothing(name: str, value: Any) -> bool:
    if value is None:
        return name not in OPERATORS  # a null operand is a condition, a null field is none
    if name in _LISTS:
        return all(map(is_vacuous, value)) if name == "and" else _is_open(value)
    return isinstance(value, dict) and is_vacuous(cast(Given, value))


def _is_open(branches: list[Given]) -> bool:
    """Whether an `or` constrains nothing: a branch has a comparator without an operator, or all are empty."""
    return any(is_vacuous(each) and not is_empty(each) for each in branches) or (
        bool(branches) and all(map(is_vacuous, branches))
    )


def is_negative(given: Given) -> bool:
    """Whether a filter reads as a negation: each of its comparators has negative operators only.

    An `and` is negative if all branches are, an `or` if one is or is empty.
    """
    parts = [_negates(name, value) for name, value in given.items() if not _says_nothing(name, value)]
    return bool(parts) and all(parts)


def _negates(name: str, value: Any) -> bool:
    if name in _LISTS and value is None:
        return False
    if name == "and":
        return all(is_negative(each) for each in value if not is_vacuous(each))
    if name == "or":
        return any(
            (is_empty(each) and "or" not in each) or any(_negates(*item) for item in each.items()) for each in value
        )
    return is_negative(cast(Given, value)) if isinstance(value, dict) else name in NEGATIVE


def null_flag(given: Given) -> bool | None:
    """What a filter on a to-one relation decides about its absence: its `null`, else that of its branches."""
    if given.get("null") is not None:
        return given["null"]
    flags = [_branch_flag(each) for each in given.get("and") or ()]
    if any(flags):
        return True
    if False in flags:
        return False
    common = {null_flag(each) for each in given.get("or") or ()}
    return common.pop() if len(common) == 1 else None


def _branch_flag(branch: Given) -> bool | None:
    """The flag of a branch of `and`; an `or` in it decides true if all alternatives do, false by `null: false`."""
    if branch.get("null") is not None:
        return branch["null"]
    alternatives = branch.get("or") or ()
    if alternatives and all(each.get("null") for each in alternatives):
        return True
    bare = any(each.get("null") is False and is_empty(_without_null(each)) for each in alternatives)
    return False if bare and not any(each.get("null") for each in alternatives) else None


def _without_null(given: Given) -> Given:
    return {name: value for name, value in given.items() if name != "null"}


def says_nothing_of_row(branch: Given) -> bool:
    """Whether an alternative of an `or` on a relation says nothing about the related row: `{}`, `{null: …}`."""
    alternatives = branch.get("or") or ()
    rest = {name: value for name, value in branch.items() if name not in ("null", "or")}
    return is_empty(rest) and (not alternatives or any(map(says_nothing_of_row, alternatives)))


def mentions_absence(given: Given) -> bool:
    """Whether `null: true` is anywhere in a filter on a relation, its branches included."""
    return given.get("null") is True or any(mentions_absence(each) for name in _LISTS for each in given.get(name) or ())
