"""Sessions of the real API that a public library recorded get the same answers from the twin."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.harness import LiveServer, Platform
from twindiff.server import Settings
from twindiff.twins.stripe.account.accounts import OWN

from .conftest import Stripe
from .recorded_sessions import RECORDED, Before, load_program, read_sessions

pytestmark = pytest.mark.skipif(
    not RECORDED.exists(), reason=f"there are no recordings at {RECORDED}; set TWINDIFF_SHARED"
)
MIN_EQUAL_STEPS = 0.95
"""The part of the steps of today's version that must be equal."""
MAX_UNEQUAL_STEPS = 0.07
"""The part of all steps, of former versions too, that may differ."""
FORMER_VERSIONS = {
    ("test_allows_subscription_quantities", 5): "expands `latest_invoice.payment_intent`, which is gone",
    ("test_allows_subscription_quantities", 6): "reads what step 5 made",
    ("test_can_create_a_charge", 4): "confirms without `return_url`, which is needed since 2023-08-16",
    ("test_can_create_a_subscription", 4): "expands `latest_invoice.payment_intent`, which is gone",
    ("test_can_update_their_card", 6): "3D Secure of Discover cards is supported by now",
    ("test_handles_coupons", 5): "gives `coupon`, which `discounts` has replaced",
    ("test_handles_coupons", 6): "reads what step 5 made",
    ("test_handles_exception_when_creating_a_subscription", 4): "the error named the plan; today it names the item",
    ("test_retriving_a_stripe_subscription", 5): "gives `plan`, which `items` has replaced",
    ("test_retriving_a_stripe_subscription", 6): "reads what step 5 made",
    ("test_stripe_can_retrieve_subscription", 4): "gives `plan`, which `items` has replaced",
    ("test_stripe_can_retrieve_subscription", 5): "reads what step 4 made",
}
"""Steps that differ because the twin answers as today's version of the API, by session and number."""
OURS = {
    ("test_connect_customer_is_not_on_parent_account", 2): "the twin acts for its own account alone",
    ("test_connect_customer_is_not_on_parent_account", 6): "the twin acts for its own account alone",
    ("test_connect_transfer", 6): "connected accounts have no payments, which `destination_payment` would be",
    ("test_stripe_saves_boleto", 1): "the fingerprint of a Boleto is in no description",
}
"""Steps in which the twin differs from the vendor, which count as unequal."""


@pytest.fixture(scope="module")
def served() -> Iterator[Callable[..., Stripe]]:
    """Make shops of a server that is reached by its address."""
    server = LiveServer(Settings())
    platform = Platform(server.client)
    yield lambda **options: Stripe(platform.environment("stripe:stripe_empty", user=OWN, **options), None)
    server.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the program leaves answers open
def test_recorded_sessions_get_the_same_answers_but_for_listed_fields_and_steps(served: Callable[..., Stripe]):
    program = load_program()
    steps, different = 0, {}
    for session in read_sessions(program):
        is_refused = all(step["status"] == 401 for step in session["steps"])
        shop = served(**({"auth": "strict"} if is_refused else {}))
        binds = Before(shop, session).ids.items()
        token = "Bearer sk_test_0" if is_refused else f"Bearer {shop.token}"
        _, _, fails = program.replay(session, shop.url, {}, binds, None, token)
        different.update({(session["session"], fail[0]): fail[1:] for fail in fails})
        steps += len(session["steps"])
    assert different.keys() - FORMER_VERSIONS.keys() - OURS.keys() == set(), different
    assert FORMER_VERSIONS.keys() | OURS.keys() <= different.keys()
    assert len(OURS) <= (1 - MIN_EQUAL_STEPS) * (steps - len(FORMER_VERSIONS))
    assert len(different) <= MAX_UNEQUAL_STEPS * steps
