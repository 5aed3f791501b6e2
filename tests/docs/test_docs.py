"""Every example in README.md, CONTRIBUTING.md and docs/ runs against a live server."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.type_docs import runnable
from tests.docs.blocks import Reader

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(sys.executable).parent
PAGES = [
    page
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if page.exists() and runnable(page.read_text())
]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The address of a server that keeps nothing, as it says it once it listens."""
    command = [PROGRAMS / "twindiff", "serve", "--port", "0", "--data-dir", ":memory:"]
    words = tmp_path / "server.log"
    with (
        words.open("w") as log,
        subprocess.Popen(
            command, env={**os.environ, "PYTHONUNBUFFERED": "1"}, stdout=subprocess.PIPE, stderr=log, text=True
        ) as process,
    ):
        try:
            assert process.stdout
            said = process.stdout.readline().strip()
            assert said, f"The server did not start: {words.read_text()}"
            yield said.rpartition(" ")[2]
        finally:
            process.terminate()


@pytest.fixture
def reader_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: str) -> Path:
    """A folder that looks like the checkout and may be written to, with the variables that the docs speak of."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    for entry in ROOT.iterdir():
        (folder / entry.name).symlink_to(entry)
    monkeypatch.setenv("AGENT_DIFF_BASE_URL", server)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setenv("PATH", str(PROGRAMS), prepend=":")
    return folder


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_example_of_the_page_runs(page: Path, reader_folder: Path, monkeypatch: pytest.MonkeyPatch):
    reader = Reader(page, reader_folder, monkeypatch)
    for block in runnable(page.read_text()):
        reader.run(block)
    reader.end()
