"""A call that takes long keeps nobody waiting, is done once, and means what it would have meant alone."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from tests.harness import GENERAL, Environment, LiveServer, Platform
from tests.server_mode import embedded_only
from twindiff.environments.registry import Registry
from twindiff.kit import Call, Column, Operations, Row, Twin
from twindiff.kit.http import Request
from twindiff.kit.styles.base import Style
from twindiff.kit.throttling import yield_processor
from twindiff.server import Settings, call_scheduler
from twindiff.storage import deadline

pytestmark = embedded_only("there each call has a thread of its own")

LONG, READER = "twindiff long call", "twindiff reader"
"""How the threads of long calls and of large bodies are called."""
LARGE, HELD = {"text": "a" * 30_000}, b'{"text": "%s"}' % (b"b" * 30_000)


class Ticket(Row, table="tickets", key=("ticket_id",)):
    ticket_id: Column[str]


class Gate:
    """Keeps operations inside until it is opened, and notes when one has come that nobody waits for."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.open, self.reached = threading.Event(), threading.Event()
        self.attempts: list[bool] = []

    def pass_through(self, call: Call) -> None:
        is_apart = threading.current_thread().name.startswith(LONG)
        self.attempts.append(is_apart)
        if is_apart:
            self.reached.set()
        while not (is_apart and self.open.is_set()):
            call.db.count(Ticket)


gate = Gate()
api = Operations()


@api.get("/slow")
def look_slowly(call: Call) -> dict[str, Any]:
    """Count for as long as the gate is closed."""
    gate.pass_through(call)
    return {"tickets": call.db.count(Ticket)}


@api.post("/slow/{ticket_id}")
def add_slowly(call: Call, ticket_id: str) -> dict[str, Any]:
    """Add a ticket once the gate is open."""
    call.db.add(Ticket(ticket_id=ticket_id))
    gate.pass_through(call)
    return {"tickets": call.db.count(Ticket)}


@api.get("/computed")
def compute(call: Call) -> dict[str, Any]:
    """Compute without a look at a row, for as long as others wait for it."""
    while not threading.current_thread().name.startswith(LONG):
        yield_processor()
    return {"apart": True}


@api.post("/tickets/{ticket_id}")
def add(call: Call, ticket_id: str) -> dict[str, Any]:
    """Add a ticket at once."""
    call.db.add(Ticket(ticket_id=ticket_id))
    return {"tickets": call.db.count(Ticket)}


@api.post("/documents", in_thread=True, reads=True)
def read_document(call: Call) -> dict[str, Any]:
    """Say where it is worked on."""
    return {"apart": threading.current_thread().name.startswith(LONG)}


@api.post("/bodies", reads=True, body_limit=1_000_000)
def read_body(call: Call, text: str = "") -> dict[str, Any]:
    """Say where it is worked on."""
    return {"apart": threading.current_thread().name.startswith(LONG)}


class Notes(Style):
    """Notes in which thread each body is read, and keeps who reads a held one until it may go on."""

    token_in_body = True

    def __init__(self) -> None:
        self.threads: list[str] = []
        self.go_on, self.reached = threading.Event(), threading.Event()

    def body(self, request: Request) -> dict[str, Any]:
        self.threads.append(threading.current_thread().name.rpartition("_")[0])
        if request.body == HELD:
            self.reached.set()
            self.go_on.wait(60)
        return super().body(request)

    def token(self, request: Request) -> str | None:
        return super().token(request) or (self.body(request).get("token") if request.body else None)


notes = Notes()


@pytest.fixture(scope="module")
def live() -> Iterator[LiveServer]:
    twin = Twin("desk", notes, api, tables=(Ticket,))
    server = LiveServer(Settings(), Registry([twin]))
    try:
        rows = {"tickets": [{"ticket_id": "T0"}]}
        server.on_loop(lambda: server.service.templates.add(twin, "desk_default", rows, origin="test"))
        yield server
    finally:
        server.close()


@pytest.fixture
def desk(live: LiveServer) -> Environment:
    gate.reset()
    notes.threads.clear()
    return Platform(live.client).environment("desk:desk_default", "U1")


@pytest.fixture
def later() -> Iterator[ThreadPoolExecutor]:
    """Clients of their own."""
    with ThreadPoolExecutor(4) as clients:
        yield clients
        gate.open.set()


def asked(later: ThreadPoolExecutor, desk: Environment, verb: str, path: str) -> Future[Any]:
    """A call that is on its way, and has begun apart from the others."""
    answer = later.submit(desk.ask, path, verb=verb)
    assert gate.reached.wait(60)
    return answer


def rows(desk: Environment) -> list[str]:
    journal = desk.platform.get(f"env/{desk.id}/journal")["records"]
    return [change["after"]["ticket_id"] for record in journal for change in record["changes"]]


@pytest.mark.parametrize(("verb", "path"), [("GET", "slow"), ("POST", "slow/T1")])
def test_others_are_answered_while_a_call_takes_long(
    live: LiveServer, desk: Environment, later: ThreadPoolExecutor, verb: str, path: str
):
    answer = asked(later, desk, verb, path)
    other = Platform(live.client).environment("desk:desk_default", "U1")
    assert other.ask("tickets/T1").json() == {"tickets": 2}
    gate.open.set()
    assert answer.result().json() == {"tickets": 1 if verb == "GET" else 2}
    assert gate.attempts == [False, True], "it began where others wait, and again where nobody does"


def test_what_is_known_to_take_long_begins_where_nobody_waits(desk: Environment):
    assert desk.ask("documents").json() == {"apart": True}
    assert desk.ask("bodies", json={"text": "short"}).json() == {"apart": False}
    assert desk.ask("bodies", json={"text": "a" * 600_000}).json() == {"apart": True}


def test_what_computes_for_long_between_its_looks_at_rows_is_begun_again_where_nobody_waits(desk: Environment):
    assert desk.ask("computed", verb="GET").json() == {"apart": True}


def test_a_large_body_is_read_once_where_nobody_waits(desk: Environment):
    assert desk.ask("bodies", json=LARGE).json() == {"apart": False}
    assert desk.ask("bodies", json={"text": "a" * 600_000}).json() == {"apart": True}
    assert notes.threads == [READER, READER]


def test_a_large_body_that_cannot_be_read_is_read_once_and_refused(desk: Environment):
    answer = desk.ask("bodies", content=b"{" + b" " * 600_000)
    assert (answer.status_code, answer.json()["error"], notes.threads) == (400, "malformed_body", [READER])


def test_a_token_in_a_large_body_is_looked_for_where_nobody_waits(live: LiveServer, desk: Environment):
    answer = live.client.post(f"{desk.url}/bodies", json=LARGE | {"token": "x"})
    assert (answer.json(), notes.threads) == ({"apart": False}, [READER, READER])


def test_a_large_body_that_meets_a_fault_is_read_where_nobody_waits(desk: Environment):
    faults = {"faults": [{"kind": "latency", "seconds": 0.001}]}
    assert desk.platform.ask("PUT", f"env/{desk.id}/faults", faults).is_success
    assert (desk.ask("bodies", json=LARGE).json(), notes.threads) == ({"apart": False}, [READER])


def test_one_environment_reads_one_large_body_at_a_time(live: LiveServer, desk: Environment, later: ThreadPoolExecutor):
    other = Platform(live.client).environment("desk:desk_default", "U1")
    mine = [later.submit(desk.ask, "bodies", content=HELD) for _ in range(3)]
    assert notes.reached.wait(60)
    assert other.ask("bodies", json=LARGE).json() == {"apart": False}
    notes.go_on.set()
    assert {each.result().status_code for each in mine} == {200}


def test_a_long_write_is_one_operation_and_one_call(live: LiveServer, desk: Environment, later: ThreadPoolExecutor):
    gate.open.set()
    assert asked(later, desk, "POST", "slow/T1").result().json() == {"tickets": 2}
    assert rows(desk) == ["T1"]
    entries = live.on_loop(lambda: live.service.calls.log.list(desk.id, after=0, limit=10))
    assert [(entry.operation, entry.status, entry.seq) for entry in entries] == [("POST /slow/{ticket_id}", 200, 1)]


def test_a_long_read_sees_what_was_there_when_it_began(desk: Environment, later: ThreadPoolExecutor):
    answer = asked(later, desk, "GET", "slow")
    assert desk.ask("tickets/T1").json() == {"tickets": 2}
    gate.open.set()
    assert answer.result().json() == {"tickets": 1}


def test_a_long_write_that_was_overtaken_is_begun_again_and_loses_nothing(desk: Environment, later: ThreadPoolExecutor):
    answer = asked(later, desk, "POST", "slow/T1")
    assert desk.ask("tickets/T2").json() == {"tickets": 2}
    gate.open.set()
    assert answer.result().json() == {"tickets": 3}
    assert rows(desk) == ["T2", "T1"]
    assert gate.attempts == [False, True, True]


def test_a_long_write_that_is_refused_writes_nothing(desk: Environment, later: ThreadPoolExecutor):
    gate.open.set()
    assert desk.ask("tickets/T1").status_code == 200
    assert later.submit(desk.ask, "slow/T1").result().status_code == 409
    assert rows(desk) == ["T1"]


def test_what_never_ends_is_stopped_and_has_written_nothing(
    desk: Environment, later: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(deadline, "WHOLE_SECONDS", 0.05)
    answer = later.submit(desk.ask, "slow/T1").result()
    assert (answer.status_code, answer.json()["error"]) == (503, "too_slow")
    assert rows(desk) == []


def test_a_rewound_environment_takes_over_nothing_from_before(desk: Environment, later: ThreadPoolExecutor):
    desk.ask("tickets/T1")
    answer = asked(later, desk, "POST", "slow/T9")
    desk.platform.post(f"env/{desk.id}/rewind", {"to": 0})
    gate.open.set()
    assert answer.result().json() == {"tickets": 2}, "T0 and its own, and not T1"


def test_two_long_writes_of_one_environment_are_done_one_after_the_other(desk: Environment, later: ThreadPoolExecutor):
    first = asked(later, desk, "POST", "slow/T1")
    second = later.submit(desk.ask, "slow/T2")
    gate.open.set()
    assert sorted([first.result().json()["tickets"], second.result().json()["tickets"]]) == [2, 3]
    assert sorted(rows(desk)) == ["T1", "T2"]


# Beside others


def test_a_long_call_rests_while_others_come_and_is_done_at_last(
    live: LiveServer, desk: Environment, later: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
):
    rested, rest = threading.Event(), time.sleep

    def note(seconds: float) -> None:
        if threading.current_thread().name.startswith(LONG):
            rested.set()
        rest(seconds)

    monkeypatch.setattr(time, "sleep", note)
    answer = asked(later, desk, "POST", "slow/T1")
    other = Platform(live.client).environment("desk:desk_default", "U1")
    assert any(other.ask("bodies").json() and rested.is_set() for _ in range(1000))
    gate.open.set()
    assert answer.result().json() == {"tickets": 2}


def test_calls_that_come_after_a_long_one_begin_where_nobody_waits(
    live: LiveServer, desk: Environment, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(call_scheduler, "APART_SECONDS", 600.0)
    gate.open.set()
    desk.ask("slow", verb="GET")
    desk.ask("slow", verb="GET")
    assert gate.attempts == [False, True, True]
    assert Platform(live.client).environment("desk:desk_default", "U1").ask("bodies").json() == {"apart": False}


def test_calls_begin_where_others_wait_again_once_a_long_one_is_some_time_past(
    desk: Environment, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(call_scheduler, "APART_SECONDS", 0.0)
    gate.open.set()
    desk.ask("slow", verb="GET")
    assert desk.ask("bodies").json() == {"apart": False}


# Every call apart


SCRIPT: list[tuple[str, dict[str, Any]]] = [
    ("chat.postMessage", {"channel": GENERAL, "text": "one"}),
    ("chat.postMessage", {"channel": GENERAL, "text": "<@U02JOHNDOE1> two"}),
    ("chat.postMessage", {"channel": "nowhere", "text": "lost"}),
    ("reactions.add", {"channel": GENERAL, "timestamp": "1699564800.000123", "name": "eyes"}),
    ("reactions.add", {"channel": GENERAL, "timestamp": "1699564800.000123", "name": "eyes"}),
    ("conversations.create", {"name": "plans"}),
    ("conversations.create", {"name": "plans"}),
    ("conversations.history", {"channel": GENERAL, "limit": 3}),
    ("search.messages", {"query": "in:general one OR two"}),
    ("users.list", {}),
    ("chat.update", {"channel": GENERAL, "ts": "1699564800.000123", "text": "three"}),
    ("conversations.list", {}),
]


def told(platform: Platform) -> tuple[list[Any], list[Any]]:
    """Answers and journal of the script in a fresh environment whose clock goes in steps."""
    slack = platform.environment(clock={"mode": "steps"})
    answers = [slack.slack(method, **parameters) for method, parameters in SCRIPT]
    records = platform.get(f"env/{slack.id}/journal")["records"]
    return answers, [{name: value for name, value in each.items() if name != "at"} for each in records]


def test_every_answer_and_record_is_the_same_when_all_calls_are_begun_apart(monkeypatch: pytest.MonkeyPatch):
    server = LiveServer(Settings())
    try:
        platform = Platform(server.client)
        usual = told(platform)
        monkeypatch.setattr(deadline, "BRIEF_SECONDS", -1.0)
        apart = told(platform)
    finally:
        server.close()
    assert apart == usual
