"""Runs one service of a compose file, after those that it waits for, and passes on what it prints under its name.

It is called as `service_starter.py FILE`; the file has the `name` of the service, its `command`, its `container`, its
`env`, the `engine`, `restart` (whether it is started again after a success, after a failure, and how often), the file
`network` that exists once services can use a network of their own, if they have one, and `waits` with the `container`,
`service`, `folder`, `condition` and health `test` of others. It is a standalone program that imports nothing of
Twindiff, run by the keeper. It runs outside of the containers' limits, so that it never holds more of what they print
than `MAX_LINE_BYTES`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

LOOK_SECONDS = 0.2
MAX_HEALTH_SECONDS = 30
"""Seconds that one try of a health test may take."""
MAX_LINE_BYTES = 65_536
MAX_RESTARTS = 10
"""Times that a service is started again at most; then it has ended."""
FIRST_PAUSE_SECONDS = 0.1
"""Seconds before a service is started again for the first time; each later pause is twice as long."""
MAX_PAUSE_SECONDS = 10
ENDED = "ended"
"""The file in a service's folder with its exit code."""


def main(file: str) -> int:
    """Run the service; returns its exit code, or 1 if another one ended before it was what this one waits for."""
    wanted = json.loads(Path(file).read_text())
    code = _run(wanted)
    Path(file).with_name(ENDED).write_text(str(code))
    return code


def _run(wanted: dict[str, Any]) -> int:
    if reason := _wait_for_network(wanted["network"]):
        _say(wanted["name"], f"is not started: {reason}")
        return 1
    for each in wanted["waits"]:
        if not _wait(wanted["engine"], each):
            _say(wanted["name"], f"is not started: {each['service']} ended before it was {each['condition']}")
            return 1
    code = _run_once(wanted["name"], wanted["command"], {**os.environ, **wanted["env"]})
    after_success, after_failure, most = wanted["restart"]
    most = MAX_RESTARTS if most is None else min(most, MAX_RESTARTS)
    for number in range(most):
        if not (after_failure if code else after_success):
            break
        time.sleep(min(FIRST_PAUSE_SECONDS * 2**number, MAX_PAUSE_SECONDS))
        if not _is_there(wanted["engine"], wanted["container"]):
            break  # it was removed, as the run ends
        _say(wanted["name"], f"is started again ({number + 1} of at most {most} times)")
        code = _run_once(wanted["name"], [wanted["engine"], "start", "--attach", wanted["container"]], {**os.environ})
    return code


def _run_once(name: str, command: list[str], env: dict[str, str]) -> int:
    """Run a command and pass on what it prints; returns its exit code."""
    process = subprocess.Popen(
        command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    output = process.stdout
    assert output, "it was asked for"
    for line in iter(lambda: output.readline(MAX_LINE_BYTES), b""):
        sys.stdout.buffer.write(f"{name} | ".encode() + line.rstrip(b"\n") + b"\n")
        sys.stdout.buffer.flush()
    code = process.wait()
    _say(name, f"ended with exit code {code}")
    return code


def _say(name: str, text: str) -> None:
    sys.stdout.write(f"{name} | {text}\n")
    sys.stdout.flush()


def _wait_for_network(file: str | None) -> str:
    """Wait until there is a network; returns the reason if there is none."""
    while file and not Path(file).exists():
        time.sleep(LOOK_SECONDS)
    return Path(file).read_text() if file else ""


def _wait(engine: str, wanted: dict[str, Any]) -> bool:
    """Wait for the condition of another service; false if it cannot come true any more."""
    ended, condition = Path(wanted["folder"]) / ENDED, wanted["condition"]
    while not (ended.exists() and (code := ended.read_text())):
        is_there = condition != "completed" and _is_running(engine, wanted["container"])
        if is_there and (condition == "started" or _is_healthy(engine, wanted)):
            return True
        time.sleep(LOOK_SECONDS)
    return code == "0" and condition != "healthy"


def _is_there(engine: str, container: str) -> bool:
    asked = [engine, "container", "inspect", "--format", "{{.Id}}", container]
    return not subprocess.run(asked, capture_output=True, check=False).returncode


def _is_running(engine: str, container: str) -> bool:
    asked = [engine, "container", "inspect", "--format", "{{.State.Running}}", container]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip() == "true"


def _is_healthy(engine: str, wanted: dict[str, Any]) -> bool:
    asked, nothing = [engine, "exec", wanted["container"], *wanted["test"]], subprocess.DEVNULL
    try:
        tried = subprocess.run(asked, stdout=nothing, stderr=nothing, timeout=MAX_HEALTH_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return False
    return not tried.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
