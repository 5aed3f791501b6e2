"""The shop of the examples, as its README says: its tests pass, and its broken branch fails with what is missing."""

import os
import sys
from pathlib import Path

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
    found = succeeded(server.client.get("/validation/runs?repo=acme/shop&limit=100"))["items"]
    (run_id,) = [each["run_id"] for each in found if (each["kind"], each["branch"]) == ("pr", branch)]
    return succeeded(server.client.get(f"/runs/{run_id}"))


def test_a_branch_that_keeps_the_shop_working_passes_its_three_tests(server):
    run = judged(server, "tidy")
    assert (run["status"], run["passed"], run["total"]) == ("completed", 3, 3), run["failure_detail"]


def test_the_broken_branch_fails_with_the_missing_message_and_the_step_named(server):
    run = judged(server, "quiet")
    failed = [each for each in run["results_json"] if not each["passed"]]
    assert [each["name"] for each in failed] == ["a purchase is paid once and announced once"], run["failure_detail"]
    assert "messages" in failed[0]["detail"]
    test = succeeded(server.client.get(f"/test-runs/{failed[0]['run_id']}"))
    *steps, last = test["results_json"]
    assert (last["name"], last["status"]) == ("what the twins changed", "failed")
    assert {each["screenshot"] for each in steps} <= set(test["artifacts"])
