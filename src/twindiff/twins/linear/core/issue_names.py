"""How an issue is named: its number, its identifier, its branch and its address.

https://linear.app/docs/creating-issues
"""

from __future__ import annotations

import re
from typing import Any

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
_BETWEEN = re.compile(r"[^a-z0-9]+")


@api.lookup(Issue)
def issue_id(call: Call, given: str) -> str:
    """An issue's id from its identifier, present or past: `ENG-42`."""
    if not _IDENTIFIER.fullmatch(given):
        return given
    issue = _find_by_identifier(call, given.upper())
    return issue.id if issue else given


def _find_by_identifier(call: Call, identifier: str) -> Any:
    """The issue that has or had an identifier."""
    issue = Issue.row
    present = call.db.find(issue, issue.identifier == identifier)
    return present or call.db.find(issue, issue.previousIdentifiers.contains(f'"{identifier}"'))


def next_number(call: Call, team: Any) -> int:
    """The next number of a team; numbers are never used twice, not even those of issues that moved away.

    A counter knows it, so that a team's ten thousandth issue costs what its first did.
    """
    counter = f"issues of {team.id}"
    number = call.db.next(counter)
    if number == 1 and (last := _last_number(call, team)):  # issues of the template have not raised the counter
        number = call.db.next(counter, at_least=1 + last)
    while call.db.find(Issue.row, Issue.row.identifier == f"{team.key}-{number}"):
        number = call.db.next(counter)
    return number


def go_beyond(call: Call, team: Any, key: str) -> None:
    """Let a team that takes another key use no identifier that an issue has, or had, under that key."""
    if last := _last_under(call, key):
        call.db.next(f"issues of {team.id}", at_least=last)


def _last_number(call: Call, team: Any) -> int:
    issue = Issue.row
    last = call.db.rows(issue, issue.teamId == team.id, order=-issue.number, limit=1, columns=(issue.number,))
    return max(int(last[0][0]) if last else 0, _last_under(call, team.key))


def _last_under(call: Call, key: str) -> int:
    """The last number that an issue has or had under a team's key."""
    issue, start = Issue.row, f"{key}-"
    here = any_of(issue.identifier.starts(start), issue.previousIdentifiers.contains(f'"{start}'))
    rows = call.db.rows(issue, here, columns=(issue.identifier, issue.previousIdentifiers))
    names = [name for present, past in rows for name in (present, *past) if name.startswith(start)]
    return max([int(name[len(start) :]) for name in names if name[len(start) :].isdecimal()], default=0)


def naming(call: Call, team: Any, title: str, number: int) -> dict[str, Any]:
    """The columns that follow from an issue's team, number and title."""
    identifier = f"{team.key}-{number}"
    return {
        "number": float(number),
        "identifier": identifier,
        "url": address(call, team, identifier, title),
        "branchName": branch_name(call, identifier, title),
    }


def address(call: Call, team: Any, identifier: str, title: str) -> str:
    """`https://linear.app/acme/issue/ENG-42/fix-the-login`."""
    return f"https://linear.app/{_workspace(call, team)}/issue/{identifier}/{slug(title)}".rstrip("/")


def branch_name(call: Call, identifier: str, title: str) -> str:
    """`ada/eng-42-fix-the-login`."""
    user = acting_user(call)
    return f"{slug(user.displayName)}/{identifier.lower()}-{slug(title)}".strip("-/")


def is_uuid(text: str) -> bool:
    """Whether a text has the form of an id, so that it is not the end of an address."""
    return text.count("-") == _DASHES_OF_UUID


def slug(text: str, length: int = 60) -> str:
    """`Fix the login!` to `fix-the-login`."""
    return _BETWEEN.sub("-", text.casefold()).strip("-")[:length].strip("-")


def _workspace(call: Call, team: Any) -> str:
    organization = call.db.find(Organization.row, Organization.row.id == team.organizationId)
    return organization.urlKey if organization else "workspace"


@api.lookup(Team)
def team_id(call: Call, given: str) -> str:
    """A team's id from its key: `ENG`."""
    if len(given) > 7 or "-" in given:
        return given
    team = call.db.find(Team.row, Team.row.key == given.upper())
    return team.id if team else given
