"""`twindiff import agent-diff`: public files into a live server."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from tests.cli.conftest import Run
from tests.harness import LiveServer, Platform

SEED: dict[str, Any] = {"teams": [{"team_id": "T1", "team_name": "Florists"}]}
SUITE: dict[str, Any] = {
    "service": "slack",
    "name": "Florists",
    "tests": [
        {
            "id": "t1",
            "name": "Say hello",
            "prompt": "Say hello.",
            "type": "actionEval",
            "seed_template": "slack_florists",
            "assertions": [{"diff_type": "added", "entity": "messages"}],
        }
    ],
}


@pytest.fixture
def own(make_server: Callable[..., LiveServer]) -> Platform:
    """A server for one test alone."""
    return Platform(make_server().client)


@pytest.fixture
def bring(own: Platform, twindiff: Run) -> Run:
    def run(folder: Path, *options: str) -> Result:
        return twindiff("import", "agent-diff", str(folder), *options, AGENT_DIFF_BASE_URL=str(own.client.base_url))

    return run


def write(folder: Path, **files: Any) -> Path:
    """Write files by name, with `__` for the slash."""
    for name, content in files.items():
        path = folder / f"{name.replace('__', '/')}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return folder


def names(platform: Platform) -> list[str]:
    return [each["name"] for each in platform.get("templates")["templates"]]


def test_seeds_and_suites_of_a_folder_are_imported(own: Platform, bring: Run, tmp_path: Path) -> None:
    result = bring(write(tmp_path, seeds__slack_florists=SEED, suites__florists=SUITE))
    assert (result.exit_code, result.stderr) == (0, "")
    assert "slack_florists" in names(own)
    assert [each["name"] for each in own.get("testSuites")["testSuites"]] == ["Florists"]
    assert [" ".join(line.split()) for line in result.stdout.splitlines()] == [
        "what name came to",
        "template slack_florists imported",
        "suite Florists imported",
    ]


@pytest.mark.parametrize("folder", ["", "suites__", "testsuites__"])
def test_files_may_lie_in_any_of_the_public_folders(folder: str, bring: Run, tmp_path: Path) -> None:
    files = {"slack_florists": SEED, "florists": SUITE} if not folder else {f"{folder}florists": SUITE}
    imported = json.loads(bring(write(tmp_path, **files), "--json").stdout)
    assert imported["suites"] == ["Florists"]


def test_the_same_files_again_change_nothing(bring: Run, tmp_path: Path) -> None:
    write(tmp_path, seeds__slack_florists=SEED)
    bring(tmp_path)
    assert "known already" in bring(tmp_path).stdout


def test_what_no_twin_serves_is_left_out_by_name(bring: Run, tmp_path: Path) -> None:
    result = bring(write(tmp_path, seeds__zebra_default={"stripes": []}))
    assert (result.exit_code, "seeds/zebra_default.json" in result.stdout) == (0, True)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (b"{", "not JSON"),
        (b"\xff{}", "not UTF-8"),
        (b'{"teams": [], "teams": []}', 'key "teams" appears twice'),
        (b"[]", "this is neither"),
        (b'{"teams": [{"team_id": "T1", "team_nam": "x"}]}', "Did you mean 'team_name'?"),
    ],
)
def test_one_bad_file_is_named_and_nothing_is_imported(
    bad: bytes, words: str, own: Platform, bring: Run, tmp_path: Path
) -> None:
    result = bring(write(tmp_path, seeds__slack_florists=SEED, seeds__slack_worse=bad))
    assert result.exit_code in (1, 2)
    assert "seeds/slack_worse.json" in result.stderr
    assert words in result.stderr
    assert "slack_florists" not in names(own)


@pytest.mark.parametrize("folder", ["none", "."])
def test_a_folder_without_files_is_one_line(folder: str, bring: Run, tmp_path: Path) -> None:
    result = bring(tmp_path / folder)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
