"""The kinds of Linear: users, teams, projects, issues and comments."""

from __future__ import annotations

from typing import Any

from .kinds import LABEL_LEADS, Kind, KindField, Rows, Vendor, Verb, World, WorldEntity, drop_none, list_names, persons

STATES = {
    "open": "open",
    "unresolved": "open",
    "closed": "closed",
    "resolved": "closed",
    "done": "done",
    "completed": "done",
    "finished": "done",
    "in progress": "in progress",
    "in-progress": "in progress",
    "started": "started",
    "in todo": "todo",
    "todo": "todo",
    "to do": "todo",
    "in the backlog": "backlog",
    "in backlog": "backlog",
    "backlog": "backlog",
    "canceled": "canceled",
    "cancelled": "canceled",
}
MADE = {"open": "Todo", "closed": "Done", "started": "In Progress"}
PRIORITIES = {
    "urgent": "1",
    "urgent priority": "1",
    "high priority": "2",
    "high-priority": "2",
    "medium priority": "3",
    "medium-priority": "3",
    "low priority": "4",
    "low-priority": "4",
    "without priority": "0",
    "no priority": "0",
}
KINDS = (
    Kind(
        "linear.user",
        (("user", "users"), ("member", "members"), ("person", "people")),
        ("linear.team",),
        most=100,
    ),
    Kind("linear.team", (("team", "teams"),), most=20),
    Kind(
        "linear.project",
        (("project", "projects"),),
        ("linear.team",),
        (
            KindField(
                "state",
                "choice",
                {
                    "planned": "planned",
                    "in progress": "started",
                    "started": "started",
                    "completed": "completed",
                    "paused": "paused",
                    "canceled": "canceled",
                    "cancelled": "canceled",
                },
            ),
        ),
        most=50,
        needs="linear.team",
    ),
    Kind(
        "linear.issue",
        (
            ("issue", "issues"),
            ("bug", "bugs"),
            ("ticket", "tickets"),
            ("task", "tasks"),
            ("story", "stories"),
        ),
        ("linear.project", "linear.team"),
        (
            KindField("state", "choice", STATES, usual=("open", "todo"), otherwise="closed"),
            KindField("priority", "choice", PRIORITIES, ("priority",)),
            KindField("assignee", "person", {"unassigned": ""}, ("assigned to", "owned by", "belonging to")),
            KindField(
                "labels",
                "words",
                leads=LABEL_LEADS,
            ),
            KindField("due", "date", leads=("due", "due on", "due date")),
            KindField("about", "topic", leads=("about", "regarding", "concerning")),
        ),
        most=500,
        needs="linear.team",
    ),
    Kind(
        "linear.comment",
        (("comment", "comments"),),
        ("linear.issue",),
        (KindField("author", "person", leads=("by", "from", "posted by", "written by")),),
        {"commented": Verb("author")},
        is_text=True,
        needs="linear.issue",
    ),
)


def write(world: World) -> dict[str, Any]:
    """Make the configuration of a workspace."""
    keys = _keys(world.of("linear.team"))
    return {
        "users": [*world.people],
        "teams": [
            drop_none(
                key=keys[id(each)],
                name=each.name,
                members=[user.name for user in world.of("linear.user", each)] or None,
            )
            for each in world.of("linear.team")
        ],
        "projects": [
            drop_none(team_key=keys[id(each.place("linear.team"))], name=each.name, state=each.fields.get("state"))
            for each in world.of("linear.project")
        ],
        "issues": [_issue(world, each, keys) for each in world.of("linear.issue")],
    }


def _keys(teams: list[WorldEntity]) -> dict[int, str]:
    keys: dict[int, str] = {}
    for number, team in enumerate(teams):
        letters = "".join(each for each in team.name.upper() if each.isascii() and each.isalnum())
        key = letters[:5].lstrip("0123456789") or "TEAM"
        keys[id(team)] = key if key not in keys.values() else f"{key[:3]}{number}"
    return keys


def _issue(world: World, issue: WorldEntity, keys: dict[int, str]) -> dict[str, Any]:
    fields, project = issue.fields, issue.place("linear.project")
    state, priority = fields.get("state"), fields.get("priority")
    comments = [drop_none(body=each.name, user=each.fields.get("author")) for each in world.of("linear.comment", issue)]
    return drop_none(
        team_key=keys[id(issue.place("linear.team"))],
        project=project.name if project else None,
        title=issue.name,
        state=MADE.get(state, state) if state else None,
        priority=int(priority) if priority else None,
        assignee=fields.get("assignee") or None,
        labels=fields.get("labels"),
        due_date=fields.get("due"),
        comments=comments or None,
    )


def read(rows: Rows) -> list[WorldEntity]:
    """Find the entities of a workspace."""
    users = persons(rows["users"], "linear.user", "id", "name", "email")
    teams = {row["id"]: WorldEntity("linear.team", row["name"]) for row in rows["teams"]}
    for row in rows["team_memberships"]:
        if row["userId"] in users:
            users[row["userId"]].places.append(teams[row["teamId"]])
    statuses = {row["id"]: row["type"] for row in rows["project_statuses"]}
    projects = {
        row["id"]: WorldEntity("linear.project", row["name"], {"state": {statuses.get(row["statusId"], "")}})
        for row in rows["projects"]
    }
    for row in rows["team_project_association"]:
        projects[row["project_id"]].places.append(teams[row["team_id"]])
    states = {row["id"]: _state(row) for row in rows["workflow_states"]}
    labels = {row["id"]: row["name"] for row in rows["issue_labels"]}
    issues: dict[str, WorldEntity] = {}
    for row in rows["issues"]:
        homes = [teams[row["teamId"]], *([projects[row["projectId"]]] if row["projectId"] else [])]
        fields = {
            "state": states[row["stateId"]],
            "priority": {str(int(row["priority"]))},
            "assignee": list_names(users.get(row["assigneeId"] or "")) or (("Agent",) if row["assigneeId"] else ("",)),
            "labels": {labels[each] for each in row["labelIds"] or ()},
            "due": (row["dueDate"] or "")[:10],
            "about": f"{row['title']} {row['description'] or ''}",
        }
        issues[row["id"]] = WorldEntity("linear.issue", row["title"], fields, homes, (row["identifier"],))
    comments = [
        WorldEntity(
            "linear.comment",
            row["body"],
            {"author": list_names(users.get(row["userId"] or ""))},
            [issues[row["issueId"]]],
        )
        for row in rows["comments"]
        if row["issueId"] in issues
    ]
    return [*users.values(), *teams.values(), *projects.values(), *issues.values(), *comments]


def _state(row: Any) -> set[str]:
    is_closed = row["type"] in ("completed", "canceled", "duplicate")
    started = {"started"} if row["type"] == "started" else set[str]()
    return {row["name"].lower(), "closed" if is_closed else "open"} | started


LINEAR = Vendor("linear", ("linear",), KINDS, write, read)
