"""Runs servers as root and as an ordinary user, with and without a key, lets an application try what it must not, and
writes the table of outcomes into docs/design/security.md: `python scripts/attempts_from_inside.py USER` as root.

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
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "design" / "security.md"
PROGRAM = ROOT / "tests" / "sandbox_runs" / "attempts.py"
MARKS = "<!-- attempts: begin -->\n", "<!-- attempts: end -->"
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
    table = draw(outcomes)
    before, rest = PAGE.read_text().split(MARKS[0])
    PAGE.write_text(before + MARKS[0] + table + MARKS[1] + rest.split(MARKS[1])[1])
    sys.stdout.write(table)


def try_everything(user: str, python: str, key: str) -> dict[str, bool]:
    """Return whether each attempt was done, for a server of a user (of root if there is none) with or without a key."""
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
            return read_outcomes(url, key, repository, {**env, "SHOWN": ".pyenv"})


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


def read_outcomes(url: str, key: str, repository: Path, env: dict[str, str]) -> dict[str, bool]:
    """Start the application, and read from its logs what it has done."""
    headers = {"X-API-Key": key} if key else {}
    with httpx.Client(base_url=url, headers=headers, trust_env=False, timeout=120) as client:
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
    return {match[2]: match[1] == "DONE" for line in lines if (match := re.match(r"(DONE|REFUSED) (.*)", line))}


def draw(outcomes: dict[tuple[str, str], dict[str, bool]]) -> str:
    """Draw the table of all attempts."""
    names = re.findall(r'^    "([^"]+)": (?!\()', PROGRAM.read_text(), flags=re.MULTILINE)
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
