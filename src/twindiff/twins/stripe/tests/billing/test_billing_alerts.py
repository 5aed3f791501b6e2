"""Alerts of usage: https://docs.stripe.com/billing/subscriptions/usage-based/alerts"""

import pytest
import stripe as sdk


@pytest.fixture
def meter(stripe) -> str:
    made = {"display_name": "API", "event_name": "api", "default_aggregation": {"formula": "sum"}}
    return stripe.post("billing/meters", **made)["id"]


@pytest.fixture
def customer(stripe) -> str:
    return stripe.post("customers")["id"]


def alerted(stripe, meter, gte=10, **more):
    threshold = {"meter": meter, "gte": gte, "recurrence": "one_time", **more}
    return stripe.post("billing/alerts", title="Heavy", alert_type="usage_threshold", usage_threshold=threshold)


def use(stripe, customer, value):
    payload = {"stripe_customer_id": customer, "value": str(value)}
    stripe.post("billing/meter_events", event_name="api", payload=payload)


def told(stripe):
    """Of whom was told, and of how much."""
    events = stripe.get("events", type="billing.alert.triggered")["data"]
    return [(each["data"]["object"]["customer"], each["data"]["object"]["value"]) for each in reversed(events)]


def test_an_alert_tells_once_of_each_customer(stripe, meter, customer):
    use(stripe, customer, 100)
    alert = alerted(stripe, meter)
    other = stripe.post("customers")["id"]
    for value in (6, 5, 20):
        use(stripe, customer, value)
    use(stripe, other, 10)
    assert told(stripe) == [(customer, 11), (other, 10)]
    assert stripe.get("events", type="billing.alert.triggered")["data"][0]["data"]["object"]["alert"] == alert


def test_an_alert_may_be_for_one_customer(stripe, meter, customer):
    alerted(stripe, meter, filters=[{"type": "customer", "customer": customer}])
    use(stripe, stripe.post("customers")["id"], 50)
    assert told(stripe) == []
    use(stripe, customer, 50)
    assert told(stripe) == [(customer, 50)]


def test_an_alert_is_turned_off_and_on_and_put_away(stripe, meter, customer):
    client = sdk.StripeClient("sk_test_shop", base_addresses={"api": stripe.url})
    threshold = {"meter": meter, "gte": 10, "recurrence": "one_time"}
    made = stripe.post("billing/alerts", title="Heavy", alert_type="usage_threshold", usage_threshold=threshold)["id"]
    alerts = client.v1.billing.alerts
    assert alerts.deactivate(made).status == "inactive"
    use(stripe, customer, 50)
    assert told(stripe) == []
    assert alerts.activate(made).status == "active"
    use(stripe, customer, 1)
    assert told(stripe) == [(customer, 51)]
    assert [each.id for each in alerts.list({"meter": meter}).data] == [made]
    assert (
        stripe.get(f"billing/alerts/{made}", expand=["usage_threshold.meter"])["usage_threshold"]["meter"]["id"]
        == meter
    )
    assert alerts.archive(made).status == "archived"
    assert alerts.list().data == []
    assert stripe.error("GET", f"billing/alerts/{made}", 404)["code"] == "resource_missing"


def test_what_an_alert_names_is_expanded_in_alerts_alone(stripe, meter, customer):
    alert = alerted(stripe, meter, filters=[{"type": "customer", "customer": customer}])["id"]
    seen = stripe.get(f"billing/alerts/{alert}", expand=["usage_threshold.filters.customer"])
    assert seen["usage_threshold"]["filters"][0]["customer"]["id"] == customer
    use(stripe, customer, 50)
    told = stripe.get("events", type="billing.alert.triggered")["data"][0]["data"]["object"]
    assert told["customer"] == customer
    stripe.post("tax/settings", head_office={"address": {"country": "DE"}})
    stripe.post(f"customers/{customer}", address={"country": "DE"})
    sale = {"currency": "eur", "customer": customer, "line_items": [{"amount": 1000}], "expand": ["customer"]}
    assert "cannot be expanded" in stripe.error("POST", "tax/calculations", **sale)["message"]


@pytest.mark.parametrize(
    ("change", "param"),
    [
        ({"meter": "mtr_none"}, "usage_threshold[meter]"),
        ({"gte": 0}, "usage_threshold[gte]"),
        ({"filters": [{"type": "customer"}]}, "usage_threshold[filters][0][customer]"),
        ({"filters": [{"type": "customer", "customer": "cus_1"}] * 2}, "usage_threshold[filters]"),
    ],
)
def test_an_alert_is_checked(stripe, meter, change, param):
    threshold = {"meter": meter, "gte": 10, "recurrence": "one_time", **change}
    wanted = {"title": "Heavy", "alert_type": "usage_threshold", "usage_threshold": threshold}
    assert stripe.error("POST", "billing/alerts", **wanted)["param"] == param


@pytest.mark.parametrize(("days", "said"), [(-36, "35 days in past"), (1, "5 minutes in future")])
def test_usage_is_neither_too_old_nor_of_the_future(stripe, days, said):
    formula = {"formula": "sum"}
    stripe.post("billing/meters", display_name="Calls", event_name="calls", default_aggregation=formula)
    customer = stripe.post("customers")
    event = {"event_name": "calls", "payload": {"stripe_customer_id": customer["id"], "value": 1}}
    error = stripe.error("POST", "billing/meter_events", **event, timestamp=customer["created"] + days * 86_400)
    assert error["message"].startswith(f"The event timestamp cannot be more than {said}. Expected a timestamp ")
    stripe.post("billing/meter_events", **event, timestamp=customer["created"] - 34 * 86_400)
