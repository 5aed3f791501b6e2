"""The pytest plugin as its users meet it: in a folder of their own, in a process of their own."""

import subprocess
import sys

MINE = """
from slack_sdk import WebClient


def test_my_bot_says_hello(environment, diff):
    env = environment("slack:slack_default")
    WebClient(token=env.token, base_url=env.url("slack")).chat_postMessage(channel="C01ABCD1234", text="hello")
    assert [row["message_text"] for row in diff(env)["inserts"]] == ["hello"]
"""
ENDING = """
made = []


def test_one(environment):
    made.append(environment("slack:slack_default", user="U02JOHNDOE1"))


def test_other(twindiff):
    assert made[0].show().status == "deleted"
    assert twindiff.environments("ready") == []
"""
FIXTURES = "import sys\n\n\ndef test_nothing():\n    assert 'twindiff.local' not in sys.modules\n"


def pytest_in(folder, text):
    (folder / "test_mine.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", "-p", "no:schemathesis"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_a_users_test_is_five_lines(tmp_path):
    done = pytest_in(tmp_path, MINE)
    assert (done.returncode, "1 passed" in done.stdout) == (0, True), done.stdout + done.stderr


def test_environments_end_with_the_test_that_made_them(tmp_path):
    done = pytest_in(tmp_path, ENDING)
    assert done.returncode == 0, done.stdout + done.stderr


def test_tests_that_do_not_ask_for_it_do_not_pay_for_it(tmp_path):
    done = pytest_in(tmp_path, FIXTURES)
    assert done.returncode == 0, done.stdout + done.stderr
