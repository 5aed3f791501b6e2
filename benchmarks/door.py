"""Processor time of the server per request: directly, through the TLS door over HTTP/1.1, and over HTTP/2."""

from __future__ import annotations

import json
import os
import ssl
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import httpx

REQUESTS = 2000
MAX_MILLISECONDS = 0.3
TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds(pid: int) -> float:
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / TICKS


def measure(client: httpx.Client, url: str, pid: int) -> float:
    """Milliseconds of the server's processor per request on a kept connection."""
    for _ in range(100):
        client.get(url).raise_for_status()
    before = processor_seconds(pid)
    for _ in range(REQUESTS):
        client.get(url)
    return (processor_seconds(pid) - before) / REQUESTS * 1000


def main() -> None:
    command = [sys.executable, "-m", "twindiff.cli", "serve", "--port", "0", "--data-dir", ":memory:", "--json"]
    with tempfile.TemporaryDirectory() as place:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert process.stdout
        try:
            compare(json.loads(process.stdout.readline()), Path(place))
        finally:
            process.terminate()


def compare(told: dict[str, Any], folder: Path) -> None:
    with httpx.Client(base_url=told["url"], trust_env=False) as direct:
        body = {"templates": ["slack:slack_default"], "impersonateUserId": "U01AGENBOT9"}
        made = direct.post("/api/platform/initEnv", json=body).json()
        door = direct.post(f"/api/platform/env/{made['environmentId']}/door").json()
        plain = measure(direct, f"{made['environmentUrl']}/api/auth.test", told["pid"])
    (folder / "ca.pem").write_text(door["certificate"])
    trust = ssl.create_default_context(cafile=str(folder / "ca.pem"))
    print(f"direct          {plain:.3f} ms of processor per request")
    for http2 in (False, True):
        with httpx.Client(proxy=door["proxyUrl"], verify=trust, trust_env=False, http2=http2) as client:
            spent = measure(client, "https://slack.com/api/auth.test", told["pid"])
        name = "HTTP/2" if http2 else "HTTP/1.1"
        print(f"door {name:8}   {spent:.3f} ms, {spent - plain:+.3f} ms (at most {MAX_MILLISECONDS})")


if __name__ == "__main__":
    main()
