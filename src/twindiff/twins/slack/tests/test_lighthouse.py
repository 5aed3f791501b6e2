"""The rich workspace: as large as it is said to be, the same each time, and a plot that can be asked about."""

import pytest

from twindiff.twins.slack.core.emoji import is_emoji
from twindiff.twins.slack.lighthouse.people import BY_NAME, LEFT, PEOPLE
from twindiff.twins.slack.lighthouse.plot import PLOT
from twindiff.twins.slack.lighthouse.workspace import write

ROWS = write()
SKIPPER = "U01AGENBOT9"


@pytest.fixture
def slack(workspace):
    return workspace("slack_lighthouse", tokens={f"xoxp-{person.id}": person.id for person in PEOPLE})


def test_it_is_as_large_as_it_is_said_to_be():
    counts = {table: len(rows) for table, rows in ROWS.items()}
    assert counts["users"] >= 44
    assert counts["messages"] == 2200
    assert sum(not (room.get("is_dm") or room.get("is_gc")) for room in ROWS["channels"]) >= 25
    assert min(counts[table] for table in ("message_reactions", "files", "pins", "bookmarks", "canvases")) >= 3
    assert sum(message["parent_id"] is not None for message in ROWS["messages"]) > 500


def test_it_takes_three_months():
    times = sorted(message["created_at"] for message in ROWS["messages"])
    assert (times[0][:7], times[-1][:7]) == ("2026-01", "2026-03")


def test_it_is_written_the_same_each_time():
    assert write.__wrapped__() == ROWS


def test_another_number_gives_other_talk_around_the_same_plot():
    others = {message["message_text"] for message in write.__wrapped__(5)["messages"]}
    ours = {message["message_text"] for message in ROWS["messages"]}
    assert ours != others
    assert {said.text for said in PLOT if "{" not in said.text} <= ours & others


def test_people_are_in_many_time_zones_and_of_every_role():
    assert len({person.zone for person in PEOPLE}) >= 8
    assert {person.role for person in PEOPLE} == {"owner", "admin", "member", "guest"}


def test_people_speak_only_where_they_are():
    members = {(row["channel_id"], row["user_id"]) for row in ROWS["channel_members"]}
    said = {(row["channel_id"], row["user_id"]) for row in ROWS["messages"]}
    assert said <= members


def test_replies_come_after_what_they_answer():
    assert all(row["parent_id"] < row["message_id"] for row in ROWS["messages"] if row["parent_id"])


def test_who_left_says_nothing_afterwards():
    last = max(row["created_at"] for row in ROWS["messages"] if row["user_id"] == BY_NAME[LEFT].id)
    assert last < "2026-02-28"


def test_every_emoji_is_one():
    used = {row["reaction_type"] for row in ROWS["message_reactions"]}
    used |= {row["emoji"].strip(":") for row in ROWS["bookmarks"]}
    assert {name for name in used if not is_emoji(name)} == set()


def test_the_new_date_of_the_release_is_found(slack):
    [match] = slack("search.messages", query='"comes a week later" in:general')["messages"]["matches"]
    assert "24 March" in match["text"]


def test_the_vote_is_counted_by_its_emoji(slack):
    matches = slack("search.messages", query="has::ballot_box_with_ballot: in:general")["messages"]["matches"]
    votes = {}
    for match in matches:
        message = slack("reactions.get", channel=match["channel"]["id"], timestamp=match["ts"], full=True)["message"]
        votes[match["text"].split(":")[0]] = message["reactions"][0]["count"]
    assert max(votes.items(), key=lambda each: each[1])[0] == "Split"


def test_one_promise_after_the_incident_was_not_kept(slack):
    [review] = slack("search.messages", query='"Four things to do" in:incidents')["messages"]["matches"]
    thread = slack("conversations.replies", channel=review["channel"]["id"], ts=review["ts"])["messages"]
    answered = {message["user"] for message in thread[1:]}
    named = {BY_NAME[name].id for name in BY_NAME if name.split(".")[0] in ("tomasz", "sofie", "nomsa", "arjun")}
    assert named - answered == {BY_NAME["arjun.deshpande"].id}


def test_the_price_is_known_to_those_inside_alone(slack):
    victor = slack.as_user(BY_NAME["victor.almeida"].id)
    assert victor("search.messages", query="42,500 in:deal-aveiro")["messages"]["total"] >= 1
    assert slack("search.messages", query="42,500")["messages"]["total"] == 0


def test_a_file_of_the_plot_can_be_read(slack):
    [match] = slack("search.files", query="stale tide tables")["files"]["matches"]
    assert "build 771" in slack("files.info", file=match["id"])["content"]


def test_a_whole_channel_can_be_paged_through(slack):
    seen, cursor = [], ""
    while cursor or not seen:
        page = slack("conversations.history", channel="general", limit=20, cursor=cursor)
        seen += [message["ts"] for message in page["messages"]]
        cursor = page["response_metadata"]["next_cursor"] if page["has_more"] else ""
    assert seen == sorted(set(seen), reverse=True)
