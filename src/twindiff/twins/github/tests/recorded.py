"""Sessions of the real API that public clients recorded, sent to the twin.

The sessions and the program that compares stand in a folder `shared` beside the checkout, or where TWINDIFF_SHARED is.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

SHARED = Path(os.environ.get("TWINDIFF_SHARED", Path(__file__).parents[6] / "shared"))
FOLDER = SHARED / "recorded" / "github"
SPEC = SHARED / "specs" / "github" / "api.github.com.stripped.json"
FILES = ("fixtures.jsonl", "github-api.jsonl.gz", "github3.py.jsonl.gz", "octokit.rb.jsonl.gz")
BEGUN = "2015-01-01T00:00:00"
PROFILE = ("name", "company", "blog", "location", "email", "hireable", "bio", "site_admin", "description")
ORG_PROFILE = (
    "billing_email", "default_repository_permission", "members_can_create_repositories", "twitter_username",
)  # fmt: skip
ORG_SETTINGS = (
    "has_organization_projects", "has_repository_projects", "is_verified", "two_factor_requirement_enabled",
    "members_allowed_repository_creation_type", "members_can_create_public_repositories",
    "members_can_create_private_repositories", "members_can_create_internal_repositories",
    "members_can_fork_private_repositories",
)  # fmt: skip
"""Columns and settings that answers show of accounts; sessions begin with the first values that are shown."""
NOT_COMPARED = {
    # Numbers of the account that recorded, which has things that no session shows.
    "public_repos", "public_gists", "private_gists", "followers", "following", "total_private_repos", "disk_usage",
    "owned_private_repos", "collaborators", "limit", "remaining", "reset", "subscribers_count", "total", "additions",
    "deletions",
    # Settings of the account and of its organizations, and defaults that the vendor has changed since.
    "has_organization_projects", "has_repository_projects", "has_wiki", "two_factor_authentication",
    "allow_forking", "is_verified", "user_view_type", "billing_email", "repository_selection", "twitter_username",
    "contents", "default_repository_permission",
    # Values that are the server's own, and words that the vendor has changed since.
    "key", "emails", "subkeys", "issue_comment_url",
}  # fmt: skip
"""Fields of answers of which only the type is compared."""
ABSENT_TODAY = {"master_branch", "ldap_dn", "security_and_analysis", "plan", "secondary_rate"}
"""Fields that answers had once, or that only some accounts have."""
ACCOUNT_STATE = re.compile(
    r"/(search/.*|events|users|users/[^/]+/.+|user/.+|organizations.*|repositories|orgs/[^/]+/.+|app|app/installations|"
    r"installation.*|emojis|meta|gitignore/templates|gists/(public|starred)|gists|notifications|marketplace.*|issues|feeds|)/?"
)
"""Reads of what an account had before the session, of which only the status is compared."""
MAKERS = ("creator", "user", "author", "inviter")
"""Fields in which the answer to a POST names its caller."""
SIMULATED = {429, 401, 403}
"""Statuses that recorders made up: limits, revoked tokens, blocked addresses."""
MASKS = {
    "<GITHUB_LOGIN>": "api-padawan",
    "<GITHUB_TEST_REPOSITORY>": "test-repo",
    "<GITHUB_TEST_ORGANIZATION>": "api-playground",
}


class RecordedSession(NamedTuple):
    """A session: its file, its name, its steps, and the login of its caller."""

    file: str
    name: str
    raw: dict[str, Any]
    caller: str


def load_replay() -> Any:
    """The program that sends sessions and compares answers, with the fields that are not compared here."""
    where = importlib.util.spec_from_file_location("recorded_replay", SHARED / "recorded" / "replay.py")
    assert where
    assert where.loader
    module = importlib.util.module_from_spec(where)
    where.loader.exec_module(module)
    module.VOLATILE.update(NOT_COMPARED)
    return module


def read_sessions(replay: Any) -> Iterator[RecordedSession]:
    """The sessions that need nothing before them and use operations of today."""
    for file in FILES:
        for _, session in replay.sessions(str(FOLDER / file)):
            if session["self_contained"] and session["current"]:
                for step in session["steps"]:
                    step["response"] = unmask_text(session, step.get("response"))
                yield RecordedSession(file, session["session"], session, caller_of(session))


def unmask_text(session: dict[str, Any], answer: Any) -> Any:
    """An answer whose JSON a recorder broke, as it put a word in place of a team's number; others unchanged."""
    if not isinstance(answer, dict) or set(answer) != {"$text"} or "_TEAM_ID>" not in answer["$text"]:
        return answer
    numbers = [match[1] for step in session["steps"] if (match := re.match(r"/teams/(\d+)", step["path"]))]
    text = re.sub(r"<\w+_TEAM_ID>", numbers[0] if numbers else "0", answer["$text"])
    try:
        return json.loads(text)
    except ValueError:
        return answer


def caller_of(session: dict[str, Any]) -> str:
    """The login that a session acts as: its own user, or the owner of what it makes."""
    login = _caller_of(session)
    if login not in MASKS:
        return login
    owners = [match[1] for step in session["steps"] if (match := re.match(r"/repos/([^/]+)/", step["path"]))]
    return next((owner for owner in owners if owner not in MASKS.values()), MASKS[login])


def organizations_in(session: dict[str, Any]) -> set[str]:
    """The logins that the session shows to be organizations, which no token acts as."""
    named = {match[1] for step in session["steps"] if (match := re.match(r"/orgs/([^/]+)", step["path"]))}
    shown = [known for step in session["steps"] for known in accounts_in(step.get("response"))]
    return named | {known["login"] for known in shown if known.get("type") == "Organization"}


def _caller_of(session: dict[str, Any]) -> str:
    organizations = organizations_in(session)
    for step in session["steps"]:
        answer = step.get("response")
        if step["path"].rstrip("/") == "/user" and isinstance(answer, dict) and answer.get("login"):
            return answer["login"]
        if (
            step["path"] in ("/user/repos", "/gists")
            and isinstance(answer, dict)
            and isinstance(answer.get("owner"), dict)
        ):
            return answer["owner"]["login"]
    for step in session["steps"]:
        match = re.match(r"/(?:repos|users)/([^/]+)", step["path"])
        if match and step["method"] != "GET" and match[1] not in organizations:
            return match[1]
    for step in session["steps"]:
        answer = step.get("response")
        makers = [answer.get(name) for name in MAKERS] if step["method"] == "POST" and isinstance(answer, dict) else []
        makers += [answer.get("inviter")] if step["method"] == "PUT" and isinstance(answer, dict) else []
        for maker in makers:
            if isinstance(maker, dict) and maker.get("login") and maker["login"] not in organizations:
                return maker["login"]
    return "octocat"


def accounts_in(value: Any) -> Iterator[dict[str, Any]]:
    """All users and organizations in an answer."""
    if isinstance(value, dict):
        if isinstance(value.get("login"), str) and isinstance(value.get("id"), int):
            yield value
        for each in value.values():
            yield from accounts_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from accounts_in(each)


KINDS_OF_ACCOUNTS = {"orgs": "Organization"} | dict.fromkeys(
    ("users", "collaborators", "following", "blocks", "members", "memberships", "public_members"), ""
)


def accounts_in_path(step: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The logins in the path of a step that succeeded, each with its type if the path tells."""
    parts = step["path"].strip("/").split("/")
    for at, kind in KINDS_OF_ACCOUNTS.items():
        name = parts[parts.index(at) + 1] if at in parts[:-1] else "bogus"
        if name not in ("orgs", "bogus") and step["status"] < 400:
            yield name, kind


def masks_of(session: RecordedSession) -> dict[str, str]:
    """What the words stand for by which a recorder replaced names."""
    return MASKS if session.caller == "octocat" else {**MASKS, "<GITHUB_LOGIN>": session.caller}


class Accounts:
    """The users and organizations that sessions name, by their logins in lower case, as rows."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, Any]] = {}

    def note(self, login: str, known: dict[str, Any], kind: str = "") -> None:
        """Add what an answer shows of an account."""
        login = MASKS.get(login, login)
        row = self.rows.setdefault(login.lower(), {"login": login, "type": "User"})
        row |= {name: known[name] for name in PROFILE if known.get(name) is not None}
        row |= {name: known[name] for name in ORG_PROFILE if known.get(name) is not None and name not in row}
        if "default_repository_permission" in known:
            row.setdefault("settings", {name: known[name] for name in ORG_SETTINGS if known.get(name) is not None})
        if isinstance(known.get("id"), int):
            row["id"] = known["id"]
        if kind or known.get("type") in ("User", "Organization"):
            row["type"] = kind or known["type"]

    def note_step(self, step: dict[str, Any]) -> None:
        """Add what a step shows of accounts."""
        for known in accounts_in(step.get("response")):
            self.note(known["login"], known)
        for name, kind in accounts_in_path(step):
            self.note(name, {}, kind)
        owner, branch = first_branch_in(step)
        if owner:
            self.rows[MASKS.get(owner, owner).lower()].setdefault("default_branch", branch)

    def finish(self) -> None:
        """Give ids and times to all accounts."""
        taken: set[int] = set()
        for number, row in enumerate(self.rows.values()):
            row.setdefault("id", 900_000_000 + number)
            while row["id"] in taken:
                row["id"] += 1
            taken.add(row["id"])
            row |= {"created_at": BEGUN, "updated_at": BEGUN}

    def membership_rows(self, sessions: list[RecordedSession]) -> list[dict[str, Any]]:
        """Memberships: callers own the organizations, and others are members where a session shows it."""
        callers = sorted({session.caller.lower() for session in sessions})
        members: dict[tuple[str, str], dict[str, Any]] = {
            (org, caller): {"role": "admin"}
            for org, row in self.rows.items()
            for caller in callers
            if row["type"] == "Organization" and self.rows[caller]["type"] == "User"
        }
        for session in sessions:
            for pair in memberships_in(session.raw):
                if all(each in self.rows for each in pair):
                    members.setdefault(pair, {"is_public": True})
        logins = {login: row["login"] for login, row in self.rows.items()}
        return [{"org": logins[org], "user": logins[user], **more} for (org, user), more in members.items()]

    def repository_rows(self, sessions: list[RecordedSession]) -> list[dict[str, Any]]:
        """Empty repositories that sessions speak to and do not make, as their answers show them."""
        named = [pair for session in sessions for pair in repositories_before(session.raw)]
        shown = {unmask(each["full_name"]): each for session in sessions for each in repositories_in(session.raw)}
        rows: list[dict[str, Any]] = []
        for at, (owner, name) in enumerate(dict.fromkeys((self.rows[one.lower()]["login"], two) for one, two in named)):
            full = f"{owner}/{name}"
            known = {key: shown.get(full, {}).get(key) for key in ("id", "description", "homepage")}
            row = {"id": 800_000_000 + at, **{key: value for key, value in known.items() if value is not None}}
            times = dict.fromkeys(("created_at", "updated_at", "pushed_at"), BEGUN)
            rows.append({**row, "network_id": row["id"], "owner": owner, "name": name, "full_name": full, **times})
        return rows


def template_rows(sessions: list[RecordedSession]) -> dict[str, list[dict[str, Any]]]:
    """Rows with the accounts that sessions name, and with the repositories that they find."""
    accounts = Accounts()
    for session in sessions:
        accounts.note(session.caller, {})
        for step in session.raw["steps"]:
            accounts.note_step(step)
        for owner, _ in repositories_before(session.raw):
            accounts.note(owner, {}, "Organization" if owner in organizations_in(session.raw) else "")
    accounts.finish()
    orgs = [row["login"] for row in accounts.rows.values() if row["type"] == "Organization"]
    return {
        "users": list(accounts.rows.values()),
        "memberships": accounts.membership_rows(sessions),
        "installations": [{"id": 7_000_001 + at, "account": org, "created_at": BEGUN} for at, org in enumerate(orgs)],
        "repositories": accounts.repository_rows(sessions),
    }


def first_branch_in(step: dict[str, Any]) -> tuple[str, str]:
    """The owner of a repository that a step made, and the branch that it begins with; empty if it made none."""
    answer = step.get("response")
    is_made = step["method"] == "POST" and re.fullmatch(r"/(user|orgs/[^/]+)/repos", step["path"]) is not None
    if not is_made or not isinstance(answer, dict) or not isinstance(answer.get("owner"), dict):
        return "", ""
    return answer["owner"]["login"], answer.get("default_branch") or "main"


def repositories_in(session: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All repositories that the answers of a session are, the last one first."""
    for step in reversed(session["steps"]):
        answer = step.get("response")
        if isinstance(answer, dict) and isinstance(answer.get("full_name"), str):
            yield answer


def unmask(text: str) -> str:
    """A text with the names that recorders replaced."""
    for mask, name in MASKS.items():
        text = text.replace(mask, name)
    return text


def repositories_before(session: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Owners and names of repositories that steps speak to or search in, and that no step makes or renames."""
    bodies = [each for step in session["steps"] for each in (step.get("body"), step.get("response"))]
    made = {unmask(str(each["name"])) for each in bodies if isinstance(each, dict) and each.get("name")}
    for step in session["steps"]:
        asked = [value for key, value in step.get("query") or [] if key == "q"]
        path: str = step["path"]
        texts: list[str] = [path.removeprefix("/repos/")] if path.startswith("/repos/") else []
        texts += [match for text in asked for match in re.findall(r"\brepo:(\S+)", str(text))]
        for text in texts:
            owner, name = [*text.split("/"), "", ""][:2]
            is_there = step["status"] < 400 or step["status"] == 422
            if is_there and owner and name and name not in made and not any("<" in each for each in (owner, name)):
                yield unmask(owner), name


def memberships_in(session: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The organizations and members that a session's first question about them shows to be there."""
    asked: set[str] = set()
    for step in session["steps"]:
        match = re.fullmatch(r"/orgs/([^/]+)/(?:public_)?members/([^/]+)", step["path"])
        if match and step["path"] not in asked:
            asked.add(step["path"])
            if step["status"] == 204 and step["method"] in ("GET", "DELETE"):
                yield MASKS.get(match[1], match[1]).lower(), MASKS.get(match[2], match[2]).lower()


def explain(session: dict[str, Any], fail: tuple[Any, ...]) -> str:
    """Why a step cannot be equal: it was made up, it is of objects that no step made, or of a part that is gone."""
    number, method, path, wanted, got, places = fail
    if wanted in SIMULATED or (path == "/rate_limit" and wanted == 404):
        return "simulated"
    if re.search(r"/(import|migrations|marketplace\w*|installation-requests|security-managers|token)(/|$)", path):
        return "gone or not served"
    if wanted == got and path.startswith(("/teams", "/orgs")) and {*places} <= {"/url", "/members_count"}:
        return "changed since"  # teams have addresses below their organization, and their maker is no member
    if method == "PUT" and "/collaborators/" in path and (wanted, got) == (204, 201):
        return "changed since"  # collaborators are invited
    made = " ".join(
        str(step.get("response")) for step in session["steps"] if step["n"] < number and step["method"] != "GET"
    )
    names = [part for part in path.strip("/").split("/") if re.search(r"\d{4,}|[0-9a-f]{20}", part)]
    repo = re.match(r"/repos/([^/]+/[^/]+)", path)
    names += [repo[1].partition("/")[2]] if repo else []
    if got in (404, 422) and (any(name not in made for name in names) or path.startswith("/search/")):
        return "made before"
    if got in (403, 404) and not names:
        return "made before"
    return ""


def is_equal(fail: tuple[Any, ...]) -> bool:
    """Whether a step that differs differs only in what is not compared."""
    _, method, path, wanted, got, places = fail
    if wanted != got:
        return False
    if method == "GET" and ACCOUNT_STATE.fullmatch(path):
        return True
    return all(PLACE.search(place) for place in places)


PLACE = re.compile(r"/(" + "|".join(sorted(NOT_COMPARED | ABSENT_TODAY | set(PROFILE))) + r")(/.*)?$")
