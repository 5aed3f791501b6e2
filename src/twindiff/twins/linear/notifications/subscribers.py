"""Subscribers of issues: explicit ones, and those who created, were assigned or commented.

https://linear.app/docs/notifications · `doNotSubscribeToIssue` of https://linear.app/developers/graphql
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, any_of, exists
from twindiff.kit.graphql import Section, entity_operations
from twindiff.kit.graphql.errors import EntityNotFound
from twindiff.kit.rows import Expression

from ..model.associations import IssueFollower, IssueSubscription
from ..model.issues import Issue
from ..model.users import User

api = Section()

_LINKS = (IssueSubscription, IssueFollower)


def follow(call: Call, issue_id: str, *people: str | None) -> None:
    """Subscribe users to an issue because of their activity. Existing subscriptions are unchanged."""
    known = {*list_subscribers(call, issue_id)}
    for person in dict.fromkeys(people):
        if person and person not in known:
            call.db.add(IssueFollower(issue_id=issue_id, user_id=person))


def list_subscribers(call: Call, issue_id: str) -> list[str]:
    """Return the ids of an issue's subscribers."""
    subscriptions = [call.db.rows(link, link.issue_id == issue_id, columns=(link.user_id,)) for link in _LINKS]
    return [person for links in subscriptions for (person,) in links]


def keep_only(call: Call, issue_id: str, people: list[str]) -> None:
    """Remove the activity-based subscriptions of all users but `people`, after subscribers were set explicitly."""
    for link in call.db.rows(IssueFollower, IssueFollower.issue_id == issue_id):
        if link.user_id not in people:
            call.db.remove(link)


@api.mutation("issueSubscribe(id: String!, userEmail: String, userId: String): IssuePayload!")
def issue_subscribe(call: Call, id: str, user_email: str | None = None, user_id: str | None = None) -> dict[str, Any]:
    """Subscribe a user, by default the caller, to an issue."""
    issue, person = entity_operations.find(call, Issue, id), _person(call, user_email, user_id)
    link = IssueSubscription
    if not call.db.find(link, link.issue_id == issue.id, link.user_id == person):
        call.db.add(link(issue_id=issue.id, user_id=person))
    return {"issue": issue}


@api.mutation("issueUnsubscribe(id: String!, userEmail: String, userId: String): IssuePayload!")
def issue_unsubscribe(call: Call, id: str, user_email: str | None = None, user_id: str | None = None) -> dict[str, Any]:
    """Unsubscribe a user, by default the caller, from an issue."""
    issue, person = entity_operations.find(call, Issue, id), _person(call, user_email, user_id)
    for link in _LINKS:
        for subscription in call.db.rows(link, link.issue_id == issue.id, link.user_id == person):
            call.db.remove(subscription)
    return {"issue": issue}


def _person(call: Call, email: str | None, id: str | None) -> str:
    if email is None:
        return entity_operations.find(call, User, id or call.actor).id
    user = call.db.find(User.row, User.row.email.equals(email))
    if user is None:
        raise EntityNotFound("User", email)
    return user.id


@api.field(Issue, "subscribers", needs="id")
def subscribers(call: Call, rows: list[Any], include_disabled: bool = False, **arguments: Any) -> list[Any]:
    """Return the subscribers of each issue, latest user first."""
    ids = tuple(row.id for row in rows)
    by_issue: dict[str, set[str]] = {id: set() for id in ids}
    for link in _LINKS:
        for issue_id, person in call.db.rows(link, link.issue_id.in_(ids), columns=(link.issue_id, link.user_id)):
            by_issue[issue_id].add(person)
    wanted = tuple({person for people in by_issue.values() for person in people})
    user = User.row
    active = () if include_disabled else (user.active,)
    matching = entity_operations.matching(call, User, arguments.get("filter") or {})
    users = call.db.rows(user, user.id.in_(wanted), *active, *matching, order=(-user.createdAt, -user.id))
    return [[each for each in users if each.id in people] for people in by_issue.values()]


@api.filter(Issue, "subscribers")
def filter_subscribers(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on an issue's subscribers."""
    tied = [exists(link, link.user_id == User.row.id, link.issue_id == Issue.row.id) for link in _LINKS]
    return entity_operations.collection(call, User, comparator, any_of(*tied))
