"""Runs one command within limits and ends it, with all that it started, when its own standard input ends.

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
from contextlib import suppress
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36


def main() -> None:
    """Run the command that the first argument describes; give its exit code."""
    wanted = json.loads(sys.argv[1])
    _adopt_orphans()
    for name, most in wanted["limits"].items():
        _, hard = resource.getrlimit(getattr(resource, name))
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(getattr(resource, name), (most, most))
    child = subprocess.Popen(["/bin/sh", "-c", wanted["command"]], stdin=subprocess.DEVNULL)
    is_over = threading.Event()
    threading.Thread(
        target=_end_with_server, args=(is_over, wanted["folder"], wanted["repository"]), daemon=True
    ).start()
    code = child.wait()
    while is_over.is_set():
        signal.pause()  # until the other thread has ended everything, and this process
    _end_descendants()
    os._exit(code if code >= 0 else 128 - code)


def _adopt_orphans() -> None:
    """Become the parent of what descendants leave behind, so that it can be found."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _end_with_server(is_over: threading.Event, folder: str, repository: str) -> None:
    while os.read(0, 1024):
        pass
    is_over.set()
    _end_descendants()
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):
        subprocess.run(["git", "-C", repository, "worktree", "prune"], stdin=subprocess.DEVNULL, check=False)
    os._exit(128 + signal.SIGKILL)


def _end_descendants() -> None:
    """End all that came of the command; what is started meanwhile is found in the next round."""
    while found := _descendants():
        for process in found:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _descendants() -> set[int]:
    parents: dict[int, int] = {}
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            with suppress(OSError, ValueError, IndexError):
                state, parent = (place / "stat").read_text().rpartition(")")[2].split()[:2]
                if state != "Z":
                    parents[int(place.name)] = int(parent)
    found: set[int] = set()
    new = {os.getpid()}
    while new := {process for process, parent in parents.items() if parent in new} - found:
        found |= new
    return found


if __name__ == "__main__":
    main()
