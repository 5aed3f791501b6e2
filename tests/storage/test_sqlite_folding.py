"""Looking for a text without regard to case gives what Python's casefold would, also where SQLite folds by itself."""

import sys
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twindiff.kit.full_text import SearchTerm, has_word
from twindiff.kit.rows import Column, Row, all_of, any_of, column, not_, table_of
from twindiff.storage.schema import Schema
from twindiff.storage.sql.statements import from_where
from twindiff.storage.sqlite import SqliteEngine
from twindiff.storage.sqlite.connection import connect
from twindiff.storage.sqlite.database import image_of
from twindiff.storage.sqlite.ddl import statements
from twindiff.storage.sqlite.dialect import SqliteCompiler
from twindiff.storage.sqlite.table_sql import SqliteSchemaSql


class Line(Row, table="lines", key=("number",)):
    number: Column[int]
    text: Column[str | None] = column(default=None)


class Verse(Row, table="verses", key=("number",), words=("text",)):
    """The same with an index of its words."""

    number: Column[str]
    text: Column[str | None] = column(default=None)


TEXTS = [
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


@cache
def list_odd_letters() -> list[str]:
    """Letters outside of ASCII that fold to letters of it."""
    return [
        letter
        for letter in map(chr, range(128, sys.maxunicode))
        if (folded := letter.casefold()) != letter and any(each.isascii() for each in folded)
    ]


@cache
def list_texts() -> list[str]:
    return [*(f"a{letter}b" for letter in list_odd_letters()), *TEXTS]


@pytest.fixture(scope="module")
def store():
    engine = SqliteEngine(":memory:")
    engine.schema(Schema("folding", (table_of(Line), table_of(Verse))))
    lines = [{"number": number, "text": text} for number, text in enumerate([*list_texts(), None])]
    verses = [{**line, "number": f"{line['number']:03}"} for line in lines]
    yield engine.template("folding", engine.add_template("folding", {"lines": lines, "verses": verses}).hash)
    engine.close()


@pytest.mark.parametrize("table", [Line, Verse])
@pytest.mark.parametrize("needle", NEEDLES)
def test_a_text_is_found_as_casefold_would(store, table, needle):
    matches = [text for (text,) in store.rows(table, table.text.contains(needle, fold=True), columns=(table.text,))]
    assert matches == [text for text in list_texts() if needle.casefold() in text.casefold()]


def test_a_needle_may_be_longer_than_a_like_takes(store):
    assert store.rows(Line, Line.text.contains("a" * 60_000, fold=True)) == []


def test_there_are_letters_that_fold_to_ascii():
    assert {"ß", "\u017f", "\u212a", "ﬁ", "İ"} <= set(list_odd_letters())


@pytest.mark.parametrize("forms", [("plain",), ("ü", "plain"), ("two words",)])
def test_words_are_looked_up_in_their_index(forms):
    connection, sql = connect(), SqliteCompiler()
    for statement in statements(table_of(Verse)):
        connection.execute(statement)
    form = SqliteSchemaSql(Schema("folding", (table_of(Verse),))).of(Verse)
    query = f"SELECT t.number{from_where(form, sql, [Verse.text.has_word(SearchTerm(forms))])} ORDER BY t.number"
    plan = [str(step[3]) for step in connection.execute(f"EXPLAIN QUERY PLAN {query}", sql.parameters)]
    assert "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)" in plan
    assert any("(words text) VIRTUAL TABLE INDEX" in step for step in plan)


WORDS = st.sampled_from(
    ["a", "tide", "harbour", "ti", "tide harbour", "stra\xdfe", "SS", "\u212ael", "!", "\u4eac", ""]
)
STARTS = WORDS.map(lambda word: SearchTerm((word, "kel"), is_start=True))
LINES = ["the tide", "harbour!", "Tide harbour", "a stra\xdfe", "STRASSE", "kel", "\u212aEL ti", "", "a\u4eacti", None]

HAVING = st.one_of(WORDS.map(lambda word: SearchTerm((word,))), STARTS).map(lambda word: ("has", word))


def conditions(inner):
    several = st.lists(inner, max_size=3)
    return st.one_of(several.map(lambda parts: ("all", parts)), several.map(lambda p: ("any", p)), inner.map(negated))


def negated(part):
    return "not", [part]


def compiled(part):
    name, rest = part
    if name == "has":
        return Verse.text.has_word(rest)
    parts = [compiled(each) for each in rest]
    return {"all": all_of, "any": any_of, "not": not_}[name](*parts)


def holds(part, text):
    name, rest = part
    if name == "has":
        return has_word(text, rest.pattern) is True
    parts = [holds(each, text) for each in rest]
    return not parts[0] if name == "not" else (all if name == "all" else any)(parts)


@pytest.fixture(scope="module")
def verses():
    engine = SqliteEngine(":memory:")
    engine.schema(Schema("verses", (table_of(Verse),)))
    rows = [{"number": str(number), "text": text} for number, text in enumerate(LINES)]
    yield engine.template("verses", engine.add_template("verses", {"verses": rows}).hash)
    engine.close()


@given(st.recursive(HAVING, conditions, max_leaves=8))
def test_any_conditions_on_words_find_what_they_say(verses, part):
    matches = [text for (text,) in verses.rows(Verse, compiled(part), columns=(Verse.text,))]
    assert matches == [text for text in LINES if holds(part, text)]


@pytest.fixture(scope="module")
def noted_and_known():
    """Half of the verses are told FTS5, the others wait for it."""
    tables, known = SqliteSchemaSql(Schema("verses", (table_of(Verse),))), len(LINES) // 2
    rows = [{"number": f"{number:02d}", "text": text} for number, text in enumerate(LINES)]
    connection = connect()
    connection.deserialize("main", image_of(tables, {"verses": rows[:known]}))
    connection.executemany("INSERT INTO verses VALUES (?, ?)", [tuple(row.values()) for row in rows[known:]])
    return connection, tables.of(Verse)


@pytest.mark.parametrize("share", ["few", "many", "most"])
@given(part=st.recursive(HAVING, conditions, max_leaves=8))
def test_however_many_rows_have_words_a_page_has_what_it_says(noted_and_known, share, part):
    (connection, form), sql = noted_and_known, SqliteCompiler(lambda index, asked: share)
    query = f"SELECT t.text{from_where(form, sql, [compiled(part)])} ORDER BY t.number"
    matches = [text for (text,) in connection.execute(query, sql.parameters)]
    assert matches == [text for text in LINES if holds(part, text)]
