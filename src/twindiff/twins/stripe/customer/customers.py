"""Customers: their table, how they are rendered, and operations on them.

https://docs.stripe.com/api/customers
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, ClassVar, Literal

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..account.accounts import own_account
from ..core.events import record, record_row, update
from ..core.objects import Fields, new, retrieve
from ..core.pagination import equal, list_of, to_range_conditions
from ..core.params import (
    Address,
    ListParams,
    NestedParams,
    OptInteger,
    OptMetadata,
    OptName,
    OptRange,
    OptText,
    Params,
    SearchParams,
    Shipping,
    Unset,
    collect_params,
    merge_metadata,
    value_of,
)
from ..core.search import search_of
from ..core.test_clocks import require_clock, use_clock_time, within_clock
from ..payments.cash_balances import CashSettings, own_mode
from ..payments.payment_methods import attach, method_named, retrieve_attached_method
from ..sources.customer_sources import BankSource, add_source, check_default, replace_default
from ..tables.customer_tables import CUSTOMERS, Customer, check_email, customer_object, existing
from ..tax.automatic_tax import check_location
from .tax_ids import add_tax_id

api = Operations(prefix="/v1/customers")

ON_DELETE: list[Callable[[Call, str], None]] = []
"""Callbacks of other modules for a deleted customer; they take its id."""
_INVOICE_PREFIX = re.compile(r"[A-Z0-9]{1,12}")
MAX_CUSTOMERS_PER_CLOCK = 3


class CustomField(NestedParams):
    """A custom field shown on all invoices of a customer."""

    name: str
    value: str


class Rendering(NestedParams):
    """Rendering settings of invoices."""

    amount_tax_display: Literal["", "exclude_tax", "include_inclusive_tax"] | UnsetType = UNSET
    template: OptText = UNSET


class InvoiceSettings(NestedParams):
    """Default settings of a customer's invoices."""

    custom_fields: list[CustomField] | Unset | UnsetType = UNSET
    default_payment_method: OptText = UNSET
    footer: OptText = UNSET
    rendering_options: Rendering | Unset | UnsetType = UNSET


class CashBalance(NestedParams):
    """A customer's cash balance."""

    settings: CashSettings | UnsetType = UNSET


class Tax(NestedParams):
    """The tax settings of a customer."""

    ip_address: OptText = UNSET
    validate_location: Literal["auto", "deferred", "immediately"] | UnsetType = UNSET


class CustomerParams(Params):
    """Parameters shared by the create and update operations."""

    longest: ClassVar = {"email": 512, "name": 256, "phone": 20}

    address: Address | Unset | UnsetType = UNSET
    balance: OptInteger = UNSET
    business_name: OptText = UNSET
    cash_balance: CashBalance | UnsetType = UNSET
    description: OptText = UNSET
    email: OptText = UNSET
    individual_name: OptText = UNSET
    invoice_prefix: OptName = UNSET
    invoice_settings: InvoiceSettings | UnsetType = UNSET
    metadata: OptMetadata = UNSET
    name: OptText = UNSET
    next_invoice_sequence: OptInteger = UNSET
    phone: OptText = UNSET
    preferred_locales: list[str] | UnsetType = UNSET
    shipping: Shipping | Unset | UnsetType = UNSET
    source: OptText | BankSource = UNSET
    tax: Tax | UnsetType = UNSET
    tax_exempt: Literal["", "exempt", "none", "reverse"] | UnsetType = UNSET


class TaxId(NestedParams):
    """A tax id of a new customer."""

    type: str
    value: str


class CreateCustomer(CustomerParams):
    """The parameters of a new customer."""

    payment_method: OptName = UNSET
    tax_id_data: list[TaxId] | UnsetType = UNSET
    test_clock: OptName = UNSET


class UpdateCustomer(CustomerParams):
    """The parameters of an update."""

    longest: ClassVar = {**CustomerParams.longest, "default_source": 500}

    default_source: OptText = UNSET


_DEFAULT = "invoice_settings[default_payment_method]"


class ListCustomers(ListParams):
    """The parameters of a list of customers."""

    longest: ClassVar = {"email": 512}

    created: OptRange = UNSET
    email: OptText = UNSET
    test_clock: OptName = UNSET


@api.post("")
def create_customer(call: Call, params: Annotated[CreateCustomer, Body]) -> Fields:
    """Create a customer."""
    fields = _fields(params, None, "payment_method")
    prefix = fields.pop("invoice_prefix", None) or _free_prefix(call)
    if clock := fields.get("test_clock"):
        _join(call, clock)
    _check_prefix(call, prefix, "")
    made = new(call, CUSTOMERS, **fields, invoice_prefix=prefix, currency=_currency(call, fields, None))
    made = _with_methods(call, made, str(params.payment_method or ""))
    _check_location(call, made, params)
    if params.source:
        made = call.db.change(made, default_source=add_source(call, made, params.source).id)
    record_row(call, "customer.created", CUSTOMERS, made)
    _keep_tax_ids(call, made, params.tax_id_data or [])
    return customer_object(made)


def _currency(call: Call, fields: Fields, now: str | None) -> str | None:
    """Return the currency of a customer: that of the account, once a balance is in it."""
    return now or (own_account(call).default_currency if fields.get("balance") else None)


def _check_location(call: Call, customer: Customer, params: CustomerParams) -> None:
    """Raise StripeError for a customer without a tax location, if `validate_location` is `immediately`."""
    if isinstance(params.tax, Tax) and params.tax.validate_location == "immediately":
        check_location(call, customer)


def _keep_tax_ids(call: Call, customer: Customer, wanted: list[TaxId]) -> None:
    for number, each in enumerate(wanted):
        add_tax_id(call, customer, each.type, each.value, f"tax_id_data[{number}]")


def _with_methods(call: Call, customer: Customer, first: str) -> Customer:
    """Attach the payment method given at creation; it becomes the invoice default if both parameters name it.

    Raises StripeError for a default that is not attached to the customer.
    """
    default: str | None = customer.invoice_settings.get("default_payment_method")
    method = attach(call, method_named(call, first), customer.id) if first else None
    if default and method and default == first:
        settings = {**customer.invoice_settings, "default_payment_method": method.id}
        return call.db.change(customer, invoice_settings=settings)
    if default:
        retrieve_attached_method(call, default, customer.id, _DEFAULT)
    return customer


SEARCHABLE = {
    "created": Customer.created,
    "email": Customer.email,
    "metadata": Customer.metadata,
    "name": Customer.name,
    "phone": Customer.phone,
}


@api.get("/search")
def search_customers(call: Call, params: Annotated[SearchParams, Body]) -> Fields:
    """Search customers that are not deleted."""
    return search_of(call, CUSTOMERS, params, "/v1/customers/search", SEARCHABLE, ~Customer.deleted)


@api.get("/{id}")
def retrieve_customer(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a customer, or the stub of a deleted one."""
    return customer_object(retrieve(call, CUSTOMERS, id))


@api.post("/{id}")
def update_customer(call: Call, id: str, params: Annotated[UpdateCustomer, Body]) -> Fields:
    """Update the given fields of a customer."""
    customer = existing(call, id)
    fields = _fields(params, customer)
    if prefix := fields.get("invoice_prefix"):
        _check_prefix(call, prefix, customer.id)
    if params.default_source:
        check_default(call, customer, params.default_source)
    if isinstance(params.invoice_settings, InvoiceSettings) and params.invoice_settings.default_payment_method:
        retrieve_attached_method(call, str(params.invoice_settings.default_payment_method), customer.id, _DEFAULT)
    if params.source:
        fields["default_source"] = replace_default(call, customer, params.source)
    changed = update(call, CUSTOMERS, customer, **fields, currency=_currency(call, fields, customer.currency))
    _check_location(call, changed, params)
    return customer_object(changed)


@api.delete("/{id}")
def delete_customer(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Delete a customer and cancel its subscriptions; related objects remain."""
    customer = existing(call, id)
    use_clock_time(call, customer.test_clock)
    for follow in ON_DELETE:
        follow(call, id)
    customer = existing(call, id)
    record(call, "customer.deleted", customer_object(customer))
    return customer_object(call.db.change(customer, deleted=True))


@api.delete("/{id}/discount")
def delete_customer_discount(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Fail with 404, as customers have no discounts: coupons apply to subscriptions and invoices."""
    message = f"No active discount for customer: {existing(call, id).id}"
    raise StripeError(message, status=404, code="resource_missing")


@api.get("")
def list_customers(call: Call, params: Annotated[ListCustomers, Body]) -> Fields:
    """List customers that are not deleted."""
    where = to_range_conditions(Customer.created, params.created)
    where += equal((Customer.email, params.email))
    where += within_clock(call, Customer.test_clock, params.test_clock)
    return list_of(call, CUSTOMERS, params, "/v1/customers", ~Customer.deleted, *where)


def _fields(params: CustomerParams, now: Customer | None, *skipped: str) -> Fields:
    """Return the columns that the parameters set; `now` is the existing customer, or None."""
    fields = collect_params(params, "tax", "tax_id_data", "source", "cash_balance", "invoice_settings", *skipped)
    if email := fields.get("email"):
        check_email(email, "email")
    if params.metadata is not UNSET or now is None:
        fields["metadata"] = merge_metadata(now.metadata if now else {}, params.metadata)
    if isinstance(params.invoice_settings, InvoiceSettings):
        fields["invoice_settings"] = _settings(now, params.invoice_settings)
    if isinstance(params.cash_balance, CashBalance) and isinstance(params.cash_balance.settings, CashSettings):
        mode = value_of(params.cash_balance.settings).get("reconciliation_mode")
        fields |= own_mode(mode)
    if "tax_exempt" in fields:
        fields["tax_exempt"] = fields["tax_exempt"] or "none"
    return fields


def _join(call: Call, clock: str) -> None:
    """Assign a new customer to a test clock; raises StripeError if the clock has its maximum of customers."""
    require_clock(call, clock)
    if call.db.count(Customer, Customer.test_clock == clock, ~Customer.deleted) >= MAX_CUSTOMERS_PER_CLOCK:
        message = f"You have reached the limit of {MAX_CUSTOMERS_PER_CLOCK} customers for this test clock."
        raise StripeError(message, param="test_clock")
    use_clock_time(call, clock)


def _settings(now: Customer | None, wanted: InvoiceSettings) -> Fields:
    settings: Fields = value_of(wanted)
    return {**(now.invoice_settings if now else {}), **settings}


def _check_prefix(call: Call, prefix: str, own: str) -> None:
    if not _INVOICE_PREFIX.fullmatch(prefix):
        raise StripeError("Invoice number prefix must be 1\N{EN DASH}12 uppercase letters or numbers.")
    holder = call.db.find(Customer, Customer.invoice_prefix == prefix)
    if holder and holder.id != own:
        message = f"This invoice number prefix is taken by customer: {holder.id}. Please enter a different prefix."
        raise StripeError(message, param="invoice_prefix")


def _free_prefix(call: Call) -> str:
    return call.ids.new("", 8)
