"""Trials last two years at most, wherever one is asked for."""

import pytest

DAY = 86_400
MONTH = {"interval": "month"}
SAID = "The maximum number of trial period days is 730 (2 years)."
BACK = {"mode": "subscription", "success_url": "https://shop.example"}


def shop_of(shop):
    stripe = shop(clock={"mode": "steps"})
    price = stripe.post("prices", currency="usd", unit_amount=1000, recurring=MONTH, product_data={"name": "Plan"})[
        "id"
    ]
    customer = stripe.post("customers")
    running = stripe.post("subscriptions", customer=customer["id"], items=[{"price": price}], trial_period_days=1)
    return stripe, price, customer, running["id"]


ROUTES = {
    "days": ("subscriptions", lambda p, c, d, t: {"customer": c, "items": [{"price": p}], "trial_period_days": d},
             "trial_period_days"),
    "end": ("subscriptions", lambda p, c, d, t: {"customer": c, "items": [{"price": p}], "trial_end": t}, "trial_end"),
    "update": ("subscriptions/{}", lambda p, c, d, t: {"trial_end": t}, "trial_end"),
    "preview": ("invoices/create_preview", lambda p, c, d, t: {
        "customer": c, "subscription_details": {"items": [{"price": p}], "trial_end": t}},
        "subscription_details[trial_end]"),
    "phase": ("subscription_schedules", lambda p, c, d, t: {"customer": c, "phases": [
        {"items": [{"price": p}], "trial": True, "end_date": t}]}, "phases[0][trial]"),
    "page": ("checkout/sessions", lambda p, c, d, t: {
        **BACK, "line_items": [{"price": p, "quantity": 1}], "subscription_data": {"trial_period_days": d}},
        "subscription_data[trial_period_days]"),
    "page's end": ("checkout/sessions", lambda p, c, d, t: {
        **BACK, "line_items": [{"price": p, "quantity": 1}], "subscription_data": {"trial_end": t}},
        "subscription_data[trial_end]"),
    "link": ("payment_links", lambda p, c, d, t: {
        "line_items": [{"price": p, "quantity": 1}], "subscription_data": {"trial_period_days": d}},
        "subscription_data[trial_period_days]"),
    "quote": ("quotes", lambda p, c, d, t: {
        "customer": c, "line_items": [{"price": p}], "subscription_data": {"trial_period_days": d}},
        "subscription_data[trial_period_days]"),
}  # fmt: skip


@pytest.mark.parametrize("route", ROUTES)
def test_a_trial_lasts_two_years_at_most(shop, route):
    stripe, price, customer, running = shop_of(shop)
    path, wanted, param = ROUTES[route]
    start = customer["created"]
    for days in (731, 3000):
        given = wanted(price, customer["id"], days, start + days * DAY)
        error = stripe.error("POST", path.format(running), **given)
        assert (error["param"], error["message"]) == (param, SAID if days == 731 else error["message"])
    stripe.post(path.format(running), **wanted(price, customer["id"], 730, start + 730 * DAY))


@pytest.mark.parametrize(("path", "at"), [("prices", "recurring[trial_period_days]"), ("plans", "trial_period_days")])
def test_a_price_has_a_trial_of_two_years_at_most(stripe, path, at):
    product = stripe.post("products", name="Plan")["id"]
    for days, status in ((730, 200), (731, 400)):
        wanted = {"currency": "usd", "product": product}
        plan = {"amount": 900, "interval": "month", "trial_period_days": days}
        price = {"unit_amount": 900, "recurring": {**MONTH, "trial_period_days": days}}
        answer = stripe.http("POST", path, **wanted, **(plan if path == "plans" else price))
        assert answer.status_code == status, answer.text
