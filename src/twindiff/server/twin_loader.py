"""Loads the twins in a thread while requests that need none of them are served."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Collection
from concurrent.futures import Future
from typing import cast

from twindiff.environments.environments import Environments
from twindiff.environments.registry import Registry
from twindiff.kit.errors import ApiError
from twindiff.kit.http import Request


class TwinLoader:
    """Knows which twins are loaded, which of them a request needs, and waits for those."""

    def __init__(self, registry: Registry, environments: Environments) -> None:
        self._registry = registry
        self._environments = environments
        self._loading: Future[None] | None = None
        """Completes when all twins are loaded; None if they were loaded before the first request."""

    def start(self, work: Callable[[], None]) -> None:
        """Load all twins with `work` in a thread; only requests that need a twin wait for it."""
        loading = self._loading = Future[None]()
        loading.set_running_or_notify_cancel()  # a pending one would be cancelled with its waiter

        def load() -> None:
            try:
                work()
            finally:
                loading.set_result(None)

        threading.Thread(target=load, name="twindiff twins", daemon=True).start()

    @property
    def is_loading(self) -> bool:
        """Whether twins are still loading while requests are served."""
        return self._loading is not None and not self._loading.done()

    async def wait(self, names: Collection[str] = ()) -> None:
        """Wait until the named twins are loaded, or all without names; loads missing ones off the event loop."""
        if self._loading and not names:
            await asyncio.wrap_future(self._loading)
        elif not self._registry.has(names):
            await asyncio.to_thread(self._registry.load, names)

    def names_for(self, environment_id: str, twin: str) -> Collection[str]:
        """The names of the twins that an environment needs, if one of them is `twin` (not an alias); else nothing."""
        with contextlib.suppress(ApiError):
            twins = cast(dict[str, str], self._environments.record(environment_id).templates)
            return twins if twin in twins else ()
        return ()

    def names_in(self, request: Request) -> list[str]:
        """The twins whose names occur in a request, also as a part of a template's name."""
        said = b" ".join((request.path.encode(errors="replace"), request.query.encode(errors="replace"), request.body))
        return [name for name in self._registry.names if name.encode() in said]
