"""A disk that is full at any statement: what is asked is done whole, or answered with 507 and not done at all."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import apsw
import httpx
import pytest

from tests.environments.alarms import registry
from tests.harness import Environment, Json, Platform
from tests.storage.faults import Fault, faulty_disk
from twindiff.server import Gateway, Service, Settings
from twindiff.storage.sqlite import SqliteEngine

MOST_CALLS = 300
"""Calls of the disk that no request here needs."""


class InTurn(httpx.BaseTransport):
    """A server that does what it is asked and nothing besides, so that the calls of a disk can be counted."""

    def __init__(self, service: Service) -> None:
        self._transport = httpx.ASGITransport(Gateway(service))
        self._runner = asyncio.Runner()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self._runner.run(self._answer(request))

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        answer = await self._transport.handle_async_request(request)
        return httpx.Response(answer.status_code, headers=answer.headers, content=await answer.aread())

    def close(self) -> None:
        self._runner.close()


class Server:
    """A server over a data directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.service = Service(Settings(data_dir=str(directory)), registry)
        assert isinstance(self.service.engine, SqliteEngine)
        self.engine = self.service.engine
        self.platform = Platform(httpx.Client(transport=InTurn(self.service), base_url="http://localhost"))

    def environment(self, template: str = "alarms:empty") -> Environment:
        """One in which something has happened."""
        env = self.platform.environment(template, "P1", clock={"mode": "frozen", "start": "2027-01-15T08:00:00Z"})
        for text in ("one", "two", "three"):
            assert env.ask("notes", json={"text": text}).is_success
        return env

    def close(self) -> None:
        self.platform.client.close()
        self.service.close()

    def everything(self) -> Json:
        """All that anybody may ask for, and each row of each environment."""
        get = self.platform.get
        ready = [each for each in get("env", limit=1000)["environments"] if each["status"] == "ready"]
        in_memory: Any = self.engine._live  # pyright: ignore[reportPrivateUsage]
        assert in_memory.keys() <= {UUID(each["environmentId"]).hex for each in ready}
        return {
            "templates": get("templates"),
            "runs": get("runs"),
            "environments": [(each, self._whole(each["environmentId"])) for each in ready],
        }

    def _whole(self, id: str) -> tuple[Any, ...]:
        origin = self.service.environments.get(id).origin
        assert self.engine.problems(id, origin) == []
        checkpoints = self.service.points.checkpoints(id)
        return self.engine.seq(id), self.engine.records(id), self.engine.content(id, origin), checkpoints


class Trial:
    """A server whose disk fails in the middle of one request after the other."""

    def __init__(self, directory: Path, fault: Fault) -> None:
        self.server = Server(directory)
        self.fault = fault
        self.refused = 0

    def put_through(self, ask: Callable[[], httpx.Response], calls: range, **how: bool) -> None:
        """Ask with one of the calls of the disk failing, then the next, until there are not so many."""
        before = self.server.everything()
        for n in calls:
            self.fault.arm(n, **how)
            with self.fault.counting():
                answer = ask()
            self.fault.disarm()
            if not self.fault.happened:
                assert answer.is_success, answer.text
                return
            if answer.is_success:  # what failed was not part of it
                before = self.server.everything()
            else:
                self.refused += 1
                assert (answer.status_code, "storage_full" in answer.text) == (507, True), answer.text
                assert self.server.everything() == before
            self.look_at_the_file()
        raise AssertionError(f"a request that needs more than {MOST_CALLS} calls of the disk")

    def look_at_the_file(self) -> None:
        """What a death would leave now is what the server takes for written."""
        copy = apsw.Connection(str(self.copied() / "twindiff.db"))
        assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert rows_of(copy) == rows_of(self.server.engine.file.connection)
        copy.close()

    def copied(self) -> Path:
        copy = self.server.directory.with_name("dead")
        shutil.rmtree(copy, ignore_errors=True)
        return shutil.copytree(self.server.directory, copy)

    def die(self) -> None:
        """The next server over what is left answers what this one does."""
        dead = Server(self.copied())
        assert dead.everything() == self.server.everything()
        dead.close()


def rows_of(connection: Any) -> dict[str, list[Any]]:
    """Every row of every table of a data file."""
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    return {name: connection.execute(f'SELECT * FROM "{name}"').fetchall() for (name,) in tables}


@pytest.fixture
def trial(tmp_path: Path) -> Iterator[Trial]:
    with faulty_disk(apsw.FullError) as fault:
        trial = Trial(tmp_path / "data", fault)
        yield trial
        trial.server.close()


@pytest.fixture(scope="module")
def carried(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """An environment from elsewhere, with a template that nobody has here."""
    other = Server(tmp_path_factory.mktemp("other"))
    env = other.environment()
    other.platform.post("templates/from-environment", template_of(env, "theirs"))
    theirs = other.environment("alarms:theirs")
    other.platform.post(f"env/{theirs.id}/checkpoints", {"name": "theirs"})
    file = other.platform.ask("GET", f"env/{theirs.id}/export").content
    other.close()
    return file


def template_of(env: Environment, name: str) -> Json:
    return {"environmentId": env.id, "service": "alarms", "name": name}


class Given(NamedTuple):
    """What requests are about."""

    platform: Platform
    env: Environment
    run: str
    file: bytes
    number: count[int]

    def post(self, path: str, body: Any = None) -> httpx.Response:
        return self.platform.ask("POST", path, body)


WANTED = {"templates": ["alarms:empty"], "impersonateUserId": "P1"}
EXPECTED = {"version": "0.1", "assertions": [{"diff_type": "added", "entity": "rings", "expected_count": 3}]}
REQUESTS: dict[str, Callable[[Given], httpx.Response]] = {
    "create": lambda given: given.post("initEnv", WANTED),
    "write": lambda given: given.env.ask("notes", json={"text": "x" * 5000}),
    "advance": lambda given: given.post(f"env/{given.env.id}/clock", {"advance": 1}),
    "fork": lambda given: given.post(f"env/{given.env.id}/fork", {"at": 2, "count": 2}),
    "rewind": lambda given: given.post(f"env/{given.env.id}/rewind", {"to": 2}),
    "reset": lambda given: given.post(f"env/{given.env.id}/reset"),
    "checkpoint": lambda given: given.post(f"env/{given.env.id}/checkpoints", {"name": f"c{next(given.number)}"}),
    "start": lambda given: given.post("startRun", {"envId": given.env.id}),
    "diff": lambda given: given.post("diffRun", {"runId": given.run}),
    "evaluate": lambda given: given.post("evaluateRun", {"runId": given.run, "expectedOutput": EXPECTED}),
    "template": lambda given: given.post(
        "templates/from-environment", template_of(given.env, f"t{next(given.number)}")
    ),
    "import": lambda given: given.platform.ask("POST", "env/import", content=given.file),
    "delete": lambda given: given.platform.ask("DELETE", f"env/{given.env.id}"),
}


# Each call of the disk fails in one of the ways, in turn; for long runs in each.
@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", REQUESTS)
def test_what_a_full_disk_refuses_is_507_and_has_changed_nothing(trial: Trial, carried: bytes, name: str, step: int):
    for number, how in enumerate(({}, {"stays": True}, {"unconfirmed": True})):
        env = trial.server.environment()
        given = Given(trial.server.platform, env, trial.server.platform.start(env), carried, count())
        calls = range(number % step, MOST_CALLS, step)
        trial.put_through(lambda given=given: REQUESTS[name](given), calls, **how)
    assert trial.refused
    trial.die()
