"""Agents' sessions, activities and skills.  https://linear.app/developers/agent-interaction"""

from __future__ import annotations

import pytest

from .conftest import AGENT

SAY = """mutation($s: String!, $c: JSONObject!, $e: Boolean) {
    agentActivityCreate(input: { agentSessionId: $s, content: $c, ephemeral: $e }) {
        agentActivity { id content { ... on AgentActivityThoughtContent { type body } } agentSession { status } } } }"""
ACTIVITIES = "query($s: String!) { agentSession(id: $s) { status activities { nodes { id } } } }"


@pytest.fixture
def session(linear):
    """The id of a session on ENG-1."""
    query = """mutation { agentSessionCreateOnIssue(input: { issueId: "ENG-1" }) {
        agentSession { id status issue { identifier } appUser { id } creator { id } url } } }"""
    made = linear(query)["agentSessionCreateOnIssue"]["agentSession"]
    assert (made["status"], made["issue"], made["appUser"]) == ("pending", {"identifier": "ENG-1"}, {"id": AGENT})
    assert made["url"].startswith("https://linear.app/")
    return made["id"]


def say(linear, session, kind, **more):
    content = (
        {"type": kind, "body": "Well"} if kind != "action" else {"type": kind, "action": "Oil", "parameter": "arm"}
    )
    return linear(SAY, s=session, c=content, **more)["agentActivityCreate"]["agentActivity"]


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("thought", "active"),
        ("action", "active"),
        ("elicitation", "awaitingInput"),
        ("response", "complete"),
        ("error", "error"),
    ],
)
def test_a_session_is_as_its_last_activity_tells(linear, session, kind, status):
    assert say(linear, session, kind)["agentSession"] == {"status": status}


def test_what_is_ephemeral_goes_with_the_next_activity(linear, session):
    first = say(linear, session, "thought", e=True)["id"]
    second = say(linear, session, "response")["id"]
    nodes = linear(ACTIVITIES, s=session)["agentSession"]["activities"]["nodes"]
    assert [each["id"] for each in nodes] == [second] != [first]


@pytest.mark.parametrize(
    "content", [{"type": "dance", "body": "x"}, {"type": "action", "action": "Oil"}, {"body": "x"}]
)
def test_an_activity_without_what_it_needs_is_refused(linear, session, content):
    assert linear.error(SAY, s=session, c=content)["extensions"]["code"] == "INVALID_INPUT"


def test_a_prompt_can_wait_and_be_sent(linear, session):
    query = """mutation($s: String!) { agentActivityCreatePrompt(
        input: { agentSessionId: $s, queued: true, content: { type: prompt, body: "Go on" } }) {
            agentActivity { id queued sentAt } } }"""
    waiting = linear(query, s=session)["agentActivityCreatePrompt"]["agentActivity"]
    assert waiting["queued"] is True
    send = f'mutation {{ agentActivitySendQueued(id: "{waiting["id"]}") {{ agentActivity {{ queued sentAt }} }} }}'
    sent = linear(send)["agentActivitySendQueued"]["agentActivity"]
    assert (sent["queued"], bool(sent["sentAt"])) == (False, True)
    assert "sent already" in linear.refusal(send)


def test_a_session_s_addresses_and_plan_are_kept(linear, session):
    query = """mutation($s: String!, $i: AgentSessionUpdateInput!) { agentSessionUpdate(id: $s, input: $i) {
        agentSession { plan externalLink externalLinks { label url } dismissedAt dismissedBy { id } } } }"""
    links = [{"label": name, "url": f"https://a.example/{name}"} for name in ("log", "run")]
    given = {"externalUrls": links, "externalLink": "https://a.example", "plan": {"steps": ["oil"]}}
    kept = linear(query, s=session, i=given)["agentSessionUpdate"]["agentSession"]
    assert (kept["externalLinks"], kept["externalLink"], kept["plan"]) == (
        links,
        "https://a.example",
        {"steps": ["oil"]},
    )
    gone = {"removedExternalUrls": ["https://a.example/log"], "dismissedAt": "2030-01-01T00:00:00.000Z"}
    kept = linear(query, s=session, i=gone)["agentSessionUpdate"]["agentSession"]
    assert (kept["externalLinks"], kept["dismissedBy"]) == (links[1:], {"id": AGENT})


def test_issues_are_found_by_what_agents_do_on_them(linear, session):
    query = "{ issues(filter: { %s: { eq: true } }) { nodes { identifier } } }"
    assert linear(query % "hasActiveAgentSessions")["issues"]["nodes"] == [{"identifier": "ENG-1"}]
    say(linear, session, "error")
    assert linear(query % "hasActiveAgentSessions")["issues"]["nodes"] == []
    assert linear(query % "hasErroredAgentSessions")["issues"]["nodes"] == [{"identifier": "ENG-1"}]


def test_a_skill_without_a_title_is_named_by_its_first_line(linear):
    skill = linear.create("agentSkill", "id title owner { id } shared", body="# Oiling\n\nTwice a week")
    assert skill == {"id": skill["id"], "title": "Oiling", "owner": {"id": AGENT}, "shared": False}
    query = "query($f: AgentSkillFilter) { agentSkills(filter: $f) { nodes { title } } }"
    assert linear(query, f={"ownerId": {"eq": AGENT}, "team": {"null": True}})["agentSkills"]["nodes"] == [
        {"title": "Oiling"}
    ]
