"""What a payment costs beside a bare ASGI answer, and what lists and searches cost in a large shop.

`PYTHONPATH=. python benchmarks/stripe.py [--json] [--subscriptions N]`: PaymentIntents made and confirmed in one
request, one that is retrieved, a page of 100 and a search in shops of 1,000 and of 100,000 customers, and a year in
which N monthly subscriptions are renewed and paid twelve times (200, unless it is said; 0 leaves it out).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlencode

from benchmarks.per_request import SERVER, Asked, Line, measure, processor_seconds, row_of
from benchmarks.per_request import http as platform_request

OWN = "acct_1TwindiffTestShop"
SIZES = (1_000, 100_000)
ROUNDS = 15
YEAR = 366
PAYMENT = {"amount": 2000, "currency": "usd", "confirm": "true", "payment_method_types[]": "card"}


def http(verb: str, path: str, form: dict[str, Any] | None = None) -> bytes:
    """A request of Stripe's API as bytes."""
    data = urlencode(form or {}).encode()
    head = f"{verb} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer sk_test_shop\r\n"
    kind = "Content-Type: application/x-www-form-urlencoded\r\n" if data else ""
    return f"{head}{kind}Content-Length: {len(data)}\r\n\r\n".encode() + data


def environment(line: Line, template: str) -> str:
    """The address of a new shop."""
    return _created(line, {"templates": [template], "impersonateUserId": OWN, "ttlSeconds": 3600})["environmentUrl"]


def _created(line: Line, wanted: dict[str, Any]) -> dict[str, Any]:
    return json.loads(line.ask(platform_request("POST", "/api/platform/initEnv", wanted)))


def payments(bare: int, port: int) -> dict[str, Asked]:
    """The requests that are compared; the first one is the bare answer."""
    line = Line(port)
    base = environment(line, "stripe:stripe_empty")
    method = json.loads(
        line.ask(http("POST", f"{base}/v1/payment_methods", {"type": "card", "card[token]": "tok_visa"}))
    )
    pay = http("POST", f"{base}/v1/payment_intents", {**PAYMENT, "payment_method": method["id"]})
    made = json.loads(line.ask(pay))
    return {
        "bare ASGI answer": Asked(bare, http("POST", "/", PAYMENT)),
        "PaymentIntent made and confirmed": Asked(port, pay),
        "PaymentIntent retrieved": Asked(port, http("GET", f"{base}/v1/payment_intents/{made['id']}")),
    }


def shop(size: int) -> dict[str, Any]:
    """A template with so many customers."""
    customers = [
        {
            "id": f"cus_{number:014d}",
            "seq": number + 1,
            "created": 1_735_689_600 + number,
            "name": f"Customer {number}",
            "email": f"customer{number}@shop.example",
            "invoice_prefix": f"C{number:07d}",
            "metadata": {"number": str(number), "tier": "plain" if number % 10 else "gold"},
        }
        for number in range(size)
    ]
    account = {"id": OWN, "seq": 0, "created": 1_735_689_600, "is_platform": True}
    return {"accounts": [account], "customers": customers}


def large(port: int) -> dict[str, dict[int, float]]:
    """Milliseconds of lists and searches, by the size of the shop."""
    line = Line(port)
    milliseconds: dict[str, dict[int, float]] = {}
    for size in SIZES:
        files = {"files": {f"stripe_{size}.json": shop(size)}}
        line.ask(platform_request("POST", "/api/platform/import", files))
        base = environment(line, f"stripe:stripe_{size}")
        middle = f"cus_{size // 2:014d}"
        email = urlencode({"query": f'email:"customer{size // 2}@shop.example"'})
        number = urlencode({"query": f'metadata["number"]:"{size // 2}"'})
        many = urlencode({"query": 'metadata["tier"]:"gold"'})
        asked = {
            "list of 100": f"{base}/v1/customers?limit=100",
            "list of 100 from the middle": f"{base}/v1/customers?limit=100&starting_after={middle}",
            "search by email": f"{base}/v1/customers/search?{email}",
            "search by metadata of one": f"{base}/v1/customers/search?{number}",
            "search by metadata of a tenth": f"{base}/v1/customers/search?{many}",
        }
        for name, path in asked.items():
            milliseconds.setdefault(name, {})[size] = _milliseconds(line, http("GET", path))
    return milliseconds


def renewals(port: int, count: int, pid: int) -> dict[str, float]:
    """What it takes to let a year pass in a shop with so many monthly subscriptions."""
    line = Line(port)
    made = _created(line, {"templates": ["stripe:stripe_empty"], "impersonateUserId": OWN, "ttlSeconds": 3600})
    base, env = made["environmentUrl"], made["environmentId"]
    product = json.loads(line.ask(http("POST", f"{base}/v1/products", {"name": "Box"})))["id"]
    monthly = {"product": product, "unit_amount": 1500, "currency": "usd", "recurring[interval]": "month"}
    price = json.loads(line.ask(http("POST", f"{base}/v1/prices", monthly)))["id"]
    card = {"payment_method": "pm_card_visa", "invoice_settings[default_payment_method]": "pm_card_visa"}
    for _ in range(count):
        customer = json.loads(line.ask(http("POST", f"{base}/v1/customers", card)))["id"]
        line.ask(http("POST", f"{base}/v1/subscriptions", {"customer": customer, "items[0][price]": price}))
    started, used = time.perf_counter(), processor_seconds(pid)
    for _ in range(YEAR):
        line.ask(platform_request("POST", f"/api/platform/env/{env}/clock", {"advance": 86_400}))
    paid = _paid(line, base)
    assert paid == min(12 * count, 100), f"{paid} of the last invoices of {count} subscriptions are paid"
    return {"seconds": time.perf_counter() - started, "processor": processor_seconds(pid) - used}


def _paid(line: Line, base: str) -> int:
    """How many of the latest invoices are paid."""
    invoices = json.loads(line.ask(http("GET", f"{base}/v1/invoices?limit=100&status=paid")))["data"]
    return sum(each["billing_reason"] == "subscription_cycle" for each in invoices)


def _milliseconds(line: Line, request: bytes) -> float:
    times: list[float] = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        line.ask(request)
        times.append(time.perf_counter() - started)
    return round(median(times) * 1000, 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--subscriptions", type=int, default=200)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", SERVER, folder]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parent) as process:
            try:
                assert process.stdout
                bare, port = map(int, process.stdout.readline().split())
                costs = measure(payments(bare, port), process.pid)
                sizes = large(port)
                year = renewals(port, asked.subscriptions, process.pid) if asked.subscriptions else {}
            finally:
                process.terminate()
    rows = {name: row_of(each, costs["bare ASGI answer"]) for name, each in costs.items()}
    if asked.json:
        print(json.dumps({"requests": rows, "milliseconds": sizes, "year": year}))
        return
    for name, row in rows.items():
        print(f"{name:<34} {row['micros']:8.1f} µs {row['ratio']:6.2f} x   processor {row['processor_ratio']:6.2f} x")
    for name, each in sizes.items():
        small, big = (each[size] for size in SIZES)
        print(f"{name:<34} {small:8.2f} ms of 1,000, {big:8.2f} ms of 100,000: {big / small:5.2f} x")
    if year:
        took = f"{year['seconds']:8.2f} s, {year['processor']:.2f} s of the processor"
        print(f"{f'a year of {asked.subscriptions} subscriptions':<34} {took}")


if __name__ == "__main__":
    main()
