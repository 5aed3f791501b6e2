"""Outcomes of charges: risk level and the network's response.

https://docs.stripe.com/api/charges/object#charge_object-outcome, https://docs.stripe.com/radar/risk-evaluation
"""

from __future__ import annotations

from ..core.objects import Fields
from .test_cards import Decline

ELEVATED = "elevated_risk"
"""The outcome of test cards whose payments are placed in review."""
_IN_REVIEW = "Stripe evaluated this payment as having elevated risk, and placed it in your manual review queue."


def render_outcome(special: str, decline: Decline | None) -> Fields:
    """Render the outcome of a card payment, from the test card's outcome and the decline, if any."""
    blocked = decline is not None and decline.decline_code == "fraudulent"
    in_review = special == ELEVATED and decline is None
    risk = "highest" if blocked else "elevated" if special == ELEVATED else "normal"
    reason = "highest_risk_level" if blocked else "elevated_risk_level" if in_review else None
    return {
        "advice_code": decline and decline.advice_code,
        "network_advice_code": None,
        "network_decline_code": decline and decline.network_decline_code,
        "network_status": _network_status(decline, blocked),
        "reason": reason or (decline and decline.decline_code),
        "risk_level": risk,
        "risk_score": {"highest": 79, "elevated": 65, "normal": 20}[risk],
        "seller_message": _IN_REVIEW if in_review else _seller_message(decline, blocked),
        "type": _type(decline, blocked=blocked, in_review=in_review),
    }


def _type(decline: Decline | None, *, blocked: bool, in_review: bool) -> str:
    if blocked:
        return "blocked"
    return "issuer_declined" if decline else "manual_review" if in_review else "authorized"


def _network_status(decline: Decline | None, blocked: bool) -> str:
    if decline is None:
        return "approved_by_network"
    return "not_sent_to_network" if blocked else "declined_by_network"


def _seller_message(decline: Decline | None, blocked: bool) -> str:
    if decline is None:
        return "Payment complete."
    if blocked:
        return "Stripe blocked this payment as too risky."
    if decline.decline_code == "generic_decline":
        return "The bank did not return any further details with this decline."
    return f"The bank returned the decline code `{decline.decline_code}`."
