"""What calls asked and were answered is kept beside the call log, and stays as long as results of runs do."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.harness import GENERAL, Environment, LiveServer, Platform
from tests.storage.faults import faulty_disk
from twindiff.catalog import TranscriptRecord
from twindiff.environments.call_log import CallLog, CallLogEntry
from twindiff.environments.retention import forget_ended
from twindiff.environments.transcripts import MAX_BODY_BYTES, RecordedExchange, Transcript, pack, unpack
from twindiff.kit.http import Request, Response
from twindiff.server import Service, Settings

SECRET = "xoxb-secret-of-the-agent"


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    started = LiveServer(Settings())
    yield started
    started.close()


@pytest.fixture(scope="module")
def platform(server: LiveServer) -> Platform:
    return Platform(server.in_process)


@pytest.fixture
def environment(platform: Platform) -> Environment:
    return platform.environment()


def transcripts(environment: Environment) -> list[Any]:
    calls = environment.platform.get(f"env/{environment.id}/calls", transcripts="true")["calls"]
    return [call.get("transcript") for call in calls]


def heard(body: bytes = b"", answer: bytes = b"{}", token: str = "", **headers: str) -> Transcript:
    request = Request("POST", "/x", "", {name.replace("_", "-"): value for name, value in headers.items()}, body)
    return RecordedExchange(request, Response(answer), token).transcript()


def test_a_call_keeps_what_was_asked_and_answered(environment: Environment) -> None:
    environment.post("hello")
    (said,) = transcripts(environment)
    assert (said["request"]["method"], said["request"]["path"]) == ("POST", "/chat.postMessage")
    assert '"text":"hello"' in said["request"]["body"]["text"].replace(" ", "")
    assert '"ok":true' in said["answer"]["body"]["text"]
    assert said["answer"]["status"] == 200


def test_parameters_of_an_address_are_kept(environment: Environment) -> None:
    environment.ask(f"conversations.info?channel={GENERAL}", verb="GET")
    (said,) = transcripts(environment)
    assert said["request"]["query"] == f"channel={GENERAL}"


def test_a_call_that_no_twin_has_is_kept_too(environment: Environment) -> None:
    environment.ask("chat.postMesage", json={"text": "hello"})
    (said,) = transcripts(environment)
    assert "unknown_method" in said["answer"]["body"]["text"]


def test_one_call_is_told_by_its_number(environment: Environment) -> None:
    environment.post("one")
    environment.post("two")
    call = environment.platform.get(f"env/{environment.id}/calls/2")
    assert '"two"' in call["transcript"]["request"]["body"]["text"]
    missing = environment.platform.refusal("GET", f"env/{environment.id}/calls/3")
    assert missing == (404, "call_not_found")


def test_the_token_is_left_out_wherever_it_stands(environment: Environment) -> None:
    form = {"token": SECRET, "channel": GENERAL, "text": f"my token is {SECRET}"}
    environment.ask("chat.postMessage", token="", data=form)
    environment.ask("auth.test", token=SECRET)
    environment.ask(f"auth.test?token={SECRET}", verb="GET", token="")
    environment.ask("chat.noSuchMethod", token=SECRET, headers={"Cookie": f"d={SECRET}"})
    said = transcripts(environment)
    assert len(said) == 4
    assert [SECRET in str(each["request"]) for each in said] == [False] * 4


def test_headers_that_may_be_secret_are_named_without_their_value() -> None:
    said = heard(authorization="Bearer 1", x_api_key="2", cookie="3", stripe_version="4", idempotency_key="5")
    assert sorted(set(said.request.headers.values())) == ["(left out)", "4", "5"]


def test_a_large_text_ends_early_and_says_so() -> None:
    said = heard(b"x" * 10, b"y" * 100_000)
    assert (said.answer.body.bytes, said.answer.body.is_cut) == (100_000, True)
    assert len(said.answer.body.text or "") == MAX_BODY_BYTES - 10


def test_bytes_are_kept_as_their_size_and_digest() -> None:
    small, large = b"\x89PNG\xff" * 10, b"\x89PNG\xff" * 100_000
    for body in (small, large):
        kept = heard(body).request.body
        assert (kept.bytes, kept.sha256, kept.text) == (len(body), sha256(body).hexdigest(), None)


@given(st.binary(max_size=200), st.sampled_from([1, 1000]), st.text(max_size=40), st.integers(0, 2000))
def test_whatever_was_said_is_bounded_and_reads_as_it_was_kept(
    body: bytes, times: int, text: str, repeated: int
) -> None:
    said = heard(body * times, text.encode(errors="replace") * repeated)
    assert unpack({7: pack([None, said])}) == {8: said}
    assert len((said.request.body.text or "").encode()) + len((said.answer.body.text or "").encode()) <= MAX_BODY_BYTES


def test_they_stay_with_the_result_of_a_run_when_the_environment_is_gone(platform: Platform) -> None:
    environment = platform.environment()
    environment.post("before")
    run = platform.start(environment)
    environment.post("within")
    platform.evaluate(run, {"diff_type": "added", "entity": "messages", "expected_count": 1})
    environment.post("after")
    platform.delete(f"env/{environment.id}")
    for calls in (
        platform.get(f"runs/{run}/calls", transcripts="true")["calls"],
        platform.get(f"results/{run}", calls="true")["calls"],
    ):
        (call,) = calls
        assert '"within"' in call["transcript"]["request"]["body"]["text"]
    assert len(platform.get(f"env/{environment.id}/calls")["calls"]) == 3


def test_without_a_run_nothing_stays_and_that_is_said(platform: Platform) -> None:
    environment = platform.environment()
    environment.post("hello")
    platform.delete(f"env/{environment.id}")
    assert platform.refusal("GET", f"env/{environment.id}/calls") == (410, "environment_deleted")


def test_a_call_that_is_written_after_its_environment_was_deleted_is_not_shown(
    server: LiveServer, platform: Platform
) -> None:
    environment = platform.environment()
    platform.delete(f"env/{environment.id}")
    late = CallLogEntry(0, "slack", "chat.postMessage", "U1", 200, 1.0, None, None)
    server.on_loop(lambda: server.service.calls.log.restore(environment.id, [late]))
    assert platform.refusal("GET", f"env/{environment.id}/calls") == (410, "environment_deleted")
    assert platform.refusal("GET", f"env/{environment.id}/calls/1")[0] == 404


def test_they_go_with_the_results_in_the_end() -> None:
    server = LiveServer(Settings())
    try:
        platform = Platform(server.in_process)
        environment = platform.environment()
        platform.start(environment)
        environment.post("hello")
        platform.delete(f"env/{environment.id}")
        service = server.service
        log = service.calls.log
        server.on_loop(lambda: list(forget_ended(service.engine, service.catalog, log, 2**60)))
        assert server.on_loop(lambda: log.list(environment.id, after=0, limit=10)) == []
        assert server.on_loop(lambda: service.catalog.rows(TranscriptRecord)) == []
    finally:
        server.close()


def test_they_travel_with_an_environment(environment: Environment) -> None:
    environment.post("hello")
    platform = environment.platform
    file = platform.ask("GET", f"env/{environment.id}/export").content
    headers = {"Content-Type": "application/gzip"}
    made = platform.client.post("/api/platform/env/import", content=file, headers=headers).json()
    assert transcripts(Environment(platform, made)) == transcripts(environment)


@pytest.mark.parametrize(("policy", "kept"), [("off", [False, False]), ("errors", [False, True]), ("all", [True] * 2)])
def test_a_server_keeps_what_it_is_told_to(policy: Any, kept: list[bool]) -> None:
    server = LiveServer(Settings(transcripts=policy))
    try:
        environment = Platform(server.in_process).environment()
        environment.post("hello")
        environment.slack("chat.postMessage", channel="C0", text="nowhere")
        assert [said is not None for said in transcripts(environment)] == kept
    finally:
        server.close()


def test_more_calls_than_are_packed_together_are_told_in_pages(environment: Environment) -> None:
    for number in range(130):
        environment.ask("api.test", json={"n": number})
    platform, path = environment.platform, f"env/{environment.id}/calls"
    first = platform.get(path, transcripts="true", limit=1000)["calls"]
    rest = platform.get(path, transcripts="true", after=100)["calls"]
    asked = [call["transcript"]["request"]["body"]["text"] for call in [*first, *rest]]
    assert len(first) == 100
    assert [int(text.strip("{}").rpartition(":")[2]) for text in asked] == list(range(130))


def entry(number: int) -> CallLogEntry:
    said = RecordedExchange(Request("POST", f"/{number}", body=b"{}"), Response(b"{}"), "")
    return CallLogEntry(number, "slack", "auth.test", "U1", 200, 0.1, None, None, said)


def test_a_write_of_the_call_log_that_fails_keeps_its_calls(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with faulty_disk(apsw.FullError) as fault:
        service = Service(Settings(data_dir=str(tmp_path)))
        log: CallLog = service.calls.log
        for number in range(1, 61):
            log.add("env", entry(number))
        with fault.counting(), caplog.at_level(logging.CRITICAL):
            fault.arm(0, stays=True)
            with pytest.raises(Exception, match="full"):
                log.flush(25)
        log.add("env", entry(61))
        fault.disarm()
        assert (log.waiting, log.total) == (61, 61)
        calls = log.list("env", after=0, limit=100)
        said = unpack(log.transcripts(calls))
        assert [said[call.number].request.path for call in calls] == [f"/{number}" for number in range(1, 62)]
        service.close()


def test_transcripts_that_wait_take_a_bounded_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("twindiff.environments.call_log.MAX_HELD_BYTES", 10)
    service = Service(Settings())
    for number in range(6):
        service.calls.log.add("env", entry(number))
    calls = service.calls.log.list("env", after=0, limit=10)
    assert (len(calls), len(unpack(service.calls.log.transcripts(calls)))) == (6, 2)
    service.close()


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ('{"access_token":"x","token_type":"bearer"}', '{"access_token":"(left out)","token_type":"bearer"}'),
        ('{"token" : "a\\"b", "nextPageToken":"x"}', '{"token" : "(left out)", "nextPageToken":"x"}'),
        ('{"query":"{w(secret: \\"x\\") {id}}"}', '{"query":"{w(secret: \\"(left out)\\") {id}}"}'),
        ('{"query":"{w(secret: \\"\\"\\"x\\"\\"\\")}"}', '{"query":"{w(secret: \\"\\"\\"(left out)\\"\\"\\")}"}'),
        ("client_secret=x&code=SUMMER", "client_secret=(left out)&code=SUMMER"),
        ("grant_type=authorization_code&code=x", "grant_type=authorization_code&code=(left out)"),
        ("shared_link%5Bpassword%5D=x&a=1", "shared_link%5Bpassword%5D=(left out)&a=1"),
        ('name="client_secret"\r\n\r\nx\r\n--b', 'name="client_secret"\r\n\r\n(left out)\r\n--b'),
        ('{"is_password_enabled":true,"lookup_key":"x"}', '{"is_password_enabled":true,"lookup_key":"x"}'),
    ],
)
def test_secrets_are_left_out_by_the_names_that_they_are_given_with(said: str, kept: str) -> None:
    transcript = heard(said.encode(), kept.encode())
    assert (transcript.request.body.text, transcript.answer.body.text) == (kept, kept)
