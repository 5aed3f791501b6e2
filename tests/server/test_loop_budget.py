"""Many requests at once do not keep the event loop from everybody else."""

import asyncio
from collections.abc import Container

import httpx
import pytest

from twindiff.server import Gateway, Service, Settings
from twindiff.server.runtime import loop_budget

REQUESTS = 400


async def answered_in_passes() -> tuple[list[int], list[int], int]:
    """Status and order of requests that are sent at once, and how often the event loop came round meanwhile."""
    passes, order = 0, list[int]()
    service = Service(Settings())

    async def come_round() -> None:
        nonlocal passes
        while True:
            passes += 1
            await asyncio.sleep(0)

    async def ask(client: httpx.AsyncClient, number: int) -> int:
        answer = await client.get("/api/platform/templates")
        order.append(number)
        return answer.status_code

    transport = httpx.ASGITransport(Gateway(service))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        await ask(client, 0)
        rounds = asyncio.create_task(come_round())
        passes_before = passes
        statuses = await asyncio.gather(*(ask(client, number) for number in range(1, REQUESTS + 1)))
        rounds.cancel()
    service.close()
    return statuses, order[1:], passes - passes_before


def test_requests_that_come_at_once_leave_turns_to_others_and_are_answered_in_order():
    statuses, order, passes = asyncio.run(answered_in_passes())
    assert set(statuses) == {200}
    assert order == sorted(order)
    assert passes > 10


class Clock:
    """A clock that goes on by a quarter of a pass whenever somebody looks at it."""

    def __init__(self) -> None:
        self.looks = 0

    def perf_counter(self) -> float:
        self.looks += 1
        return self.looks * loop_budget.MAX_PASS_SECONDS / 4


async def begun_in_order(count: int, leaving: Container[int] = ()) -> list[int]:
    """Those of so many who found time, in the order they did; some leave while they wait."""
    budget, begun = loop_budget.AdmissionControl(), list[int]()

    async def ask(number: int) -> None:
        await budget.wait()
        begun.append(number)

    tasks = [asyncio.create_task(ask(number)) for number in range(count)]
    await asyncio.sleep(0)
    for number, task in enumerate(tasks):
        if number in leaving:
            task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return begun


def test_many_who_wait_are_not_all_looked_at_in_each_pass(monkeypatch: pytest.MonkeyPatch):
    clock = Clock()
    monkeypatch.setattr(loop_budget, "time", clock)
    assert asyncio.run(begun_in_order(3000)) == [*range(3000)]
    assert clock.looks < 3000 * 5


def test_who_leaves_while_waiting_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(loop_budget, "time", Clock())
    assert asyncio.run(begun_in_order(100, leaving=range(10, 90))) == [*range(10), *range(90, 100)]


async def come_and_begun(passes: int, each: int) -> tuple[list[int], list[int]]:
    """Requests that come while others wait, before and after each pass, in the order they came and found time."""
    budget, came, begun = loop_budget.AdmissionControl(), list[int](), list[int]()

    async def ask(number: int) -> None:
        for _ in range(number % 4):
            await asyncio.sleep(0)
        came.append(number)
        await budget.wait()
        begun.append(number)

    tasks: list[asyncio.Task[None]] = []
    for number in range(passes * each):
        tasks.append(asyncio.create_task(ask(number)))
        if number % each == each - 1:
            await asyncio.sleep(0)
    await asyncio.gather(*tasks)
    return came, begun


@pytest.mark.parametrize("each", [1, 2, 3, 5, 20])
def test_who_comes_later_does_not_overtake_those_who_wait(monkeypatch: pytest.MonkeyPatch, each: int):
    monkeypatch.setattr(loop_budget, "time", Clock())
    came, begun = asyncio.run(come_and_begun(200, each))
    assert begun == came
