"""Lines that are put on a draft invoice, several at once.

https://docs.stripe.com/api/invoice-line-item/bulk
"""

from __future__ import annotations

from typing import Annotated

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.kit.styles.stripe import StripeError

from .discounts import OptDiscounts
from .invoice_objects import INVOICE_ITEMS, INVOICES, Invoice
from .invoiceitems import CreateItem, Period, Pricing, create_invoiceitem
from .invoicing import take
from .objects import Fields, refer, retrieve, show
from .params import OptBool, OptInteger, OptMetadata, OptText, Params, Part
from .price_params import PriceData

api = Operations(prefix="/v1/invoices")

MOST = 250


class Line(Part, kw_only=True):
    """A line: an amount, a price, or an item that waits."""

    amount: OptInteger = UNSET
    description: OptText = UNSET
    discountable: OptBool = UNSET
    discounts: OptDiscounts = UNSET
    invoice_item: OptText = UNSET
    metadata: OptMetadata = UNSET
    period: Period | UnsetType = UNSET
    price_data: PriceData | UnsetType = UNSET
    pricing: Pricing | UnsetType = UNSET
    quantity: OptInteger = UNSET
    tax_rates: list[str] | UnsetType = UNSET


class AddLines(Params, kw_only=True):
    """The lines that are added."""

    lines: list[Line]


@api.post("/{invoice}/add_lines")
def add_lines(call: Call, invoice: str, params: Annotated[AddLines, Body]) -> Fields:
    """Put lines on a draft; each is an item of its invoice."""
    draft = retrieve(call, INVOICES, invoice)
    if draft.status != "draft":
        raise StripeError(f"Invoice {invoice} is no longer editable", code="invoice_not_editable", param="invoice")
    if len(params.lines) > MOST:
        raise StripeError(f"You can add up to {MOST} lines at once.", param="lines")
    for number, line in enumerate(params.lines):
        _add(call, retrieve(call, INVOICES, invoice), line, f"lines[{number}][invoice_item]")
    return show(call, INVOICES, retrieve(call, INVOICES, invoice))


def _add(call: Call, draft: Invoice, line: Line, param: str) -> None:
    if isinstance(line.invoice_item, str):
        item = refer(call, INVOICE_ITEMS, line.invoice_item, param)
        if item.invoice or item.customer != draft.customer:
            raise StripeError(f"The invoice item {item.id} does not wait for an invoice of this customer.", param=param)
        take(call, draft, [call.db.change(item, invoice=draft.id)])
        return
    said = {name: getattr(line, name) for name in Line.__struct_fields__ if name != "invoice_item"}
    currency = UNSET if line.amount is UNSET else draft.currency
    create_invoiceitem(call, CreateItem(customer=draft.customer, invoice=draft.id, currency=currency, **said))
