"""What a run may not do, and what becomes of runs that do not end by themselves."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from tests.harness import Json, LiveServer, succeeded
from tests.sandbox_runs.conftest import SERVES, Repository, Sandboxes, repository, variables_of
from tests.server_mode import embedded_only
from tests.soak.test_kill import KilledServer
from tests.test_runs.conftest import Runs
from tests.test_runs.site import Site
from twindiff.browser import limits
from twindiff.browser.job import MARK
from twindiff.browser.proxy import BrowserAccessPolicy, RequestBlocked
from twindiff.catalog.stamps import wall
from twindiff.server import Settings

__all__ = ["repository"]

WAIT = {"action": "wait", "value": 60_000}
ASK = {"action": "ask_user_question", "value": "Shall we?"}
HOSTILE: dict[str, tuple[str, Json, str]] = {
    "keeps its script busy": ("/busy", {"action": "click", "selector": "Pay", "timeout_ms": 100}, "did not answer"),
    "eats memory": ("/greedy", WAIT, "MB of memory, and a run may take 700"),
    "opens dialogs": ("/dialogs", WAIT, "more than 50 dialogs"),
    "downloads for ever": ("/get", {**WAIT, "selector": "text=Get all"}, "MB came over the network"),
    "never answers": ("/stuck", WAIT, "took longer than 6 seconds"),
}
"""Pages that go too far, with what is done on them and the reason with which their run is ended."""


def processes(run_id: str) -> list[psutil.Process]:
    """The processes of a run that are there."""
    of_run: list[psutil.Process] = []
    for each in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if each.environ().get(MARK) == run_id:
                of_run.append(each)
    return of_run


def nothing_is_left_of(run_id: str) -> bool:
    return not processes(run_id) and not list(Path(tempfile.gettempdir()).glob(f"twindiff-{run_id[:16]}*"))


def has(type: str, words: str = "") -> Callable[[Json], bool]:
    """Whether a run has come so far."""
    return lambda run: any(each["type"] == type and words in each["message"] for each in run["events_json"])


@pytest.fixture(scope="module")
def bounded() -> Iterator[Runs]:
    server = LiveServer(Settings(run_memory_mb=700, run_network_mb=20))
    yield Runs(server)
    server.close()


@pytest.fixture(scope="module")
def started(bounded: Runs, site: Site) -> dict[str, str]:
    """A run of every page that goes too far; they are done side by side."""
    ids: dict[str, str] = {}
    for name, (path, step, _) in HOSTILE.items():
        steps = [{"action": "click", "selector": step["selector"]}, WAIT] if "Get all" in str(step) else [step]
        seconds = 6 if path == "/stuck" else 240
        ids[name] = bounded.create(
            start_url=f"{site.url}{path}", test_config={"steps": [*steps, WAIT, WAIT, WAIT]}, timeout_seconds=seconds
        )
    return ids


@pytest.mark.parametrize("name", HOSTILE)
def test_a_page_that_goes_too_far_is_ended_with_the_reason_and_nothing_is_left(
    bounded: Runs, started: dict[str, str], name: str
):
    run = bounded.wait(started[name])
    assert (run["status"], HOSTILE[name][2] in run["failure_detail"]) == ("failed", True), run["failure_detail"]
    assert nothing_is_left_of(run["id"])


def test_ten_thousand_lines_and_twenty_windows_are_bounded(bounded: Runs, site: Site):
    popups = {"action": "goto", "value": "/popups"}
    run = bounded.steps(f"{site.url}/chatty", popups, {"action": "wait", "value": 300})
    assert run["status"] == "completed", run["failure_detail"]
    assert sum(len(result["console"]) for result in run["results_json"]) <= 100
    assert "a window was closed at once" in str([result["log"] for result in run["results_json"]])
    assert nothing_is_left_of(run["id"])


def test_a_download_that_is_not_complete_is_said_and_not_kept(bounded: Runs, site: Site):
    steps = [{"action": "click", "selector": "text=Get some"}, ASK, {"action": "wait", "value": 300}]
    run_id = bounded.create(start_url=f"{site.url}/get", test_config={"steps": steps})
    bounded.until(run_id, lambda run: has("ask_user_question")(run) and "/dripping" in site.asked)
    bounded.client.post(f"/test-runs/{run_id}/messages", json={"message": "yes"})
    run = bounded.wait(run_id)
    assert run["status"] == "completed", run["failure_detail"]
    assert has("log", "not complete when the run ended: download-1-endless.bin")(run)
    assert not [name for name in run["artifacts"] if name.startswith("download")]


@pytest.mark.parametrize(
    ("path", "step", "moment"),
    [
        ("/", WAIT, has("status", "running")),
        ("/stuck", WAIT, has("step_started", "open")),
        ("/", WAIT, has("step_started", "60000")),
        ("/", ASK, has("ask_user_question")),
    ],
    ids=["as it starts", "as it opens the page", "during a step", "as it waits for an answer"],
)
def test_a_killed_worker_leaves_the_run_failed_with_the_reason(
    bounded: Runs, site: Site, path: str, step: Json, moment: Callable[[Json], bool]
):
    run_id = bounded.create(start_url=f"{site.url}{path}", test_config={"steps": [step]})
    bounded.until(run_id, lambda run: moment(run) and bool(processes(run_id)))
    for worker in [each for each in processes(run_id) if "twindiff.browser" in each.cmdline()]:
        worker.kill()
    run = bounded.wait(run_id)
    assert (run["status"], run["failure_category"]) == ("failed", "worker")
    assert "SIGKILL" in run["failure_detail"]
    assert ("start.png" in run["artifacts"]) == has("step", "open")(run)
    assert nothing_is_left_of(run_id)


def test_ending_what_is_left_of_a_run_does_not_hide_from_the_server_how_its_worker_ended():
    words = ["sh", "-c", "echo begun; exec sleep 60"]
    marked = {**os.environ, MARK: "left"}
    with subprocess.Popen(words, env=marked, start_new_session=True, stdout=subprocess.PIPE) as child:
        assert child.stdout
        child.stdout.readline()  # only a program that runs shows its variables to others
        assert (limits.end("left"), child.wait()) == (1, -signal.SIGKILL)


def test_a_browser_that_ends_by_itself_fails_the_run(bounded: Runs, site: Site):
    run_id = bounded.create(start_url=site.url, test_config={"steps": [WAIT]})
    bounded.until(run_id, has("step_started", "60000"))
    (browser,) = [each for each in processes(run_id) if is_browser(each)]
    browser.kill()
    run = bounded.wait(run_id)
    assert (run["failure_category"], run["failure_detail"]) == ("browser", "the browser ended by itself")
    assert nothing_is_left_of(run_id)


def is_browser(process: psutil.Process) -> bool:
    """Whether it is the browser itself: neither one of its children nor a script that has started it."""
    line = process.cmdline()
    is_told = any("--remote-debugging-pipe" in each for each in line)
    return is_told and line[0] != "/bin/sh" and not any("--type=" in each for each in line)


@embedded_only("processes over one database wait before they count one of them as gone")
def test_a_server_that_stops_leaves_its_runs_failed_and_no_process(
    make_server: Callable[..., LiveServer], tmp_path: Path, site: Site
):
    server = make_server(data_dir=str(tmp_path))
    runs = Runs(server)
    run_id = runs.create(start_url=site.url, test_config={"steps": [WAIT]})
    runs.until(run_id, has("step_started", "60000"))
    server.close()
    assert nothing_is_left_of(run_id)
    run = Runs(make_server(data_dir=str(tmp_path))).get(run_id)
    assert (run["status"], run["failure_category"]) == ("failed", "server")
    assert "start.png" in run["artifacts"]


class Killed(KilledServer):
    """A server in a process of its own, and a client of it."""

    def __init__(self, data_dir: Path) -> None:
        super().__init__(data_dir)
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", trust_env=False, timeout=60)

    def close(self) -> None:
        self.client.close()
        super().close()


@pytest.fixture
def killed(tmp_path: Path) -> Iterator[Killed]:
    server = Killed(tmp_path / "data")
    yield server
    server.close()


def ends(process: psutil.Process) -> bool:
    psutil.wait_procs([process], timeout=30)
    return not process.is_running()


@embedded_only("processes over one database wait before they count one of them as gone")
def test_a_server_that_is_killed_takes_browsers_and_applications_with_it(
    killed: Killed, site: Site, repository: Callable[..., Repository]
):
    made = repository(app_DOT_py=SERVES)
    runs, sandboxes = Runs(killed), Sandboxes(killed)
    sandbox = sandboxes.create(repo=str(made.path))
    folder = Path(variables_of(sandbox)["cwd"])
    run_id = runs.create(start_url=site.url, test_config={"steps": [WAIT]})
    runs.until(run_id, has("step_started", "60000"))
    left = processes(run_id)
    killed.kill()
    assert all(ends(each) for each in left)
    killed.start()
    run = runs.get(run_id)
    assert (run["status"], run["failure_detail"]) == ("failed", "the server ended while the run was open")
    assert "start.png" in run["artifacts"]
    assert nothing_is_left_of(run_id)
    assert sandboxes.get(sandbox["sandbox_id"])["status"] == "failed"
    assert (folder.exists(), made.worktrees()) == (False, 1)


@pytest.mark.soak
def test_twenty_runs_that_are_queued_all_end_rightly(bounded: Runs, site: Site):
    """Half of them fail, as they must; what is left of them all is counted."""
    expects = [{"action": "expect", "expect": {"type": "text", "contains": text}} for text in ("Shop", "no such")]
    tests = [{"steps": [{**expects[each % 2], "timeout_ms": 100}]} for each in range(20)]
    ids = [bounded.create(start_url=site.url, test_config=each) for each in tests]
    ended = [bounded.wait(run_id, 300)["status"] for run_id in ids]
    assert ended == ["completed", "failed"] * 10
    assert all(nothing_is_left_of(run_id) for run_id in ids)


FILES = """<!doctype html><a href=/about download=../../../kept.html>Keep</a><input type=file id=file onchange="
  fetch('/uploaded', {method: 'POST', body: this.files[0]})">"""


def test_downloads_stay_in_the_folder_of_the_run_and_no_file_is_sent(bounded: Runs, site: Site):
    site.add_page("/files", FILES)
    fill = {"action": "fill", "selector": "#file", "value": "/etc/hostname", "timeout_ms": 500}
    keep = {"action": "click", "selector": "text=Keep"}
    run = bounded.steps(f"{site.url}/files", keep, {"action": "click", "selector": "#file"}, fill)
    assert (run["status"], run["results_json"][-1]["id"]) == ("failed", "step_3")
    (name,) = [name for name in run["artifacts"] if name.startswith("download-")]
    assert (name.startswith("download-1-"), "/" in name, name.endswith("kept.html")) == (True, False, True)
    kept = bounded.client.get(f"/validate/{run['id']}/artifacts/{name}")
    assert ("We sell chairs" in kept.text, kept.headers["content-disposition"][:10]) == (True, "attachment")
    assert "/uploaded" not in site.asked
    assert nothing_is_left_of(run["id"])


def test_a_page_reaches_no_other_host_and_not_the_server_of_the_tests(runs: Runs, live: LiveServer, site: Site):
    targets = [f"{live.url}/test-runs", f"{site.url}/away?to={live.url}/runs", "http://example.com/"]
    fetches = "".join(f"await fetch('{each}', {{mode: 'no-cors'}});" for each in targets)
    site.add_page(
        "/curious",
        f"<!doctype html><p id=out></p><script>(async () => {{{fetches} out.innerText = 'done'}})()</script>",
    )
    run = runs.run(start_url=f"{site.url.replace('127.0.0.1', 'localhost')}/curious", prompt="Expect done")
    refused = [each["message"] for each in run["events_json"] if each["type"] == "refused"]
    assert run["status"] == "completed", run["failure_detail"]
    assert [each.partition(" was refused")[0] for each in refused] == [targets[0], f"{live.url}/runs", targets[2]]


def test_a_failed_run_and_its_page_name_a_refused_host_as_a_likely_cause(runs: Runs, site: Site):
    site.add_page("/pay", '<!doctype html><h1>Pay</h1><script src="https://js.stripe.com/v3/"></script>')
    expects = {"action": "expect", "expect": {"type": "text", "contains": "Paid"}, "timeout_ms": 100}
    run = runs.steps(f"{site.url}/pay", expects)
    cause = "a likely cause: js.stripe.com:443 was refused: the run may reach its start host"
    page = runs.client.get(run["page_url"])
    assert (cause in run["failure_detail"], cause in page.text) == (True, True), run["failure_detail"]


def test_a_start_url_on_the_server_itself_is_refused(runs: Runs, live: LiveServer):
    run = runs.run(start_url=f"{live.url}/test-runs", prompt="Expect runs")
    assert (run["status"], run["failure_category"]) == ("failed", "navigation")


CONTROL = "http://127.0.0.1:8000"
GATE = BrowserAccessPolicy(f"{CONTROL}/", ["cdn.example.com"], [f"{CONTROL}/api/env/e1/services/slack"], [CONTROL])


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
    with pytest.raises(RequestBlocked):
        GATE.check(host, port, path)


SPELT = BrowserAccessPolicy(
    "http://app.example:8000/", ["cdn.example.com"], [f"{CONTROL}/api/env/e1/services/slack"], [CONTROL]
)


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.0.0.2", "::1", "::ffff:127.0.0.1", "0.0.0.0"])
@pytest.mark.parametrize("path", ["/", "/api/env/e1/services/slack/api/x", None])
def test_a_name_that_leads_to_the_server_of_the_tests_is_refused_once_connected(peer, path):
    SPELT.check("app.example", 8000, path)
    with pytest.raises(RequestBlocked):
        SPELT.check_peer("app.example", 8000, path, peer)


def test_connections_to_twins_of_the_run_and_to_other_ports_and_machines_go_on():
    SPELT.check_peer("127.0.0.1", 8000, "/api/env/e1/services/slack/api/x", "127.0.0.1")
    SPELT.check_peer("app.example", 3000, "/", "127.0.0.1")
    SPELT.check_peer("app.example", 8000, "/", "192.0.2.1")


def test_a_page_under_another_name_of_the_server_reaches_no_control_plane(runs: Runs, live: LiveServer):
    run = runs.run(start_url=f"http://127.0.0.2:{live.port}/test-runs", prompt="Expect runs")
    assert (run["status"], run["failure_category"]) == ("failed", "navigation")


def test_the_gate_opens_for_twins_and_named_hosts():
    GATE.check("localhost", 8000, "/api/env/e1/services/slack/api/chat.postMessage")
    GATE.check("cdn.example.com", 443, None)
    GATE.check("cdn.example.com", 80, "/x.js")


@pytest.mark.parametrize("selector", ["#none", "body"])
def test_a_run_whose_twins_expire_before_its_end_fails_and_says_so(
    live: LiveServer, runs: Runs, site: Site, selector: str
):
    twins = succeeded(live.client.post("/twin-runs", json={"twins": ["slack"]}))
    steps = [
        {"action": "ask_user_question", "value": "Go on?"},
        {"action": "click", "selector": selector, "timeout_ms": 999 if selector == "body" else 9},
    ]
    unchanged = {"assertions": [{"diff_type": "added", "entity": "messages", "expected_count": 0}]}
    place = {"start_url": site.url, "provision_id": twins["run_id"]}
    run_id = runs.create(**place, test_config={"steps": steps}, checks=unchanged)
    runs.until(run_id, lambda run: any(each["type"] == "ask_user_question" for each in run["events_json"]))
    live.service.environments.extend(runs.get(run_id)["environment_id"], wall() - 1)
    succeeded(live.client.post(f"/test-runs/{run_id}/messages", json={"message": "yes"}))
    run = runs.wait(run_id)
    assert (run["status"], run["failure_category"]) == ("failed", "twins_ended")
    assert "the twins of the run expired before its end" in run["failure_detail"]
