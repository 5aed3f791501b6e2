"""The library over HTTP, in a server like any other twin."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.harness import Environment, LiveServer, Platform
from tests.kit.graphql.conftest import seed, twin
from twindiff.environments.registry import Registry
from twindiff.server import Settings


@pytest.fixture(scope="module")
def live() -> Iterator[LiveServer]:
    made = twin()
    server = LiveServer(Settings(), Registry([made]))
    try:
        server.on_loop(lambda: server.service.templates.add(made, "library_default", seed(), origin="test"))
        yield server
    finally:
        server.close()


@pytest.fixture
def home(live: LiveServer) -> Environment:
    return Platform(live.client).environment("library:library_default", "m0")


def ask(home: Environment, query: str, path: str = "graphql", **more: Any) -> httpx.Response:
    return home.ask(path, json={"query": query, **more})


def test_a_query_is_answered_at_every_path(home: Environment):
    for path in ("graphql", "", "some/where"):
        assert ask(home, "{ me { name } }", path).json() == {"data": {"me": {"name": "Ada"}}}


def test_a_get_gives_a_page_that_needs_nothing_from_elsewhere(home: Environment):
    page = home.ask("graphql", verb="GET", token="", headers={"Accept": "text/html"})
    assert page.headers["content-type"].startswith("text/html")
    assert "<textarea" in page.text
    assert "http" not in page.text.replace("http-equiv", "")


@pytest.mark.parametrize(
    ("verb", "query", "headers", "status", "allow"),
    [
        ("GET", "{ me { name } }", {}, 400, None),
        ("GET", "{ me { name } }", {"apollo-require-preflight": "1"}, 200, None),
        ("GET", "{ me { name } }", {"content-type": "application/json"}, 200, None),
        ("GET", 'mutation { bookArchive(id: "b0001") { success } }', {"x-apollo-operation-name": "a"}, 405, "POST"),
        ("PUT", "{ me { name } }", {}, 400, None),
        ("PUT", "{ me { name } }", {"content-type": "application/json"}, 405, "GET, POST"),
        ("DELETE", "{ me { name } }", {"content-type": "application/json"}, 405, "GET, POST"),
        ("OPTIONS", "{ me { name } }", {}, 400, None),
    ],
)
def test_other_verbs_than_post_are_as_apollo_server_has_them(home: Environment, verb, query, headers, status, allow):
    answer = home.ask("graphql", verb=verb, token="", params={"query": query}, headers=headers)
    assert (answer.status_code, answer.headers.get("allow")) == (status, allow)
    assert answer.headers["content-type"].startswith("application/json")


def test_a_mutation_is_one_operation_of_the_journal(home: Environment):
    run = home.platform.start(home)
    ask(
        home,
        'mutation { a: bookArchive(id: "b0001") { success }'
        ' b: bookUpdate(id: "b0002", input: {title: "X"}) { success } }',
    )
    diff = home.platform.diff(run)
    assert {row["__table__"] for row in diff["updates"]} == {"books"}
    assert len(diff["updates"]) == 2


def test_a_query_writes_nothing_and_is_logged_by_its_roots(home: Environment, live: LiveServer):
    ask(home, "{ me { name } books { nodes { id } } }")
    ask(home, 'mutation { bookArchive(id: "b0001") { success } }')
    entries = live.on_loop(lambda: live.service.calls.log.list(home.id, after=0, limit=10))
    assert [(entry.operation, entry.seq) for entry in entries] == [
        ("query me, books", None),
        ("mutation bookArchive", 1),
    ]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "POST body missing, invalid Content-Type, or JSON object has no keys."),
        (b"{}", "POST body missing, invalid Content-Type, or JSON object has no keys."),
        (b"[]", "Operation batching disabled."),
        (b"{", "not valid JSON"),
        (b'{"variables": {}}', "must contain a non-empty `query` or a `persistedQuery` extension."),
        (b'{"query": 3}', "GraphQL queries must be strings."),
        (b'{"query": "{ me { name } }", "variables": []}', "`variables` in a POST body must be an object if provided."),
        (b'{"query": "{ me { name } }", "variables": "{}"}', "not a recursively JSON-encoded string."),
        (b'{"query": "{ me { name } }", "operationName": 3}', "must be a string if provided."),
        (b'{"query": "\xff"}', "not valid JSON"),
        (b'{"query": "{ me { name } }", "variables": {"a": ' + b"[" * 90 + b"]" * 90 + b"}}", "nested more than 64"),
        (b'{"query": "' + b"x" * 1_100_000 + b'"}', "larger than 1,000,000 bytes"),
        (b'{"query": "{ boks { id } }"}', "Cannot query field 'boks'"),
    ],
)
def test_what_cannot_be_read_is_told_in_the_form_of_graphql(home: Environment, body: bytes, says: str):
    answer = home.ask("graphql", token="t", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert says in answer.json()["errors"][0]["message"]


def test_a_root_that_the_vendor_has_and_the_twin_lacks_says_so(home: Environment):
    answer = ask(home, "{ oldBooks { anything } me { name } }")
    assert answer.status_code == 200
    assert answer.json() == {
        "data": None,
        "errors": [
            {
                "message": "'oldBooks' is not implemented in this twin",
                "path": ["oldBooks"],
                "extensions": {"code": "NOT_IMPLEMENTED"},
            }
        ],
    }


def test_a_mutation_that_the_twin_lacks_writes_nothing_else_of_its_document(home: Environment):
    answer = ask(home, 'mutation { bookArchive(id: "b0001") { success } burnBook(id: "b0002") { success } }')
    assert [problem["path"] for problem in answer.json()["errors"]] == [["burnBook"]]
    assert ask(home, '{ book(id: "b0001") { archivedAt } }').json() == {"data": {"book": {"archivedAt": None}}}


def test_a_refused_mutation_answers_200(home: Environment):
    answer = ask(home, 'mutation { bookArchive(id: "none") { success } }')
    assert answer.status_code == 200
    assert answer.json()["errors"][0]["message"] == "Entity not found: Book"


def test_a_request_without_a_token_is_refused_where_tokens_are_taken_seriously(live: LiveServer):
    home = Platform(live.client).environment("library:library_default", "m0", auth="strict", tokens={"t": "m0"})
    answer = home.ask("graphql", token="", json={"query": "{ me { name } }"})
    assert answer.status_code == 401
    assert answer.json()["errors"][0]["extensions"] == {"code": "MISSING_TOKEN"}


@pytest.mark.parametrize(
    ("auth", "headers", "status"),
    [
        ("strict", {"content-type": "text/plain"}, 400),
        ("strict", {"content-type": "text/plain", "apollo-require-preflight": "1"}, 200),
        ("strict", {"content-type": "application/json"}, 200),
        ("lenient", {"content-type": "text/plain"}, 200),
    ],
)
def test_a_form_cannot_post_where_tokens_are_taken_seriously(live: LiveServer, auth, headers, status):
    home = Platform(live.client).environment("library:library_default", "m0", auth=auth, tokens={"t": "m0"})
    answer = home.ask("graphql", token="t", content=b'{"query": "{ me { name } }"}', headers=headers)
    assert answer.status_code == status, answer.text


@pytest.mark.parametrize("media", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=b"])
def test_a_form_is_no_body_for_graphql(home: Environment, media: str):
    answer = home.ask("graphql", token="t", content=b"query=%7Bme%7Bname%7D%7D", headers={"content-type": media})
    assert answer.status_code == 400
    says = "POST body missing, invalid Content-Type, or JSON object has no keys."
    assert answer.json()["errors"][0]["message"] == says


def test_a_bare_key_is_a_token(home: Environment):
    answer = home.ask("graphql", token="", headers={"Authorization": "lin_api_1"}, json={"query": "{ me { name } }"})
    assert answer.json() == {"data": {"me": {"name": "Ada"}}}
