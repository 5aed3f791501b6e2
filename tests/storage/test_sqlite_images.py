"""Images of environments: no rebuild replays many operations, and they take little room."""

from __future__ import annotations

import gc
import gzip
import itertools
import random
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.storage.conformance.worlds import Item, Place, Thing, World
from tests.storage.data.old_directory import ENV, FORK, ORIGIN, TEMPLATES, WRITES, title
from twindiff.storage import EnvironmentOrigin, StorageFull
from twindiff.storage.cooperative import run_to_end
from twindiff.storage.sqlite import SqliteEngine
from twindiff.storage.sqlite import engine as engine_module
from twindiff.storage.sqlite import templates as templates_module
from twindiff.storage.sqlite.pages import Image
from twindiff.storage.sqlite.rebuild import Rebuilding

OLD = Path(__file__).parent / "data" / "layout_2.db.gz"


@pytest.fixture
def world(tmp_path: Path):
    world = World(lambda: SqliteEngine(str(tmp_path)))
    yield world
    world.engine.close()


def engine_of(world: World) -> SqliteEngine:
    assert isinstance(world.engine, SqliteEngine)
    return world.engine


def maintain(world: World) -> None:
    run_to_end(engine_of(world).maintain())


def replayed(world: World, place: Place, seq: int) -> int:
    """How many operations a rebuild of a point goes over."""
    return sum(stretch.upto - stretch.after for stretch in engine_of(world).file.way_to(place.env, seq).stretches)


def ask(world: World, query: str) -> int:
    ((answer,),) = engine_of(world).file.connection.execute(query)
    return answer or 0


@contextmanager
def no_room(world: World) -> Generator[None]:
    """The data file may not grow."""
    ask(world, f"PRAGMA max_page_count = {ask(world, 'PRAGMA page_count')}")
    yield
    ask(world, "PRAGMA max_page_count = 1000000")


def write(place: Place, times: int) -> None:
    for _ in range(times):
        place.write(lambda db: db.add(Item(item_id=f"I{db.next('n'):08}", title="an item")), "beta")


@pytest.mark.parametrize("writes", [999, 1000, 2500])
def test_an_image_is_taken_at_every_thousandth_operation(world: World, writes: int):
    place = world.environment()
    write(place, writes)
    maintain(world)
    assert replayed(world, place, writes) == writes % 1000
    assert ask(world, "SELECT count(DISTINCT seq) FROM images") == writes // 1000


def test_the_first_call_after_a_far_rewind_and_a_restart_replays_what_leads_there(world: World):
    place = world.environment()
    write(place, 3000)
    place.engine.rewind(place.env, 5)
    maintain(world)
    world.reopen()
    assert replayed(world, place, 3001) == 5
    place.wake()
    assert place.read(lambda db: db.count(Item), "beta") == 5


def test_an_image_at_the_very_place_of_a_rewind_is_where_a_rebuild_begins(world: World):
    place = world.environment()
    write(place, 300)
    place.engine.rewind(place.env, 250)
    place.engine.evict(place.env)
    maintain(world)
    assert ask(world, "SELECT max(seq) FROM images") == 301
    assert replayed(world, place, 301) == 0
    place.wake()
    assert place.read(lambda db: db.count(Item), "beta") == 250


def test_a_rewind_to_a_rewind_leads_where_that_led(world: World):
    place = world.environment()
    write(place, 3)
    for to in (2, 4, 5, 6):
        place.engine.rewind(place.env, to)
    assert ask(world, "SELECT count(*) FROM rewinds WHERE target = 2") == 4


STEPS = st.lists(
    st.tuples(st.sampled_from(["write", "write", "back", "fork", "sleep"]), st.integers(0, 1000)), max_size=40
)


@settings(max_examples=40)
@given(steps=STEPS)
def test_no_history_has_a_point_from_which_the_last_image_is_far(steps: list[tuple[str, int]]):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine_module, "IMAGE_EVERY", 10)
        patch.setattr(engine_module, "IMAGE_AT_EVICTION", 3)
        world = World(lambda: SqliteEngine(":memory:"))
        places = [world.environment()]
        for what, number in steps:
            place = places[number % len(places)]
            seq = place.engine.seq(place.env)
            if what == "write":
                write(place, 1 + number % 13)
            elif what == "back":
                place.engine.rewind(place.env, number % (seq + 1))
            elif what == "fork":
                places.append(place.fork(number % (seq + 1)))
            else:
                place.engine.evict(place.env)
            maintain(world)
            place.wake()
        for place in places:
            most = max(replayed(world, place, seq) for seq in range(place.engine.seq(place.env) + 1))
            assert most <= 10
        world.engine.close()


def test_images_of_many_operations_take_no_more_than_the_journal_twice(world: World):
    place = world.environment(*(Thing(thing_id=f"K{n:04}", slug=f"k{n}", text="x" * 200) for n in range(2000)))
    chance = random.Random(1)
    for number in range(6000):
        key = f"K{chance.randrange(2000):04}"
        text = f"edit {number} " * 10
        place.write(lambda db, key=key, text=text: db.change(db.get(Thing, key), text=text))
        if number % 500 == 0:
            maintain(world)
    maintain(world)
    journal = ask(world, "SELECT sum(length(record)) FROM journal")
    assert ask(world, "SELECT sum(length(page)) FROM image_pages") < 2 * journal


def test_an_image_for_a_sleep_is_replaced_by_the_next(world: World):
    place = world.environment()
    for _ in range(4):
        write(place, 240)
        place.engine.evict(place.env)
        maintain(world)
        place.wake()
        assert replayed(world, place, place.engine.seq(place.env)) == 0
        assert ask(world, "SELECT count(DISTINCT seq) FROM images") == 1
    write(place, 60)
    maintain(world)
    assert ask(world, "SELECT min(seq) FROM images") == ask(world, "SELECT max(seq) FROM images") == 1000


@pytest.mark.parametrize("is_woken_by_a_restart", [False, True])
def test_the_image_that_takes_its_place_has_the_pages_that_only_it_had(world: World, is_woken_by_a_restart: bool):
    place = world.environment()
    place.add(*(Thing(thing_id=f"T{number}", text="long " * 2000) for number in range(50)))
    write(place, 240)
    place.engine.evict(place.env)
    maintain(world)
    if is_woken_by_a_restart:
        world.reopen()
    place.wake()
    write(place, 760)
    before = place.state()
    maintain(world)
    world.reopen()
    place.wake()
    assert ask(world, "SELECT count(DISTINCT seq) FROM images") == 1
    assert place.state() == before
    assert engine_of(world).problems(place.env, place.origin) == []


@pytest.mark.parametrize("is_woken_by_a_restart", [False, True])
def test_the_image_after_one_that_found_no_room_has_its_pages_too(world: World, is_woken_by_a_restart: bool):
    place = world.environment()
    if is_woken_by_a_restart:
        write(place, 1000)
        maintain(world)
        world.reopen()
        place.wake()
    place.add(*(Thing(thing_id=f"T{n}", text=random.Random(n).randbytes(2000).hex()) for n in range(50)))
    write(place, 999)
    with no_room(world), pytest.raises(StorageFull):
        maintain(world)
    write(place, 1000)
    before = place.state()
    maintain(world)
    world.reopen()
    place.wake()
    assert replayed(world, place, place.engine.seq(place.env)) == 0
    assert place.state() == before


def test_images_that_were_forgotten_in_memory_are_still_bases_of_later_ones(world: World):
    place = world.environment()
    for number in range(4):
        place.add(Thing(thing_id=f"T{number}", text=random.Random(number).randbytes(20_000).hex()))
        write(place, 999)
    write(place, 300)
    before = place.state()
    maintain(world)
    world.reopen()
    assert replayed(world, place, 4000) == 0
    place.wake()
    assert place.state() == before


def test_an_image_after_a_way_back_before_the_last_one_has_all_pages(world: World):
    place = world.environment()
    place.add(Thing(thing_id="T1", text=random.Random(1).randbytes(20_000).hex()))
    write(place, 1899)
    place.engine.evict(place.env)
    maintain(world)
    place.wake()
    write(place, 110)
    place.engine.rewind(place.env, 1950)
    write(place, 1000)
    before = place.state()
    maintain(world)
    world.reopen()
    assert replayed(world, place, 3011) < 1000
    place.wake()
    assert place.state() == before


def test_a_rebuild_whose_image_another_replaces_meanwhile_begins_anew(world: World, monkeypatch: pytest.MonkeyPatch):
    place = world.environment()
    write(place, 240)
    place.engine.evict(place.env)
    maintain(world)
    place.wake()
    write(place, 300)
    load: Any = Rebuilding._load_pages  # pyright: ignore[reportPrivateUsage]

    def load_late(*given: object) -> object:
        if place.engine.seq(place.env) < 1000:
            write(place, 460)
            maintain(world)
        return load(*given)

    monkeypatch.setattr(Rebuilding, "_load_pages", load_late)
    fork = place.fork(260)
    assert place.engine.seq(place.env) == 1000
    assert fork.read(lambda db: db.count(Item), "beta") == 260


def test_an_image_has_only_pages_that_were_written_since_the_one_before_it(world: World):
    place = world.environment()
    place.add(*(Thing(thing_id=f"T{number}", text="long " * 2000) for number in range(50)))
    write(place, 1999)
    maintain(world)
    counts = "SELECT (SELECT count(*) FROM image_pages WHERE image = id) FROM images WHERE twin = 'alpha' ORDER BY seq"
    first, second = [count for (count,) in engine_of(world).file.connection.execute(counts)]
    assert first > 50
    assert second == 0


def test_images_of_a_deleted_environment_are_not_written(world: World):
    place = world.environment()
    write(place, 1000)
    steps = engine_of(world).maintain()
    next(steps)()
    place.engine.delete(place.env)
    for work in steps:
        work()
    assert ask(world, "SELECT count(*) FROM images") == ask(world, "SELECT count(*) FROM image_pages") == 0


def test_a_fork_lives_on_an_image_of_its_parent_that_was_not_written_when_that_was_deleted(world: World):
    place = world.environment()
    write(place, 1000)
    child = place.fork(1000)
    place.engine.delete(place.env)
    write(child, 1000)
    maintain(world)
    world.reopen()
    child.wake()
    assert replayed(world, child, 2000) == 0
    assert child.read(lambda db: db.count(Item), "beta") == 2000


# What is deleted


def rows_left(world: World) -> int:
    return sum(ask(world, f"SELECT count(*) FROM {table}") for table in ("journal", "images", "image_pages", "forks"))


def test_a_deleted_environment_is_removed_in_small_parts(world: World):
    place = world.environment()
    write(place, 1200)
    maintain(world)
    place.engine.delete(place.env)
    assert (place.records(), place.engine.seq(place.env)) == ([], 0)
    left = [rows_left(world)]
    for work in engine_of(world).maintain():
        work()
        left.append(rows_left(world))
    left.append(rows_left(world))
    assert max(before - after for before, after in itertools.pairwise(left)) <= 101
    assert left[-1] == 0


def test_a_death_while_an_environment_is_removed_leaks_nothing(world: World):
    place = world.environment()
    write(place, 1200)
    maintain(world)
    place.engine.delete(place.env)
    next(engine_of(world).maintain())
    world.reopen()
    assert place.engine.seq(place.env) == 0
    maintain(world)
    assert rows_left(world) == 0


def test_a_data_file_shrinks_when_much_is_deleted(world: World, tmp_path: Path):
    place = world.environment()
    for number in range(300):
        place.add(Thing(thing_id=f"T{number}", slug=f"{number}", text="long " * 10_000))
    size = ask(world, "PRAGMA page_count")
    place.engine.delete(place.env)
    maintain(world)
    assert ask(world, "PRAGMA page_count") < size / 4


def test_templates_that_nobody_uses_leave_memory(world: World, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(templates_module, "RECENT_BYTES", 0)
    place = world.environment(Thing(thing_id="T1"))
    other = world.environment(Thing(thing_id="T2"))
    before = images_in_memory()
    place.engine.evict(place.env)
    for name in ("T3", "T4"):
        world.engine.delete(world.environment(Thing(thing_id=name)).env)
    assert images_in_memory() <= before
    place.wake()
    for each, name in ((place, "T1"), (other, "T2")):
        assert [row.thing_id for row in each.read(lambda db: db.rows(Thing))] == [name]


def images_in_memory() -> int:
    gc.collect()
    return sum(isinstance(each, Image) for each in gc.get_objects())


# Data directories of earlier releases


@pytest.fixture
def old(tmp_path: Path):
    """A data directory that layout 2 wrote, opened by today's."""
    with gzip.open(OLD) as packed, (tmp_path / "twindiff.db").open("wb") as file:
        shutil.copyfileobj(packed, file)
    world = World(lambda: SqliteEngine(str(tmp_path)))
    yield world
    world.engine.close()


def titles(place: Place) -> list[str]:
    place.wake()
    return [row.title for row in place.read(lambda db: db.rows(Item), "beta")]


def of_old(world: World, env: str) -> Place:
    return Place(world, env, EnvironmentOrigin(TEMPLATES, *ORIGIN))


def test_a_data_directory_of_layout_2_opens_with_all_its_points(old: World):
    place, fork = of_old(old, ENV), of_old(old, FORK)
    assert titles(place) == [title(n) for n in range(6)]
    assert titles(fork) == [title(n) for n in range(WRITES - 5)]
    for point in (0, 7, 1000, 1100, WRITES):
        assert titles(place.fork(point)) == [title(n) for n in range(point)]
    assert [record.seq for record in place.records()] == list(range(1, WRITES + 3))
    assert engine_of(old).problems(ENV, place.origin) == []


def test_images_and_rewinds_of_layout_2_shorten_the_way_still(old: World):
    assert replayed(old, of_old(old, ENV), 1005) == 5
    assert [replayed(old, of_old(old, ENV), WRITES + n) for n in (1, 2)] == [5, 0]
    assert ask(old, "PRAGMA user_version") == 4
    tables: Any = engine_of(old).file.connection.execute("SELECT name FROM sqlite_schema").fetchall()
    assert ("environment_images",) not in tables


def test_an_environment_of_layout_2_goes_on(old: World):
    place = of_old(old, ENV)
    place.wake()
    write(place, 1100)
    maintain(old)
    old.reopen()
    assert len(titles(place)) == 1106
    assert engine_of(old).problems(ENV, place.origin) == []
