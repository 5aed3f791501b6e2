"""Who is subscribed to an issue.  https://linear.app/docs/notifications"""

from __future__ import annotations

import pytest

from .conftest import AGENT, JOHN, SARAH


@pytest.fixture
def people(linear):
    """The ids of those subscribed to an issue."""

    def ask(issue):
        query = "query($id: String!) { issue(id: $id) { subscribers { nodes { id } } } }"
        return {each["id"] for each in linear(query, id=issue)["issue"]["subscribers"]["nodes"]}

    return ask


def test_creator_and_assignee_of_an_issue_are_subscribed_to_it(linear, people):
    issue = linear.issue(assigneeId=JOHN)["id"]
    assert people(issue) == {AGENT, JOHN}
    linear.update("issue", issue, assigneeId=SARAH)
    assert people(issue) == {AGENT, JOHN, SARAH}


def test_whoever_comments_is_subscribed_unless_they_say_not(linear, people):
    issue = linear.issue()["id"]
    linear.as_user(SARAH).create("comment", issueId=issue, body="Hm", doNotSubscribeToIssue=True)
    assert people(issue) == {AGENT}
    linear.as_user(JOHN).create("comment", issueId=issue, body="Right")
    assert people(issue) == {AGENT, JOHN}


def test_unsubscribing_ends_what_one_did_to_be_subscribed(linear, people):
    issue = linear.issue()["id"]
    linear("mutation($id: String!) { issueUnsubscribe(id: $id) { success } }", id=issue)
    assert people(issue) == set()


def test_named_subscribers_replace_the_others(linear, people):
    issue = linear.issue(assigneeId=JOHN)["id"]
    linear.update("issue", issue, subscriberIds=[SARAH])
    assert people(issue) == {SARAH}


def test_issues_are_found_by_their_subscribers(linear):
    issue = linear.issue("identifier", assigneeId=JOHN)
    query = "query($id: ID) { issues(filter: { subscribers: { id: { eq: $id } } }) { nodes { identifier } } }"
    assert linear(query, id=JOHN)["issues"]["nodes"] == [issue]


def test_what_one_does_to_be_subscribed_is_derived(linear):
    linear.issue(assigneeId=JOHN)
    assert linear.added() == ["issues"]
    linear('mutation($u: String) { issueSubscribe(id: "ENG-1", userId: $u) { success } }', u=SARAH)
    assert sorted(linear.added()) == ["issue_subscriber_user_association", "issues"]
