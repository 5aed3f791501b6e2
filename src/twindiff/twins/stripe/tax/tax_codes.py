"""Tax codes: product categories for taxes. The twin lists some common ones of Stripe's hundreds.

https://docs.stripe.com/api/tax_codes
"""

from __future__ import annotations

import re
from typing import Annotated

from twindiff.kit import Body, Call, Operations
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.objects import Fields
from ..core.pagination import render_fixed_list
from ..core.params import ListParams, Params

api = Operations(prefix="/v1/tax_codes")

_CODE = re.compile(r"txcd_\d{8}")

NONTAXABLE = "txcd_00000000"
ELECTRONIC = "txcd_10000000"
SHIPPING = "txcd_92010001"

NAMES = {
    "txcd_99999999": "General - Tangible Goods",
    ELECTRONIC: "General - Electronically Supplied Services",
    "txcd_20030000": "General - Services",
    NONTAXABLE: "Nontaxable",
    SHIPPING: "Shipping",
    "txcd_10010001": "Infrastructure as a service (IaaS) - personal use",
    "txcd_10101000": "Infrastructure as a service (IaaS) - business use",
    "txcd_10102000": "Platform as a service (PaaS) - business use",
    "txcd_10102001": "Platform as a service (PaaS) - personal use",
    "txcd_10103000": "Software as a service (SaaS) - personal use",
    "txcd_10103001": "Software as a service (SaaS) - business use",
    "txcd_10202000": "Downloadable Software - personal use",
    "txcd_10202003": "Downloadable Software - business use",
    "txcd_10302000": "Digital Books - downloaded - non subscription - with permanent rights",
    "txcd_10401000": "Digital Audio Works - downloaded - non subscription - with permanent rights",
    "txcd_10502000": "Gift Card",
    "txcd_35010000": "Books",
    "txcd_40060003": "Food for Immediate Consumption",
}
"""Stripe's names of tax codes."""


def tax_code(id: str) -> Fields:
    """Render a tax code."""
    name = NAMES[id]
    return {"id": id, "object": "tax_code", "description": f"Products of the kind: {name}.", "name": name}


def check_tax_code(id: str, param: str) -> None:
    """Raise StripeError for an id without the form of a tax code; codes that are not listed pass."""
    if not _CODE.fullmatch(id):
        raise _missing(id, param, 400)


def _missing(id: str, param: str, status: int) -> StripeError:
    return StripeError(f"No such tax code: '{id[:500]}'", status=status, code="resource_missing", param=param)


@api.get("")
def list_tax_codes(call: Call, params: Annotated[ListParams, Body]) -> Fields:
    """List tax codes."""
    return render_fixed_list([tax_code(each) for each in sorted(NAMES)], params, "/v1/tax_codes", "tax code")


@api.get("/{id}")
def retrieve_tax_code(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a tax code."""
    if id not in NAMES:
        raise _missing(id, "id", 404)
    return tax_code(id)
