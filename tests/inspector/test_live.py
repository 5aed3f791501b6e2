"""Timelines that go on by themselves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import httpx
import pytest

from tests.harness import Environment
from tests.inspector.conftest import World
from twindiff.server.apis.errors import TooManyStreams
from twindiff.server.apis.event_streams import MAX_STREAMS
from twindiff.server.apis.inspector.live import MAX_CALLS_DRAWN, LiveTimelines
from twindiff.server.apis.inspector.timelines import TimelineCursor
from twindiff.storage import backoff
from twindiff.storage.backoff import MAX_TRIES


def on_loop(world: World, work: object) -> object:
    """Run a coroutine where the server runs."""
    loop = world.server.service.runtime._loop  # pyright: ignore[reportPrivateUsage]
    assert loop
    return asyncio.run_coroutine_threadsafe(work, loop).result(60)  # pyright: ignore[reportArgumentType]


async def overview(live: LiveTimelines, world: World) -> list[str]:
    """What a list is told at first, after an environment was made and while nothing happens."""
    stream: AsyncGenerator[bytes] = live.overview()
    told = [await anext(stream)]
    await asyncio.to_thread(world.platform.environment)
    told += [await anext(stream), await anext(stream)]
    await stream.aclose()
    return [each.decode() for each in told]


async def events(live: LiveTimelines, environment: Environment, after: TimelineCursor, count: int) -> list[str]:
    """The first events of a stream."""
    stream: AsyncGenerator[bytes] = live.stream(environment.id, after)
    told: list[str] = []
    async for part in stream:
        if b"event:" in part:
            told.append(part.decode())
        if len(told) == count:
            break
    await stream.aclose()
    return told


def test_a_stream_begins_with_what_came_after_its_cursor(world: World) -> None:
    mine = world.platform.environment()
    for text in ("one", "two", "three"):
        mine.post(text)
    (rows,) = on_loop(world, events(LiveTimelines(world.server.service), mine, TimelineCursor(1, 1), 1))  # pyright: ignore[reportGeneralTypeIssues]
    assert [each in rows for each in ('id="c1"', 'id="c2"', 'id="c3"')] == [False, True, True]
    assert rows.startswith("id: 3.3\nevent: rows\n")


def test_rows_that_cannot_be_shown_are_left_out_and_the_stream_goes_on(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    mine, live, failed = world.platform.environment(), LiveTimelines(world.server.service), asyncio.Event()
    failures, real = iter(range(MAX_TRIES, 0, -1)), live._part  # pyright: ignore[reportPrivateUsage]
    mine.post("one")

    async def fail_first(*given: Any) -> Any:
        if not (left := next(failures, 0)):
            return await real(*given)
        await asyncio.to_thread(mine.post, "not shown")
        failed.set() if left == 1 else None
        raise LookupError("a row that cannot be shown")

    async def watch() -> str:
        stream = live.stream(mine.id, TimelineCursor(0, 0))
        for _ in range(2):
            await anext(stream)
        monkeypatch.setattr(live, "_part", fail_first)
        further = asyncio.ensure_future(anext(stream))
        await asyncio.to_thread(mine.post, "not shown")
        await failed.wait()
        while not further.done():
            await asyncio.to_thread(mine.post, "shown")
            await asyncio.wait([further], timeout=0.1)
        await stream.aclose()
        return (await further).decode()

    monkeypatch.setattr(backoff, "MIN_SECONDS", 0.001)
    later = str(on_loop(world, watch()))
    assert ("event: rows" in later, 'id="c2"' in later) == (True, False)
    assert len([each for each in caplog.messages if "cannot be shown" in each]) == 1


def test_a_flood_is_a_line_that_leads_to_it(world: World) -> None:
    mine = world.platform.environment()
    for _ in range(MAX_CALLS_DRAWN + 5):
        mine.slack("api.test")
    (rows,) = on_loop(world, events(LiveTimelines(world.server.service), mine, TimelineCursor(0, 0), 1))  # pyright: ignore[reportGeneralTypeIssues]
    assert "?before=6" in rows
    assert ">5 more calls<" in rows
    assert rows.count('id="c') == MAX_CALLS_DRAWN


def test_the_cursor_of_another_environment_does_no_harm(world: World) -> None:
    mine = world.platform.environment()
    for cursor in ("999999.999999", "-1.2", "x", "1", ""):
        with httpx.stream("GET", f"{world.server.url}/inspect/environments/{mine.id}/events?after={cursor}") as answer:
            assert answer.status_code == 200


def test_lists_are_told_of_new_environments_and_else_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("twindiff.server.apis.inspector.live.SECONDS_BETWEEN_LISTS", 0.01)
    first, after, quiet = on_loop(world, overview(LiveTimelines(world.server.service), world))  # pyright: ignore[reportGeneralTypeIssues]
    assert ["event: changed" in each for each in (first, after, quiet)] == [True, True, False]


def test_there_is_a_largest_number_of_streams(world: World) -> None:
    async def fill() -> None:
        live = LiveTimelines(world.server.service)
        streams = [live.stream(world.environment.id, TimelineCursor(0, 0)) for _ in range(MAX_STREAMS)]
        for each in streams:
            await anext(each)
        with pytest.raises(TooManyStreams):
            live.admit()
        for each in streams:
            await each.aclose()
        live.admit()

    on_loop(world, fill())


def test_a_stream_of_an_environment_that_is_gone_is_refused(world: World) -> None:
    mine = world.platform.environment()
    world.platform.delete(f"env/{mine.id}")
    assert world.server.client.get(f"/inspect/environments/{mine.id}/events").status_code == 410


def test_a_stream_ends_with_its_environment(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("twindiff.server.apis.inspector.live.SECONDS_QUIET", 0.01)
    mine = world.platform.environment()
    world.platform.delete(f"env/{mine.id}")
    (last,) = on_loop(world, events(LiveTimelines(world.server.service), mine, TimelineCursor(0, 0), 1))  # pyright: ignore[reportGeneralTypeIssues]
    assert last == "event: ended\ndata:\n\n"
