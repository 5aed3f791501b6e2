"""What to do for every task of github_suite.json, call by call.

`twindiff import agent-diff` brings the tasks in, and then
`twindiff suites run "harbour company" --agent examples.github_solutions:work` passes all of them.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any

import httpx

from twindiff.client import Task

ORG = "tidewater"


class Hub:
    """The calls that most tasks take."""

    def __init__(self, task: Task) -> None:
        headers = {"Authorization": f"Bearer {task.token}", "Accept": "application/vnd.github+json"}
        self.http = httpx.Client(headers=headers, trust_env=False)
        self.urls = task.urls

    def __enter__(self) -> Hub:
        return self

    def __exit__(self, *raised: object) -> None:
        self.http.close()

    def __call__(self, verb: str, path: str, body: Any = None, **query: Any) -> Any:
        answer = self.http.request(verb, f"{self.urls['github']}/{path}", json=body, params=query)
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def find(self, repo: str, title: str) -> int:
        """The number of the one open issue or pull request with a title."""
        found = self("GET", f"repos/{ORG}/{repo}/issues", state="open", per_page=100)
        (only,) = [each["number"] for each in found if each["title"] == title]
        return only

    def slack(self, method: str, **body: Any) -> Any:
        """Call a method of Slack."""
        answer = self.http.post(f"{self.urls['slack']}/{method}", json=body).json()
        assert answer["ok"], answer
        return answer

    def linear(self, query: str, **variables: Any) -> Any:
        """Run a query or mutation of Linear."""
        answer = self.http.post(f"{self.urls['linear']}/graphql", json={"query": query, "variables": variables}).json()
        assert "errors" not in answer, answer
        return answer["data"]


def work(task: Task) -> None:
    """Solve the task that the prompt is of."""
    solve = next(solve for words, solve in SOLUTIONS.items() if words in task.prompt)
    with Hub(task) as hub:
        solve(hub)


def triage(hub: Hub) -> None:
    issue = f"repos/{ORG}/harbour-api/issues/{hub.find('harbour-api', 'Document how app works')}"
    hub("PATCH", issue, {"labels": ["documentation", "good first issue"], "assignees": ["cleo"]})


def close_a_duplicate(hub: Hub) -> None:
    issue = f"repos/{ORG}/harbour-api/issues/28"
    hub("POST", f"{issue}/comments", {"body": "Duplicate of #8"})
    hub("PATCH", issue, {"state": "closed", "state_reason": "not_planned"})


def file_an_issue(hub: Hub) -> None:
    milestones = hub("GET", f"repos/{ORG}/ferry-cli/milestones")
    (number,) = [each["number"] for each in milestones if each["title"] == "1.1"]
    body = {"title": "Print the timetable as JSON", "body": "Other programs want to read the timetable."}
    more = {"labels": ["enhancement"], "assignees": ["agent"], "milestone": number}
    hub("POST", f"repos/{ORG}/ferry-cli/issues", {**body, **more})


def approve(hub: Hub) -> None:
    number = hub.find("harbour-api", "Validate the input of berths")
    review = {"event": "APPROVE", "body": "Looks good to me."}
    hub("POST", f"repos/{ORG}/harbour-api/pulls/{number}/reviews", review)


def review_a_line(hub: Hub) -> None:
    pull = f"repos/{ORG}/harbour-web/pulls/{hub.find('harbour-web', 'Validate the input of map')}"
    (file,) = hub("GET", f"{pull}/files")
    position = next(at for at, line in enumerate(file["patch"].split("\n")) if line.startswith("+"))
    comment = {"path": file["filename"], "position": position, "body": "Please add a test for this."}
    hub("POST", f"{pull}/reviews", {"event": "REQUEST_CHANGES", "body": "A test is missing.", "comments": [comment]})


def fix_by_pull_request(hub: Hub) -> None:
    repo = f"repos/{ORG}/runbooks"
    main = hub("GET", f"{repo}/git/ref/heads/main")["object"]["sha"]
    hub("POST", f"{repo}/git/refs", {"ref": "refs/heads/pager", "sha": main})
    file = hub("GET", f"{repo}/contents/src/oncall.md", ref="pager")
    text = b64decode(file["content"]).decode() + "\nThe pager's number is 555-0199.\n"
    content = b64encode(text.encode()).decode()
    change = {"message": "Say the pager's number", "content": content, "sha": file["sha"], "branch": "pager"}
    hub("PUT", f"{repo}/contents/src/oncall.md", change)
    hub("POST", f"{repo}/pulls", {"title": "Say the pager's number", "head": "pager", "base": "main"})


def merge(hub: Hub) -> None:
    number = hub.find("ferry-cli", "Speed up main")
    hub("PUT", f"repos/{ORG}/ferry-cli/pulls/{number}/merge", {"merge_method": "squash"})


def release(hub: Hub) -> None:
    body = {"tag_name": "v1.0.0", "name": "1.0.0", "body": "Tides of all harbours.", "target_commitish": "main"}
    hub("POST", f"repos/{ORG}/tide-model/releases", body)


def clean_up_branches(hub: Hub) -> None:
    repo = f"repos/{ORG}/design-system"
    merged = [each for each in hub("GET", f"{repo}/pulls", state="closed", per_page=100) if each["merged_at"]]
    branches = {each["name"] for each in hub("GET", f"{repo}/branches", per_page=100)}
    for branch in branches & {each["head"]["ref"] for each in merged}:
        hub("DELETE", f"{repo}/git/refs/heads/{branch}")


def answer_a_failed_deploy(hub: Hub) -> None:
    repo = f"repos/{ORG}/harbour-api"
    (run,) = hub("GET", f"{repo}/actions/workflows/deploy.yml/runs", status="failure")["workflow_runs"]
    body = {"title": "The deploy of main failed", "body": f"Run {run['id']} failed.", "labels": ["bug"]}
    hub("POST", f"{repo}/issues", body)


def announce_in_slack(hub: Hub) -> None:
    number = hub.find("harbour-api", "Validate the input of berths")
    channels = hub.slack("conversations.list")["channels"]
    (channel,) = [each["id"] for each in channels if each["name"] == "general"]
    url = f"https://github.com/{ORG}/harbour-api/pull/{number}"
    hub.slack("chat.postMessage", channel=channel, text=f"Robert, please review {url}")


def link_from_linear(hub: Hub) -> None:
    number = hub.find("harbour-web", "Profile logs personal data")
    query = 'query { issues(filter: {title: {eq: "Tidy up the first-run dashboard"}}) { nodes { identifier } } }'
    (issue,) = hub.linear(query)["issues"]["nodes"]
    hub("POST", f"repos/{ORG}/harbour-web/issues/{number}/comments", {"body": f"See {issue['identifier']}."})


SOLUTIONS: dict[str, Callable[[Hub], None]] = {
    "Document how app works": triage,
    "duplicate": close_a_duplicate,
    "as JSON": file_an_issue,
    "Approve": approve,
    "Request changes": review_a_line,
    "pager": fix_by_pull_request,
    "squash": merge,
    "v1.0.0": release,
    "Clean up": clean_up_branches,
    "failed deploy": answer_a_failed_deploy,
    "Slack": announce_in_slack,
    "Linear": link_from_linear,
}
