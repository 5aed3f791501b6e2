"""Reads the services of a compose file, which is untrusted input: what would reach the machine is refused by name.

The format is https://docs.docker.com/reference/compose-file/. A run takes the part of it that `ComposeService` has;
`UNUSED` has what makes no difference to a run, and what else a file has is refused.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, cast

import msgspec

from twindiff.environments.registry import did_you_mean
from twindiff.server.apis.sandbox_runs.compose_variables import ComposeVariables
from twindiff.server.apis.sandbox_runs.config_files import (
    InvalidSandboxConfig,
    check_variables,
    find_file,
    parse_yaml,
    read_bounded,
    resolve_inside,
)

MAX_SERVICES = 10
UNUSED = (
    *("container_name", "deploy", "domainname", "expose", "hostname", "init", "labels", "links", "logging", "networks"),
    *("platform", "pull_policy", "stdin_open", "stop_grace_period", "stop_signal", "tty", "ulimits"),
)
"""Keys of services without effect: all are in one network, under the limits of a run, until its end."""
_WRITTEN_OUT = (
    "`docker compose config --no-interpolate > compose.sandbox.yaml` writes a file without it, which `compose` can name"
)
INSTEAD = {
    "secrets": "give values in `env` of .arga/sandbox.yml or of the request; mount a file of the repository where the "
    "service reads it, as in volumes: ['./secret.txt:/run/secrets/name:ro']",
    "configs": "mount the file, as in volumes: ['./app.conf:/etc/app.conf:ro']",
    "extends": _WRITTEN_OUT,
    "include": _WRITTEN_OUT,
}
"""What to do without a key that is not taken."""
Scalar = str | int | float | bool | None
Variables = dict[str, Scalar] | list[str]
Words = str | list[str]
TRANSPORTS = (
    *("containers-storage", "dir", "docker", "docker-archive", "docker-daemon", "oci", "oci-archive", "ostree", "sif"),
    "tarball",
)
"""Names before the first colon by which engines take an image from the machine's files or a daemon, not a registry."""
_IMAGE = re.compile(r"(?:[a-zA-Z0-9][\w.-]*(?::\d+)?/)?[a-zA-Z0-9][\w.-]*(?:/[\w.-]+)*(?::[\w.-]+)?(?:@\w+:[0-9a-f]+)?")

_RESTART = re.compile(r"(no|always|unless-stopped|on-failure)(?:(?<=on-failure):([1-9]\d{0,3}))?")


class ComposeBuild(msgspec.Struct, forbid_unknown_fields=True):
    """How the image of a service is built."""

    context: str = "."
    dockerfile: str | None = None
    args: Variables = {}
    target: str | None = None


class ComposeDependency(msgspec.Struct, forbid_unknown_fields=True):
    """What must be of another service before one is started."""

    condition: Literal["service_started", "service_healthy", "service_completed_successfully"] = "service_started"
    required: Literal[True] = True
    restart: bool = False


class ComposeHealthcheck(msgspec.Struct):
    """A command that succeeds in a container once its service is healthy; it is tried until it does."""

    test: Words = []


class ComposePort(msgspec.Struct):
    """A port on which a service listens."""

    target: int


class ComposeEnvFile(msgspec.Struct, forbid_unknown_fields=True):
    """A file of variables beside the compose file, which may be absent unless it is `required`."""

    path: str
    required: bool = True


class ComposeVolume(msgspec.Struct, forbid_unknown_fields=True):
    """A volume in its long form: `source` is a name, or a path for the type `bind`."""

    type: Literal["volume", "bind"]
    target: str
    source: str | None = None
    read_only: bool = False
    bind: Any = None
    volume: Any = None

    def to_short(self) -> str:
        """Write it as `source:/path:ro`."""
        source = self.source
        if source and self.type == "bind" and source[0] not in "./~":
            source = f"./{source}"
        return ":".join(filter(None, (source, self.target, "ro" if source and self.read_only else "")))


class ComposeService(msgspec.Struct, forbid_unknown_fields=True):
    """One service of a compose file, as far as a run takes it."""

    build: str | ComposeBuild | None = None
    command: Words | None = None
    depends_on: list[str] | dict[str, ComposeDependency] = []
    entrypoint: Words | None = None
    env_file: str | list[str | ComposeEnvFile] = []
    environment: Variables = {}
    healthcheck: ComposeHealthcheck | None = None
    image: str | None = None
    ports: list[str | int | ComposePort] = []
    profiles: list[str] = []
    restart: str | bool = "no"
    """When it is started again once it has ended; YAML reads `no` as false."""
    tmpfs: Words = []
    user: str | int | None = None
    volumes: list[str | ComposeVolume] = []
    working_dir: str | None = None


class _ComposeFile(msgspec.Struct, forbid_unknown_fields=True):
    services: Annotated[dict[str, ComposeService], msgspec.Meta(min_length=1)]
    name: str | None = None
    networks: Any = None
    version: Any = None
    volumes: dict[str, Any] = {}


class ComposeProject(NamedTuple):
    """The services of a compose file in `folder`, those first on which others depend, and what of it is not used."""

    folder: Path
    services: Mapping[str, ComposeService]
    unused: Sequence[str]


class Volume(NamedTuple):
    """What a service has at a path: a `name` of a volume that ends with the run, or a `source` in the checkout."""

    name: str | None
    source: Path | None
    path: str
    is_readonly: bool


def read_compose(path: Path, variables: Mapping[str, str], *, is_strict: bool = True) -> ComposeProject:
    """Read a compose file, with `$NAME` filled in as Compose does, from `variables` or a `.env` beside it.

    Unless `is_strict`, missing ones are empty even where the file requires them. Raises InvalidSandboxConfig.
    """
    given = parse_yaml(read_bounded(path), path.name)
    beside = find_file(path.parent, ".env")
    known = {**(_read_variables(beside) if beside else {}), **variables}
    filled = ComposeVariables(known, path.name, is_strict=is_strict).fill_texts(given)
    unused = list(_drop_unused(filled))
    try:
        file = msgspec.convert(filled, _ComposeFile)
        msgspec.json.encode(file)  # raises for an unpaired surrogate, which cannot be encoded
    except msgspec.ValidationError as error:
        raise InvalidSandboxConfig(f"{path.name}: {_explain(str(error))}") from None
    except ValueError as error:
        raise InvalidSandboxConfig(f"{path.name} is no YAML: {str(error)[:500]}") from None
    started = {name: each for name, each in file.services.items() if not each.profiles}
    if not 0 < len(started) <= MAX_SERVICES:
        raise InvalidSandboxConfig(f"{path.name}: {len(started)} services without a profile; a run has 1 to 10")
    return ComposeProject(path.parent, _order(started, path.name), unused)


def _explain(problem: str) -> str:
    """Explain an error of msgspec, such as ``Object contains unknown field `privileged` - at `$.services[...]` ``."""
    if field := re.match(r"Object contains unknown field `(.+?)`", problem):
        instead = INSTEAD.get(field[1], "leave it out, or put it into a file of your own")
        return f"'{field[1]}' is not taken in a sandbox run; {instead}"
    return problem[:500]


def _drop_unused(given: Any) -> Iterator[str]:
    """Remove what has no effect from a file that is parsed; yields its names."""
    if not isinstance(given, dict):
        return
    file = cast(dict[str, Any], given)
    for name in [each for each in file if str(each).startswith("x-")]:
        del file[name]
    services = file.get("services")
    for service, body in cast(dict[str, Any], services).items() if isinstance(services, dict) else ():
        if not isinstance(body, dict):
            continue
        for name in [*cast(dict[str, Any], body)]:
            if name in UNUSED or str(name).startswith("x-"):
                del body[name]
                yield f"{service}.{name}"


def _order(services: Mapping[str, ComposeService], file: str) -> dict[str, ComposeService]:
    """Sort services so that those come first on which others depend; raises InvalidSandboxConfig for a circle."""
    if len({name.lower() for name in services}) < len(services):
        raise InvalidSandboxConfig(f"{file}: names of services that differ in capital letters only are one container's")
    for name, service in services.items():
        if not re.fullmatch(r"[a-zA-Z0-9][a-zA-Z0-9._-]{0,62}", name):
            raise InvalidSandboxConfig(f"{file}: '{name[:70]}' cannot be the name of a service")
        if service.image is None and service.build is None:
            raise InvalidSandboxConfig(f"{file}: service {name} needs an image or a build")
        if service.image is not None and not _is_image(service.image):
            raise InvalidSandboxConfig(f"{file}: '{service.image[:100]}' of {name} is no image of a registry")
        read_restart(service)
        for other in service.depends_on:
            if other not in services:
                raise InvalidSandboxConfig(f"{file}: {name} depends on '{other}'.{did_you_mean(other, services)}")
    try:
        names = TopologicalSorter({name: [*each.depends_on] for name, each in services.items()}).static_order()
        return {name: services[name] for name in names}
    except CycleError as error:
        raise InvalidSandboxConfig(f"{file}: services wait for each other: {', '.join(error.args[1])}") from None


def _is_image(name: str) -> bool:
    """Whether a text names an image of a registry, by which no file of the machine is read."""
    return _IMAGE.fullmatch(name) is not None and name.partition(":")[0] not in TRANSPORTS


# Variables


def read_environment(service: ComposeService, folder: Path, known: Mapping[str, str]) -> dict[str, str]:
    """The variables that a service has by its file; a name without a value has that of `known` or of `.env`.

    Raises InvalidSandboxConfig.
    """
    beside = find_file(folder, ".env")
    known = {**(_read_variables(beside) if beside else {}), **known}
    variables: dict[str, str] = {}
    for each in [service.env_file] if isinstance(service.env_file, str) else service.env_file:
        file = ComposeEnvFile(each) if isinstance(each, str) else each
        parts = Path(file.path).parts
        path = find_file(folder, file.path) if not Path(file.path).is_absolute() and ".." not in parts else None
        if path is None and file.required:
            raise InvalidSandboxConfig(f"env_file '{file.path[:200]}' is no file beside the compose file")
        variables |= _read_variables(path) if path else {}
    variables |= list_variables(service.environment, known)
    check_variables(variables)
    return variables


def list_variables(given: Variables, known: Mapping[str, str]) -> dict[str, str]:
    """The variables in either of Compose's forms, a mapping or a list of `NAME=value`, as texts."""
    pairs: dict[str, Scalar] = given if isinstance(given, dict) else {}
    if isinstance(given, list):
        split = [each.partition("=") for each in given]
        pairs = {name: value if equal else None for name, equal, value in split}
    told = {name: known.get(name) if value is None else value for name, value in pairs.items()}
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in told.items()
        if value is not None
    }


def _read_variables(path: Path) -> dict[str, str]:
    """The variables in a file of lines `NAME=value`, each of which may end with a comment, as in `NAME=value # why`."""
    variables: dict[str, str] = {}
    for line in read_bounded(path).splitlines():
        name, equal, value = line.strip().removeprefix("export ").partition("=")
        if equal and not name.startswith("#"):
            quoted = re.fullmatch(r"""\s*(['"])(.*?)\1\s*(?:#.*)?""", value)
            variables[name.strip()] = quoted[2] if quoted else re.split(r"(?:^|\s)#", value, maxsplit=1)[0].strip()
    return variables


# What a service is


def list_ports(service: ComposeService) -> list[int]:
    """The ports on which a service listens, of those that its file publishes; ranges are left out."""
    told = [str(each.target if isinstance(each, ComposePort) else each) for each in service.ports]
    ports = [each.rsplit(":", 1)[-1].split("/")[0] for each in told]
    return [int(each) for each in ports if each.isdecimal() and 0 < int(each) < 65536]


def find_application(project: ComposeProject, app_port: int | None) -> tuple[str, int]:
    """The service that is the application, and its port: the one that listens on `app_port`, or that alone publishes.

    Where none publishes `app_port`, it is the one on which no other depends. Raises InvalidSandboxConfig if several do,
    or none.
    """
    ports = [(name, port) for name, each in project.services.items() for port in sorted({*list_ports(each)})]
    if twice := {port for _, port in ports if [each for _, each in ports].count(port) > 1}:
        both = " and ".join(name for name, port in ports if port in twice)
        raise InvalidSandboxConfig(
            f"compose: {both} listen on the same port, {min(twice)}; all services of a run share one network"
        )
    if app_port and not any(port == app_port for _, port in ports):
        depended = {other for each in project.services.values() for other in each.depends_on}
        if len(last := [name for name in project.services if name not in depended]) != 1:
            raise InvalidSandboxConfig(
                f"app_port {app_port}: no service publishes it, and {' and '.join(last)} may be the application"
            )
        return last[0], app_port
    candidates = [each for each in ports if app_port in (None, each[1])]
    if len(candidates) != 1:
        told = ", ".join(f"{port} of {name}" for name, port in ports) or "none is published"
        raise InvalidSandboxConfig(f"app_port: say on which port the application listens ({told})")
    return candidates[0]


def split_words(given: Words | None) -> list[str] | None:
    """A command as words, split as a shell would split it."""
    if given is None or isinstance(given, list):
        return given
    try:
        return shlex.split(given)
    except ValueError as error:
        raise InvalidSandboxConfig(f"compose: '{given[:100]}' is no command: {error}") from None


def read_restart(service: ComposeService) -> tuple[bool, bool, int | None]:
    """Whether a service is started again after a success, after a failure, and how often; None leaves that open.

    Raises InvalidSandboxConfig.
    """
    match = _RESTART.fullmatch("no" if service.restart is False else str(service.restart))
    if match is None:
        said = "no, always, unless-stopped, on-failure or on-failure:3"
        raise InvalidSandboxConfig(f"compose: restart is {said}, not '{str(service.restart)[:50]}'")
    policy, most = match.groups()
    return policy in ("always", "unless-stopped"), policy != "no", int(most) if most else None


def read_health_test(service: ComposeService) -> list[str]:
    """The command that tells whether a service is healthy; empty if it has none."""
    test = service.healthcheck.test if service.healthcheck else []
    if isinstance(test, str):
        return ["/bin/sh", "-c", test]
    kind, *words = test or ["NONE"]
    return {"CMD": words, "CMD-SHELL": ["/bin/sh", "-c", " ".join(words)]}.get(kind, [])


def list_conditions(service: ComposeService) -> dict[str, str]:
    """What a service waits for, by the name of the other one."""
    given = service.depends_on
    return {name: given[name].condition if isinstance(given, dict) else "service_started" for name in given}


def list_volumes(service: ComposeService, folder: Path, checkout: Path) -> list[Volume]:
    """What a service has mounted; raises InvalidSandboxConfig for files that are not of the checkout."""
    short = [each if isinstance(each, str) else each.to_short() for each in service.volumes]
    return [_read_volume(each, folder, checkout) for each in short]


def _read_volume(given: str, folder: Path, checkout: Path) -> Volume:
    source, *rest = given.split(":")
    path, *modes = rest or [source]
    if not path.startswith("/") or len(modes) > 1:
        raise InvalidSandboxConfig(f"compose: volume '{given[:200]}' is not source:/path or source:/path:ro")
    if not rest:
        return Volume(None, None, path, False)
    is_readonly = "ro" in (",".join(modes)).split(",")
    if re.fullmatch(r"[a-zA-Z0-9][\w-]{0,62}", source):
        return Volume(source, None, path, is_readonly)
    file = resolve_inside(folder, source, checkout)
    if source.startswith(("/", "~")) or file is None:
        raise InvalidSandboxConfig(
            f"compose: volume '{given[:200]}' is no path of the repository; a run mounts its own files only"
        )
    return Volume(None, file, path, is_readonly)


def check_mounts(project: ComposeProject, checkout: Path) -> None:
    """Raise InvalidSandboxConfig if a service could replace, by a link, what another one has mounted."""
    mounts = [
        (name, each)
        for name, service in project.services.items()
        for each in list_volumes(service, project.folder, checkout)
        if each.source
    ]
    for name, outer in mounts:
        for other, inner in mounts:
            is_below = inner.source != outer.source and inner.source and inner.source.is_relative_to(outer.source or "")
            if is_below and not outer.is_readonly:
                raise InvalidSandboxConfig(
                    f"compose: {other} mounts what {name} could replace; let {name} mount its folder with :ro"
                )
