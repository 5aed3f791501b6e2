"""How much is added to what is sold, by where it goes: one standard rate for a country, and for a state of the US."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

_VAT = """
AT 20 BE 21 BG 20 CY 19 CZ 21 DE 19 DK 25 EE 24 ES 21 FI 25.5 FR 20 GR 24 HR 25 HU 27 IE 23 IT 22 LT 21 LU 17 LV 21
MT 18 NL 21 PL 23 PT 23 RO 21 SE 25 SI 22 SK 23
"""
EUROPEAN_UNION: dict[str, str] = dict(zip(_VAT.split()[::2], _VAT.split()[1::2], strict=True))
"""Standard rates of value added tax in the European Union."""

_ELSEWHERE: dict[str, tuple[str, str]] = {
    "AE": ("vat", "5"),
    "AU": ("gst", "10"),
    "CA": ("gst", "5"),
    "CH": ("vat", "8.1"),
    "GB": ("vat", "20"),
    "IN": ("gst", "18"),
    "JP": ("jct", "10"),
    "NO": ("vat", "25"),
    "NZ": ("gst", "15"),
    "SG": ("gst", "9"),
    "ZA": ("vat", "15"),
}
_STATES = """
AK 0 AL 4 AR 6.5 AZ 5.6 CA 7.25 CO 2.9 CT 6.35 DC 6 DE 0 FL 6 GA 4 HI 4 IA 6 ID 6 IL 6.25 IN 7 KS 6.5 KY 6 LA 5 MA 6.25
MD 6 ME 5.5 MI 6 MN 6.875 MO 4.225 MS 7 MT 0 NC 4.75 ND 5 NE 5.5 NH 0 NJ 6.625 NM 4.875 NV 6.85 NY 4 OH 5.75 OK 4.5 OR 0
PA 6 RI 7 SC 6 SD 4.2 TN 7 TX 6.25 UT 6.1 VA 5.3 VT 6 WA 6.5 WI 5 WV 6 WY 4
"""
STATES: dict[str, str] = dict(zip(_STATES.split()[::2], _STATES.split()[1::2], strict=True))
"""Sales taxes of the states alone, without those of counties and cities."""


class Tax(NamedTuple):
    """What a line is taxed with: its kind, how much of a hundred, and why."""

    kind: str
    percentage: str
    reason: str


def standard(country: str, state: str | None) -> Tax:
    """The tax of a place, were the shop registered there."""
    if country == "US":
        rate = STATES.get(state or "", "0")
        return Tax("sales_tax", rate, "standard_rated" if rate != "0" else "not_subject_to_tax")
    if country in EUROPEAN_UNION:
        return Tax("vat", EUROPEAN_UNION[country], "standard_rated")
    if country in _ELSEWHERE:
        return Tax(*_ELSEWHERE[country], "standard_rated")
    return Tax("vat", "0", "not_supported")


def part_of(amount: int, percentage: str, *, inclusive: bool) -> int:
    """The tax on an amount, or the tax within it."""
    rate = Decimal(percentage)
    tax = amount * rate / (100 + rate if inclusive else 100)
    return int(tax.quantize(Decimal(1), ROUND_HALF_UP))
