"""A shop that is filled from a configuration, and what the twin says of itself."""

import httpx
import pytest

from tests.harness import LiveServer
from twindiff.kit.seeding import InvalidSeedConfig
from twindiff.server import Settings
from twindiff.twins.stripe import twin

TEA = {"name": "Tea", "prices": [{"unit_amount": 900, "currency": "eur"}, {"unit_amount": 500, "interval": "month"}]}
CONFIG = {
    "customers": [{"name": "Ada", "email": "ada@shop.example"}, {"name": "Bea"}],
    "products": [TEA],
    "meters": [{"display_name": "Cups", "event_name": "cup", "events": [{"customer": "Ada", "value": 3}]}],
}
JANUARY = {"mode": "offset", "start": "2026-01-05T09:00:00"}


def provisioned(server, config):
    """A twin run of a configuration: how often there is what, and a way to ask its twin."""
    asked = {"twins": ["stripe"], "seed_config": {"stripe": config}, "clock": JANUARY}
    made = server.client.post("/twin-runs", json=asked).json()
    run = server.client.get(f"/twin-runs/{made['run_id']}").json()
    status = run["twins"]["stripe"]
    key = {"Authorization": f"Bearer {status['env_vars']['STRIPE_SECRET_KEY']}"}
    client = httpx.Client(base_url=f"{status['env_vars']['STRIPE_API_URL']}/v1", headers=key)
    return run["seed_results"]["stripe"], client


@pytest.fixture
def server():
    made = LiveServer(Settings())
    yield made
    made.close()


def test_a_shop_is_filled_from_a_configuration(server):
    results, client = provisioned(server, CONFIG)
    assert results["counts"] == {"customers": 2, "products": 1, "meters": 1, "prices": 2, "meter_events": 1}
    with client:
        names = [each["name"] for each in client.get("/customers").json()["data"]]
        amounts = {each["unit_amount"] for each in client.get("/prices").json()["data"]}
        assert (names, amounts) == (["Bea", "Ada"], {900, 500})
        assert client.get("/account").json()["charges_enabled"] is True


@pytest.mark.parametrize(
    "config",
    [
        {"products": [{"title": "Tea"}]},
        {"customers": "Ada"},
        {"dragons": []},
    ],
)
def test_parts_that_do_not_fit_are_named(config):
    assert twin.seeding
    with pytest.raises(InvalidSeedConfig):
        twin.seeding.read(config)


def test_what_is_missing_is_what_stripe_has_and_the_twin_has_not():
    assert twin.missing is not None
    assert "GET /v1/customers" not in twin.missing
    assert "POST /v1/treasury/financial_accounts" in twin.missing


def test_a_restricted_key_comes_from_a_configuration(server):
    keys = [{"key": "rk_test_clerk", "permissions": ["customer_read"]}]
    results, client = provisioned(server, {"restricted_keys": keys})
    assert results["counts"]["restricted_keys"] == 1
    with client:
        clerk = {"Authorization": "Bearer rk_test_clerk"}
        statuses = [client.get(path, headers=clerk).status_code for path in ("/customers", "/charges")]
    assert statuses == [200, 403]


def test_a_permission_that_there_is_not_is_named(server):
    config = {"restricted_keys": [{"key": "rk_test_clerk", "permissions": ["customer_look"]}]}
    made = server.client.post("/twin-runs", json={"twins": ["stripe"], "seed_config": {"stripe": config}})
    assert made.status_code >= 400 or "customer_look" in server.client.get(f"/twin-runs/{made.json()['run_id']}").text
