"""Whatever is killed while operations of every kind are under way, the journal tells what the tables hold."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
from collections import Counter, defaultdict
from typing import Any

import pytest

from tests.storage.conformance.worlds import CATALOG, SCHEMAS, Place, State, Thing, World
from tests.storage.postgres.cluster import Database, DrainerProcess
from tests.storage.postgres.test_crashes import Cluster, own_cluster
from tests.storage.postgres.writer import SILENT
from twindiff.kit.errors import ApiError
from twindiff.storage.journal import JournalRecord, net
from twindiff.storage.postgres import PostgresEngine

__all__ = ["own_cluster"]

pytestmark = pytest.mark.postgres
AT_ONCE = 60
"""Operations of each writer between two checks."""


class WriterProcess:
    """A writer in a process of its own, and what it was told is done."""

    def __init__(self, told: dict[str, Any]) -> None:
        command = [sys.executable, "-m", "tests.storage.postgres.writer"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.done: list[dict[str, Any]] = []
        self._is_quiet = threading.Event()
        self._is_quiet.set()
        self._heard = threading.Semaphore(0)
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        self._tell(told)

    def _tell(self, what: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if (said := json.loads(line)) is None:
                self._is_quiet.set()
            else:
                self.done.append(said)
                self._heard.release()
        self._is_quiet.set()

    def begin(self) -> None:
        self._is_quiet.clear()
        self._tell({"count": AT_ONCE})

    def hear(self, more: int) -> None:
        """Wait until so many more are acknowledged."""
        for _ in range(more):
            assert self._heard.acquire(timeout=120), "nothing is acknowledged any more"

    def wait(self) -> None:
        """Wait until it has done what it was told, or is dead."""
        assert self._is_quiet.wait(120), "a writer hangs"

    def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(60)
        self._reader.join()
        assert self.process.stdout is not None
        self.process.stdout.close()


class Scene:
    """A database, two writers, two drainers, and environments of which is known what was acknowledged."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._database = Database(cluster.dsn)
        self._database.initialise(SCHEMAS.values(), CATALOG)
        self._world = World(lambda: PostgresEngine(self._database.dsn))
        self._places = [self._world.environment(Thing(thing_id="T0"), Thing(thing_id="T1")) for _ in range(3)]
        self._begun = {place.env: place.state() for place in self._places}
        self._world.engine.close()
        self._done: list[dict[str, Any]] = []
        self._count = 0
        self._writers = [self._writer() for _ in range(2)]
        self._drainers = [DrainerProcess(self._database.dsn) for _ in range(2)]

    def _writer(self) -> WriterProcess:
        self._count += 1
        environments = [place.env for place in self._places]
        known = {"dsn": self._database.dsn, "admin": self._database.admin}
        return WriterProcess({**known, "environments": environments, "name": f"W{self._count}"})

    def round(self, what: str, chance: random.Random) -> None:
        """Kill something under load, then see that nothing is lost, doubled or half there."""
        for writer in self._writers:
            writer.begin()
        chance.choice(self._writers).hear(chance.randint(1, AT_ONCE // 3))
        {"writer": self._kill_writer, "drainer": self._kill_drainer, "database": self._kill_database}[what]()
        for writer in self._writers:
            writer.wait()
        self._check()

    def _kill_writer(self) -> None:
        killed = self._writers.pop(0)
        killed.process.kill()
        killed.end()
        self._done += killed.done
        self._writers.append(self._writer())

    def _kill_drainer(self) -> None:
        pid = self._database.drainer()
        (killed,) = [each for each in self._drainers if each.pid == pid]
        killed.kill()
        self._drainers.remove(killed)
        self._drainers.append(DrainerProcess(self._database.dsn))

    def _kill_database(self) -> None:
        self._cluster.kill()
        self._cluster.start()

    def _check(self) -> None:
        self._world = World(lambda: PostgresEngine(self._database.dsn))
        done: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        for each in [*self._done, *(each for writer in self._writers for each in writer.done)]:
            done[each["env"]].append(each)
        for place in self._places:
            checked = Place(self._world, place.env, place.origin)
            records = eventually(checked)
            assert [record.seq for record in records] == list(range(1, len(records) + 1))
            assert replayed(checked, self._begun[place.env], len(records)) == checked.state()
            acknowledged(records, done[place.env])
        self._world.engine.close()

    def end(self) -> None:
        for each in (*self._writers, *self._drainers):
            each.end()
        self._database.drop()


def eventually(place: Place) -> list[JournalRecord]:
    """All records, once the journal has caught up."""
    for _ in range(20):
        try:
            return place.records()
        except ApiError:
            continue
    return place.records()


def replayed(place: Place, state: State, seq: int) -> State:
    """What the journal says that the tables hold."""
    rows = dict(state)
    for (twin, table, key), (_, after) in net(place.engine.difference(place.env, 0, seq)).items():
        if after is None:
            del rows[twin, table, key]
        else:
            rows[twin, table, key] = after
    return rows


def acknowledged(records: list[JournalRecord], done: list[dict[str, Any]]) -> None:
    """What was answered well is there, once; what must leave nothing has left nothing."""
    by_seq = {record.seq: record for record in records}
    marks = Counter(mark for record in records for mark in marked(record))
    assert not {record.operation for record in records} & {*SILENT}
    assert all(record.changes for record in records if record.operation in ("add", "change"))
    assert marks.total() == len(marks), "an operation is there twice"
    for each in done:
        if each["kind"] in SILENT:
            assert each["seq"] is None
        elif each["kind"] == "rewind":
            assert by_seq[each["seq"]].to == each["to"]
        else:
            assert marks[each["mark"]] == 1 or each["kind"] == "external", f"{each} is lost"
            assert each["seq"] is None or each["mark"] in marked(by_seq[each["seq"]])


def marked(record: JournalRecord) -> set[str]:
    """The marks of an operation: what its things say."""
    return {str(change.after["text"]) for change in record.changes if change.table == "things" and change.after}


def kill(cluster: Cluster, rounds: int) -> None:
    chance, scene = random.Random(12), Scene(cluster)
    try:
        for number in range(rounds):
            scene.round(("drainer", "writer", "database")[number % 3], chance)
    finally:
        scene.end()


def test_what_the_journal_says_is_what_the_tables_hold_whatever_is_killed(own_cluster: Cluster) -> None:
    kill(own_cluster, 3)


@pytest.mark.soak
def test_50_kills_while_operations_of_every_kind_are_under_way(own_cluster: Cluster) -> None:
    kill(own_cluster, 50)
