"""The table of customers, and how they are rendered.

https://docs.stripe.com/api/customers/object
"""

from __future__ import annotations

import re

from twindiff.kit import Call, Column, Json, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.objects import Fields, StripeObject, build_view, refer, resource

NO_SETTINGS: Fields = {
    "custom_fields": None,
    "default_payment_method": None,
    "footer": None,
    "rendering_options": None,
}

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")


class Customer(
    StripeObject,
    table="customers",
    key=("id",),
    unique=(("seq",), ("invoice_prefix",)),
    indexes=(("email", "seq"), ("created",), ("test_clock",)),
    folded=("email", "name", "phone"),
    entries=("metadata",),
):
    name: Column[str | None] = column(default=None)
    email: Column[str | None] = column(default=None)
    description: Column[str | None] = column(default=None)
    phone: Column[str | None] = column(default=None)
    address: Column[Json] = column(default=None)
    shipping: Column[Json] = column(default=None)
    balance: Column[int] = column(default=0)
    currency: Column[str | None] = column(default=None)
    default_source: Column[str | None] = column(default=None)
    delinquent: Column[bool] = column(default=False)
    discount: Column[Json] = column(default=None)
    invoice_prefix: Column[str]
    next_invoice_sequence: Column[int] = column(default=1)
    invoice_settings: Column[Json] = column(default={})
    metadata: Column[Json] = column(default={})
    preferred_locales: Column[Json] = column(default=[])
    tax_exempt: Column[str] = column(default="none")
    test_clock: Column[str | None] = column(default=None)
    business_name: Column[str | None] = column(default=None)
    individual_name: Column[str | None] = column(default=None)
    reconciliation_mode: Column[str] = column(default="automatic")
    has_own_mode: Column[bool] = column(default=False)
    """Whether the reconciliation mode was set for this customer, rather than taken from the account."""
    cash: Column[Json] = column(default={})
    invoice_tax_ids: Column[Json] = column(default=[], derived=True)
    """The tax ids that invoices show."""
    has_credits: Column[bool] = column(default=False, derived=True)
    """Whether it was ever granted billing credits."""
    deleted: Column[bool] = column(default=False)


HIDDEN = (
    "deleted",
    "has_credits",
    "invoice_tax_ids",
    "cash",
    "has_own_mode",
    "reconciliation_mode",
    "business_name",
    "individual_name",
)


def _all_settings(row: Customer) -> Fields:
    return {**NO_SETTINGS, **row.invoice_settings}


_existing = build_view(
    Customer,
    "customer",
    *HIDDEN,
    customer_account=None,
    invoice_settings=_all_settings,
)


def customer_object(row: Customer) -> Fields:
    """Render a customer; a deleted one has only its id and `deleted`."""
    if row.deleted:
        return {"id": row.id, "object": "customer", "deleted": True}
    names = {name: value for name in ("business_name", "individual_name") if (value := getattr(row, name))}
    return {**_existing(row), **names}


def _credit(call: Call, customer: Fields) -> Fields:
    """Return the credit that pays invoices, by currency."""
    return {customer["currency"]: -customer["balance"]} if customer["balance"] and customer["currency"] else {}


CUSTOMERS = resource(
    Customer,
    "customer",
    "cus_",
    customer_object,
    id_length=14,
    expandable=("default_source", "test_clock", "invoice_settings.default_payment_method"),
    includes={"invoice_credit_balance": _credit},
)


def existing(call: Call, id: str) -> Customer:
    """Return the customer with this id; raises StripeError if it is missing or deleted."""
    return refer(call, CUSTOMERS, id, "id", status=404)


def check_email(email: str, param: str) -> None:
    """Raise StripeError for an invalid email address."""
    if not _EMAIL.fullmatch(email) or len(email) > 512:
        raise StripeError(f"Invalid email address: {email[:512]}", code="email_invalid", param=param)
