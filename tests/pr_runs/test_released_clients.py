"""Arga's released SDK and command line, unmodified: test runs, saved tests, sandbox runs and pull request runs."""

import asyncio
import json

import pytest
from arga_sdk import Arga, AsyncArga

from tests.arga_command import Arga as Command
from tests.arga_command import NotInstalled
from tests.sandbox_runs.conftest import SERVES, Repository
from tests.test_runs.site import Site
from twindiff.browser.chromium import NoBrowser, chromium

STEPS = {"version": 1, "steps": [{"action": "expect", "expect": {"type": "visible", "selector": "body"}}]}


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


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    tests = {"_DOT_arga__tests__opens_DOT_yml": json.dumps(STEPS)}
    made = Repository(tmp_path_factory.mktemp("released") / "shop", app_DOT_py=SERVES, **tests)
    made.git("checkout", "--quiet", "-b", "feature")
    made.commit("Tidy", app_DOT_py=SERVES + "# tidied\n")
    made.git("checkout", "--quiet", "main")
    return str(made.path)


@pytest.fixture(scope="module")
def arga(server, tmp_path_factory):
    try:
        command = Command(tmp_path_factory.mktemp("home"), server)
    except NotInstalled as error:
        pytest.skip(str(error))
    command("login")
    (command.home / "steps.json").write_text(json.dumps(STEPS))
    yield command
    command.close()


def found(text):
    """The JSON that a command printed."""
    return json.loads(text[text.index("{") :])


@pytest.fixture(scope="module")
def done(live, site):
    """A run of the SDK that has ended."""
    with Arga(api_key="arga_sk_any", base_url=live.url) as arga:
        run = arga.runs.create_url_run(site, credentials={"email": "test@example.com", "password": "pass"})
        assert list(arga.runs.stream_results(run.run_id))
        return arga.runs.wait(run.run_id, poll_interval=0.1)


def test_the_sdk_makes_streams_waits_for_and_cancels_runs(live, done):
    with Arga(api_key="arga_sk_any", base_url=live.url) as arga:
        assert done.status == "completed"
        assert arga.runs.get(done.run_id).step_summaries is not None
        assert arga.runs.cancel(done.run_id)["status"] == "cancelled"


def test_the_sdk_does_so_with_async(live, site, done):
    async def episode():
        async with AsyncArga(api_key="arga_sk_any", base_url=live.url) as arga:
            run = await arga.runs.create_url_run(site)
            cancelled = await arga.runs.cancel(run.run_id)
            events = [event async for event in arga.runs.stream_results(done.run_id)]
            detail = await arga.runs.wait(done.run_id, poll_interval=0.1)
            return cancelled["status"], len(events) > 0, detail.status, (await arga.runs.get(run.run_id)).status

    assert asyncio.run(episode()) == ("cancelled", True, "completed", "cancelled")


def test_the_sdk_makes_pr_runs_with_async(live, repository):
    async def episode():
        async with AsyncArga(api_key="arga_sk_any", base_url=live.url) as arga:
            run = await arga.runs.create_pr_run(repository, branch="feature")
            return (await arga.runs.wait(run.run_id, poll_interval=0.2, timeout=120)).status

    assert asyncio.run(episode()) == "completed"


def test_the_command_line_runs_lists_and_repeats_tests(arga, site):
    run_id = found(arga("test-runs", "url", "--url", site, "--test-config", "steps.json", "--json"))["run_id"]
    assert run_id in arga("test-runs", "list")
    assert run_id in arga("test-runs", "get", run_id)
    arga("test-runs", "logs", run_id)
    assert run_id in arga("runs", "status", run_id)
    again = found(arga("test-runs", "rerun", run_id, "--json"))
    arga("runs", "cancel", again["id"])


def test_the_command_line_keeps_tests(arga, site):
    wanted = ("--name", "opens", "--test-config", "steps.json", "--url", site, "--repo", "acme/kept", "--ci", "--json")
    made = found(arga("tests", "create", *wanted))
    assert made["id"] in arga("tests", "list", "--repo", "acme/kept")
    assert made["id"] in arga("tests", "get", made["id"])
    run = found(arga("tests", "run", made["id"], "--url", site, "--json"))
    arga("runs", "cancel", run["id"])
    arga("tests", "delete", made["id"])


def test_the_command_line_carries_a_test_over_files_and_edits_it(arga, site, monkeypatch):
    whole = {"name": "whole", "start_url": site, "repo_full_name": "acme/carried", "tags": ["a"], "test_config": STEPS}
    (arga.home / "whole.json").write_text(json.dumps(whole))
    made = found(arga("tests", "import", "--file", "whole.json", "--json"))
    arga("tests", "export", made["id"], "--output", "exported.json")
    exported = json.loads((arga.home / "exported.json").read_text())
    assert (exported["name"], exported["tags"]) == ("whole", ["a"])
    again = found(arga("tests", "import", "--file", "exported.json", "--json"))
    assert (again["id"] != made["id"], again["test_config"]) == (True, made["test_config"])
    editor = arga.home / "rename"
    editor.write_text("#!/bin/sh\nsed -i s/whole/renamed/ $1\n")
    editor.chmod(0o755)
    monkeypatch.setitem(arga.environment, "EDITOR", str(editor))
    edited = found(arga("tests", "edit", made["id"], "--json"))
    assert (edited["name"], edited["test_config"]) == ("renamed", made["test_config"])
    for each in (made, again):
        arga("tests", "delete", each["id"])


def test_the_command_line_and_the_server_read_a_config_alike(arga, live):
    (arga.home / "broken.json").write_text('{"steps": [{"action": "dance"}]}')
    arga("tests", "config", "validate", "--file", "steps.json")
    assert "1" in arga("tests", "config", "summarize", "--file", "steps.json")
    assert arga.run("tests", "config", "validate", "--file", "broken.json").returncode == 1
    normal = found(arga("tests", "config", "normalize", "--file", "steps.json"))
    kept = live.client.post("/tests", json={"name": "normal", "test_config": normal}).json()["test_config"]
    assert [step["action"] for step in kept["steps"]] == [step["action"] for step in normal["steps"]]


def test_the_command_line_keeps_settings_of_checks_and_is_told_that_nothing_is_posted(arga, live):
    arga("previews", "pr-checks", "install", "acme/checked")
    arga("previews", "pr-checks", "config-set", "acme/checked", "--comments", "on")
    assert "acme/checked" in arga("previews", "pr-checks", "config", "acme/checked")
    assert "acme/checked" in arga("previews", "pr-checks", "enabled")
    arga("previews", "pr-checks", "disable", "acme/checked")
    assert "acme/checked" not in arga("previews", "pr-checks", "enabled")
    said = live.client.get("/validation/github/config", params={"repo": "acme/checked"}).json()["message"]
    assert "No GitHub twin is linked" in said


def test_the_command_line_starts_sandboxes(arga, repository):
    made = found(arga("sandbox-runs", "create", "--repo", repository, "--branch", "feature", "--json"))
    assert made["sandbox_id"] in arga("sandbox-runs", "status", made["sandbox_id"])
    arga("sandbox-runs", "logs", made["sandbox_id"])
    arga("sandbox-runs", "teardown", made["sandbox_id"])


def test_the_command_line_tests_branches(arga, live, repository):
    said = arga("previews", "pr-checks", "run", "--repo", repository, "--branch", "feature", "--json")
    run_id = found(said)["run_id"]
    assert live.client.get(f"/runs/{run_id}").json()["branch"] == "feature"
    arga("runs", "logs", run_id)
    arga("runs", "cancel", run_id)
    arga("previews", "pr-checks", "config", "acme/shop")
    arga("previews", "pr-checks", "enable", "acme/shop")
    assert "acme/shop" in arga("previews", "pr-checks", "enabled")
