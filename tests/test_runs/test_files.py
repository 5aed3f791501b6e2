"""Files that steps upload, and those that pages let them download."""

from base64 import b64encode

import pytest

from tests.test_runs.conftest import Runs
from tests.test_runs.site import Site

DESK = """<!doctype html><h1>Desk</h1><label for=cv>Attachment</label><input type=file id=cv hidden
onchange="this.files[0].text().then(text => out.innerText = [this.files[0].name, this.files[0].type, text].join('|'))">
<button onclick="cv.click()">Choose a file</button><p id=out></p>
<a href="data:text/csv,a" download="report.csv">Report</a>"""


@pytest.fixture(scope="module")
def desk(site: Site) -> str:
    site.add_page("/uploads", DESK)
    site.add_page("/uploads/two", DESK + "<input type=file aria-label=Photo disabled>")
    return f"{site.url}/uploads"


def run_of(runs: Runs, url: str, *steps, files=()):
    return runs.run(start_url=url, test_config={"steps": [*steps], "files": [*files]})


def shown(text: str):
    return {"action": "expect", "expect": {"type": "text", "contains": text}}


UPLOAD = {"action": "upload", "selector": "Attachment", "value": "cv.txt"}


def test_files_of_the_config_and_made_ones_are_uploaded_by_label_alone_and_by_a_chooser(runs: Runs, desk: str):
    given = [{"name": "cv.txt", "text": "Ada"}, {"name": "b.bin", "base64": b64encode(b"bytes").decode()}]
    run = run_of(
        runs,
        desk,
        UPLOAD,
        shown("cv.txt|text/plain|Ada"),
        {"action": "upload", "value": "b.bin"},
        shown("b.bin|application/octet-stream|bytes"),
        {"action": "upload", "selector": "button=Choose a file", "value": "x.csv"},
        shown("x.csv|text/csv|name,email"),
        {"action": "upload", "value": "photo.png"},
        shown("photo.png|image/png|"),
        files=given,
    )
    assert run["status"] == "completed", run["failure_detail"]


def test_a_prompt_uploads_and_waits_for_a_download(runs: Runs, desk: str):
    prompt = 'Upload "notes.txt" to "Attachment". Expect "notes.txt, made for a test". Click "Report". '
    run = runs.run(start_url=desk, prompt=prompt + 'The file "report.csv" is downloaded.')
    assert run["status"] == "completed", run["failure_detail"]


@pytest.mark.parametrize(
    ("page", "step", "said"),
    [
        ("/uploads/two", {"action": "upload", "selector": "Photo", "value": "a.png"}, "is disabled"),
        ("/uploads/two", {"action": "upload", "value": "a.png"}, "2 file fields match"),
        (
            "/uploads",
            {"action": "upload", "selector": "Nowhere", "value": "a.png", "timeout_ms": 200},
            "no visible element",
        ),
        ("/uploads", {"action": "upload", "value": "../a.png"}, "a path is none"),
        (
            "/uploads",
            {"action": "expect", "expect": {"type": "download", "equals": "b.csv"}, "timeout_ms": 200},
            "expected the download to be 'b.csv'",
        ),
    ],
)
def test_what_cannot_be_uploaded_or_was_not_downloaded_fails_the_run(runs: Runs, desk: str, page, step, said):
    run = run_of(runs, desk.replace("/uploads", page), step)
    assert (run["status"], said in run["failure_detail"]) == ("failed", True), run["failure_detail"]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ([{"name": "a/b", "text": ""}], "a path is none"),
        ([{"name": "a"}], "give its content as text, or as base64"),
        ([{"name": "a", "text": "", "base64": ""}], "give its content as text, or as base64"),
        ([{"name": "a", "base64": "?"}], "no base64"),
        ([{"name": "a", "text": "x" * 500_001}], "at most 500,000"),
        ([{"name": f"{n}", "text": ""} for n in range(21)], "at most 20"),
    ],
)
def test_a_file_that_cannot_be_meant_is_refused_before_the_run(runs: Runs, desk: str, files, said):
    asked = {"start_url": desk, "test_config": {"steps": [UPLOAD], "files": files}}
    refused = runs.client.post("/test-runs", json=asked)
    assert (refused.status_code, said in refused.text) == (422, True), refused.text
