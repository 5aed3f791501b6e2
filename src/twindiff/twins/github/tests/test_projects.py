"""Projects over GraphQL and REST: the same rows, webhooks, refusals."""

from __future__ import annotations

import json
from datetime import date, timedelta
from queue import Queue
from typing import Any

import pytest

from .conftest import Hub
from .test_graphql import ask, mutate, refuse
from .test_hooks import Delivery, receiver

__all__ = ["receiver"]
ORG = "/orgs/tidewater/projectsV2"
FIELD = """field { ... on ProjectV2FieldCommon { name } }"""
ITEMS = f"""
query($number: Int!) {{ organization(login: "tidewater") {{ projectV2(number: $number) {{
  id title readme closed url viewerCanUpdate
  fields(first: 50) {{ totalCount nodes {{
    ... on ProjectV2FieldCommon {{ id name dataType }}
    ... on ProjectV2SingleSelectField {{ options {{ id name color }} }}
    ... on ProjectV2IterationField {{ configuration {{ duration iterations {{ id title startDate }} }} }}
  }} }}
  items(first: 50) {{ totalCount nodes {{
    id type isArchived
    content {{ ... on Issue {{ number title }} ... on DraftIssue {{ id title body }} ... on PullRequest {{ number }} }}
    fieldValues(first: 50) {{ nodes {{ __typename
      ... on ProjectV2ItemFieldTextValue {{ text {FIELD} }} ... on ProjectV2ItemFieldNumberValue {{ number {FIELD} }}
      ... on ProjectV2ItemFieldDateValue {{ date {FIELD} }}
      ... on ProjectV2ItemFieldSingleSelectValue {{ name {FIELD} }}
      ... on ProjectV2ItemFieldIterationValue {{ title startDate duration }}
      ... on ProjectV2ItemFieldLabelValue {{ labels(first: 5) {{ nodes {{ name }} }} }}
      ... on ProjectV2ItemFieldUserValue {{ users(first: 5) {{ nodes {{ login }} }} }}
      ... on ProjectV2ItemFieldMilestoneValue {{ milestone {{ title }} }}
      ... on ProjectV2ItemFieldRepositoryValue {{ repository {{ name }} }}
    }} }}
  }} }}
  views(first: 5) {{ nodes {{ name number layout }} }}
}} }} }}"""


class Board:
    """A project of the organization, and mutations of it."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        owner = ask(hub, '{ organization(login: "tidewater") { id } }')["organization"]["id"]
        made = self.mutate("createProjectV2", "projectV2 { id number }", ownerId=owner, title="Plan")["projectV2"]
        self.owner, self.id, self.number = owner, made["id"], made["number"]

    def mutate(self, mutation: str, shown: str, /, **given: Any) -> Any:
        """The payload of a mutation."""
        return mutate(self.hub, mutation, shown, **given)

    def refuse(self, mutation: str, /, **given: Any) -> str:
        """The message of a mutation that must be refused."""
        return refuse(self.hub, mutation, **given)

    def read(self) -> Any:
        """The project with its fields and items."""
        return ask(self.hub, ITEMS, number=self.number)["organization"]["projectV2"]

    def field(self, name: str) -> Any:
        """A field with its options."""
        return next(each for each in self.read()["fields"]["nodes"] if each["name"] == name)

    def draft(self, title: str = "Idea") -> str:
        """The id of a new draft."""
        shown = "projectItem { id }"
        return self.mutate("addProjectV2DraftIssue", shown, projectId=self.id, title=title)["projectItem"]["id"]

    def add_field(self, name: str, kind: str, **more: Any) -> Any:
        """A new field."""
        shown = "projectV2Field { ... on ProjectV2FieldCommon { id } }"
        self.mutate("createProjectV2Field", shown, projectId=self.id, name=name, dataType=kind, **more)
        return self.field(name)

    def set(self, item: str, field: str, **value: Any) -> Any:
        """Set a value."""
        given = {"projectId": self.id, "itemId": item, "fieldId": field, "value": value}
        return self.mutate("updateProjectV2ItemFieldValue", "projectV2Item { id }", **given)


@pytest.fixture
def board(github: Any) -> Board:
    return Board(github("github_default", user="agent", users=("ada", "ben")))


def issue_id(hub: Hub, number: int = 1) -> str:
    return hub("GET", f"/repos/tidewater/harbour-api/issues/{number}")["node_id"]


def test_a_new_project_has_github_s_fields_and_a_table(board: Board):
    shown = board.read()
    assert [each["name"] for each in shown["fields"]["nodes"]][:4] == ["Title", "Assignees", "Status", "Labels"]
    assert [each["name"] for each in board.field("Status")["options"]] == ["Todo", "In Progress", "Done"]
    assert shown["views"]["nodes"] == [{"name": "View 1", "number": 1, "layout": "TABLE_LAYOUT"}]
    assert shown["url"] == f"https://github.com/orgs/tidewater/projects/{board.number}"


def test_values_of_every_kind_are_set_shown_and_cleared(board: Board):
    item = board.mutate("addProjectV2ItemById", "item { id }", projectId=board.id, contentId=issue_id(board.hub))
    item = item["item"]["id"]
    first = {"title": "S1", "startDate": "2030-05-04", "duration": 7}
    sprints = {"startDate": "2026-05-04", "duration": 7, "iterations": [first]}
    sprint = board.add_field("Sprint", "ITERATION", iterationConfiguration=sprints)
    values: list[tuple[Any, dict[str, Any]]] = [
        (board.add_field("Note", "TEXT"), {"text": "Soon"}),
        (board.add_field("Size", "NUMBER"), {"number": 2.5}),
        (board.add_field("Due", "DATE"), {"date": "2026-06-01"}),
        (board.field("Status"), {"singleSelectOptionId": board.field("Status")["options"][1]["id"]}),
        (sprint, {"iterationId": sprint["configuration"]["iterations"][0]["id"]}),
    ]
    for own, value in values:
        board.set(item, own["id"], **value)
    (shown,) = board.read()["items"]["nodes"]
    flat = json.dumps(shown["fieldValues"]["nodes"])
    assert all(f'"{text}"' in flat for text in ("Soon", "2026-06-01", "In Progress", "S1", "harbour-api", "bug", "1.0"))
    assert '"number": 2.5' in flat
    for own, _ in values:
        given = {"projectId": board.id, "itemId": item, "fieldId": own["id"]}
        board.mutate("clearProjectV2ItemFieldValue", "projectV2Item { id }", **given)
    assert "Soon" not in json.dumps(board.read()["items"])


def test_rest_and_graphql_show_the_same_rows(board: Board):
    board.draft("Idea")
    (item,) = board.hub("GET", f"{ORG}/{board.number}/items")
    assert item["node_id"] == board.read()["items"]["nodes"][0]["id"]
    status = next(each for each in board.hub("GET", f"{ORG}/{board.number}/fields") if each["name"] == "Status")
    assert status["node_id"] == board.field("Status")["id"]
    value = {"fields": [{"id": status["id"], "value": status["options"][2]["id"]}]}
    board.hub("PATCH", f"{ORG}/{board.number}/items/{item['id']}", value)
    assert "Done" in json.dumps(board.read()["items"])
    node = "query($id: ID!) { node(id: $id) { id ... on ProjectV2Item { project { id } } } }"
    assert ask(board.hub, node, id=item["node_id"])["node"]["project"]["id"] == board.id


def test_rest_adds_fields_drafts_and_views(board: Board):
    hub, path = board.hub, f"{ORG}/{board.number}"
    options = [{"name": "S"}, {"name": "M", "color": "RED"}]
    size = hub(
        "POST", f"{path}/fields", {"name": "Size", "data_type": "single_select", "single_select_options": options}
    )
    assert [each["name"]["raw"] for each in size["options"]] == ["S", "M"]
    sprint = {"start_date": "2026-05-04", "duration": 14}
    made = hub(
        "POST", f"{path}/fields", {"name": "Sprint", "data_type": "iteration", "iteration_configuration": sprint}
    )
    assert len(made["configuration"]["iterations"]) == 3
    assert hub("POST", f"{path}/views", {"name": "Board", "layout": "board"})["number"] == 2
    hub("POST", f"{path}/drafts", {"title": "Idea"})
    assert len(hub("GET", f"{path}/views/2/items")) == 1
    assert hub.refused("GET", f"{path}/views/3/items")[0] == 404


def test_items_are_moved_archived_converted_and_deleted(board: Board):
    one, two, three = (board.draft(name) for name in ("1", "2", "3"))
    place = {"projectId": board.id, "itemId": three}
    board.mutate("updateProjectV2ItemPosition", "items(first: 5) { totalCount }", **place, afterId=one)
    titles = [each["content"]["title"] for each in board.read()["items"]["nodes"]]
    assert titles == ["1", "3", "2"]
    board.mutate("archiveProjectV2Item", "item { isArchived }", projectId=board.id, itemId=two)
    assert board.read()["items"]["totalCount"] == 2
    board.mutate("unarchiveProjectV2Item", "item { isArchived }", projectId=board.id, itemId=two)
    repo = board.hub("GET", "/repos/tidewater/harbour-api")["node_id"]
    shown = "item { type content { ... on Issue { title } } }"
    made = board.mutate("convertProjectV2DraftIssueItemToIssue", shown, itemId=one, repositoryId=repo)["item"]
    assert made == {"type": "ISSUE", "content": {"title": "1"}}
    deleted = board.mutate("deleteProjectV2Item", "deletedItemId", projectId=board.id, itemId=three)
    assert deleted == {"deletedItemId": three}
    assert [each["content"]["title"] for each in board.read()["items"]["nodes"]] == ["1", "2"]


def test_a_project_is_changed_copied_linked_and_deleted(board: Board):
    board.draft()
    board.mutate("updateProjectV2", "projectV2 { id }", projectId=board.id, title="New", readme="Read", closed=True)
    assert (board.read()["title"], board.read()["readme"], board.read()["closed"]) == ("New", "Read", True)
    copied = board.mutate(
        "copyProjectV2",
        "projectV2 { id items { totalCount } }",
        projectId=board.id,
        ownerId=board.owner,
        title="Copy",
        includeDraftIssues=True,
    )["projectV2"]
    assert copied["items"]["totalCount"] == 1
    repo = board.hub("GET", "/repos/tidewater/harbour-api")["node_id"]
    board.mutate("linkProjectV2ToRepository", "repository { name }", projectId=board.id, repositoryId=repo)
    query = '{ repository(owner: "tidewater", name: "harbour-api") { projectsV2(first: 5) { nodes { title } } } }'
    assert ask(board.hub, query)["repository"]["projectsV2"]["nodes"] == [{"title": "New"}]
    board.mutate("unlinkProjectV2FromRepository", "repository { name }", projectId=board.id, repositoryId=repo)
    board.mutate("deleteProjectV2", "projectV2 { id }", projectId=copied["id"])
    assert ask(board.hub, query)["repository"]["projectsV2"]["nodes"] == []
    assert [each["title"] for each in board.hub("GET", ORG)] == ["Roadmap", "New"]


def test_values_that_cannot_be_are_refused(board: Board):
    item, size, status = board.draft(), board.add_field("Size", "NUMBER"), board.field("Status")
    title, due = board.field("Title"), board.add_field("Due", "DATE")
    refusals = [
        (status, {"singleSelectOptionId": "nope"}, "does not belong to the field"),
        (status, {"text": "Done"}, "Did not receive a single select option Id"),
        (size, {"text": "2"}, "Did not receive a number value"),
        (title, {"text": "New"}, "is currently not supported"),
        (due, {"date": "tomorrow"}, "is not a valid date"),
        (size, {}, "exactly one member"),
    ]
    for own, value, message in refusals:
        given = {"projectId": board.id, "itemId": item, "fieldId": own["id"], "value": value}
        assert message in board.refuse("updateProjectV2ItemFieldValue", **given)
    assert "already been taken" in board.refuse(
        "createProjectV2Field", projectId=board.id, name="size", dataType="TEXT"
    )
    assert "missing_field" in board.refuse("createProjectV2", ownerId=board.owner, title=" ")
    assert board.read()["items"]["nodes"][0]["fieldValues"]["nodes"][1:] == []


@pytest.mark.parametrize(
    ("start", "duration"), [("9999-12-30", 7), ("2026-05-04", 2**31 - 1), ("2026-05-04", 0), ("soon", 7)]
)
def test_iterations_that_no_calendar_has_are_refused(board: Board, start: str, duration: int):
    given = {"projectId": board.id, "name": "Sprint", "dataType": "ITERATION"}
    sprints: dict[str, Any] = {"startDate": start, "duration": duration, "iterations": []}
    assert "internal" not in board.refuse("createProjectV2Field", **given, iterationConfiguration=sprints).lower()
    body = {"name": "Sprint", "data_type": "iteration"}
    sprint = {"iteration_configuration": {"start_date": start, "duration": duration}}
    assert board.hub.refused("POST", f"{ORG}/{board.number}/fields", body | sprint)[0] == 422


def test_an_address_that_is_none_leads_to_nothing(board: Board):
    query = "query($url: URI!) { resource(url: $url) { url } }"
    for url in ("http://[", "", "https://github.com/tidewater/nope/issues/1", "https://github.com/tidewater"):
        answer = board.hub("POST", "/graphql", {"query": query, "variables": {"url": url}})
        assert "Could not resolve to a node" in answer["errors"][0]["message"], url


def test_an_organization_s_hooks_are_told_of_projects_and_items(board: Board, receiver: tuple[str, Queue[Delivery]]):
    url, got = receiver
    config = {"url": url, "content_type": "json"}
    hooks = {"name": "web", "config": config, "events": ["projects_v2", "projects_v2_item"]}
    board.hub("POST", "/orgs/tidewater/hooks", hooks)
    item, status = board.draft(), board.field("Status")
    board.set(item, status["id"], singleSelectOptionId=status["options"][0]["id"])
    board.mutate("updateProjectV2", "projectV2 { id }", projectId=board.id, title="New")
    told: dict[str, Any] = {}
    wanted = {"projects_v2_item.created", "projects_v2_item.edited", "projects_v2.edited"}
    while not wanted <= told.keys():
        headers, body = got.get(timeout=60)
        payload = json.loads(body)
        told[f"{headers['X-GitHub-Event']}.{payload.get('action')}"] = payload
    change = told["projects_v2_item.edited"]["changes"]["field_value"]
    assert (change["field_type"], change["field_node_id"], change["to"]["name"]) == (
        "single_select", status["id"], "Todo"
    )  # fmt: skip
    assert told["projects_v2_item.created"]["projects_v2_item"]["node_id"] == item
    assert told["projects_v2.edited"]["changes"] == {"title": {"from": "Plan", "to": "New"}}


FILTERS = [
    ("", ["one", "two", "three", "Idea"]),
    ('status:"In Progress",todo', ["one", "two"]),
    ("-status:todo", ["two", "three", "Idea"]),
    ("no:status", ["three", "Idea"]),
    ("-no:story-points", ["one", "two"]),
    ("story-points:>1", ["two"]),
    ("story-points:>0.9999999999", ["one", "two"]),
    ("story-points:*..2.5", ["one", "two"]),
    ("due:2020-01-01..2030-01-01 -due:@today", ["one"]),
    ("due:>=@today", ["two"]),
    ("due:@today-1", ["one"]),
    ("sprint:@current..@current+1", ["one", "two"]),
    ('sprint:>"Iteration 1"', ["two"]),
    ("sprint:@next", ["two"]),
    ("label:bug assignee:ada,nobody", ["one"]),
    ("label:b*,docs -assignee:@me", ["one"]),
    ("is:issue is:open", ["one", "two"]),
    ("is:closed reason:completed", ["three"]),
    ("is:draft", ["Idea"]),
    ("milestone:v1 repo:tidewater/demo", ["two"]),
    ("note:soon*", ["one"]),
    ("SOONER -title:two", ["one"]),
    ("last-updated:1day", []),
    ("-last-updated:1day", ["one", "two", "three", "Idea"]),
]


def test_filters_choose_the_items_of_lists_and_views(board: Board):
    hub, path = board.hub, f"{ORG}/{board.number}"
    repo = "/repos/tidewater/demo"
    hub("POST", "/orgs/tidewater/repos", {"name": "demo"})
    hub("POST", f"{repo}/milestones", {"title": "v1"})
    bodies = [{"labels": ["bug"], "assignees": ["ada"]}, {"milestone": 1, "assignees": ["agent"]}, {}]
    for title, body in zip(("one", "two", "three"), bodies, strict=True):
        made = hub("POST", f"{repo}/issues", {"title": title, **body})
        hub("POST", f"{path}/items", {"type": "Issue", "id": made["id"]})
    hub("PATCH", f"{repo}/issues/3", {"state": "closed"})
    board.draft()
    today = hub("GET", f"{repo}/issues/1")["created_at"][:10]
    yesterday, sprint = str(date.fromisoformat(today) - timedelta(1)), {"start_date": today, "duration": 7}
    kinds = {"Story points": "number", "Due": "date", "Note": "text"}
    made = {name: hub("POST", f"{path}/fields", {"name": name, "data_type": kinds[name]}) for name in kinds}
    iteration = {"name": "Sprint", "data_type": "iteration", "iteration_configuration": sprint}
    iterations = hub("POST", f"{path}/fields", iteration)
    status = next(each for each in hub("GET", f"{path}/fields") if each["name"] == "Status")
    values = [(1, yesterday, "Sooner or later", 0), (2.5, today, "two", 1)]
    for item, (points, due, note, place) in zip(hub("GET", f"{path}/items"), values, strict=False):
        given = {made["Story points"]["id"]: points, made["Due"]["id"]: due, made["Note"]["id"]: note}
        given |= {status["id"]: status["options"][place]["id"]}
        given |= {iterations["id"]: iterations["configuration"]["iterations"][place]["id"]}
        fields = [{"id": key, "value": value} for key, value in given.items()]
        hub("PATCH", f"{path}/items/{item['id']}", {"fields": fields})
    found = {
        query: [each["content"]["title"] for each in hub("GET", f"{path}/items", params={"q": query})]
        for query, _ in FILTERS
    }
    assert found == dict(FILTERS)
    view = hub("POST", f"{path}/views", {"name": "Mine", "layout": "table", "filter": "assignee:@me"})
    assert [each["content"]["title"] for each in hub("GET", f"{path}/views/{view['number']}/items")] == ["two"]
    items = "projectV2(number: $n) { items(query: $q) { totalCount } }"
    count = f'query($q: String!, $n: Int!) {{ organization(login: "tidewater") {{ {items} }} }}'
    shown = ask(hub, count, q="label:bug", n=board.number)
    assert shown["organization"]["projectV2"]["items"]["totalCount"] == 1


@pytest.mark.parametrize(
    ("query", "status", "message"),
    [
        ("statsu:todo", 501, "the filter statsu of project items; did you mean status?"),
        ("is:opne", 501, "the filter is:opne of project items; did you mean is:open?"),
        ("no:color", 501, "the filter no:color of project items"),
        ("tracked-by:a/b#1", 501, "the filter tracked-by of project items"),
        ("last-updated:soon", 422, "'soon' is not a number of days"),
    ],
)
def test_a_filter_that_is_not_known_is_refused_by_name(board: Board, query: str, status: int, message: str):
    told = board.hub.refused("GET", f"{ORG}/{board.number}/items", params={"q": query})
    assert told[0] == status
    assert message in told[1]


def test_status_updates_say_how_a_project_stands(board: Board, receiver: tuple[str, Queue[Delivery]]):
    url, got = receiver
    config = {"url": url, "content_type": "json"}
    board.hub(
        "POST", "/orgs/tidewater/hooks", {"name": "web", "config": config, "events": ["projects_v2_status_update"]}
    )
    shown = "statusUpdate { id status body bodyHTML startDate targetDate creator { login } }"
    given = {"status": "ON_TRACK", "body": "**Fine**", "startDate": "2026-05-04", "targetDate": "2026-06-01"}
    made = board.mutate("createProjectV2StatusUpdate", shown, projectId=board.id, **given)["statusUpdate"]
    assert made == {
        "id": made["id"], **given, "bodyHTML": "<p><strong>Fine</strong></p>", "creator": {"login": "agent"}
    }  # fmt: skip
    board.mutate("updateProjectV2StatusUpdate", shown, statusUpdateId=made["id"], status="AT_RISK")
    latest = board.hub("GET", f"{ORG}/{board.number}")["latest_status_update"]
    assert (latest["status"], latest["body"], latest["node_id"]) == ("AT_RISK", "**Fine**", made["id"])
    backwards = {"startDate": "2026-05-04", "targetDate": "2026-05-01"}
    assert "before the start" in board.refuse("createProjectV2StatusUpdate", projectId=board.id, **backwards)
    board.mutate("deleteProjectV2StatusUpdate", "deletedStatusUpdateId", statusUpdateId=made["id"])
    count = "statusUpdates(first: 5) { totalCount }"
    query = f'{{ organization(login: "tidewater") {{ projectV2(number: {board.number}) {{ {count} }} }} }}'
    assert ask(board.hub, query)["organization"]["projectV2"]["statusUpdates"]["totalCount"] == 0
    told = [json.loads(got.get(timeout=60)[1]) for _ in range(4)]
    assert {each.get("action") for each in told} == {None, "created", "edited", "deleted"}
    assert next(each for each in told if each.get("action") == "edited")["changes"] == {
        "status": {"from": "ON_TRACK", "to": "AT_RISK"}
    }
