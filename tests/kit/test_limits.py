"""Rates over the last minute of an environment's clock."""

from twindiff.kit.clock import SECOND
from twindiff.kit.limits import MAX_NAMES, MINUTE, Meter


def test_as_many_as_allowed_pass_and_then_one_waits_for_the_first_to_be_a_minute_old():
    meter = Meter()
    assert [meter.wait("a", 2, at * SECOND) for at in (0, 10, 20)] == [0, 0, 40]
    assert meter.wait("a", 2, MINUTE) == 0
    assert meter.wait("a", 2, MINUTE + SECOND) == 9


def test_what_was_refused_does_not_count():
    meter = Meter()
    assert [meter.wait("a", 1, at * SECOND) for at in (0, 59, 60)] == [0, 1, 0]


def test_every_name_is_counted_by_itself():
    meter = Meter()
    assert [meter.wait(name, 1, 0) for name in "abab"] == [0, 0, 60, 60]


def test_names_that_callers_make_up_do_not_fill_the_memory():
    meter = Meter()
    for number in range(3 * MAX_NAMES):
        meter.wait(f"made-up-{number}", 1, number)
    assert meter.names <= MAX_NAMES


def test_names_of_the_past_are_forgotten_before_those_that_count():
    meter = Meter()
    for number in range(MAX_NAMES - 1):
        meter.wait(f"past-{number}", 1, 0)
    meter.wait("counts", 1, MINUTE)
    meter.wait("another", 1, MINUTE)
    assert (meter.names, meter.wait("counts", 1, MINUTE)) == (2, 60)


def test_what_is_spent_counts_for_a_minute_and_under_its_own_name():
    meter = Meter()
    spent = [meter.spend(name, 2.5, at * SECOND) for name, at in [("a", 0), ("a", 0), ("b", 1), ("a", 59), ("a", 60)]]
    assert spent == [2.5, 5, 2.5, 7.5, 5]


def test_made_up_names_do_not_fill_the_memory_of_what_is_spent():
    meter = Meter()
    assert [meter.spend(f"made-up-{number}", 1, 0) for number in range(3 * MAX_NAMES)] == [1] * (3 * MAX_NAMES)
    assert meter.spend("made-up-0", 1, 0) == 1
