"""Drafted twins in the rest of Twindiff: faults, MCP, views, exports, bad input, lint."""

import gzip
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.harness import Environment, LiveServer, Platform
from tests.mcp_messages import call_tool, list_tools
from twindiff.checks import parse
from twindiff.drafts.drafting import list_guessed_columns
from twindiff.environments.registry import Registry
from twindiff.server import Settings
from twindiff.suites.lint import lint
from twindiff.suites.lint_context import build_context

from .conftest import make_twin


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    started = LiveServer(Settings(), Registry([make_twin()]))
    yield started
    started.close()


@pytest.fixture
def made(server: LiveServer) -> Environment:
    return Platform(server.client).environment("bakery:bakery_sample")


def test_a_fault_answers_in_place_of_a_drafted_operation_in_the_shape_of_its_errors(made: Environment):
    fault = {"kind": "rate_limit", "twin": "bakery", "operation": "POST /v1/*", "times": 1}
    made.platform.ask("PUT", f"env/{made.id}/faults", {"faults": [fault]})
    limited = made.ask("v1/customers", json={"name": "Ada"})
    assert (limited.status_code, [*limited.json()["errors"][0]]) == (429, ["message"])
    assert made.ask("v1/customers", json={"name": "Ada"}).status_code == 201


def test_the_tools_of_mcp_act_on_a_drafted_twin(made: Environment):
    tools = list_tools(made, "bakery")
    create = next(
        name for name, tool in tools.items() if "customer" in name and "body" in tool["inputSchema"]["properties"]
    )
    assert call_tool(made, create, {"body": {"name": "Ada"}}, twin="bakery")[1] is False, [*tools]
    assert made.ask("v1/customers?sort=name", verb="GET").json()["data"][0]["name"] == "Ada"
    assert made.ask("v1/customers?sort=name", verb="GET").json()["data"][0]["name"] == "Ada"


def test_the_inspector_shows_the_rows_of_a_drafted_twin(made: Environment, server: LiveServer):
    shown = server.client.get(f"/inspect/environments/{made.id}/tables/bakery/customers")
    assert shown.status_code == 200, shown.text
    assert "customer 1" in shown.text


MANY = ",".join(map(str, range(5000)))
BAD: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", "v1/customers", {"content": b"{"}),
    ("POST", "v1/customers", {"content": b"\xff\xfe"}),
    ("POST", "v1/customers", {"content": b"[" * 100_000}),
    ("POST", "v1/customers", {"content": b'{"name": %b}' % (b"[" * 900 + b"]" * 900)}),
    ("PATCH", "v1/customers/customer_1", {"content": b'{"email": %b}' % (b"[" * 900 + b"]" * 900)}),
    ("POST", "v1/customers", {"json": [1]}),
    ("POST", "v1/customers", {"json": {"name": None}}),
    ("POST", "v1/customers", {"content": b'{"name": "\\ud800"}'}),
    ("POST", "v1/customers", {"json": {"name": "a\x00b"}}),
    ("PATCH", "v1/customers/customer_1", {"json": {"name": {"deep": [1]}}}),
    ("GET", "v1/customers", {"params": {"limit": "9" * 400}}),
    ("GET", "v1/customers", {"params": {"cursor": "\x00"}}),
    ("GET", "v1/customers", {"params": {"cursor": "a" * 5000}}),
    ("GET", "v1/customers?created_after=%FF", {}),
    ("GET", "v1/customers/%00", {}),
    ("GET", "v1/orders/99999999999999999999999", {}),
    ("GET", "v1/orders/1e5", {}),
    ("POST", "v1/customers/customer_1/orders", {"json": {"items": ["x"] * 4}}),
    ("POST", "v1/customers/customer_1/orders", {"json": {"note": 10**400}}),
    ("DELETE", "v1/cakes", {}),
    ("GET", f"v1/customers?email={MANY}", {}),
    ("GET", f"v1/customers/customer_1/orders?items={MANY}", {}),
]


@pytest.mark.parametrize(("verb", "path", "options"), BAD, ids=range(len(BAD)))
def test_bad_input_is_refused_in_the_shape_of_the_description_and_never_an_internal_error(
    made: Environment, verb: str, path: str, options: dict[str, Any]
):
    if "content" in options:
        options = {"content": options["content"], "headers": {"Content-Type": "application/json"}}
    given: httpx.Response = made.ask(path, verb=verb, **options)
    assert given.status_code < 500 or given.status_code == 501, given.text
    if not given.is_success:
        assert isinstance(given.json()["errors"][0]["message"], str)


def test_lint_warns_of_a_check_that_rests_on_a_guessed_field():
    twin, registry = make_twin(), Registry([make_twin()])
    guessed = {("bakery", table): columns for table, columns in list_guessed_columns(twin).items()}
    world = build_context([registry.schemas["bakery"]], {}, guessed=guessed)
    where = {"diff_type": "added", "entity": "customers", "expected_count": 1}
    said = lint(parse({"assertions": [{**where, "where": {"loyalty": 3}}, {**where, "where": {"name": "Ada"}}]}), world)
    assert [(each.kind, each.text[:35]) for each in said] == [("guessed", "assertion 1: customers.loyalty is g")]


def test_the_rows_of_a_drafted_twin_are_exported_and_forked(made: Environment):
    made.ask("v1/customers", json={"name": "Ada"})
    (forked,) = made.platform.post(f"env/{made.id}/fork")["environments"]
    fork = Environment(made.platform, forked)
    assert fork.ask("v1/customers", verb="GET").json()["total"] == 4
    exported = gzip.decompress(made.platform.ask("GET", f"env/{made.id}/export").content)
    assert b'"name":"Ada"' in exported


def test_more_values_than_can_be_looked_for_are_refused(made: Environment):
    refused = made.ask(f"v1/customers?email={MANY}", verb="GET")
    assert (refused.status_code, "at most 250" in refused.text) == (422, True)
