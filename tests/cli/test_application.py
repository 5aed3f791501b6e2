"""What holds for every command."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest
import typer
from typer.core import TyperGroup
from typer.main import get_group
from typer.testing import CliRunner

from tests.cli.conftest import QUIET, Run, program
from twindiff import __version__
from twindiff.cli import Commands, app
from twindiff.cli.command_table import MODULES
from twindiff.cli.command_table import __file__ as commands_file

HEAVY = {"apsw", "httpx", "msgspec", "pydantic", "rich.console", "slack_sdk", "twindiff.server", "uvicorn"}
PARSERS = {"twindiff.browser.planner", "twindiff.server.apis.twin_runs.world_prompts"}
RARE = {"httpx", "jinja2", "rich.console", "yaml", *PARSERS}


def test_help_waits_for_nothing_heavy_and_a_server_for_nothing_that_it_may_never_need() -> None:
    helped = "import sys; from twindiff.cli import app; app(['-h'], standalone_mode=False)"
    serves = "from twindiff.server import Gateway"
    code = f"{helped}; print({HEAVY} & {{*sys.modules}}); {serves}; print({RARE} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("set()\nset()\n")


REFUSED = """
import sys
from twindiff.cli import app
try:
    app(["serve", "--host", "0.0.0.0"], standalone_mode=False)
except SystemExit as ended:
    print(ended.code, *sys.modules)
"""


def test_a_command_that_is_refused_has_loaded_no_other_and_no_server() -> None:
    done = subprocess.run([sys.executable, "-c", REFUSED], capture_output=True, text=True, check=True)
    code, *loaded = done.stdout.split()
    others = {f"twindiff.cli.commands.{modules[0]}" for name, modules in MODULES.items() if name != "serve"}
    assert (code, {*HEAVY, *others} & {*loaded}) == ("2", set())


def test_a_process_that_starts_others_or_drains_has_loaded_no_server_and_no_twin() -> None:
    modules = "twindiff.cli.listening, twindiff.cli.worker, twindiff.storage.postgres.wal_consumer"
    code = f"import sys, {modules}; print({{'twindiff.server.service', 'twindiff.twins'}} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_every_module_that_brings_a_command_is_named_with_it() -> None:
    commands = (Path(commands_file).parent / "commands").glob("*.py")
    bringing = {file.stem for file in commands if "\ndef register(" in file.read_text()}
    assert bringing == {module for modules in MODULES.values() for module in modules}


def test_the_version_is_told(twindiff: Run) -> None:
    assert twindiff("--version").stdout == f"twindiff {__version__}\n"


def test_an_unknown_command_is_answered_with_the_nearest(twindiff: Run) -> None:
    result = twindiff("demoo")
    assert (result.exit_code, "Did you mean 'demo'?" in result.stderr) == (2, True)


def test_an_unknown_command_of_a_group_is_answered_with_all_that_there_are(twindiff: Run) -> None:
    said = twindiff("twin-runs", "show", "x").stderr
    assert "No such command 'show'. There are: catalog, create, ls, status, " in said


def test_a_bounded_number_is_called_a_number(twindiff: Run) -> None:
    assert "'1d' is not a valid integer." in twindiff("env", "create", "slack:slack_default", "--ttl", "1d").stderr
    assert "range>" not in twindiff("serve", "-h").stdout


def groups(command: Any, name: str = "twindiff") -> Iterator[tuple[str, Any]]:
    if isinstance(command, TyperGroup):
        yield name, command
        for each, below in command.commands.items():
            yield from groups(below, f"{name} {each}")


@pytest.mark.parametrize("group", [pytest.param(group, id=name) for name, group in groups(get_group(app))])
def test_what_a_command_is_for_is_a_line_of_the_help_that_nothing_is_cut_from(group: Any) -> None:
    margin = 6 + max(map(len, group.commands))
    assert [name for name, each in group.commands.items() if each.get_short_help_str(80 - margin).endswith("...")] == []


def failing(error: BaseException) -> typer.Typer:
    program = typer.Typer(cls=Commands, add_completion=False)

    @program.callback()
    def group() -> None: ...

    @program.command()
    def fail() -> None:
        raise error

    return program


def test_a_mistake_of_ours_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TWINDIFF_DEBUG", raising=False)
    result = CliRunner().invoke(failing(ZeroDivisionError("oh")), ["fail"])
    assert (result.exit_code, result.stderr.count("\n")) == (70, 1)
    assert "ZeroDivisionError: oh" in result.stderr


def test_a_mistake_of_ours_is_shown_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TWINDIFF_DEBUG", "1")
    assert isinstance(CliRunner().invoke(failing(ZeroDivisionError()), ["fail"]).exception, ZeroDivisionError)


def test_nobody_at_the_address_is_one_line_with_what_to_do(twindiff: Run) -> None:
    result = twindiff("env", "ls", "--base-url", "http://127.0.0.1:1")
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert result.stderr.startswith("Nothing answers at http://127.0.0.1:1; start one with `twindiff serve`")


@pytest.mark.parametrize("address", ["nonsense", "ftp://127.0.0.1", "http://[::"])
def test_an_address_that_is_none_is_refused(address: str, twindiff: Run) -> None:
    result = twindiff("env", "ls", "--base-url", address)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)


class Stranger(BaseHTTPRequestHandler):
    """A server of something else."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, format: str, *args: object) -> None: ...


@pytest.fixture
def stranger() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Stranger) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_server_of_something_else_is_told_apart(stranger: str, twindiff: Run) -> None:
    result = twindiff("env", "ls", "--base-url", stranger)
    assert (result.exit_code, result.stderr) == (1, f"What answers at {stranger} is no Twindiff server (status 200).\n")


def test_a_wrong_key_says_how_to_give_the_right_one(make_server, twindiff: Run) -> None:
    address = make_server(api_key="k").url
    assert "--api-key or TWINDIFF_API_KEY" in twindiff("env", "ls", "--base-url", address).stderr
    assert twindiff("env", "ls", "--base-url", address, "--api-key", "k").exit_code == 0


@pytest.mark.parametrize("key", ["é", "a\nb", "\x7f", "  "])
@pytest.mark.parametrize("command", [["env", "ls"], ["templates"], ["doctor"], ["serve", "--host", "192.0.2.1"]])
def test_a_key_that_no_header_can_carry_is_refused(command: list[str], key: str, twindiff: Run) -> None:
    result = twindiff(*command, "--api-key", key)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert result.stderr.startswith("The API key ")


def test_blanks_around_a_key_are_no_part_of_it(make_server, twindiff: Run) -> None:
    address = make_server(api_key="k").url
    assert twindiff("env", "ls", "--base-url", address, TWINDIFF_API_KEY=" k\n").exit_code == 0


@pytest.mark.parametrize("id", ["", ".", ".."])
def test_an_id_that_is_no_part_of_a_path_is_wrong_usage(id: str, twindiff: Run) -> None:
    result = twindiff("explain", id)
    assert (result.exit_code, result.stderr) == (2, f"'{id}' is no id and no name; give the whole of one.\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("command", [["twins", "slack"], ["twins", "slack", "--json"], ["--help"]])
def test_a_full_disk_is_one_line_and_no_mistake_of_ours(command: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(program(*command), env=QUIET, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        1,
        "Not all could be written: No space left on device. Make room there, then try again.\n",
    )


def test_a_closed_pipe_is_no_mistake_of_ours() -> None:
    with subprocess.Popen(
        program("twins", "slack", "--json"), env=QUIET, stdout=PIPE, stderr=PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == ("", 1)


def test_no_color_means_no_bold_and_no_dim_either(twindiff: Run) -> None:
    shown = twindiff("twins", FORCE_COLOR="1", TERM="xterm-256color", COLUMNS="80")
    assert "\x1b[" in shown.stdout
    assert "\x1b[" not in twindiff("twins", FORCE_COLOR="1", NO_COLOR="1", TERM="xterm-256color", COLUMNS="80").stdout
