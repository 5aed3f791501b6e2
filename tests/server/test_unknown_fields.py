"""A field that an operation of our own APIs does not have is refused by name, wherever it stands."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.harness import Json, succeeded
from twindiff.kit.twin import Operation
from twindiff.server.apis import platform, sandboxes, twin_runs
from twindiff.server.style import fields_of

PLANES = {
    "/api/platform": (platform.platform, 400, "detail"),
    "/v1": (sandboxes.operations, 400, "message"),
    "": (twin_runs.operations, 422, "detail"),
}
"""Each API with the status and the field of its refusals."""
OPERATIONS = [(prefix, each) for prefix, (plane, *_) in PLANES.items() for each in plane.operations]
TEST = {"name": "a", "prompt": "b", "type": "actionEval", "expected_output": {}, "environmentTemplate": "slack_default"}
NESTED: dict[str, tuple[str, Json, str]] = {
    "a clock": ("initEnv", {"clock": {"mode": "real", "begin": 1}}, "begin"),
    "a test": ("testSuites", {"name": "a", "description": "", "tests": [{**TEST, "promt": "c"}]}, "promt"),
    "a trial": ("trial-sets", {"testSuiteId": "x", "agent": "a", "trials": [{"testId": "x", "numbr": 1}]}, "numbr"),
}


def misspelt(operation: Operation) -> str:
    """A field that the operation has, with a letter too many; of one that has none, any."""
    return f"{next(iter(fields_of(operation)), 'colour')}x"


@pytest.mark.parametrize(("prefix", "operation"), OPERATIONS, ids=[f"{p}:{o.name}" for p, o in OPERATIONS])
def test_every_operation_refuses_a_misspelt_field_by_its_name(live, prefix, operation):
    _, status, said = PLANES[prefix]
    name, verb = misspelt(operation), operation.declared.verb
    path = prefix + re.sub(r"\{\w+\}", "x", operation.declared.path)
    has_body = verb in ("POST", "PUT", "PATCH") and "file" not in fields_of(operation)
    given: dict[str, Any] = {"json": {name: 1}} if has_body else {"params": {name: "1"}}
    answer = live.in_process.request(verb, path, **given)
    assert (answer.status_code, f"{name}: there is no such field" in answer.json()[said]) == (status, True), answer.text


def test_the_nearest_field_is_suggested(live):
    answer = live.in_process.post("/twin-runs", json={"twins": ["slack"], "tll_minutes": 5})
    assert "tll_minutes: there is no such field. Did you mean 'ttl_minutes'?" in answer.json()["detail"]


def test_where_none_is_near_all_fields_are_named(live):
    answer = live.in_process.post("/v1/sandboxes", json={"api": "slack", "zzz": 1})
    assert answer.json()["message"].endswith("it takes api, scenario, seed_data, ttl.")


def test_a_misspelt_query_beside_a_right_body_is_refused(live):
    answer = live.in_process.post("/twin-runs", params={"prots": "true"}, json={"twins": ["slack"]})
    assert "prots: there is no such field. Did you mean 'ports'?" in answer.json()["detail"]


def test_a_form_is_read_as_strictly(live):
    answer = live.in_process.post("/twin-runs", data={"twin": "slack"})
    assert (answer.status_code, "Did you mean 'twins'?" in answer.json()["detail"]) == (422, True)


@pytest.mark.parametrize(("path", "body", "name"), NESTED.values(), ids=NESTED)
def test_a_misspelt_field_of_a_part_is_refused_by_name(platform, path, body, name):
    answer = platform.ask("POST", path, body)
    assert (answer.status_code, f"`{name}`" in answer.json()["detail"]) == (400, True)


@pytest.mark.parametrize(
    ("verb", "path", "given"),
    [
        ("GET", "state", {"params": {"ful": "1"}}),
        ("GET", "config", {"params": {"full": "1"}}),
        ("POST", "clock", {"json": {"advanse": 5}}),
        ("POST", "reset", {"json": {"twin": "slack"}}),
    ],
)
def test_the_admin_plane_of_a_run_refuses_what_it_does_not_know(live, verb, path, given):
    run_id = succeeded(live.in_process.post("/twin-runs", json={"twins": ["slack"]}))["run_id"]
    run = succeeded(live.in_process.get(f"/twin-runs/{run_id}"))
    address, headers = run["twins"]["slack"]["path_url"], {"X-Proxy-Token": run["proxy_token"]}
    answer = live.in_process.request(verb, f"{address}/admin/{path}", headers=headers, **given)
    assert (answer.status_code, "there is no such field" in answer.json()["detail"]) == (400, True)


@pytest.mark.parametrize(("path", "status"), [("/tests", 422), ("/test-runs", 422), ("/twin-runs", 422)])
def test_a_request_with_nothing_in_it_is_refused(live, path, status):
    assert live.in_process.post(path, json={}).status_code == status


def test_a_saved_test_that_arga_exported_is_imported_again(live):
    config = {"steps": [{"action": "goto", "value": "https://shop.test"}]}
    made = succeeded(live.in_process.post("/tests", json={"name": "opens", "test_config": config}))
    again = succeeded(live.in_process.post("/tests", json=made))
    assert (again["id"] != made["id"], again["test_config"]) == (True, made["test_config"])


def test_a_bare_test_config_keeps_its_defaults_and_parameters(live):
    config = {
        "steps": [{"action": "fill", "selector": "#name", "value": "{{who}}"}],
        "parameters": [{"name": "who"}],
        "defaults": {"who": "Ada"},
    }
    made = succeeded(live.in_process.post("/tests", json=config))
    assert made["test_config"]["defaults"] == {"who": "Ada"}
    assert [each["name"] for each in made["test_config"]["parameters"]] == ["who"]
