"""The Sandbox API does what its OpenAPI says, whatever is sent."""

import contextlib
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from twindiff.server.openapi import describe_sandboxes

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
FOUND: Any = schemathesis.openapi.from_dict(describe_sandboxes()).get_all_operations()
OPERATIONS = [found.ok() for found in FOUND]
CALM = settings(
    max_examples=20,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_no_request_is_a_mistake_of_the_server(server, sandboxes, operation, mode):
    @CALM
    @given(operation.as_strategy(generation_mode=mode))
    def ask(case):
        if mode is GenerationMode.POSITIVE:
            name_what_there_is(case, sandboxes)
        case.call_and_validate(base_url=server, checks=CHECKS)

    with contextlib.suppress(Unsatisfiable):  # nothing can be wrong with a request that has no parameters
        ask()


def name_what_there_is(case, sandboxes):
    """Put what there is in the place of what was invented."""
    if isinstance(case.path_parameters, dict) and "sandbox_id" in case.path_parameters:
        case.path_parameters["sandbox_id"] = sandboxes.create()["id"]
    if isinstance(case.body, dict) and "api" in case.body:
        case.body["api"] = "slack"


def test_the_description_is_one_of_sandboxes(sandboxes):
    found = sandboxes.ask("GET", "openapi.json").json()
    assert found["info"]["title"] == "Twindiff Sandbox API"
    assert all(path.startswith("/v1/") for path in found["paths"])
    assert found["paths"]["/v1/sandboxes/{sandbox_id}"]["delete"]["responses"]["204"] == {"description": "Done."}
