"""Pools in general: which worker takes an episode, how many run at once, and what happens when a worker is lost."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from contextlib import suppress
from functools import cached_property
from time import monotonic
from types import TracebackType
from typing import Any, NamedTuple, Self

from twindiff.client import Verdict
from twindiff.client.twin_tool import TwinResponse
from twindiff.frameworks.episodes import EpisodeLost, Json
from twindiff.pool.pool_platform import PoolPlatform
from twindiff.pool.worker import TestOffered

MAX_EPISODES_PER_WORKER = 1_000


class WorkerFailed(RuntimeError):
    """A worker could not do what was asked; the message is its error."""


class WorkerGone(Exception):
    """The process of a worker cannot be reached any more."""


class PoolClosed(RuntimeError):
    """The pool has been closed, and begins no more episodes."""


class PoolExhausted(TimeoutError):
    """No worker had room for an episode in time."""


class PoolStats(NamedTuple):
    """The state of a pool."""

    workers: int
    open: int
    """Episodes that have not been closed."""
    begun: int
    lost: int
    """Episodes that ended with their worker."""
    restarts: int


class WorkerState:
    """One worker as the pool sees it; `generation` counts how often its process was started."""

    def __init__(self) -> None:
        self.open = 0
        self.generation = 0
        self.is_starting = False


class EpisodePool(ABC):
    """Begins episodes in workers, at most `max_episodes` at once in each; more wait until others are closed.

    Calls of different episodes may come from different threads; those of one worker are done one after the other.
    """

    def __init__(self, workers: int, max_episodes: int = MAX_EPISODES_PER_WORKER) -> None:
        if workers < 1 or max_episodes < 1:
            raise ValueError(
                f"A pool has at least one worker, and a worker room for at least one episode; given were {workers} and "
                f"{max_episodes}."
            )
        self._workers = [WorkerState() for _ in range(workers)]
        self._max_episodes = max_episodes
        self._room = threading.Condition()
        self._begun = self._lost = self._restarts = 0
        self._restarting: list[threading.Thread] = []
        self._is_closed = False
        self.platform = PoolPlatform(self)
        """The platform API over all workers, for the bridges to frameworks."""

    @abstractmethod
    def _send(self, worker: int, method: str, arguments: tuple[Any, ...]) -> Any:
        """Call a method of a worker. Raises WorkerGone if its process has ended, WorkerFailed with its own error."""

    @abstractmethod
    def _restart(self, worker: int) -> None:
        """Start the process of a worker again, and wait until it is ready. Raises WorkerFailed, WorkerGone."""

    @abstractmethod
    def _end(self) -> None:
        """End the processes of all workers."""

    def close(self) -> None:
        """End all workers with their episodes; no effect if it was closed before."""
        with self._room:
            self._is_closed = True
            self._room.notify_all()
        self._end()
        for each in self._restarting:
            each.join()
        self._end()  # those that were about to start

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @cached_property
    def tests(self) -> list[TestOffered]:
        """The tests of the suite, which are the same in all workers. Raises PoolClosed."""
        return self.ask(*self.find_first(), "list_tests")

    def episode(self, test: str = "", *, clock: Json | None = None, seconds: float = 60) -> PooledEpisode:
        """Begin an episode of a test, by its id or a part of its name, where the fewest are open.

        Waits `seconds` for room; then PoolExhausted is raised. Raises KeyError for a test that does not exist, and
        PoolClosed.
        """
        chosen = next((each for each in self.tests if test in (each.id, "") or test.lower() in each.name.lower()), None)
        if chosen is None:
            raise KeyError(f"No test has {test!r} in its name: {', '.join(each.name for each in self.tests)}")
        worker, generation = self.take_room(seconds)
        try:
            number = self.ask(worker, generation, "begin", chosen.id, clock)
        except BaseException:
            self.take_back(worker, generation)
            raise
        return PooledEpisode(self, chosen, worker, generation, number)

    def stats(self) -> PoolStats:
        """Return how many workers and episodes there are, and what was lost."""
        with self._room:
            still_open = sum(each.open for each in self._workers)
            return PoolStats(len(self._workers), still_open, self._begun, self._lost, self._restarts)

    def ask(self, worker: int, generation: int, method: str, *arguments: Any) -> Any:
        """Call a method of a worker's process. Raises EpisodeLost if it is another process than `generation`, or none.

        Waits for a process that is being started again.
        """
        state = self._workers[worker]
        if state.is_starting and state.generation == generation:
            with self._room:
                self._room.wait_for(lambda: not state.is_starting)
        if state.generation == generation and not self._is_closed:
            with suppress(WorkerGone):
                return self._send(worker, method, arguments)
            self._replace(worker, generation)
        raise EpisodeLost("The pool was closed." if self._is_closed else "The process of the episode has ended.")

    def take_room_in(self, worker: int, generation: int, count: int) -> None:
        """Count forks of an episode in its worker, whose room they may exceed. Raises EpisodeLost."""
        with self._room:
            if self._workers[worker].generation != generation:
                raise EpisodeLost("The process of the episode has ended.")
            self._workers[worker].open += count
            self._begun += count

    def release(self, worker: int, generation: int, count: int) -> None:
        """Give the room of episodes back, unless their process has ended."""
        with self._room:
            if self._workers[worker].generation == generation:
                self._workers[worker].open -= count
                self._room.notify_all()

    def take_back(self, worker: int, generation: int) -> None:
        """Give the room of an episode back that was not begun after all."""
        with self._room:
            self._begun -= 1
        self.release(worker, generation, 1)

    def find_first(self) -> tuple[int, int]:
        """Return the first worker that is not being started again, or the very first, and its generation.

        Raises PoolClosed.
        """
        self._refuse_closed()
        ready = (number for number, state in enumerate(self._workers) if not state.is_starting)
        worker = next(ready, 0)
        return worker, self._workers[worker].generation

    def take_room(self, seconds: float) -> tuple[int, int]:
        """Take room for one episode in the worker with the fewest; returns the worker and its generation.

        A worker that is being started again has none. Waits `seconds` for room; then PoolExhausted is raised. Raises
        PoolClosed.
        """
        end = monotonic() + seconds
        with self._room:
            while True:
                self._refuse_closed()
                worker = min(range(len(self._workers)), key=self._order)
                state = self._workers[worker]
                if not state.is_starting and state.open < self._max_episodes:
                    state.open += 1
                    self._begun += 1
                    return worker, state.generation
                if not self._room.wait(end - monotonic()):
                    raise PoolExhausted(f"{self.stats().open} episodes are open, and none was closed in {seconds:g} s.")

    def _refuse_closed(self) -> None:
        if self._is_closed:
            raise PoolClosed("The pool has been closed; make another one.")

    def _order(self, worker: int) -> tuple[bool, int]:
        """Return what is smallest for the worker that takes the next episode."""
        return self._workers[worker].is_starting, self._workers[worker].open

    def _replace(self, worker: int, generation: int) -> None:
        """Start a lost worker again in a thread, once however many of its episodes notice; others go on meanwhile."""
        with self._room:
            state = self._workers[worker]
            if state.generation != generation or self._is_closed:
                return
            self._lost += state.open
            self._restarts += 1
            state.open, state.generation, state.is_starting = 0, generation + 1, True
            restarting = threading.Thread(target=self._start_again, args=(worker,), daemon=True)
            self._restarting = [*(each for each in self._restarting if each.is_alive()), restarting]
            restarting.start()

    def _start_again(self, worker: int) -> None:
        """Start a worker; if that fails, its next episode is lost, and it is tried again."""
        try:
            with suppress(WorkerFailed, WorkerGone):
                self._restart(worker)
        finally:
            with self._room:
                self._workers[worker].is_starting = False
                self._room.notify_all()


class PooledEpisode:
    """An attempt at a test in a worker of a pool, with the methods of `twindiff.frameworks.episodes.Episode`.

    Each raises EpisodeLost if the worker has ended or the episode was closed.
    """

    def __init__(self, pool: EpisodePool, test: TestOffered, worker: int, generation: int, number: int) -> None:
        self.test = test
        self.worker = worker
        """The number of the worker that holds it."""
        self._pool = pool
        self._generation = generation
        self._number = number
        self._is_open = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, method: str, *arguments: Any) -> Any:
        if not self._is_open:
            raise EpisodeLost("The episode was closed.")
        return self._pool.ask(self.worker, self._generation, method, self._number, *arguments)

    def call(self, arguments: Json) -> TwinResponse:
        """Send one request to a twin: `{"api": "slack", "method": "POST", "path": "chat.postMessage", "body": {…}}`."""
        return TwinResponse(*self._ask("call", arguments))

    def verdict(self) -> Verdict:
        """Evaluate the test's checks on the changes so far."""
        return self._ask("verdict")

    def fork(self) -> PooledEpisode:
        """Fork the episode as it is now, in the same worker."""
        return self.forks(1)[0]

    def forks(self, count: int) -> list[PooledEpisode]:
        """Fork the episode `count` times as it is now, all or none. Raises ValueError for less than one fork."""
        if count < 1:
            raise ValueError(f"An episode is forked once or more, not {count} times.")
        numbers: list[int] = self._ask("fork", count)
        self._pool.take_room_in(self.worker, self._generation, count)
        return [PooledEpisode(self._pool, self.test, self.worker, self._generation, each) for each in numbers]

    def close(self) -> None:
        """End the episode; no effect for one that has ended, or whose worker has."""
        if not self._is_open:
            return
        with suppress(EpisodeLost):
            self._ask("close")
            self._pool.release(self.worker, self._generation, 1)
        self._is_open = False
