"""One vendor API call from request to answer."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from twindiff.catalog.stamps import wall
from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError
from twindiff.kit.http import Answer, Request
from twindiff.kit.twin import Found, Operation, Rules, Twin
from twindiff.storage import CatalogStore, Engine, Intent, Moment, NotServed

from .call_log import UNKNOWN_OPERATION, CallLog, Entry
from .environments import Environment


class Outcome(NamedTuple):
    """What a call came to."""

    answer: Answer
    operation: str
    actor: str = ""
    error: str | None = None
    seq: int | None = None


class Asker(NamedTuple):
    """Who makes a call, with which token, and the address at which they know the twin."""

    actor: str
    token: str
    base_url: str


class Calls:
    """Answers the calls of environments and logs each of them."""

    def __init__(self, engine: Engine, catalog: CatalogStore) -> None:
        self._engine = engine
        self.log = CallLog(engine, catalog)

    def answer(
        self, environment: Environment, twin: Twin, request: Request, base_url: str, *, trusted: bool = False
    ) -> Answer:
        """Answer one request to a twin of an awake environment; a trusted one need not bring a token of it."""
        started = time.perf_counter()
        outcome = Outcome(Answer(b"", 500), f"{request.verb} {request.path}"[:200], error="internal_error")
        try:
            outcome = self._outcome(environment, twin, request, base_url, trusted=trusted)
        finally:
            answer, operation, actor, error, seq = outcome
            spent = (time.perf_counter() - started) * 1000
            self.log.add(environment.id, Entry(wall(), twin.name, operation, actor, answer.status, spent, error, seq))
        return answer

    def _outcome(
        self, environment: Environment, twin: Twin, request: Request, base_url: str, *, trusted: bool
    ) -> Outcome:
        found = twin.dispatch.find(request.verb, request.path)
        if found is None:
            verbs = twin.dispatch.verbs(request.path)
            return Outcome(
                twin.style.unknown(request, verbs), f"{request.verb} {request.path}"[:200], "", UNKNOWN_OPERATION
            )
        try:
            is_open = found.operation.declared.open
            token = twin.style.token(request) if not is_open else None
            actor = environment.tokens.actor_of(token, twin.style, trusted=trusted or is_open)
            return self._perform(environment, twin, request, found, Asker(actor, token or "", base_url))
        except NotServed:
            raise
        except ApiError as error:
            return Outcome(twin.style.error(error), found.operation.name, error=error.code)

    def _perform(self, environment: Environment, twin: Twin, request: Request, found: Found, asker: Asker) -> Outcome:
        style = twin.style
        found = twin.chosen(request, found)
        operation = found.operation
        raw = style.parameters(request, found)
        guard = None if operation.declared.open else twin.guard
        actor, token, base_url = asker

        def work(moment: Moment) -> Any:
            call = Call(actor, moment.db, moment.clock, base_url, blobs=self._engine.blobs, token=token)
            if guard:
                guard(call, operation, Rules(environment.tokens.mode == "strict", environment.meter))
            return operation.bound.invoke(call, raw)

        result, seq = self._run(environment, twin, operation, actor, work)
        answer = result if isinstance(result, Answer) else style.result(result, operation)
        return Outcome(answer, operation.name, actor, answer.error or None, seq)

    def _run(self, environment: Environment, twin: Twin, operation: Operation, actor: str, work: Any) -> Any:
        if operation.reads:
            return self._engine.read(environment.id, twin.name, work), None
        return self._engine.write(environment.id, Intent(twin.name, operation.name, actor), work)
