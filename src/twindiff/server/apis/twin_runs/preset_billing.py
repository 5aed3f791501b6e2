"""Billing data of the presets: subscriptions, charges, declined payments, refunds, disputes."""

from __future__ import annotations

from typing import Any

LATE = ("Juniper Labs", "Marlow Press", "Quay Street Dental")
"""Customers with failing cards: their renewals of 1 January were declined, and retried in the night before Monday."""
ATTACK = {"ip": "203.0.113.7"}


def _payment(customer: str, amount: int, description: str, created: str, currency: str = "eur") -> dict[str, Any]:
    return {
        "customer": customer,
        "amount": amount,
        "description": description,
        "created": created,
        "currency": currency,
    }


def _subscription(customer: str, price: str, created: str, status: str = "active") -> dict[str, Any]:
    return {"customer": customer, "price": price, "created": created, "status": status}


BILLING: dict[str, dict[str, list[dict[str, Any]]]] = {
    "E-commerce Checkout": {
        "charges": [
            _payment("Rita Faria", 5350, "Wool scarf to Madeira", "2026-01-02T16:40:00"),
            _payment("Petra Lindqvist", 3900, "Wool scarf", "2026-01-03T18:20:10"),
            _payment("Petra Lindqvist", 3900, "Wool scarf, paid again", "2026-01-03T18:20:31"),
            _payment("Sam Oduya", 18900, "Down jacket", "2026-01-03T18:22:02"),
            _payment("Sam Oduya", 18900, "Down jacket, paid again", "2026-01-03T18:22:40"),
        ],
        "refunds": [
            {"charge": "Wool scarf, paid again", "reason": "duplicate", "created": "2026-01-04T09:30:00"},
            {"charge": "Down jacket, paid again", "reason": "duplicate", "created": "2026-01-04T09:31:00"},
        ],
    },
    "SaaS Billing & Upgrades": {
        "subscriptions": [
            _subscription("Atelier Sud", "Team", "2025-01-01T08:00:00", "canceled") | {"canceled": "2025-02-20"},
            *(_subscription(name, "Starter", "2025-12-01T20:00:00", "past_due") for name in LATE),
            _subscription("Northlake", "Team", "2025-12-14T10:00:00"),
        ],
        "charges": [
            _payment("Atelier Sud", 4900, "Team, last month", "2025-03-01T08:00:00", "usd"),
            _payment("Northlake", 1900, "Starter, first month", "2025-12-01T10:00:00", "usd"),
        ],
    },
    "Customer Support Portal": {
        "subscriptions": [
            _subscription("Tallgrass", "Support, standard", "2025-12-08T10:00:00"),
            _subscription("Brightwell", "Support, one hour", "2025-12-15T10:00:00"),
            _subscription("Corner Cafe", "Support, standard", "2025-12-20T10:00:00"),
        ]
    },
    "Payment Fraud & Edge Cases": {
        "charges": [
            _payment("T. Harlow", 10000, "Gift card for T. Harlow", "2025-11-28T11:00:00", "usd"),
            _payment("Tara Harlow", 50, "Smallest charge", "2025-12-30T12:00:00", "usd"),
            _payment("Nomad Travel", 10000, "Gift card, card of another country", "2026-01-03T07:15:00", "usd")
            | {"status": "failed", "card": "radarBlock"},
            *(
                {
                    "amount": 100,
                    "created": f"2026-01-04T03:12:{second:02}",
                    "status": "failed",
                    "card": "chargeDeclinedStolenCard",
                    "metadata": ATTACK,
                }
                for second in range(40)
            ),
        ],
        "disputes": [
            {
                "charge": "Gift card for T. Harlow",
                "reason": "product_not_received",
                "created": "2025-12-29T09:00:00",
            }
        ],
    },
}
