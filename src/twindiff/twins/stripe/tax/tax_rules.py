"""Tax rules: one standard rate for each country, and for each state of the US."""

from __future__ import annotations

from bisect import bisect_right
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple

_VAT = """
AT 20 BE 21 BG 20 CY 19 CZ 21 DE 19 DK 25 EE 24 ES 21 FI 25.5 FR 20 GR 24 HR 25 HU 27 IE 23 IT 22 LT 21 LU 17 LV 21
MT 18 NL 21 PL 23 PT 23 RO 21 SE 25 SI 22 SK 23
"""
EUROPEAN_UNION: dict[str, str] = dict(zip(_VAT.split()[::2], _VAT.split()[1::2], strict=True))
"""Standard VAT rates of the European Union."""

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
"""State sales tax rates, without those of counties and cities."""

_AREAS = """
005 NY 010 MA 028 RI 030 NH 039 ME 050 VT 060 CT 070 NJ 100 NY 150 PA 197 DE 200 DC 201 VA 202 DC 206 MD 220 VA 247 WV
270 NC 290 SC 300 GA 320 FL 350 AL 370 TN 386 MS 398 GA 400 KY 430 OH 460 IN 480 MI 500 IA 530 WI 550 MN 569 DC 570 SD
580 ND 590 MT 600 IL 630 MO 660 KS 680 NE 700 LA 716 AR 730 OK 733 TX 734 OK 750 TX 800 CO 820 WY 832 ID 840 UT 850 AZ
870 NM 885 TX 889 NV 900 CA 967 HI 970 OR 980 WA 995 AK
"""
_FIRST, _STATE = _AREAS.split()[::2], _AREAS.split()[1::2]
"""First postal code prefixes (three digits) of areas, and their states; an area ends where the next one starts."""


SPOKEN = {"vat": "VAT", "gst": "GST", "jct": "JCT", "sales_tax": "Sales Tax"}
"""Display names of taxes."""


class Tax(NamedTuple):
    """The tax on a line: its kind, percentage and taxability reason."""

    kind: str
    percentage: str
    reason: str


def to_taxable_address(address: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return an address that suffices to calculate tax, or None.

    In the United States it needs a state, which can be derived from the postal code:
    https://docs.stripe.com/tax/customer-locations#supported-formats
    """
    country = str((address or {}).get("country") or "").upper()
    if not address or not country:
        return None
    if country != "US":
        return {**address, "country": country}
    state = str(address.get("state") or "").upper() or _state_of(str(address.get("postal_code") or ""))
    return {**address, "country": country, "state": state} if state in STATES else None


def _state_of(postal_code: str) -> str:
    area = postal_code[:3]
    known = area.isdecimal() and len(postal_code) >= 5 and area >= _FIRST[0]
    return _STATE[bisect_right(_FIRST, area) - 1] if known else ""


def standard(country: str, state: str | None) -> Tax:
    """Return the tax of a place, as if the account were registered there."""
    if country == "US":
        rate = STATES.get(state or "", "0")
        return Tax("sales_tax", rate, "standard_rated" if rate != "0" else "not_subject_to_tax")
    if country in EUROPEAN_UNION:
        return Tax("vat", EUROPEAN_UNION[country], "standard_rated")
    if country in _ELSEWHERE:
        return Tax(*_ELSEWHERE[country], "standard_rated")
    return Tax("vat", "0", "not_supported")


def part_of(amount: int, percentage: str, *, inclusive: bool) -> int:
    """Return the tax on an amount, or the tax included in it."""
    rate = Decimal(percentage)
    tax = amount * rate / (100 + rate if inclusive else 100)
    return int(tax.quantize(Decimal(1), ROUND_HALF_UP))
