"""The ring of layers outside an operation's transaction: an environment's faults, which may wait, refuse or lose.

Layers inside it (`Twin(layers=…)`) see rows and may keep what they wrote; these see a request and its answer.
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
from twindiff.kit.request_context import Exchange
from twindiff.kit.twin import Twin
from twindiff.server.service import Service

LOST = Response(b"", 504, content_type="text/plain")
"""What a gateway says that never heard the answer."""


async def answer_with_faults(
    service: Service,
    environment: LoadedEnvironment,
    twin: Twin,
    exchange: Exchange,
    proceed: Callable[[], Awaitable[Response]],
) -> Response:
    """Answer a request that has been authorized, through all faults that meet it; those that end it are logged."""
    started = time.perf_counter()
    read = partial(service.read, environment, exchange.request.body, partial(try_to_read, twin, exchange))
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


def try_to_read(twin: Twin, exchange: Exchange) -> None:
    """Read a request; one that cannot be read is refused when it is answered."""
    with suppress(ApiError):
        twin.read(exchange)


def _instead(fault: Fault, twin: Twin, exchange: Exchange) -> Response:
    """What is answered without doing anything."""
    if fault.kind == "reply":
        return Response(fault.body.encode(), fault.status, content_type=fault.content_type)
    if fault.kind == "rate_limit":
        retry = (("Retry-After", str(math.ceil(fault.seconds))),)
        return twin.style.error(RateLimited(headers=retry), exchange)
    return twin.style.error(Unavailable(), exchange)._replace(status=fault.status)
