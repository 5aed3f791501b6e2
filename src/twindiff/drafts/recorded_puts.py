"""Says from recorded calls whether PUT keeps the fields that its body lacks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from .documents import Schema
from .placeholders import value_at
from .plan import OperationPlan
from .recordings import RecordedCall
from .schemas import SchemaSet

_EMPTY_VALUES: tuple[Any, ...] = (None, "", [], {})


class RecordedPuts:
    """Follows what requests gave of objects, and what answers show of it after a PUT that lacked it."""

    def __init__(self, schemas: SchemaSet) -> None:
        self._schemas = schemas
        self._given: dict[tuple[str, str], Schema] = {}
        self._lacking: dict[tuple[str, str], Schema] = {}
        """The known fields that the last PUT of each object left out, until an answer shows what became of them."""
        self._kept: list[bool] = []

    @property
    def are_merged(self) -> bool:
        """Whether objects kept what a PUT lacked, and none of them lost any of it."""
        return bool(self._kept) and all(self._kept)

    def read_request(self, call: RecordedCall, plan: OperationPlan, given: Mapping[str, str]) -> None:
        """Note what a PUT gave and lacked; `given` are the parameters of its path."""
        if call.verb != "PUT" or plan.stored is None or plan.body is None or plan.role.key not in given:
            return
        body: Any = value_at(call.body, plan.body.field)
        if isinstance(body, dict):
            at = (plan.stored.table, given[plan.role.key])
            known, settable = self._given.setdefault(at, {}), self._schemas.list_fields(plan.body.schema)
            self._lacking[at] = {name: known[name] for name in known.keys() & settable.keys() if name not in body}
            known.update(cast(Schema, body))

    def note_created(self, at: tuple[str, str], body: Schema) -> None:
        """Note the fields with which an object was created; `at` is its table and its key."""
        self._given[at] = dict(body)

    def note_shown(self, at: tuple[str, str], shown: Schema) -> None:
        """Note whether an answer shows what the last PUT of an object lacked as it was before, or without a value."""
        for name, value in self._lacking.pop(at, {}).items():
            if name in shown and value not in _EMPTY_VALUES and shown[name] in (value, *_EMPTY_VALUES):
                self._kept.append(shown[name] == value)
