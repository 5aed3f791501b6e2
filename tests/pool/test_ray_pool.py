"""Episodes in actors of a Ray cluster on this machine; `pip install 'twindiff[ray]'` brings Ray."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.pool.pool_behaviour import lose_a_worker, play_right_and_wrong, refuse_what_there_is_not

ray: Any = pytest.importorskip("ray", reason="Ray is not installed: pip install 'twindiff[ray]'")


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


def test_a_pool_outlives_an_actor_that_is_killed(pool):
    lose_a_worker(pool, lambda worker: ray.kill(pool.actors[worker]))
