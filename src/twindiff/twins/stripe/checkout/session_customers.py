"""Who pays on the page of a checkout session, and what is kept with them of what they have typed.

https://docs.stripe.com/api/checkout/sessions/create#create_checkout_session-customer_update
"""

from __future__ import annotations

from twindiff.kit import Call
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.events import update
from ..core.objects import Fields, refer, retrieve
from ..core.params import Address
from ..customer.customers import CUSTOMERS, CreateCustomer, Customer, create_customer
from .form_fields import SessionForm
from .session_settings import phone_of
from .sessions import CheckoutSession


def asks_email(row: CheckoutSession) -> bool:
    """Whether a session's page asks who pays: not where the shop has named the customer."""
    return not row.customer or is_new(row)


def email_of(call: Call, row: CheckoutSession, form: SessionForm) -> str | None:
    """The email address of who pays; raises for one that is lacking."""
    known = refer(call, CUSTOMERS, row.customer, "customer").email if row.customer else row.customer_email
    if not asks_email(row):
        return known
    email = str(form.email or known or "")
    if "@" not in email:
        raise StripeError("Your email is incomplete.", param="email")
    return email


def customer_of(call: Call, row: CheckoutSession, form: SessionForm, email: str | None) -> Customer | None:
    """Who pays; a customer is made where one is needed."""
    if row.customer:
        known = refer(call, CUSTOMERS, row.customer, "customer")
        return known if email == known.email else update(call, CUSTOMERS, known, email=email)
    if row.mode == "payment" and row.customer_creation != "always" and not has_invoice(row):
        return None
    made = create_customer(call, CreateCustomer(email=email or "", name=form.name or "", phone=form.phone or ""))
    return retrieve(call, CUSTOMERS, made["id"])


def has_invoice(row: CheckoutSession) -> bool:
    """Whether a payment has an invoice."""
    wanted: Fields = row.settings.get("invoice_creation") or {}
    return row.mode == "payment" and bool(wanted.get("enabled"))


def set_session_customer(
    call: Call, row: CheckoutSession, customer: Customer | None, form: SessionForm, email: str | None
) -> CheckoutSession:
    """A session that knows who pays."""
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
    """Whether the customer of a session is one that its page has made, or makes."""
    return row.customer_creation is not None


def keeps(row: CheckoutSession, what: str) -> bool:
    """Whether something that is typed is kept with the customer, as all is with one who is new."""
    updates: Fields = row.settings.get("customer_update") or {}
    return is_new(row) or updates.get(what) == "auto"


def billing_of(row: CheckoutSession) -> Fields | None:
    """Where bills go, if it was typed."""
    details: Fields = row.customer_details or {}
    address: Fields = details.get("address") or {}
    return address if any(address.values()) else None


def get_shipping_details(row: CheckoutSession) -> Fields | None:
    """Whom and where things are sent to, if it was typed."""
    return row.collected_information and row.collected_information["shipping_details"]


def save_typed_details(call: Call, row: CheckoutSession) -> None:
    """Keep with a session's customer what they have typed, as far as the session says so."""
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
