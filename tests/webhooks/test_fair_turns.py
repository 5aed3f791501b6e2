"""Receivers of one environment that never answer hold up nobody's deliveries but its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from tests.receiver import Received, Receiver, Said, prove
from tests.webhooks.conftest import Webhooks
from twindiff.server.delivery_slots import DeliverySlots


@pytest.fixture
def hanging() -> Iterator[Receiver]:
    """A program that answers the challenge, and nothing else before the test is over."""
    over = threading.Event()

    def answer(request: Received) -> Said | None:
        said = prove(request)
        if said is None:
            over.wait(60)
        return said

    made = Receiver(answer)
    yield made
    over.set()
    made.close()


def test_forty_receivers_that_hang_hold_up_no_other_environment(platform, webhooks, receiver, hanging):
    other = Webhooks(platform.environment())
    other.add(receiver.url)
    for _ in range(40):
        webhooks.add(hanging.url)
    webhooks.env.post("hangs")
    webhooks.until(lambda deliveries: len(deliveries) == 40)
    other.env.post("goes on")
    assert [each["status"] for each in other.settled()] == ["delivered"]
    assert [each["attempts"] for each in webhooks.deliveries()] == [[]] * 40


def test_groups_take_turns_and_none_has_all_slots():
    begun: list[str] = []

    async def hold(slots: DeliverySlots, group: str, over: asyncio.Event) -> None:
        async with slots.take(group):
            begun.append(group)
            await over.wait()

    async def main() -> None:
        slots, over = DeliverySlots(at_once=4, of_group=3), asyncio.Event()
        tasks = [asyncio.create_task(hold(slots, group, over)) for group in "aaaaaabbbcc"]
        for _ in range(10):
            await asyncio.sleep(0)
        assert begun == ["a", "a", "a", "b"]
        tasks[5].cancel()
        over.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert (begun[4], sorted(begun)) == ("c", [*"aaaaabbbcc"])

    asyncio.run(main())
