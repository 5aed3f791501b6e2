"""Files that other services keep: add, share, change, forget."""

import pytest

from tests.harness import GENERAL, RANDOM
from twindiff.twins.slack.tests.calls import BOT, OPEN

URL = "https://drive.example.com/plan"
PLAN = {"external_id": "g2", "external_url": URL, "title": "Plan B"}
LONG = "x" * 256


def test_a_remote_file_is_shown_as_one_that_is_elsewhere(world):
    """https://docs.slack.dev/reference/methods/files.remote.add"""
    file = world("files.remote.add", **PLAN)["file"]
    about = {"mode": "external", "is_external": True, "external_type": "app", "filetype": "remote", "size": 0}
    assert file.items() >= {**about, **PLAN, "url_private": URL, "is_public": False}.items()


def test_adding_a_file_again_changes_it(world):
    first = world("files.remote.add", **PLAN)["file"]
    again = world("files.remote.add", **{**PLAN, "title": "Plan C"}, filetype="pdf")["file"]
    assert (again["id"], again["title"], again["pretty_type"]) == (first["id"], "Plan C", "PDF")


def test_a_shared_file_stands_in_a_message_to_each_channel(world):
    """https://docs.slack.dev/reference/methods/files.remote.share"""
    file = world("files.remote.share", external_id="g1", channels=f"{GENERAL},{RANDOM}")["file"]
    assert sorted(file["channels"]) == sorted([GENERAL, RANDOM])
    message = world("conversations.history", channel=RANDOM, limit=1)["messages"][0]
    assert (message["blocks"][0]["type"], message["files"][0]["external_id"]) == ("file", "g1")


def test_a_file_that_is_forgotten_leaves_its_messages(world):
    world("files.remote.share", file="F3", channels=GENERAL)
    assert world("files.remote.remove", file="F3") == {"ok": True}
    assert world("files.remote.info", file="F3")["error"] == "file_not_found"
    assert "files" not in world("conversations.history", channel=GENERAL, limit=1)["messages"][0]


def test_remote_files_are_listed_in_pages_and_by_channel(world):
    world("files.remote.add", **PLAN)
    world("files.remote.share", external_id="g2", channels=GENERAL)
    first = world("files.remote.list", limit=1)
    second = world("files.remote.list", limit=1, cursor=first["response_metadata"]["next_cursor"])
    assert {page["files"][0]["external_id"] for page in (first, second)} == {"g1", "g2"}
    here = world("files.remote.list", channel=GENERAL, ts_from=1)["files"]
    assert [file["external_id"] for file in here] == ["g2"]
    assert world("files.remote.list", ts_to=1)["files"] == []


@pytest.mark.parametrize("method", ["files.remote.add", "files.remote.update", "files.remote.remove"])
def test_people_do_not_write_remote_files_where_tokens_count(workspace, method):
    """https://docs.slack.dev/reference/methods/files.remote.add"""
    slack = workspace(auth="strict", tokens={"xoxp-U02JOHNDOE1": "U02JOHNDOE1"}).as_user("U02JOHNDOE1")
    assert slack(method, **PLAN)["error"] == "bot_user_required"


@pytest.mark.parametrize(
    ("method", "arguments", "error"),
    [
        ("files.remote.add", {**PLAN, "title": LONG}, "bad_title"),
        ("files.remote.add", {**PLAN, "external_id": LONG}, "invalid_external_id"),
        ("files.remote.add", {**PLAN, "external_url": "drive"}, "invalid_arguments"),
        ("files.remote.add", {"title": "Plan"}, "invalid_arguments"),
        ("files.remote.info", {}, "invalid_args"),
        ("files.remote.info", {"file": "F3", "external_id": "g1"}, "too_many_ids"),
        ("files.remote.info", {"file": "F1"}, "file_not_found"),
        ("files.remote.list", {"cursor": "abc"}, "invalid_cursor"),
        ("files.remote.list", {"channel": "C0NOPE"}, "channel_not_found"),
        ("files.remote.remove", {}, "invalid_args"),
        ("files.remote.remove", {"external_id": "g0"}, "file_not_found"),
        ("files.remote.remove", {"file": "F3", "external_id": "g1"}, "too_many_ids"),
        ("files.remote.share", {"channels": GENERAL}, "invalid_args"),
        ("files.remote.share", {"external_id": "g1", "channels": ""}, "invalid_args"),
        ("files.remote.share", {"external_id": "g0", "channels": GENERAL}, "file_not_found"),
        ("files.remote.share", {"external_id": "g1", "channels": "C0NOPE"}, "channel_not_found"),
        ("files.remote.share", {"external_id": "g1", "channels": OPEN}, "not_in_channel"),
        ("files.remote.update", {"external_id": "g0", "title": "a"}, "file_not_found"),
        ("files.remote.update", {"external_id": "g1", "title": ""}, "invalid_title"),
        ("files.remote.update", {"external_id": "g1", "external_url": "drive"}, "invalid_url"),
    ],
)
def test_a_refusal_of_a_remote_file_says_why_and_changes_nothing(world, method, arguments, error):
    assert world(method, **arguments)["error"] == error
    assert world.diff(include="all") == {"inserts": [], "updates": [], "deletes": []}


def test_a_remote_file_is_a_bot_s(world):
    assert world("files.remote.info", external_id="g1")["file"]["user"] == BOT
