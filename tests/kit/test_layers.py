"""Layers around operations: inside the transaction, outermost first; what is returned stays, what is raised undoes."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.harness import Environment, LiveServer, Platform
from twindiff.environments.registry import Registry
from twindiff.kit import Answer, ApiError, Call, Column, Exchange, Operations, Row, Twin
from twindiff.kit.http import json_answer
from twindiff.kit.styles.base import Style
from twindiff.server import Settings


class Note(Row, table="notes", key=("note_id",)):
    note_id: Column[str]


class Kept(Row, table="kept", key=("key",), visibility="bookkeeping"):
    key: Column[str]
    body: Column[str]


class Declined(ApiError):
    """The bank says no."""

    status = 402


def marked(mark: str) -> Callable[..., Any]:
    """A layer that puts its mark around what is inside."""

    def layer(exchange: Exchange, call: Call, proceed: Callable[[], Any]) -> Any:
        return f"{mark}({proceed()})"

    return layer


def remembered(exchange: Exchange, call: Call, proceed: Callable[[], Any]) -> Answer:
    """Answer a key that was used before as then."""
    key = exchange.request.headers.get("idempotency-key", "")
    kept = call.db.find(Kept, Kept.key == key)
    if kept:
        return Answer(kept.body.encode())
    answer = exchange.answer(proceed())
    call.db.add(Kept(key=key, body=answer.body.decode()))
    return answer


api = Operations(layers=[marked("page")])
keyed = Operations(layers=[remembered])


@api.get("/where", layers=[marked("operation")])
def where(call: Call) -> str:
    """Say where the handler is."""
    return "handler"


@keyed.post("/notes")
def add_note(call: Call, note_id: str) -> dict[str, str]:
    """Write a note."""
    call.db.add(Note(note_id=note_id))
    return {"id": note_id}


@api.post("/declined/{way}")
def decline(call: Call, way: str) -> Any:
    """Write a note, then refuse."""
    call.db.add(Note(note_id=way))
    if way == "raised":
        raise Declined
    return json_answer({"error": "declined"}, 402)


returned = Operations()


@returned.post("/returned")
def decline_and_keep(call: Call) -> ApiError:
    """Write a note and answer with an error all the same."""
    call.db.add(Note(note_id="kept"))
    return Declined()


class Shout(Style):
    """Tells of what it was asked in what it answers."""

    def result(self, value: Any, exchange: Exchange) -> Answer:
        return json_answer({"asked": exchange.request.query, "value": value})


@pytest.fixture(scope="module")
def platform(tmp_path_factory: Any) -> Iterator[Platform]:
    seeds = tmp_path_factory.mktemp("seeds")
    (seeds / "notes_base.json").write_text("{}")
    pages = (api, keyed, returned)
    twin = Twin("notes", Shout(), *pages, tables=(Note, Kept), seeds=seeds, layers=[])
    server = LiveServer(Settings(), Registry([twin]))
    yield Platform(server.client)
    server.close()


@pytest.fixture
def home(platform: Platform) -> Environment:
    return platform.environment("notes:notes_base", user="anyone")


def notes(home: Environment) -> list[str]:
    rows = home.platform.get(f"env/{home.id}/diff")["diff"]["inserts"]
    return [row["note_id"] for row in rows if row["__table__"] == "notes"]


def test_layers_of_a_page_are_around_those_of_an_operation(home: Environment):
    assert home.ask("where", verb="GET").json()["value"] == "page(operation(handler))"


def test_a_style_sees_the_request_that_it_answers(home: Environment):
    assert home.ask("where?fields=a", verb="GET").json()["asked"] == "fields=a"


def test_a_layer_may_answer_in_place_of_the_handler(home: Environment):
    key = {"Idempotency-Key": "k"}
    first, second = (home.ask("notes", json={"note_id": "N1"}, headers=key) for _ in range(2))
    assert first.content == second.content
    assert home.platform.get(f"env/{home.id}")["seq"] == 1


def test_an_error_that_is_raised_undoes_what_was_written(home: Environment):
    assert home.ask("declined/raised").status_code == 402
    assert home.platform.get(f"env/{home.id}")["seq"] == 0


def test_an_error_that_is_returned_keeps_what_was_written(home: Environment):
    answer = home.ask("returned")
    assert (answer.status_code, answer.json()["error"]) == (402, "declined")
    assert home.platform.get(f"env/{home.id}")["seq"] == 1
    calls = home.platform.get(f"env/{home.id}/calls")["calls"]
    assert [call["error"] for call in calls] == ["declined"]
