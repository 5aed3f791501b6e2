"""Actions: runs that happen in time, logs, artifacts, attempts."""

from __future__ import annotations

from .conftest import Hub

WORKFLOW = """
name: CI
on: [push, workflow_dispatch]
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - run: echo Building
      - uses: actions/upload-artifact@v4
        with: {name: app}
  test:
    needs: build
    runs-on: ubuntu-latest
    steps:
      - name: Test
        run: exit 1
      - run: echo never
"""


def begun(hub: Hub, text: str = WORKFLOW) -> tuple[str, str]:
    """Write a workflow; the push starts it. Give the paths of the repository and of the run."""
    repo = hub.repo()
    hub.write(repo, ".github/workflows/ci.yml", text)
    (run,) = hub("GET", f"{repo}/actions/runs")["workflow_runs"]
    assert (run["status"], run["event"], run["name"]) == ("queued", "push", "CI")
    return repo, f"{repo}/actions/runs/{run['id']}"


def test_a_run_takes_time_and_ends_as_its_workflow_says(github):
    hub = github(clock={"mode": "steps"})
    _, run = begun(hub)
    hub.advance(60)
    ended = hub("GET", run)
    assert (ended["status"], ended["conclusion"]) == ("completed", "failure")
    jobs = hub("GET", f"{run}/jobs")["jobs"]
    assert [(job["name"], job["conclusion"]) for job in jobs] == [("build", "success"), ("test", "failure")]
    assert [step["conclusion"] for step in jobs[1]["steps"]] == ["failure", "skipped"]
    log = hub.http("GET", run.rpartition("/runs")[0] + f"/jobs/{jobs[0]['id']}/logs", follow_redirects=True).text
    assert "Building" in log


def test_artifacts_and_logs_are_archives(github):
    hub = github(clock={"mode": "steps"})
    repo, run = begun(hub)
    hub.advance(60)
    (artifact,) = hub("GET", f"{run}/artifacts")["artifacts"]
    for path in (f"{repo}/actions/artifacts/{artifact['id']}/zip", f"{run}/logs"):
        assert hub.http("GET", path, follow_redirects=True).content[:2] == b"PK"
    hub("DELETE", f"{run}/logs")
    assert hub.refused("GET", f"{run}/logs")[0] == 410


def test_failed_jobs_are_run_again(github):
    hub = github(clock={"mode": "steps"})
    _, run = begun(hub)
    assert hub.refused("POST", f"{run}/rerun")[0] == 403
    hub.advance(60)
    hub("POST", f"{run}/rerun-failed-jobs")
    hub.advance(60)
    again = hub("GET", run)
    assert (again["run_attempt"], again["conclusion"]) == (2, "failure")


def test_a_secret_is_not_in_a_log(github):
    hub = github(clock={"mode": "steps"})
    repo = hub.repo()
    hub("PUT", f"{repo}/actions/secrets/KEY", {"encrypted_value": "hunter2", "key_id": "1"})
    steps = "- run: echo ${{ secrets.KEY }} and more"
    hub.write(repo, ".github/workflows/a.yml", f"on: push\njobs:\n  a:\n    steps:\n      {steps}\n")
    hub.advance(60)
    (run,) = hub("GET", f"{repo}/actions/runs")["workflow_runs"]
    (job,) = hub("GET", f"{repo}/actions/runs/{run['id']}/jobs")["jobs"]
    log = hub.http("GET", f"{repo}/actions/jobs/{job['id']}/logs", follow_redirects=True).text
    assert ("*** and more" in log, "hunter2" in log) == (True, False)


def test_a_run_is_dispatched_with_inputs_and_cancelled(hub: Hub):
    repo = hub.repo()
    text = "on:\n  workflow_dispatch:\n    inputs:\n      to: {required: true}\njobs:\n  a: {steps: [{run: echo}]}\n"
    hub.write(repo, ".github/workflows/go.yml", text)
    path = f"{repo}/actions/workflows/go.yml/dispatches"
    assert hub.refused("POST", path, {"ref": "main"})[0] == 422
    assert hub.refused("POST", path, {"ref": "nope"})[0] == 422
    hub("POST", path, {"ref": "main", "inputs": {"to": "x"}})
    (run,) = hub("GET", f"{repo}/actions/runs")["workflow_runs"]
    hub("POST", f"{repo}/actions/runs/{run['id']}/cancel")
    assert hub("GET", f"{repo}/actions/runs/{run['id']}")["conclusion"] == "cancelled"


def test_checks_of_a_run_make_a_pull_request_unstable_and_then_clean(github):
    hub = github(clock={"mode": "steps"})
    repo = hub.repo()
    hub.write(repo, ".github/workflows/a.yml", "on: pull_request\njobs:\n  a: {steps: [{run: echo}]}\n")
    assert hub.pull(repo)["mergeable_state"] == "unstable"
    hub.advance(60)
    assert hub("GET", f"{repo}/pulls/1")["mergeable_state"] == "clean"


def test_auto_merge_waits_for_the_checks(github):
    hub = github(clock={"mode": "steps"})
    repo = hub.repo(allow_auto_merge=True)
    hub.write(repo, ".github/workflows/a.yml", "on: pull_request\njobs:\n  a: {steps: [{run: echo}]}\n")
    given = {"pullRequestId": hub.pull(repo)["node_id"], "mergeMethod": "SQUASH"}
    query = (
        "mutation($i: EnablePullRequestAutoMergeInput!) { enablePullRequestAutoMerge(input: $i) { clientMutationId } }"
    )
    assert "errors" not in hub("POST", "/graphql", {"query": query, "variables": {"i": given}})
    assert not hub("GET", f"{repo}/pulls/1")["merged"]
    hub.advance(60)
    assert hub("GET", f"{repo}/pulls/1")["merged"]
