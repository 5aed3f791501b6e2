"""The vendors' APIs: `/api/env/{id}/services/{twin}/…`, or the host `{twin}--{id}.localhost`.
A request is authorized before its body is read, and its body is complete before the operation starts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import cast

from twindiff.catalog.stamps import wall
from twindiff.environments.due import StillDue
from twindiff.environments.environments import LoadedEnvironment
from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError
from twindiff.kit.http import Request, Response
from twindiff.kit.request_context import RequestContext
from twindiff.kit.twin import BODY_LIMIT, Twin
from twindiff.server.apis.twin_runs.access_policy import existing, pass_gate
from twindiff.server.apis.twin_runs.admin import answer_admin, is_admin
from twindiff.server.auth import InvalidApiKey, MissingApiKey, Unauthorized, authorize, no_such_twin, token_of
from twindiff.server.bodies import BodyTooLarge, Receive, length_of, read_body
from twindiff.server.call_scheduler import LARGE_BODY
from twindiff.server.fault_injection import answer_with_faults, try_to_read
from twindiff.server.held_bytes import MemoryFull
from twindiff.server.service import Service
from twindiff.server.targets import RequestTarget
from twindiff.storage import EnvironmentGone, OperationContext

_HARMLESS = (("X-Content-Type-Options", "nosniff"), ("Content-Security-Policy", "sandbox; default-src 'none'"))
_ACTIVE = {"image/svg+xml", "text/html", "text/xml", "application/xml", "application/xhtml+xml", "application/xslt+xml"}
"""Media types that can hold scripts; they are sent as attachments, so browsers download instead of rendering them."""


@dataclass(slots=True)
class RoutedRequest:
    """A request whose environment, twin and operation are known; `exchange` is None if the twin lacks the operation.
    `trusted` is None until the request is authorized, which has to wait for the body where that may hold the token.
    """

    environment: LoadedEnvironment
    twin: Twin
    exchange: RequestContext | None
    request: Request
    token: str
    trusted: bool | None = None
    is_vouched: bool = False
    """Whether the TLS door has authorized the client for the environment."""

    @property
    def is_open(self) -> bool:
        """Whether the operation needs no token."""
        return self.exchange is not None and self.exchange.operation.declared.open

    def refusal(self, error: ApiError) -> Response:
        """Render an authorization error in the vendor's form; a token of another environment gets 403."""
        style = self.exchange.style if self.exchange else self.twin.style
        if isinstance(error, Unauthorized):
            return style.error(error, self.exchange)._replace(status=error.status)
        return style.error(style.refuse_token(self.token or self.request.headers.get("x-api-key", "")), self.exchange)

    @property
    def body_limit(self) -> int:
        """The maximum size of its body in bytes."""
        return self.exchange.operation.declared.body_limit if self.exchange else BODY_LIMIT


class Refused(Exception):
    """A request whose token opens nothing here, with the answer to it."""

    def __init__(self, answer: Response) -> None:
        super().__init__()
        self.answer = answer


def _refuse_body(opened: RoutedRequest, error: ApiError) -> Response:
    """Refuse a body, or any request for want of memory, in the vendor's form."""
    answer = opened.twin.style.error(error, opened.exchange)._replace(status=error.status)
    headers = {name.lower(): (name, value) for name, value in error.details.get("headers", ())}
    given = {name.lower() for name, _ in answer.headers}
    return answer._replace(headers=(*answer.headers, *(each for name, each in headers.items() if name not in given)))


def harmless(answer: Response) -> Response:
    """Add headers that keep browsers from running vendors' files as pages of this server, which serves them."""
    if answer.content_type.startswith("application/json"):
        return answer
    kind = answer.content_type.partition(";")[0].strip().lower()
    given = {name.lower() for name, _ in answer.headers}
    headers = [each for each in _HARMLESS if each[0].lower() not in given]
    if kind in _ACTIVE and "content-disposition" not in given:
        headers.append(("Content-Disposition", "attachment"))
    return answer._replace(headers=(*answer.headers, *headers))


class DataPlane:
    """Responds to requests to the twins of environments."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def answer(self, request: Request, target: RequestTarget, receive: Receive) -> Response:
        """Respond to one request, even an unauthorized one; raises ApiError if environment or twin does not exist."""
        try:
            return await self._answer(request, target, receive)
        except Refused as refused:
            return refused.answer

    async def admit(self, request: Request, target: RequestTarget) -> tuple[Twin, ...]:
        """Authorize a client that calls no operation yet; returns the twins of its target.
        Raises ApiError if it is not authorized for any of them, or environment or twin does not exist.
        """
        return await self._service.runtime.run_call(target.environment, lambda: self._admit(request, target))

    async def _admit(self, request: Request, target: RequestTarget) -> tuple[Twin, ...]:
        environment = existing(self._service, target.environment)
        if environment.gate:
            request = pass_gate(environment.gate, request)
        names = (target.twin,) if target.twin else tuple(environment.twins)
        twins = tuple(self._service.twin_of(environment, name) for name in names)
        refused: ApiError | None = None
        for twin in twins:
            token = token_of(twin.style, request)
            opened = RoutedRequest(environment, twin, None, request, token, is_vouched=target.is_vouched)
            try:
                await self._check_token(opened)
            except (Unauthorized, InvalidApiKey, MissingApiKey) as error:
                refused = error
            else:
                return twins
        assert refused, "an environment has at least one twin"
        raise refused

    async def _answer(self, request: Request, target: RequestTarget, receive: Receive) -> Response:
        request = Request(request.verb, target.path, request.query, request.headers, vendor_host=target.vendor_host)
        in_turn = self._service.runtime.run_call
        if self._service.engine.may_block and length_of(request) <= LARGE_BODY:
            # Where calls run in threads, a request with a small body takes one trip to a thread instead of two.
            try:
                request = request._replace(body=await read_body(request, receive, LARGE_BODY))
            except MemoryFull as error:
                return _refuse_body(await in_turn(target.environment, lambda: self._open(request, target)), error)
            done = await in_turn(target.environment, lambda: self._open_and_operate(request, target))
            return done if isinstance(done, Response) else await self._answer_with_faults(done, request.body)
        opened = await in_turn(target.environment, lambda: self._open(request, target))
        try:
            body = await read_body(request, receive, opened.body_limit)
        except (BodyTooLarge, MemoryFull) as error:
            return _refuse_body(opened, error)
        if opened.environment.faults and opened.exchange:
            return await self._answer_with_faults(opened, body)
        return await in_turn(target.environment, lambda: self._operate(opened, body))

    async def _open_and_operate(self, request: Request, target: RequestTarget) -> Response | RoutedRequest:
        """The response; or the routed request where faults are armed, because their delays must not occupy a thread."""
        opened = await self._open(request, target)
        if opened.environment.faults and opened.exchange:
            return opened
        return await self._operate(opened, request.body)

    async def _answer_with_faults(self, opened: RoutedRequest, body: bytes) -> Response:
        environment, exchange = opened.environment, cast(RequestContext, opened.exchange)
        exchange.request = opened.request._replace(body=body)

        async def proceed() -> Response:
            return await self._service.runtime.run_call(environment.id, lambda: self._operate(opened, body))

        if opened.trusted is None:
            authorize_late = partial(self._authorize_by_body, opened, exchange.request)
            await self._service.runtime.run_call(environment.id, authorize_late)
        exchange.token = opened.token
        return await answer_with_faults(self._service, environment, opened.twin, exchange, proceed)

    async def _open(self, request: Request, target: RequestTarget) -> RoutedRequest:
        service = self._service
        environment = existing(service, target.environment)
        twin = environment.twin(target.twin, service.registry)
        if twin is None:
            raise no_such_twin(environment, target.twin, service.registry)
        if environment.gate and not (target.is_vouched and not is_admin(request.path)):
            request = pass_gate(environment.gate, request)
            if is_admin(request.path):
                return RoutedRequest(environment, twin, None, request, "", trusted=True)
        exchange = twin.exchange(request, target.base_url)
        if exchange is not None:
            exchange.strict = environment.tokens.mode == "strict"
        token = token_of(twin.style, request)
        opened = RoutedRequest(environment, twin, exchange, request, token, is_vouched=target.is_vouched)
        if opened.is_open:
            opened.token = ""
        elif not opened.token and twin.style.token_in_body and length_of(request):
            return opened
        opened.trusted = await self._authorize(opened)
        return opened

    async def _operate(self, opened: RoutedRequest, body: bytes) -> Response:
        head = opened.request
        request = head._replace(body=body)
        # The environment may have ended while the body arrived.
        environment, twin = existing(self._service, opened.environment.id), opened.twin
        if environment.gate and is_admin(request.path):
            return await answer_admin(self._service, environment, twin, request)
        if opened.trusted is None:
            await self._authorize_by_body(opened, request)
        exchange, trusted = opened.exchange, bool(opened.trusted)
        if exchange is None:
            return self._service.calls.unknown(environment, twin, request, opened.token)
        exchange.request, exchange.token = request, opened.token
        if len(body) > LARGE_BODY:
            await self._service.execution.read(environment.id, body, partial(try_to_read, twin, exchange))
            environment = existing(self._service, environment.id)
        try:
            if self._service.engine.is_loaded(environment.id):
                environment.last_used_at = wall()
            else:
                await self._service.loader.load(environment)
            return await self._service.execution.answer(environment, twin, exchange, trusted=trusted)
        except StillDue:
            await self._service.loader.run_due_work(environment.id)
            return await self._service.execution.answer(environment, twin, exchange, trusted=trusted)
        except EnvironmentGone:
            self._service.environments.drop([environment.id])
            self._service.environments.get(environment.id)
            raise

    async def _authorize_by_body(self, opened: RoutedRequest, request: Request) -> None:
        look = partial(token_of, opened.twin.style, request)
        opened.token = await self._service.execution.read(opened.environment.id, request.body, look)
        opened.trusted = await self._authorize(opened)

    async def _authorize(self, opened: RoutedRequest) -> bool:
        try:
            return await self._check_token(opened)
        except (Unauthorized, InvalidApiKey, MissingApiKey) as error:
            raise Refused(opened.refusal(error)) from None

    async def _check_token(self, opened: RoutedRequest) -> bool:
        """Whether a request is trusted; raises Unauthorized, InvalidApiKey, MissingApiKey."""
        environment, twin, token = opened.environment, opened.twin, opened.token
        key = None if opened.is_vouched else self._service.settings.api_key
        if key and token and twin.actor_of:
            await self._service.loader.load(environment)
        is_known = partial(self._knows, environment, twin, token)
        return authorize(key, environment, opened.request, token, is_open=opened.is_open, is_known=is_known)

    def _knows(self, environment: LoadedEnvironment, twin: Twin, token: str) -> bool:
        """Whether the twin has issued this token itself."""
        actor_of = twin.actor_of
        if actor_of is None:
            return False

        def look(moment: OperationContext) -> bool:
            try:
                return actor_of(Call("", moment.db, moment.clock, token=token)) is not None
            except ApiError:  # it was issued but is no longer valid: the twin refuses it with the vendor's error
                return True

        return self._service.engine.read(environment.id, twin.name, look, at=0)
