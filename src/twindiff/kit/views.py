"""What an API shows of a row, declared field by field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar, cast

from .rows import Column, Row

R = TypeVar("R", bound=Row)


class View(Generic[R]):
    """Makes an object of a row: each field is a column, a function of the row, or a constant.

        account_object = View(Account, object="account", id=Account.account_id, open=lambda row: not row.is_closed)

    Names that Python keeps for itself stand in a dictionary before the others: `View(Entry, {"from": Entry.source})`.
    """

    def __init__(self, table: type[R], first: Mapping[str, Any] | None = None, /, **fields: Any) -> None:
        self.fields = {**(first or {}), **fields}
        values: list[Any] = []
        parts = [f"{name!r}: {_text(table, field, values)}" for name, field in self.fields.items()]
        # Compiled, it takes as long as the dictionary that one would write by hand.
        self._show = cast(Callable[[R], dict[str, Any]], eval(f"lambda row: {{{', '.join(parts)}}}", {"v": values}))

    def __call__(self, row: R) -> dict[str, Any]:
        """The object of a row."""
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
