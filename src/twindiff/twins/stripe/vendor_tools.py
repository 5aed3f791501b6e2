"""The tools of Stripe's MCP server, with the results of its local version.

https://docs.stripe.com/mcp, https://www.npmjs.com/package/@stripe/agent-toolkit
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import Meta, Struct
from twindiff.kit.agent_tools import Caller, VendorTools

Limit = Annotated[int, Meta(ge=1, le=100)] | None
Status = Literal["active", "past_due", "unpaid", "canceled", "incomplete", "incomplete_expired", "trialing", "all"]

tools = VendorTools(
    host="mcp.stripe.com",
    core=tuple(
        f"{verb} /v1/{path}"
        for verb, path in (
            ("GET", "account"),
            ("GET", "balance"),
            ("GET", "customers"),
            ("POST", "customers"),
            ("GET", "customers/{id}"),
            ("POST", "customers/{id}"),
            ("GET", "customers/search"),
            ("GET", "products"),
            ("POST", "products"),
            ("GET", "prices"),
            ("POST", "prices"),
            ("POST", "payment_links"),
            ("GET", "payment_intents"),
            ("POST", "payment_intents"),
            ("GET", "payment_intents/{intent}"),
            ("GET", "charges"),
            ("GET", "refunds"),
            ("POST", "refunds"),
            ("GET", "invoices"),
            ("POST", "invoices"),
            ("GET", "invoices/{invoice}"),
            ("POST", "invoices/{invoice}/finalize"),
            ("POST", "invoiceitems"),
            ("GET", "subscriptions"),
            ("POST", "subscriptions"),
            ("GET", "coupons"),
            ("POST", "coupons"),
            ("GET", "disputes"),
            ("GET", "events"),
        )
    ),
)


class ItemChange(Struct, omit_defaults=True):
    """A change of one item of a subscription."""

    id: str | None = None
    price: str | None = None
    quantity: Annotated[int, Meta(ge=1)] | None = None
    deleted: bool | None = None


class Evidence(Struct, omit_defaults=True):
    """Texts against a dispute."""

    cancellation_policy_disclosure: str | None = None
    duplicate_charge_explanation: str | None = None
    uncategorized_text: str | None = None


@tools.reads
async def get_stripe_account_info(call: Caller) -> Any:
    """Return the account."""
    account = await call("GET /v1/account")
    return {"account_id": account["id"], "display_name": account["settings"]["dashboard"]["display_name"]}


@tools.writes
async def create_customer(call: Caller, name: str, email: str | None = None) -> Any:
    """Create a customer."""
    return _pick(await call("POST /v1/customers", name=name, email=email), "id")


@tools.reads
async def list_customers(call: Caller, limit: Limit = None, email: str | None = None) -> Any:
    """List customers, or those with an email address."""
    page = await call("GET /v1/customers", limit=limit, email=email)
    return [_pick(each, "id") for each in page["data"]]


@tools.writes
async def create_product(call: Caller, name: str, description: str | None = None) -> Any:
    """Create a product."""
    return await call("POST /v1/products", name=name, description=description)


@tools.reads
async def list_products(call: Caller, limit: Limit = None) -> Any:
    """List products."""
    return (await call("GET /v1/products", limit=limit))["data"]


@tools.writes
async def create_price(call: Caller, product: str, unit_amount: int, currency: str) -> Any:
    """Create a price of a product; the amount is in cents."""
    return await call("POST /v1/prices", product=product, unit_amount=unit_amount, currency=currency)


@tools.reads
async def list_prices(call: Caller, product: str | None = None, limit: Limit = None) -> Any:
    """List prices, or those of a product."""
    return (await call("GET /v1/prices", product=product, limit=limit))["data"]


@tools.writes
async def create_payment_link(call: Caller, price: str, quantity: int) -> Any:
    """Create a payment link for a price."""
    return _pick(await call("POST /v1/payment_links", line_items=[{"price": price, "quantity": quantity}]), "id", "url")


@tools.writes
async def create_invoice(call: Caller, customer: str, days_until_due: int | None = None) -> Any:
    """Create a draft invoice of a customer."""
    method = "send_invoice" if days_until_due is not None else None
    made = await call("POST /v1/invoices", customer=customer, days_until_due=days_until_due, collection_method=method)
    return _summarize_invoice(made)


@tools.reads
async def list_invoices(call: Caller, customer: str | None = None, limit: Limit = None) -> Any:
    """List invoices, or those of a customer."""
    return (await call("GET /v1/invoices", customer=customer, limit=limit))["data"]


@tools.writes
async def create_invoice_item(call: Caller, customer: str, price: str, invoice: str) -> Any:
    """Add a price to a draft invoice."""
    made = await call("POST /v1/invoiceitems", customer=customer, pricing={"price": price}, invoice=invoice)
    return _pick(made, "id", "invoice")


@tools.writes
async def finalize_invoice(call: Caller, invoice: str) -> Any:
    """Finalize a draft invoice."""
    return _summarize_invoice(await call("POST /v1/invoices/{invoice}/finalize", invoice=invoice))


@tools.reads
async def retrieve_balance(call: Caller) -> Any:
    """Return the balance of the account."""
    return await call("GET /v1/balance")


@tools.reads
async def list_coupons(call: Caller, limit: Limit = None) -> Any:
    """List coupons."""
    page = await call("GET /v1/coupons", limit=limit)
    return [_pick(each, "id", "name", "percent_off", "amount_off", "duration") for each in page["data"]]


@tools.writes
async def create_coupon(
    call: Caller,
    name: str,
    percent_off: Annotated[float, Meta(ge=0, le=100)] | None = None,
    amount_off: int | None = None,
    currency: str = "USD",
    duration: Literal["once", "repeating", "forever"] = "once",
    duration_in_months: int | None = None,
) -> Any:
    """Create a coupon that takes off a percentage, or an amount in cents."""
    made = await call(
        "POST /v1/coupons",
        name=name,
        percent_off=percent_off or None,
        amount_off=None if percent_off else amount_off,
        currency=None if percent_off else currency.lower(),
        duration=duration,
        duration_in_months=duration_in_months,
    )
    return _pick(made, "id")


@tools.writes
async def create_refund(call: Caller, payment_intent: str, amount: int | None = None) -> Any:
    """Refund a payment, or an amount of it in cents."""
    made = await call("POST /v1/refunds", payment_intent=payment_intent, amount=amount)
    return _pick(made, "id", "status", "amount")


@tools.reads
async def list_payment_intents(call: Caller, customer: str | None = None, limit: Limit = None) -> Any:
    """List payments, or those of a customer."""
    return (await call("GET /v1/payment_intents", customer=customer, limit=limit))["data"]


@tools.reads
async def list_subscriptions(
    call: Caller,
    customer: str | None = None,
    price: str | None = None,
    status: Status | None = None,
    limit: Limit = None,
) -> Any:
    """List subscriptions, by customer, price or status."""
    page = await call("GET /v1/subscriptions", customer=customer, price=price, status=status, limit=limit)
    return page["data"]


@tools.writes
async def cancel_subscription(call: Caller, subscription: str) -> Any:
    """Cancel a subscription at once."""
    return await call("DELETE /v1/subscriptions/{id}", id=subscription)


@tools.writes
async def update_subscription(
    call: Caller,
    subscription: str,
    proration_behavior: Literal["create_prorations", "none", "always_invoice", "none_implicit"] | None = None,
    items: list[ItemChange] | None = None,
) -> Any:
    """Change the items of a subscription."""
    changed = None if items is None else [_drop_none(each, "id", "price", "quantity", "deleted") for each in items]
    return await call(
        "POST /v1/subscriptions/{id}",
        id=subscription,
        proration_behavior=proration_behavior,
        items=changed,
    )


@tools.reads
async def list_disputes(
    call: Caller,
    charge: str | None = None,
    payment_intent: str | None = None,
    limit: Annotated[int, Meta(ge=1, le=100)] = 10,
) -> Any:
    """List disputes, or those of a charge or a payment."""
    page = await call("GET /v1/disputes", charge=charge, payment_intent=payment_intent, limit=limit)
    return [_pick(each, "id") for each in page["data"]]


@tools.writes
async def update_dispute(
    call: Caller, dispute: str, evidence: Evidence | None = None, submit: bool | None = None
) -> Any:
    """Add evidence against a dispute, and submit it if asked to."""
    names = ("cancellation_policy_disclosure", "duplicate_charge_explanation", "uncategorized_text")
    given = _drop_none(evidence, *names) if evidence else None
    return _pick(await call("POST /v1/disputes/{id}", id=dispute, evidence=given, submit=submit), "id")


def _pick(object: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: object.get(name) for name in names}


def _drop_none(struct: Struct, *names: str) -> dict[str, Any]:
    return {name: value for name in names if (value := getattr(struct, name)) is not None}


def _summarize_invoice(invoice: dict[str, Any]) -> dict[str, Any]:
    return {"id": invoice["id"], "url": invoice["hosted_invoice_url"], **_pick(invoice, "customer", "status")}
