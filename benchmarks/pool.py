"""Episodes per second of a pool, by the number of its processes.

    python benchmarks/pool.py [--workers 1,2] [--episodes 200] [--calls 10] [--ray]

Each episode is begun, makes calls, is judged and closed. As many threads as workers drive it, from this process, whose
own processor time is printed, since with few processors it is part of what limits.
"""

import argparse
import time
from concurrent.futures import ThreadPoolExecutor

from twindiff.pool import LocalPool
from twindiff.pool.episode_pool import EpisodePool

LIST = {"api": "slack", "method": "GET", "path": "conversations.list"}
POST = {"api": "slack", "method": "POST", "path": "chat.postMessage", "body": {"channel": "C01ABCD1234", "text": "Hi"}}


def play(pool: EpisodePool, calls: int) -> None:
    with pool.episode("rename") as episode:
        for number in range(calls):
            assert episode.call(POST if number % 2 else LIST).status == 200
        assert not episode.verdict().passed


def measure(pool: EpisodePool, threads: int, episodes: int, calls: int) -> tuple[float, float]:
    """Episodes per second, and this process's share of a processor."""
    with ThreadPoolExecutor(threads) as executor:
        list(executor.map(lambda _: play(pool, calls), range(threads * 4)))  # a first round, to load everything
        began, used = time.perf_counter(), time.process_time()
        list(executor.map(lambda _: play(pool, calls), range(episodes)))
        seconds = time.perf_counter() - began
        return episodes / seconds, (time.process_time() - used) / seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--episodes", type=int, default=200)
    parser.add_argument("--calls", type=int, default=10)
    parser.add_argument("--ray", action="store_true")
    given = parser.parse_args()
    first = 0.0
    for workers in map(int, given.workers.split(",")):
        if given.ray:
            from twindiff.pool import RayPool

            made: EpisodePool = RayPool(workers)
        else:
            made = LocalPool(workers)
        with made as pool:
            rate, own = measure(pool, 2 * workers, given.episodes, given.calls)
        first = first or rate
        print(f"{workers} workers: {rate:.1f} episodes/s, {rate / first:.2f} x; this process takes {own:.0%} of one")


if __name__ == "__main__":
    main()
