"""What is for sale less its discounts and with its taxes, in pages and in quotes.

https://docs.stripe.com/api/checkout/sessions/line_items, https://docs.stripe.com/api/quotes/object
"""

import pytest


@pytest.fixture
def sold(stripe):
    """A plan of 1500, a mug of 700, coupons, and a tax of 20 percent."""
    plan, mug = (stripe.post("products", name=name)["id"] for name in ("Plan", "Mug"))
    usd = {"currency": "usd"}
    return {
        "plan": stripe.post("prices", product=plan, **usd, unit_amount=1500, recurring={"interval": "month"})["id"],
        "mug": stripe.post("prices", product=mug, **usd, unit_amount=700)["id"],
        "pen": stripe.post("prices", product=plan, **usd, unit_amount=300)["id"],
        "tenth": stripe.post("coupons", percent_off=10, duration="once")["id"],
        "dollar": stripe.post("coupons", amount_off=100, **usd, duration="forever")["id"],
        "of_plan": stripe.post("coupons", percent_off=50, duration="forever", applies_to={"products": [plan]})["id"],
        "vat": stripe.post("tax_rates", display_name="VAT", percentage=20, inclusive=False)["id"],
    }


def page(stripe, items, *coupons, **more):
    wanted = {
        "line_items": [{"quantity": 1, **item} for item in items],
        "discounts": [{"coupon": coupon} for coupon in coupons],
    }
    expand = ["line_items.data.discounts", "line_items.data.taxes", "total_details.breakdown"]
    return stripe.post("checkout/sessions", success_url="https://shop.example/ok", expand=expand, **wanted, **more)


def amounts(item):
    return [item[f"amount_{name}"] for name in ("subtotal", "discount", "tax", "total")]


def test_what_a_discount_takes_off_each_item_is_not_taxed(stripe, sold):
    items = [{"price": sold["mug"], "quantity": 2, "tax_rates": [sold["vat"]]}, {"price": sold["pen"]}]
    session = page(stripe, items, sold["tenth"])
    assert [amounts(item) for item in session["line_items"]["data"]] == [[1400, 140, 252, 1512], [300, 30, 0, 270]]
    assert (session["amount_subtotal"], session["amount_total"]) == (1700, 1782)
    assert (session["total_details"]["amount_discount"], session["total_details"]["amount_tax"]) == (170, 252)


def test_what_a_discount_takes_off_all_items_is_shared_among_them(stripe, sold):
    session = page(stripe, [{"price": sold["mug"]}, {"price": sold["pen"]}], sold["dollar"])
    assert [amounts(item) for item in session["line_items"]["data"]] == [[700, 70, 0, 630], [300, 30, 0, 270]]


def test_a_coupon_for_some_products_leaves_others_as_they_are(stripe, sold):
    session = page(stripe, [{"price": sold["mug"]}, {"price": sold["pen"]}], sold["of_plan"])
    assert [amounts(item) for item in session["line_items"]["data"]] == [[700, 0, 0, 700], [300, 150, 0, 150]]
    assert session["amount_total"] == 850


def test_an_item_says_which_discounts_and_taxes_it_has_when_it_is_asked(stripe, sold):
    session = page(
        stripe, [{"price": sold["mug"], "tax_rates": [sold["vat"]]}, {"price": sold["pen"]}], sold["of_plan"]
    )
    mug, pen = session["line_items"]["data"]
    assert [(tax["amount"], tax["taxable_amount"], tax["rate"]["id"]) for tax in mug["taxes"]] == [
        (140, 700, sold["vat"])
    ]
    (discount,) = pen["discounts"]
    assert (discount["amount"], discount["discount"]["source"]["coupon"]) == (150, sold["of_plan"])
    assert (discount["discount"]["checkout_session"], mug["discounts"], pen["taxes"]) == (session["id"], [], [])


def test_a_session_breaks_its_total_down_when_it_is_asked(stripe, sold):
    items = [{"price": sold["mug"], "tax_rates": [sold["vat"]]}, {"price": sold["pen"], "tax_rates": [sold["vat"]]}]
    parts = page(stripe, items, sold["tenth"])["total_details"]["breakdown"]
    assert [(each["amount"], each["discount"]["object"]) for each in parts["discounts"]] == [(100, "discount")]
    assert [(each["amount"], each["rate"]["id"]) for each in parts["taxes"]] == [(180, sold["vat"])]


def test_a_trial_s_discount_is_of_what_is_paid_now(stripe, sold):
    items = [{"price": sold["plan"]}, {"price": sold["mug"]}]
    session = page(stripe, items, sold["dollar"], subscription_data={"trial_period_days": 7})
    assert (session["amount_subtotal"], session["amount_total"]) == (700, 600)
    assert [each["amount"] for each in session["total_details"]["breakdown"]["discounts"]] == [100]


def quoted(stripe, sold, **more):
    customer = stripe.post("customers")["id"]
    items = [{"price": sold["plan"], "quantity": 2}, {"price": sold["mug"]}]
    expand = ["computed.upfront.line_items", "computed.recurring.total_details.breakdown", "total_details.breakdown"]
    return stripe.post("quotes", customer=customer, line_items=items, expand=expand, **more)


def test_a_quote_s_recurring_amounts_have_the_discounts_that_last_for_ever(stripe, sold):
    quote = quoted(stripe, sold, discounts=[{"coupon": sold["tenth"]}, {"coupon": sold["of_plan"]}])
    again = quote["computed"]["recurring"]
    assert (quote["amount_total"], again["amount_subtotal"], again["amount_total"]) == (1980, 3000, 1500)
    (lasting,) = again["total_details"]["breakdown"]["discounts"]
    assert (lasting["amount"], lasting["discount"]["id"]) == (1500, quote["discounts"][1])


def test_a_quote_is_reckoned_with_its_tax_rates_as_its_invoice_is(stripe, sold):
    quote = quoted(stripe, sold, default_tax_rates=[sold["vat"]], collection_method="send_invoice")
    assert (quote["amount_total"], quote["computed"]["recurring"]["amount_total"]) == (4440, 3600)
    stripe.post(f"quotes/{quote['id']}/finalize")
    accepted = stripe.post(f"quotes/{quote['id']}/accept", expand=["subscription.latest_invoice"])
    assert accepted["subscription"]["latest_invoice"]["total"] == 4440


def test_what_begins_with_a_trial_costs_nothing_upfront(stripe, sold):
    quote = quoted(stripe, sold, subscription_data={"trial_period_days": 7})
    upfront = quote["computed"]["upfront"]
    assert (upfront["amount_total"], quote["computed"]["recurring"]["amount_total"]) == (700, 3000)
    assert [each["amount_total"] for each in upfront["line_items"]["data"]] == [0, 700]
    listed = stripe.get(f"quotes/{quote['id']}/computed_upfront_line_items")
    assert listed["data"] == upfront["line_items"]["data"]


def test_only_what_is_paid_at_once_has_items_of_its_own(stripe, sold):
    id = quoted(stripe, sold)["id"]
    error = stripe.error("GET", f"quotes/{id}", expand=["computed.recurring.line_items"])
    assert error["message"] == "This property cannot be expanded (line_items)."
