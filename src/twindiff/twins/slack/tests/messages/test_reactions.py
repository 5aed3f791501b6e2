"""reactions.add, reactions.remove and reactions.get."""

import pytest

GENERAL, RANDOM = "C01ABCD1234", "C02EFGH5678"
ME, JOHN, ROBERT = "U01AGENBOT9", "U02JOHNDOE1", "U03ROBERT23"
TS = "1699564800.000123"
MESSAGE = {"channel": GENERAL, "timestamp": TS}
ADD_REMOVE = ["reactions.add", "reactions.remove"]
ALL = [*ADD_REMOVE, "reactions.get"]


def reactions(slack, **arguments):
    return slack("reactions.get", **MESSAGE, **arguments)["message"].get("reactions")


def test_a_reaction_is_shown_with_who_gave_it(slack, slack_as):
    for who in slack, slack_as(JOHN):
        assert who("reactions.add", **MESSAGE, name="eyes") == {"ok": True}
    assert reactions(slack) == [{"name": "eyes", "users": [ME, JOHN], "count": 2}]


@pytest.mark.parametrize(
    ("given", "stored"), [("thumbsup", "thumbsup"), (":+1:", "+1"), ("wave::skin-tone-2", "wave::skin-tone-2")]
)
def test_a_reaction_is_stored_by_the_name_it_was_given(slack, diff, given, stored):
    slack("reactions.add", **MESSAGE, name=given)
    [row] = diff()["inserts"]
    assert (row["__table__"], row["reaction_type"], row["user_id"]) == ("message_reactions", stored, ME)


def test_an_emoji_is_the_same_by_all_its_names(slack, slack_as):
    slack("reactions.add", **MESSAGE, name="thumbsup")
    assert slack("reactions.add", **MESSAGE, name="+1")["error"] == "already_reacted"
    slack_as(JOHN)("reactions.add", **MESSAGE, name="+1")
    assert [(each["name"], each["count"]) for each in reactions(slack)] == [("thumbsup", 2)]
    assert slack("reactions.remove", **MESSAGE, name="+1")["ok"]


def test_only_one_s_own_reaction_is_removed(slack, slack_as, diff):
    slack_as(JOHN)("reactions.add", **MESSAGE, name="eyes")
    assert slack("reactions.remove", **MESSAGE, name="eyes")["error"] == "no_reaction"
    assert slack_as(JOHN)("reactions.remove", **MESSAGE, name="eyes") == {"ok": True}
    assert diff()["inserts"] == []


def test_a_message_without_reactions_has_no_list_of_them(slack):
    answer = slack("reactions.get", **MESSAGE)
    assert (answer["type"], answer["channel"], answer["message"]["ts"]) == ("message", GENERAL, TS)
    assert "reactions" not in answer["message"]


@pytest.mark.parametrize("method", ALL)
def test_an_item_must_be_named(slack, method):
    for item in {"channel": GENERAL}, {"timestamp": TS}, {}:
        assert slack(method, name="eyes", **item)["error"] == "no_item_specified"


@pytest.mark.parametrize("method", ALL)
def test_an_item_must_exist(slack, method):
    for channel, timestamp, error in (
        (GENERAL, "yesterday", "bad_timestamp"),
        (GENERAL, "1.000001", "message_not_found"),
        (RANDOM, TS, "message_not_found"),
        ("C0NOPE000", TS, "channel_not_found"),
    ):
        assert slack(method, name="eyes", channel=channel, timestamp=timestamp)["error"] == error


@pytest.mark.parametrize("method", ADD_REMOVE)
@pytest.mark.parametrize("name", ["", "no_such_emoji", "👀", "rocket::skin-tone-2", "wave::skin-tone-9"])
def test_an_emoji_must_exist(slack, method, name):
    assert slack(method, **MESSAGE, name=name)["error"] == "invalid_name"


def test_an_emoji_of_the_workspace_is_one_too(slack):
    assert slack("reactions.add", **MESSAGE, name="partyparrot")["ok"]


def test_an_archived_channel_takes_no_reactions(slack):
    channel = slack("conversations.create", name="old")["channel"]["id"]
    ts = slack("chat.postMessage", channel=channel, text="bye")["ts"]
    slack("conversations.archive", channel=channel)
    assert slack("reactions.add", channel=channel, timestamp=ts, name="eyes")["error"] == "is_archived"


def test_everyone_reacts_in_a_public_channel(slack):
    slack("conversations.leave", channel=RANDOM)
    answer = slack("reactions.add", channel=RANDOM, timestamp="1699572000.000789", name="eyes")
    assert answer == {"ok": True}


def test_one_person_gives_a_message_at_most_23_emoji(slack):
    letters = (
        "abacus abc accept accordion airplane alarm_clock alien ambulance amphora anchor angel anger angry ant apple"
    )
    names = [*letters.split(), "art", "atm", "axe", "baby", "badger", "bagel", "balloon", "banana", "bank"]
    answers = [slack("reactions.add", **MESSAGE, name=name).get("error") for name in names]
    assert answers == [None] * 23 + ["too_many_reactions"]


def test_a_message_takes_at_most_50_different_emoji(slack, slack_as):
    zodiac = "aries taurus gemini cancer leo virgo libra scorpius sagittarius capricorn aquarius pisces"
    beasts = (
        "ant bat bear bee boar bug camel cat chicken cow crab crocodile dog dolphin dragon duck eagle fish goat frog"
    )
    fruits = (
        "apple banana cherries grapes lemon mango melon peach pear pineapple strawberry tangerine watermelon avocado"
    )
    names = [*zodiac.split(), *beasts.split(), *fruits.split(), "car", "bus", "taxi", "tram", "ship"]
    people = [slack, slack_as(JOHN), slack_as(ROBERT)]
    answers = [people[at // 20]("reactions.add", **MESSAGE, name=name).get("error") for at, name in enumerate(names)]
    assert answers == [None] * 50 + ["too_many_emoji"]


def test_a_file_that_is_not_there_has_no_reactions(slack):
    for method in "reactions.get", "reactions.remove":
        assert slack(method, file="F0NOPE000", name="eyes")["error"] == "file_not_found"
        assert slack(method, file_comment="Fc0NOPE", name="eyes")["error"] == "file_comment_not_found"
