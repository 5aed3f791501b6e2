"""The tools of the vendors' own MCP servers: their names, arguments and results."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest

from tests.harness import AGENT, GENERAL, JOHN, Environment, Platform
from tests.mcp_messages import call_tool, list_tools, refusal, use_tool
from twindiff.environments.registry import Registry

Json = Any
Given = dict[str, Any] | Callable[[Json], dict[str, Any]]
"""The arguments of a call, or what gives them from the result of the call before."""
PERIOD = {"startTime": "2018-06-18T00:00:00", "endTime": "2018-06-20T00:00:00"}
HOURS = {"startHour": "09:00", "endHour": "17:00", "excludeWeekends": True}
MEETING = {"summary": "Plan", "startTime": "2018-06-18T10:00:00", "endTime": "2018-06-18T11:00:00"}

REPO = {"owner": "tidewater", "repo": "harbour-api"}
TALKS = {"owner": "tidewater", "repo": "design-system"}
BOARDS = {"owner": "tidewater", "owner_type": "org"}
PROJECT = {**BOARDS, "project_number": 1}
REVIEW = {"body": "Fine", "event": "COMMENT"}
FILES = [{"path": "b.txt", "content": "b\n"}, {"path": "c.txt", "content": "c\n"}]

STORIES: dict[str, list[tuple[str, Given, str]]] = {
    "github": [
        ("get_me", {}, '"login":'),
        ("search_repositories", {"query": "harbour", "perPage": 1}, '"full_name":"tidewater/harbour-api"'),
        ("create_branch", {**REPO, "branch": "by-agent"}, '"ref":"refs/heads/by-agent"'),
        (
            "create_or_update_file",
            {**REPO, "path": "a.txt", "content": "a\n", "message": "A", "branch": "by-agent"},
            '"A"',
        ),
        ("push_files", {**REPO, "branch": "by-agent", "files": FILES, "message": "B and C"}, '"refs/heads/by-agent"'),
        ("get_file_contents", {**REPO, "path": "b.txt", "ref": "by-agent"}, '"content":"Ygo=\\n"'),
        ("delete_file", {**REPO, "path": "c.txt", "message": "No C", "branch": "by-agent"}, '"No C"'),
        ("list_commits", {**REPO, "sha": "by-agent", "perPage": 1}, '"No C"'),
        ("create_pull_request", {**REPO, "title": "Agent", "head": "by-agent", "base": "main"}, '"state":"open"'),
        ("get_pull_request_diff", lambda it: {**REPO, "pullNumber": it["number"]}, "+b"),
        ("list_pull_requests", {**REPO, "perPage": 1}, '"title":"Agent"'),
        ("create_and_submit_pull_request_review", lambda it: {**REPO, **number_of(it[0]), **REVIEW}, '"COMMENTED"'),
        ("list_pull_requests", {**REPO, "perPage": 1}, '"title":"Agent"'),
        ("merge_pull_request", lambda it: {**REPO, **number_of(it[0])}, '"merged":true'),
        ("create_issue", {**REPO, "title": "From an agent", "body": "Please"}, '"body":"Please"'),
        ("update_issue", lambda it: {**REPO, "issue_number": it["number"], "state": "closed"}, '"state":"closed"'),
        ("add_issue_comment", lambda it: {**REPO, "issue_number": it["number"], "body": "Done"}, '"body":"Done"'),
        ("list_issues", {**REPO, "state": "OPEN", "perPage": 5}, '"issues":['),
        ("search_issues", {"query": "agent", **REPO}, '"title":"From an agent"'),
        ("list_workflow_runs", {**REPO, "workflow_id": "ci.yml"}, '"workflow_runs":['),
        ("list_workflow_runs", {**REPO, "workflow_id": "deploy.yml", "event": "workflow_dispatch"}, '"failure"'),
        ("get_job_logs", lambda it: {**REPO, "run_id": run_of(it), "failed_only": True}, "Deploying to staging"),
        ("get_workflow_run_logs", lambda it: {**REPO, "run_id": it["run_id"]}, '"job_name":"deploy"'),
        ("get_workflow_run_usage", lambda it: {**REPO, "run_id": it["run_id"]}, '"UBUNTU"'),
        ("search_orgs", {"query": "tide"}, '"login":"tidewater"'),
        ("get_teams", {}, '"slug":"platform"'),
        ("get_team_members", {"org": "tidewater", "team_slug": "platform"}, '"johndoe"'),
        ("create_gist", {"filename": "a.md", "content": "a"}, '"a.md"'),
        ("update_gist", lambda it: {"gist_id": it["id"], "filename": "a.md", "content": "bb"}, '"content":"bb"'),
        ("list_gists", {}, '"a.md"'),
        ("list_notifications", {"perPage": 1}, '"reason":'),
        ("get_notification_details", lambda it: {"notificationID": it[0]["id"]}, '"subject":'),
        ("manage_notification_subscription", lambda it: {"notificationID": it["id"], "action": "ignore"}, "true"),
        ("manage_repository_notification_subscription", {**REPO, "action": "watch"}, '"subscribed":true'),
        ("mark_all_notifications_read", {}, "All notifications marked as read"),
        ("list_dependabot_alerts", REPO, "[]"),
        ("list_issue_types", {"owner": "tidewater"}, '"Bug"'),
        ("list_sub_issues", {**REPO, "issue_number": 1}, "[]"),
        ("list_discussion_categories", TALKS, '"name":"Ideas"'),
        ("list_discussions", {**TALKS, "perPage": 5}, '"title":"A date picker for tides"'),
        ("get_discussion", lambda it: {**TALKS, "discussionNumber": answered(it)}, '"answerChosenAt":"2026'),
        ("get_discussion_comments", lambda it: {**TALKS, "discussionNumber": it["number"]}, '"isAnswer":true'),
        ("list_projects", {**BOARDS, "query": "is:open"}, '"title":"Roadmap"'),
        ("get_project", PROJECT, '"short_description":"What Tidewater builds next"'),
        ("list_project_fields", PROJECT, '"name":"Estimate"'),
        ("get_project_field", {**PROJECT, "field_id": 303}, '"In Progress"'),
        ("list_project_items", {**PROJECT, "fields": ["303"]}, '"raw":"Done"'),
        ("get_issue", {**REPO, "issue_number": 9}, '"number":9'),
        (
            "add_project_item",
            lambda it: {**PROJECT, "item_type": "issue", "item_id": it["id"]},
            '"content_type":"Issue"',
        ),
        (
            "update_project_item",
            lambda it: {**PROJECT, "item_id": it["id"], "updated_field": {"id": 305, "value": 13}},
            '"value":13',
        ),
        ("get_project_item", lambda it: {**PROJECT, "item_id": it["id"]}, '"value":13'),
        ("delete_project_item", lambda it: {**PROJECT, "item_id": it["id"]}, "successfully deleted"),
    ],
    "slack": [
        ("slack_list_channels", {}, '"name":"general"'),
        ("slack_post_message", {"channel_id": GENERAL, "text": "Hi"}, '"ok":true'),
        ("slack_reply_to_thread", lambda it: {"channel_id": GENERAL, "thread_ts": it["ts"], "text": "re"}, '"ok":true'),
        ("slack_get_channel_history", {"channel_id": GENERAL, "limit": 1}, '"text":"Hi"'),
        ("slack_get_thread_replies", lambda it: thread_of(it, "thread_ts"), '"text":"re"'),
        ("slack_add_reaction", lambda it: {**thread_of(it, "timestamp"), "reaction": "eyes"}, '{"ok":true}'),
        ("slack_get_users", {}, f'"id":"{AGENT}"'),
        ("slack_get_user_profile", {"user_id": AGENT}, '"real_name":"Assistant One"'),
        ("slack_send_message", {"channel_id": GENERAL, "message": "**Hello**"}, '"message_link":"https://'),
        (
            "slack_read_thread",
            lambda it: {"channel_id": GENERAL, **only(it, "message_ts")},
            "Message from Assistant One",
        ),
        ("slack_send_message", {"channel_id": JOHN, "message": "A word"}, '"channel_id":"D'),
        ("slack_read_channel", {"channel_id": GENERAL, "limit": 1}, '"pagination_info":"cursor: '),
        ("slack_search_public", {"query": "Hello"}, "Channel: #general"),
        ("slack_search_public_and_private", {"query": "word"}, "## Messages (1 results)"),
        ("slack_search_channels", {"query": "gen"}, "Name: #general"),
        ("slack_search_users", {"query": "john"}, f"User ID: {JOHN}"),
        ("slack_read_user_profile", {}, f"User ID: {AGENT}"),
        ("slack_create_canvas", {"title": "Plan", "content": "# Plan"}, '"canvas_id":"F'),
        ("slack_update_canvas", lambda it: {**it, "content": "More"}, '"canvas_id":"F'),
        ("slack_read_canvas", lambda it: it, "More"),
    ],
    "stripe": [
        ("get_stripe_account_info", {}, '"display_name"'),
        ("create_product", {"name": "Tea"}, '"object":"product"'),
        ("create_price", lambda it: {"product": it["id"], "unit_amount": 500, "currency": "usd"}, '"unit_amount":500'),
        ("create_payment_link", lambda it: {"price": it["id"], "quantity": 1}, '"url":'),
        ("create_customer", {"name": "Ada", "email": "a@b.c"}, '{"id":"cus_'),
        ("list_customers", {"email": "a@b.c"}, '[{"id":"cus_'),
        ("create_invoice", lambda it: {"customer": it[0]["id"], "days_until_due": 30}, '"status":"draft"'),
        ("finalize_invoice", lambda it: {"invoice": it["id"]}, '"status":'),
        ("list_invoices", {"limit": 1}, '[{"id":"in_'),
        ("list_products", {"limit": 1}, '[{"id":"prod_'),
        ("list_prices", {"limit": 1}, '[{"id":"price_'),
        ("create_invoice_item", lambda it: {"customer": "cus_x", "price": it[0]["id"], "invoice": "in_x"}, "No such"),
        ("retrieve_balance", {}, '"object":"balance"'),
        ("create_coupon", {"name": "x", "percent_off": 10, "amount_off": 0}, '{"id":'),
        ("list_coupons", {}, '"percent_off":10'),
        ("list_payment_intents", {"limit": 1}, '[{"id":"pi_'),
        ("create_refund", {"payment_intent": "pi_none"}, "No such payment_intent"),
        ("list_subscriptions", {"limit": 1}, '[{"id":"sub_'),
        ("update_subscription", lambda it: change_quantity(it[0], 2), '"quantity":2'),
        ("cancel_subscription", lambda it: {"subscription": it["id"]}, '"status":"canceled"'),
        ("list_disputes", {}, '[{"id":"du_'),
        ("update_dispute", lambda it: {"dispute": it[0]["id"], "evidence": {"uncategorized_text": "t"}}, '{"id":"du_'),
    ],
    "box": [
        ("who_am_i", {}, '"type":"user"'),
        ("create_folder", {"name": "Plans"}, '"type":"folder"'),
        ("upload_file", lambda it: {"file_name": "a.txt", "content": "Hi", "parent_folder_id": it["id"]}, '"file"'),
        ("get_file_content", lambda it: {"file_id": it["entries"][0]["id"]}, "Hi"),
        ("search_files_keyword", {"query": "bike"}, '"type":"search_results_items"'),
        ("search_folders_by_name", {"query": "Plans"}, '"name":"Plans"'),
        ("list_folder_content_by_folder_id", {"folder_id": "0"}, '"name":"Plans"'),
        ("box_file_upload_tool", {"content": "x", "file_name": "b.txt", "parent_folder_id": 0}, '"name":"b.txt"'),
        ("copy_file", lambda it: {**file_of(it["entries"][0]), "parent_folder_id": "0", "name": "c.txt"}, '"c.txt"'),
        ("box_file_rename_tool", lambda it: {**file_of(it), "new_name": "d.txt"}, '"name":"d.txt"'),
        ("update_file_properties", lambda it: {**file_of(it), "description": "Old"}, '"description":"Old"'),
        ("create_file_comment", lambda it: {**file_of(it), "message": "So"}, '"message":"So"'),
        ("list_file_comments", lambda it: file_of(it["item"]), '"total_count":1'),
        ("list_hubs", {}, '"type":"hubs"'),
        ("box_folder_items_list_tool", {"folder_id": "0"}, '"name":"d.txt"'),
        ("box_folder_create_tool", {"name": "Z"}, '"name":"Z"'),
        ("box_folder_delete_tool", lambda it: {"folder_id": it["id"]}, "has been deleted"),
        ("get_file_details", {"file_id": "1"}, '"code":"not_found"'),
    ],
    "calendar": [
        ("list_calendars", {}, '"timeZone":"America/New_York"'),
        ("create_event", {**MEETING, "attendeeEmails": ["x@y.z"]}, '"dateTime":"2018-06-18T10:00:00-04:00"'),
        ("update_event", lambda it: {"eventId": it["id"], "location": "Here"}, '"location":"Here"'),
        ("get_event", lambda it: {"eventId": it["id"]}, '"summary":"Plan"'),
        ("respond_to_event", lambda it: {"eventId": it["id"], "responseStatus": "accepted"}, '"email":"x@y.z"'),
        ("list_events", PERIOD, '"summary":"Plan"'),
        ("search_events", {"query": "Plan"}, '"summary":"Plan"'),
        (
            "suggest_time",
            {"attendeeEmails": ["primary"], **PERIOD, "preferences": HOURS},
            '"startTime":"2018-06-18T09:00',
        ),
        ("list_events", {"timeZone": "Mars"}, "'Mars' is no time zone"),
        ("list_events", {"startTime": "soon"}, "'soon' is no time in ISO 8601"),
        (
            "create_event",
            {"summary": "Off", "startTime": "2018-06-18", "endTime": "2018-06-19", "allDay": True},
            '"date":',
        ),
        ("delete_event", lambda it: {"eventId": it["id"]}, "{}"),
    ],
    "linear": [
        ("list_teams", {}, '"key":"ENG"'),
        ("list_users", {"query": "sarah"}, '"displayName":"Sarah"'),
        ("get_user", {"query": "me"}, '"isAdmin":true'),
        ("list_issue_statuses", {"team": "ENG"}, '"type":"backlog","name":"Backlog"'),
        ("list_issue_labels", {}, '"name":"UX"'),
        ("create_issue", {"title": "Tea", "team": "ENG", "assignee": "me", "priority": 2}, '"name":"High"'),
        ("update_issue", lambda it: {"id": it["id"], "state": "Done"}, '"status":"Done"'),
        ("save_issue", lambda it: {"id": it["uuid"], "title": "Pot", "assignee": "null"}, '"title":"Pot"'),
        ("get_issue", lambda it: {"id": it["id"], "includeRelations": True}, '"relations":{"blocks":[]'),
        ("list_issues", {"team": "Engineering", "state": "completed", "query": "pot", "limit": 250}, '"title":"Pot"'),
        ("list_my_issues", {}, '"assignee":"Sarah Smith"'),
        ("list_issues", {"fields": ["status", "id"], "limit": 1}, '{"issues":[{"id":"ENG-5","status":"Done"}]'),
        ("list_issues", {"query": "pot"}, '"description":"","priority":{"value":2,"name":"High"}'),
        ("list_issues", {"query": "pot", "fields": ["id"]}, '{"issues":[{"id":"ENG-5"}],"hasNextPage":false}'),
        ("create_comment", {"issueId": "ENG-1", "body": "So"}, '"body":"So"'),
        ("save_comment", lambda it: {"id": it["id"], "body": "No"}, '"body":"No"'),
        ("list_comments", {"issueId": "ENG-1"}, '"body":"No"'),
        ("create_project", {"name": "Leaf", "team": "ENG", "lead": "me"}, '"name":"Leaf"'),
        ("list_projects", {"query": "lea"}, '"name":"Leaf"'),
        ("create_issue_label", {"name": "Hot"}, '"name":"Hot"'),
        ("create_issue", {"title": "Cup", "team": "ENG", "labels": ["hot"], "blocks": ["ENG-1"]}, '"labels":["Hot"]'),
        ("create_document", {"title": "Brew", "project": "Leaf"}, '"title":"Brew"'),
        ("update_document", lambda it: {"id": it["id"], "content": "Hot"}, '"content":"Hot"'),
        ("list_project_labels", {}, "["),
        ("list_cycles", {"teamId": "ENG"}, "["),
        ("get_team", {"query": "nope"}, "Could not find 'nope' among the teams"),
        ("save_issue", {"title": "x"}, "title and team are required"),
    ],
}
"""Calls of each twin's tools in order, each with a part of its result."""


def thread_of(page: Json, name: str) -> dict[str, Any]:
    return {"channel_id": GENERAL, name: page["messages"][0]["ts"]}


def only(sent: Json, name: str) -> dict[str, Any]:
    return {name: sent["message_context"][name]}


def run_of(it: Json) -> int:
    """The id of the first run of a list."""
    return it["workflow_runs"][0]["id"]


def answered(it: Json) -> int:
    """The number of the discussion that has an answer."""
    return next(each["number"] for each in it["discussions"] if each["isAnswered"])


def number_of(pull: Json) -> dict[str, Any]:
    return {"pullNumber": pull["number"]}


def file_of(file: Json) -> dict[str, Any]:
    return {"file_id": file["id"]}


def change_quantity(subscription: Json, quantity: int) -> dict[str, Any]:
    item = subscription["items"]["data"][0]
    return {"subscription": subscription["id"], "items": [{"id": item["id"], "quantity": quantity}]}


def make_environment(platform: Platform, twin: str) -> Environment:
    templates = {each["name"]: each["id"] for each in platform.get("templates")["templates"]}
    first = platform.get(f"templates/{templates[f'{twin}_default']}")["users"][0]["id"]
    return platform.environment(f"{twin}:{twin}_default", AGENT if twin == "slack" else first)


@pytest.mark.parametrize("twin", STORIES)
def test_an_agent_finds_the_tools_that_the_vendors_server_has(platform: Platform, twin: str):
    environment = make_environment(platform, twin)
    schemas = {name: each.get("outputSchema") for name, each in list_tools(environment, twin).items()}
    result: Json = None
    for tool, given, part in STORIES[twin]:
        said = use_tool(environment, tool, given(result) if callable(given) else given, twin=twin)
        text = said["content"][0]["text"]
        assert part in text, (tool, text)
        result = json.loads(text) if text[0] in "[{" else text
        is_object = isinstance(result, dict) and not said["isError"]
        assert said.get("structuredContent") == (result if is_object else None)
        if not said["isError"]:
            jsonschema.validate(said.get("structuredContent"), schemas[tool] or {})


def test_the_tools_of_google_calendar_describe_their_results_as_googles_do(platform: Platform):
    listed = list_tools(make_environment(platform, "calendar"), "calendar")
    fields = {name: [*each.get("outputSchema", {}).get("properties", {})] for name, each in listed.items()}
    assert fields["list_events"] == ["events", "nextPageToken"]
    assert fields["suggest_time"] == ["timeSlots"]
    assert sum(map(bool, fields.values())) == 8


def test_lists_are_structured_content_since_the_revision_that_allows_them(platform: Platform):
    environment = make_environment(platform, "stripe")
    for revision, has_any in (("2025-11-25", False), ("2026-07-28", True)):
        said = use_tool(environment, "list_products", {}, twin="stripe", **{"MCP-Protocol-Version": revision})
        assert isinstance(said.get("structuredContent"), list) == has_any


@pytest.mark.parametrize("twin", STORIES)
def test_a_vendors_tools_are_declared_for_operations_that_there_are(twin: str):
    declared = Registry.load_installed().twins[twin]
    assert declared.vendor_tools
    assert set(declared.vendor_tools.core) <= set(declared.tools_by_operation)
    for tool in declared.vendor_tools.list_tools(declared):
        jsonschema.Draft202012Validator.check_schema(tool.schema)
        assert tool.description.endswith(".")


def test_a_vendors_tools_are_the_default_and_those_of_operations_are_asked_for(platform: Platform):
    environment = make_environment(platform, "slack")
    assert list_tools(environment, "slack").keys() == list_tools(environment, "slack", "profile=vendor").keys()
    assert "slack_post_message" not in list_tools(environment, "slack", "profile=operations")
    assert "slack_send_message" not in list_tools(environment, "slack", "tools=read")


def test_arguments_of_a_vendors_tool_are_checked_and_its_unknown_ones_suggested(platform: Platform):
    environment = make_environment(platform, "slack")
    text, is_error = call_tool(environment, "slack_send_message", {"message": "Hi"}, twin="slack")
    assert ("missing required field: channel_id" in text, is_error) == (True, True)
    assert "Did you mean 'slack_send_message'?" in refusal(environment, "slack_send_mesage", twin="slack")
