"""Tax ids of customers and of the account, such as VAT numbers.

https://docs.stripe.com/api/tax_ids
"""

from __future__ import annotations

from typing import Annotated, Literal

from twindiff.kit import UNSET, Body, Call, Column, Operations, UnsetType, column, references
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.events import record_row
from ..core.objects import INCLUDES, Fields, StripeObject, build_view, new, refer, resource, retrieve
from ..core.pagination import list_object, list_of
from ..core.params import ListParams, NestedParams, OptName, OptText, Params
from ..tables.customer_tables import CUSTOMERS, Customer, existing
from ..tax.tax_id_types import check_tax_id

api = Operations(prefix="/v1")

MAX_TAX_IDS = 5
_OUTCOMES = {"000000000": "verified", "111111111": "unverified", "222222222": "pending"}
"""Verification results of Stripe's test numbers, by suffix: https://docs.stripe.com/billing/customer/tax-ids"""


class TaxIdRow(StripeObject, table="tax_ids", key=("id",), unique=(("seq",),), indexes=(("customer", "seq"),)):
    country: Column[str | None] = column(default=None)
    customer: Column[str | None] = references(Customer, default=None)
    """None for the account's own tax ids."""
    type: Column[str]
    value: Column[str]


def _owner(row: TaxIdRow) -> Fields:
    kind = "customer" if row.customer else "self"
    return {"type": kind, "customer": row.customer, "customer_account": None, "account": None, "application": None}


def _verification(row: TaxIdRow) -> Fields | None:
    """Render the result of the verification, which Stripe does for some countries only."""
    if row.type not in ("eu_vat", "gb_vat", "au_abn"):
        return {"status": "unavailable", "verified_address": None, "verified_name": None}
    return {"status": _OUTCOMES.get(row.value[-9:], "pending"), "verified_address": None, "verified_name": None}


TAX_IDS = resource(
    TaxIdRow,
    "tax_id",
    "txi_",
    build_view(TaxIdRow, "tax_id", customer_account=None, owner=_owner, verification=_verification),
    spoken="tax ID",
    expandable=("customer",),
)


class CreateTaxId(Params, kw_only=True):
    """The parameters of a new tax id."""

    type: str
    value: str


class Owner(NestedParams):
    """The owner of a tax id."""

    type: Literal["account", "application", "customer", "self"]
    account: OptName = UNSET
    customer: OptName = UNSET
    customer_account: OptText = UNSET


class CreateOwnedTaxId(CreateTaxId, kw_only=True):
    """The parameters of a new tax id of the account or of a customer."""

    owner: Owner | UnsetType = UNSET


class ListTaxIds(ListParams, kw_only=True):
    """The parameters of a list of tax ids."""

    owner: Owner | UnsetType = UNSET


def add_tax_id(call: Call, customer: Customer | None, kind: str, value: str, at: str = "") -> TaxIdRow:
    """Create a tax id of a customer, or of the account for None; `at` is the parent parameter for errors."""
    check_tax_id(kind, value, at)
    owner = customer.id if customer else None
    if call.db.count(TaxIdRow, TaxIdRow.customer == owner) >= MAX_TAX_IDS:
        raise StripeError(
            f"You can only have up to {MAX_TAX_IDS} tax IDs on a customer.", param=f"{at}[type]" if at else "type"
        )
    country = (value if kind == "eu_vat" else kind)[:2].upper()
    country = "GR" if country == "EL" else country  # Greek VAT numbers start with EL.
    made = new(call, TAX_IDS, customer=owner, type=kind, value=value, country=country)
    if owner:
        _update_invoice_tax_ids(call, owner)
        record_row(call, "customer.tax_id.created", TAX_IDS, made)
    return made


def _update_invoice_tax_ids(call: Call, customer: str) -> None:
    """Store on a customer the tax ids that its invoices show."""
    mine = call.db.rows(TaxIdRow, TaxIdRow.customer == customer, order=TaxIdRow.seq)
    shown_ids = [{"type": each.type, "value": each.value} for each in mine]
    call.db.change(existing(call, customer), invoice_tax_ids=shown_ids)


@api.post("/customers/{customer}/tax_ids")
def create_tax_id(call: Call, customer: str, params: Annotated[CreateTaxId, Body]) -> Fields:
    """Create a tax id of a customer; it is verified at once."""
    return TAX_IDS.show(add_tax_id(call, existing(call, customer), params.type, params.value))


@api.get("/customers/{customer}/tax_ids")
def list_tax_ids(call: Call, customer: str, params: Annotated[ListParams, Body]) -> Fields:
    """List the tax ids of a customer."""
    existing(call, customer)
    return list_of(call, TAX_IDS, params, f"/v1/customers/{customer}/tax_ids", TaxIdRow.customer == customer)


@api.get("/customers/{customer}/tax_ids/{id}")
def retrieve_tax_id(call: Call, customer: str, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a tax id of a customer."""
    return TAX_IDS.show(_of(call, customer, id))


@api.delete("/customers/{customer}/tax_ids/{id}")
def delete_tax_id(call: Call, customer: str, id: str, params: Annotated[Params, Body]) -> Fields:
    """Delete a tax id of a customer."""
    return _remove(call, _of(call, customer, id))


@api.post("/tax_ids")
def create_owned_tax_id(call: Call, params: Annotated[CreateOwnedTaxId, Body]) -> Fields:
    """Create a tax id of the account or of a customer."""
    id = _owner_id(params.owner)
    owner = refer(call, CUSTOMERS, id, "owner[customer]") if id else None
    return TAX_IDS.show(add_tax_id(call, owner, params.type, params.value))


@api.get("/tax_ids")
def list_owned_tax_ids(call: Call, params: Annotated[ListTaxIds, Body]) -> Fields:
    """List the tax ids of the account or of a customer."""
    return list_of(call, TAX_IDS, params, "/v1/tax_ids", TaxIdRow.customer == _owner_id(params.owner))


@api.get("/tax_ids/{id}")
def retrieve_owned_tax_id(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a tax id."""
    return TAX_IDS.show(retrieve(call, TAX_IDS, id))


@api.delete("/tax_ids/{id}")
def delete_owned_tax_id(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Delete a tax id."""
    return _remove(call, retrieve(call, TAX_IDS, id))


def _owner_id(owner: Owner | UnsetType) -> str | None:
    """Return the customer id of an owner, or None for the account itself."""
    if not isinstance(owner, Owner) or owner.type == "self":
        return None
    if owner.type != "customer":
        raise StripeError("Tax ids of this twin are the shop's own or those of customers.", param="owner[type]")
    if not isinstance(owner.customer, str) or not owner.customer:
        raise StripeError("Missing required param: owner[customer].", code="parameter_missing", param="owner[customer]")
    return owner.customer


def _of(call: Call, customer: str, id: str) -> TaxIdRow:
    existing(call, customer)
    row = retrieve(call, TAX_IDS, id)
    if row.customer != customer:
        raise TAX_IDS.missing(id)
    return row


def _remove(call: Call, row: TaxIdRow) -> Fields:
    call.db.remove(row)
    if row.customer:
        record_row(call, "customer.tax_id.deleted", TAX_IDS, row)
        _update_invoice_tax_ids(call, row.customer)
    return {"id": row.id, "object": "tax_id", "deleted": True}


def _of_customer(call: Call, customer: Fields) -> Fields:
    """Return the list of a customer's tax ids, for `expand`."""
    rows = call.db.rows(TaxIdRow, TaxIdRow.customer == customer["id"], order=-TaxIdRow.seq)
    return list_object([TAX_IDS.show(row) for row in rows], f"/v1/customers/{customer['id']}/tax_ids")


INCLUDES["customer.tax_ids"] = _of_customer
