"""Write github_default.json: an organization made by running the GitHub twin's own operations under its clock.

`python scripts/make_github_company.py` gives the same file every time.
"""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import httpx

from twindiff.kit.rows import table_of
from twindiff.local import Twindiff
from twindiff.twins.github import twin
from twindiff.twins.github.core import stamps

TARGET = Path(__file__).parents[1] / "src/twindiff/twins/github/seeds/github_default.json"
BEGIN = "2026-03-02T08:00:00Z"
HOUR, DAY = 3600, 86_400
MAX_EVENTS = 300
FIRST_ID = 10_001
"""Where the ids of the template begin, far below those of its environments."""
ORG = "tidewater"
PEOPLE = (
    ("agent", "AI Agent", "agent@example.com"),
    ("johndoe", "John Doe", "john@example.com"),
    ("robertsmith", "Robert Smith", "robert@example.com"),
    ("sarahsmith", "Sarah Smith", "sarah@example.com"),
    ("ada", "Ada Admin", "ada.admin@example.com"),
    ("ben", "Ben Editor", "ben.editor@example.com"),
    ("cleo", "Cleo Viewer", "cleo.viewer@example.com"),
)
LOGINS = [login for login, _, _ in PEOPLE]
CI = """name: CI
on: [push, pull_request]
jobs:
  lint:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Lint
        run: echo "No problems found"
  test:
    needs: lint
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Test
        run: |
          echo "12 passed"
          sleep 20
      - uses: actions/upload-artifact@v4
        with: {name: report}
"""
DEPLOY = """name: Deploy
on:
  workflow_dispatch:
    inputs:
      environment: {required: true, default: staging}
jobs:
  deploy:
    runs-on: ubuntu-latest
    steps:
      - name: Deploy
        run: echo "Deploying to ${{ inputs.environment }}"
      - name: Smoke test
        run: exit 1
"""
REPOSITORIES = (
    ("harbour-api", "Bookings of berths, over HTTP", "Python", False, ("app", "bookings", "invoices", "berths")),
    ("harbour-web", "The booking pages", "TypeScript", False, ("calendar", "checkout", "map", "profile")),
    ("tide-model", "Predicts tides from harmonic constituents", "Python", False, ("constituents", "predict", "gauge")),
    ("ferry-cli", "Timetables on the command line", "Go", False, ("main", "timetable", "render")),
    ("buoy-firmware", "What runs on the buoys", "C", True, ("main", "radio", "battery")),
    ("design-system", "Colours, type and components", "TypeScript", False, ("button", "table", "tokens")),
    ("runbooks", "What to do when it breaks", "Markdown", True, ("oncall", "database", "deploy")),
    ("infrastructure", "Machines and networks as code", "HCL", True, ("network", "database", "dns")),
)
SUFFIX = {"Python": "py", "TypeScript": "ts", "Go": "go", "C": "c", "Markdown": "md", "HCL": "tf"}
PROBLEMS = (
    "{part} fails for an empty list",
    "{part} is slow with more than 1,000 rows",
    "Document how {part} works",
    "{part} ignores the time zone",
    "Add tests for {part}",
    "Typo in the messages of {part}",
    "{part} logs personal data",
    "Make {part} configurable",
    "{part} crashes on a leap day",
    "Retry {part} when the network is down",
)
FIXES = ("Handle empty lists in {part}", "Speed up {part}", "Log less in {part}", "Validate the input of {part}")


class GitHub:
    """The API as programs of several people call it."""

    def __init__(self, client: httpx.Client, advance: Any) -> None:
        self.client, self.advance = client, advance

    def __call__(self, who: str, verb: str, path: str, body: Any = None) -> Any:
        """The answer, which must be a success."""
        headers = {"Authorization": f"Bearer token-{who}"}
        url = f"https://api.github.com{path}"
        answer = self.client.request(verb, url, headers=headers, **({"json": body} if body is not None else {}))
        assert answer.is_success, f"{verb} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def write(self, who: str, repo: str, path: str, text: str, message: str, branch: str = "main") -> None:
        """Write a file in a commit."""
        query = {"ref": branch}
        known = self.client.get(f"https://api.github.com{repo}/contents/{path}", params=query, headers=bearer(who))
        body = {"message": message, "content": b64encode(text.encode()).decode(), "branch": branch}
        self(who, "PUT", f"{repo}/contents/{path}", body | ({"sha": known.json()["sha"]} if known.is_success else {}))


def bearer(who: str) -> dict[str, str]:
    """The header of a person."""
    return {"Authorization": f"Bearer token-{who}"}


def source(part: str, language: str, version: int) -> str:
    """The text of a file, which grows with its versions."""
    names = [f"{part}_{number}" for number in range(version + 2)]
    if language == "Python":
        return (
            f'"""{part.capitalize()}."""\n\n'
            + "\n\n".join(f"def {name}(rows):\n    return rows" for name in names)
            + "\n"
        )
    if language == "TypeScript":
        return "\n".join(f"export function {name}(rows: unknown[]) {{\n  return rows;\n}}" for name in names) + "\n"
    if language == "Go":
        return (
            "package main\n\n"
            + "\n".join(f"func {name}(rows []string) []string {{ return rows }}" for name in names)
            + "\n"
        )
    if language == "C":
        return (
            "#include <stdint.h>\n\n" + "\n".join(f"int {name}(int rows) {{ return rows; }}" for name in names) + "\n"
        )
    if language == "HCL":
        return "\n".join(f'resource "harbour_{part}" "{name}" {{\n  size = 1\n}}' for name in names) + "\n"
    return (
        f"# {part.capitalize()}\n\n"
        + "\n".join(f"- Step {number + 1}: {name}" for number, name in enumerate(names))
        + "\n"
    )


def found_teams(hub: GitHub) -> None:
    """Three teams of the organization."""
    for name, members in (
        ("Platform", ("ada", "johndoe", "agent")),
        ("Web", ("ben", "sarahsmith")),
        ("On call", ("ada", "ben")),
    ):
        team = hub(
            "ada", "POST", f"/orgs/{ORG}/teams", {"name": name, "privacy": "closed", "description": f"The team {name}"}
        )
        for login in members:
            hub("ada", "PUT", f"/orgs/{ORG}/teams/{team['slug']}/memberships/{login}", {})


def found_repository(hub: GitHub, number: int) -> None:
    """A repository with a history of twelve commits and more."""
    name, text, language, private, parts = REPOSITORIES[number]
    repo = f"/repos/{ORG}/{name}"
    licensed = {} if private else {"license_template": "mit"}
    hub(
        "ada",
        "POST",
        f"/orgs/{ORG}/repos",
        {"name": name, "description": text, "private": private, "auto_init": True, **licensed},
    )
    hub("ada", "PUT", f"{repo}/topics", {"names": [language.lower().replace("+", ""), "harbour"]})
    for slug, permission in (("platform", "push"), ("web", "push"), ("on-call", "maintain")):
        hub("ada", "PUT", f"/orgs/{ORG}/teams/{slug}/repos/{ORG}/{name}", {"permission": permission})
    for version in range(3):
        for at, part in enumerate(parts):
            who = LOGINS[(number + version + at) % 6]
            message = f"Add {part}" if not version else f"{('Extend', 'Rework')[version - 1]} {part}"
            hub.write(who, repo, f"src/{part}.{SUFFIX[language]}", source(part, language, version), message)
            hub.advance(5 * HOUR)
    hub.write("ada", repo, ".github/workflows/ci.yml", CI, "Check every push")
    if number in (0, 1):
        hub.write("ada", repo, ".github/workflows/deploy.yml", DEPLOY, "Deploy by hand")
    for title, days in (("1.0", 90), ("1.1", 150)):
        hub("ada", "POST", f"{repo}/milestones", {"title": title, "description": f"What {title} needs"})
        del days
    hub("ada", "POST", f"{repo}/labels", {"name": "priority: high", "color": "b60205", "description": "Do this first"})
    hub("ada", "POST", f"{repo}/releases", {"tag_name": "v0.9.0", "name": "0.9.0", "generate_release_notes": True})
    hub.advance(DAY)


def report_issues(hub: GitHub, number: int, count: int) -> None:
    """Issues in every state, with comments, labels, assignees and reactions."""
    name, _, _, _, parts = REPOSITORIES[number]
    repo = f"/repos/{ORG}/{name}"
    for at in range(count):
        who, other = LOGINS[(at + number) % 7], LOGINS[(at * 3 + number + 1) % 6]
        part = parts[at % len(parts)]
        title = PROBLEMS[(at + number) % len(PROBLEMS)].format(part=part)
        body = f"Seen in `{part}` since the last release.\n\n1. Open it\n2. Wait\n\n/cc @{other}"
        issue = hub(who, "POST", f"{repo}/issues", {"title": title[0].upper() + title[1:], "body": body})["number"]
        kind = ("bug", "enhancement", "documentation", "question")[at % 4]
        labels = [kind, *(["priority: high"] if at % 5 == 0 else []), *(["good first issue"] if at % 7 == 0 else [])]
        if at % 6 != 5:
            change = {"labels": labels, "milestone": 1 + at % 2, **({"assignees": [other]} if at % 3 else {})}
            hub("ada", "PATCH", f"{repo}/issues/{issue}", change)
        for step in range(at % 3):
            text = ("I see the same.", "It began with the last deploy.", "Can you attach a log?")[(at + step) % 3]
            hub(LOGINS[(at + step) % 6], "POST", f"{repo}/issues/{issue}/comments", {"body": text})
        if at % 4 == 1:
            hub(other, "POST", f"{repo}/issues/{issue}/reactions", {"content": ("+1", "heart", "eyes")[at % 3]})
        if at % 3 == 2:
            reason = ("completed", "not_planned")[at % 2]
            hub("ada", "PATCH", f"{repo}/issues/{issue}", {"state": "closed", "state_reason": reason})
        hub.advance(2 * HOUR)


def propose_changes(hub: GitHub, number: int, count: int) -> None:
    """Pull requests: merged in three ways, closed, drafts, approved, with changes requested, conflicting, failing."""
    name, _, language, _, parts = REPOSITORIES[number]
    repo = f"/repos/{ORG}/{name}"
    for at in range(count):
        who, reviewer = LOGINS[(at + number) % 6], LOGINS[(at + number + 1) % 6]
        part, kind = parts[at % len(parts)], at % 8
        title = FIXES[(at + number) % 4].format(part=part)
        branch = f"{who}/{title.lower().replace(' ', '-')}-{at}"
        head = hub(who, "GET", f"{repo}/git/ref/heads/main")["object"]["sha"]
        hub(who, "POST", f"{repo}/git/refs", {"ref": f"refs/heads/{branch}", "sha": head})
        text = (
            source(part, language, 3)
            + ("// " if language in ("TypeScript", "Go", "C") else "# ")
            + f"{title}, step {at}\n"
        )
        path = f"src/{part}.{SUFFIX[language]}"
        hub.write(who, repo, path, text, title, branch)
        if kind == 7:
            hub.write(
                who,
                repo,
                ".github/workflows/ci.yml",
                CI.replace('echo "12 passed"', "exit 1"),
                "Break the checks",
                branch,
            )
        body = {
            "title": title,
            "head": branch,
            "base": "main",
            "draft": kind == 5,
            "body": f"Fixes #{at + 1}" if kind < 3 else f"See `{path}`.",
        }
        pull = hub(who, "POST", f"{repo}/pulls", body)["number"]
        if kind != 5:
            hub(who, "POST", f"{repo}/pulls/{pull}/requested_reviewers", {"reviewers": [reviewer]})
        hub.advance(HOUR)
        if kind in (0, 1, 2, 6):
            hub(reviewer, "POST", f"{repo}/pulls/{pull}/reviews", {"event": "APPROVE", "body": "Good."})
        if kind == 4:
            review = {
                "event": "REQUEST_CHANGES",
                "body": "Not yet.",
                "comments": [{"path": path, "line": text.count(chr(10)), "body": "Why this?"}],
            }
            hub(reviewer, "POST", f"{repo}/pulls/{pull}/reviews", review)
        if kind in (0, 1, 2):
            hub("ada", "PUT", f"{repo}/pulls/{pull}/merge", {"merge_method": ("squash", "merge", "rebase")[kind]})
        if kind == 3:
            hub(who, "PATCH", f"{repo}/pulls/{pull}", {"state": "closed"})
        hub.advance(6 * HOUR)


def make_rest(hub: GitHub) -> None:
    """A failed deployment, protection, stars, watchers, a gist and a project."""
    api = f"/repos/{ORG}/harbour-api"
    hub("ada", "POST", f"{api}/actions/workflows/deploy.yml/dispatches", {"ref": "main"})
    hub.advance(HOUR)
    rules = {"required_pull_request_reviews": {"required_approving_review_count": 1}, "enforce_admins": False}
    hub(
        "ada", "PUT", f"{api}/branches/main/protection", {**rules, "required_status_checks": None, "restrictions": None}
    )
    for login in LOGINS[:5]:
        hub(login, "PUT", f"/user/starred/{ORG}/harbour-api")
    hub("agent", "PUT", f"/repos/{ORG}/harbour-web/subscription", {"subscribed": True})
    hub(
        "agent",
        "POST",
        "/gists",
        {"description": "How to rebase", "public": True, "files": {"rebase.md": {"content": "git rebase main\n"}}},
    )


PLAN = (
    # repository, number, status, estimate, target date, sprint
    ("harbour-api", 2, "02", 3, None, "10"),
    ("harbour-api", 3, "01", 5, "2026-05-08", "11"),
    ("harbour-api", 37, "01", None, None, "11"),
    ("harbour-web", 1, "00", 2, "2026-05-20", "12"),
    ("tide-model", 1, "00", 8, None, None),
    ("ferry-cli", 2, None, None, None, None),
)


def plan_work(hub: GitHub) -> None:
    """Items of the project with values, and drafts."""
    path = f"/orgs/{ORG}/projectsV2/1"
    for name, number, status, estimate, target, sprint in PLAN:
        issue = hub("ada", "GET", f"/repos/{ORG}/{name}/issues/{number}")
        kind = "PullRequest" if "pull_request" in issue else "Issue"
        body = {"type": kind, "owner": ORG, "repo": name, "number": number}
        item = hub("ada", "POST", f"{path}/items", body)["id"]
        values = {303: status, 305: estimate, 306: target, 307: sprint}
        fields = [{"id": field, "value": value} for field, value in values.items() if value is not None]
        if fields:
            hub("ada", "PATCH", f"{path}/items/{item}", {"fields": fields})
    for title in ("Berth reservations by SMS", "Retire the old tide tables"):
        hub("ben", "POST", f"{path}/drafts", {"title": title, "body": "To be discussed on Monday."})


TALKS = (
    # category, author, title, text, comments (author, text), the comment that is the answer
    (
        "announcements",
        "ada",
        "Tokens 2.0 is out",
        "Colours have new names; see the table.",
        (("ben", "Great work!"),),
        None,
    ),
    (
        "q-a",
        "cleo",
        "How do I use the tokens in a plain page?",
        "Without a build step, I mean.",
        (("sarahsmith", "Link `tokens.css` from the release."), ("johndoe", "Or copy the variables.")),
        0,
    ),
    ("q-a", "robertsmith", "Does the table sort by several columns?", "I could not find it.", (), None),
    (
        "ideas",
        "ben",
        "A date picker for tides",
        "Berths are booked by the tide, not by the hour.",
        (("ada", "Who would maintain it?"), ("ben", "The web team would.")),
        None,
    ),
    (
        "general",
        "sarahsmith",
        "Where do the icons come from?",
        "Asking for the licence page.",
        (("ada", "We drew them."),),
        None,
    ),
)
CATEGORIES = "discussionCategories(first: 10) { nodes { id slug } }"


def talk(hub: GitHub) -> None:
    """Discussions in a repository: with and without an answer, upvoted, closed."""
    name = "design-system"
    hub("ada", "PATCH", f"/repos/{ORG}/{name}", {"has_discussions": True})
    found = ask(hub, "ada", f'{{ repository(owner: "{ORG}", name: "{name}") {{ id {CATEGORIES} }} }}')["repository"]
    categories = {each["slug"]: each["id"] for each in found["discussionCategories"]["nodes"]}
    for slug, who, title, text, comments, answer in TALKS:
        given = {"repositoryId": found["id"], "categoryId": categories[slug], "title": title, "body": text}
        made = mutate(hub, who, "createDiscussion", "discussion { id }", given)["discussion"]["id"]
        ids = [
            mutate(hub, other, "addDiscussionComment", "comment { id }", {"discussionId": made, "body": body})
            for other, body in comments
        ]
        if answer is not None:
            mutate(hub, who, "markDiscussionCommentAsAnswer", "discussion { id }", {"id": ids[answer]["comment"]["id"]})
        if slug == "ideas":
            for other in ("cleo", "sarahsmith"):
                mutate(hub, other, "addUpvote", "subject { upvoteCount }", {"subjectId": made})
        if slug == "general":
            mutate(hub, "ada", "closeDiscussion", "discussion { id }", {"discussionId": made, "reason": "RESOLVED"})
        hub.advance(3 * HOUR)


def ask(hub: GitHub, who: str, query: str, **variables: Any) -> Any:
    """The data of a GraphQL document."""
    answer = hub(who, "POST", "/graphql", {"query": query, "variables": variables})
    assert "errors" not in answer, answer
    return answer["data"]


def mutate(hub: GitHub, who: str, name: str, shown: str, given: dict[str, Any]) -> Any:
    """The payload of a mutation."""
    kind = name[0].upper() + name[1:]
    query = f"mutation($input: {kind}Input!) {{ {name}(input: $input) {{ {shown} }} }}"
    return ask(hub, who, query, input=given)[name]


def people() -> dict[str, list[dict[str, Any]]]:
    """The rows that the API does not make: users, the organization and its members, an installation, a project."""
    at = BEGIN.removesuffix("Z")
    times = {"created_at": at, "updated_at": at}
    users = [
        {"login": login, "id": 101 + number, "name": name, "email": email, **times}
        for number, (login, name, email) in enumerate(PEOPLE)
    ]
    org = {
        "login": ORG,
        "id": 201,
        "type": "Organization",
        "name": "Tidewater",
        "description": "Software for harbours",
        "default_repository_permission": "write",
        **times,
    }
    members = [
        {
            "org": ORG,
            "user": login,
            "role": "admin" if login in ("ada", "agent") else "member",
            "is_public": login != "cleo",
        }
        for login in LOGINS
    ]
    colours = (("Todo", "GREEN"), ("In Progress", "YELLOW"), ("Done", "PURPLE"))
    options = [{"id": f"0{number}", "name": name, "color": color} for number, (name, color) in enumerate(colours)]
    kinds = (
        ("Title", "title"),
        ("Assignees", "assignees"),
        ("Status", "single_select"),
        ("Labels", "labels"),
        ("Estimate", "number"),
        ("Target date", "date"),
        ("Sprint", "iteration"),
    )
    fields = [{"id": 301 + number, "name": name, "data_type": kind} for number, (name, kind) in enumerate(kinds)]
    fields[2]["options"] = options
    starts = ("2026-04-13", "2026-04-27", "2026-05-11")
    sprints = [
        {"id": f"1{number}", "title": f"Sprint {number + 1}", "start_date": start, "duration": 14}
        for number, start in enumerate(starts)
    ]
    fields[6]["configuration"] = {"start_day": 1, "duration": 14, "iterations": sprints}
    project = {
        "id": 401,
        "owner": ORG,
        "number": 1,
        "title": "Roadmap",
        "short_description": "What Tidewater builds next",
        "description": "Everything that has a date. Triage on Mondays.",
        "public": True,
        "fields": fields,
        "creator": "ada",
        **times,
    }
    installation = {"id": 501, "account": ORG, "created_at": at}
    return {"users": [*users, org], "memberships": members, "projects": [project], "installations": [installation]}


def rows_of(diff: Any) -> dict[str, list[dict[str, Any]]]:
    """All rows by table: those that were there, as they are now, and those that were written."""
    keys = {table.name: table.key for table in map(table_of, (each.row for each in twin.tables))}
    tables: dict[str, list[dict[str, Any]]] = {name: [*rows] for name, rows in people().items()}
    for row in diff["inserts"]:
        tables.setdefault(row["__table__"], []).append(
            {name: each for name, each in row.items() if not name.startswith("__")}
        )
    for name in ("failed_work", "artifacts"):  # artifacts are archives in blobs, which no template has
        tables.pop(name, None)
    tables["events"] = sorted(tables["events"], key=lambda row: row["id"])[-MAX_EVENTS:]
    return {name: sorted(rows, key=lambda row: [row[part] for part in keys[name]]) for name, rows in tables.items()}


def lines(rows: dict[str, list[dict[str, Any]]]) -> str:
    """A template with a row on each line."""
    tables = (
        f"{json.dumps(name)}: [\n" + ",\n".join(json.dumps(row, sort_keys=True) for row in rows[name]) + "\n]"
        for name in sorted(rows)
    )
    return "{\n" + ",\n".join(tables) + "\n}\n"


def main() -> None:
    """Make the organization, and write its rows."""
    twin.templates["people"], stamps.FIRST_ID = people, FIRST_ID
    tokens = {f"token-{login}": login for login in LOGINS}
    clock = {"mode": "steps", "start": BEGIN}
    with Twindiff(twins=[twin]) as td, td.create("github:people", user="agent", clock=clock, tokens=tokens) as env:
        with httpx.Client(transport=td.transport(env)) as client:
            hub = GitHub(client, env.advance)
            found_teams(hub)
            for number in range(len(REPOSITORIES)):
                found_repository(hub, number)
                report_issues(hub, number, (30, 25, 20, 20, 15, 15, 15, 10)[number])
                propose_changes(hub, number, (12, 10, 8, 8, 8, 6, 4, 4)[number])
            make_rest(hub)
            for number in (1, 2, 3):
                body = {"type": "Issue", "owner": ORG, "repo": "harbour-api", "number": number}
                hub("ada", "POST", f"/orgs/{ORG}/projectsV2/1/items", body)
            plan_work(hub)
            talk(hub)
            hub.advance(DAY)
        address = f"http://localhost/api/env/{env.id}/services/github"
        TARGET.write_text(lines(rows_of(env.diff(include="all"))).replace(address, "https://github.com"))


if __name__ == "__main__":
    main()
