"""No value of a parameter is a mistake of ours: what cannot be done is refused, whatever an operation is given."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.harness import AGENT, Environment, LiveServer, Platform
from tests.server.hostile import ALL, NUMBERS, TEXTS, Call, Hostile, Share, as_form, calls_of, documents_of
from twindiff.environments.registry import Registry
from twindiff.kit.json_values import MAX_NESTING
from twindiff.kit.twin import Twin
from twindiff.server import Settings
from twindiff.server.apis import platform, sandboxes, twin_runs
from twindiff.twins.github.graphql.endpoint import load_schema
from twindiff.twins.linear import twin as linear

LINEAR_AGENT = "2790a7ee-fde0-4537-9588-e233aa5a68d1"
USERS = {
    "box": "22010040001", "calendar": "user_agent", "github": "agent", "linear": LINEAR_AGENT,
    "notion": "00000000-0000-4000-8000-0000000000b1", "slack": AGENT, "stripe": "acct_1TwindiffTestShop",
}  # fmt: skip
SCHEMAS = {"github": load_schema, "linear": lambda: linear.api.schema}
HEADERS = {"notion": {"Notion-Version": "2025-09-03"}}
"""What every request of a twin must say."""
VALUES = {name: Hostile(text, number) for (name, text), number in zip(TEXTS.items(), NUMBERS, strict=True)}
NEVER_ALONE = Share(1, 10**9)
every_value = pytest.mark.parametrize(
    ("value", "alone"),
    [
        *(pytest.param(each, Share(at, len(VALUES)), id=name) for at, (name, each) in enumerate(VALUES.items())),
        *(pytest.param(each, ALL, id=f"{name}, each", marks=pytest.mark.soak) for name, each in VALUES.items()),
    ],
)
"""Run a test with each value for all parameters of an operation together.

Those that are required, alone and with each of the others, have one of the values in turn; for long runs, each value.
"""


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    started = LiveServer(Settings())
    yield started
    started.close()


def failures(calls: Iterator[tuple[str, Call]], ask: Callable[[Call], int]) -> set[str]:
    """The operations that answer a call as a mistake of ours; 501 says that there is no such operation."""
    return {name for name, call in calls if ask(call) in (500, 502, 503, 504)}


def asking(environment: Environment, headers: dict[str, str], *, is_form: bool) -> Callable[[Call], int]:
    def ask(call: Call) -> int:
        sent: dict[str, Any] = {"data": as_form(call.body)} if is_form else {"json": call.body}
        sent = {} if call.verb in ("GET", "DELETE") else sent
        path = call.path.strip("/")
        return environment.ask(path, verb=call.verb, params=call.query, headers=headers, **sent).status_code

    return ask


def ids_of(environment: Environment, twin: Twin) -> dict[str, str]:
    """The first id of each table of one column."""
    known: dict[str, str] = {}
    for table in (each for each in twin.tables if len(each.key) == 1):
        rows = environment.platform.get(f"env/{environment.id}/rows/{twin.name}.{table.name}", limit=1)["rows"]
        known |= {table.name.removeprefix(f"{twin.name}_"): str(row[table.key[0]]) for row in rows}
    return known


@every_value
@pytest.mark.parametrize("name", ["box", "calendar", "github", "notion", "slack", "stripe"])
def test_no_value_is_a_mistake_of_a_twin(server: LiveServer, name: str, value: Hostile, alone: Share) -> None:
    environment = Platform(server.in_process).environment(f"{name}:{name}_default", USERS[name])
    twin = Registry.load_installed().twins[name]
    ask = asking(environment, HEADERS.get(name, {}), is_form=name == "stripe")
    assert failures(calls_of(twin.dispatch, value, ids_of(environment, twin), alone), ask) == set()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param(name, kind, marks=() if name in ("notion", "slack") and "type" in kind else pytest.mark.soak)
        for name in ("box", "calendar", "github", "notion", "slack")
        for kind in ("[%s]", '{"a":%s}', '{"type":"x","children":[%s]}')
    ],
)
def test_no_nested_value_is_a_mistake_of_a_twin(server: LiveServer, name: str, kind: str) -> None:
    environment = Platform(server.in_process).environment(f"{name}:{name}_default", USERS[name])
    before, after = kind.split("%s")
    depth = (MAX_NESTING - 2) // kind.count("%s") // (kind.count("[") + kind.count("{"))
    nested: Any = json.loads(before * depth + "1" + after * depth)
    ask = asking(environment, HEADERS.get(name, {}), is_form=False)

    def ask_nested(call: Call) -> int:
        is_object = isinstance(call.body, dict) and call.body
        return ask(call._replace(body=dict.fromkeys(call.body, nested) if is_object else nested))

    calls = calls_of(Registry.load_installed().twins[name].dispatch, VALUES["digits"], {}, NEVER_ALONE)
    assert failures(((each, call) for each, call in calls if call.verb not in ("GET", "DELETE")), ask_nested) == set()


@every_value
@pytest.mark.parametrize("name", ["github", "linear"])
def test_no_value_is_a_mistake_of_a_field_of_graphql(
    server: LiveServer, name: str, value: Hostile, alone: Share
) -> None:
    environment = Platform(server.in_process).environment(f"{name}:{name}_default", USERS[name])
    twin = Registry.load_installed().twins[name]
    documents = documents_of(SCHEMAS[name](), value, ids_of(environment, twin), alone)

    def is_mistake(document: dict[str, Any]) -> bool:
        answer = environment.ask("graphql", json=document)
        return answer.status_code >= 500 or "INTERNAL" in answer.text

    assert {field for field, document in documents if is_mistake(document)} == set()


@every_value
def test_no_value_is_a_mistake_of_our_own_apis(server: LiveServer, value: Hostile, alone: Share) -> None:
    known = {"env": Platform(server.in_process).environment().id}

    def ask(call: Call) -> int:
        sent = {} if call.verb in ("GET", "DELETE") else {"json": call.body}
        return server.in_process.request(call.verb, call.path, params=call.query, **sent).status_code

    for prefix, operations in (
        (platform.PREFIX, platform.platform),
        (sandboxes.PREFIX, sandboxes.operations),
        ("", twin_runs.operations),
    ):
        calls = calls_of(operations, value, known, alone)
        assert failures(((name, call._replace(path=prefix + call.path)) for name, call in calls), ask) == set()


@pytest.mark.parametrize(
    "field",
    [
        'webhookCreate(input: {url: "http://[", resourceTypes: ["Issue"], allPublicTeams: true}) { success }',
        'attachmentCreate(input: {url: "http://[", title: "x", issueId: "ENG-1"}) { success }',
    ],
)
def test_an_address_that_is_none_is_refused_by_linear(server: LiveServer, field: str) -> None:
    environment = Platform(server.in_process).environment("linear:linear_default", LINEAR_AGENT)
    answer = environment.ask("graphql", json={"query": f"mutation {{ {field} }}"})
    assert answer.status_code < 500
    assert answer.json()["errors"][0]["extensions"]["code"] != "INTERNAL_SERVER_ERROR"


def test_a_form_of_a_page_whose_origin_is_no_address_is_refused(make_server: Callable[..., LiveServer]) -> None:
    client = make_server(api_key="k").client
    answer = client.post("/inspect/sign-in", data={"key": "k"}, headers={"Origin": "http://["})
    assert answer.status_code == 403
