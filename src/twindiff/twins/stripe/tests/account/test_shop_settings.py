"""What a shop has beside its sales: domains, top-ups, and the countries it may be in."""

import pytest


def test_a_domain_is_made_known_once(stripe):
    made = stripe.post("payment_method_domains", domain_name="Shop.example")
    assert (made["domain_name"], made["enabled"], made["apple_pay"]) == ("shop.example", True, {"status": "active"})
    assert stripe.post("payment_method_domains", domain_name="shop.example")["id"] == made["id"]
    assert stripe.post(f"payment_method_domains/{made['id']}/validate")["link"]["status"] == "active"
    off = stripe.post(f"payment_method_domains/{made['id']}", enabled=False)
    assert off["google_pay"]["status"] == "inactive"
    assert stripe.get("payment_method_domains", enabled=True)["data"] == []
    assert stripe.get(f"payment_method_domains/{made['id']}") == off


@pytest.mark.parametrize("kind", ["payment_method_domains", "apple_pay/domains"])
def test_a_domain_is_a_host_and_no_address(stripe, kind):
    assert stripe.error("POST", kind, domain_name="https://shop.example/pay")["param"] == "domain_name"
    assert stripe.error("GET", f"{kind}/pmd_none", 404)["code"] == "resource_missing"


def test_a_domain_is_taken_from_apple_pay(stripe):
    made = stripe.post("apple_pay/domains", domain_name="shop.example")
    assert stripe.get("apple_pay/domains", domain_name="shop.example")["data"] == [made]
    assert stripe.delete(f"apple_pay/domains/{made['id']}")["deleted"]
    assert stripe.error("GET", f"apple_pay/domains/{made['id']}", 404)["param"] == "id"


def test_a_top_up_is_there_two_days_later(stripe):
    made = stripe.post("topups", amount=5000, currency="usd", description="Float", metadata={"a": "b"})
    assert (made["status"], stripe.get("balance")["pending"][0]["amount"]) == ("pending", 5000)
    stripe.advance(days=3)
    arrived = stripe.get(f"topups/{made['id']}", expand=["balance_transaction"])
    assert (arrived["status"], arrived["balance_transaction"]["type"]) == ("succeeded", "topup")
    assert stripe.get("balance")["available"][0]["amount"] == 5000
    assert [each["id"] for each in stripe.get("topups", status="succeeded", amount={"gte": 1})["data"]] == [made["id"]]
    assert "has a status of succeeded" in stripe.error("POST", f"topups/{made['id']}/cancel")["message"]
    types = {each["type"] for each in stripe.get("events")["data"]}
    assert {"topup.created", "topup.succeeded"} <= types


def test_a_top_up_is_canceled_while_it_is_on_its_way(stripe):
    made = stripe.post("topups", amount=5000, currency="usd")
    assert stripe.post(f"topups/{made['id']}", description="Float")["description"] == "Float"
    assert stripe.post(f"topups/{made['id']}/cancel")["status"] == "canceled"
    stripe.advance(days=3)
    assert stripe.get("balance")["available"][0]["amount"] == 0


def test_a_top_up_is_of_something(stripe):
    error = stripe.error("POST", "topups", amount=0, currency="usd")
    assert (error["code"], error["param"]) == ("parameter_invalid_integer", "amount")
    assert stripe.error("GET", "topups/tu_none", 404)["param"] == "topup"


def test_a_country_says_what_its_shops_settle_in(stripe):
    assert stripe.get("country_specs/JP")["default_currency"] == "jpy"
    assert stripe.get("country_specs/US")["supported_payment_currencies"][0] == "usd"
    assert stripe.error("GET", "country_specs/Japan")["message"].startswith("Country 'Japan' is unknown.")
    assert "not currently supported" in stripe.error("GET", "country_specs/KP", 404)["message"]


def test_countries_are_listed_in_pages(stripe):
    first = stripe.get("country_specs", limit=3)
    assert ([each["id"] for each in first["data"]], first["has_more"]) == (["AE", "AT", "AU"], True)
    assert stripe.get("country_specs", limit=1, starting_after="AU")["data"][0]["id"] == "BE"
    before = stripe.get("country_specs", limit=1, ending_before="AU")
    assert ([each["id"] for each in before["data"]], before["has_more"]) == (["AT"], True)
    assert stripe.get("country_specs", starting_after="US")["has_more"] is False
    assert stripe.error("GET", "country_specs", starting_after="XX")["param"] == "starting_after"


def test_a_shipping_rate_gets_a_price_in_another_currency(stripe):
    rate = stripe.post("shipping_rates", display_name="Post", fixed_amount={"amount": 500, "currency": "usd"})
    options = {"eur": {"amount": 400, "tax_behavior": "inclusive"}}
    changed = stripe.post(f"shipping_rates/{rate['id']}", fixed_amount={"currency_options": options})
    assert changed["fixed_amount"]["currency_options"]["eur"]["amount"] == 400
    assert changed["fixed_amount"]["amount"] == 500


def test_the_currency_of_a_shipping_rate_is_named_where_it_is(stripe):
    error = stripe.error("POST", "shipping_rates", display_name="x", fixed_amount={"amount": 5, "currency": "xxd"})
    assert error["param"] == "fixed_amount[currency]"
