"""What was done in a sandbox, operation by operation."""

import json
import os
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from slack_sdk import WebClient

from tests.harness import GENERAL, JOHN, Environment
from tests.server.sandboxes.asking import DIFF_ENTRY, Sandboxes

SHARED = Path(os.environ.get("TWINDIFF_SHARED") or Path(__file__).parents[4] / "shared")
CONTRACT = SHARED / "contracts" / "diff-entry.schema.json"
TOPIC = {"channel": GENERAL, "topic": "ships"}


@pytest.fixture
def made(sandboxes):
    return sandboxes.create("slack")


def told(entries):
    """Every change as operation, kind and place."""
    return [(entry["operation"], change["type"], change["path"]) for entry in entries for change in entry["changes"]]


def posted(entries):
    return [
        change["value"]["message_text"] for entry in entries for change in entry["changes"] if change["type"] == "add"
    ]


def busy(sandboxes, made) -> str:
    """A few operations of every kind; gives the ts of a message that is gone."""
    ts = sandboxes.say(made, "hello")
    sandboxes.call(made, "/conversations.setTopic", json=TOPIC)
    sandboxes.call(made, "/reactions.add", json={"channel": GENERAL, "timestamp": ts, "name": "eyes"})
    sandboxes.call(made, "/chat.update", json={"channel": GENERAL, "ts": ts, "text": "hello again"})
    sandboxes.call(made, "/chat.delete", json={"channel": GENERAL, "ts": ts})
    return ts


def test_nothing_was_done_in_a_new_sandbox(sandboxes, made):
    assert sandboxes.get(f"/{made['id']}/diffs") == {"diffs": [], "total": 0}


def test_a_vendors_sdk_works_against_the_base_url_and_its_calls_are_told(sandboxes, made):
    slack = WebClient(token="xoxb-any", base_url=made["base_url"])
    ts = slack.chat_postMessage(channel=GENERAL, text="hello")["ts"]
    slack.conversations_history(channel=GENERAL)
    slack.chat_update(channel=GENERAL, ts=str(ts), text="edited")
    first, second = sandboxes.diffs(made["id"])
    assert first == {
        "id": f"{made['id']}-1",
        "sandbox_id": made["id"],
        "operation": "chat.postMessage",
        "timestamp": first["timestamp"],
        "changes": [{"path": f"/messages/{ts}", "type": "add", "value": first["changes"][0]["value"]}],
    }
    assert first["changes"][0]["value"]["message_text"] == "hello"
    assert second["changes"] == [{"path": f"/messages/{ts}/message_text", "type": "replace", "value": "edited"}]


def test_each_kind_of_change_is_told_where_it_happened(sandboxes, made):
    ts = busy(sandboxes, made)
    reaction = f"/message_reactions/{ts},U01AGENBOT9,eyes"
    assert told(sandboxes.diffs(made["id"])) == [
        ("chat.postMessage", "add", f"/messages/{ts}"),
        ("conversations.setTopic", "replace", f"/channels/{GENERAL}/topic_text"),
        ("reactions.add", "add", reaction),
        ("chat.update", "replace", f"/messages/{ts}/message_text"),
        ("chat.delete", "remove", reaction),
        ("chat.delete", "remove", f"/messages/{ts}"),
    ]


def test_linears_operations_have_linears_names(sandboxes):
    made = sandboxes.create("linear")
    team = sandboxes.call(made, "", json={"query": "{ teams { nodes { id } } }"})["data"]["teams"]["nodes"][0]["id"]
    create = f'mutation {{ issueCreate(input: {{teamId: "{team}", title: "Leak"}}) {{ issue {{ id }} }} }}'
    issue = sandboxes.call(made, "/graphql", json={"query": create})["data"]["issueCreate"]["issue"]["id"]
    (entry,) = sandboxes.diffs(made["id"])
    assert entry["operation"] == "mutation issueCreate"
    assert ("mutation issueCreate", "add", f"/issues/{issue}") in told([entry])
    Draft202012Validator(DIFF_ENTRY).validate(entry)


@pytest.mark.parametrize("include", ["plain", "derived", "all"])
def test_every_entry_is_of_the_contracts_form(sandboxes, made, include):
    busy(sandboxes, made)
    entries = sandboxes.diffs(made["id"], include=include)
    assert len(entries) == 5
    for entry in entries:
        Draft202012Validator(DIFF_ENTRY).validate(entry)
        Draft202012Validator(json.loads(CONTRACT.read_text()) if CONTRACT.exists() else {}).validate(entry)


@pytest.mark.skipif(not CONTRACT.exists(), reason="the contract is not here; set TWINDIFF_SHARED to the folder of it")
def test_the_form_says_all_that_the_contract_says():
    contract = json.loads(CONTRACT.read_text())
    change, ours = (schema["properties"]["changes"]["items"] for schema in (contract, DIFF_ENTRY))
    assert (contract["required"], contract["properties"].keys()) == (
        DIFF_ENTRY["required"],
        DIFF_ENTRY["properties"].keys(),
    )
    assert (change["required"], change["properties"].keys()) == (ours["required"], ours["properties"].keys())
    assert change["properties"]["type"] == ours["properties"]["type"]


def test_the_time_is_the_environments(sandboxes, environment):
    env: Environment = environment(clock={"mode": "steps", "start": "2026-03-01T12:00:00Z"})
    env.post("one")
    env.post("two")
    times = [entry["timestamp"] for entry in sandboxes.diffs(env.id)]
    assert times == ["2026-03-01T12:00:01Z", "2026-03-01T12:00:02Z"]


def test_what_is_shown_grows_with_what_is_asked_for(sandboxes, made):
    sandboxes.say(made, f"<@{JOHN}> hello")
    sandboxes.call(made, "/conversations.mark", json={"channel": GENERAL, "ts": "1.000001"})
    tables = {
        include: {path.split("/")[1] for _, _, path in told(sandboxes.diffs(made["id"], include=include))}
        for include in ("plain", "derived", "all")
    }
    assert tables["plain"] == {"messages"}
    assert tables["derived"] == {"messages", "channels", "user_mentions"}
    assert tables["all"] > tables["derived"]


def test_a_derived_column_is_no_plain_change(sandboxes, made):
    ts = sandboxes.say(made, "hello")
    sandboxes.call(made, "/chat.update", json={"channel": GENERAL, "ts": ts, "text": "edited"})
    plain, derived = (told(sandboxes.diffs(made["id"], include=include)[1:]) for include in ("plain", "derived"))
    edited = ("chat.update", "replace", f"/messages/{ts}/edited_at")
    assert edited in derived
    assert edited not in plain


def test_an_operation_that_changed_nothing_visible_has_no_entry(sandboxes, made):
    sandboxes.say(made, "hello")
    sandboxes.call(made, "/conversations.mark", json={"channel": GENERAL, "ts": "1.000001"})
    page = sandboxes.get(f"/{made['id']}/diffs")
    assert (page["total"], told(page["diffs"])[0][0]) == (1, "chat.postMessage")
    assert sandboxes.get(f"/{made['id']}/diffs", include="all")["total"] == 2


def test_a_page_holds_what_was_asked_for_and_the_total_counts_all(sandboxes, made):
    for number in range(5):
        sandboxes.say(made, str(number))
    page = sandboxes.get(f"/{made['id']}/diffs", limit=2, offset=1)
    assert (posted(page["diffs"]), page["total"]) == (["1", "2"], 5)
    assert sandboxes.get(f"/{made['id']}/diffs", offset=5) == {"diffs": [], "total": 5}


def test_pages_of_a_long_journal_are_the_journal(sandboxes, made):
    for number in range(250):
        sandboxes.say(made, str(number))
    pages = [sandboxes.diffs(made["id"], limit=90, offset=offset) for offset in (0, 90, 180)]
    assert posted(pages[0] + pages[1] + pages[2]) == [str(number) for number in range(250)]


def test_what_was_undone_is_not_told(sandboxes, platform, made):
    for text in ("one", "two", "three"):
        sandboxes.say(made, text)
    platform.post(f"env/{made['id']}/rewind", {"to": 1})
    assert posted(sandboxes.diffs(made["id"])) == ["one"]
    sandboxes.say(made, "four")
    assert posted(sandboxes.diffs(made["id"])) == ["one", "four"]
    platform.post(f"env/{made['id']}/rewind", {"to": 2})
    assert posted(sandboxes.diffs(made["id"])) == ["one", "two"]
    platform.post(f"env/{made['id']}/reset")
    assert sandboxes.get(f"/{made['id']}/diffs") == {"diffs": [], "total": 0}


def test_a_fork_tells_what_it_began_with_too(sandboxes, platform, made):
    sandboxes.say(made, "before")
    (fork,) = platform.post(f"env/{made['id']}/fork")["environments"]
    sandboxes.say(made, "elsewhere")
    sandboxes.say({"base_url": made["base_url"].replace(made["id"], fork["environmentId"])}, "after")
    entries = sandboxes.diffs(fork["environmentId"])
    assert posted(entries) == ["before", "after"]
    assert {entry["sandbox_id"] for entry in entries} == {fork["environmentId"]}


def test_diffs_are_there_after_a_restart(make_server, tmp_path):
    server = make_server(data_dir=str(tmp_path))
    before = Sandboxes(server.client)
    made = before.create()
    busy(before, made)
    entries = before.diffs(made["id"], include="all")
    server.close()
    assert Sandboxes(make_server(data_dir=str(tmp_path)).client).diffs(made["id"], include="all") == entries


def test_an_environment_of_the_platform_is_told_likewise(sandboxes, environment):
    env: Environment = environment()
    env.post("hello")
    assert posted(sandboxes.diffs(env.id)) == ["hello"]
    dashed = f"{env.id[:8]}-{env.id[8:12]}-{env.id[12:16]}-{env.id[16:20]}-{env.id[20:]}"
    assert sandboxes.diffs(dashed) == sandboxes.diffs(env.id)
