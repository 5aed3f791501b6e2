"""A rollout loop over actors: `python examples/ray_rollouts.py [--actors 2] [--episodes 20]`.

Here Ray starts on this machine. On a cluster the same file runs on all nodes: `ray job submit -- python
examples/ray_rollouts.py --actors 64`. Without Ray, `--local` takes processes in place of actors.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import twindiff.pool as pools
from twindiff.frameworks.episodes import Episode, EpisodeLost, chosen_tests, reward

TEST = "rename"
ATTEMPTS = ("small-talk", "chit-chat")
"""What the policy tries in turn: the new name that the task asks for, and a wrong one."""


def act(number: int) -> Iterator[dict[str, Any]]:
    """The requests of one rollout; a model would choose each by the response to the one before."""
    yield {"api": "slack", "method": "GET", "path": "conversations.list"}
    name = ATTEMPTS[number % len(ATTEMPTS)]
    yield {"api": "slack", "path": "conversations.rename", "body": {"channel": "C02EFGH5678", "name": name}}


def roll_out(pool: pools.EpisodePool, number: int) -> float | str:
    """The reward of one rollout, or the error of one whose actor was lost."""
    (test,) = chosen_tests(pool.platform, tests=TEST)
    try:
        with Episode.begin(pool.platform, test) as episode:
            for request in act(number):
                episode.call(request)
            return reward(episode.verdict())
    except EpisodeLost as lost:
        return str(lost)


def train(make_pool: Callable[[int], pools.EpisodePool], actors: int, episodes: int) -> dict[str, Any]:
    """Run all rollouts, two at once for each actor; returns the rewards and what became of the pool."""
    with make_pool(actors) as pool, ThreadPoolExecutor(2 * actors) as threads:
        ends = list(threads.map(lambda number: roll_out(pool, number), range(episodes)))
        rewards = [end for end in ends if isinstance(end, float)]
        return {"rewards": sum(rewards), "errors": len(ends) - len(rewards), **pool.stats()._asdict()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--actors", type=int, default=2)
    parser.add_argument("--episodes", type=int, default=20)
    parser.add_argument("--local", action="store_true", help="processes of this machine in place of Ray's actors")
    given = parser.parse_args()
    if given.local:
        done = train(pools.LocalPool, given.actors, given.episodes)
    else:
        done = train(pools.RayPool, given.actors, given.episodes)
    print(json.dumps(done))


if __name__ == "__main__":
    main()
