"""The process of an application: started within limits, watched until its port opens, ended with all it has started."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from twindiff.server.sandbox_runs import keeper

GIGABYTE = 1 << 30
LIMITS = {"RLIMIT_DATA": 4 * GIGABYTE, "RLIMIT_FSIZE": GIGABYTE, "RLIMIT_NOFILE": 4096, "RLIMIT_CORE": 0}
"""What each process may take: memory of its own, the size of a file, open files, no dump."""
MOST_LINES = 2000
LONGEST_LINE = 2000
CHUNK = 65536
LOOK_SECONDS = 0.05
PASSED_ON = ("LANG", "LC_ALL", "TZ", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
"""Variables of the server that its applications are given; keys of the server are none of them."""


class Place(NamedTuple):
    """Where an application runs: in `folder`, below `root`, which is removed with it, a worktree of `repository`."""

    folder: Path
    root: Path
    repository: Path


class Application:
    """One application; `heard` is given each line that it prints."""

    def __init__(
        self, command: str, place: Place, env: Mapping[str, str], heard: Callable[[str], Awaitable[None]]
    ) -> None:
        self._command = command
        self._place = place
        self._env = env
        self._heard = heard
        self._lines = 0
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start it."""
        place = {"folder": str(self._place.root), "repository": str(self._place.repository)}
        wanted = msgspec.json.encode({"command": self._command, "limits": LIMITS, **place}).decode()
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", keeper.__file__, wanted),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            cwd=self._place.folder,
            env=dict(self._env),
            start_new_session=True,
        )
        self._reading = asyncio.create_task(self._read(self._process))

    async def opens(self, port: int, seconds: float) -> str | None:
        """Wait until it listens; what is wrong if it does not."""
        try:
            async with asyncio.timeout(seconds):
                while not is_open(port):
                    if self._process is None or self._process.returncode is not None:
                        return f"the application {await self.ended()} before it listened on port {port}"
                    await asyncio.sleep(LOOK_SECONDS)
        except TimeoutError:
            return f"the application did not listen on port {port} within {seconds:g} seconds"
        return None

    async def ended(self) -> str:
        """Wait for its end, and say how that came."""
        assert self._process, "it was started"
        code = await self._process.wait()
        if self._reading:
            await self._reading
        return f"ended with exit code {code}" if code >= 0 else f"was killed by signal {-code}"

    async def end(self) -> None:
        """End it with all that it has started."""
        if self._process is None:
            return
        if self._process.stdin:
            self._process.stdin.close()  # which is what the keeper waits for
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), 10)
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
        if self._reading:
            await self._reading

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout, "it was asked for"
        rest = b""
        while chunk := await process.stdout.read(CHUNK):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                await self._hear(line)
            rest = rest[-CHUNK:]
        if rest:
            await self._hear(rest)

    async def _hear(self, line: bytes) -> None:
        self._lines += 1
        if self._lines < MOST_LINES:
            await self._heard(line.decode(errors="replace").rstrip("\r")[:LONGEST_LINE])
        elif self._lines == MOST_LINES:
            await self._heard(f"… what follows is not kept: the application has printed {MOST_LINES} lines")


def environment(home: Path, *given: Mapping[str, str], port: int) -> dict[str, str]:
    """The variables of an application: few of the server's, then what is given, later ones over earlier, then `PORT`.

    Its commands find the programs that the server finds, and the server's own Python first.
    """
    kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    variables = {**kept, "PATH": path, "HOME": str(home), "TMPDIR": str(home), "PYTHONUNBUFFERED": "1"}
    for each in given:
        variables |= each
    return {**variables, "PORT": str(port)}


def free_port() -> int:
    """A port of this machine on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def is_open(port: int) -> bool:
    """Whether somebody listens on a port of this machine."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=0.2):
        return True
    return False
