"""Rows with which an environment of a drafted twin can begin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from twindiff.kit.clock import Clock

from .documents import Schema
from .names import snake
from .overlay import Overlay
from .placeholders import names_in
from .plan import STATES
from .resources import ResourceMap
from .schemas import SchemaSet
from .tables import StoredResource
from .values import ValueMaker

SAMPLE_ROWS = 3
MAX_SAMPLE_ROWS = 1000
"""The number from which made rows count down, so that they stand before all that calls create."""
_BEGIN = Clock(1_767_225_600_000_000)
"""The first instant of 2026, at which sample rows were made."""

TemplateRows = Mapping[str, list[dict[str, Any]]]


class SampleRows:
    """Makes the templates of a drafted twin; the same description gives the same rows."""

    def __init__(
        self, resource_map: ResourceMap, stored: Mapping[str, StoredResource], overlay: Overlay, schemas: SchemaSet
    ) -> None:
        self._resource_map, self._stored, self._overlay, self._schemas = resource_map, stored, overlay, schemas
        self._maker = ValueMaker(schemas)

    def base(self) -> TemplateRows:
        """The rows of the overlay, and one object of each kind that operations look up or list, but cannot create."""
        return self._make({name: 1 for name, each in self._stored.items() if self._is_given(each)})

    def sample(self) -> TemplateRows:
        """Three objects of each kind that operations look up or list."""
        return self._make({name: SAMPLE_ROWS for name in self._stored if self._is_listed(name)})

    def _is_listed(self, name: str) -> bool:
        return any(
            role.resource == name and role.kind in ("collection", "member")
            for role in self._resource_map.roles.values()
        )

    def _is_given(self, stored: StoredResource) -> bool:
        return stored.table in self._overlay.seeds or (
            not stored.resource.creatable and self._is_listed(stored.resource.name)
        )

    def _make(self, counts: Mapping[str, int]) -> TemplateRows:
        made: dict[str, list[dict[str, Any]]] = {}
        for name, count in counts.items():
            stored = self._stored[name]
            given = self._overlay.seeds.get(stored.table)
            rows = self._declared_rows(stored, given) if given else None
            made[stored.table] = rows or [self._row(stored, number) for number in range(1, count + 1)]
        return made

    def read_template(self, name: str) -> TemplateRows:
        """The rows of a further template of the overlay."""
        by_table = {each.table: each for each in self._stored.values()}
        return {
            table: self._declared_rows(by_table[table], rows) for table, rows in self._overlay.templates[name].items()
        }

    def _declared_rows(self, stored: StoredResource, given: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return rows as an overlay gives them, by column, in its order and before all that calls create."""
        about = self._overlay.resources.get(stored.table)
        defaults = (
            {} if about is None else {name: each for name, each in about.defaults.items() if not [*names_in(each)]}
        )
        initial = {about.states.field: about.states.initial} if about and about.states else {}
        names = {**stored.columns, **stored.parents}
        return [
            {names[name]: value for name, value in {**defaults, **initial, **row}.items() if value is not None}
            | {stored.order: number - len(given)}
            for number, row in enumerate(given)
        ]

    def _row(self, stored: StoredResource, number: int) -> dict[str, Any]:
        """Return the columns of an object: what its schema requires, its names, and what stands above it."""
        required = {name for schema in stored.resource.shown for name in self._schemas.required_fields(schema)}
        row: dict[str, Any] = {stored.columns[stored.resource.key]: self._key(stored, number)}
        for field, schema in stored.schemas.items():
            column = stored.columns[field]
            if column in row:
                continue
            if snake(field) in ("name", "title", "login", "slug", "display_name", "summary", "subject"):
                row[column] = f"{stored.resource.name.replace('_', ' ')} {number}"
            elif snake(field) == "number":
                row[column] = number
            elif field in required or snake(field) in STATES:
                row[column] = self._value(schema, field, f"{stored.resource.name}{number}.{field}")
        for placeholder, column in stored.parents.items():
            row[column] = self._key_above(placeholder)
        kept = {name: value for name, value in row.items() if value is not None and self._fits(stored, name, value)}
        return {**kept, stored.order: number - MAX_SAMPLE_ROWS}

    def _fits(self, stored: StoredResource, column: str, value: Any) -> bool:
        kinds: dict[str, Any] = {"text": str, "integer": int, "float": (int, float), "boolean": bool}
        wanted = kinds.get(getattr(stored.row, column).kind)
        return wanted is None or (isinstance(value, wanted) and not (wanted is int and isinstance(value, bool)))

    def _value(self, schema: Schema, field: str, seed: str) -> Any:
        return self._maker.make(schema, field, seed, _BEGIN)

    def _key(self, stored: StoredResource, number: int) -> Any:
        schema = stored.schemas.get(stored.resource.key, {})
        return self._maker.make_key(schema, stored.resource.name, number)

    def _key_above(self, placeholder: str) -> str:
        """Return the key of the first object that a placeholder above names."""
        for role in self._resource_map.roles.values():
            if role.kind == "member" and role.key == placeholder and role.resource in self._stored:
                return str(self._key(self._stored[role.resource], 1))
        return placeholder
