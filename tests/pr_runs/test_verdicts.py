"""What a pull request run says where its application does not start, or it cannot begin at all."""

import xml.etree.ElementTree as ET

import pytest

from tests.harness import succeeded
from tests.sandbox_runs.conftest import SERVES, Repository
from twindiff.browser import chromium as browsers
from twindiff.browser.chromium import NoBrowser, chromium
from twindiff.client import Client, RequestRefused

CONFIG = "app: {app_command: python app.py}\n"
MISSING = "import vendorz\n"
REASON = "ModuleNotFoundError: No module named 'vendorz'"
OPENS = {"steps": [{"action": "expect", "expect": {"type": "text", "contains": "cwd"}}]}


@pytest.fixture(scope="module", autouse=True)
def _browser():
    try:
        chromium()
    except NoBrowser as absent:
        pytest.skip(str(absent))


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    made = Repository(
        tmp_path_factory.mktemp("verdicts") / "desk", app_DOT_py=SERVES, _DOT_arga__sandbox_DOT_yml=CONFIG
    )
    for branch, files in {
        "missing": {"app_DOT_py": MISSING},
        "misnamed": {"_DOT_arga__sandbox_DOT_yml": "app: {app_comand: python app.py}\n"},
        "unknown-twin": {"_DOT_arga__sandbox_DOT_yml": "app: {app_command: python app.py, twins: [slak]}\n"},
        "fine": {"app_DOT_py": SERVES + "# tidied\n"},
        "unclear": {"_DOT_arga__tests__fast_DOT_yml": "name: fast\nprompt: The page feels fast\n"},
    }.items():
        made.git("checkout", "--quiet", "-b", branch, "main")
        made.commit(branch, **files)
    made.git("checkout", "--quiet", "main")
    return made


@pytest.fixture(scope="module")
def client(live, repository):
    with Client(live.url) as client:
        client.tests.create("opens", repo_full_name=str(repository.path), ci_enabled=True, test_config=OPENS)
        yield client


def judged(client, repository, branch):
    run = client.runs.create_pr_run(repo=str(repository.path), branch=branch)
    return client.runs.wait(run.run_id, timeout=120, poll_interval=0.1)


@pytest.fixture(scope="module")
def failed(client, repository):
    return judged(client, repository, "missing")


def artifact(live, run, name):
    answer = live.client.get(f"/validate/{run['run_id']}/artifacts/{name}")
    assert answer.is_success, answer.text
    return answer


def test_an_application_that_does_not_start_is_an_error_in_junit_with_its_last_output(live, failed):
    suites = ET.fromstring(artifact(live, failed, "junit.xml").text)
    assert [suites.get(name) for name in ("tests", "failures", "errors")] == ["1", "0", "1"]
    (error,) = suites.iter("error")
    assert REASON in str(error.get("message"))
    assert "import vendorz" in str(error.text)


def test_an_application_that_does_not_start_is_a_failed_check_run_with_its_last_output(live, failed):
    verdict = artifact(live, failed, "check_run.json").json()
    assert verdict["conclusion"] == "failure"
    assert REASON in verdict["output"]["title"]
    assert "import vendorz" in verdict["output"]["text"]


def test_the_reason_an_application_does_not_start_is_in_detail_page_and_logs(live, failed):
    assert (failed.status, failed.failure_category) == ("failed", "application")
    assert REASON in failed.failure_detail
    assert REASON.replace("'", "&#x27;") in live.client.get(failed.page_url).text
    logs = succeeded(live.client.get(f"/runs/{failed.run_id}/logs"))
    assert any(REASON in each["message"] for each in logs["runtime_logs"])
    assert any("import vendorz" in each["content"] for each in logs["worker_logs"])


def test_a_pr_run_names_the_sandbox_of_its_application(client, failed):
    assert client.sandbox_runs.get(failed.sandbox_id).status == "failed"


def test_a_test_of_a_sandbox_that_did_not_start_is_refused_with_the_reason(client, failed):
    with pytest.raises(RequestRefused, match=REASON):
        client.test_runs.create(prompt="Expect 'Hello'", sandbox_id=failed.sandbox_id)


@pytest.mark.parametrize(("branch", "said"), [("misnamed", "app_comand"), ("unknown-twin", "Did you mean 'slack'")])
def test_an_application_that_cannot_be_made_is_an_error_in_the_reports(live, client, repository, branch, said):
    run = judged(client, repository, branch)
    assert (run.status, run.failure_category, said in run.failure_detail) == ("failed", "application", True)
    (error,) = ET.fromstring(artifact(live, run, "junit.xml").text).iter("error")
    assert said in str(error.get("message"))
    assert said in artifact(live, run, "check_run.json").json()["output"]["text"]


def test_a_test_that_is_not_understood_is_an_error_and_no_failure(live, client, repository):
    run = judged(client, repository, "unclear")
    assert run.status == "failed"
    suites = ET.fromstring(artifact(live, run, "junit.xml").text)
    assert [suites.get(name) for name in ("failures", "errors")] == ["0", "1"]
    (error,) = suites.iter("error")
    assert "The page feels fast" in str(error.get("message"))


def test_a_missing_browser_is_an_error_in_the_reports(live, client, repository, monkeypatch):
    monkeypatch.setenv(browsers.SETTING, "/nowhere/chromium")
    run = judged(client, repository, "fine")
    assert (run.status, run.failure_category) == ("failed", "browser")
    (error,) = ET.fromstring(artifact(live, run, "junit.xml").text).iter("error")
    assert "/nowhere/chromium" in str(error.get("message"))


def test_the_page_of_a_pr_run_is_titled_by_repository_branch_commit_and_count(live, client, repository):
    run = judged(client, repository, "fine")
    page = live.client.get(run.page_url).text
    commit = repository.git("rev-parse", "fine")[:12]
    assert f"<title>desk fine at {commit}: 1 of 1 passed</title>" in page
    assert f"<dt>Branch<dd>fine at {commit}" in page
    assert "<dt>Compared with<dd>main" in page
    assert "<dt>Changed files<dd>1: app.py" in page
    assert "<dt>Took<dd>" in page
    assert f"/test-runs/{run.results_json[0].run_id}/page/step-01.png" in page
    assert "Run it again" not in page
