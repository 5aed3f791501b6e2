"""One vendor API call, from request to response."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeVar

from twindiff.catalog.stamps import wall
from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError, InternalError
from twindiff.kit.http import Request, Response
from twindiff.kit.limits import Meter
from twindiff.kit.request_context import RequestContext
from twindiff.kit.twin import Twin
from twindiff.storage import CatalogStore, NotServed, OperationContext, OperationInfo, StorageEngine
from twindiff.storage.deadline import OffloadRequired

from .call_log import AGENT_REFUSED, HOST_REFUSED, MISSING_OPERATION, UNKNOWN_OPERATION, CallLog, CallLogEntry
from .due import DueWork, StillDue
from .environments import LoadedEnvironment
from .transcripts import Policy, RecordedExchange

T = TypeVar("T")

log = logging.getLogger("twindiff")


class CallResult(NamedTuple):
    """The outcome of a call: its response and what the call log records of it."""

    answer: Response
    operation: str
    actor: str = ""
    error: str | None = None
    seq: int | None = None


class OperationRunner(Protocol):
    """Runs operations in transactions: a storage engine or a substitute for it."""

    def read(self, env: str, twin: str, work: Callable[[OperationContext], T], *, at: int | None = None) -> T:
        """Run read-only work at the clock time `at`."""
        ...

    def write(
        self, env: str, info: OperationInfo, work: Callable[[OperationContext], T], *, at: int | None = None
    ) -> tuple[T, int | None]:
        """Run work in one transaction; returns its result and the seq of its record, None if it wrote nothing."""
        ...


class Calls:
    """Answers the calls of environments and logs each of them."""

    def __init__(
        self,
        engine: StorageEngine,
        catalog: CatalogStore,
        transcripts: Policy = "all",
        *,
        is_read_elsewhere: bool = False,
    ) -> None:
        self._engine = engine
        self.log = CallLog(engine, catalog, transcripts, is_read_elsewhere=is_read_elsewhere)
        self.due = DueWork(engine, self.log)

    def answer(
        self,
        environment: LoadedEnvironment,
        twin: Twin,
        exchange: RequestContext,
        *,
        trusted: bool = False,
        where: OperationRunner | None = None,
    ) -> Response:
        """Answer one request to a twin of a loaded environment; a `trusted` request needs no token of the environment.

        `where` runs the operation and defaults to the engine. Raises StillDue when much due work comes first and the
        request should be retried, and OffloadRequired when the request must run in a worker thread.
        """
        started = time.perf_counter()
        try:
            outcome = self.outcome(environment, twin, exchange, where or self._engine, trusted=trusted)
        except (StillDue, OffloadRequired):
            raise
        except BaseException:
            self.note(environment, twin, internal_failure(exchange), exchange.request, exchange.token, started)
            raise
        self.note(environment, twin, outcome, exchange.request, exchange.token, started)
        return outcome.answer

    def unknown(self, environment: LoadedEnvironment, twin: Twin, request: Request, token: str) -> Response:
        """Respond to a request for an operation that the twin lacks, and log it."""
        answer = twin.style.unknown(request, twin.dispatch.verbs(request.path))
        error = MISSING_OPERATION if twin.lacks(request) else UNKNOWN_OPERATION
        if request.verb == "OPTIONS" and answer.status == 204:
            error = None  # The answer says which methods the path has.
        outcome = CallResult(answer, _name_request(request), error=error)
        self.note(environment, twin, outcome, request, token, time.perf_counter())
        return answer

    def refuse_agent(self, environment: LoadedEnvironment, request: Request) -> None:
        """Log a rejected control plane request of an environment's agent."""
        self.log.add(
            environment.id, CallLogEntry(wall(), "", _name_request(request), "", 403, 0.0, AGENT_REFUSED, None)
        )

    def refuse_host(self, environment: LoadedEnvironment, host: str, request: str) -> None:
        """Log a request to a host for which the TLS door does not answer, such as `CONNECT api.test.com:443`."""
        refused = CallLogEntry(wall(), "", request[:200], "", 403, 0.0, HOST_REFUSED, None, host=host[:200])
        self.log.add(environment.id, refused)

    def note(
        self,
        environment: LoadedEnvironment,
        twin: Twin,
        outcome: CallResult,
        request: Request,
        token: str,
        started: float,
    ) -> None:
        """Log a call that began at `started`, in seconds of `time.perf_counter`."""
        answer, operation, actor, error, seq = outcome
        spent, heard = (time.perf_counter() - started) * 1000, RecordedExchange(request, answer, token)
        host = request.vendor_host or None
        entry = CallLogEntry(wall(), twin.name, operation, actor, answer.status, spent, error, seq, heard, host)
        self.log.add(environment.id, entry)

    def outcome(
        self,
        environment: LoadedEnvironment,
        twin: Twin,
        exchange: RequestContext,
        where: OperationRunner,
        *,
        trusted: bool,
    ) -> CallResult:
        """Run a call without logging it; raises NotServed, and OffloadRequired if it must run in a worker thread."""
        environment.came_by[twin.name] = exchange.base_url
        outcome = self._outcome(environment, twin, exchange, where, trusted=trusted)
        named = twin.own_addresses.name_in_response(outcome.answer, exchange.base_url)
        return outcome if named is outcome.answer else outcome._replace(answer=named)

    def _outcome(
        self,
        environment: LoadedEnvironment,
        twin: Twin,
        exchange: RequestContext,
        where: OperationRunner,
        *,
        trusted: bool,
    ) -> CallResult:
        try:
            twin.read(exchange)
            is_trusted = trusted or exchange.operation.declared.open
            return self._perform(environment, twin, exchange, where, trusted=is_trusted)
        except NotServed:
            raise
        except ApiError as error:
            return CallResult(
                exchange.style.error(error, exchange), exchange.operation.name, exchange.actor, error.code
            )
        except Exception:  # an internal error of a twin is rendered in the vendor's error format
            log.exception("%s of %s failed", exchange.operation.name, twin.name)
            mistake = InternalError()
            answer = exchange.style.error(mistake, exchange)._replace(status=mistake.status)
            return internal_failure(exchange)._replace(answer=answer)

    def _perform(
        self,
        environment: LoadedEnvironment,
        twin: Twin,
        exchange: RequestContext,
        where: OperationRunner,
        *,
        trusted: bool,
    ) -> CallResult:
        operation, tokens = exchange.operation, environment.tokens
        info = OperationInfo(twin.name, operation.name, "")

        def work(moment: OperationContext) -> Any:
            exchange.meter = environment.meter if exchange.meter is None else Meter()  # a retried call is counted
            call = Call(
                "",
                moment.db,
                moment.clock,
                blobs=self._engine.blobs,
                token=exchange.token,
                secret=environment.secret,
                strict=exchange.strict,
                tokens=tokens,
                came_by=exchange.base_url,
            )
            known = twin.actor_of(call) if twin.actor_of and exchange.token else None
            actor = tokens.actor_of(exchange.token, twin.name, known, exchange.style, trusted=trusted)
            call.actor = exchange.actor = info.actor = actor
            return operation.run(exchange, call)

        def run(at: int | None) -> Any:
            if operation.reads:
                return where.read(environment.id, twin.name, work, at=at), None
            return where.write(environment.id, info, work, at=at)

        result, seq = self.due.before(environment, run)
        answer = exchange.answer(result)
        error = result.code if isinstance(result, ApiError) else answer.error
        return CallResult(answer, operation.name, exchange.actor, error or None, seq)


def internal_failure(exchange: RequestContext) -> CallResult:
    """Return the result of a call that failed without a response in the vendor's format."""
    return CallResult(Response(b"", 500), exchange.operation.name, error="internal_error")


def _name_request(request: Request) -> str:
    return f"{request.verb} {request.path}"[:200]
