"""Health, readiness, metrics and the description of the API."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

import msgspec

from twindiff.kit.http import Response
from twindiff.kit.twin import Operations
from twindiff.server.openapi import describe
from twindiff.server.pages import reference
from twindiff.server.service import Service

api = Operations()


class Health(msgspec.Struct):
    status: str
    service: str
    time: str


@api.get("/health")
def health(service: Service) -> Health:
    """Whether the server responds."""
    return Health("healthy", "twindiff", datetime.now(UTC).isoformat())


@api.get("/ready")
def ready(service: Service) -> Health:
    """Whether the storage responds too, and accepts writes."""
    if service.maintenance.trouble:
        raise service.maintenance.trouble
    service.environments.count("ready")
    return Health("ready", "twindiff", datetime.now(UTC).isoformat())


@api.get("/metrics")
def metrics(service: Service) -> Response:
    """Counters in Prometheus' text format."""
    lines = [
        "# HELP twindiff_environments Environments by status.",
        "# TYPE twindiff_environments gauge",
        *(
            f'twindiff_environments{{status="{status}"}} {service.environments.count(status)}'
            for status in ("ready", "expired", "deleted")
        ),
        "# HELP twindiff_calls_total Calls to twins answered since the start.",
        "# TYPE twindiff_calls_total counter",
        f"twindiff_calls_total {service.calls.log.total}",
        "# HELP twindiff_uptime_seconds Seconds since the start.",
        "# TYPE twindiff_uptime_seconds gauge",
        f"twindiff_uptime_seconds {time.time() - service.started:.0f}",
    ]
    return Response(("\n".join(lines) + "\n").encode(), content_type="text/plain; version=0.0.4; charset=utf-8")


@api.get("/openapi.json")
def openapi(service: Service) -> dict[str, Any]:
    """This API, with twin runs and scenarios, as OpenAPI 3.1."""
    return describe()


@api.get("/docs")
def docs(service: Service) -> Response:
    """The same description as a page."""
    return reference(describe())
