"""Whatever writes to the tables, the journal says what it was."""

from __future__ import annotations

import psycopg
import pytest

from tests.storage.conformance.worlds import Item, Link, Thing, World
from tests.storage.postgres.cluster import Database
from twindiff.storage import OperationInfo
from twindiff.storage.journal import JournalRecord, RowChange

pytestmark = pytest.mark.postgres


def summary(record: JournalRecord) -> tuple[int, str, str, list[tuple[str, tuple[object, ...]]]]:
    return record.seq, record.twin, record.operation, [(change.table, change.key) for change in record.changes]


def test_a_row_changed_by_hand_is_external(world: World, database: Database) -> None:
    place = world.environment(Thing(thing_id="T1", text="before"))
    place.add(Thing(thing_id="T2"))
    database.psql("UPDATE twin_alpha.things SET text = 'by hand' WHERE env_id = %s AND thing_id = 'T1'", place.env)
    place.add(Thing(thing_id="T3"))
    assert [record.operation for record in place.records()] == ["do", "external", "do"]
    (change,) = place.records()[1].changes
    assert change.before is not None
    assert change == RowChange("things", ("T1",), change.before, {**change.before, "text": "by hand"})
    assert place.records()[1].actor == "postgres"


def test_rows_inserted_and_deleted_by_hand_are_one_record_of_the_transaction(world: World, database: Database) -> None:
    place = world.environment(Thing(thing_id="T1"), Link(thing_id="T1", rank=1))
    with psycopg.connect(database.admin) as connection:
        connection.execute("DELETE FROM twin_alpha.links WHERE env_id = %s", (place.env,))
        connection.execute(
            "INSERT INTO twin_alpha.links (env_id, thing_id, rank) VALUES (%s, 'T1', 2), (%s, 'T1', 3)",
            (place.env,) * 2,
        )
        connection.execute("INSERT INTO twin_beta.items (env_id, item_id, title) VALUES (%s, 'I1', '')", (place.env,))
    assert [summary(record) for record in place.records()] == [
        (1, "alpha", "external", [("links", ("T1", 1)), ("links", ("T1", 2)), ("links", ("T1", 3))]),
        (2, "beta", "external", [("items", ("I1",))]),
    ]


def test_what_is_rolled_back_by_hand_leaves_no_trace(world: World, database: Database) -> None:
    place = world.environment(Thing(thing_id="T1"))
    with psycopg.connect(database.admin) as connection:
        connection.execute("DELETE FROM twin_alpha.things WHERE env_id = %s", (place.env,))
        connection.rollback()
    assert (place.records(), place.engine.seq(place.env)) == ([], 0)


def test_a_change_of_several_environments_by_hand_is_in_each(world: World, database: Database) -> None:
    one, other = world.environment(Thing(thing_id="T1")), world.environment(Thing(thing_id="T1"))
    database.psql("UPDATE twin_alpha.things SET count = 5 WHERE env_id = ANY(%s)", [one.env, other.env])
    for place in (one, other):
        assert [summary(record) for record in place.records()] == [(1, "alpha", "external", [("things", ("T1",))])]


def test_a_change_by_hand_with_its_numbering_switched_off_is_external_too(world: World, database: Database) -> None:
    place = world.environment(Thing(thing_id="T1"))
    with psycopg.connect(database.admin) as connection:
        connection.execute("SELECT set_config('app.operation', 'mine', true)")
        connection.execute("UPDATE twin_alpha.things SET count = 5 WHERE env_id = %s", (place.env,))
    marker = world.environment()
    marker.add(Thing(thing_id="T1"))
    assert len(marker.records()) == 1  # the log comes in order, so the one before has come as well
    assert [summary(record) for record in place.records()] == [(1, "alpha", "external", [("things", ("T1",))])]


def test_what_changes_nothing_by_hand_is_no_operation(world: World, database: Database) -> None:
    place = world.environment(Thing(thing_id="T1", count=5))
    here = f"FROM twin_alpha.things WHERE env_id = '{place.env}'"
    database.psql(f"INSERT INTO twin_alpha.things SELECT * {here} ON CONFLICT DO NOTHING")
    database.psql("UPDATE twin_alpha.things SET count = 5 WHERE env_id = %s", place.env)
    assert place.engine.seq(place.env) == 0


def test_a_large_value_that_an_update_leaves_alone_is_there_in_full(world: World, database: Database) -> None:
    import random

    large = "".join(random.Random(7).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=200_000))
    place = world.environment(Thing(thing_id="T1", text=large, data={"large": large}))
    place.write(lambda db: db.change(db.get(Thing, "T1"), count=1))
    database.psql("UPDATE twin_alpha.things SET count = 2 WHERE env_id = %s", place.env)
    for record in place.records():
        (change,) = record.changes
        for row in (change.before, change.after):
            assert row is not None
            assert (row["text"], row["data"]) == (large, {"large": large})


def test_what_a_trigger_writes_belongs_to_the_operation(world: World, database: Database) -> None:
    place = world.environment()
    database.psql(
        "CREATE FUNCTION public.echo() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "INSERT INTO twin_alpha.echoes VALUES (NEW.env_id, NEW.thing_id, 'heard'); RETURN NULL; END $$"
    )
    database.psql("CREATE TRIGGER echo AFTER INSERT ON twin_alpha.things FOR EACH ROW EXECUTE FUNCTION public.echo()")
    place.add(Thing(thing_id="T1"))
    database.psql("DROP TRIGGER echo ON twin_alpha.things")
    assert [summary(record) for record in place.records()] == [
        (1, "alpha", "do", [("echoes", ("T1",)), ("things", ("T1",))])
    ]


def test_what_is_written_around_the_store_belongs_to_the_operation(world: World) -> None:
    place = world.environment(Thing(thing_id="T1"))

    def work(moment: object) -> None:
        with moment.db._opener() as connection:  # type: ignore[attr-defined]
            connection.execute("UPDATE twin_alpha.things SET count = 9")

    place.engine.write(place.env, OperationInfo("alpha", "do", "U1"), work)
    assert [summary(record) for record in place.records()] == [(1, "alpha", "do", [("things", ("T1",))])]


def test_truncate_is_refused_in_one_clear_line(world: World, database: Database) -> None:
    place = world.environment(Thing(thing_id="T1"))
    with pytest.raises(psycopg.errors.RaiseException, match="would empty every environment"):
        database.psql("TRUNCATE twin_alpha.things")
    assert place.read(lambda db: db.count(Thing)) == 1


def test_copies_forks_and_rewinds_are_no_changes(world: World) -> None:
    place = world.environment(Thing(thing_id="T1"))
    place.add(Thing(thing_id="T2"))
    child = place.fork(1)
    place.engine.rewind(place.env, 0)
    child.add(Item(item_id="I1"), twin="beta")
    assert [(record.seq, record.operation, len(record.changes)) for record in place.records()] == [
        (1, "do", 1), (2, "rewind", 0)
    ]  # fmt: skip
    assert [(record.seq, record.operation, len(record.changes)) for record in child.records()] == [
        (1, "do", 1), (2, "do", 1)
    ]  # fmt: skip
