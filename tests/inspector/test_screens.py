"""What people see of the twins that hold more than conversations and boards."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.harness import Environment
from tests.inspector.conftest import SCRIPT, World
from twindiff.twins.stripe.accounts import OWN

Json = dict[str, Any]


def seen(world: World, environment: Environment, twin: str, path: str = "") -> str:
    """A screen as one reads it: without tags, each run of white space a blank."""
    page = world.page(f"environments/{environment.id}/screens/{twin}{f'/{path}' if path else ''}")
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page.partition('<div class="screen">')[2]))


def missing(world: World, environment: Environment, twin: str, path: str) -> bool:
    path = f"/inspect/environments/{environment.id}/screens/{twin}/{path}"
    return world.server.in_process.get(path).status_code == 404


@pytest.fixture(scope="module")
def shop(world: World) -> Environment:
    """A shop after six months."""
    return world.platform.environment("stripe:stripe_default", user=OWN)


def charge(shop: Environment, path: str, **parameters: str) -> Json:
    answer = shop.ask(f"v1/{path}", verb="POST", twin="stripe", token="sk_test_shop", data=parameters)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_stripe_shows_payments_with_what_became_of_them(world: World, shop: Environment) -> None:
    customer = charge(shop, "customers", name=SCRIPT)["id"]
    parameters = {"payment_method": "pm_card_visa", "payment_method_types[]": "card", "confirm": "true"}
    paid = charge(shop, "payment_intents", amount="1999", currency="usd", customer=customer, **parameters)["id"]
    yen = charge(shop, "payment_intents", amount="1999", currency="jpy")["id"]
    charge(shop, "refunds", payment_intent=paid, amount="500")
    payments = seen(world, shop, "stripe")
    assert "19.99 USD partially refunded &lt;script&gt;" in payments
    assert "1,999 JPY requires_payment_method" in payments
    payment = seen(world, shop, "stripe", f"payments/{paid}")
    assert "Received 19.99 USD" in payment
    assert "5.00 USD succeeded" in payment
    assert "Refunds None" in seen(world, shop, "stripe", f"payments/{yen}")


def test_stripe_shows_customers_with_their_subscriptions_and_invoices(world: World, shop: Environment) -> None:
    found = shop.ask("v1/subscriptions?limit=1", verb="GET", twin="stripe", token="sk_test_shop").json()["data"][0]
    customer = seen(world, shop, "stripe", f"customers/{found['customer']}")
    assert re.search(r"Subscriptions Product Status Price Period ends Created .+ active \d+\.00 USD / month", customer)
    assert re.search(r"Invoices Number Total Status .+ paid ", customer)
    subscription = seen(world, shop, "stripe", f"subscriptions/{found['id']}")
    assert re.search(r"Items Product Price Quantity Current period .+ USD / month", subscription)
    assert "Lines Description Quantity Amount" in seen(world, shop, "stripe", f"invoices/{found['latest_invoice']}")
    assert "active" in seen(world, shop, "stripe", "customers")


def test_stripe_shows_the_newest_and_says_how_many_it_leaves_out(world: World, shop: Environment) -> None:
    invoices = seen(world, shop, "stripe", "invoices")
    assert "86 earlier ones are left out." in invoices
    assert invoices.count(" paid ") <= 100


@pytest.mark.parametrize("path", ["nope", "payments/pi_nope", "customers/cus_nope", "balance/1", "invoices/in_nope/x"])
def test_stripe_shows_nothing_where_there_is_nothing(world: World, shop: Environment, path: str) -> None:
    assert missing(world, shop, "stripe", path)
