"""What follows from elsewhere and is shown as if it were a field of its own."""

from __future__ import annotations

from .conftest import ENG


def test_a_need_is_one_of_its_issue_s_project_and_goes_with_it(linear):
    """https://linear.app/docs/customer-requests"""
    walker, climber = (linear.create("project", name=name, teamIds=[ENG])["id"] for name in ("Walker", "Climber"))
    issue = linear.issue(projectId=walker)["id"]
    query = """mutation($i: CustomerNeedCreateInput!) {
        customerNeedCreate(input: $i) { need { id content project { name } } } }"""
    need = linear(query, i={"issueId": issue, "body": "Faster"})["customerNeedCreate"]["need"]
    assert (need["project"], need["content"]) == ({"name": "Walker"}, "Faster")
    linear.update("issue", issue, projectId=climber)
    seen = linear("{ customerNeeds { nodes { project { name } } } }")["customerNeeds"]["nodes"]
    assert seen == [{"project": {"name": "Climber"}}]


def test_an_initiative_says_what_it_is_below(linear):
    """https://linear.app/docs/initiatives"""
    above, below = (linear.create("initiative", name=name)["id"] for name in ("Moving", "Walking"))
    linear.create("initiativeRelation", initiativeId=above, relatedInitiativeId=below)
    query = "query($id: String!) { initiative(id: $id) { parentInitiative { name } } }"
    assert linear(query, id=below)["initiative"] == {"parentInitiative": {"name": "Moving"}}
    assert linear(query, id=above)["initiative"] == {"parentInitiative": None}


def test_what_a_thing_says_at_length_is_its_document_content(linear):
    """https://linear.app/docs/editor"""
    issue = linear.issue("documentContent { content issue { title } }", description="Twice a week")
    assert issue["documentContent"] == {"content": "Twice a week", "issue": {"title": "Oil the left gripper"}}
    fields = "documentContent { content }"
    project = linear.create("project", f"id {fields}", name="Walker", teamIds=[ENG], content="On two legs")
    assert project["documentContent"] == {"content": "On two legs"}
    assert linear.create("initiative", fields, name="Moving", content="Up")["documentContent"] == {"content": "Up"}
    milestone = {"name": "Half", "projectId": project["id"]}
    assert linear.create("projectMilestone", fields, **milestone)["documentContent"] is None


def test_a_team_can_be_a_favorite(linear):
    """https://linear.app/docs/favorites"""
    made = linear.create("favorite", "type title team { key }", teamId=ENG)
    assert made == {"type": "team", "title": "Engineering", "team": {"key": "ENG"}}


def test_a_favorite_leads_to_what_it_is_of(linear):
    made = linear.create("favorite", "url issue { url }", issueId="ENG-1")
    assert made["url"] == made["issue"]["url"]


def test_whole_numbers_are_printed_without_a_fraction(linear):
    """JavaScript knows one kind of number; https://262.ecma-international.org/#sec-numeric-types-number-tostring"""
    text = linear.http(json={"query": '{ issue(id: "ENG-1") { number priority estimate } }'}).text
    assert '"number":1,"priority":0,' in text
