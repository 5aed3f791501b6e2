"""Looking for a text without regard to case gives what Python's casefold would, also where SQLite folds by itself."""

import sys

import pytest

from twindiff.kit.rows import Column, Row, column, table_of
from twindiff.storage.schema import Schema
from twindiff.storage.sqlite import SqliteEngine


class Line(Row, table="lines", key=("number",)):
    number: Column[int]
    text: Column[str | None] = column(default=None)


ODD = [letter for letter in map(chr, range(128, sys.maxunicode)) if any(each.isascii() for each in letter.casefold())]
TEXTS = [
    *(f"a{letter}b" for letter in ODD),
    *("Straße", "STRASSE", "100%", "a_b", "a\\b", "a\x00Kelvin", "Kelvin", "KELVIN", "", "Ünï", "plain text", "%_\\"),
]
NEEDLES = [
    "s",
    "SS",
    "k",
    "Kel",
    "i",
    "ff",
    "ST",
    "%",
    "_",
    "\\",
    "a%b",
    "a_b",
    "",
    "plain",
    "T T",
    "\x00k",
    "ü",
    "b",
]


@pytest.fixture(scope="module")
def store():
    engine = SqliteEngine(":memory:")
    engine.schema(Schema("folding", (table_of(Line),)))
    lines = [{"number": number, "text": text} for number, text in enumerate([*TEXTS, None])]
    yield engine.template("folding", engine.add_template("folding", {"lines": lines}).hash)
    engine.close()


@pytest.mark.parametrize("needle", NEEDLES)
def test_a_text_is_found_as_casefold_would(store, needle):
    found = [text for (text,) in store.rows(Line, Line.text.contains(needle, fold=True), columns=(Line.text,))]
    assert found == [text for text in TEXTS if needle.casefold() in text.casefold()]


def test_a_needle_may_be_longer_than_a_like_takes(store):
    assert store.rows(Line, Line.text.contains("a" * 60_000, fold=True)) == []


def test_there_are_letters_that_fold_to_ascii():
    assert {"ß", "\u017f", "\u212a", "ﬁ", "İ"} <= set(ODD)
