"""Payment methods that redirect the customer: their parameters, and the details they show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from twindiff.kit import UNSET, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError, join_choices

from ..core.objects import Fields
from ..core.params import NestedParams, OptText, or_none

_BICS = """
abn_amro ABNANL2A asn_bank ASNBNL21 bunq BUNQNL2A handelsbanken HANDNL2A ing INGBNL2A knab KNABNL2H moneyou MOYONL21
n26 NTSBDEB1 nn NNBANL2G rabobank RABONL2U regiobank RBRBNL21 revolut REVOLT21 sns_bank SNSBNL2A triodos_bank TRIONL2U
van_lanschot FVLBNL22 yoursafe BITSNL2A
"""
BICS: dict[str, str] = dict(zip(_BICS.split()[::2], _BICS.split()[1::2], strict=True))
"""BICs of the banks that offer iDEAL."""


class Boleto(NestedParams):
    """The payer of a Boleto voucher."""

    tax_id: str


class PayersBank(NestedParams):
    """The payer's bank."""

    bank: OptText = UNSET


class Fpx(NestedParams):
    """The payer's bank, and the type of account holder."""

    bank: str
    account_holder_type: Literal["company", "individual"] | UnsetType = UNSET


class NaverPay(NestedParams):
    """The funding of Naver Pay: card or points."""

    funding: Literal["card", "points"] | UnsetType = UNSET


class Sofort(NestedParams):
    """The country of the payer's bank."""

    country: Literal["AT", "BE", "DE", "ES", "IT", "NL"]


def _shows(*names: str) -> Callable[[Any], Fields]:
    return lambda said: {name: or_none(getattr(said, name, UNSET)) for name in names}


def _ideal(said: Any) -> Fields:
    bank = getattr(said, "bank", UNSET) or None
    if bank and bank not in BICS:
        raise StripeError(f"Invalid ideal[bank]: must be one of {join_choices(sorted(BICS))}", param="ideal[bank]")
    return {"bank": bank, "bic": BICS[bank] if bank else None}


_DETAILS: dict[str, Callable[[Any], Fields]] = {
    "boleto": _shows("tax_id"),
    "eps": _shows("bank"),
    "fpx": _shows("account_holder_type", "bank"),
    "ideal": _ideal,
    "naver_pay": lambda said: {"buyer_id": None, "funding": getattr(said, "funding", UNSET) or "card"},
    "p24": _shows("bank"),
    "sofort": _shows("country"),
}
_NEEDED = {"boleto": "tax_id", "fpx": "bank", "sofort": "country"}


def details_of(type: str, said: Any) -> Fields:
    """Return the details of a payment method type from its parameters; raises StripeError if they are required."""
    if said is UNSET and type in _NEEDED:
        raise StripeError(f"Missing required param: {type}.", code="parameter_missing", param=type)
    return _DETAILS[type](said) if type in _DETAILS else {}
