"""The settings of a server; processes that only pass them on import nothing else of the server."""

from __future__ import annotations

from typing import NamedTuple

from twindiff.catalog.shard_ids import ServedShard
from twindiff.environments.transcripts import Policy


class Settings(NamedTuple):
    """How a server runs; most fields are options of `twindiff serve`."""

    data_dir: str = ":memory:"
    api_key: str | None = None
    key_file: str = ""
    """The file that holds the key, if the server has generated it."""
    fsync: bool = False
    runs_once: bool = False
    idle_seconds: float = 300
    storage: str = ""
    """Connection string of a PostgreSQL database that stores everything; replaces `data_dir`."""
    storage_wait: float = 30
    """Seconds for which a server that starts waits for locks of others in that database."""
    ready: int = 8
    """Pre-provisioned environments in PostgreSQL for each recently requested set of templates."""
    webhook_hosts: tuple[str, ...] = ()
    """Hosts, besides this machine, that webhooks may reach."""
    keep_days: float = 30
    """Days for which deleted or expired environments and the results of their runs are kept."""
    most_environments: int = 100_000
    """Maximum number of ready environments."""
    most_bytes: int = 0
    """Maximum bytes of storage for all environments; 0 for no limit."""
    transcripts: Policy = "all"
    """The calls whose requests and responses are stored."""
    repositories: tuple[tuple[str, str], ...] = ()
    """Names and paths of local repositories for sandbox runs."""
    allow_no_tests: bool = False
    """Whether pull request runs pass if no test is selected and their request does not say."""
    runs_at_once: int = 0
    """Concurrent test runs; 0 for the number of processors."""
    run_memory_mb: int = 1500
    """Memory limit of a test run's processes together, in megabytes; the run is ended above it."""
    ca_folder: str = ""
    """The folder of the certificate authority of the TLS door; without one it is kept in memory."""
    allow_hosts: tuple[str, ...] = ()
    """Hosts to which the TLS door passes connections on: `host`, `host:port` or `*.domain`."""
    run_network_mb: int = 200
    """Limit of data received over the network in a test run, in megabytes; the run is ended above it."""
    step_seconds: float = 10
    """How long a step of a test run waits for an element or an expectation, unless it sets a timeout."""
    shard: ServedShard = ServedShard()
    """The shard that this process serves; a server that is not divided has one."""
