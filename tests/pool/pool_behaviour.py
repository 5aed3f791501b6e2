"""What every pool does, whatever its workers are: the tests of each kind of pool call these."""

from collections.abc import Callable
from time import monotonic

import pytest

from twindiff.pool import EpisodeLost, EpisodePool, PooledEpisode, WorkerFailed

RENAME = "rename"
SOLUTION = {"api": "slack", "method": "POST", "path": "conversations.rename"}


def play_right_and_wrong(pool: EpisodePool) -> None:
    """An episode is judged by what was done in it alone, and its forks go ways of their own."""
    with pool.episode(RENAME) as right, pool.episode(RENAME) as idle:
        listed = right.call({"api": "slack", "path": "conversations.list", "method": "GET"})
        assert (listed.status, "general" in listed.text) == (200, True)
        first, second = right.forks(2)
        assert first.call({"api": "slack", "path": "nothing"}).status == 200
        assert {right.worker, idle.worker} == set(range(pool.stats().workers))
        assert [each.verdict().passed for each in (right, idle, first, second)] == [False] * 4
        for each in (first, second):
            each.close()
        assert pool.stats().open == 2
    assert pool.stats().open == 0


def lose_a_worker(pool: EpisodePool, kill: Callable[[int], None]) -> None:
    """The episodes of a worker that ends are lost, those of others go on, and the worker is started again."""
    with pool.episode(RENAME) as lost, pool.episode(RENAME) as other:
        before = pool.stats()
        kill(lost.worker)
        with pytest.raises(EpisodeLost):
            call_until_lost(lost)
        with pytest.raises(EpisodeLost):
            lost.verdict()
        assert other.call({"api": "slack", "path": "api.test"}).status == 200
        after = pool.stats()
        assert (after.lost, after.restarts, after.open) == (before.lost + 1, before.restarts + 1, before.open - 1)
    for worker in range(after.workers):  # which waits until it has been started again
        pool.ask(worker, pool._workers[worker].generation, "list_tests")
    with pool.episode(RENAME) as again:
        assert again.call({"api": "slack", "path": "api.test"}).status == 200
    assert pool.stats().open == 0


def call_until_lost(episode: PooledEpisode) -> None:
    """Call until the episode is lost; Ray ends an actor a moment after it was told to."""
    end = monotonic() + 60
    while monotonic() < end:
        episode.call({"api": "slack", "path": "api.test"})


def refuse_what_there_is_not(pool: EpisodePool) -> None:
    with pytest.raises(KeyError, match="No test has 'juggle'"):
        pool.episode("juggle")
    with pytest.raises(WorkerFailed, match=r"clock\.mode"):
        pool.episode(RENAME, clock={"mode": "backwards"})


def refuse_what_cannot_be_done(pool: EpisodePool) -> None:
    before = pool.stats()
    with pool.episode(RENAME) as episode:
        for count in (0, -1):
            with pytest.raises(ValueError, match="once or more"):
                episode.forks(count)
        for call in (None, "post", {"api": "slak"}):
            assert episode.call(call).status == 0  # type: ignore[arg-type]
        assert pool.stats() == before._replace(open=before.open + 1, begun=before.begun + 1)
    for late in (episode.verdict, episode.fork, lambda: episode.call({})):
        with pytest.raises(EpisodeLost, match="The episode was closed"):
            late()
    episode.close()
