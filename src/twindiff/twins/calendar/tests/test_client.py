"""Google's own client against the twin: built from its discovery document, with the address of the twin."""

from __future__ import annotations

import importlib.resources
import json
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import httplib2
import httpx
import pytest
from googleapiclient.discovery import build_from_document
from googleapiclient.errors import HttpError

from tests.harness import LiveServer, Platform
from twindiff.server import Settings

from .conftest import AGENT, Calendar


@pytest.fixture(scope="module")
def service():
    """The client; a server for this page alone, since it comes over the socket."""
    server = LiveServer(Settings())
    made = Platform(server.client).environment("calendar:calendar_base", AGENT)
    text = (
        importlib.resources.files("googleapiclient.discovery_cache").joinpath("documents/calendar.v3.json").read_text()
    )
    document = json.loads(text)
    document["rootUrl"] = f"{made.url}/"
    document["baseUrl"] = f"{made.url}/{document['servicePath']}"
    http = httplib2.Http()
    client = build_from_document(document, http=http)
    yield client
    client.close()
    server.close()


EVENT = {
    "summary": "Review",
    "start": {"dateTime": "2018-06-18T09:00:00", "timeZone": "Europe/Berlin"},
    "end": {"dateTime": "2018-06-18T10:00:00", "timeZone": "Europe/Berlin"},
}


def test_an_event_goes_round_by_google_s_client(service):
    made = service.events().insert(calendarId="primary", body=EVENT).execute()
    seen = service.events().get(calendarId="primary", eventId=made["id"], fields="summary,start/dateTime").execute()
    assert seen == {"summary": "Review", "start": {"dateTime": "2018-06-18T00:00:00-07:00"}}
    service.events().delete(calendarId="primary", eventId=made["id"]).execute()


def test_google_s_client_reads_the_reason_of_an_error(service):
    with pytest.raises(HttpError) as refused:
        service.events().get(calendarId="primary", eventId="nothing").execute()
    assert (refused.value.resp.status, refused.value.reason) == (404, "Not Found")


def test_a_batch_of_google_s_client_does_each_call_by_itself(service):
    outcomes: list[tuple[Any, Any]] = []
    batch = service.new_batch_http_request(callback=lambda number, answer, error: outcomes.append((answer, error)))
    batch.add(service.calendars().insert(body={"summary": "One"}))
    batch.add(service.calendars().get(calendarId="nobody@example.com"))
    batch.add(service.calendars().insert(body={"summary": "Two"}))
    batch.execute()
    assert [answer and answer["summary"] for answer, _ in outcomes] == ["One", None, "Two"]
    assert outcomes[1][1].resp.status == 404


def test_google_s_client_pages_through_a_list(service):
    for number in range(3):
        service.events().insert(calendarId="primary", body={**EVENT, "summary": f"Part {number}"}).execute()
    request, names = service.events().list(calendarId="primary", q="Part", maxResults=2), []
    while request is not None:
        answer = request.execute()
        names += [event["summary"] for event in answer["items"]]
        request = service.events().list_next(request, answer)
    assert sorted(names) == ["Part 0", "Part 1", "Part 2"]


def test_a_batch_of_another_type_is_refused(calendar: Calendar, world: Callable[..., Calendar]):
    assert calendar.refusal("POST", "batch/calendar/v3", {}) == (400, "parseError")


COLORS = "Content-Type: application/http\n\nGET /calendar/v3/colors\n"
MADE = """Content-Type: application/http
Content-ID: <made>

POST /calendar/v3/calendars HTTP/1.1
Content-Type: application/json

{"summary": "One"}
"""


def sent(calendar: Calendar, *parts: str, boundary: str = "b", ends: str = "\n", tail: str = "--") -> httpx.Response:
    """The answer to a batch of parts."""
    text = "".join(f"--{boundary}\n{part}" for part in parts) + f"--{boundary}{tail}\n"
    kind = {"Content-Type": f'multipart/mixed; boundary="{boundary}"'}
    body = text.replace("\n", ends).encode()
    return calendar.environment.ask("batch/calendar/v3", token=calendar.token, content=body, headers=kind)


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_batch_is_read_however_its_lines_end_and_whatever_stands_around_it(calendar: Calendar, ends: str):
    parts = [MADE, COLORS.replace("\n\n", "\nContent-Transfer-Encoding: binary\n\n"), COLORS]
    text = sent(calendar, *parts, ends=ends, tail="--\nepilogue\n--b\n").text
    assert (text.count("HTTP/1.1 200 OK"), text.count("response-made>"), text.count('"summary":"One"')) == (3, 1, 1)


def test_a_call_of_a_batch_may_hold_what_looks_like_its_end(calendar: Calendar):
    text = sent(calendar, MADE.replace('"One"}', '"One"\n--bb\n}'), COLORS).text
    assert ("parseError" in text, text.count("HTTP/1.1")) == (True, 2)


def test_a_call_of_a_batch_may_be_in_base64(calendar: Calendar):
    inner = b64encode(b"GET /calendar/v3/colors HTTP/1.1\n\n").decode()
    part = f"Content-Type: application/http\nContent-Transfer-Encoding: base64\n\n{inner}\n"
    assert sent(calendar, part).text.count("HTTP/1.1 200 OK") == 1


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ([COLORS] * 1001, "limitExceeded"),
        ([COLORS + "x" * 1_000_000], "limitExceeded"),
        ([COLORS + "\n" * 999_000], ""),
        (["X: y\n" * 10_000 + COLORS], "parseError"),
        ([COLORS + "X: y\n" * 10_000], "parseError"),
        ([], "parseError"),
    ],
)
def test_a_batch_that_asks_for_too_much_is_refused(calendar: Calendar, parts: list[str], reason: str):
    answer = sent(calendar, *parts)
    assert answer.json()["error"]["errors"][0]["reason"] == reason if reason else answer.is_success


def test_an_event_that_was_encoded_twice_misses_its_end(calendar):
    twice = '{"start": {"dateTime": "2018-06-20T16:00:00Z"}, "end": {"dateTime": "2018-06-20T17:00:00Z"}}'
    assert calendar.refusal("POST", "calendars/primary/events", twice) == (400, "required")
    assert calendar.refusal("POST", "calendars/primary/events", [1]) == (400, "parseError")
