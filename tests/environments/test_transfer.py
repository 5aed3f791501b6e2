"""An environment travels in a file, and goes on elsewhere as it would have here."""

import gzip
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.environments.exported import STEPS, call, lines, lines_of_a_small_environment, packed, say
from tests.harness import GENERAL, RANDOM
from twindiff.client import Environment, RequestRefused
from twindiff.environments.transfer import format as file_format
from twindiff.kit import Call, Column, Operations, Row, Twin, column
from twindiff.kit.styles.base import Style
from twindiff.local import Twindiff

PHOTO = b"\x89PNG\r\n" + bytes(range(256)) * 10_000


def told(file: bytes) -> list[dict]:
    """What a file says, without what differs between an environment and its likeness."""
    head, *rest = lines(file)
    return [{**head, "environment": ""}, *rest]


def do(td: Twindiff, env: Environment, step: tuple[str, int]) -> None:
    """One thing that can happen to an environment; the number says to what or where."""
    what, number = step
    messages = [
        change.key[0]
        for record in env.journal()
        for change in record.changes
        if change.table == "messages" and change.before is None
    ]
    if what == "post" or not messages:
        say(td, env, f"{number} \0 ✓")
    elif what == "checkpoint":
        env.checkpoint(f"c{len(env.checkpoints())}", number % (env.seq() + 1))
    elif what == "rewind":
        env.rewind(number % (env.seq() + 1))
    else:
        ts = messages[number % len(messages)]
        given = {"chat.update": {"text": f"{number}"}, "reactions.add": {"name": "eyes", "timestamp": ts}}.get(what, {})
        call(td, env, what, channel=GENERAL, ts=ts, **given)


STEP = st.tuples(
    st.sampled_from(["post", "chat.update", "chat.delete", "reactions.add", "checkpoint", "rewind"]), st.integers(0, 50)
)


@settings(max_examples=25)
@given(steps=st.lists(STEP, max_size=12), later=st.lists(STEP, max_size=3))
def test_what_arrives_is_what_left(here: Twindiff, there: Twindiff, steps, later):
    with here.create("slack:slack_default", clock=STEPS) as left:
        for step in steps:
            do(here, left, step)
        file = left.export()
        with there.import_environment(file) as arrived:
            assert told(arrived.export()) == told(file)
            points = range(left.seq() + 1)
            for start, end in [(a, b) for a in points for b in points]:
                assert arrived.diff(start, end, include="all") == left.diff(start, end, include="all")
            for step in later:
                do(here, left, step)
                do(there, arrived, step)
            assert arrived.journal() == left.journal()


def test_an_arrival_has_a_new_id_and_token_and_lasts_as_long(here, there):
    with here.create("slack:slack_default", ttl_seconds=500, name="mine") as left:
        arrived = there.import_environment(left.export())
    shown = arrived.show()
    assert left.id != arrived.id
    assert left.token != arrived.token
    assert (shown.name, shown.status) == ("mine", "ready")
    assert lines(arrived.export())[0]["ttl_seconds"] == 500


def test_an_arrival_may_be_named_and_last_otherwise(here, there):
    with here.create("slack:slack_default", name="mine") as left:
        arrived = there.import_environment(left.export(), name="yours", ttl_seconds=77)
    assert arrived.show().name == "yours"
    assert lines(arrived.export())[0]["ttl_seconds"] == 77


def test_every_point_of_an_arrival_is_one_to_return_to_and_to_go_on_from(here, there):
    with here.create("slack:slack_default") as left:
        for text in ("one", "two", "three"):
            say(here, left, text)
        left.checkpoint("two", 2)
        arrived = there.import_environment(left.export())
    say(there, arrived.fork(at="two"), "branch")
    assert arrived.rewind("two") == 4
    assert [row["message_text"] for row in arrived.diff()["inserts"]] == ["one", "two"]
    assert [row["message_text"] for row in arrived.diff(0, 3)["inserts"]] == ["one", "two", "three"]


def test_a_fork_travels_with_the_past_it_shares(here, there):
    with here.create("slack:slack_default") as parent:
        say(here, parent, "before")
        fork = parent.fork()
    say(here, fork, "after")
    arrived = there.import_environment(fork.export())
    assert arrived.journal() == fork.journal()
    assert {line["seq"] for line in lines(arrived.export()) if line["kind"] == "record"} == {1, 2}


def upload(td: Twindiff, env: Environment, data: bytes) -> str:
    """Share a file as Slack's own client does, and give its address."""
    ticket = call(td, env, "files.getUploadURLExternal", filename="photo.png", length=len(data))
    with httpx.Client(transport=td.transport()) as client:
        assert client.post(ticket["upload_url"], content=data).is_success
    file = call(td, env, "files.completeUploadExternal", files=[{"id": ticket["file_id"]}], channel_id=RANDOM)["files"]
    return file[0]["url_private"].partition("/services/slack")[2]


def test_the_bytes_of_files_travel(here, there):
    with here.create("slack:slack_default") as left:
        address = upload(here, left, PHOTO)
        arrived = there.import_environment(left.export())
    headers = {"Authorization": f"Bearer {arrived.token}"}
    with httpx.Client(transport=there.transport(arrived), headers=headers) as client:
        assert client.get(f"https://slack.com{address}").content == PHOTO


def test_no_token_is_in_the_file(here):
    with here.create("slack:slack_default", auth="strict", tokens={"xoxb-secret": "U02JOHNDOE1"}) as env:
        text = gzip.decompress(env.export()).decode()
        assert lines(env.export())[0]["auth"] == "strict"
    assert env.token not in text
    assert "xoxb-secret" not in text


def test_the_calls_of_an_environment_travel(here, there):
    with here.create("slack:slack_default") as left:
        say(here, left, "one")
        call(here, left, "conversations.info", channel="nowhere")
        arrived = there.import_environment(left.export())
        assert arrived.calls() == left.calls()
    assert [each.error for each in arrived.calls()] == [None, "channel_not_found"]


def test_a_template_that_nobody_knows_here_takes_no_name_of_another(here, there):
    file = lines_of_a_small_environment(here)
    file[1]["values"]["team_name"] = "Another workspace"
    before = {(each.service, each.name): each.id for each in there.templates()}
    arrived = there.import_environment(packed(file))
    after = {(each.service, each.name): each.id for each in there.templates()}
    assert after.items() > before.items()
    assert call(there, arrived, "team.info")["team"]["name"] == "Another workspace"


def test_a_long_life_travels(here, there):
    with here.create("slack:slack_default", clock=STEPS) as left:
        for number in range(1_050):
            say(here, left, str(number))
        arrived = there.import_environment(left.export())
        for point in (1, 700, 1_001):
            assert arrived.fork(point).diff() == left.fork(point).diff()
        assert say(there, arrived, "next") == say(here, left, "next")


def test_the_same_state_is_the_same_file(here):
    with here.create("slack:slack_default") as env:
        say(here, env, "one")
        assert env.export() == env.export()


class Before(Row, table="notes", key=("id",)):
    id: Column[str]
    text: Column[str]
    mood: Column[str | None] = column(default=None)


class After(Row, table="notes", key=("id",)):
    id: Column[str]
    text: Column[str]
    stars: Column[int] = column(default=3)


class Elsewhere(Row, table="others", key=("id",)):
    id: Column[str]
    text: Column[str]


def notes(row: Any) -> Twin:
    """A twin with one table, that of one of its versions."""
    api = Operations()

    @api.post("/notes")
    def add(call: Call, text: str) -> dict[str, Any]:
        return {"id": call.db.add(row(id=call.ids.new(), text=text)).id}

    return Twin("notes", Style(), api, tables=[row], templates={"empty": dict})


def test_what_lived_through_a_change_of_tables_travels(tmp_path):
    with Twindiff(str(tmp_path), twins=[notes(Before)]) as td:
        env = td.create("notes:empty")
        with httpx.Client(transport=td.transport(env)) as client:
            client.post("https://notes/notes", json={"text": "old"}, headers={"Authorization": "x"})
    with Twindiff(str(tmp_path), twins=[notes(After)]) as td, Twindiff(twins=[notes(After)]) as there:
        arrived = there.import_environment(td.environment(env.id).export())
        (row,) = arrived.diff()["inserts"]
        assert (row["text"], row["stars"], "mood" in row) == ("old", 3, False)
    with (
        Twindiff(str(tmp_path), twins=[notes(Elsewhere)]) as td,
        pytest.raises(RequestRefused, match=r"the table 'notes', which was used \(409 schema_changed"),
    ):
        td.environment(env.id).export()


def test_what_is_too_large_for_a_file_is_not_exported(here, monkeypatch):
    monkeypatch.setattr(file_format, "MAX_UNPACKED_BYTES", 3_000)
    with here.create("slack:slack_default") as env:
        with pytest.raises(RequestRefused, match="413 export_too_large"):
            env.export()
        assert env.show().status == "ready"


def test_a_deleted_environment_does_not_travel(here):
    env = here.create("slack:slack_default")
    env.delete()
    with pytest.raises(RequestRefused, match="410 environment_deleted"):
        env.export()
