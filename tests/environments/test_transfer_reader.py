"""A file may say anything; what does not fit is refused with its reason, and nothing is written."""

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.environments.exported import lines_of_a_small_environment, packed
from twindiff.client import Environment, RequestRefused
from twindiff.environments.transfer import format as file_format
from twindiff.local import Twindiff


def first(file: list[dict], kind: str, **fields) -> dict:
    """The first line of a kind that has these fields."""
    return next(each for each in file if each["kind"] == kind and fields.items() <= each.items())


def inserted(record: dict) -> dict:
    """The row that a record inserts into messages."""
    return next(each for each in record["changes"] if each["table"] == "messages")


def with_two_alike(file: list[dict]) -> None:
    file.insert(2, first(file, "row", table="users"))


def with_a_row_changed_before(file: list[dict]) -> None:
    first(file, "row", table="channels")["values"]["topic_text"] = "Another"


def with_another_key(file: list[dict]) -> None:
    inserted(first(file, "record", seq=1))["key"] = ["another"]


def with_an_unknown_column(file: list[dict]) -> None:
    inserted(first(file, "record", seq=1))["after"]["mesage_text"] = "x"


def with_a_column_less(file: list[dict]) -> None:
    del inserted(first(file, "record", seq=1))["after"]["channel_id"]


def with_a_number_for_a_text(file: list[dict]) -> None:
    inserted(first(file, "record", seq=1))["after"]["message_text"] = 5


def with_an_unknown_table(file: list[dict]) -> None:
    inserted(first(file, "record", seq=1))["table"] = "mesages"


def with_a_gap(file: list[dict]) -> None:
    file.remove(first(file, "record", seq=2))


def with_a_rewind_to_the_future(file: list[dict]) -> None:
    last = first(file, "record", seq=3)
    file.insert(-1, {**last, "seq": 4, "twin": "", "changes": [], "to": 4})


def with_a_change_twice(file: list[dict]) -> None:
    record = first(file, "record", seq=1)
    record["changes"].append(inserted(record))


def with_a_strange_twin(file: list[dict]) -> None:
    first(file, "record", seq=1)["twin"] = "linear"


def with_a_checkpoint_beyond(file: list[dict]) -> None:
    first(file, "checkpoint")["seq"] = 4


def with_a_checkpoint_twice(file: list[dict]) -> None:
    file.insert(-1, first(file, "checkpoint"))


def with_a_call_beyond(file: list[dict]) -> None:
    first(file, "call")["seq"] = 99


def with_other_bytes(file: list[dict]) -> None:
    file.insert(-1, {"kind": "bytes", "digest": "0" * 64, "data": "eA=="})


def with_an_unknown_line(file: list[dict]) -> None:
    file.insert(3, {"kind": "secret"})


def with_another_head(file: list[dict]) -> None:
    file.insert(3, file[0])


def without_a_head(file: list[dict]) -> None:
    del file[0]


def without_an_end(file: list[dict]) -> None:
    del file[-1]


def with_something_after_the_end(file: list[dict]) -> None:
    file.append(file[2])


def of_a_later_format(file: list[dict]) -> None:
    file[0] |= {"format": 2, "twindiff": "9.0", "novelty": True}


def from_before_time(file: list[dict]) -> None:
    first(file, "record", seq=1)["at"] = -1


def with_a_huge_counter(file: list[dict]) -> None:
    first(file, "record", seq=1)["ids"]["ts"] = 2**62


CHANGES = {
    with_two_alike: "is there twice",
    with_a_row_changed_before: "record 1 does not fit what was there before it: slack.channels C01ABCD1234",
    with_another_key: "another key",
    with_an_unknown_column: "Did you mean 'message_text'?",
    with_a_column_less: "Object missing required field `channel_id`",
    with_a_number_for_a_text: "Expected `str | null`, got `int` - at `$.message_text`",
    with_an_unknown_table: "Did you mean 'messages'?",
    with_a_gap: "record 3 stands where record 2 should",
    with_a_rewind_to_the_future: "record 4 goes back to 4",
    with_a_change_twice: "record 1 changes a row twice",
    with_a_strange_twin: "none of the environment's twins: slack",
    with_a_checkpoint_beyond: "point 4; the journal ends at 3",
    with_a_checkpoint_twice: "the checkpoint 'begun' is there twice",
    with_a_call_beyond: "point 99; the journal ends at 3",
    with_other_bytes: "are not those it is named by",
    with_an_unknown_line: "line 4: Invalid value 'secret'",
    with_another_head: "line 4: another environment begins",
    without_a_head: "does not begin as an environment",
    without_an_end: "its end is missing",
    with_something_after_the_end: "something stands after the end",
    of_a_later_format: "format 2, written by twindiff 9.0",
    from_before_time: "`$.at`",
    with_a_huge_counter: "`$.ids[...]`",
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_file_that_does_not_fit_is_refused_and_nothing_is_written(here, there, refused, change):
    file = lines_of_a_small_environment(here)
    change(file)
    assert CHANGES[change] in refused(packed(file), 400, "invalid_export")


def places(value: Any, path: tuple = ()) -> Iterator[tuple]:
    """Where a value lies in JSON, by keys and indexes."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inside:
        yield (*path, key)
        yield from places(each, (*path, key))


ODD = [None, 0, 1, -1, 2**63, 2**70, 1.5, 1e300, True, "", "x", "\0", "9" * 30, [], [None], {}, {"a": {"b": []}}]


def attempted(td: Twindiff, file: bytes) -> Environment | int:
    """The environment of a file, or the status of its refusal."""
    try:
        return td.import_environment(file)
    except RequestRefused as refused:
        return refused.status


@settings(max_examples=60)
@given(where=st.integers(0, 10_000), odd=st.sampled_from(ODD), drop=st.booleans())
def test_whatever_is_changed_the_answer_is_a_refusal_or_an_environment_that_works(here, there, where, odd, drop):
    file = lines_of_a_small_environment(here)
    paths = list(places(file))
    *path, last = paths[where % len(paths)]
    holder: Any = file
    for key in path:
        holder = holder[key]
    holder[last] = odd
    if drop:
        del holder[last]
    arrived = attempted(there, gzip.compress("\n".join(map(json.dumps, file)).encode()))
    if isinstance(arrived, int):
        assert arrived in (400, 409)
        return
    with arrived:
        for point in range(arrived.seq() + 1):
            arrived.fork(point).delete()
            arrived.diff(point)
        arrived.export()


@pytest.fixture
def refused(there):
    """Import what must be refused with this status and code, and give the words; nothing may be written."""

    def refuse(file: bytes, status: int, code: str) -> str:
        before = there.environments(), there.templates()
        with pytest.raises(RequestRefused, match=f"[(]{status} {code}[)]") as refusal:
            there.import_environment(file)
        assert (there.environments(), there.templates()) == before
        return str(refusal.value)

    return refuse


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (b"", "the file is empty"),
        (b"PK\x03\x04", "Not a gzipped file"),
        (gzip.compress(b"{}\n"), "does not begin as an environment"),
        (gzip.compress(b"[" * 100_000), "does not begin as an environment"),
        (gzip.compress(b'"\xff"'), "does not begin as an environment"),
        (gzip.compress(b"x" * 1_000)[:-9], "cut off"),
    ],
    ids=["empty", "another format", "another object", "deep", "no text", "cut off"],
)
def test_what_is_no_export_at_all_is_refused(refused, file, words):
    assert words in refused(file, 400, "invalid_export")


def test_a_damaged_byte_is_noticed(here, refused):
    with here.create("slack:slack_default") as env:
        file = bytearray(env.export())
    file[len(file) // 2] ^= 0xFF
    refused(bytes(file), 400, "invalid_export")


def test_a_bomb_is_not_unpacked(refused, monkeypatch):
    monkeypatch.setattr(file_format, "MAX_UNPACKED_BYTES", 1_000_000)
    bomb = gzip.compress(bytes(50_000_000), compresslevel=1)
    assert "more than 1,000,000 bytes" in refused(bomb, 413, "export_too_large")


def test_a_value_that_is_nested_too_deeply_is_refused(here, refused):
    file = lines_of_a_small_environment(here)
    row = inserted(first(file, "record", seq=1))["after"]
    row["blocks"] = "HERE"
    text = gzip.decompress(packed(file)).replace(b'"HERE"', b"[" * 5_000 + b"]" * 5_000)
    assert "nested too deeply" in refused(gzip.compress(text), 400, "invalid_export")


def test_a_number_beyond_64_bits_is_refused(here, refused):
    file = lines_of_a_small_environment(here)
    values = {"user_id": "U01AGENBOT9", "status_expiration": 2**63}
    file.insert(1, {"kind": "row", "twin": "slack", "table": "user_profiles", "values": values})
    assert "status_expiration is beyond 64 bits" in refused(packed(file), 400, "invalid_export")


def test_rows_of_other_tables_than_are_installed_are_a_conflict(here, refused):
    file = lines_of_a_small_environment(here)
    file[0]["twins"]["slack"]["schema"] = "0" * 32
    with_an_unknown_column(file)
    assert "The slack twin that wrote the file (twindiff " in refused(packed(file), 409, "schema_changed")


def test_a_file_that_lacks_what_came_later_is_opened(here):
    file = lines_of_a_small_environment(here)
    file[0]["twins"]["slack"]["schema"] = "0" * 32
    del inserted(first(file, "record", seq=1))["after"]["subtype"]
    with here.import_environment(packed(file)) as env:
        assert env.journal()[0].changes


def test_events_that_an_earlier_release_kept_as_rows_are_events(here):
    file = lines_of_a_small_environment(here)
    record = first(file, "record", seq=1)
    [event] = record.pop("events")
    row = {"event_id": 1, "emitted_at": "2026-01-31T09:30:01", **event}
    record["changes"].append({"table": "queued_events", "key": [1], "before": None, "after": row})
    with here.import_environment(packed(file)) as env:
        told = env.journal()[0]
    assert [(each.name, each.payload) for each in told.events] == [("message", event["payload"])]
    assert [change.table for change in told.changes] == [each["table"] for each in record["changes"][:-1]]


def test_an_event_that_is_none_is_refused(here, refused):
    file = lines_of_a_small_environment(here)
    first(file, "record", seq=1)["events"] = [{"name": "message", "payload": []}]
    assert "Expected `object`, got `array`" in refused(packed(file), 400, "invalid_export")


def test_a_twin_that_is_not_installed_is_named(here, refused):
    file = lines_of_a_small_environment(here)
    file[0]["twins"] = {"slak": file[0]["twins"]["slack"]}
    assert "Unknown twin 'slak'" in refused(packed(file), 400, "unknown_twin")


def test_a_checkpoint_with_a_bad_name_is_refused(here, refused):
    file = lines_of_a_small_environment(here)
    first(file, "checkpoint")["name"] = "1"
    assert "'1' cannot name a checkpoint" in refused(packed(file), 400, "invalid_checkpoint_name")


def test_many_rewinds_are_looked_at_in_no_time(here, there):
    """Each goes back over all there is: to follow every one of them would take minutes."""
    file = lines_of_a_small_environment(here)
    last = first(file, "record", seq=3)
    rewind = {**last, "twin": "", "operation": "rewind", "changes": []}
    more = [{**rewind, "seq": seq, "to": 3 if seq % 2 else 0} for seq in range(4, 20_000)]
    assert there.import_environment(packed([*file[:-1], *more, file[-1]])).seq() == 19_999
