"""Pages of connections: conditions, order and size. A cursor is the id of a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from twindiff.kit.rows import Column, Expression, Order, all_of, any_of, not_

from .entity import EntitySpec
from .errors import InvalidInput, NotImplementedHere, TwoOrders
from .filter_expressions import NEVER, conditions_in, where
from .run import GraphqlRun, columns_of, exclude_archived

Arguments = Mapping[str, Any]
DEFAULT_SIZE = 50
MAX_PAGE_SIZE = 250
_NAMES = ("name", "title", "displayName", "number", "createdAt")


class PageQuery(NamedTuple):
    """The query for one page. The loader reads one row more than `size` to find out whether there are more."""

    where: tuple[Expression, ...]
    order: tuple[Order, ...]
    size: int
    backward: bool
    inside: bool
    """Whether the page begins at a cursor."""
    matching: tuple[Expression, ...]
    """The conditions on all rows of the connection."""


def page_of(
    run: GraphqlRun,
    spec: EntitySpec,
    arguments: Arguments,
    more: tuple[Expression, ...] = (),
    order: tuple[Any, ...] = (),
) -> PageQuery:
    """The page of visible rows for a connection's arguments, with `more` conditions and an `order` in place of theirs.

    Raises InvalidInput for an invalid size or cursor.
    """
    conditions = [*run.visible(spec), *more]
    if not arguments.get("includeArchived"):
        conditions += exclude_archived(spec)
    if spec.word("enabled") and not arguments.get("includeDisabled"):
        conditions.append(columns_of(spec)[spec.word("enabled")])
    if arguments.get("filter"):
        run.count_conditions(conditions_in(arguments["filter"]))
        conditions += where(run, spec, arguments["filter"])
    terms = tuple(_order(each) for each in order) or terms_of(run, spec, arguments)
    backward = arguments.get("last") is not None or (
        arguments.get("before") is not None and arguments.get("first") is None
    )
    terms = tuple(_reverse_order(each) for each in terms) if backward else terms
    side, size = "before" if backward else "after", size_of(arguments)
    cursor = arguments.get(side)
    matching = tuple(conditions)
    beyond = () if cursor is None else (_beyond(run, spec, terms, side, cursor),)
    return PageQuery((*matching, *beyond), terms, size, backward, cursor is not None, matching)


def size_of(arguments: Arguments) -> int:
    """The size of a page, 50 by default; raises InvalidInput outside 1 to 250, or for both `first` and `last`."""
    first, last = arguments.get("first"), arguments.get("last")
    if first is not None and last is not None:
        raise InvalidInput("give either first or last, not both")
    size = first if first is not None else last if last is not None else DEFAULT_SIZE
    name = "last" if first is None else "first"
    if size < 1:
        raise InvalidInput(f"{name} must not be less than 1.", property=name, value=size, constraint="min")
    if size > MAX_PAGE_SIZE:
        text = f"{name} must not be greater than {MAX_PAGE_SIZE}."
        raise InvalidInput(text, property=name, value=size, constraint="max")
    return size


# Order


def terms_of(run: GraphqlRun, spec: EntitySpec, arguments: Arguments) -> tuple[Order, ...]:
    """The total order for `sort` or `orderBy`, by default newest first; the id is its last term."""
    if arguments.get("sort") is not None and arguments.get("orderBy") is not None:
        raise TwoOrders
    columns = columns_of(spec)
    asked = [
        (name, options) for each in arguments.get("sort") or () for name, options in each.items() if options is not None
    ]
    terms = [term for name, options in asked for term in _sort_orders(run, spec, name, options)]
    if not terms:
        name = arguments.get("orderBy") or spec.word("order") or "createdAt"
        terms = [Order(columns.get(name, columns["id"]), descending=name in ("createdAt", "updatedAt"))]
    if any(term.column is columns["id"] for term in terms):
        return tuple(terms)
    descending = _is_descending(asked[-1][1]) if asked else terms[-1].descending
    return (*terms, Order(columns["id"], descending))


def _is_descending(options: Arguments) -> bool:
    return options.get("order") == "Descending"


def _sort_orders(run: GraphqlRun, spec: EntitySpec, name: str, options: Arguments) -> list[Order]:
    orders: list[Order] = []
    nulls = "first" if options.get("nulls") == "first" else "last"
    for part in _sort_parts(run, spec, name, options):
        order = _order(part)
        turned = _reverse_order(order) if _is_descending(options) else order
        orders.append(turned if order.nulls else turned._replace(nulls=nulls))
    return orders


def _sort_parts(run: GraphqlRun, spec: EntitySpec, name: str, options: Arguments) -> Any:
    hook = run.model.hooks.get(("sort", f"{spec.name}.{name}"))
    if hook:
        parts = hook(run.call, options)
        return cast(Any, parts) if isinstance(parts, tuple) and not isinstance(parts, Order) else (parts,)
    columns = columns_of(spec)
    field = spec.fields.get(name)
    if field and field.kind == "one" and (target := run.model.target(field)).row is not None:
        theirs = columns_of(target)
        shown = next(theirs[each] for each in _NAMES if each in theirs)
        return (columns[field.column].to(shown),)
    if name in columns:
        return (columns[name],)
    raise NotImplementedHere(f"The sort {spec.name}.{name}")


def _order(part: Any) -> Order:
    return part if isinstance(part, Order) else Order(part, descending=False)


def _reverse_order(term: Order) -> Order:
    return term._replace(descending=not term.descending, nulls="first" if _nulls(term) == "last" else "last")


def _nulls(term: Order) -> str:
    return term.nulls or ("last" if term.descending else "first")


# Cursors


def _beyond(run: GraphqlRun, spec: EntitySpec, orders: tuple[Order, ...], side: str, cursor: str) -> Expression:
    """The condition for the rows after the one that the cursor, the argument `side`, names."""
    columns = tuple(order.column for order in orders)
    rows = run.db.rows(spec.row, columns_of(spec)["id"] == cursor, columns=columns)
    if not rows:
        raise _no_cursor(side, cursor)
    values = rows[0]
    steps: list[Expression] = []
    for at, order in enumerate(orders):
        same = [each.column == value for each, value in zip(orders[:at], values[:at], strict=True)]
        steps.append(all_of(*same, _past(order, values[at])))
    first = orders[0]
    if first.column.nullable or len(orders) == 1:
        return any_of(*steps)
    # The first column is compared twice, so that an index on it finds the first row:
    # `a >= 3 AND (a > 3 OR (a = 3 AND id > 'x'))`.
    within = first.column <= values[0] if first.descending else first.column >= values[0]
    return all_of(within, any_of(*steps))


def _no_cursor(side: str, cursor: str) -> InvalidInput:
    text = f"{side} is not a valid pagination cursor identifier."
    return InvalidInput(text, property=side, value=cursor, constraint="customValidation")


def _past(order: Order, value: Any) -> Expression:
    column: Column[Any] = order.column
    nulls = _nulls(order)
    if value is None:
        return not_(column.is_null()) if nulls == "first" else NEVER
    beyond = column < value if order.descending else column > value
    return any_of(beyond, column.is_null()) if nulls == "last" and column.nullable else beyond
