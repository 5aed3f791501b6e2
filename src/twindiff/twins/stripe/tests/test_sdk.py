"""Stripe's own client for Python, as it comes."""

import asyncio
from typing import Any

import pytest
import stripe as sdk


@pytest.fixture
def address(stripe):
    return {"api": stripe.url, "files": stripe.url}


def test_a_customer_pays_and_gets_a_part_back(address):
    client = sdk.StripeClient("sk_test_shop", base_addresses=address)
    customer = client.v1.customers.create({"email": "ada@shop.example", "metadata": {"tier": "gold"}})
    method = client.v1.payment_methods.attach("pm_card_visa", {"customer": customer.id})
    asked: Any = {"amount": 2000, "currency": "usd", "customer": customer.id, "payment_method": method.id}
    asked |= {"confirm": True, "allowed_payment_method_types": ["card"], "expand": ["latest_charge"]}
    paid: Any = client.v1.payment_intents.create(asked)
    assert (paid.status, paid.latest_charge.paid) == ("succeeded", True)
    refund = client.v1.refunds.create({"payment_intent": paid.id, "amount": 500})
    assert (refund.status, refund.amount) == ("succeeded", 500)


def test_a_declined_card_raises_a_card_error(address):
    client = sdk.StripeClient("sk_test_shop", base_addresses=address)
    asked: Any = {"amount": 2000, "currency": "usd", "payment_method": "pm_card_visa_chargeDeclined"}
    asked |= {"confirm": True, "allowed_payment_method_types": ["card"]}
    with pytest.raises(sdk.CardError) as raised:
        client.v1.payment_intents.create(asked)
    error: Any = raised.value
    assert error.error.decline_code == "generic_decline"
    assert error.error.payment_intent.status == "requires_payment_method"
    assert error.request_id.startswith("req_")


@pytest.mark.parametrize(
    ("error", "act"),
    [
        (sdk.InvalidRequestError, lambda client: client.v1.customers.retrieve("cus_nope")),
        (sdk.IdempotencyError, lambda client: [_named(client, name) for name in ("Ada", "Bea")]),
        (sdk.PermissionError, lambda client: client.v1.customers.list(options={"stripe_account": "acct_other"})),
    ],
)
def test_errors_are_those_of_the_client(address, error, act):
    client = sdk.StripeClient("sk_test_shop", base_addresses=address)
    with pytest.raises(error):
        act(client)


def _named(client, name):
    return client.v1.customers.create({"name": name}, options={"idempotency_key": "one"})


def test_lists_and_searches_are_paged(address):
    client = sdk.StripeClient("sk_test_shop", base_addresses=address)
    for number in range(5):
        client.v1.customers.create({"name": f"Customer {number}"})
    names = [each.name for each in client.v1.customers.list({"limit": 2}).auto_paging_iter()]
    matches = [
        each.name for each in client.v1.customers.search({"query": "name~'customer'", "limit": 2}).auto_paging_iter()
    ]
    assert names == matches == [f"Customer {number}" for number in (4, 3, 2, 1, 0)]


@pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")
def test_the_asynchronous_client_does_the_same(address):
    async def round_trip():
        http = sdk.HTTPXClient()
        client = sdk.StripeClient("sk_test_shop", base_addresses=address, http_client=http)
        made = await client.v1.customers.create_async({"name": "Ada"})
        customer = await client.v1.customers.retrieve_async(made.id)
        await http.close_async()
        return customer.name

    assert asyncio.run(round_trip()) == "Ada"


def test_a_subscription_goes_through_three_renewals_and_a_failed_card(address):
    client = sdk.StripeClient("sk_test_shop", base_addresses=address)
    clock = client.v1.test_helpers.test_clocks.create({"frozen_time": 1_767_225_600})
    customer = client.v1.customers.create({"test_clock": clock.id, "email": "ada@shop.example"})
    good = client.v1.payment_methods.attach("pm_card_visa", {"customer": customer.id})
    settings: Any = {"invoice_settings": {"default_payment_method": good.id}}
    client.v1.customers.update(customer.id, settings)
    monthly: Any = {"currency": "usd", "unit_amount": 1500, "recurring": {"interval": "month"}}
    product = client.v1.products.create({"name": "Box", "default_price_data": monthly})
    wanted: Any = {"customer": customer.id, "items": [{"price": product.default_price}], "expand": ["latest_invoice"]}
    made: Any = client.v1.subscriptions.create(wanted)
    assert (made.status, made.latest_invoice.status) == ("active", "paid")
    for days in (40, 70, 100):
        client.v1.test_helpers.test_clocks.advance(clock.id, {"frozen_time": 1_767_225_600 + days * 86400})
    invoices = list(client.v1.invoices.list({"customer": customer.id, "limit": 2}).auto_paging_iter())
    assert [each.amount_paid for each in invoices] == 4 * [1500]
    bad = client.v1.payment_methods.attach("pm_card_chargeCustomerFail", {"customer": customer.id})
    client.v1.subscriptions.update(made.id, {"default_payment_method": bad.id})
    client.v1.test_helpers.test_clocks.advance(clock.id, {"frozen_time": 1_767_225_600 + 125 * 86400})
    assert client.v1.subscriptions.retrieve(made.id).status == "past_due"
    open_ = client.v1.invoices.list({"subscription": made.id, "status": "open"}).data[0]
    assert client.v1.invoices.pay(open_.id, {"payment_method": good.id}).status == "paid"
    assert client.v1.subscriptions.retrieve(made.id).status == "active"
