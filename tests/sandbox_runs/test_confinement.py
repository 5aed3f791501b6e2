"""What an application of a sandbox run can do to the server, its machine and other sandboxes: nothing."""

from __future__ import annotations

import errno
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.harness import LiveServer
from tests.sandbox_runs.conftest import SERVES, Repository, Sandboxes
from tests.server_mode import embedded_only
from twindiff.server.apis.sandbox_runs import confinement, containers, entrance
from twindiff.server.apis.sandbox_runs.confinement import OFF, PREFER, REQUIRE, SETTING, find_confinement

Make = Callable[..., Repository]


@pytest.fixture(autouse=True)
def _no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(containers.SETTING, containers.NONE)


def needs_confinement() -> None:
    if why := find_confinement().missing:
        pytest.skip(f"needs bwrap, and setpriv for root: {why}")


ATTEMPTS = Path(__file__).with_name("attempts.py").read_text()
ALLOWED = {
    "use the control plane, by 20 spellings",
    "write to its own folder",
    "write to its home",
    "write to /tmp",
    "share memory",
    "start a program",
}


def attempt(sandboxes: Sandboxes, made: Repository, **env: str) -> list[str]:
    """What an application reports of everything that it tries."""
    programs = [Path(each) for each in (*os.environ["PATH"].split(":"), sys.prefix, sys.base_prefix)]
    shown = {each.relative_to(Path.home()).parts[0] for each in programs if each.is_relative_to(Path.home())}
    given = {"SERVER": str(os.getpid()), "DATA": "/nowhere", "OUTSIDE": "/nowhere", "SHOWN": " ".join(shown), **env}
    given["URL"] = str(sandboxes.client.base_url)
    run = sandboxes.create(repo=str(made.path), env=given)
    assert run["status"] == "ready", sandboxes.logs(run["sandbox_id"])
    return [line.removeprefix("output: ") for line in sandboxes.logs_with(run["sandbox_id"], "output: TRIED")]


@pytest.fixture
def data() -> Iterator[Path]:
    """A data directory where applications would see it if it were not hidden, if there is such a place."""
    place = "/srv" if os.access("/srv", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="twindiff-test-", dir=place) as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@embedded_only("it has no data directory")
def test_an_application_can_do_nothing_but_its_own_work(
    data: Path, make_server: Callable[..., LiveServer], repository: Make, tmp_path: Path
) -> None:
    needs_confinement()
    made = repository(app_DOT_py=ATTEMPTS)
    server = make_server(data_dir=str(data))
    lines = attempt(Sandboxes(server), made, DATA=str(data), OUTSIDE=str(tmp_path / "written"))
    done = {line.removeprefix("DONE ") for line in lines if line.startswith("DONE")}
    assert done == ALLOWED, lines
    assert not (tmp_path / "written").exists()


CONNECTS = """import socket
for name in ("own", "theirs"):
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as client:
        listener.bind("\\0own%d" % __import__("os").getpid()) if name == "own" else None
        listener.listen() if name == "own" else None
        address = listener.getsockname() if name == "own" else "\\0ADDRESS"
        print("SOCKET", name, client.connect_ex(address), flush=True)
"""


@pytest.mark.skipif(not entrance.has_landlock(), reason="needs Linux 6.12 with Landlock")
def test_an_application_reaches_no_abstract_socket_of_the_machine(sandboxes: Sandboxes, repository: Make) -> None:
    needs_confinement()
    address = f"twindiff-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"\0{address}")
        listener.listen()
        run = sandboxes.create(repo=str(repository(app_DOT_py=CONNECTS.replace("ADDRESS", address) + SERVES).path))
        logs = sandboxes.logs_with(run["sandbox_id"], "SOCKET theirs")
    assert {"output: SOCKET own 0", f"output: SOCKET theirs {errno.EPERM}"} <= {*logs}


HOSTILE_VARIABLES = """app:
  app_command: {python} app.py
  install: [{{run: /bin/mkdir made, files: [app.py], keeps: [made]}}, 'true']
  env: {{LD_DEBUG: statistics, LD_DEBUG_OUTPUT: {outside}/loaded, PATH: './bin', SIZE: "two\\nlines"}}
"""


def test_no_variable_of_a_repository_reaches_a_program_outside_of_its_sandbox(
    make_server: Callable[..., LiveServer], repository: Make, tmp_path: Path
) -> None:
    needs_confinement()
    (outside := tmp_path / "outside").mkdir()
    config = HOSTILE_VARIABLES.format(outside=outside, python=sys.executable)
    made = repository(app_DOT_py=SERVES, bin__touch=f"#!/bin/sh\necho > {outside}/touched\n")
    (made.path / "bin" / "touch").chmod(0o755)
    made.commit("Configure", _DOT_arga__sandbox_DOT_yml=config)
    run = Sandboxes(make_server(data_dir=str(tmp_path / "data"))).create(repo=str(made.path))
    assert [each.name for each in outside.iterdir()] == []
    assert run["status"] == "ready", run["error"]
    assert json.loads(ask(run["app_url"]))["SIZE"] == "two\nlines"


@pytest.mark.skipif(os.getuid() != 0, reason="root alone gives applications users of their own")
def test_each_application_of_a_server_of_root_has_a_user_of_its_own(sandboxes: Sandboxes, repository: Make) -> None:
    needs_confinement()
    made = repository(app_DOT_py=ATTEMPTS)
    users = {line for _ in range(2) for line in attempt(sandboxes, made) if line.startswith("TRIED")}
    assert len(users) == 2
    assert all(int(line.split()[1]) > min(confinement.FIRST_UIDS) for line in users)


def test_an_application_sees_nothing_of_another_one(sandboxes: Sandboxes, repository: Make) -> None:
    needs_confinement()
    first = sandboxes.create(repo=str(repository(app_DOT_py=SERVES).path))
    cwd = json.loads(ask(first["app_url"]))["cwd"]
    looks = f"import os\nprint('SEEN', os.path.exists({cwd!r}), flush=True)\n"
    second = sandboxes.create(repo=str(repository(app_DOT_py=looks + SERVES).path))
    assert "output: SEEN False" in sandboxes.logs_with(second["sandbox_id"], "SEEN")


def ask(url: str) -> bytes:
    return subprocess.run(["curl", "--silent", "--noproxy", "*", url], capture_output=True, check=True).stdout


def test_a_sandbox_says_how_it_is_confined(sandboxes: Sandboxes, repository: Make) -> None:
    run = sandboxes.create(repo=str(repository(app_DOT_py=SERVES).path))
    assert run["confinement"] == find_confinement().describe()
    assert any(run["confinement"] in line for line in sandboxes.logs(run["sandbox_id"]))


@pytest.fixture
def no_bwrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A PATH with everything but bwrap."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for each in (found for place in ("/bin", "/usr/bin") for found in Path(place).iterdir() if found.name != "bwrap"):
        if not (programs / each.name).is_symlink():
            (programs / each.name).symlink_to(each)
    monkeypatch.setenv("PATH", str(programs))


@pytest.mark.usefixtures("no_bwrap")
def test_without_bwrap_a_sandbox_says_what_is_missing_and_is_started(sandboxes: Sandboxes, repository: Make) -> None:
    run = sandboxes.create(repo=str(repository(app_DOT_py=SERVES).path))
    assert run["status"] == "ready", sandboxes.logs(run["sandbox_id"])
    assert "not fully confined: bwrap is not installed (package bubblewrap)" in run["confinement"]


@pytest.mark.usefixtures("no_bwrap")
@pytest.mark.parametrize(
    ("mode", "said"),
    [(REQUIRE, "TWINDIFF_CONFINEMENT is 'require', but applications are not fully confined"), ("strict", "'strict'")],
)
def test_a_server_that_requires_confinement_refuses_what_it_cannot_confine(
    sandboxes: Sandboxes, repository: Make, monkeypatch: pytest.MonkeyPatch, mode: str, said: str
) -> None:
    monkeypatch.setenv(SETTING, mode)
    status, detail = sandboxes.refused(repo=str(repository(app_DOT_py=SERVES).path))
    assert (status, said in detail) == (422, True), detail


def test_confinement_can_be_turned_off(sandboxes: Sandboxes, repository: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, OFF)
    run: dict[str, Any] = sandboxes.create(repo=str(repository(app_DOT_py=SERVES).path))
    assert (run["status"], "applications may do what the server may" in run["confinement"]) == ("ready", True)
    assert PREFER not in run["confinement"]
