"""Templates that are too large to be written in one go."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.storage.stock import Part, rows, twin
from twindiff.kit.clock import ClockMode
from twindiff.storage import EnvironmentOrigin, OperationInfo, Template, TemplatePayload
from twindiff.storage.cooperative import run_to_end
from twindiff.storage.journal import Values
from twindiff.storage.schema import Schema
from twindiff.storage.sqlite import SqliteEngine
from twindiff.storage.sqlite.pages import PAGE_SIZE, Image

SCHEMA = Schema("stock", twin.tables)
FULL: dict[str, list[Values]] = {"parts": [{**row, "data": None} for row in rows(600)["parts"]], "notes": []}
START = TemplatePayload(Template(SCHEMA.content_hash(FULL, {}), SCHEMA.hash, {}), FULL)
NAME = ("stock", START.template.hash)

Open = Callable[[], SqliteEngine]


@pytest.fixture
def reopened(tmp_path: Path) -> Iterator[Open]:
    """The engine of a folder, each time started anew."""
    engines: list[SqliteEngine] = []

    def start() -> SqliteEngine:
        if engines:
            engines.pop().close()
        engines.append(SqliteEngine(str(tmp_path)))
        engines[0].schema(SCHEMA)
        return engines[0]

    yield start
    engines[0].close()


def test_it_is_there_after_a_restart(reopened: Open) -> None:
    assert reopened().add_template("stock", FULL) == START.template
    assert reopened().template_rows(*NAME) == FULL


def test_it_is_not_there_before_its_last_part(reopened: Open) -> None:
    engine = reopened()
    there: list[bool] = []
    for part in engine.keep_template("stock", START):
        part()
        there.append(NAME in engine.stored_templates())
    assert (len(there) > 3, any(there), NAME in engine.stored_templates()) == (True, False, True)


def test_one_whose_writing_was_cut_short_is_written_anew(reopened: Open) -> None:
    cut_short = reopened().keep_template("stock", START)
    for _ in range(3):
        next(cut_short)()
    engine = reopened()
    for part in engine.keep_template("stock", START):
        part()
    assert reopened().template_rows(*NAME) == FULL


def test_nothing_of_it_is_left_when_it_is_forgotten(reopened: Open) -> None:
    engine = reopened()
    engine.add_template("stock", FULL)
    engine.forget_template(*NAME)
    assert not engine.stored_templates()
    assert engine.file.connection.execute("SELECT count(*) FROM template_pieces").fetchall() == [(0,)]


@given(st.lists(st.sampled_from([b"a", b"b"]), max_size=6), st.lists(st.sampled_from([b"a", b"b"]), max_size=6))
def test_an_image_shares_the_pages_that_another_has_too(one: list[bytes], other: list[bytes]):
    first = Image(b"".join(letter * PAGE_SIZE for letter in one))
    second = Image(b"".join(letter * PAGE_SIZE for letter in other), first)
    assert second.pages == [letter * PAGE_SIZE for letter in other]
    shared = [left is right for left, right in zip(first.pages, second.pages, strict=False)]
    assert shared == [left == right for left, right in zip(one, other, strict=False)]
    assert second.size == (len(other) - sum(shared)) * PAGE_SIZE


def test_a_copy_is_what_the_environment_was_when_it_was_asked_for(reopened: Open):
    engine = reopened()
    for part in engine.keep_template("stock", START):
        part()
    origin = EnvironmentOrigin({"stock": NAME[1]}, ClockMode("steps", 0), 0, 0)
    engine.create("one", origin)
    steps = engine.copy_template("one", origin, "stock")
    first = next(steps)
    engine.write("one", OperationInfo("stock", "act", "U1"), lambda moment: moment.db.remove(moment.db.get(Part, 1)))
    thread = threading.Thread(target=first)
    thread.start()
    thread.join()
    assert run_to_end(steps) == START.template
