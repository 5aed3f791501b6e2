"""Episodes per second of a pool, by the number of its processes.

    python benchmarks/pool.py [--workers 1,2] [--episodes 200] [--calls 10] [--ray]

Each episode is begun, makes calls, is judged and closed. Two threads for each worker drive it, from this process. The
rate by the clock means something on an idle machine only. Beside it are the processor times of an episode: this
process's own, that of the busiest worker, and that of Ray's daemons; the sum of all limits a machine with few
processors, and the largest one a machine with many.
"""

from __future__ import annotations

import argparse
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from twindiff.pool import LocalPool
from twindiff.pool.episode_pool import EpisodePool

TICKS = os.sysconf("SC_CLK_TCK")
LIST = {"api": "slack", "method": "GET", "path": "conversations.list"}
POST = {"api": "slack", "method": "POST", "path": "chat.postMessage", "body": {"channel": "C01ABCD1234", "text": "Hi"}}


def play(pool: EpisodePool, calls: int) -> None:
    with pool.episode("rename") as episode:
        for number in range(calls):
            assert episode.call(POST if number % 2 else LIST).status == 200
        assert not episode.verdict().passed


class Measured(NamedTuple):
    """Episodes per second by the clock, and milliseconds of processor time for each episode."""

    rate: float
    own: float
    busiest: float
    workers: float
    daemons: float

    @property
    def all(self) -> float:
        """Milliseconds that all processes together take for an episode."""
        return self.own + self.workers + self.daemons


def read_times() -> dict[str, float]:
    """Seconds of processor time of each worker and of Ray's daemons, by their process."""
    times: dict[str, float] = {}
    for each in Path("/proc").iterdir():
        if each.name.isdecimal() and (kind := classify(each)):
            fields = (each / "stat").read_text().rpartition(")")[2].split()
            times[f"{kind} {each.name}"] = (int(fields[11]) + int(fields[12])) / TICKS
    return times


def classify(process: Path) -> str:
    """`worker` or `daemon`; empty for a process of somebody else."""
    try:
        command = (process / "cmdline").read_bytes()
        parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
    except OSError:
        return ""
    if command.startswith(b"ray::PoolActor") or (b"spawn_main" in command and parent == str(os.getpid())):
        return "worker"
    return "daemon" if b"site-packages/ray/" in command else ""


def measure(pool: EpisodePool, threads: int, episodes: int, calls: int) -> Measured:
    with ThreadPoolExecutor(threads) as executor:
        list(executor.map(lambda _: play(pool, calls), range(threads * 4)))  # a first round, to load everything
        began, used, before = time.perf_counter(), time.process_time(), read_times()
        list(executor.map(lambda _: play(pool, calls), range(episodes)))
        seconds, after = time.perf_counter() - began, read_times()
        own = time.process_time() - used
    took = {each: 1000 * (time - before.get(each, 0)) / episodes for each, time in after.items()}
    workers = [time for each, time in took.items() if each.startswith("worker")]
    daemons = sum(time for each, time in took.items() if each.startswith("daemon"))
    return Measured(episodes / seconds, 1000 * own / episodes, max(workers), sum(workers), daemons)


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
            took = measure(pool, 2 * workers, given.episodes, given.calls)
        first = first or took.rate
        print(
            f"{workers} workers: {took.rate:.1f} episodes/s, {took.rate / first:.2f} x; ms of processor an episode: "
            f"{took.all:.1f} = {took.own:.1f} here + {took.workers:.1f} in workers ({took.busiest:.1f} in the busiest) "
            f"+ {took.daemons:.1f} in daemons"
        )


if __name__ == "__main__":
    main()
