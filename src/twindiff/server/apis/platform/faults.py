"""Operations for fault injection between an application and the twins of an environment."""

from __future__ import annotations

import msgspec

from twindiff.environments.faults import ArmedFault, Fault
from twindiff.kit.twin import Operations
from twindiff.server.service import Service

api = Operations()


class FaultShown(msgspec.Struct):
    """A fault, and the number of calls that have `met` it since it was set."""

    fault: Fault
    met: int


class FaultList(msgspec.Struct):
    faults: list[FaultShown]


@api.put("/env/{envId}/faults")
def set_faults(service: Service, env_id: str, faults: list[Fault]) -> FaultList:
    """Replace the faults of an environment, which apply in this order; an empty list removes all.
    `latency` waits `seconds`; `unavailable` responds with the vendor's 5xx (`status`); `rate_limit` lets `calls` pass
    within `seconds` and responds to the others with the vendor's 429; `lost_answer` performs the operation and responds
    with 504; `reply` responds with `status` and `body`. Each applies to a `twin` (or all) and an `operation` as the
    call log names it, where `*` matches anything; it skips the first `after` calls and affects `times` of those that
    follow, or all.
    """
    return _render_faults(service.environments.set_faults(env_id, faults))


@api.get("/env/{envId}/faults")
def list_faults(service: Service, env_id: str) -> FaultList:
    """The faults of an environment, and how often each has been met."""
    return _render_faults(service.environments.get(env_id).faults)


def _render_faults(faults: list[ArmedFault]) -> FaultList:
    return FaultList([FaultShown(each.fault, each.met) for each in faults])
