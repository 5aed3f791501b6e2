"""Sixty prompts of five product managers, written without knowledge of the grammar, over two applications.

A prompt `holds` of its application or does not. A run of it must say so, or name what it does not understand.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.harness import Json, LiveServer, succeeded
from tests.test_runs.conftest import Runs
from twindiff.browser.planner import plan

HERE = Path(__file__).parent / "held_out"
PROMPTS: list[Json] = json.loads((HERE / "prompts.json").read_text())
COUNTED: list[Json] = json.loads((HERE / "counted_prompts.json").read_text())
"""Twenty prompts about counts, positions, placeholders and who is signed in, of the same five styles."""
TWINS = {"potluck": ["slack"], "customer_desk": ["stripe", "linear", "slack"]}
MIN_UNDERSTOOD = 51
"""Of sixty. Four were when they were written. The number must only grow."""


@contextmanager
def serve_application(name: str, variables: dict[str, str]) -> Iterator[str]:
    """Start an application, and return its URL."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    env = {**os.environ, **variables, "LINEAR_API_URL": variables.get("LINEAR_GRAPHQL_URL", ""), "PORT": str(port)}
    process = subprocess.Popen([sys.executable, HERE / f"{name}.py"], env=env)
    url = f"http://127.0.0.1:{port}"
    try:
        with httpx.Client(transport=httpx.HTTPTransport(retries=10), timeout=30) as client:
            client.get(url)
        yield url
    finally:
        process.terminate()
        process.wait()


def run_prompt(live: LiveServer, runs: Runs, each: Json) -> Json:
    """Run a prompt against an application and twins of its own."""
    made = succeeded(live.client.post("/twin-runs", json={"twins": TWINS[each["application"]]}))["run_id"]
    twins = succeeded(live.client.get(f"/twin-runs/{made}"))["twins"]
    variables = {name: value for twin in twins.values() for name, value in twin["env_vars"].items()}
    with serve_application(each["application"], variables) as url:
        run = runs.run(start_url=url, prompt=each["prompt"], provision_id=made)
    live.client.post(f"/twin-runs/{made}/teardown")
    return run


def verdict_of(run: Json) -> bool | None:
    """Whether a run passed; None if its prompt was not understood."""
    return None if run["failure_category"] == "not_understood" else run["status"] == "completed"


@pytest.fixture(scope="module")
def outcomes(live: LiveServer, runs: Runs) -> list[tuple[Json, Json]]:
    with ThreadPoolExecutor(4) as threads:
        return list(zip(PROMPTS, threads.map(lambda each: run_prompt(live, runs, each), PROMPTS), strict=True))


def test_enough_prompts_are_understood():
    assert sum(not plan(each["prompt"]).unclear for each in PROMPTS) >= MIN_UNDERSTOOD


@pytest.mark.soak
def test_no_prompt_passes_that_does_not_hold_and_none_fails_that_does(outcomes: list[tuple[Json, Json]]):
    wrong = [
        (each["prompt"], each["holds"], run["failure_detail"])
        for each, run in outcomes
        if verdict_of(run) not in (None, each["holds"])
    ]
    assert wrong == [], "\n".join(map(str, wrong))


def test_prompts_about_counts_and_positions_are_understood():
    assert [each["prompt"] for each in COUNTED if plan(each["prompt"]).unclear] == [
        'As long as there are no customers, the desk says "No customers found".'
    ]


@pytest.mark.soak
def test_prompts_about_counts_and_positions_pass_only_if_they_hold(live: LiveServer, runs: Runs):
    with ThreadPoolExecutor(4) as threads:
        outcomes = list(zip(COUNTED, threads.map(lambda each: run_prompt(live, runs, each), COUNTED), strict=True))
    wrong = [
        (each["prompt"], each["holds"], run["failure_detail"])
        for each, run in outcomes
        if verdict_of(run) not in (None, each["holds"])
    ]
    unclear = [(each["prompt"], run["failure_detail"]) for each, run in outcomes if verdict_of(run) is None]
    assert (wrong, len(unclear) <= 2) == ([], True), "\n".join(map(str, [*wrong, *unclear]))


@pytest.mark.soak
def test_a_prompt_that_is_not_understood_names_what_is_not(outcomes: list[tuple[Json, Json]]):
    assert all(run["not_understood"] for _, run in outcomes if verdict_of(run) is None)
