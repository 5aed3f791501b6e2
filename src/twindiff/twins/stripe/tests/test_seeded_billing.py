"""A shop whose past comes from a configuration: what was subscribed to, paid, given back and disputed."""

import pytest

from tests.harness import LiveServer
from twindiff.server import Settings
from twindiff.twins.stripe.tests.test_seeding import provisioned

SHOP = {
    "customers": [{"name": "Ada", "email": "ada@shop.example"}, {"name": "Bea", "balance": -500}],
    "products": [
        {"name": "Team", "prices": [{"unit_amount": 4900, "interval": "month", "lookup_key": "team_monthly"}]},
        {"name": "Scarf", "prices": [{"unit_amount": 3900}]},
        {"name": "Day pass", "prices": [{"unit_amount": 200, "interval": "day"}]},
    ],
}

DAILY = {"customer": "Ada", "price": "Day pass", "created": "1990-01-01"}


@pytest.fixture
def server():
    made = LiveServer(Settings())
    yield made
    made.close()


@pytest.fixture
def listed(server):
    def lists(path, **config):
        _, client = provisioned(server, SHOP | config)
        with client:
            return client.get(path).raise_for_status().json()["data"]

    return lists


@pytest.fixture
def refusal(server):
    def refused(**config):
        asked = {"twins": ["stripe"], "seed_config": {"stripe": SHOP | config}}
        answer = server.client.post("/twin-runs", json=asked)
        assert answer.status_code == 422
        return answer.json()["detail"]

    return refused


@pytest.mark.parametrize("status", ["active", "trialing", "past_due", "incomplete"])
def test_a_subscription_is_seeded_in_the_status_that_is_said(listed, status):
    (made,) = listed("/subscriptions", subscriptions=[{"customer": "Ada", "price": "Team", "status": status}])
    assert (made["status"], made["items"]["data"][0]["price"]["unit_amount"]) == (status, 4900)


def test_a_canceled_subscription_is_seeded(listed):
    past = {"customer": "Ada", "price": "team_monthly", "status": "canceled", "created": "2025-12-20"}
    (made,) = listed("/subscriptions?status=canceled", subscriptions=[past])
    assert (made["created"], made["canceled_at"]) == (1766188800, 1767603601)


def test_a_subscription_of_months_has_its_renewals_behind_it(listed):
    past = {"customer": "ada@shop.example", "price": "Team", "created": "2025-10-20T08:00:00"}
    invoices = listed("/invoices", subscriptions=[past])
    assert [(each["status"], each["amount_paid"]) for each in invoices] == [("paid", 4900)] * 3


def test_a_past_due_subscription_has_a_failed_charge_and_an_open_invoice(server):
    late = {"customer": "Ada", "price": "Team", "status": "past_due"}
    _, client = provisioned(server, SHOP | {"subscriptions": [late]})
    with client:
        charges = [each["status"] for each in client.get("/charges").json()["data"]]
        invoices = [each["status"] for each in client.get("/invoices").json()["data"]]
    assert (charges, invoices) == (["failed", "succeeded"], ["open", "paid"])


def test_a_card_is_seeded_as_the_default_of_its_customer(listed):
    cards = [{"customer": "Ada", "card": "mastercard"}]
    ada = next(each for each in listed("/customers", payment_methods=cards) if each["name"] == "Ada")
    assert ada["invoice_settings"]["default_payment_method"].startswith("pm_")


def test_charges_are_paid_refused_refunded_and_disputed(listed):
    charges = [
        {"customer": "Ada", "amount": 3900, "description": "Scarf", "created": "2025-12-02"},
        {"customer": "Ada", "amount": 3900, "description": "Scarf again", "created": "2025-12-02T00:01:00"},
        {"customer": "Bea", "amount": 100, "status": "failed", "created": "2025-12-03"},
    ]
    refunds = [{"charge": "Scarf again", "amount": 1900, "reason": "duplicate", "created": "2025-12-04"}]
    made = listed("/charges", charges=charges, refunds=refunds, disputes=[{"charge": "Scarf", "created": "2025-12-20"}])
    shown = [(each["created"], each["status"], each["amount_refunded"], each["disputed"]) for each in made]
    second = ("succeeded", 1900, False)
    assert [each[1:] for each in shown] == [("failed", 0, False), second, ("succeeded", 0, True)]
    assert [each[0] for each in shown] == [1764720000, 1764633660, 1764633600]


@pytest.mark.parametrize("status", ["draft", "open", "paid", "void", "uncollectible"])
def test_an_invoice_is_seeded_in_the_status_that_is_said(listed, status):
    bill = {"customer": "Ada", "items": [{"description": "Setup", "amount": 9900}], "status": status}
    (made,) = listed("/invoices", invoices=[bill])
    assert (made["status"], made["total"]) == (status, 9900)


def test_a_balance_is_seeded(listed):
    assert {each["name"]: each["balance"] for each in listed("/customers")} == {"Ada": 0, "Bea": -500}


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"subscriptions": [{"customer": "Zed", "price": "Team"}]}, "subscriptions[0]: there is no customer 'Zed'"),
        ({"subscriptions": [{"customer": "Ada", "price": "Tea"}]}, "no price or product 'Tea'; there are Team"),
        ({"subscriptions": [{"customer": "Ada", "price": "Scarf"}]}, "'Scarf' is paid once"),
        ({"charges": [{"customer": "Ada", "amount": 1, "created": "soon"}]}, "charges[0]: created: 'soon'"),
        (
            {"charges": [{"customer": "Ada", "amount": 900, "created": "2027-01-01"}]},
            "later than the world's beginning",
        ),
        ({"charges": [{"customer": "Ada", "amount": 900, "card": "gold"}]}, "'gold' is none of Stripe's test cards"),
        ({"charges": [{"customer": "Ada", "amount": 0}]}, "charges[0].amount"),
        ({"subscriptions": [DAILY]}, "subscriptions: more than 1000 renewals"),
        ({"payment_methods": [{"customer": "Ada", "card": "gold"}]}, "payment_methods[0]: 'gold'"),
        ({"refunds": [{"charge": "Scarf"}]}, "refunds[0]: there is no charge until then 'Scarf'; there are none"),
        ({"invoices": [{"customer": "Ada", "items": [{"title": "x"}]}]}, "invoices[0].items[0]"),
    ],
)
def test_billing_that_does_not_fit_is_named(refusal, config, said):
    assert said in refusal(**config)
