"""What something costs, and when a period ends: pure arithmetic."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twindiff.twins.stripe.catalog.price_calculation import prorate_amount, shares, taxes_on, unit_price
from twindiff.twins.stripe.core.periods import next_boundary, previous_boundary, shift_time

TIERS = [
    {"up_to": 5, "unit_amount_decimal": "500", "flat_amount_decimal": "100"},
    {"up_to": 10, "unit_amount_decimal": "400", "flat_amount_decimal": None},
    {"up_to": None, "unit_amount_decimal": "12.5", "flat_amount_decimal": "1000"},
]


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


@pytest.mark.parametrize(("amount", "expected"), [(-1000, -3), (1800, 4), (1000, 2), (-1800, -5), (400, 1)])
def test_halves_go_down(amount, expected):
    assert prorate_amount(amount, 1, 400) == expected


@given(st.integers(-(10**9), 10**9), st.integers(0, 10**8), st.integers(1, 10**8))
def test_a_part_and_the_rest_are_the_whole_but_for_one(amount, left, whole):
    left = min(left, whole)
    assert abs(prorate_amount(amount, left, whole) + prorate_amount(amount, whole - left, whole) - amount) <= 1


@given(st.integers(0, 10**9), st.lists(st.integers(0, 10**6), min_size=1, max_size=10))
def test_shares_add_up(amount, weights):
    parts = shares(amount, weights)
    assert sum(parts) == (amount if sum(weights) else 0)
    assert all(part >= 0 for part in parts)


@pytest.mark.parametrize(
    ("mode", "quantity", "expected"),
    [("graduated", 0, 100), ("graduated", 5, 2600), ("graduated", 7, 3400), ("graduated", 12, 5625),
     ("volume", 5, 2600), ("volume", 7, 2800), ("volume", 12, 1150)],
)  # fmt: skip
def test_tiers_are_summed_or_chosen(mode, quantity, expected):
    price = {"tiers": TIERS, "tiers_mode": mode}
    assert unit_price(price, Decimal(quantity)) == expected


@pytest.mark.parametrize(("how", "expected"), [("up", 300), ("down", 200)])
def test_a_quantity_may_be_divided_first(how, expected):
    price = {"unit_amount_decimal": "100", "transform_quantity": {"divide_by": 5, "round": how}}
    assert unit_price(price, Decimal(11)) == expected


def test_an_inclusive_tax_is_a_part_of_the_amount():
    (tax,) = taxes_on(1200, [("txr_1", 20.0, True)])
    assert (tax.amount, tax.taxable) == (200, 1000)
    (tax,) = taxes_on(1000, [("txr_1", 8.875, False)])
    assert (tax.amount, tax.taxable) == (89, 1000)


@pytest.mark.parametrize(
    ("anchor", "after", "interval", "count", "expected"),
    [
        ("2026-01-31", "2026-01-31", "month", 1, "2026-02-28"),
        ("2026-01-31", "2026-02-28", "month", 1, "2026-03-31"),
        ("2026-01-31", "2026-03-31", "month", 3, "2026-04-30"),
        ("2024-02-29", "2024-02-29", "year", 1, "2025-02-28"),
        ("2024-02-29", "2027-02-28", "year", 1, "2028-02-29"),
        ("2026-03-10", "2026-03-01", "week", 2, "2026-03-10"),
        ("2026-03-10T12:00", "2026-03-10T13:00", "day", 1, "2026-03-11T12:00"),
    ],
)
def test_a_period_ends_on_the_day_of_its_anchor(anchor, after, interval, count, expected):
    assert next_boundary(at(anchor), at(after), interval, count) == at(expected)


@given(
    st.integers(10**9, 2 * 10**9),
    st.integers(10**9, 2 * 10**9),
    st.sampled_from(["day", "week", "month", "year"]),
    st.integers(1, 3),
)
def test_a_time_lies_between_two_boundaries(anchor, moment, interval, count):
    end = next_boundary(anchor, moment, interval, count)
    start = previous_boundary(anchor, moment, interval, count)
    assert start <= moment < end
    assert next_boundary(anchor, start, interval, count) == end


@given(st.integers(10**9, 2 * 10**9), st.sampled_from(["day", "week", "month", "year"]), st.integers(1, 30))
def test_a_shift_keeps_the_time_of_day(moment, interval, count):
    assert (shift_time(moment, interval, count) - moment) % 86400 == 0
