"""Requests that a description invents, and whether the answers are as it says."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
RESPONSE_SECONDS = 60.0
"""Seconds that a server on a busy machine may take to answer."""
MOST_REQUESTS = 6
REQUESTS_PER_VALUE = 3
"""The later ones of an operation are the largest and take most of the time; each wrong value by itself is tested where
what it is refused by is."""
CALM = settings(
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def operations_of(description: dict[str, Any]) -> list[Any]:
    results: Any = schemathesis.openapi.from_dict(description).get_all_operations()
    return [each.ok() for each in results]


def every_operation(description: dict[str, Any]) -> pytest.MarkDecorator:
    """Run a test for each operation of a description."""
    return pytest.mark.parametrize("operation", operations_of(description), ids=lambda operation: operation.label)


def every_operation_in_both_modes(description: dict[str, Any]) -> pytest.MarkDecorator:
    """Run a test for each operation of a description and each mode in which there are requests."""
    cases = [
        pytest.param(operation, mode, id=f"{operation.label}-{mode.value}")
        for operation in operations_of(description)
        for mode in GenerationMode
        if mode is GenerationMode.POSITIVE or can_be_wrong(operation)
    ]
    return pytest.mark.parametrize(("operation", "mode"), cases)


def can_be_wrong(operation: Any) -> bool:
    """Whether there are requests that are not as described: in a path, any text is an id."""
    raw = operation.definition.raw
    described = [(each["in"], each["schema"]) for each in raw.get("parameters", ())]
    return "requestBody" in raw or any(each != ("path", {"type": "string"}) for each in described)


def examples_of(operation: Any) -> int:
    """How many requests are sent: some for each value that one can have."""
    described = json.dumps([operation.definition.raw.get(each) for each in ("parameters", "requestBody")])
    if '"$ref"' in described:
        return MOST_REQUESTS
    return min(MOST_REQUESTS, max(1, REQUESTS_PER_VALUE * described.count('"type"')))


def ask_as_described(server: str, operation: Any, mode: GenerationMode, name_what_there_is: Callable[[Any], None]):
    """Send what an operation takes, or in the negative mode what it does not, and check every answer."""

    with requests.Session() as session:
        session.trust_env = False

        @settings(CALM, max_examples=examples_of(operation))
        @given(operation.as_strategy(generation_mode=mode))
        def ask(case):
            if mode is GenerationMode.POSITIVE:
                name_what_there_is(case)
            case.call_and_validate(base_url=server, session=session, checks=CHECKS, timeout=RESPONSE_SECONDS)

        ask()
