"""Every limit of a text is enforced by every method that it names: just outside is refused, just inside is not."""

from __future__ import annotations

import json

import pytest

from twindiff.twins.slack import twin
from twindiff.twins.slack.core.text_limits import TEXT_LIMITS
from twindiff.twins.slack.tests.calls import CALLS, WORLD
from twindiff.twins.slack.tests.conftest import SEED, TOKENS, Slack

CONTENT = ("text", "blocks", "markdown_text", "chunks")
CASES = [(limit, method) for limit in TEXT_LIMITS for method in limit.methods]


@pytest.fixture(scope="module")
def world(platform):
    """One workspace for all cases, in which every method has something to do."""
    seed = json.loads(SEED.read_text())
    more = {table: [*seed.get(table, []), *rows] for table, rows in WORLD.items()}
    platform.post("import", {"files": {"slack_of_limits.json": {**seed, **more}}})
    return Slack(platform.environment("slack:slack_of_limits", tokens=TOKENS))


@pytest.mark.parametrize(("limit", "method"), CASES, ids=lambda value: getattr(value, "parameter", value))
def test_a_text_just_outside_is_refused_and_one_just_inside_is_not(world, limit, method):
    given = {name: value for name, value in CALLS[method].items() if name not in CONTENT}
    caller = Slack(world.environment)
    caller.token = given.pop("token", caller.token)
    outside, inside = (
        caller(method, **{**given, limit.parameter: "x" * length})
        for length in (limit.max_characters + 1, limit.max_characters)
    )
    assert outside["error"] == limit.error.code
    assert inside != outside


def test_a_limit_is_of_methods_and_parameters_that_there_are():
    named = {operation.name: operation for operation in twin.dispatch.operations}
    for limit, method in CASES:
        assert limit.parameter in named[method].bound.names, (method, limit.parameter)
