"""Sandboxes whose keeper or server was killed: nothing of them goes on, and their places are free again."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import httpx
import psutil
import pytest

from tests.cli.conftest import Serving
from tests.harness import LiveServer
from tests.sandbox_runs.conftest import SERVES, Repository, Sandboxes, variables_of
from tests.server_mode import embedded_only
from tests.test_runs.test_bounds import Killed
from twindiff.server.apis.sandbox_runs import confinement, containers, keeper, leftovers, runs
from twindiff.server.apis.sandbox_runs.leftovers import Leftovers, remove_abandoned_sandboxes

Make = Callable[..., Repository]


@pytest.fixture(autouse=True)
def _no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(containers.SETTING, containers.NONE)


@pytest.fixture(params=[confinement.PREFER, confinement.OFF])
def mode(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Confined as far as this machine can, and not at all."""
    monkeypatch.setenv(confinement.SETTING, request.param)
    return request.param


def processes_with(mark: str) -> Iterator[psutil.Process]:
    """The processes of a sandbox; the mark is the name of its folder."""
    for each in psutil.process_iter():
        with suppress(psutil.Error):
            if each.environ().get(keeper.MARK) == mark:
                yield each


def mark_of(run: dict[str, object]) -> str:
    return Path(variables_of(run)["cwd"]).parent.name


def keeper_of(mark: str) -> psutil.Process:
    """The one whose parent is none of its sandbox."""
    processes = list(processes_with(mark))
    pids = {each.pid for each in processes}
    return next(each for each in processes if each.ppid() not in pids)


STAYS = "import subprocess\nsubprocess.Popen(['setsid', 'sleep', '4250'])\n" + SERVES
"""An application that has a child in a session of its own."""


@pytest.mark.usefixtures("mode")
def test_a_sandbox_whose_keeper_is_killed_fails_with_the_reason_and_nothing_is_left(
    sandboxes: Sandboxes, repository: Make
) -> None:
    run = sandboxes.create(repo=str(repository(app_DOT_py=STAYS).path), twins=["slack"])
    mark = mark_of(run)
    keeper_of(mark).kill()
    ended = sandboxes.until(run["sandbox_id"], lambda run: run["status"] != "ready")
    assert (ended["status"], "its keeper was killed by signal 9" in ended["error"]) == ("failed", True)
    assert list(processes_with(mark)) == []
    assert not (Path(tempfile.gettempdir()) / mark).exists()
    twin_run = sandboxes.client.get(f"/twin-runs/{run['twin_run_id']}").json()
    assert twin_run["status"] != "ready"


def test_a_sandbox_whose_keeper_was_killed_frees_its_place(
    make_server: Callable[..., LiveServer], repository: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "MAX_SANDBOXES", 1)
    sandboxes = Sandboxes(make_server())
    made = repository(app_DOT_py=STAYS)
    first = sandboxes.create(repo=str(made.path))
    assert sandboxes.refused(repo=str(made.path))[0] == 429
    keeper_of(mark_of(first)).kill()
    sandboxes.until(first["sandbox_id"], lambda run: run["status"] == "failed")
    assert sandboxes.create(repo=str(made.path))["status"] == "ready"


def test_deleting_a_sandbox_whose_keeper_was_killed_leaves_nothing(sandboxes: Sandboxes, repository: Make) -> None:
    run = sandboxes.create(repo=str(repository(app_DOT_py=STAYS).path))
    mark = mark_of(run)
    keeper_of(mark).kill()
    assert sandboxes.delete(run["sandbox_id"])["status"] == "deleted"
    assert list(processes_with(mark)) == []


def test_an_application_that_hides_its_variables_ends_with_its_keeper(sandboxes: Sandboxes, repository: Make) -> None:
    hides = (
        "import os\nif os.environ.get('MARKED', '1') == '1':\n    keep = {k: os.environ[k] for k in ('PORT', 'PATH')}\n"
    )
    again = "    os.execve('/bin/sh', ['sh', '-c', 'exec python app.py'], {**keep, 'MARKED': '0'})\n"
    run = sandboxes.create(repo=str(repository(app_DOT_py=hides + again + SERVES).path))
    if why := run["confinement"].partition("not fully confined: ")[2]:
        pytest.skip(f"needs users or processes of their own: {why}")
    keeper_of(mark_of(run)).kill()
    sandboxes.until(run["sandbox_id"], lambda run: run["status"] == "failed")
    with pytest.raises(httpx.ConnectError):
        variables_of(run)


@embedded_only("processes over one database wait before they count one of them as gone")
@pytest.mark.usefixtures("mode")
def test_a_server_that_starts_ends_what_a_killed_one_and_a_killed_keeper_have_left(
    repository: Make, tmp_path: Path
) -> None:
    with closing(Killed(tmp_path / "data")) as server:
        sandboxes = Sandboxes(server)
        run = sandboxes.create(repo=str(repository(app_DOT_py=STAYS).path), twins=["slack"])
        mark = mark_of(run)
        died = keeper_of(mark)
        died.suspend()  # so that it does not tidy up after the server
        server.kill()
        died.kill()
        server.start()
        ended = sandboxes.until(run["sandbox_id"], lambda run: run["status"] == "failed")
        assert "the server ended" in ended["error"]
        sandboxes.until(run["sandbox_id"], lambda _: not (Path(tempfile.gettempdir()) / mark).exists())
        assert list(processes_with(mark)) == []
        twin_run = sandboxes.client.get(f"/twin-runs/{run['twin_run_id']}").json()
        assert twin_run["status"] != "ready"


def test_a_supervisor_has_none_of_the_sockets_of_the_worker_that_started_it(repository: Make) -> None:
    """Else it would hold the port for as long as it ends what a killed server has started."""
    with closing(Serving("--data-dir", ":memory:", "--workers", "2")) as server, ExitStack() as connected:
        clients = [connected.enter_context(httpx.Client(base_url=server.url, trust_env=False)) for _ in range(8)]
        for client in clients:  # some of these connections move to the first worker, which starts all applications
            assert client.get("/sandbox-runs").status_code == 200
        made = clients[0].post("/sandbox-runs", json={"repo": str(repository(app_DOT_py=SERVES).path)}, timeout=60)
        assert made.is_success, made.text
        children = psutil.Process(server.process.pid).children(recursive=True)
        (supervisor,) = [each for each in children if "keeper.py" in " ".join(each.cmdline())]
        files = {each.name: str(each.readlink()) for each in Path(f"/proc/{supervisor.pid}/fd").iterdir()}
        assert {file for file in files.values() if file.startswith("socket:")} == {files["0"], files["1"]}


def test_the_sandbox_of_a_living_server_is_left_alone(sandboxes: Sandboxes, repository: Make) -> None:
    run = sandboxes.create(repo=str(repository(app_DOT_py=SERVES).path))
    folder = Path(variables_of(run)["cwd"]).parent
    assert folder not in remove_abandoned_sandboxes()
    assert variables_of(run)["cwd"]


@pytest.fixture
def abandoned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a sandbox whose server is dead, in a place of its own."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = tmp_path / f"{leftovers.PREFIX}dead"
    folder.mkdir()
    return folder


def test_a_record_that_cannot_be_read_ends_nothing_and_the_folder_is_removed(abandoned: Path) -> None:
    (abandoned / leftovers.RECORD).write_text("{")
    assert remove_abandoned_sandboxes() == [abandoned]


def test_a_record_that_is_nested_deeply_is_one_that_cannot_be_read(abandoned: Path) -> None:
    (abandoned / "leftovers.json").write_text('{"mark": "m", "more": ' + "[" * 100_000 + "]" * 100_000 + "}")
    assert remove_abandoned_sandboxes() == [abandoned]


def test_a_folder_whose_record_cannot_be_acted_on_is_set_aside_and_holds_up_no_other(
    abandoned: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """No program takes a record of so many letters as an argument."""
    other = abandoned.with_name(abandoned.name + "-other")
    other.mkdir()
    Leftovers("m" * 4_000_000).write(abandoned)
    assert remove_abandoned_sandboxes() == [other]
    assert [line.partition(": ")[0] for line in caplog.messages] == [f"Folder {abandoned} of a dead server set aside"]


def test_a_process_with_the_mark_of_a_dead_sandbox_is_ended(abandoned: Path) -> None:
    Leftovers(abandoned.name).write(abandoned)
    process = psutil.Popen(["sleep", "4251"], env={**os.environ, keeper.MARK: abandoned.name})
    remove_abandoned_sandboxes()
    assert process.wait(timeout=60) == -signal.SIGKILL
