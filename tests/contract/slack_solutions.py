"""How an agent would do the fifteen longest tasks of the public Slack suite, call by call.

A solution is given `slack("chat.postMessage", …)`, which acts as the task's agent and fails unless Slack says ok, and
`slack.as_user("U_MATEO")` for what only another may do.
"""

GENERAL, RANDOM, ENGINEERING, GROWTH = "C01ABCD1234", "C02EFGH5678", "C03IJKL9012", "C04MNOP3456"
ALPHA, ALPHA_DEV, INFRA, MODEL = "C05ALPHA", "C06ALPHADEV", "C_INFRA", "C_MODEL"
PRODUCT_GROWTH, FRONTEND, OLD_PROJECT = "C_GROWTH", "C_FRONTEND", "C_OLD_PROJECT"
SHIPPED, CRICKET, VENUE = "1699564800.000123", "1699564900.000124", "1699564950.000125"


def test_39(slack):
    slack("conversations.list")
    slack("conversations.history", channel=INFRA)
    slack("users.list")
    for channel in (INFRA, ALPHA, GROWTH):
        slack("conversations.setTopic", channel=channel, topic="Diwali x Thanksgiving potluck")
    slack("chat.postMessage", channel=ALPHA, text="Bring a dish from home to our potluck!")
    slack("conversations.members", channel=GROWTH)
    slack("conversations.open", users="U_KENJI")
    slack("chat.update", channel=GENERAL, ts=CRICKET, text="The potluck starts at 5pm PST")
    slack("chat.delete", channel=GENERAL, ts=VENUE)
    slack("reactions.add", channel=INFRA, timestamp="1706000208.000000", name="eyes")


def test_41(slack):
    slack("conversations.members", channel=RANDOM)
    slack("users.list")
    slack("users.info", user="U_ROBERT")
    slack("search.messages", query="CDN")
    slack("conversations.history", channel=ALPHA)
    slack("conversations.invite", channel=ALPHA_DEV, users="U02ARTEM23")
    slack("conversations.kick", channel=ALPHA_DEV, user="U02ARTEM23")
    slack("chat.postMessage", channel=INFRA, text="Streaming is ready for the festival")
    slack("conversations.setTopic", channel=INFRA, topic="Virtual festival")
    slack("chat.delete", channel=GENERAL, ts=VENUE)
    slack("chat.update", channel=GENERAL, ts=SHIPPED, text="The streaming feature ships on Friday")


def test_50(slack):
    mine = slack("users.conversations", types="public_channel,private_channel")["channels"]
    me = slack("conversations.open", users="U01AGENBOT9")["channel"]["id"]
    lines = [f"{n}. {each['name']}, {member_count(slack, each['id'])}" for n, each in enumerate(mine, 1)]
    slack("chat.postMessage", channel=me, text="\n".join(lines))
    slack("conversations.unarchive", channel=OLD_PROJECT)
    slack("conversations.join", channel=OLD_PROJECT)
    slack("conversations.rename", channel=OLD_PROJECT, name="q1-planning-2026")
    slack("conversations.setTopic", channel=OLD_PROJECT, topic="Plans for the Americas")
    staying = keep_americans(slack, ALPHA_DEV)
    slack("reactions.remove", channel=ENGINEERING, timestamp="1706110000.000100", name="eyes")
    slack("conversations.join", channel=PRODUCT_GROWTH)
    slack("chat.postMessage", channel=OLD_PROJECT, text="Q1 begins! Americas: " + ", ".join(staying))


def member_count(slack, channel):
    return len(slack("conversations.members", channel=channel)["members"])


def keep_americans(slack, channel):
    """Remove everybody else from a channel; names and timezones of those who stay."""
    staying = []
    for member in slack("conversations.members", channel=channel)["members"]:
        user = slack("users.info", user=member)["user"]
        if user["tz"].startswith("America/"):
            staying.append(f"{user['real_name']} ({user['tz']})")
        elif member != "U01AGENBOT9":
            slack("conversations.kick", channel=channel, user=member)
    return staying


def test_54(slack):
    slack("conversations.info", channel=INFRA)
    slack("conversations.history", channel=ENGINEERING)
    count = slack("search.messages", query="supercomputer")["messages"]["total"]
    channel = slack("conversations.create", name="lost-rivers-cartography")["channel"]["id"]
    slack("conversations.setTopic", channel=channel, topic="Mapping forgotten urban waterways")
    slack("conversations.invite", channel=channel, users="U06HUBERT23,U02JOHNDOE1,U05MORGAN23,U04OMER23")
    slack("chat.postMessage", channel=channel, text=f"Our chats say supercomputer {count} times")
    morgan = slack("conversations.open", users="U05MORGAN23")["channel"]["id"]
    slack("chat.postMessage", channel=morgan, text="Will you lead the cartography or the field exploration?")
    slack("chat.update", channel=ENGINEERING, ts="1699651200.000321", text="Login is slow. See also: Lost Rivers")


def test_43(slack):
    channel = slack("conversations.create", name="tea-ceremony")["channel"]["id"]
    slack("conversations.setTopic", channel=channel, topic="A tea ceremony between Tokyo and Paris")
    slack("conversations.history", channel=RANDOM)
    slack("conversations.history", channel=GROWTH)
    slack("chat.update", channel=GENERAL, ts=SHIPPED, text="The ceremony is in March")
    slack("chat.update", channel=GENERAL, ts=CRICKET, text="It starts at 9am in Paris")
    slack("chat.delete", channel=GENERAL, ts=VENUE)
    slack("reactions.add", channel=RANDOM, timestamp="1706051755.000000", name="tea")


def test_44(slack):
    slack("conversations.history", channel=MODEL)
    slack("conversations.history", channel=INFRA)
    for user in ("U_KENJI", "U_ROBERT"):
        slack("users.info", user=user)
    channel = slack("conversations.create", name="lunar-new-year-launch")["channel"]["id"]
    slack("conversations.setTopic", channel=channel, topic="The Lunar New Year launch for APAC")
    slack("chat.postMessage", channel=ALPHA_DEV, text="Kenji and Robert are in; memory on cluster-b is tight")
    slack("chat.update", channel=GENERAL, ts=SHIPPED, text="We ship on February 17")
    slack("reactions.add", channel=INFRA, timestamp="1706002397.000000", name="+1")


def test_52(slack):
    """The espresso machine and the large pies are not the agent's messages, so their authors see to them."""
    results = [slack("search.messages", query=word)["messages"]["matches"] for word in ("food", "eat")]
    authors = sorted({match["username"] for matches in results for match in matches})
    slack("conversations.unarchive", channel=OLD_PROJECT)
    slack("conversations.join", channel=OLD_PROJECT)
    slack("conversations.setTopic", channel=OLD_PROJECT, topic="Lanterns and street food at midnight")
    slack("chat.postMessage", channel=OLD_PROJECT, text=f"A bazaar for {', '.join(authors)} and their honey cake")
    slack("conversations.kick", channel=ALPHA_DEV, user="U_MATEO")
    lukas, mateo = slack.as_user("U_LUKAS"), slack.as_user("U_MATEO")
    for friend in (lukas, mateo):
        friend("conversations.join", channel=RANDOM)
    lukas("chat.update", channel=RANDOM, ts="1706051580.000000", text="The machine hums. Come to the bazaar!")
    mateo("chat.delete", channel=RANDOM, ts="1706051755.000000")


SUNRISE = ["U_KENJI", "U_PRIYA", "U_LUKAS", "U_SOPHIE", "U_AISHA", "U_MATEO"]


def test_55(slack):
    people = [slack("users.info", user=user)["user"] for user in SUNRISE]
    schedule = "".join(f"{each['name']}: {each['tz']}\n" for each in people)
    slack("conversations.history", channel=FRONTEND)
    channel = slack("conversations.create", name="sunrise-relay")["channel"]["id"]
    slack("conversations.setTopic", channel=channel, topic=schedule)
    slack("conversations.invite", channel=channel, users=",".join(SUNRISE))
    plan = slack("chat.postMessage", channel=channel, text=schedule)["ts"]
    slack("reactions.add", channel=channel, timestamp=plan, name="sunrise")
    slack("conversations.kick", channel=MODEL, user="U_MATEO")
    slack("conversations.rename", channel=channel, name="dawn-chorus")


def test_38(slack):
    slack("conversations.list")
    slack("conversations.setTopic", channel=INFRA, topic="Hackathon: 24 hours around the world")
    slack("chat.postMessage", channel=INFRA, text="Lagos, Kyiv, Warsaw and SF are ready")
    for user in ("U_LUKAS", "U_KENJI"):
        slack("users.info", user=user)
    slack("chat.delete", channel=GENERAL, ts=CRICKET)
    slack("conversations.history", channel=ALPHA_DEV)
    slack("conversations.members", channel=FRONTEND)
    slack("reactions.add", channel=INFRA, timestamp="1706000208.000000", name="thumbsup")


def test_59(slack):
    open_now = slack("users.conversations", types="im")["channels"]
    users = {user["real_name"]: user["id"] for user in slack("users.list")["members"]}
    spoken_to = {each["user"] for each in open_now} | {"U01AGENBOT9"}
    others = [users[name] for name in sorted(users) if users[name] not in spoken_to]
    for user in others[: 7 - len(open_now)]:
        slack("conversations.open", users=user)


def test_40(slack):
    users = {user["real_name"]: user["id"] for user in slack("users.list")["members"]}
    for expert in ("Aisha Okonkwo", "Hubert Marek"):
        slack("conversations.open", users=users[expert])
    members = slack("conversations.members", channel=ALPHA_DEV)["members"]
    for name in ("Mateo Rivera", "Łukasz Kowalski"):
        assert users[name] in members
        slack("conversations.kick", channel=ALPHA_DEV, user=users[name])


def test_47(slack):
    slack("conversations.list")
    channel = slack("conversations.create", name="cricket-watch-party")["channel"]["id"]
    slack("conversations.setTopic", channel=channel, topic="The World Cup, watched from three continents")
    users = {user["real_name"]: user["id"] for user in slack("users.list")["members"]}
    slack("conversations.open", users=users["Priya Sharma"])
    party = slack("search.messages", query="in:general from:me cricket")["messages"]["matches"][0]
    slack("chat.update", channel=GENERAL, ts=party["ts"], text=party["text"].replace("PST", "IST"))
    venue = slack("search.messages", query="in:general from:me downtown venue")["messages"]["matches"][0]
    slack("chat.delete", channel=GENERAL, ts=venue["ts"])


def test_48(slack):
    channels = {channel["name"]: channel["id"] for channel in slack("conversations.list")["channels"]}
    about = slack("conversations.info", channel=channels["engineering"], include_num_members=True)["channel"]
    names = {user["id"]: user["real_name"] for user in slack("users.list")["members"]}
    members = [names[user] for user in slack("conversations.members", channel=about["id"])["members"]]
    audit = f"#engineering has {about['num_members']} members: {', '.join(members)}"
    slack("chat.postMessage", channel=channels["general"], text=audit)
    renamed = slack("conversations.rename", channel=about["id"], name="engineering-backend")["channel"]["name"]
    slack("chat.postMessage", channel=channels["general"], text=f"#engineering is now #{renamed}")


def test_49(slack):
    slack("conversations.list")
    question = circuit_tracer(slack)
    users = {user["real_name"]: user["id"] for user in slack("users.list")["members"]}
    sophie = slack("conversations.open", users=users["Sophie Dubois"])["channel"]["id"]
    plan = slack("conversations.history", channel=sophie)["messages"][0]["text"]
    slack("chat.postMessage", channel=ENGINEERING, thread_ts=question["ts"], text=f"Sophie's plan: {plan}")
    slack("reactions.add", channel=ENGINEERING, timestamp=question["ts"], name="white_check_mark")


def circuit_tracer(slack):
    """The message in #engineering that the thread about the circuit tracer hangs on."""
    messages = slack("conversations.history", channel=ENGINEERING)["messages"]
    return next(each for each in messages if "circuit-tracer" in each["text"] and each.get("reply_count"))


def test_57(slack):
    """The lunch message is not the agent's, so its author takes it away."""
    people = {user["id"]: user for user in slack("users.list")["members"]}
    channels = sorted(slack("conversations.list")["channels"], key=lambda channel: channel["name"])
    counts = [f"{channel['name']}: {admins_and_others(slack, channel, people)}" for channel in channels]
    write_to(slack, "U04OMER23", "\n".join(f"Field Repoert 1: {each}" for each in counts))
    tracer = circuit_tracer(slack)
    replies = slack("conversations.replies", channel=ENGINEERING, ts=tracer["ts"])["messages"][1:]
    names = ", ".join(people[reply["user"]]["real_name"] for reply in replies)
    report = f"{len(replies)} replies found under circuit-tracer in #engineering — organisms: {names}"
    write_to(slack, tracer["user"], f"Field Report 2: {report}")
    lunch = slack("search.messages", query="in:random lunch from:johndoe")["messages"]["matches"][0]
    slack.as_user(lunch["user"])("chat.delete", channel=RANDOM, ts=lunch["ts"])


def admins_and_others(slack, channel, people):
    members = slack("conversations.members", channel=channel["id"])["members"]
    admins = [member for member in members if people[member]["is_admin"]]
    return [len(admins), len(members) - len(admins)]


def write_to(slack, user, text):
    channel = slack("conversations.open", users=user)["channel"]["id"]
    slack("chat.postMessage", channel=channel, text=text)


SOLUTIONS = [
    *(test_39, test_41, test_50, test_54, test_43, test_44, test_52, test_55, test_38, test_59),
    *(test_40, test_47, test_48, test_49, test_57),
]

CONTRADICTIONS = {"test_50": [2, 3]}
"""Assertions that no state satisfies: each allows the channel's name or its topic to change, the task asks for both."""
