"""Every example in README.md, CONTRIBUTING.md and docs/ runs against a live server."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.docs.blocks import Reader, runnable

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(sys.executable).parent
PAGES = [
    page
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if page.exists() and runnable(page.read_text())
]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The address of a server that keeps nothing, started as a reader starts it."""
    port = free_port()
    command = [PROGRAMS / "twindiff", "serve", "--host", "127.0.0.1", "--port", str(port), "--data-dir", ":memory:"]
    said = tmp_path / "server.log"
    with said.open("w") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        try:
            wait_until_ready(f"http://127.0.0.1:{port}", said)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def wait_until_ready(address: str, said: Path) -> None:
    """Ask until the server answers; show what it said when it never does."""
    patient = httpx.HTTPTransport(retries=5)
    try:
        with httpx.Client(transport=patient, trust_env=False) as client:
            client.get(f"{address}/api/platform/ready").raise_for_status()
    except httpx.HTTPError as error:
        pytest.fail(f"The server did not get ready: {error}\n{said.read_text()}", pytrace=False)


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
