"""Price parameters shared by several operations."""

from __future__ import annotations

from typing import Literal

from twindiff.kit import UNSET, UnsetType

from ..core.params import NestedParams, OptBool, OptInteger, OptMetadata, OptName, OptText

Interval = Literal["day", "month", "week", "year"]
TaxBehavior = Literal["exclusive", "inclusive", "unspecified"]


class BillingInterval(NestedParams):
    """The billing interval of a price."""

    interval: Interval
    interval_count: OptInteger = UNSET


class Recurring(BillingInterval):
    """The billing interval of a price, and how usage is counted."""

    meter: OptText = UNSET
    trial_period_days: OptInteger = UNSET
    usage_type: Literal["licensed", "metered"] | UnsetType = UNSET


class CustomUnitAmount(NestedParams):
    """The range of amounts that a customer may choose."""

    enabled: bool
    maximum: OptInteger = UNSET
    minimum: OptInteger = UNSET
    preset: OptInteger = UNSET


class Tier(NestedParams):
    """The amounts of a tier, up to a quantity."""

    up_to: str
    flat_amount: OptInteger = UNSET
    flat_amount_decimal: OptText = UNSET
    unit_amount: OptInteger = UNSET
    unit_amount_decimal: OptText = UNSET


class CurrencyOption(NestedParams):
    """The amounts of a price in another currency."""

    custom_unit_amount: CustomUnitAmount | UnsetType = UNSET
    tax_behavior: TaxBehavior | UnsetType = UNSET
    tiers: list[Tier] | UnsetType = UNSET
    unit_amount: OptInteger = UNSET
    unit_amount_decimal: OptText = UNSET


class Amounts(NestedParams):
    """The amount of a unit."""

    currency: str
    tax_behavior: TaxBehavior | UnsetType = UNSET
    unit_amount: OptInteger = UNSET
    unit_amount_decimal: OptText = UNSET


class NewPrice(Amounts):
    """An inline price for the product that is created with it."""

    recurring: Recurring | UnsetType = UNSET
    currency_options: dict[str, CurrencyOption] | UnsetType = UNSET
    custom_unit_amount: CustomUnitAmount | UnsetType = UNSET
    metadata: OptMetadata = UNSET


class NewProduct(NestedParams):
    """A product that another object's parameters describe."""

    name: str
    metadata: OptMetadata = UNSET
    tax_code: OptText = UNSET
    unit_label: OptText = UNSET


class ProductData(NewProduct):
    """A product created with its price."""

    active: OptBool = UNSET
    id: OptText = UNSET
    statement_descriptor: OptText = UNSET


class InlineProduct(NewProduct):
    """A product created with its inline price."""

    description: OptText = UNSET
    images: list[str] | UnsetType = UNSET


class PriceData(Amounts, kw_only=True):
    """An inline price, described in another object's parameters.

    It is of an existing product and paid once; the subclasses add products that are described too, and intervals.
    """

    product: OptName


class RecurringPriceData(PriceData, kw_only=True):
    """An inline price of a subscription."""

    recurring: BillingInterval


class LinePriceData(PriceData, kw_only=True):
    """An inline price of an invoice's line, and perhaps its product."""

    product: OptName = UNSET
    product_data: InlineProduct | UnsetType = UNSET


class SoldPriceData(LinePriceData, kw_only=True):
    """An inline price that a page sells, and perhaps its product."""

    recurring: BillingInterval | UnsetType = UNSET
