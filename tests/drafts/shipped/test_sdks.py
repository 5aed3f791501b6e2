"""Quick starts of the vendors' own SDKs, unmodified, at the vendors' own addresses through the TLS door."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.harness import LiveServer, Platform
from twindiff.drafts.shipped import NAMES, find_shipped
from twindiff.environments.registry import Registry
from twindiff.server import Settings

WHO = {"impersonateEmail": "agent@example.com"}


class DoorOfDrafts(NamedTuple):
    """The proxy of an environment with all drafts that stand alone, and the certificate that clients trust."""

    proxy: str
    certificate: str

    @property
    def proxies(self) -> dict[str, str]:
        return {"https": self.proxy, "http": self.proxy}


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DoorOfDrafts]:
    drafts = [each for each in map(find_shipped, NAMES) if each.stands_alone]
    live = LiveServer(Settings(), Registry([each.twin() for each in drafts]))
    try:
        platform = Platform(live.client)
        made = platform.post("initEnv", {"templates": [f"{each.name}:{each.name}_base" for each in drafts], **WHO})
        opened = platform.post(f"env/{made['environmentId']}/door")
        certificate: Path = tmp_path_factory.mktemp("ca") / "ca.pem"
        certificate.write_text(opened["certificate"])
        yield DoorOfDrafts(opened["proxyUrl"], str(certificate))
    finally:
        live.close()


def test_pycontribs_jira_creates_finds_moves_and_comments(door: DoorOfDrafts):
    jira = pytest.importorskip("jira")
    options = {"server": "https://acme.atlassian.net", "verify": door.certificate}
    site: Any = jira.JIRA(options=options, basic_auth=("agent@example.com", "token"), proxies=door.proxies)
    site._session.post("https://acme.atlassian.net/rest/api/3/project", json={"key": "ENG", "name": "Engine"})
    issue = site.create_issue(project="ENG", summary="A crash", description="At noon", issuetype={"name": "Bug"})
    site.add_comment(issue, "Seen again")
    site.transition_issue(issue, "Done")
    issue.update(fields={"summary": "A crash at noon", "labels": ["ui"]})
    matches = site.search_issues("project = ENG AND status = Done AND labels = ui")
    assert [(each.key, each.fields.summary, each.fields.resolution.name) for each in matches] == [
        ("ENG-1", "A crash at noon", "Done")
    ]
    assert [each.body for each in site.comments("ENG-1")] == ["Seen again"]
    assert [each.name for each in site.boards()] == ["ENG board"]
    with pytest.raises(jira.JIRAError, match="Issue does not exist"):
        site.issue("ENG-9")
    site.close()


def test_simple_salesforce_signs_in_writes_and_queries(door: DoorOfDrafts, monkeypatch: pytest.MonkeyPatch):
    package = pytest.importorskip("simple_salesforce")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", door.certificate)
    who = {"username": "agent@example.com", "password": "p", "security_token": "t"}
    org: Any = package.Salesforce(**who, proxies=door.proxies)
    made = org.Account.create({"Name": "Mill"})
    org.Contact.create({"LastName": "Byron", "AccountId": made["id"]})
    org.Account.update(made["id"], {"Industry": "Food"})
    records = org.query_all("SELECT LastName, Account.Industry FROM Contact")["records"]
    assert [(each["LastName"], each["Account"]["Industry"]) for each in records] == [("Byron", "Food")]
    with pytest.raises(package.exceptions.SalesforceMalformedRequest, match="INVALID_FIELD"):
        org.query("SELECT Foo FROM Account")
    assert "Industry" in [each["name"] for each in org.Account.describe()["fields"]]
    org.Account.delete(made["id"])
    with pytest.raises(package.exceptions.SalesforceResourceNotFound):
        org.Account.get(made["id"])
    org.session.close()


def test_hubspot_api_client_creates_searches_and_associates(door: DoorOfDrafts):
    hubspot = pytest.importorskip("hubspot")
    from hubspot.crm.contacts import PublicObjectSearchRequest, SimplePublicObjectInputForCreate

    client: Any = hubspot.HubSpot(access_token="pat", proxy=door.proxy, ssl_ca_cert=door.certificate)
    contacts = client.crm.contacts
    ada = contacts.basic_api.create(SimplePublicObjectInputForCreate(properties={"email": "ada@example.com"}))
    group = {"filters": [{"propertyName": "email", "operator": "EQ", "value": "ada@example.com"}]}
    matches = contacts.search_api.do_search(PublicObjectSearchRequest(filter_groups=[group]))
    assert (matches.total, matches.results[0].id) == (1, ada.id)
    company = client.crm.companies.basic_api.create({"properties": {"name": "Mill"}})
    client.crm.associations.v4.basic_api.create_default("contacts", ada.id, "companies", company.id)
    below = client.crm.associations.v4.basic_api.get_page("companies", company.id, "contacts")
    assert [str(each.to_object_id) for each in below.results] == [ada.id]
    with pytest.raises(hubspot.crm.contacts.ApiException, match="Contact already exists"):
        contacts.basic_api.create(SimplePublicObjectInputForCreate(properties={"email": "ada@example.com"}))
    associations = client.crm.associations.v4.basic_api
    for api in (contacts.basic_api, contacts.search_api, client.crm.companies.basic_api, associations):
        api.api_client.rest_client.pool_manager.clear()


SPECIFICATIONS = Path(__file__).parents[4] / "shared" / "specs"


@pytest.fixture(scope="module")
def described() -> Iterator[Callable[[str], str]]:
    """The addresses of twins that are drafted from descriptions, which must be present."""
    if not SPECIFICATIONS.exists():
        pytest.skip("the descriptions of Asana and Twilio are not here")
    paths = {"asana": SPECIFICATIONS / "asana", "twilio": SPECIFICATIONS / "twilio" / "twilio_api_v2010.json"}
    live = LiveServer(Settings(), Registry([find_shipped(name).twin([path]) for name, path in paths.items()]))
    try:
        platform = Platform(live.client)
        made = platform.post(
            "initEnv", {"templates": [f"{name}:{name}_base" for name in paths], "impersonateUserId": "u"}
        )
        yield lambda name: f"{live.url}/api/env/{made['environmentId']}/services/{name}"
    finally:
        live.close()


def test_the_sdk_of_asana_makes_reads_and_completes_a_task(described: Callable[[str], str]):
    asana = pytest.importorskip("asana")
    configuration = asana.Configuration()
    configuration.host, configuration.access_token = f"{described('asana')}/api/1.0", "token"
    client = asana.ApiClient(configuration)
    tasks = asana.TasksApi(client)
    made = tasks.create_task({"data": {"name": "Write the notes"}}, {})
    tasks.update_task({"data": {"completed": True}}, made["gid"], {})
    task = tasks.get_task(made["gid"], {})
    assert (task["name"], task["completed"]) == ("Write the notes", True)
    client.rest_client.pool_manager.clear()


def test_the_sdk_of_twilio_sends_and_lists_a_message(described: Callable[[str], str]):
    pytest.importorskip("twilio")
    from twilio.http.http_client import TwilioHttpClient
    from twilio.rest import Client

    class ToTwin(TwilioHttpClient):
        def request(self, method: str, url: str, *given: Any, **more: Any) -> Any:
            return super().request(method, url.replace("https://api.twilio.com", described("twilio")), *given, **more)

    client: Any = Client("AC" + "0" * 32, "token", http_client=ToTwin())
    sent = client.messages.create(to="+15558675310", from_="+15017122661", body="Hello")
    assert [(each.sid, each.body) for each in client.messages.list(limit=5) if each.sid == sent.sid] == [
        (sent.sid, "Hello")
    ]
    client.http_client.session.close()
