"""The Sandbox API does what its OpenAPI says, whatever is sent."""

from tests.server.described import ask_as_described, every_operation_in_both_modes
from twindiff.server.openapi import describe_sandboxes


@every_operation_in_both_modes(describe_sandboxes())
def test_no_request_is_a_mistake_of_the_server(server, sandboxes, operation, mode):
    ask_as_described(server, operation, mode, lambda case: name_what_there_is(case, sandboxes))


def name_what_there_is(case, sandboxes):
    """Put what there is in the place of what was invented."""
    if isinstance(case.path_parameters, dict) and "sandbox_id" in case.path_parameters:
        case.path_parameters["sandbox_id"] = sandboxes.create()["id"]
    if isinstance(case.body, dict) and "api" in case.body:
        case.body["api"] = "slack"


def test_the_description_is_one_of_sandboxes(sandboxes):
    description = sandboxes.ask("GET", "openapi.json").json()
    assert description["info"]["title"] == "Twindiff Sandbox API"
    assert all(path.startswith("/v1/") for path in description["paths"])
    assert description["paths"]["/v1/sandboxes/{sandbox_id}"]["delete"]["responses"]["204"] == {"description": "Done."}
