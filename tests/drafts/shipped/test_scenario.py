"""A scenario over Slack and drafted twins: imported as others wrote it, acted in through its variables, and judged."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from tests.harness import LiveServer, Platform
from twindiff.drafts.shipped import find_shipped
from twindiff.environments.registry import Registry
from twindiff.server import Settings
from twindiff.twins.slack import twin as slack

Json = dict[str, Any]
TWINS = ["slack", "jira", "hubspot", "salesforce"]
CONFIG: dict[str, Json] = {
    "slack": {
        "users": [{"name": "dana", "real_name": "Dana Reyes"}],
        "channels": [
            {"name": "renewals", "messages": [{"text": "Northlake is at risk: exports fail", "user": "dana"}]}
        ],
    },
    "jira": {
        "projects": [
            {
                "key": "EXP",
                "name": "Exports",
                "issues": [
                    {
                        "summary": "Export of large reports times out",
                        "description": "Seen by Northlake",
                        "issuetype": "Bug",
                        "priority": "Medium",
                        "status": "In Review",
                        "labels": ["customer"],
                        "comments": [{"body": "Reproduced with 80,000 rows"}],
                    },
                    {"summary": "Document the limits", "issuetype": "Task", "priority": "Low", "status": "To Do"},
                ],
            }
        ]
    },
    "hubspot": {
        "companies": [{"properties": {"name": "Northlake", "domain": "northlake.example", "description": "Retail"}}],
        "contacts": [{"properties": {"email": "kim@northlake.example", "firstname": "Kim", "notes": "Champion"}}],
        "deals": [{"properties": {"dealname": "Northlake renewal", "amount": "48000", "dealstage": "contractsent"}}],
        "associations": [{"company_domain": "northlake.example", "contact_email": "kim@northlake.example"}],
        "lists": [],
        "tickets": [],
    },
    "salesforce": {
        "accounts": [{"Name": "Northlake", "Website": "https://northlake.example", "Description": "Retail"}],
        "contacts": [{"FirstName": "Kim", "LastName": "Lund", "Email": "kim@northlake.example", "Description": "VP"}],
        "records": [
            {
                "object": "Opportunity",
                "values": {"Name": "Northlake renewal", "StageName": "Negotiation", "Amount": 48000},
            },
            {"object": "Case", "values": {"Subject": "Exports fail", "Status": "New", "Priority": "Medium"}},
        ],
    },
}
CHECKS = [
    {
        "diff_type": "changed",
        "entity": "jira.issues",
        "where": {"key": "EXP-1"},
        "expected_changes": {"priority": {"to": "Highest"}},
    },
    {
        "diff_type": "changed",
        "entity": "salesforce.Case",
        "where": {"Subject": "Exports fail"},
        "expected_changes": {"Priority": {"to": "High"}},
    },
    {
        "diff_type": "changed",
        "entity": "hubspot.deals",
        "where": {"dealname": "Northlake renewal"},
        "expected_changes": {"dealstage": {"to": "decisionmakerboughtin"}},
    },
    {
        "diff_type": "added",
        "entity": "slack.messages",
        "where": {"message_text": {"contains": "EXP-1"}},
        "expected_count": 1,
    },
]


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    live = LiveServer(Settings(), Registry([slack, *(find_shipped(name).twin() for name in TWINS[1:])]))
    yield live
    live.close()


@pytest.fixture
def run(server: LiveServer) -> Json:
    scenario = server.client.post(
        "/scenarios",
        json={
            "name": "Renewal",
            "description": "A customer at risk",
            "seed_config": CONFIG,
            "tags": [],
            "twins": TWINS,
        },
    )
    assert scenario.status_code == 201, scenario.text
    asked = {"twins": TWINS, "scenario_id": scenario.json()["id"]}
    answer = server.client.post("/twin-runs", json=asked)
    assert answer.status_code == 200, answer.text
    return server.client.get(f"/twin-runs/{answer.json()['run_id']}").json()


class RenewalAgent:
    """A program that finds its twins by the variables of the run."""

    def __init__(self, server: LiveServer, run: Json) -> None:
        self.variables = {name: value for twin in run["twins"].values() for name, value in twin["env_vars"].items()}
        self.web = server.client

    def ask(self, verb: str, base: str, token: str, path: str, **sent: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.variables[token]}"}
        answer = self.web.request(verb, self.variables[base] + path, headers=headers, **sent)
        assert answer.is_success, answer.text
        return answer

    def escalate(self, issue: str) -> None:
        jira, crm, force = (
            ("JIRA_URL", "JIRA_API_TOKEN"),
            ("HUBSPOT_API_URL", "HUBSPOT_ACCESS_TOKEN"),
            ("SF_INSTANCE_URL", "SF_ACCESS_TOKEN"),
        )
        self.ask("PUT", *jira, f"/rest/api/3/issue/{issue}", json={"fields": {"priority": {"name": "Highest"}}})
        deal = self.ask("POST", *crm, "/crm/v3/objects/deals/search", json={"query": "renewal"}).json()["results"][0][
            "id"
        ]
        moved = {"properties": {"dealstage": "decisionmakerboughtin"}}
        self.ask("PATCH", *crm, f"/crm/v3/objects/deals/{deal}", json=moved)
        soql = "SELECT Id FROM Case WHERE Subject LIKE 'Exports%'"
        case = self.ask("GET", *force, "/services/data/v62.0/query", params={"q": soql}).json()["records"][0]["Id"]
        self.ask("PATCH", *force, f"/services/data/v62.0/sobjects/Case/{case}", json={"Priority": "High"})
        slack = ("SLACK_API_URL", "SLACK_BOT_TOKEN")
        channels = self.ask("POST", *slack, "/conversations.list").json()["channels"]
        channel = next(each["id"] for each in channels if each["name"] == "renewals")
        self.ask("POST", *slack, "/chat.postMessage", json={"channel": channel, "text": f"Escalated as {issue}"})


@pytest.mark.parametrize(("issue", "passes"), [("EXP-1", True), ("EXP-2", False)])
def test_a_scenario_over_slack_jira_hubspot_and_salesforce_is_acted_in_and_judged(
    server: LiveServer, run: Json, issue: str, passes: bool
):
    platform = Platform(server.client)
    started = platform.post("startRun", {"envId": run["environment_id"]})["runId"]
    RenewalAgent(server, run).escalate(issue)
    assert platform.evaluate(started, *CHECKS)["passed"] is passes


def replace_deal(agent: RenewalAgent) -> None:
    """Delete the deal, and make another that looks as if it was moved."""
    crm = ("HUBSPOT_API_URL", "HUBSPOT_ACCESS_TOKEN")
    [deal] = agent.ask("GET", *crm, "/crm/v3/objects/deals").json()["results"]
    agent.ask("DELETE", *crm, f"/crm/v3/objects/deals/{deal['id']}")
    properties = {"dealname": "Northlake renewal", "dealstage": "decisionmakerboughtin"}
    agent.ask("POST", *crm, "/crm/v3/objects/deals", json={"properties": properties})


def take_message_back(agent: RenewalAgent) -> None:
    slack = ("SLACK_API_URL", "SLACK_BOT_TOKEN")
    channel = agent.ask("POST", *slack, "/conversations.list").json()["channels"][0]["id"]
    posted = agent.ask("POST", *slack, "/chat.postMessage", json={"channel": channel, "text": "EXP-1"}).json()
    agent.ask("POST", *slack, "/chat.delete", json={"channel": channel, "ts": posted["ts"]})


def change_another_case(agent: RenewalAgent) -> None:
    force = ("SF_INSTANCE_URL", "SF_ACCESS_TOKEN")
    path = "/services/data/v62.0/sobjects/Case"
    made = agent.ask("POST", *force, path, json={"Subject": "Exports fail", "Priority": "Low"}).json()["id"]
    agent.ask("PATCH", *force, f"{path}/{made}", json={"Priority": "High"})


def move_there_and_back(agent: RenewalAgent) -> None:
    for priority in ("Highest", "Medium"):
        fields = {"priority": {"name": priority}}
        agent.ask("PUT", "JIRA_URL", "JIRA_API_TOKEN", "/rest/api/3/issue/EXP-1", json={"fields": fields})


@pytest.mark.parametrize(
    ("pretend", "check"),
    [(move_there_and_back, 0), (change_another_case, 1), (replace_deal, 2), (take_message_back, 3)],
)
def test_what_only_looks_done_fails(server: LiveServer, run: Json, pretend: Callable[[RenewalAgent], None], check: int):
    platform = Platform(server.client)
    started = platform.post("startRun", {"envId": run["environment_id"]})["runId"]
    pretend(RenewalAgent(server, run))
    assert platform.evaluate(started, CHECKS[check])["passed"] is False


def test_each_person_of_a_run_is_one_owner_in_hubspot(server: LiveServer, run: Json):
    owners = RenewalAgent(server, run).ask("GET", "HUBSPOT_API_URL", "HUBSPOT_ACCESS_TOKEN", "/crm/v3/owners").json()
    emails = [each["email"] for each in owners["results"]]
    assert sorted(emails) == sorted({*emails, "agent@example.com"})


def test_seeds_stand_where_their_owners_look_for_them(server: LiveServer, run: Json):
    agent = RenewalAgent(server, run)
    issue = agent.ask("GET", "JIRA_URL", "JIRA_TOKEN", "/rest/api/2/issue/EXP-1").json()["fields"]
    assert (issue["status"]["name"], issue["comment"]["comments"][0]["body"]) == (
        "In Review",
        "Reproduced with 80,000 rows",
    )
    contacts = agent.ask(
        "GET",
        "HUBSPOT_BASE_URL",
        "HUBSPOT_ACCESS_TOKEN",
        "/crm/v3/objects/contacts?associations=companies&properties=notes",
    ).json()["results"]
    assert (contacts[0]["properties"]["notes"], len(contacts[0]["associations"]["companies"]["results"])) == (
        "Champion",
        1,
    )
