"""Plans: recurring prices by their older name."""

import pytest

MONTHLY = {"amount": 1200, "currency": "usd", "interval": "month", "product": {"name": "Gold"}}


def test_a_plan_is_a_price_too(stripe):
    plan = stripe.post("plans", **MONTHLY, nickname="G", trial_period_days=7)
    assert (plan["object"], plan["amount"], plan["interval_count"], plan["trial_period_days"]) == ("plan", 1200, 1, 7)
    price = stripe.get(f"prices/{plan['id']}", expand=["product"])
    assert (price["unit_amount"], price["recurring"]["interval"], price["product"]["name"]) == (1200, "month", "Gold")
    assert stripe.get(f"plans/{plan['id']}", expand=["product"])["product"]["name"] == "Gold"
    assert [each["id"] for each in stripe.get("plans", product=plan["product"])["data"]] == [plan["id"]]


def test_a_plan_may_have_any_id_once(stripe):
    assert stripe.post("plans", **MONTHLY, id="gold")["id"] == "gold"
    assert stripe.error("POST", "plans", **MONTHLY, id="gold")["code"] == "resource_already_exists"


def test_plans_are_listed_in_pages(stripe):
    for id in ("gold", "silver"):
        stripe.post("plans", **MONTHLY, id=id)
    newest = stripe.get("plans", limit=1)
    assert ([each["id"] for each in newest["data"]], newest["has_more"]) == (["silver"], True)
    assert stripe.get("plans", starting_after="silver")["data"] == [stripe.get("plans/gold")]
    assert stripe.error("GET", "plans", starting_after="bronze")["message"] == "No such plan: 'bronze'"


def test_a_plan_is_subscribed_to(stripe):
    plan = stripe.post("plans", **MONTHLY, id="gold")["id"]
    customer = stripe.post("customers", payment_method="pm_card_visa")["id"]
    method = stripe.get("payment_methods", customer=customer)["data"][0]["id"]
    wanted = {"customer": customer, "items": [{"plan": plan}], "default_payment_method": method}
    made = stripe.post("subscriptions", **wanted)
    assert (made["plan"]["id"], made["items"]["data"][0]["price"]["id"]) == (plan, plan)
    assert stripe.delete(f"plans/{plan}") == {"id": plan, "object": "plan", "deleted": True}
    assert stripe.get(f"subscriptions/{made['id']}")["plan"]["id"] == plan
    for path in ("plans", "prices"):
        assert stripe.error("GET", f"{path}/{plan}", 404)["code"] == "resource_missing"
        assert stripe.get(path)["data"] == []
    assert stripe.error("POST", "subscriptions", **wanted)["param"] == "items[0][plan]"


def test_what_may_change_of_a_plan_changes(stripe):
    plan = stripe.post("plans", **MONTHLY)["id"]
    changed = stripe.post(f"plans/{plan}", nickname="Old", trial_period_days=3, active=False, metadata={"a": "b"})
    assert (changed["nickname"], changed["trial_period_days"], changed["active"]) == ("Old", 3, False)
    assert stripe.error("POST", f"plans/{plan}", amount=5)["code"] == "parameter_unknown"


@pytest.mark.parametrize("name", ["amount", "interval"])
def test_a_plan_needs_an_amount_and_an_interval(stripe, name):
    stripe.error("POST", "plans", **{key: value for key, value in MONTHLY.items() if key != name})
