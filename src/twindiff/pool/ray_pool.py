# pyright: basic, reportMissingImports=false
# Ray is not a development dependency: `pip install "twindiff[ray]"`.
"""A pool of actors on a Ray cluster, https://docs.ray.io/en/latest/ray-core/actors.html.

Ray places the actors, starts and ends them. Calls go through a socket of each actor: a call of Ray's own takes a
millisecond of processor on both sides, which is more than most calls of a twin.
"""

from __future__ import annotations

import contextlib
import secrets
import socket
import tempfile
import threading
from collections.abc import Mapping
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from typing import Any

import ray
from ray.exceptions import GetTimeoutError, RayActorError, RayError
from ray.util import get_node_ip_address

from twindiff.pool.call_pipe import SECONDS_TO_START, CallPipe, answer_calls
from twindiff.pool.episode_pool import MAX_EPISODES_PER_WORKER, EpisodePool, WorkerFailed, WorkerGone
from twindiff.pool.worker import WorkerSettings

SECRET_BYTES = 32
_SILENCE = {socket.TCP_KEEPIDLE: 10, socket.TCP_KEEPINTVL: 5, socket.TCP_KEEPCNT: 3, socket.TCP_USER_TIMEOUT: 25_000}
"""TCP options by which a connection ends 25 s after the last sign of the other machine."""

Address = str | tuple[str, int]
"""The path of a Unix socket, or host and port."""


class PoolActor:
    """The process of a worker: it answers the one connection that its pool opens."""

    def __init__(self, settings: WorkerSettings, secret: bytes) -> None:
        self._settings = settings
        self._secret = secret

    def listen(self, node: str) -> Address:
        """Listen for a pool on `node`: by a Unix socket if that is this actor's node, else by TCP."""
        self._folder = tempfile.TemporaryDirectory(prefix="twindiff-pool-")
        is_near = node == ray.get_runtime_context().get_node_id()
        address = f"{self._folder.name}/calls" if is_near else (get_node_ip_address(), 0)
        self._listener = Listener(address, authkey=self._secret)
        return self._listener.address

    def serve(self) -> None:
        """Answer calls until the pool closes the connection."""
        with self._folder, self._listener:
            connection = self._accept()
        with connection:
            _tune(connection)
            answer_calls(connection, self._settings)

    def _accept(self) -> Connection:
        """Wait for the pool, and turn away whoever does not know its secret."""
        while True:
            with contextlib.suppress(AuthenticationError, EOFError, ConnectionError):
                return self._listener.accept()


class ActorCalls:
    """One actor as its pool calls it; `open` waits until Ray has started it."""

    def __init__(self, actor: Any, secret: bytes) -> None:
        self.actor = actor
        self._secret = secret
        self._opening = threading.Lock()
        self._pipe: CallPipe | None = None

    def send(self, method: str, arguments: tuple[Any, ...]) -> Any:
        """Call a method of the worker. Raises WorkerGone, WorkerFailed."""
        return self.open().send(method, arguments)

    def open(self) -> CallPipe:
        """Return the pipe to the worker, once it is ready. Raises WorkerGone, WorkerFailed."""
        with self._opening:
            self._pipe = self._pipe or self._connect()
            return self._pipe

    def _connect(self) -> CallPipe:
        try:
            address = ray.get(self.actor.listen.remote(_find_own_node()), timeout=SECONDS_TO_START)
            self.actor.serve.remote()
            connection = Client(address, authkey=self._secret)
        except GetTimeoutError:
            raise WorkerFailed(
                f"Ray has not started an actor within {SECONDS_TO_START} s. `ray status` says which processors are "
                "free; `cpus` is what an actor takes of them."
            ) from None
        except (RayActorError, EOFError, OSError):
            raise WorkerGone from None
        _tune(connection)
        pipe = CallPipe(connection)
        pipe.wait_until_ready(SECONDS_TO_START)
        return pipe

    def end(self) -> None:
        """End the actor with its episodes."""
        if self._pipe:
            self._pipe.close()
        with contextlib.suppress(RayError):
            ray.kill(self.actor)


class RayPool(EpisodePool):
    """`workers` actors, spread over the nodes of the cluster that `ray.init` has connected to.

    The files of the suite are put into Ray's object store once. `cpus` is what each actor reserves, so that Ray places
    as many on a node as it has processors. Raises WorkerFailed if an actor cannot start.
    """

    def __init__(
        self,
        workers: int,
        *,
        suite: str = "starter",
        tests: str = "",
        files: Mapping[str, Any] | None = None,
        max_episodes: int = MAX_EPISODES_PER_WORKER,
        cpus: float = 1,
    ) -> None:
        super().__init__(workers, max_episodes)
        if not ray.is_initialized():
            ray.init()
        self._settings: Any = ray.put(WorkerSettings(dict(files or {}), suite, tests))
        self._secret = secrets.token_bytes(SECRET_BYTES)
        self._actor: Any = ray.remote(PoolActor).options(num_cpus=cpus, scheduling_strategy="SPREAD")
        self._calls = [self._start() for _ in range(workers)]
        try:
            for each in self._calls:
                each.open()
        except WorkerGone:
            self.close()
            raise WorkerFailed("An actor could not start; Ray's logs say why.") from None
        except WorkerFailed:
            self.close()
            raise

    @property
    def actors(self) -> list[Any]:
        """The handles of the actors."""
        return [each.actor for each in self._calls]

    def _start(self) -> ActorCalls:
        return ActorCalls(self._actor.remote(self._settings, self._secret), self._secret)

    def _send(self, worker: int, method: str, arguments: tuple[Any, ...]) -> Any:
        return self._calls[worker].send(method, arguments)

    def _restart(self, worker: int) -> None:
        self._calls[worker].end()
        self._calls[worker] = self._start()
        if not self._is_closed:  # else it is ended without a wait
            self._calls[worker].open()

    def _end(self) -> None:
        for each in self._calls:
            each.end()


def _find_own_node() -> str:
    """Return the id of this process's node; empty for a client that is on none of them (`ray.init("ray://…")`)."""
    return "" if ray.util.client.ray.is_connected() else ray.get_runtime_context().get_node_id()


def _tune(connection: Connection) -> None:
    """Send at once, and notice a machine that has ended, where a connection goes between machines."""
    with socket.socket(fileno=connection.fileno()) as it:
        if it.family != socket.AF_UNIX:
            it.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            it.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            for option, value in _SILENCE.items():
                it.setsockopt(socket.IPPROTO_TCP, option, value)
        it.detach()
