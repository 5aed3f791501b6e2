"""A server with sandboxes, containers and browsers that is killed under load keeps what it acknowledged, and no more.

`TWINDIFF_TEST_KILLS` is the number of kills of each engine. Every third kill takes the supervisors of applications and
browsers as well, so that only the next server can end what they have started.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from tests.harness import AGENT, Environment, Json, Platform
from tests.sandbox_runs.conftest import SERVES, Repository
from tests.sandbox_runs.test_containers import BASE, root
from tests.soak.test_kill import check, journal_of
from tests.storage.postgres.cluster import ABSENT, Database, administrator
from tests.test_runs.site import Site

pytestmark = pytest.mark.soak
KILLS = int(os.environ.get("TWINDIFF_TEST_KILLS", "50"))
SECONDS_UNTIL_CLEAN = 120
HOURS_24 = 86_400
"""Seconds that environments last: longer than all kills take on a slow machine."""
OPEN = ("queued", "provisioning", "running", "ready")
STORAGE = '[storage]\ndriver = "overlay"\ngraphroot = "{place}/graph"\nrunroot = "{place}/run"\n'
DOCKERFILE = f'FROM {BASE}\nENV PATH=/usr/bin:/bin\nCOPY app.py /\nRUN echo built\nCMD ["python", "-u", "/app.py"]\n'
WAIT = {"steps": [{"action": "click", "selector": "Pay now"}, {"action": "wait", "value": 400}]}
STAYS = "import subprocess\nsubprocess.Popen(['setsid', 'sleep', '4260'])\n"
"""An application's child in a session of its own."""


class Machine:
    """A place of its own for whatever a server starts, so that what is left can be told from what others have."""

    def __init__(self, engine: str | None) -> None:
        self.place = Path(tempfile.mkdtemp(prefix="tk-", dir="/var/tmp"))
        self.scratch = self.place / "tmp"
        self.scratch.mkdir()
        self.place.chmod(0o755)
        self._engine = engine
        settings = self.place / "storage.conf"
        settings.write_text(STORAGE.format(place=self.place))
        given = {"TMPDIR": str(self.scratch), "CONTAINERS_STORAGE_CONF": str(settings)}
        self.env = {**os.environ, **given, "TWINDIFF_CONTAINER_ENGINE": engine or "none"}
        if engine:
            subprocess.run([engine, "import", "-", BASE], input=root(), env=self.env, capture_output=True, check=True)
        self.images = self._ask_engine("images", "-aq")

    def _ask_engine(self, *words: str) -> list[str]:
        if not self._engine:
            return []
        done = subprocess.run([self._engine, *words], env=self.env, capture_output=True, text=True, check=True)
        return done.stdout.split()

    def list_processes(self) -> list[psutil.Process]:
        """All processes that have files of this place mounted, or its name in their variables or arguments."""
        processes: list[psutil.Process] = []
        for each in psutil.process_iter():
            with suppress(psutil.Error, OSError):
                said = [*each.cmdline(), *each.environ().values(), Path(f"/proc/{each.pid}/mountinfo").read_text()]
                if each.pid != os.getpid() and any(str(self.scratch) in word for word in said):
                    processes.append(each)
        return processes

    def list_left(self, server: int, repositories: list[Repository]) -> dict[str, list[Any]]:
        """What is here beside a server and its own processes."""
        own = {server, *(each.pid for each in psutil.Process(server).children(recursive=True))}
        left = [each for each in self.list_processes() if each.pid not in own]
        here = [(each.pid, " ".join(_command(each))[:120]) for each in left]
        spaces = {_namespace(each.pid) for each in left} - {_namespace(os.getpid()), ""}
        mounts = [
            line for line in Path("/proc/mounts").read_text().splitlines() if f"{self.place}/graph/overlay/" in line
        ]
        images = Counter(self._ask_engine("images", "-aq")) - Counter(self.images)
        return {
            "processes": here,
            "namespaces": sorted(spaces),
            "folders": [each.name for each in self.scratch.iterdir()],
            "containers": self._ask_engine(
                "ps", "-a", "--external", "--format", "{{.ID}}={{.Names}}={{.Status}}={{.Image}}"
            ),
            "images": [*images],
            "mounts": mounts,
            "worktrees": [each.path.name for each in repositories if each.worktrees() != 1],
        }

    def close(self) -> None:
        for each in self.list_processes():
            with suppress(psutil.Error):
                each.kill()
        self._ask_engine("rm", "--all", "--force")
        self._ask_engine("rmi", "--all", "--force")
        shutil.rmtree(self.place, ignore_errors=True)


def _namespace(pid: int) -> str:
    with suppress(OSError):
        return str(Path(f"/proc/{pid}/ns/pid").readlink())
    return ""


class Server:
    """`twindiff serve` on one port, started and killed again and again with all its processes."""

    def __init__(self, machine: Machine, log: Path, *arguments: str, **env: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = str(free.getsockname()[1])
        words = ("serve", "--port", self.port, "--json", "--browsers", "2", *arguments)
        self._command = [sys.executable, "-m", "twindiff.cli", *words]
        self._env = {**machine.env, **env}
        self._log = log
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        with self._log.open("a") as log:
            self.process = subprocess.Popen(self._command, env=self._env, stdout=subprocess.PIPE, stderr=log)
        assert self.process.stdout
        assert self.process.stdout.readline(), self._log.read_text()[-2000:]

    def kill(self, *, with_supervisors: bool) -> None:
        """Kill the server; `with_supervisors` also those of its applications and browsers, before they notice."""
        children = psutil.Process(self.process.pid).children(recursive=True)
        supervisors = ("twindiff.cli.worker", *(("keeper.py", "twindiff.browser") if with_supervisors else ()))
        doomed = [each for each in children if any(word in " ".join(_command(each)) for word in supervisors)]
        for each in doomed:
            with suppress(psutil.Error):
                each.suspend()
        for pid in (self.process.pid, *(each.pid for each in doomed)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        psutil.wait_procs(doomed, timeout=60)
        assert self.process.stdout
        self.process.stdout.close()


def _command(process: psutil.Process) -> list[str]:
    with suppress(psutil.Error):
        return process.cmdline()
    return []


class Load(threading.Thread):
    """Repeats one kind of work until the server is gone, and remembers what was acknowledged."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.client = httpx.Client(base_url=url, trust_env=False, timeout=60)
        self.acknowledged: dict[str, str] = {}
        """What is known of each thing, by its id: its status where it has one that stays."""
        self.requests = 0
        self.error = ""

    def run(self) -> None:
        with self.client, suppress(httpx.TransportError):
            while True:
                self.work()

    def work(self) -> None:
        raise NotImplementedError

    def ask(self, verb: str, path: str, **given: Any) -> Json:
        self.requests += 1
        answer = self.client.request(verb, path, **given)
        if answer.status_code not in (200, 201):
            self.error = f"{verb} {path}: {answer.status_code} {answer.text[:300]}"
            time.sleep(0.2)
            return {}
        return answer.json()


class Messages(Load):
    """Posts and edits messages of Slack; `texts` are those that a message may have."""

    def __init__(self, url: str, environment: Environment, name: str) -> None:
        super().__init__(url)
        self.environment = environment
        self.prefix = name
        self.texts: dict[str, set[str]] = {}

    def work(self) -> None:
        text = f"{self.prefix} {self.requests}"
        ts = self.slack("chat.postMessage", text=text).get("ts")
        if ts:
            self.texts[ts] = {text, f"{text} edited"}
            if self.slack("chat.update", ts=ts, text=f"{text} edited"):
                self.texts[ts] = {f"{text} edited"}

    def slack(self, method: str, **fields: Any) -> Json:
        headers = {"Authorization": f"Bearer {self.environment.token}"}
        path = f"{self.environment.made['environmentUrl']}/{method}"
        return self.ask("POST", path, json={"channel": "C01ABCD1234", **fields}, headers=headers)


class Payments(Load):
    """Charges cards by Stripe."""

    def __init__(self, url: str, environment: Environment) -> None:
        super().__init__(url)
        self.environment = environment

    def work(self) -> None:
        fields = {"amount": 500, "currency": "usd", "payment_method": "pm_card_visa", "confirm": "true"}
        given = {**fields, "automatic_payment_methods[enabled]": "true", "return_url": "http://localhost/"}
        path = f"{self.environment.made['environmentUrl']}/v1/payment_intents"
        made = self.ask("POST", path, data=given, headers={"Authorization": f"Bearer {self.environment.token}"})
        if made:
            self.acknowledged[made["id"]] = made["status"]


class TwinRuns(Load):
    """Provisions twins, and ends every second set of them."""

    def work(self) -> None:
        made = self.ask("POST", "/twin-runs", json={"twins": ["slack"], "ttl_minutes": 60})
        if made:
            run_id = made.get("run_id") or made["id"]
            self.acknowledged[run_id] = "open"
            if len(self.acknowledged) % 2:
                self.acknowledged[run_id] = "unknown"
                if self.ask("POST", f"/twin-runs/{run_id}/teardown"):
                    self.acknowledged[run_id] = "ended"
        time.sleep(0.1)


class SandboxRuns(Load):
    """Starts applications and deletes every second one; some are killed while they start, some while they serve."""

    def __init__(self, url: str, repository: Repository) -> None:
        super().__init__(url)
        self.repository = str(repository.path)

    def work(self) -> None:
        made = self.ask("POST", "/sandbox-runs", json={"repo": self.repository, "twins": ["slack"]})
        if not made:
            return
        sandbox_id = made["sandbox_id"]
        self.acknowledged[sandbox_id] = "unknown"
        while (run := self.ask("GET", f"/sandbox-runs/{sandbox_id}")) and run["status"] in ("queued", "provisioning"):
            time.sleep(0.1)
        if run.get("status") == "failed":
            self.error = run["error"]
        time.sleep(0.3)
        if self.ask("DELETE", f"/sandbox-runs/{sandbox_id}"):
            self.acknowledged[sandbox_id] = "deleted"


class TestRuns(Load):
    """Has pages tested by browsers."""

    __test__ = False

    def __init__(self, url: str, page: str) -> None:
        super().__init__(url)
        self.page = page

    def work(self) -> None:
        made = self.ask("POST", "/test-runs", json={"start_url": self.page, "test_config": WAIT, "twins": ["slack"]})
        if made:
            self.acknowledged[made["id"]] = "unknown"
            while (run := self.ask("GET", f"/test-runs/{made['id']}")) and run["status"] in OPEN:
                time.sleep(0.1)
            if run:
                self.acknowledged[made["id"]] = run["status"]


class Scene:
    """A server over one engine, its load, and what is known of both."""

    def __init__(
        self, machine: Machine, server: Server, site: Site, repositories: list[Repository], *, is_alone: bool
    ) -> None:
        self.machine, self.server, self.site, self.repositories = machine, server, site, repositories
        self._is_alone = is_alone
        """Whether a server knows at its start that all others are dead."""
        with self.client() as client:
            platform = Platform(client)
            self.slack, self.run = platform.environment(user=AGENT, ttlSeconds=HOURS_24), ""
            self.run = platform.start(self.slack)
            self.stripe = platform.environment("stripe:stripe_empty", "acct_1TwindiffTestShop", ttlSeconds=HOURS_24)
        self.loads: list[Load] = []
        self._unchecked = 0
        """Index of the first load whose runs were not looked at yet."""

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.server.url, trust_env=False, timeout=120)

    def load_and_kill(self, number: int) -> None:
        url = self.server.url
        loads: list[Load] = [Messages(url, self.slack, f"round {number} client {each}") for each in range(2)]
        loads += [Payments(url, self.stripe), TwinRuns(url), TestRuns(url, self.site.url)]
        loads += [SandboxRuns(url, each) for each in self.repositories]
        for each in loads:
            each.start()
        time.sleep(1.5 + number * 37 % 100 / 20)
        self.server.kill(with_supervisors=number % 3 == 2)
        for each in loads:
            each.join()
        self.loads += loads

    def wait_until_clean(self) -> None:
        deadline = time.monotonic() + SECONDS_UNTIL_CLEAN
        while any((left := self.machine.list_left(self.server.process.pid, self.repositories)).values()):
            assert time.monotonic() < deadline, json.dumps(left)
            time.sleep(0.2)

    def check(self, *, is_thorough: bool) -> None:
        """Check the runs of the last round; if thorough, of all rounds, and all rows.

        A server over a database takes a minute to know that others are dead, so that its runs wait for thorough checks.
        """
        loads = self.loads if is_thorough else self.loads[self._unchecked :] if self._is_alone else []
        self._unchecked = len(self.loads)
        with self.client() as client:
            while client.get(f"/api/platform/env/{self.slack.id}/journal").status_code == 503:
                time.sleep(0.1)
            if is_thorough:
                slack = Environment(Platform(client), self.slack.made)
                check(slack, self.run, [each for each in self.loads if isinstance(each, Messages)])
                self._check_payments(Environment(Platform(client), self.stripe.made))
            self._check_twin_runs(client, [each for each in loads if isinstance(each, TwinRuns)])
            for path, kind in (("sandbox-runs", SandboxRuns), ("test-runs", TestRuns)):
                acknowledged = [each.acknowledged for each in loads if isinstance(each, kind)]
                self._check_runs(client, path, {key: value for each in acknowledged for key, value in each.items()})

    def _check_payments(self, stripe: Environment) -> None:
        records = [each for each in journal_of(stripe) if "payment_intents" in each["operation"]]
        made = Counter(
            change["key"][-1]
            for record in records
            for change in record["changes"]
            if change["table"] == "payment_intents" and change["before"] is None
        )
        known = {key for each in self.loads if isinstance(each, Payments) for key in each.acknowledged}
        assert {key: made[key] for key in known if made[key] != 1} == {}
        assert set(made.values()) <= {1}
        for record in records:
            assert {"payment_intents", "charges", "balance_transactions"} <= {
                each["table"] for each in record["changes"]
            }

    def _check_twin_runs(self, client: httpx.Client, loads: list[TwinRuns]) -> None:
        for each in loads:
            for run_id, known in each.acknowledged.items():
                run = client.get(f"/twin-runs/{run_id}").json()
                wrong = {"open": run["status"] != "ready", "ended": run["status"] in OPEN}
                assert not wrong.get(known), run

    def _check_runs(self, client: httpx.Client, path: str, known: dict[str, str]) -> None:
        deadline = time.monotonic() + (10 if self._is_alone else 120)
        for run_id, status in known.items():
            while (run := client.get(f"/{path}/{run_id}").json())["status"] in OPEN:
                assert time.monotonic() < deadline, run
                time.sleep(0.2)
            assert status == "unknown" or run["status"] == status, (status, run)

    def report(self, name: str) -> None:
        for kind in (Messages, Payments, TwinRuns, SandboxRuns, TestRuns):
            loads = [each for each in self.loads if isinstance(each, kind)]
            known = sum(len(each.acknowledged) + len(getattr(each, "texts", ())) for each in loads)
            states = Counter(value for each in loads for value in each.acknowledged.values())
            errors = Counter(each.error for each in loads if each.error)
            print(f"{name}: {kind.__name__}: {known} acknowledged {dict(states)}; {dict(errors)}", flush=True)


@pytest.fixture
def machine() -> Iterator[Machine]:
    made = Machine(shutil.which("podman") if os.getuid() == 0 else None)
    yield made
    made.close()


@pytest.fixture(params=["sqlite", "postgres"])
def server(request: pytest.FixtureRequest, machine: Machine, tmp_path: Path) -> Iterator[Server]:
    database = None
    log = Path(os.environ.get("TWINDIFF_TEST_LOG", tmp_path / "server.log"))
    if request.param == "sqlite":
        started = Server(machine, log, "--data-dir", str(tmp_path / "data"))
    else:
        cluster = administrator() or pytest.skip(ABSENT)
        database = Database(cluster)
        database.initialise_all(has_templates=True)
        started = Server(machine, log, "--workers", "2", TWINDIFF_STORAGE=database.dsn)
    yield started
    if started.process.poll() is None:
        started.kill(with_supervisors=False)
    if database:
        database.drop()


def test_kills_under_any_load_lose_nothing_and_leave_nothing(
    request: pytest.FixtureRequest, machine: Machine, server: Server, tmp_path: Path
) -> None:
    name = request.node.callspec.params["server"]
    repositories = [Repository(tmp_path / "plain", app_DOT_py=STAYS + SERVES)]
    if machine.images:
        config = "app: {dockerfile_path: Dockerfile}\n"
        files = {"_DOT_arga__sandbox_DOT_yml": config, "Dockerfile": DOCKERFILE, "app_DOT_py": SERVES}
        repositories.append(Repository(tmp_path / "contained", **files))
    with closing(Site()) as site:
        scene = Scene(machine, server, site, repositories, is_alone=name == "sqlite")
        for number in range(KILLS):
            begun = time.monotonic()
            scene.load_and_kill(number)
            killed = time.monotonic()
            server.start()
            started = time.monotonic()
            scene.wait_until_clean()
            clean = time.monotonic()
            scene.check(is_thorough=number % 10 == 9 or number == KILLS - 1)
            seconds = (killed - begun, started - killed, clean - started, time.monotonic() - clean)
            print(f"{name}: {number + 1} of {KILLS} kills;", *(f"{each:.1f} s" for each in seconds), flush=True)
            scene.report(name)
