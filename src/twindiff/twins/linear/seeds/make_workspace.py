"""Writes linear_workspace.json: a company of 60 users, 6 teams and 1,500 issues, identical on every run.

Run it as `python linear/seeds/make_workspace.py`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID, uuid5

T = TypeVar("T")
Row = dict[str, Any]

ORGANIZATION = "5b0f7a52-0f4e-4a34-9d0c-3c1b4f6d8a10"
AGENT = "2790a7ee-fde0-4537-9588-e233aa5a68d1"
NAMESPACE = UUID(ORGANIZATION)
START = datetime(2025, 3, 3, 8)  # noqa: DTZ001 - seeds hold naive UTC
ISSUES = 1500
FIRST = tuple(
    word
    for line in (
        "Ada Bao Carmen Dario Elif Farah Goran Hana Idris Jonna Kamal Leoni Mateo",
        "Nadja Omar Petra Quentin Rosa Sami Tove Ulf Vera Wanda Ximo Yara Zoltan",
        "Amir Brita Chen Dunja",
    )
    for word in line.split()
)
LAST = tuple(
    word
    for line in (
        "Almeida Brandt Castellano Duarte Eriksen Fontaine Gruber Haddad Ivarsson Jansen Kovac Lindqvist Moreau",
        "Novotny Okoro Pereira Quist Rahimi Santos Takeda Ullmann Vargas Weiss Xu Yilmaz Zimmer",
    )
    for word in line.split()
)
TEAMS = (
    ("Hull", "HUL", "Frames, joints and everything that carries weight", False),
    ("Navigation", "NAV", "Where the boats are and where they go", False),
    ("Dockside", "DOC", "The app that harbour masters use", False),
    ("Power", "POW", "Batteries, charging and motors", False),
    ("Field service", "FLD", "Repairs where the boats are", False),
    ("Board room", "BRD", "What is not for everyone", True),
)
STATES = (
    ("Triage", "triage", "#fc7840"),
    ("Backlog", "backlog", "#bec2c8"),
    ("Todo", "unstarted", "#e2e2e2"),
    ("In Progress", "started", "#f2c94c"),
    ("In Review", "started", "#0f783c"),
    ("Done", "completed", "#5e6ad2"),
    ("Canceled", "canceled", "#95a2b3"),
)
LABELS = ("Bug", "Feature", "Chore", "Safety", "Customer", "Paperwork", "Spike", "Regression")
PROJECTS = (
    "Winter refit", "Autopilot 2", "Harbour map", "Fast charging", "Spare parts portal", "Quiet motors",
    "Night vision", "Fleet report", "Rope sensors", "Crew handover", "Cold start", "Annual plan",
)  # fmt: skip
STATUSES = (
    ("Backlog", "backlog", "#bec2c8"),
    ("Planned", "planned", "#e2e2e2"),
    ("In Progress", "started", "#f2c94c"),
    ("Completed", "completed", "#5e6ad2"),
    ("Canceled", "canceled", "#95a2b3"),
)
DEEDS = (
    "Replace", "Measure", "Document", "Simplify", "Calibrate", "Repair", "Test", "Order", "Redesign", "Remove", "Seal",
    "Log",
)  # fmt: skip
THINGS = (
    "the bow sensor", "the charging curve", "the mooring screen", "the spare pump", "the rudder feedback",
    "the tide table",
    "the battery hatch", "the berth list", "the radio fallback", "the paint order", "the anchor alarm",
    "the crew roster",
    "the wake estimate", "the cable tray", "the invoice export", "the fog mode",
)  # fmt: skip
PLACES = (
    "on boat 3",
    "for the northern harbour",
    "before the inspection",
    "after the storm",
    "in cold water",
    "at night",
)
FATES = (
    (20, "Triage"), (55, "Backlog"), (75, "Todo"), (90, "In Progress"), (100, "In Review"), (145, "Done"),
    (999, "Canceled"),
)  # fmt: skip
"""The states of issues by progress: an issue whose progress, out of 160, is below the bound has the state."""
PRIORITIES = ("No priority", "Urgent", "High", "Medium", "Low")


def draw(*what: object) -> int:
    """Return a pseudorandom number that depends only on `what`."""
    return int.from_bytes(blake2b(repr(what).encode(), digest_size=6).digest())


def pick(options: Sequence[T], *what: object) -> T:
    """Return one of the options, chosen by `what`."""
    return options[draw(*what) % len(options)]


def key(*what: object) -> str:
    """Return the id derived from `what`."""
    return str(uuid5(NAMESPACE, repr(what)))


def at(minutes: int) -> str:
    """Return an instant, in minutes from the start."""
    return (START + timedelta(minutes=minutes)).isoformat()


def build_timestamps(minutes: int = 0) -> Row:
    """Return the timestamps of a row's creation and last change."""
    return {"createdAt": at(minutes), "updatedAt": at(minutes)}


def people() -> list[Row]:
    """Return the users: the agent, two admins, five guests, one suspended user, and members."""
    names = ["Harbour Agent", *(f"{FIRST[n % 30]} {LAST[(n * 7) % 26]}" for n in range(59))]
    return [person(number, name) for number, name in enumerate(names)]


def person(number: int, name: str) -> Row:
    """Return one user. The first one is the agent."""
    short = name.partition(" ")[0].lower() + (str(number) if number > 30 else "")
    return {
        "id": key("user", number) if number else AGENT,
        "name": name,
        "displayName": short,
        "email": f"{short}@tidewater.example",
        "organizationId": ORGANIZATION,
        "active": number != 59,
        "admin": number in (1, 2),
        "guest": 50 <= number < 55,
        "initials": "".join(word[0] for word in name.split()),
        "avatarBackgroundColor": pick(("#5e6ad2", "#26b5ce", "#4cb782", "#f2994a"), "avatar", number),
        "inviteHash": key("invite", number)[:8],
        "isAssignable": True,
        "isMentionable": True,
        "timezone": "Europe/Lisbon",
        "url": f"https://linear.app/tidewater/profiles/{short}",
        **build_timestamps(),
    }


def teams() -> list[Row]:
    """Return five open teams and a private one."""
    return [
        {
            "id": key("team", code),
            "name": name,
            "displayName": name,
            "key": code,
            "description": text,
            "organizationId": ORGANIZATION,
            "private": private,
            "visibility": "private" if private else "public",
            "color": pick(("#5e6ad2", "#26b5ce", "#4cb782"), "team", code),
            "cyclesEnabled": True,
            "cycleDuration": 2.0,
            "issueEstimationType": "fibonacci",
            "inviteHash": key("team invite", code)[:8],
            "timezone": "Europe/Lisbon",
            "defaultIssueStateId": key("state", code, "Backlog"),
            "triageIssueStateId": key("state", code, "Triage"),
            **build_timestamps(),
        }
        for name, code, text, private in TEAMS
    ]


def states() -> list[Row]:
    """Return the states of all teams, which have the same workflow."""
    return [
        {
            "id": key("state", code, name),
            "teamId": key("team", code),
            "name": name,
            "type": kind,
            "color": color,
            "position": float(position),
            **build_timestamps(),
        }
        for _, code, _, _ in TEAMS
        for position, (name, kind, color) in enumerate(STATES)
    ]


def memberships(users: list[Row]) -> list[Row]:
    """Return the memberships: the agent in all open teams, others in one or two, five users in the private team."""
    rows: list[Row] = []
    for number, user in enumerate(users):
        codes = ["HUL", "NAV", "DOC", "POW", "FLD"]
        if number:
            codes = [
                codes[number % 5],
                *(codes[(number + 2) % 5] for _ in range(number % 3 == 0 and not user["guest"])),
            ]
        codes += ["BRD"] * (1 <= number < 6)
        rows += [member(user, code, owner=number < 6) for code in dict.fromkeys(codes)]
    return rows


def member(user: Row, code: str, *, owner: bool) -> Row:
    """Return one membership."""
    row_id = key("member", user["id"], code)
    return {"id": row_id, "userId": user["id"], "teamId": key("team", code), "owner": owner, **build_timestamps()}


def labels() -> list[Row]:
    """Return the labels of the workspace, and a group with one label per season."""
    common = {"organizationId": ORGANIZATION, "creatorId": key("user", 1), **build_timestamps()}
    rows = [{"id": key("label", name), "name": name, "color": "#26b5ce", **common} for name in LABELS]
    group = {"id": key("label", "Season"), "name": "Season", "color": "#95a2b3", "isGroup": True, **common}
    seasons = [
        {"id": key("label", name), "name": name, "color": "#f2994a", "parentId": group["id"], **common}
        for name in ("Spring", "Summer", "Autumn", "Winter")
    ]
    return [*rows, group, *seasons]


def cycles() -> list[Row]:
    """Return eight two-week cycles for each open team."""
    return [
        {
            "id": key("cycle", code, number),
            "teamId": key("team", code),
            "number": float(number),
            "startsAt": at((number - 1) * 14 * 24 * 60),
            "endsAt": at(number * 14 * 24 * 60),
            **build_timestamps(),
        }
        for _, code, _, private in TEAMS
        for number in range(1, 9)
        if not private
    ]


def statuses() -> list[Row]:
    """Return the statuses of projects."""
    return [
        {
            "id": key("status", name),
            "name": name,
            "type": kind,
            "color": color,
            "position": float(position),
            "organizationId": ORGANIZATION,
            **build_timestamps(),
        }
        for position, (name, kind, color) in enumerate(STATUSES)
    ]


def projects(users: list[Row]) -> list[Row]:
    """Return twelve projects in all statuses."""
    return [project(number, name, users) for number, name in enumerate(PROJECTS)]


def project(number: int, name: str, users: list[Row]) -> Row:
    """Return one project."""
    status, kind, _ = STATUSES[number % len(STATUSES)]
    short = key("project", name).replace("-", "")[:12]
    return {
        "id": key("project", name),
        "name": name,
        "description": f"{pick(DEEDS, 'project', name)} {pick(THINGS, 'project', name)} and what belongs to it.",
        "slugId": short,
        "url": f"https://linear.app/tidewater/project/{name.lower().replace(' ', '-')}-{short}",
        "statusId": key("status", status),
        "state": kind,
        "color": "#5e6ad2",
        "priority": number % 5,
        "priorityLabel": PRIORITIES[number % 5],
        "leadId": users[1 + draw("lead", name) % 49]["id"],
        "creatorId": users[1]["id"],
        "startDate": at(number * 20_000)[:10],
        "targetDate": at(number * 20_000 + 90_000)[:10],
        **build_timestamps(number * 1000),
    }


def milestones() -> list[Row]:
    """Return three milestones for each project."""
    return [
        {
            "id": key("milestone", name, step),
            "projectId": key("project", name),
            "name": step,
            "sortOrder": float(1000 * order),
            **build_timestamps(order),
        }
        for name in PROJECTS
        for order, step in enumerate(("Plan agreed", "First boat", "Whole fleet"))
    ]


def issues(users: list[Row]) -> list[Row]:
    """Return all issues, numbered within their team. Every sixtieth is in the private team."""
    numbers: dict[str, int] = {}
    rows: list[Row] = []
    for n in range(ISSUES):
        code = TEAMS[5][1] if n % 60 == 59 else TEAMS[draw("team of", n) % 5][1]
        numbers[code] = numbers.get(code, 0) + 1
        rows.append(issue(n, code, numbers[code], users, rows))
    return rows


def issue(n: int, code: str, number: int, users: list[Row], before: list[Row]) -> Row:
    """Return one issue."""
    title = f"{pick(DEEDS, 'deed', n)} {pick(THINGS, 'thing', n)} {pick(PLACES, 'place', n)}"
    identifier, minutes, priority = f"{code}-{number}", n * 97 + draw("minute", n) % 97, draw("priority", n) % 5
    row: Row = {
        "id": key("issue", n),
        "identifier": identifier,
        "number": float(number),
        "title": title,
        "teamId": key("team", code),
        "creatorId": users[draw("creator", n) % 50]["id"],
        "priority": float(priority),
        "priorityLabel": PRIORITIES[priority],
        "prioritySortOrder": float(priority or 5),
        "sortOrder": -10.0 * number,
        "url": f"https://linear.app/tidewater/issue/{identifier}",
        "branchName": f"tidewater/{identifier.lower()}",
        **build_timestamps(minutes),
    }
    return row | progress(n, code, minutes) | surroundings(n, code, users, before)


def progress(n: int, code: str, minutes: int) -> Row:
    """Return the state and timestamps of an issue. Older issues have progressed further."""
    reach = draw("state", n) % 100 + (ISSUES - n) * 60 // ISSUES
    name = next(name for limit, name in FATES if reach < limit)
    row: Row = {"stateId": key("state", code, name)}
    if name in ("In Progress", "In Review", "Done"):
        row["startedAt"] = at(minutes + 600)
    if name == "Done":
        row["completedAt"] = at(minutes + 600 + draw("length", n) % 20_000)
    if name == "Canceled":
        row["canceledAt"] = at(minutes + 900)
    return row


def surroundings(n: int, code: str, users: list[Row], before: list[Row]) -> Row:
    """Return an issue's optional columns: assignee, project, cycle, parent, estimate, due date and description."""
    row: Row = {}
    if draw("assigned", n) % 4:
        row["assigneeId"] = users[draw("assignee", n) % 50]["id"]
    if draw("project", n) % 3 == 0:
        row["projectId"] = key("project", pick(PROJECTS, "of", n))
    if code != "BRD" and draw("cycle", n) % 3 == 0:
        row["cycleId"] = key("cycle", code, draw("which", n) % 8 + 1)
    if draw("estimate", n) % 2:
        row["estimate"] = pick((1.0, 2.0, 3.0, 5.0, 8.0), "points", n)
    if draw("due", n) % 5 == 0:
        row["dueDate"] = at(n * 97 + 30_000)[:10]
    if draw("text", n) % 2:
        row["description"] = f"Seen {pick(PLACES, 'seen', n)}; ask {pick(FIRST, 'ask', n)} for the readings."
    same = [each for each in before[-40:] if each["teamId"] == key("team", code) and "parentId" not in each]
    if same and draw("child", n) % 8 == 0:
        row["parentId"] = pick(same, "parent", n)["id"]
    return row


def link_labels(rows: list[Row]) -> list[Row]:
    """Set the labels of issues and return the rows of the relation."""
    links: list[Row] = []
    for n, row in enumerate(rows):
        names = dict.fromkeys(pick(LABELS, "label", n, each) for each in range(draw("labels", n) % 3))
        row["labelIds"] = [key("label", name) for name in names]
        links += [{"issue_id": row["id"], "issue_label_id": label} for label in row["labelIds"]]
    return links


def comments(rows: list[Row], users: list[Row]) -> list[Row]:
    """Return a comment on every third issue."""
    return [
        {
            "id": key("comment", n),
            "issueId": row["id"],
            "userId": users[draw("author", n) % 50]["id"],
            "body": f"{pick(DEEDS, 'comment', n)} {pick(THINGS, 'comment', n)} first, then look again.",
            "url": f"{row['url']}#comment-{key('comment', n)[:8]}",
            **build_timestamps(n * 97 + 500),
        }
        for n, row in enumerate(rows)
        if n % 3 == 0
    ]


def relations(rows: list[Row]) -> list[Row]:
    """Return a relation for every tenth issue: one of three types, to the issue two before it."""
    return [
        {
            "id": key("relation", n),
            "issueId": rows[n]["id"],
            "relatedIssueId": rows[n - 2]["id"],
            "issueTitle": rows[n]["title"],
            "relatedIssueTitle": rows[n - 2]["title"],
            "type": pick(("blocks", "related", "duplicate"), "relation", n),
            **build_timestamps(n * 97 + 700),
        }
        for n in range(10, ISSUES, 10)
    ]


def workspace() -> dict[str, list[Row]]:
    """Return the rows of all tables of the template."""
    users = people()
    issue_rows = issues(users)
    return {
        "organizations": [{"id": ORGANIZATION, "name": "Tidewater", "urlKey": "tidewater", **build_timestamps()}],
        "users": users,
        "teams": teams(),
        "team_memberships": memberships(users),
        "workflow_states": states(),
        "issue_labels": labels(),
        "project_statuses": statuses(),
        "projects": projects(users),
        "team_project_association": [
            {"team_id": key("team", TEAMS[number % 5][1]), "project_id": key("project", name)}
            for number, name in enumerate(PROJECTS)
        ],
        "project_milestones": milestones(),
        "initiatives": initiatives(users),
        "initiative_to_projects": initiative_projects(),
        "cycles": cycles(),
        "issue_label_issue_association": link_labels(issue_rows),
        "issues": issue_rows,
        "comments": comments(issue_rows, users),
        "issue_relations": relations(issue_rows),
    }


def initiatives(users: list[Row]) -> list[Row]:
    """Return two initiatives."""
    return [
        {
            "id": key("initiative", name),
            "name": name,
            "description": text,
            "status": "Active",
            "ownerId": users[number + 1]["id"],
            "creatorId": users[1]["id"],
            "organizationId": ORGANIZATION,
            "slugId": key("initiative", name).replace("-", "")[:12],
            "url": f"https://linear.app/tidewater/initiative/{key('initiative', name).replace('-', '')[:12]}",
            **build_timestamps(),
        }
        for number, (name, text) in enumerate(
            (("Safe harbours", "Nobody gets hurt at the quay"), ("Silent fleet", "Electric boats only"))
        )
    ]


def initiative_projects() -> list[Row]:
    """Return the links that put each project into one initiative."""
    return [
        {
            "id": key("initiative project", name),
            "initiativeId": key("initiative", "Safe harbours" if number % 2 else "Silent fleet"),
            "projectId": key("project", name),
            "sortOrder": str(float(number)),
            **build_timestamps(),
        }
        for number, name in enumerate(PROJECTS)
    ]


def text() -> str:
    """Return the template as the text of a file, one row per line."""
    tables = [
        f'"{name}": [\n'
        + ",\n".join(json.dumps(row, separators=(",", ":"), ensure_ascii=False) for row in rows)
        + "\n]"
        for name, rows in workspace().items()
    ]
    return "{\n" + ",\n".join(tables) + "\n}\n"


if __name__ == "__main__":
    Path(__file__).with_name("linear_workspace.json").write_text(text())
