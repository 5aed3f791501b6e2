"""An overlay for Docker Compose, by which the services of an application come in by the TLS door."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import yaml

from twindiff.cli.problem import CommandError
from twindiff.cli.remote import Json
from twindiff.server.door.variables import HERE, NO_PROXY, door_variables, write_certificates

FILES = ("compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml")
MACHINE = "host.docker.internal"
"""The name of the machine in a container."""
INSIDE = "/run/twindiff"
"""The folder of the certificates in a container."""
CERTIFICATES = "certificates"
LOOPBACK = ("127.0.0.1", "::1")


def find_services(file: Path | None, folder: Path) -> list[str]:
    """The names of the services in a compose file, by default in that of a folder; raises CommandError."""
    path = file or next((folder / name for name in FILES if (folder / name).is_file()), None)
    if path is None:
        raise CommandError(f"There is none of {', '.join(FILES)} here. Name the file with --file.", exit_code=2)
    try:
        given: Any = yaml.safe_load(path.read_text())
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise CommandError(f"{path} cannot be read as a compose file: {error}") from None
    services = cast(Json, given).get("services") if isinstance(given, dict) else None
    if not isinstance(services, dict) or not services:
        raise CommandError(f"{path} names no services. Give a compose file with --file.", exit_code=2)
    return [str(name) for name in cast(Json, services)]


def write_overlay(door: Json, services: Sequence[str], neighbours: Sequence[str], file: Path) -> None:
    """Write the overlay, and the certificates to a folder beside it; raises OSError.

    Calls of `neighbours`, the names of all services, do not go to the proxy.
    """
    folder = file.with_suffix("") / CERTIFICATES
    folder.mkdir(parents=True, exist_ok=True)
    write_certificates(folder, door["certificate"])
    is_local = door["host"] in LOOPBACK
    proxy = f"http://{door['user']}:{door['password']}@{MACHINE if is_local else door['host']}:{door['port']}"
    variables = door_variables(proxy, Path(INSIDE), door["variables"])
    service: Json = {
        "environment": variables | dict.fromkeys(NO_PROXY, ",".join((HERE, *neighbours))),
        "volumes": [f"{folder.resolve()}:{INSIDE}:ro"],
        # Docker on Linux knows the machine by this only, and Podman before 4.7 does not know it.
        **({"extra_hosts": [f"{MACHINE}:host-gateway"]} if is_local else {}),
    }
    file.touch(mode=0o600)  # the variables have the environment's password
    written = yaml.safe_dump({"services": dict.fromkeys(services, service)}, sort_keys=False, default_flow_style=False)
    file.write_text(
        f"# Written by `twindiff compose`: the vendors' hosts are the twins of {door['environmentId']}.\n{written}"
    )
