"""The Stripe twin: payments and billing with the interface of Stripe's API; README.md describes its modules."""

from __future__ import annotations

import re
from pathlib import Path

from twindiff.kit import Operations, Row, Twin, Users
from twindiff.kit.rows import table_of
from twindiff.kit.seeding import Variables
from twindiff.twins.stripe.core.wire_style import StripeRest

from .account import accounts, app_secrets, balance_transactions, country_specs, payouts, topups
from .account.accounts import Account, ApiKey, actor_of, empty, empty_with_card_tokens
from .account.balance_transactions import Balance
from .account.restricted_keys import enforce_permissions
from .billing import invoice_previews
from .billing.invoices import credit_grants, credit_notes, draft_line_operations, invoice_items, invoices
from .billing.subscriptions import (
    entitlements,
    subscription_items,
    subscription_pauses,
    subscription_schedules,
    subscriptions,
)
from .billing.tables import invoice_payments
from .catalog import coupons, plans, prices, products, promotion_codes, shipping_rates
from .checkout import payment_links, session_creation, session_page, session_updates, sessions
from .checkout.sessions import CheckoutSession
from .climate import climate_orders, climate_products
from .connect import account_resources, application_fees, transfers
from .core import due_jobs, events, file_links, files, test_clocks, webhook_endpoints
from .core.due_jobs import BillingWork
from .core.middleware import IdempotencyKey, wrap_operation
from .core.objects import RESOURCES
from .core.webhook_deliveries import webhooks
from .core.webhook_endpoints import WebhookEndpoint
from .customer import customer_sessions, customers, tax_ids
from .customer.customer_sessions import EphemeralKey
from .financial_connections import link_sessions, linked_accounts
from .hosted_pages import (
    account_links,
    authentication_page,
    billing_portal_page,
    invoice_page,
    pdf_documents,
    portal_configurations,
    receipt_page,
)
from .hosted_pages.billing_portal_page import PortalSession
from .identity import verification_page, verification_reports, verification_sessions
from .identity.verification_sessions import VerificationSession
from .issuing import (
    authorizations,
    cardholders,
    issued_cards,
    issuing_transactions,
    simulated_purchases,
    transaction_disputes,
)
from .metering import billing_alerts, meters
from .metering.billing_alerts import AlertTriggered
from .payments import (
    bank_transfers,
    cash_balances,
    cash_funding,
    charges,
    confirmation_tokens,
    customer_balances,
    disputes,
    incremental_authorization,
    mandates,
    microdeposits,
    payment_intents,
    payment_lifecycle,
    payment_line_items,
    payment_method_configurations,
    payment_method_domains,
    payment_methods,
    refunds,
    setup_attempts,
    setup_intents,
    tokens,
)
from .payments.setup_intents import SetupIntent
from .radar import early_fraud_warnings, reviews, value_lists
from .reporting import query_runs, report_runs, report_types
from .sales import quote_acceptance, quotes
from .screens import screen
from .seeding import seeding
from .sources import customer_sources, source_charges, sources
from .tables.payment_intent_tables import PaymentIntent
from .tables.source_tables import PaymentSource
from .tax import tax_calculations, tax_codes, tax_rates, tax_settings, tax_transactions
from .terminal import (
    configurations,
    connection_tokens,
    locations,
    presented_cards,
    reader_actions,
    reader_inputs,
    readers,
)
from .vendor_tools import tools as vendor_tools

PAGES: tuple[Operations, ...] = (
    account_links.api,
    app_secrets.api,
    account_resources.api,
    accounts.api,
    payment_line_items.api,
    application_fees.api,
    authentication_page.api,
    balance_transactions.api,
    bank_transfers.api,
    billing_alerts.api,
    billing_portal_page.api,
    due_jobs.api,
    charges.api,
    climate_orders.api,
    climate_products.products_api,
    climate_products.suppliers_api,
    link_sessions.api,
    link_sessions.page_api,
    linked_accounts.api,
    linked_accounts.transactions_api,
    query_runs.api,
    report_runs.api,
    report_types.api,
    session_updates.api,
    session_creation.api,
    session_page.api,
    sessions.api,
    confirmation_tokens.api,
    country_specs.api,
    coupons.api,
    credit_grants.api,
    credit_notes.api,
    customer_balances.api,
    cash_balances.api,
    cash_funding.api,
    customer_sessions.api,
    customer_sources.api,
    customers.api,
    disputes.api,
    payment_method_domains.api,
    early_fraud_warnings.api,
    entitlements.api,
    events.api,
    file_links.api,
    files.api,
    incremental_authorization.api,
    draft_line_operations.api,
    invoice_page.api,
    invoice_payments.api,
    invoice_previews.api,
    invoice_items.api,
    invoices.api,
    mandates.api,
    meters.api,
    payment_method_configurations.api,
    microdeposits.api,
    payment_intents.api,
    payment_links.api,
    payment_methods.api,
    payment_lifecycle.api,
    payouts.api,
    plans.api,
    portal_configurations.api,
    prices.api,
    pdf_documents.api,
    products.api,
    promotion_codes.api,
    quote_acceptance.api,
    quotes.api,
    receipt_page.api,
    refunds.api,
    reviews.api,
    setup_attempts.api,
    setup_intents.api,
    shipping_rates.api,
    source_charges.api,
    sources.api,
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
    verification_page.api,
    verification_reports.api,
    verification_sessions.api,
    authorizations.api,
    cardholders.api,
    issued_cards.api,
    issuing_transactions.api,
    simulated_purchases.api,
    transaction_disputes.api,
    configurations.api,
    connection_tokens.api,
    locations.api,
    presented_cards.api,
    reader_actions.api,
    reader_inputs.api,
    readers.api,
    webhook_endpoints.api,
)
TABLES: tuple[type[Row], ...] = tuple(
    sorted(
        {*(kind.table for kind in RESOURCES.values()), AlertTriggered, ApiKey, Balance, BillingWork, IdempotencyKey},
        key=lambda row: table_of(row).name,
    )
)
"""All tables by name; their order is part of the hash of stored schemas, so it must not follow the imports."""

DEFAULT_BEGINS = "2026-07-04T12:00:00"
"""Start time of `stripe_default` environments: after all seeded data, and before anything falls due."""


def _missing() -> list[str]:
    """Return Stripe's operations that the twin does not implement."""
    has = {f"{each.verb} {re.sub(r'{[^}]*}', '{}', each.path)}" for page in PAGES for each in page.listed}
    every = Path(__file__).with_name("operations.txt").read_text().splitlines()
    return [name for name in every if name not in has]


_HOSTS = (
    *("api.stripe.com", "files.stripe.com", "connect.stripe.com", "checkout.stripe.com", "buy.stripe.com"),
    *("billing.stripe.com", "invoice.stripe.com", "pay.stripe.com", "hooks.stripe.com", "meter-events.stripe.com"),
    *("stripe.com", "*.stripe.com"),
)

_ADDRESSES = {
    "": "api.stripe.com",
    "/b/": "buy.stripe.com",
    "/c/pay/": "checkout.stripe.com",
    "/cn/": "pay.stripe.com",
    "/i/": "invoice.stripe.com",
    "/links/": "files.stripe.com",
    "/p/": "billing.stripe.com",
    "/receipts/": "pay.stripe.com",
    "/setup/": "connect.stripe.com",
    "/start/": "verify.stripe.com",
    "/twin/authenticate/": "hooks.stripe.com",
    "/v1/files/": "files.stripe.com",
}

twin = Twin(
    "stripe",
    StripeRest(),
    *PAGES,
    tables=TABLES,
    seeds=Path(__file__).with_name("seeds"),
    users=Users(Account, Account.id, Account.email),
    templates={"stripe_empty": empty, "stripe_card_tokens": empty_with_card_tokens},
    clocks={"stripe_default": DEFAULT_BEGINS},
    layers=(wrap_operation, enforce_permissions),
    actor_of=actor_of,
    secret_columns=(
        ApiKey.key,
        CheckoutSession.client_secret,
        EphemeralKey.secret,
        PaymentIntent.client_secret,
        PaymentSource.client_secret,
        PortalSession.secret,
        SetupIntent.client_secret,
        VerificationSession.client_secret,
        WebhookEndpoint.secret,
    ),
    hosts=dict.fromkeys(_HOSTS, ""),
    addresses=_ADDRESSES,
    webhooks=webhooks,
    seeding=seeding,
    descriptions={
        "stripe_empty": "A new account: nothing sold so far",
        "stripe_card_tokens": "A new account whose customers and charges take card tokens, as older ones do",
        "stripe_default": "A shop after six months: 40 customers, 31 subscriptions, 216 charges",
    },
    vendor_tools=vendor_tools,
    screen=screen,
    missing=_missing(),
    variables=Variables(
        tokens=dict.fromkeys(("STRIPE_API_KEY", "STRIPE_KEY", "STRIPE_SECRET_KEY"), "sk_test_{secret}"),
        urls={"STRIPE_API_BASE": "", "STRIPE_API_URL": "", "STRIPE_BASE_URL": "", "STRIPE_TWIN_BASE_URL": ""},
        secrets={"STRIPE_PUBLISHABLE_KEY": "pk_test_{secret}", "STRIPE_TWIN_WEBHOOK_SECRET": "whsec_{secret}"},
        signing="STRIPE_TWIN_WEBHOOK_SECRET",
    ),
)
