"""Canvases and lists among the files.

https://docs.slack.dev/surfaces/canvases#finding-canvases-with-fileslist
"""

import httpx
import pytest

from tests.harness import AGENT, GENERAL, JOHN, ROBERT
from twindiff.twins.slack.rendering.canvas_views import MAX_HTML_SOURCE_CHARACTERS

TEXT = {"type": "markdown", "markdown": "# Plan\n\n- *one*\n- <b>two</b>\n\n| a | b |\n|---|---|\n| 1 | 2 |"}


@pytest.fixture
def canvas(slack):
    return slack("canvases.create", title="Our plan", document_content=TEXT)["canvas_id"]


@pytest.fixture
def a_list(slack):
    return slack("slackLists.create", name="Things")["list_id"]


def listed(slack, **arguments):
    return [file["id"] for file in slack("files.list", **arguments)["files"]]


def fetched(slack, url):
    return httpx.get(url, headers={"Authorization": f"Bearer {slack.token}"})


def test_canvases_and_lists_stand_among_the_files_the_latest_first(slack, canvas, a_list, upload):
    file = upload(b"hello")["id"]
    assert listed(slack) == [file, a_list, canvas]


def test_canvases_can_be_asked_for_alone(slack, canvas, a_list, upload):
    upload(b"hello")
    assert listed(slack, types="canvas") == [canvas]


def test_pages_of_files_go_on_over_canvases(slack, canvas, a_list):
    answers = [slack("files.list", count=1, page=page) for page in (1, 2)]
    assert [answer["files"][0]["id"] for answer in answers] == [a_list, canvas]
    assert answers[0]["paging"] == {"count": 1, "total": 2, "page": 1, "pages": 2}


def test_a_canvas_tells_what_it_is_like(slack, canvas):
    file = slack("files.info", file=canvas)["file"]
    told = {"title": "Our plan", "filetype": "quip", "mode": "quip", "access": "owner", "editable": True, "user": AGENT}
    assert {name: file[name] for name in told} == told
    assert file["title_blocks"][0]["elements"][0]["elements"] == [{"type": "text", "text": "Our plan"}]


def test_a_canvas_tells_who_edited_it_last(slack, slack_as, canvas):
    slack("canvases.access.set", canvas_id=canvas, access_level="write", user_ids=[JOHN])
    change = {"operation": "insert_at_end", "document_content": {"type": "markdown", "markdown": "three"}}
    slack_as(JOHN)("canvases.edit", canvas_id=canvas, changes=[change])
    file = slack("files.info", file=canvas)["file"]
    assert (file["editors"], file["last_editor"]) == ([AGENT, JOHN], JOHN)


def test_a_canvas_tells_with_whom_it_is_shared(slack, canvas):
    slack("canvases.access.set", canvas_id=canvas, access_level="read", user_ids=[JOHN])
    slack("canvases.access.set", canvas_id=canvas, access_level="write", channel_ids=[GENERAL])
    file = slack("files.info", file=canvas)["file"]
    people = [{"user_id": JOHN, "access": "read"}]
    assert (file["channels"], file["is_public"], file["dm_mpdm_users_with_file_access"]) == ([GENERAL], True, people)


def test_a_canvas_that_is_not_shared_is_no_file_of_others(slack_as, canvas):
    john = slack_as(JOHN)
    assert (listed(john), john("files.info", file=canvas)["error"]) == ([], "file_not_found")


@pytest.mark.parametrize("reader", [JOHN, ROBERT])
@pytest.mark.parametrize("shared", [{"user_ids": [JOHN]}, {"channel_ids": [GENERAL]}], ids=["people", "channel"])
@pytest.mark.parametrize("kind", ["canvas", "a_list"])
def test_what_is_listed_is_what_can_be_looked_at(request, slack, slack_as, reader, shared, kind):
    id = request.getfixturevalue(kind)
    name = {"canvas": "canvas_id", "a_list": "list_id"}[kind]
    method = {"canvas": "canvases.access.set", "a_list": "slackLists.access.set"}[kind]
    assert slack(method, **{name: id}, access_level="read", **shared)["ok"]
    other = slack_as(reader)
    assert listed(other) == ([id] if other("files.info", file=id)["ok"] else [])


def test_a_private_channel_that_a_canvas_is_shared_with_is_named_to_its_members_alone(slack, slack_as, canvas):
    room = slack("conversations.create", name="secret", is_private=True)["channel"]["id"]
    slack("canvases.access.set", canvas_id=canvas, access_level="read", channel_ids=[room])
    slack("canvases.access.set", canvas_id=canvas, access_level="read", user_ids=[JOHN])
    seen = [each("files.info", file=canvas)["file"]["groups"] for each in (slack, slack_as(JOHN))]
    assert seen == [[room], []]


@pytest.mark.parametrize("query", ["plan", "our plan -things", "things OR plan"])
def test_canvases_and_lists_are_found_by_the_words_of_their_titles(slack, slack_as, canvas, a_list, query):
    mine, john_s = (each("search.files", query=query)["files"]["matches"] for each in (slack, slack_as(JOHN)))
    assert [file["id"] for file in mine] == ([a_list, canvas] if "OR" in query else [canvas])
    assert john_s == []


def test_what_is_said_of_messages_finds_no_canvas(slack, canvas):
    assert slack("search.files", query="plan in:general")["files"]["total"] == 0


def test_the_files_of_a_channel_have_the_canvas_of_the_channel(slack, canvas):
    own = slack("conversations.canvases.create", channel_id=GENERAL)["canvas_id"]
    assert listed(slack, channel=GENERAL) == [own]
    assert slack("files.info", file=own)["file"]["linked_channel_id"] == GENERAL


def test_the_canvas_of_a_channel_is_found_by_the_channel_s_properties(slack):
    own = slack("conversations.canvases.create", channel_id=GENERAL)["canvas_id"]
    assert slack("conversations.info", channel=GENERAL)["channel"]["properties"] == {
        "tabs": [{"id": "files", "label": "", "type": "files"}, {"id": "bookmarks", "label": "", "type": "bookmarks"}],
        "canvas": {"file_id": own, "is_empty": True},
    }


def test_the_bytes_of_a_canvas_are_html_in_which_its_own_tags_are_text(slack, canvas):
    file = slack("files.info", file=canvas)["file"]
    answer = fetched(slack, file["url_private"])
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "<h1>Plan</h1>" in answer.text
    assert "<li><em>one</em></li>" in answer.text
    assert "&lt;b&gt;two&lt;/b&gt;" in answer.text
    assert fetched(slack, file["url_private_download"]).content == answer.content


def test_the_bytes_of_a_canvas_are_for_those_who_may_read_it(slack, slack_as, canvas):
    url = slack("files.info", file=canvas)["file"]["url_private"]
    assert fetched(slack_as(JOHN), url).status_code == 404


@pytest.mark.parametrize(("asked", "start"), [({}, "# Plan"), ({"content_type": "html"}, '<div class="quip-canvas')])
def test_the_text_of_a_canvas_is_given_whole(slack, canvas, asked, start):
    assert slack("canvases.getContent", canvas_id=canvas, **asked)["content"].startswith(start)


def test_the_text_of_a_canvas_is_for_those_who_may_read_it(slack_as, canvas):
    assert slack_as(JOHN)("canvases.getContent", canvas_id=canvas)["error"] == "canvas_not_found"


def test_of_a_very_long_canvas_html_shows_the_beginning_alone(slack):
    text = {"type": "markdown", "markdown": "word " * (MAX_HTML_SOURCE_CHARACTERS // 4)}
    canvas = slack("canvases.create", document_content=text)["canvas_id"]
    shown = {kind: slack("canvases.getContent", canvas_id=canvas, content_type=kind) for kind in ("markdown", "html")}
    assert len(shown["markdown"]["content"]) == len(text["markdown"])
    assert len(shown["html"]["content"]) < MAX_HTML_SOURCE_CHARACTERS + 100


def test_a_list_among_the_files_is_the_list(slack, a_list):
    file = slack("files.info", file=a_list)["file"]
    assert (file["filetype"], file["title"], file["list_metadata"]["schema"][0]["is_primary_column"]) == (
        "list",
        "Things",
        True,
    )


def test_a_file_tells_how_many_have_saved_it_and_whether_the_caller_has(slack, slack_as, upload):
    file = upload(b"hello", channel_id=GENERAL)["id"]
    slack_as(JOHN)("stars.add", file=file)
    seen = [each("files.info", file=file)["file"] for each in (slack, slack_as(JOHN))]
    assert [(each["num_stars"], each["is_starred"]) for each in seen] == [(1, False), (1, True)]


def test_a_text_is_shown_as_html_too(slack, upload):
    file = upload(b"a < b\nc", "a.txt")
    answer = slack("files.info", file=file["id"])
    assert "<div><pre>a &lt; b</pre></div>\n<div><pre>c</pre></div>" in answer["content_highlight_html"]
    assert (answer["file"]["preview_highlight"], answer["content_highlight_html_truncated"]) == (
        answer["content_highlight_html"],
        False,
    )
