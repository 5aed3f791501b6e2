"""Arga's command line as its users have it, in a folder of its own."""

from __future__ import annotations

import json
import os
import pty
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

VERSION = "0.1.21"
FOLDER = Path(__file__).parents[1] / ".tools" / f"arga-cli-{VERSION}"
START = "from arga_cli.main import main; import sys; sys.exit(main())"
FORKS = """
import json, os, socket, sys
import httpcore
from arga_cli.main import main

asked = socket.socket(fileno=int(sys.argv[1]))
while True:
    told, streams, _, _ = socket.recv_fds(asked, 1 << 20, 3)
    if not told:
        break
    if child := os.fork():
        for each in streams:
            os.close(each)
        asked.send(b"%d" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    else:
        for number, each in enumerate(streams):
            os.dup2(each, number)
        given = json.loads(told)
        os.environ.clear()
        os.environ.update(given["environment"])
        sys.argv = ["arga", *given["arguments"]]
        sys.exit(main())
"""
"""What a command imports takes longer than what it does then: this imports it once and forks for each command."""


class NotInstalled(Exception):
    """The package cannot be had."""


def install() -> Path:
    """The folder that has the package; it is made once. Raises NotInstalled.

    The package asks for Python 3.12 and does without: uv is told to install what it would there.
    """
    if not FOLDER.exists():
        FOLDER.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=FOLDER.parent) as place:
            made = Path(place) / "made"
            uv = [str(Path(sys.executable).with_name("uv")), "pip", "install", "--quiet", "--target", str(made)]
            done = subprocess.run(
                [*uv, "--python-version", "3.12", f"arga-cli=={VERSION}"], capture_output=True, text=True, check=False
            )
            if done.returncode:
                raise NotInstalled(f"arga-cli {VERSION} cannot be installed: {done.stderr.strip()[-300:]}")
            if not FOLDER.exists():  # another process may have been quicker
                made.rename(FOLDER)
    return FOLDER


class Arga:
    """The command line of a user who has a home of his own."""

    def __init__(self, home: Path, url: str) -> None:
        self.home = home
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        self.environment = {
            **kept,
            "HOME": str(home),
            "ARGA_API_URL": url,
            "PYTHONPATH": str(install()),
            "NO_PROXY": "127.0.0.1",
            "SSL_CERT_DIR": str(home),  # nothing is asked over TLS, and reading every authority takes long
            "COLUMNS": "300",
        }
        self._asked, theirs = socket.socketpair()
        self._asked.settimeout(120)
        with theirs:
            self._forks = subprocess.Popen(
                [sys.executable, "-c", FORKS, str(theirs.fileno())],
                cwd=home,
                env=self.environment,
                pass_fds=[theirs.fileno()],
            )

    def close(self) -> None:
        self._asked.close()
        self._forks.wait()

    def run(self, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command in the home, in a process of its own, with what is typed into it."""
        with ExitStack() as kept:
            streams = [kept.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8")) for _ in range(3)]
            streams[0].write(given)
            streams[0].seek(0)
            told = json.dumps({"arguments": arguments, "environment": self.environment}).encode()
            socket.send_fds(self._asked, [told], [each.fileno() for each in streams])
            code = int(self._asked.recv(16))
            for each in streams[1:]:
                each.seek(0)
            return subprocess.CompletedProcess(arguments, code, streams[1].read(), streams[2].read())

    def typed(self, *arguments: str, answers: Sequence[tuple[str, str]]) -> str:
        """What a command that asks at a terminal prints; each answer follows a text of its question.

        It is started as its users start it.
        """
        ours, theirs = pty.openpty()
        command = [sys.executable, "-c", START, *arguments]
        environment = {**self.environment, "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}
        with subprocess.Popen(
            command, cwd=self.home, env=environment, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
        ) as process:
            os.close(theirs)
            printed, heard, left = "", 0, list(answers)
            while said := _read(ours):
                printed += said
                if left and left[0][0] in printed[heard:]:
                    heard = len(printed)
                    os.write(ours, left.pop(0)[1].encode())
        os.close(ours)
        assert (process.returncode, left) == (0, []), f"arga {' '.join(arguments)}: {printed}"
        return printed

    def __call__(self, *arguments: str, given: str = "") -> str:
        """What a command that must succeed prints."""
        done = self.run(*arguments, given=given)
        assert done.returncode == 0, f"arga {' '.join(arguments)}: {done.stdout}{done.stderr}"
        return done.stdout


def _read(terminal: int) -> str:
    """What came to a terminal; nothing when its other side is closed, which Linux tells by an error."""
    with suppress(OSError):
        return os.read(terminal, 65536).decode(errors="replace")
    return ""
