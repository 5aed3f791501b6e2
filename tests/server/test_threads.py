"""Work in threads: what waits, and what becomes of it when nobody wants it any more."""

import asyncio
import contextlib
import threading

from twindiff.server.runtime.threads import FOR_CONTROL, Threads


def test_a_request_whose_client_left_before_its_turn_never_begins() -> None:
    begun: list[str] = []
    free = threading.Event()

    async def busy() -> None:
        begun.append("busy")
        free.wait(60)

    async def late() -> None:
        begun.append("late")

    async def leave() -> None:
        threads = Threads()
        others = [asyncio.create_task(threads.run_request(busy)) for _ in range(FOR_CONTROL)]
        left = asyncio.create_task(threads.run_request(late))
        await asyncio.sleep(0)
        left.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await left
        free.set()
        await asyncio.gather(*others)
        threads.close()

    asyncio.run(leave())
    assert begun == ["busy"] * FOR_CONTROL
