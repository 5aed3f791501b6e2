"""With --fsync an answer says what a power cut would leave, and everybody's writes reach the disk together."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.harness import AGENT, GENERAL
from twindiff.server import Gateway, Service, Settings
from twindiff.storage.sqlite import SqliteEngine

CLIENTS = 8


class Disk:
    """Stands in for fdatasync: what it has been told to keep is what a power cut leaves."""

    def __init__(self, engine: SqliteEngine, data: Path, kept: Path) -> None:
        assert engine.durability
        self._sync, engine.durability.sync = engine.durability.sync, self.keep
        self._data, self._kept = data, kept
        self.count = 0
        self.works = True
        self.gate = threading.Event()
        self.gate.set()

    def keep(self) -> None:
        """The log is copied as it was when this began; what is written meanwhile may be lost."""
        self.count += 1
        copies = {name: (self._data / name).read_bytes() for name in ("twindiff.db", "twindiff.db-wal")}
        assert self.gate.wait(60)
        if not self.works:
            raise OSError("the disk is gone")
        self._sync()
        shutil.rmtree(self._kept, ignore_errors=True)
        self._kept.mkdir()
        for name, content in copies.items():
            (self._kept / name).write_bytes(content)


Work = Callable[[httpx.AsyncClient, Disk, list[Any]], Awaitable[None]]


@pytest.fixture
def served(tmp_path: Path) -> Callable[[Work], None]:
    """Runs work against a server in this event loop, with its disk and some environments."""

    async def run(work: Work) -> None:
        service = Service(Settings(data_dir=str(tmp_path / "data"), fsync=True))
        engine: Any = service.engine
        disk = Disk(engine, tmp_path / "data", tmp_path / "kept")
        transport = httpx.ASGITransport(Gateway(service))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            body = {"templates": ["slack:slack_default"], "impersonateUserId": AGENT}
            made = [(await client.post("/api/platform/initEnv", json=body)).json() for _ in range(CLIENTS)]
            try:
                await asyncio.wait_for(work(client, disk, made), 60)
            finally:
                disk.gate.set()
                service.close()

    return lambda work: asyncio.run(run(work))


async def post(client: httpx.AsyncClient, made: Any, text: str) -> httpx.Response:
    headers = {"Authorization": "Bearer x"}
    body = {"channel": GENERAL, "text": text}
    return await client.post(f"{made['environmentUrl']}/chat.postMessage", json=body, headers=headers)


def test_a_power_cut_takes_nothing_that_was_answered(served: Callable[[Work], None], tmp_path: Path):
    async def work(client: httpx.AsyncClient, disk: Disk, made: list[Any]) -> None:
        for n in range(5):
            answers = await asyncio.gather(*(post(client, each, f"text {n}") for each in made))
            assert {answer.json()["ok"] for answer in answers} == {True}
            dead = tmp_path / f"dead{n}"
            shutil.copytree(tmp_path / "kept", dead)
            left = SqliteEngine(str(dead))
            assert [left.seq(each["environmentId"]) for each in made] == [n + 1] * CLIENTS
            left.close()

    served(work)


def test_writes_of_all_environments_reach_the_disk_together(served: Callable[[Work], None]):
    async def work(client: httpx.AsyncClient, disk: Disk, made: list[Any]) -> None:
        disk.count = 0
        disk.gate.clear()
        posts = [asyncio.create_task(post(client, each, "x")) for each in made for _ in range(5)]
        history = f"{made[0]['environmentUrl']}/conversations.history"
        read = await client.get(history, params={"channel": GENERAL}, headers={"Authorization": "Bearer x"})
        assert read.json()["ok"], "who only reads waits for nobody"
        assert not any(each.done() for each in posts)
        disk.gate.set()
        await asyncio.gather(*posts)
        assert disk.count * 4 <= len(posts)

    served(work)


def test_a_disk_that_keeps_nothing_is_said_and_nothing_is_acknowledged(served: Callable[[Work], None]):
    async def work(client: httpx.AsyncClient, disk: Disk, made: list[Any]) -> None:
        disk.works = False
        answer = await post(client, made[0], "lost")
        assert (answer.status_code, "start the server again" in answer.text) == (503, True)
        disk.works = True
        assert (await post(client, made[0], "nor this")).status_code == 503

    served(work)
