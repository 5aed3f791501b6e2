"""What a promotion code may not exceed, and what tiers exclude."""

import pytest


def test_a_code_is_not_used_more_often_or_later_than_its_coupon(stripe):
    future = stripe.post("customers")["created"] + 86_400
    coupon = stripe.post("coupons", percent_off=10, duration="once", max_redemptions=2, redeem_by=future)["id"]
    promotion = {"type": "coupon", "coupon": coupon}
    for name, most in (("max_redemptions", 2), ("expires_at", future)):
        assert stripe.post("promotion_codes", promotion=promotion, **{name: most})[name] == most
        assert stripe.error("POST", "promotion_codes", promotion=promotion, **{name: most + 1})["param"] == name


@pytest.mark.parametrize("given", [{"unit_amount": 100}, {"unit_amount_decimal": "1.5"}])
def test_a_tiered_price_has_no_amount_of_its_own(stripe, given):
    product = stripe.post("products", name="Tea")["id"]
    tiers = {"billing_scheme": "tiered", "tiers_mode": "volume", "tiers": [{"up_to": "inf", "unit_amount": 10}]}
    asked = {"product": product, "currency": "usd", "recurring": {"interval": "month"}, **tiers}
    assert stripe.error("POST", "prices", **asked, **given)["param"] == next(iter(given))
