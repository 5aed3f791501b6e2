"""Charges: each attempt to pay.

https://docs.stripe.com/api/charges
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.events import update
from ..core.objects import Fields, refer, retrieve, show
from ..core.pagination import equal, list_of, to_range_conditions, to_reference_conditions
from ..core.params import (
    ListParams,
    NestedParams,
    OptMetadata,
    OptName,
    OptRange,
    OptText,
    Params,
    Parcel,
    SearchParams,
    Unset,
    collect_params,
    merge_metadata,
)
from ..core.search import search_of
from ..tables.charge_tables import CHARGES, Charge
from ..tables.customer_tables import CUSTOMERS
from ..tables.payment_intent_tables import PAYMENTS

api = Operations(prefix="/v1/charges")


class FraudDetails(NestedParams):
    """The account's assessment of fraud."""

    user_report: Literal["", "fraudulent", "safe"] | UnsetType = UNSET


class UpdateCharge(Params):
    """The parameters of an update."""

    longest: ClassVar = {"description": 40000}

    customer: OptName = UNSET
    description: OptText = UNSET
    fraud_details: FraudDetails | UnsetType = UNSET
    metadata: OptMetadata = UNSET
    receipt_email: OptText = UNSET
    shipping: Parcel | Unset | UnsetType = UNSET
    transfer_group: OptText = UNSET


class ListCharges(ListParams):
    """The parameters of a list of charges."""

    created: OptRange = UNSET
    customer: OptName = UNSET
    payment_intent: OptName = UNSET
    transfer_group: OptText = UNSET


@api.get("")
def list_charges(call: Call, params: Annotated[ListCharges, Body]) -> Fields:
    """List charges, including failed ones."""
    where = to_range_conditions(Charge.created, params.created) + equal((Charge.transfer_group, params.transfer_group))
    where += to_reference_conditions(
        call,
        (Charge.customer, params.customer, CUSTOMERS),
        (Charge.payment_intent, params.payment_intent, PAYMENTS),
    )
    return list_of(call, CHARGES, params, "/v1/charges", *where)


SEARCHABLE = {
    "amount": Charge.amount,
    "billing_details.address.postal_code": Charge.billing_details.json("address", "postal_code"),
    "created": Charge.created,
    "currency": Charge.currency,
    "customer": Charge.customer,
    "disputed": Charge.disputed,
    "metadata": Charge.metadata,
    "payment_method_details.card.brand": Charge.payment_method_details.json("card", "brand"),
    "payment_method_details.card.exp_month": Charge.payment_method_details.json("card", "exp_month"),
    "payment_method_details.card.exp_year": Charge.payment_method_details.json("card", "exp_year"),
    "payment_method_details.card.fingerprint": Charge.payment_method_details.json("card", "fingerprint"),
    "payment_method_details.card.last4": Charge.payment_method_details.json("card", "last4"),
    "refunded": Charge.refunded,
    "status": Charge.status,
}


@api.get("/search")
def search_charges(call: Call, params: Annotated[SearchParams, Body]) -> Fields:
    """Search charges."""
    return search_of(call, CHARGES, params, "/v1/charges/search", SEARCHABLE)


@api.get("/{id}")
def retrieve_charge(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a charge."""
    return show(call, CHARGES, retrieve(call, CHARGES, id))


@api.post("/{id}")
def update_charge(call: Call, id: str, params: Annotated[UpdateCharge, Body]) -> Fields:
    """Update the given fields of a charge."""
    charge = retrieve(call, CHARGES, id)
    if params.transfer_group is not UNSET and charge.payment_intent:
        raise StripeError(
            f"This Charge was created by a PaymentIntent ({charge.payment_intent}). You must update the "
            "`transfer_group` on the PaymentIntent instead of updating the Charge directly. See "
            "https://stripe.com/docs/api#update_payment_intent"
        )
    if isinstance(params.customer, str):
        refer(call, CUSTOMERS, params.customer, "customer")
    metadata = merge_metadata(charge.metadata, params.metadata)
    return show(call, CHARGES, update(call, CHARGES, charge, **collect_params(params), metadata=metadata))
