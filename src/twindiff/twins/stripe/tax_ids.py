"""Tax ids of customers, such as a number for value added tax.

https://docs.stripe.com/api/tax_ids
"""

from __future__ import annotations

import re
from typing import Annotated

from twindiff.kit import Body, Call, Column, Operations, column, references
from twindiff.kit.styles.stripe import StripeError

from .customers import Customer, existing
from .events import record_row
from .lists import list_of
from .objects import Fields, StripeObject, new, resource, retrieve, shown
from .params import ListParams, Params

api = Operations(prefix="/v1/customers")

MOST = 5
_EU_VAT = re.compile(r"[A-Z]{2}[0-9A-Z+*]{2,12}")
_TYPE = re.compile(r"[a-z]{2}_[a-z_]{2,20}")
_OUTCOMES = {"000000000": "verified", "111111111": "unverified", "222222222": "pending"}
"""What comes of the numbers that Stripe has for tests, by their end: https://docs.stripe.com/billing/customer/tax-ids"""


class TaxIdRow(StripeObject, table="tax_ids", key=("id",), unique=(("seq",),), indexes=(("customer", "seq"),)):
    country: Column[str | None] = column(default=None)
    customer: Column[str] = references(Customer)
    type: Column[str]
    value: Column[str]


def _owner(row: TaxIdRow) -> Fields:
    return {"type": "customer", "customer": row.customer, "account": None, "application": None}


def _verification(row: TaxIdRow) -> Fields | None:
    """What has come of looking it up, which Stripe does for some countries alone."""
    if row.type not in ("eu_vat", "gb_vat", "au_abn"):
        return {"status": "unavailable", "verified_address": None, "verified_name": None}
    return {"status": _OUTCOMES.get(row.value[-9:], "pending"), "verified_address": None, "verified_name": None}


TAX_IDS = resource(
    TaxIdRow,
    "tax_id",
    "txi_",
    shown(TaxIdRow, "tax_id", customer_account=None, owner=_owner, verification=_verification),
    spoken="tax ID",
    expandable=("customer",),
)


class CreateTaxId(Params, kw_only=True):
    """The parameters of a new tax id."""

    type: str
    value: str


def add_tax_id(call: Call, customer: Customer, kind: str, value: str) -> TaxIdRow:
    """Keep a tax id with a customer."""
    if not _TYPE.fullmatch(kind):
        raise StripeError(f"Invalid type: {kind[:100]}", param="type")
    if not value or len(value) > 50 or (kind == "eu_vat" and not _EU_VAT.fullmatch(value)):
        raise StripeError(f"Invalid value for {kind}.", code="tax_id_invalid", param="value")
    if call.db.count(TaxIdRow, TaxIdRow.customer == customer.id) >= MOST:
        raise StripeError(f"You can only have up to {MOST} tax IDs on a customer.", param="type")
    country = (value if kind == "eu_vat" else kind)[:2].upper()
    made = new(call, TAX_IDS, customer=customer.id, type=kind, value=value, country=country)
    record_row(call, "customer.tax_id.created", TAX_IDS, made)
    return made


@api.post("/{customer}/tax_ids")
def create_tax_id(call: Call, customer: str, params: Annotated[CreateTaxId, Body]) -> Fields:
    """Keep a tax id with a customer; it is looked up at once."""
    return TAX_IDS.show(add_tax_id(call, existing(call, customer), params.type, params.value))


@api.get("/{customer}/tax_ids")
def list_tax_ids(call: Call, customer: str, params: Annotated[ListParams, Body]) -> Fields:
    """List the tax ids of a customer."""
    existing(call, customer)
    return list_of(call, TAX_IDS, params, f"/v1/customers/{customer}/tax_ids", TaxIdRow.customer == customer)


def _of(call: Call, customer: str, id: str) -> TaxIdRow:
    existing(call, customer)
    row = retrieve(call, TAX_IDS, id)
    if row.customer != customer:
        raise TAX_IDS.missing(id)
    return row


@api.get("/{customer}/tax_ids/{id}")
def retrieve_tax_id(call: Call, customer: str, id: str, params: Annotated[Params, Body]) -> Fields:
    """Look at a tax id of a customer."""
    return TAX_IDS.show(_of(call, customer, id))


@api.delete("/{customer}/tax_ids/{id}")
def delete_tax_id(call: Call, customer: str, id: str, params: Annotated[Params, Body]) -> Fields:
    """Take a tax id from a customer."""
    row = _of(call, customer, id)
    record_row(call, "customer.tax_id.deleted", TAX_IDS, row)
    call.db.remove(row)
    return {"id": row.id, "object": "tax_id", "deleted": True}
