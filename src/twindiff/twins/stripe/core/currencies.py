"""Currencies, and amounts in their smallest units.

https://docs.stripe.com/currencies
"""

from __future__ import annotations

from twindiff.twins.stripe.core.wire_style import StripeError

_LISTED = """
usd aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bhd bif bmd bnd bob brl bsd bwp byn byr bzd cad cdf chf clf
clp cny cop crc cve czk djf dkk dop dzd egp etb eur fjd fkp gbp gel ghs gip gmd gnf gtq gyd hkd hnl hrk htg huf idr ils
inr isk jmd jod jpy kes kgs khr kmf krw kwd kyd kzt lak lbp lkr lrd lsl mad mdl mga mkd mmk mnt mop mro mur mvr mwk mxn
myr mzn nad ngn nio nok npr nzd omr pab pen pgk php pkr pln pyg qar ron rsd rub rwf sar sbd scr sek sgd shp sle sll sos
srd std svc szl thb tjs tnd top try ttd twd tzs uah ugx uyu uzs vef ves vnd vuv wst xaf xcd xcg xof xpf yer zar zmw
"""
_WITHOUT_DECIMALS = "bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf"
_WITH_THREE = "bhd jod kwd omr tnd"

SUPPORTED = tuple(_LISTED.split())
CURRENCIES = frozenset(SUPPORTED)
ZERO_DECIMAL = frozenset(_WITHOUT_DECIMALS.split())
THREE_DECIMAL = frozenset(_WITH_THREE.split())

MIN_CHARGE = {
    "usd": 50, "aed": 200, "aud": 50, "brl": 50, "cad": 50, "chf": 50, "czk": 1500, "dkk": 250, "eur": 50, "gbp": 30,
    "hkd": 400, "huf": 17500, "inr": 50, "jpy": 50, "mxn": 1000, "myr": 200, "nok": 300, "nzd": 50, "pln": 200,
    "ron": 200, "sek": 300, "sgd": 50, "thb": 1000,
}  # fmt: skip
"""Minimum charge by currency: https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts"""

MAX_AMOUNT = 99_999_999
"""Stripe accepts at most eight digits."""

SPOKEN = {
    **dict.fromkeys(("usd", "aud", "cad", "hkd", "mxn", "nzd", "sgd", "twd"), "$"),
    "eur": "€",
    "gbp": "£",
    "inr": "₹",
    "jpy": "¥",
    "krw": "₩",
    "php": "₱",
}


def parse_currency(currency: str, param: str = "currency") -> str:
    """Return a currency code in lower case; raises StripeError for an unsupported one."""
    lower = currency.lower()
    if lower not in CURRENCIES:
        message = (
            f"Invalid currency: {currency[:100]}. Stripe currently supports these currencies: {', '.join(SUPPORTED)}"
        )
        raise StripeError(message, param=param)
    return lower


def decimals(currency: str) -> int:
    """Return the number of decimal places of a currency."""
    return 0 if currency in ZERO_DECIMAL else 3 if currency in THREE_DECIMAL else 2


def format_amount(amount: int, currency: str) -> str:
    """Format an amount as in Stripe's messages: `$10.00`, `10.00 cad`."""
    places = decimals(currency)
    number = f"{amount / 10**places:,.{places}f}"
    return f"{SPOKEN[currency]}{number}" if currency in SPOKEN else f"{number} {currency}"


def check_charge(amount: int, currency: str, param: str | None = "amount") -> None:
    """Raise StripeError for a charge below the minimum or with more than eight digits; `param` names its amount."""
    if amount < 1:
        raise StripeError(
            "The amount must be greater than or equal to the minimum charge amount allowed for your account and the "
            "currency set (https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts).  If you want to "
            "save a Payment Method for future use without an immediate payment, use a Setup Intent instead: "
            "https://docs.stripe.com/payments/setup-intents",
            code="parameter_invalid_integer",
            param=param,
        )
    if amount < MIN_CHARGE.get(currency, 0):
        least = format_amount(MIN_CHARGE[currency], currency)
        raise StripeError(f"Amount must be at least {least} {currency}", code="amount_too_small", param=param)
    if amount > MAX_AMOUNT:
        most = format_amount(MAX_AMOUNT, currency)
        raise StripeError(f"Amount must be no more than {most}", code="amount_too_large", param=param)
    if currency in THREE_DECIMAL and amount % 10:
        message = f"Invalid amount: {currency} amounts must end with a zero, as in 5120 for 5.120."
        raise StripeError(message, code="parameter_invalid_integer", param=param)
