"""Invoices of one-time sales: of accepted quotes and of checkout payments.

https://docs.stripe.com/payments/checkout/receipts#paid-invoices
"""

from __future__ import annotations

from collections.abc import Sequence

from twindiff.kit import Call

from ..billing.invoices import invoice_lifecycle
from ..billing.tables.invoice_tables import Invoice, build_pricing, make_invoice, make_item
from ..core.objects import Fields, now
from ..tables.customer_tables import Customer
from ..tables.payment_intent_tables import PaymentIntent
from .sale_items import SaleItem, prices_for


def take_items(call: Call, draft: Invoice, customer: Customer, items: Sequence[SaleItem]) -> None:
    """Add sale items to a draft."""
    prices = prices_for(call, [*items])
    for item in items:
        price = prices[item.price]
        made = make_item(
            call,
            customer=customer.id,
            amount=item.amount_subtotal,
            currency=item.currency,
            description=item.description,
            quantity=item.quantity or 1,
            quantity_decimal=str(item.quantity or 1),
            period={"start": now(call), "end": now(call)},
            pricing=build_pricing(price, price.unit_amount_decimal),
            tax_rates=item.tax_rates,
            test_clock=customer.test_clock,
            product=price.product,
        )
        invoice_lifecycle.add_items(call, draft, [made], quiet=True)


def create_paid_invoice(
    call: Call, customer: Customer, items: Sequence[SaleItem], intent: PaymentIntent, fields: Fields
) -> Invoice:
    """Create the invoice of a payment that has already been made."""
    draft = make_invoice(call, customer, currency=intent.currency, payment_intent=intent.id, **fields)
    take_items(call, draft, customer, items)
    final = invoice_lifecycle.finalize(call, invoice_lifecycle.publish_draft(call, draft))
    call.db.change(intent, invoice=final.id)
    return final if final.status == "paid" else invoice_lifecycle.mark_paid(call, final)
