"""What configurations and flows of the billing portal must say."""

import pytest

MONTH = {"interval": "month"}


def test_subscriptions_are_updated_where_payment_methods_are(stripe):
    said = "Cannot enable subscription updates while payment method update is disabled."
    update = {"enabled": True, "default_allowed_updates": ["price"]}
    features = {"subscription_update": update}
    assert stripe.error("POST", "billing_portal/configurations", features=features)["message"] == said
    both = {**features, "payment_method_update": {"enabled": True}}
    made = stripe.post("billing_portal/configurations", features=both)
    off = {"payment_method_update": {"enabled": False}}
    assert stripe.error("POST", f"billing_portal/configurations/{made['id']}", features=off)["message"] == said


def test_a_configuration_offers_at_most_ten_products(stripe):
    each = {"product": stripe.post("products", name="Plan")["id"], "prices": ["price_none"]}
    update = {"enabled": False, "products": [each] * 11}
    error = stripe.error("POST", "billing_portal/configurations", features={"subscription_update": update})
    assert error["message"].startswith("Array features[subscription_update][products] exceeded maximum 10")


class Portal:
    """A customer with a monthly plan, and a configuration that offers another one."""

    def __init__(self, stripe, **feature):
        self.stripe = stripe
        self.product = stripe.post("products", name="Plan")["id"]
        self.prices = [self.price(1000), self.price(3000), self.price(500)]
        self.customer = stripe.post("customers", payment_method="pm_card_visa", invoice_settings=VISA)["id"]
        made = stripe.post("subscriptions", customer=self.customer, items=[{"price": self.prices[0]}])
        self.subscription, self.item = made["id"], made["items"]["data"][0]["id"]
        offered = {"product": self.product, "prices": self.prices}
        update = {"enabled": True, "default_allowed_updates": ["price"], "products": [offered], **feature}
        features = {"subscription_update": update, "payment_method_update": {"enabled": True}}
        features["subscription_cancel"] = {"enabled": True}
        self.configuration = stripe.post("billing_portal/configurations", features=features)["id"]

    def price(self, amount):
        made = {"product": self.product, "currency": "usd", "unit_amount": amount, "recurring": MONTH}
        return self.stripe.post("prices", **made)["id"]

    def flow(self, kind="subscription_update_confirm", **more):
        part = {"subscription": self.subscription}
        if kind == "subscription_update_confirm":
            part["items"] = [{"id": self.item, "price": self.prices[1], "quantity": 1}]
        return {"type": kind, kind: {**part, **more}}

    def wanted(self, flow, **more):
        return {"customer": self.customer, "configuration": self.configuration, "flow_data": flow, **more}

    def refused(self, flow, **more):
        return self.stripe.error("POST", "billing_portal/sessions", **self.wanted(flow, **more))

    def open(self, flow=None, **more):
        wanted = self.wanted(flow, **more) if flow else {"customer": self.customer, "configuration": self.configuration}
        return self.stripe.post("billing_portal/sessions", **wanted)["url"]

    def submit(self, url, **form):
        sent = {"subscription": self.subscription, **form}
        return self.stripe.environment.platform.client.post(url, data=sent)

    def price_now(self):
        return self.stripe.get(f"subscriptions/{self.subscription}")["items"]["data"][0]["price"]["id"]


VISA = {"default_payment_method": "pm_card_visa"}
OFF = "This subscription cannot be {} because the subscription {} feature in the portal configuration is disabled."


@pytest.fixture
def portal(stripe):
    return Portal(stripe, proration_behavior="always_invoice")


def test_a_confirmed_plan_is_changed_and_invoiced_as_the_configuration_says(portal):
    back = {"type": "redirect", "redirect": {"return_url": "https://shop.example/done"}}
    url = portal.open({**portal.flow(), "after_completion": back})
    page = portal.stripe.environment.platform.client.get(url).text
    assert ("Confirm" in page, "$30.00 per month" in page) == (True, True)
    answer = portal.submit(url, wish="confirm")
    assert (answer.status_code, answer.headers["Location"]) == (303, "https://shop.example/done")
    latest = portal.stripe.get(f"subscriptions/{portal.subscription}", expand=["latest_invoice"])["latest_invoice"]
    assert (portal.price_now(), latest["billing_reason"], latest["status"]) == (
        portal.prices[1], "subscription_update", "paid")  # fmt: skip
    assert "Confirm" not in portal.stripe.environment.platform.client.get(url).text
    assert portal.submit(url, wish="confirm").status_code == 400


def test_a_customer_chooses_among_the_plans_that_are_offered(portal):
    url = portal.open()
    assert portal.submit(url, wish="update", price=portal.prices[1]).status_code == 303
    assert portal.price_now() == portal.prices[1]
    other = portal.price(9000)
    assert portal.submit(url, wish="update", price=other).status_code == 400
    assert portal.submit(url, wish="update", quantity="3").status_code == 400
    assert portal.price_now() == portal.prices[1]


def test_a_cheaper_plan_may_wait_for_the_end_of_the_period(stripe):
    portal = Portal(stripe, schedule_at_period_end={"conditions": [{"type": "decreasing_item_amount"}]})
    assert portal.submit(portal.open(), wish="update", price=portal.prices[2]).status_code == 303
    schedule = stripe.get(f"subscriptions/{portal.subscription}", expand=["schedule"])["schedule"]
    assert [each["items"][0]["price"] for each in schedule["phases"]] == [portal.prices[0], portal.prices[2]]
    assert portal.price_now() == portal.prices[0]


def test_flows_are_for_what_the_configuration_allows(stripe, portal):
    off = {"subscription_update": {"enabled": False}, "subscription_cancel": {"enabled": False}}
    portal.configuration = stripe.post("billing_portal/configurations", features=off)["id"]
    for kind in ("subscription_update", "subscription_update_confirm"):
        assert portal.refused(portal.flow(kind))["message"] == OFF.format("updated", "update")
    assert portal.refused(portal.flow("subscription_cancel"))["message"] == OFF.format("canceled", "cancellation")
    assert portal.refused({"type": "payment_method_update"})["param"] == "flow_data[type]"


def test_flows_are_for_subscriptions_of_the_customer(stripe, portal):
    other = stripe.post("customers")["id"]
    for kind in ("subscription_update", "subscription_update_confirm", "subscription_cancel"):
        error = portal.refused(portal.flow(kind), customer=other)
        assert (error["code"], error["param"]) == ("resource_missing", f"flow_data[{kind}][subscription]")


def test_a_subscription_that_ends_is_not_canceled_again(portal):
    portal.stripe.post(f"subscriptions/{portal.subscription}", cancel_at_period_end=True)
    said = "The subscription is already set to be canceled at period end."
    assert portal.refused(portal.flow("subscription_cancel"))["message"] == said


@pytest.mark.parametrize(("items", "said"), [
    (lambda p: [{"id": p.item, "price": p.price(9000)}], "which the portal configuration does not offer."),
    (lambda p: [{"id": p.item, "price": p.prices[0]}], "There are no changes to confirm."),
    (lambda p: [{"id": p.item, "quantity": 5}], "does not allow quantity updates."),
    (lambda p: [{"id": "si_none", "price": p.prices[1]}], "No such subscription item: 'si_none'"),
    (lambda p: [{"id": p.item}] * 2, "exceeded maximum 1 allowed elements."),
])  # fmt: skip
def test_a_customer_confirms_what_the_configuration_offers(portal, items, said):
    assert portal.refused(portal.flow(items=items(portal)))["message"].endswith(said)


def test_subscriptions_of_several_items_are_not_updated_by_customers(portal):
    portal.stripe.post("subscription_items", subscription=portal.subscription, price=portal.prices[2])
    said = "This subscription cannot be updated because it has multiple items."
    assert portal.refused(portal.flow("subscription_update"))["message"] == said
