"""How many runs are done at once, counted over all processes of a server that share a data directory."""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from twindiff.server.settings import Settings

FOLDER = "run-seats"
SECONDS_BETWEEN_TRIES = 0.1


class RunSeats:
    """Seats of a server, and with several shards a locked file for each that is taken: a lock ends with its process."""

    def __init__(self, settings: Settings) -> None:
        self._count = settings.runs_at_once or os.cpu_count() or 1
        self._own = asyncio.Semaphore(self._count)
        self._folder = Path(settings.data_dir) / FOLDER if settings.shard.total > 1 else None
        if self._folder:
            self._folder.mkdir(exist_ok=True)

    @asynccontextmanager
    async def take(self) -> AsyncGenerator[None]:
        """Wait for a seat, and hold it for the block."""
        async with self._own:
            lock = await self._lock(self._folder) if self._folder else None
            try:
                yield
            finally:
                if lock is not None:
                    os.close(lock)

    async def _lock(self, folder: Path) -> int:
        while True:
            for number in range(self._count):
                file = os.open(folder / str(number), os.O_RDWR | os.O_CREAT, 0o600)
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    os.close(file)
                else:
                    return file
            await asyncio.sleep(SECONDS_BETWEEN_TRIES)
