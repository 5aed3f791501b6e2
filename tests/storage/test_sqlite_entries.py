"""Texts in the objects of a Json column are looked up, unless so many rows have them that they are met soon."""

from __future__ import annotations

from typing import Any

import pytest

from twindiff.kit.rows import Column, Expression, Json, Row, column, table_of
from twindiff.storage.schema import Schema
from twindiff.storage.sqlite.connection import SqliteConnection, connect
from twindiff.storage.sqlite.database import image_of
from twindiff.storage.sqlite.json_key_index import MANY_ROWS
from twindiff.storage.sqlite.schema_migration import migrate
from twindiff.storage.sqlite.store import SqliteStore
from twindiff.storage.sqlite.table_sql import SqliteSchemaSql


class Cup(Row, table="cups", key=("number",), entries=("labels",)):
    number: Column[int]
    labels: Column[Json] = column(default={})


class FormerCup(Row, table="cups", key=("number",)):
    number: Column[int]
    labels: Column[Json] = column(default={})


TEA = Cup.labels.json("drink") == "tea"
TABLES = SqliteSchemaSql(Schema("kitchen", (table_of(Cup),)))


def opened(image: bytes) -> SqliteConnection:
    connection = connect()
    connection.deserialize("main", image)
    return connection


@pytest.fixture
def cups() -> Any:
    """A database in which half of many cups hold tea, and another one green tea."""
    rows = [{"number": n, "labels": {"drink": "milk" if n % 2 else "tea"}} for n in range(2 * MANY_ROWS)]
    rows.append({"number": 9_999, "labels": {"drink": "green tea"}})
    return opened(image_of(TABLES, {"cups": rows}))


def store_of(cups: Any) -> SqliteStore:
    return SqliteStore(cups, TABLES, None)


def asked(cups: Any, where: Expression) -> str:
    """The statement that finds the first rows that fit."""
    statements: list[str] = []
    cups.exec_trace = lambda cursor, statement, values: statements.append(statement) is None
    store_of(cups).rows(Cup, where, order=-Cup.number, limit=3)
    return statements[-1]


def test_what_few_rows_have_is_looked_up(cups: Any):
    assert "(entries labels)" in asked(cups, Cup.labels.json("drink") == "green tea")


def test_what_many_rows_have_is_met_on_the_way(cups: Any):
    assert "(entries" not in asked(cups, TEA)
    assert [cup.number for cup in store_of(cups).rows(Cup, TEA, order=-Cup.number, limit=2)] == [1998, 1996]


def test_all_rows_that_have_a_text_are_counted(cups: Any):
    assert store_of(cups).count(Cup, TEA) == MANY_ROWS


def test_tables_that_had_no_entries_get_them():
    former = SqliteSchemaSql(Schema("kitchen", (table_of(FormerCup),)))
    image = migrate(TABLES, image_of(former, {"cups": [{"number": 1, "labels": {"drink": "tea"}}]}))
    assert store_of(opened(image)).count(Cup, TEA) == 1
