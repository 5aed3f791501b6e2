"""An application in Node with five vendors' SDKs, unmodified, in a twin run, a sandbox run and a pull request run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import gettempdir

import httpx
import pytest

from tests.door.test_programs import NODE, TOOLS
from tests.harness import Json, LiveServer, succeeded
from tests.sandbox_runs.conftest import Repository, Sandboxes
from twindiff.browser.chromium import NoBrowser, chromium
from twindiff.client import Client
from twindiff.server import Settings

SOURCE = (Path(__file__).parent / "node_application" / "app.js").read_text()
MODULES = TOOLS / "node_modules"
PACKAGES = ("@slack/web-api", "@linear/sdk", "@googleapis/calendar", "google-auth-library", "box-node-sdk", "stripe")
TWINS = ["slack", "linear", "box", "calendar", "stripe"]
EXPECTED = [f"<p>{twin}: Launch</p>" for twin in TWINS]

CONFIG = f"""app:
  app_command: "'{NODE}' app.js"
  health_path: /healthy
  twins: [{", ".join(TWINS)}]
  env: {{NODE_PATH: "{MODULES}"}}
"""
STEPS = [{"action": "expect", "expect": {"type": "text", "contains": f"{twin}: Launch"}} for twin in TWINS]


@pytest.fixture(scope="module", autouse=True)
def _installed() -> None:
    missing = [name for name in PACKAGES if not (MODULES / name).exists()]
    if missing or not NODE.exists():
        pytest.skip(f"{', '.join(missing) or NODE} is not installed; `make programs` does that")


@pytest.fixture(scope="module")
def _visible() -> None:
    if MODULES.is_relative_to(gettempdir()):
        pytest.skip(f"applications have a {gettempdir()} of their own, in which the packages are not seen")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    made = Repository(tmp_path_factory.mktemp("node") / "launch", app_DOT_js=SOURCE, _DOT_arga__sandbox_DOT_yml=CONFIG)
    made.git("checkout", "--quiet", "-b", "tidied")
    made.commit("Tidy", app_DOT_js=SOURCE + "// tidied\n")
    made.git("checkout", "--quiet", "main")
    return made


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    """A server with room for ports, which Stripe's SDK needs."""
    started = LiveServer(Settings())
    yield started
    started.close()


@pytest.fixture
def sandboxes(server: LiveServer) -> Iterator[Sandboxes]:
    made = Sandboxes(server)
    yield made
    for sandbox_id in made.made:
        made.delete(sandbox_id)


def read_page(url: str) -> list[str]:
    return httpx.get(url, timeout=60, trust_env=False).text.splitlines()


@pytest.fixture
def variables(server: LiveServer) -> Iterator[dict[str, str]]:
    """The variables of a new twin run."""
    made = succeeded(server.client.post("/twin-runs", json={"twins": TWINS, "wait_seconds": 60}))["run_id"]
    run: Json = succeeded(server.client.get(f"/twin-runs/{made}"))
    yield {name: value for twin in run["twins"].values() for name, value in twin["env_vars"].items()}
    server.client.post(f"/twin-runs/{made}/teardown")


def test_five_sdks_in_node_work_with_the_variables_of_a_twin_run(variables: dict[str, str], tmp_path: Path):
    (tmp_path / "app.js").write_text(
        SOURCE.replace('"127.0.0.1");', '"127.0.0.1", () => console.log(server.address().port));')
    )
    env = {**os.environ, **variables, "NODE_PATH": str(MODULES), "PORT": "0"}
    with subprocess.Popen([NODE, tmp_path / "app.js"], env=env, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            said = read_page(f"http://127.0.0.1:{process.stdout.readline().strip()}/")
        finally:
            process.terminate()
    assert said == EXPECTED


@pytest.mark.usefixtures("_visible")
def test_five_sdks_in_node_work_in_a_sandbox_run(sandboxes: Sandboxes, repository: Repository):
    run = sandboxes.create(repo=str(repository.path))
    assert read_page(run["app_url"]) == EXPECTED, run


@pytest.mark.usefixtures("_visible")
def test_five_sdks_in_node_work_in_a_pull_request_run(server: LiveServer, repository: Repository):
    try:
        chromium()
    except NoBrowser as absent:
        pytest.skip(str(absent))
    repo = str(repository.path)
    with Client(server.url) as client:
        client.tests.create("launches", repo_full_name=repo, ci_enabled=True, test_config={"steps": STEPS})
        run = client.runs.create_pr_run(repo=repo, branch="tidied")
        ended = client.runs.wait(run.run_id, timeout=120, poll_interval=0.1)
    assert ended.status == "completed", ended
