"""What installation steps make is kept for later runs of a repository, and no branch can leave anything for another."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.harness import Json, LiveServer
from tests.sandbox_runs.conftest import Repository, Sandboxes
from tests.sandbox_runs.test_application_setup import LISTENS, files_of
from twindiff.cli import app
from twindiff.server import Settings
from twindiff.server.apis.sandbox_runs import confinement, containers, install_archive

READS = LISTENS.replace('glob("*.txt")', 'glob("**/*.txt")')
INSTALLS = (
    "mkdir -p deps/lib && cp lock.json deps/lib/made.txt && date +%N > deps/when.txt && ls -A . ~ > deps/seen.txt"
)
STEP = f'[{{run: "{INSTALLS}", files: [lock.json], keeps: [deps]}}, "cat deps/lib/made.txt > later.txt"]'


@pytest.fixture
def keeping(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandboxes]:
    """Sandboxes of a server with a data directory."""
    monkeypatch.setenv(containers.SETTING, containers.NONE)
    if not confinement.find_confinement().bwrap:
        pytest.skip("needs bubblewrap")
    server = LiveServer(Settings(data_dir=str(tmp_path / "data")))
    made = Sandboxes(server)
    yield made
    for sandbox_id in made.made:
        made.delete(sandbox_id)
    server.close()


def start(sandboxes: Sandboxes, made: Repository, **asked: str) -> tuple[Json, dict[str, str], str]:
    """A run, the text files of its application, and its logs."""
    run = sandboxes.create(repo=str(made.path), **asked)
    logs = "\n".join(sandboxes.logs(run["sandbox_id"]))
    assert run["status"] == "ready", logs
    return run, files_of(run), logs


def write_config(install: str) -> str:
    return f"app:\n  app_command: python app.py\n  env: {{LEAK: leaked}}\n  install: {install}\n"


def make_repository(path: Path, install: str = STEP, **files: str) -> Repository:
    given = {"lock_DOT_json": "one", "evil_DOT_txt": "evil", **files}
    return Repository(path, _DOT_arga__sandbox_DOT_yml=write_config(install), app_DOT_py=READS, **given)


def test_a_step_is_run_once_for_the_same_text_and_files(keeping: Sandboxes, tmp_path: Path) -> None:
    made = make_repository(tmp_path / "shop")
    _, first, logs = start(keeping, made)
    assert "install[0] is not in the cache" in logs
    assert (first["made.txt"], first["later.txt"]) == ("one", "one")
    made.commit("Something else", other_DOT_txt="other")
    _, again, logs = start(keeping, made)
    assert "install[0] is reused from the cache, which has deps" in logs
    assert again == {**first, "other.txt": "other"}
    made.commit("Another lock", lock_DOT_json="two")
    _, changed, logs = start(keeping, made)
    assert "install[0] is not in the cache" in logs
    assert (changed["made.txt"], changed["later.txt"]) == ("two", "two")


def test_a_kept_step_sees_its_files_only_and_no_variables_of_the_run(keeping: Sandboxes, tmp_path: Path) -> None:
    reads = "mkdir deps; env > deps/env.txt; ls -A . .. ~ > deps/seen.txt"
    step = f'[{{run: "{reads}", files: [lock.json], keeps: [deps]}}]'
    _, files, _ = start(keeping, make_repository(tmp_path / "shop", step))
    assert "lock.json" in files["seen.txt"]
    assert not [word for word in ("evil", "app.py", ".arga") if word in files["seen.txt"]]
    assert not [word for word in ("LEAK", "SLACK", "PORT=") if word in files["env.txt"]]


def test_another_repository_and_another_branch_do_not_reuse_what_a_changed_step_has_made(
    keeping: Sandboxes, tmp_path: Path
) -> None:
    made = make_repository(tmp_path / "shop")
    made.git("checkout", "--quiet", "-b", "evil")
    made.commit("Poison", _DOT_arga__sandbox_DOT_yml=write_config(STEP.replace("date", "echo poisoned; date")))
    start(keeping, made, branch="evil")
    _, files, logs = start(keeping, made, branch="main")
    assert "not in the cache" in logs
    assert "poisoned" not in "".join(files.values())
    _, _, logs = start(keeping, make_repository(tmp_path / "other"))
    assert "not in the cache" in logs


@pytest.mark.parametrize(
    ("install", "files", "said"),
    [
        ('["true", {run: "true", files: [lock.json], keeps: [deps]}]', {}, "come before all others"),
        ('[{run: "true", files: [absent.json], keeps: [deps]}]', {}, "no file 'absent.json'"),
        ('[{run: "true", files: [../lock.json], keeps: [deps]}]', {}, "no path within the application"),
        ('[{run: "true", files: [lock.json], keeps: [/etc]}]', {}, "no path within the application"),
        ('[{run: "true", files: [lock.json]}]', {}, "keeps"),
        ('[{run: " ", files: [lock.json], keeps: [deps]}]', {}, "not empty"),
    ],
)
def test_a_step_of_which_nothing_can_be_kept_is_refused(
    keeping: Sandboxes, tmp_path: Path, install: str, files: dict[str, str], said: str
) -> None:
    status, reason = keeping.refused(repo=str(make_repository(tmp_path / "shop", install, **files).path))
    assert (status, said in reason) == (422, True), reason


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ("true", "made no folder 'deps'"),
        ("ln -s / deps", "made no folder 'deps'"),
        ("mkdir deps; touch deps/x; exit 3", "exit code 3"),
    ],
)
def test_a_step_that_makes_nothing_fails_the_run_with_the_reason(
    keeping: Sandboxes, tmp_path: Path, run: str, said: str
) -> None:
    step = f'[{{run: "{run}", files: [lock.json], keeps: [deps]}}]'
    failed = keeping.create(repo=str(make_repository(tmp_path / "shop", step).path))
    assert failed["status"] == "failed"
    assert said in failed["error"]
    assert not [*tmp_path.glob("data/install-cache/*.tar")]


def test_a_link_of_the_repository_leads_no_kept_folder_out_of_it(keeping: Sandboxes, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    step = '[{run: "mkdir -p way/deps", files: [lock.json], keeps: [way/deps]}]'
    made = make_repository(tmp_path / "shop", step)
    (made.path / "way").symlink_to(outside)
    made.commit("A link")
    failed = keeping.create(repo=str(made.path))
    assert "'way/deps' is behind a link" in str(failed["error"])
    assert not [*outside.iterdir()]


def test_an_entry_that_leads_out_of_its_folder_or_is_broken_is_not_unpacked(keeping: Sandboxes, tmp_path: Path) -> None:
    made = make_repository(tmp_path / "shop")
    start(keeping, made)
    (entry,) = tmp_path.glob("data/install-cache/*.tar")
    with tarfile.open(entry, "w") as archive:
        archive.add(made.path / "lock.json", arcname="../../escaped.txt")
    _, _, logs = start(keeping, made)
    assert "not in the cache" in logs
    entry.write_bytes(b"no archive")
    _, files, _ = start(keeping, made)
    assert files["made.txt"] == "one"


def test_the_entries_used_longest_ago_make_room(tmp_path: Path) -> None:
    for number in range(4):
        entry = tmp_path / f"{number}.tar"
        entry.write_bytes(b"x" * 100)
        os.utime(entry, (number, number))
    install_archive.make_room(tmp_path, 250)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["2.tar", "3.tar"]


def test_clean_removes_what_is_kept(keeping: Sandboxes, tmp_path: Path) -> None:
    data = tmp_path / "cleaned"
    (data / "install-cache").mkdir(parents=True)
    (data / "twindiff.db").touch()
    (data / "install-cache" / "x.tar").write_bytes(b"x" * 1_000_000)
    told = CliRunner().invoke(app, ["clean", "--data-dir", str(data), "--yes"])
    assert "1.0 MB" in told.output
    assert not data.exists()
