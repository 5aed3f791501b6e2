"""What the handlers of Mailchimp do, called over HTTP."""

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
