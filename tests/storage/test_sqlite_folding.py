"""Looking for a text without regard to case gives what Python's casefold would, also where SQLite folds by itself."""

import sys

import pytest

from twindiff.kit.rows import Column, Row, column, table_of
from twindiff.storage.schema import Schema
from twindiff.storage.sqlite import SqliteEngine
from twindiff.storage.sqlite.connection import connect
from twindiff.storage.sqlite.ddl import statements
from twindiff.storage.sqlite.dialect import Sql


class Line(Row, table="lines", key=("number",)):
    number: Column[int]
    text: Column[str | None] = column(default=None)


class Verse(Row, table="verses", key=("number",), indexes=(("number", "text"),)):
    """The same with an index that is read in the table's place."""

    number: Column[str]
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
    "Ü",
    "ß",
    "\u212aEL",
    "\n",
    "b",
]


@pytest.fixture(scope="module")
def store():
    engine = SqliteEngine(":memory:")
    engine.schema(Schema("folding", (table_of(Line), table_of(Verse))))
    lines = [{"number": number, "text": text} for number, text in enumerate([*TEXTS, None])]
    verses = [{**line, "number": f"{line['number']:03}"} for line in lines]
    yield engine.template("folding", engine.add_template("folding", {"lines": lines, "verses": verses}).hash)
    engine.close()


@pytest.mark.parametrize("table", [Line, Verse])
@pytest.mark.parametrize("needle", NEEDLES)
def test_a_text_is_found_as_casefold_would(store, table, needle):
    found = [text for (text,) in store.rows(table, table.text.contains(needle, fold=True), columns=(table.text,))]
    assert found == [text for text in TEXTS if needle.casefold() in text.casefold()]


def test_a_needle_may_be_longer_than_a_like_takes(store):
    assert store.rows(Line, Line.text.contains("a" * 60_000, fold=True)) == []


def test_there_are_letters_that_fold_to_ascii():
    assert {"ß", "\u017f", "\u212a", "ﬁ", "İ"} <= set(ODD)


@pytest.mark.parametrize("needle", ["plain", "ü"])
def test_an_index_tells_which_texts_have_letters_beyond_ascii(needle):
    connection, sql = connect(), Sql()
    for statement in statements(table_of(Verse)):
        connection.execute(statement)
    query = f"SELECT t.number FROM verses t WHERE {sql.contains_fold('t.text', needle)} ORDER BY t.number"
    steps = connection.execute(f"EXPLAIN {query}", sql.parameters).fetchall()
    opened = [step[5] for step in steps if step[1] == "OpenRead"]
    assert [str(each)[:2] for each in opened] == ["k("]  # one index, and not the table
    assert not [step for step in steps if "length(1)" in str(step[5])]
