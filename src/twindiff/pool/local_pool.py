"""A pool of processes on this machine."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any

from twindiff.pool.call_pipe import SECONDS_TO_START, CallPipe, answer_calls
from twindiff.pool.episode_pool import MAX_EPISODES_PER_WORKER, EpisodePool, WorkerFailed
from twindiff.pool.worker import WorkerSettings

SECONDS_TO_END = 5


class LocalWorker:
    """A process with a pipe to it."""

    def __init__(self, settings: WorkerSettings) -> None:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        self.calls = CallPipe(ours)
        self.process = context.Process(target=answer_calls, args=(theirs, settings), daemon=True)
        with _block_interrupts():
            self.process.start()
        theirs.close()
        self._is_ready = False

    def wait_until_ready(self) -> None:
        """Wait until the worker has loaded its suite. Raises WorkerFailed with the reason if it does not."""
        try:
            self.calls.wait_until_ready(SECONDS_TO_START)
        except WorkerFailed:
            self.end()
            raise
        self._is_ready = True

    def end(self) -> None:
        """End the process, which does so by itself when its pipe is closed, unless it is still being started."""
        if not self._is_ready:
            self.process.kill()
        self.calls.close()
        self.process.join(SECONDS_TO_END)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


@contextmanager
def _block_interrupts() -> Generator[None]:
    """Start processes for a block that Ctrl-C does not reach: it is for the trainer, whose end they notice."""
    resource_tracker.ensure_running()  # else the first process starts it, and that unblocks the signal
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


class LocalPool(EpisodePool):
    """`workers` processes on this machine, each with the suite and its templates.

    `files` are imported first, as by `Client.import_files`; `tests` restricts the suite to tests with these words in
    their names. Raises WorkerFailed if a worker cannot start. Processes end with the pool, and with this process.
    """

    def __init__(
        self,
        workers: int,
        *,
        suite: str = "starter",
        tests: str = "",
        files: Mapping[str, Any] | None = None,
        max_episodes: int = MAX_EPISODES_PER_WORKER,
    ) -> None:
        super().__init__(workers, max_episodes)
        self._settings = WorkerSettings(dict(files or {}), suite, tests)
        self._processes = [LocalWorker(self._settings) for _ in range(workers)]
        try:
            for each in self._processes:
                each.wait_until_ready()
        except WorkerFailed:
            self.close()
            raise

    @property
    def pids(self) -> list[int]:
        """The process ids of the workers."""
        return [each.process.pid or 0 for each in self._processes]

    def _send(self, worker: int, method: str, arguments: tuple[Any, ...]) -> Any:
        return self._processes[worker].calls.send(method, arguments)

    def _restart(self, worker: int) -> None:
        self._processes[worker].end()
        self._processes[worker] = LocalWorker(self._settings)
        if not self._is_closed:  # else it is ended without a wait
            self._processes[worker].wait_until_ready()

    def _end(self) -> None:
        for each in self._processes:
            each.end()
