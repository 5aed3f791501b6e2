"""`twindiff serve`: the server, in one or several processes."""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import time
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from functools import partial
from itertools import chain
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from twindiff.cli.authority_folder import authority_folder, certificate_of
from twindiff.cli.control_key import AUTO, key_file, make_key, store_key
from twindiff.cli.drafts import Descriptions, Shipped, draft_twins
from twindiff.cli.options import AsJson, DataDirectory, Storage, check_allowed_hosts, data_directory, sendable_key
from twindiff.cli.problem import CommandError
from twindiff.cli.process_secrets import hide_secrets

if TYPE_CHECKING:
    from twindiff.environments.registry import Registry
    from twindiff.server import Settings


IN_MEMORY = ":memory:"
SECONDS_BETWEEN_LOOKS = 0.5
"""Seconds between looks whether a PostgreSQL is up."""


class Judging(StrEnum):
    """How often a run may be judged."""

    OPEN = "open"
    ONCE = "once"


class Transcripts(StrEnum):
    """Which calls get a transcript."""

    OFF = "off"
    ERRORS = "errors"
    ALL = "all"


Host = Annotated[str, typer.Option(help="The address to listen on.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes any that is free.")]
ApiKey = Annotated[
    str,
    typer.Option(
        "--api-key",
        "--key",
        envvar="TWINDIFF_API_KEY",
        show_default=False,
        callback=sendable_key,
        help="The key that opens everything but an agent's twins; `auto` makes one that your commands find.",
    ),
]
Fsync = Annotated[
    bool, typer.Option("--fsync", help="Survive power loss too: writes are answered once the disk has them.")
]
Runs = Annotated[Judging, typer.Option(help="Judge a run while it is open, or once and for all.")]
IdleSeconds = Annotated[float, typer.Option(min=0, help="After so long an unused environment leaves memory.")]
Processes = Annotated[
    str,
    typer.Option(
        metavar="N",
        help="Processes that answer behind one port, each with its own environments; `auto` for one per processor.",
    ),
]
Ready = Annotated[int, typer.Option(min=0, help="Environments kept copied ahead, with --storage.")]
WebhookHosts = Annotated[
    list[str] | None, typer.Option(help="A host that webhooks may reach, besides this machine; may be repeated.")
]
Repositories = Annotated[
    list[str] | None,
    typer.Option(
        "--repo",
        metavar="NAME=PATH",
        help="A repository of this machine that sandbox runs may name, such as acme/shop=/srv/shop; may be repeated.",
    ),
]
AllowNoTests = Annotated[
    bool, typer.Option("--allow-no-tests", help="Let pull request runs pass for which no test is chosen.")
]
Browsers = Annotated[
    int, typer.Option(min=0, max=64, help="Test runs that are done at once; 0 for as many as there are processors.")
]
BrowserMemory = Annotated[
    int, typer.Option(metavar="MB", min=300, help="Memory that one test run may take, its browser included.")
]
KeepDays = Annotated[
    float, typer.Option(min=0, help="How long results of deleted environments stay, after their time to live.")
]
MostEnvironments = Annotated[int, typer.Option(min=1, help="Environments that are ready at once.")]
MostStorage = Annotated[
    int, typer.Option(metavar="MB", min=0, help="What all environments may write together; 0 for as much as there is.")
]
StorageWait = Annotated[
    float,
    typer.Option(
        metavar="SECONDS",
        min=0,
        envvar="TWINDIFF_STORAGE_WAIT",
        help="How long to wait for a PostgreSQL to come up, and for locks of others.",
    ),
]
ProxyPort = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=65535,
        show_default=False,
        help="A port of this machine for a proxy that answers for the vendors' own hosts; 0 takes any that is free.",
    ),
]
ProxyHost = Annotated[
    str, typer.Option(help="The address that the proxy listens on, such as that of a bridge of containers.")
]
AllowedHosts = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-host",
        metavar="HOST",
        callback=check_allowed_hosts,
        help="A host to which that proxy passes connections on: HOST, HOST:PORT or *.DOMAIN; may be repeated.",
    ),
]
KeepTranscripts = Annotated[
    Transcripts, typer.Option(help="Keep what calls asked and were answered: of none, of failed ones, or of all.")
]


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(serve)


def serve(
    host: Host = "127.0.0.1",
    port: Port = 8000,
    data_dir: DataDirectory = "",
    api_key: ApiKey = "",
    fsync: Fsync = False,
    runs: Runs = Judging.OPEN,
    idle_seconds: IdleSeconds = 300,
    storage: Storage = "",
    storage_wait: StorageWait = 30,
    workers: Processes = "1",
    ready: Ready = 8,
    allow_webhooks_to: WebhookHosts = None,
    keep_days: KeepDays = 30,
    most_environments: MostEnvironments = 100_000,
    most_storage: MostStorage = 0,
    transcripts: KeepTranscripts = Transcripts.ALL,
    repo: Repositories = None,
    allow_no_tests: AllowNoTests = False,
    browsers: Browsers = 0,
    browser_memory: BrowserMemory = 1500,
    openapi: Descriptions = None,
    draft: Shipped = None,
    proxy_port: ProxyPort = None,
    proxy_host: ProxyHost = "127.0.0.1",
    allow_host: AllowedHosts = None,
    as_json: AsJson = False,
) -> None:
    """Serve twins until Ctrl-C or SIGTERM."""
    count = _parse_workers(workers)
    for each in (host, proxy_host):
        _refuse_strangers(each, api_key)
    hide_secrets(api_key, storage)
    draft_twins(openapi, draft)
    from twindiff.server import Settings

    folder = data_directory(data_dir)
    key, file = _key_of(api_key, folder)
    kept = Settings(folder, key, key_file=file, fsync=fsync, storage=storage, ready=ready, keep_days=keep_days)
    settings = kept._replace(
        runs_once=runs == Judging.ONCE,
        idle_seconds=idle_seconds,
        webhook_hosts=tuple(allow_webhooks_to or ()),
        most_environments=most_environments,
        most_bytes=most_storage * 1_000_000,
        transcripts=transcripts.value,
        repositories=_parse_repositories(repo or ()),
        allow_no_tests=allow_no_tests,
        runs_at_once=browsers,
        run_memory_mb=browser_memory,
        ca_folder=str(authority_folder(folder)),
        storage_wait=storage_wait,
        allow_hosts=tuple(allow_host or ()),
    )
    if proxy_port is not None:
        certificate_of(folder)
    sockets = 1 if storage else count
    with _listen(host, port, proxy_host, proxy_port, sockets) as listeners:
        _end_on_signals()
        if storage:
            _await_postgres(storage, storage_wait)
        _serve(settings, listeners, count, as_json=as_json)


class Listeners(NamedTuple):
    """The listening sockets of the server and of its TLS door."""

    all_http: list[socket.socket]
    """One for each shard, all of the same port."""
    all_doors: list[socket.socket]
    """One for each shard; empty if the door has no port."""

    @property
    def http(self) -> socket.socket:
        """The first of the server's sockets."""
        return self.all_http[0]

    @property
    def door(self) -> socket.socket | None:
        """The first of the door's sockets."""
        return self.all_doors[0] if self.all_doors else None

    @property
    def urls(self) -> dict[str, str]:
        """The address of the server, and that of the door if it has a port."""
        from twindiff.cli.listening import url_of

        return {"url": url_of(self.http)} | ({"proxyUrl": url_of(self.door)} if self.door else {})


@contextmanager
def _listen(host: str, port: int, proxy_host: str, proxy_port: int | None, count: int) -> Generator[Listeners]:
    with ExitStack() as closing:
        http = _listen_on(closing, host, port, count, "--port")
        is_open = proxy_port is not None
        yield Listeners(http, _listen_on(closing, proxy_host, proxy_port, count, "--proxy-port") if is_open else [])


def _listen_on(closing: ExitStack, host: str, port: int, count: int, option: str) -> list[socket.socket]:
    from twindiff.cli.listening import listen, listen_together

    sockets = [listen(host, port, option)] if count == 1 else listen_together(host, port, count, option)
    return [closing.enter_context(each) for each in sockets]


def _serve(settings: Settings, listeners: Listeners, workers: int, *, as_json: bool) -> None:
    """Serve from the database of the settings, else from a folder."""
    if settings.storage:
        _serve_from_postgres(settings, listeners, workers, as_json=as_json)
    elif workers > 1:
        _serve_shards(settings, listeners, as_json=as_json)
    else:
        _serve_from_folder(settings, listeners, as_json=as_json)


def _parse_repositories(repositories: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Parse names of repositories and their folders; raises CommandError for one without a name or a folder."""
    named: list[tuple[str, str]] = []
    for given in repositories:
        name, equals, path = given.partition("=")
        if not (name and equals and path):
            raise CommandError(f"--repo {given}: give a name and the folder of a repository, NAME=PATH.", exit_code=2)
        if not Path(path).expanduser().is_dir():
            raise CommandError(f"--repo {given}: there is no folder {path}.", exit_code=2)
        named.append((name, str(Path(path).expanduser().resolve())))
    return tuple(named)


def _parse_workers(given: str) -> int:
    """Parse a number of processes; raises CommandError."""
    if given == "1":
        return 1
    from twindiff.catalog.shard_ids import MAX_SHARDS

    if given == AUTO:
        return min(len(os.sched_getaffinity(0)), MAX_SHARDS)
    if given.isdecimal() and 1 <= int(given) <= MAX_SHARDS:
        return int(given)
    raise CommandError(f"--workers {given}: give a number from 1 to {MAX_SHARDS}, or {AUTO}.", exit_code=2)


def _refuse_strangers(host: str, api_key: str) -> None:
    if not api_key and not _is_loopback(host):
        raise CommandError(
            f"On {host} anyone in the network could judge and be judged. "
            "Give a key with --api-key or TWINDIFF_API_KEY, or keep to --host 127.0.0.1.",
            exit_code=2,
        )


def _is_loopback(host: str) -> bool:
    """Return whether a host name or address is reachable only from this machine."""
    from ipaddress import ip_address

    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _serve_from_folder(settings: Settings, listeners: Listeners, *, as_json: bool) -> None:
    """Serve with one process over a data directory, which records its owner."""
    from twindiff.cli.hosting import open_service, server_for
    from twindiff.server.runtime.tuning import tune_process

    service = open_service(settings)
    if embedded := service.engine.embedded:
        embedded.file.owned_by(f"pid {os.getpid()} on port {listeners.http.getsockname()[1]}")
    if listeners.door:
        service.door.adopt(listeners.door)
    _announce(settings, service.registry, listeners, {"dataDir": settings.data_dir}, as_json=as_json)
    tune_process()
    service.twin_loader.start(partial(_load_twins, service.registry))
    server_for(service, listeners.http).run([listeners.http])


def _load_twins(registry: Registry) -> None:
    """Load the remaining twins in the background, and report those that do not load."""
    from twindiff.cli.commands.twins import say_problems

    say_problems(registry)
    _say_confinement()
    gc.freeze()


def _say_confinement() -> None:
    """Report what is missing if applications of sandbox runs are not isolated."""
    from twindiff.kit.errors import ApiError
    from twindiff.server.apis.sandbox_runs.confinement import find_confinement

    try:
        missing = find_confinement().missing
    except ApiError as refused:
        missing = f"{refused}; none is started"
    if missing:
        typer.echo(f"Applications of sandbox runs are not fully confined: {missing}.", err=True)


def _serve_shards(settings: Settings, listeners: Listeners, *, as_json: bool) -> None:
    """Serve with several processes behind one port, each with a data file of its own."""
    from twindiff.catalog.shard_ids import ServedShard
    from twindiff.cli.worker_supervision import Workers, order_shards
    from twindiff.environments.registry import Registry
    from twindiff.server.listening_ports import hold_shared_file
    from twindiff.server.shards.data_directory import refuse_other_count
    from twindiff.server.shards.handover import make_pairs
    from twindiff.server.shards.placements import hold_placements
    from twindiff.storage import WrongStorage

    count = len(listeners.all_http)
    try:
        refuse_other_count(settings.data_dir, ServedShard(0, count))
    except WrongStorage as wrong:
        raise CommandError(str(wrong)) from None
    with _store_shards(settings) as stored, ExitStack() as closing:
        pairs = make_pairs(count)  # open here until the end, so that they outlive each process
        for each in chain(*pairs):
            closing.enter_context(each)
        ports = closing.enter_context(hold_shared_file(count))
        placements = closing.enter_context(hold_placements())
        running = Workers(order_shards(stored, listeners.all_http, listeners.all_doors, pairs, ports, placements))
        try:
            also = {"dataDir": settings.data_dir, "workers": running.wait_until_up()}
            _announce(settings, Registry.load_installed(), listeners, also, as_json=as_json)
            _say_confinement()
            running.run()
        finally:
            running.stop()


@contextmanager
def _store_shards(settings: Settings) -> Generator[Settings]:
    """The settings of shards; in place of memory, which they cannot share, they have a folder that ends with them."""
    if settings.data_dir != IN_MEMORY:
        yield settings
        return
    from twindiff.server.apis.test_runs.temporary import hold_temporary_folder

    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - a folder of our own is made in it
    with hold_temporary_folder("twindiff-shards-", memory) as folder:
        yield settings._replace(data_dir=str(folder))


def _serve_from_postgres(settings: Settings, listeners: Listeners, workers: int, *, as_json: bool) -> None:
    """Serve with several processes behind one port, over one database."""
    from twindiff.cli.worker_supervision import DRAINERS, Workers, order_database_workers
    from twindiff.environments.registry import Registry
    from twindiff.server.listening_ports import hold_shared_file

    registry = Registry.load_installed()
    with hold_shared_file(workers) as ports:
        orders = order_database_workers(settings, workers, listeners.http, listeners.door, ports)
        running = Workers(orders)
        try:
            pids = running.wait_until_up()
            also = {"workers": pids[DRAINERS:], "drainers": pids[:DRAINERS]}
            _announce(settings, registry, listeners, also, as_json=as_json)
            _say_confinement()
            running.run()
        finally:
            running.stop()


def _await_postgres(dsn: str, seconds: float) -> None:
    """Wait for a PostgreSQL that is not up yet, with a line for each reason; raises CommandError after `seconds`, or at
    once if there is another reason not to serve from it.
    """
    from twindiff.cli.commands.db import need_driver

    need_driver()
    from twindiff.storage.postgres.health import findings

    end, told = time.monotonic() + seconds, ""
    while broken := next((finding for finding in findings(dsn) if not finding.is_fine), None):
        left = end - time.monotonic()
        if not broken.is_starting or left <= 0:
            waited = f" It was waited for {seconds:g} seconds." if broken.is_starting and seconds else ""
            raise CommandError(f"PostgreSQL cannot be served from: {broken.said}. {broken.mend}{waited}")
        if broken.said != told:
            told = broken.said
            typer.echo(f"PostgreSQL is not up yet: {told}. It is waited for, up to {left:.0f} more seconds.", err=True)
        time.sleep(min(SECONDS_BETWEEN_LOOKS, left))


def _announce(
    settings: Settings, registry: Registry, listeners: Listeners, also: dict[str, Any], *, as_json: bool
) -> None:
    urls = listeners.urls
    _say_key(settings, urls["url"])
    twins = registry.names
    if as_json:
        typer.echo(json.dumps({**urls, "twins": twins, **also, "pid": os.getpid()}))
        return
    typer.echo(f"Twindiff serves {', '.join(twins) or 'no twins'} on {urls['url']}")
    if listeners.door:
        typer.echo(f"Programs reach twins by the vendors' own hosts through the proxy {urls['proxyUrl']}")
    typer.echo(f"Pages: {urls['url']}/inspect; data: {_describe_storage(settings)}")


def _describe_storage(settings: Settings) -> str:
    if settings.storage:
        return "a PostgreSQL database"
    return "in memory, gone at the end" if settings.data_dir == IN_MEMORY else settings.data_dir


def _key_of(given: str, folder: str) -> tuple[str | None, str]:
    """Return the server's key, and the file of a generated one."""
    if given != AUTO:
        return given or None, ""
    file = key_file(folder)
    return make_key(file), str(file)


def _say_key(settings: Settings, url: str) -> None:
    """Print who may judge, and store a generated key where its owner's commands find it."""
    if settings.api_key is None:
        typer.echo(
            "There is no API key: every process of this machine can judge runs, agents too. "
            "If agents run on this machine, serve with --api-key auto.",
            err=True,
        )
    if not (settings.key_file and settings.api_key):
        return
    try:
        store_key(Path(settings.key_file), settings.api_key, url)
    except OSError as error:
        raise CommandError(
            f"The key cannot be kept in {settings.key_file}: {error}. Give one with --api-key."
        ) from None
    typer.echo(f"The API key is in {settings.key_file}, which only you can read; your commands find it.", err=True)


def _end_on_signals() -> None:
    """Exit with 0 on a signal: the HTTP server first closes everything and then raises the signal again."""
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, _end)


def _end(signum: int, frame: FrameType | None) -> None:
    raise SystemExit(0)
