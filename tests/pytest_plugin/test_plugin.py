"""The pytest plugin as its users meet it: in a folder of their own, in a process of their own."""

import subprocess
import sys
from collections.abc import Callable

import pytest

MINE = """
from slack_sdk import WebClient


def test_my_bot_says_hello(twindiff_environment, twindiff_diff):
    env = twindiff_environment("slack:slack_default")
    WebClient(token=env.token, base_url=env.url("slack")).chat_postMessage(channel="C01ABCD1234", text="hello")
    assert [row["message_text"] for row in twindiff_diff(env)["inserts"]] == ["hello"]
"""
ENDING = """
made = []


def test_one(twindiff_environment):
    made.append(twindiff_environment("slack:slack_default", user="U02JOHNDOE1"))


def test_other(twindiff):
    assert made[0].show().status == "deleted"
    assert twindiff.environments("ready") == []
"""
FAILING = """
CHECK = {"diff_type": "added", "entity": "messages", "where": {"message_text": "hello"}, "expected_count": 1}


def judged(make):
    return make("slack_default").run().evaluate([CHECK])


def test_asserting(twindiff_environment):
    judged(twindiff_environment).assert_passed()


def test_comparing(twindiff_environment):
    verdict = judged(twindiff_environment)
    assert verdict.passed
"""
MY_OWN = """
import pytest


@pytest.fixture(params=["staging"])
def environment(request):
    return request.param


@pytest.fixture
def diff(environment):
    return f"diff of {environment}"


def test_mine(diff, twindiff_environment):
    assert diff == "diff of staging"
    assert twindiff_environment("slack_default").service == "slack"
"""
FIXTURES = "import sys\n\n\ndef test_nothing():\n    assert 'twindiff.local' not in sys.modules\n"


FILES = {"nothing": FIXTURES, "mine": MINE, "ending": ENDING, "failing": FAILING, "my_own": MY_OWN}


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What pytest reports of all these files, of which the first asks for no fixture."""
    folder = tmp_path_factory.mktemp("mine")
    paths = [folder / f"test_{name}.py" for name in FILES]
    for path, text in zip(paths, FILES.values(), strict=True):
        path.write_text(text)
    command = [sys.executable, "-m", "pytest", "-rA", "-W", "error", "-p", "no:cacheprovider", "-p", "no:schemathesis"]
    done = subprocess.run([*command, *paths], cwd=folder, capture_output=True, text=True, check=False)
    assert " 2 failed, 5 passed in " in done.stdout, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def outcomes(said: str) -> Callable[[str], dict[str, str]]:
    """How each test of a file ended."""

    def of(name: str) -> dict[str, str]:
        lines = (line.split() for line in said.splitlines() if f" test_{name}.py::" in line)
        return {line[1].partition("::")[2]: line[0] for line in lines}

    return of


def test_a_users_test_is_five_lines(outcomes, said):
    assert outcomes("mine") == {"test_my_bot_says_hello": "PASSED"}, said


def test_environments_end_with_the_test_that_made_them(outcomes, said):
    assert outcomes("ending") == {"test_one": "PASSED", "test_other": "PASSED"}, said


def test_tests_that_do_not_ask_for_it_do_not_pay_for_it(outcomes, said):
    assert outcomes("nothing") == {"test_nothing": "PASSED"}, said


def test_a_verdict_that_failed_says_why_in_the_report(outcomes, said):
    assert outcomes("failing") == {"test_asserting": "FAILED", "test_comparing": "FAILED"}
    assert "AssertionError: 0 of 1 assertions hold:" in said
    assert "- Expected exactly 1 row of messages to be added, got 0." in said
    assert "<Verdict failed: 0 of 1 assertions hold. Expected exactly 1 row of messages" in said


def test_its_fixtures_stand_in_nobodys_way(outcomes, said):
    assert outcomes("my_own") == {"test_mine[staging]": "PASSED"}, said


def test_every_fixture_has_a_name_that_begins_with_twindiff(tmp_path):
    command = [sys.executable, "-m", "pytest", "--fixtures", "-p", "no:cacheprovider", "-p", "no:schemathesis"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    ours = said.partition("fixtures defined from twindiff.pytest_plugin")[2].partition("\n---")[0]
    names = [line.split()[0] for line in ours.splitlines() if " -- " in line]
    assert names == ["twindiff", "twindiff_environment", "twindiff_diff"]
