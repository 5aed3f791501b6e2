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


def test_a_link_to_set_up_an_account_leads_back(stripe, client):
    account = stripe.post("accounts", type="express")["id"]
    back = {"refresh_url": "https://shop.example/again", "return_url": "https://shop.example/done"}
    link = client.v1.account_links.create({"account": account, "type": "account_onboarding", **back})
    visited = stripe.environment.platform.client.get(link.url)
    assert (visited.status_code, visited.headers["Location"]) == (303, "https://shop.example/done")
    assert client.v1.accounts.login_links.create(account).url.startswith("http")
    assert stripe.error("POST", "account_links", account=account, type="account_update")["param"] == "refresh_url"


def test_only_express_accounts_are_looked_at(stripe):
    account = stripe.post("accounts", type="custom")["id"]
    assert "Express" in stripe.error("POST", f"accounts/{account}/login_links")["message"]


def test_usage_that_was_canceled_is_not_counted(stripe, client):
    asked = {"display_name": "API", "event_name": "api", "default_aggregation": {"formula": "sum"}}
    meter = stripe.post("billing/meters", **asked)
    customer = stripe.post("customers")["id"]
    for name, value in (("one", "3"), ("two", "4")):
        said = {"stripe_customer_id": customer, "value": value}
        stripe.post("billing/meter_events", event_name="api", payload=said, identifier=name)
    wanted = {"event_name": "api", "type": "cancel", "cancel": {"identifier": "one"}}
    assert client.v1.billing.meter_event_adjustments.create(wanted).status == "pending"
    start = meter["created"] // 60 * 60
    times = {"customer": customer, "start_time": start, "end_time": start + 600}
    assert stripe.get(f"billing/meters/{meter['id']}/event_summaries", **times)["data"][0]["aggregated_value"] == 4
    assert stripe.error("POST", "billing/meter_event_adjustments", **wanted)["code"] == "resource_missing"


def test_nothing_is_saved_in_the_old_way(stripe):
    customer = stripe.post("customers")["id"]
    assert stripe.get(f"customers/{customer}/sources", object="card")["data"] == []
    assert "end of life" in stripe.error("POST", f"customers/{customer}/sources", source="tok_visa")["message"]
