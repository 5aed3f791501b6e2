"""Containers of applications: finds the machine's engine, and builds the commands for it."""

from __future__ import annotations

import os
import resource
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from twindiff.kit.errors import ApiError
from twindiff.server.apis.sandbox_runs import build_guard, build_leftovers
from twindiff.server.apis.sandbox_runs.config_files import InvalidSandboxConfig

SETTING = "TWINDIFF_CONTAINER_ENGINE"
NAMES = ("podman", "docker")
NONE = "none"
"""Value of the setting that disables containers."""
MEMORY = 4 << 30
PROCESSES = 1024
"""Limit for all processes of a container together."""
ULIMITS = {
    "nofile": (resource.RLIMIT_NOFILE, 4096),
    "fsize": (resource.RLIMIT_FSIZE, 1 << 30),
    "nproc": (resource.RLIMIT_NPROC, 16384),
    "core": (resource.RLIMIT_CORE, 0),
}
"""Limits per process; the system counts `nproc` over all processes of its user, in containers or not."""
OF_ENGINES = ("PATH", "HOME", "USER", "TMPDIR", "LD_", "DBUS_", "XDG_", "DOCKER_", "CONTAINER", "STORAGE_", "BUILDAH_")
"""Prefixes of environment variables that configure the engine itself."""
SECONDS_TO_ANSWER = 10
PROXIES = ("http_proxy", "https_proxy", "no_proxy")
"""Variables for the proxies that the engine uses to pull images."""


class NoContainerEngine(ApiError):
    """The engine for containers that the settings name is not there."""

    status = 422


class Container(NamedTuple):
    """One container and its image, both called `name`; the file `image_id` exists once the image is built."""

    engine: str
    name: str
    containerfile: Path
    context: Path
    image_id: Path
    command: str
    guard: Path | None = None
    """The runtime for builds, for engines whose builds are guarded."""
    shared: Path | None = None
    """A folder that the container sees under the same path, for reading."""


def engine() -> str | None:
    """The path of the engine: the configured one, else the first working one on PATH; raises NoContainerEngine."""
    if are_off():
        return None
    named = os.environ.get(SETTING, "")
    if named and shutil.which(named) is None:
        raise NoContainerEngine(f"{SETTING} is '{named}', which is no program; name podman, docker or {NONE}")
    if named:
        return shutil.which(named)
    return next((path for path in found_on_path() if not why_not(path)), None)


def are_off() -> bool:
    """Whether the setting disables containers."""
    return os.environ.get(SETTING) == NONE


def found_on_path() -> list[str]:
    """The engines on PATH, preferred first, whether they work or not."""
    return [path for name in NAMES if (path := shutil.which(name))]


def why_not(engine: str) -> str:
    """Why an engine does not work, as its first line of output; empty if it works."""
    try:
        done = subprocess.run([engine, "info"], capture_output=True, timeout=SECONDS_TO_ANSWER, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    said = done.stderr.decode(errors="replace").split("\n")
    return next((line for line in said if line.strip()), "it says nothing") if done.returncode else ""


def commands(container: Container, env: Mapping[str, str]) -> list[list[str]]:
    """The commands that build the image, and run the container on the host network, where its twins are.

    Writes the variables that the engine would take for its own to a file beside `image_id`.
    """
    engine, name = container.engine, container.name
    limits = ["--network", "host", "--memory", str(MEMORY), "--memory-swap", str(MEMORY), *_ulimits()]
    files = ["--file", str(container.containerfile), "--iidfile", str(container.image_id), str(container.context)]
    variables = [*_write_engine_variables(container, env), *_list_variables(env)]
    alone = ["--name", name, "--pull", "never", "--log-driver", "none", "--pids-limit", str(PROCESSES)]
    shared = ["--volume", f"{container.shared}:{container.shared}:ro"] if container.shared else []
    entry = ["--entrypoint", ""] if container.command else []
    start = ["/bin/sh", "-c", container.command] if container.command else []
    # Podman would keep the layers of a failed build, and pass its own proxy to the container.
    building = ["--layers=false", "--add-host", f"{name}:127.0.0.1"] if _is_podman(engine) else []
    running = ["--http-proxy=false"] if _is_podman(engine) else []
    guarded = ["--runtime", str(container.guard)] if container.guard else []
    return [
        [engine, *guarded, "build", "--force-rm", *building, *limits, "--tag", name, *files],
        [engine, "run", *running, *alone, *limits, *shared, *variables, *entry, name, *start],
    ]


def ends(container: Container) -> list[list[str]]:
    """The commands that remove a container, what its build has left, and its image."""
    engine, name = container.engine, container.name
    if not _is_podman(engine):
        return [[engine, "rm", "--force", name], [engine, "rmi", "--force", name]]
    _, storage = _find_runtime(engine)
    program = [sys.executable, "-I", "-S", build_leftovers.__file__]
    removing = [[engine, "rm", "--force", "--time", "0", name], [*program, engine, storage, name]]
    return [*removing, [engine, "rmi", "--force", name]]


def check_context(context: Path) -> None:
    """Raise InvalidSandboxConfig if a link in the build context leads out of it."""
    root = context.resolve()
    for place, names, files in os.walk(root):
        for path in (Path(place, name) for name in names + files):
            if path.is_symlink() and not _leads_inside(path, root):
                raise InvalidSandboxConfig(
                    f"{path.relative_to(root)} is a link that leaves the folder that the image is built from; "
                    "remove it, or make it lead to a file within that folder"
                )


def _leads_inside(link: Path, root: Path) -> bool:
    try:
        return link.resolve().is_relative_to(root)
    except (OSError, RuntimeError):  # a circular link
        return False


def write_guard(engine: str, root: Path, context: Path) -> Path | None:
    """Write a runtime wrapper for builds that refuses to mount the machine's files; None for engines but Podman."""
    if not _is_podman(engine):
        return None
    runtime, storage = _find_runtime(engine)
    words = [sys.executable, "-I", "-S", build_guard.__file__, str(context.resolve()), storage, runtime]
    guard = root / "runtime"
    guard.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
    guard.chmod(0o755)
    return guard


@lru_cache(maxsize=8)
def _find_runtime(engine: str) -> tuple[str, str]:
    """The path of Podman's OCI runtime, and of its storage."""
    asked = [engine, "info", "--format", "{{.Host.OCIRuntime.Path}}\n{{.Store.GraphRoot}}"]
    try:
        done = subprocess.run(asked, capture_output=True, timeout=SECONDS_TO_ANSWER, check=True, text=True)
        runtime, storage = done.stdout.strip().split("\n")
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise NoContainerEngine(f"{engine} does not say what it runs containers by: {error}") from None
    return runtime, storage


def environment(env: Mapping[str, str], temporary: Path) -> dict[str, str]:
    """The environment of the engine: its own variables, and those that the container gets by name.

    Its temporary files, such as caches of build steps, are in a folder of the run, and are removed with it.
    """
    given = {name: value for name, value in env.items() if not _is_engines(name)}
    return {**given, **variables_of_engine(), "TMPDIR": str(temporary)}


def variables_of_engine() -> dict[str, str]:
    """The variables of this process that configure the engine."""
    return {name: value for name, value in os.environ.items() if _is_engines(name)}


def _list_variables(env: Mapping[str, str]) -> list[str]:
    """The `--env` arguments of variables: their names only, which hides the values from process lists.
    A value of several lines, which no file of variables can hold, is given whole if its name configures the engine.
    """
    given = [
        f"{name}={value}" if _is_engines(name) else name for name, value in env.items() if not _is_filed(name, value)
    ]
    return [each for argument in given for each in ("--env", argument)]


def _write_engine_variables(container: Container, env: Mapping[str, str]) -> list[str]:
    """Write the variables whose names configure the engine itself to a file that only its owner reads; returns the
    argument for it. Values such as the password of a proxy stay out of process lists.
    """
    file = container.image_id.with_name("variables")
    lines = [f"{name}={value}\n" for name, value in env.items() if _is_filed(name, value)]
    with open(file, "w", opener=lambda path, flags: os.open(path, flags | os.O_NOFOLLOW, 0o600)) as written:
        written.writelines(lines)
    return ["--env-file", str(file)]


def _is_filed(name: str, value: str) -> bool:
    return _is_engines(name) and "\n" not in value and "\r" not in value


def _is_engines(name: str) -> bool:
    return name.startswith(OF_ENGINES) or name.lower() in PROXIES


def _is_podman(engine: str) -> bool:
    return Path(engine).name.startswith("podman")


def _ulimits() -> Sequence[str]:
    """Limits per process, capped by the server's own, which an engine cannot exceed."""
    given: list[str] = []
    for name, (which, most) in ULIMITS.items():
        _, hard = resource.getrlimit(which)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        given += ["--ulimit", f"{name}={most}:{most}"]
    return given
