"""Finds rows of a seed that refer to rows that it lacks, such as a message whose author is no user."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from twindiff.kit.rows import table_of
from twindiff.storage.schema import Schema


def find_dangling(schema: Schema, rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[str]:
    """Yield a sentence for each column that refers to rows that do not exist, with the first such row."""
    for name, of_table in rows.items():
        for column, described in schema.tables[name].columns.items():
            other = table_of(described.references) if described.references else None
            if other is None or len(other.key) != 1:
                continue
            keys = {row[other.key[0]] for row in rows.get(other.name, ())}
            lacking = [at for at, row in enumerate(of_table) if row[column] is not None and row[column] not in keys]
            if lacking:
                more = f" ({len(lacking)} rows are like that)" if len(lacking) > 1 else ""
                value = of_table[lacking[0]][column]
                yield f"{name}[{lacking[0]}].{column}: {other.name} has no row '{value}'{more}"
