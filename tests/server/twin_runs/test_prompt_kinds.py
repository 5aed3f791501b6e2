"""Each kind of record that a prompt can speak of is made as it says: read over the vendor's own API."""

import pytest

from tests.server.twin_runs.world_reader import WorldReader

JANUARY = {"mode": "offset", "start": "2026-01-05T09:00:00"}
TWINS = ["slack", "linear", "stripe", "box", "calendar", "notion", "github"]


@pytest.fixture
def world(live):
    def provide(*sentences, twins=TWINS):
        asked = {"twins": twins, "scenario_prompt": "; ".join(sentences), "ttl_minutes": 5, "clock": JANUARY}
        made = live.client.post("/twin-runs", json=asked).raise_for_status().json()
        run = live.client.get(f"/twin-runs/{made['run_id']}").json()
        assert run["status"] == "ready", run["error"]
        return WorldReader(live.client, run)

    return provide


def understands(world, *sentences):
    return (world.understood, world.not_understood) == ([*sentences], [])


def test_slack_has_the_replies_reactions_and_archived_channels_that_a_prompt_says(world):
    said = (
        'A Slack channel #ops where Ada posted "Deploy failed" and Ben replied "On it"',
        'A message "Release is out" by Cleo in #news with 2 reactions :tada: and 3 replies',
        'Ada posted "Lunch?" in #food and Ben reacted with :+1:',
        "an archived channel #old-launch with 2 messages",
    )
    made = world(*said, twins=["slack"])
    assert understands(made, *said)
    assert made.talk("ops") == {"Deploy failed": ("Ada", [("Ben", "On it")], [])}
    assert made.talk("food") == {"Lunch?": ("Ada", [], [("Ben", "+1")])}
    assert list(made.talk("news")) == ["Release is out"], "what the message has is on no other"
    author, replies, reactions = made.talk("news")["Release is out"]
    assert (author, len(replies), [name for _, name in reactions]) == ("Cleo", 3, ["tada", "tada"])
    assert (made.archived_channels(), len(made.messages("old-launch"))) == (["old-launch"], 2)


def test_stripe_has_the_invoices_and_payments_that_a_prompt_says(world):
    said = (
        "Stripe with a customer Acme that has an open invoice of $120",
        "A customer Beta with 2 paid invoices of $75",
        "Customer Delta with a failed payment of $30",
        "Customer Eta paid $45",
    )
    made = world(*said, twins=["stripe"])
    assert understands(made, *said)
    invoices = made.bought("invoices", "status", "total", "currency")
    assert invoices == {"Acme": [("open", 12000, "usd")], "Beta": [("paid", 7500, "usd")] * 2}
    charges = made.bought("charges", "status", "amount")
    assert (charges["Delta"], charges["Eta"]) == ([("failed", 3000)], [("succeeded", 4500)])


def test_stripe_has_the_refunds_and_disputes_that_a_prompt_says(world):
    said = (
        "Customer Gamma has a payment of $50 that was partially refunded",
        "a payment of $80 for customer Epsilon with a refund of $20",
        "Customer Acme has a fully refunded payment of $10",
        "Customer Zeta disputed a payment of $60",
        "a customer Eta with a dispute",
    )
    made = world(*said, twins=["stripe"])
    assert understands(made, *said)
    charges = made.bought("charges", "amount", "refunded", "disputed")
    assert charges["Epsilon"] == [(8000, False, False)]
    assert (charges["Acme"], charges["Zeta"]) == ([(1000, True, False)], [(6000, False, True)])
    assert 0 < made.bought("charges", "amount_refunded")["Gamma"][0][0] < 5000
    assert {*made.returned("refunds")} == {"Gamma", "Epsilon", "Acme"}
    assert made.returned("refunds")["Epsilon"] == [2000]
    assert {*made.returned("disputes")} == {"Zeta", "Eta"}


def test_linear_has_the_comments_labels_days_and_assignees_that_a_prompt_says(world):
    said = (
        'A Linear team Web with an issue "Fix the login" assigned to Ada, labelled bug, due 2026-02-01',
        'Ben commented "Looking into it" on the issue "Fix the login"',
        'an issue "Slow search" in the team Web with 2 comments',
        "3 unassigned issues in the team Ops",
    )
    made = world(*said, twins=["linear"])
    assert understands(made, *said)
    assert made.issue("Fix the login") == ("Ada", ["bug"], "2026-02-01", [("Ben", "Looking into it")])
    assert len(made.issue("Slow search")[-1]) == 2
    assert [each["assignee"] for each in made.issues() if each["team"]["name"] == "Ops"] == [None] * 3


def test_box_has_the_folders_in_folders_and_the_comments_that_a_prompt_says(world):
    said = (
        "A Box folder Contracts with a subfolder Drafts",
        'a file "nda.txt" in the folder Drafts with a comment "Please review" by Ada',
        'a file "plan.md" in the folder Contracts with 2 comments',
    )
    made = world(*said, twins=["box"])
    assert understands(made, *said)
    tree = made.tree()
    assert (list(tree), sorted(tree["Contracts"])) == (["Contracts"], ["Drafts", "plan.md"])
    assert tree["Contracts"]["Drafts"] == {"nda.txt": [("Ada", "Please review")]}
    assert len(tree["Contracts"]["plan.md"]) == 2


def test_calendar_has_the_guests_and_times_that_a_prompt_says(world):
    said = (
        'A calendar meeting "Retro" tomorrow at 9 for 45 minutes with ada@b.test and ben@b.test',
        'a meeting "Lunch" on 2026-01-20 at 12:30 in "Room 4"',
        'a daily meeting "Standup" at 9:30 with 3 attendees',
    )
    made = world(*said, twins=["calendar"])
    assert understands(made, *said)
    assert made.guests("Retro") == {"ada@b.test", "ben@b.test"}
    assert len(made.guests("Standup")) == 3
    assert ("Retro", "2026-01-06T09:00", "2026-01-06T09:45") in made.events()
    assert ("Lunch", "2026-01-20T12:30") in [each[:2] for each in made.events()]
    assert (made.places()["Lunch"][0], "FREQ=DAILY" in made.places()["Standup"][1][0]) == ("Room 4", True)


def test_notion_has_the_pages_databases_rows_and_comments_that_a_prompt_says(world):
    said = (
        'A Notion page "Handbook" with a subpage "Onboarding"',
        'a page "Rules" with the text "Be kind"',
        'a Notion database "Tasks" with 3 rows',
        'a row "Write docs" in the database "Tasks" with status Done',
        'Ada commented "Nice" on the page "Handbook"',
    )
    made = world(*said, twins=["notion"])
    assert understands(made, *said)
    assert (made.subpages("Handbook"), made.page_text("Rules")) == (["Onboarding"], ["Be kind"])
    assert made.page_comments("Handbook") == [("Ada", "Nice")]
    assert (len(made.rows("Tasks")), made.rows("Tasks")["Write docs"]) == (3, "Done")


def test_github_has_the_issues_pull_requests_labels_and_comments_that_a_prompt_says(world):
    said = (
        'A GitHub repository acme/web with an issue "Crash on start" labelled bug',
        'Ada commented "Confirmed" on the issue "Crash on start"',
        'a pull request "Fix crash" in acme/web opened by Ben with 2 comments',
        'a merged pull request "Bump deps" in acme/web',
        "a label urgent in acme/web",
        "acme/web has 3 closed issues",
    )
    made = world(*said, twins=["github"])
    assert understands(made, *said)
    issues, pulls = made.tracked("acme/web"), made.pulls("acme/web")
    state, labels, _, _, comments = issues["Crash on start"]
    assert (state, labels, [text for _, text in comments]) == ("open", ["bug"], ["Confirmed"])
    assert sum(each[0] == "closed" for each in issues.values()) == 3
    assert len(issues) == 4, "a comment on a pull request makes no issue"
    assert (pulls["Bump deps"][:2], pulls["Fix crash"][:3]) == (("closed", True), ("open", False, False))
    assert (pulls["Fix crash"][3].lower(), len(pulls["Fix crash"][4])) == ("ben", 2)
    assert "urgent" in [each["name"] for each in made.github("acme/web/labels")]


def test_a_message_that_is_mentioned_again_is_the_one_that_was_posted(world):
    posted, reacted = 'Ada posted "Hi" in #ops', 'Ben reacted to the message "Hi" with :tada:'
    made = world(posted, reacted, 'The message "Hi" is by Ada', twins=["slack"])
    assert made.not_understood == []
    assert made.talk("ops") == {"Hi": ("Ada", [], [("Ben", "tada")])}
    made = world(posted, 'Ada posted "Hi" in #dev', reacted, twins=["slack"])
    assert made.not_understood == [reacted], "two messages say that"


@pytest.mark.parametrize(
    "sentences",
    [
        ("A subscription of customer Acme to Pro at $20 a month with 3 refunds",),
        ("Customer Acme has a subscription", "Acme is on Pro at $20 a month"),
    ],
)
def test_a_customer_has_one_subscription_however_many_words_tell_of_it(world, sentences):
    made = world(*sentences, twins=["stripe"])
    assert understands(made, *sentences)
    assert made.subscribers("active") == [each["email"] for each in made.stripe("customers")]


@pytest.mark.parametrize(
    ("sentence", "twin", "holds"),
    [
        (
            'A message "Hi" in #ops by Ada with a reply "Yo" by Ben and a reaction :eyes: by Cleo',
            "slack",
            lambda w: w.talk("ops") == {"Hi": ("Ada", [("Ben", "Yo")], [("Cleo", "eyes")])},
        ),
        (
            "A folder Contracts with a subfolder Drafts and 2 files",
            "box",
            lambda w: (len(w.tree()["Contracts"]), w.tree()["Contracts"]["Drafts"]) == (3, {}),
        ),
        (
            'An issue "X" in acme/api with 2 comments',
            "github",
            lambda w: len(w.tracked("acme/api")["X"][-1]) == 2,
        ),
        (
            'A pull request "Fix" in acme/web with labels bug and ui',
            "github",
            lambda w: [one["name"] for one in w.github("acme/web/pulls")[0]["labels"]] == ["bug", "ui"],
        ),
        (
            'A comment "Nice" by Ben on the page "Home"',
            "notion",
            lambda w: w.page_comments("Home") == [("Ben", "Nice")],
        ),
    ],
)
def test_what_stands_behind_a_record_is_in_the_one_that_is_described(world, sentence, twin, holds):
    made = world(sentence, twins=[twin])
    assert understands(made, sentence)
    assert holds(made)


HOSTILE = [
    "Only Ada posted in #ops", "Except for Ada, no one is in #ops", "Nobody replied in #ops",
    'Ada posted "A" in #a and no one replied', 'Ada posted "A" in #a but Ben did not reply',
    "A reply with 2 messages", "A channel in a message", "A message with a channel #b",
    'Everyone in #ops reacted with :tada: to the message "Hi"', 'A message "Hi" in #c with 30 reactions :tada:',
    "The channel #d is not archived",
    "Customer Acme has a payment of $50 with a refund of $80",
    "Customer Beta has a payment of $50 with 3 refunds of $20",
    "A failed payment of $20 of customer Gamma that was refunded",
    "A failed payment of $21 of customer Gamma that was disputed",
    "A payment of $0.10 of customer Gamma",
    "Customer Acme paid $50 and was refunded $80", "Acme's invoice of $50 was paid by Beta",
    "An overdue invoice of $50 for customer Acme", "A paid draft invoice of $5 for customer Acme",
    "Customer Delta has payments of $50 and $70", "The payment of $50 was refunded to Beta",
    "A customer Acme with a label urgent", "Customer Acme owes $20", "A customer Acme in Slack",
    'The issue "X" in the team Web is not labelled bug', 'An issue "Y" in the team Web due 2026-02-30',
    "Only 2 of the 5 issues in the team Web are urgent",
    "A Box folder A with 2 folders", "A comment on the folder Contracts in Box", 'A comment "Nice" on nothing',
    'A meeting "Sync" with Ada and Ben but not Cleo', "An attendee with 3 meetings", 'A meeting with a message "Hi"',
    "A pull request in a Notion page", 'A Notion page "Home" with a pull request "Fix"',
    'A locked page "Secret" in Notion', 'The page "Secret" in Notion is locked',
    'A pull request "Fix" in acme/web is merged and open', "A repository in an issue",
    "An issue in acme/web assigned to Ada and Ben", "A repository api with 2 issues labelled Bug and bug",
]  # fmt: skip
"""Sentences of known nouns that deny, reverse, mix vendors, or say what cannot be."""


def test_what_denies_reverses_or_cannot_be_is_not_understood(live):
    made = live.client.post("/scenarios", json={"name": "s", "prompt": "; ".join(HOSTILE)}).json()
    assert (made["understood"], made["not_understood"]) == ([], HOSTILE)


@pytest.mark.parametrize(
    ("sentences", "untrue"),
    [
        (('A message "Hi" in #a has no replies', 'Ben replied "Yes" to the message "Hi"'), (0, 1)),
        (("An archived channel #x", "The channel #x is not archived"), (1,)),
        (("Customer Acme has an active subscription", "Customer Acme has no invoices"), (1,)),
        (("Customer Acme has a payment of $50 and a refund of $20", "Acme has no refunds"), (1,)),
        (("3 issues in Linear due on 2026-02-01", "No issue is due on 2026-02-01"), (1,)),
        (('A database "T" with 3 rows with status Done', '5 rows in the database "T"'), (1,)),
        (("acme/web has 2 pull requests and 2 issues", "acme/web has 4 issues"), (0,)),
        (('Ben replied "B" in #ops', 'Cleo replied "C" to the message "B"'), (1,)),
        (("Customer Acme has 2 subscriptions", "Acme is on Pro at $20 a month"), (0,)),
    ],
)
def test_sentences_that_contradict_each_other_are_not_all_understood(live, sentences, untrue):
    made = live.client.post("/scenarios", json={"name": "s", "prompt": "; ".join(sentences)}).json()
    assert made["not_understood"] == [sentences[each] for each in untrue]
