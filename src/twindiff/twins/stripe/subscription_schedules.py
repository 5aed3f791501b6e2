"""Subscription schedules: phases that a subscription goes through.

https://docs.stripe.com/api/subscription_schedules
"""

from __future__ import annotations

from twindiff.kit import Call

from .subscription_objects import Subscription


def phase_over(call: Call, row: Subscription, at: int) -> None:
    """Begin the next phase of a subscription's schedule, if its phase is over."""


def subscription_ended(call: Call, row: Subscription) -> None:
    """Let the schedule of a subscription end with it."""
