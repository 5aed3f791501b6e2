"""Runs commands within limits and ends them, with all that they started, when its own standard input ends.

It is a program of its own that imports nothing of Twindiff, so that it is there within milliseconds. However the server
dies, its end of the pipe is closed then, and nothing is left behind, neither processes nor the application's folder.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

PR_SET_CHILD_SUBREAPER = 36
PATIENCE_SECONDS = 8
"""How long an engine for containers may take for one thing that ends one."""
RUNTIMES = ("runc", "crun", "exe", "podman")
"""Programs by which engines start and remove containers; cut short they would leave something behind."""
LOOK_SECONDS = 0.05


def main() -> None:
    """Run the commands that the first argument has, one after another while they succeed; give the last exit code."""
    wanted = json.loads(sys.argv[1])
    if not wanted["ends"]:
        _adopt_orphans()
    for name, most in wanted["limits"].items():
        _, hard = resource.getrlimit(getattr(resource, name))
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(getattr(resource, name), (most, most))
    is_over = threading.Event()
    threading.Thread(target=_end_with_server, args=(is_over, wanted), daemon=True).start()
    code = 0
    for command in wanted["commands"]:
        if not code and not is_over.is_set():
            code = subprocess.Popen(command, stdin=subprocess.DEVNULL).wait()
    if not is_over.is_set():
        _end(wanted["ends"])
    while is_over.is_set():
        signal.pause()  # until the other thread has ended everything, and this process
    os._exit(code if code >= 0 else 128 - code)


def _adopt_orphans() -> None:
    """Become the parent of what descendants leave behind, so that it can be found."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _end_with_server(is_over: threading.Event, wanted: dict[str, Any]) -> None:
    while os.read(0, 1024):
        pass
    is_over.set()
    _end(wanted["ends"])
    shutil.rmtree(wanted["folder"], ignore_errors=True)
    _do(["git", "-C", wanted["repository"], "worktree", "prune"])
    os._exit(128 + signal.SIGKILL)


def _end(ends: list[list[str]]) -> None:
    """End the commands with all that they have started; `ends` do it for an engine's containers."""
    for command in ends:
        _do(command)
    if ends and _generations():
        _end_builds()
        _end_descendants()
        for command in ends:  # what the engine was about to make when it was told is there by now
            _do(command)
    _end_descendants()


def _do(command: list[str]) -> None:
    nowhere = subprocess.DEVNULL
    with suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(command, stdin=nowhere, stdout=nowhere, stderr=nowhere, check=False, timeout=PATIENCE_SECONDS)


def _end_builds() -> None:
    """End the steps of a build; its engine then removes by itself what it has made so far."""
    end = time.monotonic() + PATIENCE_SECONDS
    while (generations := _generations()) and time.monotonic() < end:
        for process in set[int]().union(*generations[2:]):  # the first two generations are the engine's own
            with suppress(OSError):
                if not Path(f"/proc/{process}/comm").read_text().startswith(RUNTIMES):
                    os.kill(process, signal.SIGKILL)
        time.sleep(LOOK_SECONDS)


def _end_descendants() -> None:
    """End all that came of the commands; what is started meanwhile is found in the next round."""
    while generations := _generations():
        for process in set[int]().union(*generations):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _generations() -> list[set[int]]:
    """The children of this process, then theirs, and so on."""
    parents: dict[int, int] = {}
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            with suppress(OSError, ValueError, IndexError):
                state, parent = (place / "stat").read_text().rpartition(")")[2].split()[:2]
                if state != "Z":
                    parents[int(place.name)] = int(parent)
    generations: list[set[int]] = []
    new = {os.getpid()}
    while new := {process for process, parent in parents.items() if parent in new}:
        generations.append(new)
    return generations


if __name__ == "__main__":
    main()
