"""The table of payment sources of before payment methods: cards, bank accounts and sources.

Each that can be charged has a payment method of the same id, as at Stripe.
https://docs.stripe.com/api/sources/object, https://docs.stripe.com/api/cards/object
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from twindiff.kit import OWN_ADDRESS, Call, Column, Json, column, references

from ..core.objects import INCLUDES, LOADS, Fields, StripeObject, build_view, resource
from ..core.pagination import list_object
from .customer_tables import Customer
from .payment_method_tables import NOWHERE

Kind = Literal["card", "bank_account", "source"]


class PaymentSource(
    StripeObject,
    table="payment_sources",
    key=("id",),
    unique=(("seq",),),
    indexes=(("customer", "seq"),),
):
    object: Column[str]
    """`card`, `bank_account` or `source`."""
    customer: Column[str | None] = references(Customer, default=None)
    metadata: Column[Json] = column(default={})
    details: Column[Json] = column(default={})
    """The further fields of a card or bank account, or the object under the key named by a source's `type`."""
    type: Column[str] = column(default="")
    status: Column[str] = column(default="")
    flow: Column[str] = column(default="none")
    usage: Column[str] = column(default="reusable")
    amount: Column[int | None] = column(default=None)
    currency: Column[str | None] = column(default=None)
    owner: Column[Json] = column(default={})
    return_url: Column[str | None] = column(default=None)
    received: Column[int] = column(default=0)
    """What was sent to a receiver, in the smallest unit of the currency."""
    refund_attributes_method: Column[str] = column(default="email")
    statement_descriptor: Column[str | None] = column(default=None)
    client_secret: Column[str] = column(default="", derived=True)
    method: Column[Json] = column(default=None, derived=True)
    """The columns of the payment method that pays by a source."""


_OWNER: Fields = dict.fromkeys(("address", "email", "name", "phone"))
_VERIFIED: Fields = {f"verified_{name}": None for name in _OWNER}

_source = build_view(
    PaymentSource,
    "source",
    *("customer", "details", "return_url", "received", "refund_attributes_method", "method"),
)


def _render_source(row: PaymentSource) -> Fields:
    owner = {**_OWNER, **row.owner}
    if owner["address"]:
        owner["address"] = {**NOWHERE, **owner["address"]}
    shown = {**_source(row), "owner": {**owner, **_VERIFIED}, row.type: row.details}
    if row.customer:
        shown["customer"] = row.customer
    if row.flow == "redirect":
        shown["redirect"] = _render_redirect(row)
    if row.flow == "receiver":
        shown["receiver"] = _render_receiver(row)
    return shown


def _render_redirect(row: PaymentSource) -> Fields:
    status = {"pending": "pending", "failed": "failed", "canceled": "failed"}.get(row.status, "succeeded")
    return {
        "failure_reason": "user_abort" if status == "failed" else None,
        "return_url": row.return_url,
        "status": status,
        "url": f"{OWN_ADDRESS}/twin/authenticate/{row.id}?client_secret={row.client_secret}",
    }


def _render_receiver(row: PaymentSource) -> Fields:
    address = row.details.get("account_number") or row.details.get("iban") or row.details.get("reference")
    return {
        "address": f"{row.details['routing_number']}-{address}" if "routing_number" in row.details else address,
        "amount_charged": row.received if row.status == "consumed" else 0,
        "amount_received": row.received,
        "amount_returned": 0,
        "refund_attributes_method": row.refund_attributes_method,
        "refund_attributes_status": "missing",
    }


def source_object(row: PaymentSource) -> Fields:
    """Render a card, a bank account or a source."""
    if row.object == "source":
        return _render_source(row)
    status = {"status": row.status} if row.object == "bank_account" else {}
    shown = {"id": row.id, "object": row.object, **row.details, "customer": row.customer, "metadata": row.metadata}
    return {**shown, **status}


SOURCES = resource(
    PaymentSource, "source", "src_", source_object, spoken="source", param="source", expandable=("customer",)
)
CARDS = resource(PaymentSource, "card", "card_", source_object, spoken="source", expandable=("customer",))


def sources_of(call: Call, customer: str, kind: str = "") -> list[PaymentSource]:
    """Return a customer's sources, newest first, or those of one kind: `card`, `bank_account` or `source`."""
    where = (PaymentSource.customer == customer, *((PaymentSource.object == kind,) if kind else ()))
    return call.db.rows(PaymentSource, *where, order=-PaymentSource.seq)


def _include_sources(call: Call, customer: Fields) -> Fields:
    rows = sources_of(call, customer["id"])
    shown, url = [source_object(row) for row in rows[:10]], f"/v1/customers/{customer['id']}/sources"
    return list_object(shown, url, has_more=len(rows) > len(shown), total_count=len(rows))


def _load(call: Call, ids: Sequence[str]) -> Mapping[str, Fields]:
    return {row.id: source_object(row) for row in call.db.rows(PaymentSource, PaymentSource.id.in_(ids))}


INCLUDES["customer.sources"] = _include_sources
LOADS["customer.default_source"] = _load
