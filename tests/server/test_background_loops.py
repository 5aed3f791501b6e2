"""What is done between requests goes on after any failure, waits longer each time, and says so once."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Callable, Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.harness import Environment, LiveServer, Platform
from twindiff.browser.config import TestConfig
from twindiff.browser.job import BrowserJob, BrowserLimits
from twindiff.catalog import TwinRunRecord
from twindiff.catalog.stamps import stamp, wall
from twindiff.cli.worker_supervision import Orders, WorkerProcess
from twindiff.environments.transcripts import RecordedExchange
from twindiff.server import Settings
from twindiff.server.apis.test_runs.ledger import Ledger
from twindiff.server.apis.test_runs.queue import Queue
from twindiff.server.apis.test_runs.workers import BrowserWorker
from twindiff.server.apis.twin_runs.makers import RunMakers
from twindiff.server.use_cases.ports import open_port
from twindiff.storage import StorageUnavailable, backoff
from twindiff.storage.backoff import Backoff
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


class RecordLoop(NamedTuple):
    """A loop over records: where its function for one is, how an environment comes to it, its name in the log."""

    place: str
    function: str
    arrange: Callable[[LiveServer, Environment], object]
    what: str


def change(server: LiveServer, environment: Environment, **fields: Any) -> None:
    service = server.service
    server.on_loop(lambda: service.catalog.change(service.environments.record(environment.id), **fields))


def end_with_port(server: LiveServer, environment: Environment) -> None:
    server._application.complete(open_port(server.service, environment.id, "slack"))
    change(server, environment, status="expired", expires=wall())


def rest(server: LiveServer, environment: Environment) -> None:
    server.on_loop(lambda: setattr(server.service.environments.get(environment.id), "last_used_at", 0))


def end_results(server: LiveServer, environment: Environment) -> None:
    change(server, environment, status="deleted", expires=0)


def emit(server: LiveServer, environment: Environment) -> None:
    def subscribe() -> None:
        service = server.service
        made = service.environments.get(environment.id)
        nobody = "http://127.0.0.1:9/"
        service.webhooks.subscribe(
            service.webhooks.subscriptions.prepare(made, service.twin_of(made, "slack"), nobody, (), None)
        )

    server.on_loop(subscribe)
    environment.post("hello")


def fall_due(server: LiveServer, environment: Environment) -> None:
    """After a reset it is unknown when the first job is due."""
    server.service.webhooks.dispatcher.notify(environment.id)
    environment.platform.post(f"env/{environment.id}/reset")


ENDING = "Ending or evicting environment"
CALLS = "Deleting the calls of environment"
RECORD_LOOPS = {
    "expired environments": RecordLoop(
        "environments", "_expire", lambda server, environment: change(server, environment, expires=wall()), ENDING
    ),
    "ended environments": RecordLoop(
        "environments", "_end", lambda *given: change(*given, status="expired", expires=0), ENDING
    ),
    "idle environments": RecordLoop("engine", "evict", rest, ENDING),
    "ports": RecordLoop("ports", "retire", end_with_port, "Maintenance: ports of environment"),
    "due work": RecordLoop(
        "loader",
        "run_due_work",
        fall_due,
        "Maintenance: due work of environment",
    ),
    "calls of ended environments": RecordLoop(
        "calls.log", "forget", lambda server, made: server.service.call_log.ended.add(made.id), CALLS
    ),
    "old results": RecordLoop("calls.log", "drop", end_results, CALLS),
    "events": RecordLoop("webhooks.outbox", "fill", emit, "Reading events of environment"),
}


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    started = LiveServer(Settings())
    yield started
    started.close()


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What has failed is tried again at once."""
    monkeypatch.setattr(backoff, "MIN_SECONDS", 0.001)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("name", RECORD_LOOPS)
def test_a_record_that_fails_is_set_aside_with_one_line_and_holds_up_no_other(
    server: LiveServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, name: str
):
    loop = RECORD_LOOPS[name]
    broken, other = (Platform(server.client).environment() for _ in range(2))
    owner = attrgetter(loop.place)(server.service)
    tries = fail_for(monkeypatch, owner, loop.function, broken.id)
    for each in (broken, other):
        loop.arrange(server, each)
    until(lambda: not server.maintain() and f"{loop.what} {broken.id} set aside" in caplog.text)
    until(lambda: other.id in tries)
    for _ in range(3):
        server.maintain()
    assert tries.count(broken.id) == 5
    said = [line for line in caplog.messages if "set aside" in line]
    assert said == [f"{loop.what} {broken.id} set aside after 5 tries: LookupError: broken"]


def fail_for(monkeypatch: pytest.MonkeyPatch, owner: object, name: str, key: str) -> list[str]:
    """Let a method raise for one record; returns the keys that it is called with, as they come."""
    works, tries = getattr(owner, name), list[str]()

    def work(record: Any, *given: Any) -> Any:
        tries.append(record if isinstance(record, str) else key_of(record))
        if tries[-1] == key:
            raise LookupError("broken")
        return works(record, *given)

    monkeypatch.setattr(owner, name, work)
    return tries


def key_of(record: Any) -> str:
    return next(getattr(record, name) for name in ("run_id", "environment_id", "id") if hasattr(record, name))


def test_a_run_of_a_dead_server_that_cannot_be_cleaned_up_fails_with_the_reason_and_holds_up_no_other(
    server: LiveServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr(backoff, "MIN_SECONDS", 0)
    dead, ledger = Ledger(server.service), Ledger(server.service)
    queue = Queue(server.service, ledger)

    def work() -> list[str]:
        """All at once, as the server's own queue would end them too."""
        broken, other = dead.add("test", {}), dead.add("test", {})
        queue.clears_lost.append(lambda run: {other.run_id: None}[run.run_id])
        for _ in range(8):
            queue._look()
        return [ledger.find(each.run_id).outcome["failure_detail"] for each in (broken, other)]

    reason = "set aside after 5 tries: KeyError"
    broken, other = server.on_loop(work)
    assert (broken.startswith(reason), other) == (True, "the server ended while the run was open")
    assert len([line for line in caplog.messages if reason in line]) == 1


@pytest.mark.usefixtures("at_once")
def test_a_twin_run_that_cannot_be_looked_after_is_set_aside_and_holds_up_no_other(
    server: LiveServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    makers, now = RunMakers(server.service), stamp()
    fields: Any = {"status": "queued", "twins": [], "requested": {}, "is_public": True, "proxy_token": "", "secret": ""}
    fields |= {"baseline_kind": "", "seed_results": {}, "created": now.micros, "created_at": now.iso}
    for run_id in ("a" * 32, "b" * 32):
        record = TwinRunRecord(run_id=run_id, environment_id="", **fields)
        server.on_loop(lambda record=record: server.service.catalog.add(record))
    tries = fail_for(monkeypatch, makers, "give_up", "a" * 32)
    for _ in range(8):
        server._application.complete(makers._look())
        time.sleep(0.005)
    assert (tries.count("a" * 32), tries.count("b" * 32)) == (5, 1)
    assert [line for line in caplog.messages if "set aside" in line] == [
        f"Looking after twin run {'a' * 32} set aside after 5 tries: LookupError: broken"
    ]


def test_a_transcript_that_cannot_be_made_is_left_out_and_holds_up_no_call(
    server: LiveServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    environment = Platform(server.client).environment()
    works = RecordedExchange.transcript

    def transcript(exchange: RecordedExchange) -> Any:
        if b"unspeakable" in exchange._request.body:
            raise LookupError("broken")
        return works(exchange)

    monkeypatch.setattr(RecordedExchange, "transcript", transcript)
    for text in ("before", "unspeakable", "after"):
        environment.post(text)
    calls = environment.platform.get(f"env/{environment.id}/calls")["calls"]
    assert len(calls) == 3
    assert [line for line in caplog.messages if "set aside" in line] == [
        f"The transcript of chat.postMessage in environment {environment.id} set aside: LookupError: broken"
    ]


DIES = "#!/bin/sh\necho ready\necho started >>{}\nexit 3\n"


def test_a_worker_that_keeps_dying_is_started_again_with_growing_waits_and_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(backoff, "MIN_SECONDS", 0.01)
    program, starts = tmp_path / "python", tmp_path / "starts"
    program.write_text(DIES.format(starts))
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    may_serve = threading.Event()
    may_serve.set()
    worker = WorkerProcess(Orders("api", Settings(), number=3), lambda code: None, may_serve)
    until(lambda: starts.exists() and starts.read_text().count("started") >= 4)
    program.unlink()  # it cannot be started for a while
    until(lambda: "Worker 3 could not be started" in capsys.readouterr().err)
    program.write_text(DIES.format(starts))
    program.chmod(0o755)
    so_far = starts.read_text().count("started")
    until(lambda: starts.read_text().count("started") > so_far)
    worker.stop()
    worker.join()
