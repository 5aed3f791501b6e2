"""A tool with which a model calls the twins, and its description; any agent can use it."""

from __future__ import annotations

from collections.abc import Iterable
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
}


class TwinResponse(NamedTuple):
    """A twin's response; the status 0 means that no request was sent, and `text` is the reason."""

    status: int
    text: str


def send_call(http: httpx.Client, task: Task, arguments: Json) -> TwinResponse:
    """Send the request in a tool call's arguments: `api`, `method`, `path`, `query` and `body`.

    Never raises for malformed arguments; the response then has the status 0.
    """
    url = task.urls.get(str(arguments.get("api") or ""))
    if url is None:
        return TwinResponse(0, f"There is no such API. There are: {', '.join(task.urls)}.")
    verb, path = str(arguments.get("method") or "POST").upper(), str(arguments.get("path") or "").lstrip("/")
    query = arguments.get("query")
    if not isinstance(query, dict | None):
        return TwinResponse(0, "The request could not be sent: query is an object of query parameters.")
    try:
        answer = http.request(verb, f"{url}/{path}", params=cast(Json | None, query), json=arguments.get("body"))
    except (httpx.HTTPError, httpx.InvalidURL, TypeError, ValueError) as error:
        return TwinResponse(0, f"The request could not be sent: {error}")
    return TwinResponse(answer.status_code, answer.text[:SHOWN])


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
