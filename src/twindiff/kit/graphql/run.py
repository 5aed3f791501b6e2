"""One execution of a document: who asks, what the variables are, and what every load has in common."""

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
"""Relations that a filter may go through, one inside the other."""


class GraphqlRun:
    """What plans and verbs are given."""

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
        """The condition under which the actor sees rows of an entity; empty when all are seen."""
        spec = spec.parent or spec
        conditions = self._visible.get(spec.name)
        if conditions is None:
            hook = self.model.hooks.get(("visible", spec.name))
            condition = hook(self.call) if hook else None
            conditions = self._visible[spec.name] = () if condition is None else (condition,)
        return conditions

    @contextmanager
    def deeper(self) -> Generator[None]:
        """One relation further inside a filter; raises TooComplex beyond what a statement can hold."""
        if self._depth >= DEEPEST_FILTER:
            raise TooComplex(f"The filter goes through more than {DEEPEST_FILTER} relations")
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def count_conditions(self, more: int) -> None:
        """Count conditions of filters; raises TooComplex when there are more than one operation may have."""
        self._conditions += more
        if self._conditions > self._most:
            raise TooComplex(f"The filters have more than {self._most} conditions")

    def forget(self) -> None:
        """Ask again who sees what, after a write."""
        self._visible.clear()
        self.call.memo.clear()

    def id_of(self, spec: EntitySpec, given: str) -> str:
        """The id that a name of an entity means."""
        hook = self.model.hooks.get(("lookup", spec.name))
        return hook(self.call, given) if hook else given


def columns_of(spec: EntitySpec) -> dict[str, Column[Any]]:
    """The columns of an entity's table by name."""
    return table_of(spec.row).columns


def exclude_archived(spec: EntitySpec) -> tuple[Expression, ...]:
    """The condition that leaves archived rows out."""
    column = columns_of(spec).get("archivedAt")
    return () if column is None else (column.is_null(),)
