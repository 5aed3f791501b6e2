"""Rates over the last minute of an environment's clock."""

from twindiff.kit.clock import SECOND
from twindiff.kit.limits import MINUTE, Meter


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
