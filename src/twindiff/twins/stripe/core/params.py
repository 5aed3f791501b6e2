"""Parameters: each operation has one struct of them, which rejects unknown names.

A parameter that was not given is UNSET. An empty string unsets a field, so `collect_params` returns None for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, cast

from twindiff.kit import UNSET, Meta, Struct, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError, join_path

from .countries import COUNTRIES

Integer = Annotated[int, Meta(ge=-(2**53), le=2**53)]
OptInteger = Integer | UnsetType
OptText = str | UnsetType
OptName = Annotated[str, Meta(min_length=1)] | UnsetType
"""A string that cannot be unset."""
OptBool = bool | UnsetType
Unset = Literal[""]
"""The value that unsets a list or an object."""
OptMetadata = dict[str, str] | Unset | UnsetType

MAX_TEXT_CHARACTERS = 5000
MAX_CHARACTERS = {
    ("", "lookup_key"): 200,
    ("after_submit", "message"): 1200,
    ("business_profile", "headline"): 60,
    ("business_profile", "mcc"): 4,
    ("business_profile", "product_description"): 40000,
    ("card_payments", "statement_descriptor_prefix"): 10,
    ("card_payments", "statement_descriptor_prefix_kana"): 10,
    ("card_payments", "statement_descriptor_prefix_kanji"): 10,
    ("custom_fields", "key"): 200,
    ("custom_fields", "name"): 40,
    ("custom_fields", "value"): 140,
    ("default_settings", "description"): 500,
    ("evidence", "access_activity_log"): 20000,
    ("evidence", "cancellation_policy_disclosure"): 20000,
    ("evidence", "cancellation_rebuttal"): 20000,
    ("evidence", "duplicate_charge_explanation"): 20000,
    ("evidence", "product_description"): 20000,
    ("evidence", "refund_policy_disclosure"): 20000,
    ("evidence", "refund_refusal_explanation"): 20000,
    ("evidence", "uncategorized_text"): 20000,
    ("hosted_confirmation", "custom_message"): 500,
    ("invoice_data", "description"): 1500,
    ("label", "custom"): 50,
    ("line_items", "product_code"): 12,
    ("line_items", "product_name"): 1024,
    ("line_items", "reference"): 500,
    ("line_items", "unit_of_measure"): 12,
    ("marketing_features", "name"): 80,
    ("options", "label"): 100,
    ("options", "value"): 100,
    ("payment_intent_data", "description"): 1000,
    ("payments", "statement_descriptor_kana"): 22,
    ("payments", "statement_descriptor_kanji"): 22,
    ("phases", "description"): 500,
    ("product", "unit_label"): 12,
    ("product_data", "description"): 40000,
    ("product_data", "unit_label"): 12,
    ("redirect", "url"): 2048,
    ("setup_intent_data", "description"): 1000,
    ("shipping_address", "message"): 1200,
    ("shipping_rate_data", "display_name"): 100,
    ("submit", "message"): 1200,
    ("subscription_data", "description"): 500,
    ("terms_of_service_acceptance", "message"): 1200,
}
"""Maximum lengths of strings that differ from the default, by parent and name; https://docs.stripe.com/api"""

MAX_ELEMENTS = {"custom_fields": 4, "images": 8, "marketing_features": 15}
"""Maximum lengths of lists; https://docs.stripe.com/api"""

MAX_METADATA_KEYS = 50
MAX_METADATA_KEY_CHARACTERS = 40
MAX_METADATA_VALUE_CHARACTERS = 500
MAX_DESCRIPTOR_CHARACTERS = 22
NOT_IN_DESCRIPTORS = "<>\\'\"*"
DESCRIPTORS = frozenset({"statement_descriptor", "statement_descriptor_suffix"})


class Params(Struct, forbid_unknown_fields=True, kw_only=True):
    """The parameters of an operation; every operation takes `expand`."""

    longest: ClassVar[Mapping[str, int]] = {}
    """Maximum lengths in characters of parameters, where they differ from the default, by dotted name."""

    expand: list[str] | UnsetType = UNSET


class NestedParams(Struct, forbid_unknown_fields=True, kw_only=True):
    """A nested object of parameters."""


NO_HEAD_OFFICE = (
    "You must have a valid head office address to enable automatic tax calculation in test mode. "
    "Visit https://dashboard.stripe.com/test/settings/tax to update it."
)


class AutomaticTax(NestedParams):
    """Whether Stripe Tax calculates the tax; `to_automatic_tax_columns` returns its columns."""

    enabled: bool
    liability: dict[str, str] | UnsetType = UNSET


class Issuer(NestedParams):
    """The issuer of an invoice, which is always the account itself."""

    type: Literal["account", "self"]
    account: OptName = UNSET

    def __post_init__(self) -> None:
        if self.type != "self":
            raise StripeError("Invoices of this twin are issued by the shop itself; use `self`.", param="issuer[type]")


OptAutomaticTax = AutomaticTax | UnsetType


class Range(NestedParams):
    """A range of times or numbers, as in `created[gte]`."""

    gt: OptInteger = UNSET
    gte: OptInteger = UNSET
    lt: OptInteger = UNSET
    lte: OptInteger = UNSET


OptRange = Integer | Range | UnsetType


class ListParams(Params, kw_only=True):
    """The parameters of a list."""

    limit: Integer = 10
    starting_after: OptName = UNSET
    ending_before: OptName = UNSET


class SearchParams(Params):
    """The parameters of a search."""

    query: str
    limit: Integer = 10
    page: OptText = UNSET


class Address(NestedParams):
    """A postal address."""

    city: OptText = UNSET
    country: OptText = UNSET
    line1: OptText = UNSET
    line2: OptText = UNSET
    postal_code: OptText = UNSET
    state: OptText = UNSET


class Shipping(NestedParams):
    """Recipient and shipping address."""

    address: Address
    name: OptText = UNSET
    phone: OptText = UNSET
    carrier: OptText = UNSET
    tracking_number: OptText = UNSET


class Parcel(Shipping):
    """The shipping of a payment, all fields of which answers show."""


def value_of(given: Any) -> Any:
    """Return a parameter as JSON: empty strings are None at any depth; addresses and parcels have all fields."""
    if isinstance(given, Address):
        return {name: getattr(given, name) or None for name in Address.__struct_fields__}
    if isinstance(given, Parcel):
        return {name: value_of(getattr(given, name) or None) for name in Parcel.__struct_fields__}
    if isinstance(given, Struct):
        named = ((name, getattr(given, name)) for name in given.__struct_fields__)
        return {name.rstrip("_"): value_of(value) for name, value in named if value is not UNSET}
    if isinstance(given, list):
        return [value_of(each) for each in cast(list[Any], given)]
    if isinstance(given, dict):
        return {name: value_of(value) for name, value in cast(dict[str, Any], given).items()}
    return None if given == "" else given


def collect_params(params: Struct, *skipped: str) -> dict[str, Any]:
    """Return the given parameters by name, except `expand`, `metadata`, `automatic_tax` and those in `skipped`."""
    given = ((name, getattr(params, name)) for name in _names(type(params), skipped))
    return {name: value_of(value) for name, value in given if value is not UNSET}


@cache
def _names(params: type[Struct], skipped: tuple[str, ...]) -> list[str]:
    """Return the names of the parameters that `collect_params` considers."""
    return [name for name in params.__struct_fields__ if name not in {"expand", "metadata", "automatic_tax", *skipped}]


def check_texts(given: Mapping[str, Any], longest: Mapping[str, int]) -> None:
    """Raise StripeError for raw parameters above their maximum length, at any depth, or not of their text's form.

    `longest` has the limits of an operation that differ from the usual ones, by dotted name.
    """
    _check_values(given.items(), (), longest, _names_with_rules(tuple(longest)))


@cache
def _names_with_rules(longest: tuple[str, ...]) -> frozenset[str]:
    """Return the names of parameters that have another rule than the default length, given those of an operation."""
    own = (name.rpartition(".")[2] for name in longest)
    return frozenset({*own, *(name for _, name in MAX_CHARACTERS), *MAX_ELEMENTS, *DESCRIPTORS, "country"})


def _check_values(
    values: Iterable[tuple[Any, Any]], path: tuple[str, ...], longest: Mapping[str, int], ruled: frozenset[str]
) -> None:
    """Check the values of an object, or of a list by position; most are short and have no rule of their own."""
    for name, value in values:
        if isinstance(value, str):
            if len(value) > MAX_TEXT_CHARACTERS or name in ruled or (path and path[-1] in ruled):
                _check_string(value, (*path, str(name)), longest)
        elif isinstance(value, dict):
            _check_values(cast("dict[str, Any]", value).items(), (*path, str(name)), longest, ruled)
        elif isinstance(value, list):
            elements, place = cast("list[Any]", value), (*path, str(name))
            if name in MAX_ELEMENTS:
                check_count(elements, join_path([*place]), MAX_ELEMENTS[name])
            _check_values(enumerate(elements), place, longest, ruled)


def _check_string(value: str, path: tuple[str, ...], longest: Mapping[str, int]) -> None:
    if len(value) > (most := find_limit(path, longest)):
        message = f"Invalid string: {value[:12]}...{value[-12:]}; must be at most {most} characters"
        raise StripeError(message, param=join_path([*path]))
    if value and path[-2:] == ("address", "country"):
        check_country(value, join_path([*path]))
    if value and path[-1] in DESCRIPTORS and "metadata" not in path:
        _check_descriptor(value, join_path([*path]))


def check_country(code: str, param: str) -> None:
    """Raise StripeError for an unknown ISO 3166-1 country code."""
    if code.upper() not in COUNTRIES:
        raise StripeError(
            f"Country '{code[:100]}' is unknown. Try using a 2-character alphanumeric country code instead, such as "
            "'US', 'EG', or 'GB'. A full list of country codes is available at "
            "https://en.wikipedia.org/wiki/ISO_3166-1_alpha-2#Officially_assigned_code_elements",
            param=param,
        )


def find_limit(path: tuple[str, ...], longest: Mapping[str, int]) -> int:
    """Return the maximum length of a string: its operation's own, that of its name and its parent's, or the default."""
    if "metadata" in path:
        return MAX_TEXT_CHARACTERS
    names = [each for each in path if not each.isdecimal()]
    parent = names[-2] if len(names) > 1 else ""
    return longest.get(".".join(names)) or MAX_CHARACTERS.get((parent, names[-1]), MAX_TEXT_CHARACTERS)


def _check_descriptor(value: str, param: str) -> None:
    """Raise StripeError for a statement descriptor that banks would not print;
    https://docs.stripe.com/get-started/account/statement-descriptors
    """
    if len(value) > MAX_DESCRIPTOR_CHARACTERS:
        message = (
            f"The statement descriptor must be at most {MAX_DESCRIPTOR_CHARACTERS} characters. {value} is {len(value)} "
            "characters long."
        )
        raise StripeError(message, param=param)
    for forbidden in NOT_IN_DESCRIPTORS:
        if forbidden in value:
            raise StripeError(f"The statement descriptor cannot include {forbidden}.", param=param)
    if not any(each.isascii() and each.isalpha() for each in value):
        raise StripeError("The statement descriptor must contain at least one Latin character.", param=param)


def check_count(values: Any, param: str, most: int) -> None:
    """Raise StripeError for a list of more than `most` elements."""
    if isinstance(values, list) and len(cast(list[Any], values)) > most:
        raise StripeError(f"Array {param} exceeded maximum {most} allowed elements.", param=param)


def merge_metadata(
    now: dict[str, str], wanted: dict[str, str] | Literal[""] | UnsetType, param: str = "metadata"
) -> dict[str, str]:
    """Merge requested metadata into the current metadata.

    An empty value deletes its key, and an empty string in place of the object deletes all keys.
    https://docs.stripe.com/api/metadata
    """
    if wanted is UNSET:
        return now
    if wanted == "":
        return {}
    for name, value in wanted.items():
        _check_metadatum(name, value, param)
    merged = {name: value for name, value in {**now, **wanted}.items() if value != ""}
    if len(merged) > MAX_METADATA_KEYS:
        message = f"You can only have up to {MAX_METADATA_KEYS} metadata keys, but you passed in {len(merged)}."
        raise StripeError(message, param=param)
    return merged


def _check_metadatum(name: str, value: str, param: str) -> None:
    if len(name) > MAX_METADATA_KEY_CHARACTERS:
        message = (
            f"Metadata keys can have up to {MAX_METADATA_KEY_CHARACTERS} characters, but you passed in a key that is "
            f"{len(name)} characters. Invalid key: {name[:MAX_TEXT_CHARACTERS]}"
        )
        raise StripeError(message, param=param)
    if len(value) > MAX_METADATA_VALUE_CHARACTERS:
        message = (
            f"Metadata values can have up to {MAX_METADATA_VALUE_CHARACTERS} characters, "
            "but you passed in a value that is "
            f"{len(value)} characters. Invalid value: {value[:MAX_TEXT_CHARACTERS]}"
        )
        raise StripeError(message, param=f"{param}[{name}]")


def integer_or_word(text: str, param: str, *words: str) -> int | str:
    """Parse an integer, or return one of `words`, such as `now`."""
    if text in words:
        return text
    if not text.removeprefix("-").isdecimal() or len(text) > 15:
        raise StripeError(f"Invalid integer: {text[:100]}", code="parameter_invalid_integer", param=param)
    return int(text)


LATEST = 4_102_444_800
"""Latest valid timestamp: the end of the century."""


def time_or_word(text: str, param: str, *words: str) -> int | str:
    """Parse a valid Unix timestamp, or return one of `words`."""
    value = integer_or_word(text, param, *words)
    if isinstance(value, int) and not 0 <= value <= LATEST:
        raise StripeError("Invalid timestamp: must be within this century.", param=param)
    return value


def check_percentage(percentage: float, least: float, param: str) -> None:
    """Raise StripeError for a percentage below `least` or above 100."""
    bounds = ((percentage < least, "greater", least), (percentage > 100, "less", 100))
    for is_beyond, than, bound in bounds:
        if is_beyond:
            message = f"This value must be {than} than or equal to {bound} (it currently is '{percentage}')."
            raise StripeError(message, param=param)


def is_set(value: Any) -> bool:
    """Return whether a parameter was given a value other than the empty string, which unsets."""
    return value is not UNSET and value != ""


def or_none(value: Any) -> Any:
    """Return a parameter as JSON, or None if it was not given."""
    return None if value is UNSET else value_of(value)
