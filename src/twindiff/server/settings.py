"""What a server is told; processes that only pass it on load nothing else of the server."""

from __future__ import annotations

from typing import NamedTuple

from twindiff.environments.transcripts import Policy


class Settings(NamedTuple):
    """How a server runs."""

    data_dir: str = ":memory:"
    api_key: str | None = None
    key_file: str = ""
    """The file that holds the key, where the server has made that itself."""
    fsync: bool = False
    runs_once: bool = False
    idle_seconds: float = 300
    storage: str = ""
    """The connection string of a PostgreSQL that holds everything, in place of the data directory."""
    ready: int = 8
    """Environments that are kept copied ahead there, for each set of templates that was asked for lately."""
    webhook_hosts: tuple[str, ...] = ()
    """Hosts, besides this machine, that webhooks may reach."""
    keep_days: float = 30
    """How long deleted environments and the results of their runs are kept, after their time to live."""
    most_environments: int = 100_000
    """Environments that are ready at once."""
    most_bytes: int = 0
    """Bytes that the storage may hold of all environments; 0 for as many as the disk."""
    transcripts: Policy = "all"
    """Of which calls is kept what they asked and were answered."""
    repositories: tuple[tuple[str, str], ...] = ()
    """Names of repositories of this machine, and their paths, for sandbox runs."""
    allow_no_tests: bool = False
    """Whether pull request runs pass for which no test is chosen, where their requests do not say."""
    runs_at_once: int = 0
    """Test runs that are done at once; 0 stands for as many as there are processors."""
    run_memory_mb: int = 1500
    """Memory of a test run's processes together, above which it is ended."""
    run_network_mb: int = 200
    """What may come over the network in a test run, above which it is ended."""
