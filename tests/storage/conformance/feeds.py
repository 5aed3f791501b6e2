"""Whoever watches is told of every record that a journal gets."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import ExitStack

from twindiff.storage.feed import Commit, RowsWritten, Watch

from .worlds import Item, Place, Thing, World

__all__ = [
    "test_a_rewind_is_told_of",
    "test_a_watcher_of_all_is_told_of_those_it_wants",
    "test_an_announcement_is_heard_though_nothing_was_written",
    "test_one_environment_is_watched_and_no_other",
    "test_tables_that_an_operation_wrote_are_told_at_once",
    "test_the_only_process_leads",
    "test_what_is_told_of_is_in_the_journal",
]

PATIENCE_SECONDS = 60
AGAIN_SECONDS = 0.05


async def until(watch: Watch, last: Commit) -> list[Commit]:
    """All that a watcher hears of, up to a commit."""
    heard: list[Commit] = []
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not heard or heard[-1] != last:
            commit = await anext(watch)
            if commit.seq:  # 0 says that the storage was reached only now
                heard.append(commit)
    return heard


async def wait_until_listening(world: World) -> None:
    """Wait until commits are told of here: an engine begins to listen when somebody watches, and is not waited for."""
    probe = world.environment()
    with world.engine.feed.watch(probe.env) as watch:
        heard = asyncio.ensure_future(anext(watch))
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not heard.done():
                await asyncio.to_thread(world.engine.announce, probe.env)
                await asyncio.wait([heard], timeout=AGAIN_SECONDS)


def collect_commits(work: Callable[[], Commit], world: World, *places: Place) -> list[Commit]:
    """What is heard while work is done, until the commit that it gives; places are watched by name, else all are."""

    async def listen() -> list[Commit]:
        await wait_until_listening(world)
        with ExitStack() as stack:
            watches = [stack.enter_context(world.engine.feed.watch(place.env)) for place in places]
            if not places:
                watches = [stack.enter_context(world.engine.feed.watch())]
            last = await asyncio.to_thread(work)
            return await until(watches[0], last)

    return asyncio.run(listen())


def test_one_environment_is_watched_and_no_other(world: World) -> None:
    place, other = world.environment(), world.environment()

    def work() -> Commit:
        other.add(Thing(thing_id="T1"))
        place.add(Thing(thing_id="T1"))
        return Commit(place.env, 1)

    assert collect_commits(work, world, place) == [Commit(place.env, 1)]


def test_what_is_told_of_is_in_the_journal(world: World) -> None:
    place = world.environment()

    def work() -> Commit:
        for number in range(5):
            place.add(Thing(thing_id=f"T{number}"))
        return Commit(place.env, 5)

    heard = collect_commits(work, world, place)
    assert [commit.seq for commit in heard] == sorted({commit.seq for commit in heard})
    assert place.last().seq == 5


def test_a_watcher_of_all_is_told_of_those_it_wants(world: World) -> None:
    place, other = world.environment(), world.environment()

    async def listen() -> list[Commit]:
        await wait_until_listening(world)
        with world.engine.feed.watch(wanted=lambda env: env == place.env) as watch:
            await asyncio.to_thread(other.add, Thing(thing_id="T1"))
            await asyncio.to_thread(place.add, Thing(thing_id="T1"))
            return await until(watch, Commit(place.env, 1))

    assert asyncio.run(listen()) == [Commit(place.env, 1)]


def test_a_rewind_is_told_of(world: World) -> None:
    place = world.environment()
    place.add(Thing(thing_id="T1"))

    def work() -> Commit:
        return Commit(place.env, world.engine.rewind(place.env, 0))

    assert collect_commits(work, world, place)[-1] == Commit(place.env, 2)


def test_tables_that_an_operation_wrote_are_told_at_once(world: World) -> None:
    place = world.environment()
    told: list[RowsWritten] = []
    world.engine.feed.listener = told.append
    place.add(Thing(thing_id="T1"), Thing(thing_id="T2"))
    place.add(Item(item_id="I1"), twin="beta")
    world.engine.feed.listener = None
    assert told == [
        RowsWritten(place.env, 1, "alpha", frozenset({"things"})),
        RowsWritten(place.env, 2, "beta", frozenset({"items"})),
    ]


def test_an_announcement_is_heard_though_nothing_was_written(world: World) -> None:
    place = world.environment()
    place.add(Thing(thing_id="T1"))

    def work() -> Commit:
        world.engine.announce(place.env)
        return Commit(place.env, 1)

    assert collect_commits(work, world, place)[-1] == Commit(place.env, 1)


def test_the_only_process_leads(world: World) -> None:
    assert world.engine.leads()
    assert world.engine.leads()
