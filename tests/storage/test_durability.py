"""Who is answered when: what was written once the disk keeps it, what was read at once."""

from __future__ import annotations

import asyncio
import threading

from twindiff.storage.durability import Durability


def test_the_very_first_commit_is_answered_once_it_is_synced_and_a_read_without():
    begun, gate, syncs = threading.Event(), threading.Event(), [0]

    def sync() -> None:
        syncs[0] += 1
        begun.set()
        assert gate.wait(60)

    durability = Durability(sync)

    async def read() -> str:
        return "read"

    async def write() -> str:
        durability.on_commit()
        return "written"

    async def work() -> None:
        assert await durability.run_and_sync(read()) == "read"
        assert syncs == [0]
        written = asyncio.create_task(durability.run_and_sync(write()))
        synced = asyncio.create_task(asyncio.to_thread(begun.wait, 60))
        try:
            await asyncio.wait({written, synced}, return_when=asyncio.FIRST_COMPLETED)
            assert (synced.done(), written.done()) == (True, False)
        finally:
            begun.set()
            gate.set()
        assert (await written, syncs) == ("written", [1])

    asyncio.run(asyncio.wait_for(work(), 60))
    durability.close()
