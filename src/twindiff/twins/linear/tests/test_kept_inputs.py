"""What inputs say that other things show, and what is refused rather than dropped.

https://linear.app/developers/graphql
"""

from __future__ import annotations

import pytest

from .conftest import AGENT, ENG, SARAH

NOON, LATER = "2030-01-01T12:00:00.000Z", "2030-01-14T12:00:00.000Z"


def test_a_cycle_and_a_release_show_their_links(linear):
    cycle = linear.create("cycle", teamId=ENG, startsAt=NOON, endsAt=LATER)["id"]
    pipeline = linear.create("releasePipeline", name="Robots")["id"]
    release = linear.create("release", name="1.0", pipelineId=pipeline)["id"]
    for place, key in (("cycle", cycle), ("release", release)):
        linear.create("entityExternalLink", url="https://example.com", label=place, **{f"{place}Id": key})
        query = f'{{ {place}(id: "{key}") {{ links {{ nodes {{ label }} }} }} }}'
        assert linear(query)[place]["links"]["nodes"] == [{"label": place}]


def test_a_project_begins_with_what_its_template_says(linear):
    """https://linear.app/docs/project-templates"""
    data = {"description": "Two legs", "priority": 2}
    template = linear.create("template", name="Walker", type="project", templateData=data, teamId=ENG)["id"]
    linear.update("team", ENG, defaultProjectTemplateId=template)
    fields = "description priority lastAppliedTemplate { id }"
    for which in ({"templateId": template}, {"useDefaultTemplate": True}):
        made = linear.create("project", fields, name="Climber", teamIds=[ENG], **which)
        assert made == {**data, "lastAppliedTemplate": {"id": template}}
    assert linear.create("project", "description", name="Plain", teamIds=[ENG])["description"] == ""


def test_an_issue_begins_with_its_team_s_default_template_where_that_is_asked_for(linear):
    """https://linear.app/docs/issue-templates"""
    data = {"title": "Fault", "description": "What broke?"}
    template = linear.create("template", name="Fault", type="issue", templateData=data, teamId=ENG)["id"]
    linear.update("team", ENG, defaultTemplateForMembersId=template)
    assert linear.issue("description", useDefaultTemplate=True)["description"] == "What broke?"
    assert linear.issue("description")["description"] is None


@pytest.mark.parametrize("handling", ["retire", "unnest"])
def test_a_retired_team_says_what_becomes_of_those_below_it(linear, handling):
    """https://linear.app/docs/sub-teams"""
    below = linear.create("team", name="Night shift", parentId=ENG)["id"]
    linear.update("team", ENG, retiredAt=NOON, handleSubTeamsOnRetirement=handling)
    seen = linear(f'{{ team(id: "{below}") {{ retiredAt parent {{ id }} }} }}')["team"]
    assert (bool(seen["retiredAt"]), seen["parent"]) == ((True, {"id": ENG}) if handling == "retire" else (False, None))


def test_a_document_shows_its_subscribers(linear):
    made = linear.create("document", "id", title="Oil", issueId="ENG-1", subscriberIds=[SARAH, AGENT])
    query = f'{{ document(id: "{made["id"]}") {{ subscribers {{ nodes {{ id }} }} }} }}'
    assert {each["id"] for each in linear(query)["document"]["subscribers"]["nodes"]} == {AGENT, SARAH}


def test_the_text_of_a_need_is_given_once(linear):
    """https://linear.app/docs/customer-requests"""
    query = "mutation($i: CustomerNeedCreateInput!) { customerNeedCreate(input: $i) { success } }"
    both = {"issueId": "ENG-1", "body": "x", "bodyData": {"type": "doc", "content": []}}
    assert "not both" in linear.refusal(query, i=both)


def test_a_customer_that_nobody_knows_elsewhere_is_refused(linear):
    """https://linear.app/docs/customer-requests"""
    query = "mutation($i: CustomerNeedCreateInput!) { customerNeedCreate(input: $i) { success } }"
    given = {"issueId": "ENG-1", "customerExternalId": "crm-9"}
    assert "no customer is known" in linear.refusal(query, i=given)


def test_a_link_that_says_who_it_is_by_is_refused(linear):
    """https://linear.app/developers/oauth-actor-authorization"""
    query = """mutation { attachmentLinkURL(issueId: "ENG-1", url: "https://example.com", createAsUser: "Ada") {
        success } }"""
    assert "acts as an app" in linear.refusal(query)
