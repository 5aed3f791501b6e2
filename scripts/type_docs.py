"""Type README.md, the tutorial and every how-to as a reader does: a fresh clone, a fresh shell, nothing set beforehand.

Usage: `python3 scripts/type_docs.py [PAGE…]`. It clones this checkout as it is committed into a temporary folder, types
`make setup` there, starts the server of the pages in one terminal and types each page into another. Unlike the tests of
the documentation it carries nothing from Python to the shell or back, sets no variable, and refuses what a page leaves
in the checkout. Port 8000 of this machine must be free, as it is for a reader.
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FENCED = re.compile(
    r"(?P<reason><!-- not run: *[^\s-].*?-->\s*)?"
    r"^(?P<indent>[ ]*)```(?P<language>python|bash|console)(?=[\s{])[^\n]*\n(?P<code>.*?)^(?P=indent)```[ ]*$",
    re.MULTILINE | re.DOTALL,
)
LOOSE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
PORT = 8000
KEPT = re.compile(r"PATH|HOME|LANG|USER|TERM|\w*_PROXY|\w*_proxy|(PIP|UV|SSL)_\w+")
"""What a login leaves in the environment of a shell."""
SECONDS = 600
PYTHON = """
import sys
page = {"__name__": "__main__"}
for name in sys.stdin:
    path, line = name.strip().rsplit(":", 1)
    try:
        exec(compile("\\n" * int(line) + open(path).read(), "the page", "exec"), page)
        print("\\0done", flush=True)
    except BaseException:
        import traceback
        traceback.print_exc(file=sys.stdout)
        print("\\0failed", flush=True)
"""


class Failed(Exception):
    """A block of a page does not do what it says."""


class Block(NamedTuple):
    """A fenced block that a reader types; `line` is where its code begins."""

    language: str
    code: str
    line: int


def runnable(text: str) -> list[Block]:
    """The python, bash and console blocks of a page that no `<!-- not run: reason -->` stands before."""
    return [_block(match) for match in FENCED.finditer(text) if not match["reason"]]


def _block(match: re.Match[str]) -> Block:
    """A block without the indentation of the list that holds it."""
    code = re.sub(rf"^{match['indent']}", "", match["code"], flags=re.MULTILINE)
    return Block(match["language"], code, match.string.count("\n", 0, match.start("code")) + 1)


class Terminal:
    """A fresh bash, and a Python that is started in it when the first block needs one."""

    def __init__(self, folder: Path, scratch: Path, environment: dict[str, str]) -> None:
        self._scratch = scratch
        self._bash = subprocess.Popen(
            ["bash", "--noprofile", "--norc"],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._python: subprocess.Popen[str] | None = None
        self.shell("set -u -o pipefail; trap 'echo \"failed: $BASH_COMMAND\"' ERR")

    def close(self) -> None:
        for process in (self._python, self._bash):
            if process and process.stdin:
                process.stdin.close()
                process.wait(SECONDS)

    def type(self, block: Block) -> None:
        """Type a block; raises Failed."""
        {"bash": self._type_bash, "console": self._type_console, "python": self._type_python}[block.language](block)

    def _type_bash(self, block: Block) -> None:
        said = self.shell(block.code)
        if re.search("^failed: ", said, re.MULTILINE):
            raise Failed(said)

    def _type_console(self, block: Block) -> None:
        for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.code, re.MULTILINE):
            said = self.shell(command)
            if expected and not doctest.OutputChecker().check_output(expected, said, LOOSE):
                raise Failed(f"{command}\nexpected:\n{expected}\ngot:\n{said}")

    def _type_python(self, block: Block) -> None:
        if self._python is None:
            self._python = self._started_python()
        code = self._scratch / "block.py"
        code.write_text(block.code)
        said = _answer(self._python, f"{code}:{block.line - 1}")
        if not said.endswith("\0done\n"):
            raise Failed(said.removesuffix("\0failed\n"))

    def _started_python(self) -> subprocess.Popen[str]:
        """Python as it starts in the shell where the reader is: its folder, and what it has exported."""
        state = self._scratch / "state"
        self.shell(f"{{ pwd; env -0; }} > '{state}'")
        folder, _, variables = state.read_text().partition("\n")
        environment = dict(pair.split("=", 1) for pair in variables.split("\0") if pair)
        program = shutil.which("python", path=environment["PATH"]) or "python"
        return subprocess.Popen(
            [program, "-c", PYTHON],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def shell(self, code: str) -> str:
        """What commands print when they are typed into the shell; raises Failed when that ends it."""
        typed, printed = self._scratch / "block.sh", self._scratch / "printed"
        typed.write_text(code)
        said = _answer(self._bash, f"{{ . '{typed}'; }} </dev/null >'{printed}' 2>&1; printf '\\0done\\n'")
        if not said:
            raise Failed(f"the shell ended:\n{printed.read_text()}")
        return printed.read_text()


def _answer(process: subprocess.Popen[str], line: str) -> str:
    """What a process says to a line, up to its mark, or nothing when it ends."""
    assert process.stdin
    assert process.stdout
    process.stdin.write(f"{line}\n")
    process.stdin.flush()
    said = ""
    while True:
        heard = process.stdout.readline()
        if not heard:
            return ""
        said += heard
        if "\0" in heard:
            return said


@contextmanager
def serving(clone: Path, environment: dict[str, str]) -> Generator[None]:
    """The pages' server in a terminal of its own."""
    typed = "source .venv/bin/activate && exec twindiff serve"
    process = subprocess.Popen(["bash", "--noprofile", "--norc", "-c", typed], cwd=clone, env=environment)
    try:
        _wait_for_server(process)
        yield
    finally:
        process.terminate()
        process.wait(SECONDS)


def _wait_for_server(process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/api/platform/ready", timeout=5):
                return
        except OSError:
            continue
    sys.exit("The server did not start.")


def type_page(page: str, clone: Path, scratch: Path, environment: dict[str, str]) -> list[str]:
    """Type a page into a fresh terminal; what is wrong with it."""
    terminal = Terminal(clone, scratch, environment)
    terminal.shell("source .venv/bin/activate")
    problems: list[str] = []
    for block in runnable((clone / page).read_text()):
        try:
            terminal.type(block)
        except Failed as failed:
            problems.append(f"{page}:{block.line}: {failed}")
            break
    terminal.close()
    if left := _left_over(clone):
        problems.append(f"{page} leaves files in the checkout:\n{left}")
    return problems


def _left_over(clone: Path) -> str:
    """What git does not know, which is then removed."""
    status = subprocess.run(["git", "status", "--porcelain"], cwd=clone, capture_output=True, text=True, check=True)
    subprocess.run(["git", "clean", "-qfd"], cwd=clone, check=True)
    return status.stdout


def fresh_environment(folder: Path) -> dict[str, str]:
    """What a reader's shell has, with a data directory of its own."""
    kept = {name: value for name, value in os.environ.items() if KEPT.fullmatch(name)}
    paths = [each for each in kept["PATH"].split(":") if not each.startswith(f"{ROOT}/")]
    return {**kept, "PATH": ":".join(paths), "XDG_DATA_HOME": f"{folder}/data", "XDG_CACHE_HOME": f"{folder}/cache"}


def main(pages: list[str]) -> int:
    """Type the pages; 1 when something is wrong with one."""
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", PORT)) == 0:
            sys.exit(f"Port {PORT} is taken, which the pages need. Stop what listens there.")
    problems: list[str] = []
    with tempfile.TemporaryDirectory(prefix="twindiff-docs-") as name:
        folder, clone, scratch = Path(name), Path(name) / "twindiff", Path(name) / "scratch"
        scratch.mkdir()
        environment = fresh_environment(folder)
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        subprocess.run(["make", "setup"], cwd=clone, env=environment, check=True)
        how_tos = sorted(str(path.relative_to(clone)) for path in (clone / "docs/how-to").glob("*.md"))
        with serving(clone, environment):
            for page in pages or ["README.md", "docs/tutorial.md", *how_tos]:
                wrong = type_page(page, clone, scratch, environment)
                print(f"{'fails' if wrong else 'works'}  {page}", flush=True)
                problems += wrong
    print("\n".join(problems))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
