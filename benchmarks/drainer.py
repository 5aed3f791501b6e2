"""How many operations a second the drainer takes out of PostgreSQL's log, when more of them wait than it can take.

    python3 scripts/postgres.py start --fsync    # its last line is the administrator's DSN
    python -m benchmarks.drainer --admin-dsn DSN [--operations 20000] [--environments 16]

Each operation is a message in Slack: a row that is inserted and a channel that is updated. They are written by SQL in
the database itself, faster than servers write them. A database of its own is made, and dropped at the end.
"""

from __future__ import annotations

import argparse
import json
import threading
from contextlib import closing
from time import perf_counter, sleep
from uuid import uuid4

import psycopg

from benchmarks.parts.databases import database
from twindiff.environments.registry import Registry
from twindiff.kit.clock import ClockMode
from twindiff.storage import EnvironmentOrigin
from twindiff.storage.postgres import PostgresEngine
from twindiff.storage.postgres.admin import initialise
from twindiff.storage.postgres.connections import sql
from twindiff.storage.postgres.wal_consumer import Drainer

CHANNEL = {"channel_id": "C1", "channel_name": "general", "is_private": False, "is_dm": False, "is_gc": False}
WRITE = """DO $$ DECLARE env text; BEGIN
    FOR number IN 1..{operations} LOOP
        env := ({environments})[1 + number % {count}];
        PERFORM set_config('app.env_id', env, true), set_config('app.operation', 'chat.postMessage', true);
        INSERT INTO twin_slack.messages (env_id, message_id, channel_id, user_id, message_text, blocks)
            VALUES (env, number::text, 'C1', 'U1', repeat('a message ', 10), '[{{"type":"section"}}]');
        UPDATE twin_slack.channels SET last_message_at = number::text WHERE env_id = env AND channel_id = 'C1';
        PERFORM twindiff.finish_write(env, '"slack","chat.postMessage","U1"', number, number, '{{}}');
        COMMIT;
    END LOOP;
END $$"""


def main() -> None:
    """Measure, and print operations a second."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--admin-dsn", required=True)
    parser.add_argument("--operations", type=int, default=20_000)
    parser.add_argument("--environments", type=int, default=16)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with database(options.admin_dsn) as admin:
        rates = measured(admin, options.operations, options.environments)
    print(json.dumps(rates) if options.json else "\n".join(f"{name:>12} {each:,}" for name, each in rates.items()))


def measured(admin: str, operations: int, count: int) -> dict[str, int]:
    """Operations a second: as they are written by SQL, and as they are drained."""
    schema = Registry.load_installed().schemas["slack"]
    dsn = initialise(admin, [schema], None, password="bench", role="twindiff_bench")
    engine = PostgresEngine(dsn)
    engine.schema(schema)
    template = engine.add_template("slack", {"channels": [CHANNEL]})
    origin = EnvironmentOrigin(templates={"slack": template.hash}, clock=ClockMode(), created=0, clock_start=0)
    environments = [uuid4().hex for _ in range(count)]
    for env in environments:
        engine.create(env, origin)
    with closing(psycopg.connect(admin, autocommit=True)) as connection:
        connection.execute("SET synchronous_commit = off")
        names = f"ARRAY[{','.join(repr(env) for env in environments)}]"
        written = perf_counter()
        connection.execute(sql(WRITE.format(operations=operations, environments=names, count=count)))
        drained = perf_counter()
        drain(connection, dsn, operations)
        ended = perf_counter()
    engine.close()
    return {"written": round(operations / (drained - written)), "drained": round(operations / (ended - drained))}


def drain(connection: psycopg.Connection, dsn: str, operations: int) -> None:
    """Drain until so many are in the journal."""
    drainer = Drainer(dsn)
    thread = threading.Thread(target=drainer.run)
    thread.start()
    while connection.execute("SELECT count(*) FROM twindiff.journal").fetchone() != (operations,):
        sleep(0.05)
    drainer.stop()
    thread.join()


if __name__ == "__main__":
    main()
