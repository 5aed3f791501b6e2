"""Sessions of the real API that a public library's tests recorded, sent to the twin.

The sessions and the program that compares stand in a folder `shared` beside the checkout, or where TWINDIFF_SHARED is.
The recorder left out the headers `Stripe-Version` and `Stripe-Account`, and masked texts of persons. Sessions of
connected accounts run on the shop's own account here, since the twin acts for that alone.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterator
from typing import Any

from .conftest import SHARED, Stripe

PROGRAM = SHARED / "recorded" / "replay.py"
RECORDED = SHARED / "recorded" / "stripe" / "pay.jsonl.gz"
NOT_COMPARED = {
    "created": "is the recording's",
    "current_period_start": "is the recording's",
    "current_period_end": "is the recording's",
    "billing_cycle_anchor": "is the recording's",
    "start_date": "is the recording's",
    "trial_start": "is the recording's",
    "trial_end": "is the recording's",
    "start": "is the recording's",
    "end": "is the recording's",
    "date": "is the recording's",
    "period_start": "is the recording's",
    "period_end": "is the recording's",
    "effective_at": "is the recording's",
    "finalized_at": "is the recording's",
    "paid_at": "is the recording's",
    "expires_at": "is the recording's",
    "available_on": "is the recording's",
    "webhooks_delivered_at": "is the recording's",
    "email": "the recorder masked it",
    "client_secret": "is new for each object",
    "invoice_prefix": "is drawn for each customer",
    "fingerprint": "is drawn for each account",
    "exp_month": "of Stripe's test cards is a month from now",
    "exp_year": "of Stripe's test cards is a year from now",
    "risk_score": "is drawn for each charge",
    "request_log_url": "has the account and the request",
    "account_name": "is the recording account's",
    "calculated_statement_descriptor": "is the recording account's",
    "display_name": "is the recording account's",
    "balance_transaction": "is new for each object",
    "hosted_invoice_url": "has the host and the account",
    "invoice_pdf": "has the host and the account",
    "url": "has the host and the account",
    "receipt_url": "has the host and the account",
    "product": "was made before the session",
    "authorization_code": "is the bank's",
    "capture_before": "is the recording's",
    "times_redeemed": "counts what the account did before",
}
"""Fields of which only the type is compared, with the reason."""

NOT_READ = {
    "payment_method_types": "are what the recording account enabled in its Dashboard",
    "payment_method_options": "are those of the enabled payment methods",
    "payment_method_configuration_details": "is the recording account's",
    "cvc_check": "was null in 2021, until a card was checked",
    "application": "is null without a platform's OAuth application, which a twin's shop has not",
    "aggregate_usage": "is no field of plans since 2025-03-31",
}
"""Fields of recorded answers that are left out, with the reason."""

NULL_UNTIL_CAPTURED = {"balance_transaction", "application_fee"}
"""Fields that are null for some seconds, since Stripe captures asynchronously; the twin captures at once."""

MASKS = {"client_k0": "client_secret", "confirmation_k0": "confirmation_secret"}
"""Names that the recorder masked as if they were secrets."""


def load_program() -> Any:
    """The program that sends sessions and compares answers, with the fields that are not compared here."""
    where = importlib.util.spec_from_file_location("stripe_recorded_replay", PROGRAM)
    assert where
    assert where.loader
    module: Any = importlib.util.module_from_spec(where)
    where.loader.exec_module(module)
    module.VOLATILE.update(NOT_COMPARED)
    module.IDKEY = re.compile(
        module.IDKEY.pattern + r"|^(discounts?|price|payment_intent|charge|latest_charge|customer)$"
    )
    return module


def read_sessions(program: Any) -> Iterator[dict[str, Any]]:
    """The sessions whose ids all come from the session itself or can be made before it, with the version they sent."""
    for _, session in program.sessions(str(RECORDED)):
        if session["self_contained"]:
            steps = json.dumps(session["steps"])
            for masked, name in MASKS.items():
                steps = steps.replace(masked, name)
            session["steps"] = json.loads(steps)
            version = {"stripe-version": "2020-08-27"} if OLD_IDS.search(steps) else {}
            for step in session["steps"]:
                step["headers"] = {**step.get("headers", {}), **version}
                step["response"] = without_unread(step.get("response"))
            yield session


OLD_IDS = re.compile(r'"id": "(?:cus|sub)_[HIJK]\w{13}"')
"""Ids of 2020 and 2021, when the library sent this version."""


def without_unread(value: Any) -> Any:
    """A recorded answer without the fields that are not read."""
    if isinstance(value, list):
        return [without_unread(each) for each in value]
    if not isinstance(value, dict):
        return value
    left = {name for name, each in value.items() if name in NULL_UNTIL_CAPTURED and each is None} | set(NOT_READ)
    return {name: without_unread(each) for name, each in value.items() if name not in left}


class Before:
    """What a session uses and does not make, made in a shop; `ids` are the twin's by the recorded ones."""

    def __init__(self, shop: Stripe, session: dict[str, Any]) -> None:
        self.shop = shop
        self.ids: dict[str, str] = {}
        made = ""
        for step in session["steps"]:
            asked = f"{step['path']} {step.get('body')}"
            for pattern, make in THINGS.items():
                for id in re.findall(pattern, asked) if step["status"] < 400 else ():
                    if f"'id': '{id}'" not in made and id not in self.ids:
                        self.ids[id] = make(self, id, step)
            made += str(step.get("response"))

    def make_plan(self, id: str, step: dict[str, Any]) -> str:
        plan = {
            "amount": 1000 if id == "default" else 2500,
            "currency": "usd",
            "interval": "month",
            "nickname": "Small Monthly",
        }
        return self.shop.post("plans", id=id, product={"name": "Plan"}, **plan)["id"]

    def make_coupon(self, id: str, step: dict[str, Any]) -> str:
        return self.shop.post("coupons", id=id, name="Half Off", percent_off=50, duration="forever")["id"]

    def make_price(self, id: str, step: dict[str, Any]) -> str:
        return self.shop.post("prices", unit_amount=1500, currency="usd", product_data={"name": "T-shirt"})["id"]

    def make_account(self, id: str, step: dict[str, Any]) -> str:
        asked = {"card_payments": {"requested": True}, "transfers": {"requested": True}}
        paid = {"amount": 100_000, "currency": "usd", "payment_method": "pm_card_bypassPending"}
        self.shop.post("payment_intents", confirm=True, return_url="https://a.example", **paid)
        return self.shop.post("accounts", type="express", country="US", capabilities=asked)["id"]

    def make_customer(self, id: str, step: dict[str, Any]) -> str:
        told = step["response"]
        return self.shop.post("customers", email=told.get("email") or "", name=told.get("name") or "")["id"]

    def make_card(self, id: str, step: dict[str, Any]) -> str:
        customer = step["path"].split("/")[3]
        return self.shop.post("payment_methods/pm_card_visa/attach", customer=self.ids.get(customer, customer))["id"]


THINGS = {
    r"\b(small-monthly)\b": Before.make_plan,
    r"line_items\[0\]\[price\]', '(default)'": Before.make_plan,
    r"coupon\]?', '(\w+)'": Before.make_coupon,
    r"\b(price_\w{14,})\b": Before.make_price,
    r"\b(acct_\w{14,})\b": Before.make_account,
    r"/customers/(cus_\w{14,})\b": Before.make_customer,
    r"default_payment_method\]', '(pm_1\w{14,})\b": Before.make_card,
}
"""How a thing is made, by the pattern of its id in a request."""
