"""The processes of `twindiff serve --workers`: starts them, restarts those that die, and stops all together."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import IO, Literal

import msgspec
import typer

from twindiff import __version__
from twindiff.catalog.shard_ids import ServedShard
from twindiff.server import Settings
from twindiff.storage import backoff

Kind = Literal["api", "drainer"]
SocketPair = tuple[socket.socket, socket.socket]
FIRST_RESTART_DELAY_SECONDS = 0.2
"""Seconds before a process that died is restarted; one that keeps dying waits longer each time."""
GRACE_SECONDS = 10.0
GO = b"\n"
"""Tells a process that all others are ready too."""
DRAINERS = 2
"""One consumes the WAL and one stands by, since starting another takes longer than a diff should wait."""


class ShardDescriptors(msgspec.Struct):
    """The file descriptors by which a shard receives connections, sends them to each shard, and knows their counts."""

    inbox: int
    outboxes: list[int]
    placements: int


class Orders(msgspec.Struct):
    """The instructions of a process, the first line of its standard input; it exits when that input ends."""

    kind: Kind
    settings: Settings
    listener: int | None = None
    door: int | None = None
    """The listening socket of the TLS door, which all processes share."""
    says_problems: bool = False
    """Whether this process is the one that reports twins which do not load."""
    shard: ShardDescriptors | None = None
    """The sockets of a shard, which serves once all are ready; None where processes share a database."""
    ports: int | None = None
    """The file in which the processes that serve requests share the ports that they listen on."""
    number: int = 0
    """Its number among the processes of its kind."""
    version: str = __version__
    """The release of the parent, without which a process does not serve."""

    @property
    def label(self) -> str:
        """The process in messages, such as `Worker 3`."""
        return f"{'Worker' if self.kind == 'api' else 'WAL consumer'} {self.number}"

    @property
    def descriptors(self) -> list[int]:
        """The sockets that the process inherits."""
        own = [
            self.listener,
            self.door,
            self.ports,
            *((self.shard.inbox, *self.shard.outboxes, self.shard.placements) if self.shard else ()),
        ]
        return [each for each in own if each is not None]


class WorkerProcess:
    """One process, restarted whenever it dies."""

    def __init__(self, orders: Orders, failed: Callable[[int], None], may_serve: threading.Event) -> None:
        self._orders = orders
        self._may_serve = may_serve
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
        failures, said = 0, ""
        while not self._stopping.is_set():
            begun = time.monotonic()
            try:
                code = self._run_once()
                why = f"ended with {code}"
            except OSError as error:  # the machine has no memory or processes left
                code, why = 1, f"could not be started: {error}"
            if self._stopping.is_set():
                return
            if not self.is_up.is_set():
                self._failed(code)
                return
            if time.monotonic() - begun > backoff.MAX_SECONDS:
                failures, said = 0, ""
            if why != said:
                typer.echo(f"{self._orders.label} {why}; it is started again.", err=True)
            said, failures = why, failures + 1
            self._stopping.wait(FIRST_RESTART_DELAY_SECONDS if failures == 1 else backoff.seconds_after(failures - 1))

    def _run_once(self) -> int:
        command = [sys.executable, "-m", "twindiff.cli.worker"]
        descriptors = self._orders.descriptors
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=descriptors)
        self._process = process
        assert process.stdin is not None
        assert process.stdout is not None
        with process.stdin, process.stdout:
            _tell(process.stdin, msgspec.json.encode(self._orders) + b"\n")
            if process.stdout.readline():
                self.is_up.set()
                self._may_serve.wait()
                _tell(process.stdin, GO)
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


def _tell(orders_to: IO[bytes], said: bytes) -> None:
    try:
        orders_to.write(said)
        orders_to.flush()
    except BrokenPipeError:
        return  # it died at once, which its exit code reports


def order_database_workers(
    settings: Settings, count: int, listener: socket.socket, door: socket.socket | None, ports: int
) -> list[Orders]:
    """Return the orders of processes over one database: WAL consumers, and then those that serve requests."""
    by = door.fileno() if door else None
    api = [
        Orders("api", settings, listener.fileno(), by, says_problems=number == 0, ports=ports, number=number)
        for number in range(count)
    ]
    return [*(Orders("drainer", settings, number=number) for number in range(DRAINERS)), *api]


def order_shards(
    settings: Settings,
    listeners: Sequence[socket.socket],
    doors: Sequence[socket.socket],
    pairs: Sequence[SocketPair],
    ports: int,
    placements: int,
) -> list[Orders]:
    """Return the orders of shards, each with its own listening sockets."""
    outboxes = [outbox.fileno() for _, outbox in pairs]
    return [
        Orders(
            "api",
            settings._replace(shard=ServedShard(number, len(listeners))),
            listener.fileno(),
            doors[number].fileno() if doors else None,
            says_problems=number == 0,
            shard=ShardDescriptors(pairs[number][0].fileno(), outboxes, placements),
            ports=ports,
            number=number,
        )
        for number, listener in enumerate(listeners)
    ]


class Workers:
    """The processes of one server."""

    def __init__(self, orders: Sequence[Orders]) -> None:
        self._ended = threading.Event()
        self._may_serve = threading.Event()
        self._code = 0
        self._workers = [WorkerProcess(each, self._fail, self._may_serve) for each in orders]

    def _fail(self, code: int) -> None:
        self._code = code or 1
        self._ended.set()
        for worker in self._workers:
            worker.is_up.set()

    def wait_until_up(self) -> list[int]:
        """Return the process ids in the order of the orders, once all are ready.

        Raises SystemExit if one cannot start.
        """
        for worker in self._workers:
            worker.is_up.wait()
        self._may_serve.set()
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
        self._may_serve.set()
        for worker in self._workers:
            worker.stop()
        for worker in self._workers:
            worker.join()
