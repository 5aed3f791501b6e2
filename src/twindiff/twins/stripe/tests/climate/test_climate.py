"""Orders of carbon removal.  https://docs.stripe.com/climate/orders"""

import pytest

PRODUCT = "climsku_frontier_offtake_portfolio_2027"
ORDERS = "climate/orders"


@pytest.fixture
def rich(stripe):
    """A shop whose balance pays for a ton."""
    stripe.post("payment_intents", amount=900_000, currency="usd", payment_method="pm_card_bypassPending", confirm=True,
                allowed_payment_method_types=["card"])  # fmt: skip
    return stripe


def test_an_order_is_paid_from_the_balance_and_confirmed_after_a_day(rich):
    order = rich.post(ORDERS, product=PRODUCT, metric_tons="1.5", beneficiary={"public_name": "Ada"})
    assert (order["status"], order["amount_total"], order["metric_tons"]) == ("open", 92_700, "1.5")
    (paid,) = rich.get("balance_transactions", source=order["id"])["data"]
    assert (paid["type"], paid["amount"]) == ("climate_order_purchase", -92_700)
    rich.advance(days=1.01)
    done = rich.get(f"{ORDERS}/{order['id']}", expand=["product"])
    assert (done["status"], done["product"]["name"]) == ("confirmed", "Frontier Offtake Portfolio 2027")
    assert "24 hours" in rich.error("POST", f"{ORDERS}/{order['id']}/cancel")["message"]


def test_a_canceled_order_gives_back_all_but_the_fees(rich):
    order = rich.post(ORDERS, product=PRODUCT, amount=61_800)
    canceled = rich.post(f"{ORDERS}/{order['id']}/cancel")
    assert (canceled["status"], canceled["cancellation_reason"]) == ("canceled", "requested")
    assert [each["amount"] for each in rich.get("balance_transactions", source=order["id"])["data"]] == [
        60_000,
        -61_800,
    ]


def test_an_order_without_funds_waits_for_them_and_expires(stripe):
    order = stripe.post(ORDERS, product=PRODUCT, metric_tons="1")
    changed = stripe.post(f"{ORDERS}/{order['id']}", metadata={"a": "b"}, beneficiary={"public_name": "Bea"})
    assert (changed["status"], changed["beneficiary"]["public_name"]) == ("awaiting_funds", "Bea")
    stripe.advance(days=1.01)
    gone = stripe.get(ORDERS)["data"][0]
    assert (gone["status"], gone["cancellation_reason"]) == ("canceled", "expired")


def test_products_name_their_suppliers(stripe):
    product = stripe.get("climate/products")["data"][0]
    supplier = product["suppliers"][0]
    assert stripe.get(f"climate/products/{product['id']}") == product
    assert stripe.get(f"climate/suppliers/{supplier['id']}") == supplier == stripe.get("climate/suppliers")["data"][0]


@pytest.mark.parametrize(("given", "param"), [
    ({"product": "climsku_none", "metric_tons": "1"}, "product"), ({"product": PRODUCT}, "amount"),
    ({"product": PRODUCT, "amount": 1000, "metric_tons": "1"}, "amount"), ({"product": PRODUCT, "amount": 1}, "amount"),
    ({"product": PRODUCT, "metric_tons": "1.005"}, "metric_tons"),
    ({"product": PRODUCT, "metric_tons": "NaN"}, "metric_tons"),
    ({"product": PRODUCT, "metric_tons": "1", "currency": "eur"}, "currency"),
])  # fmt: skip
def test_an_order_is_checked(stripe, given, param):
    assert stripe.error("POST", ORDERS, **given)["param"] == param
