"""Kinds of operations, answers and objects that recorded traffic shows of many vendors."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from twindiff.drafts.documents import describe
from twindiff.drafts.drafting import Draft
from twindiff.drafts.learning import infer_schema, learn_description
from twindiff.drafts.overlay import read_overlay
from twindiff.drafts.proposals import propose_overlay, write_overlay
from twindiff.local import Twindiff

HOST = "https://api.crm.test"
Recorded = tuple[str, str, Any, int, Any]
Learn = Callable[..., httpx.Client]


@pytest.fixture
def learn(tmp_path: Path) -> Iterator[Learn]:
    """Serves what recorded calls show, with the overlay that is proposed, without its seeds."""
    with ExitStack() as opened:

        def serve(*calls: Recorded) -> httpx.Client:
            steps = [
                {
                    "method": verb,
                    "path": url.partition("?")[0],
                    "query": [each.split("=") for each in url.partition("?")[2].split("&") if each],
                    "body": body,
                    "status": status,
                    "response": answer,
                }
                for verb, url, body, status, answer in calls
            ]
            recording = tmp_path / "a.jsonl"
            recording.write_text(json.dumps({"host": HOST, "steps": steps}))
            document = learn_description([recording])
            proposed = propose_overlay([recording], document)
            proposed.pop("seeds", None)
            (tmp_path / "a.twin.yaml").write_text(write_overlay(proposed))
            draft = Draft(describe(document), "crm", read_overlay(tmp_path / "a.twin.yaml"))
            local = opened.enter_context(Twindiff(twins=[draft.twin()]))
            environment = opened.enter_context(local.create("crm:crm_base"))
            return opened.enter_context(httpx.Client(transport=local.transport(environment), base_url=HOST))

        yield serve


def user(id: int, email: str = "a@x.test", **more: Any) -> dict[str, Any]:
    return {"id": id, "url": f"{HOST}/users/{id}.json", "email": email, "alias": "", "active": True, **more}


MADE = [
    ("POST", "/users.json", {"user": {"email": "a@x.test"}}, 201, {"user": user(5001)}),
    ("POST", "/users.json", {"user": {"email": "b@x.test"}}, 201, {"user": user(5002, "b@x.test")}),
    ("GET", "/users/5001.json", None, 200, {"user": user(5001)}),
    ("GET", "/users.json", None, 200, {"users": [user(5001)], "per_page": 25}),
]


def test_an_object_is_made_or_changed_by_what_identifies_it(learn: Learn):
    upsert = ("POST", "/users/create_or_update.json", {"user": {"email": "c@x.test", "alias": "C"}}, 201)
    again = (*upsert[:3], 200, {"user": user(5003, "c@x.test", alias="C")})
    client = learn(*MADE, (*upsert, {"user": user(5003, "c@x.test", alias="C")}), again)
    made = client.post("/users/create_or_update.json", json={"user": {"email": "d@x.test", "alias": "D"}})
    changed = client.post("/users/create_or_update.json", json={"user": {"email": "d@x.test", "alias": "E"}})
    assert (made.status_code, changed.status_code) == (201, 200)
    assert changed.json()["user"] == {**made.json()["user"], "alias": "E"}


def test_texts_with_the_id_and_values_of_every_new_object_are_learnt(learn: Learn):
    client = learn(*MADE)
    made = client.post("/users.json", json={"user": {"email": "d@x.test"}}).json()["user"]
    assert made["url"] == f"{HOST}/users/{made['id']}.json"
    assert (made["active"], made["alias"]) == (True, "")
    assert client.get("/users.json").json()["per_page"] == 25


@pytest.mark.parametrize(
    ("second", "defaults"),
    [
        ({"color": "red"}, {"is_open": True}),
        ({"color": "blue"}, {"is_open": True}),
        ({}, {"color": "red", "is_open": True}),
    ],
)
def test_what_one_recorded_creation_shows_is_nobodys_default(tmp_path: Path, second: Any, defaults: dict[str, Any]):
    first = {"id": 7001, "city": "Ely", "color": "red", "is_open": True}
    other = {**first, "id": 7002, "city": "York", **second}
    steps = [
        {"method": "POST", "path": "/depots", "body": body, "status": 201, "response": shown}
        for body, shown in (({"city": "Ely"}, first), ({"city": "Ely"}, first), ({"city": "York", **second}, other))
    ]
    steps.append({"method": "GET", "path": "/depots/7001", "status": 200, "response": first})
    (tmp_path / "a.jsonl").write_text(json.dumps({"host": HOST, "steps": steps}))
    proposed = propose_overlay([tmp_path / "a.jsonl"], learn_description([tmp_path / "a.jsonl"]))
    assert proposed["resources"]["depots"]["defaults"] == defaults


def test_the_flag_of_one_object_is_no_default():
    assert "default" not in infer_schema([{"open": True}])["properties"]["open"]
    assert infer_schema([{"open": True}, {"open": True}])["properties"]["open"]["default"] is True


def test_a_text_that_is_never_null_is_empty_after_null_was_written(learn: Learn):
    changed = ("PUT", "/users/5001.json", {"user": {"alias": None}}, 200, {"user": user(5001)})
    client = learn(*MADE, changed, (*changed[:2], {"user": {"alias": "X"}}, 200, {"user": user(5001, alias="X")}))
    made = client.post("/users.json", json={"user": {"email": "d@x.test"}}).json()["user"]
    url = f"/users/{made['id']}.json"
    assert client.put(url, json={"user": {"alias": "X"}}).json()["user"]["alias"] == "X"
    assert client.put(url, json={"user": {"alias": None}}).json()["user"]["alias"] == ""


def test_delete_by_a_word_below_an_object_removes_it(learn: Learn):
    client = learn(*MADE, ("DELETE", "/users/5001/hard_delete", None, 204, None))
    made = client.post("/users.json", json={"user": {"email": "d@x.test"}}).json()["user"]
    assert client.delete(f"/users/{made['id']}/hard_delete").status_code == 204
    assert client.get(f"/users/{made['id']}.json").status_code == 404


def test_a_word_that_is_refused_where_ids_stand_is_an_id(learn: Learn):
    tables = {"tables": [{"id": "tbl1abcdefg", "name": "Plan"}]}
    client = learn(
        ("GET", "/bases/app1abcdefg/tables", None, 200, tables),
        ("GET", "/bases/junk/tables", None, 404, {"error": "NOT_FOUND"}),
        ("GET", "/rows/app1abcdefg/tbl1abcdefg", None, 200, {"records": [{"id": "rec1abcdefg", "name": "A"}]}),
        ("GET", "/rows/app1abcdefg/Empty", None, 200, {"records": []}),
    )
    assert client.get("/rows/app1abcdefg/Whatever").json() == {"records": []}
    assert client.get("/bases/other/tables").json() == {"tables": []}


EMAILS = {"emails": [{"email": "a@x.test"}]}
CONTACTS = [
    ("POST", "/contact/", EMAILS, 200, {"id": "c_aaaa1111", "lead_id": "l_1", "emails": []}),
    ("GET", "/contact/c_aaaa1111/", None, 200, {"id": "c_aaaa1111", "lead_id": "l_1", **EMAILS}),
    ("GET", "/custom_field/contact/", None, 200, {"data": [{"id": "cf_bbbb2222", "type": "text", "choices": None}]}),
    ("POST", "/custom_field/contact/", {"type": "text"}, 200, {"id": "cf_bbbb2222", "type": "text", "choices": None}),
]


def test_collections_that_end_in_the_same_word_are_told_apart(learn: Learn):
    client = learn(*CONTACTS)
    client.post("/contact/", json={"emails": [{"email": "b@x.test"}]})
    made = client.post("/custom_field/contact/", json={"type": "date"}).json()
    assert client.get("/custom_field/contact/").json() == {"data": [made]}


def test_a_search_elsewhere_lists_what_has_its_fields_and_meets_one_of_its_conditions(learn: Learn):
    def asked(*emails: str) -> dict[str, Any]:
        conditions = [{"field": {"field_name": "email"}, "condition": {"value": each}} for each in emails]
        return {"query": {"type": "or", "queries": conditions}}

    found = {"data": [{"__type": "contact", "id": "c_aaaa1111", "lead_id": "l_1"}], "cursor": None}
    client = learn(*CONTACTS, ("POST", "/data/search/", asked("a@x.test"), 200, found))
    ids = [
        client.post("/contact/", json={"emails": [{"email": each}]}).json()["id"] for each in ("b@x.test", "c@x.test")
    ]
    for emails, expected in ((("b@x.test",), ids[:1]), (("b@x.test", "c@x.test"), ids), (("d@x.test",), [])):
        listed = client.post("/data/search/", json=asked(*emails)).json()["data"]
        assert [each["id"] for each in listed] == expected


def test_what_stands_beside_choices_in_a_search_holds_as_well(learn: Learn):
    def asked(**beside: Any) -> dict[str, Any]:
        choices = [{"field": "city", "value": each} for each in ("Ely", "York")]
        return {"or": choices, **beside}

    shown = {"id": 7001, "city": "Ely", "color": "red"}
    client = learn(
        ("POST", "/depots", {"city": "Ely", "color": "red"}, 201, shown),
        ("GET", "/depots/7001", None, 200, shown),
        ("POST", "/depots/search", asked(), 200, {"data": [shown]}),
    )
    for city, color in (("Ely", "red"), ("York", "blue"), ("Hull", "blue")):
        client.post("/depots", json={"city": city, "color": color})
    blue = {"field": "color", "value": "blue"}
    for beside in ({"filters": [blue]}, {"filterGroups": [{"filters": [blue]}, {"filters": [{**blue, "value": "x"}]}]}):
        listed = client.post("/depots/search", json=asked(**beside)).json()["data"]
        assert [each["city"] for each in listed] == ["York"]


def test_a_list_inside_an_envelope_holds_its_objects_beside_their_scores(learn: Learn):
    item = {"result_score": 0.5, "item": {"id": 7001, "name": "Mill"}}
    page = {"pagination": {"start": 0, "limit": 100, "more_items_in_collection": False}}
    found = {"success": True, "data": {"items": [item]}, "additional_data": page}
    client = learn(
        ("POST", "/orgs", {"name": "Mill"}, 201, {"success": True, "data": {"id": 7001, "name": "Mill"}}),
        ("GET", "/orgs/7001", None, 200, {"success": True, "data": {"id": 7001, "name": "Mill"}}),
        ("GET", "/orgs/search?term=Mill", None, 200, found),
    )
    for name in ("Forge", "Mill"):
        client.post("/orgs", json={"name": name})
    found = client.get("/orgs/search?term=orge").json()
    assert [each["item"]["name"] for each in found["data"]["items"]] == ["Forge"]
    assert (found["success"], found["additional_data"]["pagination"]["limit"]) == (True, 100)


def test_lists_of_links_beside_a_list_and_in_its_objects_name_what_is_asked_for(learn: Learn):
    def links(url: str) -> list[dict[str, str]]:
        return [{"rel": "self", "href": HOST + url}]

    def member(id: str) -> dict[str, Any]:
        return {"id": id, "list_id": "aaaa1111", "_links": links(f"/lists/aaaa1111/members/{id}")}

    listed = {"members": [member("mmmm1111"), member("mmmm2222")], "_links": links("/lists/aaaa1111/members")}
    client = learn(
        ("GET", "/lists/aaaa1111/members", None, 200, listed),
        ("GET", "/lists/aaaa1111/members", None, 200, listed),
        ("POST", "/lists/aaaa1111/members", {"name": "A"}, 200, member("mmmm1111")),
    )
    made = client.post("/lists/bbbb2222/members", json={"name": "B"}).json()
    assert made["_links"] == links(f"/lists/bbbb2222/members/{made['id']}")
    assert client.get("/lists/bbbb2222/members").json()["_links"] == links("/lists/bbbb2222/members")


def test_a_change_keeps_the_fields_of_people_that_it_does_not_name(learn: Learn):
    shown = {"user": user(5001, user_fields={"shoe": 5, "hat": 6})}
    client = learn(*MADE, ("PUT", "/users/5001.json", {"user": {"user_fields": {"hat": 6}}}, 200, shown))
    made = client.post("/users.json", json={"user": {"email": "d@x.test"}}).json()["user"]
    url = f"/users/{made['id']}.json"
    client.put(url, json={"user": {"user_fields": {"shoe": 5}}})
    changed = client.put(url, json={"user": {"user_fields": {"hat": 6}}}).json()["user"]
    assert changed["user_fields"] == {"shoe": 5, "hat": 6}


REFUSED: dict[str, dict[str, Any]] = {
    "by a message": {"errors": [{"code": "missing", "message": "Email can't be blank"}]},
    "by a key": {"errors": {"email": ["is missing"]}},
    "by another field": {"message": "alias is too short"},
    "by a word of the envelope": {"email": "write to help"},
}


@pytest.mark.parametrize(("how", "status"), [*zip(REFUSED, (422, 422, 201, 201), strict=True)])
def test_a_body_requires_only_the_field_that_a_recorded_refusal_names(learn: Learn, how: str, status: int):
    refused = ("POST", "/users.json", {"user": {"alias": "A"}}, 422, REFUSED[how])
    bodies = [{"user": {"email": f"{each}@x.test", "alias": each}} for each in ("A", "B")]
    client = learn(*(("POST", "/users.json", each, 201, {"user": user(5001)}) for each in bodies), refused, *MADE[2:])
    assert client.post("/users.json", json={"user": {"email": "d@x.test"}}).status_code == 201
    assert client.post("/users.json", json={"user": {"alias": "A"}}).status_code == status


def test_what_was_only_seen_without_a_value_takes_one_of_any_type(learn: Learn):
    shown = {"id": 1, "note": None, "parts": [{"price": None}]}
    client = learn(("POST", "/v1/crates", {"note": None}, 201, shown), ("GET", "/v1/crates/1", None, 200, shown))
    given = {"note": {"text": "fragile"}}
    made = client.post("/v1/crates", json=given).json()
    assert (made["note"], client.get(f"/v1/crates/{made['id']}").json()["note"]) == (given["note"], given["note"])
    assert client.post("/v1/crates", json={}).json()["note"] is None


def test_what_one_collection_has_another_is_guessed_to_have(learn: Learn):
    client = learn(
        *MADE,
        ("PUT", "/users/5001.json", {"user": {"alias": "x"}}, 200, {"user": user(5001, alias="x")}),
        ("DELETE", "/users/5001.json", None, 204, None),
        ("GET", "/groups.json", None, 200, {"groups": [{"id": 7001, "name": "Staff"}]}),
        ("GET", "/groups/search.json", None, 200, {"groups": [{"id": 7001, "name": "Staff"}]}),
    )
    made = client.post("/groups.json", json={"group": {"name": "New"}})
    assert (made.status_code, made.json()["group"]["name"]) == (201, "New")
    assert made.headers["x-twindiff-drafted"] == "partly; guessed=operation"
    path = f"/groups/{made.json()['group']['id']}.json"
    assert client.put(path, json={"group": {"name": "Newer"}}).json()["group"]["name"] == "Newer"
    assert (client.delete(path).status_code, client.get(path).status_code) == (204, 404)
    assert client.patch("/users/5001.json", json={}).status_code == 501
