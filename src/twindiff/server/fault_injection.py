"""Fault injection, the middleware outside an operation's transaction: delays, refuses or loses responses.
Middleware inside the transaction (`Twin(layers=…)`) sees rows; this one sees a request and its response.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

from twindiff.environments.calls import CallResult
from twindiff.environments.environments import LoadedEnvironment
from twindiff.environments.faults import Fault
from twindiff.kit.errors import ApiError, RateLimited, Unavailable
from twindiff.kit.http import Response
from twindiff.kit.request_context import RequestContext
from twindiff.kit.twin import Twin
from twindiff.server.service import Service

LOST = Response(b"", 504, content_type="text/plain")
"""What a gateway sends if it never got the response."""


async def answer_with_faults(
    service: Service,
    environment: LoadedEnvironment,
    twin: Twin,
    exchange: RequestContext,
    proceed: Callable[[], Awaitable[Response]],
) -> Response:
    """Respond to an authorized request through all faults that match; logs the call if a fault replaces its
    response.
    """
    started = time.perf_counter()
    parse = partial(try_to_read, twin, exchange)
    read = partial(service.execution.read, environment.id, exchange.request.body, parse)
    await service.runtime.run_call(environment.id, read)
    operation = exchange.operation.name
    lost = False
    for armed in environment.faults:
        fault = armed.fault
        if not armed.meets(twin.name, operation):
            continue
        if fault.kind == "latency":
            await asyncio.sleep(fault.seconds)
        elif fault.kind == "lost_answer":
            lost = True
        else:
            answer = _instead(fault, twin, exchange)
            outcome = CallResult(answer, operation, error=f"fault_{fault.kind}")
            service.calls.note(environment, twin, outcome, exchange.request, exchange.token, started)
            return answer
    answer = await proceed()
    return LOST if lost else answer


def try_to_read(twin: Twin, exchange: RequestContext) -> None:
    """Parse a request ahead of time; one that cannot be parsed is refused later, when it is handled."""
    with suppress(ApiError):
        twin.read(exchange)


def _instead(fault: Fault, twin: Twin, exchange: RequestContext) -> Response:
    """The response of a fault that replaces the operation."""
    if fault.kind == "reply":
        return Response(fault.body.encode(), fault.status, content_type=fault.content_type)
    if fault.kind == "rate_limit":
        retry = (("Retry-After", str(math.ceil(fault.seconds))),)
        return twin.style.error(RateLimited(headers=retry), exchange)
    return twin.style.error(Unavailable(), exchange)._replace(status=fault.status)
