"""`twindiff serve` from start to end."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tests.cli.conftest import Serving, finished, install_sad_twin
from tests.harness import Platform
from twindiff.cli.commands.twins import say_problems
from twindiff.environments.registry import Registry

Serve = Callable[..., Serving]


def platform_at(url: str, key: str | None = None) -> Platform:
    return Platform(httpx.Client(base_url=url, trust_env=False, timeout=60), key)


@pytest.fixture(scope="module")
def memory() -> Iterator[Serving]:
    """A server that only answers, and could not confine applications."""
    serving = Serving("--data-dir", ":memory:", TWINDIFF_CONFINEMENT="off")
    yield serving
    serving.close()


@pytest.fixture(scope="module")
def terminated() -> Iterator[Serving]:
    """A server that has been told to end."""
    serving = Serving("--data-dir", ":memory:")
    serving.end(signal.SIGTERM)
    yield serving
    serving.close()


def test_the_address_stands_on_the_first_line(memory: Serving) -> None:
    assert memory.said.startswith("Twindiff serves ")
    assert httpx.get(f"{memory.url}/api/platform/ready", trust_env=False).json()["status"] == "ready"


@pytest.fixture(scope="module")
def guarded() -> Iterator[Serving]:
    """A server with a key, whose runs are judged once."""
    serving = Serving("--data-dir", ":memory:", "--api-key", "k", "--host", "0.0.0.0", "--runs", "once")
    serving.url = serving.url.replace("0.0.0.0", "127.0.0.1")
    yield serving
    serving.close()


@pytest.fixture(scope="module")
def lacking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server of which one twin does not load."""
    path = install_sad_twin(tmp_path_factory.mktemp("sad"), "1 / 0")
    serving = Serving("--data-dir", ":memory:", "--api-key", "k", PYTHONPATH=path)
    yield serving
    serving.close()


def test_it_says_where_applications_of_sandbox_runs_are_not_confined(memory: Serving) -> None:
    assert memory.process.stderr
    lines = iter(memory.process.stderr.readline, "")
    assert next(line for line in lines if "not fully confined: TWINDIFF_CONFINEMENT is 'off'" in line)


def test_a_signal_ends_it_well(terminated: Serving) -> None:
    assert terminated.process.returncode == 0
    assert "Traceback" not in terminated.errors


def test_ctrl_c_ends_it_well(serve: Serve) -> None:
    served = serve("--data-dir", ":memory:")
    assert served.end(signal.SIGINT) == 0
    assert "Traceback" not in served.errors


def test_everything_is_there_after_a_restart(serve: Serve, tmp_path: Path) -> None:
    first = serve("--data-dir", str(tmp_path))
    with platform_at(first.url).client as client:
        environment = Platform(client).environment()
        environment.post("hello")
    assert first.end(signal.SIGTERM) == 0
    with platform_at(serve("--data-dir", str(tmp_path)).url).client as client:
        calls = Platform(client).get(f"env/{environment.id}/calls")["calls"]
    assert [(call["operation"], call["seq"]) for call in calls] == [("chat.postMessage", 1)]


def test_without_a_key_it_says_who_can_judge(terminated: Serving) -> None:
    assert "every process of this machine can judge runs" in terminated.errors


def test_a_run_can_be_judged_once_and_for_all(guarded: Serving) -> None:
    with platform_at(guarded.url).client as client:
        platform = Platform(client, "k")
        run = platform.start(platform.environment())
        platform.diff(run)
        assert platform.refusal("POST", "diffRun", {"runId": run})[1] == "run_already_completed"


def test_with_a_key_it_asks_for_it_and_says_nothing_of_who_can_judge(guarded: Serving) -> None:
    with httpx.Client(base_url=guarded.url, trust_env=False) as client:
        assert client.get("/api/platform/env").status_code == 401
        assert "environments" in Platform(client, "k").get("env")
    guarded.end(signal.SIGTERM)
    assert guarded.errors == ""


def test_a_program_reads_the_address_from_json(serve: Serve) -> None:
    said = json.loads(serve("--data-dir", ":memory:", "--json").said)
    assert said["url"].startswith("http://127.0.0.1:")
    assert (said["twins"], said["dataDir"]) == (
        ["box", "calendar", "github", "linear", "notion", "slack", "stripe"],
        ":memory:",
    )


def refused(*arguments: str, **environment: str) -> tuple[int, str]:
    """Exit code and error of a server that does not start; it says one line."""
    done = finished("serve", *arguments, **environment)
    assert (done.stdout, done.stderr.count("\n")) == ("", 1), done.stderr
    return done.returncode, done.stderr


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.com"])
def test_the_network_is_refused_without_a_key(host: str) -> None:
    code, line = refused("--host", host, "--data-dir", ":memory:")
    assert (code, "--api-key" in line) == (2, True)


def test_an_idle_time_below_zero_is_refused() -> None:
    done = finished("serve", "--idle-seconds", "-1", "--data-dir", "/dev/null/no-folder")
    assert (done.returncode, "--idle-seconds" in done.stderr) == (2, True)


def test_a_port_in_use_is_named(memory: Serving) -> None:
    port = memory.url.rpartition(":")[2]
    assert refused("--port", port, "--data-dir", ":memory:") == (
        1,
        f"Port {port} of 127.0.0.1 is taken. Choose another with --port; --port 0 takes any that is free.\n",
    )


def test_a_port_that_cannot_be_is_refused() -> None:
    assert finished("serve", "--port", "99999").returncode == 2


def test_an_unknown_host_is_one_line() -> None:
    code, line = refused("--host", "no-such-host.invalid", "--api-key", "k", "--data-dir", ":memory:")
    assert (code, "no-such-host.invalid" in line) == (1, True)


def test_the_owner_of_a_data_directory_is_named(serve: Serve, tmp_path: Path) -> None:
    first = serve("--data-dir", str(tmp_path))
    code, line = refused("--port", "0", "--data-dir", str(tmp_path))
    assert code == 1
    assert f"in use by pid {first.process.pid} on port {first.url.rpartition(':')[2]}" in line


def test_a_data_directory_that_is_a_file_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code, line = refused("--port", "0", "--data-dir", str(tmp_path / "file"))
    assert (code, "cannot be used" in line) == (1, True)


def test_a_data_file_of_something_else_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "twindiff.db").write_text("no database at all" * 100)
    code, line = refused("--port", "0", "--data-dir", str(tmp_path))
    assert (code, "not a database" in line) == (1, True)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import a_module_that_is_not_there", "ModuleNotFoundError: No module named 'a_module_that_is_not_there'"),
        ("this is no python", "SyntaxError"),
        ("twin = 3", "sad_twin:twin is no Twin but a int"),
        ("from twindiff.twins.slack import twin", "its entry point is named 'sad' and the twin itself 'slack'"),
    ],
)
def test_a_broken_twin_is_named_with_its_package(
    code: str,
    words: str,
    plugin: Callable[[str], str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.syspath_prepend(plugin(code))
    say_problems(Registry.load_installed())
    sys.modules.pop("sad_twin", None)
    assert_is_named(capsys.readouterr().err, words)


def test_a_broken_twin_is_named_at_start(lacking: Serving) -> None:
    assert_is_named(next(iter(lacking.process.stderr or ""), ""), "ZeroDivisionError")


def assert_is_named(line: str, words: str) -> None:
    assert words in line
    assert line.startswith("The twin 'sad' does not load")
    assert line.endswith("uninstall the package sad-twin.\n")


def test_a_broken_twin_is_named_to_who_asks_for_it_and_the_others_are_served(lacking: Serving) -> None:
    with platform_at(lacking.url).client as client:
        platform = Platform(client, "k")
        asked = platform.ask("POST", "initEnv", {"templates": ["sad:sad_default"]})
        assert (asked.status_code, asked.json()["error"]) == (503, "twin_not_loaded")
        assert "The twin 'sad' does not load: ZeroDivisionError" in asked.json()["detail"]
        assert platform.environment().post("hello")
        shown = {each["service"] for each in platform.get("templates")["templates"]}
        assert shown == {"box", "calendar", "github", "linear", "notion", "slack", "stripe"}


def test_the_data_directory_is_the_platforms_own_unless_one_is_given(tmp_path: Path) -> None:
    (tmp_path / "twindiff").write_text("")
    _, line = refused("--port", "0", XDG_DATA_HOME=str(tmp_path))
    assert str(tmp_path / "twindiff") in line
