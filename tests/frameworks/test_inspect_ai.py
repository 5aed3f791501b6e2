# pyright: reportMissingImports=false
"""Tests of a suite in Inspect, by its own `eval` and a model that is scripted."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="inspect-ai is not installed; `make frameworks` has it")

import inspect_ai
from inspect_ai import Task, task_with
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import Generate, Solver, TaskState, chain, fork, solver

from tests.frameworks.scripts import LOOK, MISTAKE, RENAME, SOLUTION, TOPIC, Json
from tests.harness import LiveServer
from twindiff.client import Client
from twindiff.frameworks.episodes import platform_at
from twindiff.frameworks.inspect_ai import TwinStore, agent, episode_of, in_a_fork, suite
from twindiff.server import Settings

pytestmark = pytest.mark.filterwarnings("default")


def model(*script: Json) -> Any:
    """A model that makes these calls, and says then that it is done."""
    outputs = [ModelOutput.for_tool_call("mockllm", "call_api", each) for each in script]
    outputs.append(ModelOutput.from_content("mockllm", "Done."))
    for each in outputs:
        each.usage = ModelUsage()  # else it is counted by a tokenizer, which has to be fetched
    return get_model("mockllm/model", custom_outputs=outputs)


def evaluated(task: Task, folder: Path, *script: Json) -> EvalLog:
    (log,) = inspect_ai.eval(task, model=model(*script), log_dir=str(folder), display="none")
    assert log.status == "success", log.error
    return log


def scores(log: EvalLog) -> dict[str, Any]:
    assert log.samples
    return {str(each.id): each.scores and each.scores["verdict"].value for each in log.samples}


def test_a_task_of_inspect_ends_with_the_verdict(tmp_path: Path):
    """https://inspect.aisi.org.uk/tasks.html"""
    log = evaluated(suite(tests=RENAME), tmp_path, LOOK, SOLUTION)
    assert scores(log) == {RENAME: {"passed": 1.0, "score": 1.0}}


def test_a_tool_call_answers_what_the_twin_answers(tmp_path: Path):
    log = evaluated(suite(tests=RENAME), tmp_path, LOOK)
    assert log.samples
    told = next(each.text for each in log.samples[0].messages if each.role == "tool")
    assert told.startswith('200\n{"ok":true,"channels":[')


def test_a_wrong_result_is_explained(tmp_path: Path):
    log = evaluated(suite(tests=RENAME), tmp_path, MISTAKE)
    assert log.samples
    assert log.samples[0].scores
    assert scores(log)[RENAME]["passed"] == 0.0
    assert "small-talk" in str(log.samples[0].scores["verdict"].explanation)


def test_environments_are_deleted_after_the_score(tmp_path: Path):
    evaluated(suite(tests=RENAME), tmp_path, SOLUTION)
    assert platform_at().environments("ready") == []


def work(task: Any) -> None:
    """A plain agent of Twindiff."""
    import httpx

    body = {"channel": "C02EFGH5678", "name": "small-talk"}
    headers = {"Authorization": f"Bearer {task.token}"}
    httpx.post(f"{task.url}/conversations.rename", json=body, headers=headers, trust_env=False).raise_for_status()


async def awaited(task: Any) -> None:
    """The same, but awaited."""
    work(task)


@pytest.mark.parametrize("mine", [work, awaited, "examples.starter_solutions:work"])
def test_an_agent_of_twindiff_solves_a_sample(mine: Any, tmp_path: Path):
    log = evaluated(task_with(suite(tests=RENAME), solver=agent(mine)), tmp_path)
    assert scores(log)[RENAME]["passed"] == 1.0


async def asking(task: Any) -> None:
    """An agent that does what a model tells it to do, whichever that is."""
    openai = import_module("openai")
    asked: Any = [{"role": "user", "content": task.prompt}]
    async with openai.AsyncOpenAI(api_key="none") as client:
        answer = await client.chat.completions.create(model="inspect", messages=asked)
    if answer.choices[0].message.content == "Done.":
        work(task)


def test_a_bridged_agent_asks_the_model_of_inspect(tmp_path: Path):
    """https://inspect.aisi.org.uk/agent-bridge.html"""
    log = evaluated(task_with(suite(tests=RENAME), solver=agent(asking, bridge=True)), tmp_path)
    assert scores(log)[RENAME]["passed"] == 1.0


@solver
def called(arguments: Json) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        episode_of(state.store_as(TwinStore)).call(arguments)
        return state

    return solve


@solver
def best_of_two() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        wrong, right = await fork(state, [chain(in_a_fork(), called(MISTAKE)), chain(in_a_fork(), called(SOLUTION))])
        assert not episode_of(wrong.store_as(TwinStore)).verdict().passed
        return right

    return solve


def test_branches_of_inspect_have_forks_of_the_environment(tmp_path: Path):
    """https://inspect.aisi.org.uk/reference/inspect_ai.solver.html#fork"""
    log = evaluated(task_with(suite(tests=RENAME), solver=best_of_two()), tmp_path)
    assert scores(log)[RENAME]["passed"] == 1.0
    assert platform_at().environments("ready") == []


def test_the_task_is_found_by_its_name(tmp_path: Path):
    (log,) = inspect_ai.eval(
        "twindiff/suite", model=model(), task_args={"tests": TOPIC}, log_dir=str(tmp_path), display="none"
    )
    assert scores(log)[TOPIC]["passed"] == 0.0


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    server = LiveServer(Settings())
    yield server.url
    server.close()


def test_a_model_can_have_the_tools_of_the_twins(tmp_path: Path):
    outputs = [ModelOutput.for_tool_call("mockllm", "slack_list_channels", {}), ModelOutput.from_content("m", "Done.")]
    for each in outputs:
        each.usage = ModelUsage()
    scripted = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = inspect_ai.eval(suite(tests=RENAME, tools="mcp"), model=scripted, log_dir=str(tmp_path), display="none")
    assert log.samples
    told = next(each.text for each in log.samples[0].messages if each.role == "tool")
    assert told.startswith('200\n{"ok":true,"channels":[')


def test_a_server_keeps_samples_as_trials_with_what_the_model_said(served: str, tmp_path: Path):
    task = suite(tests=RENAME, base_url=served, label="first")
    evaluated(task, tmp_path, LOOK, SOLUTION)
    with Client(served) as client:
        (kept,) = client.trial_sets.find().trial_sets
        (trial,) = client.trial_sets.trials(kept.trial_set_id).trials
    assert (kept.agent, kept.label, kept.passed) == ("inspect:mockllm/model", "first", 1)
    roles = [each["role"] for each in trial.messages]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "tool", "assistant"]
