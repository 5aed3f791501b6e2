"""The database folds texts as Python does."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from twindiff.kit.full_text import without_accents

from .cluster import Database

NAMES = ["Zoë", "MÜLLER, Straße 4", "ΣΊΣΥΦΟΣ", "İstanbul ISPARTA", "Ǆ ǅ ǆ", "東京 Tōkyō", "ÀÉÎ" * 400]


@pytest.fixture(scope="module")
def functions(database: Database) -> Database:
    database.initialise()
    return database


def all_of(database: Database, function: str, texts: list[str]) -> list[str]:
    query = f"SELECT twindiff.{function}(text) FROM unnest(%s::text[]) WITH ORDINALITY u(text, at) ORDER BY at"
    return [text for (text,) in database.psql(query, texts)]


def list_letters() -> list[str]:
    """All letters but surrogates, in texts of a thousand."""
    letters = [chr(code) for code in range(4, sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    return ["".join(letters[at : at + 1_000]) for at in range(0, len(letters), 1_000)]


@pytest.mark.parametrize("list_texts", [list_letters, lambda: NAMES], ids=["every letter", "names"])
def test_case_is_folded_as_python_folds_it(functions: Database, list_texts: Callable[[], list[str]]):
    texts = list_texts()
    assert all_of(functions, "casefold", texts) == [text.casefold() for text in texts]


def test_accents_are_taken_away_as_python_takes_them(functions: Database):
    assert all_of(functions, "without_accents", NAMES) == [without_accents(text) for text in NAMES]
