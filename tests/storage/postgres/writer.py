"""A process that does operations of every kind until it is killed: `python -m tests.storage.postgres.writer`.

It is told on its standard input how many to do, `{"count": 20}` a line, and says on its standard output what each came
to that was acknowledged, then `null`.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Any

import psycopg

from tests.storage.conformance.worlds import SCHEMAS, Link, Thing
from twindiff.kit.errors import ApiError
from twindiff.kit.store import Store
from twindiff.storage import OperationInfo
from twindiff.storage.postgres import PostgresEngine

SILENT = ("no net change", "no change", "part that fails", "failing")
"""Operations that leave no record."""


class Refused(ApiError):
    """An operation fails after it has written."""


class Writer:
    """One that writes to environments through an engine, and by hand."""

    def __init__(self, dsn: str, admin: str, environments: list[str], name: str) -> None:
        self._admin = admin
        self._environments = environments
        self._marks = (f"{name}-{number}" for number in count(1))
        self._random = random.Random(name)
        self._engine = PostgresEngine(dsn)
        for schema in SCHEMAS.values():
            self._engine.schema(schema)
        self._kinds: dict[str, tuple[Callable[[Store, str], object], int]] = {
            "add": (self._add, 4),
            "change": (self._change, 4),
            "no net change": (self._remove_and_add, 3),
            "no change": (self._change_nothing, 2),
            "part that fails": (self._fail_in_part, 2),
            "failing": (self._fail, 2),
        }

    def step(self) -> dict[str, Any] | None:
        """One operation; what was acknowledged, if anything."""
        env, mark = self._random.choice(self._environments), next(self._marks)
        way = self._random.random()
        if way < 0.1:
            return self._by_hand(env, mark)
        if way < 0.15:
            to = self._random.randint(0, self._engine.seq(env))
            return {"env": env, "kind": "rewind", "to": to, "seq": self._engine.rewind(env, to)}
        kind = self._random.choices([*self._kinds], [weight for _, weight in self._kinds.values()])[0]
        work = self._kinds[kind][0]
        with suppress(Refused):
            _, seq = self._engine.write(env, OperationInfo("alpha", kind, "U1"), lambda moment: work(moment.db, mark))
            return {"env": env, "kind": kind, "mark": mark, "seq": seq}
        return None

    def _by_hand(self, env: str, mark: str) -> dict[str, Any] | None:
        update = "UPDATE twin_alpha.things SET text = %s WHERE env_id = %s AND thing_id = 'T0'"
        with psycopg.connect(self._admin, autocommit=True) as connection:
            connection.execute(update, (mark, env))
        return {"env": env, "kind": "external", "mark": mark, "seq": None}

    def _any(self, db: Store) -> Thing:
        return self._random.choice(db.rows(Thing, order=Thing.thing_id, limit=50))

    def _add(self, db: Store, mark: str) -> None:
        db.add(Thing(thing_id=mark, text=mark))
        db.add(Link(thing_id=mark, rank=1))

    def _change(self, db: Store, mark: str) -> None:
        db.change(self._any(db), text=mark)

    def _remove_and_add(self, db: Store, mark: str) -> None:
        rows = db.rows(Thing, order=Thing.thing_id, limit=20)
        for row in rows:
            db.remove(row)
        for row in reversed(rows):
            db.add(row)

    def _change_nothing(self, db: Store, mark: str) -> None:
        row = self._any(db)
        db.change(row, text=row.text)

    def _fail_in_part(self, db: Store, mark: str) -> None:
        with suppress(Refused), db.savepoint():
            self._fail(db, mark)

    def _fail(self, db: Store, mark: str) -> None:
        self._add(db, mark)
        raise Refused


def main() -> None:
    """Write as often as the next line says, until there is none."""
    writer = Writer(**json.loads(sys.stdin.readline()))
    for line in sys.stdin:
        for _ in range(json.loads(line)["count"]):
            with suppress(ApiError, psycopg.Error):  # the database may be down, or the outcome unknown
                done = writer.step()
                if done:
                    print(json.dumps(done), flush=True)
        print("null", flush=True)


if __name__ == "__main__":
    main()
