"""One vendor API call from request to answer."""

from __future__ import annotations

import logging
import time
from typing import Any, NamedTuple

from twindiff.catalog.stamps import wall
from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError, InternalError
from twindiff.kit.exchange import Exchange
from twindiff.kit.http import Answer, Request
from twindiff.kit.twin import Twin
from twindiff.storage import CatalogStore, Engine, Intent, Moment, NotServed

from .call_log import UNKNOWN_OPERATION, CallLog, Entry
from .due import DueWork, StillDue
from .environments import Environment

log = logging.getLogger("twindiff")


class Outcome(NamedTuple):
    """What a call came to."""

    answer: Answer
    operation: str
    actor: str = ""
    error: str | None = None
    seq: int | None = None


class Calls:
    """Answers the calls of environments and logs each of them."""

    def __init__(self, engine: Engine, catalog: CatalogStore) -> None:
        self._engine = engine
        self.log = CallLog(engine, catalog)
        self.due = DueWork(engine, self.log)

    def answer(self, environment: Environment, twin: Twin, exchange: Exchange, *, trusted: bool = False) -> Answer:
        """Answer one request to a twin of an awake environment; a trusted one need not bring a token of it.

        Raises StillDue, and is to be tried again, when much has to be done before.
        """
        started = time.perf_counter()
        outcome = Outcome(Answer(b"", 500), exchange.operation.name, error="internal_error")
        begun = True
        try:
            outcome = self._outcome(environment, twin, exchange, trusted=trusted)
        except StillDue:
            begun = False
            raise
        except ApiError:
            raise
        except Exception:  # a mistake in a twin becomes the answer that its clients know how to read
            log.exception("%s of %s failed", exchange.operation.name, twin.name)
            mistake = InternalError()
            outcome = outcome._replace(answer=twin.style.error(mistake, exchange)._replace(status=mistake.status))
        finally:
            if begun:
                self._note(environment, twin, outcome, (time.perf_counter() - started) * 1000)
        return outcome.answer

    def unknown(self, environment: Environment, twin: Twin, request: Request) -> Answer:
        """Refuse a request for an operation that the twin lacks."""
        answer = twin.style.unknown(request, twin.dispatch.verbs(request.path))
        self._note(environment, twin, Outcome(answer, _named(request), error=UNKNOWN_OPERATION), 0.0)
        return answer

    def _note(self, environment: Environment, twin: Twin, outcome: Outcome, milliseconds: float) -> None:
        answer, operation, actor, error, seq = outcome
        entry = Entry(wall(), twin.name, operation, actor, answer.status, milliseconds, error, seq)
        self.log.add(environment.id, entry)

    def _outcome(self, environment: Environment, twin: Twin, exchange: Exchange, *, trusted: bool) -> Outcome:
        try:
            twin.read(exchange)
            return self._perform(environment, twin, exchange, trusted=trusted or exchange.operation.declared.open)
        except NotServed:
            raise
        except ApiError as error:
            return Outcome(twin.style.error(error, exchange), exchange.operation.name, exchange.actor, error.code)

    def _perform(self, environment: Environment, twin: Twin, exchange: Exchange, *, trusted: bool) -> Outcome:
        operation, tokens = exchange.operation, environment.tokens
        exchange.strict, exchange.meter = tokens.mode == "strict", environment.meter
        intent = Intent(twin.name, operation.name, "")

        def work(moment: Moment) -> Any:
            call = Call("", moment.db, moment.clock, exchange.base_url, blobs=self._engine.blobs, token=exchange.token)
            known = twin.actor_of(call) if twin.actor_of and exchange.token else None
            actor = tokens.actor_of(exchange.token, twin.name, known, twin.style, trusted=trusted)
            call.actor = exchange.actor = intent.actor = actor
            return operation.run(exchange, call)

        result, seq = self._run(environment, intent, work, reads=operation.reads)
        answer = exchange.answer(result)
        error = result.code if isinstance(result, ApiError) else answer.error
        return Outcome(answer, operation.name, exchange.actor, error or None, seq)

    def _run(self, environment: Environment, intent: Intent, work: Any, *, reads: bool) -> Any:
        def run(at: int | None) -> Any:
            if reads:
                return self._engine.read(environment.id, intent.twin, work, at=at), None
            return self._engine.write(environment.id, intent, work, at=at)

        return self.due.before(environment, run)


def _named(request: Request) -> str:
    return f"{request.verb} {request.path}"[:200]
