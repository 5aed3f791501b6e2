"""`twindiff demo` with and without a terminal."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys

import pytest

from tests.cli.conftest import QUIET, finished, program


@pytest.fixture(scope="module")
def shown() -> str:
    """What the demo says where there is no terminal."""
    done = finished("demo")
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_it_is_plain_text_without_a_terminal(shown: str) -> None:
    assert "\x1b" not in shown
    assert not [line for line in shown.splitlines() if line != line.rstrip()]


@pytest.mark.parametrize(
    "words",
    [
        "✓ chat.postMessage",
        "~1 channels",
        '"random" → "small-talk"',
        "passed 3 of 3 assertions hold",
        "failed 1 of 2 assertions hold",
        'should contain "<@U02JOHNDOE1>" but is "I am. All checks are green so far."',
    ],
)
def test_it_shows_calls_changes_and_both_verdicts(words: str, shown: str) -> None:
    assert words in shown


@pytest.fixture(scope="module")
def behind_a_proxy() -> subprocess.CompletedProcess[str]:
    """The demo for a program, on a machine with a proxy that is not there."""
    return finished("demo", "--json", HTTP_PROXY="http://127.0.0.1:1", http_proxy="http://127.0.0.1:1")


def test_a_program_reads_it_as_json(behind_a_proxy: subprocess.CompletedProcess[str]) -> None:
    seen = json.loads(behind_a_proxy.stdout)
    assert seen["asExpected"]
    assert [verdict["passed"] for verdict in seen["verdicts"]] == [True, False]


def in_terminal(**environment: str) -> str:
    """What a terminal of 80 columns gets."""
    ours, theirs = pty.openpty()
    env = {**QUIET, "TERM": "xterm-256color", "COLUMNS": "80", **environment}
    with subprocess.Popen(program("demo"), stdout=theirs, stderr=theirs, env=env):
        os.close(theirs)
        said = b""
        try:
            while some := os.read(ours, 65536):
                said += some
        except OSError:  # how Linux says that the other side is closed
            pass
    os.close(ours)
    return said.decode()


def test_a_terminal_gets_colours() -> None:
    assert "\x1b[32m" in in_terminal()


def test_a_terminal_that_wants_no_colours_gets_none() -> None:
    said = in_terminal(NO_COLOR="1")
    assert "\x1b[32m" not in said
    assert "passed" in said


def test_ctrl_c_ends_it_at_once_and_quietly() -> None:
    env = {**QUIET, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(program("demo"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as process:
        assert process.stdout
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=300)
    assert process.returncode in (0, 130)
    assert b"Traceback" not in errors


def test_a_proxy_of_the_machine_is_no_hindrance(behind_a_proxy: subprocess.CompletedProcess[str]) -> None:
    assert behind_a_proxy.returncode == 0


def test_without_its_sdks_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['slack_sdk'] = None; from twindiff.cli import app; app(['demo'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, "pip install 'twindiff[demo]'" in done.stderr) == (1, True)
