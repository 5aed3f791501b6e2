# pyright: basic, reportMissingImports=false
# Ray is not a development dependency: `pip install "twindiff[ray]"`.
"""A pool of actors on a Ray cluster, https://docs.ray.io/en/latest/ray-core/actors.html."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

import ray
from ray.exceptions import GetTimeoutError, RayActorError, RayTaskError

from twindiff.pool.episode_pool import MAX_EPISODES_PER_WORKER, EpisodePool, WorkerFailed, WorkerGone
from twindiff.pool.worker import EpisodeWorker, WorkerSettings

SECONDS_OF_A_CALL = 300


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
        self._actor: Any = ray.remote(EpisodeWorker).options(num_cpus=cpus, scheduling_strategy="SPREAD")
        self._actors: list[Any] = [self._actor.remote(self._settings) for _ in range(workers)]
        try:
            for number in range(workers):
                self._send(number, "list_tests", ())
        except WorkerGone:
            self.close()
            raise WorkerFailed("An actor could not start; Ray's logs say why.") from None
        except WorkerFailed:
            self.close()
            raise

    @property
    def actors(self) -> list[Any]:
        """The handles of the actors."""
        return [*self._actors]

    def _send(self, worker: int, method: str, arguments: tuple[Any, ...]) -> Any:
        try:
            return ray.get(getattr(self._actors[worker], method).remote(*arguments), timeout=SECONDS_OF_A_CALL)
        except RayActorError:
            raise WorkerGone from None
        except RayTaskError as error:
            cause: BaseException = error.cause or error
            raise WorkerFailed(f"{type(cause).__name__}: {cause}") from None
        except GetTimeoutError:
            raise WorkerFailed(f"{method} took longer than {SECONDS_OF_A_CALL} s") from None

    def _restart(self, worker: int) -> None:
        self._end(worker)
        self._actors[worker] = self._actor.remote(self._settings)

    def _end(self, worker: int) -> None:
        with contextlib.suppress(RayActorError):
            ray.kill(self._actors[worker])

    def close(self) -> None:
        """End all actors with their episodes; the cluster stays."""
        for number in range(len(self._actors)):
            self._end(number)
