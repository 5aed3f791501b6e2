"""Seats of runs over the processes of a server."""

from __future__ import annotations

import asyncio
from pathlib import Path

from twindiff.catalog.shard_ids import ServedShard
from twindiff.server import Settings
from twindiff.server.apis.test_runs.run_seats import RunSeats


def test_a_run_waits_for_the_seat_that_another_process_holds(tmp_path: Path) -> None:
    each = [Settings(data_dir=str(tmp_path), shard=ServedShard(number, 2), runs_at_once=1) for number in range(2)]
    happened: list[str] = []

    async def sit(seats: RunSeats) -> None:
        async with seats.take():
            happened.append("second")

    async def sit_in_both() -> None:
        async with RunSeats(each[0]).take():
            waiting = asyncio.create_task(sit(RunSeats(each[1])))
            await asyncio.wait([waiting], timeout=0.2)
            happened.append("first")
        await waiting

    asyncio.run(sit_in_both())
    assert happened == ["first", "second"]
