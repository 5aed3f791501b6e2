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

PROGRAMS = Path(__file__).parents[5] / ".tools" / "programs"
INSTALLED = PROGRAMS / "gh" / "usr" / "bin" / "gh", PROGRAMS / "venv" / "bin" / "gh"
"""Of the distribution, which has no projects, and of PyPI."""
FOUND = [str(path) for path in INSTALLED if path.exists()] or [shutil.which("gh")]
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


NEWER_COMMANDS = [
    ("issue create -t Newer -b It -l bug -a @me", "/issues/"),
    ("issue pin 1", ""),
    ("issue view 1 --json isPinned,closedByPullRequestsReferences", '"isPinned":true'),
    ("issue unpin 1", ""),
    ("issue comment 1 -b Hi", "#issuecomment-"),
    ("issue comment 1 -b Hello --edit-last", "#issuecomment-"),
    ("issue comment 1 --delete-last --yes", ""),
    ("issue edit 1 --add-assignee ada --add-blocked-by 2 --parent 4", "/issues/1"),
    ("issue transfer 5 tidewater/design-system", "design-system/issues/"),
    ("issue delete 6 --yes", ""),
    ("pr edit 37 --add-reviewer ada --add-assignee @me", "/pull/37"),
    ("pr revert 38", "/pull/"),
    ("repo archive agent/made --yes", ""),
    ("repo read-dir -R {repo}", "README.md"),
    ("gist list", ""),
    ("release download v99 -A zip -D {folder}", ""),
]


PROJECT_COMMANDS = [
    ("project list --owner tidewater", "Roadmap"),
    ("project create --owner tidewater --title Next --format json", '"number":2'),
    ("project field-create 2 --owner tidewater --name Size --data-type SINGLE_SELECT --single-select-options S,M", ""),
    ("project field-list 2 --owner tidewater", "Size"),
    ("project item-add 2 --owner tidewater --url https://github.com/tidewater/harbour-api/issues/1", "PVTI_"),
    ("project item-create 2 --owner tidewater --title Idea --format json", '"type":"DraftIssue"'),
    ("project item-list 2 --owner tidewater", "tidewater/harbour-api"),
    ("project edit 2 --owner tidewater --title Later", ""),
    ("project link 2 --owner tidewater --repo harbour-api", ""),
    ("project link 2 --owner tidewater --team platform", ""),
    ("project copy 2 --source-owner tidewater --target-owner tidewater --title Copy --drafts --format json", "Copy"),
    ("project close 2 --owner tidewater", ""),
    ("project delete 3 --owner tidewater", ""),
    ("issue edit 2 --add-project Roadmap", "/issues/2"),
    ("issue view 2", "Roadmap"),
    ("issue lock 3 --reason spam", ""),
]


@pytest.fixture(params=FOUND, ids=str)
def gh(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[str], subprocess.CompletedProcess[str]]]:
    """The program over an environment of the default template."""
    if request.param is None:
        pytest.skip("there is no gh: make programs")
    with Twindiff() as td, td.create("github:github_default", user="agent") as environment:
        port = environment.port("github")
        variables = {"GH_HOST": "github.localhost", "GH_ENTERPRISE_TOKEN": environment.token, "HTTP_PROXY": port}
        quiet = {"GH_CONFIG_DIR": str(tmp_path), "GH_PROMPT_DISABLED": "1"}

        def run(line: str) -> subprocess.CompletedProcess[str]:
            place = () if line.split(maxsplit=1)[0] in ("api", "search", "repo", "project", "gist") else REPO
            line = line.format(repo=REPO[1], folder=quiet["GH_CONFIG_DIR"])
            command = [request.param, *line.split(), *place]
            env = {**os.environ, **variables, **quiet}
            return subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)

        yield run


def test_its_commands_work(gh: Callable[[str], subprocess.CompletedProcess[str]]):
    for line, part in COMMANDS:
        ran = gh(line)
        assert (ran.returncode, part in ran.stdout) == (0, True), (line, ran.stdout, ran.stderr)


def test_its_newer_commands_work(gh: Callable[[str], subprocess.CompletedProcess[str]]):
    for line in ("pr merge 38 --squash", "release create v99 -n Notes", "repo create agent/made --private"):
        assert gh(line).returncode == 0, line
    if "unknown command" in gh("pr revert 0").stderr:
        pytest.skip("this gh has no reverts")
    for line, part in NEWER_COMMANDS:
        ran = gh(line)
        assert (ran.returncode, part in ran.stdout) == (0, True), (line, ran.stdout, ran.stderr)


def test_its_commands_for_projects_work(gh: Callable[[str], subprocess.CompletedProcess[str]]):
    if "unknown command" in gh("project list").stderr:
        pytest.skip("this gh has no projects")
    for line, part in PROJECT_COMMANDS:
        ran = gh(line)
        assert (ran.returncode, part in ran.stdout) == (0, True), (line, ran.stdout, ran.stderr)


def test_an_issue_is_no_pull_request(gh: Callable[[str], subprocess.CompletedProcess[str]]):
    assert "Could not resolve to a PullRequest with the number of 1." in gh("pr view 1").stderr
