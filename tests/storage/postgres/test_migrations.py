"""Tables follow their declarations; what cannot be carried over is refused in one clear line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.storage.postgres.cluster import Database, draining
from twindiff.kit.clock import ClockMode
from twindiff.kit.rows import Column, Row, column, table_of
from twindiff.storage import EnvironmentOrigin, OperationInfo, SchemaChanged, WrongStorage
from twindiff.storage.journal import RowChange
from twindiff.storage.postgres import PostgresEngine
from twindiff.storage.schema import Schema

pytestmark = pytest.mark.postgres


class Old(Row, table="notes", key=("note_id",)):
    note_id: Column[str]
    text: Column[str]


class Starred(Row, table="notes", key=("note_id",)):
    note_id: Column[str]
    text: Column[str]
    stars: Column[int | None] = column(default=None)


class New(Row, table="notes", key=("note_id",), indexes=(("colour",),)):
    note_id: Column[str]
    colour: Column[str] = column(default="it's 100% red")
    is_open: Column[bool] = column(default=True)
    stars: Column[int | None] = column(default=None)


class Unique(Row, table="notes", key=("note_id",), unique=(("text",),), indexes=(("text", "note_id"),)):
    note_id: Column[str]
    text: Column[str]


class Plain(Row, table="notes", key=("note_id",), indexes=(("text",), ("note_id", "text"))):
    note_id: Column[str]
    text: Column[str]


class Needy(Row, table="notes", key=("note_id",)):
    note_id: Column[str]
    owner: Column[str]


def schema(row: type[Row]) -> Schema:
    return Schema("gamma", (table_of(row),))


@pytest.fixture
def fresh(cluster: str) -> Iterator[Database]:
    made = Database(cluster)
    yield made
    made.drop()


def opened(database: Database, row: type[Row]) -> PostgresEngine:
    engine = PostgresEngine(database.dsn)
    try:
        engine.schema(schema(row))
    except BaseException:
        engine.close()
        raise
    return engine


def environment(engine: PostgresEngine, *rows: dict[str, Any]) -> str:
    template = engine.add_template("gamma", {"notes": rows})
    origin = EnvironmentOrigin(templates={"gamma": template.hash}, clock=ClockMode(), created=0, clock_start=0)
    env = uuid4().hex
    engine.create(env, origin)
    return env


def test_rows_of_an_older_version_get_what_is_new_and_lose_what_is_gone(fresh: Database) -> None:
    fresh.initialise([schema(Old)])
    before = opened(fresh, Old)
    env = environment(before, {"note_id": "N1", "text": "x"})
    before.close()
    fresh.initialise([schema(New)])
    after = opened(fresh, New)
    with draining(fresh.dsn):
        after.write(env, OperationInfo("gamma", "add", "U1"), lambda moment: moment.db.add(New(note_id="N2")))
        (change,) = after.records(env)[0].changes
    rows = after.read(env, "gamma", lambda moment: moment.db.rows(New))
    after.close()
    assert rows == [New(note_id="N1"), New(note_id="N2")]
    assert change.after == {"note_id": "N2", "colour": "it's 100% red", "is_open": True, "stars": None}


def change(row: dict[str, Any]) -> RowChange:
    return RowChange("notes", (row["note_id"],), None, row)


def test_a_drainer_follows_a_migration_that_it_was_not_told_of(fresh: Database) -> None:
    fresh.initialise([schema(Old)])
    with draining(fresh.dsn):
        before = opened(fresh, Old)
        env = environment(before)
        before.write(
            env, OperationInfo("gamma", "add", "U1"), lambda moment: moment.db.add(Old(note_id="N1", text="x"))
        )
        before.records(env)
        fresh.initialise([schema(Starred)])
        after = opened(fresh, Starred)
        star = lambda moment: moment.db.change(moment.db.get(Starred, "N1"), stars=5)  # noqa: E731
        after.write(env, OperationInfo("gamma", "star", "U1"), star)
        (changed,) = after.records(env)[1].changes
        for engine in (before, after):
            engine.close()
    assert (changed.before or {}).get("stars", 0) is None
    assert (changed.after or {})["stars"] == 5


def test_what_was_written_before_a_migration_is_read_as_it_was_then(fresh: Database) -> None:
    fresh.initialise([schema(Old)])
    before = opened(fresh, Old)
    env = environment(before)
    before.write(env, OperationInfo("gamma", "add", "U1"), lambda moment: moment.db.add(Old(note_id="N1", text="x")))
    before.close()
    for version in (New, Old, New):
        fresh.initialise([schema(version)])
    after = opened(fresh, New)
    after.write(env, OperationInfo("gamma", "add", "U1"), lambda moment: moment.db.add(New(note_id="N2")))
    with draining(fresh.dsn):
        changes = [record.changes for record in after.records(env)]
        with draining(fresh.dsn):
            pass
        after.rewind(env, 1)
        assert after.read(env, "gamma", lambda moment: moment.db.rows(New)) == [New(note_id="N1")]
        after.rewind(env, 2)
        after.close()
    new = {"note_id": "N2", "colour": "it's 100% red", "is_open": True, "stars": None}
    assert changes == [[change({"note_id": "N1", "text": "x"})], [change(new)]]


def test_a_drainer_that_begins_after_a_migration_knows_it(fresh: Database) -> None:
    fresh.initialise([schema(Old)])
    with draining(fresh.dsn):
        before = opened(fresh, Old)
        env = environment(before)
        fresh.initialise([schema(Starred)])
        drained = "SELECT drained IS NOT NULL AND drained = shape FROM twindiff.shapes"
        while fresh.psql(drained) != [(True,)]:
            continue  # it is written down within a second or so
        before.close()
    after = opened(fresh, Starred)
    row = Starred(note_id="N1", text="x", stars=5)
    with draining(fresh.dsn):
        after.write(env, OperationInfo("gamma", "add", "U1"), lambda moment: moment.db.add(row))
        assert after.records(env)[0].changes == [change({"note_id": "N1", "text": "x", "stars": 5})]
    after.close()


def test_indexes_follow_their_declarations_and_those_of_an_administrator_stay(fresh: Database) -> None:
    indexes = (
        "SELECT indexname, indexdef LIKE 'CREATE UNIQUE%' FROM pg_indexes WHERE schemaname = 'twin_gamma' ORDER BY 1"
    )
    key, own = ("notes_pkey", True), ("own", False)
    fresh.initialise([schema(Unique)])
    fresh.psql("CREATE INDEX own ON twin_gamma.notes (text)")
    assert fresh.psql(indexes) == [("notes_env_id_text", True), ("notes_env_id_text_note_id", False), key, own]
    fresh.initialise([schema(Plain)])
    assert fresh.psql(indexes) == [("notes_env_id_text", False), key, own]
    fresh.initialise([schema(Old)])
    assert fresh.psql(indexes) == [key, own]


def test_a_new_column_that_needs_a_value_is_refused_by_name(fresh: Database) -> None:
    fresh.initialise([schema(Old)])
    engine = opened(fresh, Old)
    environment(engine, {"note_id": "N1", "text": "x"})
    engine.close()
    with pytest.raises(SchemaChanged, match=r"'notes' .* without the column 'owner'"):
        fresh.initialise([schema(Needy)])
    opened(fresh, Old).close()


def test_a_new_column_that_needs_a_value_is_added_to_an_empty_table(fresh: Database) -> None:
    fresh.initialise([schema(Old)])
    fresh.initialise([schema(Needy)])
    opened(fresh, Needy).close()


def test_a_database_of_another_version_is_not_served_from(fresh: Database) -> None:
    fresh.initialise([schema(Old)])
    with pytest.raises(WrongStorage, match="of another version; run `twindiff db init"):
        opened(fresh, New)
    with pytest.raises(WrongStorage, match="'gamma' is of another"):
        opened(fresh, Needy)
