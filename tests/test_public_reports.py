"""Refusals of the real APIs that the public reported, tried over HTTP, each with its source."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from tests.harness import AGENT, GENERAL, LiveServer, Platform
from twindiff.server import Settings

TEAM = "ad608998-915c-4bad-bcd9-85ebfccccee8"
START, END = {"dateTime": "2026-05-03T18:00:00Z"}, {"dateTime": "2026-05-03T17:00:00Z"}
SECTION = {"type": "section", "text": {"type": "mrkdwn", "text": "x"}}
CREATE = "mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success } }"
SERVICES = {
    "slack": ("slack_default", AGENT),
    "linear": ("linear_default", "2790a7ee-fde0-4537-9588-e233aa5a68d1"),
    "stripe": ("stripe_default", "acct_1TwindiffTestShop"),
    "calendar": ("calendar_base", "user_agent"),
    "box": ("box_base", "22010040001"),
}
Ask = Callable[..., httpx.Response]


@pytest.fixture(scope="module")
def services() -> Iterator[dict[str, Ask]]:
    """How each service is asked, by its name."""
    server = LiveServer(Settings())
    platform = Platform(server.in_process)

    def make(name: str) -> Ask:
        template, user = SERVICES[name]
        environment = platform.environment(f"{name}:{template}", **({"user": user} if user else {}))
        return lambda verb, path, **sent: environment.ask(path, verb=verb, twin=name, **sent)

    yield {name: make(name) for name in SERVICES}
    server.close()


REPORTS: list[tuple[str, str, str, str, dict[str, Any], tuple[str, ...]]] = [
    # https://github.com/cds-snc/sre-bot/issues/95
    ("a long name of a Slack channel", "slack", "POST", "conversations.create", {"data": {"name": "a" * 81}},
     ("invalid_name_maxlength",)),
    # https://github.com/howdyai/botkit/pull/138
    ("a long purpose of a Slack channel", "slack", "POST", "conversations.setPurpose",
     {"data": {"channel": GENERAL, "purpose": "x" * 251}}, ("too_long",)),
    # https://docs.slack.dev/reference/block-kit/blocks
    ("fifty-one blocks in a Slack message", "slack", "POST", "chat.postMessage",
     {"json": {"channel": GENERAL, "text": "x", "blocks": [SECTION] * 51}},
     ("invalid_blocks", "no more than 50 items allowed")),
    # https://github.com/stripe/stripe-node/issues/1164
    ("a type of a Stripe price", "stripe", "POST", "v1/prices",
     {"data": {"type": "one_time", "currency": "usd", "unit_amount": 1, "product_data[name]": "p"}},
     ("400", "Received unknown parameter: type")),
    # https://github.com/stripe/stripe-python/issues/853
    ("a header of Stripe given as a parameter", "stripe", "POST", "v1/customers", {"data": {"idempotency_key": "a"}},
     ("400", "Received unknown parameter: idempotency_key")),
    # https://docs.stripe.com/api/metadata
    ("a long key of Stripe metadata", "stripe", "POST", "v1/customers", {"data": {f"metadata[{'k' * 41}]": "v"}},
     ("400", "40 characters")),
    # https://github.com/kewisch/gdata-provider/issues/12
    ("a Google event that ends before it starts", "calendar", "POST", "calendars/primary/events",
     {"json": {"start": START, "end": END}}, ("400", "timeRangeEmpty", '"location":"timeMax"')),
    # https://github.com/googleapis/google-api-nodejs-client/issues/565
    ("a Google event without an end", "calendar", "POST", "calendars/primary/events", {"json": {"start": START}},
     ("400", "Missing end time.", '"reason":"required"')),
    # https://github.com/googleapis/google-api-java-client/issues/1628
    ("an instant as the date of a Google event", "calendar", "POST", "calendars/primary/events",
     {"json": {"start": {"date": "2020-11-10T00:20:50.52Z"}, "end": {"date": "2020-11-10T23:20:50.52Z"}}},
     ("400", "Bad Request", '"reason":"badRequest"')),
    # https://github.com/googleapis/google-api-dotnet-client/issues/186
    ("a malformed instant of a Google event", "calendar", "POST", "calendars/primary/events",
     {"json": {"start": {"dateTime": "2012-02-14T08:00:00.000:+08:00"}, "end": {"dateTime": "2012-02-14T09:00:00Z"}}},
     ("400", "Bad Request", '"reason":"badRequest"')),
    # https://github.com/box/box-python-sdk/pull/49
    ("a slash in the name of a Box folder", "box", "POST", "2.0/folders",
     {"json": {"name": "a/b", "parent": {"id": "0"}}}, ("400", "item_name_invalid")),
    # https://github.com/MikkoParkkola/mcp-gateway/pull/165
    ("a Linear issue in another's name by a personal key", "linear", "POST", "graphql",
     {"json": {"query": CREATE, "variables": {"input": {"teamId": TEAM, "title": "x", "createAsUser": "Bot"}}}},
     ("errors", "createAsUser")),
    # https://github.com/cline/linear-mcp/issues/1
    ("a list of issues where Linear wants one", "linear", "POST", "graphql",
     {"json": {"query": CREATE.replace("IssueCreateInput!", "[IssueCreateInput!]!"), "variables": {"input": []}}},
     ('of type \\"[IssueCreateInput!]!\\" used in position expecting type \\"IssueCreateInput!\\".',)),
]  # fmt: skip
"""What is reported, the service, the request, and what the answer has: its status, words, a part of its JSON."""


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report[0].replace(" ", "-"))
def test_a_publicly_reported_request_is_refused_as_reported(services: dict[str, Ask], report: Any):
    _, service, verb, path, sent, wanted = report
    answer = services[service](verb, path, **sent)
    text = f"{answer.status_code} " + json.dumps(answer.json(), separators=(",", ":"))
    assert [each for each in wanted if each not in text] == [], text[:600]


def test_a_box_folder_whose_name_is_in_use_names_the_one_that_has_it(services: dict[str, Ask]):
    """https://github.com/attachmentsme/ruby-box/pull/6"""
    given = {"json": {"name": "Twice", "parent": {"id": "0"}}}
    first = services["box"]("POST", "2.0/folders", **given).json()
    refused = services["box"]("POST", "2.0/folders", **given)
    assert (refused.status_code, refused.json()["code"]) == (409, "item_name_in_use")
    assert [each["id"] for each in refused.json()["context_info"]["conflicts"]] == [first["id"]]


def test_a_box_folder_is_not_moved_into_itself(services: dict[str, Ask]):
    """https://developer.box.com/guides/api-calls/permissions-and-errors/common-errors"""
    above = services["box"]("POST", "2.0/folders", json={"name": "Above", "parent": {"id": "0"}}).json()["id"]
    below = services["box"]("POST", "2.0/folders", json={"name": "Below", "parent": {"id": above}}).json()["id"]
    refused = services["box"]("PUT", f"2.0/folders/{above}", json={"parent": {"id": below}})
    assert (refused.status_code, refused.json()["code"]) == (400, "cyclical_folder_structure")
