"""Drafted twins of APIs in the styles of JSON:API and HAL, and what such APIs have beside collections."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from twindiff.drafts.documents import describe
from twindiff.drafts.drafting import Draft
from twindiff.local import Twindiff

TEXT, TIME = {"type": "string"}, {"type": ["string", "null"], "format": "date-time"}


def ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def fields(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": [*required], "properties": properties}


def many(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": schema}


def shows(schema: dict[str, Any], status: str = "200", takes: dict[str, Any] | None = None, *query: str) -> Any:
    asked = [{"name": name, "in": "query", "schema": TEXT} for name in query]
    body = {"requestBody": {"content": {"application/json": {"schema": takes}}}} if takes else {}
    return {
        **body,
        "parameters": asked,
        "responses": {status: {"content": {"application/hal+json": {"schema": schema}}}},
    }


PARCEL = {"name": TEXT, "status": {"enum": ["draft", "sent", "lost"]}, "sent_at": TIME, "created_at": TIME}
DEPOT = fields(data={"type": ["object", "null"], "properties": {"type": {"const": "depots"}, "id": TEXT}})
RELATED = fields(depot=DEPOT)
SELF = fields(self=TEXT, next={"type": ["string", "null"]})
HREF = fields(self=fields(href=TEXT), next=fields(href=TEXT))
PARCELS: dict[str, Any] = {
    "/parcels": {
        "get": shows(
            fields(data=many(ref("Parcel")), links=SELF), "200", None, "filter[status]", "page[size]", "page[after]"
        ),
        "post": shows(fields(data=ref("Parcel")), "201", fields("data", data=ref("NewParcel"))),
    },
    "/parcels/{parcel_id}": {"get": shows(fields(data=ref("Parcel")))},
    "/parcels/{parcel_id}/send": {"post": shows(fields(data=ref("Parcel")))},
    "/depots/{depot_id}/parcels": {"get": shows(fields(data=many(ref("Parcel")), links=SELF))},
    "/depots": {"get": shows(fields(data=many(ref("Depot"))))},
    "/depots/{depot_id}": {"get": shows(fields(data=ref("Depot")))},
}
TICKET = {
    "id": {"type": "integer"},
    "subject": TEXT,
    "priority": {"type": "integer"},
    "createdAt": TIME,
    "_links": HREF,
}
PAGE = fields(_embedded=fields(tickets=many(ref("Ticket"))), _links=HREF)
TICKETS: dict[str, Any] = {
    "/tickets": {
        "get": shows(PAGE, "200", None, "limit", "cursor", "sort"),
        "post": shows(
            ref("Ticket"),
            "201",
            fields(
                "subject",
                subject=TEXT,
                priority={"type": "integer", "default": 3},
                owner=fields(id={"type": "integer"}),
            ),
        ),
    },
    "/notes": {"get": shows(many(ref("Note"))), "post": shows(ref("Note"), "201", many(fields(text=TEXT)))},
    "/notes/{note_id}": {"get": shows(ref("Note"))},
    "/tickets/{ticketId}": {"get": shows(ref("Ticket"))},
    "/tickets/{ticketId}/duplicate": {"post": shows(ref("Ticket"), "201", fields(subject=TEXT))},
    "/tickets/{ticketId}/comments": {
        "get": shows(fields(_embedded=fields(comments=many(ref("Comment"))))),
        "post": shows(ref("Comment"), "201", fields(text=TEXT)),
    },
    "/tickets/{ticketId}/owner": {"get": shows(ref("Agent"))},
    "/tickets/{ticketId}/approver": {"get": shows(ref("Agent"))},
    "/tickets/count": {"get": shows(fields("count", count={"type": "integer"}), "200", None, "subject")},
    "/search": {"get": shows(PAGE, "200", None, "q")},
    "/agents": {"get": shows(fields(_embedded=fields(agents=many(ref("Agent"))), _links=HREF))},
    "/agents/{agentId}": {"get": shows(ref("Agent"))},
    "/agents/{agentId}/tickets": {"get": shows(PAGE)},
}
SCHEMAS = {
    "Parcel": fields(
        "type",
        "id",
        "attributes",
        type={"const": "parcels"},
        id=TEXT,
        attributes=fields("name", **PARCEL),
        relationships=RELATED,
        links=SELF,
    ),
    "NewParcel": fields("type", type={"const": "parcels"}, attributes=fields("name", name=TEXT), relationships=RELATED),
    "Depot": fields(
        "type", "id", "attributes", type={"const": "depots"}, id=TEXT, attributes=fields("name", name=TEXT)
    ),
    "Ticket": fields("id", "priority", "_links", **TICKET, owner=ref("Agent"), assignee_name=TEXT),
    "Comment": fields("id", "author", id={"type": "integer"}, text=TEXT, author=ref("Agent")),
    "Note": fields(
        "id", "made_at", id=TEXT, text=TEXT, made_at={**TEXT, "pattern": r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$"}
    ),
    "Agent": fields("id", "name", id={"type": "integer"}, name=TEXT),
}


@pytest.fixture(scope="module")
def here() -> Iterator[Twindiff]:
    document = {"openapi": "3.1.0", "info": {"title": "Parcels"}, "components": {"schemas": SCHEMAS}}
    document["paths"] = PARCELS | TICKETS
    with Twindiff(twins=[Draft(describe(document), "parcels").twin()]) as server:
        yield server


@pytest.fixture
def client(here: Twindiff) -> Iterator[httpx.Client]:
    with here.create("parcels:parcels_base") as environment:
        yield httpx.Client(transport=here.transport(environment, "parcels"), base_url="https://parcels.test")


def add_parcel(client: httpx.Client, depot: str = "", **attributes: Any) -> dict[str, Any]:
    given: dict[str, Any] = {"type": "parcels", "attributes": attributes}
    if depot:
        given["relationships"] = {"depot": {"data": {"type": "depots", "id": depot}}}
    made = client.post("/parcels", json={"data": given})
    assert made.status_code == 201, made.text
    return made.json()["data"]


def test_attributes_of_json_api_are_fields_that_the_server_sets_and_bodies_do_not(client: httpx.Client):
    made = add_parcel(client, name="Loaf", status="sent", created_at="1999-01-01T00:00:00Z")
    assert (made["type"], made["attributes"]["name"], made["attributes"]["status"]) == ("parcels", "Loaf", "draft")
    assert made["attributes"]["created_at"] > "2000"
    assert made["links"]["self"].endswith(f"/parcels/{made['id']}")
    sent = client.post(f"/parcels/{made['id']}/send").json()["data"]["attributes"]
    assert (sent["status"], sent["sent_at"] > "2000") == ("sent", True)


def test_lists_of_json_api_are_filtered_and_paged_by_parameters_with_brackets(client: httpx.Client):
    ids = [add_parcel(client, name=str(number))["id"] for number in range(3)]
    client.post(f"/parcels/{ids[1]}/send")
    assert [each["id"] for each in client.get("/parcels?filter[status]=sent").json()["data"]] == ids[1:2]
    first = client.get("/parcels?page[size]=2").json()
    assert [each["id"] for each in client.get(first["links"]["next"]).json()["data"]] == ids[2:]


def test_relationships_of_json_api_are_kept_and_list_what_stands_below(client: httpx.Client):
    depot = client.get("/depots").json()["data"][0]["id"]
    made = [add_parcel(client, depot, name="a"), add_parcel(client, name="b")]
    assert [each["relationships"]["depot"]["data"] for each in made] == [{"type": "depots", "id": depot}, None]
    assert [each["id"] for each in client.get(f"/depots/{depot}/parcels").json()["data"]] == [made[0]["id"]]


@pytest.mark.parametrize(
    ("field", "value"),
    [("attributes", ["a"]), ("attributes", "a"), ("relationships", ["a"]), ("relationships", {"depot": "a"})],
)
def test_parts_of_json_api_that_are_no_objects_are_refused(client: httpx.Client, field: str, value: Any):
    given = {"type": "parcels", "attributes": {"name": "a"}, field: value}
    assert client.post("/parcels", json={"data": given}).status_code == 400


def test_embedded_lists_of_hal_are_paged_by_their_links_the_newest_first_if_asked(client: httpx.Client):
    made = [client.post("/tickets", json={"subject": f"S{number}"}).json() for number in range(3)]
    assert [each["priority"] for each in made] == [3, 3, 3]
    assert made[0]["_links"]["self"]["href"].endswith(f"/tickets/{made[0]['id']}")
    first = client.get("/tickets?limit=2&sort=-createdAt").json()
    last = client.get(first["_links"]["next"]["href"]).json()
    assert [each["subject"] for each in (first["_embedded"]["tickets"] + last["_embedded"]["tickets"])] == [
        "S2",
        "S1",
        "S0",
    ]
    assert "next" not in last["_links"]


def test_counts_searches_and_what_people_made_follow_from_the_rows(client: httpx.Client):
    made = [client.post("/tickets", json={"subject": f"T{number}"}).json() for number in range(3)]
    assert client.get("/tickets/count").json() == {"count": 3}
    assert client.get("/tickets/count?subject=T1").json() == {"count": 1}
    assert [each["id"] for each in client.get("/search?q=T1").json()["_embedded"]["tickets"]] == [made[1]["id"]]
    agent = client.get("/agents").json()["_embedded"]["agents"][0]
    comment = client.post(f"/tickets/{made[0]['id']}/comments", json={"text": "hi"})
    assert (comment.json()["author"], comment.headers["X-Twindiff-Drafted"]) == (agent, "derived")


def test_a_copy_is_another_object_with_what_the_body_changes(client: httpx.Client):
    made = client.post("/tickets", json={"subject": "T", "priority": 5}).json()
    copies = [client.post(f"/tickets/{made['id']}/duplicate", json=each).json() for each in ({}, {"subject": "U"})]
    assert [(each["subject"], each["priority"]) for each in copies] == [("T", 5), ("U", 5)]
    assert len({each["id"] for each in (made, *copies)}) == 3
    assert client.post("/tickets/9/duplicate", json={}).status_code == 404


def test_a_list_as_a_body_is_not_taken_for_an_object_and_times_have_the_form_of_their_pattern(here: Twindiff):
    with here.create("parcels:parcels_sample") as environment:
        client = httpx.Client(transport=here.transport(environment, "parcels"), base_url="https://parcels.test")
        assert client.post("/notes", json=[{"text": "a"}, {"text": "b"}]).status_code == 501
        assert client.get("/notes").json()[0]["made_at"] == "2026-01-01 00:00:00"


def test_what_a_field_refers_to_is_read_below_its_object_and_never_another(client: httpx.Client):
    owned, free = (client.post("/tickets", json={"subject": "T", **more}).json() for more in ({"owner": {"id": 1}}, {}))
    assert client.get(f"/tickets/{owned['id']}/owner").json()["id"] == 1
    assert client.get(f"/tickets/{free['id']}/owner").status_code == 404
    assert client.get(f"/tickets/{owned['id']}/approver").status_code == 501
    assert [each["id"] for each in client.get("/agents/1/tickets").json()["_embedded"]["tickets"]] == [owned["id"]]
