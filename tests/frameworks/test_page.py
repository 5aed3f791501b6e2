"""The examples of the how-to page, each with the real package of its framework."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from scripts.type_docs import runnable
from tests.docs.blocks import Reader

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "frameworks.md"
PACKAGES = {"inspect": "inspect_ai", "openenv": "openenv", "verifiers": "verifiers"}


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("extra", PACKAGES)
def test_the_examples_of_a_framework_run(extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    if find_spec(PACKAGES[extra]) is None:
        pytest.skip(f"{extra} is not installed; `make frameworks` has it")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    reader = Reader(PAGE, tmp_path, monkeypatch)
    ours = re.sub(rf"<!-- not run: needs twindiff\[{extra}\] -->", "<!-- not run: -->", PAGE.read_text())
    known = {block.line for block in runnable(PAGE.read_text())}
    mine = [block for block in runnable(ours) if block.line not in known]
    assert mine
    for block in mine:
        reader.run(block)
    reader.end()
