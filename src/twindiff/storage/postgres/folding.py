"""Python's case folding as functions of the database, so that both engines fold alike."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator
from functools import cache

from . import word_index
from .text import literal

HEAD = 400
"""Letters of a folded text that an index keeps, each of four bytes at most; an index refuses more than 2,700."""

TRUSTED = "ALTER FUNCTION twindiff.folded_head(text) LEAKPROOF"
"""Says that the function tells nobody of the rows that it sees, without which no index by it is used where rows belong
to environments. Only a superuser may say so."""


@cache
def functions() -> tuple[str, ...]:
    """What creates `twindiff.casefold`, `twindiff.folded_head`, `twindiff.without_accents` and `twindiff.words`."""
    return tuple(_functions())


def _functions() -> Iterator[str]:
    folds = {chr(code): chr(code).casefold() for code in range(0x80, sys.maxunicode + 1) if not 0xD800 <= code < 0xE000}
    changed = {plain: folded for plain, folded in folds.items() if plain != folded}
    single = {plain: folded for plain, folded in changed.items() if len(folded) == 1}
    several = {plain: folded for plain, folded in changed.items() if len(folded) > 1}
    translated = f'translate(lower(given COLLATE "C"), {literal("".join(single))}, {literal("".join(single.values()))})'
    head = "LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE"
    yield f"CREATE OR REPLACE FUNCTION twindiff.fold_one(given text) RETURNS text {head} RETURN {translated}"
    yield (
        f"CREATE OR REPLACE FUNCTION twindiff.fold_all(given text) RETURNS text {head} "
        f"RETURN twindiff.fold_one({_replaced('given', several)})"
    )
    yield (
        f"CREATE OR REPLACE FUNCTION twindiff.casefold(given text) RETURNS text {head} RETURN "
        'CASE WHEN octet_length(given) = length(given) THEN lower(given COLLATE "C") '
        f"WHEN given ~ {literal(f'[{_spans([*several])}]')} THEN twindiff.fold_all(given) "
        f"WHEN given ~ {literal(f'[{_spans([*single])}]')} THEN twindiff.fold_one(given) "
        'ELSE lower(given COLLATE "C") END'
    )
    # In another language, so that PostgreSQL does not put what it is made of in its place.
    yield (
        "CREATE OR REPLACE FUNCTION twindiff.folded_head(given text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT "
        f"PARALLEL SAFE AS $$ BEGIN RETURN left(twindiff.casefold(given), {HEAD}); END $$"
    )
    marks = [chr(code) for code in range(0x300, sys.maxunicode + 1) if unicodedata.combining(chr(code))]
    yield (
        f"CREATE OR REPLACE FUNCTION twindiff.without_accents(given text) RETURNS text {head} RETURN "
        'CASE WHEN octet_length(given) = length(given) THEN lower(given COLLATE "C") ELSE '
        f"regexp_replace(normalize(twindiff.casefold(given), NFD), {literal(f'[{_spans(marks)}]')}, '', 'g') END"
    )
    yield word_index.function()


def _replaced(text: str, folds: dict[str, str]) -> str:
    for plain, folded in folds.items():
        text = f"replace({text}, {literal(plain)}, {literal(folded)})"
    return text


def _spans(letters: list[str]) -> str:
    """Letters as the inside of a bracket expression."""
    spans: list[list[str]] = []
    for letter in letters:
        if spans and ord(letter) == ord(spans[-1][1]) + 1:
            spans[-1][1] = letter
        else:
            spans.append([letter, letter])
    return "".join(first if first == last else f"{first}-{last}" for first, last in spans)
