"""A table is a typed struct, and a table that cannot be stored is refused where it is declared."""

from typing import Any

import msgspec
import pytest

from tests.storage.conformance.worlds import Link, Thing
from twindiff.kit import Column, Date, Json, Row, Timestamp, column, references
from twindiff.kit.rows import Order, Where, table_of
from twindiff.kit.styles.base import Style
from twindiff.kit.twin import Twin
from twindiff.storage.sql.compiler import Scope
from twindiff.storage.sqlite.dialect import SqliteCompiler


def declare(*, key: tuple[str, ...] = ("a",), **options: Any) -> Any:
    """A table of two columns, `a` and `b`."""
    space = {"__annotations__": {"a": str, "b": int | None}, "__module__": __name__}
    make: Any = type(Row)
    return make("Sheet", (Row,), space, table="sheets", key=key, **options)


def test_a_class_gives_columns_and_an_instance_values():
    row = Thing(thing_id="T1", number=5)
    assert isinstance(Thing.number, Column)
    assert (row.thing_id, row.number, row.text) == ("T1", 5, None)


def test_a_comparison_is_an_expression():
    assert (Thing.number < 5) == Where(Thing.number, "<", 5)
    assert -Thing.number == Order(Thing.number, descending=True)


def test_columns_know_their_kind_and_whether_they_may_be_null():
    kinds = {name: (each.kind, each.nullable) for name, each in table_of(Thing).columns.items()}
    assert kinds["thing_id"] == ("text", False)
    assert [kinds[name] for name in ("text", "number", "amount", "flag", "at", "day", "data")] == [
        (kind, True) for kind in ("text", "integer", "float", "boolean", "timestamp", "date", "json")
    ]
    assert (kinds["count"], kinds["payload"]) == (("integer", False), ("json", False))


def test_columns_know_their_table_and_what_they_refer_to():
    assert (Link.thing_id.table, Link.thing_id.references) == (Link, Thing)
    assert (Thing.touched_at.derived, Thing.text.derived) == (True, False)


def test_a_row_is_frozen_and_takes_keywords_only():
    with pytest.raises(AttributeError):
        Thing(thing_id="T1").text = "x"  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(TypeError):
        Thing("T1")  # pyright: ignore[reportCallIssue]


def test_an_empty_list_may_be_a_default_and_is_nobody_elses():
    class Basket(Row, table="baskets", key=("basket_id",)):
        basket_id: Column[str]
        items: Column[Json] = column(default=[])

    assert table_of(Basket).columns["items"].default == []
    assert Basket(basket_id="1").items is not Basket(basket_id="2").items


def test_a_type_that_cannot_be_stored_is_named_with_those_that_can():
    with pytest.raises(
        TypeError, match=r"Wrong\.when cannot be stored as complex\. Use str, int, float, bool, Timestamp"
    ):

        class Wrong(Row, table="wrong", key=("wrong_id",)):
            wrong_id: Column[str]
            when: Column[complex]


def test_a_column_has_one_type():
    with pytest.raises(TypeError, match=r"Wrong\.either cannot be stored"):

        class Wrong(Row, table="wrong", key=("wrong_id",)):
            wrong_id: Column[str]
            either: Column[int | str | None]


def test_a_key_that_is_no_column_is_named_with_those_that_are():
    with pytest.raises(TypeError, match=r"Sheet: its key names 'c', which is no column\. Columns: a, b"):
        declare(key=("a", "c"))


def test_an_index_that_is_on_no_column_is_named():
    for options in ({"indexes": (("a", "c"),)}, {"unique": (("a", "c"),)}):
        with pytest.raises(TypeError, match="Sheet: its index names 'c', which is no column"):
            declare(key=("a",), **options)


def test_a_table_needs_a_key_that_is_never_null():
    with pytest.raises(TypeError, match=r"Sheet needs a key: class Sheet\(Row, table='sheets', key="):
        declare(key=())
    with pytest.raises(TypeError, match=r"Sheet\.b belongs to the key and cannot be None"):
        declare(key=("b",))


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (Timestamp, "2026-01-31T09:30:00.000001", ["2026-01-31", "2026-01-31T09:30:00Z", "2026-01-31T09:30:00.1", ""]),
        (Date, "2026-01-31", ["2026-1-31", "31.01.2026", "2026-01-31T00:00:00"]),
    ],
)
def test_instants_and_days_have_one_form(kind: type, good: str, bad: list[str]):
    assert msgspec.convert(good, kind) == good
    for text in bad:
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(text, kind)


def test_a_column_of_another_table_is_refused_on_the_left():
    with pytest.raises(TypeError, match=r"Link\.rank is not a column of Thing"):
        SqliteCompiler().where([Link.rank == 1], (Scope("t", Thing),))
    with pytest.raises(TypeError, match=r"Link\.rank is compared where no row of its table is in reach"):
        SqliteCompiler().where([Thing.number == Link.rank], (Scope("t", Thing),))


def test_a_reference_is_a_column_with_a_default():
    class Leaf(Row, table="leaves", key=("leaf_id",)):
        leaf_id: Column[str]
        branch_id: Column[str | None] = references(Thing, default=None)

    assert Leaf(leaf_id="1").branch_id is None


def test_a_boolean_column_is_a_condition_by_itself():
    assert Flagged.is_open.is_true == Where(Flagged.is_open, "=", value=True)
    assert ~Flagged.is_open == Where(Flagged.is_open, "=", value=False)
    with pytest.raises(TypeError, match="name is no condition by itself, being text; compare it with something"):
        _ = Flagged.name.is_true


class Flagged(Row, table="flagged", key=("name",)):
    name: Column[str]
    is_open: Column[bool]


class Branch(Row, table="branches", key=("name",)):
    name: Column[str]
    grows_from: Column[str | None] = references("self", default=None, on_delete="cascade")
    on: Column[str | None] = references("self", default=None)


def test_a_column_that_cascades_has_an_index():
    assert Branch.grows_from.references is Branch
    assert table_of(Branch).indexes == (("grows_from",),)


def test_a_key_of_several_columns_cannot_cascade():
    class Pair(Row, table="pairs", key=("left", "right")):
        left: Column[str]
        right: Column[str]

    with pytest.raises(TypeError, match=r"Half\.pair cannot cascade: the key of Pair has several columns"):

        class Half(Row, table="halves", key=("half_id",)):  # pyright: ignore[reportUnusedClass]
            half_id: Column[str]
            pair: Column[str] = references(Pair, on_delete="cascade")


def test_a_column_keeps_what_the_class_above_says_of_it():
    class Numbered(Row):
        number: Column[int] = column(default=0, derived=True)

    class Page(Numbered, table="numbered_pages", key=("page_id",)):
        page_id: Column[str]

    assert table_of(Page).columns["number"].derived


def test_a_twin_names_each_of_its_tables_once():
    class Vase(Row, table="vases", key=("vase_id",)):
        vase_id: Column[str]

    with pytest.raises(ValueError, match="The table vases is there twice"):
        Twin("shop", Style(), tables=(Vase, Vase))
