"""Reads the runnable blocks of a Markdown page and runs them in order, as a reader of the page would."""

import doctest
import gc
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from scripts.type_docs import LOOSE, Block

CARRY = "\nenv -0 >&3"
OF_THE_SHELL = {"_", "OLDPWD", "PWD", "SHLVL"}


class Reader:
    """Runs a page's blocks; names, variables and files of one block are there for the next."""

    def __init__(self, page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.page, self.folder, self.monkeypatch = page, folder, monkeypatch
        self.module = ModuleType("page")
        monkeypatch.setitem(sys.modules, "page", self.module)
        monkeypatch.chdir(folder)

    def end(self) -> None:
        """End as a reader's program ends: what it has left open is closed."""
        vars(self.module).clear()
        gc.collect()

    def run(self, block: Block) -> None:
        """Run one block; its own error, with the page's line, is the test's."""
        {"python": self.python, "bash": self.bash, "console": self.console}[block.language](block)

    def python(self, block: Block) -> None:
        """Blank lines before the code make a traceback name the page's own lines."""
        exec(compile("\n" * (block.line - 1) + block.code, self.page, "exec"), vars(self.module))

    def bash(self, block: Block) -> None:
        """The first command that fails fails the block."""
        self.shell(block.code, block.line)

    def console(self, block: Block) -> None:
        """Each `$ command` prints what stands below it, where `...` is anything."""
        for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.code, re.MULTILINE):
            output = self.shell(command, block.line)
            if expected and not doctest.OutputChecker().check_output(expected, output, LOOSE):
                pytest.fail(
                    f"{self.page}:{block.line}: {command}\nexpected:\n{expected}\ngot:\n{output}", pytrace=False
                )

    def shell(self, script: str, line: int) -> str:
        """Run in bash; what it sets stays set, as in a reader's terminal."""
        kept = self.folder / ".variables"
        command = ["bash", "-c", f"set -eua -o pipefail; exec 3>'{kept}'\n{script}{CARRY}"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode:
            answer = f"{done.stdout}{done.stderr}"
            pytest.fail(f"{self.page}:{line}: exit code {done.returncode} from\n{script}\n{answer}", pytrace=False)
        for name, value in (pair.split("=", 1) for pair in kept.read_text().split("\0") if pair):
            if name not in OF_THE_SHELL and os.environ.get(name) != value:
                self.monkeypatch.setenv(name, value)
        return done.stdout
