"""Bounds of a run's processes that nobody else keeps: the memory of all of them, the size of what they write."""

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
    """Let no process of the run write a file larger than that."""
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_FSIZE, (megabytes * MEGABYTE, megabytes * MEGABYTE))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


async def watch_memory(megabytes: int, stop: Callable[[str], None]) -> None:
    """Call `stop` when the processes of the run need more memory than that."""
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        used = sum(_memory(each) for each in psutil.Process().children(recursive=True)) // MEGABYTE
        if used > megabytes:
            stop(f"the browser needed {used} MB of memory, and a run may take {megabytes}")
            return


def _memory(process: psutil.Process) -> int:
    """What a process needs by itself, without what it shares with others."""
    with contextlib.suppress(psutil.Error):
        used = process.memory_info()
        return used.rss - getattr(used, "shared", 0)
    return 0


def of_run(run_id: str) -> Iterator[psutil.Process]:
    """The processes of a run that are still there, whoever their parent is now."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.uids().real == os.getuid() and process.environ().get(MARK) == run_id:
                yield process


def end(run_id: str) -> int:
    """Kill what is left of a run, with the groups of processes that it had; how many processes that were.

    None is reaped: who started a process is told of its end once, and would miss it.
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
    """Whether a process has not ended; whoever has to hear of its end may still do so, which some take a second for."""
    with contextlib.suppress(psutil.Error):
        return process.status() != psutil.STATUS_ZOMBIE
    return False
