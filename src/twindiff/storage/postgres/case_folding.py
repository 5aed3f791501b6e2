"""SQL functions that implement Python's case folding, so that both engines fold text identically."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache

from . import full_text_index, json_key_index
from .text_encoding import literal

HEAD = 400
"""Characters of a folded text in an index, each of at most four bytes; an index entry is limited to 2,700 bytes."""

TRUSTED = "ALTER FUNCTION twindiff.folded_head(text) LEAKPROOF"
"""Declares the function leakproof; under row-level security, PostgreSQL does not use an index by it otherwise. Requires
a superuser."""


@cache
def functions() -> tuple[str, ...]:
    """Return the DDL of `casefold`, `folded_head`, `without_accents`, `words` and `entries` in the schema `twindiff`.

    For example, `CREATE OR REPLACE FUNCTION twindiff.folded_head(given text) RETURNS text LANGUAGE plpgsql IMMUTABLE
    STRICT PARALLEL SAFE AS $$ BEGIN RETURN left(twindiff.casefold(given), 400); END $$`.
    """
    return tuple(_functions())


def _functions() -> Iterator[str]:
    folds = {chr(code): chr(code).casefold() for code in range(0x80, sys.maxunicode + 1) if not 0xD800 <= code < 0xE000}
    changed = {plain: folded for plain, folded in folds.items() if plain != folded}
    single = {plain: folded for plain, folded in changed.items() if len(folded) == 1}
    several = {plain: folded for plain, folded in changed.items() if len(folded) > 1}
    marks = [chr(code) for code in range(0x300, sys.maxunicode + 1) if unicodedata.combining(chr(code))]
    # For example, `single` has "Ä": "ä", `several` has "ß": "ss". The body of `casefold`, abbreviated:
    #   IF octet_length(given) = length(given) THEN RETURN lower(given COLLATE "C"); END IF;
    #   IF given ~ '[ßŉ…]' THEN given := replace(given, 'ß', 'ss')…; END IF;
    #   IF given !~ '[ÄÖ…]' THEN RETURN lower(given COLLATE "C"); END IF;
    #   capitals := regexp_replace(given, '[^ÄÖ…]+', '', 'g');
    #   RETURN translate(lower(given COLLATE "C"), capitals, translate(capitals, 'ÄÖ…', 'äö…'));
    lower, is_ascii = 'lower(given COLLATE "C")', "octet_length(given) = length(given)"
    yield _function(
        "casefold",
        f"IF {is_ascii} THEN RETURN {lower}; END IF; "
        f"IF given ~ {literal(f'[{_spans(several)}]')} THEN given := {_replace_folds('given', several)}; END IF; "
        f"IF given !~ {literal(f'[{_spans(single)}]')} THEN RETURN {lower}; END IF; "
        # `translate` compares each letter with its whole list, so restrict the list to capitals in the text.
        f"capitals := regexp_replace(given, {literal(f'[^{_spans(single)}]+')}, '', 'g'); "
        f"RETURN translate({lower}, capitals, translate(capitals, {_letters(single)}, {_letters(single.values())}));",
        declared="DECLARE capitals text; ",
    )
    yield _function("folded_head", f"RETURN left(twindiff.casefold(given), {HEAD});")
    yield _function(
        "without_accents",
        f"IF {is_ascii} THEN RETURN {lower}; END IF; "
        f"RETURN regexp_replace(normalize(twindiff.casefold(given), NFD), {literal(f'[{_spans(marks)}]')}, '', 'g');",
    )
    yield full_text_index.function()
    yield json_key_index.function()


def _function(name: str, body: str, declared: str = "") -> str:
    """Return the DDL of a function of a text. In SQL instead of PL/pgSQL, it would be replanned for every row."""
    head = "RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE"
    return f"CREATE OR REPLACE FUNCTION twindiff.{name}(given text) {head} AS $$ {declared}BEGIN {body} END $$"


def _letters(letters: Iterable[str]) -> str:
    return literal("".join(letters))


def _replace_folds(text: str, folds: dict[str, str]) -> str:
    for plain, folded in folds.items():
        text = f"replace({text}, {literal(plain)}, {literal(folded)})"
    return text


def _spans(letters: Iterable[str]) -> str:
    """Return sorted letters as ranges inside a bracket expression: `abcx` becomes `a-cx`."""
    spans: list[list[str]] = []
    for letter in letters:
        if spans and ord(letter) == ord(spans[-1][1]) + 1:
            spans[-1][1] = letter
        else:
            spans.append([letter, letter])
    return "".join(first if first == last else f"{first}-{last}" for first, last in spans)
