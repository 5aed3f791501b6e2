"""Tests of a repository that share an application, that have one of their own, and whose application ends."""

import pytest

from tests.sandbox_runs.conftest import Repository
from twindiff.browser.chromium import NoBrowser, chromium
from twindiff.client import Client
from twindiff.server.apis.sandbox_runs import runs

COUNTS = """import http.server, os, threading

class Handler(http.server.BaseHTTPRequestHandler):
    count = 0

    def do_GET(self):
        if self.path == "/end":
            print("lost its database", flush=True)
            os._exit(3)
        Handler.count += self.path == "/"
        body = f"<h1>visit {Handler.count}</h1><script>if (location.hash) fetch('/end')</script>".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body)

http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
"""
FIRST = "steps:\n- {action: expect, expect: {type: text, contains: visit 1}}\n"
ENDS = """steps:
- {action: goto, value: '/?x#end'}
- {action: wait, value: 1500}
- {action: expect, expect: {type: text, contains: visit}}
"""


@pytest.fixture(scope="module", autouse=True)
def _has_browser():
    try:
        chromium()
    except NoBrowser as absent:
        pytest.skip(str(absent))


@pytest.fixture(scope="module")
def results(live, tmp_path_factory):
    """Status and detail of each test of one run, in which they come in this order."""
    made = Repository(tmp_path_factory.mktemp("fresh") / "counts", app_DOT_py=COUNTS)
    made.git("checkout", "--quiet", "-b", "feature")
    tests = {"a": FIRST, "b": FIRST + "fresh: true\n", "c": FIRST.replace("1", "2"), "d": ENDS}
    made.commit("Test", **{f"_DOT_arga__tests__{name}_DOT_yml": text for name, text in tests.items()})
    with Client(live.url) as client:
        run = client.runs.wait(client.runs.create_pr_run(repo=str(made.path)).run_id, timeout=120, poll_interval=0.1)
    return {each.name: (each.status, getattr(each, "detail", "")) for each in run.results_json}


def test_a_fresh_test_finds_a_new_application_and_others_what_was_done_before(results):
    assert {name: results[name][0] for name in "abc"} == dict.fromkeys("abc", "passed"), results


def test_a_test_whose_application_ends_fails_although_its_page_still_shows_what_it_expects(results):
    status, detail = results["d"]
    assert (status, "the application ended with exit code 3 during the test" in detail) == ("failed", True), detail


def test_a_sandbox_that_ends_slowly_changes_no_result(live, tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "SECONDS_TO_END", 0)
    made = Repository(tmp_path / "counts", app_DOT_py=COUNTS)
    made.git("checkout", "--quiet", "-b", "feature")
    made.commit("Test", _DOT_arga__tests__a_DOT_yml=FIRST, _DOT_arga__tests__b_DOT_yml=FIRST + "fresh: true\n")
    with Client(live.url) as client:
        run = client.runs.wait(client.runs.create_pr_run(repo=str(made.path)).run_id, timeout=120, poll_interval=0.1)
    assert [each.status for each in run.results_json] == ["passed", "passed"], run
    assert sum("has not ended with its tests" in event.message for event in run.events_json) == 2, run.events_json
