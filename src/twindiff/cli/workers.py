"""Several processes behind one port, which are started, restarted when they die, and stopped together."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import IO, Literal

import msgspec
import typer

from twindiff.server import Settings

Kind = Literal["api", "drainer"]
BREATH_SECONDS = 0.2
"""Seconds before a process that died is restarted."""
GRACE_SECONDS = 10.0
DRAINERS = 2
"""One consumes the WAL and one stands by, since starting another takes longer than a diff should wait."""


class Orders(msgspec.Struct):
    """The instructions of a process, the first line of its standard input; it exits when that input ends."""

    kind: Kind
    settings: Settings
    listener: int | None = None
    door: int | None = None
    """The listening socket of the TLS door, which all processes share."""
    says_problems: bool = False
    """Whether this process is the one that reports twins which do not load."""


class WorkerProcess:
    """One process, restarted whenever it dies."""

    def __init__(self, orders: Orders, failed: Callable[[int], None]) -> None:
        self._orders = orders
        self._failed = failed
        self._stopping = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self.is_up = threading.Event()
        self._thread = threading.Thread(target=self._keep, name=f"{orders.kind} keeper")
        self._thread.start()

    @property
    def pid(self) -> int:
        return self._process.pid if self._process else 0

    def _keep(self) -> None:
        while not self._stopping.is_set():
            code = self._run_once()
            if self._stopping.is_set():
                return
            if not self.is_up.is_set():
                self._failed(code)
                return
            typer.echo(f"A process ({self._orders.kind}) ended with {code}; it is started again.", err=True)
            self._stopping.wait(BREATH_SECONDS)

    def _run_once(self) -> int:
        command = [sys.executable, "-m", "twindiff.cli.worker"]
        sockets = [each for each in (self._orders.listener, self._orders.door) if each is not None]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=sockets)
        self._process = process
        assert process.stdin is not None
        assert process.stdout is not None
        with process.stdin, process.stdout:
            _tell(process.stdin, self._orders)
            if process.stdout.readline():
                self.is_up.set()
            if self._stopping.is_set():
                process.terminate()
            return process.wait()

    def stop(self) -> None:
        """Ask it to exit; it finishes its current work."""
        self._stopping.set()
        if self._process:
            self._process.terminate()

    def join(self) -> None:
        """Wait until it has exited; kill it after `GRACE_SECONDS`."""
        self._thread.join(GRACE_SECONDS)
        if self._process and self._process.poll() is None:
            self._process.kill()
        self._thread.join()


def _tell(orders_to: IO[bytes], orders: Orders) -> None:
    try:
        orders_to.write(msgspec.json.encode(orders) + b"\n")
        orders_to.flush()
    except BrokenPipeError:
        return  # it died at once, which its exit code reports


class Workers:
    """The processes of one server: those that serve requests, one WAL consumer, and one standby consumer."""

    def __init__(
        self, settings: Settings, count: int, listener: socket.socket, door: socket.socket | None = None
    ) -> None:
        self._ended = threading.Event()
        self._code = 0
        by = door.fileno() if door else None
        api = [Orders("api", settings, listener.fileno(), by, says_problems=number == 0) for number in range(count)]
        drainers = [Orders("drainer", settings)] * DRAINERS
        self._workers = [WorkerProcess(orders, self._fail) for orders in (*drainers, *api)]

    def _fail(self, code: int) -> None:
        self._code = code or 1
        self._ended.set()
        for worker in self._workers:
            worker.is_up.set()

    def wait_until_up(self) -> list[int]:
        """Return the process ids, drainers first, once all are ready; raises SystemExit if one cannot start."""
        for worker in self._workers:
            worker.is_up.wait()
        if self._ended.is_set():
            self.stop()
            raise SystemExit(self._code)
        return [worker.pid for worker in self._workers]

    def run(self) -> None:
        """Wait for a signal or a failed start, then stop all processes."""
        try:
            self._ended.wait()
        finally:
            self.stop()

    def stop(self) -> None:
        """Stop all processes and wait for them."""
        for worker in self._workers:
            worker.stop()
        for worker in self._workers:
            worker.join()
