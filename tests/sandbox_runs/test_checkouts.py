"""Repositories as input: nothing that their configuration names is run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sandbox_runs.conftest import SERVES, Repository, Sandboxes
from twindiff.server.apis.sandbox_runs import containers

Make = Callable[..., Repository]


@pytest.fixture(autouse=True)
def _no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(containers.SETTING, containers.NONE)


@pytest.mark.parametrize(
    "name",
    [
        "filter.evil.smudge",
        "filter.evil.process",
        "filter.evil.clean",
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "core.alternateRefsCommand",
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "uploadpack.packObjectsHook",
        "gpg.program",
    ],
)
def test_no_program_of_a_repositorys_configuration_is_run(
    sandboxes: Sandboxes, repository: Make, tmp_path: Path, name: str
) -> None:
    made = repository(app_DOT_py=SERVES, _DOT_gitattributes="* filter=evil diff=evil\n")
    made.git("branch", "feature")
    made.git("config", name, f"touch {tmp_path}/run; cat")
    run = sandboxes.create(repo=str(made.path), branch="feature")
    assert run["status"] == "ready", run["error"]
    sandboxes.client.post("/pr-runs", json={"repo": str(made.path), "branch": "feature"})
    assert not (tmp_path / "run").exists()


def test_a_partial_clone_fetches_nothing_by_a_program_that_it_names(
    sandboxes: Sandboxes, repository: Make, tmp_path: Path
) -> None:
    made = repository(app_DOT_py=SERVES)
    blob = made.git("rev-parse", "HEAD:app.py")
    (made.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    for name, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": f"ext::touch {tmp_path}/run",
        "remote.origin.uploadpack": f"touch {tmp_path}/run",
    }.items():
        made.git("config", name, value)
    status, detail = sandboxes.refused(repo=str(made.path))
    assert (status, "git fetch" in detail) == (409, True), detail
    assert not (tmp_path / "run").exists()


def test_an_application_has_a_repository_of_its_own_commit(sandboxes: Sandboxes, repository: Make) -> None:
    made = repository(app_DOT_py="import os\nos.system('git log --format=SAID:%H')\n" + SERVES)
    made.commit("Another")
    run = sandboxes.create(repo=str(made.path))
    said = [line for line in sandboxes.logs_with(run["sandbox_id"], "SAID") if "SAID" in line]
    assert said == [f"output: SAID:{run['commit_sha']}"]


def test_a_commit_that_is_the_end_of_no_branch_is_started(sandboxes: Sandboxes, repository: Make) -> None:
    made = repository(app_DOT_py=SERVES.replace("listening", "once listening"))
    first = made.git("rev-parse", "HEAD")
    made.commit("Another", app_DOT_py=SERVES)
    run = sandboxes.create(repo=str(made.path), branch=first)
    assert run["commit_sha"] == first
    assert sandboxes.logs_with(run["sandbox_id"], "once listening")


def test_a_repository_with_longer_names_of_objects_is_started(
    sandboxes: Sandboxes, repository: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DEFAULT_HASH", "sha256")
    run = sandboxes.create(repo=str(repository(app_DOT_py=SERVES).path))
    assert (run["status"], len(run["commit_sha"])) == ("ready", 64)
