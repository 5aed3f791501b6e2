"""The events stream, and webhooks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.receiver import Receiver
from twindiff.twins.box.event_delivery.webhooks import PRIMARY_KEY, SECONDARY_KEY, signature, webhooks

from .conftest import ADA, Box


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver(lambda request: None)
    yield made
    made.close()


def events(box: Box, **query: Any) -> Any:
    return box("GET", "events", params=query)


def test_events_follow_a_position(box: Box):
    position = events(box, stream_position="now")["next_stream_position"]
    file = box.upload()["id"]
    box("PUT", f"files/{file}", {"name": "b.txt"})
    page = events(box, stream_position=position)
    assert [each["event_type"] for each in page["entries"]] == ["ITEM_UPLOAD", "ITEM_RENAME"]
    assert page["entries"][1]["source"]["name"] == "b.txt"
    assert events(box, stream_position=page["next_stream_position"])["chunk_size"] == 0


def test_pages_of_events_are_as_long_as_asked(box: Box):
    for number in range(5):
        box.folder(f"f{number}")
    first = events(box, limit=2)
    second = events(box, limit=10, stream_position=first["next_stream_position"])
    assert (first["chunk_size"], second["chunk_size"]) == (2, 3)


def test_others_are_told_of_what_they_can_see(box: Box, ben: Box):
    box.folder("secret")
    assert events(ben)["entries"] == []
    assert ben.refused("GET", "events?stream_type=admin_logs")[0] == 403
    assert events(box, stream_type="admin_logs", event_type="ITEM_CREATE")["chunk_size"] == 1


def test_a_realtime_server_tells_of_something_new(box: Box):
    (server,) = box("OPTIONS", "events")["entries"]
    client = box.environment.platform.client
    assert client.get(server["url"], params={"stream_position": 0}).json()["message"] == "reconnect"
    box.folder("new")
    assert client.get(server["url"], params={"stream_position": 0}).json()["message"] == "new_change"


@pytest.mark.parametrize("query", ["stream_position=x", "limit=501", "stream_type=gossip", "created_after=soon"])
def test_events_that_cannot_be_are_refused(box: Box, query: str):
    assert box.refused("GET", f"events?{query}") == (400, "bad_request")


def hook(box: Box, folder: str, *triggers: str) -> Any:
    target = {"id": folder, "type": "folder"}
    return box("POST", "webhooks", {"target": target, "address": "https://example.com/hook", "triggers": [*triggers]})


def test_webhooks_are_made_changed_and_deleted(box: Box):
    made = hook(box, box.folder("watched"), "FILE.UPLOADED")
    assert box("PUT", f"webhooks/{made['id']}", {"triggers": ["FILE.TRASHED"]})["triggers"] == ["FILE.TRASHED"]
    assert [each["id"] for each in box("GET", "webhooks")["entries"]] == [made["id"]]
    box("DELETE", f"webhooks/{made['id']}")
    assert box.refused("GET", f"webhooks/{made['id']}") == (404, "not_found")


def test_one_target_has_one_webhook(box: Box):
    folder = box.folder("watched")
    hook(box, folder, "FILE.UPLOADED")
    wanted = {"target": {"id": folder, "type": "folder"}, "address": "https://example.com", "triggers": ["FILE.MOVED"]}
    assert box.refused("POST", "webhooks", wanted) == (409, "conflict")


@pytest.mark.parametrize("bad", [{"address": "http://example.com"}, {"triggers": ["FILE.EATEN"]}, {"triggers": []}])
def test_a_webhook_that_cannot_be_is_refused(box: Box, bad: dict[str, Any]):
    target = {"id": box.folder("watched"), "type": "folder"}
    wanted = {"target": target, "address": "https://example.com", "triggers": ["FILE.MOVED"], **bad}
    assert box.refused("POST", "webhooks", wanted) == (400, "bad_request")


def test_an_upload_is_delivered_with_two_signatures(box: Box, receiver: Any):
    folder = box.folder("watched")
    target = {"id": folder, "type": "folder"}
    box("POST", "webhooks", {"target": target, "address": receiver.url, "triggers": ["FILE.UPLOADED"]})
    box.upload("elsewhere.txt")
    file = box.upload("here.txt", parent=box.folder("inner", folder))
    (got,) = receiver.wait(1)
    told = got.json
    assert (told["trigger"], told["source"]["id"]) == ("FILE.UPLOADED", file["id"])
    stamp = got.headers["box-delivery-timestamp"]
    for name, key in (("primary", PRIMARY_KEY), ("secondary", SECONDARY_KEY)):
        assert got.headers[f"box-signature-{name}"] == signature(key, got.body, stamp)


def test_a_folder_s_webhook_is_told_when_what_is_in_it_is_deleted_for_good(box: Box, receiver: Any):
    folder = box.folder("watched")
    target = {"id": folder, "type": "folder"}
    box("POST", "webhooks", {"target": target, "address": receiver.url, "triggers": ["FILE.DELETED"]})
    file = box.upload(parent=folder)["id"]
    box("DELETE", f"files/{file}")
    box("DELETE", f"files/{file}/trash")
    (got,) = receiver.wait(1)
    assert (got.json["trigger"], got.json["source"]["id"]) == ("FILE.DELETED", file)


def test_signatures_are_those_that_the_official_client_accepts():
    from box_sdk_gen.managers.webhooks import WebhooksManager

    body, stamp = b'{"type":"webhook_event"}', "2020-01-01T00:00:00+00:00"
    headers = {
        "box-delivery-timestamp": stamp,
        "box-signature-algorithm": "HmacSHA256",
        "box-signature-version": "1",
        "box-signature-primary": signature("k", body, stamp),
    }
    assert WebhooksManager.validate_message(body.decode(), headers, "k", max_age=10**10)
    assert not WebhooksManager.validate_message(body.decode(), headers, "other", max_age=10**10)
    assert "FILE.UPLOADED" in (webhooks.names or ())


def test_administrators_see_events_in_the_enterprise_s_words(box: Box):
    file = box.upload("plan.txt", b"12345", parent=box.folder("Plans"))
    made, event = events(box, stream_type="admin_logs", event_type="UPLOAD")["entries"]
    assert (made["source"]["item_type"], made["source"]["item_name"]) == ("folder", "Plans")
    source = event["source"]
    assert (event["event_type"], source["item_type"], source["item_id"]) == ("UPLOAD", "file", file["id"])
    assert (source["item_name"], source["parent"]["name"], source["owned_by"]["id"]) == ("plan.txt", "Plans", ADA)
    assert (event["additional_details"]["size"], bool(event["additional_details"]["service_id"])) == (5, True)
    assert events(box, event_type="ITEM_UPLOAD")["entries"][0]["source"]["name"] == "plan.txt"
