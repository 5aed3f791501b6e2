"""Forks and vectors of `twindiff.frameworks.gymnasium` in one process: `python benchmarks/forks.py`.

Before calls went to the twins without ports, a fork took 5 to 17 ms, and the 256th failed for want of a port.
"""

from __future__ import annotations

import json
import resource
from collections.abc import Callable
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

import gymnasium

from twindiff.frameworks.gymnasium import SuiteEnv

FORKS = 4096
VECTOR = 256
RENAME = {"api": "slack", "path": "conversations.rename", "body": {"channel": "C02EFGH5678", "name": "small-talk"}}
LOOK = {"api": "slack", "path": "conversations.list"}
FINISH = {"finish": True}


def measure(work: Callable[[], Any]) -> float:
    """Return the seconds that work takes."""
    begun = perf_counter()
    work()
    return perf_counter() - begun


def megabytes() -> int:
    """Return the largest memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def forks() -> None:
    env = SuiteEnv(tests="rename")
    env.reset(seed=1)
    env.step(json.dumps(LOOK))
    before, made = megabytes(), list[SuiteEnv]()
    times = [measure(lambda: made.append(env.fork())) for _ in range(FORKS)]
    print(f"fork: median {1000 * median(times):.2f} ms; {FORKS:,} forks in {sum(times):.1f} s")
    print(f"one step of each: {measure(lambda: [each.step(json.dumps(RENAME)) for each in made]):.1f} s")
    print(f"memory: {megabytes()} MB, of which {megabytes() - before} MB for the forks")
    print(f"forks(1000): {1000 * measure(lambda: made.extend(env.forks(1000))):.0f} ms")
    print(f"closing all: {measure(lambda: [each.close() for each in made]):.1f} s")
    resets = [measure(lambda: env.reset(seed=1)) for _ in range(50)]
    print(f"reset: median {1000 * median(resets):.2f} ms")


def vectors() -> None:
    envs = gymnasium.make_vec("twindiff/Suite-v0", VECTOR, vectorization_mode="vector_entry_point", tests="rename")
    print(f"reset of {VECTOR}: {measure(lambda: envs.reset(seed=1)):.2f} s")
    for name, action in (("writing call", RENAME), ("reading call", LOOK), ("verdict", FINISH)):
        seconds = measure(partial(envs.step, [json.dumps(action)] * VECTOR))
        print(f"step of {VECTOR}, a {name} each: {seconds:.2f} s")
    envs.close()


if __name__ == "__main__":
    forks()
    vectors()
