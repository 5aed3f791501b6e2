"""The operations for runs that take their time do what the server's OpenAPI says, whatever is sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from schemathesis import GenerationMode

from tests.harness import LiveServer, succeeded
from tests.sandbox_runs.conftest import Repository
from tests.server.described import ask_as_described, every_operation
from tests.test_runs.conftest import Runs
from tests.test_runs.site import Site
from twindiff.server import Settings
from twindiff.server.openapi import describe, described_runs

MODULES = tuple(f"twindiff.server.{each}." for each in ("test_runs", "sandbox_runs", "pr_runs"))
PATHS = {each.path for each in described_runs() if each.operation.declared.handler.__module__.startswith(MODULES)}
PAGE = "http://127.0.0.1:9/"
ADDRESSES = ("url", "start_url", "starting_url", "frontend_url")
OTHER_NAMES = ("/runner/", "/demo-runner/", "/sandboxes")
"""The same operations under the names that older programs use."""
ONCE = {path for path in PATHS if not path.startswith(OTHER_NAMES)}
DESCRIBED = {**describe(), "paths": {path: verbs for path, verbs in describe()["paths"].items() if path in ONCE}}
WITH_BODY = {
    **DESCRIBED,
    "paths": {
        path: with_body
        for path, verbs in DESCRIBED["paths"].items()
        if (with_body := {verb: each for verb, each in verbs.items() if "requestBody" in each})
    },
}
"""The operations of which a request can be wrong in more than the id that its path has."""


@pytest.fixture(scope="module")
def busy(site: Site) -> Iterator[LiveServer]:
    """A server whose one browser waits for an answer, so that whatever else is asked for stays queued."""
    server = LiveServer(Settings(runs_at_once=1))
    asking = {"steps": [{"action": "ask_user_question", "value": "Well?"}]}
    Runs(server).create(start_url=site.url, test_config=asking, timeout_seconds=1800)
    yield server
    server.close()


@pytest.fixture(scope="module")
def known(busy: LiveServer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Names of things that there are; the run has ended, or its streams would go on."""
    made = Repository(tmp_path_factory.mktemp("described") / "shop", Procfile="web: exit 3\n")
    made.git("checkout", "--quiet", "-b", "feature")
    made.commit("Fail otherwise", Procfile="web: exit 4\n")
    made.git("checkout", "--quiet", "main")
    run_id = Runs(busy).create(start_url=PAGE, prompt="Click Pay")
    succeeded(busy.client.post(f"/validate/{run_id}/cancel"))
    test = succeeded(busy.client.post("/tests", json={"prompt": "Click Pay"}))
    repository = {"repo": str(made.path), "branch": "feature"}
    return {"run_id": run_id, "test_id": test["id"], "name": "nothing.png", **repository}


@every_operation(WITH_BODY)
def test_no_wrong_request_is_a_mistake_of_the_server(busy: LiveServer, known: dict[str, str], operation: Any):
    ask_as_described(busy.url, operation, GenerationMode.NEGATIVE, lambda case: None)


@every_operation(DESCRIBED)
def test_no_request_is_a_mistake_of_the_server(busy: LiveServer, known: dict[str, str], operation: Any):
    def name_what_there_is(case: Any) -> None:
        case.path_parameters.update({name: known[name] for name in case.path_parameters if name in known})
        if isinstance(case.body, dict):
            for name in ("twins", "provision_id", "sandbox_id"):  # else nothing but these would be refused
                case.body.pop(name, None)
            case.body.update({name: PAGE for name in ADDRESSES if name in case.body})
            case.body.update({name: known[name] for name in ("repo", "branch") if name in case.body})

    ask_as_described(busy.url, operation, GenerationMode.POSITIVE, name_what_there_is)
