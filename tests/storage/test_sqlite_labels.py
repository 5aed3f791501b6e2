"""Labels and spans narrow what words find, in whichever way their rows are looked up, and old images get them."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from twindiff.kit.full_text import SearchTerm
from twindiff.kit.rows import Column, Expression, Row, any_of, column, not_, table_of
from twindiff.storage.schema import Schema
from twindiff.storage.sqlite import full_text_query
from twindiff.storage.sqlite.connection import SqliteConnection, connect
from twindiff.storage.sqlite.database import image_of
from twindiff.storage.sqlite.schema_migration import migrate
from twindiff.storage.sqlite.store import SqliteStore
from twindiff.storage.sqlite.table_sql import SqliteSchemaSql

ROWS = 3_000


class Book(
    Row,
    table="books",
    key=("number",),
    indexes=(("shelf", "number"), ("year",)),
    words=("title",),
    labels=("shelf", "kind"),
):
    number: Column[int]
    title: Column[str | None] = column(default=None)
    shelf: Column[str | None] = column(default=None)
    kind: Column[str | None] = column(default=None)
    year: Column[int] = column(default=0)


class FormerBook(Row, table="books", key=("number",), words=("title",)):
    number: Column[int]
    title: Column[str | None] = column(default=None)
    shelf: Column[str | None] = column(default=None)
    kind: Column[str | None] = column(default=None)
    year: Column[int] = column(default=0)


TABLES = SqliteSchemaSql(Schema("library", (table_of(Book),)))
SEA = Book.title.has_word(SearchTerm(("sea",)))
SHELVES = [str(n) for n in range(60)]
NARROWED: list[tuple[tuple[Expression, ...], Any]] = [
    ((Book.year >= 1_990,), lambda row: row["year"] >= 1_990),
    ((Book.year > 1_905, Book.year <= 1_910), lambda row: 1_905 < row["year"] <= 1_910),
    ((any_of(Book.year < 1_910, Book.shelf == "7"),), lambda row: row["year"] < 1_910 or row["shelf"] == "7"),
    ((Book.year < 1_950, Book.kind.equals("ATLAS")), lambda row: row["year"] < 1_950 and row["kind"] != "tale"),
    ((Book.shelf.in_(SHELVES[:30]),), lambda row: row["shelf"] in SHELVES[:30]),
    ((Book.shelf.in_(SHELVES[1:]),), lambda row: row["shelf"] not in ("0", None)),
    ((Book.shelf.in_([*SHELVES, None]),), lambda row: True),
    ((Book.shelf.in_([f"no {n}" for n in range(30)]),), lambda row: False),
    ((not_(Book.shelf.in_(SHELVES[1:])),), lambda row: row["shelf"] in ("0", None)),
    ((any_of(Book.kind == "tale", not_(Book.shelf == "3")),), lambda row: row["kind"] == "tale" or row["shelf"] != "3"),
    (
        (not_(any_of(Book.kind == "tale", Book.shelf == "3")),),
        lambda row: row["kind"] != "tale" and row["shelf"] != "3",
    ),
]


def rows() -> list[dict[str, Any]]:
    chance = Random(0)
    return [
        {
            "number": number,
            "title": chance.choice(("The sea", "Sea \ue00037", "Mountains", None)),
            "shelf": chance.choice((*SHELVES, None)),
            "kind": chance.choice(("Atlas", "atlas", "tale")),
            "year": chance.randint(1_900, 1_999),
        }
        for number in range(ROWS)
    ]


def found(connection: SqliteConnection, *where: Expression) -> list[int]:
    store = SqliteStore(connection, TABLES, None)
    numbers = [number for (number,) in store.matches(Book, SEA, *where, limit=ROWS, columns=(Book.number,))]
    assert store.count_matches(Book, SEA, *where, most=ROWS) == len(numbers)
    return numbers


def having(holds: Any) -> list[int]:
    return [row["number"] for row in rows() if "sea" in (row["title"] or "").lower() and holds(row)]


@pytest.fixture(scope="module")
def books() -> SqliteConnection:
    connection = connect()
    connection.deserialize("main", image_of(TABLES, {"books": rows()}))
    return connection


@pytest.mark.parametrize(("few", "many"), [(1_000, 20_000), (1, 20_000), (1, 1)])
@pytest.mark.parametrize("number", range(len(NARROWED)))
def test_conditions_narrow_in_each_way(
    books: SqliteConnection, monkeypatch: pytest.MonkeyPatch, number: int, few: int, many: int
):
    monkeypatch.setattr(full_text_query, "FEW_ROWS", few)
    monkeypatch.setattr(full_text_query, "MANY_ROWS", many)
    where, holds = NARROWED[number]
    assert found(books, *where) == having(holds)


def test_an_image_of_before_labels_gets_them():
    former = SqliteSchemaSql(Schema("library", (table_of(FormerBook),)))
    connection = connect()
    connection.deserialize("main", migrate(TABLES, image_of(former, {"books": rows()})))
    assert found(connection, Book.kind.equals("atlas")) == having(lambda row: row["kind"] != "tale")


def test_labels_are_texts():
    with pytest.raises(TypeError, match=r"Jar\.size is integer; labels are texts"):

        class Jar(Row, table="jars", key=("number",), words=("name",), labels=("size",)):  # pyright: ignore[reportUnusedClass]
            number: Column[int]
            name: Column[str]
            size: Column[int]
