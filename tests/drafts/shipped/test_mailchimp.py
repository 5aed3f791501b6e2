"""What the handlers of Mailchimp do, called over HTTP."""

import io
import json
import tarfile
from hashlib import md5
from typing import Any

import httpx
import pytest

from .conftest import Connect

LIST = "/lists/tw1nd1ff01"
ADA = md5(b"ada@example.com", usedforsecurity=False).hexdigest()


@pytest.fixture
def mailchimp(connect: Connect) -> httpx.Client:
    return connect("mailchimp", "https://us1.api.mailchimp.com/3.0")


def add_member(mailchimp: httpx.Client, **more: Any) -> httpx.Response:
    given = {"email_address": "Ada@example.com", "status": "subscribed", "merge_fields": {"FNAME": "Ada"}, **more}
    return mailchimp.post(f"{LIST}/members", json=given)


def test_a_member_is_found_by_the_md5_of_its_address_in_lower_case(mailchimp: httpx.Client):
    made = add_member(mailchimp).json()
    assert (made["id"], made["full_name"], made["merge_fields"]["LNAME"]) == (ADA, "Ada", "")
    assert mailchimp.get(f"{LIST}/members/{ADA}").json() == made
    again = add_member(mailchimp)
    assert (again.status_code, again.json()["title"]) == (400, "Member Exists")
    assert mailchimp.get(LIST).json()["stats"]["member_count"] == 1


def test_an_archived_member_is_not_listed_and_comes_back(mailchimp: httpx.Client):
    add_member(mailchimp)
    assert mailchimp.delete(f"{LIST}/members/{ADA}").status_code == 204
    assert mailchimp.delete(f"{LIST}/members/{ADA}").status_code == 405
    assert mailchimp.get(f"{LIST}/members").json()["total_items"] == 0
    assert mailchimp.get(f"{LIST}/members/{ADA}").json()["status"] == "archived"
    assert add_member(mailchimp).json()["status"] == "subscribed"


def test_put_adds_or_changes_and_tags_are_active_or_not(mailchimp: httpx.Client):
    given = {"email_address": "ada@example.com", "merge_fields": {"FNAME": "Ada"}}
    assert mailchimp.put(f"{LIST}/members/{ADA}", json=given).status_code == 400
    assert mailchimp.put(f"{LIST}/members/{ADA}", json={**given, "status_if_new": "pending"}).json()["id"] == ADA
    changed = mailchimp.put(f"{LIST}/members/{ADA}", json={"merge_fields": {"LNAME": "Byron"}}).json()
    assert (changed["full_name"], changed["status"]) == ("Ada Byron", "pending")
    tags = [{"name": "vip", "status": "active"}, {"name": "old", "status": "inactive"}]
    assert mailchimp.post(f"{LIST}/members/{ADA}/tags", json={"tags": tags}).status_code == 204
    assert [each["name"] for each in mailchimp.get(f"{LIST}/members/{ADA}").json()["tags"]] == ["vip"]


def test_a_batch_reports_new_changed_and_refused_members(mailchimp: httpx.Client):
    add_member(mailchimp)
    members = [
        {"email_address": "ada@example.com", "status": "unsubscribed"},
        {"email_address": "bea@example.com", "status": "subscribed"},
        {"email_address": "nobody", "status": "subscribed"},
    ]
    done = mailchimp.post(LIST, json={"members": members, "update_existing": True}).json()
    assert [done[name] for name in ("total_created", "total_updated", "error_count")] == [1, 1, 1]
    assert mailchimp.get(f"{LIST}/members", params={"status": "unsubscribed"}).json()["total_items"] == 1


def test_a_merge_field_is_a_value_of_every_member(mailchimp: httpx.Client):
    add_member(mailchimp)
    field = mailchimp.post(f"{LIST}/merge-fields", json={"name": "Points", "type": "number", "tag": "pts"}).json()
    assert mailchimp.get(f"{LIST}/members/{ADA}").json()["merge_fields"]["PTS"] == ""
    assert mailchimp.post(f"{LIST}/merge-fields", json={"name": "P", "type": "number", "tag": "PTS"}).status_code == 400
    assert mailchimp.delete(f"{LIST}/merge-fields/{field['merge_id']}").status_code == 204
    assert "PTS" not in mailchimp.get(f"{LIST}/members/{ADA}").json()["merge_fields"]


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("fields=lists.id,total_items", {"lists", "total_items"}),
        ("exclude_fields=constraints,_links,lists.stats", {"lists", "total_items"}),
    ],
)
def test_fields_are_chosen_by_their_paths(mailchimp: httpx.Client, query: str, keys: set[str]):
    answer = mailchimp.get(f"/lists?{query}").json()
    assert answer.keys() == keys
    assert "stats" not in answer["lists"][0]
    assert mailchimp.get(f"/lists?{query}&fields=x&exclude_fields=y").status_code == 400


def test_a_static_segment_has_the_members_of_its_addresses(mailchimp: httpx.Client):
    add_member(mailchimp)
    given = {"name": "Bakers", "static_segment": ["ada@example.com", "no@example.com"]}
    url = f"{LIST}/segments/{mailchimp.post(f'{LIST}/segments', json=given).json()['id']}"
    assert [each["id"] for each in mailchimp.get(f"{url}/members").json()["members"]] == [ADA]
    batch = mailchimp.post(
        url, json={"members_to_remove": ["ada@example.com"], "members_to_add": ["x@y.example"]}
    ).json()
    assert (batch["total_added"], batch["total_removed"], batch["error_count"]) == (0, 1, 1)
    assert mailchimp.get(url).json()["member_count"] == 0


ADDRESS = {"condition_type": "EmailAddress", "field": "EMAIL", "op": "ends", "value": "@EXAMPLE.com"}
NAMED = {"condition_type": "TextMerge", "field": "FNAME", "op": "is", "value": "ada"}
NAMELESS = {"condition_type": "TextMerge", "field": "FNAME", "op": "blank"}


@pytest.mark.parametrize(
    ("match", "conditions", "count"),
    [
        ("any", [ADDRESS], 2),
        ("any", [NAMED], 1),
        ("any", [NAMED, NAMELESS], 2),
        ("all", [NAMED, NAMELESS], 0),
        ("all", [ADDRESS, {**NAMED, "op": "not"}], 1),
        ("all", [{**ADDRESS, "op": "contains", "value": "bea"}], 1),
        ("all", [{**ADDRESS, "op": "notcontain", "value": "bea"}], 1),
    ],
)
def test_a_saved_segment_has_the_members_that_meet_its_conditions(
    mailchimp: httpx.Client, match: str, conditions: list[Any], count: int
):
    add_member(mailchimp)
    given = {"name": "By rule", "options": {"match": match, "conditions": conditions}}
    made = mailchimp.post(f"{LIST}/segments", json=given).json()
    add_member(mailchimp, email_address="bea@example.com", merge_fields={})
    shown = mailchimp.get(f"{LIST}/segments/{made['id']}").json()
    assert (shown["type"], shown["member_count"], shown["options"]["match"]) == ("saved", count, match)
    assert len(mailchimp.get(f"{LIST}/segments/{made['id']}/members").json()["members"]) == count
    listed = mailchimp.get(f"{LIST}/segments", params={"type": "saved"}).json()["segments"]
    assert made["id"] in [each["id"] for each in listed]
    refused = mailchimp.post(f"{LIST}/segments/{made['id']}", json={"members_to_add": ["ada@example.com"]})
    assert refused.status_code == 400


def test_a_saved_segment_looks_into_static_ones_and_tags(mailchimp: httpx.Client):
    add_member(mailchimp, tags=["vip"])
    add_member(mailchimp, email_address="bea@example.com")
    static = mailchimp.post(f"{LIST}/segments", json={"name": "S", "static_segment": ["bea@example.com"]}).json()["id"]
    tag = mailchimp.get(f"{LIST}/tag-search", params={"name": "vip"}).json()["tags"][0]["id"]

    def members(op: str, value: int) -> list[str]:
        condition = {"condition_type": "StaticSegment", "field": "static_segment", "op": op, "value": value}
        given = {"name": f"{op}{value}", "options": {"match": "all", "conditions": [condition]}}
        made = mailchimp.post(f"{LIST}/segments", json=given).json()["id"]
        return [each["email_address"] for each in mailchimp.get(f"{LIST}/segments/{made}/members").json()["members"]]

    assert members("static_is", static) == members("static_not", tag) == ["bea@example.com"]
    assert members("static_is", tag) == members("static_not", static) == ["Ada@example.com"]


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({"match": "any"}, 400),
        ({"match": "some", "conditions": [ADDRESS]}, 400),
        ({"match": "any", "conditions": [{**ADDRESS, "op": "blank"}]}, 400),
        ({"match": "any", "conditions": [{**ADDRESS, "value": None}]}, 400),
        ({"match": "any", "conditions": [{**NAMED, "field": "SALT"}]}, 400),
        ({"match": "any", "conditions": [5]}, 400),
        ({"match": "any", "conditions": [{"field": "static_segment", "op": "static_is", "value": 77}]}, 400),
        ({"match": "any", "conditions": [{**ADDRESS, "condition_type": "MemberRating"}]}, 501),
    ],
)
def test_conditions_that_are_invalid_or_not_served_are_refused(mailchimp: httpx.Client, options: Any, status: int):
    refused = mailchimp.post(f"{LIST}/segments", json={"name": "By rule", "options": options})
    assert (refused.status_code, refused.json()["status"]) == (status, status)


def test_members_have_the_interests_of_their_list(mailchimp: httpx.Client):
    asked = {"title": "Bread", "type": "checkboxes"}
    category = mailchimp.post(f"{LIST}/interest-categories", json=asked).json()["id"]
    url = f"{LIST}/interest-categories/{category}/interests"
    rye, spelt = (mailchimp.post(url, json={"name": name}).json()["id"] for name in ("Rye", "Spelt"))
    assert add_member(mailchimp, interests={rye: True}).json()["interests"] == {rye: True, spelt: False}
    assert [each["subscriber_count"] for each in mailchimp.get(url).json()["interests"]] == ["1", "0"]
    unknown = mailchimp.patch(f"{LIST}/members/{ADA}", json={"interests": {"nope": True}})
    assert (unknown.status_code, "Invalid interest ID" in unknown.json()["detail"]) == (400, True)


def test_notes_about_a_member_are_written_changed_and_removed(mailchimp: httpx.Client):
    add_member(mailchimp)
    url = f"{LIST}/members/{ADA}/notes"
    note = f"{url}/{mailchimp.post(url, json={'note': 'Likes rye'}).json()['id']}"
    assert mailchimp.patch(note, json={"note": "Likes spelt"}).json()["note"] == "Likes spelt"
    assert mailchimp.get(url).json()["total_items"] == 1
    assert mailchimp.delete(note).status_code == 204
    assert mailchimp.get(note).json()["title"] == "Resource Not Found"


def test_a_campaign_is_sent_once_it_lacks_nothing(mailchimp: httpx.Client):
    add_member(mailchimp)
    given = {"type": "regular", "recipients": {"list_id": "tw1nd1ff01"}, "settings": {"subject_line": "Rye"}}
    url = f"/campaigns/{mailchimp.post('/campaigns', json=given).json()['id']}"
    refused = mailchimp.post(f"{url}/actions/send").json()["detail"]
    assert refused == "Your Campaign is not ready to send. It has no from name, no reply to, no content."
    mailchimp.patch(url, json={"settings": {"from_name": "Ada", "reply_to": "ada@example.com"}})
    template = mailchimp.post("/templates", json={"name": "T", "html": "<p>Rye</p>"}).json()["id"]
    content = mailchimp.put(f"{url}/content", json={"template": {"id": template}}).json()
    assert (content["html"], content["plain_text"]) == ("<p>Rye</p>", "Rye")
    soon = {"schedule_time": "2030-01-01T10:15:00+00:00"}
    assert mailchimp.post(f"{url}/actions/schedule", json={"schedule_time": "2030-01-01T10:07:00Z"}).status_code == 400
    assert mailchimp.post(f"{url}/actions/schedule", json=soon).status_code == 204
    assert mailchimp.post(f"{url}/actions/unschedule").status_code == 204
    assert mailchimp.post(f"{url}/actions/send").status_code == 204
    sent = mailchimp.get(url).json()
    assert (sent["status"], sent["emails_sent"]) == ("sent", 1)
    assert mailchimp.patch(url, json={"settings": {}}).status_code == 400


def test_a_batch_does_its_operations_and_packs_their_answers(mailchimp: httpx.Client):
    member = {"email_address": "bo@example.com", "status": "subscribed"}
    operations: list[dict[str, Any]] = [
        {"method": "POST", "path": f"{LIST}/members", "body": json.dumps(member), "operation_id": "one"},
        {"method": "POST", "path": f"{LIST}/members", "body": json.dumps(member)},
        {"method": "GET", "path": f"{LIST}/members", "params": {"fields": "total_items"}},
        {"method": "GET", "path": "/nowhere"},
    ]
    made = mailchimp.post("/batches", json={"operations": operations}).json()
    assert (made["status"], made["response_body_url"]) == ("pending", "")
    batch = mailchimp.get(f"/batches/{made['id']}").json()
    assert (batch["status"], batch["total_operations"], batch["errored_operations"]) == ("finished", 4, 2)
    signed = batch["response_body_url"]
    for other in (signed.partition("?")[0], signed[:-1] + ("0" if signed[-1] != "0" else "1")):
        assert mailchimp.get(other, headers={"Authorization": ""}).status_code == 403
    packed = mailchimp.get(signed, headers={"Authorization": ""}).content
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        file = archive.extractfile(archive.getmembers()[0])
        assert file is not None
        answers = json.load(file)
    assert [each["status_code"] for each in answers] == [200, 400, 200, 501]
    assert (answers[0]["operation_id"], json.loads(answers[2]["response"])) == ("one", {"total_items": 1})
    assert mailchimp.get("/batches").json()["total_items"] == 1
    assert mailchimp.delete(f"/batches/{made['id']}").status_code == 204
    assert mailchimp.get(f"/batches/{made['id']}").status_code == 404


def test_a_batch_has_up_to_1000_operations(mailchimp: httpx.Client):
    made = mailchimp.post("/batches", json={"operations": 1_000 * [{"method": "GET", "path": "/lists/none"}]})
    assert made.status_code == 200
    batch = mailchimp.get(f"/batches/{made.json()['id']}").json()
    assert (batch["total_operations"], batch["errored_operations"]) == (1_000, 1_000)


def test_the_answers_of_a_batch_are_limited_together(mailchimp: httpx.Client):
    campaign = {"type": "regular", "settings": {"title": "x" * 500_000}}
    assert mailchimp.post("/campaigns", json=campaign).status_code == 200
    listing = {"method": "GET", "path": "/campaigns"}
    assert mailchimp.post("/batches", json={"operations": [listing]}).status_code == 200
    assert mailchimp.post("/batches", json={"operations": 40 * [listing]}).status_code == 400
    assert mailchimp.get("/batches").json()["total_items"] == 1


@pytest.mark.parametrize(
    "operations", [[], [{"method": "TRACE", "path": "/lists"}], 1001 * [{"method": "GET", "path": "/x"}], None]
)
def test_a_batch_that_cannot_be_is_refused(mailchimp: httpx.Client, operations: Any):
    assert mailchimp.post("/batches", json={"operations": operations}).status_code == 400
    assert mailchimp.get("/batches").json()["total_items"] == 0
