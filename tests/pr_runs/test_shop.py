"""The shop of the examples: its saved tests pass, and its broken branch fails with what is missing."""

import json
import shutil
from pathlib import Path

import pytest

from tests.sandbox_runs.conftest import Repository
from twindiff.browser.chromium import NoBrowser, chromium
from twindiff.client import Client

SHOP = Path(__file__).parents[2] / "examples" / "shop"


@pytest.fixture(scope="module", autouse=True)
def _browser():
    try:
        chromium()
    except NoBrowser as absent:
        pytest.skip(str(absent))


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    made = Repository(tmp_path_factory.mktemp("example") / "shop")
    shutil.copytree(SHOP, made.path, dirs_exist_ok=True)
    made.commit("The shop")
    text = (SHOP / "app.py").read_text()
    made.git("checkout", "--quiet", "-b", "tidy")
    made.commit("Tidy", app_DOT_py=f"{text}# the end\n")
    made.git("checkout", "--quiet", "-b", "broken", "main")
    made.commit("Lose the announcement", app_DOT_py=text.replace('    announce(f"A {name} was bought.")\n', ""))
    made.git("checkout", "--quiet", "main")
    return made


@pytest.fixture(scope="module")
def client(live, repository):
    with Client(live.url) as client:
        for file in sorted((SHOP / "saved_tests").glob("*.json")):
            client.tests.create(**json.loads(file.read_text()), repo_full_name=str(repository.path))
        yield client


def judged(client, repository, branch):
    run = client.runs.create_pr_run(str(repository.path), branch=branch)
    return client.runs.wait(run.run_id, timeout=180, poll_interval=0.2)


def test_a_branch_that_keeps_the_shop_working_passes_its_three_tests(client, repository):
    run = judged(client, repository, "tidy")
    assert (run.status, run.passed, run.total) == ("completed", 3, 3), run.failure_detail


def test_the_broken_branch_fails_with_the_missing_message_named(client, repository):
    run = judged(client, repository, "broken")
    failed = [each for each in run.results_json if not each.passed]
    assert [each.name for each in failed] == ["a purchase is paid once and announced once"], run.failure_detail
    assert "messages" in failed[0].detail
    screenshots = [each for each in client.test_runs.get(failed[0].run_id).artifacts if each.endswith(".png")]
    assert screenshots
