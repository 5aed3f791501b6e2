"""Tests of a suite in Gymnasium, by Gymnasium's own loop and its own checker of environments."""

import json
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any, cast

import gymnasium
import httpx
import pytest
from gymnasium.utils.env_checker import check_env

from tests.frameworks.scripts import LOOK, MISTAKE, RENAME, SOLUTION
from twindiff.client import Test
from twindiff.frameworks.episodes import apis_of
from twindiff.frameworks.gymnasium import SuiteEnv
from twindiff.local import Twindiff

ID = "twindiff/Suite-v0"
FINISH = '{"finish": true}'


@pytest.fixture
def env() -> Iterator[gymnasium.Env[Any, str]]:
    """An environment of one test."""
    env = gymnasium.make(ID, tests=RENAME)
    yield env
    env.close()


def unwrapped(env: gymnasium.Env[Any, str]) -> SuiteEnv:
    return cast(SuiteEnv, env.unwrapped)


def test_the_loop_of_gymnasium_ends_with_the_verdict(env: gymnasium.Env[Any, str]):
    """https://gymnasium.farama.org/introduction/basic_usage/"""
    plan = iter([json.dumps(LOOK), json.dumps(SOLUTION), FINISH])
    _, info = env.reset(seed=1)
    rewards: list[float] = []
    episode_over = False
    while not episode_over:
        _, reward, terminated, truncated, info = env.step(next(plan))
        rewards.append(float(reward))
        episode_over = terminated or truncated
    assert (rewards, info["passed"], info["score"]) == ([0.0, 0.0, 1.0], True, 1.0)


def test_the_answer_of_a_step_is_what_the_twin_answered(env: gymnasium.Env[Any, str]):
    observation, _ = env.reset()
    assert "#small-talk" in json.loads(observation["prompt"])
    observation, *_ = env.step(json.dumps(LOOK))
    assert observation["status"] == 200
    assert [each["name"] for each in json.loads(observation["answer"])["channels"]][:1] == ["general"]


def test_a_wrong_result_has_no_reward_and_says_why(env: gymnasium.Env[Any, str]):
    env.reset()
    env.step(json.dumps(MISTAKE))
    _, reward, terminated, _, info = env.step(FINISH)
    assert (reward, terminated) == (0.0, True)
    assert "small-talk" in info["reasons"][0]


def test_an_agent_that_asks_for_its_verdict_has_no_reward(server: str):
    env = gymnasium.make(ID, tests=RENAME, base_url=server)
    env.reset()
    env.step(json.dumps(SOLUTION))
    token = {"X-API-Key": unwrapped(env).episode.task.token}
    assert httpx.get(f"{server}/api/platform/runs", headers=token, trust_env=False).status_code == 403
    _, reward, _, _, info = env.step(FINISH)
    assert (reward, info["passed"], info["score"]) == (0.0, False, 0.0)
    assert info["reasons"][0] == "The agent asked the control plane, with its token: GET /api/platform/runs"
    env.close()


def test_who_is_never_done_is_cut_off_and_judged():
    env = gymnasium.make(ID, tests=RENAME, max_steps=1)
    env.reset()
    _, reward, terminated, truncated, _ = env.step(json.dumps(SOLUTION))
    assert (reward, terminated, truncated) == (1.0, False, True)
    env.close()


@pytest.mark.parametrize(
    "action", ["", "no JSON", "[]", {"api": "slack"}, '{"api": "gitlab"}', '{"api": "slack", "path": 7, "query": 1}']
)
def test_an_action_that_is_no_request_is_answered_and_not_raised(env: gymnasium.Env[Any, Any], action: Any):
    env.reset()
    observation, _, terminated, _, _ = env.step(action)
    assert observation["answer"]
    assert not terminated
    assert env.observation_space.contains(observation)


def test_it_passes_the_checker_of_gymnasium(env: gymnasium.Env[Any, str]):
    check_env(env.unwrapped, skip_render_check=True)


def test_the_seed_says_which_test_it_is():
    env = gymnasium.make(ID)
    named = [env.reset(seed=seed)[1]["test"] for seed in (1, 2, 3, 1, 2, 3)]
    assert named[:3] == named[3:]
    assert len(set(named)) > 1
    env.close()


def test_an_option_says_which_test_it_is():
    env = gymnasium.make(ID)
    assert env.reset(options={"test": "topic"})[1]["test"] == "Slack: set a topic"
    env.close()


def test_an_option_that_reset_lacks_is_refused():
    env = gymnasium.make(ID)
    with pytest.raises(ValueError, match="no option 'tst'; the only one is 'test'"):
        env.reset(options={"tst": "topic"})
    env.close()


@pytest.mark.skipif(find_spec("inspect_ai") is not None, reason="Inspect is installed")
def test_a_bridge_without_its_package_says_what_to_install():
    with pytest.raises(ImportError, match=r"pip install 'twindiff\[inspect\]'"):
        import_module("twindiff.frameworks.inspect_ai")


def test_a_state_is_returned_to(env: gymnasium.Env[Any, str]):
    env.reset()
    before = unwrapped(env).clone_state()
    env.step(json.dumps(MISTAKE))
    unwrapped(env).restore_state(before)
    env.step(json.dumps(SOLUTION))
    assert env.step(FINISH)[1] == 1.0


def test_a_fork_goes_on_by_itself_and_is_judged_from_the_beginning(env: gymnasium.Env[Any, str]):
    env.reset()
    env.step(json.dumps(SOLUTION))
    fork = unwrapped(env).fork()
    env.step(json.dumps(MISTAKE))
    assert (env.step(FINISH)[1], fork.step(FINISH)[1]) == (0.0, 1.0)
    fork.close()


def test_several_environments_are_stepped_at_once():
    envs = gymnasium.make_vec(ID, num_envs=3, vectorization_mode="sync", tests=RENAME)
    envs.reset(seed=1)
    envs.step([json.dumps(each) for each in (SOLUTION, MISTAKE, LOOK)])
    _, rewards, terminations, _, infos = envs.step([FINISH] * 3)
    assert (list(rewards), list(terminations)) == ([1.0, 0.0, 0.0], [True] * 3)
    assert list(infos["passed"]) == [True, False, False]
    envs.close()


def test_environments_in_processes_share_a_server(server: str):
    envs = gymnasium.make_vec(ID, num_envs=2, vectorization_mode="async", tests=RENAME, base_url=server)
    envs.reset(seed=1)
    envs.step([json.dumps(each) for each in (SOLUTION, MISTAKE)])
    _, rewards, *_ = envs.step([FINISH] * 2)
    assert list(rewards) == [1.0, 0.0]
    envs.close()


def test_all_twins_of_a_test_are_among_its_apis():
    with Twindiff() as td:
        test = Test("t", "t", "", "actionEval", "slack_default", {}, ["slack_default", "linear_default"])
        assert apis_of(td, test) == ["slack", "linear"]
