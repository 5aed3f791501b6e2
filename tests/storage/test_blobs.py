"""Bytes by their digest."""

import time
from errno import ENOSPC
from hashlib import sha256
from pathlib import Path

import pytest

from twindiff.kit.blobs import NoBlobs
from twindiff.kit.clock import ClockMode
from twindiff.kit.errors import NotFound
from twindiff.kit.rows import Column, Row, column, table_of
from twindiff.storage import EnvironmentOrigin, OperationInfo, StorageFull
from twindiff.storage.blobs import blobs_of
from twindiff.storage.cooperative import run_to_end
from twindiff.storage.schema import Schema
from twindiff.storage.sqlite import SqliteEngine, unnamed_blobs


@pytest.fixture(params=["memory", "files"])
def blobs(request, tmp_path):
    return blobs_of(":memory:" if request.param == "memory" else str(tmp_path))


@pytest.mark.parametrize("data", [b"", b"x", bytes(range(256)) * 5000])
def test_what_is_put_comes_back_by_its_sha256(blobs, data):
    digest = blobs.put(data)
    assert digest == sha256(data).hexdigest()
    assert blobs.get(digest) == data


def test_what_is_put_twice_is_kept_once(tmp_path):
    blobs = blobs_of(str(tmp_path))
    assert blobs.put(b"x") == blobs.put(b"x")
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1


def test_bytes_outlive_the_process_in_a_data_directory(tmp_path):
    digest = blobs_of(str(tmp_path)).put(b"x")
    assert blobs_of(str(tmp_path)).get(digest) == b"x"


def test_what_was_never_put_is_not_found(blobs):
    with pytest.raises(NotFound):
        blobs.get("0" * 64)


def test_a_call_without_a_place_for_bytes_says_so():
    with pytest.raises(NotFound):
        NoBlobs().put(b"x")


@pytest.mark.parametrize("what", [b"", b"half"])
def test_what_a_power_cut_has_shortened_is_written_again(tmp_path, what):
    blobs = blobs_of(str(tmp_path))
    digest = blobs.put(b"the whole")
    (tmp_path / "blobs" / digest[:2] / digest[2:]).write_bytes(what)
    assert blobs.get(blobs.put(b"the whole")) == b"the whole"


def test_a_folder_that_cannot_be_written_to_is_said(tmp_path):
    (tmp_path / "blobs").write_text("in the way, as a folder is that may only be read")
    with pytest.raises(StorageFull, match="make it writable"):
        blobs_of(str(tmp_path)).put(b"x")


def test_half_a_file_stays_nowhere(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(ENOSPC, "no space")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(StorageFull):
        blobs_of(str(tmp_path)).put(b"x")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_what_is_put_again_is_new_again(blobs):
    digest = blobs.put(b"x")
    later = time.time() + 10
    assert blobs.put_before(later) == {digest}
    blobs.remove(digest, time.time() - 10)
    assert blobs.has(digest)
    blobs.remove(digest, later)
    assert (blobs.has(digest), blobs.put_before(later)) == (False, set())
    blobs.remove(digest, later)


def test_what_is_removed_takes_no_room(blobs):
    digest = blobs.put(b"four")
    assert blobs.size == 4
    blobs.remove(digest, time.time() + 10)
    assert blobs.size == 0


class Attachment(Row, table="attachments", key=("attachment_id",)):
    attachment_id: Column[str]
    digest: Column[str | None] = column(default=None)


class Home:
    """An engine with environments whose rows name bytes, all of which are old."""

    def __init__(self, directory, monkeypatch):
        monkeypatch.setattr(unnamed_blobs, "SECONDS_NEW", -10)
        self.engine = SqliteEngine(directory)
        self.engine.schema(Schema("files", (table_of(Attachment),)))

    def environment(self, name, data=None):
        rows = [{"attachment_id": "A0", "digest": self.engine.blobs.put(data)}] if data else []
        hash = self.engine.add_template("files", {"attachments": rows}).hash
        origin = EnvironmentOrigin({"files": hash}, ClockMode("steps", 0), 0, 0)
        self.engine.create(name, origin)
        return origin

    def attach(self, name, data):
        digest = self.engine.blobs.put(data)
        row = Attachment(attachment_id=f"A-{digest}", digest=digest)
        self.engine.write(name, OperationInfo("files", "attach", "U1"), lambda moment: moment.db.add(row))
        return digest

    def sweep(self):
        run_to_end(self.engine.maintain())
        run_to_end(self.engine.unnamed_blobs.sweep())

    def has(self, *contents):
        return [self.engine.blobs.has(sha256(each).hexdigest()) for each in contents]


@pytest.fixture(params=["memory", "files"])
def home(request, tmp_path, monkeypatch):
    home = Home(":memory:" if request.param == "memory" else str(tmp_path), monkeypatch)
    yield home
    home.engine.close()


def test_bytes_that_nothing_names_go_and_others_stay(home):
    home.environment("one", b"of a template")
    home.environment("two")
    home.attach("one", b"of one")
    home.attach("two", b"of both")
    home.attach("one", b"of both")
    home.attach("two", b"of two")
    home.engine.blobs.put(b"of nobody")
    home.engine.delete("two")
    home.sweep()
    kept = home.has(b"of a template", b"of one", b"of both", b"of two", b"of nobody")
    assert kept == [True, True, True, False, False]


def test_bytes_stay_for_a_fork_when_their_environment_goes(home):
    home.environment("parent")
    home.attach("parent", b"shared")
    home.engine.fork("parent", 1, "child")
    home.engine.delete("parent")
    home.sweep()
    assert home.has(b"shared") == [True]
    home.engine.delete("child")
    home.sweep()
    assert home.has(b"shared") == [False]


def test_bytes_stay_for_a_template_that_was_made_of_an_environment(home):
    origin = home.environment("one")
    home.attach("one", b"kept")
    run_to_end(home.engine.copy_template("one", origin, "files"))
    home.engine.delete("one")
    home.sweep()
    assert home.has(b"kept") == [True]


def test_new_bytes_stay_until_the_row_that_names_them_has_had_its_time(home, monkeypatch):
    monkeypatch.setattr(unnamed_blobs, "SECONDS_NEW", 3600)
    home.engine.blobs.put(b"of an operation under way")
    home.sweep()
    assert home.has(b"of an operation under way") == [True]


def test_bytes_that_were_new_at_a_deletion_go_by_themselves_when_their_time_is_over(home, monkeypatch):
    monkeypatch.setattr(unnamed_blobs, "SECONDS_NEW", 3600)
    home.environment("one")
    home.attach("one", b"of one")
    home.engine.delete("one")
    home.sweep()
    home.sweep()
    assert home.has(b"of one") == [True]
    monkeypatch.setattr(unnamed_blobs, "SECONDS_NEW", -10)
    home.sweep()
    assert home.has(b"of one") == [False]


def test_bytes_are_looked_through_once_after_a_deletion(home):
    home.environment("one")
    home.engine.delete("one")
    home.sweep()
    assert [*home.engine.unnamed_blobs.sweep()] == []


def test_a_file_that_cannot_be_removed_is_set_aside_and_holds_up_no_other(tmp_path, monkeypatch, caplog):
    """A folder stands where the file was; both are unreferenced."""
    home = Home(str(tmp_path), monkeypatch)
    home.environment("one")
    stuck, other = (home.attach("one", data) for data in (b"stuck", b"other"))
    (tmp_path / "blobs" / stuck[:2] / stuck[2:]).unlink()
    (tmp_path / "blobs" / stuck[:2] / stuck[2:]).mkdir()
    home.engine.delete("one")
    for _ in range(3):
        home.sweep()
        home.environment("two")
        home.engine.delete("two")
    home.engine.close()
    assert home.has(b"other") == [False], other
    assert [line.partition(":")[0] for line in caplog.messages] == [f"Unreferenced blob {stuck} set aside"]
