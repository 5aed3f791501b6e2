"""Due work goes on for longer while nobody else comes, and gives way at once when somebody does."""

from twindiff.environments.due import MAX_SLICE_SECONDS, DueSlice
from twindiff.storage.deadline import BRIEF_SECONDS


def test_turns_grow_up_to_a_bound_while_nobody_comes():
    turns = DueSlice(lambda: 1)
    lengths: list[float] = []
    for _ in range(4):
        lengths.append(turns.seconds)
        turns.end()
    assert lengths == [BRIEF_SECONDS, 2 * BRIEF_SECONDS, MAX_SLICE_SECONDS, MAX_SLICE_SECONDS]


def test_a_turn_in_which_somebody_came_is_followed_by_a_short_one():
    arrivals = iter([1, 1, 2, 2])
    turns = DueSlice(lambda: next(arrivals))
    turns.end()
    assert turns.is_long
    turns.end()
    assert turns.seconds == BRIEF_SECONDS
    assert not turns.is_long
