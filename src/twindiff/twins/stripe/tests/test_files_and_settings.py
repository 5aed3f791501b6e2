"""Links to files, configurations of ways to pay, and the balance's history."""

import io

import pytest
import stripe as sdk


@pytest.fixture
def client(stripe):
    return sdk.StripeClient("sk_test_shop", base_addresses={"api": stripe.url, "files": stripe.url})


def upload(client, **more):
    return client.v1.files.create({"purpose": "dispute_evidence", "file": io.BytesIO(b"evidence"), **more})


def test_a_link_leads_to_a_file_until_it_is_over(stripe, client):
    link = client.v1.file_links.create({"file": upload(client).id, "metadata": {"order": "1"}})
    visit = stripe.environment.platform.client.get
    assert visit(link.url).content == b"evidence"
    over = client.v1.file_links.update(link.id, {"expires_at": "now"})
    assert (over.expired, over.url) == (True, None)
    assert visit(link.url).status_code == 404
    assert stripe.get("file_links", expired=False)["data"] == []
    assert [each["id"] for each in stripe.get("file_links", expired=True)["data"]] == [link.id]


def test_an_upload_makes_a_link_at_once(stripe, client):
    made = upload(client, file_link_data={"create": True})
    assert made.links.data[0].file == made.id
    assert stripe.get("file_links", file=made.id)["data"][0]["id"] == made.links.data[0].id


def test_what_has_no_links_is_refused(stripe, client):
    assert stripe.error("POST", "file_links", file="file_none")["code"] == "resource_missing"
    secret = client.v1.files.create({"purpose": "identity_document", "file": io.BytesIO(b"id")}).id
    assert stripe.error("POST", "file_links", file=secret)["param"] == "file"
    past = stripe.error("POST", "file_links", file=upload(client).id, expires_at=1)
    assert past["param"] == "expires_at"


def test_a_configuration_says_which_ways_to_pay_are_on(stripe, client):
    own = stripe.get("payment_method_configurations")["data"][0]
    assert (own["is_default"], own["card"]["available"], own["ideal"]["available"]) == (True, True, False)
    on = {"display_preference": {"preference": "on"}}
    made = client.v1.payment_method_configurations.create({"name": "Europe", "ideal": on})
    assert made.ideal.available
    off = {"display_preference": {"preference": "off"}}
    changed = client.v1.payment_method_configurations.update(own["id"], {"klarna": off})
    assert (changed.klarna.available, changed.is_default) == (False, True)
    listed = stripe.get("payment_method_configurations")["data"]
    assert {each["id"] for each in listed} == {made.id, own["id"]}
    assert stripe.error("GET", "payment_method_configurations/pmc_none", 404)["code"] == "resource_missing"


def test_the_balance_has_its_history_by_its_old_name(stripe):
    asked = {"amount": 2000, "currency": "usd", "payment_method": "pm_card_visa", "confirm": True}
    stripe.post("payment_intents", **asked, allowed_payment_method_types=["card"])
    history, now = stripe.get("balance/history"), stripe.get("balance_transactions")
    assert history["data"] == now["data"]
    assert stripe.get(f"balance/history/{now['data'][0]['id']}") == now["data"][0]
