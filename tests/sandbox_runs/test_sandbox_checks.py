"""Checks of a test in a sandbox judge the twins that its application speaks to, and no others."""

import json
import re

import httpx
import pytest

from tests.cli.conftest import twindiff
from tests.harness import succeeded
from tests.sandbox_runs.conftest import Repository, Sandboxes
from tests.test_runs.conftest import Runs
from twindiff.browser.chromium import NoBrowser, chromium
from twindiff.server.apis.test_runs.likely_causes import find_unreached_hosts

__all__ = ["twindiff"]

TELLS = """import http.server, json, os, urllib.request

def tell():
    url = os.environ["SLACK_API_URL"] + "/chat.postMessage"
    headers = {"Authorization": "Bearer " + os.environ["SLACK_BOT_TOKEN"], "Content-Type": "application/json"}
    body = json.dumps({"channel": "general", "text": "Ada has paid"}).encode()
    urllib.request.urlopen(urllib.request.Request(url, body, headers)).read()

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/tell":
            tell()
        if self.path == "/elsewhere":
            print("not told: getaddrinfo ENOTFOUND slack.com, see https://docs.slack.dev", flush=True)
        body = b"<h1>Told</h1>" if self.path == "/tell" else b"<h1>Desk</h1><a href=/tell>Tell</a>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body)

http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
"""
STEPS = [
    {"action": "click", "selector": "text=Tell"},
    {"action": "expect", "expect": {"type": "text", "contains": "Told"}},
]


def messages(count):
    return {"assertions": [{"diff_type": "added", "entity": "messages", "expected_count": count}]}


@pytest.fixture(scope="module", autouse=True)
def _browser():
    try:
        chromium()
    except NoBrowser as absent:
        pytest.skip(str(absent))


@pytest.fixture(scope="module")
def sandbox(live, tmp_path_factory):
    """One for all tests, which are judged by what has changed since each began."""
    sandboxes = Sandboxes(live)
    repository = Repository(tmp_path_factory.mktemp("checked") / "repository", app_DOT_py=TELLS)
    run = sandboxes.create(repo=str(repository.path), twins=["slack"])
    assert run["status"] == "ready", sandboxes.logs(run["sandbox_id"])
    yield run
    sandboxes.delete(run["sandbox_id"])


@pytest.mark.parametrize(("count", "status"), [(1, "completed"), (0, "failed")])
def test_checks_of_a_sandbox_judge_the_twins_of_its_application(live, sandbox, count, status):
    asked = {"sandbox_id": sandbox["sandbox_id"], "test_config": {"steps": STEPS}, "checks": messages(count)}
    run = Runs(live).run(**asked)
    assert (run["status"], run["twin_run_id"]) == (status, sandbox["twin_run_id"]), run["failure_detail"]
    assert [row["message_text"] for row in run["diff"]["inserts"]] == ["Ada has paid"]


def test_a_test_of_a_sandbox_shows_what_its_twins_changed_since_it_began(live, sandbox):
    runs = Runs(live)
    asked = {"sandbox_id": sandbox["sandbox_id"], "test_config": {"steps": STEPS}}
    assert len(runs.run(**asked)["diff"]["inserts"]) == 1
    assert len(runs.run(**asked)["diff"]["inserts"]) == 1


def test_a_failed_test_names_the_vendors_own_host_that_its_application_did_not_reach(live, sandbox):
    goto = {"action": "goto", "value": "/elsewhere"}
    steps = [goto, {**STEPS[1], "timeout_ms": 100}]
    run = Runs(live).run(sandbox_id=sandbox["sandbox_id"], test_config={"steps": steps})
    assert "a likely cause: the application did not reach slack.com" in run["failure_detail"]
    assert "proxy: true" in run["failure_detail"]


def test_failed_checks_name_the_vendors_own_host_that_the_application_did_not_reach(live, sandbox):
    steps = [{"action": "goto", "value": "/elsewhere"}]
    run = Runs(live).run(sandbox_id=sandbox["sandbox_id"], test_config={"steps": steps}, checks=messages(1))
    assert run["failure_category"] == "checks", run
    assert "a likely cause: the application did not reach slack.com" in run["failure_detail"]


@pytest.mark.parametrize(
    ("printed", "is_unreached"),
    [
        ("Connected to slack.com", False),
        ("GET https://slack.com/api/auth.test 200 Connection: keep-alive timeout=5", False),
        ("Resolved slack.com to 127.0.0.1 via proxy", False),
        ("TLS certificate of slack.com verified", False),
        ("Failed to resolve 'slack.com' ([Errno -3] Temporary failure in name resolution)", True),
        ("dial tcp 10.0.0.1:443: lookup slack.com: i/o timeout", True),
        ("curl: (7) Failed to connect to slack.com port 443 after 1 ms: Connection refused", True),
        ("ssl.SSLCertVerificationError: certificate verify failed: slack.com", True),
    ],
)
def test_only_lines_that_tell_of_a_failure_name_hosts_that_were_not_reached(live, printed, is_unreached):
    twins = [live.service.registry.get("slack")]
    assert [*find_unreached_hosts([printed], twins)] == (["slack.com"] if is_unreached else [])


def test_a_saved_test_with_checks_judges_the_twins_of_the_sandbox_it_runs_in(live, sandbox):
    kept = {"name": "tells", "twins": ["slack"], "checks": messages(0), "test_config": {"steps": STEPS}}
    test = succeeded(live.client.post("/tests", json=kept))
    runs = Runs(live)
    run = runs.wait(runs.create(f"/tests/{test['id']}/run", sandbox_id=sandbox["sandbox_id"]))
    assert (run["status"], run["twin_run_id"]) == ("failed", sandbox["twin_run_id"])


def test_a_repeated_test_of_a_sandbox_is_judged_by_its_twins_again(live, sandbox):
    runs = Runs(live)
    asked = {"sandbox_id": sandbox["sandbox_id"], "test_config": {"steps": STEPS}, "checks": messages(1)}
    again = runs.wait(runs.create(f"/test-runs/{runs.run(**asked)['id']}/rerun"))
    assert (again["status"], again["sandbox_id"]) == ("completed", sandbox["sandbox_id"]), again["failure_detail"]


def test_twins_beside_a_sandbox_are_refused_for_it_has_its_own(live, sandbox):
    asked = {"sandbox_id": sandbox["sandbox_id"], "twins": ["slack"], "checks": messages(0)}
    answer = live.client.post("/test-runs", json=asked)
    assert (answer.status_code, "has twins of its own (slack)" in answer.json()["detail"]) == (422, True), answer.text


def test_twins_of_another_run_are_no_judges_of_a_sandbox(live, sandbox):
    other = live.client.post("/twin-runs", json={"twins": ["slack"], "ttl_minutes": 5}).json()["run_id"]
    asked = {"sandbox_id": sandbox["sandbox_id"], "provision_id": other, "checks": messages(0)}
    answer = live.client.post("/test-runs", json=asked)
    assert (answer.status_code, answer.json()["detail"].partition(":")[0]) == (422, "provision_id"), answer.text


def test_checks_of_a_sandbox_without_twins_are_refused_with_what_to_do(live, sandboxes, repository):
    run = sandboxes.create(repo=str(repository(app_DOT_py=TELLS).path))
    answer = live.client.post("/test-runs", json={"sandbox_id": run["sandbox_id"], "checks": messages(0)})
    assert (answer.status_code, "was started without twins" in answer.json()["detail"]) == (422, True), answer.text


def test_the_command_line_judges_the_twins_of_a_sandbox(twindiff, sandbox, tmp_path):
    files = {name: tmp_path / f"{name}.json" for name in ("steps", "none", "one")}
    for name, held in {"steps": {"steps": STEPS}, "none": messages(0), "one": messages(1)}.items():
        files[name].write_text(json.dumps(held))
    place = ("--sandbox-id", sandbox["sandbox_id"], "--test-config", str(files["steps"]))
    assert twindiff("test-runs", "create", *place, "--checks", str(files["one"])).exit_code == 0
    assert twindiff("test-runs", "create", *place, "--checks", str(files["none"])).exit_code == 1


def test_the_command_line_runs_saved_checks_in_a_sandbox_and_beside_a_twin_run(twindiff, live, sandbox):
    kept = {"name": "tells", "checks": messages(1), "test_config": {"steps": STEPS}, "start_url": sandbox["app_url"]}
    test = succeeded(live.client.post("/tests", json=kept))["id"]
    for place in ("--sandbox-id", sandbox["sandbox_id"]), ("--provision-id", sandbox["twin_run_id"]):
        said = twindiff("tests", "run", test, *place)
        assert said.exit_code == 0, said.output


def test_a_test_with_twins_of_its_own_can_be_repeated_in_a_sandbox(live, sandbox):
    runs = Runs(live)
    first = runs.create(start_url=sandbox["app_url"], twins=["slack"], test_config={"steps": STEPS})
    again = runs.wait(runs.create(f"/test-runs/{first}/rerun", sandbox_id=sandbox["sandbox_id"]))
    assert (again["status"], again["twin_run_id"]) == ("completed", sandbox["twin_run_id"]), again["failure_detail"]


def test_a_failed_check_says_which_row_is_nearest_and_what_differs_in_it(live, sandbox):
    where = {"message_text": {"eq": "Ada has left"}}
    checks = {"assertions": [{"diff_type": "added", "entity": "messages", "where": where, "expected_count": 1}]}
    asked = {"sandbox_id": sandbox["sandbox_id"], "test_config": {"steps": STEPS}}
    run = Runs(live).run(**asked, checks=checks)
    nearest = 'In the nearest row message_text should be "Ada has left" but is "Ada has paid"'
    assert nearest in run["failure_detail"]
    assert nearest in run["results_json"][-1]["detail"]


def test_the_page_shows_the_row_that_a_check_missed_first_and_few_of_its_columns(live, sandbox):
    where = {"message_text": {"eq": "Ada has left"}}
    checks = {"assertions": [{"diff_type": "added", "entity": "messages", "where": where, "expected_count": 1}]}
    run = Runs(live).run(sandbox_id=sandbox["sandbox_id"], test_config={"steps": STEPS}, checks=checks)
    page = live.client.get(run["page_url"]).text
    (missed,) = re.findall(r"<li class=missed>(.*?)</li>", page)
    line, _, rest = missed.partition("<details>")
    assert "<b>Slack</b> message" in line
    assert "<span class=field>message_text <b>Ada has paid</b></span>" in line
    assert "message_text should be &quot;Ada has left&quot; but is &quot;Ada has paid&quot;" in line
    assert line.count("class=field") <= 5
    assert "user_id" in rest


def test_the_page_of_a_test_in_a_sandbox_shows_what_its_application_printed(live, sandbox):
    run = Runs(live).run(sandbox_id=sandbox["sandbox_id"], test_config={"steps": STEPS})
    page = live.client.get(run["page_url"]).text
    assert "GET /tell HTTP/1.1" in page[page.index("What the application printed") :]


AWAITS_END = """import os, sys, urllib.error, urllib.request
print("asks", flush=True)
gone = False
while not gone:
    try:
        urllib.request.urlopen(os.environ["SLACK_API_URL"] + "/api.test").read()
    except urllib.error.HTTPError as error:
        gone = error.code == 410
    except OSError:
        gone = True
"""


def test_an_application_whose_twins_ended_before_it_listens_is_not_ready(sandboxes, repository):
    made = repository(app_DOT_py=AWAITS_END + TELLS)
    run = succeeded(sandboxes.client.post("/sandbox-runs", json={"repo": str(made.path), "twins": ["slack"]}))
    sandboxes.made.append(run["sandbox_id"])
    sandboxes.logs_with(run["sandbox_id"], "asks")
    succeeded(sandboxes.client.post(f"/twin-runs/{sandboxes.get(run['sandbox_id'])['twin_run_id']}/teardown"))
    ended = sandboxes.until(run["sandbox_id"], lambda run: run["status"] not in ("queued", "provisioning"))
    assert (ended["status"], "the twins of the run ended (torn_down)" in ended["error"]) == ("failed", True), ended


LOSES = TELLS.replace(
    "    def do_GET(self):\n", '    def do_GET(self):\n        self.path == "/lose" and open("lost", "w")\n'
)
LOST_BY = {
    "the application lost its service 'worker', which ended with exit code 2 during the test: ls: ": "/lose",
    "the sandbox run of the application was deleted during the test": "",
}


@pytest.mark.parametrize("why", LOST_BY)
def test_a_test_whose_application_is_lost_fails_although_its_steps_passed(live, sandboxes, repository, why):
    worker = (
        "app: {app_command: python app.py, services: {worker: 'until [ -e lost ]; do sleep 0.05; done; ls /missing'}}"
    )
    made = sandboxes.create(repo=str(repository(_DOT_arga__sandbox_DOT_yml=worker, app_DOT_py=LOSES).path))
    assert made["status"] == "ready", made["error"]
    runs, sandbox_id = Runs(live), made["sandbox_id"]
    run_id = runs.create(
        sandbox_id=sandbox_id, test_config={"steps": [{"action": "ask_user_question", "value": "Go on?"}]}
    )
    runs.until(run_id, lambda run: any(each["type"] == "ask_user_question" for each in run["events_json"]))
    if path := LOST_BY[why]:
        httpx.get(made["app_url"] + path, trust_env=False)
    else:
        sandboxes.delete(sandbox_id)
    sandboxes.until(sandbox_id, lambda run: run["status"] not in ("ready", "provisioning"))
    succeeded(live.client.post(f"/test-runs/{run_id}/messages", json={"message": "yes"}))
    run = runs.wait(run_id)
    assert (run["status"], run["failure_category"], why in run["failure_detail"]) == ("failed", "application", True), (
        run
    )
