"""Issues over HTTP."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from .conftest import AGENT, BACKLOG, DONE, ENG, IN_PROGRESS, JOHN, PROD, RL, UNSTARTED, URGENT, UX


def test_a_new_issue_is_numbered_and_begins_in_the_backlog(linear):
    issue = linear.issue("identifier number state { id } team { key } creator { id } priorityLabel", priority=1)
    assert issue == {
        "identifier": "ENG-5",
        "number": 5,
        "state": {"id": BACKLOG},
        "team": {"key": "ENG"},
        "creator": {"id": AGENT},
        "priorityLabel": "Urgent",
    }


def test_an_issue_has_an_address_and_a_branch(linear):
    issue = linear.issue("url branchName", title="Oil the left gripper!")
    assert issue["url"].endswith("/issue/ENG-5/oil-the-left-gripper")
    assert issue["branchName"] == "agent/eng-5-oil-the-left-gripper"


@pytest.mark.parametrize("name", ["ENG-1", "eng-1", "c6e168e3-fed4-45d0-b03f-a1c1f89ee7ab"])
def test_an_issue_is_found_by_identifier_and_by_id(linear, name):
    assert linear("query($id: String!) { issue(id: $id) { identifier } }", id=name)["issue"]["identifier"] == "ENG-1"


def test_identifiers_are_taken_wherever_an_issue_is_named(linear):
    child = linear.issue("parent { identifier }", parentId="ENG-1")
    relation = linear.create(
        "issueRelation", "issue { identifier }", issueId="ENG-1", relatedIssueId="ENG-2", type="related"
    )
    comment = linear.create("comment", "issue { identifier }", issueId="ENG-1", body="Seen")
    assert child["parent"] == relation["issue"] == comment["issue"] == {"identifier": "ENG-1"}


def test_a_new_title_makes_a_new_address(linear):
    assert linear.update("issue", "ENG-1", "url", title="Come in!")["url"].endswith("/ENG-1/come-in")


def test_issues_are_filtered_by_identifier(linear):
    query = '{ issues(filter: { id: { in: ["ENG-1", "ENG-2"] } }) { nodes { identifier } } }'
    assert {each["identifier"] for each in linear(query)["issues"]["nodes"]} == {"ENG-1", "ENG-2"}


def test_moving_through_the_workflow_leaves_the_times(linear):
    fields = "startedAt completedAt canceledAt"
    began = linear.update("issue", "ENG-1", fields, stateId=IN_PROGRESS)
    ended = linear.update("issue", "ENG-1", fields, stateId=DONE)
    assert began["startedAt"]
    assert began["completedAt"] is None
    assert ended["startedAt"] == began["startedAt"]
    assert ended["completedAt"]


def test_going_back_to_todo_forgets_the_times(linear):
    linear.update("issue", "ENG-1", stateId=DONE)
    assert linear.update("issue", "ENG-1", "startedAt completedAt", stateId=UNSTARTED) == {
        "startedAt": None,
        "completedAt": None,
    }


def test_history_lists_state_and_assignee_changes_in_order(linear):
    linear.update("issue", "ENG-1", stateId=IN_PROGRESS)
    linear.update("issue", "ENG-1", assigneeId=AGENT)
    linear.update("issue", "ENG-1", stateId=DONE)
    query = """{ issue(id: "ENG-1") { history { nodes {
        fromState { name } toState { name } fromAssignee { displayName } toAssignee { displayName }
        actor { id } } } } }"""
    newest, middle, oldest = linear(query)["issue"]["history"]["nodes"]
    assert (oldest["fromState"], oldest["toState"]) == ({"name": "Backlog"}, {"name": "In Progress"})
    assert (middle["fromAssignee"], middle["toAssignee"]) == ({"displayName": "John"}, {"displayName": "Agent"})
    assert newest["toState"] == {"name": "Done"}
    assert newest["actor"] == {"id": AGENT}


def test_history_names_added_and_removed_labels(linear):
    linear.update("issue", "ENG-3", addedLabelIds=[UX], removedLabelIds=[URGENT])
    query = '{ issue(id: "ENG-3") { history { nodes { addedLabels { name } removedLabels { name } } } } }'
    assert linear(query)["issue"]["history"]["nodes"] == [
        {"addedLabels": [{"name": "UX"}], "removedLabels": [{"name": "Urgent"}]}
    ]


def test_a_moved_issue_is_numbered_anew_and_keeps_its_old_name(linear):
    moved = linear.update("issue", "ENG-2", "identifier previousIdentifiers team { key }", teamId=PROD)
    assert moved == {"identifier": "PROD-1", "previousIdentifiers": ["ENG-2"], "team": {"key": "PROD"}}
    assert linear('{ issue(id: "ENG-2") { identifier } }')["issue"]["identifier"] == "PROD-1"


def test_an_issue_that_moves_twice_keeps_both_old_names_and_is_found_by_each(linear):
    linear.update("issue", "ENG-2", teamId=PROD)
    again = linear.update("issue", "PROD-1", "identifier previousIdentifiers", teamId=ENG)
    assert again == {"identifier": "ENG-5", "previousIdentifiers": ["ENG-2", "PROD-1"]}
    for name in ("ENG-2", "PROD-1", "ENG-5"):
        assert linear(f'{{ issue(id: "{name}") {{ identifier }} }}')["issue"]["identifier"] == "ENG-5"


def test_a_moved_issue_leaves_behind_what_belongs_to_its_former_team(linear):
    span = {"startsAt": "2026-01-05T00:00:00Z", "endsAt": "2026-01-19T00:00:00Z"}
    cycle = linear.create("cycle", teamId=ENG, **span)["id"]
    both, own = (linear.create("project", name=str(each), teamIds=each)["id"] for each in ([ENG, PROD], [ENG]))
    labels = [linear.create("issueLabel", name=name, teamId=ENG)["id"] for name in ("Paint", "Wood")]
    linear.create("issueLabel", name="paint", teamId=PROD)
    linear.update("issue", "ENG-2", cycleId=cycle, projectId=both, labelIds=[*labels, UX])
    linear.update("issue", "ENG-3", projectId=own)
    fields = "cycle { id } project { id } labels { nodes { name team { id } } }"
    moved = linear.update("issue", "ENG-2", fields, teamId=PROD)
    names = {each["name"]: (each["team"] or {}).get("id") for each in moved["labels"]["nodes"]}
    assert (moved["cycle"], moved["project"], names) == (None, {"id": both}, {"paint": PROD, "UX": None})
    assert linear.update("issue", "ENG-3", fields, teamId=PROD)["project"] is None


def test_a_move_may_name_the_cycle_and_labels_of_the_new_team(linear):
    span = {"startsAt": "2026-01-05T00:00:00Z", "endsAt": "2026-01-19T00:00:00Z"}
    before, after = (linear.create("cycle", teamId=team, **span)["id"] for team in (ENG, PROD))
    mine, theirs = (
        linear.create("issueLabel", name=name, teamId=team)["id"] for name, team in (("A", ENG), ("B", PROD))
    )
    linear.update("issue", "ENG-2", cycleId=before, labelIds=[mine])
    moved = linear.update(
        "issue", "ENG-2", "cycle { id } labels { nodes { id } }", teamId=PROD, cycleId=after, addedLabelIds=[theirs]
    )
    assert moved == {"cycle": {"id": after}, "labels": {"nodes": [{"id": theirs}]}}


def test_the_first_issue_of_a_new_team_has_number_one(linear):
    team = linear.create("team", name="Paint", key="PNT")["id"]
    assert [linear.issue("identifier", teamId=team)["identifier"] for _ in range(2)] == ["PNT-1", "PNT-2"]


def test_a_team_that_takes_another_s_old_key_uses_none_of_its_names(linear):
    linear.update("issue", "ENG-4", teamId=PROD)
    query = "mutation($id: String!, $key: String) { teamUpdate(id: $id, input: { key: $key }) { success } }"
    linear(query, id=ENG, key="OLD")
    linear(query, id=PROD, key="ENG")
    assert linear.issue("identifier", teamId=PROD)["identifier"] == "ENG-5"


def test_a_cycle_of_another_team_is_refused_and_of_its_own_is_kept(linear):
    span = {"startsAt": "2026-01-05T00:00:00Z", "endsAt": "2026-01-19T00:00:00Z"}
    own, other = (linear.create("cycle", teamId=team, **span)["id"] for team in (ENG, PROD))
    query = 'mutation($c: String) { issueUpdate(id: "ENG-1", input: { cycleId: $c }) { issue { cycle { id } } } }'
    assert "belongs to another team" in linear.refusal(query, c=other)
    assert linear(query, c=own)["issueUpdate"]["issue"] == {"cycle": {"id": own}}
    moved = 'mutation { issueCreate(input: { teamId: "%s", title: "x", cycleId: "%s" }) { success } }'
    assert "belongs to another team" in linear.refusal(moved % (PROD, own))


def test_a_milestone_goes_when_the_project_changes(linear):
    one, other = (linear.create("project", name=name, teamIds=[ENG])["id"] for name in ("One", "Other"))
    mine, theirs = (linear.create("projectMilestone", name="M", projectId=project)["id"] for project in (one, other))
    fields = "project { id } projectMilestone { id }"
    linear.update("issue", "ENG-1", projectId=one, projectMilestoneId=mine)
    assert linear.update("issue", "ENG-1", fields, projectId=one)["projectMilestone"] == {"id": mine}
    assert linear.update("issue", "ENG-1", fields, projectId=other) == {
        "project": {"id": other},
        "projectMilestone": None,
    }
    both = linear.update("issue", "ENG-1", fields, projectId=one, projectMilestoneId=mine)
    assert both == {"project": {"id": one}, "projectMilestone": {"id": mine}}
    query = 'mutation($m: String) { issueUpdate(id: "ENG-1", input: { projectMilestoneId: $m }) { success } }'
    assert "belongs to another project" in linear.refusal(query, m=theirs)


def test_numbers_of_moved_issues_are_not_used_again(linear):
    linear.update("issue", "ENG-4", teamId=PROD)
    assert linear.issue("identifier")["identifier"] == "ENG-5"


def test_labels_are_set_added_and_removed(linear):
    names = "labels { nodes { name } } labelIds"
    assert linear.update("issue", "ENG-1", names, labelIds=[UX, RL])["labelIds"] == [UX, RL]
    assert linear.update("issue", "ENG-1", names, removedLabelIds=[UX])["labels"]["nodes"] == [{"name": "RL"}]
    query = f'mutation {{ issueAddLabel(id: "ENG-1", labelId: "{URGENT}") {{ issue {{ labelIds }} }} }}'
    assert linear(query)["issueAddLabel"]["issue"]["labelIds"] == [RL, URGENT]


def test_sub_issues_are_seen_from_above(linear):
    linear.issue(title="Left finger", parentId="ENG-1")
    query = '{ issue(id: "ENG-1") { children { nodes { title parent { identifier } } } } }'
    assert linear(query)["issue"]["children"]["nodes"] == [{"title": "Left finger", "parent": {"identifier": "ENG-1"}}]


def test_an_issue_is_not_below_itself(linear):
    child = linear.issue(parentId="ENG-1")["id"]
    query = 'mutation($p: String) { issueUpdate(id: "ENG-1", input: { parentId: $p }) { success } }'
    assert "cannot be its own parent" in linear.refusal(query, p=child)


def test_a_relation_is_one_row_seen_from_both_sides(linear):
    linear.create("issueRelation", issueId="ENG-1", relatedIssueId="ENG-2", type="blocks")
    query = """{ issue(id: "ENG-2") { relations { nodes { type } }
        inverseRelations { nodes { type issue { identifier } } } } }"""
    seen = linear(query)["issue"]
    assert seen["relations"]["nodes"] == []
    assert seen["inverseRelations"]["nodes"] == [{"type": "blocks", "issue": {"identifier": "ENG-1"}}]


def test_archived_issues_are_left_out_unless_they_are_asked_for(linear):
    linear('mutation { issueArchive(id: "ENG-1") { success } }')
    assert len(linear("{ issues { nodes { id } } }")["issues"]["nodes"]) == 3
    assert len(linear("{ issues(includeArchived: true) { nodes { id } } }")["issues"]["nodes"]) == 4


def test_a_deleted_issue_is_in_the_trash_and_can_come_back(linear):
    answer = linear('mutation { issueDelete(id: "ENG-1") { success entity { trashed archivedAt } } }')
    assert answer["issueDelete"]["entity"]["trashed"] is True
    linear('mutation { issueUnarchive(id: "ENG-1") { success } }')
    assert linear('{ issue(id: "ENG-1") { trashed archivedAt } }')["issue"] == {"trashed": None, "archivedAt": None}


def test_a_batch_of_issues_is_made_and_changed_at_once(linear):
    issues = [{"teamId": ENG, "title": f"Part {n}"} for n in range(3)]
    query = (
        "mutation($i: [IssueCreateInput!]!) { issueBatchCreate(input: { issues: $i }) { issues { id identifier } } }"
    )
    made = linear(query, i=issues)["issueBatchCreate"]["issues"]
    assert [each["identifier"] for each in made] == ["ENG-5", "ENG-6", "ENG-7"]
    query = (
        "mutation($ids: [UUID!]!) { issueBatchUpdate(ids: $ids, input: { priority: 1 }) { issues { priorityLabel } } }"
    )
    changed = linear(query, ids=[each["id"] for each in made])["issueBatchUpdate"]["issues"]
    assert {each["priorityLabel"] for each in changed} == {"Urgent"}


def test_an_issue_is_found_by_its_branch(linear):
    branch = linear.issue("branchName")["branchName"]
    query = "query($b: String!) { issueVcsBranchSearch(branchName: $b) { identifier } }"
    assert linear(query, b=branch)["issueVcsBranchSearch"] == {"identifier": "ENG-5"}
    assert linear(query, b="john/eng-2-something-else")["issueVcsBranchSearch"] == {"identifier": "ENG-2"}
    assert linear(query, b="main")["issueVcsBranchSearch"] is None


def test_subscribing_and_unsubscribing(linear):
    query = 'mutation($u: String) { issue%s(id: "ENG-1", userId: $u) { issue { subscribers { nodes { id } } } } }'
    there = linear(query % "Subscribe", u=JOHN)["issueSubscribe"]["issue"]
    gone = linear(query % "Unsubscribe", u=JOHN)["issueUnsubscribe"]["issue"]
    assert (there["subscribers"]["nodes"], gone["subscribers"]["nodes"]) == ([{"id": JOHN}], [])


def test_a_template_fills_in_what_is_not_given(linear):
    data = {"title": "Inspect", "priority": 1, "description": "All joints"}
    template = linear.create("template", name="Inspection", type="issue", templateData=data)["id"]
    issue = linear.create("issue", "title priority description", teamId=ENG, templateId=template, title="Inspect arm")
    assert issue == {"title": "Inspect arm", "priority": 1, "description": "All joints"}


@pytest.mark.parametrize("clients", [8, 32])
def test_issues_made_at_the_same_time_have_numbers_without_gaps(linear, clients):
    with ThreadPoolExecutor(clients) as pool:
        made = list(pool.map(lambda n: linear.issue("number", title=f"Bolt {n}")["number"], range(clients)))
    assert sorted(made) == list(range(5, 5 + clients))


def test_a_refused_issue_leaves_no_gap(linear):
    linear.error(
        f'mutation {{ issueCreate(input: {{ teamId: "{ENG}", title: "x", stateId: "nothing" }}) {{ success }} }}'
    )
    taken = "c6e168e3-fed4-45d0-b03f-a1c1f89ee7ab"
    linear.error(f'mutation {{ issueCreate(input: {{ teamId: "{ENG}", title: "x", id: "{taken}" }}) {{ success }} }}')
    assert linear.issue("identifier")["identifier"] == "ENG-5"


def test_two_mutations_in_one_document_keep_the_first_when_the_second_fails(linear):
    query = """mutation {
        first: issueUpdate(id: "ENG-1", input: { title: "Kept" }) { success }
        second: issueUpdate(id: "ENG-99", input: { title: "Lost" }) { success } }"""
    assert linear.error(query)["path"] == ["second"]
    assert linear('{ issue(id: "ENG-1") { title } }')["issue"]["title"] == "Kept"


def test_an_issue_from_elsewhere_says_when_it_was_completed(linear):
    when = {"createdAt": "2024-01-01T00:00:00.000Z", "completedAt": "2024-02-01T00:00:00.000Z"}
    assert linear.issue("completedAt", stateId=DONE, **when)["completedAt"] == when["completedAt"]
    query = "mutation($i: IssueCreateInput!) { issueCreate(input: $i) { success } }"
    for wrong in ({"stateId": BACKLOG}, {"stateId": DONE, "completedAt": "2023-01-01T00:00:00.000Z"}):
        error = linear.error(query, i={"teamId": ENG, "title": "x", **when, **wrong})
        assert error["extensions"]["userPresentableMessage"].startswith("completedAt")
