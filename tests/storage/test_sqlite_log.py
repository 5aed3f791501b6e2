"""The write-ahead log keeps nobody waiting for the disk, and does not grow for ever."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from tests.storage.conformance.worlds import Place, Thing, World
from twindiff.storage.sqlite import SqliteEngine
from twindiff.storage.sqlite import write_ahead_log as log_module


class NotingFile(apsw.VFSFile):
    """A file that notes in which threads it is synced."""

    def __init__(self, synced: set[int], name: Any, flags: list[int]) -> None:
        super().__init__("unix", name, flags)
        self._synced = synced

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._synced.add(threading.get_ident())
        super().xSync(flags)


class NotingDisk(apsw.VFS):
    def __init__(self) -> None:
        self.synced: set[int] = set()
        super().__init__("noting", "unix", makedefault=True)

    def xOpen(self, name: Any, flags: list[int]) -> NotingFile:  # noqa: N802
        return NotingFile(self.synced, name, flags)


@pytest.fixture
def disk() -> Iterator[NotingDisk]:
    disk = NotingDisk()
    yield disk
    disk.unregister()


@pytest.fixture
def place(disk: NotingDisk, tmp_path: Path) -> Iterator[Place]:
    world = World(lambda: SqliteEngine(str(tmp_path)))
    yield world.environment()
    world.engine.close()


def add(place: Place, times: int) -> None:
    for _ in range(times):
        place.write(lambda db: db.add(Thing(thing_id=f"T{db.next('n')}", text="long " * 1000)))


def maintained(place: Place) -> None:
    """What a server does between requests, with the parts for other threads in one."""
    engine: Any = place.engine
    for part in engine.maintain():
        thread = threading.Thread(target=part)
        thread.start()
        thread.join()


@pytest.mark.parametrize("fsync", [False, True])
def test_the_thread_that_answers_never_syncs(disk: NotingDisk, tmp_path: Path, fsync: bool):
    world = World(lambda: SqliteEngine(str(tmp_path), fsync=fsync))
    place = world.environment()
    add(place, 1)
    disk.synced.clear()
    for _ in range(3):
        add(place, 400)
        maintained(place)
        add(place, 1)
    assert disk.synced
    assert threading.get_ident() not in disk.synced
    assert (tmp_path / "twindiff.db-wal").stat().st_size < 900 * 3 * 4096
    world.engine.close()


def test_a_log_that_is_always_written_to_is_finished_by_whoever_writes(
    place: Place, disk: NotingDisk, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(log_module, "TOO_LONG_LOG", 1000)
    engine: Any = place.engine
    add(place, 400)
    disk.synced.clear()
    engine.file.log.finish()
    assert threading.get_ident() in disk.synced
    add(place, 1)
    assert not engine.file.log.is_long
