"""Converts rows to the JSON objects of an API, declared field by field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar, cast

from .rows import Column, Row

R = TypeVar("R", bound=Row)


class View(Generic[R]):
    """Converts a row to a dict: each field is a column, a function of the row, or a constant.

        account_object = View(Account, object="account", id=Account.account_id, open=lambda row: not row.is_closed)

    Names that are Python keywords go into a leading dict: `View(Entry, {"from": Entry.source})`. Raises TypeError for a
    column of another table and for a mutable constant.
    """

    def __init__(self, table: type[R], first: Mapping[str, Any] | None = None, /, **fields: Any) -> None:
        self.fields = {**(first or {}), **fields}
        values: list[Any] = []
        parts = [f"{name!r}: {_text(table, field, values)}" for name, field in self.fields.items()]
        # Compiled, it is as fast as a dict display written by hand. The example above becomes
        # `lambda row: {'object': v[0], 'id': row.account_id, 'open': v[1](row)}`.
        self._show = cast(Callable[[R], dict[str, Any]], eval(f"lambda row: {{{', '.join(parts)}}}", {"v": values}))

    def __call__(self, row: R) -> dict[str, Any]:
        """The fields of a row by name."""
        return self._show(row)


def _text(table: type[Row], field: Any, values: list[Any]) -> str:
    if isinstance(field, Column):
        column = cast(Column[Any], field)
        if column.table is not table or column.worked or column.path:
            raise TypeError(
                f"A view of {table.__name__} shows its columns and functions of its rows, not {column.name}"
            )
        return f"row.{column.name}"
    if not callable(field) and not isinstance(field, str | int | float | bool | None):
        raise TypeError(f"A constant that can change would be shared by all answers; write lambda row: {field!r}")
    values.append(field)
    return f"v[{len(values) - 1}]" + ("(row)" if callable(field) else "")
