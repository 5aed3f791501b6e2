"""The written solutions of public tasks as functions of a `twindiff.client.Task`, by the tasks' public ids.

`twindiff suites audit "Slack Bench v2" --solutions tests.contract.public_solutions:SLACK --files FOLDER`
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx

from tests.contract import slack_small_solutions, slack_solutions
from twindiff.client import Task
from twindiff.twins.linear.tests.conftest import Linear
from twindiff.twins.linear.tests.suite import small_solutions
from twindiff.twins.linear.tests.suite import solutions as suite_solutions
from twindiff.twins.linear.tests.suite.suite_client import Desk

Json = dict[str, Any]


class SlackAgent:
    """Slack for the agent of a task, who is never refused."""

    def __init__(self, task: Task) -> None:
        self.task = task

    def __call__(self, method: str, **parameters: Any) -> Json:
        headers = {"Authorization": f"Bearer {self.task.token}"}
        answer = httpx.post(
            f"{self.task.url}/{method}", json=parameters, headers=headers, trust_env=False, timeout=60
        ).json()
        assert answer["ok"], (method, parameters, answer)
        return answer

    def as_user(self, user: str) -> SlackAgent:
        raise PermissionError(f"only {user} may do the rest")


class LinearAgent(Linear):
    """Linear for the agent of a task."""

    def __init__(self, task: Task) -> None:
        self.task = task

    def ask(self, query: str, **variables: Any) -> Json:
        headers = {"Authorization": self.task.token}
        body = {"query": query, "variables": variables}
        return httpx.post(f"{self.task.url}/graphql", json=body, headers=headers, trust_env=False, timeout=60).json()


def _slack(solution: Callable[[Any], object]) -> Callable[[Task], object]:
    return lambda task: solution(SlackAgent(task))


def _linear(solution: Callable[[Any], object]) -> Callable[[Task], object]:
    return lambda task: solution(Desk(LinearAgent(task)))


_SLACK = (*slack_solutions.SOLUTIONS, *slack_small_solutions.SOLUTIONS)
_LINEAR = {**suite_solutions.SOLUTIONS, **small_solutions.SOLUTIONS}
SLACK = {solution.__name__: _slack(solution) for solution in _SLACK}
LINEAR = {test: _linear(solution) for test, solution in _LINEAR.items()}
