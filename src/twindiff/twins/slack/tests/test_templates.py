"""What a task may ask for in the templates: when things were made, by whom, and what people are."""

import pytest

from tests.harness import AGENT

TEMPLATES = ("slack_default", "slack_lighthouse")


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_channel_says_when_it_was_made_and_by_whom(workspace, template):
    """https://docs.slack.dev/reference/objects/conversation-object"""
    slack = workspace(template, tokens={f"xoxp-{AGENT}": AGENT})
    channels = slack("conversations.list", types="public_channel,private_channel", limit=1000)["channels"]
    people = {user["id"] for user in slack("users.list", limit=1000)["members"]}
    assert [channel["name"] for channel in channels if not channel["created"] or channel["creator"] not in people] == []


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_person_has_a_title_and_was_there_before_they_wrote(workspace, template):
    """https://docs.slack.dev/reference/objects/user-object"""
    slack = workspace(template, tokens={f"xoxp-{AGENT}": AGENT})
    people = {user["id"]: user for user in slack("users.list", limit=1000)["members"]}
    assert [user["name"] for user in people.values() if not (user["profile"]["title"] and user["updated"])] == []
    [general] = [each["id"] for each in slack("conversations.list", limit=1000)["channels"] if each["is_general"]]
    messages = slack("conversations.history", channel=general, limit=999)["messages"]
    assert [each["ts"] for each in messages if float(each["ts"]) < people[each["user"]]["updated"]] == []
