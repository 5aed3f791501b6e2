"""Accounts, over HTTP."""

import httpx
import pytest

from twindiff.client import Environment

FLOWERS = {"id": "flowers", "name": "Flowers bought", "closed": False, "balance": 12_000}
ORDER = {"from_account": "cash", "to_account": "flowers", "amount": 100, "first_at": "2026-04-01T00:00:00"}


def test_accounts_are_listed_open_and_closed(client: httpx.Client):
    listed = [
        client.get("/accounts", params=params).json()["accounts"] for params in ({}, {"closed": True}, {"closed": 0})
    ]
    assert [[each["id"] for each in accounts] for accounts in listed] == [
        ["cash", "flowers", "old-van", "sales"], ["old-van"], ["cash", "flowers", "sales"]
    ]  # fmt: skip


def test_an_account_that_is_as_it_was_is_not_sent_again(client: httpx.Client):
    first = client.get("/accounts/flowers")
    seen = {"If-None-Match": first.headers["ETag"]}
    assert first.json() == FLOWERS
    assert (client.get("/accounts/flowers", headers=seen).status_code, first.status_code) == (304, 200)


def test_an_account_is_changed_in_what_is_given(client: httpx.Client):
    assert client.patch("/accounts/flowers", json={"name": "Roses"}).json() == {**FLOWERS, "name": "Roses"}


def test_a_change_that_changes_nothing_writes_nothing(client: httpx.Client, shop: Environment):
    client.patch("/accounts/flowers", json={"name": "Flowers bought", "closed": False})
    assert shop.seq() == 0


def test_an_account_is_not_changed_over_a_change_that_was_not_seen(client: httpx.Client):
    seen = {"If-Match": client.get("/accounts/flowers").headers["ETag"]}
    assert client.patch("/accounts/flowers", json={"name": "Roses"}, headers=seen).status_code == 200
    late = client.patch("/accounts/flowers", json={"name": "Lilies"}, headers=seen)
    assert (late.status_code, late.json()["error"]) == (412, "account_changed")


def test_an_account_is_deleted_with_its_standing_orders(client: httpx.Client, shop: Environment):
    assert client.post("/standing_orders", json=ORDER).status_code == 201
    deleted = client.delete("/accounts/flowers")
    assert (deleted.status_code, deleted.content) == (204, b"")
    assert client.get("/standing_orders").json() == {"data": []}
    assert [row["__table__"] for row in shop.diff()["deletes"]] == ["accounts"]


def test_an_account_with_entries_is_not_deleted(client: httpx.Client):
    client.post("/entries", json={"from_account": "cash", "to_account": "flowers", "amount": 1})
    refused = client.delete("/accounts/cash")
    assert (refused.status_code, refused.json()["error"]) == (409, "account_in_use")


@pytest.mark.parametrize("verb", ["GET", "PATCH", "DELETE"])
def test_an_account_that_is_not_there_is_not_found(client: httpx.Client, verb: str):
    answer = client.request(verb, "/accounts/till")
    assert (answer.status_code, answer.json()) == (
        404, {"error": "account_not_found", "message": "There is no such account."}
    )  # fmt: skip
