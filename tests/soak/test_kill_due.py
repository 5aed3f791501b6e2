"""A server that is killed while work falls due does each piece once, at its own time, as if nothing had happened."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.harness import Environment, Platform
from tests.soak.test_kill import KilledServer, journal_of

SUBSCRIPTIONS = 16
END = "2026-03-15T00:00:00"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[KilledServer]:
    server = KilledServer(tmp_path)
    yield server
    server.close()


def shop(platform: Platform) -> Environment:
    """An environment of monthly subscriptions, the same each time."""
    made = platform.environment("stripe:stripe_empty", "acct_1TwindiffTestShop", clock={"mode": "steps"})
    product = ask(made, "products", name="Box")
    monthly = {"unit_amount": 1500, "currency": "usd", "recurring[interval]": "month"}
    price = ask(made, "prices", product=product, **monthly)
    card = {"payment_method": "pm_card_visa", "invoice_settings[default_payment_method]": "pm_card_visa"}
    for _ in range(SUBSCRIPTIONS):
        ask(made, "subscriptions", customer=ask(made, "customers", **card), **{"items[0][price]": price})
    return made


def ask(environment: Environment, path: str, **fields: Any) -> str:
    """Make an object and give its id."""
    answer = environment.ask(f"v1/{path}", data=fields)
    assert answer.status_code == 200, answer.text
    return answer.json()["id"]


def advance(client: httpx.Client, environment: Environment) -> None:
    """Set the clock forward, until that is done or the server is gone."""
    with suppress(httpx.HTTPError):
        Platform(client).post(f"env/{environment.id}/clock", {"to": END})


def work(environment: Environment) -> list[tuple[Any, ...]]:
    """What has been done by itself; calls are told apart by the ids of their requests."""
    records = journal_of(environment)
    assert [record["seq"] for record in records] == list(range(1, len(records) + 1))
    return [(each["operation"], each["at"], each["changes"]) for each in records if each["operation"] == "stripe:bill"]


@pytest.mark.soak
def test_a_kill_while_work_falls_due_loses_and_doubles_none(server: KilledServer):
    with httpx.Client(base_url=f"http://127.0.0.1:{server.port}", trust_env=False, timeout=120) as client:
        platform = Platform(client)
        whole, killed = shop(platform), shop(platform)
        advance(client, whole)
        before, after = (platform.get(f"env/{each.id}")["seq"] for each in (killed, whole))
        for wanted in range(before + 7, after - 10, 11):
            with httpx.Client(base_url=client.base_url, trust_env=False, timeout=120) as other:
                advancing = threading.Thread(target=advance, args=(other, killed))
                advancing.start()
                while platform.get(f"env/{killed.id}")["seq"] < wanted:
                    pass
                server.kill()
                advancing.join()
            server.start()
        advance(client, killed)
        assert work(killed) == work(whole)
        assert len(work(whole)) == 4 * SUBSCRIPTIONS
