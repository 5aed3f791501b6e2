"""Supervisor: runs commands within limits, and ends them with all their descendants when its standard input closes.
It is a standalone program without imports of Twindiff, so it starts within milliseconds. However the server dies, its
end of the pipe closes, so neither processes nor the application's folder are left behind. If a keeper itself was
killed, another one without commands ends all processes with its `mark` or its `uid`.
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
from functools import partial
from pathlib import Path
from typing import Any

PR_SET_CHILD_SUBREAPER = 36
MARK = "TWINDIFF_SANDBOX"
"""An environment variable of every process of a sandbox; its value is unique to the sandbox."""
END = "end.json"
"""The file in the folder of a sandbox that says what ended first: `service`, null for the application, and `code`."""
VARIABLES = "{variables}"
PATIENCE_SECONDS = 8
"""Timeout of one cleanup command of a container engine."""
RUNTIMES = ("runc", "crun", "exe", "podman")
"""Programs with which engines start and remove containers; killing them would leave containers behind."""
MAX_TRIES = 3
LOOK_SECONDS = 0.05
MAX_ROUNDS = 200
"""Number of attempts to find and end the processes of a dead keeper."""


def main() -> None:
    """Run the commands in the JSON of the first argument until one fails; exits with the last exit code.

    The `services` run beside the last command, by name, and end with it; one that fails ends it. The first line of the
    standard input has the variables of the application as JSON. A command whose words have the placeholder
    `{variables}` gets the descriptor of a file with them instead; no other one gets them, as the application's
    repository has chosen them.
    """
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
    _run(wanted, _read_variables())


def _run(wanted: dict[str, Any], variables: int) -> None:
    ending = threading.Lock()
    """Held by the thread that first noticed why everything ends."""
    threading.Thread(target=_end_with_server, args=(ending, wanted), daemon=True).start()
    uid = (wanted["first_uid"] or 0) + os.getpid()
    if wanted["first_uid"] is not None:
        _give_to(uid, wanted["owned"])
    start = partial(_start, {"{uid}": str(uid), VARIABLES: str(variables)})
    *first, last = wanted["commands"]
    code = 0
    for command in first:
        if not code and not ending.locked():
            code = _read_code(start(command))
    if not code and not ending.locked():
        for name, command in wanted["services"].items():
            threading.Thread(target=_watch_service, args=(name, start(command), ending, wanted), daemon=True).start()
        code = _read_code(start(last))
    _end_all(None, code, ending, wanted)
    while True:
        signal.pause()  # until the thread that ends everything exits this process


def _watch_service(name: str, service: subprocess.Popen[bytes], ending: threading.Lock, wanted: dict[str, Any]) -> None:
    """Print how a service ended, if it does so before the application; its failure ends everything."""
    code = _read_code(service)
    if ending.locked():
        return
    if not wanted["ends"]:  # services in containers say it themselves
        sys.stdout.write(f"the service '{name}' ended with exit code {code}\n")
        sys.stdout.flush()
    if code:
        _end_all(name, code, ending, wanted)


def _read_code(process: subprocess.Popen[bytes]) -> int:
    """Wait for the exit code of a process, as a shell tells it."""
    code = process.wait()
    return code if code >= 0 else 128 - code


def _end_all(service: str | None, code: int, ending: threading.Lock, wanted: dict[str, Any]) -> None:
    """Record what ended first, the application or a service, then end everything; does nothing if it is not first."""
    if not ending.acquire(blocking=False):
        return
    record = Path(wanted["folder"], END)
    with suppress(OSError):
        record.with_suffix(".new").write_text(json.dumps({"service": service, "code": code}))
        record.with_suffix(".new").rename(record)
    _end(wanted)
    os._exit(code)


def _start(values: dict[str, str], command: list[str]) -> subprocess.Popen[bytes]:
    """Start a command, with values in place of placeholders."""
    passed = [int(values[VARIABLES])] if VARIABLES in command else []
    words = [values.get(each, each) for each in command]
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, pass_fds=passed)


def _read_variables() -> int:
    """Read the first line of the standard input into a file without a name; returns its descriptor."""
    file = os.memfd_create("variables")
    line = b""
    while not line.endswith(b"\n") and (chunk := os.read(0, 65536)):
        line += chunk
    os.write(file, line)
    return file


def _give_to(uid: int, folders: list[str]) -> None:
    """Change the owner of folders and their contents; does not follow links."""
    for folder in folders:
        for place, names, files in os.walk(folder):
            for each in (Path(place), *(Path(place, name) for name in names + files)):
                os.chown(each, uid, uid, follow_symlinks=False)


def _adopt_orphans() -> None:
    """Become the parent of orphaned descendants, so that they can be found."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _end_with_server(ending: threading.Lock, wanted: dict[str, Any]) -> None:
    while os.read(0, 1024):
        pass
    ending.acquire(blocking=False)
    _end(wanted)
    shutil.rmtree(wanted["folder"], ignore_errors=True)
    os._exit(128 + signal.SIGKILL)


def _end(wanted: dict[str, Any]) -> None:
    """End the commands with all their descendants; `ends` remove an engine's containers."""
    ends: list[list[str]] = wanted["ends"]
    _do_all(ends)
    if ends and _generations(wanted):
        _end_builds(wanted)
        _end_descendants(wanted)
        _do_all(ends)  # the engine may have finished creating a container meanwhile
    _end_descendants(wanted)


def _do_all(commands: list[list[str]]) -> None:
    """Run cleanup commands; those that time out are run again, at most `MAX_TRIES` times in all."""
    for _ in range(MAX_TRIES):
        commands = [each for each in commands if not _do(each)]


def _do(command: list[str]) -> bool:
    """Run a cleanup command; false if it timed out."""
    nowhere = subprocess.DEVNULL
    try:
        subprocess.run(command, stdin=nowhere, stdout=nowhere, stderr=nowhere, check=False, timeout=PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    except OSError:
        pass  # there is no such engine any more
    return True


def _end_builds(wanted: dict[str, Any]) -> None:
    """Kill the steps of a build; its engine then removes the intermediate containers itself."""
    end = time.monotonic() + PATIENCE_SECONDS
    of_engine = 2 if wanted["commands"] else 1  # generations to spare; processes of the engine inherit the mark
    while (generations := _generations(wanted)) and time.monotonic() < end:
        for process in set[int]().union(*generations[of_engine:]):
            with suppress(OSError):
                if not Path(f"/proc/{process}/comm").read_text().startswith(RUNTIMES):
                    os.kill(process, signal.SIGKILL)
        time.sleep(LOOK_SECONDS)


def _end_descendants(wanted: dict[str, Any]) -> None:
    """Kill all descendants of the commands, in rounds, as new ones may be started meanwhile."""
    rounds = 0
    while (generations := _generations(wanted)) and rounds < MAX_ROUNDS:
        for process in set[int]().union(*generations):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not wanted["commands"]:  # init reaps a dead keeper's processes; bounded, as some cannot be ended
            rounds += 1
            time.sleep(LOOK_SECONDS)


def _generations(wanted: dict[str, Any]) -> list[set[int]]:
    """The process ids of a sandbox by generation: its first processes, their children, and so on."""
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
    """The processes left by a dead keeper: those with its mark, and all of the sandbox's own user."""
    mark = f"{MARK}={wanted['mark']}".encode()
    pids: set[int] = set()
    for process in processes:
        place = Path(f"/proc/{process}")
        with suppress(OSError):
            if _belongs_to(place, wanted["uid"]) or mark in (place / "environ").read_bytes().split(b"\0"):
                pids.add(process)
    return pids - {os.getpid()}


def _belongs_to(place: Path, uid: int | None) -> bool:
    """Whether a process belongs to a user; the owner of its files in /proc is not reliable."""
    status = (place / "status").read_text(errors="replace")
    return uid is not None and f"\nUid:\t{uid}\t" in status


if __name__ == "__main__":
    main()
