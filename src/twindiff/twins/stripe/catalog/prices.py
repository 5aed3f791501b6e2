"""Prices: one-time and recurring prices of products.

https://docs.stripe.com/api/prices
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Meta, Operations, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.currencies import MAX_AMOUNT, parse_currency
from ..core.events import record, update
from ..core.objects import (
    EXPANDABLE,
    INCLUDES,
    RESOURCES,
    Fields,
    StripeObject,
    build_view,
    find,
    new,
    refer,
    resource,
    retrieve,
)
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
    SearchParams,
    Unset,
    check_count,
    collect_params,
    integer_or_word,
    is_set,
    merge_metadata,
    or_none,
    value_of,
)
from ..core.periods import check_trial_days
from ..core.search import search_of
from ..metering.meters import METERS
from .price_params import (
    Amounts,
    BillingInterval,
    CurrencyOption,
    CustomUnitAmount,
    Interval,
    NewPrice,
    NewProduct,
    PriceData,
    ProductData,
    Recurring,
    TaxBehavior,
    Tier,
)
from .product_tables import PRODUCTS, make_product

api = Operations(prefix="/v1/prices")

MAX_LOOKUP_KEYS = 10
"""Lookup keys in one list request."""
MAX_INTERVAL_COUNTS = {"day": 1095, "week": 156, "month": 36, "year": 3}


class Price(
    StripeObject,
    table="prices",
    key=("id",),
    unique=(("seq",), ("lookup_key",)),
    indexes=(("product", "seq"),),
    entries=("metadata",),
):
    active: Column[bool] = column(default=True)
    billing_scheme: Column[str] = column(default="per_unit")
    currency: Column[str]
    custom_unit_amount: Column[Json] = column(default=None)
    lookup_key: Column[str | None] = column(default=None)
    metadata: Column[Json] = column(default={})
    nickname: Column[str | None] = column(default=None)
    product: Column[str]
    recurring: Column[Json] = column(default=None)
    tax_behavior: Column[str] = column(default="unspecified")
    tiers_mode: Column[str | None] = column(default=None)
    transform_quantity: Column[Json] = column(default=None)
    type: Column[str]
    unit_amount: Column[int | None] = column(default=None)
    unit_amount_decimal: Column[str | None] = column(default=None, derived=True)
    tiers: Column[Json] = column(default=None)
    currency_options: Column[Json] = column(default={})
    interval: Column[str | None] = column(default=None)
    usage_type: Column[str | None] = column(default=None)
    meter: Column[str | None] = column(default=None)
    deleted: Column[bool] = column(default=False)
    """Whether it was deleted as a plan; existing subscriptions still show it."""
    inline: Column[bool | None] = column(default=None, derived=True)
    """Whether it was created from another object's parameters; only that object can sell it."""


HIDDEN = ("tiers", "currency_options", "interval", "usage_type", "meter", "deleted", "inline")
price_object = build_view(Price, "price", *HIDDEN)


def plan_object(row: Price) -> Fields:
    """Render a recurring price as a plan, the form that subscription items still include."""
    recurring: Fields = row.recurring or {}
    return {
        "id": row.id,
        "object": "plan",
        "active": row.active,
        "amount": row.unit_amount,
        "amount_decimal": row.unit_amount_decimal,
        "billing_scheme": row.billing_scheme,
        "created": row.created,
        "currency": row.currency,
        "interval": recurring.get("interval"),
        "interval_count": recurring.get("interval_count"),
        "livemode": False,
        "metadata": row.metadata,
        "meter": recurring.get("meter"),
        "nickname": row.nickname,
        "product": row.product,
        "tiers_mode": row.tiers_mode,
        "transform_usage": row.transform_quantity,
        "trial_period_days": recurring.get("trial_period_days"),
        "usage_type": recurring.get("usage_type"),
    }


def _tiers(call: Call, fields: Fields) -> Any:
    return retrieve(call, PRICES, fields["id"]).tiers


def _currency_options(call: Call, fields: Fields) -> Any:
    price = retrieve(call, PRICES, fields["id"])
    own = {name: fields[name] for name in ("custom_unit_amount", "tax_behavior", "unit_amount", "unit_amount_decimal")}
    return {price.currency: own, **price.currency_options}


PRICES = resource(
    Price,
    "price",
    "price_",
    price_object,
    param="price",
    expandable=("product",),
    includes={"tiers": _tiers, "currency_options": _currency_options},
)
RESOURCES["plan_"] = PRICES
EXPANDABLE.add("plan.product")
INCLUDES["plan.tiers"] = _tiers


class TransformQuantity(NestedParams):
    """How quantities are divided before they are charged."""

    divide_by: Annotated[int, Meta(ge=1)]
    round: Literal["down", "up"]


class PriceParams(Params, kw_only=True):
    """Parameters shared by the create and update operations."""

    active: OptBool = UNSET
    currency_options: dict[str, CurrencyOption] | Unset | UnsetType = UNSET
    lookup_key: OptText = UNSET
    metadata: OptMetadata = UNSET
    nickname: OptText = UNSET
    tax_behavior: TaxBehavior | UnsetType = UNSET
    transfer_lookup_key: OptBool = UNSET


class CreatePrice(PriceParams):
    """The parameters of a new price."""

    currency: str
    billing_scheme: Literal["per_unit", "tiered"] | UnsetType = UNSET
    custom_unit_amount: CustomUnitAmount | UnsetType = UNSET
    product: OptName = UNSET
    product_data: ProductData | UnsetType = UNSET
    recurring: Recurring | UnsetType = UNSET
    tiers: list[Tier] | UnsetType = UNSET
    tiers_mode: Literal["graduated", "volume"] | UnsetType = UNSET
    transform_quantity: TransformQuantity | UnsetType = UNSET
    unit_amount: OptInteger = UNSET
    unit_amount_decimal: OptText = UNSET


class RecurringFilter(NestedParams):
    """Filter of recurring prices."""

    interval: Interval | UnsetType = UNSET
    meter: OptText = UNSET
    usage_type: Literal["licensed", "metered"] | UnsetType = UNSET


class ListPrices(ListParams):
    """The parameters of a list of prices."""

    active: OptBool = UNSET
    created: OptRange = UNSET
    currency: OptName = UNSET
    lookup_keys: list[str] | UnsetType = UNSET
    product: OptName = UNSET
    recurring: RecurringFilter | UnsetType = UNSET
    type: Literal["one_time", "recurring"] | UnsetType = UNSET


@api.post("")
def create_price(call: Call, params: Annotated[CreatePrice, Body]) -> Fields:
    """Create a price of a product that exists or is created with it."""
    return price_object(make(call, params))


def make(call: Call, params: CreatePrice, **more: Any) -> Price:
    """Create a price from parameters; `more` are further columns."""
    product = product_of(call, params.product, params.product_data)
    _check_scheme(params)
    fields = collect_params(
        params, "product", "product_data", "recurring", "transfer_lookup_key", "tiers", "currency_options"
    )
    fields |= {**amounts(params), **_recurring_fields(call, params.recurring)}
    fields["tiers"] = _tier_list(params.tiers)
    fields["custom_unit_amount"] = _custom(params.custom_unit_amount)
    fields["currency_options"] = _options(params.currency_options)
    if key := fields.get("lookup_key"):
        _take_lookup_key(call, key, transfer=params.transfer_lookup_key is True)
    return _make(call, product, params.metadata, {**fields, **more})


SEARCHABLE = {
    "active": Price.active,
    "currency": Price.currency,
    "lookup_key": Price.lookup_key,
    "metadata": Price.metadata,
    "product": Price.product,
    "type": Price.type,
}


@api.get("/search")
def search_prices(call: Call, params: Annotated[SearchParams, Body]) -> Fields:
    """Search prices."""
    return search_of(call, PRICES, params, "/v1/prices/search", SEARCHABLE, ~Price.deleted)


@api.get("/{price}")
def retrieve_price(call: Call, price: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a price."""
    return price_object(refer(call, PRICES, price, "price", status=404))


@api.post("/{price}")
def update_price(call: Call, price: str, params: Annotated[PriceParams, Body]) -> Fields:
    """Update the mutable fields of a price; its amount is fixed."""
    row = refer(call, PRICES, price, "price", status=404)
    fields = collect_params(params, "transfer_lookup_key", "currency_options")
    if row.tax_behavior != "unspecified" and fields.get("tax_behavior", row.tax_behavior) != row.tax_behavior:
        message = f"The `tax_behavior` of a price cannot be changed once it is `{row.tax_behavior}`."
        raise StripeError(message, param="tax_behavior")
    if params.active is False and row.active:
        _check_not_default(call, row)
    key = fields.get("lookup_key")
    if key and key != row.lookup_key:
        _take_lookup_key(call, key, transfer=params.transfer_lookup_key is True)
    if params.currency_options is not UNSET:
        fields["currency_options"] = _options(params.currency_options)
    metadata = merge_metadata(row.metadata, params.metadata)
    return price_object(update(call, PRICES, row, **fields, metadata=metadata))


def _check_not_default(call: Call, price: Price) -> None:
    """Raise StripeError for a price that its product has by default; another default comes first."""
    product = find(call, PRODUCTS, price.product)
    if product is not None and product.default_price == price.id:
        raise StripeError("This price cannot be archived because it is the default price of its product.")


@api.get("")
def list_prices(call: Call, params: Annotated[ListPrices, Body]) -> Fields:
    """List prices."""
    where = [~Price.deleted, *to_range_conditions(Price.created, params.created)]
    where += equal((Price.active, params.active), (Price.currency, params.currency), (Price.type, params.type))
    where += to_reference_conditions(call, (Price.product, params.product, PRODUCTS))
    check_count(params.lookup_keys, "lookup_keys", MAX_LOOKUP_KEYS)
    if params.currency:
        parse_currency(params.currency)
    if isinstance(params.lookup_keys, list):
        where.append(Price.lookup_key.in_(params.lookup_keys))
    if isinstance(params.recurring, RecurringFilter):
        recurring = params.recurring
        where += equal((Price.interval, recurring.interval), (Price.meter, recurring.meter))
        where += equal((Price.usage_type, recurring.usage_type))
    return list_of(call, PRICES, params, "/v1/prices", *where)


def make_price(call: Call, data: NewPrice | PriceData, product: str, at: str, **more: Any) -> Price:
    """Create the price that another object's parameters describe; `at` is the parameter's name for errors."""
    _check_named(data)
    fields = {
        **amounts(data, at),
        **_recurring_fields(call, getattr(data, "recurring", UNSET)),
        "tax_behavior": or_none(data.tax_behavior),
    }
    fields["tax_behavior"] = fields["tax_behavior"] or "unspecified"
    fields["currency"] = data.currency
    metadata: OptMetadata = UNSET
    if isinstance(data, NewPrice):
        fields["custom_unit_amount"] = _custom(data.custom_unit_amount)
        fields["currency_options"] = _options(data.currency_options)
        metadata = data.metadata
    return _make(call, product, metadata, {**fields, **more})


def product_of(call: Call, id: OptText, data: NewProduct | UnsetType, at: str = "") -> str:
    """Return the id of the named product, or create the described one."""
    if is_set(id) and is_set(data):
        raise StripeError("You may only specify one of these parameters: product, product_data.", param="product")
    if isinstance(data, NewProduct):
        return make_product(call, **collect_params(data), metadata=merge_metadata({}, data.metadata)).id
    if not isinstance(id, str) or not id:
        raise StripeError("You must specify either `product` or `product_data` when creating a price.")
    return refer(call, PRODUCTS, id, f"{at}[product]" if at else "product").id


def _make(call: Call, product: str, metadata: OptMetadata, fields: Fields) -> Price:
    fields["currency"] = parse_currency(fields["currency"])
    made = new(call, PRICES, **fields, product=product, metadata=merge_metadata({}, metadata))
    record(call, "price.created", price_object(made))
    return made


def amounts(params: Amounts | CreatePrice | CurrencyOption, at: str = "") -> Fields:
    """Return `unit_amount` and `unit_amount_decimal` from whichever of them was given."""
    if is_set(params.unit_amount) and is_set(params.unit_amount_decimal):
        message = "You may only specify one of these parameters: unit_amount, unit_amount_decimal."
        raise StripeError(message, param=_inside(at, "unit_amount"))
    if isinstance(params.unit_amount, int):
        _check_amount(Decimal(params.unit_amount), _inside(at, "unit_amount"))
        return {"unit_amount": params.unit_amount, "unit_amount_decimal": str(params.unit_amount)}
    if isinstance(params.unit_amount_decimal, str) and params.unit_amount_decimal:
        return decimal_amount(params.unit_amount_decimal, _inside(at, "unit_amount_decimal"))
    return {"unit_amount": None, "unit_amount_decimal": None}


def decimal_amount(text: str, param: str) -> Fields:
    """Return `unit_amount` and `unit_amount_decimal`; `unit_amount` is None for a fractional amount."""
    try:
        amount = Decimal(text)
    except InvalidOperation:
        raise StripeError(f"Invalid decimal: {text[:100]}", param=param) from None
    if not amount.is_finite() or -int(amount.as_tuple().exponent) > 12:
        message = f"Invalid decimal: {text[:100]}; must contain at maximum twelve decimal places."
        raise StripeError(message, param=param)
    _check_amount(amount, param)
    whole = amount == amount.to_integral_value()
    plain = str(int(amount)) if whole else f"{amount.normalize():f}"
    return {"unit_amount": int(amount) if whole else None, "unit_amount_decimal": plain}


def _check_amount(amount: Decimal, param: str) -> None:
    if amount < 0:
        message = "This value must be greater than or equal to 0."
        raise StripeError(message, code="parameter_invalid_integer", param=param)
    if amount > MAX_AMOUNT * 10_000:
        message = "This value must be less than or equal to 999999999999."
        raise StripeError(message, code="parameter_invalid_integer", param=param)


def _inside(at: str, name: str) -> str:
    return f"{at}[{name}]" if at else name


def _check_scheme(params: CreatePrice) -> None:
    if params.billing_scheme == "tiered":
        if not isinstance(params.recurring, Recurring):
            message = "Prices with `type=one_time` are not supported with tiered billing."
            raise StripeError(message, param="interval")
        for name in ("unit_amount", "unit_amount_decimal", "custom_unit_amount"):
            if is_set(getattr(params, name)):
                raise StripeError(f"`{name}` may only be set if `billing_scheme` is `per_unit`.", param=name)
        _check_tiers(params)
        return
    if is_set(params.tiers) or is_set(params.tiers_mode):
        name = "tiers" if is_set(params.tiers) else "tiers_mode"
        raise StripeError(f"`{name}` may only be set if `billing_scheme` is `tiered`.", param=name)
    _check_named(params)


def _check_named(params: CreatePrice | NewPrice | PriceData) -> None:
    """Raise StripeError for a price without an amount, or with two."""
    names = [name for name in ("unit_amount", "unit_amount_decimal") if is_set(getattr(params, name))]
    custom = _custom(getattr(params, "custom_unit_amount", UNSET))
    if not names and not custom:
        raise StripeError("Prices require an `unit_amount` or `unit_amount_decimal` parameter to be set.")
    if names and custom:
        message = f"You may only specify one of these parameters: custom_unit_amount, {names[0]}."
        raise StripeError(message, param="custom_unit_amount")


def check_price_currency(price: Price, currency: str, param: str, expected: str = "expected currency") -> None:
    """Raise StripeError for a price that has no amount in a currency."""
    if currency == price.currency or currency in price.currency_options:
        return
    known = [price.currency, *price.currency_options]
    listed = ", ".join(f"`{each}`" for each in known)
    supports = f"only supports {listed}" if len(known) == 1 else f"supports currencies of {listed}"
    message = f"The price specified {supports}. This doesn't match the {expected}: `{currency}`."
    raise StripeError(message, param=param)


def check_price_type(price: Price, accepted: Literal["one_time", "recurring"], param: str) -> None:
    """Raise StripeError for a price that is not of the accepted type."""
    if price.type != accepted:
        message = (
            f"The price specified is set to `type={price.type}` but this field only accepts prices with "
            f"`type={accepted}`."
        )
        raise StripeError(message, param=param)


def _check_tiers(params: CreatePrice) -> None:
    if not isinstance(params.tiers, list) or not params.tiers:
        raise StripeError("Missing required param: tiers.", code="parameter_missing", param="tiers")
    if params.tiers_mode is UNSET:
        raise StripeError("Missing required param: tiers_mode.", code="parameter_missing", param="tiers_mode")
    bounds = [integer_or_word(tier.up_to, f"tiers[{at}][up_to]", "inf") for at, tier in enumerate(params.tiers)]
    if bounds[-1] != "inf" or "inf" in bounds[:-1]:
        raise StripeError("The last tier, and no other, must have `up_to` of `inf`.", param="tiers")
    numbers = [bound for bound in bounds if isinstance(bound, int)]
    if numbers != sorted(set(numbers)) or (numbers and numbers[0] < 1):
        raise StripeError("Tiers must have `up_to` in ascending order, beginning above 0.", param="tiers")


def _tier_list(tiers: list[Tier] | UnsetType) -> Any:
    if not isinstance(tiers, list):
        return None
    return [_tier(tier, f"tiers[{number}]") for number, tier in enumerate(tiers)]


def _tier(tier: Tier, at: str) -> Fields:
    flat = Amounts(currency="", unit_amount=tier.flat_amount, unit_amount_decimal=tier.flat_amount_decimal)
    unit = Amounts(currency="", unit_amount=tier.unit_amount, unit_amount_decimal=tier.unit_amount_decimal)
    flats = {name.replace("unit", "flat"): value for name, value in amounts(flat, at).items()}
    return {**flats, **amounts(unit, at), "up_to": None if tier.up_to == "inf" else int(tier.up_to)}


def _custom(wanted: CustomUnitAmount | UnsetType) -> Any:
    if not isinstance(wanted, CustomUnitAmount) or not wanted.enabled:
        return None
    return {name: or_none(getattr(wanted, name)) for name in ("maximum", "minimum", "preset")}


def _options(wanted: dict[str, CurrencyOption] | str | UnsetType) -> Any:
    if not isinstance(wanted, dict):
        return {}
    check_keys(wanted)
    return {currency: _option(option, currency) for currency, option in wanted.items()}


def check_keys(options: dict[str, Any]) -> None:
    """Raise StripeError for keys that are unknown currencies or not in lower case."""
    for currency in options:
        if currency != currency.lower():
            message = f"Currencies must be lowercase when used as keys in a map. Use `{currency.lower()}` instead of "
            raise StripeError(f"{message}`{currency}`.", param="currency_options")
        parse_currency(currency, f"currency_options[{currency}]")


def _option(option: CurrencyOption, currency: str) -> Fields:
    shown_as = {
        "custom_unit_amount": _custom(option.custom_unit_amount),
        "tax_behavior": or_none(option.tax_behavior) or "unspecified",
        **amounts(option, f"currency_options[{currency}]"),
    }
    tiers = _tier_list(option.tiers)
    return {**shown_as, "tiers": tiers} if tiers else shown_as


def _recurring_fields(call: Call, given: BillingInterval | UnsetType) -> Fields:
    if not isinstance(given, BillingInterval):
        return {"type": "one_time"}
    recurring = given if isinstance(given, Recurring) else Recurring(**collect_params(given))
    count = recurring.interval_count if isinstance(recurring.interval_count, int) else 1
    if not 1 <= count <= MAX_INTERVAL_COUNTS[recurring.interval]:
        message = "Invalid interval: must be at least one, and no longer than three years."
        raise StripeError(message, param="recurring[interval_count]")
    if isinstance(recurring.trial_period_days, int):
        check_trial_days(recurring.trial_period_days, "recurring[trial_period_days]")
    is_metered = recurring.usage_type == "metered"
    meter = recurring.meter if isinstance(recurring.meter, str) and recurring.meter else None
    if is_metered and not meter:
        raise StripeError("Starting with Stripe version `2025-03-31.basil`, metered prices must be backed by meters.")
    _check_meter(call, meter, is_metered=is_metered)
    shown_as = {"interval": recurring.interval, "interval_count": count, "meter": meter}
    shown_as |= {"trial_period_days": value_of(or_none(recurring.trial_period_days))}
    shown_as |= {"usage_type": "metered" if is_metered else "licensed"}
    columns = {"interval": recurring.interval, "usage_type": shown_as["usage_type"], "meter": meter}
    return {"type": "recurring", "recurring": shown_as, **columns}


def _check_meter(call: Call, meter: str | None, *, is_metered: bool) -> None:
    if meter is None:
        return
    if not is_metered:
        message = "`recurring[meter]` may only be set if `recurring[usage_type]` is `metered`."
        raise StripeError(message, param="recurring[meter]")
    if find(call, METERS, meter) is None:
        raise METERS.missing(meter, param="recurring[meter]", status=400)


def _take_lookup_key(call: Call, key: str, *, transfer: bool) -> None:
    """Release a lookup key from the price that uses it; raises StripeError unless `transfer`."""
    holder = call.db.find(Price, Price.lookup_key == key)
    if holder is None:
        return
    if not transfer:
        raise StripeError(f"A price (`{holder.id}`) already uses that lookup key.", param="lookup_key")
    update(call, PRICES, holder, lookup_key=None)
