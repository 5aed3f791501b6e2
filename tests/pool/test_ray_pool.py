"""Episodes in actors of a Ray cluster on this machine; `pip install 'twindiff[ray]'` brings Ray."""

import json
import runpy
from collections.abc import Iterator
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client
from pathlib import Path
from typing import Any

import pytest

from tests.pool.pool_behaviour import (
    lose_a_worker,
    play_right_and_wrong,
    refuse_what_cannot_be_done,
    refuse_what_there_is_not,
)

ray: Any = pytest.importorskip("ray", reason="Ray is not installed: pip install 'twindiff[ray]'")

ROOT = Path(__file__).parents[2]
LOOK = json.dumps({"api": "slack", "method": "GET", "path": "conversations.list"})
FINISH = json.dumps({"finish": True})


@pytest.fixture(scope="module")
def pool() -> Iterator[object]:
    from twindiff.pool import RayPool

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    with RayPool(2) as pool:
        yield pool
    ray.shutdown()


def test_episodes_are_spread_over_actors_and_judged_by_themselves(pool):
    play_right_and_wrong(pool)


def test_what_there_is_not_is_refused(pool):
    refuse_what_there_is_not(pool)
    refuse_what_cannot_be_done(pool)


def test_a_pool_outlives_an_actor_that_is_killed(pool):
    lose_a_worker(pool, lambda worker: ray.kill(pool.actors[worker]))


def test_an_actor_of_another_node_answers_by_tcp_only_who_knows_the_secret(pool):
    from twindiff.pool.ray_pool import PoolActor
    from twindiff.pool.worker import WorkerSettings

    settings = ray.put(WorkerSettings({}, "starter", "rename"))
    actor = ray.remote(PoolActor).options(num_cpus=0).remote(settings, b"secret")
    host, port = ray.get(actor.listen.remote("another node"))
    serving = actor.serve.remote()
    with pytest.raises(AuthenticationError):
        Client((host, port), authkey=b"guess")
    with Client((host, port), authkey=b"secret") as calls:
        assert calls.recv() == ""
        calls.send(("list_tests", ()))
        assert [each.name for each in calls.recv()[1]] == ["Slack: rename a channel"]
    ray.get(serving)


def test_the_example_rolls_out_over_two_actors(pool):
    play = runpy.run_path(str(ROOT / "examples" / "ray_rollouts.py"))["roll_out"]
    assert [play(pool, number) for number in range(4)] == [1.0, 0.0, 1.0, 0.0]


def test_a_vector_outlives_an_actor_that_is_killed(pool):
    from twindiff.frameworks.gymnasium import SuiteVectorEnv

    envs = SuiteVectorEnv(2, tests="rename", pool=pool)
    envs.reset(seed=1)
    ray.kill(pool.actors[1], no_restart=True)
    _, _, _, truncated, infos = step_until_lost(envs)
    assert (truncated.tolist(), bool(infos["error"][1])) == ([False, True], True)
    envs.step([FINISH] * 2)
    assert envs.step([FINISH] * 2)[1].tolist() == [0.0, 0.0]
    envs.close()
    assert pool.stats().open == 0


def step_until_lost(envs: Any) -> Any:
    """Step until an episode is truncated; Ray ends an actor a moment after it was told to."""
    while True:
        stepped = envs.step([LOOK] * 2)
        if stepped[3].any():
            return stepped
