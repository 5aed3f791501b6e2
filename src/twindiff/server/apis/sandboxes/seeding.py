"""Seed rows of a sandbox, added to those of its scenario."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from twindiff.catalog import TemplateRecord
from twindiff.environments.templates import InvalidSeed, full_rows
from twindiff.kit.rows import Table
from twindiff.kit.twin import Twin
from twindiff.server.service import Service
from twindiff.storage import TemplatePayload

Values = dict[str, Any]


async def seed_scenario(service: Service, scenario: TemplateRecord, seed_data: Mapping[str, Any]) -> TemplateRecord:
    """Add rows to a scenario; a row whose key exists replaces the existing one. Raises InvalidSeed.
    The result is stored by content hash without a name, so equal ones are stored once and no list shows them.
    """
    twin = service.registry.get(scenario.service)

    def lay() -> TemplatePayload:
        given = full_rows(twin, seed_data)
        there = service.engine.template_rows(twin.name, scenario.hash)
        return service.templates.start(twin, _laid_over(twin, scenario, there, given))

    try:
        stored = await service.runtime.run_steps(service.templates.keep(twin, await service.runtime.run_in_thread(lay)))
    except RecursionError:
        raise InvalidSeed("seed_data: a value is nested too deeply to be stored") from None
    return msgspec.structs.replace(scenario, hash=stored.hash)


def _laid_over(
    twin: Twin, scenario: TemplateRecord, there: Mapping[str, list[Values]], given: Mapping[str, list[Values]]
) -> dict[str, list[Values]]:
    full: dict[str, list[Values]] = {}
    for table in twin.tables:
        added = given.get(table.name, [])
        keys = {_values(row, table.key) for row in added}
        kept = [row for row in there[table.name] if _values(row, table.key) not in keys]
        _refuse_taken(table, scenario, kept, added)
        full[table.name] = kept + added
    return full


def _refuse_taken(table: Table, scenario: TemplateRecord, kept: list[Values], added: list[Values]) -> None:
    """Raise InvalidSeed for an added row with a unique value that a remaining row of the scenario has."""
    for columns in table.unique if added else ():
        taken = {_values(row, columns) for row in kept}
        for number, row in enumerate(added):
            values = _values(row, columns)
            if values in taken and None not in values:
                said = f"{', '.join(columns)} = {', '.join(map(repr, values))}"
                raise InvalidSeed(f"{table.name}[{number}]: {said} is used by a row of '{scenario.name}'")


def _values(row: Values, columns: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(row[name] for name in columns)
