"""Turns the services of a compose file into containers beside each other, with the variables of their twins."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from twindiff.server.apis.sandbox_runs import compose_file, containers, service_starter
from twindiff.server.apis.sandbox_runs.application import CommandSequence, Milestone, free_port
from twindiff.server.apis.sandbox_runs.compose_file import ComposeBuild, ComposeProject, ComposeService, list_ports
from twindiff.server.apis.sandbox_runs.compose_network import ComposeNetwork, list_loopback_ports, prepare_network
from twindiff.server.apis.sandbox_runs.config_files import InvalidSandboxConfig, resolve_inside
from twindiff.server.apis.sandbox_runs.containers import Container, ImageBuild
from twindiff.server.door.variables import NO_PROXY

CONDITIONS = {
    "service_started": "started",
    "service_healthy": "healthy",
    "service_completed_successfully": "completed",
}
PULL = '"$0" image inspect "$1" >/dev/null 2>&1 || exec "$0" pull "$1"'
"""Pulls an image unless the engine has it."""


RELAY = "relay of ports"
"""Runs beside the services under this name, which none of theirs can be."""


class ComposePlace(NamedTuple):
    """Where the services of a run are: its `root`, the `checkout` in it, and the `name` that theirs begin with."""

    engine: str
    name: str
    root: Path
    checkout: Path
    shared: Path | None = None
    """The folder of the certificates that they trust, if they come in by the TLS door."""
    app_port: int | None = None
    """The port of this machine that leads to the application, if the services have a network of their own."""


def check_project(project: ComposeProject, checkout: Path) -> None:
    """Raise InvalidSandboxConfig for services that cannot be built or mounted of the checkout alone."""
    compose_file.check_mounts(project, checkout)
    for name, service in project.services.items():
        compose_file.read_environment(service, project.folder, {})
        if service.build is not None:
            _, build = _find_build(name, service, project.folder, checkout)
            containers.check_context(build)
        for other, condition in compose_file.list_conditions(service).items():
            if condition == "service_healthy" and not compose_file.read_health_test(project.services[other]):
                raise InvalidSandboxConfig(f"compose: {name} waits until {other} is healthy, which has no healthcheck")


def prepare_services(
    project: ComposeProject, application: str, place: ComposePlace, env: Mapping[str, str]
) -> CommandSequence:
    """Prepare the commands that build or pull the images and start the services; the application is the last.

    `env` are the variables of the run, which override those of the file; only the application gets `PORT`. Raises
    InvalidSandboxConfig: all that a file says is checked here, with the variables by which it is used.
    """
    check_project(project, place.checkout)
    if application not in project.services:
        raise InvalidSandboxConfig(f"compose: {application} is the application, and its profiles leave it out")
    made = {name: _make_container(project, name, place) for name in project.services}
    network = _prepare_network(project, made, application, place, env) if place.app_port else None
    preparing: list[list[str]] = []
    starting: dict[str, list[str]] = {}
    for name, service in project.services.items():
        own = compose_file.read_environment(service, project.folder, env)
        given = {each: value for each, value in env.items() if each != "PORT" or name == application}
        variables = {**own, **given, **_reach_neighbours(given, project)}
        waits = _list_waits(project, made, name)
        preparing.append(_prepare_image(made[name]))
        restart = compose_file.read_restart(service)
        starting[name] = _write_start(made[name], name, variables, waits, restart, network)
    last = starting.pop(application)
    milestone = Milestone(place.root / "images", "its images are there", "its images were there", "got no images")
    volumes = [_name_volume(place, each) for each in _list_named_volumes(project, place.checkout)]
    temporary = place.root / "engine"
    temporary.mkdir()
    return CommandSequence(
        [*preparing, ["touch", str(milestone.file)], last],
        containers.environment({}, temporary),
        limits={},
        ends=[
            *containers.ends([*made.values()], volumes, network.container if network else None),
            *containers.removals(place.engine, place.checkout),
        ],
        milestone=milestone,
        services={**({RELAY: network.relay} if network else {}), **starting},
    )


def _prepare_network(
    project: ComposeProject,
    made: Mapping[str, Container],
    application: str,
    place: ComposePlace,
    env: Mapping[str, str],
) -> ComposeNetwork:
    """Prepare the network of the services; it has the image of the application, which the run has anyway."""
    published = [(port, name) for name, each in project.services.items() for port in sorted({*list_ports(each)})]
    inner = int(env["PORT"])
    inbound = [(place.app_port or 0, inner, application)]
    inbound += [(free_port(), port, name) for port, name in published if port != inner]
    outer = {key: value for key, value in env.items() if key != "PORT"}
    outbound = list_loopback_ports(outer, [port for port, _ in published])
    folder = place.root / "network"
    folder.mkdir()
    image = made[application]
    holder = image._replace(name=_name_network(place), folder=folder, arguments=(), options=(), shared=None)
    return prepare_network(holder._replace(image=image.image_name, build=None), [*project.services], outbound, inbound)


def _name_network(place: ComposePlace) -> str:
    return f"{place.name}.network"


def _make_container(project: ComposeProject, name: str, place: ComposePlace) -> Container:
    service = project.services[name]
    folder = place.root / "services" / name
    folder.mkdir(parents=True)
    build = None
    if service.build is not None:
        wanted = service.build if isinstance(service.build, ComposeBuild) else ComposeBuild(service.build)
        file, context = _find_build(name, service, project.folder, place.checkout)
        arguments = compose_file.list_variables(wanted.args, {})
        options = [each for key, value in arguments.items() for each in ("--build-arg", f"{key}={value}")]
        options += ["--target", wanted.target] if wanted.target else []
        build = ImageBuild(
            file, context, containers.write_guard(place.engine, folder, context, is_shared=True), options
        )
    entry = compose_file.split_words(service.entrypoint)
    words = [*(entry[1:] if entry else ()), *(compose_file.split_words(service.command) or ())]
    return Container(
        place.engine,
        f"{place.name}-{name.lower()}",
        folder,
        build,
        service.image or "",
        entry[0] if entry else ("" if entry == [] else None),
        words,
        _list_options(project, service, place),
        place.shared,
        f"container:{_name_network(place)}" if place.app_port else "host",
    )


def _list_options(project: ComposeProject, service: ComposeService, place: ComposePlace) -> list[str]:
    """Further arguments of the run: all services are at loopback under their names.

    Those of a network of their own have the names from the container that holds it.
    """
    named = () if place.app_port else project.services
    hosts = [each for name in named for each in ("--add-host", f"{name}:127.0.0.1")]
    mounts: list[str] = []
    for each in compose_file.list_volumes(service, project.folder, place.checkout):
        source = _name_volume(place, each.name) if each.name else each.source
        mode = ":ro" if each.is_readonly else ""
        mounts += ["--volume", f"{source}:{each.path}{mode}" if source else each.path]
    folders = [service.tmpfs] if isinstance(service.tmpfs, str) else service.tmpfs
    options = [*hosts, *mounts, *(word for each in folders for word in ("--tmpfs", each))]
    options += ["--workdir", service.working_dir] if service.working_dir else []
    return options + (["--user", str(service.user)] if service.user is not None else [])


def _find_build(name: str, service: ComposeService, folder: Path, checkout: Path) -> tuple[Path, Path]:
    """The container file and the context of a service, both within the checkout; raises InvalidSandboxConfig."""
    given = service.build if isinstance(service.build, ComposeBuild) else ComposeBuild(str(service.build))
    context = resolve_inside(folder, given.context, checkout)
    if context is None or not context.is_dir():
        raise InvalidSandboxConfig(f"compose: the build of {name} has no folder '{given.context[:200]}' to build from")
    names = [given.dockerfile] if given.dockerfile else ["Dockerfile", "Containerfile"]
    paths = (path for each in names if (path := resolve_inside(context, each, checkout)) and path.is_file())
    if (file := next(paths, None)) is None:
        raise InvalidSandboxConfig(f"compose: the build of {name} has no file '{names[0][:200]}'")
    return file, context


def _list_named_volumes(project: ComposeProject, checkout: Path) -> list[str]:
    mounted = (compose_file.list_volumes(each, project.folder, checkout) for each in project.services.values())
    return sorted({volume.name for volumes in mounted for volume in volumes if volume.name})


def _name_volume(place: ComposePlace, name: str) -> str:
    return f"{place.name}-{name}"


def _reach_neighbours(env: Mapping[str, str], project: ComposeProject) -> dict[str, str]:
    """The variables by which calls of the other services do not go to the TLS door, if there is one."""
    return {name: ",".join((env[name], *project.services)) for name in NO_PROXY if name in env}


def _list_waits(project: ComposeProject, made: Mapping[str, Container], name: str) -> list[dict[str, Any]]:
    return [
        {
            "service": other,
            "container": made[other].name,
            "folder": str(made[other].folder),
            "condition": CONDITIONS[condition],
            "test": compose_file.read_health_test(project.services[other]),
        }
        for other, condition in compose_file.list_conditions(project.services[name]).items()
    ]


def _prepare_image(container: Container) -> list[str]:
    """The command after which the engine has the image of a service."""
    if container.build is None:
        return ["/bin/sh", "-c", PULL, container.engine, container.image]
    return containers.build_command(container, container.build)


def _write_start(
    container: Container,
    name: str,
    variables: Mapping[str, str],
    waits: Sequence[Mapping[str, Any]],
    restart: tuple[bool, bool, int | None],
    network: ComposeNetwork | None,
) -> list[str]:
    """The command that starts a service; what it needs is in a file that only its owner reads, as values are secret."""
    told = {
        "name": name,
        "engine": container.engine,
        "command": containers.run_command(container, variables),
        "container": container.name,
        "restart": restart,
        "env": containers.list_named_variables(variables),
        "waits": waits,
        "network": str(network.ready) if network else None,
    }
    file = container.folder / "start.json"
    with open(file, "wb", opener=lambda path, flags: os.open(path, flags | os.O_NOFOLLOW, 0o600)) as written:
        written.write(msgspec.json.encode(told))
    return [sys.executable, "-I", "-S", service_starter.__file__, str(file)]
