"""What happens by itself, and roadmaps.

https://linear.app/docs/github · https://linear.app/docs/triage · https://linear.app/docs/integrations
"""

from __future__ import annotations

from .conftest import AGENT, ENG, IN_PROGRESS, JOHN, PROD, SARAH

TURN = "id action currentUser { id } manualSelection { userIds assignmentIndex } timeSchedule { name }"


def test_a_team_says_where_its_issues_go_when_git_moves_on(linear):
    linear.create("gitAutomationState", teamId=ENG, event="start", stateId=IN_PROGRESS)
    branch = {"teamId": ENG, "branchPattern": "release/.*", "isRegex": True}
    query = """mutation($i: GitAutomationTargetBranchCreateInput!) {
        gitAutomationTargetBranchCreate(input: $i) { targetBranch { id isRegex } } }"""
    target = linear(query, i=branch)["gitAutomationTargetBranchCreate"]["targetBranch"]
    linear.create("gitAutomationState", teamId=ENG, event="start", targetBranchId=target["id"])
    seen = linear(f"""{{ team(id: "{ENG}") {{
        gitAutomationStates {{ nodes {{ event state {{ name }} targetBranch {{ branchPattern isRegex }} }} }} }} }}""")
    nodes = sorted(seen["team"]["gitAutomationStates"]["nodes"], key=str)
    assert nodes == [
        {"event": "start", "state": None, "targetBranch": {"branchPattern": "release/.*", "isRegex": True}},
        {"event": "start", "state": {"name": "In Progress"}, "targetBranch": None},
    ]


def test_a_team_has_one_automation_for_an_event_with_a_state_of_its_own(linear):
    query = "mutation($i: GitAutomationStateCreateInput!) { gitAutomationStateCreate(input: $i) { success } }"
    assert (
        "another team"
        in linear.error(query, i={"teamId": PROD, "event": "start", "stateId": IN_PROGRESS})["extensions"][
            "userPresentableMessage"
        ]
    )
    linear.create("gitAutomationState", teamId=ENG, event="start")
    assert "already" in linear.refusal(query, i={"teamId": ENG, "event": "start"})


def test_whose_turn_it_is_in_triage_is_said_by_hand(linear):
    people = {"userIds": [JOHN, SARAH], "assignmentIndex": 1}
    made = linear.create("triageResponsibility", TURN, teamId=ENG, action="assign", manualSelection=people)
    assert (made["currentUser"], made["manualSelection"]) == ({"id": SARAH}, people)
    seen = linear(f'{{ team(id: "{ENG}") {{ triageResponsibility {{ id }} }} }}')["team"]
    assert seen == {"triageResponsibility": {"id": made["id"]}}


def test_whose_turn_it_is_in_triage_is_said_by_a_schedule(workspace):
    linear = workspace(clock={"mode": "frozen", "start": "2030-01-02T12:00:00Z"})
    days = [
        ("2030-01-01T00:00:00Z", "2030-01-02T00:00:00Z", JOHN),
        ("2030-01-02T00:00:00Z", "2030-01-03T00:00:00Z", AGENT),
    ]
    entries = [{"startsAt": starts, "endsAt": ends, "userId": user} for starts, ends, user in days]
    schedule = linear.create("timeSchedule", name="Rota", entries=entries)["id"]
    made = linear.create("triageResponsibility", TURN, teamId=ENG, action="notify", timeScheduleId=schedule)
    assert (made["currentUser"], made["timeSchedule"]) == ({"id": AGENT}, {"name": "Rota"})
    by_hand = linear.update("triageResponsibility", made["id"], TURN, manualSelection={"userIds": [JOHN]})
    assert (by_hand["currentUser"], by_hand["timeSchedule"]) == ({"id": JOHN}, None)


def test_triage_needs_somebody_and_an_action_that_there_is(linear):
    query = "mutation($i: TriageResponsibilityCreateInput!) { triageResponsibilityCreate(input: $i) { success } }"
    assert "name people" in linear.refusal(query, i={"teamId": ENG, "action": "assign"})
    nobody = {"teamId": ENG, "action": "dance", "manualSelection": {"userIds": [JOHN]}}
    assert "assign and notify" in linear.refusal(query, i=nobody)


def test_integrations_that_a_template_brings_are_listed_used_and_removed(workspace_with):
    stamp = {"createdAt": "2029-01-01T00:00:00", "updatedAt": "2029-01-01T00:00:00"}
    place = {"organizationId": "ff0060be-ecfb-4d3e-b6a5-5a5a1f2ab6a1", "creatorId": AGENT, "teamId": ENG}
    linear = workspace_with(integrations=[{"id": "github-1", "service": "github", **place, **stamp}])
    assert linear("{ integrations { nodes { service creator { id } } } }")["integrations"]["nodes"] == [
        {"service": "github", "creator": {"id": AGENT}}
    ]
    template = linear.create("template", name="Fault", type="issue", templateData={"title": "Fault"})["id"]
    made = linear.create("integrationTemplate", "integration { id }", integrationId="github-1", templateId=template)
    assert made == {"integration": {"id": "github-1"}}
    linear('mutation { integrationDelete(id: "github-1") { success } }')
    assert linear("{ integrations { nodes { id } } }")["integrations"]["nodes"] == []


def test_a_team_s_settings_for_integrations_are_kept_once(linear):
    settings = linear.create("integrationsSettings", "id slackIssueCreated", teamId=ENG, slackIssueCreated=True)
    linear.update("integrationsSettings", settings["id"], slackIssueCreated=False)
    query = f'{{ team(id: "{ENG}") {{ integrationsSettings {{ id slackIssueCreated }} }} }}'
    assert linear(query)["team"]["integrationsSettings"] == {**settings, "slackIssueCreated": False}
    again = "mutation($i: IntegrationsSettingsCreateInput!) { integrationsSettingsCreate(input: $i) { success } }"
    assert "already" in linear.refusal(again, i={"teamId": ENG})


def test_a_roadmap_has_projects_once(linear):
    """https://linear.app/docs/initiatives"""
    roadmap = linear.create("roadmap", "id owner { id }", name="Next year")
    assert roadmap["owner"] == {"id": AGENT}
    project = linear.create("project", name="Walker", teamIds=[ENG])["id"]
    linear.create("roadmapToProject", roadmapId=roadmap["id"], projectId=project)
    seen = linear(f'{{ roadmap(id: "{roadmap["id"]}") {{ projects {{ nodes {{ name }} }} }} }}')["roadmap"]
    assert seen["projects"]["nodes"] == [{"name": "Walker"}]
    query = "mutation($i: RoadmapToProjectCreateInput!) { roadmapToProjectCreate(input: $i) { success } }"
    assert (
        "already"
        in linear.error(query, i={"roadmapId": roadmap["id"], "projectId": project})["extensions"][
            "userPresentableMessage"
        ]
    )
