"""The Stripe twin: payments and billing as Stripe's API shows them; README.md says how its pages are written."""

from __future__ import annotations

from twindiff.kit import Operations, Row, Twin, Users
from twindiff.kit.seeding import Variables
from twindiff.kit.styles.stripe import StripeRest

from . import (
    accounts,
    billing_work,
    coupons,
    customers,
    events,
    meters,
    prices,
    products,
    promotion_codes,
    tax_rates,
    test_clocks,
    webhook_endpoints,
)
from .accounts import Account, ApiKey, actor_of, empty
from .billing_work import BillingWork
from .layer import IdempotencyKey, around
from .objects import RESOURCES

PAGES: tuple[Operations, ...] = (
    accounts.api,
    billing_work.api,
    coupons.api,
    customers.api,
    events.api,
    meters.api,
    prices.api,
    products.api,
    promotion_codes.api,
    tax_rates.api,
    test_clocks.api,
    webhook_endpoints.api,
)
TABLES: tuple[type[Row], ...] = (*(kind.table for kind in RESOURCES.values()), ApiKey, BillingWork, IdempotencyKey)

twin = Twin(
    "stripe",
    StripeRest(),
    *PAGES,
    tables=TABLES,
    users=Users(Account, Account.id, Account.email),
    templates={"stripe_empty": empty},
    layers=(around,),
    actor_of=actor_of,
    variables=Variables(
        tokens={"STRIPE_API_KEY": "sk_test_{secret}", "STRIPE_SECRET_KEY": "sk_test_{secret}"},
        urls={"STRIPE_API_BASE": "", "STRIPE_BASE_URL": ""},
        secrets={"STRIPE_PUBLISHABLE_KEY": "pk_test_{secret}", "STRIPE_WEBHOOK_SECRET": "whsec_{secret}"},
    ),
)
