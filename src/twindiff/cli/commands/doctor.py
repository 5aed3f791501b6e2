"""`twindiff doctor`: checks whether everything is installed and working, and how to fix what is not."""

from __future__ import annotations

import fcntl
import json
import os
import re
import socket
import sys
from collections.abc import Iterator
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

import typer

from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl, DataDirectory, Storage, data_directory
from twindiff.cli.problem import CommandError

if TYPE_CHECKING:
    from twindiff.kit.twin import Twin


class State(StrEnum):
    """The state of a checked item."""

    GOOD = "good"
    NOTE = "note"
    BROKEN = "broken"


class DoctorFinding(NamedTuple):
    """One checked item; `mend` says how to fix it."""

    what: str
    state: State
    said: str
    mend: str = ""


MARKS = {State.GOOD: ("✓", "green"), State.NOTE: ("·", "dim"), State.BROKEN: ("✗", "red")}


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(doctor)


def doctor(
    data_dir: DataDirectory = "",
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    storage: Storage = "",
    as_json: AsJson = False,
) -> None:
    """Say what is broken here, and how to fix it.

    Looks at Python, packages, SQLite, twins, the browser, confinement, containers, the data directory and the server;
    exits with 1 if anything is broken.
    """
    diagnosis = list(findings(data_directory(data_dir), base_url, api_key, storage))
    if as_json:
        typer.echo(json.dumps([finding._asdict() for finding in diagnosis], indent=2))
    else:
        _show(diagnosis)
    raise typer.Exit(any(finding.state == State.BROKEN for finding in diagnosis))


def findings(data_dir: str, base_url: str, api_key: str, storage: str = "") -> Iterator[DoctorFinding]:
    """Yield all findings, cheapest first."""
    yield _python()
    yield from _packages()
    yield _sqlite()
    yield from _twins()
    yield _browser()
    yield _confinement()
    yield _containers()
    yield from _postgres(storage) if storage else [_directory(data_dir)]
    yield _server(base_url, api_key)


def _python() -> DoctorFinding:
    running = ".".join(map(str, sys.version_info[:3]))
    return DoctorFinding("python", State.GOOD, f"{running} at {sys.executable}")


def _packages() -> Iterator[DoctorFinding]:
    """Check twindiff's own dependencies; one line if all are installed."""
    try:
        needed = [re.match(r"[\w.-]+", each) for each in requires("twindiff") or () if "extra ==" not in each]
    except PackageNotFoundError:
        mend = "Install it into this Python: pip install twindiff."
        yield DoctorFinding("packages", State.BROKEN, "twindiff itself is not installed, so no twin is found", mend)
        return
    names = [each[0] for each in needed if each]
    there = [f"{name} {installed}" for name in names if (installed := _version(name))]
    yield DoctorFinding("packages", State.GOOD, ", ".join(there))
    for name in names:
        if not _version(name):
            yield DoctorFinding(
                "packages", State.BROKEN, f"{name} is not installed", f"Install it: pip install {name}."
            )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _sqlite() -> DoctorFinding:
    try:
        import apsw
    except ImportError as error:
        return DoctorFinding(
            "sqlite", State.BROKEN, f"apsw cannot be imported: {error}", "Install it: pip install apsw."
        )
    said = f"{apsw.sqlite_lib_version()} in apsw {apsw.apsw_version()}"
    if hasattr(apsw.Connection, "preupdate_hook"):
        return DoctorFinding("sqlite", State.GOOD, f"{said}, which tells what changes")
    mend = "Install apsw's own build, which has it: pip install --force-reinstall --only-binary apsw apsw."
    return DoctorFinding("sqlite", State.BROKEN, f"{said}, without the pre-update hook", mend)


def _twins() -> Iterator[DoctorFinding]:
    from twindiff.environments.registry import Registry

    registry = Registry.load_installed()
    twins = registry.twins
    if not registry.names:
        yield DoctorFinding("twins", State.BROKEN, "none is installed", "Install twindiff again: pip install twindiff.")
    for name in registry.names:
        if problem := registry.problems.get(name):
            yield DoctorFinding(f"twin {name}", State.BROKEN, problem.said, f"{problem.mend}.")
        else:
            yield _twin(twins[name])


def _twin(twin: Twin) -> DoctorFinding:
    """Check that a twin is complete, with all its templates."""
    from twindiff.environments.templates import sources, unreadable

    if broken := unreadable(twin):
        mend = "Mend that file, or uninstall the twin's package."
        return DoctorFinding(f"twin {twin.name}", State.BROKEN, "; ".join(broken), mend)
    templates = ", ".join(sorted(sources(twin))) or "none"
    said = f"{len(twin.served_operations)} operations, templates: {templates}"
    return DoctorFinding(f"twin {twin.name}", State.GOOD, said)


def _directory(given: str) -> DoctorFinding:
    """Check that a server could store its data there; nothing remains of the test."""
    if given == ":memory:":
        return DoctorFinding("data", State.GOOD, "kept in memory only")
    folder = Path(given)
    try:
        if owner := _owner(folder):
            return DoctorFinding("data", State.GOOD, f"{folder}, in use by {owner}")
        existing = next(each for each in (folder, *folder.parents) if each.exists())
    except OSError as error:
        return DoctorFinding(
            "data", State.BROKEN, f"{folder}: {error.strerror}", "Choose another folder with --data-dir."
        )
    if problem := _why_not_in(existing):
        mend = "Choose another with --data-dir, or set its permissions."
        return DoctorFinding("data", State.BROKEN, f"{folder}: {problem}", mend)
    return DoctorFinding(
        "data", State.GOOD, str(folder) if existing == folder else f"{folder}, made by the first server"
    )


def _why_not_in(folder: Path) -> str:
    """Return why nothing can be stored in a folder, by trying: permissions alone do not tell (/proc has them)."""
    if not folder.is_dir() or not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return f"{folder} is no folder that you may write to"
    try:
        with TemporaryDirectory(prefix=".twindiff-doctor-", dir=folder):
            return ""
    except OSError as error:
        return f"nothing can be made in {folder}: {error.strerror}"


def _owner(folder: Path) -> str:
    """Return which process has a data directory open, or ""."""
    if not (folder / "lock").is_file():
        return ""
    with (folder / "lock").open() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return lock.read().strip() or "another process"
    return ""


def _browser() -> DoctorFinding:
    """Report the Chromium that test runs use, if there is one."""
    from twindiff.browser.chromium import NoBrowser, chromium

    try:
        return DoctorFinding("browser", State.GOOD, f"{chromium()}, for test runs")
    except NoBrowser as absent:
        said, _, mend = str(absent).partition(". ")
        return DoctorFinding("browser", State.NOTE, said, mend)


def _confinement() -> DoctorFinding:
    """Check whether applications of sandbox runs are isolated from the server and its machine."""
    from twindiff.kit.errors import ApiError
    from twindiff.server.apis.sandbox_runs.confinement import find_confinement

    try:
        confinement = find_confinement()
    except ApiError as error:
        return DoctorFinding("confinement", State.NOTE, str(error))
    state = State.NOTE if confinement.missing else State.GOOD
    mend = "docs/how-to/sandbox-runs.md says what it takes." if confinement.missing else ""
    return DoctorFinding("confinement", state, f"applications are {confinement.describe()}", mend)


def _containers() -> DoctorFinding:
    """Report the engine that builds and starts containers of sandbox runs, if it works."""
    from twindiff.kit.errors import ApiError
    from twindiff.server.apis.sandbox_runs import containers

    try:
        engine = containers.engine()
    except ApiError as error:
        return DoctorFinding("containers", State.NOTE, str(error))
    if engine is None:
        idle = "" if containers.are_off() else _idle(containers.found_on_path())
        return DoctorFinding("containers", State.GOOD, f"none is used{idle}")
    if problem := containers.why_not(engine):
        mend = f"Mend it, or name another one or '{containers.NONE}' with {containers.SETTING}."
        return DoctorFinding("containers", State.NOTE, f"{engine} does not work: {problem}", mend)
    return DoctorFinding("containers", State.GOOD, f"{engine}, for sandbox runs with a dockerfile_path")


def _idle(engines: list[str]) -> str:
    """List installed engines that are not used, and why not."""
    from twindiff.server.apis.sandbox_runs.containers import why_not

    told = [f"{engine} does not work: {problem}" for engine in engines if (problem := why_not(engine))]
    return f" ({'; '.join(told)})" if told else ""


def _postgres(dsn: str) -> Iterator[DoctorFinding]:
    """Check whether a server could serve from a database, without changing it."""
    from twindiff.cli.commands.db import need_driver

    try:
        need_driver()
    except CommandError as problem:
        yield DoctorFinding("postgresql", State.BROKEN, str(problem))
        return
    from twindiff.storage.postgres import health

    for each in health.findings(dsn):
        state, mend = (State.GOOD, "") if each.is_fine else (State.BROKEN, each.mend)
        yield DoctorFinding(f"postgresql {each.what}", state, each.said, mend)


def _server(base_url: str, api_key: str) -> DoctorFinding:
    from twindiff.cli.remote import Remote, host_and_port

    if not _listens(*host_and_port(base_url)):
        return DoctorFinding(
            "server", State.NOTE, f"none at {base_url}; that port is free", "Start one: twindiff serve."
        )
    try:
        remote = Remote(base_url, api_key)
        if remote.get("ready").get("service") != "twindiff":
            raise CommandError(f"What answers at {base_url} is no Twindiff server.")
        templates = remote.get("templates")["templates"]
    except CommandError as problem:
        return DoctorFinding("server", State.BROKEN, str(problem), "Say with --base-url and --api-key where yours is.")
    return DoctorFinding("server", State.GOOD, f"answers at {base_url}, with {len(templates)} templates")


def _listens(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=5):
            return True
    except OSError:
        return False


def _show(diagnosis: list[DoctorFinding]) -> None:
    from rich.table import Table
    from rich.text import Text

    from twindiff.cli.render import printable, show

    lines = Table.grid(padding=(0, 2, 0, 0))
    for finding in diagnosis:
        mark, style = MARKS[finding.state]
        said = Text(printable(finding.said))
        if finding.mend:
            said.append(f"\n{printable(finding.mend)}", style if finding.state == State.BROKEN else "dim")
        lines.add_row(Text(mark, style), Text(finding.what, "bold"), said)
    show(lines)
