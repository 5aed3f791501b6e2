"""Slack and Ledger in one environment: one journal, one diff, one verdict."""

from __future__ import annotations

from typing import Any

import pytest

from tests.harness import Environment, Platform

SALE = {"from_account": "sales", "to_account": "cash", "amount": 2500, "memo": "Tulips"}


def post_sale(shop: Environment, **fields: Any) -> Any:
    return shop.ask("entries", twin="ledger", json={**SALE, **fields})


def look(shop: Environment, path: str, **query: Any) -> Any:
    return shop.ask(path, twin="ledger", verb="GET", params=query).json()


def test_an_entry_moves_money(shop: Environment) -> None:
    assert post_sale(shop).status_code == 201
    assert look(shop, "accounts/cash")["balance"] == 52_500
    assert look(shop, "accounts/sales")["balance"] == -64_500


def test_an_entry_is_found_by_its_id_and_by_its_accounts(shop: Environment) -> None:
    entry = post_sale(shop).json()
    assert look(shop, f"entries/{entry['id']}") == entry
    assert look(shop, "entries", account="cash")["entries"] == [entry]
    assert look(shop, "entries", account="flowers")["entries"] == []


def test_a_cursor_leads_to_the_next_page(shop: Environment) -> None:
    made = [post_sale(shop).json()["id"] for _ in range(3)]
    first = look(shop, "entries", account="cash", limit=2)
    second = look(shop, "entries", account="cash", limit=2, cursor=first["next_cursor"])
    assert [entry["id"] for entry in first["entries"] + second["entries"]] == made


def test_an_account_is_renamed_and_closed(shop: Environment) -> None:
    shop.ask("accounts/flowers", twin="ledger", verb="PATCH", json={"name": "Roses", "closed": True})
    assert [a["name"] for a in look(shop, "accounts")["accounts"] if a["closed"]] == ["Roses", "The old van"]


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
    fields: dict[str, Any], status: int, code: str, shop: Environment, platform: Platform
) -> None:
    answer = post_sale(shop, **fields)
    assert (answer.status_code, answer.json()["error"]) == (status, code)
    assert platform.get(f"env/{shop.id}")["seq"] == 0


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
