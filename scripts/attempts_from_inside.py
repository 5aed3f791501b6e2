"""Runs servers as root and as an ordinary user, with and without a key, lets an application and a page try what they
must not, and writes the tables of outcomes into docs/design/security.md: `python scripts/attempts_from_inside.py USER`
as root.

The user needs a Python that it may execute: that of `--python`, with the packages of this checkout's environment.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlencode

import httpx

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "design" / "security.md"
PROGRAM = ROOT / "tests" / "sandbox_runs" / "attempts.py"
TRYING_PAGE = ROOT / "tests" / "test_runs" / "attempts.html"
MARKS = "<!-- {}: begin -->\n", "<!-- {}: end -->"
NAMES = r'^    "([^"]+)": (?!\()'
NAMES_OF_PAGE = r'^  "([^"]+)": '
MAX_SECONDS_OF_PAGE = 240
CONFIG = "app: {app_command: python3 app.py}\n"


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("user")
    parser.add_argument("--python", default="/usr/bin/python3")
    given = parser.parse_args()
    outcomes = {
        (who, key): try_everything(user, given.python, key)
        for who, user in (("root", ""), ("user", given.user))
        for key in ("", "k" * 32)
    }
    for number, (name, source, pattern) in enumerate(
        (("attempts", PROGRAM, NAMES), ("attempts of a page", TRYING_PAGE, NAMES_OF_PAGE))
    ):
        names = re.findall(pattern, source.read_text(), flags=re.MULTILINE)
        write_table(name, draw(names, {who: each[number] for who, each in outcomes.items()}))


def write_table(name: str, table: str) -> None:
    """Replace the table between the marks of a name."""
    begin, end = (each.format(name) for each in MARKS)
    before, rest = PAGE.read_text().split(begin)
    PAGE.write_text(before + begin + table + end + rest.split(end)[1])
    sys.stdout.write(table)


def try_everything(user: str, python: str, key: str) -> tuple[dict[str, bool], dict[str, bool]]:
    """Return whether each attempt of an application and of a page was done.

    The server is that of a user (of root if there is none), with or without a key.
    """
    with tempfile.TemporaryDirectory(dir="/srv") as place:
        repository = make_repository(Path(place) / "repository")
        (Path(place) / "data").mkdir()
        if user:
            subprocess.run(["chown", "-R", user, place], check=True)
        Path(place).chmod(0o755)
        with serving(user, python, key, Path(place)) as (pid, url):
            env = {
                "SERVER": str(pid),
                "URL": url,
                "DATA": f"{place}/data",
                "OUTSIDE": f"{place}/written",
                "SHOWN": ".pyenv",
            }
            with client_of(url, key) as client:
                return read_outcomes(client, key, repository, env), try_from_page(client, key, pid, Path(place))


def make_repository(folder: Path) -> Path:
    """Create a repository with the application that tries everything."""
    (folder / ".arga").mkdir(parents=True)
    (folder / ".arga" / "sandbox.yml").write_text(CONFIG)
    (folder / "app.py").write_text(PROGRAM.read_text())
    identity = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.com")
    for words in (("init", "--quiet"), ("add", "--all"), ("commit", "--quiet", "--message", "First")):
        subprocess.run(["git", "-C", str(folder), *identity, *words], check=True)
    return folder


@contextmanager
def serving(user: str, python: str, key: str, place: Path) -> Generator[tuple[int, str]]:
    """Serve for the block; yields the process id of the server, and its URL."""
    become = ["setpriv", "--reuid", user, "--regid", user, "--init-groups"] if user else []
    repository = ["--repo", f"shop={place}/repository"] if key else []
    command = [*become, python, "-m", "twindiff.cli", "serve", "--port", "0", "--json", "--data-dir", f"{place}/data"]
    packages = os.pathsep.join((str(ROOT / "src"), sysconfig.get_path("purelib")))
    env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": packages, "HOME": f"/home/{user}" if user else "/root"}
    if key:
        env["TWINDIFF_API_KEY"] = key
    process = subprocess.Popen([*command, *repository], env=env, stdout=subprocess.PIPE, text=True, cwd=place)
    assert process.stdout
    said = json.loads(process.stdout.readline())
    try:
        yield said["pid"], said["url"]
    finally:
        process.terminate()
        process.wait(60)


def client_of(url: str, key: str) -> httpx.Client:
    """Return a client of the server that has its key."""
    return httpx.Client(base_url=url, headers={"X-API-Key": key} if key else {}, trust_env=False, timeout=120)


def read_outcomes(client: httpx.Client, key: str, repository: Path, env: dict[str, str]) -> dict[str, bool]:
    """Start the application, and read from its logs what it has done."""
    asked: dict[str, Any] = {"repo": "shop" if key else str(repository), "env": env}
    made = client.post("/sandbox-runs", json=asked)
    made.raise_for_status()
    sandbox = made.json()["sandbox_id"]
    lines: list[str] = []
    while not any("TRIED" in line for line in lines):
        time.sleep(0.5)
        lines = [each["message"] for each in client.get(f"/sandbox-runs/{sandbox}/logs").json()["logs"]]
        run = client.get(f"/sandbox-runs/{sandbox}").json()
        assert run["status"] != "failed", (run, lines)
    client.delete(f"/sandbox-runs/{sandbox}")
    sys.stderr.write("\n".join([run["confinement"], *lines, ""]))
    return read_lines(lines)


def read_lines(lines: list[str]) -> dict[str, bool]:
    """Return whether each attempt was done, by what was said of it."""
    return {match[2]: match[1] == "DONE" for line in lines if (match := re.match(r"(DONE|REFUSED) (.*)", line))}


def try_from_page(client: httpx.Client, key: str, server: int, place: Path) -> dict[str, bool]:
    """Have a page tested, and return what it and those that it must not reach say of its attempts."""
    asked = {"templates": ["slack:slack_default"], "impersonateUserId": "U01AGENBOT9"}
    other = client.post("/api/platform/initEnv", json=asked).json()
    slack: dict[str, Any] = {
        "headers": {"Authorization": f"Bearer {other['agentToken']}"},
        "params": {"channel": "C01ABCD1234"},
    }
    history = f"{other['environmentUrl']}/conversations.history"

    def look() -> tuple[int, int]:
        messages = client.get(history, **slack).json()["messages"]
        return client.get("/api/platform/env", params={"limit": 1000}).text.count("environmentId"), len(messages)

    before = look()
    with serving_pages() as (own, said), serving_pages() as (port, knocks):
        told = {
            "server": server,
            "url": str(client.base_url).rstrip("/"),
            "data": place / "data",
            "outside": place / "written-by-page",
            "other": port,
            "env": other["environmentId"],
            "token": other["agentToken"],
        }
        steps = [{"action": "wait", "value": 60_000}] * 4
        run = {"start_url": f"http://127.0.0.1:{own}/?{urlencode(told)}", "test_config": {"steps": steps}}
        made = client.post("/test-runs", json=run)
        made.raise_for_status()
        end_by = time.monotonic() + MAX_SECONDS_OF_PAGE
        while client.get(f"/test-runs/{made.json()['id']}").json()["status"] in ("queued", "provisioning", "running"):
            assert time.monotonic() < end_by, said
            time.sleep(0.5)
        ended = client.get(f"/test-runs/{made.json()['id']}").json()
    after = look()
    sys.stderr.write("\n".join([*said, f"{ended['status']}: {ended.get('failure_detail')}", *knocks, ""]))
    return {  # what the receivers say counts before what the page says
        "take all memory": False,
        "use the control plane, by 20 spellings": before[0] != after[0],
        "use the twin of another environment": before[1] != after[1],
        "reach another port of the machine": bool(knocks),
        "write outside": (place / "written-by-page").exists(),
        "write into the system": Path("/usr/lib/written").exists(),
        **read_lines(said),
    }


@contextmanager
def serving_pages() -> Generator[tuple[int, list[str]]]:
    """Serve the page for the block; yields the port, and what was posted there, or asked besides the page."""
    said: list[str] = []

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            target = self.path.partition("/away?to=")[2]
            if not target and not self.path.startswith("/?"):
                said.append(self.path)
            self.send_response(302 if target else 200)
            self.send_header("Location" if target else "Content-Type", unquote(target) or "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(b"" if target else TRYING_PAGE.read_bytes())

        def do_POST(self) -> None:
            said.append(self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode())
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server.server_address[1], said
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def draw(names: list[str], outcomes: dict[tuple[str, str], dict[str, bool]]) -> str:
    """Draw the table of attempts."""
    heads = [f"{'root' if who == 'root' else 'a user'}, {'with a key' if key else 'without'}" for who, key in outcomes]
    lines = [f"| attempt | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    for name in names:
        cells = ["yes" if is_done(each, name) else "refused" for each in outcomes.values()]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(["", *lines, "", ""])


def is_done(outcome: dict[str, bool], name: str) -> bool:
    """Return whether an attempt was done; raises LookupError if it was not made."""
    return next(done for said, done in outcome.items() if said == name or said.startswith(f"{name} "))


if __name__ == "__main__":
    main()
