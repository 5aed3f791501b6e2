"""The tasks of a file in a server of their own, and verdicts on what somebody does for them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.harness import Environment, LiveServer, Platform
from twindiff.server import Settings

EXAMPLES = Path(__file__).parents[1]


def tasks_of(file: str) -> dict[str, dict[str, Any]]:
    """The tasks of a file of this folder's examples, by id."""
    return {task["id"]: task for task in json.loads((EXAMPLES / file).read_text())["tests"]}


class JudgedSuite:
    """A server with the tasks of a file."""

    def __init__(self, file: str) -> None:
        document = json.loads((EXAMPLES / file).read_text())
        self._tasks = tasks_of(file)
        self._server = LiveServer(Settings())
        self._platform = Platform(self._server.client)
        self._platform.post("import", {"files": {file: document}})
        (suite,) = self._platform.get("testSuites", name=document["name"])["testSuites"]
        tests = self._platform.get(f"testSuites/{suite['id']}", expand="tests")["tests"]
        self._ids: dict[str, str] = {test["name"]: test["id"] for test in tests}

    def failures(self, task_id: str, work: Callable[[Environment], object]) -> list[str]:
        """What is wrong with somebody's work at a task; nothing if it passes."""
        task = self._tasks[task_id]
        test = self._ids[task["name"]]
        templates = task.get("seed_templates") or [task["seed_template"]]
        named = [f"{template.partition('_')[0]}:{template}" for template in templates]
        actor = {"impersonateEmail": task.get("impersonate_email", "")}
        environment = self._platform.environment(
            "", task.get("impersonate_user_id", ""), templates=named, testId=test, **actor
        )
        run = self._platform.start(environment, testId=test)
        work(environment)
        verdict = self._platform.evaluate(run)
        assert verdict["passed"] == (verdict["failures"] == [])
        return verdict["failures"]

    def close(self) -> None:
        self._server.close()
