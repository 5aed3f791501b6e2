"""What keeping transcripts costs a post: two servers, one that keeps them and one that does not, asked in alternation.

The ratio is of the processor's time, which is steadier than the clock's on a machine that others use.
`python benchmarks/transcripts.py`
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx

ROUNDS = 30
BATCH = 200


class Server:
    """A server in a process of its own, with an environment to post to."""

    def __init__(self, folder: str, policy: str) -> None:
        options = ["--port", "0", "--data-dir", folder, "--transcripts", policy, "--json"]
        command = [sys.executable, "-m", "twindiff.cli", "serve", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        base = json.loads(self.process.stdout.readline())["url"]
        self._http = httpx.Client(trust_env=False, timeout=60)
        asked = {"templates": ["slack:slack_default"], "impersonateUserId": "U01AGENBOT9"}
        made = self._http.post(f"{base}/api/platform/initEnv", json=asked).raise_for_status().json()
        self._post = f"{base}{made['environmentUrl']}/chat.postMessage"
        self._calls = f"{base}/api/platform/env/{made['environmentId']}/calls?limit=1"

    def batch(self) -> None:
        """Post a few messages."""
        for number in range(BATCH):
            asked = {"channel": "C01ABCD1234", "text": f"Message {number} of a batch, of a usual length for a chat."}
            answer = self._http.post(self._post, json=asked, headers={"Authorization": "Bearer xoxb-any"})
            assert answer.json()["ok"], answer.text

    def seconds(self) -> float:
        """What all its threads have used of the processor so far, with what calls have left to be written."""
        self._http.get(self._calls).raise_for_status()
        threads = Path(f"/proc/{self.process.pid}/task").iterdir()
        return sum(int((each / "schedstat").read_text().split()[0]) for each in threads) / 1e9


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        servers = {policy: Server(str(Path(folder, policy)), policy) for policy in ("off", "all")}
        try:
            for server in servers.values():
                server.batch()
            before = {policy: server.seconds() for policy, server in servers.items()}
            for _ in range(ROUNDS):
                for server in servers.values():
                    server.batch()
            spent = {policy: server.seconds() - before[policy] for policy, server in servers.items()}
        finally:
            for server in servers.values():
                server.process.terminate()
    off, ratio = spent["off"] / (ROUNDS * BATCH) * 1e6, spent["all"] / spent["off"]
    print(f"a post without transcripts {off:.0f} µs of the processor; with transcripts {ratio:.3f} times that")


if __name__ == "__main__":
    main()
