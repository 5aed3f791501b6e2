"""Converts filters to expressions: comparators, relations at any depth and collections."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

from twindiff.kit.call import Call
from twindiff.kit.computed_values import Item, case, count
from twindiff.kit.rows import Column, Expression, Items, Source, all_of, any_of, exists, not_
from twindiff.kit.throttling import yield_processor

from .comparators import Given, fits
from .entity import EntitySpec, Field
from .errors import InvalidInput, NotImplementedHere
from .filter_grammar import is_empty, is_negative, is_vacuous, mentions_absence, null_flag, says_nothing_of_row
from .model import RelationLink
from .run import GraphqlRun, columns_of, exclude_archived
from .scalars import duration_of, stored_instant

NEVER = any_of()
Related = Callable[..., Any]
"""Converts conditions on a related row to the arguments of `exists` and `count`."""
Conditions = Callable[[Given], Sequence[Expression]]
"""Converts a filter on a row to conditions."""


def conditions_in(given: Any) -> int:
    """The number of conditions in a filter: its operators at any depth."""
    if isinstance(given, dict):
        return sum(map(conditions_in, cast(dict[str, Any], given).values()))
    if isinstance(given, list):
        return max(sum(conditions_in(each) for each in cast(list[Any], given) if isinstance(each, dict)), 1)
    return 1


def where(run: GraphqlRun, spec: EntitySpec, given: Given) -> tuple[Expression, ...]:
    """Convert a filter to conditions on an entity's row."""
    return tuple(_part(run, spec, name, value) for name, value in given.items() if value is not None)


def _part(run: GraphqlRun, spec: EntitySpec, name: str, value: Any) -> Expression:
    yield_processor()
    if name == "and":
        return all_of(*(all_of(*where(run, spec, each)) for each in value))
    if name == "or":
        return _alternatives(value, lambda each: where(run, spec, each))
    hook = run.model.hooks.get(("filter", f"{spec.name}.{name}"))
    if hook:
        return hook(run.call, value)
    field = spec.fields.get(name)
    if field is None or spec.row is None:
        column = columns_of(spec).get(name) if spec.row is not None else None
        if column is None:
            raise NotImplementedHere(f"The filter {spec.name}.{name}")
        return compare_column(run, spec, column, value)
    return _field(run, spec, field, value)


def _alternatives(branches: Sequence[Given], conditions: Conditions) -> Expression:
    """Convert an `or`: the keys of a branch are alternatives, and a branch that says nothing is dropped.

    A branch with a key that constrains nothing, such as `{title: {}}`, makes the whole `or` constrain nothing.
    """
    said = [each for each in branches if not is_empty(each)]
    keys = [(name, value) for each in said for name, value in each.items() if value is not None]
    if not said or any(is_vacuous({name: value}) for name, value in keys if not is_empty({name: value})):
        return all_of()
    return any_of(*(each for branch in said for each in conditions(branch)))


def _field(run: GraphqlRun, spec: EntitySpec, field: Field, value: Given) -> Expression:
    if field.kind == "one":
        return _one(run, spec, field, value)
    if field.kind in ("many", "list") and field.target in run.model.entities:
        link = run.model.links[spec.name, field.name]
        return no_rows(value) if link is None else many(run, spec, link, value)
    if field.kind == "column":
        column = columns_of(spec)[field.column]
        return match_list(column, value) if field.shape.is_list else compare_column(run, spec, column, value)
    raise NotImplementedHere(f"The filter {field!r}")


# A column


def compare_column(run: GraphqlRun, spec: EntitySpec, column: Column[Any], comparator: Given) -> Expression:
    """Convert a comparator on a column to a condition; operands may be durations, or names that `lookup` resolves."""
    return fits(column, comparator, partial(_operand, run, spec, column))


def _operand(run: GraphqlRun, spec: EntitySpec, column: Column[Any], operand: Any) -> Any:
    if isinstance(operand, list):
        return [_operand(run, spec, column, each) for each in cast(list[Any], operand)]
    if isinstance(operand, str) and column.kind in ("timestamp", "date"):
        instant = instant_of(run.call, operand)
        return instant[:10] if column.kind == "date" else instant
    if column.name == "id" and isinstance(operand, str):
        return run.filter_id(spec, operand)
    return operand


def instant_of(call: Call, text: str) -> str:
    """Convert an ISO 8601 instant, or a duration from now such as `-P2W`, to the text of a Timestamp column.

    Raises InvalidInput for a time beyond the calendar, and ValueError for any other text.
    """
    try:
        length = duration_of(text)
    except ValueError:
        return stored_instant(text)
    try:
        then = call.clock.now + length
    except OverflowError:
        raise InvalidInput(f"'{text}' leads beyond the calendar") from None
    return then.replace(tzinfo=None).isoformat()


# Relations


def _one(run: GraphqlRun, spec: EntitySpec, field: Field, given: Given) -> Expression:
    """Convert a filter on a to-one relation.

    `null: true` reads nothing else in the filter. Without a decision about null, a negative comparator keeps rows that
    lack the relation.
    """
    key = columns_of(spec)[field.column]
    flag = null_flag(given)
    if flag is True:
        return key.is_null()
    related = _match_related(run, run.model.target(field), key, given)
    if flag is False:
        return all_of(not_(key.is_null()), related)
    return any_of(key.is_null(), related) if mentions_absence(given) else related


def _match_related(run: GraphqlRun, target: EntitySpec, key: Column[Any], given: Given) -> Expression:
    parts: list[Expression] = []
    plain: dict[str, Any] = {}
    for name, value in given.items():
        if name == "and" and value is not None:
            parts += [_match_related(run, target, key, each) for each in value]
        elif name == "or" and value is not None:
            parts.append(_match_alternatives(run, target, key, value))
        elif name != "null" and value is not None:
            plain[name] = value
    if plain:
        matched = _match_target(run, target, key, plain)
        parts.append(any_of(key.is_null(), matched) if is_negative(plain) else matched)
    return parts[0] if len(parts) == 1 else all_of(*parts)


def _match_alternatives(run: GraphqlRun, target: EntitySpec, key: Column[Any], branches: list[Given]) -> Expression:
    """Convert an `or` on a relation. Beside others, an alternative that says nothing means the lack of a relation."""
    if not branches:
        return not_(key.is_null())
    silent = [says_nothing_of_row(each) for each in branches]
    said = [each for each, nothing in zip(branches, silent, strict=True) if not nothing]
    if not said or any(map(is_vacuous, said)):
        return all_of()
    keys = [{name: value} for each in said for name, value in each.items() if name != "null" and value is not None]
    matched = any_of(*(_match_related(run, target, key, each) for each in keys))
    return any_of(key.is_null(), matched) if any(silent) else matched


def _match_target(run: GraphqlRun, target: EntitySpec, key: Column[Any], given: Given) -> Expression:
    ids = given.get("id")
    if len(given) == 1 and ids and ids.keys() <= {"eq", "in"} and None not in ids.values() and not run.visible(target):
        return _compared_key(run, target, key, ids)  # the key suffices; the target row need not be read
    if target.row is None:
        return NEVER
    with run.deeper():
        return exists(target.row, columns_of(target)["id"] == key, *run.visible(target), *where(run, target, given))


def _compared_key(run: GraphqlRun, target: EntitySpec, key: Column[Any], comparator: Given) -> Expression:
    named = {op: _names(run, target, operand) for op, operand in comparator.items()}
    return compare_column(run, target, key, named)


def _names(run: GraphqlRun, target: EntitySpec, operand: Any) -> Any:
    if isinstance(operand, list):
        return [run.filter_id(target, each) for each in cast(list[str], operand)]
    return run.filter_id(target, operand)


def many(run: GraphqlRun, spec: EntitySpec, link: RelationLink, given: Given) -> Expression:
    """Convert a collection filter (`some`, `every`, `length`); bare fields mean that some row matches them all."""
    return _deeper(run, link.target, lambda *conditions: _link_conditions(run, spec, link, conditions), given)


def collection(
    run: GraphqlRun, target: EntitySpec, given: Given, *belongs: Expression, source: Source | None = None
) -> Expression:
    """Convert a collection filter on rows of `target` related to the outer row by `belongs`, or on rows of `source`."""
    seen = (*exclude_archived(target), *run.visible(target), *belongs)
    return _deeper(run, target, lambda *conditions: (source or target.row, *seen, *conditions), given)


def _deeper(run: GraphqlRun, target: EntitySpec, related: Related, given: Given) -> Expression:
    with run.deeper():
        return _of_many(related, partial(where, run, target), given)


def match_list(column: Column[Any], given: Given) -> Expression:
    """Convert a filter (`some`, `every`, `length`) on a column with a list of texts."""
    words = _meanings(lambda *conditions: (Items(column), *conditions), lambda each: (fits(Item.value, each),))
    return all_of(*(words[word](value) for word, value in given.items() if value is not None))


def _of_many(related: Related, conditions: Conditions, given: Given) -> Expression:
    return in_words(given, _meanings(related, conditions))


def _meanings(related: Related, conditions: Conditions) -> dict[str, Callable[[Any], Expression]]:
    return {word: partial(meaning, related, conditions) for word, meaning in _COLLECTION.items()}


def in_words(given: Given, words: Mapping[str, Callable[[Any], Expression]]) -> Expression:
    """Convert a collection filter with a function for each of its keywords; other fields together mean `some`.

    Of several keywords, the first in the order `and or length every some` is read, and then the other fields.
    `words` must have `some`; `and`, `or` and `null` are handled here. A collection is never null.
    """
    if given.get("and") is not None:
        return all_of(*(in_words(each, words) for each in given["and"]))
    if given.get("or") is not None:
        branches: list[Given] = given["or"]
        silent = any(map(is_vacuous, branches))
        return all_of() if silent or not branches else any_of(*(in_words(each, words) for each in branches))
    if given.get("null"):
        return NEVER
    for word in ("length", "every", "some"):
        if given.get(word) is not None:
            return words[word](given[word])
    plain = {name: value for name, value in given.items() if name != "null" and value is not None}
    return words["some"](plain) if plain else all_of()


def _some(related: Related, conditions: Conditions, given: Given) -> Expression:
    """Convert `some`. A negative filter also matches an empty collection, since it negates `every`."""
    if is_vacuous(given):
        return all_of()
    matched = exists(*related(*conditions(given)))
    return any_of(not_(exists(*related())), matched) if is_negative(given) else matched


def _every(related: Related, conditions: Conditions, given: Given) -> Expression:
    """Convert `every`. A filter that does not negate matches no empty collection."""
    if is_vacuous(given):
        return all_of()
    matched = not_(exists(*related(not_(all_of(*conditions(given))))))
    return matched if is_negative(given) else all_of(exists(*related()), matched)


def _length(related: Related, conditions: Conditions, comparator: Given) -> Expression:
    return fits(count(*related()), comparator)


_COLLECTION: dict[str, Callable[[Related, Conditions, Any], Expression]] = {
    "some": _some, "every": _every, "length": _length,
}  # fmt: skip


def _link_conditions(run: GraphqlRun, spec: EntitySpec, link: RelationLink, conditions: tuple[Expression, ...]) -> Any:
    """The arguments of `exists` and `count` for the linked rows that are visible and not archived."""
    target = link.target
    mine = columns_of(spec)["id"]
    seen = (*exclude_archived(target), *run.visible(target), *conditions)
    if link.by is not None:
        return (target.row, link.by == mine, *seen)
    assert link.mine is not None
    assert link.theirs is not None
    row = exists(target.row, columns_of(target)["id"] == link.theirs, *seen)
    return (link.mine.table, link.mine == mine, *between(run, link), row)


def between(run: GraphqlRun, link: RelationLink) -> tuple[Expression, ...]:
    """Conditions on the association table: if it is an entity, its rows must not be archived."""
    assert link.mine is not None
    spec = run.model.entity_of_row(link.mine.table)
    return exclude_archived(spec) if spec else ()


def no_rows(given: Given) -> Expression:
    """Convert a collection filter on a collection that is always empty."""
    return in_words(given, _EMPTY)


def _nothing_to_match(given: Given) -> Expression:
    return all_of() if is_vacuous(given) or is_negative(given) else NEVER


_EMPTY: dict[str, Callable[[Any], Expression]] = {
    "some": _nothing_to_match,
    "every": _nothing_to_match,
    "length": lambda given: fits(case("integer", otherwise=0), given),
}
