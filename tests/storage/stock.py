"""A small twin and templates of it of several sizes, for tests that compare environments with full copies of them."""

from __future__ import annotations

from twindiff.kit.rows import Column, Json, Row, column
from twindiff.kit.styles.base import Style
from twindiff.kit.twin import Operations, Twin

ROW_BYTES = 2000
SIZES = {"small": 100, "middle": 500, "large": 2500}
"""Rows of about two kilobytes: 0.2, 1 and 5 MB."""


class Part(Row, table="parts", key=("part_id",), indexes=(("shelf", "part_id"), ("number",)), words=("text",)):
    part_id: Column[int]
    shelf: Column[str]
    text: Column[str | None] = column(default=None)
    number: Column[int | None] = column(default=None)
    data: Column[Json | None] = column(default=None)


class Note(Row, table="notes", key=("note_id",), visibility="derived"):
    note_id: Column[int]
    at: Column[int]


twin = Twin("stock", Style(), Operations(), tables=[Part, Note])


def rows(count: int, size: int = ROW_BYTES) -> dict[str, list[dict[str, object]]]:
    """The rows of a template, of about so many bytes each."""
    return {
        "parts": [
            {
                "part_id": n,
                "shelf": f"S{n % 7}",
                "text": f"{n} " * (size // len(f"{n} ")),
                "number": n * 31 % count,
            }
            for n in range(count)
        ]
    }
