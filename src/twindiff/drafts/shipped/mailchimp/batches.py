"""Operations in batches. https://mailchimp.com/developer/marketing/api/batch-operations/"""

from __future__ import annotations

import hmac
import io
import json
import tarfile
from hashlib import sha256
from typing import Annotated, Any, cast
from urllib.parse import unquote, urlencode

import msgspec

from twindiff.kit.auth import is_same_secret
from twindiff.kit.call import Call
from twindiff.kit.downloads import file_answer
from twindiff.kit.http import Request, Response
from twindiff.kit.parameter_sources import Named
from twindiff.kit.request_context import RequestContext
from twindiff.kit.twin import Dispatch, Operations

from . import campaigns, lists, members, segments
from .tables import MailchimpBatch
from .wire_style import MailchimpError, ResourceNotFound, link, page_rows, show_time

api = Operations(prefix="/3.0/batches")
MAX_OPERATIONS = 1_000
"""Operations of a batch that this twin does at once."""
MAX_ANSWERED = 16_000_000
"""Characters of the answers of a batch together."""
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_SERVED = (lists.api, members.api, segments.api, campaigns.api)
Shown = dict[str, Any]


class BatchOperation(msgspec.Struct):
    """An operation: `path` is relative to `/3.0`, and `body` is JSON as a text."""

    method: str
    path: str
    params: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    body: str = ""
    operation_id: str = ""


def _show(call: Call, row: MailchimpBatch, *, is_new: bool = False) -> Shown:
    """Return a batch; a new one is shown as Mailchimp shows it before it begins."""
    answers = cast(list[Shown], row.answers)
    errors = sum(each["status_code"] >= 400 for each in answers)
    path = f"/batches/{row.id}"
    return {
        "id": row.id,
        "status": "pending" if is_new else "finished",
        "total_operations": 0 if is_new else len(answers),
        "finished_operations": 0 if is_new else len(answers),
        "errored_operations": 0 if is_new else errors,
        "submitted_at": show_time(row.submitted_at),
        "completed_at": "" if is_new else show_time(row.submitted_at),
        "response_body_url": "" if is_new else _address(call, row.id),
        "_links": [link("parent", "/batches"), link("self", path), link("delete", path, "DELETE")],
    }


def _address(call: Call, id: str) -> str:
    """Return the address of the answers of a batch, whose signature stands for a token, as at Mailchimp."""
    return f"{call.base_url}/3.0/batches/{id}/response.tar.gz?Signature={_sign(call, id)}"


def _sign(call: Call, id: str) -> str:
    return hmac.new(call.secret.encode(), f"batch {id}".encode(), sha256).hexdigest()


def _find(call: Call, id: str) -> MailchimpBatch:
    return call.db.get(MailchimpBatch, id, missing=ResourceNotFound)


@api.post("")
def post_batch(call: Call, operations: list[BatchOperation]) -> Shown:
    """Do operations one after another; each that is refused is undone alone."""
    if not 1 <= len(operations) <= MAX_OPERATIONS:
        raise MailchimpError(400, f"operations: a batch has between 1 and {MAX_OPERATIONS:,} operations")
    for number, each in enumerate(operations):
        if each.method.upper() not in _METHODS:
            raise MailchimpError(400, f"operations.{number}.method: Value must be one of: {', '.join(_METHODS)}")
    dispatch, answers = Dispatch(call.memo["exchange"].style, _SERVED), list[Shown]()
    size = 0
    for each in operations:
        answers.append(_answer(call, dispatch, each))
        size += len(answers[-1]["response"])
        if size > MAX_ANSWERED:
            raise MailchimpError(400, f"operations: their answers have over {MAX_ANSWERED:,} characters together")
    id = call.ids.uuid().replace("-", "")[-10:]
    row = call.db.add(MailchimpBatch(id=id, answers=answers, submitted_at=call.clock.iso()))
    return _show(call, row, is_new=True)


@api.get("")
def list_batches(call: Call, count: int = 10, offset: int = 0) -> Shown:
    """List the batches, the newest first."""
    rows = call.db.rows(MailchimpBatch, order=-MailchimpBatch.submitted_at)
    shown = [_show(call, each) for each in page_rows(rows, count, offset)]
    return {"batches": shown, "total_items": len(rows), "_links": [link("self", "/batches")]}


@api.get("/{batch_id}")
def get_batch(call: Call, batch_id: str) -> Shown:
    """Return the state of a batch."""
    return _show(call, _find(call, batch_id))


@api.delete("/{batch_id}", status=204)
def delete_batch(call: Call, batch_id: str) -> None:
    """Remove a batch and its answers; what it did stays."""
    call.db.remove(_find(call, batch_id))


@api.get("/{batch_id}/response.tar.gz", open=True)
def get_answers(call: Call, batch_id: str, signature: Annotated[str, Named("Signature")] = "") -> Response:
    """Return the answers to the operations of a batch, without a token, to who has its signed address."""
    if not is_same_secret(signature, _sign(call, batch_id)):
        raise MailchimpError(403, "The address of the answers is not signed, or not for this batch")
    content = json.dumps(_find(call, batch_id).answers).encode()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        file = tarfile.TarInfo(f"{batch_id}-response.json")
        file.size = len(content)
        archive.addfile(file, io.BytesIO(content))
    return file_answer(packed.getvalue(), "application/gzip", filename=f"{batch_id}-response.tar.gz")


def _answer(call: Call, dispatch: Dispatch, operation: BatchOperation) -> Shown:
    outer: RequestContext = call.memo["exchange"]
    path, _, query = operation.path.partition("?")
    path = "/" + path.strip("/")
    path = path if path.startswith("/3.0/") else f"/3.0{path}"
    query = "&".join(each for each in (query, urlencode(operation.params)) if each)
    headers = {**outer.request.headers, "content-type": "application/json"}
    request = Request(operation.method.upper(), unquote(path), query, headers, operation.body.encode())
    match = dispatch.find(request.verb, request.path)
    if match is None:
        answer = outer.style.unknown(request, dispatch.verbs(request.path))
    else:
        answer = outer.answer_inner(call, request, match.operation, match.path_parameters)
    response = answer.body.decode() if answer.body else ""
    return {"status_code": answer.status, "operation_id": operation.operation_id, "response": response}
