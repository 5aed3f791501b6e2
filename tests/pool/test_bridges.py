# pyright: reportMissingImports=false
"""Bridges to frameworks over the processes of a pool."""

import asyncio
import json
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.frameworks.conftest import collect_unclosed_streams  # noqa: F401 - an autouse fixture
from tests.frameworks.scripts import LOOK, MISTAKE, SOLUTION
from tests.pool.bridged_pools import local_pool
from twindiff.frameworks.episodes import Episode, chosen_tests, platform_at
from twindiff.frameworks.gymnasium import SuiteVectorEnv
from twindiff.pool import EpisodeLost, LocalPool

POOL = "tests.pool.bridged_pools:local_pool"
FINISH = json.dumps({"finish": True})
RENAME = "rename"


@pytest.fixture(scope="module")
def pool() -> Iterator[LocalPool]:
    pool = local_pool()
    yield pool
    local_pool.cache_clear()
    pool.close()


def kill_processes(pool: LocalPool) -> None:
    """Kill the processes of a pool; one that was killed before is started again when it is needed."""
    for pid in pool.pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@pytest.fixture
def vector(pool: LocalPool) -> Iterator[SuiteVectorEnv]:
    envs = SuiteVectorEnv(4, tests=RENAME, pool=pool)
    envs.reset(seed=1)
    yield envs
    envs.close()
    assert pool.stats().open == 0


def test_a_vector_judges_episodes_of_every_process(pool: LocalPool, vector: SuiteVectorEnv):
    assert [each.open for each in pool._workers] == [2, 2]
    vector.step([json.dumps(SOLUTION), *[json.dumps(MISTAKE)] * 3])
    assert vector.step([FINISH] * 4)[1].tolist() == [1.0, 0.0, 0.0, 0.0]


def test_a_vector_goes_on_from_forks_and_points_of_a_pool(vector: SuiteVectorEnv):
    vector.step([json.dumps(MISTAKE)] * 4)
    vector.envs[0].restore_state(0)
    vector.step([json.dumps(SOLUTION), *[json.dumps(LOOK)] * 3])
    vector.fork(0)
    assert vector.step([FINISH] * 4)[1].tolist() == [1.0] * 4


def test_an_episode_whose_process_is_killed_ends_with_an_error_and_the_pool_goes_on(
    pool: LocalPool, vector: SuiteVectorEnv
):
    os.kill(pool.pids[1], signal.SIGKILL)
    _, rewards, _, truncated, infos = vector.step([FINISH] * 4)
    assert (truncated.tolist(), rewards.sum()) == ([False, True, False, True], 0.0)
    assert infos["error"][1] == "The process of the episode has ended."
    vector.step([FINISH] * 4)
    vector.step([json.dumps(SOLUTION)] * 4)
    assert vector.step([FINISH] * 4)[1].tolist() == [1.0] * 4


def test_tools_and_urls_of_a_pool_reach_its_process(pool: LocalPool):
    platform = platform_at("", POOL)
    with Episode.begin(platform, chosen_tests(platform, tests=RENAME)[0]) as episode:
        assert episode.call({"tool": "slack_list_channels", "arguments": {}}).status == 200
        assert episode.task.url.startswith("http://127.0.0.1:")


def test_a_pool_and_a_server_exclude_each_other():
    with pytest.raises(ValueError, match="Give a pool or the URL of a server"):
        platform_at("http://127.0.0.1:1", POOL)


def test_a_request_for_an_environment_of_a_process_that_ended_says_so(pool: LocalPool):
    episode = Episode.begin(pool.platform, chosen_tests(pool.platform, tests=RENAME)[0])
    run = episode.run
    kill_processes(pool)
    for work in (lambda: episode.call(LOOK), run.evaluate, episode.close):
        with pytest.raises(EpisodeLost):
            work()
    assert pool.stats().open == 0


def test_suites_are_listed_and_episodes_begin_though_all_processes_have_ended(pool: LocalPool):
    kill_processes(pool)
    assert pool.platform.suites()
    kill_processes(pool)
    with Episode.begin(pool.platform, chosen_tests(pool.platform, tests=RENAME)[0]) as episode:
        assert episode.call(LOOK).status == 200


@pytest.mark.filterwarnings("default")
def test_inspect_runs_samples_in_a_pool(pool: LocalPool, tmp_path: Path):
    inspect_ai = pytest.importorskip("inspect_ai", reason="inspect-ai is not installed; `make frameworks` has it")
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from twindiff.frameworks.inspect_ai import suite

    outputs = [ModelOutput.for_tool_call("mockllm", "call_api", SOLUTION), ModelOutput.from_content("mockllm", "Done.")]
    for each in outputs:
        each.usage = ModelUsage()  # else it is counted by a tokenizer, which has to be fetched
    model = get_model("mockllm/model", custom_outputs=outputs)
    task = suite(tests=RENAME, pool=POOL)
    (log,) = inspect_ai.eval(task, model=model, log_dir=str(tmp_path), display="none")
    assert (log.status, pool.stats().open) == ("success", 0), log.error
    assert log.samples
    assert log.samples[0].scores


@pytest.mark.filterwarnings("default")
def test_openenv_ends_a_lost_episode_with_its_error(pool: LocalPool, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("openenv", reason="openenv is not installed; `make frameworks` has it")
    from twindiff.frameworks.openenv import SuiteEnvironment, TwinAction

    monkeypatch.setenv("TWINDIFF_POOL", POOL)
    env = SuiteEnvironment()
    env.reset()
    kill_processes(pool)
    seen = env.step(TwinAction(finish=True))
    assert (seen.done, seen.reward, seen.reasons) == (True, 0.0, ["The process of the episode has ended."])
    env.close()


@pytest.mark.filterwarnings("default")
def test_verifiers_load_the_tests_of_a_pool(pool: LocalPool):
    pytest.importorskip("verifiers", reason="verifiers is not installed; `make frameworks` has it")
    from twindiff.frameworks.verifiers import SuiteConfig, SuiteTaskset

    (task,) = SuiteTaskset(SuiteConfig(tests=RENAME, pool=POOL)).load()
    episode = asyncio.run(asyncio.to_thread(task._begin_episode))
    assert pool.stats().open == 1
    episode.close()
