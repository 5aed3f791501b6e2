"""What the kit has for Google's APIs serves others than Calendar: here a drive with files."""

from __future__ import annotations

import json
from typing import Annotated, Any

import pytest

from twindiff.kit import Body, Call, Header, Operations
from twindiff.kit.errors import MalformedBody, NotFound
from twindiff.kit.http import Request, Response
from twindiff.kit.styles.google_twin import GoogleTwin, read_upload

DATA = bytes(range(256)) + b"\r\n\r--cut-\n\r\n"
api = Operations()


@api.get("/files/{fileId}")
def get_file(call: Call, file_id: str, page_size: int = 1) -> dict[str, Any]:
    """Look at a file, of which there is one."""
    if file_id != "F1":
        raise NotFound("file", file_id)
    return {"id": file_id, "pageSize": page_size, "owner": {"displayName": "Ada"}, "etag": '"1"'}


@api.post("/upload/files")
def upload_file(
    call: Call, content: Annotated[bytes, Body], content_type: Annotated[str, Header("Content-Type")] = ""
) -> dict[str, Any]:
    """Keep a file."""
    about, file = read_upload(content_type, content)
    return {"name": about.get("name"), "mimeType": file.content_type, "isWhole": file.data == DATA}


@pytest.fixture(scope="module")
def drive() -> GoogleTwin:
    return GoogleTwin("drive", "drive/v3", api, tables=())


def ask(drive: GoogleTwin, verb: str, address: str, content: bytes = b"", **headers: str) -> Response:
    path, _, query = address.partition("?")
    request = Request(verb, path, query, {name.replace("_", "-"): text for name, text in headers.items()}, content)
    exchange = drive.exchange(request, "http://drive.test")
    assert exchange
    call: Any = None
    try:
        drive.read(exchange)
        return exchange.answer(exchange.operation.run(exchange, call))
    except NotFound as error:
        return drive.style.error(error, exchange)


def test_names_are_camel_case_and_a_part_is_given_on_request(drive: GoogleTwin) -> None:
    answer = ask(drive, "GET", "/drive/v3/files/F1?pageSize=3&fields=pageSize,owner/displayName")
    assert json.loads(answer.body) == {"pageSize": 3, "owner": {"displayName": "Ada"}}


def test_a_version_that_is_known_is_not_sent_again(drive: GoogleTwin) -> None:
    assert ask(drive, "GET", "/files/F1", if_none_match='"1"').status == 304


def test_errors_have_google_s_form(drive: GoogleTwin) -> None:
    answer = ask(drive, "GET", "/drive/v3/files/F2")
    assert (answer.status, json.loads(answer.body)["error"]["errors"][0]["reason"]) == (404, "notFound")


def related(about: bytes, data: bytes = DATA) -> bytes:
    head = b"--cut\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n" + about
    return head + b"\r\n--cut\r\nContent-Type: image/png\r\n\r\n" + data + b"\r\n--cut--"


@pytest.mark.parametrize(
    ("kind", "content", "about"),
    [
        ("image/png", DATA, None),
        ("multipart/related; boundary=cut", related(b'{"name": "Plan"}'), "Plan"),
        ('multipart/related; boundary="cut"', related(b'{"name": "Pl\xc3\xa4n"}'), "Pl\u00e4n"),
    ],
)
def test_a_file_is_uploaded_whole_alone_or_with_what_is_said_of_it(
    drive: GoogleTwin, kind: str, content: bytes, about: str | None
) -> None:
    answer = ask(drive, "POST", "/upload/drive/v3/files?uploadType=multipart", content, content_type=kind)
    assert json.loads(answer.body) == {"name": about, "mimeType": "image/png", "isWhole": True}


@pytest.mark.parametrize("content", [b"", related(b"[]"), related(b"{"), b"--cut\r\n\r\n{}\r\n--cut--"])
def test_an_upload_that_cannot_be_read_is_refused(content: bytes) -> None:
    with pytest.raises(MalformedBody):
        read_upload("multipart/related; boundary=cut", content)
