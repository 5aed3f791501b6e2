"""Restricted keys: https://docs.stripe.com/keys/restricted-api-keys"""

import pytest

from twindiff.twins.stripe import PAGES
from twindiff.twins.stripe.account.restricted_keys import kind_of

from ..conftest import Stripe

KEY = "rk_test_clerk1234567890"
RIGHTS = ["customer_read", "charge_write", "payment_method_read"]


@pytest.fixture(scope="module")
def clerk(platform) -> Stripe:
    """A shop with a key that may read customers, and make and read charges and refunds."""
    keys = [{"key": KEY, "account": "acct_1TwindiffTestShop", "permissions": RIGHTS}]
    account = {"id": "acct_1TwindiffTestShop", "seq": 0, "created": 1_735_689_600, "is_platform": True}
    shop = {"accounts": [account], "api_keys": keys}
    platform.post("import", {"files": {"stripe_clerk.json": shop}})
    return Stripe(platform.environment("stripe:stripe_clerk", user="acct_1TwindiffTestShop"), None, token=KEY)


@pytest.mark.parametrize("path", ["customers", "charges", "refunds"])
def test_a_restricted_key_reads_what_it_may_read_or_write(clerk, path):
    assert clerk.get(path)["data"] == []


@pytest.mark.parametrize(
    ("verb", "path", "permission"),
    [
        ("POST", "customers", "customer_write"),
        ("GET", "invoices/in_1", "invoice_read"),
        ("GET", "prices", "plan_read"),
        ("DELETE", "customers/cus_1", "customer_write"),
        ("POST", "customers/cus_1/balance_transactions", "customer_write"),
        ("POST", "checkout/sessions", "checkout_session_write"),
        ("POST", "billing/credit_grants", "billing_credit_grant_write"),
        ("GET", "application_fees", "application_fee_read"),
    ],
)
def test_a_restricted_key_is_refused_what_it_may_not_do(clerk, verb, path, permission):
    error = clerk.error(verb, path, 403)
    assert error["message"] == (
        "The provided key 'rk_test_*********567890' does not have the required permissions for this endpoint on "
        f"account 'acct_1TwindiffTestShop'. Having the 'rak_{permission}' permission would allow this request to "
        "continue."
    )
    assert (error["type"], "code" in error) == ("invalid_request_error", False)


def test_a_path_below_an_object_may_need_a_permission_of_its_own(clerk):
    assert clerk.error("GET", "customers/cus_1/payment_methods", 404)["code"] == "resource_missing"


def test_a_restricted_key_without_a_list_may_do_everything(stripe):
    anyone = Stripe(stripe.environment, stripe.shapes, token="rk_test_shop")
    assert anyone.post("customers", name="Ada")["name"] == "Ada"


def test_each_operation_needs_a_permission():
    paths = {each.path for page in PAGES for each in page.listed if each.path.startswith("/v1/")}
    assert sorted(path for path in paths if not kind_of(path)) == []
