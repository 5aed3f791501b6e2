"""Calls to the process of a worker through a connection, by which pools of processes and of actors work alike."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any

from twindiff.pool.episode_pool import WorkerFailed, WorkerGone
from twindiff.pool.worker import EpisodeWorker, WorkerSettings

SECONDS_TO_START = 300
"""Seconds in which a worker must have loaded its suite; one whose process has ended is not waited for."""


class CallPipe:
    """The pool's end of a connection to a worker; calls take turns."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._turn = threading.Lock()

    def wait_until_ready(self, seconds: float) -> None:
        """Wait until the worker has loaded its suite. Raises WorkerFailed with the reason if it does not."""
        try:
            with self._turn:
                is_there = self._connection.poll(seconds)
                error = self._connection.recv() if is_there else f"it did not start within {seconds:g} s"
        except (EOFError, OSError):
            error = "its process ended"
        if error:
            raise WorkerFailed(f"A worker could not start: {error}")

    def send(self, method: str, arguments: tuple[Any, ...]) -> Any:
        """Call a method of the worker. Raises WorkerGone, WorkerFailed. A call that is interrupted ends the worker."""
        request = ForkingPickler.dumps((method, arguments))
        with self._turn:
            try:
                self._connection.send_bytes(request)
                is_done, result = self._connection.recv()
            except (EOFError, OSError):
                raise WorkerGone from None
            except BaseException:  # else its answer would be taken for that of the next call
                self._connection.close()
                raise
        if not is_done:
            raise WorkerFailed(result)
        return result

    def close(self) -> None:
        """Close the connection, which ends the worker's answers; a call that waits for one raises WorkerGone."""
        with contextlib.suppress(OSError), socket.socket(fileno=os.dup(self._connection.fileno())) as waiting:
            waiting.shutdown(socket.SHUT_RDWR)
        with self._turn:
            self._connection.close()


def answer_calls(connection: Connection, settings: WorkerSettings) -> None:
    """Load a worker, report an error or `""`, and answer calls until the connection is closed."""
    try:
        worker = EpisodeWorker(settings)
    except Exception as error:  # noqa: BLE001 - whatever it is, the pool tells its user
        connection.send(f"{type(error).__name__}: {error}")
        return
    connection.send("")
    with contextlib.suppress(EOFError, OSError):
        while True:
            method, arguments = connection.recv()
            connection.send(_answer(worker, method, arguments))
    worker.shut_down()


def _answer(worker: EpisodeWorker, method: str, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
    try:
        return True, getattr(worker, method)(*arguments)
    except Exception as error:  # noqa: BLE001 - an error of one episode must not end those of others
        return False, f"{type(error).__name__}: {error}"
