"""Plans: recurring prices under their former name and with their former parameters.

https://docs.stripe.com/api/plans
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.events import record, update
from ..core.objects import Fields, find, new_id, refer
from ..core.pagination import equal, list_of, to_range_conditions, to_reference_conditions
from ..core.params import (
    ListParams,
    NestedParams,
    OptBool,
    OptInteger,
    OptMetadata,
    OptName,
    OptRange,
    OptText,
    Params,
    collect_params,
    merge_metadata,
)
from .price_params import Interval, ProductData, Recurring, Tier
from .prices import PRICES, CreatePrice, Price, TransformQuantity, make, plan_object
from .product_tables import PRODUCTS

api = Operations(prefix="/v1/plans")
PLANS = PRICES._replace(name="plan", show=plan_object, spoken="plan", param="plan")
"""Prices rendered as plans."""


class PlanProduct(NestedParams):
    """A product created with its plan."""

    name: str
    active: OptBool = UNSET
    id: OptText = UNSET
    metadata: OptMetadata = UNSET
    statement_descriptor: OptText = UNSET
    tax_code: OptText = UNSET
    unit_label: OptText = UNSET


class CreatePlan(Params, kw_only=True):
    """The parameters of a new plan."""

    active: OptBool = UNSET
    amount: OptInteger = UNSET
    amount_decimal: OptText = UNSET
    billing_scheme: Literal["per_unit", "tiered"] | UnsetType = UNSET
    currency: str
    id: OptText = UNSET
    interval: Interval
    interval_count: OptInteger = UNSET
    metadata: OptMetadata = UNSET
    meter: OptText = UNSET
    nickname: OptText = UNSET
    product: str | PlanProduct | UnsetType = UNSET
    tiers: list[Tier] | UnsetType = UNSET
    tiers_mode: Literal["graduated", "volume"] | UnsetType = UNSET
    transform_usage: TransformQuantity | UnsetType = UNSET
    trial_period_days: OptInteger = UNSET
    usage_type: Literal["licensed", "metered"] | UnsetType = UNSET


class UpdatePlan(Params, kw_only=True):
    """The parameters of an update."""

    active: OptBool = UNSET
    metadata: OptMetadata = UNSET
    nickname: OptText = UNSET
    product: OptName = UNSET
    trial_period_days: OptInteger = UNSET


class ListPlans(ListParams, kw_only=True):
    """The parameters of a list of plans."""

    active: OptBool = UNSET
    created: OptRange = UNSET
    product: OptName = UNSET


@api.post("")
def create_plan(call: Call, params: Annotated[CreatePlan, Body]) -> Fields:
    """Create a plan, which is a recurring price as well."""
    if isinstance(params.id, str) and params.id and find(call, PRICES, params.id):
        raise StripeError("Plan already exists.", code="resource_already_exists")
    made = make(call, _as_price(params), id=params.id or new_id(call, "plan_"))
    record(call, "plan.created", plan_object(made))
    return plan_object(made)


@api.get("/{plan}")
def retrieve_plan(call: Call, plan: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a plan."""
    return plan_object(_plan(call, plan))


@api.post("/{plan}")
def update_plan(call: Call, plan: str, params: Annotated[UpdatePlan, Body]) -> Fields:
    """Update the mutable fields of a plan; its amount is fixed."""
    row = _plan(call, plan)
    fields = collect_params(params, "product", "trial_period_days")
    if isinstance(params.product, str) and params.product:
        fields["product"] = refer(call, PRODUCTS, params.product, "product").id
    if params.trial_period_days is not UNSET:
        fields["recurring"] = {**row.recurring, "trial_period_days": params.trial_period_days}
    metadata = merge_metadata(row.metadata, params.metadata)
    return plan_object(update(call, PRICES, row, **fields, metadata=metadata))


@api.delete("/{plan}")
def delete_plan(call: Call, plan: str, params: Annotated[Params, Body]) -> Fields:
    """Delete a plan; existing subscriptions continue."""
    row = call.db.change(_plan(call, plan), active=False, deleted=True, lookup_key=None)
    record(call, "plan.deleted", plan_object(row))
    return {"id": plan, "object": "plan", "deleted": True}


@api.get("")
def list_plans(call: Call, params: Annotated[ListPlans, Body]) -> Fields:
    """List plans, which are all recurring prices."""
    where = [*to_range_conditions(Price.created, params.created), Price.type == "recurring", ~Price.deleted]
    where += equal((Price.active, params.active))
    where += to_reference_conditions(call, (Price.product, params.product, PRODUCTS))
    return list_of(call, PLANS, params, "/v1/plans", *where)


def _plan(call: Call, id: str) -> Price:
    """Return the recurring price with this id; raises StripeError otherwise."""
    row = find(call, PRICES, id)
    if row is None or row.deleted or row.type != "recurring":
        raise PLANS.missing(id)
    return row


def _as_price(params: CreatePlan) -> CreatePrice:
    """Convert the parameters of a plan to those of a price."""
    recurring = Recurring(
        interval=params.interval,
        interval_count=params.interval_count,
        meter=params.meter,
        trial_period_days=params.trial_period_days,
        usage_type=params.usage_type,
    )
    names = ("active", "billing_scheme", "currency", "metadata", "nickname", "tiers", "tiers_mode")
    same: Fields = {name: getattr(params, name) for name in names}
    return CreatePrice(
        **same,
        **_product(params.product),
        recurring=recurring,
        transform_quantity=params.transform_usage,
        unit_amount=params.amount,
        unit_amount_decimal=params.amount_decimal,
    )


def _product(wanted: str | PlanProduct | UnsetType) -> dict[str, Any]:
    if not isinstance(wanted, PlanProduct):
        return {"product": wanted}
    return {"product_data": ProductData(**{name: getattr(wanted, name) for name in PlanProduct.__struct_fields__})}
