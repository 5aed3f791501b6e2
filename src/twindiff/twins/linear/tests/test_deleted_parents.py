"""Nothing new is made on what is deleted or archived, or on a part of it."""

from __future__ import annotations

import pytest

from .conftest import AGENT, ENG, SARAH, Linear
from .test_reported_answers import creating

MAKE = {
    "archived issue": ("issue", "issueArchive", {"teamId": ENG, "title": "x"}),
    "trashed issue": ("issue", "issueDelete", {"teamId": ENG, "title": "x"}),
    "archived project": ("project", "projectArchive", {"teamIds": [ENG], "name": "x"}),
    "trashed project": ("project", "projectDelete", {"teamIds": [ENG], "name": "x"}),
    "trashed initiative": ("initiative", "initiativeDelete", {"name": "x"}),
    "trashed document": ("document", "documentDelete", {"title": "x", "teamId": ENG}),
    "deleted team": ("team", "teamDelete", {"name": "x"}),
}
ADDED = {
    "issue": {
        "Comment": {"issueId": "", "body": "x"},
        "Attachment": {"issueId": "", "title": "x", "url": "https://a.example"},
        "Reaction": {"issueId": "", "emoji": "eyes"},
        "IssueRelation": {"issueId": "", "relatedIssueId": "ENG-1", "type": "blocks"},
        "Document": {"issueId": "", "title": "x"},
        "Issue": {"parentId": "", "teamId": ENG, "title": "x"},
    },
    "project": {
        "ProjectMilestone": {"projectId": "", "name": "x"},
        "ProjectUpdate": {"projectId": "", "body": "x"},
        "Document": {"projectId": "", "title": "x"},
        "EntityExternalLink": {"projectId": "", "url": "https://a.example", "label": "x"},
        "Issue": {"projectId": "", "teamId": ENG, "title": "x"},
    },
    "initiative": {
        "InitiativeUpdate": {"initiativeId": "", "body": "x"},
        "Document": {"initiativeId": "", "title": "x"},
    },
    "document": {"Favorite": {"documentId": ""}},
    "team": {
        "Cycle": {"teamId": "", "startsAt": "2026-12-01", "endsAt": "2026-12-14"},
        "Document": {"teamId": "", "title": "x"},
        "Issue": {"teamId": "", "title": "x"},
        "WorkflowState": {"teamId": "", "name": "x", "color": "#fff000", "type": "started"},
        "IssueLabel": {"teamId": "", "name": "of a team"},
    },
}


@pytest.fixture(scope="module")
def linear(platform):
    """One workspace for all tests here, for its admin."""
    environment = platform.environment("linear:linear_default", AGENT, tokens={f"lin_api_{SARAH}": SARAH})
    return Linear(environment, SARAH)


def gone(linear, what):
    """The id of something that was deleted or archived."""
    kind, remove, given = MAKE[what]
    made = linear.create(kind, **given)["id"]
    linear(f'mutation {{ {remove}(id: "{made}") {{ success }} }}')
    return made


@pytest.mark.parametrize("what", MAKE)
def test_nothing_is_added_to_what_is_deleted_or_archived(linear, what):
    owner = gone(linear, what)
    for kind, given in ADDED[MAKE[what][0]].items():
        error = linear.error(creating(kind), i={name: value or owner for name, value in given.items()})
        assert error["message"].startswith("Entity not found"), kind


def test_nothing_is_added_to_a_part_of_what_is_deleted(linear):
    issue = linear.issue()["id"]
    comment = linear.create("comment", issueId=issue, body="x")["id"]
    project = linear.create("project", name="x", teamIds=[ENG])["id"]
    milestone = linear.create("projectMilestone", name="x", projectId=project)["id"]
    linear(
        f'mutation {{ a: issueDelete(id: "{issue}") {{ success }} b: projectDelete(id: "{project}") {{ success }} }}'
    )
    assert "not found" in linear.error(creating("Reaction"), i={"commentId": comment, "emoji": "eyes"})["message"]
    given = {"teamId": ENG, "title": "x", "projectMilestoneId": milestone}
    assert "not found" in linear.error(creating("Issue"), i=given)["message"]


def test_nothing_is_moved_into_what_is_deleted(linear):
    change = 'mutation($i: IssueUpdateInput!) { issueUpdate(id: "ENG-1", input: $i) { success } }'
    for field, what in (("projectId", "trashed project"), ("parentId", "archived issue"), ("teamId", "deleted team")):
        assert "not found" in linear.error(change, i={field: gone(linear, what)})["message"]


def test_what_comes_back_takes_comments_again(linear):
    issue = gone(linear, "archived issue")
    linear(f'mutation {{ issueUnarchive(id: "{issue}") {{ success }} }}')
    assert linear.create("comment", issueId=issue, body="x")
