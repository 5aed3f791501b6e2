"""The kinds of GitHub: users, organizations, repositories, issues, pull requests, labels and comments."""

from __future__ import annotations

from typing import Any

from .kinds import LABEL_LEADS, Kind, KindField, Rows, Vendor, Verb, World, WorldEntity, drop_none, list_names, persons

LABELS = KindField("labels", "words", leads=LABEL_LEADS)
ABOUT = KindField("about", "topic", leads=("about", "regarding", "concerning"))
OPENED = KindField("author", "person", leads=("by", "from", "opened by", "created by", "filed by", "reported by"))
KINDS = (
    Kind("github.user", (("user", "users"), ("person", "people"), ("developer", "developers")), most=100),
    Kind(
        "github.org",
        (("organization", "organizations"), ("organisation", "organisations"), ("org", "orgs")),
        has_plain_names=True,
        most=10,
    ),
    Kind(
        "github.repository",
        (("repository", "repositories"), ("repo", "repos")),
        ("github.org",),
        (KindField("access", "choice", {"private": "private", "public": "public"}),),
        has_plain_names=True,
        most=20,
    ),
    Kind("github.file", (("file", "files"),), ("github.repository",), has_plain_names=True, needs="github.repository"),
    Kind(
        "github.issue",
        (("issue", "issues"), ("bug", "bugs")),
        ("github.repository",),
        (
            KindField(
                "state", "choice", {"open": "open", "closed": "closed", "resolved": "closed"}, (), ("open",), "closed"
            ),
            KindField("assignee", "person", {"unassigned": ""}, ("assigned to",)),
            OPENED,
            LABELS,
            ABOUT,
        ),
        dict.fromkeys(("reported", "filed", "opened"), Verb("author")),
        needs="github.repository",
    ),
    Kind(
        "github.pull",
        (("pull request", "pull requests"), ("pr", "prs"), ("merge request", "merge requests")),
        ("github.repository",),
        (
            KindField(
                "state", "choice", {"open": "open", "closed": "closed", "merged": "merged"}, (), ("open",), "closed"
            ),
            KindField("draft", "choice", {"draft": "draft"}),
            OPENED,
            LABELS,
            ABOUT,
        ),
        {"opened": Verb("author")},
        most=50,
        needs="github.repository",
    ),
    Kind(
        "github.label", (("label", "labels"),), ("github.repository",), has_plain_names=True, needs="github.repository"
    ),
    Kind(
        "github.comment",
        (("comment", "comments"),),
        ("github.issue", "github.pull"),
        (KindField("author", "person", leads=("by", "from")),),
        {"commented": Verb("author")},
        is_text=True,
        needs="github.issue",
    ),
)


def write(world: World) -> dict[str, Any]:
    """Make the configuration of GitHub; an owner that is no user is an organization."""
    users = {each.name for each in world.of("github.user")}
    orgs = [each.name for each in world.of("github.org")]
    for each in world.of("github.repository"):
        owner = each.name.partition("/")[0] if "/" in each.name else ""
        if owner and owner not in users and owner not in orgs:
            orgs.append(owner)
    return {
        "users": [*world.people],
        "orgs": [{"login": name} for name in orgs],
        "repos": [_repository(world, each) for each in world.of("github.repository")],
    }


def _repository(world: World, repository: WorldEntity) -> dict[str, Any]:
    owner, _, name = repository.name.rpartition("/")
    org = repository.place("github.org")
    pulls = world.of("github.pull", repository)
    return drop_none(
        name=name,
        owner=owner or (org.name if org else None),
        private=repository.fields.get("access") == "private",
        labels=[each.name for each in world.of("github.label", repository)] or None,
        files=[{"path": each.name, "content": f"{each.name}\n"} for each in world.of("github.file", repository)],
        issues=[
            drop_none(
                title=each.name,
                body=each.fields.get("about"),
                state=each.fields.get("state"),
                user=each.fields.get("author"),
                labels=each.fields.get("labels"),
                assignees=[each.fields["assignee"]] if each.fields.get("assignee") else None,
                comments=_comments(world, each),
            )
            for each in world.of("github.issue", repository)
        ],
        prs=[
            drop_none(
                title=each.name,
                head=f"change-{number}",
                state=each.fields.get("state"),
                draft="draft" in each.fields,
                user=each.fields.get("author"),
                labels=each.fields.get("labels"),
                comments=_comments(world, each),
            )
            for number, each in enumerate(pulls, start=1)
        ],
    )


def _comments(world: World, issue: WorldEntity) -> list[dict[str, Any]] | None:
    return [
        drop_none(body=each.name, user=each.fields.get("author")) for each in world.of("github.comment", issue)
    ] or None


def read(rows: Rows) -> list[WorldEntity]:
    """Find the entities of GitHub."""
    users = persons([row for row in rows["users"] if row["type"] == "User"], "github.user", "login", "name", "email")
    for login, each in users.items():
        each.aliases = (*each.aliases, login)
    orgs = {
        row["login"]: WorldEntity("github.org", row["login"]) for row in rows["users"] if row["type"] == "Organization"
    }
    repositories = {
        row["id"]: WorldEntity(
            "github.repository",
            row["full_name"],
            {"access": {"private" if row["private"] else "public"}},
            [orgs[row["owner"]]] if row["owner"] in orgs else [],
            (row["name"],),
        )
        for row in rows["repositories"]
    }
    labels = [
        WorldEntity("github.label", row["name"], {}, [repositories[row["repository_id"]]]) for row in rows["labels"]
    ]
    label_names = {row["id"]: row["name"] for row in rows["labels"]}
    pulls = {row["issue_id"]: row for row in rows["pull_requests"]}
    issues: dict[Any, WorldEntity] = {}
    for row in rows["issues"]:
        pull = pulls.get(row["id"])
        kind = "github.pull" if pull else "github.issue"
        fields = _read_fields(row, pull, users, label_names)
        issues[row["id"]] = WorldEntity(kind, row["title"], fields, [repositories[row["repository_id"]]])
    comments = [
        WorldEntity(
            "github.comment", row["body"], {"author": list_names(users.get(row["user"]))}, [issues[row["issue_id"]]]
        )
        for row in rows["issue_comments"]
        if row["issue_id"] in issues
    ]
    return [*users.values(), *orgs.values(), *repositories.values(), *labels, *issues.values(), *comments]


def _read_fields(issue: Any, pull: Any, users: dict[str, WorldEntity], labels: dict[Any, str]) -> dict[str, Any]:
    """The fields of an issue, or of the pull request that it belongs to."""
    assignees = [name for login in issue["assignees"] or () for name in (list_names(users.get(login)) or (login,))]
    return {
        "state": {"merged" if pull and pull["merged"] else issue["state"]},
        "draft": {"draft"} if pull and pull["draft"] else set[str](),
        "author": list_names(users.get(issue["user"])) or (issue["user"],),
        "assignee": tuple(assignees) or ("",),
        "labels": {str(labels.get(each, each)) for each in issue["labels"] or ()},
        "about": f"{issue['title']} {issue['body'] or ''}",
    }


GITHUB = Vendor("github", ("github",), KINDS, write, read)
