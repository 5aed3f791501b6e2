"""Early fraud warnings: reports of card issuers about payments that may be fraudulent.

https://docs.stripe.com/api/radar/early_fraud_warnings
"""

from __future__ import annotations

from typing import Annotated

from twindiff.kit import UNSET, Body, Call, Column, Operations, column

from ..core.events import record_row
from ..core.objects import Fields, StripeObject, build_view, new, resource, retrieve, show
from ..core.pagination import list_of, to_range_conditions, to_reference_conditions
from ..core.params import ListParams, OptName, OptRange, Params
from ..tables.charge_tables import CHARGES, Charge
from ..tables.payment_intent_tables import PAYMENTS

api = Operations(prefix="/v1/radar/early_fraud_warnings")


class FraudWarning(
    StripeObject,
    table="early_fraud_warnings",
    key=("id",),
    unique=(("seq",),),
    indexes=(("charge",), ("payment_intent",)),
):
    charge: Column[str]
    fraud_type: Column[str] = column(default="made_with_stolen_card")
    payment_intent: Column[str | None] = column(default=None)


def _fill(call: Call, objects: list[Fields]) -> None:
    """Set `actionable`: false once the payment is refunded or disputed."""
    charges = call.db.rows(Charge, Charge.id.in_([each["charge"] for each in objects]))
    done = {charge.id for charge in charges if charge.disputed or charge.refunded}
    for each in objects:
        each["actionable"] = each["charge"] not in done


WARNINGS = resource(
    FraudWarning,
    "radar.early_fraud_warning",
    "issfr_",
    build_view(FraudWarning, "radar.early_fraud_warning", actionable=None),
    spoken="early fraud warning",
    param="early_fraud_warning",
    expandable=("charge", "payment_intent"),
    fill=_fill,
)


class ListWarnings(ListParams):
    """The parameters of a list of warnings."""

    charge: OptName = UNSET
    created: OptRange = UNSET
    payment_intent: OptName = UNSET


def create_warning(call: Call, charge: Charge) -> None:
    """Create a warning about a charge."""
    made = new(call, WARNINGS, charge=charge.id, payment_intent=charge.payment_intent)
    record_row(call, "radar.early_fraud_warning.created", WARNINGS, made)


@api.get("/{early_fraud_warning}")
def retrieve_warning(call: Call, early_fraud_warning: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a warning."""
    return show(call, WARNINGS, retrieve(call, WARNINGS, early_fraud_warning))


@api.get("")
def list_warnings(call: Call, params: Annotated[ListWarnings, Body]) -> Fields:
    """List warnings, of all charges or of one."""
    where = to_range_conditions(FraudWarning.created, params.created)
    where += to_reference_conditions(
        call,
        (FraudWarning.charge, params.charge, CHARGES),
        (FraudWarning.payment_intent, params.payment_intent, PAYMENTS),
    )
    return list_of(call, WARNINGS, params, "/v1/radar/early_fraud_warnings", *where)
