"""Lines of drafts that are changed and taken away, and payments that are attached to invoices."""

import pytest


@pytest.fixture
def customer(stripe):
    made = stripe.post("customers", email="ada@shop.example")["id"]
    method = stripe.post("payment_methods/pm_card_visa/attach", customer=made)["id"]
    stripe.post(f"customers/{made}", invoice_settings={"default_payment_method": method})
    return made


@pytest.fixture
def draft(stripe, customer):
    for amount in (1000, 500):
        stripe.post("invoiceitems", customer=customer, amount=amount, currency="usd")
    return stripe.post("invoices", customer=customer, pending_invoice_items_behavior="include")


def test_a_line_is_changed_with_its_item(stripe, draft):
    line = draft["lines"]["data"][0]
    changed = stripe.post(f"invoices/{draft['id']}/lines/{line['id']}", amount=700, description="Work")
    assert (changed["id"], changed["amount"], changed["description"]) == (line["id"], 700, "Work")
    assert stripe.get(f"invoices/{draft['id']}")["total"] == 1700
    item = line["parent"]["invoice_item_details"]["invoice_item"]
    assert stripe.get(f"invoiceitems/{item}")["amount"] == 700


def test_several_lines_are_changed_at_once(stripe, draft):
    lines = [{"id": line["id"], "amount": 100} for line in draft["lines"]["data"]]
    changed = stripe.post(f"invoices/{draft['id']}/update_lines", lines=lines, invoice_metadata={"a": "b"})
    assert (changed["total"], changed["metadata"]) == (200, {"a": "b"})
    other = [{"id": "il_nope", "amount": 1}]
    assert stripe.error("POST", f"invoices/{draft['id']}/update_lines", lines=other)["param"] == "lines[0][id]"


def test_a_line_that_is_taken_away_is_deleted_or_waits(stripe, customer, draft):
    newer, older = (line["id"] for line in draft["lines"]["data"])
    lines = [{"id": newer, "behavior": "delete"}, {"id": older, "behavior": "unassign"}]
    left = stripe.post(f"invoices/{draft['id']}/remove_lines", lines=lines)
    assert (left["total"], left["lines"]["data"]) == (0, [])
    waiting = stripe.get("invoiceitems", customer=customer, pending=True)["data"]
    assert [item["amount"] for item in waiting] == [1000]


def test_lines_of_final_invoices_stay(stripe, draft):
    stripe.post(f"invoices/{draft['id']}/finalize")
    path = f"invoices/{draft['id']}/lines/{draft['lines']['data'][0]['id']}"
    assert stripe.error("POST", path, amount=1)["code"] == "invoice_not_editable"


def test_an_item_is_named_after_its_product(stripe, customer):
    price = stripe.post("prices", currency="usd", unit_amount=300, product_data={"name": "Mug"})["id"]
    item = stripe.post("invoiceitems", customer=customer, pricing={"price": price})
    assert item["description"] == "Mug"


def test_metadata_that_comes_with_lines_is_told_of(stripe, draft):
    lines = [{"amount": 300, "description": "Late"}]
    stripe.post(f"invoices/{draft['id']}/add_lines", lines=lines, invoice_metadata={"a": "b"})
    told = [each["data"]["previous_attributes"] for each in stripe.get("events", type="invoice.updated")["data"]]
    assert {"metadata": {"a": None}} in told


def paid(stripe, customer, amount):
    wanted = {"amount": amount, "currency": "usd", "customer": customer, "payment_method": "pm_card_visa"}
    return stripe.post("payment_intents", **wanted, confirm=True, payment_method_types=["card"])["id"]


def test_an_attached_payment_pays_its_part(stripe, customer, draft):
    path = f"invoices/{draft['id']}"
    stripe.post(f"{path}/finalize")
    part = stripe.post(f"{path}/attach_payment", payment_intent=paid(stripe, customer, 600))
    assert (part["status"], part["amount_paid"], part["amount_remaining"]) == ("open", 600, 900)
    asked = stripe.get("invoice_payments", invoice=draft["id"], status="open")["data"]
    assert [each["amount_requested"] for each in asked] == [900]
    whole = stripe.post(f"{path}/pay", expand=["payments"])
    assert (whole["status"], whole["amount_paid"], whole["amount_remaining"]) == ("paid", 1500, 0)
    payments = [(each["is_default"], each["amount_paid"]) for each in whole["payments"]["data"]]
    assert sorted(payments) == [(False, 600), (True, 900)]


def test_an_attached_payment_that_pays_all_cancels_the_invoice_s_own(stripe, customer, draft):
    path = f"invoices/{draft['id']}"
    stripe.post(f"{path}/finalize")
    intent = paid(stripe, customer, 2000)
    whole = stripe.post(f"{path}/attach_payment", payment_intent=intent, expand=["payments"])
    assert (whole["status"], whole["amount_paid"], whole["amount_overpaid"]) == ("paid", 1500, 500)
    assert sorted(each["status"] for each in whole["payments"]["data"]) == ["canceled", "paid"]
    assert stripe.error("POST", f"{path}/attach_payment", payment_intent=intent)["code"] == "invoice_not_editable"


def test_a_payment_that_is_attached_before_it_is_made_counts_then(stripe, customer, draft):
    path = f"invoices/{draft['id']}"
    stripe.post(f"{path}/finalize")
    wanted = {"amount": 1500, "currency": "usd", "customer": customer, "payment_method_types": ["card"]}
    intent = stripe.post("payment_intents", **wanted)["id"]
    assert stripe.post(f"{path}/attach_payment", payment_intent=intent)["amount_remaining"] == 1500
    stripe.post(f"payment_intents/{intent}/confirm", payment_method="pm_card_visa")
    assert stripe.get(path)["status"] == "paid"


def test_another_customer_s_payment_is_refused(stripe, customer, draft):
    path, other = f"invoices/{draft['id']}", stripe.post("customers")["id"]
    stripe.post(f"{path}/finalize")
    refused = stripe.error("POST", f"{path}/attach_payment", payment_intent=paid(stripe, other, 600))
    assert refused["param"] == "payment_intent"


def test_an_invoice_says_how_it_is_rendered_and_who_issues_it(stripe, customer):
    wanted = {
        "rendering": {"amount_tax_display": "exclude_tax", "pdf": {"page_size": "a4"}},
        "issuer": {"type": "self"},
    }
    made = stripe.post("invoices", customer=customer, **wanted)
    assert made["rendering"]["pdf"] == {"page_size": "a4"}
    assert (made["rendering"]["amount_tax_display"], made["issuer"]) == ("exclude_tax", {"type": "self"})
    own = stripe.post("tax_ids", type="eu_vat", value="DE123456789")["id"]
    assert stripe.post(f"invoices/{made['id']}", account_tax_ids=[own])["account_tax_ids"] == [own]
    assert stripe.error("POST", f"invoices/{made['id']}", issuer={"type": "account"})["param"] == "issuer[type]"


def test_a_charge_lists_its_refunds(stripe, customer):
    charge = stripe.get(f"payment_intents/{paid(stripe, customer, 900)}")["latest_charge"]
    refund = stripe.post("refunds", charge=charge, amount=300)["id"]
    assert [each["id"] for each in stripe.get(f"charges/{charge}/refunds")["data"]] == [refund]
    assert stripe.get(f"charges/{charge}/refunds/{refund}")["amount"] == 300


TIERS = [{"up_to": 5, "unit_amount": 500, "flat_amount": 100}, {"up_to": "inf", "unit_amount_decimal": "12.5"}]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("graduated", [(2500, 5, "5 \N{MULTIPLICATION SIGN} Seats (Tier 1 at $5.00 / month)"),
                       (100, 0, "Seats (Tier 1 at $1.00 / month)"),
                       (25, 2, "2 \N{MULTIPLICATION SIGN} Seats (Tier 2 at $0.125 / month)")]),
        ("volume", [(88, 7, "7 \N{MULTIPLICATION SIGN} Seats (Tier 2 at $0.125 / month)")]),
    ],
)  # fmt: skip
def test_each_tier_of_a_price_has_a_line(stripe, mode, expected):
    price = {"currency": "usd", "recurring": {"interval": "month"}, "product_data": {"name": "Seats"}}
    made = stripe.post("prices", **price, billing_scheme="tiered", tiers_mode=mode, tiers=TIERS)
    customer = stripe.post("customers")["id"]
    wanted = {"customer": customer, "collection_method": "send_invoice", "days_until_due": 3}
    subscription = stripe.post("subscriptions", **wanted, items=[{"price": made["id"], "quantity": 7}])
    invoice = stripe.get(f"invoices/{subscription['latest_invoice']}")
    lines = [(line["amount"], line["quantity"], line["description"]) for line in invoice["lines"]["data"]]
    assert lines == expected
    assert invoice["total"] == sum(amount for amount, _, _ in expected)


def test_shipping_is_a_part_of_what_an_invoice_comes_to(stripe, customer, draft):
    before = stripe.get(f"invoices/{draft['id']}")["total"]
    rate = {"display_name": "Post", "fixed_amount": {"amount": 700, "currency": "usd"}}
    home = {"name": "Ada", "address": {"line1": "1 Main St", "country": "US"}}
    changed = stripe.post(f"invoices/{draft['id']}", shipping_cost={"shipping_rate_data": rate}, shipping_details=home)
    assert (changed["total"], changed["amount_shipping"]) == (before + 700, 700)
    assert changed["shipping_cost"]["shipping_rate"].startswith("shr_")
    assert stripe.post(f"invoices/{draft['id']}/pay")["amount_paid"] == before + 700


def test_a_way_of_shipping_has_the_currency_of_the_invoice(stripe, draft):
    rate = stripe.post("shipping_rates", display_name="Post", fixed_amount={"amount": 700, "currency": "eur"})["id"]
    error = stripe.error("POST", f"invoices/{draft['id']}", shipping_cost={"shipping_rate": rate})
    assert error["param"] == "shipping_cost"


def test_a_revision_takes_the_place_of_its_original(stripe, customer, draft):
    first = stripe.post(f"invoices/{draft['id']}/finalize")
    revision = stripe.post("invoices", from_invoice={"action": "revision", "invoice": first["id"]})
    assert (revision["status"], revision["total"]) == ("draft", first["total"])
    assert revision["from_invoice"] == {"action": "revision", "invoice": first["id"]}
    assert stripe.get(f"invoices/{first['id']}")["latest_revision"] is None
    stripe.post("invoiceitems", customer=customer, invoice=revision["id"], amount=100, currency="usd")
    final = stripe.post(f"invoices/{revision['id']}/finalize")
    replaced = stripe.get(f"invoices/{first['id']}")
    assert (final["total"], final["status"]) == (first["total"] + 100, "open")
    assert (replaced["status"], replaced["latest_revision"]) == ("void", final["id"])


def test_a_draft_is_not_revised(stripe, draft):
    error = stripe.error("POST", "invoices", from_invoice={"action": "revision", "invoice": draft["id"]})
    assert (error["code"], error["param"]) == ("invoice_not_editable", "from_invoice[invoice]")
