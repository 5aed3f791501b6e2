"""The hosted page of a checkout session and of a payment link: its form and the payment.

https://docs.stripe.com/payments/checkout/how-checkout-works
"""

from __future__ import annotations

from html import escape
from typing import Annotated, Any

from twindiff.kit import UNSET, Body, Call, Operations, Response
from twindiff.twins.stripe.core.wire_style import StripeError

from ..billing.subscriptions.subscription_params import CreateSubscription, ItemFields, OnceItem
from ..billing.subscriptions.subscriptions import create_subscription
from ..billing.tables.invoice_tables import INVOICES
from ..billing.tables.subscription_tables import SUBSCRIPTIONS
from ..catalog.discounts import DiscountParams, create_discounts
from ..catalog.inline_prices import accept_inline
from ..core.currencies import format_amount
from ..core.events import record_row
from ..core.objects import find, retrieve
from ..core.params import Params
from ..hosted_pages.html_pages import ReturnParams, card_form, new_method, page, redirect, table
from ..payments import payment_lifecycle
from ..payments.payment_methods import attach, make
from ..payments.setup_intents import CreateSetup, create_setup_intent
from ..sales.sale_invoices import create_paid_invoice
from ..sales.sale_items import SaleItemParams, items_for, items_params, prices_for
from ..tables.customer_tables import CUSTOMERS, Customer
from ..tables.payment_intent_tables import PAYMENTS, PaymentIntent
from ..tables.payment_method_tables import PaymentMethod
from ..tax import automatic_tax
from .form_fields import SessionForm, ShippingOption
from .form_submission import apply_session_form, count_discounts, inputs, shipping_of
from .intent_and_subscription_data import subscription_fields
from .payment_links import LINKS, PaymentLink, count_completed, payment_data, subscription_data, to_session_columns
from .session_creation import open_session
from .session_customers import (
    asks_email,
    billing_of,
    customer_of,
    email_of,
    has_invoice,
    save_typed_details,
    set_session_customer,
)
from .sessions import SESSIONS, CheckoutSession

api = Operations()

PAGE = "/c/pay/"
"""Path prefix of a session's page."""

DONE = "Thank you. You can close this page."


@api.get("/c/pay/{session}", open=True, scope="publishable")
def show_session(call: Call, session: str, params: Annotated[ReturnParams, Body]) -> Response:
    """Show the page of a session, or redirect a customer who returns from authentication to the shop."""
    row = retrieve(call, SESSIONS, session)
    returned = params.payment_intent or params.setup_intent
    if returned and row.status == "complete":
        return _onwards(row)
    return _session_page(call, row, payment_lifecycle.NOT_AUTHENTICATED if returned else "")


@api.post("/c/pay/{session}", open=True, scope="publishable")
def pay_session(call: Call, session: str, params: Annotated[SessionForm, Body]) -> Response:
    """Pay with the submitted card, and redirect to the shop."""
    row = retrieve(call, SESSIONS, session)
    return _pay(call, row, params) if row.status == "open" else _session_page(call, row)


@api.get("/b/{slug}", open=True, scope="publishable")
def show_link(call: Call, slug: str, params: Annotated[Params, Body]) -> Response:
    """Show the page of a payment link."""
    link = _link(call, slug)
    if not link.active:
        return page("Deactivated", f"<p>{escape(link.inactive_message or 'This link is no longer active.')}</p>")
    items = items_for(call, link.id)
    rows = [(item.description, item.amount_total) for item in items]
    total = sum(item.amount_total for item in items)
    session = CheckoutSession(
        id="", seq=0, created=0, expires_at=0, mode="payment", payment_method_types=["card"], currency=link.currency,
        shipping_options=link.shipping_options, **to_session_columns(link),
    )  # fmt: skip
    form = card_form(f"Pay {format_amount(total, link.currency)}", asks_email=True, extras=inputs(call, session))
    return page("Pay", table(rows, link.currency) + form)


@api.post("/b/{slug}", open=True, scope="publishable")
def pay_link(call: Call, slug: str, params: Annotated[SessionForm, Body]) -> Response:
    """Create a session of a payment link, and pay it."""
    link = _link(call, slug)
    if not link.active:
        return show_link(call, slug, Params())
    items = items_for(call, link.id)
    accept_inline(call, [item.price for item in items])
    wanted = [SaleItemParams(price=item.price, quantity=item.quantity or 1) for item in items]
    after: dict[str, str] = link.after_completion.get("redirect") or {}
    session = open_session(
        call,
        wanted,
        list[DiscountParams](),
        [ShippingOption(shipping_rate=each["shipping_rate"]) for each in link.shipping_options],
        **to_session_columns(link),
        success_url=after.get("url"),
        metadata=link.metadata,
        customer_creation=link.customer_creation,
        payment_intent_data=payment_data(link),
        subscription_data=subscription_data(link),
    )
    return _pay(call, session, params)


def _link(call: Call, slug: str) -> PaymentLink:
    link = call.db.find(PaymentLink, PaymentLink.slug == slug)
    if link is None:
        raise LINKS.missing(slug)
    return link


def _session_page(call: Call, row: CheckoutSession, error: str = "", typed: str = "") -> Response:
    """Render a session's form; `typed` is the submitted email address."""
    if row.status != "open":
        return page("Checkout", f"<p>{'This page has expired.' if row.status == 'expired' else DONE}</p>")
    email, asks = typed or row.customer_email, asks_email(row)
    if row.mode == "setup":
        return page("Save a card", card_form("Save card", error, email=email, asks_email=asks))
    currency = row.currency or "usd"
    rows = [(f"{item.quantity or 1} x {item.description}", item.amount_total) for item in items_for(call, row.id)]
    details: dict[str, int] = row.total_details or {}
    further = (("Discount", -details.get("amount_discount", 0)), ("Shipping", details.get("amount_shipping", 0)))
    rows += [*(each for each in further if each[1]), ("Total", row.amount_total or 0)]
    button = "Subscribe" if row.mode == "subscription" else f"Pay {format_amount(row.amount_total or 0, currency)}"
    extras = inputs(call, row)
    form = card_form(button, error, email=email, asks_email=asks, extras=extras)
    return page("Checkout", table(rows, currency) + form)


def _pay(call: Call, row: CheckoutSession, form: SessionForm) -> Response:
    """Process a submitted form; errors are shown on the page, and a declined card keeps its failed charge."""
    try:
        with call.db.savepoint():
            call.memo["paying"] = row.id
            email = email_of(call, row, form)
            customer = customer_of(call, row, form, email)
            row = apply_session_form(call, set_session_customer(call, row, customer, form, email), form)
            method = make(call, new_method(form, email, billing_of(row)))
            pay = {"payment": _pay_once, "subscription": _subscribe, "setup": _set_up}[row.mode]
            refused, action = pay(call, row, method, customer)
    except StripeError as error:
        return _session_page(call, retrieve(call, SESSIONS, row.id), str(error), form.email or "")
    if refused:
        return _session_page(call, retrieve(call, SESSIONS, row.id), str(refused), form.email or "")
    if action:
        return redirect(action)
    return complete(call, retrieve(call, SESSIONS, row.id))


Outcome = tuple[StripeError | None, str]
"""The error of a refused payment, or None, and the URL at which the customer must continue, or ""."""


def _pay_once(call: Call, row: CheckoutSession, method: PaymentMethod, customer: Customer | None) -> Outcome:
    if not row.amount_total:
        return None, ""
    if row.payment_intent and (known := find(call, PAYMENTS, row.payment_intent)):
        intent = call.db.change(known, amount=row.amount_total, payment_method=method.id)
    else:
        intent = payment_lifecycle.create(
            call,
            row.amount_total,
            row.currency or "usd",
            customer=customer.id if customer else None,
            payment_method=method.id,
            payment_method_types=["card"],
            **row.payment_intent_data,
        )
    intent = call.db.change(intent, return_url=_address(call, row), shipping=shipping_of(row) or intent.shipping)
    call.db.change(row, payment_intent=intent.id)
    intent, refused = payment_lifecycle.confirm(call, intent)
    return refused, _action(intent.next_action)


def _subscribe(call: Call, row: CheckoutSession, method: PaymentMethod, customer: Customer | None) -> Outcome:
    assert customer is not None  # subscription mode always creates one
    attach(call, method, customer.id)
    if automatic_tax.is_on(row):
        save_typed_details(call, row)
    items = items_for(call, row.id)
    prices = prices_for(call, items)
    accept_inline(call, prices)
    again = [each for each in items_params(items) if prices[each["price"]].type == "recurring"]
    once = [each for each in items_params(items) if prices[each["price"]].type == "one_time"]
    made = create_subscription(
        call,
        CreateSubscription(
            customer=customer.id,
            items=[ItemFields(**_drop_empty(each)) for each in again],
            add_invoice_items=[OnceItem(**_drop_empty(each)) for each in once],
            automatic_tax=automatic_tax.copy_automatic_tax(row),
            currency=row.currency or UNSET,
            default_payment_method=method.id,
            discounts=[DiscountParams(**_drop_empty(each)) for each in row.discounts],
            **subscription_fields(row.subscription_data),
        ),
    )
    call.db.change(row, subscription=made["id"], invoice=made["latest_invoice"])
    return _outcome_of(call, row, made["latest_invoice"])


def _outcome_of(call: Call, row: CheckoutSession, invoice: str) -> Outcome:
    """Return the outcome of a subscription's first payment: done, or waiting for authentication.

    Raises StripeError if it failed, which rolls back the purchase.
    """
    known = retrieve(call, INVOICES, invoice)
    intent = find(call, PAYMENTS, known.payment_intent) if known.payment_intent else None
    if intent is None or intent.status == "succeeded":
        return None, ""
    if intent.status != "requires_action":
        said: dict[str, str] = intent.last_payment_error or {}
        raise StripeError(said.get("message", "Your card was declined."))
    intent = call.db.change(intent, return_url=_address(call, row))
    return None, _action(intent.next_action)


def _drop_empty(each: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in each.items() if value}


def _set_up(call: Call, row: CheckoutSession, method: PaymentMethod, customer: Customer | None) -> Outcome:
    said: dict[str, Any] = row.settings.get("setup_intent_data") or {}
    wanted = CreateSetup(
        customer=customer.id if customer else "",
        payment_method=method.id,
        confirm=True,
        return_url=_address(call, row),
        description=said.get("description") or "",
        metadata=said.get("metadata") or {},
    )
    made = create_setup_intent(call, wanted)
    if isinstance(made, StripeError):
        return made, ""
    call.db.change(row, setup_intent=made["id"])
    return None, _action(made["next_action"])


def _action(action: dict[str, Any] | None) -> str:
    """Return the URL of the authentication page, or ""."""
    if not action:
        return ""
    details: dict[str, Any] = action[action["type"]]
    return details.get("url") or details.get("stripe_js") or ""


def _address(call: Call, row: CheckoutSession) -> str:
    return f"{call.base_url}{PAGE}{row.id}"


def complete(call: Call, row: CheckoutSession) -> Response:
    """Complete a paid session, and redirect to the shop."""
    return _onwards(_complete_session(call, row))


def _complete_session(call: Call, row: CheckoutSession) -> CheckoutSession:
    free = row.mode == "setup" or not row.amount_total or _in_trial(call, row)
    status = "no_payment_required" if free else "paid"
    save_typed_details(call, row)
    invoice = _invoice(call, row) if has_invoice(row) and not free else row.invoice
    done = call.db.change(row, status="complete", payment_status=status, invoice=invoice)
    count_discounts(call, done)
    if done.payment_link:
        count_completed(call, done.payment_link)
    record_row(call, "checkout.session.completed", SESSIONS, done)
    return done


def _invoice(call: Call, row: CheckoutSession) -> str:
    """Create the invoice of a payment and return its id."""
    said: dict[str, Any] = dict(row.settings["invoice_creation"].get("invoice_data") or {})
    said["rendering"] = said.pop("rendering_options", None)
    said.pop("issuer", None)
    off = [DiscountParams(**_drop_empty(each)) for each in row.discounts]
    intent = retrieve(call, PAYMENTS, row.payment_intent or "")
    customer = retrieve(call, CUSTOMERS, row.customer or "")
    kept = {"automatic_tax": row.automatic_tax, "shipping_cost": row.shipping_cost}
    fields = {**said, **kept, "discounts": create_discounts(call, off, customer.id, is_checked=True)}
    return create_paid_invoice(call, customer, items_for(call, row.id), intent, fields).id


def _in_trial(call: Call, row: CheckoutSession) -> bool:
    made = find(call, SUBSCRIPTIONS, row.subscription) if row.subscription else None
    return bool(made and made.trial_end)


def _onwards(row: CheckoutSession) -> Response:
    url = row.success_url or row.return_url
    if not url or row.redirect_on_completion == "never":
        return page("Checkout", f"<p>{DONE}</p>")
    return redirect(url.replace("{CHECKOUT_SESSION_ID}", row.id))


def _complete_paid_session(call: Call, intent: PaymentIntent) -> None:
    """Complete the session of an intent that was paid after authentication, before the customer returns."""
    _, is_page, id = (intent.return_url or "").partition(PAGE)
    row = find(call, SESSIONS, id) if is_page else None
    if row is None or row.status != "open" or call.memo.get("paying") == row.id:
        return
    if row.payment_intent == intent.id or (intent.invoice and row.invoice == intent.invoice):
        _complete_session(call, row)


payment_lifecycle.ON_PAID.append(_complete_paid_session)
