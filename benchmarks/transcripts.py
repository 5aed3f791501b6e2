"""What keeping transcripts costs a post: two servers, one that keeps them and one that does not, asked in alternation.

The ratio is of the processor's time, which is steadier than the clock's on a machine that others use.
`python benchmarks/transcripts.py`
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import httpx

ROUNDS = 30
BATCH = 200

SERVER = """
import asyncio, resource, sys, uvicorn
from twindiff.server import Gateway, Service, Settings

async def spent(scope, receive, send):
    usage = resource.getrusage(resource.RUSAGE_SELF)
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(usage.ru_utime + usage.ru_stime).encode()})

async def serve():
    service = Service(Settings(data_dir=sys.argv[1], transcripts=sys.argv[2]))
    apps = (Gateway(service), "on"), (spent, "off")
    servers = [
        uvicorn.Server(uvicorn.Config(app, port=0, lifespan=life, log_config=None, access_log=False))
        for app, life in apps
    ]
    tasks = [asyncio.create_task(each.serve()) for each in servers]
    while not all(each.started for each in servers):
        await asyncio.sleep(0.01)
    print(*(each.servers[0].sockets[0].getsockname()[1] for each in servers), flush=True)
    await asyncio.gather(*tasks)

asyncio.run(serve())
"""


class Server:
    """A server in a process of its own, with an environment to post to."""

    def __init__(self, folder: str, policy: str) -> None:
        command = [sys.executable, "-c", SERVER, folder, policy]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        port, spent = self.process.stdout.readline().split()
        self._http = httpx.Client(trust_env=False, timeout=60)
        self._spent = f"http://127.0.0.1:{spent}/"
        base = f"http://127.0.0.1:{port}"
        asked = {"templates": ["slack:slack_default"], "impersonateUserId": "U01AGENBOT9"}
        made = self._http.post(f"{base}/api/platform/initEnv", json=asked).raise_for_status().json()
        self._post = f"{base}{made['environmentUrl']}/chat.postMessage"

    def batch(self) -> float:
        """The seconds of the processor that a batch of posts takes."""
        before = self._seconds()
        for number in range(BATCH):
            asked = {"channel": "C01ABCD1234", "text": f"Message {number} of a batch, of a usual length for a chat."}
            answer = self._http.post(self._post, json=asked, headers={"Authorization": "Bearer xoxb-any"})
            assert answer.json()["ok"], answer.text
        return self._seconds() - before

    def _seconds(self) -> float:
        return float(self._http.get(self._spent).text)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        servers = {policy: Server(str(Path(folder, policy)), policy) for policy in ("off", "all")}
        try:
            for server in servers.values():
                server.batch()
            rounds = [{policy: server.batch() for policy, server in servers.items()} for _ in range(ROUNDS)]
        finally:
            for server in servers.values():
                server.process.terminate()
    off = median(each["off"] for each in rounds) / BATCH * 1e6
    ratio = median(each["all"] / each["off"] for each in rounds)
    print(f"a post without transcripts {off:.0f} µs of the processor; with transcripts {ratio:.3f} times that")


if __name__ == "__main__":
    main()
