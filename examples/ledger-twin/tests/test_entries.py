"""Entries, over HTTP."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from twindiff.client import Environment


def balance(client: httpx.Client, account: str) -> int:
    return client.get(f"/accounts/{account}").json()["balance"]


def test_an_entry_moves_money_and_is_found_again(client: httpx.Client, post_sale: Callable[[], Any]):
    entry = post_sale()
    assert (balance(client, "cash"), balance(client, "sales")) == (52_500, -64_500)
    assert client.get(f"/entries/{entry['id']}").json() == entry
    assert client.get("/entries", params={"account": "cash"}).json() == {"data": [entry], "has_more": False}


def test_pages_follow_a_row_and_lead_back_to_it(client: httpx.Client, post_sale: Callable[[], Any]):
    ids = [post_sale()["id"] for _ in range(4)]

    def page(**where: Any) -> tuple[list[str], bool]:
        answer = client.get("/entries", params={"account": "cash", "limit": 2, **where}).json()
        return [entry["id"] for entry in answer["data"]], answer["has_more"]

    assert page() == (ids[:2], True)
    assert page(starting_after=ids[1]) == (ids[2:], False)
    assert page(ending_before=ids[3]) == (ids[1:3], True)


def test_an_id_is_shown_as_its_account_on_request(client: httpx.Client, post_sale: Callable[[], Any]):
    entry = post_sale()
    answer = client.get("/entries", params={"account": "cash", "expand[]": ["data.from", "data.to"]}).json()
    assert [answer["data"][0][side]["name"] for side in ("from", "to")] == ["Sales", "Cash"]
    refused = client.get(f"/entries/{entry['id']}", params={"expand[]": "memo"})
    assert refused.json()["message"] == "expand: This property cannot be expanded (memo)."


def test_an_entry_that_is_taken_back_takes_its_receipts_along(
    client: httpx.Client, shop: Environment, post_sale: Callable[[], Any]
):
    entry = post_sale()
    client.post(f"/entries/{entry['id']}/receipts", files={"file": ("a.txt", b"Tulips")})
    before = shop.run()
    assert client.delete(f"/entries/{entry['id']}").status_code == 204
    assert balance(client, "cash") == 50_000
    assert [row["__table__"] for row in before.diff()["deletes"]] == ["entries", "receipts"]


def test_an_entry_is_told_of(client: httpx.Client, shop: Environment, post_sale: Callable[[], Any]):
    entry = post_sale()
    (event,) = shop.journal()[-1].events
    assert (event.name, event.payload) == ("entry.created", entry)


def test_a_request_that_is_sent_again_is_done_once(client: httpx.Client, shop: Environment, sale: dict[str, Any]):
    once = {"Idempotency-Key": "k1"}
    answers = [client.post("/entries", json=sale, headers=once) for _ in range(2)]
    assert (answers[0].json(), answers[0].status_code) == (answers[1].json(), answers[1].status_code)
    assert len(shop.diff()["inserts"]) == 1
    reused = client.post("/entries", json={**sale, "amount": 1}, headers=once)
    assert (reused.status_code, reused.json()["error"]) == (409, "key_reused")


def test_a_request_that_was_refused_may_be_sent_again(client: httpx.Client, sale: dict[str, Any]):
    once = {"Idempotency-Key": "k1"}
    assert client.post("/entries", json={**sale, "to_account": "old-van"}, headers=once).status_code == 409
    assert client.post("/entries", json=sale, headers=once).status_code == 201


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({"to_account": "till"}, 404, "account_not_found"),
        ({"to_account": "old-van"}, 409, "account_closed"),
        ({"amount": 0}, 400, "invalid_amount"),
        ({"amount": None}, 400, "invalid_amount"),
        ({"memo": 7}, 400, "invalid_parameter"),
    ],
)
def test_a_bad_entry_is_refused_and_writes_nothing(
    client: httpx.Client, shop: Environment, fields: dict[str, Any], status: int, code: str, sale: dict[str, Any]
):
    answer = client.post("/entries", json={**sale, **fields})
    assert (answer.status_code, answer.json()["error"], shop.seq()) == (status, code, 0)


@pytest.mark.parametrize("path", ["/entries/none", "/entries?account=cash&starting_after=none"])
def test_an_entry_that_is_not_there_is_not_found(client: httpx.Client, path: str):
    assert client.get(path).json()["error"] == "entry_not_found"
