"""Invoice items: charges and credits that wait for a customer's next invoice.

https://docs.stripe.com/api/invoiceitems
"""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ...catalog.discounts import OptDiscounts, create_discounts
from ...catalog.inline_prices import check_sold, price_of
from ...catalog.price_calculation import unit_price
from ...catalog.price_params import PriceData, TaxBehavior
from ...catalog.prices import PRICES, Price, check_price_currency, check_price_type, decimal_amount
from ...catalog.product_tables import PRODUCTS
from ...core.currencies import MAX_AMOUNT, parse_currency
from ...core.events import record_row, update
from ...core.objects import Fields, find, now, object_id, refer, retrieve, show
from ...core.pagination import list_of, to_range_conditions, to_reference_conditions
from ...core.params import (
    Integer,
    ListParams,
    NestedParams,
    OptBool,
    OptInteger,
    OptMetadata,
    OptName,
    OptRange,
    OptText,
    Params,
    Unset,
    is_set,
    merge_metadata,
    value_of,
)
from ...core.test_clocks import use_clock_time
from ...tables.customer_tables import CUSTOMERS
from ...tax.tax_codes import check_tax_code
from ...tax.tax_rates import tax_rates_of
from ..tables.invoice_tables import INVOICE_ITEMS, INVOICES, Invoice, InvoiceItem, build_pricing, make_item, one_off
from ..tables.subscription_tables import ENDED, SUBSCRIPTIONS, Subscription
from . import invoice_lifecycle, invoice_taxes

api = Operations(prefix="/v1/invoiceitems")


class Period(NestedParams):
    """Start and end of a period, as Unix timestamps."""

    end: Integer
    start: Integer


class Pricing(NestedParams):
    """A reference to a price."""

    price: OptName = UNSET


class ItemParams(Params, kw_only=True):
    """Parameters shared by the create and update operations."""

    amount: OptInteger = UNSET
    description: OptText = UNSET
    discountable: OptBool = UNSET
    discounts: OptDiscounts = UNSET
    metadata: OptMetadata = UNSET
    period: Period | UnsetType = UNSET
    price_data: PriceData | UnsetType = UNSET
    pricing: Pricing | UnsetType = UNSET
    quantity: OptInteger = UNSET
    quantity_decimal: OptText = UNSET
    tax_behavior: TaxBehavior | UnsetType = UNSET
    tax_code: OptText = UNSET
    tax_rates: list[str] | Unset | UnsetType = UNSET
    unit_amount_decimal: OptText = UNSET


class CreateItem(ItemParams, kw_only=True):
    """The parameters of a new item."""

    customer: OptName = UNSET
    customer_account: OptText = UNSET
    currency: OptName = UNSET
    invoice: OptName = UNSET
    subscription: OptName = UNSET


class ListItems(ListParams, kw_only=True):
    """The parameters of a list of items."""

    created: OptRange = UNSET
    customer: OptName = UNSET
    customer_account: OptText = UNSET
    invoice: OptName = UNSET
    pending: OptBool = UNSET


@api.post("")
def create_invoiceitem(call: Call, params: Annotated[CreateItem, Body]) -> Fields:
    """Create an invoice item for a customer's next invoice, or for a given draft."""
    if not isinstance(params.customer, str) or not params.customer:
        raise StripeError("Missing required param: customer.", code="parameter_missing", param="customer")
    customer = refer(call, CUSTOMERS, params.customer, "customer")
    use_clock_time(call, customer.test_clock)
    draft = _draft(call, params.invoice, customer.id)
    owner = _subscription(call, params.subscription, customer.id)
    fields = _fields(call, params, draft.currency if draft else owner.currency if owner else customer.currency)
    if not draft:
        _check_currency(call, str(fields["currency"]), owner, customer.id)
    id = object_id(call, INVOICE_ITEMS.prefix)
    row = make_item(
        call,
        id=id,
        customer=customer.id,
        test_clock=customer.test_clock,
        invoice=draft.id if draft else None,
        subscription=owner.id if owner else None,
        parent=_parent(owner.id if owner else None),
        discounts=create_discounts(call, params.discounts, customer.id, currency=fields["currency"], invoice_item=id),
        metadata=merge_metadata({}, params.metadata),
        **{"period": {"start": now(call), "end": now(call)}, **fields},
    )
    if draft:
        invoice_lifecycle.add_items(call, draft, [row])
        invoice_taxes.check(call, draft)
    return show(call, INVOICE_ITEMS, row)


@api.get("/{invoiceitem}")
def retrieve_invoiceitem(call: Call, invoiceitem: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve an item."""
    return show(call, INVOICE_ITEMS, retrieve(call, INVOICE_ITEMS, invoiceitem))


@api.post("/{invoiceitem}")
def update_invoiceitem(call: Call, invoiceitem: str, params: Annotated[ItemParams, Body]) -> Fields:
    """Update an item that is pending or on a draft."""
    item = retrieve(call, INVOICE_ITEMS, invoiceitem)
    use_clock_time(call, item.test_clock)
    draft = _changeable(call, item, "modified")
    fields = _fields(call, params, item.currency, item) if _prices(params) else _plain(call, params, item)
    if params.discounts is not UNSET:
        fields["discounts"] = create_discounts(
            call, params.discounts, item.customer, currency=item.currency, invoice_item=item.id
        )
    metadata = merge_metadata(item.metadata, params.metadata)
    changed = update(call, INVOICE_ITEMS, item, False, **fields, metadata=metadata)
    if draft:
        invoice_lifecycle.update_item_line(call, draft, changed)
        invoice_taxes.check(call, draft)
    return show(call, INVOICE_ITEMS, changed)


@api.delete("/{invoiceitem}")
def delete_invoiceitem(call: Call, invoiceitem: str, params: Annotated[Params, Body]) -> Fields:
    """Delete an item that is pending or on a draft."""
    item = retrieve(call, INVOICE_ITEMS, invoiceitem)
    draft = _changeable(call, item, "deleted")
    record_row(call, "invoiceitem.deleted", INVOICE_ITEMS, item)
    call.db.remove(item)
    if draft:
        invoice_lifecycle.remove_item_line(call, draft, item.id)
    return {"id": item.id, "object": "invoiceitem", "deleted": True}


@api.get("")
def list_invoiceitems(call: Call, params: Annotated[ListItems, Body]) -> Fields:
    """List invoice items: pending ones, or those of an invoice."""
    where = to_range_conditions(InvoiceItem.created, params.created)
    where += to_reference_conditions(
        call, (InvoiceItem.customer, params.customer, CUSTOMERS), (InvoiceItem.invoice, params.invoice, INVOICES)
    )
    if params.pending is not UNSET:
        column = InvoiceItem.invoice
        where.append(column == None if params.pending else column != None)  # noqa: E711 - conditions
    return list_of(call, INVOICE_ITEMS, params, "/v1/invoiceitems", *where)


def _draft(call: Call, id: OptText, customer: str) -> Invoice | None:
    if not isinstance(id, str) or not id:
        return None
    invoice = refer(call, INVOICES, id, "invoice")
    if invoice.status != "draft":
        raise StripeError(f"Invoice {id} is no longer editable", code="invoice_not_editable", param="invoice")
    if invoice.customer != customer:
        raise StripeError(f"The invoice {id} does not belong to the customer {customer}.", param="invoice")
    return invoice


def _subscription(call: Call, id: OptText, customer: str) -> Subscription | None:
    """Return the subscription that is to bill an item; raises StripeError for one of another customer, or ended."""
    if not isinstance(id, str) or not id:
        return None
    row = refer(call, SUBSCRIPTIONS, id, "subscription")
    if row.customer != customer:
        message = f"The customer {customer} does not have a subscription with ID {id}"
        raise StripeError(message, code="resource_missing", param="subscription")
    if row.status in ENDED:
        raise StripeError(f"The subscription {id} has ended, so it bills no further items.", param="subscription")
    return row


def _check_currency(call: Call, currency: str, owner: Subscription | None, customer: str) -> None:
    """Raise StripeError for a pending item in a currency that no subscription of the customer bills."""
    bills = call.db.rows(Subscription, Subscription.customer == customer)
    running = [owner] if owner else [row for row in bills if row.status not in ENDED]
    if running and all(row.currency != currency for row in running):
        raise StripeError(
            "You cannot combine currencies on a single customer. This customer has an active subscription, "
            f"subscription schedule, discount, quote, or invoice item with currency {running[0].currency}."
        )


def _changeable(call: Call, item: InvoiceItem, how: str) -> Invoice | None:
    """Return the draft that an item is on, or None; raises StripeError if its invoice is finalized or deleted."""
    invoice = find(call, INVOICES, item.invoice) if item.invoice else None
    if item.invoice and invoice is None:
        raise StripeError("This invoice item has been deleted.")
    if invoice and invoice.status != "draft":
        raise StripeError(f"This invoice item cannot be {how} because it is attached to a finalized invoice.")
    return invoice


def _parent(subscription: str | None) -> Fields | None:
    if not subscription:
        return None
    details = {"subscription": subscription, "subscription_item": None}
    return {"type": "subscription_details", "subscription_details": details}


_TAXED_AS = ("tax_behavior", "tax_code")


def _plain(call: Call, params: ItemParams, item: InvoiceItem | None) -> Fields:
    fields: Fields = {}
    for name in ("description", "discountable", "period"):
        if (value := getattr(params, name)) is not UNSET:
            fields[name] = value_of(value)
    if params.tax_code:
        check_tax_code(str(params.tax_code), "tax_code")
    said = {name: value_of(getattr(params, name)) for name in _TAXED_AS if getattr(params, name) is not UNSET}
    if said:
        fields["taxed_as"] = {**((item.taxed_as if item else None) or {}), **said}
    if params.tax_rates is not UNSET:
        fields["tax_rates"] = tax_rates_of(call, params.tax_rates or [], "tax_rates")
    return fields


def _prices(params: ItemParams) -> bool:
    names = ("amount", "pricing", "price_data", "unit_amount_decimal", "quantity", "quantity_decimal")
    return any(is_set(getattr(params, name)) for name in names)


def _fields(call: Call, params: ItemParams, currency: str | None, item: InvoiceItem | None = None) -> Fields:
    """Return the columns of an item that is priced by an amount, a price or a unit amount."""
    _check_ways(params)
    fields = _plain(call, params, item)
    quantity = _quantity(params, item)
    fields |= {"quantity": int(quantity), "quantity_decimal": f"{quantity.normalize():f}"}
    asked: str = (params.currency if isinstance(params, CreateItem) else "") or currency or "usd"
    if isinstance(params.amount, int):
        _check_amount(params.amount)
        each = f"{Decimal(params.amount) / (quantity or 1):f}"
        return {
            **fields,
            "amount": params.amount,
            "currency": parse_currency(asked),
            "pricing": one_off(call, each),
        }
    if price := _price(call, params):
        _check_price_currency(price, params, currency, item)
        named = fields.get("description") or retrieve(call, PRODUCTS, price.product).name
        return {**fields, **_of_price(price, quantity, asked), "description": named}
    each = params.unit_amount_decimal
    if isinstance(each, str) and each:
        unit = decimal_amount(each, "unit_amount_decimal")
        total = unit_price(unit, quantity)
        pricing = one_off(call, unit["unit_amount_decimal"])
        return {**fields, "amount": total, "currency": parse_currency(asked), "pricing": pricing}
    if item is None:
        message = "Must provide one of the following: amount, pricing, price_data, or unit_amount_decimal."
        raise StripeError(message, code="parameter_missing", param="amount")
    before = unit_price({"unit_amount_decimal": str(Decimal(item.amount) / (item.quantity or 1))}, quantity)
    return {**fields, "amount": before}


def _check_price_currency(price: Price, params: ItemParams, currency: str | None, item: InvoiceItem | None) -> None:
    """Raise StripeError for a price without an amount in the currency of its item, draft or subscription."""
    param = "price_data" if is_set(params.price_data) else "pricing[price]"
    asked = params.currency if isinstance(params, CreateItem) else UNSET
    if isinstance(asked, str) and asked:
        check_price_currency(price, parse_currency(asked), param)
    draft = isinstance(params, CreateItem) and is_set(params.invoice)
    if currency and (draft or item or (isinstance(params, CreateItem) and is_set(params.subscription))):
        check_price_currency(price, currency, param, "invoice's currency" if draft else "expected currency")


WAYS = ("amount", "price_data", "pricing", "unit_amount_decimal")
"""Mutually exclusive parameters that say what an item costs."""


def check_amount_alone(params: Any, at: str = "") -> None:
    """Raise StripeError for an item, or a line at a parameter, that has a quantity beside its amount."""
    if is_set(params.amount) and is_set(params.quantity):
        message = "You may only specify one of these parameters: amount, quantity."
        raise StripeError(message, param=f"{at}[amount]" if at else "amount")


def _check_ways(params: ItemParams) -> None:
    check_amount_alone(params)
    ways = [name for name in WAYS if is_set(getattr(params, name))]
    if len(ways) > 1:
        message = f"You may only specify one of these parameters: {', '.join(ways)}."
        raise StripeError(message, param=ways[0])


def _check_amount(amount: int) -> None:
    if abs(amount) > MAX_AMOUNT * 100:
        raise StripeError("Amount is too large.", code="amount_too_large", param="amount")


def _quantity(params: ItemParams, item: InvoiceItem | None) -> Decimal:
    if isinstance(params.quantity_decimal, str) and params.quantity_decimal:
        decimal_amount(params.quantity_decimal, "quantity_decimal")
        return Decimal(params.quantity_decimal)
    if isinstance(params.quantity, int):
        if params.quantity < 0:
            message = "This value must be greater than or equal to 0."
            raise StripeError(message, code="parameter_invalid_integer", param="quantity")
        return Decimal(params.quantity)
    return Decimal(item.quantity_decimal) if item else Decimal(1)


def _price(call: Call, params: ItemParams) -> Price | None:
    if isinstance(params.price_data, PriceData):
        return price_of(call, params.price_data, "price_data")
    if isinstance(params.pricing, Pricing) and isinstance(params.pricing.price, str) and params.pricing.price:
        price = refer(call, PRICES, params.pricing.price, "pricing[price]")
        check_price_type(price, "one_time", "pricing[price]")
        check_sold(call, price, "pricing[price]")
        return price
    return None


def _of_price(price: Price, quantity: Decimal, currency: str) -> Fields:
    fields: Fields = {
        "unit_amount_decimal": price.unit_amount_decimal,
        "transform_quantity": price.transform_quantity,
    }
    option = price.currency_options.get(currency) if currency != price.currency else None
    if option:
        fields["unit_amount_decimal"] = option["unit_amount_decimal"]
    return {
        "amount": unit_price(fields, quantity),
        "currency": currency if option else price.currency,
        "product": price.product,
        "pricing": build_pricing(price, fields["unit_amount_decimal"]),
    }
