"""The Ledger twin: books in which money moves from account to account."""

from __future__ import annotations

from pathlib import Path

from twindiff.kit import Twin
from twindiff.kit.styles.base import Style

from . import accounts, entries, receipts, standing_orders, webhook_endpoints
from .tables import Account, Entry, IdempotencyKey, Receipt, StandingOrder, WebhookEndpoint

twin = Twin(
    "ledger",
    Style(),
    accounts.api,
    entries.api,
    receipts.api,
    standing_orders.api,
    webhook_endpoints.api,
    tables=(Account, Entry, Receipt, StandingOrder, WebhookEndpoint, IdempotencyKey),
    seeds=Path(__file__).with_name("seeds"),
    webhooks=webhook_endpoints.webhooks,
)
