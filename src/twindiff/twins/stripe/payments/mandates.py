"""Mandates: a customer's permission to debit a payment method.

https://docs.stripe.com/api/mandates
"""

from __future__ import annotations

from typing import Annotated, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column

from ..core.objects import LEFT_OUT, Fields, StripeObject, build_view, new, now, resource, retrieve
from ..core.params import NestedParams, OptInteger, OptText, Params, Unset, value_of
from ..tables.payment_method_tables import PaymentMethod

api = Operations(prefix="/v1/mandates")


class Mandate(
    StripeObject,
    table="mandates",
    key=("id",),
    unique=(("seq",),),
    indexes=(("payment_method", "seq"),),
):
    customer_acceptance: Column[Json]
    payment_method: Column[str]
    payment_method_details: Column[Json]
    single_use: Column[Json | None] = column(default=None)
    status: Column[str] = column(default="active")
    type: Column[str] = column(default="multi_use")


def _many(row: Mandate) -> Fields | None:
    return {} if row.type == "multi_use" else None


mandate_object = build_view(Mandate, "mandate", created=LEFT_OUT, multi_use=_many)
MANDATES = resource(
    Mandate, "mandate", "mandate_", mandate_object, param="mandate", expandable=("payment_method", "mandate")
)


class Online(NestedParams):
    """IP address and user agent of an online acceptance."""

    ip_address: OptText = UNSET
    user_agent: OptText = UNSET


class Acceptance(NestedParams, kw_only=True):
    """How the customer accepted."""

    type: Literal["offline", "online"] | UnsetType = UNSET
    accepted_at: OptInteger = UNSET
    offline: dict[str, str] | UnsetType = UNSET
    online: Online | UnsetType = UNSET


class MandateData(NestedParams):
    """The parameters of a mandate."""

    customer_acceptance: Acceptance


OptMandateData = MandateData | Unset | UnsetType


@api.get("/{mandate}")
def retrieve_mandate(call: Call, mandate: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a mandate."""
    return mandate_object(retrieve(call, MANDATES, mandate))


def accept(call: Call, method: PaymentMethod, data: OptMandateData, once: Fields | None = None) -> Mandate:
    """Create a mandate for debits of a payment method; `once` has `amount` and `currency` of a single-use one."""
    said = data.customer_acceptance if isinstance(data, MandateData) else Acceptance(type="offline")
    acceptance: Fields = value_of(said)
    kind = acceptance.setdefault("type", "offline")
    online: Fields = {"ip_address": None, "user_agent": None, **(acceptance.pop("online", None) or {})}
    acceptance = {"accepted_at": now(call), "offline": None, "online": None, **acceptance}
    acceptance[kind] = online if kind == "online" else {}
    return new(
        call,
        MANDATES,
        customer_acceptance=acceptance,
        payment_method=method.id,
        payment_method_details={"type": method.type, method.type: _details(call, method)},
        single_use=once,
        type="single_use" if once else "multi_use",
    )


def _details(call: Call, method: PaymentMethod) -> Fields:
    """Return the `payment_method_details` of a mandate for its type."""
    if method.type == "acss_debit":
        return {"interval_description": None, "payment_schedule": "sporadic", "transaction_type": "personal"}
    url = f"https://payments.stripe.com/mandate/{method.id}"
    if method.type == "sepa_debit":
        return {"reference": method.details["fingerprint"].upper(), "url": url}
    if method.type == "bacs_debit":
        return {"network_status": "accepted", "reference": method.details["fingerprint"].upper(), "url": url}
    return {"url": url} if method.type == "au_becs_debit" else {}


def mandate_of(call: Call, method: PaymentMethod) -> str | None:
    """Return the id of the latest mandate of a payment method, or None."""
    rows = call.db.rows(Mandate, Mandate.payment_method == method.id, order=-Mandate.seq, limit=1)
    return rows[0].id if rows else None
