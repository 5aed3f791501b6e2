"""The table of single-use tokens, and how they are rendered and consumed.

https://docs.stripe.com/api/tokens/object
"""

from __future__ import annotations

from twindiff.kit import Call, Column, Json, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.objects import LEFT_OUT, Fields, StripeObject, build_view, resource, retrieve


class Token(StripeObject, table="tokens", key=("id",), unique=(("seq",),)):
    card: Column[Json] = column(default=None)
    bank_account: Column[Json] = column(default=None)
    client_ip: Column[str | None] = column(default=None)
    method: Column[Json] = column(default=None, derived=True)
    """The columns of the payment method that a card token creates."""
    type: Column[str]
    used: Column[bool] = column(default=False)


_shared = build_view(Token, "token", "card", "bank_account", "method", client_ip=LEFT_OUT)


def token_object(row: Token) -> Fields:
    """Render a token, with the object that it represents."""
    stands_for = {"card": row.card, "bank_account": row.bank_account}.get(row.type)
    return {**_shared(row), "client_ip": row.client_ip, **({row.type: stands_for} if stands_for else {})}


TOKEN = resource(Token, "token", "tok_", token_object, param="token")


def consume_card_token(call: Call, id: str) -> Fields:
    """Return the payment method columns of a card token, and mark the token as used."""
    row = retrieve(call, TOKEN, id, param="card[token]", status=400)
    if row.type != "card":
        message = f"The token {id} does not stand for a card."
        raise StripeError(message, code="resource_missing", param="card[token]")
    if row.used:
        message = f"You cannot use a Stripe token more than once: {id}."
        raise StripeError(message, code="token_already_used", param="card[token]")
    call.db.change(row, used=True)
    return row.method
