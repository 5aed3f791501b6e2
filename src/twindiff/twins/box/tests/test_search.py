"""Search: words, phrases, operators, filters, contents."""

from __future__ import annotations

import io
import json
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from twindiff.twins.box.core.text_extraction import MAX_TEXT_CHARACTERS, text_of

from .conftest import ADA, BEN, Box


def found(box: Box, query: str = "", **filters: Any) -> list[str]:
    page = box("GET", "search", params={"query": query, **filters})
    assert page["type"] == "search_results_items"
    return sorted(entry["name"] for entry in page["entries"])


@pytest.fixture
def library(box: Box) -> Box:
    """Files with words in different places."""
    folder = box.folder("Gardening")
    box.upload("tulips.txt", b"How to plant red tulips in spring", folder)
    box.upload("roses.md", b"Roses want sun. Blue-Box hedges do not.", folder)
    notes = box.upload("notes.txt", b"nothing of interest")
    box("PUT", f"files/{notes['id']}", {"description": "About tulips and soil", "tags": ["compost"]})
    box("POST", "comments", {"message": "See the marigold list", "item": {"type": "file", "id": notes["id"]}})
    box("POST", "web_links", {"url": "https://example.com", "name": "Tulip shop", "parent": {"id": "0"}})
    return box


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("tulips", ["notes.txt", "tulips.txt"]),
        ("TULIP", ["Tulip shop", "notes.txt", "tulips.txt"]),
        ("compost", ["notes.txt"]),
        ("marigold", ["notes.txt"]),
        ("red AND spring", ["tulips.txt"]),
        ("roses soil", ["notes.txt", "roses.md"]),
        ("roses OR soil", ["notes.txt", "roses.md"]),
        ("tulips AND NOT soil", ["tulips.txt"]),
        ("tulips NOT soil", ["tulips.txt"]),
        ('"red tulips"', ["tulips.txt"]),
        ('"tulips red"', []),
        ('"blue box"', ["roses.md"]),
        ("red AND soil spring", ["tulips.txt"]),
        ("(red AND spring) OR compost", ["notes.txt", "tulips.txt"]),
        ("red AND (compost OR spring)", ["tulips.txt"]),
        ("(tulips", ["notes.txt", "tulips.txt"]),
        ("NOT soil", []),
        ("ulips", []),
        ("Gard", ["Gardening"]),
        ("compo", ["notes.txt"]),
        ("sprin", []),
        ("marig", []),
        ("tulips.txt", ["tulips.txt"]),
        ("tulips.t", ["tulips.txt"]),
        ("túlips", ["notes.txt", "tulips.txt"]),
        ("Gardening", ["Gardening"]),
        ("%", []),
    ],
)
def test_words_are_found_where_they_stand(library: Box, query: str, names: list[str]):
    assert found(library, query) == names


def test_filters_narrow_what_is_found(library: Box):
    folder = next(each["id"] for each in library("GET", "folders/0/items")["entries"] if each["name"] == "Gardening")
    assert found(library, "tulips", ancestor_folder_ids=folder) == ["tulips.txt"]
    assert found(library, "tulips", file_extensions="md,txt", content_types="file_content") == ["tulips.txt"]
    assert found(library, "tulips", content_types="description") == ["notes.txt"]
    assert found(library, "tulip", type="web_link") == ["Tulip shop"]
    assert found(library, "tulips", size_range="30,") == ["tulips.txt"]
    assert found(library, "tulips", size_range=",29") == ["notes.txt"]
    assert found(library, "tulips", owner_user_ids=ADA) == ["notes.txt", "tulips.txt"]
    assert found(library, "tulips", owner_user_ids=BEN) == []
    assert found(library, "tulips", created_at_range="2020-01-01T00:00:00Z,") == ["notes.txt", "tulips.txt"]
    assert found(library, "tulips", updated_at_range=",2020-01-01T00:00:00Z") == []


def test_names_count_most(library: Box):
    entries = library("GET", "search?query=tulips")["entries"]
    assert [entry["name"] for entry in entries] == ["tulips.txt", "notes.txt"]


def test_the_trash_is_searched_when_asked_for(library: Box):
    file = next(each for each in library("GET", "search?query=soil")["entries"])
    library("DELETE", f"files/{file['id']}")
    assert found(library, "soil") == []
    assert found(library, "soil", trash_content="trashed_only") == ["notes.txt"]


def test_what_one_may_not_see_is_not_found(library: Box, ben: Box):
    assert found(ben, "tulips") == []


def test_pages_of_results_follow_each_other(box: Box):
    for number in range(5):
        box.upload(f"plan {number}.txt", b"x")
    pages = [box("GET", f"search?query=plan&limit=2&offset={offset}") for offset in (0, 2, 4)]
    assert [page["total_count"] for page in pages] == [5, 5, 5]
    assert len({entry["id"] for page in pages for entry in page["entries"]}) == 5


def test_pages_of_very_many_results_have_each_once(box: Box):
    """They are ranked in parts, of which the first has 250."""
    names = {f"plan {number}" for number in range(300)}
    for name in names:
        box("POST", "web_links", {"url": "https://example.com", "name": name, "parent": {"id": "0"}})
    pages = [box("GET", f"search?query=plan&limit=100&offset={offset}") for offset in (0, 100, 200)]
    assert sorted(entry["name"] for page in pages for entry in page["entries"]) == sorted(names)
    assert pages[-1]["total_count"] == 300
    file = box.upload("plan 7 more.txt", b"special plan")
    box("POST", "comments", {"message": "plan with a remark", "item": {"type": "file", "id": file["id"]}})
    last = box.folder("plans", box.folder("Deep"))
    box.upload("plan of last.txt", b"x", last)
    deep = box("GET", f"folders/{last}")["parent"]["id"]
    assert found(box, "plan", ancestor_folder_ids=deep) == ["plan of last.txt", "plans"]
    assert found(box, "plan AND last", ancestor_folder_ids=f"{last},{deep}") == ["plan of last.txt"]
    assert found(box, "plan AND more") == found(box, "more AND plan") == ["plan 7 more.txt"]
    assert found(box, "plan AND special AND remark") == ["plan 7 more.txt"]
    assert found(box, "plan AND 7 NOT special") == ["plan 7", *(f"plan {n}" for n in range(70, 80))]


@pytest.mark.parametrize(
    "query",
    ["", "query=a&limit=201", "query=a&offset=10001", "query=a&size_range=x,y", "query=a&content_types=smell"],
)
def test_a_search_that_cannot_be_is_refused(box: Box, query: str):
    assert box.refused("GET", f"search?{query}") == (400, "bad_request")


def test_the_farthest_page_begins_after_ten_thousand_results(box: Box):
    assert box("GET", "search?query=a&offset=10000")["entries"] == []


def test_relevance_has_one_direction(library: Box):
    ways = [library("GET", f"search?query=tulips&direction={direction}")["entries"] for direction in ("ASC", "DESC")]
    assert ways[0] == ways[1]


def test_a_strange_folder_is_not_found(box: Box):
    assert box.refused("GET", "search?query=a&ancestor_folder_ids=99") == (404, "not_found")


def test_metadata_narrows_a_search(box: Box):
    fields = [{"type": "float", "key": "amount", "displayName": "Amount"}]
    box("POST", "metadata_templates/schema", {"scope": "enterprise", "displayName": "Invoice", "fields": fields})
    for amount in (10, 20):
        file = box.upload(f"invoice {amount}.txt", b"x")["id"]
        box("POST", f"files/{file}/metadata/enterprise/invoice", {"amount": amount})
    wanted = [{"scope": "enterprise", "templateKey": "invoice", "filters": {"amount": {"gt": 15}}}]
    assert found(box, mdfilters=json.dumps(wanted)) == ["invoice 20.txt"]
    assert found(box, "10", mdfilters=json.dumps(wanted)) == []


def office(part: str, text: str) -> bytes:
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as package:
        package.writestr(part, text)
    return packed.getvalue()


def test_words_inside_office_documents_are_found(box: Box):
    box.upload("letter.docx", office("word/document.xml", "<w:p><w:r><w:t>Dear Mrs Lee</w:t></w:r></w:p>"))
    box.upload("sheet.xlsx", office("xl/sharedStrings.xml", "<si><t>Turnover</t></si>"))
    assert found(box, '"Mrs Lee"') == ["letter.docx"]
    assert found(box, "turnover") == ["sheet.xlsx"]


def pdf(*pages: bytes) -> bytes:
    """A PDF whose pages draw what is given."""
    from pypdf import PdfWriter
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = PdfWriter()
    font = DictionaryObject({NameObject("/Type"): NameObject("/Font"), NameObject("/Subtype"): NameObject("/Type1")})
    font[NameObject("/BaseFont")] = NameObject("/Helvetica")
    for drawn in pages:
        page = writer.add_blank_page(200, 200)
        fonts = DictionaryObject({NameObject("/F1"): font})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        stream = DecodedStreamObject()
        stream.set_data(drawn)
        page[NameObject("/Contents")] = writer._add_object(stream.flate_encode())
    whole = io.BytesIO()
    writer.write(whole)
    return whole.getvalue()


MINUTES = b"BT /F1 12 Tf 20 100 Td (Minutes of the meeting) Tj ET"


def test_words_inside_a_pdf_are_found(box: Box):
    box.upload("minutes.pdf", pdf(MINUTES))
    assert found(box, '"of the meeting"') == ["minutes.pdf"]


@pytest.mark.soak
def test_a_pdf_that_is_read_for_ever_has_the_words_of_the_pages_before():
    bomb = pdf(MINUTES, b"q Q " * 10_000_000, MINUTES)
    assert len(bomb) < 100_000
    assert text_of(bomb, "bomb.pdf") == "Minutes of the meeting"


def test_a_zip_bomb_is_unpacked_no_further_than_is_worth_it():
    bomb = office("word/document.xml", "<w:t>boom</w:t>" + " " * 50_000_000)
    assert len(bomb) < 100_000
    assert text_of(bomb, "bomb.docx") == "boom"


@pytest.mark.parametrize("name", ["a.docx", "a.pdf", "a.xlsx"])
@pytest.mark.parametrize("data", [b"", b"PK\x03\x04broken", b"%PDF-1.7 broken"])
def test_a_document_that_is_none_has_no_words(name: str, data: bytes):
    assert text_of(data, name) == ""


def test_as_much_of_a_text_is_found_as_box_looks_at():
    assert len(text_of(b"word " * 10_000, "a.txt")) <= MAX_TEXT_CHARACTERS
