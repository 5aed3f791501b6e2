"""Idempotency keys: a request that is sent again is answered as it was, and done once."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Any

from twindiff.kit import Call, RequestContext, Response

from .errors import KeyReused
from .tables import IdempotencyKey


def idempotent(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Any:
    """A layer: answer a known Idempotency-Key as before. What is refused is not kept, and may be tried again."""
    key = exchange.request.headers.get("idempotency-key", "")
    if not key:
        return proceed()
    asked = blake2b(exchange.request.body, person=b"ledger", digest_size=16).hexdigest()
    known = call.db.find(IdempotencyKey, IdempotencyKey.key == key)
    if known is None:
        answer = exchange.answer(proceed())
        call.db.add(IdempotencyKey(key=key, request=asked, status=answer.status, body=answer.body.decode()))
        return answer
    if known.request != asked:
        raise KeyReused
    return Response(known.body.encode(), known.status)
