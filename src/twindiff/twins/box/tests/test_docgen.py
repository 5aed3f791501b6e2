"""Templates that documents are generated from, and the tags in them."""

from __future__ import annotations

import io
from typing import Any
from zipfile import ZipFile

import pytest

from twindiff.twins.box.work.docgen_tags import tags_in

from .conftest import Box
from .described import problems

LATER = {"headers": {"box-version": "2025.0"}}


def document(*paragraphs: str) -> bytes:
    """A Word document with some paragraphs."""
    data = io.BytesIO()
    with ZipFile(data, "w") as package:
        body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
        package.writestr("word/document.xml", f"<w:document>{body}</w:document>")
    return data.getvalue()


def template(box: Box, *paragraphs: str, name: str = "invoice.docx") -> str:
    file = box.upload(name, document(*paragraphs))["id"]
    box("POST", "docgen_templates", {"file": {"type": "file", "id": file}}, **LATER)
    return file


def test_a_document_becomes_a_template_and_is_one_no_longer(box: Box):
    file = template(box, "Dear {{name}}")
    page = box("GET", "docgen_templates", **LATER)
    assert problems("GET /docgen_templates", 200, page) == []
    assert page["entries"] == [{"file": {"type": "file", "id": file}, "file_name": "invoice.docx"}]
    assert box("GET", f"docgen_templates/{file}", **LATER) == page["entries"][0]
    box("DELETE", f"docgen_templates/{file}", **LATER)
    assert box.refused("GET", f"docgen_templates/{file}", **LATER) == (404, "not_found")


def test_a_template_is_a_word_document(box: Box):
    wanted = {"file": {"type": "file", "id": box.upload("a.txt")["id"]}}
    assert box.refused("POST", "docgen_templates", wanted, **LATER) == (400, "bad_request")
    nowhere = {"file": {"type": "file", "id": "7"}}
    assert box.refused("POST", "docgen_templates", nowhere, **LATER) == (404, "not_found")


def test_templates_are_shown_to_those_who_can_see_their_files(box: Box, ben: Box):
    file = template(box, "{{name}}")
    assert ben("GET", "docgen_templates", **LATER)["entries"] == []
    assert ben.refused("GET", f"docgen_templates/{file}", **LATER) == (404, "not_found")


def test_a_template_that_is_deleted_for_good_is_none(box: Box):
    file = template(box, "{{name}}")
    box("DELETE", f"files/{file}")
    assert box("GET", "docgen_templates", **LATER)["entries"] == []
    box("DELETE", f"files/{file}/trash")
    assert box.refused("GET", f"docgen_templates/{file}", **LATER) == (404, "not_found")


def test_the_tags_of_a_template_come_in_pages_and_by_version(box: Box):
    file = template(box, "{{order.id}} of {{customer}}")
    page = box("GET", f"docgen_templates/{file}/tags?limit=1", **LATER)
    assert problems("GET /docgen_templates/{template_id}/tags", 200, page) == []
    assert [tag["json_paths"] for tag in page["entries"]] == [["order", "order.id"]]
    rest = box("GET", f"docgen_templates/{file}/tags?marker={page['next_marker']}", **LATER)
    assert [tag["tag_content"] for tag in rest["entries"]] == ["{{customer}}"]
    first = box("GET", f"files/{file}")["file_version"]["id"]
    box.new_version(file, document("{{other}}"))
    path = f"docgen_templates/{file}/tags"
    assert box("GET", path, **LATER)["entries"][0]["tag_content"] == "{{other}}"
    assert len(box("GET", f"{path}?template_version_id={first}", **LATER)["entries"]) == 2
    assert box.refused("GET", f"{path}?template_version_id=7", **LATER) == (404, "not_found")


@pytest.mark.parametrize(
    ("text", "kinds", "paths"),
    [
        ("{{ name :: uppercase }}", ["text"], [["name"]]),
        ("{{price * count}}", ["arithmetic"], [["price", "count"]]),
        ("{{if total > 5}}a{{else}}b{{endif}}", ["conditional"], [["total"]]),
        ('{{elseif state == "in order"}}', ["conditional"], [["state"]]),
        (
            "{{for item in a.b}}{{item.c}}{{endfor}}{{item}}",
            ["for-loop", "text", "text"],
            [["a", "a.b"], ["a", "a.b", "a.b.c"], ["item"]],
        ),
        ("{{tablerow x in xs}}{{x}}{{endtablerow}}", ["table-loop", "text"], [["xs"], ["xs"]]),
        ("{{}} {plain} {{unfinished", ["text"], [[]]),
    ],
)
def test_tags_say_what_they_are_and_what_they_name(text: str, kinds: list[str], paths: Any):
    tags = [*tags_in(text)]
    assert [tag["tag_type"] for tag in tags] == kinds
    assert [tag["json_paths"] for tag in tags] == paths


def test_there_are_no_jobs_and_nothing_is_generated(box: Box):
    file = template(box, "{{name}}")
    for path in ("docgen_jobs", f"docgen_template_jobs/{file}"):
        assert box("GET", path, **LATER)["entries"] == []
    for path in ("docgen_jobs/7", "docgen_batch_jobs/7", "docgen_template_jobs/7"):
        assert box.refused("GET", path, **LATER) == (404, "not_found")
    assert box.http("POST", "docgen_batches", json={}, **LATER).status_code == 405
