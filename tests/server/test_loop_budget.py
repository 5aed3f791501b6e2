"""Many requests at once do not keep the event loop from everybody else."""

import asyncio

import httpx

from twindiff.server import Gateway, Service, Settings

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
