"""Write stripe_default.json: a shop made by running the Stripe twin's own operations under its clock.

`python scripts/make_stripe_shop.py` gives the same file every time.
"""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from pathlib import Path
from typing import Any

import httpx

from twindiff.local import Twindiff

TARGET = Path(__file__).parents[1] / "src/twindiff/twins/stripe/seeds/stripe_default.json"
DAY = 86_400
MONTHS = 6
EVENTS_ARE_KEPT = 30 * DAY
LETTERS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

PRODUCTS = (
    ("Harbour tea", 900, None),
    ("Storm lantern", 4900, None),
    ("Deck shoes", 7900, None),
    ("Chart of the sound", 2500, None),
    ("Brass compass", 12900, None),
    ("Rope, 20 m", 3500, None),
    ("Logbook", 1900, None),
    ("Weather station", 24900, None),
    ("Tide calendar", 1500, "month"),
    ("Weather reports", 900, "month"),
    ("Mooring, small boat", 4900, "month"),
    ("Mooring, large boat", 9900, "month"),
)
FACTORS = {"usd": 100, "eur": 90, "jpy": 150}
"""What a price is in other currencies, in hundredths."""

FIRST = ["Ada", "Bao", "Carmen", "Dario", "Elif", "Farah", "Goran", "Hana", "Idris", "Jonna"]
LAST = ["Almeida", "Brandt", "Castellano", "Duarte"]


class Shop:
    """The API of a shop, as a program would call it."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    def post(self, path: str, **parameters: Any) -> Any:
        """The answer; a card may be declined."""
        answer = self._client.post(f"https://api.stripe.com/v1/{path}", data=dict(form(parameters)))
        assert answer.status_code in (200, 402), answer.text
        return answer.json()

    def get(self, path: str, **parameters: Any) -> Any:
        """What there is."""
        answer = self._client.get(f"https://api.stripe.com/v1/{path}", params=parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()


def form(value: Any, name: str = "") -> list[tuple[str, str]]:
    """Parameters with brackets."""
    if isinstance(value, dict):
        return [pair for key, each in value.items() for pair in form(each, f"{name}[{key}]" if name else key)]
    if isinstance(value, list):
        return [pair for at, each in enumerate(value) for pair in form(each, f"{name}[{at}]")]
    return [(name, str(value))]


def stock(shop: Shop) -> list[dict[str, Any]]:
    """Twelve products with a price in three currencies; gives those of the subscriptions in dollars."""
    monthly: list[dict[str, Any]] = []
    for name, amount, interval in PRODUCTS:
        product = shop.post("products", name=name)["id"]
        recurring = {"recurring": {"interval": interval}} if interval else {}
        for currency, factor in FACTORS.items():
            value = amount * factor // 100
            price = shop.post("prices", product=product, currency=currency, unit_amount=value, **recurring)
            if interval and currency == "usd":
                monthly.append(price)
    return monthly


def open_shop(shop: Shop) -> list[str]:
    """Forty customers with a card, most of them subscribed."""
    monthly = stock(shop)
    customers: list[str] = []
    for number in range(40):
        name = f"{FIRST[number % 10]} {LAST[number // 10]}"
        customer = shop.post("customers", name=name, email=f"{name.lower().replace(' ', '.')}@sea.example")["id"]
        card = "pm_card_chargeCustomerFail" if number in (7, 23) else ("pm_card_visa", "pm_card_mastercard")[number % 2]
        method = shop.post(f"payment_methods/{card}/attach", customer=customer)["id"]
        shop.post(f"customers/{customer}", invoice_settings={"default_payment_method": method})
        customers.append(customer)
        if number % 4 != 3:
            price = monthly[number % len(monthly)]["id"]
            trial = {"trial_period_days": 14} if number % 5 == 0 else {}
            shop.post("subscriptions", customer=customer, items=[{"price": price}], **trial)
    return customers


def sell(shop: Shop, customers: list[str], month: int) -> None:
    """Some orders of a month, one that is given back, and in two months one that is disputed."""
    for number in range(5):
        _, amount, _ = PRODUCTS[(month + number) % 8]
        card = "pm_card_createDispute" if number == 4 and month in (2, 4) else "pm_card_visa"
        customer = customers[(month * 7 + number) % len(customers)]
        asked = {"amount": amount, "currency": "usd", "payment_method": card, "confirm": "true"}
        order = {"description": f"Order {month}{number:02d}", "metadata": {"order": f"{month}{number:02d}"}}
        paid = shop.post("payment_intents", **asked, **order, payment_method_types=["card"], customer=customer)
        if number == 1:
            shop.post("refunds", payment_intent=paid["id"], reason="requested_by_customer")


def stumble(shop: Shop, customers: list[str]) -> None:
    """What went wrong in the last month: an order that was charged twice, and an invoice that fails until it ends."""
    card = {"payment_method": "pm_card_visa", "payment_method_types": ["card"], "confirm": "true"}
    for amount, order in ((4900, 600), (4900, 600), (900, 601), (900, 602)):
        customer = customers[15 if order == 600 else 19]
        about = {"description": f"Order {order}", "metadata": {"order": order}}
        shop.post("payment_intents", amount=amount, currency="usd", customer=customer, **about, **card)
    products = {each["name"]: each["id"] for each in shop.get("products", limit=100)["data"]}
    year = {"currency": "usd", "unit_amount": 15_000, "recurring": {"interval": "year"}}
    shop.post("prices", product=products["Tide calendar"], lookup_key="tide_calendar_yearly", **year)
    (price,) = shop.get("prices", product=products["Weather reports"], currency="usd")["data"]
    shop.post("subscriptions", customer=customers[7], items=[{"price": price["id"]}], trial_period_days=24)


def main() -> None:
    """Let six months pass in a new shop, and write what is there."""
    clock = {"mode": "steps", "start": "2026-01-05T09:00:00"}
    with Twindiff() as td, td.create("stripe:stripe_empty", user="acct_1TwindiffTestShop", clock=clock) as env:
        key = {"Authorization": "Bearer sk_test_shop"}
        with httpx.Client(transport=td.transport(env), headers=key, timeout=300) as client:
            shop = Shop(client)
            customers = open_shop(shop)
            for month in range(MONTHS):
                sell(shop, customers, month)
                if month == MONTHS - 1:
                    stumble(shop, customers)
                env.advance(30 * DAY)
            rows = rows_of(env.diff(include="all"))
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(lines(renamed(rows)))


def lines(rows: dict[str, list[dict[str, Any]]]) -> str:
    """A template with a row on each line."""
    tables = (
        f"{json.dumps(name)}: [\n" + ",\n".join(json.dumps(row, sort_keys=True) for row in rows[name]) + "\n]"
        for name in sorted(rows)
    )
    return "{\n" + ",\n".join(tables) + "\n}\n"


def rows_of(diff: Any) -> dict[str, list[dict[str, Any]]]:
    """All rows by table: those of the template that did not change, and those that were written."""
    from twindiff.twins.stripe.account.accounts import empty

    tables: dict[str, list[dict[str, Any]]] = {name: [*rows] for name, rows in empty().items()}
    for row in diff["inserts"]:
        tables.setdefault(row["__table__"], []).append(
            {name: value for name, value in row.items() if not name.startswith("__")}
        )
    newest = max(row["created"] for row in tables["events"])
    tables["events"] = [row for row in tables["events"] if row["created"] > newest - EVENTS_ARE_KEPT]
    tables.pop("idempotency_keys", None)
    return tables


def renamed(rows: dict[str, list[dict[str, Any]]]) -> Any:
    """The rows with other ids, so that an environment that begins with them makes none of them again."""
    text = json.dumps(rows)
    known = {row["id"] for some in rows.values() for row in some if isinstance(row.get("id"), str)}
    known -= {row["id"] for row in rows["accounts"]}
    prefixes = {row["invoice_prefix"] for row in rows["customers"]}
    pattern = re.compile("|".join(sorted(map(re.escape, known | prefixes), key=len, reverse=True)))
    shop = json.loads(pattern.sub(lambda match: other(match[0], match[0] in prefixes), text))
    rows_in_order = sorted((row for some in shop.values() for row in some if "seq" in row), key=lambda row: row["seq"])
    for number, row in enumerate(rows_in_order):
        row["seq"] = number
    return shop


def other(id: str, is_prefix: bool) -> str:
    """Another id of the same form."""
    head, _, tail = id.rpartition("_")
    digest = blake2b(f"stripe_default {id}".encode(), digest_size=64).digest()
    letters = "".join(LETTERS[byte % 62] for byte in digest)[: len(tail)]
    return letters.upper() if is_prefix else f"{head}_{letters}"


if __name__ == "__main__":
    main()
