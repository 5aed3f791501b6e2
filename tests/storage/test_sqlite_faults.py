"""Whatever call of SQLite's fails, an operation is done or it is not: in memory, in the journal, and after a death."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

import apsw
import pytest

from tests.storage.conformance.worlds import Place, Thing, World
from tests.storage.faults import Fault, faulty_disk, faulty_pages
from twindiff.kit.store import Store
from twindiff.storage import StorageFull
from twindiff.storage.cooperative import run_to_end
from twindiff.storage.journal import JournalRecord
from twindiff.storage.sqlite import SqliteEngine, live_environments
from twindiff.storage.sqlite import engine as engine_module
from twindiff.storage.sqlite import files as files_module
from twindiff.storage.sqlite import write_ahead_log as log_module

LONG = "long " * 400
Deed = Callable[[Place], object]


def add(number: int) -> Deed:
    return lambda place: place.add(Thing(thing_id=f"N{number}", slug=f"n{number}", text=LONG))


def edit_all(place: Place) -> None:
    place.write(lambda db: [db.change(each, text=LONG, number=each.count) for each in db.rows(Thing)])


def add_again(place: Place) -> None:
    place.write(lambda db: [(db.remove(each), db.add(each)) for each in db.rows(Thing)[::3]])


def rewind(to: int) -> Deed:
    return lambda place: place.engine.rewind(place.env, to)


def add_together(*numbers: int) -> Deed:
    """Add things by operations that are kept at once."""
    things = [Thing(thing_id=f"M{number}", slug=f"m{number}", text=LONG) for number in numbers]
    return lambda place: place.do_all(*(partial(_add, thing) for thing in things))


def _add(thing: Thing, db: Store) -> None:
    db.add(thing)


def maintain(place: Place) -> None:
    engine: Any = place.engine
    run_to_end(engine.maintain())


DEEDS: list[Deed] = [
    add(1), edit_all, add_again, rewind(1), add(2), maintain, rewind(0), add(3), add_together(1, 2), rewind(2),
    add_again, maintain, add(4),
]  # fmt: skip


class Share(NamedTuple):
    """The calls of deeds that fail: one of every `step`, from the `first` on, and for each further deed the next."""

    first: int = 0
    step: int = 1


def shares(first: int) -> list[Any]:
    """A third of all calls, and for long runs all of them."""
    return [Share(first, 3), pytest.param(Share(), marks=pytest.mark.soak)]


class Trial:
    """An environment to which deeds happen, and every state that was acknowledged."""

    def __init__(self, directory: Path, *, fsync: bool = False) -> None:
        self.directory = directory
        self.fsync = fsync
        self.world = World(lambda: self.opened(directory))
        rows = (Thing(thing_id=f"T{n}", slug=f"t{n}", text="x" * 300) for n in range(12))
        self.place = self.world.environment(*rows)
        self.states = [self.place.state()]

    def opened(self, directory: Path) -> SqliteEngine:
        return SqliteEngine(str(directory), fsync=self.fsync)

    def attempt(self, deed: Deed, fault: Fault) -> bool:
        """Do it; whether it was done. What is refused has changed nothing."""
        before = self.place.engine.seq(self.place.env)
        try:
            with fault.counting():
                deed(self.place)
        except Exception:  # noqa: BLE001 - whatever fails
            self.place.wake()
            assert self.place.engine.seq(self.place.env) == before
            return False
        after = self.place.engine.seq(self.place.env)
        self.states += [self.place.fork(seq).state() for seq in range(before + 1, after)]
        if after > before:
            self.states.append(self.place.state())
        return True

    def check(self, world: World) -> None:
        place = Place(world, self.place.env, self.place.origin)
        place.wake()
        engine: Any = world.engine
        assert place.state() == self.states[-1]
        assert [record.seq for record in place.records()] == list(range(1, len(self.states)))
        assert engine.problems(place.env, place.origin) == []

    def check_everywhere(self, first: int = 0, step: int = 1) -> None:
        """Here, in what a death would leave now, and at every point there, or at some, of which the first is given."""
        self.check(self.world)
        copy = self.directory.with_name(self.directory.name + "-dead")
        shutil.copytree(self.directory, copy)
        dead = World(lambda: self.opened(copy))
        self.check(dead)
        self.check_points(Place(dead, self.place.env, self.place.origin), range(first, len(self.states), step))
        dead.engine.close()
        shutil.rmtree(copy)

    def check_points(self, place: Place, points: range) -> None:
        for point in points:
            assert place.fork(point).state() == self.states[point]

    def close(self) -> None:
        self.world.engine.close()
        shutil.rmtree(self.directory)


def trials(
    directory: Path, fault: Fault, share: Share, *, stays: bool = False, fsync: bool = False, apart: int = 1
) -> Iterator[int]:
    """For every n of the share, the deeds with the n-th call of each failing, until none has so many calls.

    After a fault a third of the points is looked at, another when the next call fails; at the end all are.
    `apart`: of one in so many in turn, for what fails leaves fewer calls to what follows soon.
    """
    n, happened = 0, True
    while happened:
        happened = False
        for turn in range(apart):
            trial = Trial(directory / f"data{n}-{turn}", fsync=fsync)
            for number, deed in enumerate(DEEDS):
                if not fault.goes_on:
                    nth = n + (number + share.first) % share.step
                    fault.arm(nth if number % apart == turn else -1, stays=stays)
                done = trial.attempt(deed, fault)
                happened |= fault.happened
                if not done:
                    fault.disarm()
                    trial.check_everywhere((n + number) % 3, 3)
                    trial.attempt(deed, fault)
            fault.disarm()
            trial.check_everywhere()
            trial.close()
        yield n
        n += share.step


@pytest.fixture
def short_of_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """The log is carried over all the time, images are taken at every other operation, and there is one connection."""
    monkeypatch.setattr(log_module, "MAX_LOG_PAGES", 3)
    monkeypatch.setattr(engine_module, "IMAGE_EVERY", 2)
    monkeypatch.setattr(live_environments, "POOLED", 1)


def free_pages(engine: SqliteEngine) -> int:
    ((free,),) = engine.file.connection.execute("PRAGMA freelist_count")
    return cast(int, free)


def test_maintenance_says_that_a_disk_is_full_at_any_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(files_module, "MIN_FREE_PAGES", 10)
    monkeypatch.setattr(files_module, "PAGES_FREED_AT_ONCE", 8)
    with faulty_disk(apsw.FullError) as fault:
        world = World(lambda: SqliteEngine(str(tmp_path)))
        engine: Any = world.engine
        gone = world.environment()
        gone.add(Thing(thing_id="T1", text="long " * 20_000))
        engine.delete(gone.env)
        for n in range(200):
            fault.arm(n)
            with fault.counting(), suppress(StorageFull):
                run_to_end(engine.maintain())
            if not fault.happened:
                break
        assert n > 10
        # A fault in the last part leaves fewer free pages than are worth giving back, until more come to them.
        assert free_pages(engine) < files_module.MIN_FREE_PAGES
        more = world.environment()
        more.add(Thing(thing_id="T1", text="long " * 20_000))
        engine.delete(more.env)
        run_to_end(engine.maintain())
        assert free_pages(engine) == 0
        engine.close()


# The three kinds of trouble have each a third of the calls, and together all.
@pytest.mark.parametrize("share", shares(0))
def test_a_disk_that_is_full_at_any_call_loses_and_doubles_nothing(tmp_path: Path, share: Share):
    with faulty_disk(apsw.FullError) as fault:
        assert max(trials(tmp_path, fault, share)) > len(DEEDS)


@pytest.mark.parametrize("share", shares(1))
def test_a_disk_that_fails_at_any_call_loses_and_doubles_nothing(tmp_path: Path, share: Share):
    with faulty_disk(apsw.IOError) as fault:
        assert max(trials(tmp_path, fault, share)) > len(DEEDS)


@pytest.mark.parametrize("share", shares(2))
def test_a_disk_that_cannot_confirm_loses_and_doubles_nothing(tmp_path: Path, share: Share):
    with faulty_disk(apsw.IOError) as fault:
        assert max(trials(tmp_path, fault, share, fsync=True)) > len(DEEDS)


@pytest.mark.parametrize("share", shares(0))
@pytest.mark.usefixtures("short_of_everything")
def test_a_disk_that_goes_on_failing_loses_and_doubles_nothing(tmp_path: Path, share: Share):
    with faulty_disk(apsw.FullError) as fault:
        assert max(trials(tmp_path, fault, share, stays=True, apart=2)) > len(DEEDS)


def test_what_a_disk_has_written_but_could_not_confirm_is_not_there_after_a_death(tmp_path: Path):
    with faulty_disk(apsw.IOError) as fault:
        done, n = False, -1
        while not done:
            n += 1
            trial = Trial(tmp_path / f"data{n}")
            fault.arm(n, unconfirmed=True)
            done = trial.attempt(add(1), fault)
            fault.disarm()
            trial.check_everywhere()
            trial.close()
        assert n > 1


@pytest.mark.parametrize("share", shares(0))
@pytest.mark.usefixtures("short_of_everything")
def test_pages_that_fail_at_any_call_leave_no_phantom(tmp_path: Path, share: Share):
    with faulty_pages() as fault:
        assert max(trials(tmp_path, fault, share)) > len(DEEDS)


def interrupted(append: Callable[..., None]) -> Callable[..., None]:
    def call(*records: JournalRecord) -> None:
        append(*records)
        raise KeyboardInterrupt

    return call


def test_what_is_interrupted_once_the_journal_has_it_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    trial = Trial(tmp_path / "data")
    engine: Any = trial.place.engine
    with monkeypatch.context() as patch:
        patch.setattr(engine.file, "append", interrupted(engine.file.append))
        with pytest.raises(KeyboardInterrupt):
            add(1)(trial.place)
    trial.place.wake()
    trial.states.append(trial.place.state())
    assert trial.states[1] != trial.states[0]
    assert trial.attempt(add(2), Fault(MemoryError))
    trial.check_everywhere()
    trial.close()


def test_of_operations_that_are_kept_together_none_is_when_one_has_no_room(tmp_path: Path):
    trial = Trial(tmp_path / "data")
    engine: Any = trial.place.engine
    ((pages,),) = engine.file.connection.execute("PRAGMA page_count")
    engine.file.connection.execute(f"PRAGMA max_page_count = {pages + 4}")
    with pytest.raises(StorageFull):
        add_together(*range(40))(trial.place)
    engine.file.connection.execute("PRAGMA max_page_count = 1000000")
    trial.place.wake()
    assert trial.place.records() == []
    trial.check_everywhere()
    trial.close()
