"""Restricted API keys: the permissions of each, and their enforcement.

A permission is the name of a kind of objects with `_read` or `_write`, as Stripe's errors name it; write access
includes read access. A key whose list is None has full access.

https://docs.stripe.com/keys/restricted-api-keys, https://docs.stripe.com/stripe-apps/reference/permissions
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from twindiff.kit import Call, RequestContext
from twindiff.twins.stripe.core.wire_style import StripeError

from .accounts import ApiKey, own_account

_OF_PATHS = """
account account, account_links account_link, accounts account, apple_pay payment_method_domain,
application_fees application_fee, apps secret, balance balance, balance/history balance_transaction_source,
balance_transactions balance_transaction_source, billing/alerts billing_alert,
billing/credit_balance_summary billing_credit_grant,
billing/credit_balance_transactions billing_credit_grant, billing/credit_grants billing_credit_grant,
billing/meter_event_adjustments billing_meter_event, billing/meter_events billing_meter_event,
billing/meters billing_meter, billing_portal customer_portal, charges charge, checkout checkout_session,
climate climate_order, confirmation_tokens confirmation_token, coupons coupon, country_specs country_spec,
credit_notes credit_note,
customer_sessions customer_session, customers customer, customers/{}/payment_methods payment_method, disputes dispute,
customers/{}/sources source, sources source,
entitlements entitlement, ephemeral_keys ephemeral_key, events event, file_links file, files file,
financial_connections financial_connections, invoice_payments invoice, invoiceitems invoice, invoices invoice,
mandates mandate, payment_intents payment_intent,
payment_links payment_links, payment_method_configurations payment_method_configuration,
payment_method_domains payment_method_domain, payment_methods payment_method, payouts payout, plans plan, prices plan,
products product, promotion_codes promotion_code, quotes quote, radar radar, refunds charge, reviews review,
reporting reporting, sigma sigma, setup_attempts setup_intent, setup_intents setup_intent,
shipping_rates shipping_rate,
subscription_items subscription, subscription_schedules subscription, subscriptions subscription,
tax/calculations tax_calculation, tax/registrations tax_settings, tax/settings tax_settings,
tax/transactions tax_transaction, tax_codes product, tax_ids tax_id, tax_rates tax_rate, terminal terminal_reader,
terminal/configurations terminal_configuration, terminal/connection_tokens terminal_connection_token,
terminal/locations terminal_location, test_helpers customer, test_helpers/terminal terminal_reader,
identity/verification_reports identity_product, identity/verification_sessions identity_product,
issuing/authorizations issuing_authorization, issuing/cardholders issuing_cardholder, issuing/cards issuing_card,
issuing/disputes issuing_dispute, issuing/transactions issuing_transaction,
test_helpers/issuing issuing_authorization,
test_helpers/confirmation_tokens confirmation_token, test_helpers/test_clocks billing_clock, tokens token,
topups topup, transfers transfer, webhook_endpoints webhook
"""
_KINDS: dict[str, str] = dict(re.findall(r"([^\s,]+)\s(\w+)", _OF_PATHS))
"""Kind of objects by path prefix, where `{}` stands for any id; the longest matching prefix wins."""

PERMISSIONS = frozenset(f"{kind}_{right}" for kind in _KINDS.values() for right in ("read", "write"))


def enforce_permissions(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Any:
    """Middleware: reject a call of a restricted key that lacks the permission for the operation."""
    if exchange.token.startswith("rk_"):
        key = call.db.find(ApiKey, ApiKey.key == exchange.token)
        if key is not None and key.permissions is not None:
            _check(exchange, call, set(key.permissions))
    return proceed()


def _check(exchange: RequestContext, call: Call, permissions: set[str]) -> None:
    declared = exchange.operation.declared
    kind = kind_of(declared.path)
    needed = f"{kind}_{'read' if declared.reads else 'write'}"
    if kind and not permissions & {needed, f"{kind}_write"}:
        token = exchange.token
        hidden = f"{token[:8]}{'*' * max(len(token) - 14, 0)}{token[-6:]}"
        message = (
            f"The provided key '{hidden}' does not have the required permissions for this endpoint on account "
            f"'{own_account(call).id}'. Having the 'rak_{needed}' permission would allow this request to continue."
        )
        raise StripeError(message, status=403)


@cache
def kind_of(path: str) -> str:
    """Return the kind of objects that an operation's path belongs to, or "" if none is known."""
    parts = ["{}" if part.startswith("{") else part for part in path.removeprefix("/v1/").split("/")]
    beginnings = ("/".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((_KINDS[each] for each in beginnings if each in _KINDS), "")
