"""What to do for the tasks of `office_suite.json`, each over two services.

`twindiff suites run office --files examples --agent examples.office_solutions:work` passes all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx

from twindiff.client import Task

GENERAL, RANDOM = "C01ABCD1234", "C02EFGH5678"
FILE = "mutation($input: IssueCreateInput!) { issueCreate(input: $input) { issue { identifier } } }"

Call = Callable[..., Any]
"""Sends a request to a service: `call("slack", "chat.postMessage", json={…})`."""


def work(task: Task) -> None:
    """Solve the task that the prompt is of."""
    solve = next(solve for words, solve in SOLUTIONS.items() if words in task.prompt)
    with httpx.Client(headers={"Authorization": f"Bearer {task.token}"}, trust_env=False, timeout=60) as http:

        def call(api: str, path: str, method: str = "POST", **body: Any) -> Any:
            answer = http.request(method, f"{task.urls[api]}/{path}", **body).raise_for_status().json()
            assert answer.get("ok", True), answer
            assert "errors" not in answer, answer
            return answer

        solve(call)


def file_issue(call: Call, title: str) -> str:
    """File an issue of the team ENG and return its identifier."""
    query = '{ teams(filter: {key: {eq: "ENG"}}) { nodes { id } } }'
    (team,) = call("linear", "graphql", json={"query": query})["data"]["teams"]["nodes"]
    variables = {"input": {"teamId": team["id"], "title": title}}
    made = call("linear", "graphql", json={"query": FILE, "variables": variables})
    return made["data"]["issueCreate"]["issue"]["identifier"]


def report_a_fault(call: Call) -> None:
    """File the issue and post its identifier."""
    identifier = file_issue(call, "Door bell is silent")
    call("slack", "chat.postMessage", json={"channel": GENERAL, "text": identifier})


def open_a_folder(call: Call) -> None:
    """Make the folder and set the topic."""
    call("box", "2.0/folders", json={"name": "Harbour tour", "parent": {"id": "0"}})
    call("slack", "conversations.setTopic", json={"channel": GENERAL, "topic": "Harbour tour: see Box"})


def rename_a_calendar(call: Call) -> None:
    """Name the calendar and set the topic."""
    call("calendar", "calendars/primary", method="PATCH", json={"summary": "Ada, mostly out"})
    call("slack", "conversations.setTopic", json={"channel": RANDOM, "topic": "Robot away on 7 January"})


def note_a_friend(call: Call) -> None:
    """Describe the customer and file the issue."""
    call("stripe", "v1/customers/cus_O2qGqMo477EapJ", data={"description": "Friend of the house"})
    file_issue(call, "Send Elif Duarte a welcome")


SOLUTIONS = {
    "Door bell": report_a_fault,
    "Harbour tour": open_a_folder,
    "primary calendar": rename_a_calendar,
    "friend of the house": note_a_friend,
}
