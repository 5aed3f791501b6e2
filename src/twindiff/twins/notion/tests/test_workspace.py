"""Users, file uploads, tokens, webhooks and Markdown."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from base64 import b64encode
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from jsonschema import Draft202012Validator

from tests.harness import LiveServer, Platform
from tests.receiver import Receiver
from twindiff.kit.events import DeliveryAttempt, Emitted, Subscription
from twindiff.server import Settings
from twindiff.twins.notion.event_delivery.webhooks import NAMES, webhooks

from .conftest import ADA, BOT, HOME, Notion, paragraph

SHARED = Path(os.environ.get("TWINDIFF_SHARED", Path(__file__).parents[6] / "shared"))
SPEC = SHARED / "specs" / "notion" / "notion_client_5.26.0.openapi.derived.json"


def test_people_and_bots_are_listed_and_the_token_has_a_bot(notion: Notion):
    users = notion("GET", "users?page_size=3")
    assert [each["type"] for each in users["results"]] == ["person"] * 3
    assert notion("GET", f"users?start_cursor={users['next_cursor']}")["results"][0]["id"] == BOT
    assert (notion("GET", "users/me")["id"], notion("GET", f"users/{ADA}")["person"]["email"]) == (
        BOT,
        "ada.admin@example.com",
    )


def send(notion: Notion, id: str, data: bytes, kind: str = "text/plain", **form: Any) -> Any:
    return notion.http("POST", f"file_uploads/{id}/send", files={"file": ("a.txt", data, kind)}, data=form)


def test_a_file_is_uploaded_attached_and_downloaded(notion: Notion):
    upload = notion("POST", "file_uploads", {"filename": "a.txt", "content_type": "text/plain"})
    assert (upload["status"], "upload_url" in upload) == ("pending", True)
    image = {"file": {"type": "file_upload", "file_upload": {"id": upload["id"]}}}
    assert notion.refused("PATCH", f"blocks/{HOME}/children", {"children": [image]})[1] == "validation_error"
    assert send(notion, upload["id"], b"Hello").json()["status"] == "uploaded"
    assert send(notion, upload["id"], b"again").status_code == 400
    shown = notion.append(HOME, image)[0]["file"]
    path = shown["file"]["url"].partition("/services/notion")[2]
    assert (shown["type"], notion.http("GET", path).content) == ("file", b"Hello")
    assert notion.http("GET", path.replace("signature=", "signature=0")).status_code == 404


def test_a_file_is_uploaded_in_parts(notion: Notion):
    body = {"mode": "multi_part", "filename": "a.txt", "number_of_parts": 2, "content_type": "text/plain"}
    id = notion("POST", "file_uploads", body)["id"]
    assert send(notion, id, b"world", part_number="2").json()["number_of_parts"] == {"total": 2, "sent": 1}
    assert notion.refused("POST", f"file_uploads/{id}/complete")[1] == "validation_error"
    assert send(notion, id, b"Hello ", part_number="3").status_code == 400
    send(notion, id, b"Hello ", part_number="1")
    done = notion("POST", f"file_uploads/{id}/complete")
    assert (done["status"], done["content_length"]) == ("uploaded", 11)


def test_an_upload_that_is_not_attached_expires(workspace: Any):
    notion = workspace(clock={"mode": "steps", "start": "2026-03-01T10:00:00"})
    id = notion("POST", "file_uploads", {"filename": "a.txt"})["id"]
    notion.environment.platform.post(f"env/{notion.environment.made['environmentId']}/clock", {"advance": 3700})
    assert notion("GET", f"file_uploads/{id}")["status"] == "expired"
    assert notion("GET", "file_uploads?status=pending")["results"] == []


@pytest.mark.parametrize(
    "body",
    [
        {"mode": "multi_part", "filename": "a.txt"},
        {"mode": "multi_part", "filename": "a.txt", "number_of_parts": 0},
        {"mode": "external_url", "filename": "a.png", "external_url": "http://a.b"},
        {"number_of_parts": 2},
        {"mode": "carrier_pigeon"},
    ],
)
def test_uploads_that_cannot_be_are_refused(notion: Notion, body: Any):
    assert notion.refused("POST", "file_uploads", body)[:2] == (400, "validation_error")


BASIC = {"Authorization": "Basic " + b64encode(b"client:secret").decode()}


def test_a_public_integration_gets_refreshes_and_revokes_tokens(notion: Notion):
    asked = notion.http(
        "GET", "oauth/authorize?client_id=client&response_type=code&redirect_uri=https://app.test/cb&state=s"
    )
    code = parse_qs(urlsplit(asked.headers["Location"]).query)["code"][0]
    body = {"grant_type": "authorization_code", "code": code, "redirect_uri": "https://app.test/cb"}
    token = notion.http("POST", "oauth/token", json=body, headers=BASIC, token="").json()
    assert (token["token_type"], token["bot_id"]) == ("bearer", BOT)
    assert notion.http("POST", "oauth/token", json=body, headers=BASIC, token="").json()["code"] == "invalid_grant"
    assert notion.http("GET", "users/me", token=token["access_token"]).json()["id"] == BOT
    again = {"grant_type": "refresh_token", "refresh_token": token["refresh_token"]}
    fresh = notion.http("POST", "oauth/token", json=again, headers=BASIC, token="").json()
    about = {"token": fresh["access_token"]}
    assert notion.http("POST", "oauth/introspect", json=about, headers=BASIC, token="").json()["active"] is True
    notion.http("POST", "oauth/revoke", json=about, headers=BASIC, token="")
    assert notion.http("POST", "oauth/introspect", json=about, headers=BASIC, token="").json()["active"] is False
    assert notion.http("GET", "users/me", token=fresh["access_token"]).status_code == 401


class _NoRows:
    """A store without rows."""

    def find(self, *where: Any) -> None:
        return None

    def rows(self, *where: Any, **options: Any) -> list[Any]:
        return []


def test_webhooks_carry_the_payload_and_the_signature_that_notion_documents():
    event = Emitted(
        "env",
        1,
        0,
        "POST /v1/pages",
        BOT,
        1_700_000_000_000_000,
        "page.created",
        {"entity": {"id": HOME, "type": "page"}, "data": {}},
    )
    subscription = Subscription("sub", "https://app.test", "token", ("page.created",), BOT)
    [message] = webhooks.notifications(event, subscription, _NoRows())  # pyright: ignore[reportArgumentType]
    request = webhooks.request(message, subscription, DeliveryAttempt(0, 0))
    body = json.loads(request.body)
    assert (body["type"], body["timestamp"], body["attempt_number"]) == ("page.created", "2023-11-14T22:13:20.000Z", 1)
    assert (
        dict(request.headers)["X-Notion-Signature"]
        == "sha256=" + hmac.new(b"token", request.body, hashlib.sha256).hexdigest()
    )
    assert [*webhooks.notifications(event, subscription._replace(events=("page.moved",)), _NoRows())] == []  # pyright: ignore[reportArgumentType]


def test_a_subscriber_is_verified_and_told_of_events_that_it_can_check():
    receiver, server = Receiver(lambda request: None), LiveServer(Settings())
    try:
        platform = Platform(server.client)
        notion = Notion(platform.environment("notion:notion_base", BOT, tokens={f"token-{BOT}": BOT}))
        body = {"twin": "notion", "url": receiver.url, "events": ["page.created"]}
        platform.post(f"env/{notion.environment.made['environmentId']}/webhooks", body)
        page = notion.page()["id"]
        verification, event = receiver.wait(2)
        secret = verification.json["verification_token"].encode()
        assert (
            event.headers["x-notion-signature"] == "sha256=" + hmac.new(secret, event.body, hashlib.sha256).hexdigest()
        )
        assert (event.json["type"], event.json["entity"]) == ("page.created", {"id": page, "type": "page"})
    finally:
        receiver.close()
        server.close()


def _change_everything(notion: Notion) -> None:
    """Make the changes that events tell of."""
    page, source, other = notion.page()["id"], notion.source(), notion.source()
    first, second = (notion("GET", f"data_sources/{each}")["parent"]["database_id"] for each in (source, other))
    view_body = {"database_id": first, "data_source_id": source, "name": "B", "type": "table"}
    view = notion("POST", "views", view_body)["id"]
    comment = notion("POST", "comments", {"parent": {"page_id": page}, "markdown": "hi"})["id"]
    notion.append(page, paragraph("a"))
    notion.row(source, "row")
    to_page, to_second = {"page_id": notion.page("Other")["id"]}, {"type": "database_id", "database_id": second}
    trash, restore = {"in_trash": True}, {"in_trash": False}
    changes: dict[str, list[Any]] = {
        f"pages/{page}": [{"is_locked": True, "icon": {"emoji": "🚀"}}, {"is_locked": False}, trash, restore],
        f"data_sources/{source}": [{"properties": {"N": {"number": {}}}}, trash, restore, {"parent": to_second}],
        f"databases/{first}": [trash, restore, {"parent": {"type": "page_id", **to_page}}],
        f"comments/{comment}": [{"markdown": "ho"}],
        f"views/{view}": [{"name": "C"}],
    }
    for path, bodies in changes.items():
        for body in bodies:
            notion("PATCH", path, body)
    notion("POST", f"pages/{page}/move", {"parent": to_page})
    notion("POST", "data_sources", {"parent": {"database_id": second}, "properties": {"Name": {"title": {}}}})
    notion("DELETE", f"comments/{comment}")
    notion("DELETE", f"views/{view}")
    upload = notion("POST", "file_uploads", {"filename": "a.txt"})["id"]
    notion("POST", f"file_uploads/{upload}/send", files={"file": ("a.txt", b"hi", "text/plain")})
    environment = notion.environment
    environment.platform.post(f"env/{environment.id}/clock", {"advance": 3600})


NEVER = {"database.content_updated", "database.schema_updated", "file_upload.upload_failed"}
"""Events that nothing emits; those of databases are sent in place of those of data sources."""


@pytest.mark.skipif(not SPEC.exists(), reason=f"there is no description at {SPEC}; set TWINDIFF_SHARED")
def test_every_event_is_emitted_with_a_payload_of_notion_s_types(notion: Notion):
    _change_everything(notion)
    components = json.loads(SPEC.read_text("utf-8"))["components"]
    named = {n: each for n, each in components["schemas"].items() if n.endswith("WebhookPayload")}
    schemas = {each["properties"]["type"]["const"]: name for name, each in named.items()}
    environment = notion.environment
    journal = environment.platform.get(f"env/{environment.id}/journal?limit=500")
    emitted = {event["name"]: event["payload"] for record in journal["records"] for event in record.get("events", [])}
    assert NAMES - emitted.keys() == NEVER
    subscription = Subscription("sub", "https://app.test", "token", (*NAMES,), BOT)
    told: set[str] = set()
    for name, payload in emitted.items():
        event = Emitted("env", 1, 0, "POST /v1/pages", BOT, 1_700_000_000_000_000, name, payload)
        for message in webhooks.notifications(event, subscription, _NoRows()):  # pyright: ignore[reportArgumentType]
            body = json.loads(webhooks.request(message, subscription, DeliveryAttempt(0, 0)).body)
            told.add(body["type"])
            schema = {"$ref": f"#/components/schemas/{schemas[body['type']]}", "components": components}
            assert [*Draft202012Validator(schema).iter_errors(body)] == [], body["type"]  # pyright: ignore[reportUnknownMemberType]
    assert NAMES - told == {"file_upload.upload_failed"}


def _list_events(notion: Notion) -> list[Any]:
    journal = notion.environment.platform.get(f"env/{notion.environment.id}/journal?limit=500")
    return [event for record in journal["records"] for event in record.get("events", [])]


def test_the_events_of_databases_are_sent_to_those_who_name_them():
    receiver, server = Receiver(lambda request: None), LiveServer(Settings())
    try:
        platform = Platform(server.client)
        notion = Notion(platform.environment("notion:notion_base", BOT, tokens={f"token-{BOT}": BOT}))
        source = notion.source()
        database = notion("GET", f"data_sources/{source}")["parent"]["database_id"]
        names = ["data_source.content_updated", "database.content_updated"]
        body = {"twin": "notion", "url": receiver.url, "events": names}
        platform.post(f"env/{notion.environment.made['environmentId']}/webhooks", body)
        notion.row(source, "row")
        _, one, other = receiver.wait(3)
        assert one.json["id"] != other.json["id"]
        assert sorted(each.json["type"] for each in (one, other)) == names
        event = one if one.json["type"] == names[1] else other
        assert (event.json["type"], event.json["api_version"]) == ("database.content_updated", "2022-06-28")
        assert event.json["entity"] == {"id": database, "type": "database"}
    finally:
        receiver.close()
        server.close()


def test_a_page_that_moves_out_changes_the_source_that_listed_it(notion: Notion):
    source, other = notion.source(), notion.source()
    page = notion.row(source, "row")["id"]
    notion("POST", f"pages/{page}/move", {"parent": {"data_source_id": other}})
    notion("POST", f"pages/{page}/move", {"parent": {"page_id": notion.page("Other")["id"]}})
    changed = [
        event["payload"]["entity"]["id"]
        for event in _list_events(notion)
        if event["name"] == "data_source.content_updated"
    ]
    assert changed == [source, other, source, other]


def test_an_upload_that_is_not_attached_in_an_hour_expires(notion: Notion):
    pending, sent = (notion("POST", "file_uploads", {"filename": f"{n}.txt"})["id"] for n in range(2))
    notion("POST", f"file_uploads/{sent}/send", files={"file": ("1.txt", b"hi", "text/plain")})
    environment = notion.environment
    environment.platform.post(f"env/{environment.id}/clock", {"advance": 3600})
    expired = [
        event["payload"]["entity"]["id"] for event in _list_events(notion) if event["name"] == "file_upload.expired"
    ]
    assert sorted(expired) == sorted([pending, sent])
    assert notion("GET", f"file_uploads/{sent}")["status"] == "expired"


@pytest.mark.parametrize(
    ("verb", "path"),
    [("POST", "pages"), ("PATCH", f"pages/{HOME}"), ("PATCH", f"blocks/{HOME}/children"), ("POST", "comments")],
)
def test_a_body_over_500_kilobytes_is_invalid(notion: Notion, verb: str, path: str):
    for size, said in ((512_000, "should be"), (512_001, "the payload should be at most 500 KB.")):
        head = b'{"pad": "'
        body = head + b"x" * (size - len(head) - 2) + b'"}'
        answer = notion.environment.ask(
            f"v1/{path}",
            verb=verb,
            twin="notion",
            token=f"token-{BOT}",
            content=body,
            headers={"Notion-Version": "2026-03-11", "Content-Type": "application/json"},
        )
        assert (answer.status_code, answer.json()["code"]) == (400, "validation_error")
        assert said in answer.json()["message"]
        assert (size > 512_000) == ("payload" in answer.json()["message"])


def test_every_change_emits_its_event(notion: Notion):
    page = notion.page()["id"]
    notion.append(page, paragraph("a"))
    notion("PATCH", f"pages/{page}", {"is_locked": True, "icon": {"emoji": "🚀"}})
    notion("POST", f"pages/{page}/move", {"parent": {"page_id": notion.page("Other")["id"]}})
    source = notion.source()
    notion("PATCH", f"data_sources/{source}", {"properties": {"N": {"number": {}}}})
    notion("POST", "comments", {"parent": {"page_id": page}, "markdown": "hi"})
    notion("PATCH", f"pages/{page}", {"in_trash": True})
    journal = notion.environment.platform.get(f"env/{notion.environment.made['environmentId']}/journal")
    emitted = [event["name"] for record in journal["records"] for event in record.get("events", [])]
    assert {*emitted} >= {
        "page.created",
        "page.content_updated",
        "page.locked",
        "page.properties_updated",
        "page.moved",
        "database.created",
        "data_source.schema_updated",
        "comment.created",
        "page.deleted",
    }
    assert {*emitted} <= NAMES


MARKDOWN = """# Plan **bold** {color="blue"}
First with [a link](https://example.com) and `code`
- one
\t- two
- [x] done
1. first
> quote
<details>
<summary>Toggle</summary>
\tinside
</details>
<callout icon="💡" color="gray_bg">
\tNote
</callout>
```python
print(1)
```
<table header-row="true" header-column="false">
<tr>
<td>a</td>
<td>b</td>
</tr>
</table>
<columns>
\t<column>
\t\tleft
\t</column>
\t<column>
\t\tright
\t</column>
</columns>
$$
x^2
$$
---"""


def test_markdown_becomes_blocks_and_markdown_again(notion: Notion):
    body = {"parent": {"page_id": HOME}, "properties": {"title": []}, "markdown": MARKDOWN}
    page = notion("POST", "pages", body)["id"]
    types = [each["type"] for each in notion("GET", f"blocks/{page}/children")["results"]]
    assert types == [
        "heading_1",
        "paragraph",
        "bulleted_list_item",
        "to_do",
        "numbered_list_item",
        "quote",
        "toggle",
        "callout",
        "code",
        "table",
        "column_list",
        "equation",
        "divider",
    ]
    assert notion("GET", f"pages/{page}/markdown")["markdown"] == MARKDOWN


def test_markdown_updates_leave_the_blocks_that_stay_the_same(notion: Notion):
    page = notion("POST", "pages", {"parent": {"page_id": HOME}, "markdown": "one\ntwo\nthree"})["id"]
    before = [each["id"] for each in notion("GET", f"blocks/{page}/children")["results"]]
    update = {"type": "update_content", "update_content": {"content_updates": [{"old_str": "two", "new_str": "TWO"}]}}
    assert notion("PATCH", f"pages/{page}/markdown", update)["markdown"] == "one\nTWO\nthree"
    after = [each["id"] for each in notion("GET", f"blocks/{page}/children")["results"]]
    assert (after[0], after[2], after[1] == before[1]) == (before[0], before[2], False)
    insert = {"type": "insert_content", "insert_content": {"content": "four", "after": "three"}}
    assert notion("PATCH", f"pages/{page}/markdown", insert)["markdown"] == "one\nTWO\nthree\nfour"
    missing = {"type": "update_content", "update_content": {"content_updates": [{"old_str": "nope", "new_str": ""}]}}
    assert notion.refused("PATCH", f"pages/{page}/markdown", missing)[1] == "validation_error"


def test_markdown_deletes_child_pages_only_where_it_may(notion: Notion):
    page = notion.page()["id"]
    notion.page("Child", parent={"page_id": page})
    body: Any = {"type": "replace_content", "replace_content": {"new_str": "new"}}
    assert notion.refused("PATCH", f"pages/{page}/markdown", body)[1] == "validation_error"
    body["replace_content"]["allow_deleting_content"] = True
    assert notion("PATCH", f"pages/{page}/markdown", body)["markdown"] == "new"
