"""Faults: what goes wrong on purpose between an application and the twins of an environment."""

from __future__ import annotations

import msgspec

from twindiff.environments.faults import Armed, Fault
from twindiff.kit.twin import Operations
from twindiff.server.service import Service

api = Operations()


class FaultShown(msgspec.Struct):
    """A fault, and how many calls it has `met` since it was set."""

    fault: Fault
    met: int


class FaultList(msgspec.Struct):
    faults: list[FaultShown]


@api.put("/env/{envId}/faults")
def set_faults(service: Service, env_id: str, faults: list[Fault]) -> FaultList:
    """Let these go wrong from now on, in this order, in place of what was set before; with an empty list nothing does.

    `latency` waits `seconds`; `unavailable` answers the vendor's 5xx (`status`); `rate_limit` lets `calls` pass within
    `seconds` and answers the vendor's 429 to the others; `lost_answer` does the operation and answers 504; `reply`
    answers `status` and `body`. Each is for a `twin` (or all) and an `operation` as the call log names it, where `*`
    stands for anything; it spares the first `after` calls and meets `times` of those that follow, or all.
    """
    return _render_faults(service.environments.set_faults(env_id, faults))


@api.get("/env/{envId}/faults")
def list_faults(service: Service, env_id: str) -> FaultList:
    """What goes wrong on purpose, and how often it has."""
    return _render_faults(service.environments.get(env_id).faults)


def _render_faults(faults: list[Armed]) -> FaultList:
    return FaultList([FaultShown(each.fault, each.met) for each in faults])
