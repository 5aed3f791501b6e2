"""Webhooks and new bases of Airtable, called over HTTP."""

from typing import Any

import httpx
import pytest

from .conftest import Connect

HOOKS = "/bases/appTw1nD1ffBase01/webhooks"
SPECIFICATION = {"specification": {"options": {"filters": {"dataTypes": ["tableData"]}}}}


@pytest.fixture
def airtable(connect: Connect) -> httpx.Client:
    return connect("airtable", "https://api.airtable.com/v0")


def test_a_webhook_is_refreshed_switched_off_and_removed(airtable: httpx.Client):
    made = airtable.post(HOOKS, json={"notificationUrl": "https://a.test", **SPECIFICATION}).json()
    path = f"{HOOKS}/{made['id']}"
    assert (made["expirationTime"][:10], len(made["macSecretBase64"])) == ("2026-03-09", 44)
    assert airtable.post(f"{path}/refresh").json()["expirationTime"] >= made["expirationTime"]
    assert airtable.post(f"{path}/enableNotifications", json={"enable": False}).status_code == 200
    (shown,) = airtable.get(HOOKS).json()["webhooks"]
    assert (shown["id"], shown["areNotificationsEnabled"]) == (made["id"], False)
    assert (airtable.delete(path).status_code, airtable.get(HOOKS).json()) == (200, {"webhooks": []})
    for call in (airtable.delete(path), airtable.post(f"{path}/refresh")):
        assert (call.status_code, call.json()) == (404, {"error": "NOT_FOUND"})


def test_a_base_has_ten_webhooks_at_most(airtable: httpx.Client):
    statuses = [airtable.post(HOOKS, json=SPECIFICATION).status_code for _ in range(11)]
    assert statuses == [*[200] * 10, 422]


@pytest.mark.parametrize(
    "body", [{}, {"specification": {}}, {"specification": {"options": {"filters": {"dataTypes": ["x"]}}}}]
)
def test_a_webhook_says_what_it_is_told_of(airtable: httpx.Client, body: dict[str, Any]):
    assert airtable.post(HOOKS, json=body).status_code == 422
    assert airtable.get("/bases/appNone/webhooks").status_code == 404


def test_a_base_is_created_with_its_tables(airtable: httpx.Client):
    tables = [{"name": "Loaves", "fields": [{"name": "Name", "type": "singleLineText"}]}]
    made = airtable.post("/meta/bases", json={"name": "Bakery", "workspaceId": "wspA", "tables": tables}).json()
    assert airtable.get(f"/meta/bases/{made['id']}/tables").json()["tables"] == made["tables"]
    assert airtable.post(f"/{made['id']}/Loaves", json={"fields": {"Name": "Rye"}}).status_code == 200
    assert airtable.post("/meta/bases", json={"name": "Bakery"}).status_code == 422
