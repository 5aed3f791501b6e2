"""Several requests in one, with references between them, and trees of records.

https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_composite_composite.htm
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, cast
from urllib.parse import unquote

import msgspec

from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError
from twindiff.kit.http import Request, Response, json_answer
from twindiff.kit.request_context import RequestContext
from twindiff.kit.twin import Dispatch, Operations

from . import descriptions, queries, records
from .objects import OBJECTS, SalesforceObject, children_of
from .records import create_record, get_object_or_refuse, show_collected
from .wire_style import SalesforceError

api = Operations(prefix="/services/data/v{version}/composite")
MAX_SUBREQUESTS = 25
MAX_TREE_RECORDS = 200
Shown = dict[str, Any]
_REFERENCE = re.compile(r"@\{([\w.\[\]-]+)\}")
_HALTED = "The transaction was rolled back since another operation in the same transaction failed."


class CompositeRequest(msgspec.Struct):
    """One of the requests."""

    method: str
    url: str
    reference_id: str = msgspec.field(default="", name="referenceId")
    body: Any = None


class BatchRequest(msgspec.Struct):
    """One of the requests of a batch, at an address below `/services/data`."""

    method: str
    url: str
    rich_input: Any = msgspec.field(default=None, name="richInput")


class InnerAnswer(NamedTuple):
    """The answer to one of the requests."""

    status: int
    body: Any


class _RolledBack(Exception):
    """One request failed where all or none are to be done."""


@api.post("")
def post_composite(
    call: Call, version: str, composite_request: list[CompositeRequest], all_or_none: bool = False
) -> Shown:
    """Make up to 25 requests in order; `@{reference.id}` in one stands for a value of an answer before it."""
    _check_count(composite_request)
    answers: dict[str, InnerAnswer] = {}
    try:
        with call.db.savepoint():
            for number, each in enumerate(composite_request):
                reference = each.reference_id or str(number)
                answers[reference] = _answer_referring(call, each, answers)
                if all_or_none and answers[reference].status >= 400:
                    raise _RolledBack
    except _RolledBack:
        halted = InnerAnswer(400, [{"errorCode": "PROCESSING_HALTED", "message": _HALTED}])
        answers = {name: answer if answer.status >= 400 else halted for name, answer in answers.items()}
        answers |= {each.reference_id: halted for each in composite_request if each.reference_id not in answers}
    shown: list[Shown] = [
        {"body": answer.body, "httpHeaders": {}, "httpStatusCode": answer.status, "referenceId": reference}
        for reference, answer in answers.items()
    ]
    return {"compositeResponse": shown}


@api.post("/batch")
def post_batch(call: Call, version: str, batch_requests: list[BatchRequest], halt_on_error: bool = False) -> Shown:
    """Make up to 25 requests that do not depend on each other."""
    _check_count(batch_requests)
    answers: list[InnerAnswer] = []
    for each in batch_requests:
        if halt_on_error and any(answer.status >= 400 for answer in answers):
            skipped = [{"errorCode": "BATCH_PROCESSING_HALTED", "message": "Batch processing halted by request"}]
            answers.append(InnerAnswer(412, skipped))
        else:
            answers.append(_answer(call, each.method, f"/services/data/{each.url.lstrip('/')}", each.rich_input))
    results = [{"statusCode": each.status, "result": each.body} for each in answers]
    return {"hasErrors": any(each.status >= 400 for each in answers), "results": results}


def _check_count(requests: list[Any]) -> None:
    if not 1 <= len(requests) <= MAX_SUBREQUESTS:
        raise SalesforceError("LIMIT_EXCEEDED", f"A request has between 1 and {MAX_SUBREQUESTS} subrequests")


def _answer_referring(call: Call, request: CompositeRequest, answers: Mapping[str, InnerAnswer]) -> InnerAnswer:
    try:
        url = str(_fill(request.url, answers))
        return _answer(call, request.method, url, _fill(request.body, answers))
    except SalesforceError as error:
        return InnerAnswer(error.status, [{"errorCode": error.error_code, "message": str(error)}])


def _fill(value: Any, answers: Mapping[str, InnerAnswer]) -> Any:
    """Return a value with what its references stand for. Raises SalesforceError for one to nothing."""
    if isinstance(value, dict):
        return {name: _fill(each, answers) for name, each in cast(Shown, value).items()}
    if isinstance(value, list):
        return [_fill(each, answers) for each in cast(list[Any], value)]
    if not isinstance(value, str) or "@{" not in value:
        return value
    whole = _REFERENCE.fullmatch(value)
    if whole:
        return _look_up(whole[1], answers)
    return _REFERENCE.sub(lambda match: str(_look_up(match[1], answers)), value)


def _look_up(path: str, answers: Mapping[str, InnerAnswer]) -> Any:
    reference, *steps = [each for each in re.split(r"[.\[\]]", path) if each]
    answer = answers.get(reference)
    value: Any = None if answer is None or answer.status >= 400 else answer.body
    for step in steps:
        if isinstance(value, list):
            listed = cast(list[Any], value)
            value = listed[int(step)] if step.isdecimal() and int(step) < len(listed) else None
        else:
            value = cast(Shown, value).get(step) if isinstance(value, dict) else None
    if value is None:
        raise SalesforceError("PROCESSING_HALTED", f"Invalid reference specified. No value for {path} found")
    return value


def _answer(call: Call, method: str, url: str, body: Any) -> InnerAnswer:
    """Return the answer to a request, which is undone alone if it is refused."""
    outer: RequestContext = call.memo["exchange"]
    path, _, query = url.partition("?")
    headers = {**outer.request.headers, "content-type": "application/json"}
    sent = b"" if body is None else msgspec.json.encode(body)
    request = Request(method.upper(), unquote(path), query.replace(" ", "+"), headers, sent)
    match = Dispatch(outer.style, (queries.api, records.api, descriptions.api)).find(request.verb, request.path)
    if match is None:
        return InnerAnswer(404, [{"errorCode": "NOT_FOUND", "message": "The requested resource does not exist"}])
    answer = outer.answer_inner(call, request, match.operation, match.path_parameters)
    return InnerAnswer(answer.status, msgspec.json.decode(answer.body) if answer.body else None)


# -- trees -------------------------------------------------------------------------------------------------------------


@api.post("/tree/{type}", status=201)
def post_tree(call: Call, version: str, type: str, records: list[dict[str, Any]]) -> Shown | Response:
    """Create up to 200 records with the records below each; none is created if one is not valid."""
    kind = get_object_or_refuse(type)
    made: list[Shown] = []
    refused: list[Shown] = []
    try:
        with call.db.savepoint():
            for each in records:
                _add_tree(call, kind, each, {}, made, refused)
            if len(made) + len(refused) > MAX_TREE_RECORDS:
                refused.append({"referenceId": "", "errors": [_say_too_many()]})
            if refused:
                raise _RolledBack
    except _RolledBack:
        return json_answer({"hasErrors": True, "results": refused}, 400)
    return {"hasErrors": False, "results": made}


def _say_too_many() -> Shown:
    message = f"The number of records exceeds the limit of {MAX_TREE_RECORDS}"
    return {"statusCode": "LIMIT_EXCEEDED", "message": message, "fields": []}


def _add_tree(
    call: Call, kind: SalesforceObject, given: Shown, above: Shown, made: list[Shown], refused: list[Shown]
) -> None:
    attributes: Any = given.get("attributes")
    reference = str(cast(Shown, attributes).get("referenceId", "")) if isinstance(attributes, dict) else ""
    below: dict[str, Shown] = {
        name: cast(Shown, each) for name, each in given.items() if isinstance(each, dict) and "records" in each
    }
    own = {name: each for name, each in given.items() if name not in below}
    try:
        with call.db.savepoint():
            row = create_record(call, kind, {**own, **above})
    except ApiError as error:
        refused.append({"referenceId": reference, "errors": [show_collected(error)]})
        return
    made.append({"referenceId": reference, "id": row.Id})
    for name, each in below.items():
        relation = children_of(kind.name).get(name)
        if relation is None:
            said = SalesforceError("INVALID_FIELD", f"No such relation '{name}' on sobject of type {kind.name}")
            refused.append({"referenceId": reference, "errors": [show_collected(said)]})
            continue
        child, field = relation
        for inner in cast(list[Shown], each["records"]):
            _add_tree(call, OBJECTS[child.name], inner, {field.name: row.Id}, made, refused)
