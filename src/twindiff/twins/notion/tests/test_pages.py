"""Pages and blocks: content, order, trash, moving, and what a diff says of it."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import HOME, Notion, paragraph, text_of


def children(notion: Notion, parent: str) -> list[str]:
    """The texts of a parent's children in order; of pages, their titles."""
    results = notion("GET", f"blocks/{parent}/children")["results"]
    return [each.get("child_page", {}).get("title") or text_of(each) for each in results]


def test_a_page_is_made_with_nested_content_and_stands_in_its_parent(notion: Notion):
    page = notion.page("Plan", children=[paragraph("outer", paragraph("inner", paragraph("deep"))), paragraph("last")])
    outer = notion("GET", f"blocks/{page['id']}/children")["results"][0]
    assert (children(notion, page["id"]), outer["has_children"]) == (["outer", "last"], True)
    assert children(notion, outer["id"]) == ["inner"]
    assert (children(notion, HOME), page["parent"]) == (["Plan"], {"type": "page_id", "page_id": HOME})
    assert notion("GET", f"blocks/{page['id']}")["child_page"] == {"title": "Plan"}


def test_blocks_are_appended_at_the_end_at_the_start_and_after_a_sibling(notion: Notion):
    page = notion.page()["id"]
    first = notion.append(page, paragraph("a"), paragraph("d"))[0]["id"]
    shown = notion.append(
        page, paragraph("b"), paragraph("c"), position={"type": "after_block", "after_block": {"id": first}}
    )
    notion.append(page, paragraph("0"), position={"type": "start"})
    assert [text_of(each) for each in shown] == ["b", "c", "d"]
    assert children(notion, page) == ["0", "a", "b", "c", "d"]
    notion.at("2025-09-03").append(page, paragraph("a2"), after=first)
    assert children(notion, page) == ["0", "a", "a2", "b", "c", "d"]


def test_appending_between_siblings_changes_no_row_of_theirs(notion: Notion):
    page = notion.page(children=[paragraph("a"), paragraph("b")])["id"]
    first = notion("GET", f"blocks/{page}/children")["results"][0]["id"]
    platform = notion.environment.platform
    run = platform.start(notion.environment)
    notion.append(page, paragraph("x"), position={"type": "after_block", "after_block": {"id": first}})
    diff = platform.diff(run)
    assert [(row["text"], row["rich_text"]) for row in diff["inserts"]] == [("x", None)]
    assert [each["before"]["__table__"] for each in diff["updates"]] in ([], ["notion_pages"])


def test_children_are_listed_in_pages_by_the_id_of_the_next(notion: Notion):
    page = notion.page(children=[paragraph(str(number)) for number in range(5)])["id"]
    first = notion("GET", f"blocks/{page}/children?page_size=2")
    rest = notion("GET", f"blocks/{page}/children?page_size=100&start_cursor={first['next_cursor']}")
    texts = [text_of(each) for each in first["results"] + rest["results"]]
    assert (texts, first["has_more"], rest["has_more"]) == (["0", "1", "2", "3", "4"], True, False)


CONTENTS: dict[str, Any] = {
    "to_do": {"rich_text": [{"text": {"content": "x"}}], "checked": True},
    "code": {"rich_text": [{"text": {"content": "1"}}], "language": "python"},
    "callout": {"rich_text": [{"text": {"content": "x"}}], "icon": {"emoji": "💡"}, "color": "blue_background"},
    "heading_2": {"rich_text": [{"text": {"content": "x"}}], "is_toggleable": True},
    "equation": {"expression": "e=mc^2"},
    "bookmark": {"url": "https://example.com"},
    "image": {"external": {"url": "https://example.com/a.png"}},
    "file": {"external": {"url": "https://example.com/a.pdf"}},
    "divider": {},
    "table_of_contents": {"color": "red"},
    "link_to_page": {"page_id": HOME},
    "table": {"table_width": 1, "children": [{"table_row": {"cells": [[{"text": {"content": "x"}}]]}}]},
    "column_list": {
        "children": [{"column": {"children": [paragraph("l")]}}, {"column": {"children": [paragraph("r")]}}]
    },
    "synced_block": {"synced_from": None, "children": [paragraph("s")]},
    "toggle": {"rich_text": [{"text": {"content": "x"}}], "children": [paragraph("t")]},
}


def test_every_type_of_block_comes_back_with_what_was_given(notion: Notion):
    page = notion.page()["id"]
    shown = notion.append(page, *({kind: content} for kind, content in CONTENTS.items()))
    assert [each["type"] for each in shown] == [*CONTENTS]
    for each in shown:
        given = {name: value for name, value in CONTENTS[each["type"]].items() if name not in ("children", "rich_text")}
        assert {name: each[each["type"]][name] for name in given if name != "icon"} == {
            name: value for name, value in given.items() if name != "icon"
        }
    assert [each["has_children"] for each in shown[-4:]] == [True] * 4


def test_rich_text_keeps_its_formats_and_rows_only_what_differs(notion: Notion):
    items = [
        {"text": {"content": "Ship "}},
        {
            "text": {"content": "today", "link": {"url": "https://example.com"}},
            "annotations": {"bold": True, "color": "red"},
        },
        {"equation": {"expression": "x^2"}},
        {"mention": {"page": {"id": HOME}}},
        {"mention": {"date": {"start": "2026-07-01"}}},
    ]
    block = notion.append(notion.page()["id"], {"paragraph": {"rich_text": items}})[0]
    shown = block["paragraph"]["rich_text"]
    assert [each["plain_text"] for each in shown] == ["Ship ", "today", "x^2", "Tests", "2026-07-01"]
    assert (shown[1]["href"], shown[1]["annotations"]["bold"], shown[1]["annotations"]["color"]) == (
        "https://example.com",
        True,
        "red",
    )
    [row] = [row for row in notion.diff()["inserts"] if row["id"] == block["id"]]
    assert row["text"] == "Ship todayx^2Tests2026-07-01"
    assert row["rich_text"][:2] == [
        {"text": "Ship "},
        {"text": "today", "href": "https://example.com", "bold": True, "color": "red"},
    ]


def test_updating_a_block_changes_one_row(notion: Notion):
    block = notion.append(notion.page()["id"], paragraph("a", kind="to_do"))[0]["id"]
    run = notion.environment.platform.start(notion.environment)
    shown = notion("PATCH", f"blocks/{block}", {"to_do": {"checked": True}})
    assert (text_of(shown), shown["to_do"]["checked"]) == ("a", True)
    updates = notion.environment.platform.diff(run)["updates"]
    assert [(each["before"]["content"], each["after"]["content"]) for each in updates] == [({}, {"checked": True})]


def test_what_is_in_the_trash_is_not_listed_and_cannot_be_edited_until_it_is_back(notion: Notion):
    page = notion.page(children=[paragraph("a", paragraph("b"))])["id"]
    block = notion("GET", f"blocks/{page}/children")["results"][0]["id"]
    inner = notion("GET", f"blocks/{block}/children")["results"][0]["id"]
    assert notion("DELETE", f"blocks/{block}")["in_trash"] is True
    assert (children(notion, page), notion("GET", f"blocks/{inner}")["in_trash"]) == ([], True)
    for body in ({"paragraph": {"rich_text": []}},):
        assert notion.refused("PATCH", f"blocks/{block}", body)[1] == "validation_error"
    assert notion.refused("PATCH", f"blocks/{block}/children", {"children": [paragraph("c")]})[1] == "validation_error"
    assert notion("PATCH", f"blocks/{block}", {"in_trash": False})["in_trash"] is False
    assert children(notion, page) == ["a"]


def test_a_page_moves_with_one_changed_row_but_not_into_itself(notion: Notion):
    outer, target = notion.page("Outer")["id"], notion.page("Target")["id"]
    inner = notion.page("Inner", parent={"page_id": outer})["id"]
    run = notion.environment.platform.start(notion.environment)
    moved = notion("POST", f"pages/{inner}/move", {"parent": {"page_id": target}})
    assert (moved["parent"]["page_id"], children(notion, target), children(notion, outer)) == (target, ["Inner"], [])
    assert [each["after"]["title"] for each in notion.environment.platform.diff(run)["updates"]] == ["Inner"]
    assert notion.refused("POST", f"pages/{target}/move", {"parent": {"page_id": inner}})[1] == "validation_error"


def test_icons_covers_and_locks_are_set_and_taken_away(notion: Notion):
    page = notion.page(icon={"emoji": "🚀"}, cover={"external": {"url": "https://example.com/c.png"}})
    assert (page["icon"]["emoji"], page["cover"]["external"]["url"]) == ("🚀", "https://example.com/c.png")
    changed = notion("PATCH", f"pages/{page['id']}", {"icon": None, "is_locked": True})
    assert (changed["icon"], changed["is_locked"]) == (None, True)


def test_comments_open_discussions_and_answer_in_them(notion: Notion):
    page = notion.page(children=[paragraph("a")])["id"]
    block = notion("GET", f"blocks/{page}/children")["results"][0]["id"]
    first = notion("POST", "comments", {"parent": {"block_id": block}, "rich_text": [{"text": {"content": "one"}}]})
    answer = notion("POST", "comments", {"discussion_id": first["discussion_id"], "markdown": "**two**"})
    listed = notion("GET", f"comments?block_id={block}")["results"]
    assert [each["rich_text"][0]["plain_text"] for each in listed] == ["one", "two"]
    assert (answer["parent"], answer["display_name"]["resolved_name"]) == (first["parent"], "Example integration")
    notion("PATCH", f"comments/{answer['id']}", {"rich_text": [{"text": {"content": "three"}}]})
    notion("DELETE", f"comments/{first['id']}")
    assert [each["rich_text"][0]["plain_text"] for each in notion("GET", f"comments?block_id={block}")["results"]] == [
        "three"
    ]
    assert notion("GET", f"comments?block_id={page}")["results"] == []


def test_search_finds_titles_by_their_words_the_last_edited_first(notion: Notion):
    for title in ("Road map", "Mapping notes", "Budget"):
        notion.page(title)
    notion.source(title="Maps of roads")

    def titles(**body: Any) -> list[str]:
        results = notion("POST", "search", body)["results"]
        return [each["title"][0]["plain_text"] if each["object"] == "data_source" else
                each["properties"]["title"]["title"][0]["plain_text"] for each in results]  # fmt: skip

    assert set(titles(query="map")) == {"Road map", "Mapping notes", "Maps of roads"}
    assert titles(query="budget") == ["Budget"]
    assert titles(filter={"property": "object", "value": "data_source"}) == ["Maps of roads"]
    assert titles(query="nothing") == []
    ascending = titles(sort={"timestamp": "last_edited_time", "direction": "ascending"}, page_size=2)
    assert len(ascending) == 2


BAD: list[tuple[str, str, Any, str]] = [
    ("POST", "pages", {"parent": {"page_id": HOME}, "properties": {"Nope": []}}, "Nope is not a property that exists."),
    ("POST", "pages", {"parent": {"page_id": "x"}}, "body.parent.page_id should be a valid uuid"),
    ("POST", "pages", {"parent": {}}, "body.parent.page_id should be defined"),
    ("POST", "pages", {"parent": {"page_id": HOME}, "foo": 1}, "body.foo should be not present"),
    ("POST", "pages", {"parent": {"page_id": HOME}, "children": [{}]}, "body.children[0].paragraph should be defined"),
    (
        "POST",
        "pages",
        {"parent": {"page_id": HOME}, "children": [{"paragraph": {}}]},
        "body.children[0].paragraph.rich_text should be defined, instead was `undefined`.",
    ),
    (
        "POST",
        "pages",
        {"parent": {"page_id": HOME}, "children": [paragraph("x" * 2001)]},
        "body.children[0].paragraph.rich_text[0].text.content.length should be ≤ `2000`, instead was `2001`.",
    ),
    (
        "POST",
        "pages",
        {"parent": {"page_id": HOME}, "children": [paragraph("x")] * 101},
        "body.children.length should be ≤ `100`, instead was `101`.",
    ),
    (
        "POST",
        "pages",
        {"parent": {"page_id": HOME}, "children": [paragraph("1", paragraph("2", paragraph("3", paragraph("4"))))]},
        "body.children[0].paragraph.children[0].paragraph.children[0].paragraph.children should be not present",
    ),
    (
        "POST",
        "pages",
        {"parent": {"page_id": HOME}, "children": [{"code": {"rich_text": [], "language": "elvish"}}]},
        "body.children[0].code.language should be",
    ),
    (
        "POST",
        "pages",
        {"parent": {"page_id": HOME}, "children": [paragraph("x", color="mauve")]},
        "paragraph.color should be",
    ),
    (
        "POST",
        "pages",
        {"parent": {"page_id": HOME}, "children": [{"column": {"children": []}}]},
        "cannot be a child of",
    ),
    ("POST", "pages", {"parent": {"page_id": HOME}, "icon": {"emoji": 1}}, "body.icon.emoji should be a string"),
    ("PATCH", f"pages/{HOME}", {"is_locked": "yes"}, "body.is_locked should be a boolean"),
    (
        "PATCH",
        f"blocks/{HOME}/children",
        {"children": [paragraph("x")], "after": HOME},
        "body.after should be not present",
    ),
    ("PATCH", f"blocks/{HOME}", {"in_trash": "yes"}, "body.in_trash should be a boolean"),
    (
        "PATCH",
        f"blocks/{HOME}/children",
        {"children": [{"tab": {"children": [paragraph("x", size=1)]}}]},
        "body.children[0].tab.children[0].paragraph.size should be not present",
    ),
    ("PATCH", f"blocks/{HOME}/children", {}, "body.children should be defined, instead was `undefined`."),
    ("PATCH", f"blocks/{HOME}/children", {"children": {}}, "body.children should be an array"),
    ("POST", "comments", {"rich_text": []}, "body.parent should be defined"),
    ("POST", "search", {"page_size": "many"}, "body.page_size should be a number"),
    ("POST", "search", {"start_cursor": "zz"}, "start_cursor provided is invalid"),
    ("GET", f"blocks/{HOME}/children?page_size=0", None, "should be ≥ `1`"),
    ("GET", "pages/zz9", None, 'path.page_id should be a valid uuid, instead was `"zz9"`.'),
]


@pytest.fixture(scope="module")
def shared(workspace: Any) -> Notion:
    """A workspace in which nothing may change."""
    return workspace()


@pytest.mark.parametrize(("verb", "path", "body", "message"), BAD, ids=[each[3][:40] for each in BAD])
def test_bad_input_is_refused_with_the_path_of_what_is_wrong_and_nothing_is_made(
    shared: Notion, verb: str, path: str, body: Any, message: str
):
    status, code, told = shared.refused(verb, path, body)
    assert (status, code, message in told) == (400, "validation_error", True), told
    assert [*shared.diff().values()] == [[], [], []]


MISSING = "00000000-0000-4000-8000-00000000dead"


@pytest.mark.parametrize(
    ("verb", "path", "body"),
    [
        ("GET", f"pages/{MISSING}", None),
        ("GET", f"blocks/{MISSING}", None),
        ("GET", f"databases/{MISSING}", None),
        ("GET", f"data_sources/{MISSING}", None),
        ("GET", f"users/{MISSING}", None),
        ("GET", f"comments/{MISSING}", None),
        ("GET", f"views/{MISSING}", None),
        ("GET", f"file_uploads/{MISSING}", None),
        ("GET", f"agents/{MISSING}", None),
        ("POST", "pages", {"parent": {"page_id": MISSING}}),
        ("POST", f"data_sources/{MISSING}/query", {}),
        ("PATCH", f"blocks/{MISSING}/children", {"children": [paragraph("x")]}),
    ],
)
def test_what_the_integration_cannot_see_is_not_found(shared: Notion, verb: str, path: str, body: Any):
    status, code, message = shared.refused(verb, path, body)
    assert (status, code, message.startswith("Could not find")) == (404, "object_not_found", True)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (None, 'Authorization header must use the format "Bearer <token>".'),
        ("nope", 'Authorization header must use the format "Bearer <token>".'),
        ("Bearer a b", 'Authorization header must use the format "Bearer <token>".'),
        ("bearer nope", "API token is invalid."),
        ("Bearer  nope", "API token is invalid."),
    ],
)
def test_a_credential_that_cannot_be_used_is_told_apart(workspace, header: str | None, message: str):
    headers = {"Notion-Version": "2025-09-03"} | ({"Authorization": header} if header else {})
    strict = workspace(auth="strict")
    answer = strict.environment.ask("v1/users/me", verb="GET", twin="notion", token="", headers=headers)
    assert (answer.status_code, answer.json()["message"]) == (401, message)
    assert answer.json()["request_id"] == answer.headers["x-notion-request-id"]


def test_an_unknown_client_is_refused_before_its_request_is_read(shared: Notion):
    answer = shared.environment.ask("v1/oauth/token", twin="notion", token="", json={})
    assert (answer.status_code, answer.json()["code"]) == (401, "invalid_client")


def test_versions_tokens_and_addresses_that_do_not_exist_are_refused(shared: Notion):
    assert shared.at("2020-01-01").refused("GET", "users")[:2] == (400, "missing_version")
    answer = shared.environment.ask("v1/users", verb="GET", twin="notion", token="t")
    assert (answer.status_code, answer.json()["code"]) == (400, "missing_version")
    assert shared.refused("GET", "invalid") == (400, "invalid_request_url", "Invalid request URL.")
    answer = shared.http("POST", "search", content=b"{", headers={"Content-Type": "application/json"})
    assert answer.json()["code"] == "invalid_json"
    wrong = shared("GET", f"blocks/{HOME}")
    assert wrong["type"] == "child_page"
