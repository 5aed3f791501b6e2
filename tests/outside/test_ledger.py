"""A twin outside the tree beside Slack in one environment: one journal, one diff, one verdict."""

from __future__ import annotations

import hmac
from contextlib import closing
from typing import Any

from tests.harness import Environment, Platform
from tests.receiver import Receiver

SALE = {"from_account": "sales", "to_account": "cash", "amount": 2500, "memo": "Tulips"}


def post_sale(shop: Environment, **fields: Any) -> Any:
    return shop.ask("entries", twin="ledger", json={**SALE, **fields})


def test_two_twins_write_one_journal(shop: Environment, platform: Platform) -> None:
    post_sale(shop)
    shop.post("Sold tulips")
    records = platform.get(f"env/{shop.id}/journal")["records"]
    assert [(r["seq"], r["twin"], r["operation"]) for r in records] == [
        (1, "ledger", "POST /entries"),
        (2, "slack", "chat.postMessage"),
    ]


def test_one_diff_shows_both_twins_by_name(shop: Environment, platform: Platform) -> None:
    run = platform.start(shop)
    post_sale(shop)
    shop.post("Sold tulips")
    diff = platform.diff(run)
    assert [(row["__twin__"], row["__table__"]) for row in diff["inserts"]] == [
        ("ledger", "entries"),
        ("slack", "messages"),
    ]
    assert diff["updates"] == []


def test_balances_are_shown_on_request(shop: Environment, platform: Platform) -> None:
    run = platform.start(shop)
    post_sale(shop)
    updates = platform.diff(run, include="derived")["updates"]
    assert {row["after"]["account_id"]: row["changed"] for row in updates} == {
        "cash": ["balance"],
        "sales": ["balance"],
    }


def test_one_verdict_covers_both_twins(shop: Environment, platform: Platform) -> None:
    run = platform.start(shop)
    post_sale(shop)
    shop.post("Sold tulips")
    sold = {"diff_type": "added", "entity": "ledger.entries", "where": {"amount": 2500}, "expected_count": 1}
    told = {"diff_type": "added", "entity": "slack.messages", "where": {"message_text": {"contains": "tulips"}}}
    assert platform.evaluate(run, sold, told)["passed"]
    wrong = platform.evaluate(run, {**sold, "where": {"amount": 9900}})
    assert not wrong["passed"]
    assert "amount should be 9900 but is 2500" in wrong["explanations"][0]["text"]


def test_a_program_is_told_of_entries_by_a_signed_request(shop: Environment):
    with closing(Receiver()) as receiver:
        endpoint = shop.ask("webhook_endpoints", twin="ledger", json={"url": receiver.url}).json()
        entry = post_sale(shop).json()
        (told,) = receiver.wait(1)
    at, _, signature = told.headers["ledger-signature"].removeprefix("t=").partition(",v1=")
    signed = hmac.digest(endpoint["secret"].encode(), at.encode() + b"." + told.body, "sha256").hex()
    assert (signature, told.json["type"], told.json["data"]) == (signed, "entry.created", entry)
