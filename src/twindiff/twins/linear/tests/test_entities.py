"""Comments, labels, projects, cycles, teams and the rest, over HTTP."""

from __future__ import annotations

import pytest

from .conftest import AGENT, BACKLOG, ENG, JOHN, PROD, SARAH, UNSTARTED, UX


def test_a_reply_joins_its_thread(linear):
    first = linear.create("comment", issueId="ENG-1", body="First")["id"]
    second = linear.create(
        "comment", "id parent { id } issue { identifier }", issueId="ENG-1", parentId=first, body="Second"
    )
    assert second["issue"] == {"identifier": "ENG-1"}
    assert second["parent"] == {"id": first}
    query = "mutation($i: CommentCreateInput!) { commentCreate(input: $i) { success } }"
    below = linear.error(query, i={"issueId": "ENG-1", "parentId": second["id"], "body": "Third"})
    assert below["message"] == "incorrect parent"
    assert below["extensions"]["userPresentableMessage"] == "Parent comment must be a top level comment."


def test_a_thread_is_resolved_and_opened_again(linear):
    thread = linear.create("comment", issueId="ENG-1", body="Done?")["id"]
    fields = "comment { resolvedAt resolvingUser { id } }"
    done = linear(f'mutation {{ commentResolve(id: "{thread}") {{ {fields} }} }}')["commentResolve"]["comment"]
    again = linear(f'mutation {{ commentUnresolve(id: "{thread}") {{ {fields} }} }}')["commentUnresolve"]["comment"]
    assert done["resolvingUser"] == {"id": AGENT}
    assert again == {"resolvedAt": None, "resolvingUser": None}


def test_an_edited_comment_says_when(linear):
    comment = linear.create("comment", "id editedAt", issueId="ENG-1", body="Frist")
    assert comment["editedAt"] is None
    assert linear.update("comment", comment["id"], "editedAt", body="First")["editedAt"]


def test_each_person_reacts_once_with_an_emoji(linear):
    first = linear.create("reaction", issueId="ENG-1", emoji="eyes")
    assert linear.create("reaction", issueId="ENG-1", emoji="eyes") == first
    seen = linear('{ issue(id: "ENG-1") { reactions { emoji user { id } } reactionData } }')["issue"]
    assert seen["reactions"] == [{"emoji": "eyes", "user": {"id": AGENT}}]
    assert seen["reactionData"] == {"eyes": [AGENT]}


def test_an_address_is_attached_to_an_issue_once(linear):
    first = linear.create("attachment", "id title", issueId="ENG-1", url="https://a.example/1", title="Plan")
    again = linear.create("attachment", "id title", issueId="ENG-1", url="https://a.example/1", title="Better plan")
    assert again == {"id": first["id"], "title": "Better plan"}
    query = '{ attachmentsForURL(url: "https://a.example/1") { nodes { issue { identifier } } } }'
    assert linear(query)["attachmentsForURL"]["nodes"] == [{"issue": {"identifier": "ENG-1"}}]


def test_a_linked_address_says_where_it_comes_from(linear):
    query = """mutation { attachmentLinkURL(issueId: "ENG-1", url: "https://github.com/a/b/pull/7") {
        attachment { sourceType title } } }"""
    made = linear(query)["attachmentLinkURL"]["attachment"]
    assert made == {"sourceType": "github", "title": "https://github.com/a/b/pull/7"}
    for name in ("attachmentLinkURL", "attachmentLinkGitHubPR"):
        again = f'mutation {{ {name}(issueId: "ENG-1", url: "https://github.com/a/b/pull/7") {{ success }} }}'
        assert linear.error(again)["message"] == "Duplicate attachment for duplicate url"


def test_one_label_of_a_group_goes_on_an_issue(linear):
    group = linear.create("issueLabel", name="Size", isGroup=True)["id"]
    small, large = (linear.create("issueLabel", name=name, parentId=group)["id"] for name in ("S", "L"))
    linear.update("issue", "ENG-1", labelIds=[small])
    query = 'mutation($l: [String!]) { issueUpdate(id: "ENG-1", input: { labelIds: $l }) { success } }'
    assert "Only one label in a group" in linear.refusal(query, l=[small, large])
    assert "is a group" in linear.refusal(query, l=[group])


def test_a_label_s_name_is_used_once(linear):
    query = 'mutation { issueLabelCreate(input: { name: "ux" }) { success } }'
    assert "already" in linear.refusal(query)


def test_a_project_takes_its_state_from_its_status(linear):
    project = linear.create("project", "id state status { type } startedAt", name="Walker", teamIds=[ENG])
    assert (project["state"], project["status"]) == ("backlog", {"type": "backlog"})
    statuses = linear("{ projectStatuses { nodes { id type } } }")["projectStatuses"]["nodes"]
    started = next(each["id"] for each in statuses if each["type"] == "started")
    moved = linear.update("project", project["id"], "state startedAt", statusId=started)
    assert moved["state"] == "started"
    assert moved["startedAt"]


def test_a_project_s_progress_is_the_share_of_its_issues_that_are_done(linear):
    project = linear.create("project", name="Walker", teamIds=[ENG])["id"]
    for key, state in (("ENG-1", "4334c4ee-405c-4d2c-bf25-4dcb7a8c0512"), ("ENG-2", UNSTARTED)):
        linear.update("issue", key, projectId=project, stateId=state)
    assert linear(f'{{ project(id: "{project}") {{ progress }} }}')["project"]["progress"] == 0.5


def test_a_milestone_belongs_to_the_issue_s_project(linear):
    first, second = (linear.create("project", name=name, teamIds=[ENG])["id"] for name in ("A", "B"))
    milestone = linear.create("projectMilestone", name="Half", projectId=first)["id"]
    issue = linear.issue("id project { id }", projectMilestoneId=milestone)
    assert issue["project"] == {"id": first}
    query = "mutation($i: IssueCreateInput!) { issueCreate(input: $i) { success } }"
    wrong = {"teamId": ENG, "title": "x", "projectId": second, "projectMilestoneId": milestone}
    assert "another project" in linear.refusal(query, i=wrong)


def test_an_update_sets_a_project_s_health(linear):
    project = linear.create("project", name="Walker", teamIds=[ENG])["id"]
    linear.create("projectUpdate", projectId=project, body="Slow", health="atRisk")
    seen = linear(f'{{ project(id: "{project}") {{ health lastUpdate {{ body }} }} }}')["project"]
    assert seen == {"health": "atRisk", "lastUpdate": {"body": "Slow"}}


def test_a_project_is_in_an_initiative(linear):
    project = linear.create("project", name="Walker", teamIds=[ENG])["id"]
    initiative = linear.create("initiative", name="Walking")["id"]
    linear.create("initiativeToProject", projectId=project, initiativeId=initiative)
    seen = linear(f'{{ initiative(id: "{initiative}") {{ projects {{ nodes {{ name }} }} }} }}')["initiative"]
    assert seen["projects"]["nodes"] == [{"name": "Walker"}]


def test_a_document_is_found_by_the_end_of_its_address(linear):
    project = linear.create("project", name="Walker", teamIds=[ENG])["id"]
    made = linear.create("document", "id slugId url", title="How to", content="# Steps", projectId=project)
    document = linear(f'{{ document(id: "{made["slugId"]}") {{ id content }} }}')["document"]
    assert document == {"id": made["id"], "content": "# Steps"}
    assert made["url"].endswith(made["slugId"])


def test_cycles_of_a_team_are_numbered_and_do_not_overlap(linear):
    linear.create("cycle", teamId=ENG, startsAt="2020-01-01T00:00:00Z", endsAt="2020-01-15T00:00:00Z")
    linear.create("cycle", teamId=ENG, startsAt="2090-01-01T00:00:00Z", endsAt="2090-01-15T00:00:00Z")
    current = linear.create(
        "cycle", "number isActive", teamId=ENG, startsAt="2021-01-01T00:00:00Z", endsAt="2080-01-01T00:00:00Z"
    )
    assert current == {"number": 3, "isActive": True}
    query = """{ past: cycles(filter: { isPast: { eq: true } }) { nodes { number } }
        next: cycles(filter: { isNext: { eq: true } }) { nodes { number } }
        team(id: "ENG") { activeCycle { number } } }"""
    seen = linear(query)
    assert seen["past"]["nodes"] == [{"number": 1}]
    assert seen["next"]["nodes"] == [{"number": 2}]
    assert seen["team"]["activeCycle"] == {"number": 3}
    query = f"""mutation {{ cycleCreate(input: {{ teamId: "{ENG}", startsAt: "2079-01-01T00:00:00Z",
        endsAt: "2079-02-01T00:00:00Z" }}) {{ success }} }}"""
    assert "overlaps" in linear.refusal(query)


def test_a_team_s_key_is_made_of_its_name(linear):
    assert linear.create("team", "key", name="Site reliability")["key"] == "SITER"
    assert linear.create("team", "key", name="Site relic")["key"] == "SITER2"
    query = 'mutation { teamCreate(input: { name: "Again", key: "ENG" }) { success } }'
    assert "in use" in linear.refusal(query)


def test_members_come_and_go(linear):
    membership = linear.create("teamMembership", teamId=PROD, userId=JOHN)["id"]
    query = f'{{ team(id: "{PROD}") {{ members {{ nodes {{ id }} }} }} }}'
    assert linear(query)["team"]["members"]["nodes"] == [{"id": JOHN}]
    linear(f'mutation {{ teamMembershipDelete(id: "{membership}") {{ success }} }}')
    assert linear(query)["team"]["members"]["nodes"] == []


def test_a_state_with_issues_cannot_be_archived(linear):
    query = f'mutation {{ workflowStateArchive(id: "{BACKLOG}") {{ success }} }}'
    assert "has issues" in linear.refusal(query)


def test_a_custom_view_shows_what_its_filter_means(linear):
    view = linear.create("customView", name="Mine", filterData={"assignee": {"isMe": {"eq": True}}})["id"]
    seen = linear(f'{{ customView(id: "{view}") {{ modelName issues {{ nodes {{ identifier }} }} }} }}')["customView"]
    assert seen == {"modelName": "Issue", "issues": {"nodes": [{"identifier": "ENG-4"}]}}


def test_notifications_are_read_and_archived(linear):
    linear.issue(assigneeId=JOHN)
    john = linear.as_user(JOHN)
    (told,) = john("{ notifications { nodes { id readAt ... on IssueNotification { issue { title } } } } }")[
        "notifications"
    ]["nodes"]
    assert told["issue"]["title"] == "Oil the left gripper"
    query = """mutation($id: String!, $at: DateTime!) {
        notificationMarkReadAll(input: { id: $id }, readAt: $at) { success } }"""
    john(query, id=told["id"], at="2030-01-01T00:00:00.000Z")
    john(f'mutation {{ notificationArchive(id: "{told["id"]}") {{ success }} }}')
    assert john("{ notifications { nodes { id } } }")["notifications"]["nodes"] == []
    seen = john("{ notifications(includeArchived: true) { nodes { readAt } } }")["notifications"]["nodes"]
    assert seen == [{"readAt": "2030-01-01T00:00:00.000Z"}]


def test_search_asks_for_every_word(linear):
    query = "query($t: String!) { searchIssues(term: $t, includeComments: true) { totalCount nodes { identifier } } }"
    assert linear(query, t="CONTROLLER cell")["searchIssues"]["nodes"] == [{"identifier": "ENG-3"}]
    assert linear(query, t="controller dashboard")["searchIssues"]["totalCount"] == 0
    assert linear(query, t="two windows")["searchIssues"]["nodes"] == [{"identifier": "ENG-1"}]
    assert linear(query, t="eng-2")["searchIssues"]["nodes"] == [{"identifier": "ENG-2"}]


def test_issues_are_filtered_by_how_they_are_related(linear):
    linear.create("issueRelation", issueId="ENG-1", relatedIssueId="ENG-2", type="blocks")
    query = "query($f: IssueFilter) { issues(filter: $f) { nodes { identifier } } }"
    blocking = linear(query, f={"hasBlockingRelations": {"eq": True}})["issues"]["nodes"]
    blocked = linear(query, f={"hasBlockedByRelations": {"eq": True}})["issues"]["nodes"]
    assert (blocking, blocked) == ([{"identifier": "ENG-1"}], [{"identifier": "ENG-2"}])


def test_issues_are_filtered_by_relative_times(linear):
    linear.issue(title="Fresh")
    query = "query($f: IssueFilter) { issues(filter: $f) { nodes { title } } }"
    fresh = linear(query, f={"createdAt": {"gt": "-P1D"}})["issues"]["nodes"]
    assert fresh == [{"title": "Fresh"}]


def test_people_are_filtered_by_being_oneself(linear):
    query = "{ users(filter: { isMe: { eq: true } }) { nodes { id isMe } } }"
    assert linear(query)["users"]["nodes"] == [{"id": AGENT, "isMe": True}]


def test_people_who_were_suspended_are_left_out(linear):
    linear.as_user(SARAH)(f'mutation {{ userSuspend(id: "{JOHN}") {{ success }} }}')
    assert len(linear("{ users { nodes { id } } }")["users"]["nodes"]) == 2
    assert len(linear("{ users(includeDisabled: true) { nodes { id } } }")["users"]["nodes"]) == 3


def test_a_webhook_needs_a_team_and_known_kinds(linear):
    made = linear.create("webhook", "enabled secret", url="https://a.example", resourceTypes=["Issue"], teamId=ENG)
    assert made["enabled"] is True
    assert made["secret"]
    query = """mutation { webhookCreate(input: { url: "https://a.example", resourceTypes: ["Weather"],
        allPublicTeams: true }) { success } }"""
    assert "Weather" in linear.refusal(query)


def test_a_customer_s_need_counts_on_the_issue(linear):
    customer = linear.create("customer", name="Acme")["id"]
    query = "mutation($i: CustomerNeedCreateInput!) { customerNeedCreate(input: $i) { need { customer { name } } } }"
    need = linear(query, i={"customerId": customer, "issueId": "ENG-1", "body": "Soon"})["customerNeedCreate"]["need"]
    assert need == {"customer": {"name": "Acme"}}
    assert linear('{ issue(id: "ENG-1") { customerTicketCount } }')["issue"]["customerTicketCount"] == 1


def test_a_favorite_is_seen_on_its_issue(linear):
    favorite = linear.create("favorite", "id type title", issueId="ENG-1")
    assert (favorite["type"], favorite["title"]) == ("issue", "Sign-in loops back to the start page")
    assert linear('{ issue(id: "ENG-1") { favorite { id } } }')["issue"]["favorite"] == {"id": favorite["id"]}


def test_an_upload_gets_an_address(linear):
    query = """mutation { fileUpload(contentType: "image/png", filename: "a b.png", size: 9) {
        uploadFile { assetUrl uploadUrl } } }"""
    assert linear(query)["fileUpload"]["uploadFile"]["assetUrl"].endswith("/a%20b.png")


def test_the_priorities_have_names(linear):
    values = linear("{ issuePriorityValues { priority label } }")["issuePriorityValues"]
    assert [each["label"] for each in values] == ["No priority", "Urgent", "High", "Medium", "Low"]


@pytest.mark.parametrize("template", ["linear_default", "linear_workspace"])
def test_introspection_answers(workspace, template):
    linear = workspace(template, tokens={f"lin_api_{AGENT}": AGENT})
    names = [each["name"] for each in linear("{ __schema { types { name } } }")["__schema"]["types"]]
    assert {"Issue", "IssueFilter", "IssueCreateInput", "IssueSearchPayload"} <= set(names)


def test_a_label_of_another_team_is_refused(linear):
    label = linear.create("issueLabel", name="Roadmap", teamId=PROD)["id"]
    query = 'mutation($l: [String!]) { issueUpdate(id: "ENG-1", input: { labelIds: $l }) { success } }'
    assert "another team" in linear.refusal(query, l=[UX, label])


def test_issues_are_filtered_by_what_customers_need(linear):
    customer = linear.create("customer", name="Acme")["id"]
    for body in ("Soon", "Sooner"):
        need = {"issueId": "ENG-2", "customerId": customer, "body": body, "priority": 1}
        linear("mutation($i: CustomerNeedCreateInput!) { customerNeedCreate(input: $i) { success } }", i=need)
    query = "query($f: IssueFilter) { issues(filter: $f) { nodes { identifier } } }"
    for given in ({"customerCount": {"eq": 1}}, {"customerImportantCount": {"eq": 1}}):
        assert linear(query, f=given)["issues"]["nodes"] == [{"identifier": "ENG-2"}]


def test_what_there_is_none_of_matches_nothing(linear):
    query = "query($f: IssueFilter) { issues(filter: $f) { nodes { identifier } } }"
    assert linear(query, f={"sharedWith": {"some": {"isMe": {"eq": True}}}})["issues"]["nodes"] == []
    assert len(linear(query, f={"sharedWith": {"length": {"eq": 0}}})["issues"]["nodes"]) == 4


def test_issues_are_filtered_by_age(linear):
    linear.issue(title="Fresh")
    query = "query($f: IssueFilter) { issues(filter: $f) { nodes { title } } }"
    assert linear(query, f={"ageTime": {"lt": "P1D"}})["issues"]["nodes"] == [{"title": "Fresh"}]
    assert len(linear(query, f={"ageTime": {"gt": "P1D"}})["issues"]["nodes"]) == 4


def test_initiatives_are_filtered_by_the_teams_of_their_projects(linear):
    project = linear.create("project", name="Walker", teamIds=[ENG])["id"]
    initiative = linear.create("initiative", name="Walking")["id"]
    linear.create("initiativeToProject", projectId=project, initiativeId=initiative)
    query = "query($k: String) { initiatives(filter: { teams: { some: { key: { eq: $k } } } }) { nodes { name } } }"
    assert linear(query, k="ENG")["initiatives"]["nodes"] == [{"name": "Walking"}]
    assert linear(query, k="PROD")["initiatives"]["nodes"] == []


def test_issues_are_sorted_by_hand_and_by_workflow(linear):
    query = "query($s: [IssueSortInput!]) { issues(sort: $s) { nodes { state { position } } } }"
    nodes = linear(query, s=[{"workflowState": {"order": "Descending"}}])["issues"]["nodes"]
    assert [each["state"]["position"] for each in nodes] == [3, 2, 2, 1]


def test_archiving_and_coming_back_are_in_the_history(linear):
    linear('mutation { issueArchive(id: "ENG-1") { success } }')
    linear('mutation { issueUnarchive(id: "ENG-1") { success } }')
    seen = linear('{ issue(id: "ENG-1") { history { nodes { archived } } } }')["issue"]["history"]["nodes"]
    assert [each["archived"] for each in seen] == [False, True]


def test_an_issue_is_deleted_for_good_by_an_admin_only(linear):
    query = 'mutation { issueDelete(id: "ENG-1", permanentlyDelete: true) { success } }'
    assert linear.error(query)["message"] == "Invalid role: admin required"
    linear.as_user(SARAH)(query)
    assert linear.error('{ issue(id: "ENG-1") { id } }')["message"] == "Entity not found: Issue"


def test_the_old_search_still_finds_issues(linear):
    query = '{ issueSearch(query: "controller", filter: { priority: { eq: 1 } }) { nodes { identifier } } }'
    assert linear(query)["issueSearch"]["nodes"] == [{"identifier": "ENG-3"}]


def test_deleted_teams_are_listed_by_themselves(linear):
    team = linear.create("team", name="Legal")["id"]
    linear(f'mutation {{ teamDelete(id: "{team}") {{ success }} }}')
    assert linear("{ archivedTeams { name } }")["archivedTeams"] == [{"name": "Legal"}]
    assert "Legal" not in str(linear("{ teams { nodes { name } } }"))


def test_a_team_s_cycles_are_deleted_together(linear):
    cycle = linear.create("cycle", teamId=ENG, startsAt="2030-01-01T00:00:00Z", endsAt="2030-01-15T00:00:00Z")["id"]
    linear.update("issue", "ENG-1", cycleId=cycle)
    linear(f'mutation {{ teamCyclesDelete(id: "{ENG}") {{ success }} }}')
    assert linear("{ cycles { nodes { id } } }")["cycles"]["nodes"] == []
    assert linear('{ issue(id: "ENG-1") { cycle { id } } }')["issue"]["cycle"] is None


def test_two_customers_are_merged(linear):
    first, second = (linear.create("customer", name=name, domains=[f"{name}.com"])["id"] for name in ("acme", "zen"))
    linear(f"""mutation {{ customerNeedCreate(input: {{ customerId: "{first}", issueId: "ENG-1", body: "x" }})
        {{ success }} }}""")
    query = """mutation($a: String!, $b: String!) {
        customerMerge(sourceCustomerId: $a, targetCustomerId: $b) { customer { domains } } }"""
    assert linear(query, a=first, b=second)["customerMerge"]["customer"]["domains"] == ["zen.com", "acme.com"]
    (need,) = linear("{ customerNeeds { nodes { customer { name } } } }")["customerNeeds"]["nodes"]
    assert need["customer"] == {"name": "zen"}
