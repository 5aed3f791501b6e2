"""The written solutions of public tasks as functions of a `twindiff.client.Task`, by the tasks' public ids.

`twindiff suites audit "Slack Bench v2" --solutions tests.contract.public_solutions:SLACK --files FOLDER`
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx

from tests.contract import slack_small_solutions, slack_solutions
from twindiff.client import Task
from twindiff.twins.box.tests import suite_small_solutions as box_solutions
from twindiff.twins.box.tests.conftest import Box
from twindiff.twins.box.tests.suite_solutions import Desk as BoxDesk
from twindiff.twins.calendar.tests import suite_small_solutions as calendar_solutions
from twindiff.twins.calendar.tests.conftest import Calendar
from twindiff.twins.calendar.tests.suite_solutions import Desk as CalendarDesk
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


class TaskEnvironment:
    """What clients of the tests ask of an environment, over the address of a task; it is its own platform."""

    def __init__(self, task: Task, client: httpx.Client) -> None:
        self.task = task
        self.client = client
        self.platform = self

    def ask(self, path: str, *, verb: str, token: str | None = None, twin: str = "", **options: Any) -> Any:
        headers = {"Authorization": f"Bearer {token or self.task.token}", **options.pop("headers", {})}
        return self.client.request(verb, path, headers=headers, **options)


class BoxAgent(Box):
    """Box for the agent of a task."""

    def __init__(self, environment: TaskEnvironment) -> None:
        self.environment = environment  # type: ignore[assignment]
        self.token = environment.task.token


class CalendarAgent(Calendar):
    """Google Calendar for the agent of a task."""

    def __init__(self, environment: TaskEnvironment) -> None:
        super().__init__(environment, environment.task.token)  # type: ignore[arg-type]


def _over_client(work: Callable[[TaskEnvironment], object]) -> Callable[[Task], object]:
    def solve(task: Task) -> object:
        with httpx.Client(base_url=f"{task.url}/", trust_env=False, timeout=60) as client:
            return work(TaskEnvironment(task, client))

    return solve


def _slack(solution: Callable[[Any], object]) -> Callable[[Task], object]:
    return lambda task: solution(SlackAgent(task))


def _linear(solution: Callable[[Any], object]) -> Callable[[Task], object]:
    return lambda task: solution(Desk(LinearAgent(task)))


def _box(solution: Callable[[Any], object]) -> Callable[[Task], object]:
    return _over_client(lambda environment: solution(BoxDesk(BoxAgent(environment))))


def _calendar(solution: Callable[[Any], object]) -> Callable[[Task], object]:
    return _over_client(lambda environment: solution(CalendarDesk(CalendarAgent(environment))))


_SLACK = (*slack_solutions.SOLUTIONS, *slack_small_solutions.SOLUTIONS)
_LINEAR = {**suite_solutions.SOLUTIONS, **small_solutions.SOLUTIONS}
SLACK = {solution.__name__: _slack(solution) for solution in _SLACK}
LINEAR = {test: _linear(solution) for test, solution in _LINEAR.items()}
BOX = {test: _box(solution) for test, solution in box_solutions.SOLUTIONS.items()}
CALENDAR = {test: _calendar(solution) for test, solution in calendar_solutions.SOLUTIONS.items()}
