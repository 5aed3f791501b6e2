"""Loopback ports of twins: opened on demand, recorded with their environment, opened again when the server starts."""

from __future__ import annotations

import logging
from typing import Any, cast

from twindiff.catalog import EnvironmentRecord
from twindiff.server.service import Service

log = logging.getLogger("twindiff")


async def open_port(service: Service, environment_id: str, twin: str) -> str:
    """Return the URL of a twin on its own port, which is opened if it is not yet; raises TooManyPorts."""
    recorded = _read_recorded(service, environment_id).get(twin, {})
    wanted = cast(int, recorded.get("port", 0))
    port = await service.runtime.run_on_loop(service.ports.open(environment_id, twin, wanted))
    if port.number != wanted:
        _write_port(service, environment_id, twin, {"port": port.number, "was": wanted or None})
    return port.url


async def reopen_ports(service: Service) -> None:
    """Open the recorded ports of all ready environments again, each with its number where no other program has it."""
    records = service.catalog.rows(EnvironmentRecord, EnvironmentRecord.status == "ready")
    for record in records:
        for twin in record.ports or ():
            try:
                await open_port(service, record.environment_id, twin)
            except Exception as error:  # noqa: BLE001 - whatever it is, the server starts
                log.warning("The port of %s in environment %s stays closed: %s", twin, record.environment_id, error)


def describe_changed_ports(service: Service, environment_id: str) -> list[str]:
    """Say which twins of an environment have another port than before, one sentence each."""
    return [
        f"{twin}: another program had port {each['was']} when the server started; the twin is now at "
        f"http://127.0.0.1:{each['port']}, and programs that were started before need its new variables"
        for twin, each in _read_recorded(service, environment_id).items()
        if each["was"]
    ]


def _read_recorded(service: Service, environment_id: str) -> dict[str, Any]:
    return service.environments.record(environment_id).ports or {}


def _write_port(service: Service, environment_id: str, twin: str, port: dict[str, int | None]) -> None:
    """Record the port of a twin; of several processes each has ports of its own, which end with it."""
    if service.engine.is_shared:
        return
    with service.engine.transaction():
        record = service.environments.record(environment_id)
        service.catalog.change(record, ports={**(record.ports or {}), twin: port})
