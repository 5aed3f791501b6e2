"""Sandbox runs: an application of a branch, started beside its twins, and what is left of it: nothing."""

import os
from pathlib import Path

import httpx
import pytest

from tests.sandbox_runs.conftest import SERVES, variables_of
from twindiff.server.apis.sandbox_runs import containers, runs


@pytest.fixture(autouse=True)
def _no_engine(monkeypatch):
    """These are for servers without an engine for containers, whatever this machine has."""
    monkeypatch.setenv(containers.SETTING, containers.NONE)


CONFIG = "app:\n  app_command: python web/serve.py\n  env: {COLOUR: red, SHAPE: round}\n  twins: [slack]\n"
"""A `.arga/sandbox.yml`."""


def processes(name):
    """The processes whose command line has a name in it."""
    places = [place for place in Path("/proc").iterdir() if place.name.isdigit()]
    lines = {place.name: (place / "cmdline") for place in places}
    return [number for number, line in lines.items() if line.exists() and name.encode() in read(line)]


def read(file):
    try:
        return file.read_bytes()
    except OSError:
        return b""


def is_over(url, headers):
    """Whether a twin answers that it has ended, or the port that it had by itself is closed."""
    try:
        return httpx.post(url, headers=headers).status_code == 410
    except httpx.ConnectError:
        return True


def test_an_application_is_started_beside_its_twins_and_ended_without_a_trace(sandboxes, repository):
    made = repository(_DOT_arga__sandbox_DOT_yml=CONFIG, web__serve_DOT_py=SERVES)
    run = sandboxes.create(repo=str(made.path), branch="main", env={"SHAPE": "square"})
    assert run["status"] == "ready", sandboxes.logs(run["sandbox_id"])
    variables = variables_of(run)
    assert (variables["COLOUR"], variables["SHAPE"], variables["PORT"]) == ("red", "square", str(run["app_port"]))
    slack = {"Authorization": f"Bearer {variables['SLACK_BOT_TOKEN']}"}
    assert httpx.post(f"{variables['SLACK_API_URL']}/auth.test", headers=slack).json()["ok"]
    assert run["env_vars"]["SLACK_API_URL"] == run["twins"]["slack"]["env_vars"]["SLACK_API_URL"]
    logs = sandboxes.logs(run["sandbox_id"])
    assert any(line.startswith("git: main at ") for line in logs)
    assert f"output: listening on {run['app_port']}" in logs
    assert sandboxes.delete(run["sandbox_id"]) == {"sandbox_id": run["sandbox_id"], "status": "deleted"}
    assert sandboxes.get(run["sandbox_id"])["status"] == "deleted"
    assert processes("web/serve.py") == []
    assert not Path(variables["cwd"]).exists()
    assert made.worktrees() == 1
    assert is_over(f"{variables['SLACK_API_URL']}/auth.test", slack)


ASKS = (
    "import urllib.request\nprint(urllib.request.urlopen('https://slack.com/api/auth.test').read().decode())\n" + SERVES
)
"""An application that calls the vendor's own host before it serves."""


def test_an_application_reaches_its_twins_by_the_vendors_hosts(sandboxes, repository):
    proxied = CONFIG.replace("twins:", "proxy: true\n  twins:")
    run = sandboxes.create(repo=str(repository(_DOT_arga__sandbox_DOT_yml=proxied, web__serve_DOT_py=ASKS).path))
    assert run["status"] == "ready", sandboxes.logs(run["sandbox_id"])
    assert any('"ok":true' in line for line in sandboxes.logs(run["sandbox_id"]))


def test_the_door_of_an_application_needs_twins(sandboxes, repository):
    config = "app: {app_command: python app.py, proxy: true}"
    made = repository(_DOT_arga__sandbox_DOT_yml=config, app_DOT_py=SERVES)
    status, said = sandboxes.refused(repo=str(made.path))
    assert (status, "no twins" in said) == (422, True)


def test_the_servers_own_variables_stay_with_the_server(sandboxes, repository, monkeypatch):
    monkeypatch.setenv("TWINDIFF_API_KEY", "secret")
    run = sandboxes.create(repo=str(repository(app_DOT_py=SERVES).path))
    variables = variables_of(run)
    assert "TWINDIFF_API_KEY" not in variables
    assert variables["HOME"] != os.environ["HOME"]


@pytest.mark.parametrize(
    ("files", "command", "told"),
    [
        ({"app_DOT_py": SERVES}, "python app.py", "app.py"),
        ({"Procfile": "web: python serve.py\n", "serve_DOT_py": SERVES}, "python serve.py", "Procfile"),
        ({"index_DOT_html": "<h1>Hi</h1>"}, "python -m http.server $PORT --bind 127.0.0.1", "index.html"),
    ],
)
def test_a_start_command_is_guessed_and_said(sandboxes, repository, files, command, told):
    run = sandboxes.create(repo=repository(**files).path.as_uri())
    assert (run["status"], run["app_command"], run["app_command_guessed_from"]) == ("ready", command, told)
    assert any(f"{command} (guessed from {told})" in line for line in sandboxes.logs(run["sandbox_id"]))


def test_a_branch_and_a_pull_request_are_started_as_they_are(sandboxes, repository):
    made = repository(app_DOT_py=SERVES)
    made.git("checkout", "--quiet", "-b", "feature")
    made.commit("Listen twice", app_DOT_py=SERVES.replace("listening on", "now listening on"))
    made.git("update-ref", "refs/pull/7/head", "feature")
    made.git("checkout", "--quiet", "main")
    branch = sandboxes.create(repo=str(made.path), branch="feature")
    request = sandboxes.create(repo=str(made.path), pr_url="https://github.com/acme/shop/pull/7")
    assert branch["commit_sha"] == request["commit_sha"] == made.git("rev-parse", "feature")
    for run in (branch, request):
        assert any("now listening" in line for line in sandboxes.logs(run["sandbox_id"]))


def test_one_of_several_targets_is_started(sandboxes, repository):
    config = "default_target: a\ntargets:\n  a: {app_command: python a.py}\n  b: {app_command: python app.py}\n"
    made = repository(_DOT_arga__sandbox_DOT_yaml=config, app_DOT_py=SERVES)
    assert sandboxes.create(repo=str(made.path), target="b")["status"] == "ready"
    run = sandboxes.create(repo=str(made.path))
    assert (run["status"], "exit code 2" in run["error"]) == ("failed", True)


def test_an_application_that_never_listens_fails_in_time_and_leaves_nothing(sandboxes, repository):
    config = "app: {app_command: 'echo thinking; (setsid sleep 4242 &) ; sleep 4242'}\n"
    made = repository(_DOT_arga__sandbox_DOT_yml=config)
    run = sandboxes.create(repo=str(made.path), seconds_to_start=1, twins=["slack"])
    assert run["status"] == "failed"
    assert "did not listen on port" in run["error"]
    assert "output: thinking" in sandboxes.logs(run["sandbox_id"])
    assert processes("sleep\x004242") == []
    assert made.worktrees() == 1


def test_an_application_that_ends_by_itself_has_failed(sandboxes, repository):
    config = "app: {app_command: 'echo no; exit 3'}\n"
    run = sandboxes.create(repo=str(repository(_DOT_arga__sandbox_DOT_yml=config).path))
    assert (run["status"], "ended with exit code 3" in run["error"]) == ("failed", True)


def test_an_application_that_prints_for_ever_is_cut_short(sandboxes, repository):
    config = "app: {app_command: 'yes y | head -n 20000; python app.py'}\n"
    made = repository(_DOT_arga__sandbox_DOT_yml=config, app_DOT_py=SERVES)
    run = sandboxes.create(repo=str(made.path))
    assert run["status"] == "ready"
    logs = sandboxes.logs_with(run["sandbox_id"], "is not kept")
    assert len(logs) < 2100
    assert any("is not kept" in line for line in logs)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("app: {app_comand: x}", "app_comand"),
        ("app: {app_port: many}", "app_port"),
        ("app: {context_dir: ../..}", "context_dir"),
        ("app: {context_dir: nowhere}", "context_dir"),
        ("app: {infra: [postgres]}", "infra postgres: this server builds and starts no containers; start it yourself"),
        (
            "app: {dockerfile_path: Dockerfile}",
            "dockerfile_path 'Dockerfile': this server builds and starts no containers",
        ),
        ('app: {env: {A: "\\0"}, app_command: x}', "env: 'A'"),
        ("app: {twins: [slak], app_command: x}", "Did you mean 'slack'"),
        ("default_target: web", "there is no target 'web'"),
        ("targets: {a: {}, b: {}}", "default_target"),
        ("app: [", "no YAML"),
        ("app: {}", "Nothing says how the application is started"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_by_name_and_nothing_is_left(sandboxes, repository, config, said):
    made = repository(_DOT_arga__sandbox_DOT_yml=config)
    status, detail = sandboxes.refused(repo=str(made.path))
    assert 400 <= status <= 422
    assert said in detail
    assert made.worktrees() == 1


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "repo"),
        ({"repo": "/nowhere/at/all"}, "there is no folder /nowhere/at/all"),
        ({"repo": "/tmp"}, "is no git repository"),
        ({"repo": "acme/shop"}, "--repo owner/name=/path"),
        ({"repo": "https://github.com/acme/shop"}, "knows it by no name"),
        ({"pr_url": "https://example.com/"}, "no address of a pull request"),
        ({"repo": "HERE", "branch": "mian"}, "Did you mean 'main'"),
        ({"repo": "HERE", "branch": "--upload-pack=x"}, "is not in"),
        ({"repo": "HERE", "pr_url": "https://github.com/a/b/pull/9"}, "git fetch origin pull/9/head"),
        ({"repo": "HERE", "ttl_minutes": 481}, "ttl_minutes"),
        ({"repo": "~nobody-of-that-name"}, "there is no folder ~nobody"),
        ({"repo": "/" + "a" * 900}, "there is no folder"),
        ({"repo": "file://["}, "there is no folder"),
        ({"repo": "http://[x"}, "knows it by no name"),
        ({"repo": "HERE", "branch": "a\0b"}, "is not in"),
        ({"repo": "HERE", "branch": "x" * 300_000}, "is not in"),
        ({"repo": "HERE", "pr_url": "https://github.com/a/b/pull/" + "9" * 5000}, "no address of a pull request"),
        ({"repo": "HERE", "env": {"A": 1}}, "env"),
        ({"repo": "HERE", "env": {"A=B": "1"}}, "env: 'A=B'"),
        ({"repo": "HERE", "env": {"A": "1\0"}}, "env: 'A'"),
        ({"repo": "HERE", "target": "web"}, "there is no target 'web'"),
        ({"repo": "HERE", "twins": ["slak"]}, "Did you mean 'slack'"),
        ({"repo": "HERE", "twins": ["slack"], "scenario_id": "none"}, "There is no scenario"),
    ],
)
def test_what_cannot_be_started_is_refused_in_one_sentence(sandboxes, repository, asked, said):
    made = repository(app_DOT_py=SERVES)
    asked = {name: str(made.path) if value == "HERE" else value for name, value in asked.items()}
    _, detail = sandboxes.refused(**asked)
    assert said in detail
    assert made.worktrees() == 1


def test_a_repository_that_is_for_containers_only_is_refused_with_what_is_missing(sandboxes, repository):
    status, detail = sandboxes.refused(repo=str(repository(Dockerfile="FROM scratch").path))
    assert (status, "app_command" in detail) == (422, True)
    assert "Dockerfile is not used: this server builds and starts no containers" in detail


def test_a_dockerfile_beside_a_start_command_is_said_to_be_unused(sandboxes, repository):
    config = "app: {app_command: python app.py, dockerfile_path: Dockerfile}\n"
    run = sandboxes.create(repo=str(repository(_DOT_arga__sandbox_DOT_yml=config, app_DOT_py=SERVES).path))
    assert any("Dockerfile is not used" in line for line in sandboxes.logs(run["sandbox_id"]))


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("bytearray(5 << 30)", "MemoryError"),
        ("open('large', 'wb').truncate((1 << 30) + 1)", "File too large"),
        ("[open('/dev/null') for _ in range(4100)]", "Too many open files"),
    ],
    ids=["memory", "the size of a file", "open files"],
)
def test_an_application_that_takes_too_much_is_refused_it_by_the_system(sandboxes, repository, program, said):
    config = "app: {app_command: python greedy.py}\n"
    run = sandboxes.create(repo=str(repository(_DOT_arga__sandbox_DOT_yml=config, greedy_DOT_py=program).path))
    assert run["status"] == "failed"
    assert any(said in line for line in sandboxes.logs(run["sandbox_id"]))


def test_a_sandbox_run_expires_with_its_twins_and_leaves_nothing(sandboxes, repository, monkeypatch):
    monkeypatch.setattr(runs, "MINUTE", 0.01)
    made = repository(_DOT_arga__sandbox_DOT_yml=CONFIG, web__serve_DOT_py=SERVES.replace("listening", "expiring"))
    run = sandboxes.create(repo=str(made.path), ttl_minutes=60)
    ended = sandboxes.until(run["sandbox_id"], lambda run: run["status"] not in ("queued", "provisioning", "ready"))
    assert (ended["status"], made.worktrees()) == ("expired", 1)
    assert sandboxes.client.get(f"/twin-runs/{run['twin_run_id']}").json()["status"] != "ready"


def test_a_port_that_somebody_has_is_refused(sandboxes, live, repository):
    config = f"app: {{app_port: {live.port}, app_command: python app.py}}"
    status, detail = sandboxes.refused(repo=str(repository(_DOT_arga__sandbox_DOT_yml=config).path))
    assert (status, f"app_port {live.port}" in detail) == (409, True)


def test_a_server_with_a_key_starts_named_repositories_only(make_server, repository):
    made = repository(app_DOT_py=SERVES)
    server = make_server(api_key="key", repositories=(("acme/shop", str(made.path)),))
    headers = {"Authorization": "Bearer key"}
    refused = server.client.post("/sandbox-runs", json={"repo": str(made.path)}, headers=headers)
    assert "named repositories only (there are: acme/shop)" in refused.json()["detail"]
    started = server.client.post("/sandbox-runs", json={"repo": "acme/shop"}, headers=headers)
    assert started.status_code == 200, started.text


def test_no_hook_of_the_repository_is_run(sandboxes, repository, tmp_path):
    made = repository(app_DOT_py=SERVES)
    hook = made.path / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/hooked\n")
    hook.chmod(0o755)
    assert sandboxes.create(repo=str(made.path))["status"] == "ready"
    assert not (tmp_path / "hooked").exists()


def test_when_the_server_ends_its_applications_do(make_server, repository):
    config = "app: {app_command: python serve_to_the_end.py}"
    made = repository(_DOT_arga__sandbox_DOT_yml=config, serve_to_the_end_DOT_py=SERVES)
    server = make_server()
    from tests.sandbox_runs.conftest import Sandboxes

    assert Sandboxes(server).create(repo=str(made.path))["status"] == "ready"
    assert processes("serve_to_the_end.py")
    server.close()
    assert processes("serve_to_the_end.py") == []
    assert made.worktrees() == 1
