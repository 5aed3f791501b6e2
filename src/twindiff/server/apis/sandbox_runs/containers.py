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
OBEYED = (
    *(
        "_CONTAINERS",
        "BASH",
        "BUILDKIT",
        "BUILDX",
        "GCONV",
        "GIT_",
        "GLIBC_",
        "GOCOVERDIR",
        "GODEBUG",
        "GOGC",
        "GOMAXPROCS",
        "GOMEMLIMIT",
        "GORACE",
        "GOROOT",
        "GOTRACEBACK",
        "LANG",
        "LC_",
        "LISTEN_",
        "LOCPATH",
        "MALLOC_",
    ),
    *("NLSPATH", "NOTIFY_", "OTEL_", "PODMAN_", "PYTHON", "REGISTRY_", "RES_", "SHELL", "SSL_CERT_"),
)
"""Prefixes of variables that the engine, or a program that it starts on the machine, obeys besides."""
OBEYED_NAMES = ("_", "BUILD_REGISTRY_SOURCES", "ENV", "IFS", "PS1", "PS2", "PS3", "PS4", "SSLKEYLOGFILE")
"""Such variables that are no prefixes of others' names."""
MAX_LINE_BYTES = 60_000
"""Bytes of a line of a file of variables; engines read at most 65,536."""
SECONDS_TO_ANSWER = 10
PROXIES = ("http_proxy", "https_proxy", "no_proxy")
"""Variables for the proxies that the engine uses to pull images."""


class NoContainerEngine(ApiError):
    """The engine for containers that the settings name is not there."""

    status = 422


class ImageBuild(NamedTuple):
    """How an image is built; `guard` is the runtime for builds of engines whose builds are guarded."""

    containerfile: Path
    context: Path
    guard: Path | None = None
    options: Sequence[str] = ()
    """Further arguments of the build."""


class Container(NamedTuple):
    """One container called `name`, of an image of the same name if it has a `build`, else of `image`.

    Its `folder` has the file `image` once the image is built, and the variables that only a file may have.
    """

    engine: str
    name: str
    folder: Path
    build: ImageBuild | None = None
    image: str = ""
    entrypoint: str | None = None
    """The program that runs in place of the image's own; empty to run `arguments` alone."""
    arguments: Sequence[str] = ()
    options: Sequence[str] = ()
    """Further arguments of the run."""
    shared: Path | None = None
    """A folder that the container sees under the same path, for reading."""
    network: str = "host"
    """The network in the engine's words; empty for the engine's own."""

    @property
    def image_name(self) -> str:
        """The name of its image."""
        return self.name if self.build else self.image

    @property
    def image_id(self) -> Path:
        """The file that exists once the image is built."""
        return self.folder / "image"


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


def build_command(container: Container, build: ImageBuild) -> list[str]:
    """The command that builds the image of a container."""
    engine, name = container.engine, container.name
    files = ["--file", str(build.containerfile), "--iidfile", str(container.image_id), str(build.context)]
    # Podman would keep the layers of a failed build.
    building = ["--layers=false", "--add-host", f"{name}:127.0.0.1"] if is_podman(engine) else []
    guarded = ["--runtime", str(build.guard)] if build.guard else []
    options = [*building, *_limits("host"), *build.options]
    return [engine, *guarded, "build", "--force-rm", *options, "--tag", name, *files]


def run_command(container: Container, env: Mapping[str, str]) -> list[str]:
    """The command that runs a container in its network, by default the machine's, where its twins are.

    Writes its variables to a file in its folder. Raises InvalidSandboxConfig for a value that no file can have, if its
    variable is one that programs on the machine obey.
    """
    engine, name = container.engine, container.name
    _check_passed(env)
    variables = [*_write_variables(container, env), *_list_variables(env)]
    alone = ["--name", name, "--pull", "never", "--log-driver", "none", "--pids-limit", str(PROCESSES)]
    shared = ["--volume", f"{container.shared}:{container.shared}:ro"] if container.shared else []
    entry = [] if container.entrypoint is None else ["--entrypoint", container.entrypoint]
    # Podman would pass its own proxy to the container.
    running = ["--http-proxy=false"] if is_podman(engine) else []
    options = [*running, *alone, *_limits(container.network), *shared, *container.options, *variables, *entry]
    return [engine, "run", *options, container.image_name, *container.arguments]


def _limits(network: str) -> list[str]:
    named = ["--network", network] if network else []
    return [*named, "--memory", str(MEMORY), "--memory-swap", str(MEMORY), *_ulimits()]


def ends(containers: Sequence[Container], volumes: Sequence[str] = (), holder: str | None = None) -> list[list[str]]:
    """The commands that remove containers of one engine, what their builds have left, their images and volumes.

    The `holder` of their network goes after them, as Podman removes none before those that depend on it.
    """
    engine, names = containers[0].engine, [each.name for each in containers]
    built = [each.name for each in containers if each.build]
    images = [[engine, "rmi", "--force", name] for name in built]
    kept = [[engine, "volume", "rm", "--force", *volumes]] if volumes else []
    how = ["--ignore", "--volumes", "--time", "0"] if is_podman(engine) else ["--volumes"]
    removing = [[engine, "rm", "--force", *how, *each] for each in (names, [holder] if holder else []) if each]
    if not is_podman(engine):
        return [*removing, *images, *kept]
    _, storage = _find_runtime(engine)
    program = [sys.executable, "-I", "-S", build_leftovers.__file__]
    return [*removing, *([*program, engine, storage, name] for name in built), *images, *kept]


def removals(engine: str, folder: Path) -> list[list[str]]:
    """The commands that remove a folder with files of the users of containers, unless the server may remove them.

    Under a rootless Podman these users are others than the server's, and exist in its own user namespace only.
    """
    if os.geteuid() == 0 or not is_podman(engine):
        return []
    return [[engine, "unshare", "rm", "-rf", "--", str(folder)]]


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


def write_guard(engine: str, root: Path, context: Path, *, is_shared: bool = False) -> Path | None:
    """Write a runtime wrapper for builds that refuses to mount the machine's files; None for engines but Podman.

    A context that `is_shared` with other services is mounted for reading only.
    """
    if not is_podman(engine):
        return None
    runtime, storage = _find_runtime(engine)
    mode = "ro" if is_shared else "rw"
    words = [sys.executable, "-I", "-S", build_guard.__file__, mode, str(context.resolve()), storage, runtime]
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
    """The environment of the engine: its own variables, and those of `env` that containers can get by name alone.

    Its temporary files, such as caches of build steps, are in a folder of the run, and are removed with it.
    """
    return {**list_named_variables(env), **variables_of_engine(), "TMPDIR": str(temporary)}


def list_named_variables(env: Mapping[str, str]) -> dict[str, str]:
    """The variables that the engine passes on by name, since no file holds their values and no program obeys them."""
    return {name: value for name, value in env.items() if not (_is_filed(name, value) or _is_obeyed(name))}


def variables_of_engine() -> dict[str, str]:
    """The variables of this process that configure the engine."""
    return {name: value for name, value in os.environ.items() if _is_engines(name)}


def _list_variables(env: Mapping[str, str]) -> list[str]:
    """The `--env` arguments of variables that no file holds: their names only, as other users of the machine see a
    command line.
    """
    return [each for name in list_named_variables(env) for each in ("--env", name)]


def _check_passed(env: Mapping[str, str]) -> None:
    """Raise InvalidSandboxConfig for a variable that can neither be in a file nor in the environment of the engine."""
    for name, value in env.items():
        if _is_obeyed(name) and not _is_filed(name, value):
            raise InvalidSandboxConfig(
                f"env: {name} configures programs of this machine, so containers get it only as a line of less than "
                f"{MAX_LINE_BYTES:,} bytes that does not begin with a quotation mark; use another name, or encode its "
                "value, for example in base64"
            )


def _write_variables(container: Container, env: Mapping[str, str]) -> list[str]:
    """Write variables to a file that only its owner reads; returns the argument for it. The values stay out of process
    lists, and out of the environment of the engine, which runs on the machine: a repository chooses the variables, and
    programs obey some of them (`LD_PRELOAD`, `GIT_SSH_COMMAND`).
    """
    file = container.folder / "variables"
    lines = [f"{name}={value}\n" for name, value in env.items() if _is_filed(name, value)]
    with open(
        file, "w", encoding="utf-8", newline="", opener=lambda path, flags: os.open(path, flags | os.O_NOFOLLOW, 0o600)
    ) as written:
        written.writelines(lines)
    return ["--env-file", str(file)]


def _is_filed(name: str, value: str) -> bool:
    """Whether all engines read a variable from a file as it is: a short line, whose value is not quoted."""
    is_line = not ({"\n", "\r"} & {*value}) and not value.startswith(("'", '"'))
    return is_line and len(f"{name}={value}".encode()) < MAX_LINE_BYTES


def _is_obeyed(name: str) -> bool:
    return _is_engines(name) or name.startswith(OBEYED) or name in OBEYED_NAMES


def _is_engines(name: str) -> bool:
    return name.startswith(OF_ENGINES) or name.lower() in PROXIES


def is_podman(engine: str) -> bool:
    """Whether an engine is Podman, which has options that Docker lacks."""
    return Path(engine).name.startswith("podman")


def _ulimits() -> Sequence[str]:
    """Limits per process, capped by the server's own, which an engine cannot exceed."""
    given: list[str] = []
    for name, (which, most) in ULIMITS.items():
        _, hard = resource.getrlimit(which)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        given += ["--ulimit", f"{name}={most}:{most}"]
    return given
