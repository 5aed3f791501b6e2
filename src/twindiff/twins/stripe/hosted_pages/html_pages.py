"""HTML of the hosted pages, which need no script.

All text comes from rows and is escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from twindiff.kit import UNSET, Response, page_answer
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.currencies import format_amount
from ..core.objects import Fields
from ..core.params import Address, OptText, Params
from ..payments.payment_methods import Billing, CardParams, NewMethod

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body {{ font: 16px system-ui; max-width: 32rem; margin: 3rem auto; padding: 0 1rem }}
label {{ display: block; margin: .6rem 0 }}
input, select {{ font: inherit; width: 100%; padding: .3rem; box-sizing: border-box }}
input[type=checkbox] {{ width: auto }}
button {{ font: inherit; padding: .5rem 1rem; margin-top: .6rem }} td {{ padding: .2rem 1rem .2rem 0 }}
.error {{ color: #b00020 }}</style></head>
<body><h1>{title}</h1>{body}</body></html>"""

_FIELDS = """<label>Card number <input name="number" inputmode="numeric" autocomplete="cc-number" required></label>
<label>Expiration (MM / YY) <input name="expiry" autocomplete="cc-exp" placeholder="12 / 34" required></label>
<label>CVC <input name="cvc" inputmode="numeric" autocomplete="cc-csc"></label>
<label>Name on card <input name="name" autocomplete="cc-name"></label>"""


class ReturnParams(Params):
    """Query parameters that an authentication page adds to the return URL."""

    payment_intent: OptText = UNSET
    payment_intent_client_secret: OptText = UNSET
    setup_intent: OptText = UNSET
    setup_intent_client_secret: OptText = UNSET


class CardForm(ReturnParams, kw_only=True):
    """The submitted card form."""

    number: OptText = UNSET
    expiry: OptText = UNSET
    cvc: OptText = UNSET
    name: OptText = UNSET
    email: OptText = UNSET


def page(title: str, body: str, status: int = 200) -> Response:
    """Build a page; `body` is HTML."""
    return page_answer(_PAGE.format(title=escape(title), body=body), status)


def redirect(url: str) -> Response:
    """Build a redirect to a URL."""
    return Response(b"", 303, "text/html", (("Location", url),))


def table(rows: Sequence[tuple[str, int]], currency: str) -> str:
    """Build an HTML table of descriptions and amounts."""
    lines = "".join(
        f"<tr><td>{escape(what)}</td><td>{escape(format_amount(amount, currency))}</td></tr>" for what, amount in rows
    )
    return f"<table>{lines}</table>"


def card_form(
    button: str, error: str = "", *, email: str | None = None, asks_email: bool = False, extras: str = ""
) -> str:
    """Build the card form; `extras` is HTML of further inputs before the card."""
    said = f'<p class="error" role="alert">{escape(error)}</p>' if error else ""
    typed = escape(email or "", quote=True)
    address = f'<label>Email <input name="email" type="email" value="{typed}" required></label>' if asks_email else ""
    return f'{said}<form method="post">{address}{extras}{_FIELDS}<button type="submit">{escape(button)}</button></form>'


def new_method(form: CardForm, email: str | None = None, address: Fields | None = None) -> NewMethod:
    """Return the payment method that a form describes; raises StripeError for incomplete card details."""
    month, _, year = str(form.expiry or "").replace(" ", "").partition("/")
    if not (month.isdecimal() and year.isdecimal()):
        raise StripeError("Your card's expiration date is incomplete.", param="expiry")
    number = "".join(str(form.number or "").split()).replace("-", "")
    card = CardParams(number=number, exp_month=int(month), exp_year=int(year), cvc=form.cvc or UNSET)
    where = Address(**{name: value or UNSET for name, value in address.items()}) if address else UNSET
    billing = Billing(name=form.name or UNSET, email=email or UNSET, address=where)
    return NewMethod(type="card", card=card, billing_details=billing)
