"""The commands around the door: the authority, listening without a proxy, overlays for containers, options of serve."""

from __future__ import annotations

import json
import socket
import ssl
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import yaml
from typer.testing import CliRunner

from tests.door.conftest import Entry
from tests.harness import LiveServer
from twindiff.cli import app
from twindiff.server.door.authority import CertificateAuthority, UnusableAuthority

runner = CliRunner()


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A command that goes on until it is ended."""
    command = [sys.executable, "-u", "-m", "twindiff.cli", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=60)


def test_the_authority_is_made_once_and_its_key_is_the_owners(tmp_path):
    said = [runner.invoke(app, ["ca", "path", "--data-dir", str(tmp_path)]) for _ in range(2)]
    certificate = Path(said[0].stdout.strip())
    assert said[0].stdout == said[1].stdout
    assert certificate.read_text().startswith("-----BEGIN CERTIFICATE-----")
    assert stat.S_IMODE((certificate.parent / "ca-key.pem").stat().st_mode) == 0o600
    shown = runner.invoke(app, ["ca", "install-help", "--data-dir", str(tmp_path)]).stdout
    assert f"NODE_EXTRA_CA_CERTS={certificate}" in shown


@pytest.mark.parametrize("content", ["junk", ""])
def test_a_damaged_authority_is_refused_in_a_sentence(tmp_path, content):
    CertificateAuthority.open(tmp_path / "ca")
    (tmp_path / "ca" / "ca.pem").write_text(content)
    said = runner.invoke(app, ["ca", "path", "--data-dir", str(tmp_path)])
    assert said.exit_code == 1
    assert "The certificate authority cannot be used" in str(said.output) + str(said.exception)
    with pytest.raises(UnusableAuthority):
        CertificateAuthority.open(tmp_path / "ca")


def test_an_environment_listens_for_programs_that_use_no_proxy(entry: Entry, door_server: LiveServer):
    options = ["--port", "0", "--base-url", door_server.url]
    with started("env", "listen", entry.environment.id, *options) as process:
        assert process.stdout
        assert process.stderr
        lines = iter(process.stdout.readline, "")
        address, host = next(lines).split()
        port = int(process.stderr.readline().split(" port ")[1].split()[0])
        trust = ssl.create_default_context(cafile=str(entry.certificate))
        with (
            socket.create_connection((address, port), timeout=30) as opened,
            trust.wrap_socket(opened, server_hostname=host) as secure,
        ):
            secure.sendall(f"GET /api/auth.test HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            assert secure.recv(1000).startswith(b"HTTP/1.1 200 ")
    assert address.startswith("127.")


COMPOSE = "services:\n  web: {image: shop}\n  worker: {image: shop}\n"


def test_an_overlay_lets_services_of_a_compose_file_in(entry: Entry, door_server: LiveServer, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "compose.yaml").write_text(COMPOSE)
    said = runner.invoke(app, ["compose", entry.environment.id, "--service", "web", "--base-url", door_server.url])
    assert said.exit_code == 0, said.output
    services = yaml.safe_load((tmp_path / "compose.twindiff.yaml").read_text())["services"]
    variables = services["web"]["environment"]
    assert services.keys() == {"web"}
    assert variables["NO_PROXY"] == "localhost,127.0.0.1,::1,web,worker"  # services call each other by name
    assert f"@host.docker.internal:{entry.made['port']}" in variables["HTTPS_PROXY"]
    folder, inside, _ = services["web"]["volumes"][0].split(":")
    assert variables["NODE_EXTRA_CA_CERTS"] == f"{inside}/ca.pem"
    assert (Path(folder) / "ca.pem").read_text() == entry.made["certificate"]


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        (None, [], "There is none of compose.yaml"),
        ("services: [", [], "cannot be read as a compose file"),
        ("- 1", [], "names no services"),
        (COMPOSE, ["--service", "wep"], "There is no service 'wep'"),
    ],
)
def test_a_compose_file_that_is_none_is_refused(tmp_path, monkeypatch, content, options, said):
    monkeypatch.chdir(tmp_path)
    if content:
        (tmp_path / "compose.yaml").write_text(content)
    ended = runner.invoke(app, ["compose", "0" * 32, *options, "--base-url", "http://127.0.0.1:1"])
    assert ended.exit_code != 0
    assert said in ended.output + str(ended.exception)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--allow-host", "a b"], "--allow-host a b: give a host"),
        (["--allow-host", "::1"], "--allow-host ::1: give a host, such as pypi.org, pypi.org:443, [::1]:443"),
        (["--proxy-port", "0", "--proxy-host", "0.0.0.0"], "Give a key"),
        (["--proxy-port", "70000"], "--proxy-port"),
    ],
)
def test_serve_refuses_a_door_that_cannot_be(options, said, tmp_path):
    ended = runner.invoke(app, ["serve", "--port", "0", "--data-dir", str(tmp_path), *options])
    assert ended.exit_code == 2
    assert said in ended.output + str(ended.exception)


def test_serve_opens_the_door_on_its_port_with_the_authority_of_its_folder(tmp_path):
    with started("serve", "--port", "0", "--proxy-port", "0", "--data-dir", str(tmp_path), "--json") as process:
        assert process.stdout
        told = json.loads(process.stdout.readline())
        body = {"templates": ["slack:slack_default"], "impersonateUserId": "U01AGENBOT9"}
        made = httpx.post(f"{told['url']}/api/platform/initEnv", json=body, trust_env=False, timeout=60).json()
        trust = ssl.create_default_context(cafile=str(tmp_path / "ca" / "ca.pem"))
        proxy = told["proxyUrl"].replace("http://", f"http://{made['environmentId']}:{made['agentToken']}@")
        with httpx.Client(proxy=proxy, verify=trust, trust_env=False, timeout=60) as client:
            assert client.get("https://slack.com/api/auth.test").json()["ok"]
