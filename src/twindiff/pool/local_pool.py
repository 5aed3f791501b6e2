"""A pool of processes on this machine."""

from __future__ import annotations

import contextlib
import multiprocessing
import threading
from collections.abc import Mapping
from multiprocessing.connection import Connection
from typing import Any

from twindiff.pool.episode_pool import MAX_EPISODES_PER_WORKER, EpisodePool, WorkerFailed, WorkerGone
from twindiff.pool.worker import EpisodeWorker, WorkerSettings

SECONDS_TO_START = 60
SECONDS_TO_END = 5


class LocalWorker:
    """A process with a pipe to it; calls take turns."""

    def __init__(self, settings: WorkerSettings) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, settings), daemon=True)
        self._turn = threading.Lock()
        self.process.start()
        theirs.close()

    def wait_until_ready(self) -> None:
        """Wait until the worker has loaded its suite. Raises WorkerFailed with the reason if it does not."""
        try:
            is_there = self._pipe.poll(SECONDS_TO_START)
            error = self._pipe.recv() if is_there else f"it did not start within {SECONDS_TO_START} s"
        except (EOFError, OSError):
            error = "its process ended"
        if error:
            self.end()
            raise WorkerFailed(f"A worker could not start: {error}")

    def send(self, method: str, arguments: tuple[Any, ...]) -> Any:
        """Call a method in the process. Raises WorkerGone, WorkerFailed."""
        with self._turn:
            try:
                self._pipe.send((method, arguments))
                is_done, result = self._pipe.recv()
            except (EOFError, OSError):
                raise WorkerGone from None
        if not is_done:
            raise WorkerFailed(result)
        return result

    def end(self) -> None:
        """End the process, which does so by itself when its pipe is closed."""
        self._pipe.close()
        self.process.join(SECONDS_TO_END)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


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
        return self._processes[worker].send(method, arguments)

    def _restart(self, worker: int) -> None:
        self._processes[worker].end()
        self._processes[worker] = LocalWorker(self._settings)
        self._processes[worker].wait_until_ready()

    def close(self) -> None:
        """End all workers with their episodes."""
        for each in self._processes:
            each.end()


def _serve(pipe: Connection, settings: WorkerSettings) -> None:
    """Answer calls from the pipe until it is closed."""
    try:
        worker = EpisodeWorker(settings)
    except Exception as error:  # noqa: BLE001 - whatever it is, the pool tells its user
        pipe.send(f"{type(error).__name__}: {error}")
        return
    pipe.send("")
    with contextlib.suppress(EOFError, OSError):
        while True:
            method, arguments = pipe.recv()
            pipe.send(_answer(worker, method, arguments))
    worker.shut_down()


def _answer(worker: EpisodeWorker, method: str, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
    try:
        return True, getattr(worker, method)(*arguments)
    except Exception as error:  # noqa: BLE001 - an error of one episode must not end those of others
        return False, f"{type(error).__name__}: {error}"
