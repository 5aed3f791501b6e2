"""What test runs in a browser cost: a test of ten steps from its request to its end, a further step, many that queue.

A server in a process of its own does them in the system's Chromium, on a page of this machine.
`python benchmarks/test_runs.py [--json] [--runs N] [--queued N]`
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from typing import Any

import httpx
import psutil

from twindiff.browser.job import MARK

BAR_SECONDS = 6.0
"""For a test of ten steps, the start of Chromium included; a further step may take an eleventh of what that took."""
STEPS, MORE_STEPS = 10, 30
PAGE = b"<!doctype html><title>Shop</title><label>Email <input id=email></label><button>Pay</button><p>Ready</p>"
STEP = ({"action": "fill", "selector": "#email", "value": "ada@example.com"}, {"action": "click", "selector": "Pay"})


class Shop(BaseHTTPRequestHandler):
    """Answers with the page."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--queued", type=int, default=20)
    asked = parser.parse_args()
    with shop() as url, server() as client:
        ten = median(seconds(client, url, STEPS) for _ in range(asked.runs))
        more = median(seconds(client, url, MORE_STEPS) for _ in range(asked.runs))
        begun = time.perf_counter()
        ids = [create(client, url, STEPS) for _ in range(asked.queued)]
        ended = [wait(client, run_id) for run_id in ids]
        measured = {
            "ten_steps_seconds": round(ten, 2),
            "further_step_seconds": round((more - ten) / (MORE_STEPS - STEPS), 3),
            "queued": asked.queued,
            "queued_seconds": round(time.perf_counter() - begun, 1),
            "queued_completed": ended.count("completed"),
            "left": left(ids),
        }
    if asked.json:
        print(json.dumps(measured))
        return
    print(f"ten steps, from POST to the end  {ten:6.2f} s   bar {BAR_SECONDS:g} s")
    print(f"a further step                   {measured['further_step_seconds']:6.3f} s   bar {ten / 11:.3f} s")
    print(f"{asked.queued} queued                        {measured['queued_seconds']:6.1f} s   ", end="")
    print(f"{measured['queued_completed']} completed, {measured['left']} processes and folders left")


@contextmanager
def shop() -> Generator[str]:
    """The application under test."""
    served = ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    thread = threading.Thread(target=served.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{served.server_address[1]}/"
    served.shutdown()
    served.server_close()


@contextmanager
def server() -> Generator[httpx.Client]:
    """A server in a process and a folder of its own, and a client of it."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "twindiff.cli", "serve", "--port", "0", "--data-dir", folder, "--json"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout
        with httpx.Client(base_url=json.loads(process.stdout.readline())["url"], trust_env=False) as client:
            yield client
        process.terminate()
        process.wait()
        process.stdout.close()


def seconds(client: httpx.Client, url: str, steps: int) -> float:
    """From the request of a test of so many steps to its end."""
    begun = time.perf_counter()
    status = wait(client, create(client, url, steps))
    assert status == "completed", status
    return time.perf_counter() - begun


def create(client: httpx.Client, url: str, steps: int) -> str:
    config = {"steps": [STEP[number % 2] for number in range(steps)]}
    made = client.post("/test-runs", json={"start_url": url, "test_config": config})
    return str(made.raise_for_status().json()["id"])


def wait(client: httpx.Client, run_id: str) -> str:
    """How a run has ended; its stream is read until it does."""
    with client.stream("GET", f"/validate/{run_id}/results", timeout=600) as events:
        events.read()
    return str(client.get(f"/test-runs/{run_id}").json()["status"])


def left(run_ids: list[str]) -> int:
    """Processes and folders of these runs that are still there."""
    names = {f"twindiff-{run_id[:16]}" for run_id in run_ids}
    folders = sum(each.name in names for each in Path(tempfile.gettempdir()).iterdir())
    return folders + sum(_mark(process) in run_ids for process in psutil.process_iter())


def _mark(process: psutil.Process) -> str:
    try:
        return process.environ().get(MARK, "")
    except psutil.Error:
        return ""


if __name__ == "__main__":
    main()
