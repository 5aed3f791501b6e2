"""The customer of a checkout session, and which of the submitted details are saved.

https://docs.stripe.com/api/checkout/sessions/create#create_checkout_session-customer_update
"""

from __future__ import annotations

from twindiff.kit import Call
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.events import update
from ..core.objects import Fields, refer, retrieve
from ..core.params import Address
from ..customer.customers import CreateCustomer, create_customer
from ..tables.customer_tables import CUSTOMERS, Customer
from .form_fields import SessionForm
from .session_settings import phone_of
from .sessions import CheckoutSession


def asks_email(row: CheckoutSession) -> bool:
    """Return whether the page asks for an email address: not for a customer named by the shop."""
    return not row.customer or is_new(row)


def email_of(call: Call, row: CheckoutSession, form: SessionForm) -> str | None:
    """Return the email address of the customer; raises StripeError if it is missing."""
    known = refer(call, CUSTOMERS, row.customer, "customer").email if row.customer else row.customer_email
    if not asks_email(row):
        return known
    email = str(form.email or known or "")
    if "@" not in email:
        raise StripeError("Your email is incomplete.", param="email")
    return email


def customer_of(call: Call, row: CheckoutSession, form: SessionForm, email: str | None) -> Customer | None:
    """Return the customer of a session, who is created if needed; None if no customer is needed."""
    if row.customer:
        known = refer(call, CUSTOMERS, row.customer, "customer")
        return known if email == known.email else update(call, CUSTOMERS, known, email=email)
    if row.mode == "payment" and row.customer_creation != "always" and not has_invoice(row):
        return None
    made = create_customer(call, CreateCustomer(email=email or "", name=form.name or "", phone=form.phone or ""))
    return retrieve(call, CUSTOMERS, made["id"])


def has_invoice(row: CheckoutSession) -> bool:
    """Return whether a payment creates an invoice."""
    wanted: Fields = row.settings.get("invoice_creation") or {}
    return row.mode == "payment" and bool(wanted.get("enabled"))


def set_session_customer(
    call: Call, row: CheckoutSession, customer: Customer | None, form: SessionForm, email: str | None
) -> CheckoutSession:
    """Store the customer and the submitted details on a session."""
    details: Fields = {
        "address": dict.fromkeys(Address.__struct_fields__),
        "business_name": None,
        "email": email,
        "individual_name": None,
        "name": form.name or None,
        "phone": phone_of(row.settings or {}, form.phone),
        "tax_exempt": customer.tax_exempt if customer else "none",
        "tax_ids": [],
    }
    return call.db.change(row, customer=customer.id if customer else None, customer_details=details)


def is_new(row: CheckoutSession) -> bool:
    """Return whether the session creates, or has created, its customer."""
    return row.customer_creation is not None


def keeps(row: CheckoutSession, what: str) -> bool:
    """Return whether a submitted detail is saved to the customer; a new customer saves all of them."""
    updates: Fields = row.settings.get("customer_update") or {}
    return is_new(row) or updates.get(what) == "auto"


def billing_of(row: CheckoutSession) -> Fields | None:
    """Return the submitted billing address, or None."""
    details: Fields = row.customer_details or {}
    address: Fields = details.get("address") or {}
    return address if any(address.values()) else None


def get_shipping_details(row: CheckoutSession) -> Fields | None:
    """Return the submitted recipient and shipping address, or None."""
    return row.collected_information and row.collected_information["shipping_details"]


def save_typed_details(call: Call, row: CheckoutSession) -> None:
    """Save the submitted details to the customer, as far as `customer_update` allows."""
    if not row.customer:
        return
    details: Fields = row.customer_details or {}
    shipping = get_shipping_details(row)
    typed: Fields = {
        "address": billing_of(row),
        "name": details.get("name"),
        "shipping": shipping and {**shipping, "phone": details.get("phone")},
    }
    kept = {what: value for what, value in typed.items() if value and keeps(row, what)}
    update(call, CUSTOMERS, refer(call, CUSTOMERS, row.customer, "customer"), **kept)
