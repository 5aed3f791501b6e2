"""Records lead from any state of an environment to any other, and those of earlier releases are read."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from twindiff.kit.events import Event
from twindiff.storage.journal import FORMER_QUEUE, JournalRecord, RowChange, between, decode, encode

STEPS = st.lists(st.integers(-30, 3).map(lambda step: min(0, step)), max_size=25)
"""Zero for an operation, and how far back for a rewind."""


def record(seq: int, changes: list[RowChange], to: int | None = None) -> JournalRecord:
    event = Event("written", {"seq": seq})
    return JournalRecord(
        "e1", seq, "alpha", "write", "U1", seq, seq, {}, changes, to, [] if to is not None else [event]
    )


def journal(steps: list[int]) -> tuple[list[JournalRecord], list[list[int]]]:
    """A journal, and at each of its points the numbers of the operations that count."""
    records: list[JournalRecord] = []
    states: list[list[int]] = [[]]
    for seq, step in enumerate(steps, 1):
        if step:
            to = max(0, seq - 1 + step)
            records.append(record(seq, [], to))
            states.append(states[to])
        else:
            records.append(record(seq, [RowChange("things", (seq,), None, {"id": seq})]))
            states.append([*states[-1], seq])
    return records, states


@settings(max_examples=200)
@given(STEPS, st.integers(0, 25), st.integers(0, 25))
def test_records_between_two_points_lead_from_one_to_the_other(steps: list[int], start: int, end: int):
    records, states = journal(steps)
    start, end = min(start, len(steps)), min(end, len(steps))
    state = list(states[start])
    for each in between(lambda after, upto: records[after:upto], start, end):
        for table, key, before, after in each.changes:
            assert table == "things"
            if after is None:
                assert state.pop() == key[0]
                assert (before, each.events) == ({"id": key[0]}, [])
            else:
                state.append(key[0])
    assert state == states[end]
    assert len(between(lambda after, upto: records[after:upto], start, start)) == 0


def test_events_that_an_earlier_release_kept_as_rows_are_read_as_events():
    plain = RowChange("things", (1,), None, {"id": 1})
    queued = RowChange(FORMER_QUEUE, (1,), None, {"event_id": 1, "name": "thing.made", "payload": {"id": 1}})
    sent = RowChange(FORMER_QUEUE, (0,), {"event_id": 0, "name": "thing.lost", "payload": {}}, None)
    told = record(7, [plain, queued, sent])
    assert decode(encode(told)) == JournalRecord(
        "e1", 7, "alpha", "write", "U1", 7, 7, {}, [plain], None, [*told.events, Event("thing.made", {"id": 1})]
    )
