"""Filters, dashboards, groups, roles, votes and settings of Jira, called over HTTP."""

from typing import Any

import httpx
import pytest

from .conftest import Connect


@pytest.fixture
def jira(connect: Connect) -> httpx.Client:
    """A site with a project and an issue."""
    client = connect("jira", "https://acme.atlassian.net/rest/api/2")
    client.post("/project", json={"key": "ENG", "name": "Engine"})
    fields = {"project": {"key": "ENG"}, "summary": "The page crashed", "issuetype": {"name": "Bug"}}
    assert client.post("/issue", json={"fields": fields}).status_code == 201
    return client


def caller(jira: httpx.Client) -> str:
    return jira.get("/myself").json()["accountId"]


def test_a_filter_is_found_changed_and_removed(jira: httpx.Client):
    made = jira.post("/filter", json={"name": "Open", "jql": "project = ENG", "favourite": True}).json()
    path = f"/filter/{made['id']}"
    assert (made["owner"]["accountId"], made["jql"]) == (caller(jira), "project = ENG")
    assert made["searchUrl"].endswith("/search?jql=project%20%3D%20ENG")
    for shown in (jira.get("/filter/my").json(), jira.get("/filter/favourite").json()):
        assert [each["id"] for each in shown] == [made["id"]]
    assert jira.get("/filter/search", params={"filterName": "op"}).json()["total"] == 1
    assert jira.put(path, json={"name": "Mine"}).json()["jql"] == "project = ENG"
    assert jira.delete(f"{path}/favourite").json()["favourite"] is False
    assert (jira.delete(path).status_code, jira.get(path).status_code) == (204, 404)


def test_a_dashboard_is_listed_in_an_envelope_of_its_own(jira: httpx.Client):
    id = jira.post("/dashboard", json={"name": "Team"}).json()["id"]
    assert [each["id"] for each in jira.get("/dashboard").json()["dashboards"]] == [id]
    assert jira.get("/dashboard/search").json()["values"][0]["name"] == "Team"


def test_a_group_has_members(jira: httpx.Client):
    group, me = {"groupname": "devs"}, caller(jira)
    assert jira.post("/group", json={"name": "devs"}).status_code == 201
    assert jira.post("/group/user", params=group, json={"accountId": me}).status_code == 201
    (member,) = jira.get("/group/member", params=group).json()["values"]
    assert (member["accountId"], "locale" in member, "locale" in jira.get("/myself").json()) == (me, False, True)
    assert [each["name"] for each in jira.get("/user/groups", params={"accountId": me}).json()] == ["devs"]
    assert jira.get("/groups/picker", params={"query": "dev"}).json()["total"] == 1
    assert jira.delete("/group/user", params={**group, "accountId": me}).status_code == 200
    assert jira.get("/group", params=group).json()["users"]["size"] == 0
    assert (jira.delete("/group", params=group).status_code, jira.get("/group/bulk").json()["total"]) == (200, 0)


def test_a_role_has_actors_in_a_project(jira: httpx.Client):
    me, address = caller(jira), jira.get("/project/ENG/role").json()["Developers"]
    path = "/project/ENG/role/" + address.rpartition("/")[2]
    made = jira.post(path, json={"user": [me]}).json()
    assert [each["actorUser"]["accountId"] for each in made["actors"]] == [me]
    assert jira.delete(path, params={"user": me}).status_code == 204
    assert jira.get(path).json()["actors"] == []


def test_nobody_votes_for_an_issue_of_their_own(jira: httpx.Client):
    assert jira.post("/issue/ENG-1/votes").status_code == 404
    assert jira.get("/issue/ENG-1/votes").json()["votes"] == 0


def test_a_remote_link_is_changed(jira: httpx.Client):
    path = "/issue/ENG-1/remotelink"
    id = jira.post(path, json={"object": {"url": "https://a.test", "title": "A"}}).json()["id"]
    assert jira.put(f"{path}/{id}", json={"object": {"url": "https://b.test", "title": "B"}}).status_code == 204
    assert jira.get(f"{path}/{id}").json()["object"]["title"] == "B"


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/mypermissions", "permissions"), ("/permissions", "permissions"), ("/permissionscheme", "permissionSchemes"),
        ("/configuration", "votingEnabled"), ("/attachment/meta", "uploadLimit"), ("/screens", "values"),
        ("/issuesecurityschemes", "issueSecuritySchemes"), ("/notificationscheme", "values"),
        ("/workflow/search", "values"), ("/worklog/updated", "lastPage"), ("/project/ENG/properties", "keys"),
        ("/user/picker?query=a", "users"), ("/role/10002", "actors"),
    ],
)  # fmt: skip
def test_settings_are_shown(jira: httpx.Client, path: str, key: str):
    assert key in jira.get(path).json()


@pytest.mark.parametrize("path", ["/role", "/project/type", "/project/recent", "/workflow", "/projectCategory"])
def test_lists_without_pages_are_shown(jira: httpx.Client, path: str):
    assert isinstance(jira.get(path).json(), list)


@pytest.mark.parametrize(
    ("verb", "path", "body", "status"),
    [
        ("POST", "/filter", {"jql": "project = ENG"}, 400), ("POST", "/filter", {"name": "X", "jql": "nope ="}, 400),
        ("PUT", "/filter/99", {"name": "X"}, 404), ("POST", "/dashboard", {}, 400), ("POST", "/group", {}, 400),
        ("GET", "/group?groupname=none", None, 404), ("GET", "/role/5", None, 404),
        ("POST", "/group/user?groupname=none", {}, 404), ("GET", "/project/NONE/role", None, 404),
        ("GET", "/mypermissions?permissions=FLY", None, 400), ("POST", "/issuetype", {}, 400),
        ("POST", "/issueLinkType", {"name": "Cites"}, 400), ("DELETE", "/issueLinkType/9", None, 404),
        ("PUT", "/issuetype/9", {"name": "X"}, 404), ("GET", "/issue/ENG-1/remotelink/5", None, 404),
        ("DELETE", "/issue/ENG-1/votes", None, 404), ("GET", "/version/9/unresolvedIssueCount", None, 404),
        ("GET", "/component/9/relatedIssueCounts", None, 404), ("GET", "/project/ENG/properties/x", None, 404),
        ("POST", "/projectCategory", {}, 400), ("GET", "/dashboard/1", None, 404),
    ],
)  # fmt: skip
def test_what_is_wrong_or_unknown_is_refused(jira: httpx.Client, verb: str, path: str, body: Any, status: int):
    refused = jira.request(verb, path, json=body)
    assert (refused.status_code, {*refused.json()}) == (status, {"errorMessages", "errors"}), refused.text


def test_types_of_issues_and_links_are_added_once(jira: httpx.Client):
    assert jira.post("/issuetype", json={"name": "Incident"}).status_code == 201
    assert jira.post("/issuetype", json={"name": "Incident"}).status_code == 400
    kind = {"name": "Cites", "inward": "is cited by", "outward": "cites"}
    id = jira.post("/issueLinkType", json=kind).json()["id"]
    assert jira.delete(f"/issueLinkType/{id}").status_code == 204


def test_issues_of_a_version_are_counted(jira: httpx.Client):
    id = jira.post("/version", json={"name": "1.0", "project": "ENG"}).json()["id"]
    jira.put("/issue/ENG-1", json={"fields": {"fixVersions": [{"name": "1.0"}]}})
    assert jira.get(f"/version/{id}/relatedIssueCounts").json()["issuesFixedCount"] == 1
    assert jira.get(f"/version/{id}/unresolvedIssueCount").json()["issuesUnresolvedCount"] == 1


def test_a_page_of_dashboards_that_starts_below_zero_is_the_first(jira: httpx.Client):
    for name in ("One", "Two"):
        jira.post("/dashboard", json={"name": name, "sharePermissions": [], "editPermissions": []})
    first = jira.get("/dashboard", params={"startAt": 0, "maxResults": 1}).json()["dashboards"]
    below = jira.get("/dashboard", params={"startAt": -1, "maxResults": 1}).json()["dashboards"]
    assert below == first != []


def test_an_application_property_is_changed_to_values_that_it_can_have(connect: Connect):
    jira = connect("jira", "https://acme.atlassian.net/rest/api/3")
    path = "/application-properties"
    assert [each["value"] for each in jira.get(path, params={"key": "jira.clone.prefix"}).json()] == ["CLONE -"]
    assert {each["key"] for each in jira.get(path, params={"keyFilter": "jira.lf."}).json()} == {
        "jira.lf.date.time", "jira.lf.date.day", "jira.lf.date.complete", "jira.lf.date.dmy",
    }  # fmt: skip
    for value in ("COPY", "COPY OF"):
        changed = jira.put(f"{path}/jira.clone.prefix", json={"id": "jira.clone.prefix", "value": value}).json()
        assert (changed["value"], changed["defaultValue"]) == (value, "CLONE -")
    assert changed in jira.get(f"{path}/advanced-settings").json()
    for key, body in (
        ("jira.clone.prefix", {}),
        ("jira.clone.prefix", {"value": 5}),
        ("jira.clone.prefix", {"id": "jira.title", "value": "x"}),
        ("jira.clone.prefix", {"value": "x" * 1001}),
        ("jira.issue.actions.order", {"value": "up"}),
        ("jira.comment.collapsing.minimum.hidden", {"value": "few"}),
    ):
        assert jira.put(f"{path}/{key}", json=body).status_code == 400, body
    assert jira.put(f"{path}/jira.nothing", json={"value": "x"}).status_code == 404
