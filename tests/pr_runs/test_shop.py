"""The shop of the examples, as its README says: its tests pass, and its broken branch fails with what is missing."""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import httpx
import pytest

from scripts.type_docs import runnable
from tests.docs.blocks import Reader
from tests.harness import LiveServer, succeeded
from twindiff.browser.chromium import NoBrowser, chromium
from twindiff.server import Settings

ROOT = Path(__file__).parents[2]
README = ROOT / "examples" / "shop" / "README.md"


@pytest.fixture(scope="module", autouse=True)
def _browser():
    try:
        chromium()
    except NoBrowser as absent:
        pytest.skip(str(absent))


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server to which a reader has typed the page."""
    folder = tmp_path_factory.mktemp("reader")
    (folder / "examples").symlink_to(ROOT / "examples")
    server = LiveServer(Settings(repositories=(("acme/shop", str(folder / "shop")),)))
    try:
        with pytest.MonkeyPatch.context() as monkeypatch:
            monkeypatch.setenv("AGENT_DIFF_BASE_URL", server.url)
            monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
            monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
            for who in ("AUTHOR", "COMMITTER"):
                monkeypatch.setenv(f"GIT_{who}_NAME", "A reader")
                monkeypatch.setenv(f"GIT_{who}_EMAIL", "reader@example.com")
            type_page(Reader(README, folder, monkeypatch))
        yield server
    finally:
        server.close()


def type_page(reader):
    for block in runnable(README.read_text()):
        reader.run(block)
    reader.end()


def judged(server, branch):
    """The run of a branch that the page has asked for."""
    runs = succeeded(server.client.get("/validation/runs?repo=acme/shop&limit=100"))["items"]
    (run_id,) = [each["run_id"] for each in runs if (each["kind"], each["branch"]) == ("pr", branch)]
    return succeeded(server.client.get(f"/runs/{run_id}"))


def artifact(server, run, name):
    answer = server.client.get(f"/validate/{run['run_id']}/artifacts/{name}")
    assert answer.is_success, answer.text
    return answer


def git(server, *arguments):
    """What git prints of the reader's shop."""
    ((_, place),) = server.service.settings.repositories
    return subprocess.run(["git", "-C", place, *arguments], capture_output=True, text=True, check=True).stdout.strip()


def test_a_branch_that_keeps_the_shop_working_passes_its_three_tests(server):
    run = judged(server, "tidy")
    assert (run["status"], run["passed"], run["total"]) == ("completed", 3, 3), run["failure_detail"]
    assert [each["passed"] for each in run["results_json"]] == [True] * 3
    assert [each["name"] for each in run["results_json"]] == [each["name"] for each in run["chosen_tests"]]
    suite = ET.fromstring(artifact(server, run, "junit.xml").text)
    assert (suite.get("tests"), suite.get("failures")) == ("3", "0")
    verdict = artifact(server, run, "check_run.json").json()
    assert (verdict["conclusion"], verdict["head_sha"]) == ("success", git(server, "rev-parse", "tidy"))


def test_the_broken_branch_fails_with_the_missing_message_and_the_step_named(server):
    run = judged(server, "quiet")
    failed = [each for each in run["results_json"] if not each["passed"]]
    assert [each["name"] for each in failed] == ["a purchase is paid once and announced once"], run["failure_detail"]
    assert "messages" in failed[0]["detail"]
    assert f"{failed[0]['name']}: what the twins changed is not as checked" in run["failure_detail"]
    (failure,) = ET.fromstring(artifact(server, run, "junit.xml").text).iter("failure")
    assert "messages" in str(failure.get("message"))
    assert artifact(server, run, "check_run.json").json()["conclusion"] == "failure"
    test = succeeded(server.client.get(f"/test-runs/{failed[0]['run_id']}"))
    *steps, last = test["results_json"]
    assert (last["name"], last["status"]) == ("what the twins changed", "failed")
    assert {each["screenshot"] for each in steps} <= set(test["artifacts"])


def test_the_page_of_a_branch_leads_to_the_screenshots_of_the_test_that_failed(server):
    run = judged(server, "quiet")
    (failed,) = [each for each in run["results_json"] if not each["passed"]]
    page = httpx.get(run["page_url"], trust_env=False).text
    (link,) = re.findall(rf'href="(/test-runs/{failed["run_id"]}/page[^"]*)"', page)
    assert "The page after this step" in httpx.get(server.url + link, trust_env=False).text


def test_no_worktree_of_a_branch_that_was_tested_is_left(server):
    assert git(server, "rev-parse", "tidy") not in git(server, "worktree", "list", "--porcelain")
