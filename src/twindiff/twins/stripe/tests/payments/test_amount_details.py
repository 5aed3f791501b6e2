"""What the amount of a payment is made of: https://docs.stripe.com/payments/payment-line-items"""

import pytest

MUG = {"product_name": "Mug", "unit_cost": 2000, "quantity": 1, "product_code": "SKU001"}
HAT = {"product_name": "Hat", "unit_cost": 1000, "quantity": 2}
SHIPPING = {"amount": 400, "from_postal_code": "94110", "to_postal_code": "94117"}
DETAILS = {"discount_amount": 200, "tax": {"total_tax_amount": 400}, "shipping": SHIPPING, "line_items": [MUG, HAT]}


def ask(stripe, details, amount=4600, **more):
    return stripe.post("payment_intents", amount=amount, currency="usd", amount_details=details, **more)


def refused(stripe, details, amount=4600):
    return stripe.error("POST", "payment_intents", amount=amount, currency="usd", amount_details=details)


def test_an_intent_shows_what_its_amount_is_made_of(stripe):
    made = ask(stripe, DETAILS)
    shown = {"discount_amount": 200, "shipping": SHIPPING, "tax": {"total_tax_amount": 400}, "tip": {}}
    assert made["amount_details"] == shown
    assert stripe.get(f"payment_intents/{made['id']}")["amount_details"] == shown


def test_its_line_items_are_listed_and_included(stripe):
    made = ask(stripe, DETAILS, expand=["amount_details.line_items"])
    included = made["amount_details"]["line_items"]
    listed = stripe.get(f"payment_intents/{made['id']}/amount_details_line_items")
    assert included == listed
    assert [(each["product_name"], each["quantity"]) for each in listed["data"]] == [("Mug", 1), ("Hat", 2)]
    page = stripe.get(f"payment_intents/{made['id']}/amount_details_line_items", starting_after=listed["data"][0]["id"])
    assert page["data"] == listed["data"][1:]


def test_only_an_amounts_details_have_line_items(stripe):
    made = ask(stripe, DETAILS, shipping={"name": "Ada", "address": {"line1": "1 Mill Road"}})
    error = stripe.error("GET", f"payment_intents/{made['id']}", expand=["shipping.line_items"])
    assert "cannot be expanded" in error["message"]


def test_parts_that_do_not_make_up_the_amount_are_refused(stripe):
    assert refused(stripe, DETAILS, 4500)["code"] == "amount_details_amount_mismatch"
    error = refused(stripe, {"tax": {"total_tax_amount": 5000}})
    assert error["code"] == "amount_details_tax_shipping_discount_greater_than_amount"


def test_or_told_where_nobody_enforces_it(stripe):
    made = ask(stripe, {**DETAILS, "enforce_arithmetic_validation": False}, 4500)
    assert made["amount_details"]["error"]["code"] == "amount_details_amount_mismatch"
    mended = stripe.post(f"payment_intents/{made['id']}", amount=4600, amount_details=DETAILS)
    assert "error" not in mended["amount_details"]


@pytest.mark.parametrize(
    ("item", "name"), [({"quantity": 0}, "quantity"), ({"unit_cost": -1}, "unit_cost"), ({"color": "red"}, "color")]
)
def test_a_line_item_that_is_none_is_refused(stripe, item, name):
    assert refused(stripe, {"line_items": [{**MUG, **item}]})["param"] == f"amount_details[line_items][0][{name}]"


def test_a_discount_is_of_the_payment_or_of_its_items(stripe):
    items = [{**MUG, "discount_amount": 100}]
    assert refused(stripe, {"line_items": items, "discount_amount": 100})["param"] == "amount_details[discount_amount]"
    assert ask(stripe, {"line_items": items}, 1900)["amount"] == 1900


def test_details_are_changed_part_by_part_and_unset(stripe):
    made = ask(stripe, {"tax": {"total_tax_amount": 400}})["id"]
    changed = stripe.post(f"payment_intents/{made}", amount_details={"shipping": {"amount": 300}})
    assert changed["amount_details"] == {"tax": {"total_tax_amount": 400}, "shipping": {"amount": 300}, "tip": {}}
    assert "tax" not in stripe.post(f"payment_intents/{made}", amount_details={"tax": ""})["amount_details"]
    assert stripe.post(f"payment_intents/{made}", amount_details="")["amount_details"] == {"tip": {}}


def test_what_is_captured_may_be_made_of_other_things(stripe):
    paid_by = {"payment_method": "pm_card_visa", "payment_method_types": ["card"], "confirm": True}
    held = ask(stripe, DETAILS, capture_method="manual", **paid_by)["id"]
    less = {"line_items": [MUG], "discount_amount": "", "tax": "", "shipping": ""}
    captured = stripe.post(f"payment_intents/{held}/capture", amount_to_capture=2000, amount_details=less)
    assert (captured["status"], captured["amount_details"]) == ("succeeded", {"tip": {}})
