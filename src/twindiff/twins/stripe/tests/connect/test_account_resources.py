"""Bank accounts, persons and capabilities of connected accounts."""

import pytest

BANK = {"object": "bank_account", "country": "US", "currency": "usd", "account_number": "000123456789"}


@pytest.fixture
def account(stripe):
    """The path of a connected account."""
    return f"accounts/{stripe.post('accounts', type='custom', country='US')['id']}"


def add_bank(stripe, account, **more):
    return stripe.post(f"{account}/external_accounts", external_account={**BANK, **more})


def test_the_first_bank_account_of_a_currency_is_its_default(stripe, account):
    first, second = add_bank(stripe, account), add_bank(stripe, account, account_number="000222222227")
    assert (first["default_for_currency"], first["last4"], second["default_for_currency"]) == (True, "6789", False)
    stripe.post(f"{account}/external_accounts/{second['id']}", default_for_currency=True)
    listed = stripe.get(account)["external_accounts"]
    assert [each["default_for_currency"] for each in listed["data"]] == [True, False]
    assert listed["total_count"] == 2


def test_a_bank_account_may_be_given_by_its_token_once(stripe, account):
    token = stripe.post("tokens", bank_account={"country": "US", "currency": "usd", "account_number": "000123456789"})
    made = stripe.post(f"{account}/external_accounts", external_account=token["id"])
    assert stripe.get(f"{account}/external_accounts/{made['id']}")["last4"] == "6789"
    assert stripe.error("POST", f"{account}/external_accounts", external_account=token["id"])["param"]


def test_the_default_bank_account_stays(stripe, account):
    default, other = add_bank(stripe, account), add_bank(stripe, account)
    error = stripe.error("DELETE", f"{account}/external_accounts/{default['id']}")
    assert error["message"].startswith("You cannot delete the default external account for your default currency.")
    assert stripe.delete(f"{account}/external_accounts/{other['id']}")["deleted"]
    assert [each["id"] for each in stripe.get(f"{account}/external_accounts")["data"]] == [default["id"]]
    assert stripe.get(f"{account}/external_accounts", object="card")["data"] == []


def test_a_bank_account_of_another_account_is_missing(stripe, account):
    bank = add_bank(stripe, account)
    other = stripe.post("accounts", type="custom")["id"]
    assert stripe.error("GET", f"accounts/{other}/external_accounts/{bank['id']}", 404)["code"] == "resource_missing"


def test_a_person_has_what_was_given_and_no_numbers(stripe, account):
    born = {"day": 10, "month": 12, "year": 1815}
    given = {"first_name": "Ada", "dob": born, "id_number": "000000000", "relationship": {"owner": True}}
    made = stripe.post(f"{account}/persons", **given)
    assert (made["first_name"], made["dob"], made["id_number_provided"]) == ("Ada", born, True)
    assert (made["relationship"]["owner"], made["relationship"]["director"]) == (True, False)
    changed = stripe.post(f"{account}/persons/{made['id']}", relationship={"title": "Countess"}, metadata={"a": "b"})
    assert (changed["relationship"]["owner"], changed["relationship"]["title"]) == (True, "Countess")
    assert [each["id"] for each in stripe.get(f"{account}/persons", relationship={"owner": True})["data"]] == [
        made["id"]
    ]
    assert stripe.get(f"{account}/persons", relationship={"director": True})["data"] == []
    assert stripe.delete(f"{account}/persons/{made['id']}")["deleted"]
    assert stripe.error("GET", f"{account}/persons/{made['id']}", 404)["param"] == "person"


def test_a_capability_is_active_once_it_is_asked_for(stripe, account):
    assert stripe.get(f"{account}/capabilities")["data"] == []
    assert stripe.error("GET", f"{account}/capabilities/transfers", 404)["param"] == "capability"
    assert stripe.post(f"{account}/capabilities/transfers", requested=True)["status"] == "active"
    assert stripe.get(account)["capabilities"] == {"transfers": "active"}
    given_up = stripe.post(f"{account}/capabilities/transfers", requested=False)
    assert (given_up["requested"], given_up["status"]) == (False, "unrequested")
    assert stripe.get(f"{account}/capabilities/transfers")["requested_at"] is None


def test_what_belongs_to_a_deleted_account_goes_with_it(stripe, account):
    bank, person = add_bank(stripe, account)["id"], stripe.post(f"{account}/persons", first_name="Ada")["id"]
    stripe.delete(account)
    other = f"accounts/{stripe.post('accounts', type='custom')['id']}"
    assert stripe.error("GET", f"{other}/external_accounts/{bank}", 404)
    assert stripe.error("GET", f"{other}/persons/{person}", 404)


def test_an_account_says_who_controls_it(stripe):
    express = stripe.post("accounts", type="express")
    assert express["controller"] == {
        "type": "application",
        "is_controller": True,
        "fees": {"payer": "application_express"},
        "losses": {"payments": "application"},
        "requirement_collection": "stripe",
        "stripe_dashboard": {"type": "express"},
    }
    assert stripe.get("account")["controller"] == {"type": "account"}


def test_an_account_is_of_a_type_where_its_controller_is_that_types(stripe):
    ours = {"losses": {"payments": "application"}, "fees": {"payer": "application"}}
    made = stripe.post("accounts", controller={**ours, "stripe_dashboard": {"type": "express"}})
    assert (made["type"], made["controller"]["fees"]["payer"]) == ("express", "application")
    assert stripe.post("accounts", controller=ours)["type"] == "none"
    assert stripe.error("POST", "accounts", type="express", controller=ours)["param"] == "controller"


def test_nothing_is_asked_of_an_account(stripe):
    made = stripe.post("accounts", type="custom", tos_acceptance={"date": 1_700_000_000, "ip": "8.8.8.8"})
    assert made["tos_acceptance"] == {"date": 1_700_000_000, "ip": "8.8.8.8", "user_agent": None}
    assert (made["requirements"]["currently_due"], made["requirements"]["disabled_reason"]) == ([], None)


def test_settings_of_an_account_change_part_by_part(stripe):
    made = stripe.post("accounts", settings={"payouts": {"schedule": {"interval": "manual"}}})
    assert made["settings"]["payouts"]["schedule"] == {"delay_days": 2, "interval": "manual"}
    descriptor = {"payments": {"statement_descriptor": "SELLER"}}
    changed = stripe.post(f"accounts/{made['id']}", settings=descriptor, business_profile={"url": "https://a.example"})
    assert changed["settings"]["payments"]["statement_descriptor"] == "SELLER"
    assert changed["settings"]["payouts"]["schedule"]["interval"] == "manual"
    assert changed["business_profile"]["annual_revenue"] is None


def test_the_shortest_delay_of_payouts_is_shown_in_days(stripe):
    path = f"accounts/{stripe.post('accounts', settings={'payouts': {'schedule': {'delay_days': 7}}})['id']}"
    assert stripe.get(path)["settings"]["payouts"]["schedule"]["delay_days"] == 7
    shortest = stripe.post(path, settings={"payouts": {"schedule": {"delay_days": "minimum"}}})
    assert shortest["settings"]["payouts"]["schedule"] == {"delay_days": 2, "interval": "daily"}
