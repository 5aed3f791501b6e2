"""The Stripe twin: payments and billing as Stripe's API shows them; README.md says how its pages are written."""

from __future__ import annotations

import re
from pathlib import Path

from twindiff.kit import Operations, Row, Twin, Users
from twindiff.kit.seeding import Variables
from twindiff.kit.styles.stripe import StripeRest

from . import (
    account_links,
    account_parts,
    accounts,
    amount_details_line_items,
    application_fees,
    authentication_pages,
    balance_transactions,
    bank_transfers,
    billing_alerts,
    billing_portal,
    billing_work,
    charges,
    checkout_changes,
    checkout_opening,
    checkout_pages,
    checkout_sessions,
    confirmation_tokens,
    country_specs,
    coupons,
    credit_grants,
    credit_notes,
    customer_balances,
    customer_sessions,
    customers,
    disputes,
    domains,
    early_fraud_warnings,
    entitlements,
    events,
    file_links,
    files,
    increments,
    invoice_lines,
    invoice_pages,
    invoice_payments,
    invoice_previews,
    invoiceitems,
    invoices,
    mandates,
    meters,
    method_configurations,
    microdeposits,
    payment_intents,
    payment_links,
    payment_methods,
    payments,
    payouts,
    plans,
    portal_configurations,
    prices,
    printed,
    products,
    promotion_codes,
    quote_acceptance,
    quotes,
    receipts,
    refunds,
    reviews,
    setup_attempts,
    setup_intents,
    shipping_rates,
    subscription_items,
    subscription_pauses,
    subscription_schedules,
    subscriptions,
    tax_calculations,
    tax_codes,
    tax_ids,
    tax_rates,
    tax_settings,
    tax_transactions,
    test_clocks,
    tokens,
    topups,
    transfers,
    value_lists,
    webhook_endpoints,
)
from .accounts import Account, ApiKey, actor_of, empty
from .balance_transactions import Balance
from .billing_alerts import AlertTriggered
from .billing_portal import PortalSession
from .billing_work import BillingWork
from .checkout_sessions import CheckoutSession
from .customer_sessions import EphemeralKey
from .layer import IdempotencyKey, wrap_operation
from .objects import RESOURCES
from .payments import PaymentIntent
from .restricted_keys import enforce_permissions
from .screens import screen
from .seeding import seeding
from .setup_intents import SetupIntent
from .webhook_deliveries import webhooks
from .webhook_endpoints import WebhookEndpoint

PAGES: tuple[Operations, ...] = (
    account_links.api,
    account_parts.api,
    accounts.api,
    amount_details_line_items.api,
    application_fees.api,
    authentication_pages.api,
    balance_transactions.api,
    bank_transfers.api,
    billing_alerts.api,
    billing_portal.api,
    billing_work.api,
    charges.api,
    checkout_changes.api,
    checkout_opening.api,
    checkout_pages.api,
    checkout_sessions.api,
    confirmation_tokens.api,
    country_specs.api,
    coupons.api,
    credit_grants.api,
    credit_notes.api,
    customer_balances.api,
    customer_sessions.api,
    customers.api,
    disputes.api,
    domains.api,
    early_fraud_warnings.api,
    entitlements.api,
    events.api,
    file_links.api,
    files.api,
    increments.api,
    invoice_lines.api,
    invoice_pages.api,
    invoice_payments.api,
    invoice_previews.api,
    invoiceitems.api,
    invoices.api,
    mandates.api,
    meters.api,
    method_configurations.api,
    microdeposits.api,
    payment_intents.api,
    payment_links.api,
    payment_methods.api,
    payments.api,
    payouts.api,
    plans.api,
    portal_configurations.api,
    prices.api,
    printed.api,
    products.api,
    promotion_codes.api,
    quote_acceptance.api,
    quotes.api,
    receipts.api,
    refunds.api,
    reviews.api,
    setup_attempts.api,
    setup_intents.api,
    shipping_rates.api,
    subscription_items.api,
    subscription_pauses.api,
    subscription_schedules.api,
    subscriptions.api,
    tax_calculations.api,
    tax_codes.api,
    tax_ids.api,
    tax_rates.api,
    tax_settings.api,
    tax_transactions.api,
    test_clocks.api,
    tokens.api,
    topups.api,
    transfers.api,
    value_lists.api,
    webhook_endpoints.api,
)
TABLES: tuple[type[Row], ...] = (
    *dict.fromkeys(kind.table for kind in RESOURCES.values()),  # prices are plans too
    AlertTriggered,
    ApiKey,
    Balance,
    BillingWork,
    IdempotencyKey,
)

DEFAULT_BEGINS = "2026-07-04T12:00:00"
"""When environments of `stripe_default` begin: after all that is in it, and before what falls due in it."""


def _missing() -> list[str]:
    """What Stripe has and the twin has not."""
    has = {f"{each.verb} {re.sub(r'{[^}]*}', '{}', each.path)}" for page in PAGES for each in page.listed}
    every = Path(__file__).with_name("operations.txt").read_text().splitlines()
    return [name for name in every if name not in has]


twin = Twin(
    "stripe",
    StripeRest(),
    *PAGES,
    tables=TABLES,
    seeds=Path(__file__).with_name("seeds"),
    users=Users(Account, Account.id, Account.email),
    templates={"stripe_empty": empty},
    clocks={"stripe_default": DEFAULT_BEGINS},
    layers=(wrap_operation, enforce_permissions),
    actor_of=actor_of,
    secret_columns=(
        ApiKey.key,
        CheckoutSession.client_secret,
        EphemeralKey.secret,
        PaymentIntent.client_secret,
        PortalSession.secret,
        SetupIntent.client_secret,
        WebhookEndpoint.secret,
    ),
    webhooks=webhooks,
    seeding=seeding,
    descriptions={
        "stripe_empty": "A new account: nothing sold so far",
        "stripe_default": "A shop after six months: 40 customers, 31 subscriptions, 216 charges",
    },
    screen=screen,
    missing=_missing(),
    variables=Variables(
        tokens=dict.fromkeys(("STRIPE_API_KEY", "STRIPE_KEY", "STRIPE_SECRET_KEY"), "sk_test_{secret}"),
        urls={"STRIPE_API_BASE": "", "STRIPE_API_URL": "", "STRIPE_BASE_URL": "", "STRIPE_TWIN_BASE_URL": ""},
        secrets={"STRIPE_PUBLISHABLE_KEY": "pk_test_{secret}", "STRIPE_TWIN_WEBHOOK_SECRET": "whsec_{secret}"},
        signing="STRIPE_TWIN_WEBHOOK_SECRET",
    ),
)
