"""SetupAttempts: each attempt to confirm a SetupIntent.

https://docs.stripe.com/api/setup_attempts
"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, column

from ..core.objects import RESOURCES, Fields, StripeObject, build_view, find, new, resource, retrieve
from ..core.pagination import list_of, to_range_conditions
from ..core.params import ListParams, OptRange
from ..tables.payment_method_tables import DEBITS, PaymentMethod

api = Operations(prefix="/v1/setup_attempts")


class SetupAttempt(
    StripeObject,
    table="setup_attempts",
    key=("id",),
    unique=(("seq",),),
    indexes=(("setup_intent", "seq"),),
    visibility="derived",
):
    customer: Column[str | None] = column(default=None)
    on_behalf_of: Column[str | None] = column(default=None)
    payment_method: Column[str]
    payment_method_details: Column[Json]
    setup_error: Column[Json] = column(default=None)
    setup_intent: Column[str]
    status: Column[str]
    usage: Column[str]


_NOT_USED = ("application", "attach_to_self", "customer_account", "flow_directions")
ATTEMPTS = resource(
    SetupAttempt,
    "setup_attempt",
    "setatt_",
    build_view(SetupAttempt, "setup_attempt", **dict.fromkeys(_NOT_USED)),
    expandable=("customer", "on_behalf_of", "payment_method", "setup_intent"),
)


class ListAttempts(ListParams, kw_only=True):
    """The parameters of a list of attempts."""

    setup_intent: str
    created: OptRange = UNSET


@api.get("")
def list_setup_attempts(call: Call, params: Annotated[ListAttempts, Body]) -> Fields:
    """List the attempts of a SetupIntent."""
    retrieve(call, RESOURCES["seti_"], params.setup_intent, param="setup_intent", status=400)
    where = to_range_conditions(SetupAttempt.created, params.created)
    mine = SetupAttempt.setup_intent == params.setup_intent
    return list_of(call, ATTEMPTS, params, "/v1/setup_attempts", mine, *where)


def record_attempt(call: Call, intent: Any, method: PaymentMethod, status: str, error: Fields | None = None) -> str:
    """Record the result of an attempt, or of the one that awaits the customer's action; returns its id."""
    last = find(call, ATTEMPTS, intent.latest_attempt or "")
    if last and last.status == "requires_action":
        return call.db.change(last, status=status, setup_error=error).id
    made = new(
        call,
        ATTEMPTS,
        customer=intent.customer,
        on_behalf_of=intent.on_behalf_of,
        payment_method=method.id,
        payment_method_details={"type": method.type, method.type: _details(method)},
        setup_error=error,
        setup_intent=intent.id,
        status=status,
        usage=intent.usage,
    )
    return made.id


_OF_CARDS = ("brand", "checks", "country", "exp_month", "exp_year", "fingerprint", "funding", "last4", "wallet")


def _details(method: PaymentMethod) -> Fields:
    if method.type in DEBITS:
        return {}
    if method.type != "card":
        return method.details
    shared = {name: method.details[name] for name in _OF_CARDS}
    return {**shared, "network": method.details["brand"], "three_d_secure": None}
