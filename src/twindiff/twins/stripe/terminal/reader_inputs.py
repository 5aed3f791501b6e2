"""Inputs that a reader collects from the customer: texts, numbers, signatures, choices and toggles.

https://docs.stripe.com/terminal/features/collect-inputs
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.objects import Fields
from ..core.params import NestedParams, OptBool, OptMetadata, OptText, Params, check_count, merge_metadata, value_of
from .reader_actions import finish_action, set_action
from .readers import Reader, existing_reader, reader_object

api = Operations(prefix="/v1")

MAX_INPUTS = 5
_VALUES = {"email": "jenny@example.com", "numeric": "42", "phone": "+15555550100", "signature": "", "text": "Some text"}
"""What the customer of a simulated reader types in."""


class CustomText(NestedParams):
    """Texts that a reader shows beside an input."""

    title: str
    description: OptText = UNSET
    skip_button: OptText = UNSET
    submit_button: OptText = UNSET


class Choice(NestedParams):
    """A button of a selection."""

    id: str
    text: str
    style: Literal["primary", "secondary"] | UnsetType = UNSET


class Selection(NestedParams):
    """The buttons of a selection."""

    choices: list[Choice]


class Toggle(NestedParams):
    """A switch below an input."""

    default_value: Literal["disabled", "enabled"] | UnsetType = UNSET
    description: OptText = UNSET
    title: OptText = UNSET


class ReaderInput(NestedParams):
    """An input."""

    custom_text: CustomText
    type: Literal["email", "numeric", "phone", "selection", "signature", "text"]
    required: OptBool = UNSET
    selection: Selection | UnsetType = UNSET
    toggles: list[Toggle] | UnsetType = UNSET


class CollectInputs(Params, kw_only=True):
    """The inputs that a reader collects."""

    inputs: list[ReaderInput]
    metadata: OptMetadata = UNSET


class SucceedCollection(Params):
    """Whether the customer skips the inputs that may be skipped."""

    skip_non_required_inputs: Literal["all", "none"] | UnsetType = UNSET


def _render_input(given: ReaderInput) -> Fields:
    """Render an input without an answer yet."""
    texts: Fields = {"description": None, "skip_button": None, "submit_button": None, **value_of(given.custom_text)}
    toggles: list[Any] = value_of(given.toggles) if isinstance(given.toggles, list) else []
    switches = [{"default_value": "disabled", "value": None, **each} for each in toggles]
    fields: Fields = {
        "custom_text": texts,
        "toggles": switches,
        "required": given.required is True,
        "skipped": None,
        "type": given.type,
    }
    if isinstance(given.selection, Selection):
        return {**fields, "selection": {"choices": value_of(given.selection.choices), "id": None, "text": None}}
    return {**fields, given.type: {"value": None}}


@api.post("/terminal/readers/{reader}/collect_inputs")
def collect_inputs(call: Call, reader: str, params: Annotated[CollectInputs, Body]) -> Fields:
    """Have a reader collect inputs, at most five."""
    check_count(params.inputs, "inputs", MAX_INPUTS)
    for number, each in enumerate(params.inputs):
        choices = each.selection.choices if isinstance(each.selection, Selection) else []
        if (each.type == "selection") != bool(choices):
            message = "Inputs of the type `selection`, and those alone, have a `selection` with choices."
            raise StripeError(message, param=f"inputs[{number}][selection]")
    content: Fields = {"inputs": [_render_input(each) for each in params.inputs]}
    content["metadata"] = merge_metadata({}, params.metadata)
    return set_action(call, existing_reader(call, reader), "collect_inputs", content)


def _collecting(call: Call, id: str) -> Reader:
    """Return a reader that collects inputs; raises StripeError for another."""
    row = existing_reader(call, id)
    if not row.action or (row.action["type"], row.action["status"]) != ("collect_inputs", "in_progress"):
        raise StripeError("The reader is not collecting inputs.", code="terminal_reader_invalid_state")
    return row


@api.post("/test_helpers/terminal/readers/{reader}/succeed_input_collection")
def succeed_input_collection(call: Call, reader: str, params: Annotated[SucceedCollection, Body]) -> Fields:
    """Answer the inputs of a reader as its customer, who may skip those that are not required."""
    row = _collecting(call, reader)
    skips = params.skip_non_required_inputs == "all"
    inputs = [_answer(each, skips=skips and not each["required"]) for each in row.action["collect_inputs"]["inputs"]]
    return reader_object(finish_action(call, row, inputs=inputs))


def _answer(given: Fields, *, skips: bool) -> Fields:
    """Return an input with the customer's answer."""
    if skips:
        return {**given, "skipped": True}
    toggles = [{**each, "value": each["default_value"]} for each in given["toggles"]]
    answer: Fields = {"value": _VALUES.get(given["type"])}
    if given["type"] == "selection":
        first = given["selection"]["choices"][0]
        answer = {**given["selection"], "id": first["id"], "text": first["text"]}
    return {**given, "skipped": False, "toggles": toggles, given["type"]: answer}


@api.post("/test_helpers/terminal/readers/{reader}/timeout_input_collection")
def time_out_input_collection(call: Call, reader: str, params: Annotated[Params, Body]) -> Fields:
    """Let the time for the inputs of a reader pass."""
    row = _collecting(call, reader)
    message = "The reader timed out while it waited for the customer's input."
    return reader_object(finish_action(call, row, StripeError(message, code="terminal_reader_timeout")))
