"""How an application is started: as its `.arga/sandbox.yml` configures, or else by a guess, which the logs report."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from twindiff.environments.clocks import ClockRequest
from twindiff.environments.registry import did_you_mean
from twindiff.kit.errors import ApiError
from twindiff.server.apis.sandbox_runs import containers
from twindiff.server.apis.sandbox_runs.compose_file import find_application, read_compose
from twindiff.server.apis.sandbox_runs.compose_services import check_project
from twindiff.server.apis.sandbox_runs.config_files import (
    InvalidSandboxConfig,
    check_variables,
    find_file,
    parse_yaml,
    read_bounded,
    read_start,
    resolve_inside,
)

NAMES = (".arga/sandbox.yml", ".arga/sandbox.yaml")
OF_CONTAINERS = ("Dockerfile", "docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml")
MAX_COMMANDS = 20
"""Commands of an application besides its own."""
MAX_PATH_CHARACTERS = 1000
NO_CONTAINERS = "this server builds and starts no containers"


class NoStartCommand(ApiError):
    """Nothing says how the application is started: add .arga/sandbox.yml with app: {app_command: …}."""

    status = 422


class InstallStep(msgspec.Struct, forbid_unknown_fields=True):
    """A command whose results are kept for later runs; it sees only its `files`, in a folder of its own."""

    run: str
    files: Annotated[list[str], msgspec.Meta(min_length=1, max_length=20)]
    """The files of the application's folder that it needs, such as lock files."""
    keeps: Annotated[list[str], msgspec.Meta(min_length=1, max_length=10)]
    """The folders that it makes, such as `node_modules`."""


class ApplicationTarget(msgspec.Struct, forbid_unknown_fields=True):
    """One application of a repository; it gets its port in `PORT`, a free one unless `app_port` names it."""

    context_dir: str = "."
    compose: str | None = None
    """The compose file whose services are started."""
    dockerfile_path: str | None = None
    app_port: Annotated[int, msgspec.Meta(ge=1, le=65535)] | None = None
    app_command: str | None = None
    install: list[str | InstallStep] = []
    """Commands that run before, one after the other; those whose results are kept come first."""
    services: dict[str, str] = {}
    """Further commands that run beside the application, by name."""
    health_path: str | None = None
    webhooks: dict[str, str] = {}
    """The path of the application to which the events of a twin are sent, by twin."""
    clock: ClockRequest | None = None
    """How the clock of its twins runs, unless the request says."""
    env: dict[str, str | int | float | bool] = {}
    twins: list[str] = []
    infra: list[str] = []
    proxy: bool = False
    """Whether the vendors' own hosts lead to the twins, through the TLS door."""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    app: ApplicationTarget | None = None
    default_target: str | None = None
    targets: dict[str, ApplicationTarget] = {}
    version: Literal[1, "1"] | None = None


class _Package(msgspec.Struct):
    scripts: dict[str, str] | None = None


class StartCommand(NamedTuple):
    """The command that starts an application, and its folder; `guess` names the file that the command was guessed from.
    With a `containerfile` it runs in a container of `engine`; an empty command then means the image's own. With a file
    `compose`, the command is the name of the service that is the application.
    """

    command: str
    folder: Path
    target: ApplicationTarget
    guess: str | None = None
    engine: str | None = None
    containerfile: Path | None = None
    compose: Path | None = None
    port: int | None = None
    """The port on which it listens, unless any will do."""
    unused_keys: tuple[str, ...] = ()
    """What the compose file says without effect."""


def start_of(checkout: Path, name: str | None, env: Mapping[str, str]) -> StartCommand:
    """Determine how an application is started, with the variables `env` of a request.

    Raises InvalidSandboxConfig, NoStartCommand, NoContainerEngine.
    """
    target = _target(checkout, name)
    folder = resolve_inside(checkout, target.context_dir, checkout)
    if folder is None or not folder.is_dir():
        raise InvalidSandboxConfig(f"context_dir '{target.context_dir[:200]}' is no folder of the repository")
    check_variables(target.env)
    _check_commands(target)
    _check_paths(target)
    if target.clock:
        target.clock.to_clock_mode()
    if target.infra:
        why = "this server starts no container but the application's" if containers.engine() else NO_CONTAINERS
        named = ", ".join(target.infra)
        raise InvalidSandboxConfig(f"infra {named}: {why}; start it yourself and give its address in env")
    if target.compose is not None:
        return _start_of_compose(target.compose, target, folder, checkout, env)
    if target.dockerfile_path and (engine := containers.engine()):
        file = _containerfile(target.dockerfile_path, folder, checkout)
        command = target.app_command or ""
        return StartCommand(command, folder, target, engine=engine, containerfile=file, port=target.app_port)
    if target.app_command:
        return StartCommand(target.app_command, folder, target, port=target.app_port)
    if target.dockerfile_path:
        given = target.dockerfile_path
        raise InvalidSandboxConfig(
            f"dockerfile_path '{given}': {NO_CONTAINERS}; say in app_command what its image runs"
        )
    return _guess(folder, target)


def _start_of_compose(
    given: str, target: ApplicationTarget, folder: Path, checkout: Path, env: Mapping[str, str]
) -> StartCommand:
    """Determine how the services of a compose file are started; raises InvalidSandboxConfig."""
    if target.app_command or target.dockerfile_path or target.install or target.services:
        raise InvalidSandboxConfig(
            "compose: its file says what is started; leave out app_command, dockerfile_path, install and services"
        )
    path = resolve_inside(folder, given, checkout)
    if path is None or find_file(folder.resolve(), given) is None:
        raise InvalidSandboxConfig(f"compose '{given[:200]}' is no file of context_dir")
    if (engine := containers.engine()) is None:
        raise InvalidSandboxConfig(
            f"compose '{given[:200]}': {NO_CONTAINERS}; install podman or docker there, or give an app_command instead"
        )
    # Refusals come before anything is made where that is possible: variables of twins are not known yet.
    project = read_compose(path, {**show_variables(target.env), **env}, is_strict=False)
    check_project(project, checkout)
    application, port = find_application(project, target.app_port)
    return StartCommand(
        application, folder, target, engine=engine, compose=path, port=port, unused_keys=tuple(project.unused)
    )


def _check_commands(target: ApplicationTarget) -> None:
    """Raise InvalidSandboxConfig for a command that no shell can run, or that no container runs."""
    commands = {"app_command": target.app_command or "true", **target.services}
    commands |= {f"install[{number}]": _text_of(each) for number, each in enumerate(target.install)}
    for name, command in commands.items():
        if "\0" in command or not command.strip():
            raise InvalidSandboxConfig(f"{name}: a command is a text without a NUL, and not empty")
    if len(commands) > MAX_COMMANDS:
        raise InvalidSandboxConfig(f"install and services have more than {MAX_COMMANDS} commands together")
    _check_steps(target)
    if target.dockerfile_path and containers.engine() and (target.install or target.services):
        raise InvalidSandboxConfig("install and services belong to app_command; a dockerfile_path says what is built")


def _text_of(step: str | InstallStep) -> str:
    return step if isinstance(step, str) else step.run


def _check_steps(target: ApplicationTarget) -> None:
    """Raise InvalidSandboxConfig for steps in an order, or with paths, that nothing can be kept of."""
    is_over = False
    for number, step in enumerate(target.install):
        if isinstance(step, str):
            is_over = True
            continue
        if is_over:
            raise InvalidSandboxConfig(f"install[{number}]: steps with `keeps` come before all others")
        for name in (*step.files, *step.keeps):
            path = PurePosixPath(name)
            if path.is_absolute() or not path.parts or ".." in path.parts or "\0" in name:
                raise InvalidSandboxConfig(f"install[{number}]: '{name[:100]}' is no path within the application")


def _check_paths(target: ApplicationTarget) -> None:
    paths = {f"webhooks.{twin}": path for twin, path in target.webhooks.items()}
    if target.health_path is not None:
        paths["health_path"] = target.health_path
    for name, path in paths.items():
        if not re.fullmatch(r"/[\x21-\x7e]*", path) or len(path) > MAX_PATH_CHARACTERS:
            raise InvalidSandboxConfig(f"{name}: '{path[:100]}' is no path of the application, such as /webhooks")
    for twin in target.webhooks:
        if target.twins and twin not in target.twins:
            near = did_you_mean(twin, target.twins)
            raise InvalidSandboxConfig(f"webhooks.{twin}: the application has no such twin.{near}")


_PLACE = re.compile(r"\{(\w+)(?:\.(\w+))?\}")


def fill_variables(env: Mapping[str, str], twins: Mapping[str, Any], app_url: str) -> dict[str, str]:
    """Fill `{stripe.base_url}`, `{stripe.STRIPE_API_KEY}` and `{app_url}` in the values of variables.

    `twins` are the twins of the run by name, as `TwinRunService.instances` describes them. Other braces that name
    no twin stay as they are. Raises InvalidSandboxConfig for a twin, or a twin's variable, that does not exist.
    """

    def fill(match: re.Match[str]) -> str:
        name, variable = match.groups()
        if name == "app_url" and variable is None:
            return app_url
        if name not in twins or variable is None:
            if variable == "base_url":
                raise InvalidSandboxConfig(f"env: {match[0]}: there is no twin '{name}'.{did_you_mean(name, twins)}")
            return match[0]
        known = {"base_url": twins[name]["base_url"], **twins[name]["env_vars"]}
        if variable not in known:
            raise InvalidSandboxConfig(f"env: there is no {match[0]}.{did_you_mean(variable, known)}")
        return str(known[variable])

    return {name: _PLACE.sub(fill, value) for name, value in env.items()}


def _guess(folder: Path, target: ApplicationTarget) -> StartCommand:
    guess = guess_command(folder)
    if guess is None:
        ignored = [name for name in OF_CONTAINERS if (folder / name).is_file()]
        raise NoStartCommand(
            f"{NoStartCommand()} Looked for {', '.join(name for name, _ in _GUESSES)}.{_explain_unused(ignored)}"
        )
    return StartCommand(guess[1], folder, target, guess[0], port=target.app_port)


def _explain_unused(files: Sequence[str]) -> str:
    """Explain why a container file in the folder is not used, if there is one."""
    if not files:
        return ""
    key = "compose" if "compose" in files[0] else "dockerfile_path"
    reason = f"a container is built only of what {key} names" if containers.engine() else NO_CONTAINERS
    return f" {files[0]} is not used: {reason}."


def _containerfile(given: str, folder: Path, checkout: Path) -> Path:
    """Find the container file, relative to the application's folder or else to the repository."""
    for path in (resolve_inside(folder, given, checkout), resolve_inside(checkout, given, checkout)):
        if path and path.is_file():
            return path
    raise InvalidSandboxConfig(f"dockerfile_path '{given[:200]}' is no file of context_dir or of the repository")


def show_variables(env: Mapping[str, object]) -> dict[str, str]:
    """Return the variables of the repository's file as texts; booleans become `true` or `false`."""
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in env.items()}


def _target(checkout: Path, name: str | None) -> ApplicationTarget:
    config_path = next((path for each in NAMES if (path := find_file(checkout, each))), None)
    if config_path is None:
        if name:
            raise InvalidSandboxConfig(f"there is no target '{name}': the repository has no {NAMES[0]}")
        return ApplicationTarget()
    file = _read(config_path)
    wanted = name or file.default_target
    if wanted:
        if wanted not in file.targets:
            raise InvalidSandboxConfig(f"there is no target '{wanted}'.{did_you_mean(wanted, file.targets)}")
        return file.targets[wanted]
    if file.app:
        return file.app
    if len(file.targets) == 1:
        return next(iter(file.targets.values()))
    raise InvalidSandboxConfig(f"{config_path.name} needs `app`, or `default_target` naming one of its `targets`")


def _read(path: Path) -> _File:
    given = parse_yaml(read_bounded(path), path.name)
    try:
        file = msgspec.convert(given, _File)
        msgspec.json.encode(file)  # raises for an unpaired surrogate, which cannot be encoded
        return file
    except msgspec.ValidationError as error:
        raise InvalidSandboxConfig(f"{path.name}: {str(error)[:500]}.{_suggest_field(str(error))}") from None
    except ValueError as error:
        raise InvalidSandboxConfig(f"{path.name} is no YAML: {str(error)[:500]}") from None


def _suggest_field(problem: str) -> str:
    """A sentence with the key that was probably meant, for an error about an unknown one; empty without one."""
    unknown = re.search(r"unknown field `(.+?)`", problem)
    known = [*ApplicationTarget.__struct_fields__, *_File.__struct_fields__]
    return did_you_mean(unknown[1], known) if unknown else ""


def guess_command(folder: Path) -> tuple[str, str] | None:
    """Guess a command; returns the file that it was guessed from and the command, or None."""
    for name, guess in _GUESSES:
        path = find_file(folder, name)
        command = guess(path) if path else None
        if command:
            return name, command
    return None


def _procfile(path: Path) -> str | None:
    web = re.search(r"^web:\s*(.+)$", read_start(path), re.MULTILINE)
    return web[1].strip() if web else None


def _package(path: Path) -> str | None:
    try:
        scripts = msgspec.json.decode(read_start(path), type=_Package).scripts or {}
    except (msgspec.DecodeError, RecursionError):
        return None
    return next((f"npm run --silent {name}" for name in ("start", "dev") if name in scripts), None)


def _django(path: Path) -> str:
    return "python manage.py runserver 127.0.0.1:$PORT"


def _python(path: Path) -> str:
    """The command of the framework that a module creates its `app` with, or else of the module itself."""
    text = read_start(path)
    made = re.search(r"^(\w+)\s*(?::[^=\n]+)?=\s*(?:\w+\.)?(FastAPI|Starlette|Flask)\(", text, re.MULTILINE)
    if not made or "__main__" in text:
        return f"python {path.name}"
    if made[2] == "Flask":
        return f"python -m flask --app {path.stem}:{made[1]} run --port $PORT"
    return f"python -m uvicorn {path.stem}:{made[1]} --port $PORT"


def _static(path: Path) -> str:
    return "python -m http.server $PORT --bind 127.0.0.1"


_GUESSES: tuple[tuple[str, Callable[[Path], str | None]], ...] = (
    ("Procfile", _procfile),
    ("package.json", _package),
    ("manage.py", _django),
    ("app.py", _python),
    ("main.py", _python),
    ("server.py", _python),
    ("index.html", _static),
)
