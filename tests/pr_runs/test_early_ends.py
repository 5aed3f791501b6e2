"""Pull request runs whose application ends after its last test, and whose twins are torn down in the middle."""

import httpx
import pytest

from tests.harness import succeeded
from tests.pr_runs.test_fresh_applications import COUNTS, FIRST
from tests.sandbox_runs.conftest import Repository, Sandboxes
from tests.test_runs.conftest import Runs
from twindiff.browser.chromium import NoBrowser, chromium

ASKS = "steps: [{action: ask_user_question, value: 'Go on?'}]\n"


@pytest.fixture(scope="module", autouse=True)
def _has_browser():
    try:
        chromium()
    except NoBrowser as absent:
        pytest.skip(str(absent))


class PausedRun:
    """A pull request run, one of whose tests asks whether to go on."""

    def __init__(self, live, repository, **asked):
        self.runs, self.client, self.sandboxes = Runs(live), live.client, Sandboxes(live)
        self.run_id = self.runs.create("/validate/pr-run", repo=str(repository.path), **asked)
        self.runs.until(self.run_id, lambda _: self._find_asking() is not None)
        self.sandbox = self.sandboxes.get(self.runs.get(self.run_id)["sandbox_id"])

    def _find_asking(self):
        """The id of its test run that has asked, if one has."""
        listed = succeeded(self.client.get("/test-runs"))["runs"]
        for each in listed:
            events = self.runs.get(each["id"])["events_json"] if each["source_run_id"] == self.run_id else []
            if any(event["type"] == "ask_user_question" for event in events):
                return each["id"]
        return None

    def finish(self):
        """Answer; the status of the run when it has ended, and name, status and detail of each result."""
        succeeded(self.client.post(f"/test-runs/{self._find_asking()}/messages", json={"message": "yes"}))
        run = self.runs.wait(self.run_id)
        return run["status"], [(each["name"], each["status"], each.get("detail", "")) for each in run["results_json"]]


def make_repository(path, **tests):
    made = Repository(path / "counts", app_DOT_py=COUNTS)
    made.git("checkout", "--quiet", "-b", "feature")
    made.commit("Test", **{f"_DOT_arga__tests__{name}_DOT_yml": text for name, text in tests.items()})
    return made


def test_a_run_fails_whose_application_ended_after_its_last_test(live, tmp_path):
    paused = PausedRun(live, make_repository(tmp_path, a=FIRST, b=ASKS + "fresh: true\n"))
    with pytest.raises(httpx.RemoteProtocolError):
        httpx.get(f"{paused.sandbox['app_url']}/end", trust_env=False)
    paused.sandboxes.until(paused.sandbox["sandbox_id"], lambda run: run["status"] != "ready")
    status, results = paused.finish()
    assert (status, [each[:2] for each in results]) == (
        "failed",
        [("a", "passed"), ("b", "passed"), ("the application runs until its tests are done", "failed")],
    )
    assert results[-1][2].startswith("the application ended with exit code 3"), results
    assert "lost its database" in results[-1][2]


def test_a_run_whose_twins_are_torn_down_in_the_middle_fails_its_tests_from_then_on(live, tmp_path):
    paused = PausedRun(live, make_repository(tmp_path, a=ASKS, b=FIRST), twins=["slack"])
    succeeded(paused.client.post(f"/twin-runs/{paused.sandbox['twin_run_id']}/teardown"))
    status, results = paused.finish()
    assert (status, [each[:2] for each in results]) == ("failed", [("a", "failed"), ("b", "failed")])
    assert "the steps passed; the twins of the run ended (torn_down)" in results[0][2]
    assert "has ended: it is torn_down" in results[1][2]
