"""What a person meets at the command line: one clear line and an exit code, whatever is wrong with the database."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from typing import Any
from urllib.parse import quote

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL, Identifier
from typer.testing import CliRunner, Result

from tests.storage.conformance.worlds import World
from tests.storage.postgres.cluster import PASSWORD, ROLE, Database
from tests.storage.postgres.serving import serving
from twindiff.cli import app
from twindiff.storage import StorageUnavailable
from twindiff.storage.postgres.admin import slot_of
from twindiff.storage.postgres.health import GIB, Lag, SlotGuard, findings, size

pytestmark = pytest.mark.postgres


def twindiff(*arguments: str, **environment: str) -> Result:
    """Run a command that ends by itself, in this process."""
    return CliRunner().invoke(app, list(arguments), env=environment)


def refused(*arguments: str) -> str:
    """The one line that a command ends with."""
    done = twindiff(*arguments)
    return line_of(done.exit_code, done.stderr)


def refused_to_serve(*options: str, **environment: str) -> str:
    """The one line that a server ends with, in a process of its own: one that is not refused would go on."""
    done = subprocess.run(
        [sys.executable, "-m", "twindiff.cli", "serve", "--port", "0", *options],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return line_of(done.returncode, done.stderr)


def line_of(exit_code: int, said: str) -> str:
    assert exit_code == 1, said
    assert "Traceback" not in said
    assert len(said.strip().splitlines()) == 1, said
    return said


def url(dsn: str) -> str:
    """A connection string as people write it."""
    known: dict[str, Any] = conninfo_to_dict(dsn)
    secret = quote(known["password"], safe="")
    return f"postgresql://{known['user']}:{secret}@{known['host']}:{known['port']}/{known['dbname']}"


def test_a_database_is_initialised_twice_and_serves(database: Database) -> None:
    for _ in range(2):
        done = twindiff("db", "init", "--admin-dsn", url(database.admin), "--role", ROLE, "--password", PASSWORD)
        assert (done.exit_code, done.stderr) == (0, "")
    dsn = done.stdout.splitlines()[-1]
    with serving(dsn, workers=1) as running:
        assert running.environment().post("hi")
    assert "Traceback" not in running.words


def test_an_existing_role_keeps_its_password(database: Database) -> None:
    database.initialise()
    said = json.loads(twindiff("db", "init", "--admin-dsn", url(database.admin), "--role", ROLE, "--json").stdout)
    assert said["storage"].startswith(f"postgresql://{ROLE}@127.0.0.1:")


def test_a_password_that_is_not_known_is_said_to_be_missing(database: Database) -> None:
    database.initialise()
    said = twindiff("db", "init", "--admin-dsn", url(database.admin), "--role", ROLE).stdout
    assert f"with the password of '{ROLE}' put in; --password sets another:\npostgresql://{ROLE}@127.0.0.1:" in said


def test_a_wrong_password_is_said_in_one_line(database: Database) -> None:
    wrong = url(database.dsn).replace(PASSWORD, "wrong")
    assert "password authentication failed" in refused_to_serve(TWINDIFF_STORAGE=wrong)
    assert "password authentication failed" in refused("db", "init", "--admin-dsn", wrong)


def test_a_server_that_is_down_is_said_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    dsn = f"postgresql://u:p@127.0.0.1:{port}/x"
    assert "cannot be reached" in refused_to_serve("--storage", dsn, "--storage-wait", "0")
    assert "cannot be reached" in refused("db", "init", "--admin-dsn", dsn)


def test_a_server_that_does_not_come_up_is_waited_for_and_then_said_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        dsn = f"postgresql://u:p@127.0.0.1:{listener.getsockname()[1]}/x"
    command = [sys.executable, "-m", "twindiff.cli", "serve", "--port", "0", "--storage", dsn, "--storage-wait", "0.1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    first, last = done.stderr.splitlines()
    assert first.startswith("PostgreSQL is not up yet: it cannot be reached: connection failed")
    assert last.endswith("It was waited for 0.1 seconds.")
    assert done.returncode == 1


@pytest.mark.parametrize("nonsense", ["nonsense", "postgresql://h:notaport/x", "mysql://u@h/x"])
def test_a_string_that_is_no_dsn_is_said_in_one_line(nonsense: str) -> None:
    assert "cannot be reached" in refused_to_serve("--storage", nonsense)


def test_a_superuser_is_refused_to_serve(database: Database) -> None:
    assert "nothing would keep environments apart" in refused_to_serve("--storage", url(database.admin))


def test_only_a_superuser_can_initialise(database: Database) -> None:
    database.initialise()
    assert "Only a superuser" in refused("db", "init", "--admin-dsn", url(database.dsn))


def test_a_database_that_was_never_set_up_is_said_in_one_line(cluster: str) -> None:
    fresh = Database(cluster)
    try:
        assert "never set up" in refused_to_serve("--storage", url(fresh.dsn))
    finally:
        fresh.initialise()
        fresh.drop()


def test_a_read_only_database_is_said_in_one_line(database: Database) -> None:
    database.initialise_all()
    database.psql(f'ALTER DATABASE "{database.name}" SET default_transaction_read_only = on')
    try:
        assert "takes no writes" in refused_to_serve("--storage", url(database.dsn))
    finally:
        with psycopg.connect(database.admin, options="-c default_transaction_read_only=off", autocommit=True) as admin:
            admin.execute(
                SQL("ALTER DATABASE {} RESET default_transaction_read_only").format(Identifier(database.name))
            )


def test_a_missing_slot_is_found_and_mended(database: Database) -> None:
    database.initialise()
    with psycopg.connect(database.admin, autocommit=True) as admin:
        admin.execute("SELECT pg_drop_replication_slot(%s)", (slot_of(admin),))
    assert [(finding.what, finding.is_fine) for finding in findings(database.dsn)][-1] == ("slot", False)
    database.initialise()
    assert all(finding.is_fine for finding in findings(database.dsn))


def without_wal2json(database: Database) -> None:
    """From here on that database finds plugins in a folder where there is none."""
    database.psql(f"ALTER DATABASE \"{database.name}\" SET dynamic_library_path = '/nowhere'")


def test_a_missing_wal2json_is_said_in_one_line_when_a_database_is_set_up(cluster: str) -> None:
    fresh = Database(cluster)
    without_wal2json(fresh)
    try:
        assert "wal2json is missing; install it" in refused("db", "init", "--admin-dsn", url(fresh.admin))
    finally:
        fresh.drop()


def test_a_wal2json_that_is_gone_is_said_in_one_line(cluster: str) -> None:
    fresh = Database(cluster)
    fresh.initialise()
    without_wal2json(fresh)
    try:
        assert "the plugin is missing" in refused_to_serve(TWINDIFF_STORAGE=url(fresh.dsn))
        assert broken(fresh.dsn)["what"] == "postgresql wal2json"
        assert "Install it" in broken(fresh.dsn)["mend"]
    finally:
        fresh.drop()


def test_a_wal2json_that_may_not_be_used_is_found_and_mended(database: Database) -> None:
    database.initialise()
    if database.psql("SELECT current_setting('output_plugin_libraries', true)") == [(None,)]:
        pytest.skip("this PostgreSQL lets every role use every output plugin")
    database.psql(f'ALTER ROLE {ROLE} IN DATABASE "{database.name}" RESET output_plugin_libraries')
    last = [*findings(database.dsn)][-1]
    assert (last.what, last.is_fine) == ("wal2json", False)
    database.initialise()
    assert all(finding.is_fine for finding in findings(database.dsn))


def found_at(dsn: str) -> dict[str, str]:
    """Where the doctor looks; engines of containers take it long, and are another matter."""
    return {"TWINDIFF_STORAGE": url(dsn), "TWINDIFF_CONTAINER_ENGINE": "none"}


def broken(dsn: str) -> dict[str, str]:
    """The one thing that the doctor finds broken."""
    done = twindiff("doctor", "--json", **found_at(dsn))
    (finding,) = [each for each in json.loads(done.stdout) if each["state"] == "broken"]
    assert (done.exit_code, done.stderr) == (1, "")
    return finding


def test_doctor_names_what_is_wrong(database: Database) -> None:
    database.initialise()
    finding = broken(database.admin)
    assert finding["what"] == "postgresql role"
    assert "db init" in finding["mend"]
    said = json.loads(twindiff("doctor", "--json", **found_at(database.dsn)).stdout)
    states = {each["what"]: each["state"] for each in said if each["what"].startswith("postgresql")}
    assert {*states.values()} == {"good"}
    assert {"postgresql slot", "postgresql origins", "postgresql wal2json", "postgresql wal_level"} <= {*states}


def test_a_slot_that_an_administrator_reads_is_waited_for(database: Database) -> None:
    import psycopg2
    import psycopg2.extras

    database.initialise_all()
    with psycopg.connect(database.admin) as admin:
        slot = slot_of(admin)
        listed = admin.execute("SELECT current_setting('output_plugin_libraries', true) IS NOT NULL").fetchone()
    # It sends no feedback, for which a machine that is busy would end it before the server asks.
    given = "-c wal_sender_timeout=0"
    if listed == (True,):
        given += " -c output_plugin_libraries=wal2json"
    options: dict[str, Any] = {
        "connection_factory": psycopg2.extras.LogicalReplicationConnection,
        "options": given,
    }
    stream = psycopg2.connect(database.admin, **options)
    stream.cursor().start_replication(slot_name=slot, options={"format-version": "2"}, decode=False)
    with serving(database.dsn, workers=1) as running:
        environment = running.environment()
        run = running.platform.start(environment)
        environment.post("hi")
        answer = running.platform.ask("POST", "diffRun", {"runId": run})
        assert (answer.status_code, answer.json()["error"]) == (503, "journal_lags")
        assert answer.headers["retry-after"] == "1"
        stream.close()
        from tests.storage.postgres.serving import eventually

        assert eventually(lambda: running.platform.ask("POST", "diffRun", {"runId": run})).status_code == 200
    assert running.words.count("is active for PID") in (1, 2), "each of two drainers says it once"
    assert "Traceback" not in running.words


@pytest.mark.parametrize(
    ("slot", "problem"),
    [
        (Lag(0, True, "reserved", None), None),
        (Lag(2 * GIB, False, "reserved", None), None),
        (Lag(4 * GIB, False, "reserved", None), "4 GiB behind"),
        (Lag(9 * GIB, False, "reserved", 10 * GIB), "9 GiB behind"),
        (Lag(GIB, False, "reserved", GIB), "1 GiB behind"),
        (Lag(0, False, "lost", None), "slot is gone"),
        (None, "slot is gone"),
    ],
)
def test_no_run_begins_while_the_log_piles_up(
    world: World, slot: Lag | None, problem: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    guard = SlotGuard(world.engine._pool, look=lambda _: slot)  # type: ignore[attr-defined]
    if problem is None:
        guard.admit()
        assert bool(caplog.records) == bool(slot and slot.bytes)
        return
    with pytest.raises(StorageUnavailable, match=problem):
        guard.admit()


def test_sizes_read_well() -> None:
    assert [size(number) for number in (0, 1023, 2048, 5 << 30, 1 << 52)] == [
        "0 bytes", "1023 bytes", "2 KiB", "5 GiB", "4096 TiB"
    ]  # fmt: skip
