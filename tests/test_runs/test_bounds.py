"""What a run may not do, and what becomes of runs that do not end by themselves."""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
from pathlib import Path

import psutil
import pytest

from tests.server_mode import embedded_only
from tests.test_runs.conftest import Runs
from twindiff.browser.job import MARK
from twindiff.browser.proxy import Gate, Refused

SLOW = {"action": "wait", "value": 60_000}


def processes(run_id: str) -> list[psutil.Process]:
    """The processes of a run that are there."""
    found = []
    for each in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if each.environ().get(MARK) == run_id:
                found.append(each)
    return found


def nothing_is_left_of(run_id: str) -> bool:
    return not processes(run_id) and not list(Path(tempfile.gettempdir()).glob(f"twindiff-{run_id[:16]}*"))


def is_waiting(run):
    return any(event["type"] == "step_started" and "60000" in event["message"] for event in run["events_json"])


def test_runs_that_go_too_far_are_ended_with_the_reason_and_nothing_is_left(runs, site):
    seconds = {"timeout_seconds": 8}
    endings = {
        runs.create(start_url=f"{site.url}/busy", prompt="Click Pay", **seconds): "took longer than 8 seconds",
        runs.create(start_url=f"{site.url}/dialogs", prompt="Click Pay"): "more than 50 dialogs",
        runs.create(start_url=f"{site.url}/about", prompt="Go to /endless"): "could not be opened",
    }
    for run_id, reason in endings.items():
        run = runs.wait(run_id)
        assert (run["status"], reason in run["failure_detail"]) == ("failed", True), run["failure_detail"]
        assert nothing_is_left_of(run_id)


def test_ten_thousand_lines_and_twenty_windows_are_bounded(runs, site):
    chatty = runs.create(start_url=f"{site.url}/chatty", prompt="Expect chatty")
    popups = runs.run(start_url=f"{site.url}/popups", test_config={"steps": [{"action": "wait", "value": 300}]})
    run = runs.wait(chatty)
    assert (run["status"], popups["status"]) == ("completed", "completed")
    assert sum(len(result["console"]) for result in run["results_json"]) <= 100


def test_a_killed_worker_leaves_the_run_failed_with_the_reason(runs, site):
    run_id = runs.create(start_url=site.url, test_config={"steps": [SLOW]})
    runs.until(run_id, is_waiting)
    worker = next(each for each in processes(run_id) if "twindiff.browser" in each.cmdline())
    os.kill(worker.pid, signal.SIGKILL)
    run = runs.wait(run_id)
    assert (run["status"], run["failure_category"]) == ("failed", "worker")
    assert "SIGKILL" in run["failure_detail"]
    assert "start.png" in run["artifacts"]
    assert nothing_is_left_of(run_id)


@embedded_only("processes over one database wait before they count one of them as gone")
def test_a_server_that_stops_leaves_its_runs_failed_and_no_process(make_server, tmp_path, site):
    server = make_server(data_dir=str(tmp_path))
    runs = Runs(server)
    run_id = runs.create(start_url=site.url, test_config={"steps": [SLOW]})
    runs.until(run_id, is_waiting)
    server.close()
    assert nothing_is_left_of(run_id)
    run = Runs(make_server(data_dir=str(tmp_path))).get(run_id)
    assert (run["status"], run["failure_category"]) == ("failed", "server")
    assert "start.png" in run["artifacts"]


def test_a_page_reaches_no_other_host_and_not_the_server_of_the_tests(runs, live, site):
    script = "fetch(new URLSearchParams(location.search).get('to'), {mode: 'no-cors'}).then(() => out.innerText='done')"
    site.pages["/curious"] = f"<!doctype html><p id=out></p><script>{script}</script>"
    here = site.url.replace("127.0.0.1", "localhost")
    for to in (f"{live.url}/test-runs", f"{site.url}/away?to={live.url}/test-runs", "http://example.com/"):
        run = runs.run(start_url=f"{here}/curious?to={to}", prompt="Expect done")
        target = "example.com" if "example.com" in to else live.url.rpartition("/")[2]
        refused = [event["message"] for event in run["events_json"] if event["type"] == "refused"]
        assert (run["status"], [target in each for each in refused]) == ("completed", [True])


def test_a_start_url_on_the_server_itself_is_refused(runs, live):
    run = runs.run(start_url=f"{live.url}/test-runs", prompt="Expect runs")
    assert (run["status"], run["failure_category"]) == ("failed", "navigation")


CONTROL = "http://127.0.0.1:8000"
GATE = Gate(f"{CONTROL}/", ["cdn.example.com"], [f"{CONTROL}/api/env/e1/services/slack"], [CONTROL])


@pytest.mark.parametrize(
    ("host", "port", "path"),
    [
        ("127.0.0.1", 8000, "/"),
        ("localhost", 8000, "/api/env/e2/services/slack/api/x"),
        ("::1", 8000, "/api/env/e1/services/slackish"),
        ("127.0.0.1", 8000, "/api/env/e1/services/slack/../../../platform/health"),
        ("127.0.0.1", 8000, "/api/env/e1/services/slack/%2e%2e/x"),
        ("127.0.0.1", 8000, None),
        ("evil.localhost", 8000, "/"),
        ("127.0.0.1", 8001, "/"),
        ("example.com", 80, "/"),
    ],
)
def test_the_gate_keeps_shut(host, port, path):
    with pytest.raises(Refused):
        GATE.check(host, port, path)


def test_the_gate_opens_for_twins_and_named_hosts():
    GATE.check("localhost", 8000, "/api/env/e1/services/slack/api/chat.postMessage")
    GATE.check("cdn.example.com", 443, None)
    GATE.check("cdn.example.com", 80, "/x.js")
