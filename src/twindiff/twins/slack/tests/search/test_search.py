"""search.messages and search.all."""

import pytest

GENERAL, RANDOM = "C01ABCD1234", "C02EFGH5678"
ME, JOHN, ROBERT = "U01AGENBOT9", "U02JOHNDOE1", "U03ROBERT23"
BILLING, ROLLOUT, SOUP = "1699564800.000123", "1699568400.000456", "1699572000.000789"


@pytest.fixture
def find(slack):
    """The ts of what a query finds, newest first."""

    def find(query, **arguments):
        return [match["ts"] for match in slack("search.messages", query=query, **arguments)["messages"]["matches"]]

    return find


def test_a_match_says_where_and_by_whom(slack):
    messages = slack("search.messages", query="rollout")["messages"]
    [match] = messages["matches"]
    assert (match["ts"], match["channel"]["name"], match["username"]) == (ROLLOUT, "general", "robertsmith")
    assert match["permalink"].endswith(f"/archives/{GENERAL}/p1699568400000456")
    assert messages["total"] == messages["paging"]["total"] == messages["pagination"]["total_count"] == 1


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("ROLLOUT", [ROLLOUT]),
        ("watching tonight", [ROLLOUT]),
        ("watching soup", []),
        ('"page is live"', [BILLING]),
        ('"live page"', []),
        ("the -tonight", [BILLING]),
        ('the -"page is live"', [ROLLOUT]),
        ("the NOT tonight", [BILLING]),
        ("soup OR billing", [SOUP, BILLING]),
        ("soup OR billing today", [SOUP]),
        ("sandw*", [SOUP]),
        ("*", [SOUP, ROLLOUT, BILLING]),
        ("nothing:else", []),
    ],
)
def test_words_phrases_and_exclusions(find, query, expected):
    assert find(query) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("in:random", [SOUP]),
        ("in:#random", [SOUP]),
        (f"in:{RANDOM}", [SOUP]),
        (f"in:<#{RANDOM}|random>", [SOUP]),
        ("in:random in:general", [SOUP, ROLLOUT, BILLING]),
        ("-in:general", [SOUP]),
        ("in:nowhere", []),
        ("in:@johndoe", []),
        ("from:me", [BILLING]),
        ("from:@johndoe", [SOUP]),
        ("from:@JohnDoe", [SOUP]),
        ("from:john", [SOUP]),
        ('from:"John Doe"', [SOUP]),
        ("from:joh", []),
        ("from:johndoe from:me", [SOUP, BILLING]),
        (f"from:<@{ROBERT}>", [ROLLOUT]),
        ("from:robert@example.com", [ROLLOUT]),
        ("from:nobody", []),
        ("-from:me in:general", [ROLLOUT]),
        ("in:general from:me rollout", []),
    ],
)
def test_places_and_people(find, query, expected):
    assert find(query) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("on:2023-11-09", [SOUP, ROLLOUT, BILLING]),
        ("on:11/09/2023", [SOUP, ROLLOUT, BILLING]),
        ("before:2023-11-09", []),
        ("before:2023-11-10", [SOUP, ROLLOUT, BILLING]),
        ("after:2023-11-08", [SOUP, ROLLOUT, BILLING]),
        ("after:2023-11-09", []),
        ("during:2023", [SOUP, ROLLOUT, BILLING]),
        ("during:2023-11", [SOUP, ROLLOUT, BILLING]),
        ("during:2023-12", []),
        ("after:today", []),
        ("before:yesterday soup", [SOUP]),
        ("before:someday soup", [SOUP]),
    ],
)
def test_days(find, query, expected):
    assert find(query) == expected


def test_reactions_links_and_threads(slack, find):
    slack("reactions.add", channel=GENERAL, timestamp=ROLLOUT, name="thumbsup")
    link = slack("chat.postMessage", channel=RANDOM, text="see https://example.com", thread_ts=SOUP)["ts"]
    assert find("has:reaction") == find("has::+1:") == find("hasmy::thumbsup:") == [ROLLOUT]
    assert find("has:link") == [link]
    assert find("is:thread") == [link, SOUP]
    assert find("has:pin") == find("is:saved") == find("has::eyes:") == []


def test_direct_messages(slack, slack_as, find):
    channel = slack("conversations.open", users=JOHN)["channel"]["id"]
    mine = slack("chat.postMessage", channel=channel, text="lunch?")["ts"]
    theirs = slack_as(JOHN)("chat.postMessage", channel=channel, text="sure")["ts"]
    assert find("is:dm") == find("in:@johndoe") == find("with:@johndoe in:@johndoe") == [theirs, mine]
    assert find("to:me") == [theirs]
    assert find("to:@johndoe") == [mine]


def test_mentions_are_messages_to_someone(slack, find):
    ts = slack("chat.postMessage", channel=GENERAL, text=f"<@{ROBERT}> please look")["ts"]
    assert find("to:@robertsmith") == [ts]


def test_a_thread_is_with_all_who_wrote_in_it(slack, find):
    reply = slack("chat.postMessage", channel=GENERAL, text="I am", thread_ts=ROLLOUT)["ts"]
    assert find("with:me") == [reply, ROLLOUT]
    assert find("with:@robertsmith") == [reply, ROLLOUT]
    assert find("with:@johndoe") == []


def test_only_what_the_caller_may_read_is_found(slack_as, find):
    john = slack_as(JOHN)
    private = john("conversations.create", name="plans", is_private=True)["channel"]["id"]
    ts = john("chat.postMessage", channel=private, text="secret soup")["ts"]
    john("chat.postMessage", channel=ROBERT, text="more soup")
    assert find("soup") == [SOUP]
    assert ts in [match["ts"] for match in john("search.messages", query="soup")["messages"]["matches"]]


def test_a_public_channel_is_searched_by_those_outside_too(slack, find):
    slack("conversations.leave", channel=RANDOM)
    assert find("soup") == [SOUP]


def test_pages(slack, find):
    assert find("*", count=2) == [SOUP, ROLLOUT]
    assert find("*", count=2, page=2) == [BILLING]
    messages = slack("search.messages", query="*", count=2, page=2)["messages"]
    assert messages["paging"] == {"count": 2, "total": 3, "page": 2, "pages": 2}
    assert (messages["pagination"]["first"], messages["pagination"]["last"]) == (3, 3)


@pytest.mark.parametrize("direction", ["asc", "desc"])
@pytest.mark.parametrize(("count", "page"), [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (3, 1), (20, 1), (2, 3), (1, 9)])
def test_the_total_is_the_same_on_every_page(slack, direction, count, page):
    asked = {"count": count, "page": page, "sort_dir": direction}
    assert slack("search.messages", query="*", **asked)["messages"]["total"] == 3


def test_cursors(slack):
    first = slack("search.messages", query="*", count=2, cursor="*")["messages"]
    second = slack("search.messages", query="*", count=2, cursor=first["pagination"]["next_cursor"])["messages"]
    assert [match["ts"] for match in second["matches"]] == [BILLING]
    assert second["pagination"]["next_cursor"] == ""
    assert slack("search.messages", query="*", cursor="junk")["error"] == "invalid_cursor"


def test_order(find):
    assert find("*", sort="timestamp", sort_dir="asc") == [BILLING, ROLLOUT, SOUP]
    assert find("*", sort="timestamp") == find("*") == [SOUP, ROLLOUT, BILLING]


def test_hits_are_marked_on_request(slack):
    [match] = slack("search.messages", query="WATCHING", highlight="1")["messages"]["matches"]
    assert "\ue000watching\ue001" in match["text"]


@pytest.mark.parametrize("method", ["search.messages", "search.all"])
def test_a_search_needs_a_query(slack, method):
    assert slack(method)["response_metadata"]["messages"] == ["[ERROR] missing required field: query"]
    assert [slack(method, query=blank)["error"] for blank in ("", " ")] == ["no_query", "no_query"]


@pytest.mark.parametrize("wrong", [{"sort": "size"}, {"sort_dir": "up"}, {"count": 0}, {"page": 101}, {"page": "x"}])
def test_wrong_arguments_are_refused(slack, wrong):
    assert slack("search.messages", query="soup", **wrong)["error"] == "invalid_arguments"


def test_everything_is_messages_and_files_and_posts(slack):
    answer = slack("search.all", query="soup")
    assert [match["ts"] for match in answer["messages"]["matches"]] == [SOUP]
    assert (answer["files"]["total"], answer["files"]["matches"]) == (0, [])
    assert answer["posts"] == {"total": 0, "matches": []}


@pytest.fixture
def with_files(workspace_with):
    """Two files in general, and one that was never shared."""
    files = [
        {"file_id": f"F{n}", "user_id": JOHN, "file_name": name}
        for n, name in enumerate(("soup.pdf", "plan.txt", "soup"))
    ]
    shared = [{"file_message_id": f"FM{n}", "file_id": f"F{n}", "message_id": ROLLOUT} for n in range(2)]
    return workspace_with(files=files, file_messages=shared)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("soup", ["F0"]),
        ("SOUP in:general", ["F0"]),
        ("soup in:random", []),
        ("-soup", ["F1"]),
        ("soup OR plan", ["F1", "F0"]),
        ("from:robertsmith", ["F1", "F0"]),
    ],
)
def test_files_are_found_by_name_where_they_were_shared(with_files, query, expected):
    assert [match["id"] for match in with_files("search.all", query=query)["files"]["matches"]] == expected


def test_a_message_with_a_file_has_one(with_files):
    matches = with_files("search.messages", query="has:file")["messages"]["matches"]
    assert [match["ts"] for match in matches] == [ROLLOUT]


def test_what_a_template_left_out_or_misshaped_stops_nobody_from_reading(workspace_with):
    lost = {"message_id": "1700000001.000001", "channel_id": "C0LOST", "user_id": "U0LOST", "message_text": "lost"}
    odd = {"message_id": "1700000002.000001", "channel_id": "C01ABCD1234", "user_id": "U0LOST", "message_text": "odd"}
    odd |= {"blocks": {"a": 1}, "attachments": 3, "parent_id": None}
    files = [{"file_id": "F0", "user_id": "U01AGENBOT9", "file_name": "a.txt"}]
    shares = [{"file_message_id": "Fm0", "file_id": "F0", "message_id": lost["message_id"]}]
    slack = workspace_with(messages=[lost, odd], files=files, file_messages=shares)
    for word in ("lost", "odd"):
        assert slack("search.all", query=word)["messages"]["total"] == 1
    assert "odd" in [each["text"] for each in slack("conversations.history", channel="C01ABCD1234")["messages"]]
    assert slack("files.info", file="F0")["ok"]


@pytest.mark.parametrize("method", ["search.messages", "search.files", "search.all"])
@pytest.mark.parametrize(
    ("query", "says"),
    [
        (" ".join(f"word{n}" for n in range(101)), "at most 100 words and modifiers; 101 were given"),
        (" OR ".join(["from:me"] * 101), "at most 100 words and modifiers; 101 were given"),
        (" ".join(["soup"] * 17_000), "at most 5,000 characters; 84,999 were given"),
    ],
)
def test_a_query_longer_than_people_type_is_refused(slack, method, query, says):
    answer = slack(method, query=query)
    assert answer["error"] == "invalid_arguments"
    assert says in answer["response_metadata"]["messages"][0]


def test_a_query_of_a_hundred_words_is_answered(find):
    assert find(" OR ".join(["soup", *(f"word{n}" for n in range(99))])) == [SOUP]


SAID = (
    *("Processes run nightly", "The Café reopened", "Concatenate the categories"),
    *("menu_v2 and v4.0 shipped", "University life"),
)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("process", [0]),
        ("processing", [0]),
        ("running", [0]),
        ('"process"', []),
        ('"processes run"', [0]),
        ("cafe", [1]),
        ("CAFÉS", [1]),
        ("cat", []),
        ("cat*", [2]),
        ("category", [2]),
        ("-category", [0, 1, 3, 4]),
        ("menu", [3]),
        ("v4.0", [3]),
        ("v4", [3]),
        ("ship", [3]),
        ("shipment", []),
        ("reopens", [1]),
        ("universities", [4]),
        ("universe", []),
    ],
)
def test_whole_words_are_found_in_every_form_and_without_accents(slack, query, expected):
    """https://slack.com/help/articles/202528808-Search-in-Slack"""
    room = slack("conversations.create", name="words")["channel"]["id"]
    for text in SAID:
        slack("chat.postMessage", channel=room, text=text)
    matches = slack("search.messages", query=f"{query} in:words", sort_dir="asc")["messages"]["matches"]
    assert [SAID.index(match["text"]) for match in matches] == expected


def test_hits_are_marked_where_the_text_has_accents(slack):
    room = slack("conversations.create", name="words")["channel"]["id"]
    slack("chat.postMessage", channel=room, text="Größe: the Café, cafes")
    [match] = slack("search.messages", query="cafe in:words", highlight="1")["messages"]["matches"]
    assert match["text"] == "Größe: the \ue000Café\ue001, \ue000cafes\ue001"
