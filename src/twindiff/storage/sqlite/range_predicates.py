"""Range predicates: conditions on a column that an index answers, by equality, a list of values or a range."""

from __future__ import annotations

from twindiff.kit.rows import AllOf, AnyOf, Column, Expression, Where, table_of

_OPERATORS = frozenset(("=", "in", "<", "<=", ">", ">="))


def is_span(part: Expression) -> bool:
    """Whether an index of a column finds the rows for which a condition holds, perhaps with a few others."""
    if isinstance(part, AllOf):
        return any(map(is_span, part.parts))
    if isinstance(part, AnyOf):
        return bool(part.parts) and all(map(is_span, part.parts))
    return isinstance(part, Where) and part.op in _OPERATORS and _leads_an_index(part)


def _leads_an_index(part: Where) -> bool:
    column = part.column
    if column.worked is not None or column.path or isinstance(part.value, Column):
        return False
    table = table_of(column.table)
    return any(index[0] == column.name for index in (*table.indexes, *table.unique))
