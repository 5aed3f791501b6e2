"""Lines of credit notes: a credited part of an invoice line, or a custom line.

https://docs.stripe.com/api/credit_notes/create#create_credit_note-lines
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Literal

from twindiff.kit import UNSET, Call, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ...catalog.price_calculation import round_amount, taxes_on, unit_price
from ...catalog.prices import decimal_amount
from ...core.objects import Fields, refer, retrieve
from ...core.params import NestedParams, OptInteger, OptMetadata, OptText, Unset, merge_metadata
from ...tax.tax_rates import TAX_RATES, tax_rates_of
from ..tables.invoice_line_items import LINE_ITEMS, LineItem, render_tax
from ..tables.invoice_tables import Invoice


class NoteLine(NestedParams, kw_only=True):
    """A line to credit: a part of an invoice line, or a custom one."""

    type: Literal["custom_line_item", "invoice_line_item"]
    amount: OptInteger = UNSET
    description: OptText = UNSET
    invoice_line_item: OptText = UNSET
    metadata: OptMetadata = UNSET
    quantity: OptInteger = UNSET
    tax_rates: list[str] | Unset | UnsetType = UNSET
    unit_amount: OptInteger = UNSET
    unit_amount_decimal: OptText = UNSET


def line_of(call: Call, params: NoteLine, invoice: Invoice, at: str) -> Fields:
    """Return the columns of a credit note line; `at` is the parameter's name for errors.

    Raises StripeError for a line of another invoice, or for more than the line's amount.
    """
    shared: Fields = {"type": params.type, "metadata": merge_metadata({}, params.metadata)}
    if params.type == "custom_line_item":
        return {**shared, **_custom(call, params, at)}
    line = refer(call, LINE_ITEMS, params.invoice_line_item or "", f"{at}[invoice_line_item]")
    if line.invoice != invoice.id:
        raise LINE_ITEMS.missing(line.id, param=f"{at}[invoice_line_item]", status=400)
    amount = params.amount if isinstance(params.amount, int) else _part(line, params.quantity)
    if not 0 < amount <= line.amount:
        message = f"The amount must be positive and at most that of the line, {line.amount}."
        raise StripeError(message, param=f"{at}[amount]")
    described = {"description": line.description, "invoice_line_item": line.id, "quantity": line.quantity}
    return {**shared, **described, "amount": amount, **_share(line, amount)}


def _custom(call: Call, params: NoteLine, at: str) -> Fields:
    """Return the columns of a custom line."""
    quantity = params.quantity if isinstance(params.quantity, int) else 1
    unit = {"unit_amount": 0, "unit_amount_decimal": "0"}
    if isinstance(params.unit_amount_decimal, str) and params.unit_amount_decimal:
        unit = decimal_amount(params.unit_amount_decimal, f"{at}[unit_amount_decimal]")
    elif isinstance(params.unit_amount, int):
        unit = {"unit_amount": params.unit_amount, "unit_amount_decimal": str(params.unit_amount)}
    amount = unit_price(unit, Decimal(quantity))
    ids = tax_rates_of(call, params.tax_rates or [], f"{at}[tax_rates]")
    rates = [retrieve(call, TAX_RATES, id) for id in ids]
    taxes = taxes_on(amount, [(rate.id, rate.percentage, rate.inclusive) for rate in rates])
    said = {"description": params.description or None, "quantity": quantity, "tax_rates": ids}
    return {**unit, **said, "amount": amount, "taxes": [render_tax(tax) for tax in taxes]}


def _share(line: LineItem, amount: int) -> Fields:
    """Return the discounts and taxes proportional to a part of a line's amount."""
    part = Fraction(amount, line.amount)
    off = [{**each, "amount": round_amount(each["amount"] * part)} for each in line.discount_amounts]
    taxes = [
        {
            **tax,
            "amount": round_amount(tax["amount"] * part),
            "taxable_amount": round_amount(tax["taxable_amount"] * part),
        }
        for tax in line.taxes
    ]
    return {"discount_amounts": off, "taxes": taxes, "tax_rates": line.tax_rates}


def _part(line: LineItem, quantity: OptInteger) -> int:
    whole = line.quantity or 1
    return line.amount * quantity // whole if isinstance(quantity, int) else line.amount
