"""Test cards, and the result of payments with them.

https://docs.stripe.com/testing
"""

from __future__ import annotations

from typing import NamedTuple

from twindiff.twins.stripe.core.wire_style import StripeError


class Card(NamedTuple):
    """A test card; `outcome` names its special behavior, or is empty if payments simply succeed."""

    name: str
    number: str
    brand: str
    funding: str = "credit"
    country: str = "US"
    outcome: str = ""


class Decline(NamedTuple):
    """The reason of a decline."""

    code: str
    decline_code: str
    message: str
    advice_code: str | None = "try_again_later"
    network_decline_code: str | None = "05"


_BRANDS = """
visa                 4242424242424242 visa       credit
visa_debit           4000056655665556 visa       debit
mastercard           5555555555554444 mastercard credit
mastercard_2series   2223003122003222 mastercard credit
mastercard_debit     5200828282828210 mastercard debit
mastercard_prepaid   5105105105105100 mastercard prepaid
amex                 378282246310005  amex       credit
amex_2               371449635398431  amex       credit
discover             6011000990139424 discover   credit
discover_2           6011111111111117 discover   credit
discover_debit       6011981111111113 discover   debit
diners               3056930009020004 diners     credit
diners_14digits      36227206271667   diners     credit
jcb                  3566002020360505 jcb        credit
unionpay             6200000000000005 unionpay   credit
unionpay_debit       6200000000000047 unionpay   debit
interac              4506445006931933 interac    debit
"""
_COUNTRIES = """
us 4242424242424242 US
ar 4000000320000021 AR
br 4000000760000002 BR
ca 4000001240000000 CA
cl 4000001520000001 CL
co 4000001700000003 CO
cr 4000001880000005 CR
ec 4000002180000000 EC
mx 4000004840008001 MX
pa 4000005910000000 PA
pe 4000006040000068 PE
py 4000006000000066 PY
uy 4000008580000003 UY
ae 4000007840000001 AE
ae_mastercard 5200007840000022 AE mastercard
at 4000000400000008 AT
au 4000000360000006 AU
be 4000000560000004 BE
bg 4000001000000000 BG
by 4000001120000005 BY
ch 4000007560000009 CH
cn 4000001560000002 CN
cy 4000001960000008 CY
cz 4000002030000002 CZ
de 4000002760000016 DE
dk 4000002080000001 DK
ee 4000002330000009 EE
es 4000007240000007 ES
fi 4000002460000001 FI
fr 4000002500000003 FR
gb 4000008260000000 GB
gb_debit 4000058260000005 GB visa debit
gb_mastercard 5555558265554449 GB mastercard
gi 4000002920000005 GI
gr 4000003000000030 GR
hk 4000003440000004 HK
hr 4000001910000009 HR
hu 4000003480000005 HU
ie 4000003720000005 IE
in 4000003560000008 IN
it 4000003800000008 IT
jp 4000003920000003 JP
li 4000004380000004 LI
lt 4000004400000000 LT
lu 4000004420000006 LU
lv 4000004280000005 LV
mt 4000004700000007 MT
my 4000004580000002 MY
nl 4000005280000002 NL
no 4000005780000007 NO
nz 4000005540000008 NZ
pl 4000006160000005 PL
pt 4000006200000007 PT
ro 4000006420000001 RO
sa 4000006820000007 SA
se 4000007520000008 SE
sg 4000007020000003 SG
si 4000007050000006 SI
sk 4000007030000001 SK
th_credit 4000007640000003 TH
th_debit 4000057640000008 TH visa debit
tw 4000001580000008 TW
visa_cartesBancaires 4000002500001001 FR
mastercard_cartesBancaires 5555552500001001 FR mastercard
visa_debit_eftposAuCoBranded 4000050360000001 AU visa debit
mastercard_debit_eftposAuCoBranded 5555050360000080 AU mastercard debit
"""
_OUTCOMES = """
chargeDeclined                         4000000000000002 generic_decline
chargeDeclinedInsufficientFunds        4000000000009995 insufficient_funds
chargeDeclinedLostCard                 4000000000009987 lost_card
chargeDeclinedStolenCard               4000000000009979 stolen_card
chargeDeclinedExpiredCard              4000000000000069 expired_card
chargeDeclinedIncorrectCvc             4000000000000127 incorrect_cvc
chargeDeclinedProcessingError          4000000000000119 processing_error
chargeDeclinedVelocityLimitExceeded    4000000000006975 card_velocity_exceeded
chargeDeclinedFraudulent               4100000000000019 fraudulent
radarBlock                             4100000000000019 fraudulent
chargeCustomerFail                     4000000000000341 fails_when_charged
cvcCheckFail                           4000000000000101 cvc_check_fails
avsFail                                4000000000000010 address_fails
avsLine1Fail                           4000000000000028 line1_fails
avsZipFail                             4000000000000036 postal_code_fails
avsUnchecked                           4000000000000044 address_unavailable
riskLevelElevated                      4000000000009235 elevated_risk
riskLevelHighest                       4000000000004954 fraudulent
createDispute                          4000000000000259 dispute_fraudulent
createDisputeProductNotReceived        4000000000002685 dispute_product_not_received
createDisputeInquiry                   4000000000001976 dispute_inquiry
createIssuerFraudRecord                4000000000005423 fraud_warning
bypassPending                          4000000000000077 bypass_pending
bypassPendingInternational             4000003720000278 bypass_pending
pendingRefund                          4000000000007726 refund_pending
refundFail                             4000000000005126 refund_fails
threeDSecure2Required                  4000000000003220 authenticate
threeDSecureRequired                   4000000000003063 authenticate
threeDSecureRequiredChargeDeclined     4000008400001629 authenticate_generic_decline
threeDSecureRequiredProcessingError    4000008400001280 authenticate_processing_error
threeDSecureOptional                   4000000000003055 three_d_secure_optional
authenticationRequiredOnSetup          4000002500003155 authenticate_unless_set_up
authenticationRequired                 4000002760003184 authenticate_always
authenticationRequiredSetupForOffSession 4000003800000446 authenticate_on_session
authenticationRequiredChargeDeclinedInsufficientFunds 4000008260003178 authenticate_insufficient_funds
"""

DECLINES = {
    each.decline_code: each
    for each in (
        Decline("card_declined", "generic_decline", "Your card was declined.", network_decline_code="01"),
        Decline("card_declined", "insufficient_funds", "Your card has insufficient funds.", network_decline_code="51"),
        Decline("card_declined", "lost_card", "Your card was declined.", "do_not_try_again", "41"),
        Decline("card_declined", "stolen_card", "Your card was declined.", "do_not_try_again", "43"),
        Decline("expired_card", "expired_card", "Your card has expired.", "do_not_try_again", "54"),
        Decline("incorrect_cvc", "incorrect_cvc", "Your card's security code is incorrect.", "try_again_later", "N7"),
        Decline(
            "processing_error",
            "processing_error",
            "An error occurred while processing your card. Try again in a little bit.",
            "try_again_later",
            "96",
        ),
        Decline(
            "card_declined",
            "card_velocity_exceeded",
            "Your card was declined for making repeated attempts too frequently or exceeding its amount limit.",
            "try_again_later",
            "65",
        ),
        Decline("card_declined", "fraudulent", "Your card was declined.", None, None),
    )
}
DECLINES.update({
    f"bank_{name}": Decline(code, code, message, None, None)
    for name, code, message in (
        ("account_closed", "account_closed", "The customer's bank account has been closed."),
        ("no_account", "no_account", "The customer's bank account could not be located."),
        ("insufficient_funds", "insufficient_funds", "The customer's account has insufficient funds."),
        ("debit_not_authorized", "debit_not_authorized", "The customer's bank does not allow this debit."),
        ("invalid_currency", "invalid_currency", "The bank was unable to process this payment in its currency."),
        ("limit_exceeded", "charge_exceeds_weekly_limit", "The payment exceeds the weekly limit of the account."),
        ("failed", "generic_decline", "The payment failed."),
        ("volume_exceeded", "charge_exceeds_source_limit", "The payment exceeds the weekly volume of the account."),
        ("transactions_exceeded", "charge_exceeds_weekly_limit", "The account has exceeded its weekly transactions."),
    )
})  # fmt: skip

_BY_AMOUNT = {
    1: Decline("card_declined", "call_issuer", "Your card was declined.", network_decline_code="01"),
    5: Decline("card_declined", "generic_decline", "Your card was declined."),
    55: Decline("incorrect_pin", "incorrect_pin", "Your card's PIN is incorrect.", network_decline_code="55"),
    65: Decline(
        "card_declined",
        "withdrawal_count_limit_exceeded",
        "Your card has exceeded its balance, credit limit, or transaction amount limit.",
        network_decline_code="65",
    ),
    75: Decline("card_declined", "pin_try_exceeded", "Your card's PIN was tried too often.", network_decline_code="75"),
}
"""Declines of payments in person by the last two digits of the amount.

https://docs.stripe.com/terminal/references/testing#physical-test-cards
"""


def decline_by_amount(amount: int) -> Decline | None:
    """Return the decline of a payment in person by its amount, or None."""
    return _BY_AMOUNT.get(amount % 100)


AUTHENTICATION = Decline(
    "authentication_required",
    "authentication_required",
    "Your card was declined. This transaction requires authentication.",
    None,
    None,
)
"""The decline of an off-session payment that requires authentication."""


ISSUER_ASKS = frozenset({
    "authenticate_always",
    "authenticate_insufficient_funds",
    "authenticate_on_session",
    "authenticate_unless_set_up",
})  # fmt: skip
"""Outcomes of cards whose issuer requires the authentication, and declines a charge without it.

Stripe itself asks for that of the other cards that authenticate, and makes no charge without it.
https://docs.stripe.com/testing#authentication-and-setup
"""


def _cards() -> list[Card]:
    brands = [Card(name, number, brand, funding) for name, number, brand, funding in _lines(_BRANDS)]
    countries = [_of_country(*line) for line in _lines(_COUNTRIES)]
    outcomes = [Card(name, number, "visa", outcome=outcome) for name, number, outcome in _lines(_OUTCOMES)]
    return [*brands, *countries, *outcomes]


def _of_country(name: str, number: str, country: str, brand: str = "visa", funding: str = "credit") -> Card:
    return Card(name, number, brand, funding, country)


def _lines(text: str) -> list[list[str]]:
    return [line.split() for line in text.strip().splitlines()]


BY_NAME = {card.name: card for card in _cards()}
BY_NUMBER = {card.number: card for card in reversed(_cards())}


def find_card(token: str) -> Card | None:
    """Return the card of a token, such as `tok_visa`, `pm_card_visa` or `tok_visa_chargeDeclined`."""
    name = token.removeprefix("tok_").removeprefix("pm_card_")
    return BY_NAME.get(name) or BY_NAME.get(name.removeprefix("visa_"))


def find_card_by_number(number: str) -> Card:
    """Return the test card with a number; raises StripeError for an invalid or a real number."""
    digits = number.replace(" ", "").replace("-", "")
    if card := BY_NUMBER.get(digits):
        return card
    if not digits.isdecimal() or not 12 <= len(digits) <= 19 or not _adds_up(digits):
        message = "Your card number is incorrect."
        raise StripeError(message, kind="card_error", status=402, code="incorrect_number", param="number")
    raise StripeError(
        "Your card was declined. Your request was in test mode, but used a non test (live) card. For a list of valid "
        "test cards, visit: https://stripe.com/docs/testing.",
        kind="card_error",
        status=402,
        code="card_declined",
        decline_code="test_mode_live_card",
    )


def _adds_up(digits: str) -> bool:
    """Return whether digits pass the Luhn check."""
    doubled = [int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits))]
    return sum(each - 9 if each > 9 else each for each in doubled) % 10 == 0


def decline_of(outcome: str) -> Decline | None:
    """Return the decline of a payment with a card of this outcome, after any authentication, or None."""
    if outcome == "fails_when_charged":
        return DECLINES["generic_decline"]
    return DECLINES.get(outcome.removeprefix("authenticate_").removeprefix("delayed_"))
