"""A tool with which a model calls the twins, and its description; any agent can use it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, cast

import httpx

from .trial_runner import Task

Json = dict[str, Any]

SHOWN = 20_000
"""The most characters of a response that the model gets."""
TOOL = "call_api"
DESCRIPTION = "Send one HTTP request to an API and get its status and body."
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
HINTS = {
    "slack": "slack is Slack's Web API: POST to a method's name such as chat.postMessage, with a JSON body.",
    "linear": "linear is Linear's GraphQL API: POST to graphql, with a JSON body of query and variables.",
    "stripe": "stripe is Stripe's API: paths begin with v1/, and a body is sent as a form, nested keys in brackets.",
    "box": "box is Box's API: paths begin with 2.0/; a file is uploaded to api/2.0/files/content, with files.",
    "calendar": "calendar is Google Calendar's API: paths such as calendars/primary/events, with a JSON body.",
}
"""What a model is told of a twin, by the name of the twin."""
FORMS = frozenset({"stripe"})
"""The twins whose vendor takes forms; a body is sent as one."""
MAX_FILE_CHARACTERS = 1_000_000


class TwinResponse(NamedTuple):
    """A twin's response; the status 0 means that no request was sent, and `text` is the reason."""

    status: int
    text: str


class MalformedCall(ValueError):
    """A tool call is no request; the message is for the model."""


def build_request(urls: Mapping[str, str], arguments: Json, headers: Mapping[str, str]) -> httpx.Request:
    """Build the request in a tool call's arguments: `api`, `method`, `path`, `query`, `headers`, and a body.

    The body is JSON in `body`, sent as a form if the vendor takes forms; or a form in `form`; or `files`, texts by the
    name of their field: `{"file": {"name": "a.txt", "content": "…"}}`, with the fields of `form` beside them. The
    given `headers` take precedence over those of the call. Raises MalformedCall.
    """
    api = str(arguments.get("api") or "")
    url = urls.get(api)
    if url is None:
        raise MalformedCall(f"There is no such API. There are: {', '.join(urls)}.")
    verb, path = str(arguments.get("method") or "POST").upper(), str(arguments.get("path") or "").lstrip("/")
    query, body, form = _object(arguments, "query"), arguments.get("body"), _object(arguments, "form")
    if api in FORMS and isinstance(body, dict) and not form:
        form, body = cast(Json, body), None
    own = {str(name): str(value) for name, value in (_object(arguments, "headers") or {}).items()}
    sent: Json = {"json": body} if body is not None else {}
    sent |= {"data": flatten_form(form)} if form else {}
    sent |= {"files": _files(arguments)} if arguments.get("files") else {}
    try:
        return httpx.Request(verb, f"{url}/{path}", params=query, headers={**own, **headers}, **sent)
    except (httpx.InvalidURL, TypeError, ValueError, UnicodeError) as error:
        raise MalformedCall(f"The request could not be sent: {error}") from None


def flatten_form(form: Json, prefix: str = "") -> dict[str, str]:
    """Return the fields of a form; nested keys are in brackets: `{"items": [{"price": "p"}]}` is `items[0][price]`."""
    fields: dict[str, str] = {}
    for name, value in form.items():
        key = f"{prefix}[{name}]" if prefix else name
        if isinstance(value, list):
            value = {str(number): item for number, item in enumerate(cast(list[Any], value))}
        if isinstance(value, dict):
            fields |= flatten_form(cast(Json, value), key)
        elif value is not None:
            fields[key] = str(value).lower() if isinstance(value, bool) else str(value)
    return fields


def _object(arguments: Json, name: str) -> Json | None:
    value = arguments.get(name)
    if not isinstance(value, dict | None):
        what = "query parameters" if name == "query" else name
        raise MalformedCall(f"The request could not be sent: {name} is an object of {what}.")
    return cast(Json | None, value)


def _files(arguments: Json) -> dict[str, tuple[str, str]]:
    files = _object(arguments, "files") or {}
    for value in files.values():
        if not isinstance(value, dict) or not isinstance(cast(Json, value).get("content"), str):
            raise MalformedCall('The request could not be sent: files is {"<field>": {"name": …, "content": <text>}}.')
    return {field: (str(value.get("name") or field), value["content"]) for field, value in files.items()}


def send_call(http: httpx.Client, task: Task, arguments: Json) -> TwinResponse:
    """Send the request in a tool call's arguments, see `build_request`, with the headers of the client.

    Never raises for malformed arguments; the response then has the status 0.
    """
    try:
        request = build_request(task.urls, arguments, _authorization(http))
        answer = http.send(request)
    except MalformedCall as error:
        return TwinResponse(0, str(error))
    except (httpx.HTTPError, httpx.InvalidURL, TypeError, ValueError) as error:
        return TwinResponse(0, f"The request could not be sent: {error}")
    return TwinResponse(answer.status_code, answer.text[:SHOWN])


def _authorization(http: httpx.Client) -> dict[str, str]:
    given = http.headers.get("authorization")
    return {"Authorization": given} if given else {}


def render_response(answered: TwinResponse) -> str:
    """The response as a text for the model: the status and the body on the next lines."""
    return f"{answered.status}\n{answered.text}" if answered.status else answered.text


def parameters(apis: Iterable[str]) -> Json:
    """The tool's parameters, as a JSON schema."""
    return {
        "type": "object",
        "properties": {
            "api": {"type": "string", "enum": list(apis)},
            "method": {"type": "string", "enum": list(METHODS)},
            "path": {"type": "string", "description": "Relative to the API's base URL."},
            "query": {"type": "object", "description": "Query parameters."},
            "body": {"type": "object", "description": "The JSON body."},
            "form": {"type": "object", "description": "A form as the body, in place of JSON."},
            "files": {
                "type": "object",
                "description": 'Files to upload: {"<field>": {"name": "a.txt", "content": "<text>"}}.',
            },
            "headers": {"type": "object", "description": "Further headers, such as If-Match."},
        },
        "required": ["api", "method", "path"],
    }


def instructions(apis: Iterable[str]) -> str:
    """The system prompt."""
    hints = " ".join(HINTS.get(name, f"{name} is a copy of that vendor's API.") for name in apis)
    return (
        f"You do the user's task through APIs, with the tool {TOOL}; you are signed in already. {hints} "
        "Look up what you need to know, do exactly what is asked and nothing else, then say that you are done."
    )
