"""Tables of subscription schedules, and how they are rendered.

https://docs.stripe.com/api/subscription_schedules/object
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from twindiff.kit import Call, Column, Json, column

from ...catalog.prices import Price, plan_object
from ...core.objects import LOADS, PARTS, Fields, StripeObject, build_view, resource
from ...tax.tax_rates import fill_tax_rates


class SubscriptionSchedule(
    StripeObject,
    table="subscription_schedules",
    key=("id",),
    unique=(("seq",),),
    indexes=(("customer", "seq"), ("subscription",)),
):
    canceled_at: Column[int | None] = column(default=None)
    completed_at: Column[int | None] = column(default=None)
    current_phase: Column[Json] = column(default=None, derived=True)
    customer: Column[str]
    billing_mode: Column[str] = column(default="flexible")
    default_settings: Column[Json] = column(default={})
    end_behavior: Column[str] = column(default="release")
    metadata: Column[Json] = column(default={})
    phases: Column[Json]
    released_at: Column[int | None] = column(default=None)
    released_subscription: Column[str | None] = column(default=None)
    status: Column[str]
    subscription: Column[str | None] = column(default=None)
    test_clock: Column[str | None] = column(default=None)


def _mode(row: SubscriptionSchedule) -> Fields:
    flexible = {"proration_discounts": "included"} if row.billing_mode == "flexible" else None
    return {"type": row.billing_mode, "flexible": flexible}


def _settings(row: SubscriptionSchedule) -> Fields:
    issuer = {"account_tax_ids": None, "days_until_due": None, "issuer": {"type": "self"}}
    return {
        "application_fee_percent": None,
        "automatic_tax": {"disabled_reason": None, "enabled": False, "liability": None},
        "billing_cycle_anchor": "automatic",
        "billing_thresholds": None,
        "collection_method": "charge_automatically",
        "default_payment_method": None,
        "description": None,
        "invoice_settings": {**issuer, "custom_fields": None, "description": None, "footer": None},
        "on_behalf_of": None,
        "transfer_data": None,
        **row.default_settings,
    }


schedule_object = build_view(
    SubscriptionSchedule,
    "subscription_schedule",
    application=None,
    billing_mode=_mode,
    customer_account=None,
    default_settings=_settings,
)


def _fill(call: Call, objects: list[Fields]) -> None:
    """Replace the ids of tax rates by the tax rates."""
    for each in objects:
        phases: list[Fields] = each["phases"]
        each["phases"] = [
            {
                **phase,
                "add_invoice_items": [{**item} for item in phase["add_invoice_items"]],
                "items": [_shown_item(item) for item in phase["items"]],
            }
            for phase in phases
        ]
    shown_phases: list[Fields] = [phase for each in objects for phase in each["phases"]]
    parts: list[Fields] = [part for phase in shown_phases for part in (*phase["items"], *phase["add_invoice_items"])]
    fill_tax_rates(call, [*shown_phases, *parts])


def _shown_item(item: Fields) -> Fields:
    known = {name: value for name, value in item.items() if (name, value) != ("quantity", None)}
    return {**known, "plan": item["price"]}


def _plans(call: Call, ids: Sequence[str]) -> Mapping[str, Fields]:
    """Return rendered plans by the id of their price."""
    return {row.id: plan_object(row) for row in call.db.rows(Price, Price.id.in_(ids))}


SCHEDULES = resource(
    SubscriptionSchedule,
    "subscription_schedule",
    "sub_sched_",
    schedule_object,
    spoken="subscription schedule",
    param="schedule",
    expandable=("customer", "subscription", "test_clock", "released_subscription", "items.price"),
    fill=_fill,
)
LOADS[f"{PARTS}.plan"] = _plans
