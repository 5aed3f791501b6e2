"""Discussions over GraphQL: categories, comments, answers, votes, reactions, locks, search and webhooks."""

from __future__ import annotations

import json
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from twindiff.twins.github import twin

from .conftest import Hub
from .test_graphql import ask, mutate, refuse
from .test_hooks import Delivery, receiver

__all__ = ["receiver"]
SEEDS = Path(__file__).parents[1] / "seeds"
SHOWN = """
id number title body url closed stateReason locked activeLockReason isAnswered upvoteCount viewerHasUpvoted
author { login } category { name isAnswerable } answer { body } answerChosenBy { login }
labels(first: 5) { nodes { name } }
reactionGroups { content viewerHasReacted users { totalCount } }
comments(first: 10) { totalCount nodes {
  id body isAnswer url author { login } replies(first: 5) { totalCount nodes { body replyTo { body } } }
} }"""


class Forum:
    """A repository with discussions, and mutations of them."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.repo = hub.repo()
        hub("PATCH", self.repo, {"has_discussions": True})
        query = (
            '{ repository(owner: "octocat", name: "demo") { id discussionCategories(first: 9) { nodes { id slug } } } }'
        )
        found = ask(hub, query)["repository"]
        self.id = found["id"]
        self.categories = {each["slug"]: each["id"] for each in found["discussionCategories"]["nodes"]}

    def mutate(self, mutation: str, shown: str, /, **given: Any) -> Any:
        """The payload of a mutation."""
        return mutate(self.hub, mutation, shown, **given)

    def begin(self, category: str = "q-a", title: str = "How?", body: str = "How does it work?") -> Any:
        """A new discussion."""
        place = {"repositoryId": self.id, "categoryId": self.categories[category]}
        return self.mutate("createDiscussion", f"discussion {{ {SHOWN} }}", **place, title=title, body=body)[
            "discussion"
        ]

    def comment(self, discussion: str, body: str, **more: Any) -> str:
        """The id of a new comment."""
        made = self.mutate("addDiscussionComment", "comment { id }", discussionId=discussion, body=body, **more)
        return made["comment"]["id"]

    def read(self, number: int = 1) -> Any:
        """A discussion."""
        query = f'{{ repository(owner: "octocat", name: "demo") {{ discussion(number: {number}) {{ {SHOWN} }} }} }}'
        return ask(self.hub, query)["repository"]["discussion"]

    def refuse(self, mutation: str, /, **given: Any) -> str:
        """The message of a mutation that must be refused."""
        return refuse(self.hub, mutation, **given)


@pytest.fixture
def forum(hub: Hub) -> Forum:
    return Forum(hub)


def test_a_discussion_takes_the_next_number_of_the_repository(forum: Forum):
    forum.hub("POST", f"{forum.repo}/issues", {"title": "One"})
    made = forum.begin()
    assert (made["number"], made["category"]["name"], made["isAnswered"]) == (2, "Q&A", False)
    assert made["url"] == "https://github.com/octocat/demo/discussions/2"
    assert forum.hub("POST", f"{forum.repo}/issues", {"title": "Three"})["number"] == 3


def test_a_comment_is_replied_to_and_chosen_as_the_answer(forum: Forum):
    made = forum.begin()
    comment = forum.comment(made["id"], "So.")
    forum.comment(made["id"], "Thanks!", replyToId=comment)
    forum.mutate("markDiscussionCommentAsAnswer", "discussion { id }", id=comment)
    shown = forum.read()
    assert (shown["isAnswered"], shown["answer"]["body"], shown["comments"]["totalCount"]) == (True, "So.", 1)
    assert shown["comments"]["nodes"][0]["replies"]["nodes"] == [{"body": "Thanks!", "replyTo": {"body": "So."}}]
    forum.mutate("unmarkDiscussionCommentAsAnswer", "discussion { id }", id=comment)
    assert forum.read()["answer"] is None
    forum.mutate("deleteDiscussionComment", "comment { id }", id=comment)
    assert forum.read()["comments"]["totalCount"] == 0


def test_votes_and_reactions_count_once_per_person(forum: Forum):
    made = forum.begin()
    for _ in range(2):
        forum.mutate("addUpvote", "subject { upvoteCount }", subjectId=made["id"])
        forum.mutate("addReaction", "reaction { content }", subjectId=made["id"], content="HEART")
    shown = forum.read()
    hearts = next(each for each in shown["reactionGroups"] if each["content"] == "HEART")
    assert (shown["upvoteCount"], shown["viewerHasUpvoted"]) == (1, True)
    assert hearts == {"content": "HEART", "viewerHasReacted": True, "users": {"totalCount": 1}}
    forum.mutate("removeUpvote", "subject { upvoteCount }", subjectId=made["id"])
    forum.mutate("removeReaction", "subject { id }", subjectId=made["id"], content="HEART")
    assert (forum.read()["upvoteCount"], forum.read()["reactionGroups"][5]["users"]["totalCount"]) == (0, 0)


def test_reactions_to_issues_are_those_of_rest(forum: Forum):
    issue = forum.hub("POST", f"{forum.repo}/issues", {"title": "One"})
    forum.mutate("addReaction", "subject { id }", subjectId=issue["node_id"], content="ROCKET")
    assert [each["content"] for each in forum.hub("GET", f"{forum.repo}/issues/1/reactions")] == ["rocket"]


def test_a_discussion_is_closed_locked_labelled_moved_and_deleted(forum: Forum):
    made = forum.begin()
    forum.mutate("closeDiscussion", "discussion { id }", discussionId=made["id"], reason="OUTDATED")
    forum.mutate("lockLockable", "lockedRecord { locked }", lockableId=made["id"], lockReason="TOO_HEATED")
    label = ask(forum.hub, '{ repository(owner: "octocat", name: "demo") { label(name: "bug") { id } } }')
    labels = [label["repository"]["label"]["id"]]
    forum.mutate("addLabelsToLabelable", "labelable { __typename }", labelableId=made["id"], labelIds=labels)
    given = {"discussionId": made["id"], "title": "New", "categoryId": forum.categories["ideas"]}
    forum.mutate("updateDiscussion", "discussion { id }", **given)
    shown = forum.read()
    assert (shown["closed"], shown["stateReason"], shown["activeLockReason"]) == (True, "OUTDATED", "TOO_HEATED")
    assert (shown["title"], shown["category"]["name"], shown["isAnswered"]) == ("New", "Ideas", None)
    assert shown["labels"]["nodes"] == [{"name": "bug"}]
    forum.mutate("reopenDiscussion", "discussion { id }", discussionId=made["id"])
    forum.mutate("unlockLockable", "unlockedRecord { locked }", lockableId=made["id"])
    assert (forum.read()["closed"], forum.read()["locked"]) == (False, False)
    forum.mutate("deleteDiscussion", "discussion { id }", id=made["id"])
    assert ask(forum.hub, '{ repository(owner: "octocat", name: "demo") { discussions { totalCount } } }') == {
        "repository": {"discussions": {"totalCount": 0}}
    }


def test_search_and_lists_filter_discussions(forum: Forum):
    forum.begin("q-a", "Berths and tides")
    idea = forum.begin("ideas", "Paint the buoys")
    forum.mutate("closeDiscussion", "discussion { id }", discussionId=idea["id"])
    nodes = "discussionCount nodes { ... on Discussion { title } }"
    find = f"query($q: String!) {{ search(query: $q, type: DISCUSSION, first: 5) {{ {nodes} }} }}"
    for query, titles in (
        ("repo:octocat/demo tides", ["Berths and tides"]),
        ("repo:octocat/demo is:closed", ["Paint the buoys"]),
        ("repo:octocat/demo category:Ideas", ["Paint the buoys"]),
        ("repo:octocat/demo is:unanswered author:nobody", []),
    ):
        found = ask(forum.hub, find, q=query)["search"]
        assert ([each["title"] for each in found["nodes"]], found["discussionCount"]) == (titles, len(titles)), query
    query = '{ repository(owner: "octocat", name: "demo") { discussions(states: [OPEN]) { nodes { title } } } }'
    assert ask(forum.hub, query)["repository"]["discussions"]["nodes"] == [{"title": "Berths and tides"}]


def test_what_cannot_be_is_refused(forum: Forum):
    made, general = forum.begin(), forum.begin("general")
    comment, other = forum.comment(made["id"], "So."), forum.comment(general["id"], "No.")
    reply = forum.comment(made["id"], "Yes.", replyToId=comment)
    place = {"repositoryId": forum.id, "categoryId": forum.categories["q-a"], "title": "T", "body": "B"}
    for name, given, message in (
        ("createDiscussion", {**place, "title": " "}, "Title can't be blank"),
        ("createDiscussion", {**place, "title": "x" * 257}, "title is too long"),
        ("createDiscussion", {**place, "categoryId": forum.categories["polls"]}, "Polls"),
        ("addDiscussionComment", {"discussionId": made["id"], "body": "x", "replyToId": reply}, "already in a thread"),
        ("addDiscussionComment", {"discussionId": made["id"], "body": "x", "replyToId": other}, "already in a thread"),
        ("markDiscussionCommentAsAnswer", {"id": other}, "categories that accept answers"),
        ("reopenDiscussion", {"discussionId": made["id"]}, "already open"),
        ("closeDiscussion", {"discussionId": "D_nope"}, "Could not resolve to a node"),
    ):
        assert message in forum.refuse(name, **given), (name, given)
    forum.hub("PATCH", forum.repo, {"has_discussions": False})
    assert "disabled" in forum.refuse("createDiscussion", **place)


def test_hooks_are_told_of_discussions(forum: Forum, receiver: tuple[str, Queue[Delivery]]):
    url, got = receiver
    events = ["discussion", "discussion_comment"]
    forum.hub("POST", f"{forum.repo}/hooks", {"config": {"url": url, "content_type": "json"}, "events": events})
    made = forum.begin()
    comment = forum.comment(made["id"], "So.")
    forum.mutate("updateDiscussionComment", "comment { id }", commentId=comment, body="Thus.")
    forum.mutate("markDiscussionCommentAsAnswer", "discussion { id }", id=comment)
    told: dict[str, Any] = {}
    while "discussion.answered" not in told or len(told) < 5:
        headers, body = got.get(timeout=60)
        payload = json.loads(body)
        told[f"{headers['X-GitHub-Event']}.{payload.get('action')}"] = payload
    assert told["discussion_comment.edited"]["changes"] == {"body": {"from": "So."}}
    answered = told["discussion.answered"]
    assert (answered["answer"]["node_id"], answered["discussion"]["node_id"]) == (comment, made["id"])
    assert answered["discussion"]["answer_html_url"].endswith(f"#discussioncomment-{answered['answer']['id']}")


def test_a_poll_of_a_template_is_voted_in_once(github: Any):
    rows = json.loads((SEEDS / "github_default.json").read_text())
    options = [{"option": name, "votes": ["ada"] if name == "Blue" else []} for name in ("Red", "Blue")]
    rows["discussions"][0]["poll"] = {"question": "Which colour?", "options": options}
    twin.templates["github_poll"] = lambda: rows
    hub = github("github_poll", user="agent", users=("ada",))
    shown = "question totalVoteCount viewerHasVoted options(first: 5) { nodes { id option totalVoteCount } }"
    discussions = f"discussions(first: 100) {{ nodes {{ poll {{ {shown} }} }} }}"
    query = f'{{ repository(owner: "tidewater", name: "design-system") {{ {discussions} }} }}'
    del twin.templates["github_poll"]
    (poll,) = [each["poll"] for each in ask(hub, query)["repository"]["discussions"]["nodes"] if each["poll"]]
    assert (poll["question"], poll["totalVoteCount"], poll["viewerHasVoted"]) == ("Which colour?", 1, False)
    red = poll["options"]["nodes"][0]["id"]
    voted = mutate(hub, "addDiscussionPollVote", "pollOption { option totalVoteCount }", pollOptionId=red)
    assert voted["pollOption"] == {"option": "Red", "totalVoteCount": 1}
    assert "already voted" in refuse(hub, "addDiscussionPollVote", pollOptionId=red)
    assert "already voted" in refuse(hub.as_user("ada"), "addDiscussionPollVote", pollOptionId=red)
    assert "Could not resolve" in refuse(hub, "addDiscussionPollVote", pollOptionId="DPO_kgEC")
