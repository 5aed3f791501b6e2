"""What to do for every task of `stripe_suite.json`, call by call.

twindiff import agent-diff examples/stripe_suite.json
twindiff suites run stripe_shop --agent examples.stripe_solutions:work
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx

from twindiff.client import Task

Call = Callable[..., Any]


def work(task: Task) -> None:
    """Solve the task that the prompt is of."""
    solve = next(solve for words, solve in SOLUTIONS.items() if words in task.prompt)
    with httpx.Client(base_url=task.url, headers={"Authorization": f"Bearer {task.token}"}, trust_env=False) as http:

        def call(verb: str, path: str, **parameters: Any) -> Any:
            sent: dict[str, Any] = {"params" if verb == "GET" else "data": dict(form(parameters))}
            answer = http.request(verb, f"/v1/{path}", **sent)
            assert answer.is_success, answer.text
            return answer.json()

        solve(call)


def form(value: Any, name: str = "") -> list[tuple[str, str]]:
    """Parameters with brackets, as Stripe takes them."""
    if isinstance(value, dict):
        return [pair for key, each in value.items() for pair in form(each, f"{name}[{key}]" if name else key)]
    if isinstance(value, list):
        return [pair for at, each in enumerate(value) for pair in form(each, f"{name}[{at}]")]
    return [(name, str(value).lower() if isinstance(value, bool) else str(value))]


def customer(call: Call, name: str) -> str:
    """The id of the one customer of that name."""
    (match,) = call("GET", "customers/search", query=f"name:'{name}'")["data"]
    return match["id"]


def subscription(call: Call, name: str) -> dict[str, Any]:
    """The one subscription of a customer."""
    (match,) = call("GET", "subscriptions", customer=customer(call, name))["data"]
    return match


def product(call: Call, name: str) -> str:
    """The id of the one product of that name."""
    (match,) = [each for each in call("GET", "products", limit=100)["data"] if each["name"] == name]
    return match["id"]


def price(call: Call, name: str) -> str:
    """The id of a product's one price in dollars, by the month if it has one."""
    prices = call("GET", "prices", product=product(call, name), currency="usd")["data"]
    (match,) = [each for each in prices if not each["recurring"] or each["recurring"]["interval"] == "month"]
    return match["id"]


def charges(call: Call, order: str) -> list[dict[str, Any]]:
    """The charges for an order, newest first."""
    intents = call("GET", "payment_intents/search", query=f"metadata['order']:'{order}'")["data"]
    listed = [call("GET", f"charges/{each['latest_charge']}") for each in intents]
    return sorted(listed, key=lambda charge: charge["created"], reverse=True)


def refund_a_duplicate(call: Call) -> None:
    second, _ = charges(call, "600")
    call("POST", "refunds", charge=second["id"], reason="duplicate")


def move_to_yearly(call: Call) -> None:
    (yearly,) = call("GET", "prices", lookup_keys=["tide_calendar_yearly"])["data"]
    schedule = call("POST", "subscription_schedules", from_subscription=subscription(call, "Carmen Brandt")["id"])
    (now,) = schedule["phases"]
    phases = [
        {
            "items": [{"price": now["items"][0]["price"], "quantity": 1}],
            "start_date": now["start_date"],
            "end_date": now["end_date"],
        },
        {
            "items": [{"price": yearly["id"], "quantity": 1}],
            "duration": {"interval": "year", "interval_count": 1},
            "proration_behavior": "none",
        },
    ]
    call("POST", f"subscription_schedules/{schedule['id']}", end_behavior="release", phases=phases)


def collect_a_failed_invoice(call: Call) -> None:
    (invoice,) = [each for each in call("GET", "invoices", status="open")["data"] if each["attempt_count"] == 2]
    card = call("POST", "payment_methods/pm_card_visa/attach", customer=invoice["customer"])["id"]
    call("POST", f"customers/{invoice['customer']}", invoice_settings={"default_payment_method": card})
    call("POST", f"invoices/{invoice['id']}/pay")


def offer_a_discount(call: Call) -> None:
    coupon = call("POST", "coupons", percent_off=20, duration="repeating", duration_in_months=3, name="Summer at sea")
    promotion = {"type": "coupon", "coupon": coupon["id"]}
    call("POST", "promotion_codes", promotion=promotion, code="SUMMERSEA", max_redemptions=50)


def answer_a_dispute(call: Call) -> None:
    (charge,) = charges(call, "204")
    (dispute,) = call("GET", "disputes", charge=charge["id"])["data"]
    evidence = {"shipping_carrier": "Tern Post", "shipping_tracking_number": "TP-20418"}
    call("POST", f"disputes/{dispute['id']}", evidence=evidence, submit=True)


def cancel_at_period_end(call: Call) -> None:
    leaving = subscription(call, "Goran Brandt")["id"]
    details = {"feedback": "too_expensive"}
    call("POST", f"subscriptions/{leaving}", cancel_at_period_end=True, cancellation_details=details)


def pause_collection(call: Call) -> None:
    paused = subscription(call, "Elif Brandt")["id"]
    call("POST", f"subscriptions/{paused}", pause_collection={"behavior": "void", "resumes_at": 1_790_812_800})


def raise_a_price(call: Call) -> None:
    tea, old = product(call, "Harbour tea"), price(call, "Harbour tea")
    new = call("POST", "prices", product=tea, currency="usd", unit_amount=1100)["id"]
    call("POST", f"products/{tea}", default_price=new)
    call("POST", f"prices/{old}", active=False)


def send_an_invoice(call: Call) -> None:
    buyer = customer(call, "Dario Castellano")
    terms = {"collection_method": "send_invoice", "days_until_due": 30}
    invoice = call("POST", "invoices", customer=buyer, currency="usd", **terms)["id"]
    for name, quantity in (("Rope, 20 m", 3), ("Brass compass", 1)):
        about = {"customer": buyer, "invoice": invoice, "quantity": quantity}
        call("POST", "invoiceitems", pricing={"price": price(call, name)}, **about)
    call("POST", f"invoices/{invoice}/send")


def refund_a_part(call: Call) -> None:
    (charge,) = charges(call, "502")
    call("POST", "refunds", charge=charge["id"], amount=4000, metadata={"ticket": "H-77"})


def rent_a_second_mooring(call: Call) -> None:
    (item,) = subscription(call, "Carmen Castellano")["items"]["data"]
    call("POST", f"subscription_items/{item['id']}", quantity=2, proration_behavior="none")


def credit_subscribers(call: Call) -> None:
    reports = call("GET", "subscriptions", price=price(call, "Weather reports"), status="active", limit=100)["data"]
    for each in reports:
        credit = {"amount": -200, "currency": "usd", "description": "Outage in June"}
        call("POST", f"customers/{each['customer']}/balance_transactions", **credit)


SOLUTIONS: dict[str, Callable[[Call], None]] = {
    "was charged twice": refund_a_duplicate,
    "to the yearly price": move_to_yearly,
    "has failed twice": collect_a_failed_invoice,
    "SUMMERSEA": offer_a_discount,
    "the dispute": answer_a_dispute,
    "Goran Brandt": cancel_at_period_end,
    "Elif Brandt": pause_collection,
    "Harbour tea": raise_a_price,
    "Send Dario Castellano an invoice": send_an_invoice,
    "40 dollars": refund_a_part,
    "a second mooring": rent_a_second_mooring,
    "Weather reports": credit_subscribers,
}
"""How to solve a task, by words of its prompt."""
