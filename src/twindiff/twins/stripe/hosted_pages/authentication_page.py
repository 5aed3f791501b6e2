"""The 3D Secure page: a stand-in for the bank's page, with two buttons.

https://docs.stripe.com/payments/3d-secure/authentication-flow
"""

from __future__ import annotations

from html import escape
from typing import Annotated, Literal
from urllib.parse import urlencode

from twindiff.kit import Body, Call, Operations, Response, page_answer
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.currencies import format_amount
from ..core.objects import find
from ..core.params import Params
from ..payments.payment_lifecycle import complete as complete_payment
from ..payments.setup_intents import SETUPS, SetupIntent
from ..payments.setup_intents import complete as complete_setup
from ..sources.sources import complete as complete_source
from ..tables.payment_intent_tables import PAYMENTS, PaymentIntent
from ..tables.source_tables import SOURCES, PaymentSource

api = Operations(prefix="/twin/authenticate")

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>3D Secure 2 Test Page</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body {{ font: 16px system-ui; max-width: 26rem; margin: 4rem auto; padding: 0 1rem }}
button {{ font: inherit; padding: .5rem 1rem; margin-right: .5rem }}</style></head>
<body><h1>3D Secure 2 Test Page</h1><p>{what}</p>{form}</body></html>"""

_NOTHING = "There is nothing to authenticate any more."

_FORM = """<form method="post">
<button name="outcome" value="succeed" id="test-source-authorize-3ds">Complete</button>
<button name="outcome" value="fail" id="test-source-fail-3ds">Fail</button></form>"""


class AuthenticationPageParams(Params):
    """The client secret, which authorizes access to the page."""

    client_secret: str


class AuthenticationChoice(AuthenticationPageParams, kw_only=True):
    """The cardholder's choice."""

    outcome: Literal["succeed", "fail"]


@api.get("/{id}", open=True, scope="publishable")
def show_page(call: Call, id: str, params: Annotated[AuthenticationPageParams, Body]) -> Response:
    """Show the authentication page."""
    intent = _retrieve_intent(call, id, params.client_secret)
    if isinstance(intent, PaymentSource):
        waits = intent.status == "pending"
        return _page(f"Authorize a payment by {intent.type}." if waits else _NOTHING, _FORM if waits else "")
    if intent.status != "requires_action":
        return _page(_NOTHING, "")
    if isinstance(intent, PaymentIntent):
        return _page(f"Authenticate a payment of {format_amount(intent.amount, intent.currency)}.", _FORM)
    return _page("Authenticate your card for later payments.", _FORM)


@api.post("/{id}", open=True, scope="publishable")
def choose(call: Call, id: str, params: Annotated[AuthenticationChoice, Body]) -> Response:
    """Apply the cardholder's choice, and redirect to the shop if it gave a return URL."""
    intent = _retrieve_intent(call, id, params.client_secret)
    succeeds = params.outcome == "succeed"
    if isinstance(intent, PaymentSource):
        if intent.status == "pending":
            complete_source(call, intent, succeeds=succeeds)
        return _send_back(intent, "source", "client_secret")
    if isinstance(intent, PaymentIntent):
        complete_payment(call, intent, succeeds=succeeds)
        name = "payment_intent"
    else:
        complete_setup(call, intent, succeeds=succeeds)
        name = "setup_intent"
    return _send_back(intent, name, f"{name}_client_secret")


def _send_back(intent: PaymentIntent | SetupIntent | PaymentSource, name: str, secret: str) -> Response:
    """Redirect to the shop with an id and its client secret, if there is a return URL."""
    if not intent.return_url:
        return _page("Done. You can close this page.", "")
    query = urlencode({name: intent.id, secret: intent.client_secret})
    joint = "&" if "?" in intent.return_url else "?"
    return Response(b"", 303, "text/html", (("Location", f"{intent.return_url}{joint}{query}"),))


def _retrieve_intent(call: Call, id: str, secret: str) -> PaymentIntent | SetupIntent | PaymentSource:
    intent = find(call, PAYMENTS, id) or find(call, SETUPS, id) or find(call, SOURCES, id)
    if intent is None or intent.client_secret != secret:
        raise StripeError("There is no such page.", status=404)
    return intent


def _page(what: str, form: str) -> Response:
    return page_answer(_PAGE.format(what=escape(what), form=form))
