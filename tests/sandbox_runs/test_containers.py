"""Sandbox runs in containers, by the engine of this machine; skipped where there is none that works."""

import asyncio
import fcntl
import io
import json
import os
import socket
import subprocess
import sys
import tarfile
import tempfile
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import httpx
import psutil
import pytest
from typer.testing import CliRunner

from tests.door.test_commands import started
from tests.harness import Platform, succeeded
from tests.sandbox_runs.conftest import SERVES, Sandboxes, variables_of
from tests.server_mode import embedded_only
from tests.test_runs.test_bounds import Killed, ends
from twindiff.cli import app
from twindiff.server.apis.sandbox_runs import application, containers, entrance, runs
from twindiff.server.apis.sandbox_runs.config_files import InvalidSandboxConfig

BASE = f"localhost/twindiff-test-python-{os.getpid()}"
"""An image of this machine's shell and Python, since no registry can be reached."""
PYTHON = Path(sys.executable).resolve()
COMPOSE = Path(__file__).resolve().parents[2] / ".tools" / "programs" / "venv" / "bin" / "podman-compose"
PARTS = "import encodings.idna, http.server, json, signal, ssl, sys, urllib.request"
FILES = f"{PARTS}; print(*(m.__file__ for m in sys.modules.values() if getattr(m, '__file__', None)), sep='\\n')"


def ask(*command):
    """What a program prints."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def files_of_python():
    """The files without which neither a shell nor an application in Python runs."""
    modules = ask(str(PYTHON), "-c", FILES).split()
    programs = ["/bin/sh", "/bin/sleep", str(PYTHON), *(name for name in modules if name.endswith(".so"))]
    named = [word for each in programs for word in ask("ldd", each).split() if word.startswith("/")]
    return {*programs, *modules, *(name.rstrip(":") for name in named)}


def root():
    """A root of a file system, as an archive."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name in sorted(files_of_python()):
            archive.add(os.path.realpath(name), arcname=name)
        archive.add(PYTHON, arcname="/usr/bin/python")
    return packed.getvalue()


class Engine:
    """The engine of this machine, and what it keeps."""

    def __init__(self, program):
        self.program = program

    def __call__(self, *arguments, **given):
        done = subprocess.run([self.program, *arguments], capture_output=True, check=False, **given)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    def kept(self):
        """Its containers, those of builds too, and its images."""
        if "docker" in self.program:  # whose cache of layers is its own matter
            return sorted((self("ps", "-aq") + self("images", "-q", "--filter", "dangling=false")).split())
        return sorted((self("ps", "-aq", "--external") + self("images", "-aq")).split())


@contextmanager
def alone():
    """What an engine keeps is counted by one process at a time."""
    with (Path(tempfile.gettempdir()) / f"twindiff-test-engine-{os.getuid()}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="module")
def installed():
    """The engine, with an image to begin with."""
    program = containers.engine()
    if program is None:
        pytest.skip("needs Podman or Docker on PATH, and working")
    if problem := containers.why_not(program):
        pytest.skip(f"{program} does not work here: {problem}")
    candidate = Engine(program)
    limits = ("--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024")
    trial = [program, "run", "--rm", "--network", "host", *limits, BASE, "/bin/sh", "-c", ":"]
    with alone():
        candidate("import", "-", BASE, input=root())
        tried = subprocess.run(trial, capture_output=True, check=False)
    if not tried.returncode:
        yield candidate
    with alone():
        candidate("rmi", "--force", BASE)
    if tried.returncode:
        pytest.skip(f"{program} runs no containers here: {tried.stderr.decode()[-300:]}")


@pytest.fixture
def engine(installed, monkeypatch):
    """The engine, for one test at a time; it is named, since what looks for one asks it how it is before every run."""
    monkeypatch.setenv(containers.SETTING, installed.program)
    with alone():
        yield installed


@pytest.fixture
def nothing_more(engine, sandboxes):
    """What the engine keeps after a test is what it kept before."""
    before = engine.kept()
    yield
    for sandbox_id in sandboxes.made:
        sandboxes.delete(sandbox_id)
    assert engine.kept() == before


CONFIG = "app:\n  dockerfile_path: Dockerfile\n  env: {COLOUR: red, TMPDIR: /var/tmp}\n  twins: [slack]\n"
BUILT = f"FROM {BASE}\nENV MADE=image PATH=/usr/bin:/bin\nCOPY app.py /\nWORKDIR /srv\n"
CMD = 'CMD ["python", "-u", "/app.py"]\n'
RUNS = BUILT + CMD


@pytest.mark.parametrize("value", ["two\nlines", "'quoted'", "x" * containers.MAX_LINE_BYTES])
@pytest.mark.parametrize("name", ["LD_X", "DOCKER_KEY", "CONTAINER_KEY", "SSL_CERT_FILE", "PS1"])
def test_a_value_that_only_the_command_line_could_pass_on_is_refused_by_name(tmp_path, name, value):
    container = containers.Container("/usr/bin/podman", "named", tmp_path, image="image")
    with pytest.raises(InvalidSandboxConfig, match=f"env: {name} configures programs of this machine"):
        containers.run_command(container, {name: value})
    line = "x" * (containers.MAX_LINE_BYTES - len(name) - 2)
    assert not any(line in word for word in containers.run_command(container, {name: line}))


def test_an_application_with_such_a_value_is_refused(sandboxes, repository, engine, nothing_more):
    made = repository(_DOT_arga__sandbox_DOT_yml=CONFIG, Dockerfile=RUNS, app_DOT_py=SERVES)
    status, said = sandboxes.refused(repo=str(made.path), env={"DOCKER_KEY": "two\nlines"})
    assert (status, "env: DOCKER_KEY" in str(said)) == (422, True), said


def test_a_container_is_built_and_started_beside_its_twins_and_ended_without_a_trace(
    sandboxes, repository, engine, nothing_more, monkeypatch
):
    monkeypatch.undo()  # nobody names the engine unless this machine does
    made = repository(_DOT_arga__sandbox_DOT_yml=CONFIG, Dockerfile=RUNS, app_DOT_py=SERVES)
    odd = {"SIZE": "two\nlines", "QUOTED": "'a' \"b\"", "LD_X": "1", "LONG": "é" * 30_000, "LC_ALL": " C"}
    odd |= dict.fromkeys(("PSP_KEY", "ENV_KEY", "BUILD_KEY", "_KEY", "SSL_KEY"), "BEGIN\nKEY")
    run = sandboxes.create(repo=str(made.path), env=odd)
    logs = sandboxes.logs_with(run["sandbox_id"], "listening on" if run["status"] == "ready" else run["error"])
    assert run["status"] == "ready", logs
    variables = variables_of(run)
    assert variables.items() >= {**odd, "MADE": "image", "COLOUR": "red", "TMPDIR": "/var/tmp"}.items()
    engines = [each for each in psutil.Process().children(recursive=True) if each.name() in ("podman", "docker")]
    assert not {"COLOUR", "LD_X", "LC_ALL"} & {name for each in engines for name in each.environ()}
    assert not any("BEGIN" in word for each in engines for word in each.cmdline())
    assert (variables["cwd"], variables["PORT"]) == ("/srv", str(run["app_port"]))
    assert (run["app_command"], run["dockerfile_path"]) == (None, "Dockerfile")
    assert any(f"in a container of Dockerfile by {engine.program}" in line for line in logs)
    assert f"output: listening on {run['app_port']}" in logs
    assert sandboxes.delete(run["sandbox_id"])["status"] == "deleted"
    assert made.worktrees() == 1


def test_an_application_in_a_container_reaches_its_twins(sandboxes, repository, nothing_more):
    says = "import os, urllib.request as r\ntoken = 'Bearer ' + os.environ['SLACK_BOT_TOKEN']\n"
    asks = "request = r.Request(os.environ['SLACK_API_URL'] + '/auth.test', b'', {'Authorization': token})\n"
    program = f"{says}{asks}print('SAID', r.urlopen(request).read())\n"
    made = repository(_DOT_arga__sandbox_DOT_yml=CONFIG, Dockerfile=RUNS, app_DOT_py=program + SERVES)
    run = sandboxes.create(repo=str(made.path))
    assert any("SAID" in line and '"ok":true' in line for line in sandboxes.logs_with(run["sandbox_id"], "SAID"))


def test_an_application_in_a_container_reaches_its_twins_by_the_vendors_hosts(sandboxes, repository, nothing_more):
    asks = "import urllib.request as r\nprint('SAID', r.urlopen('https://slack.com/api/auth.test').read())\n"
    config = CONFIG.replace("twins:", "proxy: true\n  twins:")
    made = repository(_DOT_arga__sandbox_DOT_yml=config, Dockerfile=RUNS, app_DOT_py=asks + SERVES)
    run = sandboxes.create(repo=str(made.path))
    assert any("SAID" in line and '"ok":true' in line for line in sandboxes.logs_with(run["sandbox_id"], "SAID"))
    password = httpx.URL(run["env_vars"]["HTTPS_PROXY"]).password
    assert password
    assert [each for each in command_lines() if password in each] == []


def command_lines():
    """The command lines of all processes of this machine, as `ps` shows them."""
    return [" ".join(each.info["cmdline"] or ()) for each in psutil.process_iter(["cmdline"])]


COMPOSED = """
services:
  app:
    image: {image}
    command: [/usr/bin/python, -c, "import urllib.request as r; print(r.urlopen('https://slack.com/api/auth.test').read())"]
    ulimits: {{nofile: 1024, nproc: 1024}}
"""


def own_address():
    """An address of this machine that its containers reach."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked, suppress(OSError):
        asked.connect(("192.0.2.1", 9))
        return asked.getsockname()[0]
    pytest.skip("this machine has no address but loopback")


def test_a_service_of_a_compose_file_reaches_its_twins_by_the_vendors_hosts(engine, tmp_path, monkeypatch):
    if "podman" not in engine.program or not COMPOSE.exists():
        pytest.skip("needs Podman and podman-compose; `make programs` installs the latter")
    monkeypatch.chdir(tmp_path)
    Path("compose.yaml").write_text(COMPOSED.format(image=BASE))
    door = ("--proxy-port", "0", "--proxy-host", own_address(), "--api-key", "k")
    with started("serve", "--port", "0", *door, "--data-dir", "data", "--json") as server:
        assert server.stdout is not None
        url = json.loads(server.stdout.readline())["url"]
        with httpx.Client(base_url=url, headers={"X-API-Key": "k"}, timeout=60) as client:
            made = Platform(client).environment()
        told = CliRunner().invoke(app, ["compose", made.id, "--base-url", url, "--api-key", "k"])
        assert told.exit_code == 0, told.output
        command = [COMPOSE, "-f", "compose.yaml", "-f", "compose.twindiff.yaml"]
        said = subprocess.run([*command, "up"], capture_output=True, text=True, timeout=60, check=False)
        subprocess.run([*command, "down"], capture_output=True, timeout=60, check=True)
    assert '"ok":true' in said.stdout, said.stdout + said.stderr


def test_a_start_command_is_run_in_the_container_in_place_of_its_own(sandboxes, repository, nothing_more):
    config = "app: {dockerfile_path: deploy/Containerfile, app_command: 'echo in $MADE; exec python /app.py'}\n"
    built = BUILT + 'ENTRYPOINT ["/bin/false"]\n'
    made = repository(_DOT_arga__sandbox_DOT_yml=config, deploy__Containerfile=built, app_DOT_py=SERVES)
    run = sandboxes.create(repo=str(made.path))
    assert run["status"] == "ready", sandboxes.logs(run["sandbox_id"])
    assert "output: in image" in sandboxes.logs(run["sandbox_id"])


@pytest.mark.parametrize(
    ("dockerfile", "program", "said"),
    [
        ("FROM localhost/nowhere/at-all\n", "", "before its image was built"),
        (BUILT + "RUN echo hello > /there\nRUN echo no; exit 3\n", "", "before its image was built"),
        (RUNS, "raise SystemExit(4)", "exit code 4 before it listened"),
        (RUNS, "import time; time.sleep(4243)", "did not listen on port"),
    ],
    ids=["no such base", "a step of the build fails", "the application ends", "the application never listens"],
)
def test_a_container_that_fails_says_why_and_leaves_nothing(
    sandboxes, repository, nothing_more, dockerfile, program, said
):
    made = repository(_DOT_arga__sandbox_DOT_yml=CONFIG, Dockerfile=dockerfile, app_DOT_py=program)
    seconds = 3 if "did not listen" in said else 60
    run = sandboxes.create(repo=str(made.path), seconds_to_start=seconds)
    assert run["status"] == "failed"
    assert said in run["error"]
    assert made.worktrees() == 1


def test_deleting_a_run_whose_image_is_being_built_leaves_nothing(sandboxes, repository, nothing_more):
    made = repository(
        _DOT_arga__sandbox_DOT_yml=CONFIG, Dockerfile=BUILT + "RUN echo first\nRUN sleep 4244\n", app_DOT_py=SERVES
    )
    asked = sandboxes.client.post("/sandbox-runs", json={"repo": str(made.path)}).json()
    sandboxes.made.append(asked["sandbox_id"])
    sandboxes.logs_with(asked["sandbox_id"], "sleep 4244")
    assert sandboxes.delete(asked["sandbox_id"])["status"] == "deleted"
    assert made.worktrees() == 1
    assert not [each for each in psutil.process_iter() if command_line(each) == ["sleep", "4244"]]


def test_a_build_whose_engine_is_killed_leaves_no_working_container(sandboxes, repository, nothing_more):
    made = repository(
        _DOT_arga__sandbox_DOT_yml=CONFIG, Dockerfile=BUILT + "COPY app.py /\nRUN sleep 4247\n", app_DOT_py=SERVES
    )
    asked = sandboxes.client.post("/sandbox-runs", json={"repo": str(made.path)}).json()
    sandboxes.made.append(asked["sandbox_id"])
    sandboxes.logs_with(asked["sandbox_id"], "sleep 4247")
    for each in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # others come and go meanwhile
            if each.name() == "podman":
                each.kill()
    assert sandboxes.until(asked["sandbox_id"], lambda run: run["status"] == "failed")


def command_line(process):
    """The command line of a process, nothing if it has gone."""
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def test_an_image_that_is_not_built_in_time_fails_and_leaves_nothing(sandboxes, repository, nothing_more, monkeypatch):
    monkeypatch.setattr(application, "SECONDS_TO_BUILD", 2)
    made = repository(_DOT_arga__sandbox_DOT_yml=CONFIG, Dockerfile=BUILT + "RUN sleep 4245\n", app_DOT_py=SERVES)
    run = sandboxes.create(repo=str(made.path))
    assert (run["status"], "was not built within 2 seconds" in run["error"]) == ("failed", True)


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("print(len(b'x' * (300 << 20)))", "exit code 137"),
        ("open('large', 'wb').truncate((1 << 30) + 1)", "File too large"),
        ("[open('/dev/null') for _ in range(4100)]", "Too many open files"),
    ],
    ids=["memory", "the size of a file", "open files"],
)
def test_a_container_that_takes_too_much_is_refused_it(sandboxes, repository, nothing_more, monkeypatch, program, said):
    monkeypatch.setattr(containers, "MEMORY", 100 << 20)
    made = repository(_DOT_arga__sandbox_DOT_yml=CONFIG, Dockerfile=RUNS, app_DOT_py=program)
    run = sandboxes.create(repo=str(made.path))
    assert run["status"] == "failed"
    assert said in "\n".join([run["error"], *sandboxes.logs(run["sandbox_id"])])


def test_a_container_expires_with_its_twins_and_leaves_nothing(sandboxes, repository, nothing_more, monkeypatch):
    monkeypatch.setattr(runs, "MINUTE", 0.02)
    made = repository(_DOT_arga__sandbox_DOT_yml=CONFIG, Dockerfile=RUNS, app_DOT_py=SERVES)
    run = sandboxes.create(repo=str(made.path), ttl_minutes=60)
    ended = sandboxes.until(run["sandbox_id"], lambda run: run["status"] not in ("queued", "provisioning", "ready"))
    assert ended["status"] == "expired"
    with pytest.raises(httpx.ConnectError):
        variables_of(run)


def test_when_the_server_ends_its_containers_do(make_server, repository, engine):
    before = engine.kept()
    made = repository(_DOT_arga__sandbox_DOT_yml=CONFIG, Dockerfile=RUNS, app_DOT_py=SERVES)
    server = make_server()
    assert Sandboxes(server).create(repo=str(made.path))["status"] == "ready"
    assert engine.kept() != before
    server.close()
    assert (engine.kept(), made.worktrees()) == (before, 1)


@embedded_only("processes over one database wait before they count one of them as gone")
@pytest.mark.parametrize("step", ["", "RUN sleep 4246\n"], ids=["ready", "being built"])
def test_a_server_that_is_killed_takes_its_containers_with_it(tmp_path, repository, engine, step):
    before = engine.kept()
    made = repository(_DOT_arga__sandbox_DOT_yml=CONFIG, Dockerfile=BUILT + step + CMD, app_DOT_py=SERVES)
    with closing(Killed(tmp_path / "data")) as server:
        sandboxes = Sandboxes(server)
        run = succeeded(server.client.post("/sandbox-runs", json={"repo": str(made.path)}))
        sandboxes.logs_with(run["sandbox_id"], "sleep 4246" if step else "ready at")
        (keeper,) = [each for each in psutil.Process(server.process.pid).children() if "keeper.py" in told_to(each)]
        server.kill()
        assert ends(keeper)
    assert (engine.kept(), made.worktrees()) == (before, 1)


LINKS = 'RUN ["python", "-c", "import os; os.symlink(\'/\', \'/rootlink\')"]\n'
WRITES = "echo written > /host{}; echo REACHED\n"
EVADES = "RUN --mo\\\nunt=type=bind,from=first,source=/rootlink,target=/host,rw "
ATTACKS = {
    "a link of a stage": "FROM {base} AS first\nENV PATH=/usr/bin:/bin\n{links}FROM {base}\n"
    "RUN --mount=type=bind,from=first,source=/rootlink,target=/host,rw {writes}",
    "a link of a stage, in two lines": "FROM {base} AS first\nENV PATH=/usr/bin:/bin\n{links}FROM {base}\n"
    + EVADES + "{writes}",
    "a path below a link of a stage": "FROM {base} AS first\nENV PATH=/usr/bin:/bin\n{links}FROM {base}\n"
    "RUN --mount=type=bind,from=first,source=/rootlink{folder},target=/host{folder},rw {writes}",
    "a cache with a path for its name": "FROM {base}\n"
    "RUN --mount=type=cache,id=../../../../../../../../..{folder},target=/host{folder} {writes}",
}  # fmt: skip
"""Dockerfiles that write to the machine by an engine that follows links."""


@pytest.fixture
def outside():
    """A folder of the machine that is no temporary one."""
    with tempfile.TemporaryDirectory(prefix="twindiff-test-", dir=Path.home()) as place:
        Path(place).chmod(0o777)
        yield Path(place)


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_step_of_a_build_reaches_the_machine(sandboxes, repository, nothing_more, outside, attack):
    writes = WRITES.format(outside / "written")
    dockerfile = ATTACKS[attack].format(base=BASE, links=LINKS, writes=writes, folder=outside)
    made = repository(_DOT_arga__sandbox_DOT_yml=CONFIG, Dockerfile=dockerfile + CMD, app_DOT_py=SERVES)
    run = sandboxes.create(repo=str(made.path), seconds_to_start=2)
    assert run["status"] == "failed"
    assert not (outside / "written").exists(), sandboxes.logs(run["sandbox_id"])


def test_no_step_that_a_base_image_adds_reaches_the_machine(sandboxes, repository, nothing_more, engine, outside):
    base, given = f"{BASE}-onbuild", f"FROM {BASE}\nENV PATH=/usr/bin:/bin\n{LINKS}"
    step = f"ONBUILD RUN --mount=type=bind,from={base},source=/rootlink,target=/host,rw {WRITES}"
    engine("build", "--format", "docker", "--tag", base, "-", input=(given + step.format(outside / "written")).encode())
    made = repository(_DOT_arga__sandbox_DOT_yml=CONFIG, Dockerfile=f"FROM {base}\n{CMD}")
    run = sandboxes.create(repo=str(made.path), seconds_to_start=2)
    engine("rmi", "--force", base)
    assert run["status"] == "failed"
    assert not (outside / "written").exists(), sandboxes.logs(run["sandbox_id"])


@pytest.mark.parametrize("target", ["/", "../..", "/etc/passwd"])
def test_a_context_with_a_link_that_leaves_it_is_refused(sandboxes, repository, engine, target):
    made = repository(_DOT_arga__sandbox_DOT_yml=CONFIG, Dockerfile=RUNS, app_DOT_py=SERVES)
    (made.path / "rootlink").symlink_to(target)
    made.commit("Link")
    status, detail = sandboxes.refused(repo=str(made.path))
    assert (status, "rootlink is a link that leaves the folder" in detail) == (422, True), detail


def test_steps_mount_their_context_stages_and_caches(sandboxes, repository, nothing_more):
    steps = (
        "RUN --mount=type=bind,source=inner,target=/inner read line < /inner/note; echo CONTEXT $line\n"
        "RUN --mount=type=bind,from=first,source=/made,target=/made read line < /made/note; echo STAGE $line\n"
        "RUN --mount=type=cache,target=/cache echo cached > /cache/note; echo CACHE\n"
    )
    first = f"FROM {BASE} AS first\nCOPY inner /made\n"
    made = repository(
        _DOT_arga__sandbox_DOT_yml=CONFIG, Dockerfile=first + BUILT + steps + CMD, app_DOT_py=SERVES, inner__note="hi\n"
    )
    (made.path / "alias").symlink_to("inner/note")
    made.commit("Link")
    run = sandboxes.create(repo=str(made.path))
    logs = sandboxes.logs(run["sandbox_id"])
    assert run["status"] == "ready", "\n".join(logs)
    assert {"output: CONTEXT hi", "output: STAGE hi", "output: CACHE"} <= set(logs)


def told_to(process):
    return " ".join(command_line(process))


@pytest.mark.parametrize("step", ["", "RUN sleep 4247\n"], ids=["ready", "being built"])
def test_a_container_whose_keeper_is_killed_is_removed(sandboxes, repository, nothing_more, step):
    made = repository(_DOT_arga__sandbox_DOT_yml=CONFIG, Dockerfile=BUILT + step + CMD, app_DOT_py=SERVES)
    before = {each.pid for each in psutil.Process().children()}
    run = succeeded(sandboxes.client.post("/sandbox-runs", json={"repo": str(made.path)}))
    sandboxes.made.append(run["sandbox_id"])
    sandboxes.logs_with(run["sandbox_id"], "sleep 4247" if step else "ready at")
    new = [each for each in psutil.Process().children() if each.pid not in before]
    (keeper,) = [each for each in new if "keeper.py" in told_to(each)]
    keeper.kill()
    ended = sandboxes.until(run["sandbox_id"], lambda run: run["status"] == "failed")
    assert "its keeper was killed by signal 9" in ended["error"]


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("app: {dockerfile_path: nowhere}", "dockerfile_path 'nowhere' is no file of context_dir or of the repository"),
        ("app: {dockerfile_path: ../../../etc/passwd}", "is no file of context_dir"),
        (
            "app: {infra: [postgres], dockerfile_path: Dockerfile}",
            "infra postgres: this server starts no container but",
        ),
        ("app: {}", "Dockerfile is not used: a container is built only of what dockerfile_path names"),
    ],
)
def test_what_no_container_can_be_made_of_is_refused_by_name(sandboxes, repository, engine, config, said):
    made = repository(_DOT_arga__sandbox_DOT_yml=config, Dockerfile=RUNS)
    status, detail = sandboxes.refused(repo=str(made.path))
    assert (status, said in detail) == (422, True), detail


def test_an_engine_that_is_not_there_is_refused_by_the_name_of_the_setting(sandboxes, repository, monkeypatch):
    monkeypatch.setenv(containers.SETTING, "podmann")
    made = repository(_DOT_arga__sandbox_DOT_yml=CONFIG, Dockerfile=RUNS)
    status, detail = sandboxes.refused(repo=str(made.path))
    assert (status, "TWINDIFF_CONTAINER_ENGINE is 'podmann', which is no program" in detail) == (422, True)


@pytest.mark.skipif(not entrance.has_landlock(), reason="needs Linux 6.12 with Landlock")
@pytest.mark.parametrize(("program", "is_reached"), [("docker", True), ("podman", False)])
def test_a_keeper_reaches_containers_that_an_engines_daemon_started(tmp_path, program, is_reached):
    looks = [sys.executable, "-c", f"import os; os.readlink('/proc/{os.getpid()}/ns/net')"]
    work = application.CommandSequence([looks], dict(os.environ), {}, ends=[[f"/nowhere/{program}"]])
    place = application.ApplicationFolder(tmp_path, tmp_path)
    said = []

    async def hear(line):
        said.append(line)

    async def run():
        started = application.Application(work, place, hear, str)
        await started.start()
        await started.wait_for_end()

    asyncio.run(run())
    assert any("Permission denied" in line for line in said) is not is_reached, said


def test_a_key_of_several_lines_is_on_no_command_line(tmp_path):
    names = ["GOOGLE_PRIVATE_KEY", "GOOGLE_APPLICATION_CREDENTIALS_JSON", "GOV_KEY"]
    env: dict[str, str] = dict.fromkeys(names, "BEGIN\nsecret")
    command = containers.run_command(containers.Container("podman", "web", tmp_path), env)
    assert not [each for each in command if "secret" in each]
    assert containers.list_named_variables(env) == env


@pytest.mark.parametrize("name", ["GODEBUG", "GOTRACEBACK", "GOCOVERDIR", "LD_PRELOAD", "GIT_SSH_COMMAND"])
def test_a_variable_that_the_engine_obeys_never_reaches_it(name):
    assert containers.list_named_variables({name: "two\nlines"}) == {}
