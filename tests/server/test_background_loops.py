"""What is done between requests goes on after any failure, waits longer each time, and says so once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.harness import LiveServer
from twindiff.browser.config import TestConfig
from twindiff.browser.job import BrowserJob, BrowserLimits
from twindiff.server import backoff
from twindiff.server.apis.test_runs.ledger import Ledger
from twindiff.server.apis.test_runs.workers import BrowserWorker
from twindiff.server.backoff import Backoff
from twindiff.storage import StorageUnavailable
from twindiff.storage.sqlite import SqliteEngine


def until(holds: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("owner", "name", "what"),
    [
        (SqliteEngine, "maintain", "Maintenance"),
        (Ledger, "list_lost", "Looking after runs"),
        (SqliteEngine, "leads", "Sending deliveries"),
    ],
)
def test_a_loop_that_fails_goes_on_and_says_so_once(
    make_server: Callable[..., LiveServer],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    owner: type,
    name: str,
    what: str,
):
    monkeypatch.setattr(backoff, "MIN_SECONDS", 0.01)
    tries: list[bool] = []
    works: Any = getattr(owner, name)
    is_broken = True
    owners: list[object] = []

    def work(*given: Any) -> Any:
        if getattr(given[0], "_service", given[0]) not in owners:
            return works(*given)  # another server of this process
        tries.append(is_broken)
        if is_broken:
            raise LookupError("broken")
        return works(*given)

    monkeypatch.setattr(owner, name, work)
    service = make_server().service
    owners += [service, service.engine]
    until(lambda: len(tries) >= 3)
    is_broken = False
    until(lambda: tries[-1] is False)
    assert len([line for line in caplog.messages if line.startswith(f"{what} failed")]) == 1


def test_the_waits_of_a_loop_grow_to_a_minute_and_begin_anew():
    loop = Backoff("It")
    assert [loop.fail(LookupError()) for _ in range(8)] == [1, 2, 4, 8, 16, 32, 60, 60]
    loop.reset()
    assert loop.fail(LookupError()) == 1


def test_a_storage_that_is_away_is_asked_again_each_second():
    loop = Backoff("It")
    assert [loop.fail(StorageUnavailable("away")) for _ in range(5)] == [1] * 5


def test_a_worker_that_has_ended_is_told_in_vain(tmp_path: Path):
    uvloop = pytest.importorskip("uvloop")

    async def tell() -> None:
        job = BrowserJob(
            "r1", "http://127.0.0.1:1/", TestConfig(), str(tmp_path), "/nowhere", limits=BrowserLimits(1, 300, 1)
        )
        worker = BrowserWorker(job, lambda event: asyncio.sleep(0))
        await worker.run()
        worker.tell("")

    uvloop.run(tell())
