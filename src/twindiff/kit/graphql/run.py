"""The state of one execution of a document: the call, the variables, and conditions shared by all loads."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from twindiff.kit.call import Call
from twindiff.kit.rows import Column, Expression, table_of

from .entity import EntitySpec
from .errors import TooComplex
from .model import EntityModel

DEEPEST_FILTER = 8
"""The most relations that a filter may nest."""


class GraphqlRun:
    """The context of an execution, for loaders and entity operations."""

    __slots__ = ("_conditions", "_depth", "_most", "_visible", "call", "db", "model", "variables")

    def __init__(self, model: EntityModel, call: Call, variables: dict[str, Any], most_conditions: int = 500) -> None:
        self.model = model
        self.call = call
        self.db = call.db
        self.variables = variables
        self._depth = self._conditions = 0
        self._most = most_conditions
        self._visible: dict[str, tuple[Expression, ...]] = {}

    def visible(self, spec: EntitySpec) -> tuple[Expression, ...]:
        """The condition under which a row of an entity is visible to the actor; empty if all are."""
        spec = spec.parent or spec
        conditions = self._visible.get(spec.name)
        if conditions is None:
            hook = self.model.hooks.get(("visible", spec.name))
            condition = hook(self.call) if hook else None
            conditions = self._visible[spec.name] = () if condition is None else (condition,)
        return conditions

    @contextmanager
    def deeper(self) -> Generator[None]:
        """Enter one more relation of a filter for the block; raises TooComplex beyond DEEPEST_FILTER."""
        if self._depth >= DEEPEST_FILTER:
            raise TooComplex(f"The filter goes through more than {DEEPEST_FILTER} relations")
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def count_conditions(self, more: int) -> None:
        """Add to the number of conditions of all filters; raises TooComplex beyond the limit of an operation."""
        self._conditions += more
        if self._conditions > self._most:
            raise TooComplex(f"The filters have more than {self._most} conditions")

    def forget(self) -> None:
        """Drop the cached visibility conditions and `call.memo` after a write."""
        self._visible.clear()
        self.call.memo.clear()

    def id_of(self, spec: EntitySpec, given: str) -> str:
        """The id of an entity from an id or another name, which a `lookup` hook resolves."""
        hook = self.model.hooks.get(("lookup", spec.name))
        return hook(self.call, given) if hook else given

    def filter_id(self, spec: EntitySpec, given: str) -> str:
        """The id that an operand of a filter stands for; raises the vendor's error for one of another form."""
        id = self.id_of(spec, given)
        if self.model.checks_filter_id:
            self.model.checks_filter_id(self, spec, given, id)
        return id


def columns_of(spec: EntitySpec) -> dict[str, Column[Any]]:
    """The columns of an entity's table by name."""
    return table_of(spec.row).columns


def exclude_archived(spec: EntitySpec) -> tuple[Expression, ...]:
    """The condition that excludes archived rows; empty if the entity has no archive."""
    column = columns_of(spec).get("archivedAt")
    return () if column is None else (column.is_null(),)
