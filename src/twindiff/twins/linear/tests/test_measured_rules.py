"""Rules of Linear's API that people measured: filters with null operands, relations, states, labels, uploads, lists.

Sources: https://github.com/brekkylab/backlot (filters), https://github.com/zhendalf/linear-sdk-cli (documents, uploads,
disabled users, milestones), https://github.com/coalesce-labs/catalyst (groups of labels); what is not told there was
written down by users of the API who tried it.
"""

from __future__ import annotations

from uuid import uuid4

import pytest

from twindiff.twins.linear.issues import comments
from twindiff.twins.linear.tests.conftest import BACKLOG, DONE, ENG, JOHN, SARAH, Linear

HIGH = {"title": "high", "priority": 1, "estimate": 3, "dueDate": "2026-03-15"}
LOW = {"title": "low", "priority": 4}


@pytest.fixture
def admin(workspace):
    """Sarah, who may do everything."""
    return workspace(user=SARAH)


@pytest.fixture(scope="module")
def found(platform):
    """The titles of two issues, one of them with labels a and z, that a filter finds."""
    environment = platform.environment("linear:linear_default", SARAH, tokens={f"lin_api_{SARAH}": SARAH})
    linear = Linear(environment, SARAH)
    team = linear.create("team", name="Few", key="FEW")["id"]
    labels = [linear.create("issueLabel", name=name, teamId=team)["id"] for name in ("a", "z")]
    for given in ({**HIGH, "labelIds": labels}, LOW):
        linear.create("issue", teamId=team, **given)

    def find(given: str) -> list[str]:
        both = f'{{ team: {{ key: {{ eq: "FEW" }} }} }}, {given}'
        query = f"{{ issues(filter: {{ and: [{both}] }}) {{ nodes {{ title }} }} }}"
        return sorted(each["title"] for each in linear(query)["issues"]["nodes"])

    return find


@pytest.mark.parametrize(
    ("given", "titles"),
    [
        ("{ title: { contains: null } }", ["high", "low"]),
        ("{ title: { in: null } }", ["high", "low"]),
        ("{ dueDate: { eq: null } }", []),
        ("{ estimate: { gte: null } }", []),
        ("{ dueDate: { null: null } }", ["low"]),
        ("{ priority: { null: null } }", []),
        ("{ assignee: { null: null } }", ["high", "low"]),
        ("{ labels: { some: { name: { contains: null } } } }", ["high"]),
        ("{ labels: { some: { name: { eq: null } } } }", []),
        ('{ labels: { some: { or: [{ or: [] }, { name: { eq: "z" } }] } } }', ["high"]),
        ('{ labels: { every: { or: [{ name: {} }, { name: { eq: "z" } }] } } }', ["high", "low"]),
    ],
)
def test_a_null_operand_is_a_condition(found, given, titles):
    assert found(given) == titles


@pytest.mark.parametrize(
    ("arguments", "constraints"),
    [
        ("first: 251", {"max": "first must not be greater than 250."}),
        ("first: 0", {"min": "first must not be less than 1."}),
        ('after: "x"', {"customValidation": "after is not a valid pagination cursor identifier."}),
    ],
)
def test_a_page_that_cannot_be_names_the_constraint(linear, arguments, constraints):
    (problem,) = linear.error(f"{{ issues({arguments}) {{ nodes {{ id }} }} }}")["extensions"]["validationErrors"]
    assert problem["constraints"] == constraints


def test_introspection_needs_no_key(workspace):
    strict = workspace(auth="strict")
    strict.key = ""
    assert strict("{ __schema { queryType { name } } }") == {"__schema": {"queryType": {"name": "Query"}}}
    assert strict.http(json={"query": "{ viewer { id } __schema { queryType { name } } }"}).status_code == 401


# Relations


def test_two_issues_have_one_relation(linear):
    linear.create("issueRelation", issueId="ENG-1", relatedIssueId="ENG-2", type="blocks")
    linear.create("issueRelation", issueId="ENG-2", relatedIssueId="ENG-1", type="blocks")
    seen = linear('{ issue(id: "ENG-1") { relations { nodes { type } } inverseRelations { nodes { type } } } }')[
        "issue"
    ]
    assert seen == {"relations": {"nodes": []}, "inverseRelations": {"nodes": [{"type": "blocks"}]}}


def test_a_relation_that_is_changed_replaces_another_one_of_the_same_issues(linear):
    linear.create("issueRelation", issueId="ENG-2", relatedIssueId="ENG-1", type="blocks")
    changed = linear.create("issueRelation", "id", issueId="ENG-1", relatedIssueId="ENG-3", type="related")["id"]
    update = (
        "mutation($id: String!, $i: IssueRelationUpdateInput!) { issueRelationUpdate(id: $id, input: $i) { success } }"
    )
    linear(update, id=changed, i={"relatedIssueId": "ENG-2"})
    seen = linear('{ issue(id: "ENG-2") { relations { nodes { type } } inverseRelations { nodes { type } } } }')
    assert seen["issue"] == {"relations": {"nodes": []}, "inverseRelations": {"nodes": [{"type": "related"}]}}


def test_a_duplicate_loses_its_other_relations(linear):
    linear.create("issueRelation", issueId="ENG-1", relatedIssueId="ENG-3", type="related")
    linear.create("issueRelation", issueId="ENG-1", relatedIssueId="ENG-2", type="duplicate")
    seen = linear('{ issue(id: "ENG-1") { relations { nodes { type } } } }')["issue"]["relations"]["nodes"]
    assert seen == [{"type": "duplicate"}]


def test_a_state_of_duplicates_is_entered_by_a_relation(admin):
    team = admin.create("team", "id states { nodes { id name type } }", name="New", key="NEW")
    states = {each["name"]: each["id"] for each in team["states"]["nodes"]}
    assert sorted(states) == ["Backlog", "Canceled", "Done", "Duplicate", "In Progress", "Todo"]
    create = "mutation($i: IssueCreateInput!) { issueCreate(input: $i) { success } }"
    given = {"teamId": team["id"], "title": "x", "stateId": states["Duplicate"]}
    assert admin.refusal(create, i=given) == "Cannot create an issue in a duplicate state."
    issue = admin.create("issue", teamId=team["id"], title="x")["id"]
    update = "mutation($id: String!, $i: IssueUpdateInput!) { issueUpdate(id: $id, input: $i) { success } }"
    assert "when a duplicate issue relation exists" in admin.refusal(update, id=issue, i={"stateId": given["stateId"]})
    admin.create("issueRelation", issueId=issue, relatedIssueId="ENG-1", type="duplicate")
    assert admin(f'{{ issue(id: "{issue}") {{ state {{ name }} }} }}')["issue"]["state"] == {"name": "Duplicate"}


def test_a_team_that_begins_triage_gets_its_state(admin):
    team = admin.create("team", "id triageIssueState { id }", name="New", key="NEW")
    assert team["triageIssueState"] is None
    after = admin.update("team", team["id"], "triageIssueState { type }", triageEnabled=True)
    assert after["triageIssueState"] == {"type": "triage"}


# Labels, documents, milestones, people, uploads


@pytest.mark.parametrize(
    ("kind", "given"), [("issue", {"teamId": ENG, "title": "x"}), ("project", {"teamIds": [ENG], "name": "x"})]
)
def test_one_label_of_a_group_goes_on_a_thing(admin, kind, given):
    label = f"{kind}Label"
    group = admin.create(label, name="Size", isGroup=True)["id"]
    labels = [admin.create(label, name=name, parentId=group)["id"] for name in ("S", "L")]
    named = kind.capitalize()
    query = f"mutation($i: {named}CreateInput!) {{ {kind}Create(input: $i) {{ success }} }}"
    error = admin.error(query, i={**given, "labelIds": labels})
    article = "an issue" if kind == "issue" else "a project"
    assert (error["message"], error["extensions"]["code"]) == ("labelIds not exclusive child labels", "INPUT_ERROR")
    assert error["extensions"]["userPresentableMessage"] == (
        f"The label 'L' is in the same group as 'S'. Only one label in a group can be applied to {article}."
    )


def test_a_document_has_one_place(linear):
    project = linear.create("project", name="p", teamIds=[ENG])["id"]
    document = linear.create("document", title="d", projectId=project)["id"]
    moved = linear.update("document", document, "project { id } issue { identifier }", issueId="ENG-1")
    assert moved == {"project": None, "issue": {"identifier": "ENG-1"}}


def test_a_milestone_has_a_percentage_and_a_project_a_share(linear):
    project = linear.create("project", name="p", teamIds=[ENG])["id"]
    milestone = linear.create("projectMilestone", name="m", projectId=project)["id"]
    for state in (DONE, BACKLOG):
        given = {"projectId": project, "projectMilestoneId": milestone, "stateId": state}
        linear.create("issue", teamId=ENG, title="t", **given)
    query = f'{{ project(id: "{project}") {{ progress projectMilestones {{ nodes {{ progress }} }} }} }}'
    assert linear(query)["project"] == {"progress": 0.5, "projectMilestones": {"nodes": [{"progress": 50.0}]}}


def test_suspended_people_are_listed_when_asked_for(admin):
    admin(f'mutation {{ userSuspend(id: "{JOHN}") {{ success }} }}')
    for owner in ("users", f'team(id: "{ENG}") {{ members', "organization { users"):
        closing = "}" if "{" in owner else ""
        plain, all_of_them = (
            str(admin(f"{{ {owner}{arguments} {{ nodes {{ id }} }} {closing} }}"))
            for arguments in ("", "(includeDisabled: true)")
        )
        assert JOHN not in plain
        assert JOHN in all_of_them


@pytest.mark.parametrize(("kind", "refused"), [("text/plain", True), ("image/svg+xml", True), ("image/png", False)])
def test_only_pictures_are_uploaded_for_everybody(linear, kind, refused):
    query = f'''mutation {{ fileUpload(contentType: "{kind}", filename: "a", size: 3, makePublic: true)
        {{ uploadFile {{ assetUrl }} }} }}'''
    if refused:
        assert linear.refusal(query) == "Public uploads are only supported for images (excluding SVG)"
    else:
        assert linear(query)["fileUpload"]["uploadFile"]["assetUrl"].startswith("https://public.linear.app/")


def test_a_label_that_exists_is_named_with_its_place(linear):
    linear.create("issueLabel", name="release", teamId=ENG)
    query = "mutation($i: IssueLabelCreateInput!) { issueLabelCreate(input: $i) { success } }"
    assert linear.refusal(query, i={"name": "Release", "teamId": ENG}) == (
        'Label "Release" already exists in team Engineering.'
    )
    linear.create("issueLabel", name="size")
    assert linear.refusal(query, i={"name": "Size"}) == 'Label "Size" already exists in the workspace.'


def test_a_branch_is_named_for_who_asks_and_by_the_present_title(linear):
    linear.update("issue", "ENG-1", title="Come in!")
    for user, handle in ((SARAH, "sarah"), (JOHN, "john")):
        branch = linear.as_user(user)('{ issue(id: "ENG-1") { branchName } }')["issue"]["branchName"]
        assert branch == f"{handle}/eng-1-come-in"


@pytest.mark.parametrize(
    ("title", "address", "branch"),
    [
        ("Come in!", "come-in", "come-in"),
        ("F3.1 — Causal driver's identification", "f31-causal-drivers-identification", ...),
        ("Edit lead status (cold/hot/paid): é [EC-Z9]", "edit-lead-status-coldhotpaid-e-ec-z9", ...),
        (
            "Refactor extractSessionData to avoid triple-parsing Gemini transcripts",
            "refactor-extractsessiondata-to-avoid-triple-parsing-gemini-transcripts",
            "refactor-extractsessiondata-to-avoid-triple-parsing-gemini",
        ),
        ("x" * 80, "x" * 70, "x" * 60),
        ("日本", "", ""),
    ],
)
def test_a_title_is_cut_after_a_word_in_addresses_and_branches(linear, title, address, branch):
    issue = linear.issue("url branchName", title=title)
    assert issue["url"] == f"https://linear.app/test-org/issue/ENG-5/{address}".rstrip("/")
    assert issue["branchName"] == f"agent/eng-5-{address if branch is ... else branch}".rstrip("-")


def test_an_issue_has_a_limit_of_comments(linear, monkeypatch):
    monkeypatch.setattr(comments, "MAX_ISSUE_COMMENTS", 1)
    issue = linear.issue()["id"]
    deleted = linear.create("comment", issueId=issue, body="0")["id"]
    linear(f'mutation {{ commentDelete(id: "{deleted}") {{ success }} }}')
    linear.create("comment", issueId=issue, body="1")
    query = 'mutation { commentCreate(input: { issueId: "ENG-5", body: "2" }) { success } }'
    error = linear.error(query)
    assert error["message"].startswith("An issue can have a maximum of 1 comments.")
    extensions = error["extensions"]
    assert (extensions["code"], extensions["meta"]) == ("QUOTA_EXCEEDED", {"quota": "max-comments-per-issue"})


def test_a_batch_that_is_too_long_names_the_constraint(linear):
    query = "mutation($i: [UUID!]!) { issueBatchUpdate(ids: $i, input: { priority: 1 }) { success } }"
    assert linear.refusal(query, i=[str(uuid4())] * 51) == "ids must contain no more than 50 elements."
