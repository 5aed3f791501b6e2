"""What to do for every task of the starter suite, call by call.

`twindiff suites run starter --agent examples.starter_solutions:work` passes all of them.

An agent has to find this out from the prompt; `twindiff.client.sample_agent` lets a model do it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx

from twindiff.client import Task

GENERAL, RANDOM = "C01ABCD1234", "C02EFGH5678"
JOHN, ROBERT = "U02JOHNDOE1", "U03ROBERT23"

Call = Callable[..., Any]


def work(task: Task) -> None:
    """Solve the task that the prompt is of."""
    solve = next(solve for words, solve in SOLUTIONS.items() if words in task.prompt)
    with httpx.Client(base_url=task.url, headers={"Authorization": f"Bearer {task.token}"}, trust_env=False) as http:

        def slack(method: str, **parameters: Any) -> Any:
            answer = http.post(f"/{method}", json=parameters).json()
            assert answer["ok"], answer
            return answer

        def linear(query: str, **variables: Any) -> Any:
            answer = http.post("/graphql", json={"query": query, "variables": variables}).json()
            assert "errors" not in answer, answer["errors"]
            return answer["data"]

        solve(linear if "linear" in task.urls else slack)


def answer_in_a_thread(slack: Call) -> None:
    asked = next(each for each in slack("conversations.history", channel=GENERAL)["messages"] if "?" in each["text"])
    slack("chat.postMessage", channel=GENERAL, thread_ts=asked["ts"], text=f"I am, and <@{JOHN}> is my backup.")


def react(slack: Call) -> None:
    asked = slack("conversations.history", channel=RANDOM)["messages"][0]
    slack("reactions.add", channel=RANDOM, timestamp=asked["ts"], name="sandwich")


def rename_a_channel(slack: Call) -> None:
    slack("conversations.rename", channel=RANDOM, name="small-talk")


def set_a_topic(slack: Call) -> None:
    slack("conversations.setTopic", channel=GENERAL, topic="Rollout tonight at 20:00 UTC")


def open_a_channel(slack: Call) -> None:
    made = slack("conversations.create", name="rollout")["channel"]["id"]
    slack("conversations.invite", channel=made, users=f"{JOHN},{ROBERT}")
    slack("chat.postMessage", channel=made, text="Notes on the rollout go here.")


def correct_a_message(slack: Call) -> None:
    mine = slack("search.messages", query="billing page")["messages"]["matches"][0]
    text = "The billing page is live for customers in Europe."
    slack("chat.update", channel=mine["channel"]["id"], ts=mine["ts"], text=text)


def issue(linear: Call, title: str) -> str:
    query = "query($title: String!) { issues(filter: { title: { contains: $title } }) { nodes { id } } }"
    return linear(query, title=title)["issues"]["nodes"][0]["id"]


def user(linear: Call, name: str) -> str:
    query = "query($name: String!) { users(filter: { name: { contains: $name } }) { nodes { id } } }"
    return linear(query, name=name)["users"]["nodes"][0]["id"]


def change(linear: Call, id: str, **values: Any) -> None:
    linear(
        "mutation($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }",
        id=id,
        input=values,
    )


def create(linear: Call, **values: Any) -> None:
    team = linear('{ teams(filter: { key: { eq: "ENG" } }) { nodes { id } } }')["teams"]["nodes"][0]["id"]
    mutation = "mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success } }"
    linear(mutation, input={"teamId": team, **values})


def file_an_issue(linear: Call) -> None:
    create(linear, title="Replace the battery of cell 7", priority=2, assigneeId=user(linear, "Sarah"))


def finish_an_issue(linear: Call) -> None:
    query = '{ workflowStates(filter: { name: { eq: "Done" }, team: { key: { eq: "ENG" } } }) { nodes { id } } }'
    change(linear, issue(linear, "Arm controller"), stateId=linear(query)["workflowStates"]["nodes"][0]["id"])


def comment(linear: Call) -> None:
    mutation = "mutation($input: CommentCreateInput!) { commentCreate(input: $input) { success } }"
    linear(mutation, input={"issueId": issue(linear, "Sign-in"), "body": "The fix goes out on Friday."})


def label(linear: Call) -> None:
    query = '{ issueLabels(filter: { name: { eq: "UX" } }) { nodes { id } } }'
    labels = linear(query)["issueLabels"]["nodes"]
    change(linear, issue(linear, "first-run dashboard"), addedLabelIds=[each["id"] for each in labels])


def hand_over(linear: Call) -> None:
    query = "query($id: ID) { issues(filter: { assignee: { id: { eq: $id } } }) { nodes { id } } }"
    for each in linear(query, id=user(linear, "John"))["issues"]["nodes"]:
        change(linear, each["id"], assigneeId=user(linear, "Sarah"))


def split_an_issue(linear: Call) -> None:
    create(linear, title="Record ten more grasps", parentId=issue(linear, "learned grasps"))


SOLUTIONS: dict[str, Callable[[Call], None]] = {
    "watching the rollout": answer_in_a_thread,
    "lunch": react,
    "#small-talk": rename_a_channel,
    "topic": set_a_topic,
    "#rollout": open_a_channel,
    "billing page": correct_a_message,
    "battery": file_an_issue,
    "is solved": finish_an_issue,
    "Friday": comment,
    "label": label,
    "away": hand_over,
    "sub-issue": split_an_issue,
}
"""By words that the prompt of one task has."""
