"""The name of a template is made in parts, and is what it always was."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.storage.stock import twin
from twindiff.storage import schema as schema_module
from twindiff.storage.schema import Schema
from twindiff.storage.values import canonical

SCHEMA = Schema("stock", twin.tables)
Rows = dict[str, list[dict[str, Any]]]

PARTS = st.lists(
    st.fixed_dictionaries({"part_id": st.integers(0, 10**6), "text": st.text(max_size=40)}),
    max_size=70,
    unique_by=lambda row: row["part_id"],
)


def all_at_once(rows: Rows, counters: dict[str, int]) -> str:
    """As templates in data directories are named."""
    content = [
        sorted(
            (
                tuple(row[name] for name in table.key),
                msgspec.msgpack.encode([canonical(row.get(name)) for name in table.columns]),
            )
            for row in rows.get(table.name, ())
        )
        for table in SCHEMA.tables.values()
    ]
    return blake2b(msgspec.msgpack.encode([SCHEMA.hash, content, sorted(counters.items())]), digest_size=16).hexdigest()


@given(PARTS, st.dictionaries(st.text(max_size=5), st.integers(0, 10**9), max_size=20))
def test_it_is_that_of_all_rows_at_once(parts: list[dict[str, Any]], counters: dict[str, int]):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema_module, "SORTED_AT_ONCE", 7)
        assert SCHEMA.content_hash({"parts": parts}, counters) == all_at_once({"parts": parts}, counters)


@pytest.mark.parametrize("count", [0, 15, 16, 2_000, 65_535, 65_536])
def test_it_is_so_however_many_rows_there_are(count: int):
    parts = [{"part_id": number} for number in range(count)]
    assert SCHEMA.content_hash({"parts": parts[::-1]}, {}) == all_at_once({"parts": parts}, {})
