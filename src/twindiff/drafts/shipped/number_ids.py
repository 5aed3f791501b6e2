"""Reads ids that are whole numbers from paths and fields."""

from __future__ import annotations

MAX_ID_DIGITS = 18
"""Decimal digits of an id that a column of whole numbers holds."""


def read_number_id(said: object) -> int:
    """Return the id that a path or field names; 0, which no object has, if it names none."""
    text = str(said)
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MAX_ID_DIGITS else 0
