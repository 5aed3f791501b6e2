"""Loopback ports for twins in process: an event loop in a thread, which starts when the first port is opened."""

from __future__ import annotations

import asyncio
import threading

from twindiff.server.ports import Ports

SECONDS_TO_FINISH = 5.0


class Serving:
    """The thread that serves the ports."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    def open(self, environment_id: str, twin: str) -> str:
        """Open a port for a twin of an environment, and return its URL; the port is listening then."""
        opening = self._ports.open(environment_id, twin)
        return asyncio.run_coroutine_threadsafe(opening, self._running()).result().url

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="twindiff ports", daemon=True)
                self._thread.start()
            return self._loop

    def close(self) -> None:
        """Close all ports and end the thread."""
        if self._loop is None or self._thread is None:
            return
        asyncio.run_coroutine_threadsafe(self._finish(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._loop = None

    async def _finish(self) -> None:
        self._ports.close_all()
        await asyncio.sleep(0)  # the ports close their connections in the next iteration of the loop
        others = asyncio.all_tasks() - {asyncio.current_task()}
        if others:
            _, late = await asyncio.wait(others, timeout=SECONDS_TO_FINISH)
            for task in late:
                task.cancel()
        await asyncio.sleep(0)
