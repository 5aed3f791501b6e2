"""The diff of each operation: what it was asked to change, and nothing else."""

from __future__ import annotations

import pytest

from .conftest import AGENT, BACKLOG, DONE, ENG, JOHN, PROD, RL, UX


@pytest.mark.parametrize(
    ("values", "columns"),
    [
        ({"stateId": DONE}, ["stateId"]),
        ({"assigneeId": AGENT}, ["assigneeId"]),
        ({"title": "Another"}, ["title"]),
        ({"description": "More"}, ["description"]),
        ({"dueDate": "2030-02-03"}, ["dueDate"]),
        ({"estimate": 3}, ["estimate"]),
        ({"parentId": "ENG-2"}, ["parentId"]),
        ({"teamId": PROD}, ["teamId"]),
        ({"priority": 1}, ["priority"]),
    ],
)
def test_changing_an_issue_changes_what_was_given(linear, values, columns):
    linear.update("issue", "ENG-1", **values)
    (update,) = linear.diff()["updates"]
    plain = [name for name in update["changed"] if name not in update.get("derived", ())]
    assert sorted(plain) == sorted([*columns, "updatedAt"])


def test_what_follows_from_a_change_is_marked_as_derived(linear):
    linear.update("issue", "ENG-1", stateId=DONE)
    linear.update("issue", "ENG-2", teamId=PROD)
    derived = [name for update in linear.diff()["updates"] for name in update["derived"]]
    assert {"startedAt", "completedAt"} <= set(derived)
    assert {"identifier", "number", "previousIdentifiers", "url", "branchName"} <= set(derived)


def test_history_followers_and_notifications_are_derived(linear):
    linear.update("issue", "ENG-1", assigneeId=AGENT)
    linear.update("issue", "ENG-1", assigneeId=JOHN)
    assert linear.added() == []
    rows = linear.diff("derived")["inserts"]
    assert {row["__table__"] for row in rows} == {"issue_followers", "issue_histories", "notifications"}


def test_a_new_issue_adds_one_row(linear):
    linear.issue(assigneeId=JOHN)
    assert linear.added() == ["issues"]
    assert linear.changed() == []


def test_a_new_issue_with_labels_adds_their_links(linear):
    linear.issue(labelIds=[UX, RL])
    assert sorted(linear.added()) == ["issue_label_issue_association"] * 2 + ["issues"]


def test_a_label_is_added_as_a_link(linear):
    linear.update("issue", "ENG-1", addedLabelIds=[UX])
    (link,) = linear.diff()["inserts"]
    assert (link["__table__"], link["issue_label_id"]) == ("issue_label_issue_association", UX)


def test_a_label_is_taken_off_as_a_link(linear):
    linear.update("issue", "ENG-4", labelIds=[])
    (link,) = linear.diff()["deletes"]
    assert (link["__table__"], link["issue_label_id"]) == ("issue_label_issue_association", RL)


@pytest.mark.parametrize(
    ("mutation", "table", "columns"),
    [
        ('issueDelete(id: "ENG-1")', "issues", ["archivedAt", "trashed"]),
        ('issueArchive(id: "ENG-1")', "issues", ["archivedAt"]),
        ('commentDelete(id: "e10f59c3-7a49-4d52-8dba-8c8602f8c807")', "comments", ["archivedAt"]),
        (f'issueLabelDelete(id: "{UX}")', "issue_labels", ["archivedAt"]),
        ('workflowStateArchive(id: "d4f59a6d-33cb-45d1-8f4e-3e57536f912d")', "workflow_states", ["archivedAt"]),
    ],
)
def test_deleting_and_archiving_are_soft(linear, mutation, table, columns):
    linear(f"mutation {{ {mutation} {{ success }} }}")
    ((changed_table, changed),) = linear.changed()
    assert (changed_table, sorted(changed)) == (table, columns)


def test_a_relation_is_deleted_softly(workspace_with):
    row = {
        "id": "r",
        "issueId": "c6e168e3-fed4-45d0-b03f-a1c1f89ee7ab",
        "relatedIssueId": "5c62f29d-0f6a-4c4d-9d25-52293e2a8d4f",
    }
    dates = {"createdAt": "2025-01-01T00:00:00", "updatedAt": "2025-01-01T00:00:00"}
    linear = workspace_with(issue_relations=[{**row, **dates, "type": "blocks"}])
    linear('mutation { issueRelationDelete(id: "r") { success } }')
    assert linear.changed() == [("issue_relations", ["archivedAt"])]
    assert linear("{ issueRelations { nodes { id } } }")["issueRelations"]["nodes"] == []


def test_a_relation_carries_the_titles_of_both_ends(linear):
    linear.create("issueRelation", issueId="ENG-1", relatedIssueId="ENG-2", type="blocks")
    (row,) = linear.diff()["inserts"]
    assert row["issueTitle"] == "Sign-in loops back to the start page"
    assert row["relatedIssueTitle"] == "Tidy up the first-run dashboard"


def test_editing_a_comment_changes_its_body(linear):
    linear.update("comment", "e10f59c3-7a49-4d52-8dba-8c8602f8c807", body="I cannot see it")
    (update,) = linear.diff()["updates"]
    assert set(update["changed"]) - set(update["derived"]) == {"body", "updatedAt"}


def test_a_team_comes_with_its_states_and_its_owner(linear):
    linear.create("team", name="Legal")
    assert sorted(linear.added()) == ["team_memberships", "teams", *["workflow_states"] * 6]


def test_reading_changes_nothing(linear):
    linear('{ issue(id: "ENG-1") { history { nodes { id } } comments { nodes { id } } } projects { nodes { id } } }')
    changes = linear.diff("all")
    assert not any(changes[side] for side in ("inserts", "updates", "deletes"))


def test_an_update_to_what_is_already_so_changes_nothing(linear):
    linear.update("issue", "ENG-1", stateId=BACKLOG, title="Sign-in loops back to the start page")
    assert linear.diff()["updates"] == []


def test_a_membership_is_one_row(linear):
    linear.create("teamMembership", teamId=PROD, userId=AGENT)
    (row,) = linear.diff()["inserts"]
    assert (row["__table__"], row["teamId"], row["userId"]) == ("team_memberships", PROD, AGENT)


def test_a_state_is_one_row(linear):
    linear.create("workflowState", teamId=ENG, name="Waiting", type="started", color="#123456")
    (row,) = linear.diff()["inserts"]
    assert (row["__table__"], row["position"]) == ("workflow_states", 8.0)
