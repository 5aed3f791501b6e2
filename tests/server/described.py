"""Requests that a description invents, and whether the answers are as it says."""

import contextlib
from collections.abc import Callable
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

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
CALM = settings(
    max_examples=20,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)

in_both_modes = pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)


def every_operation(description: dict[str, Any]) -> pytest.MarkDecorator:
    """Run a test for each operation of a description."""
    results: Any = schemathesis.openapi.from_dict(description).get_all_operations()
    operations = [each.ok() for each in results]
    return pytest.mark.parametrize("operation", operations, ids=lambda operation: operation.label)


def ask_as_described(server: str, operation: Any, mode: GenerationMode, name_what_there_is: Callable[[Any], None]):
    """Send what an operation takes, or in the negative mode what it does not, and check every answer."""

    @CALM
    @given(operation.as_strategy(generation_mode=mode))
    def ask(case):
        if mode is GenerationMode.POSITIVE:
            name_what_there_is(case)
        case.call_and_validate(base_url=server, checks=CHECKS)

    with contextlib.suppress(Unsatisfiable):  # nothing can be wrong with a request that has no parameters
        ask()
