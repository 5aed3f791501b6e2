"""Fills a drafted twin from a configuration: a list of objects for each table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from twindiff.kit.call import Call
from twindiff.kit.seeding import InvalidSeedConfig, Person, Seeding
from twindiff.kit.suggestions import did_you_mean

from .interpreter import DraftInterpreter
from .tables import StoredResource


def make_seeding(stored: Mapping[str, StoredResource], interpreter: DraftInterpreter) -> Seeding:
    """Return how to fill a drafted twin: `{table: [{field: value}, …]}`; fields are the vendor's."""
    by_table = {each.table: each for each in stored.values()}
    fields: list[Any] = [
        (table, list[dict[str, Any]], msgspec.field(default_factory=list)) for table in sorted(by_table)
    ]
    shape = msgspec.defstruct("DraftedSeeds", fields, kw_only=True)

    def write(call: Call, parts: Any, people: Sequence[Person]) -> dict[str, int]:
        problems: list[str] = []
        counts: dict[str, int] = {}
        for table, kept in by_table.items():
            for number, given in enumerate(getattr(parts, table)):
                known = {*kept.columns, *kept.parents}
                unknown = [name for name in given if name not in known]
                problems += [
                    f"{table}[{number}].{name}: there is no such field{did_you_mean(name, known)}" for name in unknown
                ]
                if not unknown:
                    interpreter.store_seed(call, kept, given)
                counts[table] = counts.get(table, 0) + 1
        if problems:
            raise InvalidSeedConfig(problems)
        return counts

    return Seeding(shape, write)
