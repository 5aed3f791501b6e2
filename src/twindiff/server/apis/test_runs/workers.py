"""Browser workers: a process per run. However it ends, the run ends and no process or file is left behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec

from twindiff.browser.job import ALLOWANCE_SECONDS, MARK, BrowserJob, RunEvent, WorkerMessage
from twindiff.server.apis.test_runs.artifacts import LOG
from twindiff.storage.user_cache import default_folder

MAX_LINE_BYTES = 16 << 20
TO_THE_BROWSER = ("PATH", "LANG", "LC_ALL", "TZ", "FONTCONFIG_PATH", "PLAYWRIGHT_BROWSERS_PATH", "PYTHONPATH")
"""Environment variables passed on to a worker; none of them holds a key of the server."""


class BrowserWorker:
    """One worker process; `heard` is called with each event but the last, which `run` returns."""

    def __init__(self, job: BrowserJob, heard: Callable[[RunEvent], Awaitable[None]]) -> None:
        self._job = job
        self._heard = heard
        self._process: asyncio.subprocess.Process | None = None
        self._killing: asyncio.TimerHandle | None = None

    async def run(self) -> RunEvent:
        """Execute the job; returns the final event, which also reports a failure of the worker itself."""
        scratch = scratch_of(self._job.run_id)
        try:
            scratch.mkdir(mode=0o700)
            with (Path(self._job.folder) / LOG).open("wb") as errors:
                self._process = process = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-m", "twindiff.browser"),
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=errors,
                    env=self._environment(str(scratch)),
                    cwd=scratch,
                    limit=MAX_LINE_BYTES,
                    start_new_session=True,
                )
            self._write(msgspec.json.encode(self._job))
            return await self._follow(process)
        finally:
            await asyncio.shield(asyncio.create_task(self._end()))

    def tell(self, message: str) -> None:
        """Send a message to the worker; an empty one tells it to end, and kills it after `ALLOWANCE_SECONDS`."""
        self._write(msgspec.json.encode(WorkerMessage(message, cancel=not message)))
        if not message and self._killing is None:
            self._killing = asyncio.get_running_loop().call_later(ALLOWANCE_SECONDS, self._kill)

    def _write(self, line: bytes) -> None:
        if self._process and self._process.stdin:
            with contextlib.suppress(OSError, RuntimeError):  # uvloop raises this for a pipe whose reader has ended
                self._process.stdin.write(line + b"\n")

    def _environment(self, scratch: str) -> dict[str, str]:
        given = {name: os.environ[name] for name in TO_THE_BROWSER if name in os.environ}
        cache = default_folder()  # the code of Playwright's driver is compiled once, not in 80 ms of each run
        compiled = {"NODE_COMPILE_CACHE": str(cache / "node")} if cache else {}
        return {**given, **compiled, MARK: self._job.run_id, "HOME": scratch, "TMPDIR": scratch}

    async def _follow(self, process: asyncio.subprocess.Process) -> RunEvent:
        """Forward the worker's events until its final one, or until it fails or times out."""
        seconds = self._job.limits.seconds + 2 * ALLOWANCE_SECONDS
        try:
            async with asyncio.timeout(seconds):
                while process.stdout and (line := await process.stdout.readline()):
                    event = msgspec.json.decode(line, type=RunEvent)
                    if event.type == "end":
                        return event  # its artifacts are written, so its processes may be killed
                    await self._heard(event)
                return _failed_event("worker", _why(await process.wait()))
        except TimeoutError:
            return _failed_event("timeout", f"the worker did not end within {seconds:g} seconds and was killed")
        except (ValueError, msgspec.DecodeError) as error:
            return _failed_event("worker", f"the worker said what cannot be read: {error}")

    def _kill(self) -> None:
        if self._process:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    async def _end(self) -> None:
        """Kill all processes of the run, and remove its scratch folder."""
        if self._killing:
            self._killing.cancel()
        self._kill()
        if self._process:
            await self._process.wait()
        await asyncio.to_thread(end_and_clear, self._job.run_id)


def scratch_of(run_id: str) -> Path:
    """The scratch folder of a run's browser. Its path is short, because paths of Unix sockets are limited."""
    return Path(tempfile.gettempdir()) / f"twindiff-{run_id[:16]}"


def end_and_clear(run_id: str) -> None:
    """Kill the processes of a run on this machine, and remove its scratch folder."""
    if scratch_of(run_id).exists():
        from twindiff.browser import limits

        limits.end(run_id)
        shutil.rmtree(scratch_of(run_id), ignore_errors=True)


def _failed_event(category: str, said: str) -> RunEvent:
    return RunEvent("end", said, {"status": "failed", "failure_category": category, "failure_detail": said})


def _why(code: int) -> str:
    if code < 0:
        return f"the worker was killed by {signal.Signals(-code).name}"
    return f"the worker ended with {code} and did not say why; see {LOG}"
