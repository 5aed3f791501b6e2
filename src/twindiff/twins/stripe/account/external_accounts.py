"""External accounts, the bank accounts that payouts go to: their table and how they are rendered.

https://docs.stripe.com/api/external_accounts
"""

from __future__ import annotations

from twindiff.kit import Call, Column, Json, column

from ..core.objects import LEFT_OUT, Fields, StripeObject, build_view, resource
from ..core.pagination import list_object


class ExternalAccount(
    StripeObject, table="external_accounts", key=("id",), unique=(("seq",),), indexes=(("account", "seq"),)
):
    account: Column[str]
    account_holder_name: Column[str | None] = column(default=None)
    account_holder_type: Column[str | None] = column(default=None)
    account_type: Column[str | None] = column(default=None)
    bank_name: Column[str | None] = column(default="STRIPE TEST BANK")
    country: Column[str]
    currency: Column[str]
    default_for_currency: Column[bool] = column(default=False)
    fingerprint: Column[str] = column(derived=True)
    last4: Column[str]
    metadata: Column[Json] = column(default={})
    routing_number: Column[str | None] = column(default=None)


def _nothing_due(row: ExternalAccount) -> Fields:
    return {"currently_due": [], "errors": [], "past_due": [], "pending_verification": []}


def _methods(row: ExternalAccount) -> list[str]:
    return ["standard"]


EXTERNAL_ACCOUNTS = resource(
    ExternalAccount,
    "bank_account",
    "ba_",
    build_view(
        ExternalAccount,
        "bank_account",
        created=LEFT_OUT,
        livemode=LEFT_OUT,
        available_payout_methods=_methods,
        future_requirements=_nothing_due,
        requirements=_nothing_due,
        status="new",
    ),
    spoken="external account",
    param="id",
    expandable=("account",),
)


def fill_external_accounts(call: Call, accounts: list[Fields]) -> None:
    """Set `external_accounts` on each rendered account: a list of up to ten, newest first."""
    for each in accounts:
        rows = call.db.rows(ExternalAccount, ExternalAccount.account == each["id"], order=-ExternalAccount.seq)
        url = f"/v1/accounts/{each['id']}/external_accounts"
        data = [EXTERNAL_ACCOUNTS.show(row) for row in rows[:10]]
        each["external_accounts"] = list_object(data, url, has_more=len(rows) > len(data), total_count=len(rows))
