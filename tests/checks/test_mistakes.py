"""Things that agents do wrong: which of them the public language sees, and that the extended one sees all.

Each is done with slack_sdk in the rich workspace, and judged by the server.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest
from slack_sdk import WebClient

from tests.checks.mistakes import AGENT, EXTENDED, INCIDENTS, MISTAKES, PUBLIC, SOFIE, WEI, Mistake, solve
from tests.harness import Platform

Json = dict[str, Any]


@pytest.fixture
def verdicts(platform: Platform) -> Callable[..., tuple[Json, Json]]:
    """Do something with Slack and give the verdicts of the public and of the extended spec."""

    def judge(act: Callable[[WebClient], object]) -> tuple[Json, Json]:
        tokens = {f"xoxp-{user}": user for user in (WEI, SOFIE)}
        env = platform.environment("slack:slack_lighthouse", AGENT, tokens=tokens)
        assert env.slack("conversations.leave", channel=INCIDENTS)["ok"]
        run = platform.start(env)
        act(WebClient(token=env.token, base_url=f"{platform.client.base_url.join(env.made['environmentUrl'])}/"))
        public, extended = (
            platform.post("evaluateRun", {"runId": run, "expectedOutput": spec}) for spec in (PUBLIC, EXTENDED)
        )
        return public, extended

    return judge


def accused(verdict: Json) -> list[tuple[str, str]]:
    """The operations that the explanations name, each with its row and what differs in it."""
    operations: list[tuple[str, str]] = []
    for why in verdict["explanations"]:
        for near in why["nearest"]:
            operation = near["blame"]["operation"] if "blame" in near else near["row"].get("operation", "")
            operations.append((operation, json.dumps([near["row"], near["differs"]])))
    return operations


def test_the_solution_passes_in_both_languages(verdicts: Callable[..., tuple[Json, Json]]) -> None:
    public, extended = verdicts(solve)
    assert (public["failures"], extended["failures"]) == ([], [])


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.act.__name__)
def test_a_mistake_is_caught_and_laid_to_the_operation(
    mistake: Mistake, verdicts: Callable[..., tuple[Json, Json]]
) -> None:
    public, extended = verdicts(mistake.act)
    assert (public["passed"], extended["passed"]) == (mistake.passes_in_public, False)
    guilty = [row for operation, row in accused(extended) if operation == mistake.operation]
    assert any(mistake.row in row for row in guilty), extended["explanations"]


def test_the_public_language_lets_more_than_half_of_them_pass() -> None:
    assert (len(MISTAKES), sum(mistake.passes_in_public for mistake in MISTAKES)) == (23, 14)
