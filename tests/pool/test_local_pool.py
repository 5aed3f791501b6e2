"""Episodes in processes of this machine."""

import multiprocessing
import os
import runpy
import signal
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.pool.pool_behaviour import (
    RENAME,
    lose_a_worker,
    play_right_and_wrong,
    refuse_what_cannot_be_done,
    refuse_what_there_is_not,
)
from twindiff import pool as pools
from twindiff.frameworks.episodes import Episode, chosen_tests
from twindiff.pool import EpisodeLost, LocalPool, PoolClosed, PoolExhausted, WorkerFailed
from twindiff.pool.call_pipe import CallPipe, answer_calls
from twindiff.pool.worker import WorkerSettings

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def pool() -> Iterator[LocalPool]:
    with LocalPool(2, max_episodes=2) as pool:
        yield pool


def test_an_interrupt_of_the_trainer_reaches_no_worker(pool: LocalPool):
    """It comes first, since the first process of all is started in a way of its own."""
    for pid in pool.pids:
        os.kill(pid, signal.SIGINT)
    with pool.episode(RENAME) as one, pool.episode(RENAME) as two:
        for each in (one, two):
            assert each.call({"api": "slack", "path": "api.test"}).status == 200


def test_episodes_are_spread_over_workers_and_judged_by_themselves(pool: LocalPool):
    play_right_and_wrong(pool)


def test_what_there_is_not_is_refused(pool: LocalPool):
    refuse_what_there_is_not(pool)
    refuse_what_cannot_be_done(pool)


def test_an_episode_waits_for_room_until_another_one_is_closed(pool: LocalPool):
    episodes = [pool.episode(RENAME) for _ in range(4)]
    with pytest.raises(PoolExhausted, match="4 episodes are open"):
        pool.episode(RENAME, seconds=0.05)
    closing = threading.Timer(0.05, episodes[3].close)
    closing.start()
    with pool.episode(RENAME, seconds=30) as late:
        assert late.worker == episodes[3].worker
    closing.join()
    for each in episodes:
        each.close()
    assert pool.stats().open == 0


def test_a_pool_outlives_a_worker_that_is_killed(pool: LocalPool):
    lose_a_worker(pool, lambda worker: os.kill(pool.pids[worker], signal.SIGKILL))


class HeldPool(LocalPool):
    """A pool whose processes start again only when they may."""

    def __init__(self, workers: int) -> None:
        self.may_start = threading.Event()
        super().__init__(workers)

    def _restart(self, worker: int) -> None:
        self.may_start.wait()
        super()._restart(worker)


def test_a_pool_goes_on_while_a_worker_is_started_again():
    with HeldPool(2) as pool:
        with pool.episode(RENAME) as lost, pool.episode(RENAME) as other:
            os.kill(pool.pids[lost.worker], signal.SIGKILL)
            with pytest.raises(EpisodeLost):
                lost.verdict()
            with pool.episode(RENAME) as more:
                assert more.worker == other.worker
            assert chosen_tests(pool.platform, tests=RENAME)
        pool.may_start.set()
        pool.ask(lost.worker, 1, "list_tests")
        with pool.episode(RENAME) as one, pool.episode(RENAME) as two:
            assert {one.worker, two.worker} == {0, 1}


def test_a_pool_that_is_closed_leaves_no_process_and_starts_none():
    before = set(multiprocessing.active_children())
    pool = HeldPool(2)
    with pool.episode(RENAME) as lost, pool.episode(RENAME) as episode:
        os.kill(pool.pids[lost.worker], signal.SIGKILL)
        with pytest.raises(EpisodeLost):
            lost.verdict()
        pool.may_start.set()
        for _ in range(2):
            pool.close()
        with pytest.raises(EpisodeLost, match="The pool was closed"):
            episode.verdict()
    for begin in (pool.episode, pool.platform.suites):
        with pytest.raises(PoolClosed, match="make another one"):
            begin()
    assert set(multiprocessing.active_children()) == before


def test_an_interrupted_call_is_not_answered_by_the_next(pool: LocalPool):
    with pool.episode(RENAME) as episode:
        pid = pool.pids[episode.worker]
        os.kill(pid, signal.SIGSTOP)
        interrupt = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        interrupt.start()
        with pytest.raises(KeyboardInterrupt):
            episode.call({"api": "slack", "path": "conversations.list"})
        os.kill(pid, signal.SIGCONT)
        with pytest.raises(EpisodeLost):
            episode.verdict()
    interrupt.join()


def test_a_worker_of_another_release_is_refused_in_a_sentence():
    ours, theirs = multiprocessing.Pipe()
    answer_calls(theirs, WorkerSettings({}, "starter", "", version="0.0.1"))
    with pytest.raises(WorkerFailed, match=r"the pool 0\.0\.1\. Install one"):
        CallPipe(ours).wait_until_ready(1)


@pytest.mark.skipif(find_spec("ray") is not None, reason="Ray is installed")
def test_without_ray_its_pool_says_what_to_install():
    with pytest.raises(ImportError, match=r"pip install 'twindiff\[ray\]'"):
        pools.RayPool  # noqa: B018


def test_a_pool_of_a_suite_that_there_is_not_says_so():
    with pytest.raises(WorkerFailed, match=r"There is no suite 'juggling'\. There are: starter"):
        LocalPool(1, suite="juggling")


def test_the_example_rolls_out_over_two_processes():
    done = runpy.run_path(str(ROOT / "examples" / "ray_rollouts.py"))["train"](LocalPool, 2, 8)
    assert done == {"rewards": 4.0, "errors": 0, "workers": 2, "open": 0, "begun": 8, "lost": 0, "restarts": 0}


def test_a_pool_knows_no_more_runs_than_its_workers_keep(pool: LocalPool, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("twindiff.pool.pool_platform.MAX_ENDED_RUNS", 2)
    known, (test,) = pool.platform._places, chosen_tests(pool.platform, tests=RENAME)
    begun = len(known)
    with Episode.begin(pool.platform, test) as still_open:
        assert not still_open.verdict().passed
        for _ in range(4):
            with Episode.begin(pool.platform, test) as episode:
                assert not episode.verdict().passed
        assert len(known) == begun + 4
        assert not still_open.verdict().passed
