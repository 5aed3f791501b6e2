"""What an overlay says of lists, events, names and subscriptions, acted over HTTP on an invented tracker."""

import base64
import hmac
from collections.abc import Iterator
from copy import deepcopy
from typing import Any
from urllib.parse import parse_qsl

import httpx
import msgspec
import pytest

from tests.harness import LiveServer, Platform
from tests.receiver import Receiver
from twindiff.checks import evaluate
from twindiff.drafts.documents import DescriptionError, describe
from twindiff.drafts.drafting import Draft, DraftedTwin
from twindiff.drafts.overlay import Overlay
from twindiff.environments.registry import Registry
from twindiff.local import Twindiff
from twindiff.server import Settings

from .bakery import answer, body, path, query, ref

TEXT: dict[str, Any] = {"type": "string"}
WHOLE: dict[str, Any] = {"type": "integer"}


def shape(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields}


TICKET = "/projects/{project_id}/tickets/{ticket_iid}"
PAGE = shape(items={"type": "array", "items": ref("Ticket")}, next_uri={**TEXT, "format": "uri"}, page=WHOLE)
PROJECTS = shape(data=shape(items={"type": "array", "items": ref("Project")}, next=TEXT, of=WHOLE), ok=TEXT)
TRACKER: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Tracker", "version": "1"},
    "servers": [{"url": "https://tracker.test"}],
    "paths": {
        "/projects": {
            "get": {"parameters": [query("size", **WHOLE), query("from")], "responses": answer(PROJECTS)},
            "post": {"requestBody": body("Project"), "responses": answer(ref("Project"), "201")},
        },
        "/projects/{project_id}": {"parameters": [path("project_id")], "get": {"responses": answer(ref("Project"))}},
        "/projects/{project_id}/tickets": {
            "parameters": [path("project_id")],
            "get": {"parameters": [query("size", **WHOLE), query("at", **WHOLE)], "responses": answer(PAGE)},
            "post": {"requestBody": body("NewTicket"), "responses": answer(ref("Ticket"), "201")},
        },
        "/projects/{project_id}/tickets/create_or_update": {
            "parameters": [path("project_id")],
            "post": {"requestBody": body("SameTicket"), "responses": answer(shape(ticket=ref("Ticket")))},
        },
        TICKET: {
            "parameters": [path("project_id"), path("ticket_iid")],
            "get": {"responses": answer(ref("Ticket"))},
            "put": {"requestBody": body("TicketChange"), "responses": answer(ref("Ticket"))},
        },
        f"{TICKET}/watch": {
            "parameters": [path("project_id"), path("ticket_iid")],
            "post": {"requestBody": body("Watch"), "responses": answer(ref("Ticket"))},
            "delete": {"requestBody": body("Watch"), "responses": answer(ref("Ticket"))},
        },
    },
    "components": {
        "schemas": {
            "Project": shape(id=WHOLE, full_path=TEXT),
            "Ticket": shape(
                id=WHOLE,
                iid=WHOLE,
                project_id=WHOLE,
                state=TEXT,
                code=TEXT,
                external_id=TEXT,
                name=TEXT,
                note=TEXT,
                labels={"type": "array", "items": TEXT},
                watchers={"type": "array", "items": shape(id=TEXT)},
                callback=TEXT,
            ),
            "NewTicket": shape(labels=TEXT, callback=TEXT, points=WHOLE),
            "TicketChange": shape(state_event=TEXT, labels=TEXT),
            "SameTicket": shape(external_id=TEXT, name=TEXT, who=TEXT),
            "Watch": shape(who={}),
        }
    },
}
OVERLAY = """
number_texts: true
tables: {tickets: issues}
errors: {body: {code: $code}, codes: {"404": 0}, kinds: {ticket: 10008}}
resources:
  projects: {aliases: [full_path]}
  issues:
    defaults: {code: $random}
    states: {field: state, initial: open, moves: {open: [closed]}, by: state_event, events: {close: closed}}
operations:
  POST /projects/{project_id}/tickets/create_or_update: {object: ticket, set: {note: $who}, answer: {by: $who}}
  GET /projects: {lists: {style: cursor, limit: size, at: from, next: data.next, total: data.of}, answer: {ok: "yes"}}
  GET /projects/{project_id}: {answer: {asked: $project_id}}
lists: {style: page, items: items, limit: size, at: at, first_page: 0, next: next_uri, relative: true}
actions:
  POST /projects/{project_id}/tickets/{ticket_iid}/watch: {add: {watchers: $who}}
  DELETE /projects/{project_id}/tickets/{ticket_iid}/watch: {remove: {watchers: $who}}
webhooks:
  events: {issues: {create: made, update: "${state}"}}
  body: {State: $object.state, Id: $key}
  form: true
  signature: {header: X-Signed, scheme: hmac-sha1, encoding: base64, signs: "${url}${fields}"}
  subscriptions: {table: issues, url: callback, secret: code, own: true}
"""


def make_tracker(overlay: str = OVERLAY, **options: Any) -> DraftedTwin:
    read = msgspec.yaml.decode(overlay, type=Overlay)
    return Draft(describe(deepcopy(TRACKER)), "tracker", read, **options).twin()


@pytest.fixture(scope="module")
def local() -> Iterator[Twindiff]:
    with Twindiff(twins=[make_tracker()]) as here:
        yield here


@pytest.fixture
def tracker(local: Twindiff) -> Iterator[httpx.Client]:
    with (
        local.create("tracker:tracker_base") as environment,
        httpx.Client(transport=local.transport(environment), base_url="https://tracker.test") as client,
    ):
        for name in ("bread", "group/cake"):
            client.post("/projects", json={"full_path": name})
        yield client


def test_items_are_added_to_lists_once_and_taken_out(tracker: httpx.Client):
    at = tracker.post("/projects/1001/tickets", json={}).json()["iid"]
    url = f"/projects/1001/tickets/{at}/watch"
    for given in ("ada", ["ada", "ben"], {"id": "cleo"}):
        shown = tracker.post(url, json={"who": given}).json()
    assert [each["id"] for each in shown["watchers"]] == ["ada", "ben", "cleo"]
    gone = tracker.request("DELETE", url, json={"who": "ben"}).json()
    assert [each["id"] for each in gone["watchers"]] == ["ada", "cleo"]


def test_only_what_stands_below_the_path_and_has_the_first_identifying_field_is_changed(tracker: httpx.Client):
    def put(project: int, **given: str) -> dict[str, Any]:
        return tracker.post(f"/projects/{project}/tickets/create_or_update", json=given).json()["ticket"]

    first = put(1001, external_id="a", name="Oven", who="ada")
    same = put(1001, external_id="a", name="Stove", who="ben")
    named_alike = put(1001, external_id="b", name="Stove", who="cleo")
    elsewhere = put(1002, external_id="a", name="Stove", who="cleo")
    assert (same["id"], same["name"], same["note"]) == (first["id"], "Stove", "ben")
    assert len({first["id"], named_alike["id"], elsewhere["id"]}) == 3
    assert put(1001, external_id="a", who="dan")["id"] == first["id"]


def test_a_list_keeps_its_place_beside_what_else_stands_there(tracker: httpx.Client):
    first = tracker.get("/projects", params={"size": 1}).json()
    assert first["ok"] == "yes"
    assert ([each["id"] for each in first["data"]["items"]], first["data"]["of"]) == ([1001], 2)
    rest = tracker.get("/projects", params={"size": 1, "from": first["data"]["next"]}).json()["data"]
    assert [each["id"] for each in rest["items"]] == [1002]


def test_what_an_overlay_adds_to_the_answer_stands_beside_one_object(tracker: httpx.Client):
    made = tracker.post("/projects/1001/tickets/create_or_update", json={"who": "ada"}).json()
    assert (made["by"], made["ticket"]["note"]) == ("ada", "ada")
    assert tracker.get("/projects/1001").json() == {"id": 1001, "full_path": "bread", "asked": "1001"}


def test_an_event_that_a_request_names_leads_to_its_state(tracker: httpx.Client):
    url = f"/projects/1001/tickets/{tracker.post('/projects/1001/tickets', json={}).json()['iid']}"
    assert tracker.put(url, json={"state_event": "close"}).json()["state"] == "closed"
    assert tracker.put(url, json={"state_event": "burn"}).status_code == 422


def test_numbers_count_below_what_stands_above_found_by_any_of_its_names(tracker: httpx.Client):
    made = [tracker.post(f"/projects/{at}/tickets", json={}).json() for at in ("1001", "bread", "1002")]
    assert [(each["project_id"], each["iid"]) for each in made] == [(1001, 1), (1001, 2), (1002, 1)]
    assert tracker.get("/projects/bread/tickets/2").json()["id"] == made[1]["id"]
    assert tracker.get("/projects/group%2Fcake").json()["id"] == 1002
    assert tracker.get("/projects/1002/tickets/2").json() == {"code": 10008}


def test_texts_stand_for_lists_and_numbers(tracker: httpx.Client):
    made = tracker.post("/projects/1001/tickets", json={"labels": "bug, ui", "points": "3"}).json()
    assert (made["labels"], len(made["code"])) == (["bug", "ui"], 64)


def test_addresses_of_pages_have_no_host_where_the_overlay_says(tracker: httpx.Client):
    for _ in range(2):
        tracker.post("/projects/1001/tickets", json={})
    first = tracker.get("/projects/1001/tickets", params={"size": 1}).json()
    assert (first["page"], first["next_uri"].startswith("/api/env/") or first["next_uri"]) == (
        0,
        "/projects/1001/tickets?size=1&at=1",
    )
    assert tracker.get(first["next_uri"]).json()["page"] == 1


def test_tables_have_the_names_that_the_overlay_gives():
    names = [each.name for each in make_tracker().tables]
    assert "issues" in names
    assert "tickets" not in names


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("tables: {tickts: issues}", "the table 'tickts', which there is not. Did you mean 'tickets'?"),
        ("actions: {'POST /projects': {add: {fullpath: x}}}", "the field 'fullpath' of projects, which there is not."),
        ("resources: {projects: {aliases: [path]}}", "the field 'path' of projects"),
    ],
)
def test_names_that_there_are_not_are_refused_unless_the_description_is_a_part(line: str, said: str):
    with pytest.raises(DescriptionError, match=said.replace("?", r"\?")):
        make_tracker(line)
    assert make_tracker(line, is_partial=True).plans


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver(lambda _: None)
    yield made
    made.close()


def test_a_form_is_signed_with_its_fields_and_tells_only_whom_it_concerns(receiver: Receiver):
    live = LiveServer(Settings(), Registry([make_tracker()]))
    try:
        made = Platform(live.client).post("initEnv", {"templates": ["tracker:tracker_base"], "impersonateUserId": "u"})
        base = f"{live.url}/api/env/{made['environmentId']}/services/tracker"
        httpx.post(f"{base}/projects", json={"full_path": "a"})
        tickets = [
            httpx.post(f"{base}/projects/1001/tickets", json={"callback": receiver.url}).json() for _ in range(2)
        ]
        httpx.put(f"{base}/projects/1001/tickets/2", json={"state_event": "close"})
        sent = receiver.wait(3)
    finally:
        live.close()
    codes = {str(each["id"]): each["code"] for each in tickets}
    for each in sent:
        fields = dict(parse_qsl(each.body.decode()))
        signed = receiver.url + "".join(f"{name}{fields[name]}" for name in sorted(fields))
        digest = hmac.new(codes[fields["Id"]].encode(), signed.encode(), "sha1").digest()
        assert each.headers["x-signed"] == base64.b64encode(digest).decode()
    assert sorted(dict(parse_qsl(each.body.decode()))["State"] for each in sent) == ["closed", "open", "open"]


CHORES: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Chores", "version": "1"},
    "servers": [{"url": "https://chores.test"}],
    "paths": {
        "/lists/{list_id}/chores/{chore_id}": {
            "parameters": [path("list_id"), path("chore_id")],
            "get": {"responses": answer(ref("Chore"))},
            "patch": {"requestBody": body("Chore"), "responses": answer(ref("Chore"))},
        },
        "/lists/{list_id}/clear": {"parameters": [path("list_id")], "post": {"responses": {"204": {}}}},
    },
    "components": {"schemas": {"Chore": shape(id=TEXT, title=TEXT, updated=TEXT, list_id=TEXT)}},
}


def test_a_removal_whose_path_names_no_object_is_not_served():
    overlay = {"operations": {"POST /lists/{list_id}/clear": {"does": "delete", "table": "chores"}}}
    draft = Draft(describe(CHORES), "chores", msgspec.convert(overlay, Overlay))
    plan = next(each for each in draft.plans if each.operation.verb == "POST")
    assert (plan.behaviour, plan.reason) == ("missing", "neither its path nor `by` of the overlay names a chore")


def test_the_time_of_a_change_is_no_change_of_its_own():
    overlay = {
        "seeds": {"chores": [{"id": "c1", "list_id": "l1", "title": "Sweep", "updated": "2026-01-01T00:00:00Z"}]}
    }
    draft = Draft(describe(CHORES), "chores", msgspec.convert(overlay, Overlay))
    with Twindiff(twins=[draft.twin()]) as td, td.create("chores:chores_base") as env:
        with httpx.Client(transport=td.transport(env), base_url="https://chores.test") as client:
            changed = client.patch("/lists/l1/chores/c1", json={"title": "Mop"}).json()
        assert changed["updated"] != "2026-01-01T00:00:00Z"
        where = {"diff_type": "changed", "entity": "chores", "expected_changes": {"title": {"to": "Mop"}}}
        assert evaluate({"assertions": [{**where, "expected_count": 1}]}, env.diff()).passed
