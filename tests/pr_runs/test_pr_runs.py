"""Pull request runs: changed files choose saved tests, which run against the application of the branch."""

import pytest
from arga_sdk import Arga

from tests.harness import succeeded
from tests.sandbox_runs.conftest import SERVES, Repository
from twindiff.browser.chromium import NoBrowser, chromium
from twindiff.client import Client, RequestRefused

CONFIG = "app: {app_command: python shop/app.py}\n"
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
        tmp_path_factory.mktemp("pr") / "shop",
        shop__app_DOT_py=SERVES,
        _DOT_arga__sandbox_DOT_yml=CONFIG,
        docs_DOT_md=".",
    )
    for branch, files in {
        "fine": {"shop__app_DOT_py": SERVES + "# tidied\n"},
        "docs": {"docs_DOT_md": "Better."},
        "notes": {"notes_DOT_txt": "Buy milk."},
        "dead": {"shop__app_DOT_py": "raise SystemExit('no')"},
    }.items():
        made.git("checkout", "--quiet", "-b", branch, "main")
        made.commit(branch, **files)
    made.git("branch", "same", "main")
    made.git("checkout", "--quiet", "main")
    return made


@pytest.fixture(scope="module")
def client(live, repository):
    with Client(live.url) as client:
        repo = str(repository.path)
        about = {"repo_full_name": repo, "ci_enabled": True, "test_config": OPENS}
        client.tests.create("opens", **about)
        client.tests.create("pays", **about, paths=["shop/*"])
        client.tests.create("reads", **about, tags=["docs"])
        client.tests.create("is for people", **{**about, "ci_enabled": False})
        yield client


def waited(client, **asked):
    run = client.runs.create_pr_run(**asked)
    return client.runs.wait(run.run_id, timeout=120, poll_interval=0.1)


def test_paths_of_changed_files_choose_tests_and_the_logs_name_both(client, live, repository):
    run = client.runs.create_pr_run(repo=str(repository.path), branch="fine")
    assert run.changed_files == ["shop/app.py"]
    assert [each.name for each in run.chosen_tests] == ["opens", "pays"]
    client.runs.cancel(run.run_id)
    logs = live.client.get(f"/runs/{run.run_id}/logs").json()
    said = " ".join(each["message"] for each in logs["runtime_logs"])
    assert "shop/app.py" in said
    assert "opens, pays" in said
    assert logs["run"]["git_branch"] == "fine"


def test_tags_are_parts_of_the_paths_of_changed_files(client, repository):
    run = client.runs.create_pr_run(repo=str(repository.path), branch="docs")
    assert [each.name for each in run.chosen_tests] == ["opens", "reads"]
    client.runs.cancel(run.run_id)
    assert client.runs.wait(run.run_id, poll_interval=0.1).status == "cancelled"


def test_an_application_that_does_not_start_fails_the_run_with_its_reason(client, repository):
    run = waited(client, repo=str(repository.path), branch="dead")
    assert (run.status, "ended with exit code 1" in run.failure_detail) == ("failed", True)


def test_a_run_with_a_frontend_url_tests_there_and_starts_nothing(client, live, repository):
    sandbox = client.sandbox_runs.create(repo=str(repository.path))
    place = client.sandbox_runs.wait(sandbox.sandbox_id).app_url
    before = len(client.sandbox_runs.list())
    run = waited(client, repo=str(repository.path), branch="notes", frontend_url=place)
    assert (run.status, len(client.sandbox_runs.list())) == ("completed", before)
    client.sandbox_runs.delete(sandbox.sandbox_id)


def test_ids_are_in_the_headers_too_and_agent_runs_by_raw_post_work(client, live, repository):
    asked = {"repo": str(repository.path), "branch": "docs", "run_type": "agent_run", "session_id": "s-1"}
    answer = live.client.post("/validate/pr-run", json=asked)
    made = succeeded(answer)
    assert (answer.headers["X-Run-Id"], answer.headers["X-Session-Id"]) == (made["run_id"], "s-1")
    assert made["run_type"] == "agent_run"
    client.runs.cancel(made["run_id"])


def test_the_released_sdk_makes_pr_runs_and_agent_runs(live, client, repository):
    with Arga(api_key="arga_sk_any", base_url=live.url) as arga:
        for create in (arga.runs.create_pr_run, arga.runs.create_agent_run):
            run = create(str(repository.path), branch="docs", context_notes="Better words")
            assert run.run_id
            arga.runs.cancel(run.run_id)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"branch": "same"}, "has no difference from 'main'"),
        ({"branch": "fien"}, "Did you mean 'fine'"),
        ({"branch": "fine", "base": "mian"}, "Did you mean 'main'"),
        ({"branch": "fine", "base": "a\0b"}, "is not in"),
        ({"branch": "fine", "session_id": "a\nb"}, "session_id"),
        ({"branch": "fine", "session_id": "🙂"}, "session_id"),
        ({}, "branch 'main' has no difference from 'main'"),
        ({"branch": "fine", "frontend_url": "ftp://x"}, "frontend_url"),
        ({"branch": "fine", "repo": "acme/unknown"}, "--repo owner/name=/path"),
    ],
)
def test_what_cannot_be_tested_is_refused_in_one_sentence(client, repository, asked, said):
    with pytest.raises(RequestRefused, match=said):
        client.runs.create_pr_run(**{"repo": str(repository.path), **asked})


def test_settings_of_checks_without_a_twin_are_kept_and_say_that_nothing_is_posted(live):
    ask = live.client
    installed = ask.post("/validation/github/install", json={"repo": "acme/shop"}).json()
    assert (installed["enabled"], "No GitHub twin is linked" in installed["message"]) == (True, True)
    wanted = {"repo": "acme/shop", "trigger_mode": "branch", "branch": "main", "comment_on_pr": True}
    assert ask.post("/validation/github/config", json=wanted).json()["comment_on_pr"] is True
    asked = {"repo": "acme/shop", "trigger_mode": "branch"}
    assert ask.get("/validation/github/config", params=asked).json()["branch"] == "main"
    assert (
        ask.patch("/validation/github/config", json={"repo": "acme/shop", "enabled": False}).json()["enabled"] is False
    )
    assert "acme/shop" not in [each["repo"] for each in ask.get("/validation/github/enabled").json()]
