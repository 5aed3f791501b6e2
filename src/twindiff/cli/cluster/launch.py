# pyright: basic, reportMissingImports=false
# Ray is not a development dependency: `pip install "twindiff[ray]"`.
"""Starts and ends a server on the nodes of a Ray cluster: `twindiff ray up` and `twindiff ray down`."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import ray
from ray.exceptions import RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from twindiff import __version__
from twindiff.catalog.shard_ids import ServedShard
from twindiff.cli.cluster.ingress import Ingress
from twindiff.cli.cluster.shard_actor import MEMORY, NAMESPACE, READS, ShardActor, ShardAddress, name_shard
from twindiff.cli.problem import CommandError
from twindiff.server import Settings
from twindiff.server.listening_ports import SharedPorts
from twindiff.server.shards.data_directory import count_shards, list_folders
from twindiff.storage.sqlite.files import NAME

SECONDS_TO_START = 300
SECONDS_TO_END = 30
_SHARD, _INGRESS = "twindiff-shard-", "twindiff-ingress-"
LOOPBACK = "127.0.0.1"
PORTS_FILE = "/dev/shm/twindiff-ports-"  # noqa: S108 - followed by what nobody can guess
"""The beginning of the file in which the processes of a node share their ports."""


class ClusterNode(NamedTuple):
    """A node of the cluster: its id for Ray, its address, its processors, and what its data directory holds."""

    id: str
    address: str
    cpus: int
    stored: StoredShards


class StoredShards(NamedTuple):
    """The number of shards that a data directory was made with, 0 for one without data, and those that are in it."""

    total: int
    numbers: frozenset[int]


class RunningCluster(NamedTuple):
    """A server on a cluster: the URL of each node's ingress, and the number of shards."""

    urls: list[str]
    shards: int


def connect(address: str) -> None:
    """Connect to a Ray cluster, unless this process is connected; raises CommandError."""
    if ray.is_initialized():
        return
    try:
        ray.init(address, namespace=NAMESPACE, log_to_driver=False, logging_level="warning")
    except (ConnectionError, RayError, RuntimeError, ValueError) as error:
        raise CommandError(
            f"No Ray cluster answers at {address}: {error}. Start one with `ray start --head`, or give --address."
        ) from None


def start_cluster(settings: Settings, shards: int, host: str, port: int) -> RunningCluster:
    """Start `shards` shards and an ingress on each node; raises CommandError.

    `shards` 0 takes as many as the data directory has, else one for each processor.
    `port` 0 takes a port of each node that is free.
    """
    _refuse_running(shards)
    is_temporary, token = settings.data_dir == ":memory:", secrets.token_hex(8)
    settings = settings._replace(data_dir=MEMORY + token) if is_temporary else settings
    nodes = _probe_nodes(settings.data_dir)
    has = _count_stored_shards(nodes, settings.data_dir, shards)
    count = shards or has or max(1, sum(each.cpus for each in nodes))
    _refuse_strangers(nodes, settings)
    placed = place_shards(nodes, count)
    ports = [SharedPorts(PORTS_FILE + token, count + len(nodes), number) for number in range(count + len(nodes))]
    try:
        served = [settings._replace(shard=ServedShard(number, count)) for number in range(count)]
        actors = [_start_shard(*each) for each in zip(served, ports[:count], placed, strict=True)]
        addresses: list[ShardAddress] = ray.get([each.address.remote() for each in actors], timeout=SECONDS_TO_START)
        urls = [_start_ingress(*each, addresses, host, port) for each in zip(nodes, ports[count:], strict=True)]
        return RunningCluster(urls, count)
    except RayError as error:
        stop_cluster()
        raise CommandError(f"The shards could not be started: {_find_cause(error)}") from None


def stop_cluster() -> int:
    """End the server on the cluster; returns the number of its shards. Shards answer first what they have received."""
    names = _list_names()
    ends: list[Any] = []
    for name in names:
        with suppress(ValueError):
            actor = ray.get_actor(name, NAMESPACE)
            if name.startswith(_SHARD):
                ends.append((actor, actor.stop.options(max_task_retries=0).remote()))
            else:
                ray.kill(actor)
    for actor, end in ends:
        with suppress(RayError):
            ray.get(end, timeout=SECONDS_TO_END)
        ray.kill(actor)
    return len(ends)


def place_shards(nodes: Sequence[ClusterNode], count: int) -> list[ClusterNode]:
    """Choose the node of each shard: one that has its data, else the one with the fewest for its processors."""
    load = Counter[str]()
    placed: list[ClusterNode] = []
    for number in range(count):
        owners = [each for each in nodes if number in each.stored.numbers] or nodes
        node = min(owners, key=lambda each: load[each.id] / max(1, each.cpus))
        load[node.id] += 1
        placed.append(node)
    return placed


def _refuse_running(shards: int) -> None:
    running = sum(name.startswith(_SHARD) for name in _list_names())
    if running:
        wanted = f", not {shards}" if shards not in (0, running) else ""
        raise CommandError(
            f"A server of {running} shards runs on this cluster{wanted}, and ids name their shard. "
            "End it with `twindiff ray down` first."
        )


def _count_stored_shards(nodes: Sequence[ClusterNode], data_dir: str, shards: int) -> int:
    """Return the number of shards that the data on the nodes was made with, 0 for none; raises CommandError.

    It refuses another number above one, and data of which a part is on no node.
    """
    has = max((each.stored.total for each in nodes), default=0)
    if has > 1 and shards not in (0, has):
        raise CommandError(
            f"The data directory {data_dir} was made with --shards {has}, not {shards}, and ids name their shard. "
            f"Give --shards {has}, or choose another with --data-dir."
        )
    missing = sorted(set(range(has)) - {number for each in nodes for number in each.stored.numbers})
    if missing:
        raise CommandError(
            f"No node has the data of shard {', '.join(map(str, missing))} of {has} in {data_dir}. "
            "Start the node that has it, or choose another with --data-dir."
        )
    return has if has > 1 else 0


def _refuse_strangers(nodes: Sequence[ClusterNode], settings: Settings) -> None:
    if not settings.api_key and len({each.address for each in nodes}) > 1:
        raise CommandError(
            "The shards of several machines can be reached through the network. "
            "Give a key with --api-key or TWINDIFF_API_KEY.",
            exit_code=2,
        )


def _list_names() -> list[str]:
    listed: list[dict[str, str]] = ray.util.list_named_actors(all_namespaces=True)
    mine = [each["name"] for each in listed if each["namespace"] == NAMESPACE]
    return [name for name in mine if name.startswith((_SHARD, _INGRESS))]


def _probe_nodes(data_dir: str) -> list[ClusterNode]:
    """Return the nodes with processors, in the order of their addresses."""
    alive = [each for each in ray.nodes() if each["Alive"] and each["Resources"].get("CPU")]
    probe = ray.remote(num_cpus=0)(find_stored_shards)
    asked = [probe.options(scheduling_strategy=_pin(each["NodeID"])).remote(data_dir) for each in alive]
    nodes = [
        ClusterNode(each["NodeID"], each["NodeManagerAddress"], int(each["Resources"]["CPU"]), stored)
        for each, stored in zip(alive, ray.get(asked, timeout=SECONDS_TO_START), strict=True)
    ]
    return sorted(nodes, key=lambda each: (each.address, each.id))


def find_stored_shards(data_dir: str) -> StoredShards:
    """Find the shards whose data files are in a data directory of this machine."""
    total = count_shards(data_dir)
    folders = list_folders(data_dir, total)
    numbers = frozenset(number for number, folder in enumerate(folders) if (Path(folder) / NAME).is_file())
    return StoredShards(total if numbers else 0, numbers)


def _pin(node_id: str) -> Any:
    return NodeAffinitySchedulingStrategy(node_id=node_id, soft=False)


def _start_shard(settings: Settings, ports: SharedPorts, node: ClusterNode) -> Any:
    name = name_shard(settings.shard.number)
    options: dict[str, Any] = {"name": name, "namespace": NAMESPACE, "lifetime": "detached"}
    options |= {"max_restarts": -1, "max_task_retries": -1, "num_cpus": 1, "scheduling_strategy": _pin(node.id)}
    actor = ray.remote(concurrency_groups={READS: 1})(ShardActor).options(**options)
    host = LOOPBACK if not settings.api_key else node.address
    return actor.remote(settings, ports, host, f"{node.address} ({node.id[:8]})", __version__)


def _start_ingress(node: ClusterNode, ports: SharedPorts, addresses: list[ShardAddress], host: str, port: int) -> str:
    options = {"name": _INGRESS + node.id, "namespace": NAMESPACE, "lifetime": "detached", "num_cpus": 0}
    actor = ray.remote(Ingress).options(**options, max_restarts=0, scheduling_strategy=_pin(node.id))
    taken = ray.get(actor.remote(addresses, ports).listen.remote(host, port), timeout=SECONDS_TO_START)
    shown = host if host == LOOPBACK else node.address
    return f"http://{shown}:{taken}"


def _find_cause(error: Exception) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
