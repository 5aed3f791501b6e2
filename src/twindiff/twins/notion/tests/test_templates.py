"""Templates, seeds from configurations, folders and exports, and inspector views."""

# ruff: noqa: E501 - files of an export, one a line
from __future__ import annotations

import io
from base64 import b64encode
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tests.harness import LiveServer
from twindiff.server import Settings
from twindiff.server.targets import PREFIX

from ..seeding.markdown_files import read_export, to_parts
from ..seeds.make_workspace import write_text
from .conftest import Notion


@pytest.fixture(scope="module")
def company(workspace: Any) -> Notion:
    """The company of the default template, in which nothing may change."""
    return workspace("notion_default", clock={"mode": "frozen", "start": "2026-03-10T09:00:00"})


def titles(results: list[Any]) -> list[str]:
    return [
        next(each["title"][0]["plain_text"] for each in page["properties"].values() if each["type"] == "title")
        for page in results
    ]


def source_of(notion: Notion, title: str) -> str:
    found = notion("POST", "search", {"query": title, "filter": {"property": "object", "value": "data_source"}})
    return next(each["id"] for each in found["results"] if each["title"][0]["plain_text"] == title)


def test_the_default_template_is_what_its_script_writes():
    template = Path(__file__).parents[1] / "seeds" / "notion_default.json"
    assert write_text() == template.read_text("utf-8")


def test_the_company_s_data_sources_are_related_and_rolled_up(company: Notion):
    projects = company("POST", f"data_sources/{source_of(company, 'Projects')}/query", {})["results"]
    hours = {
        title: page["properties"]["Hours"]["rollup"]["number"]
        for title, page in zip(titles(projects), projects, strict=True)
    }
    assert hours["Web shop relaunch"] == 59
    overdue = {"property": "Overdue", "formula": {"checkbox": {"equals": True}}}
    late = company("POST", f"data_sources/{source_of(company, 'Tasks')}/query", {"filter": overdue})["results"]
    assert titles(late) == []
    companies = company("POST", f"data_sources/{source_of(company, 'Companies')}/query", {})["results"]
    totals = [page["properties"]["Deal total"]["rollup"]["number"] for page in companies]
    assert sorted(totals) == [0, 7600, 55000, 64800]


def test_new_objects_do_not_collide_with_those_of_the_template(workspace: Any):
    notion = workspace("notion_default")
    made = {notion.row(source_of(notion, "Tasks"), str(number))["id"] for number in range(30)}
    assert len(made) == 30


CONFIG: dict[str, Any] = {
    "pages": [{"title": "Wiki", "content": "# Hi\nSee **this**", "pages": [{"title": "Inner"}]}],
    "databases": [
        {
            "title": "Tasks",
            "properties": {"Name": "title", "Done": "checkbox", "Owner": "people", "Stage": "select", "Due": "date"},
            "rows": [{"Name": "Buy milk", "Done": True, "Owner": "Ann", "Stage": "Late", "Due": "2026-07-01"}],
        }
    ],
}


@pytest.fixture(scope="module")
def runs() -> Any:
    """The platform of twin runs."""
    server = LiveServer(Settings())
    yield server.in_process
    server.close()


def seed(client: Any, config: dict[str, Any]) -> Any:
    answer = client.post("/twin-runs", json={"twins": ["notion"], "seed_config": {"notion": config}})
    return answer


def test_a_configuration_becomes_pages_and_rows_and_what_it_cannot_is_told(runs: Any):
    config = {"users": ["Ann"], **CONFIG}
    made = seed(runs, config)
    assert made.is_success, made.text
    wrong = {"databases": [{"title": "T", "properties": {"X": "colour"}}]}
    refused = seed(runs, wrong)
    assert (refused.status_code, "databases[0]" in refused.text) == (422, True), refused.text


SHARED = {
    "pages": [
        {"title": "Team", "pages": [{"title": "Plan", "content": "Ship it"}]},
        {"title": "Salaries", "content": "1"},
    ],
    "databases": [{"title": "Leads", "rows": [{"Name": "Ann"}]}, {"title": "Payroll", "rows": [{"Name": "Ben"}]}],
    "shared_with_integration": ["Team", "Leads"],
}


def test_an_integration_sees_what_is_shared_with_it_and_nothing_else(runs: Any):
    everything = seed(runs, {name: SHARED[name] for name in ("pages", "databases")}).json()["run_id"]
    all_titles = {each["title"] for each in shown_rows(runs, everything)}
    assert {"Salaries", "Payroll", "Ben"} <= all_titles
    run = runs.get(f"/twin-runs/{seed(runs, SHARED).json()['run_id']}").json()
    hidden = {each["title"]: each["id"] for each in shown_rows(runs, run["run_id"])}

    def ask(verb: str, path: str, body: Any = None) -> Any:
        url = f"{PREFIX}{run['environment_id']}/services/notion/v1/{path}"
        return runs.request(verb, url, json=body, headers={"Notion-Version": "2025-09-03"})

    found = ask("POST", "search", {}).json()["results"]
    assert {each["id"] for each in found} & {hidden["Salaries"], hidden["Ben"]} == set()
    assert hidden["Plan"] in {each["id"] for each in found}
    assert ask("GET", f"blocks/{hidden['Plan']}/children").json()["results"] != []
    refused = [
        ("GET", f"pages/{hidden['Salaries']}", None),
        ("GET", f"pages/{hidden['Ben']}", None),
        ("PATCH", f"pages/{hidden['Salaries']}", {"is_locked": True}),
        ("GET", f"blocks/{hidden['Salaries']}/children", None),
        ("GET", f"databases/{hidden['Payroll']}", None),
        ("GET", f"comments?block_id={hidden['Salaries']}", None),
        ("POST", "comments", {"parent": {"page_id": hidden["Salaries"]}, "markdown": "hello"}),
        ("POST", "pages", {"parent": {"page_id": hidden["Salaries"]}, "properties": {}}),
        ("GET", f"pages/{hidden['Salaries']}/markdown", None),
    ]
    answers = [ask(*each) for each in refused]
    assert {(each.status_code, each.json()["code"]) for each in answers} == {(404, "object_not_found")}
    top = ask("POST", "pages", {"parent": {"workspace": True}, "properties": {}})
    assert (top.status_code, "workspace-level private pages" in top.text) == (400, True)


def test_a_title_that_is_not_there_cannot_be_shared(runs: Any):
    refused = seed(runs, {"shared_with_integration": ["Nowhere"]})
    assert (refused.status_code, "no page or database 'Nowhere'" in refused.text) == (422, True), refused.text


def shown_rows(client: Any, run_id: str) -> list[Any]:
    """All pages and databases of a run."""
    environment = client.get(f"/twin-runs/{run_id}").json()["environment_id"]
    rows = f"/api/platform/env/{environment}/rows/notion.notion_"
    return [row for table in ("pages", "databases") for row in client.get(rows + table).json()["rows"]]


EXPORT = {
    "Home 11111111111111111111111111111111.md": "# Home\n\nWelcome\n\n[Inner](Home/Inner.md)\n",
    "Home 11111111111111111111111111111111/Inner 22222222222222222222222222222222.md": "# Inner\n\n- one\n",
    "Home 11111111111111111111111111111111/Tasks 33333333333333333333333333333333.csv":
        "Name,Done,Hours,Due,Kind\nBuy milk,Yes,2,\"July 1, 2026\",A\nSleep,No,8.5,,A\nRun,No,1,,B\n",
    "Home 11111111111111111111111111111111/Tasks 33333333333333333333333333333333/Buy milk 44444444444444444444444444444444.md":
        "# Buy milk\n\nDone: Yes\nHours: 2\n\nTwo litres\n",
}  # fmt: skip


def zip_of(files: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def test_an_export_becomes_pages_and_databases_with_types(runs: Any):
    [home], databases = to_parts(read_export(zip_of(EXPORT)))
    assert (home["title"], home["content"], [each["title"] for each in home["pages"]], databases) == (
        "Home",
        "Welcome",
        ["Inner"],
        [],
    )
    [tasks] = home["databases"]
    assert tasks["properties"] == {
        "Name": "title",
        "Done": "checkbox",
        "Hours": "number",
        "Due": "date",
        "Kind": "select",
    }
    assert tasks["rows"][0] == {
        "values": {"Name": "Buy milk", "Done": True, "Hours": 2, "Due": "2026-07-01", "Kind": "A"},
        "content": "Two litres",
    }
    made = seed(runs, {"exports": [{"data": b64encode(zip_of(EXPORT)).decode()}]})
    assert made.is_success, made.text
    assert seed(runs, {"exports": [{"data": "bm90IGEgemlw"}]}).status_code == 422


def test_a_folder_of_markdown_becomes_nested_pages():
    pages, _ = to_parts({"index.md": "# Start\nhello", "docs/a.md": "no title"})
    assert {page["title"]: [each["title"] for each in page["pages"]] for page in pages} == {"Start": [], "docs": ["a"]}


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("", ["Harbor Bikes", "Wiki", "Projects", "CRM"]),
        ("databases", ["Draft the flyer", "Not started", "TASK-1", "Sarah Smith", "By status"]),
        ("boards", ["Not started", "In progress", "Book the market stand"]),
        ("trash", ["Trash"]),
    ],
)
def test_the_inspector_shows_pages_tables_and_boards(company: Notion, path: str, shown: list[str]):
    environment = company.environment
    if path in ("databases", "boards"):
        source = company("GET", f"data_sources/{source_of(company, 'Tasks')}")
        path = (
            f"databases/{source['parent']['database_id']}"
            if path == "databases"
            else f"boards/{views_of(company, source['id'])[-1]}"
        )
    page = environment.platform.client.get(
        f"/inspect/environments/{environment.made['environmentId']}/screens/notion/{path}"
    )
    assert (page.status_code, [text for text in shown if text not in page.text]) == (200, []), page.text[:300]


def views_of(notion: Notion, source: str) -> list[str]:
    return [each["id"] for each in notion("GET", f"views?data_source_id={source}")["results"]]
