"""The operations for twin runs and scenarios do what the server's OpenAPI says, whatever is sent."""

import pytest

from tests.harness import LiveServer
from tests.server.described import ask_as_described, every_operation_in_both_modes
from twindiff.server import Settings
from twindiff.server.apis import twin_runs
from twindiff.server.openapi import describe, described_runs

MINE = "twindiff.server.apis.twin_runs."
PATHS = {
    each.path
    for each in described_runs()
    if each.operation.declared.handler.__module__.startswith(MINE) and not each.path.endswith("/news")
}
"""All but streams that do not end by themselves."""
DESCRIBED = {**describe(), "paths": {path: verbs for path, verbs in describe()["paths"].items() if path in PATHS}}
KEY = "the-platform-key"


@pytest.fixture(scope="module")
def known(live):
    """Ids of things that there are."""
    run = live.in_process.post("/twin-runs", json={"twins": ["slack"]}).json()
    scenario = live.in_process.post("/scenarios", json={"name": "known", "seed_config": {"slack": {}}}).json()
    return {"run_id": run["run_id"], "scenario_id": scenario["id"]}


@every_operation_in_both_modes(DESCRIBED)
def test_no_request_is_a_mistake_of_the_server(server, known, operation, mode):
    def name_what_there_is(case):
        case.path_parameters.update({name: known[name] for name in case.path_parameters if name in known})
        if isinstance(case.body, dict):
            case.body.pop("twins", None)  # else a hundred runs would be provisioned

    ask_as_described(server, operation, mode, name_what_there_is)


def test_a_server_with_a_key_asks_for_it_wherever_it_is_not_said_to_be_open():
    server = LiveServer(Settings(api_key=KEY))
    closed = {each for each in described_runs() if each.operation.name not in twin_runs.OPEN}
    answers = {each.path: server.in_process.request(each.operation.declared.verb, each.path) for each in closed}
    server.close()
    assert {answer.status_code for answer in answers.values()} == {401}
