"""Invoice line items, and the computation of discounts and taxes on them.

https://docs.stripe.com/api/invoice-line-item
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from twindiff.kit import Call, Column, Json, column

from ...catalog.coupons import Coupon, off_each, takes_off
from ...catalog.price_calculation import Tax, taxes_on
from ...core.objects import LEFT_OUT, Fields, StripeObject, build_view, resource
from ...tax.tax_rates import TaxRate


class LineItem(
    StripeObject,
    table="line_items",
    key=("id",),
    unique=(("seq",),),
    indexes=(("invoice", "seq"),),
):
    amount: Column[int]
    currency: Column[str]
    description: Column[str | None] = column(default=None)
    discount_amounts: Column[Json] = column(default=[])
    discountable: Column[bool] = column(default=True, derived=True)
    discounts: Column[Json] = column(default=[])
    invoice: Column[str] = column(derived=True)
    metadata: Column[Json] = column(default={})
    parent: Column[Json] = column(default=None, derived=True)
    period: Column[Json] = column(derived=True)
    pretax_credit_amounts: Column[Json] = column(default=[])
    pricing: Column[Json] = column(default=None, derived=True)
    quantity: Column[int | None] = column(default=None)
    quantity_decimal: Column[str | None] = column(default=None, derived=True)
    subscription: Column[str | None] = column(default=None)
    taxes: Column[Json] = column(default=[])
    tax_rates: Column[Json] = column(default=[])
    subscription_item: Column[str | None] = column(default=None)
    invoice_item: Column[str | None] = column(default=None, derived=True)
    product: Column[str | None] = column(default=None)


def _parent(row: LineItem) -> Fields | None:
    """Render the `parent` of a line; its `proration_details` are present even without credited items."""
    if not row.parent:
        return None
    kind: str = row.parent["type"]
    details: Fields = row.parent[kind]
    details = {**details, "proration_details": details.get("proration_details") or {"credited_items": None}}
    return {"type": kind, "invoice_item_details": None, "subscription_item_details": None, kind: details}


def pretax(discounts: Sequence[Fields], credits: Sequence[Fields]) -> list[Fields]:
    """Return the pre-tax deductions: discounts and billing credits."""
    return [*({**each, "type": "discount"} for each in discounts), *credits]


def _pretax(row: LineItem) -> list[Fields]:
    return pretax(row.discount_amounts, row.pretax_credit_amounts)


line_item_object = build_view(
    LineItem,
    "line_item",
    "tax_rates",
    "subscription_item",
    "invoice_item",
    "product",
    created=LEFT_OUT,
    parent=_parent,
    pretax_credit_amounts=_pretax,
    subtotal=LineItem.amount,
)
LINE_ITEMS = resource(
    LineItem,
    "line_item",
    "il_",
    line_item_object,
    spoken="invoice line item",
    expandable=("subscription", "discounts", "price_details.price", "discount_amounts.discount"),
)


def lines_of(call: Call, invoice: str) -> list[LineItem]:
    """Return an invoice's lines, newest first."""
    return call.db.rows(LineItem, LineItem.invoice == invoice, order=-LineItem.seq)


class Totals:
    """Totals of an invoice: line discounts are applied first, then those of the invoice, then taxes."""

    def __init__(
        self, lines: Sequence[LineItem], coupons: Sequence[tuple[str, Coupon]], own: Sequence[tuple[str, Coupon]] = ()
    ) -> None:
        self.lines = lines
        self.subtotal = sum(line.amount for line in lines)
        self.off: list[dict[str, int]] = [{} for _ in lines]
        self.taxes: list[list[Tax]] = [[] for _ in lines]
        self.on_shipping: list[Tax] = []
        self.credits = [sum(each["amount"] for each in line.pretax_credit_amounts) for line in lines]
        for id, coupon in own:
            for at, line in enumerate(lines):
                if id in line.discounts:
                    self.off[at][id] = self._shares(coupon, only=at)[at]
        self.own = sum(amount for each in self.off for amount in each.values())
        """Sum of the discounts of single lines, which are not part of the subtotal."""
        for id, coupon in coupons:
            for at, amount in enumerate(self._shares(coupon)):
                if amount:
                    self.off[at][id] = amount

    def _compute_remaining(self, at: int) -> int:
        return self.lines[at].amount - sum(self.off[at].values())

    def _base(self, at: int, coupon: Coupon) -> int:
        """Return the amount of a line that a coupon may discount."""
        line = self.lines[at]
        return max(self._compute_remaining(at), 0) if line.discountable and takes_off(coupon, line.product) else 0

    def _shares(self, coupon: Coupon, only: int | None = None) -> list[int]:
        """Return the discount of a coupon on each line, or on the line `only`."""
        base = [self._base(at, coupon) if only in (None, at) else 0 for at in range(len(self.lines))]
        return off_each(coupon, base, self.lines[0].currency if self.lines else coupon.currency)

    def tax(self, rates: dict[str, TaxRate], default: Sequence[str]) -> None:
        """Compute taxes by each line's own rates, or else by the invoice's default rates."""
        if not rates:
            return
        left = self.taxable()
        for at, line in enumerate(self.lines):
            wanted = [rates[id] for id in (line.tax_rates or default) if id in rates]
            if wanted:
                triples = [(rate.id, rate.percentage, rate.inclusive) for rate in wanted]
                self.taxes[at] = taxes_on(left[at], triples)

    def taxable(self) -> list[int]:
        """Return the taxable amount of each line: what discounts and credits leave."""
        return [self._compute_remaining(at) - self.credits[at] for at in range(len(self.lines))]

    def amounts(self, shipping: int = 0) -> Fields:
        """Return the amount columns of the invoice; `shipping` is the shipping cost before taxes."""
        by_discount: dict[str, int] = {}
        for each in self.off:
            for id, amount in each.items():
                by_discount[id] = by_discount.get(id, 0) + amount
        by_rate: dict[str, list[Tax]] = {}
        inner = added = 0
        for tax in chain(*self.taxes, self.on_shipping):
            by_rate.setdefault(tax.rate, []).append(tax)
            inner += tax.amount if tax.inclusive else 0
            added += 0 if tax.inclusive else tax.amount
        total = self.subtotal - sum(by_discount.values()) - sum(self.credits) + added + shipping
        return {
            "subtotal": self.subtotal - self.own,
            "subtotal_excluding_tax": self.subtotal - self.own - inner,
            "total": total,
            "total_excluding_tax": total - added - inner,
            "total_discount_amounts": [{"amount": off, "discount": id} for id, off in by_discount.items()],
            "total_pretax_credit_amounts": [each for line in self.lines for each in line.pretax_credit_amounts],
            "total_taxes": [render_tax(_together(several)) for several in by_rate.values()],
        }

    def write(self, call: Call) -> None:
        """Store the discounts and taxes of each line."""
        for at, line in enumerate(self.lines):
            off = [{"amount": amount, "discount": id} for id, amount in self.off[at].items()]
            taxes = [render_tax(tax) for tax in self.taxes[at]]
            if (line.discount_amounts, line.taxes) != (off, taxes):
                call.db.change(line, discount_amounts=off, taxes=taxes)


def _together(several: Sequence[Tax]) -> Tax:
    amount, taxable = sum(tax.amount for tax in several), sum(tax.taxable for tax in several)
    return several[0]._replace(amount=amount, taxable=taxable)


def render_tax(tax: Tax) -> Fields:
    """Render a tax as in lines and invoices."""
    return {
        "amount": tax.amount,
        "tax_behavior": "inclusive" if tax.inclusive else "exclusive",
        "tax_rate_details": {"tax_rate": tax.rate},
        "taxability_reason": tax.reason,
        "taxable_amount": tax.taxable,
        "type": "tax_rate_details",
    }
