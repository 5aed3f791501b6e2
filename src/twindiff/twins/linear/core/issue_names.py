"""Names of an issue: its number, identifier, branch name and URL.

https://linear.app/docs/creating-issues
"""

from __future__ import annotations

import re
from typing import Any
from unicodedata import normalize

from twindiff.kit import Call, any_of
from twindiff.kit.graphql import Section

from ..model.issues import Issue
from ..model.organization import Organization
from ..model.teams import Team
from .actors import acting_user

api = Section()

PRIORITIES = ("No priority", "Urgent", "High", "Medium", "Low")
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9]*-\d+")
_DASHES_OF_UUID = 4
_BETWEEN = re.compile(r"[\s-]+")
_PUNCTUATION = re.compile(r"[^a-z0-9\s_-]")
_MAX_BRANCH_TITLE = 60


@api.lookup(Issue)
def issue_id(call: Call, given: str) -> str:
    """Resolve a current or previous identifier such as `ENG-42` to the issue's id; return other texts unchanged."""
    if not _IDENTIFIER.fullmatch(given):
        return given
    issue = _find_by_identifier(call, given.upper())
    return issue.id if issue else given


def _find_by_identifier(call: Call, identifier: str) -> Any:
    """Return the issue that has or had an identifier, or None."""
    issue = Issue.row
    present = call.db.find(issue, issue.identifier == identifier)
    return present or call.db.find(issue, issue.previousIdentifiers.contains(f'"{identifier}"'))


def next_number(call: Call, team: Any) -> int:
    """Return the next issue number of a team. Numbers are never reused, even those of issues that moved away.

    The number comes from a counter, so its cost does not grow with the number of issues.
    """
    counter = f"issues of {team.id}"
    number = call.db.next(counter)
    if number == 1 and (last := _last_number(call, team)):  # the template's issues did not advance the counter
        number = call.db.next(counter, at_least=1 + last)
    while call.db.find(Issue.row, Issue.row.identifier == f"{team.key}-{number}"):
        number = call.db.next(counter)
    return number


def go_beyond(call: Call, team: Any, key: str) -> None:
    """Advance the counter of a team that takes the key `key` beyond every identifier used with that key."""
    if last := _last_under(call, key):
        call.db.next(f"issues of {team.id}", at_least=last)


def _last_number(call: Call, team: Any) -> int:
    issue = Issue.row
    last = call.db.rows(issue, issue.teamId == team.id, order=-issue.number, limit=1, columns=(issue.number,))
    return max(int(last[0][0]) if last else 0, _last_under(call, team.key))


def _last_under(call: Call, key: str) -> int:
    """Return the highest number that an issue has or had with a team key, 0 if there is none."""
    issue, start = Issue.row, f"{key}-"
    here = any_of(issue.identifier.starts(start), issue.previousIdentifiers.contains(f'"{start}'))
    rows = call.db.rows(issue, here, columns=(issue.identifier, issue.previousIdentifiers))
    names = [name for present, past in rows for name in (present, *past) if name.startswith(start)]
    return max([int(name[len(start) :]) for name in names if name[len(start) :].isdecimal()], default=0)


def naming(call: Call, team: Any, title: str, number: int) -> dict[str, Any]:
    """Return the columns derived from an issue's team, number and title: number, identifier, url, branchName."""
    identifier = f"{team.key}-{number}"
    return {
        "number": float(number),
        "identifier": identifier,
        "url": address(call, team, identifier, title),
        "branchName": branch_name(call, identifier, title),
    }


def address(call: Call, team: Any, identifier: str, title: str) -> str:
    """Return the URL of an issue, such as `https://linear.app/acme/issue/ENG-42/fix-the-login`."""
    return f"https://linear.app/{_workspace(call, team)}/issue/{identifier}/{slug(title)}".rstrip("/")


def branch_name(call: Call, identifier: str, title: str) -> str:
    """Return the branch name of an issue, such as `ada/eng-42-fix-the-login`."""
    return f"{slug(acting_user(call).displayName)}/{_branch(identifier, title)}".strip("/")


def _branch(identifier: str, title: str) -> str:
    return f"{identifier.lower()}-{slug(title, _MAX_BRANCH_TITLE)}".strip("-")


@api.field(Issue, "branchName", needs="identifier title")
def branch_names(call: Call, rows: list[Any]) -> list[str]:
    """Return the branch that the caller would start for each issue, from its present identifier and title."""
    handle = slug(acting_user(call).displayName)
    return [f"{handle}/{_branch(row.identifier, row.title)}".strip("/") for row in rows]


def is_uuid(text: str) -> bool:
    """Return whether a text has the form of an id. Other texts may be the last part of a URL."""
    return text.count("-") == _DASHES_OF_UUID


def slug(text: str, length: int = 70) -> str:
    """Return a text in the form of a URL part: `fix-the-users-login` for `Fix the user's login!`.

    Accents and punctuation go, spaces and hyphens part words, and what is too long ends after a word.
    """
    letters = normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    words = "-".join(_BETWEEN.sub(" ", _PUNCTUATION.sub("", letters)).split())
    if len(words) <= length:
        return words
    return words[: length + 1].rpartition("-")[0] or words[:length]


def slug_with_id(text: str, short_id: str) -> str:
    """Return the last part of a URL: `fix-the-login-97ef3c`, or the id alone if a text has no Latin letters."""
    return f"{slug(text)}-{short_id}".lstrip("-")


def _workspace(call: Call, team: Any) -> str:
    organization = call.db.find(Organization.row, Organization.row.id == team.organizationId)
    return organization.urlKey if organization else "workspace"


@api.lookup(Team)
def team_id(call: Call, given: str) -> str:
    """Resolve a team key such as `ENG` to the team's id. Other texts are returned unchanged."""
    if len(given) > 7 or "-" in given:
        return given
    team = call.db.find(Team.row, Team.row.key == given.upper())
    return team.id if team else given
