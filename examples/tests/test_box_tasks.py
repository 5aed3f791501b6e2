"""The tasks in the bike shop: every one can be done, and none is done by doing nothing or too much."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from tests.harness import LiveServer, Platform
from twindiff.server import Settings

EXAMPLES = Path(__file__).parents[1]
SUITE: dict[str, Any] = json.loads((EXAMPLES / "box_tasks.json").read_text())
TASKS = {test["name"]: test for test in SUITE["tests"]}


def solutions() -> Any:
    """The module beside this folder."""
    spec = importlib.util.spec_from_file_location("box_solutions", EXAMPLES / "box_solutions.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def platform() -> Iterator[Platform]:
    """A server that has the tasks."""
    server = LiveServer(Settings())
    platform = Platform(server.client)
    try:
        platform.post("import", {"files": {"box_tasks.json": SUITE}})
        yield platform
    finally:
        server.close()


@pytest.fixture(scope="module")
def ids(platform: Platform) -> dict[str, str]:
    """The tests by name."""
    (suite,) = platform.get("testSuites", name=SUITE["name"])["testSuites"]
    return {test["name"]: test["id"] for test in platform.get(f"testSuites/{suite['id']}", expand="tests")["tests"]}


@pytest.fixture
def passes(platform: Platform, ids: dict[str, str]) -> Callable[[str, Callable[[Any], None]], tuple[bool, list[str]]]:
    """Do something for a task, and have it judged."""

    def judge(name: str, work: Callable[[Any], None]) -> tuple[bool, list[str]]:
        user = TASKS[name]["impersonate_user_id"]
        environment = platform.environment("box:box_default", user, testId=ids[name])
        run = platform.start(environment, testId=ids[name])
        url = str(platform.client.base_url.join(environment.made["environmentUrls"]["box"]))
        work(SimpleNamespace(prompt=TASKS[name]["prompt"], url=url, token=environment.token, urls={"box": url}))
        verdict = platform.evaluate(run)
        return verdict["passed"], platform.get(f"results/{run}")["failures"]

    return judge


def too_much(task: Any) -> None:
    """Solve a task, and make a folder that nobody asked for."""
    solutions().work(task)
    wanted = {"name": "Done!", "parent": {"id": "0"}}
    headers = {"Authorization": f"Bearer {task.token}"}
    httpx.post(f"{task.url}/2.0/folders", json=wanted, headers=headers, trust_env=False).raise_for_status()


@pytest.mark.parametrize("name", TASKS)
def test_a_written_solution_passes(passes: Any, name: str) -> None:
    assert passes(name, solutions().work) == (True, [])


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("work", [lambda task: None, too_much], ids=["nothing", "too much"])
def test_nothing_and_too_much_pass_nowhere(passes: Any, name: str, work: Callable[[Any], None]) -> None:
    assert passes(name, work)[0] is False
