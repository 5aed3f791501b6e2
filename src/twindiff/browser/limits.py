"""Resource limits of a run's processes: the memory of all of them, and the size of files they write."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator

import psutil

from twindiff.browser.job import MARK

LOOK_SECONDS = 0.5
SECONDS_TO_DIE = 5.0
MEGABYTE = 1 << 20


def bound_files(megabytes: int) -> None:
    """Limit the size of files that processes of the run may write."""
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_FSIZE, (megabytes * MEGABYTE, megabytes * MEGABYTE))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


async def watch_memory(megabytes: int, stop: Callable[[str], None]) -> None:
    """Call `stop` with a message when the processes of the run use more memory."""
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        used = sum(_memory(each) for each in psutil.Process().children(recursive=True)) // MEGABYTE
        if used > megabytes:
            stop(f"the browser needed {used} MB of memory, and a run may take {megabytes}")
            return


def _memory(process: psutil.Process) -> int:
    """Return the memory of a process without what it shares with others, in bytes."""
    with contextlib.suppress(psutil.Error):
        used = process.memory_info()
        return used.rss - getattr(used, "shared", 0)
    return 0


def of_run(run_id: str) -> Iterator[psutil.Process]:
    """Yield the running processes of a run, even if they were reparented."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.uids().real == os.getuid() and process.environ().get(MARK) == run_id:
                yield process


def end(run_id: str) -> int:
    """Kill the remaining processes of a run with their process groups; returns how many there were.

    None is reaped: the parent of a process must be able to wait for it.
    """
    left = [*of_run(run_id)]
    for process in left:
        with contextlib.suppress(psutil.Error, OSError):
            group = os.getpgid(process.pid)
            if group != os.getpgrp():
                os.killpg(group, signal.SIGKILL)
            process.kill()
    end_by = time.monotonic() + SECONDS_TO_DIE
    while any(_is_alive(process) for process in left) and time.monotonic() < end_by:
        time.sleep(0.01)
    return len(left)


def _is_alive(process: psutil.Process) -> bool:
    """Return whether a process still runs; a zombie does not, though its parent may take a second to reap it."""
    with contextlib.suppress(psutil.Error):
        return process.status() != psutil.STATUS_ZOMBIE
    return False
