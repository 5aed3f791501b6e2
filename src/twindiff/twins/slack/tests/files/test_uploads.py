"""Files on their way in and out, as bytes over HTTP."""

import httpx
import pytest

from tests.harness import AGENT, GENERAL, JOHN, ROBERT

PHOTO = bytes(range(256)) * 8


def fetched(slack, url):
    return httpx.get(url, headers={"Authorization": f"Bearer {slack.token}"})


@pytest.mark.parametrize("as_form", [False, True])
def test_the_bytes_come_back_as_they_were_sent(slack, upload, as_form):
    file = upload(PHOTO, "photo.png", as_form=as_form)
    answer = fetched(slack, file["url_private"])
    assert (answer.content, answer.headers["content-type"]) == (PHOTO, "image/png")


@pytest.mark.parametrize("as_form", [False, True])
def test_a_file_may_be_larger_than_other_bodies(slack, upload, as_form):
    large = PHOTO * 1500
    assert fetched(slack, upload(large, "film.mp4", as_form=as_form)["url_private"]).content == large


def test_a_download_is_an_attachment(slack, upload):
    answer = fetched(slack, upload(b"x", "räv 1.txt")["url_private_download"])
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''r%C3%A4v%201.txt"


def test_a_shared_file_stands_in_a_message_with_its_comment(slack, upload):
    file = upload(b"hello", channel_id=GENERAL, initial_comment=f"for <@{JOHN}>")
    [message, *_] = slack("conversations.history", channel=GENERAL)["messages"]
    assert (message["text"], message["files"][0]["id"]) == (f"for <@{JOHN}>", file["id"])


def test_a_file_may_be_shared_in_a_thread_and_in_several_channels(slack, upload):
    root = slack("chat.postMessage", channel=GENERAL, text="root")["ts"]
    upload(b"hello", channel_id=GENERAL, thread_ts=root)
    upload(b"hello", channels=f"{GENERAL},{JOHN}")
    rows = [row for row in slack.diff()["inserts"] if row["__table__"] == "messages"]
    assert [row["parent_id"] for row in rows] == [None, root, None, None]


def test_several_files_share_a_message(slack):
    ids = []
    for name in ("a.txt", "b.txt"):
        ticket = slack("files.getUploadURLExternal", filename=name, length=1)
        httpx.post(ticket["upload_url"], content=b"x")
        ids.append({"id": ticket["file_id"]})
    slack("files.completeUploadExternal", files=ids, channel_id=GENERAL)
    [message, *_] = slack("conversations.history", channel=GENERAL)["messages"]
    assert [file["name"] for file in message["files"]] == ["a.txt", "b.txt"]


def test_the_text_of_a_snippet_is_shown(slack, upload):
    text = "one\ntwo\n3\n4\n5\n6\n"
    file = upload(text.encode(), "a.py", asked={"snippet_type": "python"})
    info = slack("files.info", file=file["id"])
    assert (info["content"], info["file"]["lines_more"], info["file"]["pretty_type"]) == (
        text,
        1,
        "Python",
    )


def test_an_upload_of_another_length_is_refused(slack):
    ticket = slack("files.getUploadURLExternal", filename="a.txt", length=3)
    assert httpx.post(ticket["upload_url"], content=b"four").status_code == 400
    assert slack("files.completeUploadExternal", files=[{"id": ticket["file_id"]}])["error"] == "file_not_found"


def test_an_unknown_ticket_is_refused(slack):
    assert httpx.post(f"{slack.url.removesuffix('api/')}upload/v1/NOPE", content=b"x").status_code == 400


def test_a_file_that_was_not_shared_is_its_owner_s_alone(slack, slack_as, upload):
    file = upload(b"secret")
    assert fetched(slack_as(JOHN), file["url_private"]).status_code == 404
    assert slack_as(JOHN)("files.info", file=file["id"])["error"] == "file_not_found"


def test_a_file_needs_a_token_where_tokens_are_taken_seriously(workspace):
    slack = workspace(auth="strict")
    ticket = slack("files.getUploadURLExternal", filename="a.txt", length=1)
    httpx.post(ticket["upload_url"], content=b"x")
    (file,) = slack("files.completeUploadExternal", files=[{"id": ticket["file_id"], "title": "T"}])["files"]
    assert httpx.get(file["url_private"]).json()["error"] == "not_authed"


def test_a_public_link_works_without_a_token_until_it_is_revoked(slack, upload):
    file = upload(b"news")
    statuses = [httpx.get(file["permalink_public"]).status_code]
    slack("files.sharedPublicURL", file=file["id"])
    statuses.append(httpx.get(file["permalink_public"]).status_code)
    slack("files.revokePublicURL", file=file["id"])
    statuses.append(httpx.get(file["permalink_public"]).status_code)
    assert statuses == [404, 200, 404]


@pytest.mark.parametrize("secret", ["x", "T01WORKSPACE-F1-0000000000", "--"])
def test_a_guessed_link_leads_nowhere(slack, secret):
    assert httpx.get(f"{slack.url.removesuffix('api/')}files-pub/{secret}").status_code == 404


def test_a_deleted_file_is_gone_and_its_message_stays(slack, upload):
    file = upload(b"x", channel_id=GENERAL, initial_comment="look")
    slack("files.delete", file=file["id"])
    [message, *_] = slack("conversations.history", channel=GENERAL)["messages"]
    assert (message["text"], "files" in message) == ("look", False)
    assert fetched(slack, file["url_private"]).status_code == 404


@pytest.mark.parametrize("method", ["files.info", "files.delete"])
def test_a_deleted_file_is_told_from_one_that_never_was_by_its_owner(slack, slack_as, upload, method):
    file = upload(b"x")["id"]
    slack("files.delete", file=file)
    assert slack(method, file=file)["error"] == "file_deleted"
    assert slack_as(JOHN)(method, file=file)["error"] == "file_not_found"


def test_files_are_listed_by_what_they_are_and_where(slack, slack_as, upload):
    photo = upload(PHOTO, "photo.png", channel_id=GENERAL)["id"]
    note = upload(b"x", "note.txt")["id"]
    assert [each["id"] for each in slack("files.list")["files"]] == [note, photo]
    assert [each["id"] for each in slack("files.list", types="images")["files"]] == [photo]
    assert [each["id"] for each in slack("files.list", channel=GENERAL)["files"]] == [photo]
    assert [each["id"] for each in slack("files.list", count=1, page=2)["files"]] == [photo]
    assert [each["id"] for each in slack_as(ROBERT)("files.list")["files"]] == [photo]
    assert slack("files.list", user=JOHN)["paging"]["total"] == 0
    assert slack("files.list", ts_to=1)["files"] == []


def test_pages_of_files_are_parts_of_one_list(slack, upload):
    ids = [upload(b"x", f"{number}.txt")["id"] for number in range(5)][::-1]
    pages = [slack("files.list", count=2, page=page) for page in (1, 2, 3, 4)]
    assert [[file["id"] for file in page["files"]] for page in pages] == [ids[:2], ids[2:4], ids[4:], []]
    assert [page["paging"] for page in pages] == [
        {"count": 2, "total": 5, "page": number, "pages": 3} for number in (1, 2, 3, 4)
    ]


def test_files_are_found_by_name_and_place(slack, upload):
    upload(b"x", "harbour.txt", channel_id=GENERAL)
    files = slack("search.files", query="HARBOUR in:general")["files"]
    assert [match["name"] for match in files["matches"]] == ["harbour.txt"]
    assert slack("search.files", query="harbour in:random")["files"]["total"] == 0


def test_where_uploads_are_off_none_begins(workspace_with):
    slack = workspace_with(team_settings=[{"team_id": "T01WORKSPACE", "allow_file_uploads": False}])
    answer = slack("files.getUploadURLExternal", filename="a", length=1)
    assert answer["error"] == "file_uploads_disabled"


def test_uploads_open_without_the_platform_key(make_server_with_key):
    environment = make_server_with_key("slack:slack_default")
    ticket = environment.slack("files.getUploadURLExternal", filename="a", length=1)
    assert httpx.post(ticket["upload_url"], content=b"x").status_code == 200


@pytest.mark.parametrize("name", ["a/b c.txt", "..", "a\\b?.txt"])
def test_a_file_of_any_name_can_be_fetched(slack, upload, name):
    file = upload(b"hello", name)
    assert file["name"] == name
    assert fetched(slack, file["url_private"]).content == b"hello"
    assert fetched(slack, file["url_private_download"]).content == b"hello"


def test_a_channel_named_twice_gets_one_message(slack, upload):
    upload(b"hello", channels=f"{GENERAL},general")
    assert len(slack("conversations.history", channel=GENERAL, limit=2)["messages"][0]["files"]) == 1
    assert "files" not in slack("conversations.history", channel=GENERAL, limit=2)["messages"][1]


def test_an_upload_named_twice_is_one_file(slack):
    ticket = slack("files.getUploadURLExternal", filename="a.txt", length=1)
    httpx.post(ticket["upload_url"], content=b"x")
    twice = [{"id": ticket["file_id"]}, {"id": ticket["file_id"], "title": "T"}]
    assert [each["title"] for each in slack("files.completeUploadExternal", files=twice)["files"]] == ["T"]


def test_a_file_of_a_template_is_found_by_the_type_that_its_name_says(workspace_with):
    slack = workspace_with(files=[{"file_id": "F0", "user_id": AGENT, "file_name": "Sea.JPEG"}])
    assert [each["filetype"] for each in slack("files.list", types="images")["files"]] == ["jpg"]
    assert slack("files.list", types="pdfs")["files"] == []


@pytest.mark.parametrize("time", ["1795348524000", 1e300, -1e12])
def test_times_beyond_all_years_are_before_or_after_everything(slack, upload, time):
    upload(b"x")
    assert len(slack("files.list", ts_to=time)["files"]) == int(float(time) > 0)
    assert len(slack("files.list", ts_from=time)["files"]) == int(float(time) < 0)


def test_a_comment_is_of_the_upload_and_not_of_a_file(slack):
    ticket = slack("files.getUploadURLExternal", filename="a.txt", length=1)
    said = slack("files.completeUploadExternal", files=[{"id": ticket["file_id"], "initial_comment": "x"}])
    assert (said["error"], said["response_metadata"]["messages"]) == (
        "invalid_arguments",
        ["[ERROR] invalid additional property: initial_comment [json-pointer:/files/0]"],
    )
