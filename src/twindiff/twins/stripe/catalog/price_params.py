"""What says how much something costs, as several operations take it."""

from __future__ import annotations

from typing import Literal

from twindiff.kit import UNSET, UnsetType

from ..core.params import NestedParams, OptBool, OptInteger, OptMetadata, OptText

Interval = Literal["day", "month", "week", "year"]
TaxBehavior = Literal["exclusive", "inclusive", "unspecified"]


class Recurring(NestedParams):
    """How often a price is charged."""

    interval: Interval
    interval_count: OptInteger = UNSET
    meter: OptText = UNSET
    trial_period_days: OptInteger = UNSET
    usage_type: Literal["licensed", "metered"] | UnsetType = UNSET


class CustomUnitAmount(NestedParams):
    """What a customer may choose to pay."""

    enabled: bool
    maximum: OptInteger = UNSET
    minimum: OptInteger = UNSET
    preset: OptInteger = UNSET


class Tier(NestedParams):
    """What a unit costs up to a quantity."""

    up_to: str
    flat_amount: OptInteger = UNSET
    flat_amount_decimal: OptText = UNSET
    unit_amount: OptInteger = UNSET
    unit_amount_decimal: OptText = UNSET


class CurrencyOption(NestedParams):
    """What a price is in another currency."""

    custom_unit_amount: CustomUnitAmount | UnsetType = UNSET
    tax_behavior: TaxBehavior | UnsetType = UNSET
    tiers: list[Tier] | UnsetType = UNSET
    unit_amount: OptInteger = UNSET
    unit_amount_decimal: OptText = UNSET


class Amounts(NestedParams):
    """What a unit costs."""

    currency: str
    tax_behavior: TaxBehavior | UnsetType = UNSET
    unit_amount: OptInteger = UNSET
    unit_amount_decimal: OptText = UNSET


class NewPrice(Amounts):
    """A price that is described in another object's parameters, for the product that is made with it."""

    recurring: Recurring | UnsetType = UNSET
    currency_options: dict[str, CurrencyOption] | UnsetType = UNSET
    custom_unit_amount: CustomUnitAmount | UnsetType = UNSET
    metadata: OptMetadata = UNSET


class ProductData(NestedParams):
    """A product that is made with its price."""

    name: str
    active: OptBool = UNSET
    description: OptText = UNSET
    id: OptText = UNSET
    images: list[str] | UnsetType = UNSET
    metadata: OptMetadata = UNSET
    statement_descriptor: OptText = UNSET
    tax_code: OptText = UNSET
    unit_label: OptText = UNSET


class PriceData(Amounts):
    """A price that is made with what is sold for it."""

    product: OptText = UNSET
    product_data: ProductData | UnsetType = UNSET
    recurring: Recurring | UnsetType = UNSET
