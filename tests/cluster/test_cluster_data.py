"""The data directory of a server on a Ray cluster, over a restart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.harness import Environment, Platform
from twindiff.catalog.shard_ids import shard_of
from twindiff.cli.problem import CommandError

ray: Any = pytest.importorskip("ray", reason="Ray is not installed: `make test-ray` runs these in an environment of it")

NODES, SHARDS = 2, 3


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("cluster") / "data")


@pytest.fixture(scope="module")
def cluster(data_dir: str) -> Iterator[Any]:
    from tests.cluster.simulated_cluster import SimulatedCluster

    cluster = SimulatedCluster(NODES, SHARDS, data_dir)
    yield cluster
    cluster.close()


def test_environments_outlive_the_server_of_a_cluster(cluster: Any) -> None:
    from twindiff.cli.cluster.launch import start_cluster, stop_cluster

    with httpx.Client(base_url=cluster.running.urls[0], trust_env=False, timeout=120) as client:
        made = [Platform(client).environment() for _ in range(SHARDS)]
        for each in made:
            each.post("before")
    assert ({shard_of(each.id) for each in made}, stop_cluster()) == (set(range(SHARDS)), SHARDS)
    again = start_cluster(cluster.settings, 0, "127.0.0.1", 0)  # which finds how many shards there are
    assert again.shards == SHARDS
    with httpx.Client(base_url=again.urls[-1], trust_env=False, timeout=120) as client:
        for each in made:
            history = Environment(Platform(client), each.made).slack("conversations.history", channel="C01ABCD1234")
            assert history["messages"][0]["text"] == "before"


def test_another_number_of_shards_or_a_shard_without_data_is_refused(cluster: Any, data_dir: str) -> None:
    from twindiff.cli.cluster.launch import start_cluster, stop_cluster

    stop_cluster()
    with pytest.raises(CommandError, match=r"--shards 3, not 5, .*Give --shards 3, or choose another"):
        start_cluster(cluster.settings, 5, "127.0.0.1", 0)
    file = Path(data_dir) / "shards" / "1" / "twindiff.db"
    file.rename(file.with_suffix(".away"))
    with pytest.raises(CommandError, match=r"No node has the data of shard 1 of 3 .*Start the node"):
        start_cluster(cluster.settings, 0, "127.0.0.1", 0)
