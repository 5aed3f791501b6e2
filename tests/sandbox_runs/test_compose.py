"""Sandbox runs of compose files, by the engine of this machine; skipped where there is none that works."""

import json
import os
import socket
import subprocess
import sys
from contextlib import closing

import psutil
import pytest

from tests.sandbox_runs.conftest import SERVES, Sandboxes, variables_of
from tests.sandbox_runs.test_containers import (
    BASE,
    BUILT,
    CMD,
    command_lines,
    engine,
    installed,
    nothing_more,
    outside,
    told_to,
)
from tests.server_mode import embedded_only
from tests.test_runs.test_bounds import Killed, ends
from twindiff.server.apis.sandbox_runs import containers, network_relay
from twindiff.server.apis.sandbox_runs.compose_file import list_volumes, read_compose, read_environment

__all__ = ["engine", "installed", "nothing_more", "outside"]
# Below the ports that the system gives to whoever asks for any, so that no other test is given it in the meantime.
PORT = 20_000 + os.getpid() % 10_000
CONFIG = "app:\n  compose: compose.yaml\n  env: {COLOUR: red}\n  twins: [slack]\n"
DATA = """import http.server, pathlib
pathlib.Path("/kept/note").write_text("by data")
print("serving data")
http.server.HTTPServer(("127.0.0.1", PORT), http.server.SimpleHTTPRequestHandler).serve_forever()
"""
GIVES = """import os
os.makedirs('/given/of_user')
open('/given/of_user/file', 'w').close()
os.chown('/given/of_user', 1234, 1234)
"""
"""Makes a file in the checkout that only another user may remove, if the engine is rootless."""
NAMES = '"./nsswitch.conf:/etc/nsswitch.conf:ro"'
"""Without that file the image's library asks the network for each name before it looks into its hosts."""
COMPOSE = f"""
x-common: &common {{restart: always, networks: [inner]}}
services:
  web:
    <<: *common
    build: {{context: ., args: {{FLAVOUR: "${{FLAVOUR:-plain}}"}}}}
    ports: ["8080:{PORT}"]
    env_file: web.env
    environment: {{SLACK_API_URL: "https://slack.com/api", GREETING: "from $COLOUR for $$5", SIZE: 3}}
    volumes: ["kept:/kept:ro", "./static:/static:ro", "./static:/given", {NAMES}]
    depends_on: {{migrate: {{condition: service_completed_successfully}}, data: {{condition: service_healthy}}}}
  migrate: {{image: {BASE}, command: /bin/sh -c "echo migrated for $COLOUR"}}
  data:
    image: {BASE}
    command: [/usr/bin/python, -u, /data.py]
    volumes: ["kept:/kept", "./data.py:/data.py:ro", {NAMES}]
    healthcheck: {{test: [CMD, /usr/bin/python, -c, "import urllib.request as r; r.urlopen('http://data:{PORT + 1}')"]}}
  debug: {{image: nowhere/debug, profiles: [debug]}}
volumes: {{kept: {{}}}}
networks: {{inner: {{}}}}
"""
FILES = {
    "_DOT_arga__sandbox_DOT_yml": CONFIG,
    "compose_DOT_yaml": COMPOSE,
    "Dockerfile": BUILT + "ARG FLAVOUR\nENV FLAVOUR=$FLAVOUR\n" + CMD,
    "app_DOT_py": "print('NOTE', open('/kept/note').read())\n" + GIVES + SERVES,
    "data_DOT_py": DATA.replace("PORT", str(PORT + 1)),
    "web_DOT_env": "# of the team\nFROM_FILE='a b'\n",
    "static__page": "x",
    "nsswitch_DOT_conf": "hosts: files\n",
}


@pytest.fixture
def no_volumes(engine):
    """No volume is left after a test that was not there before."""
    before = engine("volume", "ls", "-q")
    yield
    assert engine("volume", "ls", "-q") == before


def test_the_services_of_a_compose_file_run_with_the_twins_variables_and_leave_nothing(
    no_volumes, sandboxes, repository, nothing_more, tmp_path, monkeypatch
):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    made = repository(**FILES)
    run = sandboxes.create(repo=str(made.path))
    logs = sandboxes.logs(run["sandbox_id"])
    assert run["status"] == "ready", "\n".join(logs)
    variables, given = variables_of(run), run["env_vars"]
    wanted = {"GREETING": "from red for $5", "SIZE": "3", "FROM_FILE": "a b", "FLAVOUR": "plain", "PORT": f"{PORT}"}
    assert {name: variables[name] for name in wanted} == wanted
    assert variables["SLACK_API_URL"] == given["SLACK_API_URL"]
    assert (run["compose"], run["app_command"], run["app_port"]) == ("compose.yaml", None, PORT)
    unused = "log: without effect in a sandbox run: web.networks"
    assert {"output: web | NOTE by data", "output: migrate | migrated for red", unused} <= set(logs)
    assert [each for each in command_lines() if variables["SLACK_BOT_TOKEN"] in each] == []
    assert [*tmp_path.glob("twindiff-sandbox-*/app/static/of_user/file")]
    sandboxes.delete(run["sandbox_id"])
    assert not [*tmp_path.glob("twindiff-sandbox-*")]


def compose(*services, **more):
    """The files of a repository whose compose file has these lines of services."""
    return {
        "_DOT_arga__sandbox_DOT_yml": more.pop("config", "app: {compose: compose.yaml, twins: [slack]}\n"),
        "nsswitch_DOT_conf": FILES["nsswitch_DOT_conf"],
        "compose_DOT_yaml": "\n  ".join(["services:", *services, ""]),
        **more,
    }


RUNS_APP = f'volumes: ["./app.py:/app.py:ro", {NAMES}], command: [/usr/bin/python, -u, /app.py], ports: ["{PORT}"]'


def test_a_service_reaches_its_twins_by_the_vendors_hosts_and_its_neighbours_by_name(
    sandboxes, repository, nothing_more
):
    asks = "import urllib.request as r\nprint('SAID', r.urlopen('https://slack.com/api/auth.test').read())\n"
    asks += f"print('NEXT', r.urlopen('http://next:{PORT + 2}/').status)\n"
    config = "app: {compose: compose.yaml, twins: [slack], proxy: true}\n"
    listens = (
        f"import http.server as h; h.HTTPServer(('127.0.0.1', {PORT + 2}), h.SimpleHTTPRequestHandler).serve_forever()"
    )
    test = f"import socket; socket.create_connection(('next', {PORT + 2}))"
    health = f'healthcheck: {{test: [CMD, /usr/bin/python, -c, "{test}"]}}'
    served = f'next: {{image: {BASE}, command: [/usr/bin/python, -c, "{listens}"], {health}}}'
    app = f"web: {{image: {BASE}, {RUNS_APP}, depends_on: {{next: {{condition: service_healthy}}}}}}"
    made = repository(**compose(served, app, config=config, app_DOT_py=asks + SERVES))
    run = sandboxes.create(repo=str(made.path))
    assert run["status"] == "ready", run["error"]
    logs = sandboxes.logs_with(run["sandbox_id"], "NEXT")
    assert any("SAID" in line and '"ok":true' in line for line in logs)
    assert "output: web | NEXT 200" in logs


def test_two_runs_of_one_compose_file_with_a_fixed_port_are_ready_at_once(sandboxes, repository, nothing_more):
    app = f"web: {{image: {BASE}, environment: {{BY: $WHO}}, {RUNS_APP}}}"
    made = repository(**compose(app, app_DOT_py=SERVES))
    first, second = (sandboxes.create(repo=str(made.path), env={"WHO": who, "OWN": "{app_url}"}) for who in ("a", "b"))
    assert (first["status"], second["status"]) == ("ready", "ready"), second["error"]
    answers = [variables_of(run) for run in (first, second)]
    assert [(each["BY"], each["PORT"]) for each in answers] == [("a", f"{PORT}"), ("b", f"{PORT}")]
    assert [each["OWN"] for each in answers] == [first["app_url"], second["app_url"]]
    assert first["app_url"] != second["app_url"]


FAILS = f"fails: {{image: {BASE}, command: /bin/sh -c 'exit 3'}}"
ABSENT = f"absent: {{image: {BASE}, command: /nothing, healthcheck: {{test: 'true'}}}}"


@pytest.mark.parametrize(
    ("program", "others", "depends", "said"),
    [
        ("raise SystemExit(4)", [], "", "exit code 4 before it listened"),
        (SERVES, [FAILS], "", "the application lost its service 'fails', which ended with exit code 3"),
        (
            SERVES,
            [FAILS],
            "depends_on: {fails: {condition: service_completed_successfully}}",
            "lost its service 'fails', which ended with exit code 3, before it listened",
        ),
        (SERVES, [ABSENT], "depends_on: {absent: {condition: service_healthy}}", "lost its service 'absent'"),
    ],
)
def test_a_service_that_fails_is_said_and_leaves_nothing(
    sandboxes, repository, nothing_more, program, others, depends, said
):
    app = f"web: {{image: {BASE}, {RUNS_APP}, {depends}}}"
    made = repository(**compose(*others, app, app_DOT_py=program))
    made = sandboxes.create(repo=str(made.path))
    run = sandboxes.until(made["sandbox_id"], lambda run: run["status"] == "failed")
    assert said in run["error"]


THIRD = "n=0; [ ! -e /n ] || read n < /n; echo $$((n + 1)) > /n; [ $$n -ge 2 ] || exit 3; echo is up; sleep 1000"
"""Fails when it is started for the first and the second time."""


def test_a_service_is_started_again_as_its_restart_says(sandboxes, repository, nothing_more):
    app = f"web: {{image: {BASE}, {RUNS_APP}, restart: 'no'}}"
    third = f'third: {{image: {BASE}, restart: on-failure, command: [/bin/sh, -c, "{THIRD}"]}}'
    made = repository(**compose(third, app, app_DOT_py=SERVES))
    run = sandboxes.create(repo=str(made.path))
    logs = sandboxes.logs_with(run["sandbox_id"], "third | is up")
    again = [each for each in logs if "is started again" in each]
    assert again == [f"output: third | is started again ({number} of at most 10 times)" for number in (1, 2)]
    assert sandboxes.get(run["sandbox_id"])["status"] == "ready"


@pytest.mark.parametrize("restart", ["on-failure:1", "no"])
def test_a_service_that_fails_more_often_than_its_restart_allows_fails_the_run(
    sandboxes, repository, nothing_more, restart
):
    app = f"web: {{image: {BASE}, {RUNS_APP}}}"
    third = f'third: {{image: {BASE}, restart: {restart}, command: [/bin/sh, -c, "{THIRD}"]}}'
    made = sandboxes.create(repo=str(repository(**compose(third, app, app_DOT_py=SERVES)).path))
    run = sandboxes.until(made["sandbox_id"], lambda run: run["status"] == "failed")
    assert "lost its service 'third', which ended with exit code 3" in run["error"]


@pytest.mark.parametrize("restart", ["often", "always:3", "on-failure:0", "true"])
def test_a_restart_that_compose_does_not_have_is_refused_with_those_that_it_has(sandboxes, repository, restart):
    app = f"web: {{image: {BASE}, {RUNS_APP}, restart: {restart}}}"
    status, said = sandboxes.refused(repo=str(repository(**compose(app, app_DOT_py=SERVES)).path))
    assert (status, said.partition(", not")[0]) == (
        422,
        "compose: restart is no, always, unless-stopped, on-failure or on-failure:3",
    )


@embedded_only("processes over one database wait before they count one of them as gone")
def test_a_server_that_is_killed_takes_the_services_and_volumes_with_it(tmp_path, repository, engine, no_volumes):
    before = engine.kept()
    with closing(Killed(tmp_path / "data")) as server:
        run = Sandboxes(server).create(repo=str(repository(**FILES).path))
        assert run["status"] == "ready", run["error"]
        (keeper,) = [each for each in psutil.Process(server.process.pid).children() if "keeper.py" in told_to(each)]
        server.kill()
        assert ends(keeper)
    assert engine.kept() == before


SWAPS = "import os; os.rename('/c/inner', '/c/kept'); os.symlink('{folder}', '/c/inner')"
"""A program of a build step that replaces a folder of its context by a link."""
REPLACED = {
    "a volume": "volumes: ['./inner:/x'], image: {base}",
    "a context": "build: {{context: inner}}",
}


@pytest.mark.parametrize("used", REPLACED)
def test_no_step_of_a_build_replaces_what_another_service_is_made_of(
    sandboxes, repository, nothing_more, outside, used
):
    writes = "[/usr/bin/python, -c, \"open('/x/written', 'w')\"]"
    last = f"last: {{{REPLACED[used].format(base=BASE)}, command: {writes}, ports: ['{PORT}']}}"
    step = f'RUN --mount=type=bind,target=/c,rw ["python", "-c", "{SWAPS.format(folder=outside)}"]\n'
    first = "first: {build: {context: ., dockerfile: Dockerfile}}"
    (outside / "Dockerfile").write_text(f"FROM {BASE}\nCOPY secret /\n")
    (outside / "secret").write_text("secret")
    made = repository(
        **compose(first, last, Dockerfile=BUILT + step, app_DOT_py="", inner__Dockerfile=f"FROM {BASE}\n")
    )
    run = sandboxes.create(repo=str(made.path), seconds_to_start=2)
    logs = "\n".join(sandboxes.logs(run["sandbox_id"]))
    assert not (outside / "written").exists(), logs
    assert "COPY secret" not in logs
    assert "leave out rw" in logs


WEB = "web: {image: busybox, ports: ['8000']"
REFUSED = {
    "privileged": (f"{WEB}, privileged: true}}", "'privileged' is not taken in a sandbox run"),
    "devices": (f"{WEB}, devices: [/dev/mem]}}", "'devices' is not taken"),
    "network_mode": (f"{WEB}, network_mode: host}}", "'network_mode' is not taken"),
    "secrets": (f"{WEB}, secrets: [key]}}", "['./secret.txt:/run/secrets/name:ro']"),
    "secrets of the file": (
        f"{WEB}}}\nsecrets: {{key: {{file: k}}}}",
        "'secrets' is not taken in a sandbox run; give val",
    ),
    "configs": (f"{WEB}, configs: [conf]}}", "mount the file, as in volumes: ['./app.conf:/etc/app.conf:ro']"),
    "extends": (
        f"{WEB}, extends: {{service: base}}}}",
        "`docker compose config --no-interpolate > compose.sandbox.yaml`",
    ),
    "include": (f"{WEB}}}\ninclude: [other.yaml]", "'include' is not taken in a sandbox run; `docker compose config"),
    "a path of the machine": (f"{WEB}, volumes: ['/etc:/etc']}}", "volume '/etc:/etc' is no path of the repository"),
    "a path above": (f"{WEB}, volumes: ['../../..:/x']}}", "is no path of the repository"),
    "a path of a variable": (f"{WEB}, volumes: ['${{X:-/etc}}:/x']}}", "volume '/etc:/x' is no path of the repository"),
    "a mount of a mount": (
        f"{WEB}, volumes: ['./static:/x']}}\n  other: {{image: a, volumes: ['.:/x']}}",
        "web mounts what other could replace",
    ),
    "an option for an image": ("web: {image: '--privileged', ports: ['8000']}", "'--privileged' of web is no image"),
    "an archive of the machine": (
        "web: {image: 'docker-archive:/etc/x.tar', ports: ['8000']}",
        "'docker-archive:/etc/x.tar' of web is no image of a registry",
    ),
    "a folder of the machine": ("web: {image: 'dir:x', ports: ['8000']}", "'dir:x' of web is no image of a registry"),
    "names alike": (f"{WEB}}}\n  Web: {{image: a}}", "names of services that differ in capital letters only"),
    "a NUL": (f'{WEB}, environment: {{A: "x\\0y"}}}}', "has a NUL"),
    "a variable without a name": (f"{WEB}, environment: ['=b']}}", "'' cannot be a variable"),
    "all variables of the server": (f"{WEB}, environment: ['*=b']}}", "'*' cannot be a variable"),
    "a line that is a variable of the server": (f'{WEB}, environment: {{"A\\nHOME": b}}}}', "cannot be a variable"),
    "a variable that does not end": (f"{WEB}, command: '${{A:-${{B'}}", "has a variable that is not ${NAME}"),
    "env_file": (f"{WEB}, env_file: ../../etc/passwd}}", "env_file '../../etc/passwd' is no file beside"),
    "a long path of the machine": (
        f"{WEB}, volumes: [{{type: bind, source: /etc, target: /x}}]}}",
        "volume '/etc:/x' is no path of the repository",
    ),
    "a required env_file": (f"{WEB}, env_file: [{{path: absent.env}}]}}", "env_file 'absent.env' is no file beside"),
    "context": ("web: {build: ../.., ports: ['8000']}", "the build of web has no folder '../..'"),
    "no Dockerfile": ("web: {build: static, ports: ['8000']}", "the build of web has no file 'Dockerfile'"),
    "no image": ("web: {ports: ['8000']}", "service web needs an image or a build"),
    "no port": ("web: {image: a}", "app_port: say on which port the application listens (none is published)"),
    "two ports": (f"{WEB}}}\n  api: {{image: a, ports: ['8001']}}", "(8000 of web, 8001 of api)"),
    "one port twice": (f"{WEB}}}\n  api: {{image: a, ports: ['1:8000']}}", "web and api listen on the same port, 8000"),
    "a circle": (f"{WEB}, depends_on: [web]}}", "services wait for each other"),
    "an unknown service": (f"{WEB}, depends_on: [wed]}}", "web depends on 'wed'. Did you mean 'web'?"),
    "no healthcheck": (
        f"{WEB}, depends_on: {{db: {{condition: service_healthy}}}}}}\n  db: {{image: a}}",
        "web waits until db is healthy, which has no healthcheck",
    ),
    "only profiles": (f"{WEB}, profiles: [x]}}", "0 services without a profile"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_a_compose_file_cannot_have_is_refused_by_name(sandboxes, repository, monkeypatch, case):
    monkeypatch.setenv(containers.SETTING, "true")
    services, said = REFUSED[case]
    status, detail = sandboxes.refused(repo=str(repository(**compose(services), static__x="").path))
    assert (status, said in detail) == (422, True), detail


A_MOUNT_OF_A_VARIABLE = f"""web: {{image: a, ports: ['{PORT}'], volumes: ['${{A:-./safe}}:/x']}}
  other: {{image: a, volumes: ['./static/b:/y']}}"""


def test_a_compose_file_is_checked_with_the_variables_that_it_is_used_with(sandboxes, repository, monkeypatch):
    monkeypatch.setenv(containers.SETTING, "true")
    config = "app: {compose: compose.yaml, env: {A: ./static}}\n"
    made = repository(**compose(A_MOUNT_OF_A_VARIABLE, config=config), static__b__x="", safe__x="")
    status, detail = sandboxes.refused(repo=str(made.path))
    assert (status, "other mounts what web could replace" in detail) == (422, True), detail


def test_a_compose_file_is_checked_with_the_addresses_of_twins_too(sandboxes, repository, monkeypatch):
    monkeypatch.setenv(containers.SETTING, "true")
    services = f"web: {{image: a, ports: ['{PORT}'], volumes: ['${{SLACK_API_URL:-./safe}}:/x']}}"
    made = repository(**compose(services), safe__x="")
    status, detail = sandboxes.refused(repo=str(made.path))
    assert (status, "is not source:/path" in detail) == (422, True), detail
    assert sandboxes.client.get("/twin-runs").json()[0]["status"] == "torn_down"


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("pg://${USER_X:-u}@db", "pg://u@db"),
        ("${D:-pg://${USER_X:-u}@db}", "pg://u@db"),
        ("${Q:-$A}", "one"),
        ("$$A ${A} $B", "$A one ${A}"),
    ],
)
def test_variables_are_filled_in_as_compose_does(tmp_path, text, filled):
    file = tmp_path / "compose.yaml"
    file.write_text(f"services: {{web: {{image: a, command: ['{text}']}}}}\n")
    project = read_compose(file, {"A": "one", "B": "${A}"})
    assert project.services["web"].command == [filled]


LONG = """services:
  web:
    image: a
    env_file: [{path: web.env}, {path: absent.env, required: false}]
    volumes:
    - {type: volume, source: kept, target: /kept, volume: {nocopy: true}}
    - {type: bind, source: static, target: /static, read_only: true}
"""


def test_env_files_and_volumes_have_the_long_forms_and_comments_of_compose(tmp_path):
    (tmp_path / "compose.yaml").write_text(LONG)
    (tmp_path / "static").mkdir()
    (tmp_path / "web.env").write_text("A=1 # of the team\nB='x # y' # quoted\nC=a#b\nD=# nothing\n")
    web = read_compose(tmp_path / "compose.yaml", {}).services["web"]
    assert read_environment(web, tmp_path, {}) == {"A": "1", "B": "x # y", "C": "a#b", "D": ""}
    volumes = list_volumes(web, tmp_path, tmp_path)
    assert [(each.name, each.path, each.is_readonly) for each in volumes] == [
        ("kept", "/kept", False),
        (None, "/static", True),
    ]


@pytest.mark.parametrize(
    ("engine_name", "config", "said"),
    [
        (
            "none",
            "app: {compose: compose.yaml}\n",
            "starts no containers; install podman or docker",
        ),
        ("true", "app: {compose: ../compose.yaml}\n", "compose '../compose.yaml' is no file of context_dir"),
        ("true", "app: {compose: compose.yaml, app_command: ls}\n", "leave out app_command"),
        ("true", "app: {}\n", "compose.yaml is not used: a container is built only of what compose names"),
    ],
)
def test_a_compose_file_that_cannot_be_started_is_refused_in_one_sentence(
    sandboxes, repository, monkeypatch, engine_name, config, said
):
    monkeypatch.setenv(containers.SETTING, engine_name)
    status, detail = sandboxes.refused(repo=str(repository(**compose(f"{WEB}}}", config=config)).path))
    assert (status, said in detail) == (422, True), detail


def test_a_variable_that_a_compose_file_requires_is_asked_for_and_its_twins_end(sandboxes, repository, monkeypatch):
    monkeypatch.setenv(containers.SETTING, "true")
    made = repository(
        **compose(f"web: {{image: a, ports: ['{PORT}'], environment: {{A: '${{NEEDED:?the team has it}}'}}}}")
    )
    status, detail = sandboxes.refused(repo=str(made.path))
    assert (status, detail.split(": ", 1)[1]) == (422, "NEEDED is required: the team has it; give it in env")
    assert sandboxes.client.get("/twin-runs").json()[0]["status"] == "torn_down"


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone may enter the network of any process")
def test_no_service_starts_if_its_port_of_this_machine_was_taken_during_the_build(tmp_path):
    ready, file = tmp_path / "ready", tmp_path / "relay.json"
    with subprocess.Popen(["sleep", "30"]) as holder, socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        (tmp_path / "engine").write_text(f"#!/bin/sh\necho {holder.pid}\n")
        (tmp_path / "engine").chmod(0o755)
        told = {"commands": [["true"]], "engine": str(tmp_path / "engine"), "container": "x", "outbound": []}
        file.write_text(json.dumps({**told, "inbound": [[port, PORT, "web"]], "ready": str(ready)}))
        done = subprocess.run([sys.executable, "-I", "-S", network_relay.__file__, str(file)], check=False, timeout=60)
        holder.kill()
    assert (done.returncode, f"port {port} of this machine" in ready.read_text()) == (1, True)
