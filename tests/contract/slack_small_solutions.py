"""How an agent would do the shorter tasks of the public Slack suite; it finds each id by the name that it was told.

A solution is given `slack("chat.postMessage", …)` as those of the longest tasks are, in `slack_solutions.py`.
"""

import json


def channel(slack, name):
    """The id of the channel with a name."""
    ids = {each["name"]: each["id"] for each in slack("conversations.list", limit=200)["channels"]}
    return ids[name]


def people(slack):
    """All people by their full names."""
    return {each["real_name"]: each for each in slack("users.list")["members"]}


def person(slack, name):
    """The id of the only person whose full name has a name in it."""
    (person_id,) = [each["id"] for full, each in people(slack).items() if name in full]
    return person_id


def post(slack, name, text, **more):
    slack("chat.postMessage", channel=channel(slack, name), text=text, **more)


def write(slack, users, text):
    """Post a text in the conversation with some people."""
    room = slack("conversations.open", users=",".join(users))["channel"]["id"]
    slack("chat.postMessage", channel=room, text=text)


def history(slack, name):
    """The messages of a channel, the latest first."""
    return slack("conversations.history", channel=channel(slack, name), limit=200)["messages"]


def saying(slack, name, *words):
    """The messages of a channel with one of some words in them, the earliest first."""
    return [each for each in history(slack, name)[::-1] if any(word in each["text"] for word in words)]


def rich(slack, name, *elements):
    """Post a rich text in a channel."""
    blocks = [{"type": "rich_text", "elements": [*elements]}]
    post(slack, name, "", blocks=json.dumps(blocks, separators=(",", ":")))


def section(text):
    return {"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}


def list_of(style, *texts):
    return {"type": "rich_text_list", "style": style, "elements": [section(text) for text in texts]}


def quoted(messages):
    return "\n".join(each["text"] for each in messages)


LOGIN = ("500 errors", "invalid_grant", "login rate limit", "login endpoint")
IMPROVEMENTS = ("captcha", "empty password")


def login_and_auth(slack):
    return [*saying(slack, "engineering", *LOGIN), *saying(slack, "general", *IMPROVEMENTS)]


def test_1(slack):
    post(slack, "general", "hello")


def test_2(slack):
    write(slack, [person(slack, "John Doe")], "Can we sync later?")


def test_3(slack):
    text = "Hey, I've took a look at the presentation and I have some questions. Can you help me?"
    write(slack, [person(slack, "Artem"), person(slack, "Hubert")], text)


def test_5(slack):
    slack("conversations.invite", channel=channel(slack, "random"), users=person(slack, "Morgan Stanley"))


def test_6(slack):
    made = slack("conversations.create", name="rl-project")["channel"]["id"]
    slack("conversations.invite", channel=made, users=person(slack, "Morgan Stanley"))


def test_7(slack):
    slack("conversations.kick", channel=channel(slack, "random"), user=person(slack, "John Doe"))


def test_8(slack):
    slack("conversations.archive", channel=channel(slack, "growth"))


def test_9(slack):
    post(slack, "general", "Next monday.", thread_ts=history(slack, "general")[0]["ts"])


def test_10(slack):
    (question,) = saying(slack, "general", "MCP deployment")
    post(slack, "general", "Next monday.", thread_ts=question["ts"])


def test_11(slack):
    random = channel(slack, "random")
    for question in saying(slack, "random", "lunch"):
        if "?" in question["text"]:
            slack("reactions.add", channel=random, timestamp=question["ts"], name="thumbsup")
    (pizza,) = saying(slack, "random", "pizza combo")
    slack("reactions.add", channel=random, timestamp=pizza["ts"], name="thumbsdown")


def test_12(slack):
    latest = history(slack, "general")[0]["ts"]
    slack("reactions.add", channel=channel(slack, "general"), timestamp=latest, name="thumbsup")


def test_13(slack):
    slack("conversations.setTopic", channel=channel(slack, "general"), topic="Weekly standup discussions")


def test_14(slack):
    (message,) = saying(slack, "general", "Hey team")
    slack("chat.update", channel=channel(slack, "general"), ts=message["ts"], text="Hello everyone")


def test_16(slack):
    for name in ("general", "random"):
        post(slack, name, "System maintenance tonight at 10pm")


def test_17(slack):
    (message,) = saying(slack, "general", "new feature")
    slack("chat.delete", channel=channel(slack, "general"), ts=message["ts"])


def test_18(slack):
    for question in saying(slack, "random", "?"):
        post(slack, "general", question["text"])


def test_19(slack):
    write(slack, [person(slack, "Hubert")], quoted(saying(slack, "engineering", *LOGIN)))


def test_20(slack):
    write(slack, [person(slack, "Hubert")], quoted(login_and_auth(slack)))


def test_21(slack):
    (mine,) = saying(slack, "engineering", "a few auth issues")
    text = f"{mine['text']}\n{quoted(login_and_auth(slack))}"
    slack("chat.update", channel=channel(slack, "engineering"), ts=mine["ts"], text=text)


def test_22(slack):
    engineering, me = channel(slack, "engineering"), slack("auth.test")["user_id"]
    for message in history(slack, "engineering"):
        replies = slack("conversations.replies", channel=engineering, ts=message["ts"])["messages"][1:]
        for reply in replies:
            if reply["user"] == me and "Joke" in reply["text"]:
                text = "I will make a proposal for auth improvements tommorow EOD"
                slack("chat.update", channel=engineering, ts=reply["ts"], text=text)


def test_24(slack):
    rich(slack, "random", list_of("bullet", "Bagels", "Coffee", "Donuts"))


def test_25(slack):
    code = {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": '{"status": 200}'}]}
    rich(slack, "engineering", code)
    rich(slack, "general", list_of("ordered", "Phase 1", "Phase 2"))


def test_26(slack):
    quote = {"type": "rich_text_quote", "elements": [{"type": "text", "text": "To be or not to be"}]}
    rich(slack, "random", quote)


def test_27(slack):
    rows = [[{"type": "raw_text", "text": cell} for cell in row] for row in (("Metric", "Value"), ("DAU", "1500"))]
    blocks = json.dumps([{"type": "table", "rows": rows}], separators=(",", ":"))
    post(slack, "growth", "", blocks=blocks)


def test_28(slack):
    """A markdown block is asked for, and a text of the type mrkdwn is looked for: both are sent."""
    blocks = [
        {"type": "markdown", "text": "# Daily Report"},
        {"type": "section", "text": {"type": "mrkdwn", "text": "*All Systems Go*"}},
    ]
    post(slack, "engineering", "", blocks=json.dumps(blocks, separators=(",", ":")))


def test_29(slack):
    mention = {"type": "user", "user_id": person(slack, "Artem")}
    rich(slack, "general", {"type": "rich_text_section", "elements": [mention]})


def test_32(slack):
    assert not [name for name in people(slack) if "musk" in name.casefold()]
    write(slack, [person(slack, "Hubert")], "I could not find a user named ElonMusk to invite to #general.")


def test_33(slack):
    admins = [name for name, each in people(slack).items() if each.get("is_admin")]
    post(slack, "random", f"The admins are {' and '.join(admins)}")


def test_34(slack):
    (morgan,) = [each["id"] for name, each in people(slack).items() if "Morgan" in name and not each["is_admin"]]
    slack("conversations.invite", channel=channel(slack, "random"), users=morgan)


def test_35(slack):
    post(slack, "project-alpha-dev", "Status update: Alpha is on track")


def test_36(slack):
    said = saying(slack, "random", "Gemini", "Flash version", "preview", "announcement")
    names = {each["id"]: name for name, each in people(slack).items()}
    lines = [f"{names[each['user']]}: {each['text']}" for each in said]
    post(slack, "engineering", "The discussion about Gemini in #random:\n" + "\n".join(lines))


def test_37(slack):
    (message,) = saying(slack, "growth", "double down on Reddit")
    slack("reactions.add", channel=channel(slack, "growth"), timestamp=message["ts"], name="rocket")


SOLUTIONS = [function for name, function in list(globals().items()) if name.startswith("test_")]
