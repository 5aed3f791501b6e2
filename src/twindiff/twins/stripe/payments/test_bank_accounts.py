"""Test bank accounts, and the result of debits from them.

https://docs.stripe.com/testing#bank-debits
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from twindiff.kit import UNSET, Call, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.objects import Fields, new_id
from ..core.params import NestedParams, OptText

ROUTING_NUMBER = "110000000"


class Bank(NamedTuple):
    """A test account, by its token `pm_NAME` or its number; `outcome` names its special behavior."""

    name: str
    type: str
    number: str
    outcome: str = ""


_US = """
success             000123456789
accountClosed       000111111113 bank_account_closed
riskLevelHighest    000000004954 fraudulent
noAccount           000111111116 bank_no_account
insufficientFunds   000222222227 bank_insufficient_funds
debitNotAuthorized  000333333335 bank_debit_not_authorized
invalidCurrency     000444444440 bank_invalid_currency
failMicrodeposits   000666666661 no_microdeposits
dispute             000555555559 dispute_debit_not_authorized
processing          000000000009 stays_processing
weeklyLimitExceeded 000777777771 bank_limit_exceeded
"""
_SEPA = """
success                        AT611904300234573201 BE62510007547061 DE89370400440532013000
successDelayed                 AT321904300235473204 BE78510007547064 DE08370400440532013003
failed                         AT861904300235473202 BE68539007547034 DE62370400440532013001
failedDelayed                  AT051904300235473205 BE51510007547065 DE78370400440532013004
disputed                       AT591904300235473203 BE08510007547063 DE35370400440532013002
exceedsWeeklyVolumeLimit       AT981904300000343434 BE90510000343434 DE65370400440000343434
exceedsWeeklyTransactionLimit  AT601904300000121212 BE52510000121212 DE27370400440000121212
insufficientFunds              AT981904300002222227 BE90510002222227 DE65370400440002222227
success                        FR1420041010050500013M02606 IE29AIBK93115212345678
successDelayed                 FR3020041010050500013M02609 IE24AIBK93115212345671
failed                         FR8420041010050500013M02607 IE02AIBK93115212345679
failedDelayed                  FR7920041010050500013M02600 IE94AIBK93115212345672
disputed                       FR5720041010050500013M02608 IE51AIBK93115212345670
exceedsWeeklyVolumeLimit       FR9720041010050000000343434 IE10AIBK93115200343434
exceedsWeeklyTransactionLimit  FR5920041010050000000121212 IE69AIBK93115200121212
insufficientFunds              FR9720041010050000002222227 IE10AIBK93115202222227
"""
_SEPA_OUTCOMES = {
    "successDelayed": "delayed",
    "failed": "bank_failed",
    "failedDelayed": "delayed_bank_failed",
    "disputed": "dispute_general",
    "exceedsWeeklyVolumeLimit": "bank_volume_exceeded",
    "exceedsWeeklyTransactionLimit": "bank_transactions_exceeded",
    "insufficientFunds": "bank_insufficient_funds",
}
NO_BANK = {"55555": "sepa_debit_bank_not_supported", "66666": "sepa_debit_debits_not_supported"}
"""Suffixes of SEPA account numbers that cannot be debited, and the error codes."""


def _banks() -> list[Bank]:
    us = (line.split() for line in _US.strip().splitlines())
    american = [Bank(f"usBankAccount_{name}", "us_bank_account", number, "".join(rest)) for name, number, *rest in us]
    sepa = (line.split() for line in _SEPA.strip().splitlines())
    return american + [_sepa(scenario, number) for scenario, *numbers in sepa for number in numbers]


def _sepa(scenario: str, number: str) -> Bank:
    country = number[:2].lower()
    return Bank(f"sepaDebit_{scenario}_{country}", "sepa_debit", number, _SEPA_OUTCOMES.get(scenario, ""))


BANKS = {bank.name: bank for bank in _banks()}
BY_NUMBER = {bank.number: bank for bank in _banks()}


def find_bank(id: str) -> Bank | None:
    """Return the test account of a token, such as `pm_usBankAccount_success` or `pm_sepaDebit_success_de`."""
    return BANKS.get(id.removeprefix("pm_"))


def find_bank_by_number(type: str, number: str) -> Bank | None:
    """Return the test account with a number, or None."""
    bank = BY_NUMBER.get(number.replace(" ", ""))
    return bank if bank and bank.type == type else None


class BankAccount(NestedParams):
    """A bank account to debit; each type uses its own field names."""

    account_holder_type: Literal["company", "individual"] | UnsetType = UNSET
    account_type: Literal["checking", "savings"] | UnsetType = UNSET
    account_number: OptText = UNSET
    routing_number: OptText = UNSET
    institution_number: OptText = UNSET
    transit_number: OptText = UNSET
    sort_code: OptText = UNSET
    bsb_number: OptText = UNSET
    iban: OptText = UNSET
    financial_connections_account: OptText = UNSET


def bank_columns(call: Call, type: str, params: BankAccount | UnsetType) -> Fields:
    """Return the columns of a bank account; only its last digits are shown."""
    if not isinstance(params, BankAccount):
        raise StripeError(f"Missing required param: {type}.", code="parameter_missing", param=type)
    number = str(params.iban or params.account_number or "000123456789")
    known = find_bank_by_number(type, number)
    return {
        "type": type,
        "details": {"fingerprint": new_id(call, "", 16), "last4": number[-4:], **_bank_details(type, number, params)},
        "test_card": known.name if known else "",
        "verified": bool(params.financial_connections_account),
    }


BANK_CODE_LENGTHS = {
    "AT": 5, "BE": 3, "CH": 5, "DK": 4, "EE": 2, "ES": 4, "FI": 3, "FR": 5, "GB": 4, "IE": 4, "LI": 5, "LT": 5,
    "LU": 3, "NL": 4, "NO": 4, "PT": 4, "SE": 3, "SK": 4, "SI": 2,
}  # fmt: skip
"""The digits of an IBAN that name the bank, by country; eight elsewhere, as in Germany.

https://www.swift.com/standards/data-standards/iban-international-bank-account-number
"""


def _bank_details(type: str, number: str, params: BankAccount) -> Fields:
    """Return the shown details of an account besides its last digits."""
    if type == "us_bank_account":
        return {
            "account_holder_type": params.account_holder_type or "individual",
            "account_type": params.account_type or "checking",
            "bank_name": "STRIPE TEST BANK",
            "financial_connections_account": params.financial_connections_account or None,
            "networks": {"preferred": "ach", "supported": ["ach"]},
            "routing_number": params.routing_number or ROUTING_NUMBER,
            "status_details": {},
        }
    if type == "sepa_debit":
        if code := NO_BANK.get(number[-5:]):
            message = "The bank of this IBAN cannot be debited by SEPA Direct Debit."
            raise StripeError(message, code=code, param="sepa_debit[iban]")
        code = number[4 : 4 + BANK_CODE_LENGTHS.get(number[:2], 8)]
        generated_from = {"charge": None, "setup_attempt": None}
        return {"bank_code": code, "branch_code": "", "country": number[:2], "generated_from": generated_from}
    names = {
        "acss_debit": ("institution_number", "transit_number"),
        "bacs_debit": ("sort_code",),
        "au_becs_debit": ("bsb_number",),
    }[type]
    return {name: getattr(params, name) or None for name in names}
