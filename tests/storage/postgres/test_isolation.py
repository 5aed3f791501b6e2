"""The server's role sees one environment at a time, whatever its SQL says."""

from __future__ import annotations

import psycopg
import pytest

from tests.storage.conformance.worlds import Thing, World
from tests.storage.postgres.cluster import ROLE, Database

pytestmark = pytest.mark.postgres


def test_the_role_of_the_server_sees_no_row_of_another_environment(world: World, database: Database) -> None:
    mine, other = world.environment(Thing(thing_id="T1")), world.environment(Thing(thing_id="T2"))
    with psycopg.connect(database.dsn) as connection:
        connection.execute("SELECT set_config('app.env_id', %s, true)", (other.env,))
        query = "SELECT count(*) FROM twin_alpha.things WHERE env_id = %s"
        assert connection.execute(query, (mine.env,)).fetchone() == (0,)
        assert connection.execute("SELECT thing_id FROM twin_alpha.things").fetchall() == [("T2",)]


def test_the_role_of_the_server_sees_nothing_without_an_environment(world: World, database: Database) -> None:
    world.environment(Thing(thing_id="T1"))
    with psycopg.connect(database.dsn) as connection:
        assert connection.execute("SELECT count(*) FROM twin_alpha.things").fetchone() == (0,)


def test_the_role_of_the_server_cannot_write_into_another_environment(world: World, database: Database) -> None:
    mine, other = world.environment(Thing(thing_id="T1")), world.environment()
    with psycopg.connect(database.dsn) as connection:
        connection.execute("SELECT set_config('app.env_id', %s, true)", (other.env,))
        assert connection.execute("DELETE FROM twin_alpha.things").rowcount == 0
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
            connection.execute(
                "INSERT INTO twin_alpha.links (env_id, thing_id, rank) VALUES (%s, 'T1', 1)", (mine.env,)
            )


def test_the_role_of_the_server_owns_nothing_and_is_no_superuser(database: Database, world: World) -> None:
    query = "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = %s"
    assert database.psql(query, ROLE) == [(False, False, False, False)]
    owned = "SELECT relname FROM pg_class WHERE relowner = (SELECT oid FROM pg_roles WHERE rolname = %s)"
    assert database.psql(owned, ROLE) == []
    unforced = "SELECT relname FROM pg_class WHERE relnamespace = 'twin_alpha'::regnamespace AND relkind = 'r'"
    assert database.psql(f"{unforced} AND NOT (relrowsecurity AND relforcerowsecurity)") == []


def test_a_second_initialisation_changes_nothing(world: World, database: Database) -> None:
    place = world.environment(Thing(thing_id="T1"))
    database.initialise()
    assert place.read(lambda db: db.count(Thing)) == 1
