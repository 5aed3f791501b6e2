"""A model that performs a test by tool calls: one step at a time, with the result of each step in the next request.

It uses the APIs of https://platform.openai.com/docs/api-reference/chat or https://docs.anthropic.com/en/api/messages.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import msgspec

from twindiff.browser import config as configs
from twindiff.browser.config import BrowserStep, ConfigError
from twindiff.browser.element_finder import NAMED, candidates
from twindiff.browser.job import LanguageModel
from twindiff.browser.model_runs.page_outline import outline_page

if TYPE_CHECKING:
    from playwright.async_api import Page

MAX_TURNS = 40
RESPONSE_SECONDS = 120.0
"""Seconds that a model may take to respond."""
MAX_TOKENS = 2000
MAX_ELEMENTS = 60
MAX_LINES_DONE = 80
"""Lines about the steps so far, and about what is missing, that a model is told."""
MAX_LINE_CHARACTERS = 2000
SYSTEM = (
    "You test a web application in a browser. Call the tool `step` for the next thing to do, and `finish` when the "
    "test is over. Expect what the test says must be seen; never say that it passed what you have not seen. "
    "The statements of a test are numbered: say with each step which it does or proves, and prove them in their order. "
    "A test passes only if every statement is accounted for: what is to be done by steps that name it, what must be "
    "seen by expectations that name it in one place of the page (a row, a heading, a message), what must not be by "
    "`negated` ones, numbers by `count` with `min` and `max` or by whole texts. What was on the page before the last "
    "action proves nothing unless you say where. An action may have the expectation of what it brings about. "
    "Statements that demand nothing are `background` of `finish`. "
    "If the application does not do what a statement says, expect it all the same: that failure is the result. "
    "The page is told as the tree of its roles and names. Selectors are `button=Save`, and in the same way link, "
    "field (also a list to `select` from), checkbox, radio, tab, menuitem, heading, dialog, by the name or a part of "
    "it; `nav >> link=Orders` in a place; `row=Ada` for the one table row, list item or card that says Ada, and "
    "`row=Ada >> button=Edit` in it; "
    '`role=cell[name="…"]`, CSS, `testid=…`, `text=…`, or `named=…` for what a person reads. '
    "Values that you may use without knowing them are written {{name}}."
)
_TEXT = {"type": "string"}
_NUMBERS = {"type": "array", "items": {"type": "integer"}}
_EXPECT = {
    "type": "object",
    "properties": {
        "type": {
            "enum": [
                "text",
                "url",
                "title",
                "value",
                "visible",
                "disabled",
                "checked",
                "focused",
                "count",
                "state",
                "labelled",
                "placeholder",
                "download",
                "new_tab",
            ],
            "description": (
                "`text` is that of the selector's element, or of the page; `value` that of a field, for a list the "
                "text of its chosen option; `labelled` that of the field, or the text, beside the label that is the "
                "selector; `count` the number of elements of the selector, or of times that the page says `contains`; "
                "`state` holds where the row `row=Ada`, or its column `row=Ada >> Status`, shows the whole text "
                "`equals`."
            ),
        },
        "contains": _TEXT,
        "equals": _TEXT,
        "selector": _TEXT,
        "negated": {"type": "boolean"},
        "min": {"type": "integer"},
        "max": {"type": "integer"},
    },
}
_DIALOG = {
    "type": "object",
    "description": "The answer to the browser's own dialog (alert, confirm, prompt) that the step opens.",
    "properties": {"accept": {"type": "boolean"}, "text": _TEXT, "says": _TEXT},
}
TOOLS: dict[str, tuple[str, dict[str, Any]]] = {
    "step": (
        "Do one step on the page.",
        {
            "type": "object",
            "properties": {
                "action": {"enum": [*configs.NEEDS]},
                "selector": _TEXT,
                "value": _TEXT,
                "wait_for": _TEXT,
                "expect": _EXPECT,
                "dialog": _DIALOG,
                "statements": _NUMBERS,
            },
            "required": ["action"],
        },
    ),
    "finish": (
        "End the test.",
        {
            "type": "object",
            "properties": {"passed": {"type": "boolean"}, "reason": _TEXT, "background": _NUMBERS},
            "required": ["passed", "reason"],
        },
    ),
}


class AgentFailed(Exception):
    """The model gave nothing that can be done."""


class Finished(msgspec.Struct):
    """The model reports that the test is over, and which statements of the prompt demand nothing."""

    passed: bool
    reason: str
    background: list[int] = []


class Agent:
    """Asks a model for the next step."""

    def __init__(self, model: LanguageModel, names: list[str], mask: Callable[[str], str]) -> None:
        self._model = model
        self._names = names
        self._mask = mask

    async def ask(self, page: Page, task: str, done: list[str]) -> BrowserStep | Finished:
        """Return the next step of a task, or its end; raises AgentFailed."""
        name, given = await self._call(await self._describe_page(page, task, done))
        try:
            if name == "finish":
                return msgspec.convert(given, Finished)
            # A model may say more than a step has, such as its reasons.
            step = {key: value for key, value in given.items() if key in configs.BrowserStep.__struct_fields__}
            return configs.read({"steps": [step]}).steps[0]
        except (msgspec.ValidationError, ConfigError) as error:
            raise AgentFailed(f"the model asked for what cannot be done: {error}") from None

    async def _describe_page(self, page: Page, task: str, done: list[str]) -> str:
        """Return the prompt: the task, the last steps done, the outline of the page, and its nameless elements."""
        near = await candidates(page, task, MAX_ELEMENTS)
        # What has a name is in the outline; an id may be the only way to what has none.
        elements = [f"- {each['selector']} ({each['text']})" for each in near if not each["selector"].startswith(NAMED)]
        told = [self._mask(each[:MAX_LINE_CHARACTERS]) for each in done[-MAX_LINES_DONE:]] or ["nothing"]
        parts = [f"Task: {task}", f"Values: {', '.join(self._names) or 'none'}", "Done so far:", *told]
        outline = self._mask(await outline_page(page))
        return "\n".join([*parts, f"The page is {page.url} and says:", outline, "Elements:", *elements])

    async def _call(self, told: str) -> tuple[str, dict[str, Any]]:
        import httpx  # loading it takes as long as all else of a worker together, and few runs need it

        model = self._model
        try:
            async with httpx.AsyncClient(timeout=RESPONSE_SECONDS) as http:
                answer = await http.post(model.url, headers=model.headers, json=self._body(told))
            if not answer.is_success:
                raise AgentFailed(f"{model.url} answered {answer.status_code}: {answer.text[:300]}")
            return _anthropic_call(answer.json()) if model.is_anthropic else _openai_call(answer.json())
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise AgentFailed(f"{model.url} gave no answer that can be read: {error}") from None
        except (KeyError, IndexError, TypeError, StopIteration) as error:
            raise AgentFailed(f"{model.url} called no tool: {error!r}") from None

    def _body(self, told: str) -> dict[str, Any]:
        said = [{"role": "user", "content": told}]
        if self._model.is_anthropic:
            tools = [{"name": name, "description": text, "input_schema": form} for name, (text, form) in TOOLS.items()]
            common = {"max_tokens": MAX_TOKENS, "system": SYSTEM, "tool_choice": {"type": "any"}}
            return {"model": self._model.name, **common, "tools": tools, "messages": said}
        functions = [{"name": name, "description": text, "parameters": form} for name, (text, form) in TOOLS.items()]
        return {
            "model": self._model.name,
            "tools": [{"type": "function", "function": each} for each in functions],
            "tool_choice": "required",
            "messages": [{"role": "system", "content": SYSTEM}, *said],
        }


def _openai_call(answer: Any) -> tuple[str, dict[str, Any]]:
    call = answer["choices"][0]["message"]["tool_calls"][0]["function"]
    return str(call["name"]), msgspec.json.decode(call["arguments"], type=dict[str, Any])


def _anthropic_call(answer: Any) -> tuple[str, dict[str, Any]]:
    call = next(part for part in answer["content"] if part["type"] == "tool_use")
    return str(call["name"]), cast(dict[str, Any], call["input"])
