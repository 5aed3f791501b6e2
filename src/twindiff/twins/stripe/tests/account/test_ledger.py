"""After whatever happens the books close: balances are sums of entries, and no payment gives back too much."""

from collections import defaultdict

from hypothesis import given, settings
from hypothesis import strategies as st

CARDS = (
    "visa",
    "mastercard",
    "createDispute",
    "createDisputeInquiry",
    "refundFail",
    "pendingRefund",
    "bypassPending",
    "chargeDeclined",
    "threeDSecure2Required",
)
AMOUNTS = st.integers(50, 100_000)
PICK = st.integers(0, 20)
STEPS = st.one_of(
    st.tuples(st.just("pay"), st.sampled_from(CARDS), AMOUNTS, st.booleans()),
    st.tuples(st.just("refund"), PICK, st.one_of(st.none(), AMOUNTS)),
    st.tuples(st.just("capture"), PICK, AMOUNTS),
    st.tuples(st.just("cancel"), PICK),
    st.tuples(st.just("answer"), PICK, st.sampled_from(["winning_evidence", "losing_evidence"])),
    st.tuples(st.just("close"), PICK),
    st.tuples(st.just("payout"), AMOUNTS),
    st.tuples(st.just("recall"), PICK),
    st.tuples(st.just("days"), st.integers(1, 5)),
)


def of(shop, path, number):
    """An object of a list, whichever a number means; there may be none."""
    data = shop.get(path, limit=100)["data"]
    return data[number % len(data)]["id"] if data else "none"


def do(shop, step):
    """Do what a step says, whether it is refused or not."""
    kind, *rest = step
    if kind == "pay":
        card, amount, manual = rest
        shop.http(
            "POST", "payment_intents", amount=amount, currency="usd", payment_method=f"pm_card_{card}", confirm=True,
            payment_method_types=["card"], capture_method="manual" if manual else "automatic",
        )  # fmt: skip
    elif kind == "refund":
        amount = {} if rest[1] is None else {"amount": rest[1]}
        shop.http("POST", "refunds", charge=of(shop, "charges", rest[0]), **amount)
    elif kind == "capture":
        shop.http("POST", f"payment_intents/{of(shop, 'payment_intents', rest[0])}/capture", amount_to_capture=rest[1])
    elif kind == "cancel":
        shop.http("POST", f"payment_intents/{of(shop, 'payment_intents', rest[0])}/cancel")
    elif kind == "answer":
        shop.http("POST", f"disputes/{of(shop, 'disputes', rest[0])}", evidence={"uncategorized_text": rest[1]})
    elif kind == "close":
        shop.http("POST", f"disputes/{of(shop, 'disputes', rest[0])}/close")
    elif kind == "payout":
        shop.http("POST", "payouts", amount=rest[0], currency="usd")
    elif kind == "recall":
        shop.http("POST", f"payouts/{of(shop, 'payouts', rest[0])}/cancel")
    else:
        shop.advance(days=rest[0])


@settings(max_examples=20)
@given(steps=st.lists(STEPS, min_size=1, max_size=12))
def test_every_sum_closes(shop, steps):
    stripe = shop(clock={"mode": "steps", "start": "2026-01-31T09:30:00"})
    for step in steps:
        do(stripe, step)
    entries = stripe.get("balance_transactions", limit=100)["data"]
    assert all(each["net"] == each["amount"] - each["fee"] for each in entries)
    balance = stripe.get("balance")
    parts = {name: balance[name][0]["amount"] for name in ("available", "pending")}
    for name, amount in parts.items():
        assert amount == sum(each["net"] for each in entries if each["status"] == name)
    by_source = defaultdict(int)
    for each in entries:
        by_source[each["source"]] += each["amount"]
    for charge in stripe.get("charges", limit=100)["data"]:
        assert 0 <= charge["amount_refunded"] <= charge["amount"]
        assert by_source[charge["id"]] == charge["amount_captured"]
    for refund in stripe.get("refunds", limit=100)["data"]:
        assert by_source[refund["id"]] in (0, -refund["amount"])


@settings(max_examples=6)
@given(steps=st.lists(STEPS, min_size=1, max_size=8))
def test_the_same_steps_give_the_same_answers(shop, steps):
    def books():
        stripe = shop(clock={"mode": "steps", "start": "2026-01-31T09:30:00"})
        for step in steps:
            do(stripe, step)
        read = [stripe.http("GET", path).text for path in ("events", "balance_transactions", "payment_intents")]
        return [text.replace(stripe.environment.id, "this") for text in read]  # links begin with it

    assert books() == books()
