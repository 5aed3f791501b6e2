# pyright: reportMissingImports=false
"""Tests of suites in OpenEnv, by its own server and its own client."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing
from threading import Thread
from typing import Any

import httpx
import pytest

pytest.importorskip("openenv", reason="openenv is not installed; `make frameworks` has it")

import uvicorn
from openenv.core import GenericEnvClient

from tests.frameworks.scripts import LOOK, MISTAKE, RANDOM, RENAME, SOLUTION
from tests.harness import LiveServer
from twindiff.client import Client
from twindiff.frameworks.openenv import SuiteEnvironment, TwinAction, app
from twindiff.server import Settings

pytestmark = pytest.mark.filterwarnings("default")

FINISH = {"finish": True}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Where OpenEnv serves the environment."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_config=None))
        thread = Thread(target=server.run, args=([listener],))
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join()


@pytest.fixture
def env(url: str) -> Iterator[Any]:
    """A session of OpenEnv's client."""
    with GenericEnvClient(base_url=url).sync() as env:
        yield env


def begun(env: Any) -> Any:
    """An episode of the test that renames a channel."""
    return env.reset(split="starter", index=2)


def test_the_loop_of_openenv_ends_with_the_verdict(env: Any):
    """https://huggingface.co/docs/openenv"""
    assert "#small-talk" in begun(env).observation["prompt"]
    results = [env.step(action) for action in (LOOK, SOLUTION, FINISH)]
    assert [(each.reward, each.done) for each in results] == [(0.0, False), (0.0, False), (1.0, True)]
    assert results[0].observation["status"] == 200


def test_a_wrong_result_has_no_reward_and_says_why(env: Any):
    begun(env)
    env.step(MISTAKE)
    result = env.step(FINISH)
    assert (result.reward, result.done) == (0.0, True)
    assert "small-talk" in result.observation["reasons"][0]


def test_the_state_says_where_an_episode_stands(env: Any):
    begun(env)
    env.step(SOLUTION)
    state = env.state()
    assert (state["test"], state["step_count"], state["point"]) == (RENAME, 1, 1)


def test_a_reset_at_a_point_goes_on_in_a_fork(env: Any):
    begun(env)
    env.step(SOLUTION)
    env.step(MISTAKE)
    env.reset(at=1)
    assert env.step(FINISH).reward == 1.0


def test_sessions_have_environments_of_their_own(url: str, env: Any):
    begun(env)
    with GenericEnvClient(base_url=url).sync() as other:
        begun(other)
        other.step(SOLUTION)
        assert (other.step(FINISH).reward, env.step(FINISH).reward) == (1.0, 0.0)


def test_suites_are_splits_and_tests_are_tasks(url: str):
    """https://huggingface.co/docs/openenv/guides/task-api"""
    with httpx.Client(base_url=f"{url}/twindiff", trust_env=False) as http:
        splits = http.get("/splits").json()
        counted = http.post("/num_tasks", json={"split": "starter"}).json()
        task = http.post("/task", json={"split": "starter", "index": 2}).json()
        assert http.post("/task", json={"split": "starter", "index": 12}).status_code == 400
    assert "starter" in str(splits)
    assert "12" in str(counted)
    assert RENAME in str(task)


def test_what_is_closed_is_deleted():
    env = SuiteEnvironment()
    env.reset(index=0)
    platform, id = env._running().environment.client, env.state.environment_id
    env.close()
    assert id not in [each.environment_id for each in platform.environments("ready")]


def test_an_action_can_be_a_form_or_a_tool_of_the_twins(env: Any):
    tools = env.reset(split="starter", index=2, tools="mcp").observation["tools"]
    assert "slack_list_channels" in {each["name"] for each in tools}
    form = {"api": "slack", "path": "conversations.rename", "form": {"channel": RANDOM, "name": "small-talk"}}
    results = [env.step(each) for each in (form, {"tool": "slack_list_channels"}, {"tool": "slack_list"}, FINISH)]
    assert [each.observation["status"] for each in results] == [200, 200, 0, 0]
    assert "There is no tool 'slack_list'" in results[2].observation["answer"]
    assert results[-1].reward == 1.0


def test_a_server_keeps_episodes_as_trials_with_what_the_agent_did(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TWINDIFF_LABEL", "first")
    server = LiveServer(Settings())
    with closing(server), Client(server.url) as client:
        environment = SuiteEnvironment(server.url)
        environment.reset(split="starter", index=2)
        environment.step(TwinAction(**SOLUTION, metadata={"content": "I rename it."}))
        environment.step(TwinAction(finish=True))
        environment.close()
        (kept,) = client.trial_sets.find().trial_sets
        (trial,) = client.trial_sets.trials(kept.trial_set_id).trials
    assert (kept.agent, kept.label, kept.passed) == ("openenv", "first", 1)
    assert [each["content"][:12] for each in trial.messages] == ["I rename it.", '200\n{"ok":tr', ""]
