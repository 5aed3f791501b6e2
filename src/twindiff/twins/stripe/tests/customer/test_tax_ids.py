"""Tax ids of customers, and tax that is asked to be reckoned by itself."""

import pytest

from twindiff.twins.stripe.core.params import NO_HEAD_OFFICE


@pytest.fixture
def customer(stripe):
    return stripe.post("customers", email="ada@shop.example")["id"]


def test_a_tax_id_is_kept_listed_and_taken_away(stripe, customer):
    made = stripe.post(f"customers/{customer}/tax_ids", type="eu_vat", value="DE123456789")
    assert (made["country"], made["owner"]["customer"], made["verification"]["status"]) == ("DE", customer, "pending")
    assert [each["id"] for each in stripe.get(f"customers/{customer}/tax_ids")["data"]] == [made["id"]]
    assert stripe.get(f"customers/{customer}/tax_ids/{made['id']}")["value"] == "DE123456789"
    assert stripe.delete(f"customers/{customer}/tax_ids/{made['id']}")["deleted"] is True
    assert stripe.get(f"customers/{customer}/tax_ids")["data"] == []
    told = [each["type"] for each in stripe.get("events")["data"] if "tax_id" in each["type"]]
    assert told == ["customer.tax_id.deleted", "customer.tax_id.created"]


def test_a_greek_number_is_of_greece(stripe, customer):
    assert stripe.post(f"customers/{customer}/tax_ids", type="eu_vat", value="EL123456789")["country"] == "GR"


def test_a_new_customer_brings_tax_ids(stripe):
    wanted = [{"type": "us_ein", "value": "12-3456789"}, {"type": "eu_vat", "value": "IE000000000"}]
    made = stripe.post("customers", tax_id_data=wanted)["id"]
    kept = stripe.get(f"customers/{made}/tax_ids")["data"][::-1]
    assert [each["verification"]["status"] for each in kept] == ["unavailable", "verified"]
    assert [each["country"] for each in kept] == ["US", "IE"]


def test_a_new_customers_tax_ids_are_refused_where_they_stand(stripe):
    known = {"type": "us_ein", "value": "12-3456789"}
    refused = stripe.error("POST", "customers", tax_id_data=[known, {"type": "eu_vat", "value": "12"}])
    assert (refused["code"], refused["param"]) == ("tax_id_invalid", "tax_id_data[1][value]")
    refused = stripe.error("POST", "customers", tax_id_data=[{"type": "pirate", "value": "12"}])
    assert refused["param"] == "tax_id_data[0][type]"
    assert refused["message"].startswith("Invalid tax_id_data[0][type]: must be one of ad_nrt, ")


def test_tax_ids_that_are_none_are_refused(stripe, customer):
    path = f"customers/{customer}/tax_ids"
    assert stripe.error("POST", path, 400, type="eu_vat", value="12")["code"] == "tax_id_invalid"
    refused = stripe.error("POST", path, 400, type="de_vat", value="12")
    assert refused["param"] == "type"
    assert refused["message"].startswith("Invalid type: must be one of ad_nrt, ae_trn, al_tin, ")
    for number in range(5):
        stripe.post(path, type="us_ein", value=f"12-345678{number}")
    assert stripe.error("POST", path, 400, type="us_ein", value="12-3456789")["type"] == "invalid_request_error"


def test_a_tax_id_of_another_customer_is_not_found(stripe, customer):
    made = stripe.post(f"customers/{customer}/tax_ids", type="gb_vat", value="GB123456789")
    other = stripe.post("customers")["id"]
    assert stripe.error("GET", f"customers/{other}/tax_ids/{made['id']}", 404)["code"] == "resource_missing"


def test_automatic_tax_may_be_off_and_cannot_be_on(stripe, customer):
    off, on = {"automatic_tax": {"enabled": False}}, {"automatic_tax": {"enabled": True}}
    assert stripe.post("invoices", customer=customer, **off)["automatic_tax"]["enabled"] is False
    refused = stripe.error("POST", "invoices", 400, customer=customer, **on)
    assert (refused["message"], refused["param"]) == (NO_HEAD_OFFICE, "automatic_tax")


def test_tax_ids_are_the_shop_s_or_a_customer_s(stripe):
    own = stripe.post("tax_ids", type="eu_vat", value="DE123456789")
    customer = stripe.post("customers")["id"]
    owner = {"type": "customer", "customer": customer}
    other = stripe.post("tax_ids", type="gb_vat", value="GB123456789", owner=owner)
    assert (own["owner"]["type"], own["customer"], other["customer"]) == ("self", None, customer)
    assert [each["id"] for each in stripe.get("tax_ids")["data"]] == [own["id"]]
    assert [each["id"] for each in stripe.get("tax_ids", owner=owner)["data"]] == [other["id"]]
    assert stripe.get(f"customers/{customer}/tax_ids")["data"][0]["id"] == other["id"]
    assert stripe.delete(f"tax_ids/{own['id']}")["deleted"] is True
    assert stripe.error("GET", f"tax_ids/{own['id']}", 404)["code"] == "resource_missing"
