"""Sessions of the real API that public clients recorded, sent to the twin.

The sessions and the program that compares stand in a folder `shared` beside the checkout, or where TWINDIFF_SHARED is.
"""

from __future__ import annotations

import importlib.util
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
NOT_COMPARED = {
    # Numbers of the account that recorded, which has things that no session shows.
    "public_repos", "public_gists", "private_gists", "followers", "following", "total_private_repos", "disk_usage",
    "owned_private_repos", "collaborators", "limit", "remaining", "reset", "subscribers_count", "total", "additions",
    "deletions",
    # Settings of the account and of its organizations, and defaults that the vendor has changed since.
    "has_organization_projects", "has_repository_projects", "has_wiki", "two_factor_authentication",
    "members_can_create_repositories", "default_repository_permission", "allow_forking", "is_verified",
    "user_view_type", "default_branch", "avatar_url", "billing_email", "repository_selection", "twitter_username",
    "contents",
    # Values that are the server's own, and words that the vendor has changed since.
    "key", "emails", "subkeys", "documentation_url", "issue_comment_url",
}  # fmt: skip
"""Fields of answers of which only the type is compared."""
ABSENT_TODAY = {"master_branch", "ldap_dn", "security_and_analysis", "plan", "secondary_rate"}
"""Fields that answers had once, or that only some accounts have."""
ACCOUNT_STATE = re.compile(
    r"/(search/.*|events|users|users/[^/]+/.+|user/.+|organizations.*|repositories|orgs/[^/]+/.+|app|app/installations|"
    r"installation.*|emojis|meta|gitignore/templates|gists/(public|starred)|gists|notifications|marketplace.*|issues|feeds|)/?"
)
"""Reads of what an account had before the session, of which only the status is compared."""
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
                yield RecordedSession(file, session["session"], session, caller_of(session))


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


def template_rows(sessions: list[RecordedSession]) -> dict[str, list[dict[str, Any]]]:
    """Rows with the accounts that sessions name; their callers own the organizations."""
    users: dict[str, dict[str, Any]] = {}

    def note(login: str, known: dict[str, Any], kind: str = "") -> None:
        login = MASKS.get(login, login)
        row = users.setdefault(login.lower(), {"login": login, "type": "User"})
        row |= {name: known[name] for name in PROFILE if known.get(name) is not None}
        if isinstance(known.get("id"), int):
            row["id"] = known["id"]
        if kind or known.get("type") in ("User", "Organization"):
            row["type"] = kind or known["type"]

    for session in sessions:
        note(session.caller, {})
        for step in session.raw["steps"]:
            for known in accounts_in(step.get("response")):
                note(known["login"], known)
            for name, kind in accounts_in_path(step):
                note(name, {}, kind)
    taken: set[int] = set()
    for number, row in enumerate(users.values()):
        row.setdefault("id", 900_000_000 + number)
        while row["id"] in taken:
            row["id"] += 1
        taken.add(row["id"])
        row |= {"created_at": BEGUN, "updated_at": BEGUN}
    orgs = [row["login"] for row in users.values() if row["type"] == "Organization"]
    callers = {session.caller.lower() for session in sessions}
    members = [
        {"org": org, "user": users[caller]["login"], "role": "admin"}
        for org in orgs
        for caller in sorted(callers)
        if users[caller]["type"] == "User"
    ]
    installations = [{"id": 7_000_001 + number, "account": org, "created_at": BEGUN} for number, org in enumerate(orgs)]
    return {"users": list(users.values()), "memberships": members, "installations": installations}


def explain(session: dict[str, Any], fail: tuple[Any, ...]) -> str:
    """Why a step cannot be equal: it was made up, it is of objects that no step made, or of a part that is gone."""
    number, _, path, wanted, got, _ = fail
    if wanted in SIMULATED or (path == "/rate_limit" and wanted == 404):
        return "simulated"
    if re.search(r"/(import|migrations|marketplace\w*|installation-requests|security-managers|token)(/|$)", path):
        return "gone or not served"
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
