"""ConfirmationTokens: payment details collected in a browser, with which a server confirms an intent.

Tests create them without a browser.

https://docs.stripe.com/api/confirmation_tokens
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.objects import Fields, StripeObject, build_view, new, now, resource, retrieve
from ..core.params import OptName, OptText, Params, Shipping, collect_params, value_of
from ..tables.payment_method_tables import METHODS, PaymentMethod
from .payment_methods import NewMethod, columns_of, method_named, named_columns

api = Operations(prefix="/v1")

LIFE = 12 * 3600


class ConfirmationToken(StripeObject, table="confirmation_tokens", key=("id",), unique=(("seq",),)):
    expires_at: Column[int | None] = column(default=None)
    payment_intent: Column[str | None] = column(default=None)
    payment_method_options: Column[Json] = column(default=None)
    payment_method_preview: Column[Json]
    return_url: Column[str | None] = column(default=None)
    setup_future_usage: Column[str | None] = column(default=None)
    setup_intent: Column[str | None] = column(default=None)
    shipping: Column[Json] = column(default=None)
    payment_method: Column[str | None] = column(default=None)
    """The existing payment method that it was created from, or None."""
    columns: Column[Json] = column(default={}, derived=True)
    """Columns of the payment method to create."""


TOKENS = resource(
    ConfirmationToken,
    "confirmation_token",
    "ctoken_",
    build_view(
        ConfirmationToken,
        "confirmation_token",
        "payment_method",
        "columns",
        mandate_data=None,
        use_stripe_sdk=True,
    ),
    spoken="confirmation_token",
    param="confirmation_token",
)


class CreateToken(Params):
    """The parameters of a test token."""

    payment_method: OptName = UNSET
    payment_method_data: NewMethod | UnsetType = UNSET
    payment_method_options: dict[str, dict[str, Any]] | UnsetType = UNSET
    return_url: OptName = UNSET
    setup_future_usage: Literal["off_session", "on_session"] | UnsetType = UNSET
    shipping: Shipping | UnsetType = UNSET


@api.post("/test_helpers/confirmation_tokens")
def create_confirmation_token(call: Call, params: Annotated[CreateToken, Body]) -> Fields:
    """Create a token, as Stripe's Elements do in a browser."""
    known, columns = None, {}
    if isinstance(params.payment_method_data, NewMethod):
        columns = columns_of(call, params.payment_method_data)
        method = PaymentMethod(id="", seq=0, created=now(call), **columns)
    elif isinstance(params.payment_method, str) and params.payment_method:
        columns = named_columns(call, params.payment_method) or {}
        method = PaymentMethod(id="", seq=0, created=now(call), **columns) if columns else None
        known = None if columns else retrieve(call, METHODS, params.payment_method, param="payment_method", status=400)
        method = method or known
    else:
        message = "You must provide one of `payment_method` or `payment_method_data`."
        raise StripeError(message, code="parameter_missing", param="payment_method_data")
    assert method is not None  # it is an existing one, or built from columns
    made = new(
        call,
        TOKENS,
        **collect_params(params, "payment_method", "payment_method_data"),
        payment_method=known and known.id,
        columns=columns,
        payment_method_preview=_preview(METHODS.show(method)),
        expires_at=now(call) + LIFE,
    )
    return TOKENS.show(made)


_OF_METHODS = ("id", "object", "created", "livemode", "metadata", "shared_payment_granted_token")


def _preview(method: Fields) -> Fields:
    return {name: value for name, value in method.items() if name not in _OF_METHODS}


@api.get("/confirmation_tokens/{confirmation_token}")
def retrieve_confirmation_token(call: Call, confirmation_token: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a token."""
    return TOKENS.show(retrieve(call, TOKENS, confirmation_token))


class Spent(NamedTuple):
    """A token used for a confirmation: its payment method, and its other settings of the intent."""

    token: ConfirmationToken
    method: PaymentMethod
    fields: Fields

    def on(self, call: Call, **intent: str) -> None:
        """Record the intent confirmed with it: `payment_intent` or `setup_intent`."""
        call.db.change(self.token, **intent, expires_at=None)


def spend(call: Call, id: OptText) -> Spent | None:
    """Return the token that a parameter refers to, or None; raises StripeError for a used or expired one."""
    if not isinstance(id, str) or not id:
        return None
    token = retrieve(call, TOKENS, id, status=400)
    if token.payment_intent or token.setup_intent:
        message = f"The ConfirmationToken {id} has already been used to confirm an intent."
        raise StripeError(message, param="confirmation_token")
    if token.expires_at is not None and token.expires_at <= now(call):
        raise StripeError(f"The ConfirmationToken {id} has expired.", param="confirmation_token")
    method = method_named(call, token.payment_method) if token.payment_method else new(call, METHODS, **token.columns)
    fields = {name: getattr(token, name) for name in ("return_url", "setup_future_usage", "shipping")}
    return Spent(token, method, {name: value_of(value) for name, value in fields.items() if value is not None})
