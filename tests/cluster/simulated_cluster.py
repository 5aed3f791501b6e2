# pyright: basic, reportMissingImports=false
"""A Ray cluster whose nodes are processes of this machine.

`python -m tests.cluster.simulated_cluster NODES SHARDS [pytest's arguments]` serves from one and runs tests against it,
which reach it by all ingresses in turn.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from contextlib import ExitStack
from typing import Any

import ray
from ray.cluster_utils import Cluster

from twindiff.cli.cluster.launch import RunningCluster, connect, start_cluster, stop_cluster
from twindiff.server import Settings

STORE_BYTES = 80_000_000
SECONDS_TO_START = 300
"""A busy machine takes longer than Ray waits by default."""
os.environ.setdefault("RAY_agent_register_timeout_ms", str(1000 * SECONDS_TO_START))
os.environ.setdefault("RAY_raylet_start_wait_time_s", str(SECONDS_TO_START))
os.environ.setdefault("RAY_worker_niceness", "0")


class SimulatedCluster:
    """Nodes, and the server that runs on them."""

    def __init__(self, nodes: int, shards: int, data_dir: str = ":memory:") -> None:
        given = {"num_cpus": -(-shards // nodes), "object_store_memory": STORE_BYTES}
        head = {**given, **_choose_ports(), "include_dashboard": False}
        self.ray: Any = Cluster(initialize_head=True, head_node_args=head)
        for _ in range(nodes - 1):
            self.ray.add_node(**given, **_choose_ports())
        connect(self.ray.address)
        self.settings = Settings(data_dir=data_dir)
        self.running: RunningCluster = start_cluster(self.settings, shards, "127.0.0.1", 0)

    def end_a_node(self) -> str:
        """End a node by force, with the actors on it; returns the beginning of its id."""
        node = self.ray.list_all_nodes()[-1]
        self.ray.remove_node(node, allow_graceful=False)
        return node.node_id[:8]

    def close(self) -> None:
        stop_cluster()
        ray.shutdown()
        self.ray.shutdown()


def _choose_ports() -> dict[str, int]:
    """Choose free ports of a node's agents: a node waits only 15 s for ports that its agents choose."""
    names = ("metrics_agent_port", "dashboard_agent_listen_port", "metrics_export_port", "runtime_env_agent_port")
    with ExitStack() as closing:
        sockets = [closing.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in names]
        return {name: each.getsockname()[1] for name, each in zip(names, sockets, strict=True)}


def main(nodes: str, shards: str, *arguments: str) -> int:
    cluster = SimulatedCluster(int(nodes), int(shards))
    try:
        environment = {**os.environ, "TWINDIFF_TEST_URLS": ",".join(cluster.running.urls)}
        command = [sys.executable, "-m", "pytest", *arguments]
        return subprocess.run(command, env=environment, check=False).returncode
    finally:
        cluster.close()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
