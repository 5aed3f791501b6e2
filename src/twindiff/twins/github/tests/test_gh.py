"""GitHub's own command line, gh, unmodified.

It speaks HTTP to `github.localhost`, here through the environment's port as through a proxy.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from twindiff.local import Twindiff

UNPACKED = Path(__file__).parents[5] / ".tools" / "programs" / "gh" / "usr" / "bin" / "gh"
GH = str(UNPACKED) if UNPACKED.exists() else shutil.which("gh")
REPO = ("-R", "github.localhost/tidewater/harbour-api")
COMMANDS = [
    ("api user --jq .login", "agent"),
    ("issue list -L 3", "OPEN"),
    ("issue create -t Found -b It -l bug", "/issues/43"),
    ("issue view 43", "Found"),
    ("issue edit 43 --add-label documentation", "/issues/43"),
    ("issue comment 43 -b Hi", "#issuecomment-"),
    ("issue close 43", ""),
    ("issue status", "tidewater/harbour-api"),
    ("pr list", "OPEN"),
    ("pr view 38", "Validate the input of berths"),
    ("pr diff 38", "diff --git"),
    ("pr status", "Relevant pull requests"),
    ("pr review 38 --comment -b Fine", ""),
    ("pr merge 38 --squash", ""),
    ("pr close 37", ""),
    ("search prs --repo tidewater/harbour-api", "harbour-api"),
    ("run list", "completed"),
    ("workflow list", "active"),
    ("label list", "bug"),
    ("release create v99 -n Notes", "/releases/tag/v99"),
    ("repo create agent/made --private", "agent/made"),
]


@pytest.fixture(scope="module")
def gh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], subprocess.CompletedProcess[str]]]:
    """The program over an environment of the default template."""
    if GH is None:
        pytest.skip("there is no gh: make programs")
    with Twindiff() as td, td.create("github:github_default", user="agent") as environment:
        port = environment.port("github")
        variables = {"GH_HOST": "github.localhost", "GH_ENTERPRISE_TOKEN": environment.token, "HTTP_PROXY": port}
        quiet = {"GH_CONFIG_DIR": str(tmp_path_factory.mktemp("gh")), "GH_PROMPT_DISABLED": "1"}

        def run(line: str) -> subprocess.CompletedProcess[str]:
            place = () if line.split(maxsplit=1)[0] in ("api", "search", "repo") else REPO
            command = [str(GH), *line.split(), *place]
            env = {**os.environ, **variables, **quiet}
            return subprocess.run(command, env=env, capture_output=True, text=True, timeout=30, check=False)

        yield run


def test_its_commands_work(gh: Callable[[str], subprocess.CompletedProcess[str]]):
    for line, part in COMMANDS:
        ran = gh(line)
        assert (ran.returncode, part in ran.stdout) == (0, True), (line, ran.stdout, ran.stderr)


def test_an_issue_is_no_pull_request(gh: Callable[[str], subprocess.CompletedProcess[str]]):
    assert "Could not resolve to a PullRequest with the number of 1." in gh("pr view 1").stderr
