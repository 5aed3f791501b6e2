"""The process of an application: starts it within limits, waits until its port opens, ends all its processes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from twindiff.server.apis.sandbox_runs import containers, entrance, keeper
from twindiff.server.apis.sandbox_runs.last_output import MAX_LINES
from twindiff.server.apis.sandbox_runs.leftovers import ApplicationLives, Leftovers, end_leftovers

GIGABYTE = 1 << 30
LIMITS = {"RLIMIT_DATA": 4 * GIGABYTE, "RLIMIT_FSIZE": GIGABYTE, "RLIMIT_NOFILE": 4096, "RLIMIT_CORE": 0}
"""Limits per process: memory of its own, file size, open files, no core dumps."""
LIMITS_OF_USER = {"RLIMIT_NPROC": 1024}
"""Limits for all processes of a user together, where the application has a user of its own."""
MAX_PRINTED_LINES = 2000
MAX_LINE_CHARACTERS = 2000
CHUNK = 65536
LOOK_SECONDS = 0.05
LISTENS = "0A"
"""The state of a listening socket in /proc/net/tcp."""
SECONDS_TO_END = 18.0
SECONDS_TO_READ = 5.0
"""Seconds to wait for remaining output after the process has ended."""
SECONDS_TO_BUILD = 600.0
"""Seconds that building a container image, or installing what an application needs, may take."""
PASSED_ON = ("LANG", "LC_ALL", "TZ", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
"""Environment variables passed on from the server to its applications; none of them holds a key."""


class ApplicationFolder(NamedTuple):
    """The working directory of an application, below `root`, which has its leftovers record and is removed with it."""

    folder: Path
    root: Path


class Milestone(NamedTuple):
    """A file that exists once what precedes the last command is done, and how a run's log and its error say so."""

    file: Path
    done: str = "its image is built"
    then: str = "its image was built"
    otherwise: str = "was not built"


class CommandSequence(NamedTuple):
    """Commands to run in sequence, until one fails, within `limits`, with the variables `env` of the server's choice.
    The application's `variables` are for commands of `Confinement.wrap` alone. The `services` run beside the last
    command. For containers, `ends` are the commands that remove everything of them. With `first_uid`, the commands run
    as another user, who becomes the owner of the folders in `owned`.
    """

    commands: Sequence[Sequence[str]]
    env: Mapping[str, str]
    limits: Mapping[str, int] = LIMITS
    ends: Sequence[Sequence[str]] = ()
    milestone: Milestone | None = None
    services: Mapping[str, Sequence[str]] = {}
    first_uid: int | None = None
    owned: Sequence[Path] = ()
    variables: Mapping[str, str] = {}


class Application:
    """One application; `heard` is called with each line that it prints, masked by `mask` before it is cut."""

    def __init__(
        self,
        work: CommandSequence,
        place: ApplicationFolder,
        heard: Callable[[str], Awaitable[None]],
        mask: Callable[[str], str],
    ) -> None:
        self._mask = mask
        self.work = work
        self._place = place
        self._heard = heard
        self._lines = 0
        self.last_lines: deque[str] = deque(maxlen=MAX_LINES)
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._leftovers: Leftovers | None = None

    async def start(self) -> None:
        """Start its keeper, which runs the commands, and begin to read its output."""
        work = self.work
        limits = {**work.limits, **(LIMITS_OF_USER if work.first_uid is not None else {})}
        told = {
            "commands": work.commands,
            "services": work.services,
            "limits": limits,
            "ends": work.ends,
            "first_uid": work.first_uid,
            "owned": [str(each) for each in work.owned],
            "folder": str(self._place.root),
        }
        mark = {keeper.MARK: self._place.root.name}
        self._process = await _start_keeper(told, self._place.folder, {**work.env, **mark})
        uid = None if work.first_uid is None else work.first_uid + self._process.pid
        self._leftovers = Leftovers(mark=self._place.root.name, uid=uid, ends=[[*each] for each in work.ends])
        self._leftovers.write(self._place.root)
        self._reading = asyncio.create_task(self._read(self._process))
        if self._process.stdin:
            self._process.stdin.write(msgspec.json.encode({**work.variables, **mark}) + b"\n")
            with contextlib.suppress(ConnectionError):  # its keeper was killed, which is noticed by its end
                await self._process.stdin.drain()

    async def passes_milestone(self) -> str | None:
        """Wait until what precedes its last command is done; returns a description of the problem if it is not."""
        assert self.work.milestone, "it has one"
        milestone = self.work.milestone
        problem = await self._until(milestone.file.exists, SECONDS_TO_BUILD, milestone.then, milestone.otherwise)
        self._lines = 0  # lines printed until then do not count as the application's
        if problem is None:
            self.last_lines.clear()
        return problem

    async def opens(self, port: int, seconds: float, listens_on: int) -> str | None:
        """Wait until a port of this machine leads to it; returns a description of the problem after `seconds`.

        `listens_on` is the port on which it listens, in a network of its own or in that of this machine.
        """
        open_now, named = partial(self._has_opened, port), f"port {listens_on}"
        return await self._until(open_now, seconds, f"it listened on {named}", f"did not listen on {named}")

    def _has_opened(self, port: int) -> bool:
        """Whether it listens on a port; another program may have been given the same free port meanwhile.

        The listener of an application without a user of its own is not told apart from others.
        """
        uid = self._leftovers.uid if self._leftovers else None
        return is_open(port) and (uid is None or uid in (find_listeners(port) or {uid}))

    async def lives_until(self, event: Coroutine[Any, Any, str | None], then: str) -> str | None:
        """Wait for an event, and return the problem that it returns, or that the application ended before `then`."""
        happening, ending = asyncio.create_task(event), asyncio.create_task(self.wait_for_end())
        try:
            await asyncio.wait((happening, ending), return_when=asyncio.FIRST_COMPLETED)
            return happening.result() if happening.done() else f"the application {ending.result()} before {then}"
        finally:
            happening.cancel()
            ending.cancel()

    async def _until(self, is_there: Callable[[], bool], seconds: float, then: str, otherwise: str) -> str | None:
        try:
            async with asyncio.timeout(seconds):
                while not is_there():
                    if self._find_end():
                        return f"the application {await self.wait_for_end()} before {then}"
                    await asyncio.sleep(LOOK_SECONDS)
        except TimeoutError:
            return f"the application {otherwise} within {seconds:g} seconds"
        return None

    async def begin_to_end(self) -> str:
        """Wait until it, or a service of it, has ended by itself, and describe how; the rest of it may still run."""
        while not (said := self._find_end()):  # noqa: ASYNC110 - the keeper signals it by a file
            await asyncio.sleep(LOOK_SECONDS)
        return said

    async def wait_for_end(self) -> str:
        """Wait for its end, and describe how it ended; first ends whatever a killed keeper has left."""
        assert self._process, "it was started"
        if await _exit_code(self._process) < 0:
            await self._end_leftovers()
        await self._read_rest()
        return self._find_end()

    def _find_end(self) -> str:
        """Describe what ended first, it or a service of it; empty if neither has ended."""
        assert self._process, "it was started"
        with contextlib.suppress(OSError):
            first = msgspec.json.decode((self._place.root / keeper.END).read_bytes(), type=dict[str, Any])
            ended = f"ended with exit code {first['code']}"
            return f"lost its service '{first['service']}', which {ended}," if first["service"] else ended
        code = self._process.returncode
        if code is None:
            return ""
        return f"ended with exit code {code}" if code >= 0 else f"was ended: its keeper was killed by signal {-code}"

    async def end(self) -> None:
        """End it with all its descendants; raises ApplicationLives if a process cannot be ended."""
        if self._process is None:
            return
        if self._process.stdin:
            self._process.stdin.close()  # the keeper ends everything at the end of its input
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(_exit_code(self._process), SECONDS_TO_END)
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        await _exit_code(self._process)
        is_gone = await self._end_leftovers()
        await self._read_rest()
        if not is_gone:
            raise ApplicationLives

    async def _end_leftovers(self) -> bool:
        """End leftover processes and containers; true if nothing is left."""
        assert self._leftovers, "it was started"
        return await asyncio.to_thread(end_leftovers, self._leftovers, self._place.root)

    async def _read_rest(self) -> None:
        """Read its remaining output, without waiting for processes that still hold the pipe open."""
        if self._reading:
            await asyncio.wait((self._reading,), timeout=SECONDS_TO_READ)
            self._reading.cancel()

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
        text = self._mask(line.decode(errors="replace").rstrip("\r"))[:MAX_LINE_CHARACTERS]
        self.last_lines.append(text)
        if self._lines < MAX_PRINTED_LINES:
            await self._heard(text)
        elif self._lines == MAX_PRINTED_LINES:
            await self._heard(f"… what follows is not kept: the application has printed {MAX_PRINTED_LINES} lines")


async def _start_keeper(told: Mapping[str, Any], folder: Path, env: Mapping[str, str]) -> asyncio.subprocess.Process:
    """Start a keeper; that of Podman enters first, as what starts containers and what looks after them enter together.

    Docker's daemon starts containers outside of what the keeper would enter, from where their network is out of reach.
    """
    has_podman = any(containers.is_podman(command[0]) for command in told["ends"])
    entering = (sys.executable, "-I", "-S", entrance.__file__, entrance.KEEP) if has_podman else ()
    return await asyncio.create_subprocess_exec(
        *(*entering, sys.executable, "-I", "-S", keeper.__file__, msgspec.json.encode(told).decode()),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        cwd=folder,
        env=dict(env),
        start_new_session=True,
    )


async def _exit_code(process: asyncio.subprocess.Process) -> int:
    """Wait for the end of a process; `Process.wait` would also wait for all processes that hold its output open."""
    while process.returncode is None:  # noqa: ASYNC110 - no event signals the end while its pipes are open
        await asyncio.sleep(LOOK_SECONDS)
    return process.returncode


def list_own_variables() -> dict[str, str]:
    """The variables of the programs that start and confine applications; no repository has a say in them."""
    return {"PATH": os.environ.get("PATH", os.defpath)}


def environment(home: Path, given: Mapping[str, str]) -> dict[str, str]:
    """The environment variables of an application on this machine: a few of the server's, overridden by `given`.
    Its commands find the same programs as the server does, and the server's own Python first.
    """
    kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    return {**kept, "PATH": path, "HOME": str(home), "TMPDIR": str(home), "PYTHONUNBUFFERED": "1", **given}


async def wait_until_healthy(url: str, seconds: float) -> str | None:
    """Wait until a page answers with a status below 400; returns a description of the problem if it does not."""
    import httpx  # loading it takes a quarter of the server's start, and many servers never need it

    said = "nothing"
    async with httpx.AsyncClient(trust_env=False, timeout=5) as client:
        try:
            async with asyncio.timeout(seconds):
                while True:
                    try:
                        answer = await client.get(url)
                        if answer.status_code < 400:
                            return None
                        said = f"{answer.status_code}"
                    except httpx.HTTPError as error:
                        said = str(error) or type(error).__name__
                    await asyncio.sleep(LOOK_SECONDS)
        except TimeoutError:
            return f"the application was not healthy within {seconds:g} seconds: {url} answered {said}"


def free_port() -> int:
    """Find a port of this machine on which no process listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def is_open(port: int) -> bool:
    """Whether a process listens on a port of this machine."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=0.2):
        return True
    return False


def find_listeners(port: int) -> set[int]:
    """Find the ids of the users who listen on a port of this machine; empty where the system does not say."""
    users = set[int]()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with contextlib.suppress(OSError), Path(table).open(encoding="ascii") as lines:
            for fields in (line.split() for line in lines):
                if fields[3] == LISTENS and int(fields[1].rpartition(":")[2], 16) == port:
                    users.add(int(fields[7]))
    return users
