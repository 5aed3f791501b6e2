"""Runs commands within limits and ends them, with all that they started, when its own standard input ends.

It is a program of its own that imports nothing of Twindiff, so that it is there within milliseconds. However the server
dies, its end of the pipe is closed then, and nothing is left behind, neither processes nor the application's folder.
Where a keeper was killed itself, another one without commands ends what bears its `mark`, or belongs to its `uid`.
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
MARK = "TWINDIFF_SANDBOX"
"""A variable of every process of a sandbox; its value is the sandbox's alone."""
PATIENCE_SECONDS = 8
"""How long an engine for containers may take for one thing that ends one."""
RUNTIMES = ("runc", "crun", "exe", "podman")
"""Programs by which engines start and remove containers; cut short they would leave something behind."""
LOOK_SECONDS = 0.05
MAX_ROUNDS = 200
"""How often processes of a dead keeper are looked for before they are given up."""


def main() -> None:
    """Run the commands that the first argument has, one after another while they succeed; give the last exit code."""
    wanted = json.loads(sys.argv[1])
    os.umask(0o022)
    if not wanted["commands"]:
        _end(wanted)
        shutil.rmtree(wanted["folder"], ignore_errors=True)
        os._exit(bool(_generations(wanted)))
    if not wanted["ends"]:
        _adopt_orphans()
    for name, most in wanted["limits"].items():
        _, hard = resource.getrlimit(getattr(resource, name))
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(getattr(resource, name), (most, most))
    _run(wanted)


def _run(wanted: dict[str, Any]) -> None:
    is_over = threading.Event()
    threading.Thread(target=_end_with_server, args=(is_over, wanted), daemon=True).start()
    uid = str((wanted["first_uid"] or 0) + os.getpid())
    if wanted["first_uid"] is not None:
        _give_to(int(uid), wanted["owned"])
    code = 0
    for command in wanted["commands"]:
        if not code and not is_over.is_set():
            command = [uid if each == "{uid}" else each for each in command]
            code = subprocess.Popen(command, stdin=subprocess.DEVNULL).wait()
    if not is_over.is_set():
        _end(wanted)
    while is_over.is_set():
        signal.pause()  # until the other thread has ended everything, and this process
    os._exit(code if code >= 0 else 128 - code)


def _give_to(uid: int, folders: list[str]) -> None:
    """Make a user the owner of folders with all that is in them; links are not followed."""
    for folder in folders:
        for place, names, files in os.walk(folder):
            for each in (Path(place), *(Path(place, name) for name in names + files)):
                os.chown(each, uid, uid, follow_symlinks=False)


def _adopt_orphans() -> None:
    """Become the parent of what descendants leave behind, so that it can be found."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _end_with_server(is_over: threading.Event, wanted: dict[str, Any]) -> None:
    while os.read(0, 1024):
        pass
    is_over.set()
    _end(wanted)
    shutil.rmtree(wanted["folder"], ignore_errors=True)
    os._exit(128 + signal.SIGKILL)


def _end(wanted: dict[str, Any]) -> None:
    """End the commands with all that they have started; `ends` do it for an engine's containers."""
    ends: list[list[str]] = wanted["ends"]
    for command in ends:
        _do(command)
    if ends and _generations(wanted):
        _end_builds(wanted)
        _end_descendants(wanted)
        for command in ends:  # what the engine was about to make when it was told is there by now
            _do(command)
    _end_descendants(wanted)


def _do(command: list[str]) -> None:
    nowhere = subprocess.DEVNULL
    with suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(command, stdin=nowhere, stdout=nowhere, stderr=nowhere, check=False, timeout=PATIENCE_SECONDS)


def _end_builds(wanted: dict[str, Any]) -> None:
    """End the steps of a build; its engine then removes by itself what it has made so far."""
    end = time.monotonic() + PATIENCE_SECONDS
    of_engine = 2 if wanted["commands"] else 1  # generations; the mark is inherited by those of the engine
    while (generations := _generations(wanted)) and time.monotonic() < end:
        for process in set[int]().union(*generations[of_engine:]):
            with suppress(OSError):
                if not Path(f"/proc/{process}/comm").read_text().startswith(RUNTIMES):
                    os.kill(process, signal.SIGKILL)
        time.sleep(LOOK_SECONDS)


def _end_descendants(wanted: dict[str, Any]) -> None:
    """End all that came of the commands; what is started meanwhile is found in the next round."""
    rounds = 0
    while (generations := _generations(wanted)) and rounds < MAX_ROUNDS:
        for process in set[int]().union(*generations):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not wanted["commands"]:  # others reap what is left of a dead keeper, and one that cannot be ended stays
            rounds += 1
            time.sleep(LOOK_SECONDS)


def _generations(wanted: dict[str, Any]) -> list[set[int]]:
    """The first processes of a sandbox, then their children, and so on."""
    parents: dict[int, int] = {}
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            with suppress(OSError, ValueError, IndexError):
                state, parent = (place / "stat").read_text().rpartition(")")[2].split()[:2]
                if state != "Z":
                    parents[int(place.name)] = int(parent)
    generations: list[set[int]] = []
    new = _find_marked(parents, wanted) if not wanted["commands"] else {os.getpid()}
    seen = set(new)
    if not wanted["commands"] and new:
        generations.append(new)
    while new := {process for process, parent in parents.items() if parent in new} - seen:
        seen |= new
        generations.append(new)
    return generations


def _find_marked(processes: dict[int, int], wanted: dict[str, Any]) -> set[int]:
    """The processes that a dead keeper has left: those with its mark, and all of the user that was its alone."""
    mark = f"{MARK}={wanted['mark']}".encode()
    pids: set[int] = set()
    for process in processes:
        place = Path(f"/proc/{process}")
        with suppress(OSError):
            if _belongs_to(place, wanted["uid"]) or mark in (place / "environ").read_bytes().split(b"\0"):
                pids.add(process)
    return pids - {os.getpid()}


def _belongs_to(place: Path, uid: int | None) -> bool:
    """Whether a process is a user's; the owner of its files in /proc is what it pleases."""
    status = (place / "status").read_text(errors="replace")
    return uid is not None and f"\nUid:\t{uid}\t" in status


if __name__ == "__main__":
    main()
