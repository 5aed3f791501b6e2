"""What Stripe Tax makes of a sale, by where the shop is registered; https://docs.stripe.com/tax/custom"""

import pytest

GERMANY = {"address": {"country": "DE"}, "address_source": "billing"}
SALE = {"currency": "eur", "line_items": [{"amount": 1000, "reference": "book"}], "customer_details": GERMANY}


@pytest.fixture
def office(stripe):
    """A shop in Berlin that is registered nowhere."""
    stripe.post("tax/settings", head_office={"address": {"country": "DE"}})
    return stripe


@pytest.fixture
def registered(office):
    """A shop in Berlin that is registered there."""
    office.post("tax/registrations", country="DE", country_options={"de": {"type": "standard"}}, active_from="now")
    return office


def test_tax_codes_are_listed_and_looked_at(stripe):
    page = stripe.get("tax_codes", limit=3)
    assert (len(page["data"]), page["has_more"], page["url"]) == (3, True, "/v1/tax_codes")
    assert stripe.get("tax_codes/txcd_99999999")["name"] == "General - Tangible Goods"
    error = stripe.error("GET", "tax_codes/txcd_none", 404)
    assert (error["code"], error["message"]) == ("resource_missing", "No such tax code: 'txcd_none'")


def test_settings_are_pending_until_the_shop_has_a_head_office(stripe):
    assert stripe.get("tax/settings")["status_details"] == {"pending": {"missing_fields": ["head_office"]}}
    made = stripe.post(
        "tax/settings", head_office={"address": {"country": "DE"}}, defaults={"tax_behavior": "inclusive"}
    )
    assert (made["status"], made["defaults"]["tax_behavior"]) == ("active", "inclusive")
    assert made["head_office"]["address"]["country"] == "DE"
    assert stripe.get("events", type="tax.settings.updated")["data"][0]["data"]["object"] == made


def test_a_head_office_in_the_united_states_is_in_a_state(stripe):
    error = stripe.error("POST", "tax/settings", head_office={"address": {"country": "US"}})
    assert (error["code"], error["param"]) == ("parameter_missing", "head_office[address][state]")


def test_no_tax_is_calculated_without_a_head_office(stripe):
    assert "valid head office address" in stripe.error("POST", "tax/calculations", **SALE)["message"]


def test_a_shop_collects_nothing_where_it_is_not_registered(office):
    made = office.post("tax/calculations", **SALE)
    assert (made["amount_total"], made["tax_amount_exclusive"]) == (1000, 0)
    assert made["tax_breakdown"][0]["taxability_reason"] == "not_collecting"
    assert "line_items" not in made


def test_tax_is_added_or_is_within_the_amount(registered):
    lines = [{"amount": 1000, "reference": "a"}, {"amount": 1190, "reference": "b", "tax_behavior": "inclusive"}]
    wanted = {**SALE, "line_items": lines, "shipping_cost": {"amount": 500}}
    made = registered.post("tax/calculations", **wanted, expand=["line_items.data.tax_breakdown"])
    assert (made["amount_total"], made["tax_amount_exclusive"], made["tax_amount_inclusive"]) == (2975, 285, 190)
    assert [each["amount_tax"] for each in made["line_items"]["data"]] == [190, 190]
    assert made["line_items"]["data"][1]["tax_breakdown"][0]["taxable_amount"] == 1000
    assert (made["shipping_cost"]["amount_tax"], made["shipping_cost"]["tax_code"]) == (95, "txcd_92010001")
    assert [each["taxable_amount"] for each in made["tax_breakdown"]] == [1500, 1000]


@pytest.mark.parametrize(
    ("options", "place", "reason"),
    [
        ({"us": {"type": "state_sales_tax", "state": "CA"}}, {"country": "US", "state": "CA"}, "standard_rated"),
        ({"us": {"type": "state_sales_tax", "state": "CA"}}, {"country": "US", "state": "NY"}, "not_collecting"),
        ({"us": {"type": "state_sales_tax", "state": "CA"}}, {"country": "US", "state": "OR"}, "not_subject_to_tax"),
        ({"de": {"type": "oss_union"}}, {"country": "FR"}, "standard_rated"),
        ({"de": {"type": "standard"}}, {"country": "FR"}, "not_collecting"),
        ({"de": {"type": "oss_union"}}, {"country": "BR"}, "not_supported"),
    ],
)
def test_a_registration_is_for_its_place(office, options, place, reason):
    (country,) = options
    office.post("tax/registrations", country=country.upper(), country_options=options, active_from="now")
    details = {"address": place, "address_source": "shipping"}
    made = office.post("tax/calculations", **{**SALE, "customer_details": details})
    assert made["tax_breakdown"][0]["taxability_reason"] == reason


def test_businesses_in_another_country_of_the_union_reckon_for_themselves(office):
    office.post("tax/registrations", country="DE", country_options={"de": {"type": "oss_union"}}, active_from="now")
    details = {**GERMANY, "address": {"country": "FR"}, "tax_ids": [{"type": "eu_vat", "value": "FRAB123456789"}]}
    made = office.post("tax/calculations", **{**SALE, "customer_details": details})
    assert made["tax_breakdown"][0]["taxability_reason"] == "reverse_charge"


def test_an_american_customer_is_in_a_state(office):
    details = {"address": {"country": "US"}, "address_source": "billing"}
    error = office.error("POST", "tax/calculations", **{**SALE, "customer_details": details})
    assert error["code"] == "customer_tax_location_invalid"


def test_a_calculation_knows_where_its_customer_is(registered):
    customer = registered.post("customers", address={"country": "DE"})["id"]
    made = registered.post("tax/calculations", currency="eur", line_items=SALE["line_items"], customer=customer)
    assert (made["customer"], made["customer_details"]["address_source"]) == (customer, "billing")
    assert made["tax_amount_exclusive"] == 190


@pytest.mark.parametrize(
    ("lacking", "param"), [("customer_details", "customer_details"), ("line_items", "line_items"), ("currency",) * 2]
)
def test_a_calculation_says_what_is_missing(registered, lacking, param):
    wanted = {name: value for name, value in SALE.items() if name != lacking}
    error = registered.error("POST", "tax/calculations", **wanted)
    assert (error["code"], error["param"]) == ("parameter_missing", param)


def test_registrations_begin_and_end(stripe):
    wanted = {"country": "DE", "country_options": {"de": {"type": "standard"}}}
    later = stripe.post("tax/registrations", **wanted, active_from=4_102_444_800)
    assert later["status"] == "scheduled"
    made = stripe.post("tax/registrations", **wanted, active_from="now")
    assert [each["id"] for each in stripe.get("tax/registrations", status="active")["data"]] == [made["id"]]
    assert stripe.post(f"tax/registrations/{made['id']}", expires_at="now")["status"] == "expired"
    assert stripe.get(f"tax/registrations/{made['id']}")["status"] == "expired"
    assert len(stripe.get("tax/registrations")["data"]) == 2


def test_a_registration_says_of_which_type_it_is(stripe):
    error = stripe.error("POST", "tax/registrations", country="DE", country_options={"fr": {}}, active_from="now")
    assert (error["code"], error["param"]) == ("parameter_missing", "country_options")
    options = {"fr": {"type": "standard"}}
    error = stripe.error("POST", "tax/registrations", country="DE", country_options=options, active_from="now")
    assert (error["code"], error["param"]) == ("parameter_missing", "country_options[de]")


@pytest.fixture
def sale(registered):
    calculation = registered.post("tax/calculations", **SALE, shipping_cost={"amount": 100})["id"]
    wanted = {"calculation": calculation, "reference": "order 1", "expand": ["line_items"]}
    return registered.post("tax/transactions/create_from_calculation", **wanted)


def test_a_sale_is_recorded_once_by_its_reference(registered, sale):
    assert (sale["type"], sale["reversal"], sale["shipping_cost"]["amount_tax"]) == ("transaction", None, 19)
    (line,) = sale["line_items"]["data"]
    assert (line["object"], line["amount_tax"], line["type"]) == ("tax.transaction_line_item", 190, "transaction")
    assert registered.get(f"tax/transactions/{sale['id']}/line_items")["data"] == [line]
    again = {"calculation": registered.post("tax/calculations", **SALE)["id"], "reference": "order 1"}
    error = registered.error("POST", "tax/transactions/create_from_calculation", **again)
    assert error["param"] == "reference"


def test_a_sale_is_taken_back_whole(registered, sale):
    wanted = {"mode": "full", "original_transaction": sale["id"], "reference": "refund 1"}
    back = registered.post("tax/transactions/create_reversal", **wanted, expand=["line_items"])
    assert (back["type"], back["reversal"]) == ("reversal", {"original_transaction": sale["id"]})
    (line,) = back["line_items"]["data"]
    assert (line["amount"], line["amount_tax"]) == (-1000, -190)
    assert line["reversal"] == {"original_line_item": sale["line_items"]["data"][0]["id"]}
    assert (back["shipping_cost"]["amount"], back["shipping_cost"]["amount_tax"]) == (-100, -19)
    assert registered.get(f"tax/transactions/{back['id']}")["reference"] == "refund 1"


def test_a_part_of_a_sale_is_taken_back_by_an_amount_with_its_tax(registered, sale):
    wanted = {"mode": "partial", "original_transaction": sale["id"], "reference": "refund 1", "flat_amount": -119}
    back = registered.post("tax/transactions/create_reversal", **wanted, expand=["line_items"])
    (line,) = back["line_items"]["data"]
    assert (line["amount"], line["amount_tax"], back["shipping_cost"]) == (-100, -19, None)


@pytest.mark.parametrize(("amount", "tax", "param"), [(1, 0, "amount"), (-1001, 0, "amount"), (0, -191, "amount_tax")])
def test_no_more_is_taken_back_of_a_line_than_there_was(registered, sale, amount, tax, param):
    line = {"amount": amount, "amount_tax": tax, "original_line_item": sale["line_items"]["data"][0]["id"]}
    wanted = {"mode": "partial", "original_transaction": sale["id"], "line_items": [{**line, "reference": "r"}]}
    error = registered.error("POST", "tax/transactions/create_reversal", **wanted, reference="refund 1")
    assert error["param"] == f"line_items[0][{param}]"


def test_what_was_taken_back_is_not_taken_back_again(registered, sale):
    (line,) = sale["line_items"]["data"]
    wanted = {"original_transaction": sale["id"], "expand": ["line_items"]}
    part = {"amount": -600, "amount_tax": -114, "original_line_item": line["id"], "reference": "r"}
    error = registered.error(
        "POST", "tax/transactions/create_reversal", mode="partial", line_items=[part, part], reference="1", **wanted
    )
    assert error["param"] == "line_items[1][amount]"
    shipping = {"amount": -40, "amount_tax": -9}
    partial = {"mode": "partial", "line_items": [part], "shipping_cost": shipping}
    registered.post("tax/transactions/create_reversal", **partial, reference="1", **wanted)
    error = registered.error("POST", "tax/transactions/create_reversal", **partial, reference="2", **wanted)
    assert error["param"] == "line_items[0][amount]"
    rest = registered.post("tax/transactions/create_reversal", mode="full", reference="2", **wanted)
    (back,) = rest["line_items"]["data"]
    assert (back["amount"], back["amount_tax"]) == (-400, -76)
    assert (rest["shipping_cost"]["amount"], rest["shipping_cost"]["amount_tax"]) == (-60, -10)
    error = registered.error("POST", "tax/transactions/create_reversal", mode="full", reference="3", **wanted)
    assert error["param"] == "original_transaction"


@pytest.mark.parametrize(("amount", "tax", "param"), [(1, 0, "amount"), (-101, 0, "amount"), (0, -20, "amount_tax")])
def test_no_more_is_taken_back_of_shipping_than_it_cost(registered, sale, amount, tax, param):
    wanted = {"mode": "partial", "original_transaction": sale["id"], "reference": "refund 1"}
    shipping = {"amount": amount, "amount_tax": tax}
    error = registered.error("POST", "tax/transactions/create_reversal", **wanted, shipping_cost=shipping)
    assert error["param"] == f"shipping_cost[{param}]"
