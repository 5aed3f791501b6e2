"""Pages that SQLite has left out of a file that it made longer.

A page that a transaction takes into use beyond the end of the file and frees again is marked as one not to write: its
content is nobody's. Where the cache has no room it is given up unwritten, and a later page makes the file longer than
that. When the same transaction takes the page into use once more, SQLite reads it first, for its rollback. Of what was
never written a file system gives zeros, and so do these pages. A page that is lost would be given as zeros too: so
whatever was never written has to be one that was new in the transaction, and one that is free once that is done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import apsw
import pytest

from tests.storage.holes import free, unwritten
from twindiff.kit.rows import Column, Row, table_of
from twindiff.storage.schema import Schema
from twindiff.storage.sql.tables import Counters
from twindiff.storage.sqlite.database import Database, image_of
from twindiff.storage.sqlite.pages import PAGE_SIZE, Image, PageFile, Pages
from twindiff.storage.sqlite.store import SqliteStore
from twindiff.storage.sqlite.table_sql import SqliteSchemaSql

PAGE = b"a" * PAGE_SIZE
BLANK = bytes(PAGE_SIZE)


class Thing(Row, table="things", key=("thing_id",), unique=(("slug",),), folded=("text",)):
    """Long texts that are in an index too, and no trigger, at which SQLite would keep a journal of each statement."""

    thing_id: Column[str]
    text: Column[str]
    slug: Column[str]


TABLES = SqliteSchemaSql(Schema("pages", (table_of(Thing),)))


def test_a_page_that_was_never_written_is_blank_as_in_any_file():
    pages = Pages(Image(PAGE))
    file = PageFile(pages)
    file.xWrite(PAGE, 3 * PAGE_SIZE)
    assert file.xRead(PAGE_SIZE, 2 * PAGE_SIZE) == BLANK
    assert pages.data() == PAGE + BLANK + BLANK + PAGE


def test_a_page_that_was_taken_back_and_left_out_then_is_stored_as_blank():
    pages = Pages(Image(PAGE))
    file = PageFile(pages)
    file.xWrite(PAGE, 1 * PAGE_SIZE)
    pages.take_back(file.undo)
    file.xWrite(PAGE, 2 * PAGE_SIZE)
    assert pages.dirty_pages() == {1: BLANK, 2: PAGE}


@pytest.fixture
def asked_in_vain(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The pages that SQLite asks for though they were never written."""
    numbers: list[int] = []
    read: Callable[[PageFile, int, int], bytes] = PageFile.xRead

    def noting(file: PageFile, amount: int, offset: int) -> bytes:
        number = offset // PAGE_SIZE
        if number in unwritten(file.pages):
            assert number >= file.undo.count, "the page was there before this transaction, and is lost"
            numbers.append(number)
        return read(file, amount, offset)

    monkeypatch.setattr(PageFile, "xRead", noting)
    return numbers


@pytest.fixture
def short_of_memory() -> Iterator[Database]:
    """An empty database with room for 100 pages in its cache, whatever else this process keeps."""
    database = Database(TABLES, Pages(Image(image_of(TABLES, {}))))
    database.connection.execute("PRAGMA cache_size = 100").fetchall()
    usual = apsw.soft_heap_limit(0)  # near it, SQLite would write pages before they are freed
    yield database
    apsw.soft_heap_limit(usual)
    database.close()


def add(db: SqliteStore, letter: str, count: int) -> list[Thing]:
    """Add rows, each of a page of its own."""
    return [db.add(Thing(thing_id=f"{letter}{n}", slug=f"{letter}{n}", text=f"{letter} " * 2000)) for n in range(count)]


def operation(database: Database, work: Callable[[SqliteStore], Any]) -> None:
    with database.undoable():
        work(SqliteStore(database.connection, TABLES, Counters({})))
        database.commit()


def add_and_remove(db: SqliteStore) -> None:
    """Free most of the pages that were taken into use, then take them into use again, but for some."""
    for thing in add(db, "A", 200)[:180]:
        db.remove(thing)
    add(db, "B", 150)


def whole(database: Database) -> set[str]:
    """What is in it, once nothing of it is missing: each row says what it said, and what is unwritten is free."""
    assert database.connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert unwritten(database.pages) <= free(database.pages)
    things = database.content()["things"]
    assert [thing["text"] for thing in things] == [f"{str(thing['thing_id'])[0]} " * 2000 for thing in things]
    return {str(thing["thing_id"]) for thing in things}


def test_what_is_read_of_pages_never_written_was_in_no_use_and_nothing_else_is_missing(
    short_of_memory: Database, asked_in_vain: list[int]
):
    operation(short_of_memory, add_and_remove)
    assert asked_in_vain, "memory was not short enough to try it"
    added = {f"A{n}" for n in range(180, 200)} | {f"B{n}" for n in range(150)}
    assert whole(short_of_memory) == added
    short_of_memory.mount(short_of_memory.pages)  # what its cache still has would hide what the pages lack
    assert whole(short_of_memory) == added
    operation(short_of_memory, lambda db: add(db, "C", 100))
    assert whole(short_of_memory) == added | {f"C{n}" for n in range(100)}
    short_of_memory.take_back()
    assert whole(short_of_memory) == added


def test_what_is_taken_back_after_it_read_pages_never_written_leaves_nothing(
    short_of_memory: Database, asked_in_vain: list[int]
):
    operation(short_of_memory, lambda db: add(db, "C", 40))

    def fail(db: SqliteStore) -> None:
        add_and_remove(db)
        raise KeyError

    with pytest.raises(KeyError):
        operation(short_of_memory, fail)
    assert asked_in_vain, "memory was not short enough to try it"
    assert whole(short_of_memory) == {f"C{n}" for n in range(40)}
