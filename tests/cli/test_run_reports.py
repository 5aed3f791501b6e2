"""What `pr-run`, `test-runs create` and `tests run` write for a continuous integration, and how they end."""

import json
import re
import subprocess
import xml.etree.ElementTree as ET

import pytest

from tests.sandbox_runs.conftest import SERVES, Repository
from tests.test_runs.site import Site
from twindiff.browser.chromium import NoBrowser, chromium

STEPS = {"steps": [{"action": "expect", "expect": {"type": "text", "contains": "cwd"}}]}
MISSES = {"steps": [{"action": "expect", "expect": {"type": "text", "contains": "Elephants"}, "timeout_ms": 200}]}


@pytest.fixture(scope="module", autouse=True)
def _browser():
    try:
        chromium()
    except NoBrowser as absent:
        pytest.skip(str(absent))


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    tests = {f"_DOT_arga__tests__{name}_DOT_json": json.dumps(held) for name, held in {"a": STEPS, "b": MISSES}.items()}
    made = Repository(tmp_path_factory.mktemp("ci") / "desk", app_DOT_py=SERVES, **tests)
    for branch, text in {"fine": SERVES + "# tidied\n", "dead": "import vendorz\n"}.items():
        made.git("checkout", "--quiet", "-b", branch, "main")
        made.commit(branch, app_DOT_py=text)
    return str(made.path)


@pytest.fixture
def site():
    served = Site()
    yield served.url
    served.close()


@pytest.fixture
def misses(tmp_path):
    file = tmp_path / "misses.json"
    file.write_text(json.dumps(MISSES))
    return str(file)


def counts(file):
    suites = ET.fromstring(file.read_text())
    return [int(suites.get(name, "")) for name in ("tests", "failures", "errors")]


def test_a_pr_run_writes_junit_verdicts_screenshots_and_logs_of_all_its_tests(twindiff, repository, tmp_path):
    place = ("--junit", str(tmp_path / "reports" / "junit.xml"), "--output", str(tmp_path / "all"))
    assert twindiff("pr-run", repository, "--branch", "fine", *place).exit_code == 1
    assert counts(tmp_path / "reports" / "junit.xml") == [2, 1, 0]
    assert json.loads((tmp_path / "all" / "check_run.json").read_text())["conclusion"] == "failure"
    assert json.loads((tmp_path / "all" / "verdict.json").read_text())["failed"] == 1
    assert "listening on" in (tmp_path / "all" / "log.txt").read_text()
    assert {path.name for path in (tmp_path / "all" / "02-b").iterdir()} >= {"verdict.json", "junit.xml", "log.txt"}
    assert list((tmp_path / "all" / "02-b").glob("*.png"))


def test_a_pr_run_whose_application_does_not_start_fails_with_its_output_in_files(twindiff, repository, tmp_path):
    assert twindiff("pr-run", repository, "--branch", "dead", "--output", str(tmp_path)).exit_code == 1
    assert counts(tmp_path / "junit.xml") == [1, 0, 1]
    assert "No module named 'vendorz'" in (tmp_path / "log.txt").read_text()


@pytest.mark.parametrize(("repo", "base_url"), [("acme/nowhere", ""), (".", "http://127.0.0.1:9")])
def test_a_pr_run_that_cannot_begin_ends_with_2_and_an_error_in_junit(twindiff, tmp_path, repo, base_url):
    file = tmp_path / "junit.xml"
    given = {"AGENT_DIFF_BASE_URL": base_url} if base_url else {}
    said = twindiff("pr-run", repo, "--branch", "fine", "--junit", str(file), **given)
    assert (said.exit_code, counts(file)) == (2, [1, 0, 1])


def test_a_test_run_writes_its_reports_and_ends_with_1_where_it_failed(twindiff, site, misses, tmp_path):
    place = ("--junit", str(tmp_path / "junit.xml"), "--output", str(tmp_path / "all"))
    assert twindiff("test-runs", "create", "--url", site, "--test-config", misses, *place).exit_code == 1
    assert counts(tmp_path / "junit.xml") == [1, 1, 0]
    assert "Elephants" in (tmp_path / "junit.xml").read_text()
    assert list((tmp_path / "all").glob("*.png"))


def test_a_saved_test_is_named_in_its_junit(twindiff, site, misses, tmp_path):
    made = json.loads(twindiff("tests", "create", "elephants", "--url", site, "--test-config", misses, "--json").output)
    assert twindiff("tests", "run", made["id"], "--junit", str(tmp_path / "junit.xml")).exit_code == 1
    assert 'name="elephants"' in (tmp_path / "junit.xml").read_text()


def test_a_test_without_a_browser_ends_with_2_and_an_error_in_junit(twindiff, site, misses, tmp_path, monkeypatch):
    monkeypatch.setenv("TWINDIFF_CHROMIUM", "/nowhere/chromium")
    place = ("--junit", str(tmp_path / "junit.xml"))
    said = twindiff("test-runs", "create", "--url", site, "--test-config", misses, *place)
    assert (said.exit_code, counts(tmp_path / "junit.xml")) == (2, [1, 0, 1])


def test_reports_that_cannot_be_written_are_said_in_one_line(twindiff, site, misses):
    said = twindiff("test-runs", "create", "--url", site, "--test-config", misses, "--junit", "/proc/nowhere/junit.xml")
    assert (said.exit_code, "/proc/nowhere" in said.output) == (2, True)


def test_ci_tests_what_is_checked_out_on_a_server_of_its_own(twindiff, repository, tmp_path, monkeypatch):
    monkeypatch.chdir(repository)
    subprocess.run(["git", "checkout", "--quiet", "fine"], check=True)
    said = twindiff("ci", "--output", str(tmp_path), AGENT_DIFF_BASE_URL="http://127.0.0.1:9")
    assert (said.exit_code, counts(tmp_path / "junit.xml")) == (1, [2, 1, 0]), said.output


def test_the_page_among_the_reports_needs_no_server(twindiff, repository, tmp_path):
    twindiff("pr-run", repository, "--branch", "fine", "--output", str(tmp_path))
    links = re.findall(r'(?:href|src)="([^"]*)"', (tmp_path / "index.html").read_text())
    pictures = re.findall(r'(?:href|src)="([^"]*)"', (tmp_path / "02-b" / "index.html").read_text())
    assert {"01-a/index.html", "02-b/index.html"} <= set(links)
    assert all((tmp_path / "02-b" / each).is_file() for each in pictures if each.endswith(".png"))
    assert [each for each in pictures if each.endswith(".png")]
