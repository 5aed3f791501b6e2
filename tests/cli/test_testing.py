"""`twindiff test-runs`, `tests`, `sandbox-runs` and `pr-run`."""

import json
import re

import httpx
import pytest

from tests.sandbox_runs.conftest import SERVES, Repository
from tests.test_runs.site import Site
from twindiff.browser.chromium import NoBrowser, chromium

STEPS = {"steps": [{"action": "expect", "expect": {"type": "text", "contains": "Shop"}}]}
MISSES = {"steps": [{"action": "expect", "expect": {"type": "text", "contains": "Elephants"}, "timeout_ms": 200}]}


@pytest.fixture(scope="module", autouse=True)
def _browser():
    try:
        chromium()
    except NoBrowser as absent:
        pytest.skip(str(absent))


@pytest.fixture(scope="module")
def site():
    served = Site()
    yield served.url
    served.close()


@pytest.fixture
def config(tmp_path):
    file = tmp_path / "test.json"
    file.write_text(json.dumps(STEPS))
    return str(file)


def test_a_test_run_is_followed_shown_listed_and_repeated(twindiff, site, config):
    said = twindiff("test-runs", "create", "--url", site, "--test-config", config)
    assert (said.exit_code, "1 of 1 steps passed" in said.output, "✓" in said.output) == (0, True, True)
    run_id = next(line.split()[1] for line in said.output.splitlines() if line.startswith("run "))
    assert "passed" in twindiff("test-runs", "show", run_id).output
    assert "step" in twindiff("test-runs", "logs", run_id).output
    assert run_id in twindiff("test-runs", "ls").output
    again = json.loads(twindiff("test-runs", "rerun", run_id, "--no-wait", "--json").output)
    assert twindiff("test-runs", "cancel", again["id"]).exit_code == 0


def test_a_run_that_fails_says_so_by_its_exit_code(twindiff, site, tmp_path):
    file = tmp_path / "misses.json"
    file.write_text(json.dumps(MISSES))
    said = twindiff("test-runs", "create", "--url", site, "--test-config", str(file))
    assert (said.exit_code, "Elephants" in said.output) == (1, True)


def test_a_test_is_kept_run_and_forgotten(twindiff, site, config, server):
    wanted = ("--test-config", config, "--url", site, "--repo", "acme/cli", "--tag", "page")
    made = json.loads(twindiff("tests", "create", "opens", *wanted, "--json").output)
    assert made["id"] in twindiff("tests", "ls", "--repo", "acme/cli").output
    assert json.loads(twindiff("tests", "show", made["id"]).output)["name"] == "opens"
    assert twindiff("tests", "run", made["id"]).exit_code == 0
    assert twindiff("tests", "rm", made["id"]).output == f"Forgot {made['id']} at {server}.\n"


def test_an_application_is_started_shown_and_ended_and_a_branch_of_it_tested(twindiff, tmp_path, server):
    repository = Repository(tmp_path / "shop", app_DOT_py=SERVES)
    repository.git("checkout", "--quiet", "-b", "fine")
    repository.commit("Tidy", app_DOT_py=SERVES + "# tidied\n")
    path = str(repository.path)
    made = json.loads(twindiff("sandbox-runs", "create", path, "--env", "COLOUR=red", "--json").output)
    assert httpx.get(made["app_url"], trust_env=False).json()["COLOUR"] == "red"
    assert made["app_url"] in twindiff("sandbox-runs", "status", made["sandbox_id"]).output
    assert made["sandbox_id"] in twindiff("sandbox-runs", "ls").output
    assert "listening on" in twindiff("sandbox-runs", "logs", made["sandbox_id"]).output
    assert twindiff("sandbox-runs", "rm", made["sandbox_id"]).output.endswith(f"has ended at {server}.\n")
    said = twindiff("pr-run", path, "--branch", "fine")
    assert (said.exit_code, "no test was chosen" in said.output) == (1, True)
    verdict = twindiff("pr-run", path, "--branch", "fine", "--allow-no-tests")
    assert (verdict.exit_code, "the application opens" in verdict.output) == (0, True)
    (page,) = re.findall(r"its page: (http\S+)\)", verdict.output)
    assert "the application opens" in httpx.get(page, trust_env=False).text


def test_a_repository_is_named_by_a_path_from_the_folder_one_is_in(twindiff, tmp_path, monkeypatch):
    repository = Repository(tmp_path / "shop", app_DOT_py=SERVES)
    repository.git("branch", "same")
    monkeypatch.chdir(tmp_path)
    made = json.loads(twindiff("sandbox-runs", "create", "./shop", "--json").output)
    assert (made["status"], made["repo"]) == ("ready", str(repository.path))
    twindiff("sandbox-runs", "rm", made["sandbox_id"])
    monkeypatch.chdir(repository.path)
    assert "no difference" in twindiff("pr-run", ".", "--branch", "same").output


def test_an_application_that_does_not_start_ends_the_command_with_1(twindiff, tmp_path):
    repository = Repository(tmp_path / "dead", app_DOT_py="raise SystemExit('no')")
    repository.git("checkout", "--quiet", "-b", "change")
    repository.commit("Say more", app_DOT_py="raise SystemExit('no\\nway')")
    tested = twindiff("pr-run", str(repository.path), "--branch", "change").output
    assert ("It printed last:" in tested, "\\n" in tested) == (True, False)
    said = twindiff("sandbox-runs", "create", str(repository.path))
    assert (said.exit_code, "ended with exit code 1" in said.output) == (1, True)
