"""Block Kit validation: the rules of each type of block, as data.

https://docs.slack.dev/reference/block-kit/blocks
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import msgspec

from ..core.errors import InvalidBlocks, MsgBlocksTooLong

Place = tuple[Any, str | int] | str
"""Where a value is: a JSON pointer, or the place of its parent with its name or position there.

Most values are right, so pointers are written for problems only.
"""

Check = Callable[[Any, Place], Sequence[str]]
"""Returns the problems of a value."""

Shape = dict[str, Check]

MAX_BLOCKS = 50
MAX_VIEW_BLOCKS = 100
MAX_BLOCKS_CHARACTERS = 13_200
"""The limit of a message's blocks as JSON, which no page tells: https://github.com/slackapi/bolt-js/issues/2509"""
_MAX_MARKDOWN_CHARACTERS = 12_000
_encode = msgspec.json.Encoder().encode


def check_blocks(blocks: Sequence[Any]) -> None:
    """Raise MsgBlocksTooLong, or InvalidBlocks with all problems, unless a message may contain these blocks."""
    if len(blocks) <= MAX_BLOCKS and _is_too_long(blocks):
        raise MsgBlocksTooLong
    if errors := problems(blocks, "/blocks"):
        raise InvalidBlocks(errors=errors, response_metadata={"messages": [f"[ERROR] {each}" for each in errors]})


def problems(blocks: Sequence[Any], at: str, most: int = MAX_BLOCKS) -> list[str]:
    """Return the problems in a list of blocks, each with its JSON pointer.

    An example is `must be a string [json-pointer:/blocks/0/text]`.
    """
    if len(blocks) > most:
        return [_problem(f"no more than {most} items allowed", at)]
    errors = list[str]()
    for index, block in enumerate(blocks):
        errors += _block(block, (at, index))
    errors += _find_duplicates(blocks, "block_id", at)
    return errors


def _is_too_long(blocks: Sequence[Any]) -> bool:
    """Whether blocks exceed the limit of all blocks together, or that of all markdown blocks together."""
    as_json = _encode(blocks)  # no fewer bytes than characters
    if len(as_json) <= _MAX_MARKDOWN_CHARACTERS:
        return False
    markdown = sum([len(str(each.get("text"))) for each in blocks if _kind(each) == "markdown"])
    is_long = len(as_json) > MAX_BLOCKS_CHARACTERS and len(as_json.decode(errors="replace")) > MAX_BLOCKS_CHARACTERS
    return is_long or markdown > _MAX_MARKDOWN_CHARACTERS


def _problem(text: str, at: Place) -> str:
    names = list[str]()
    while not isinstance(at, str):
        at, name = at
        names.append(f"/{name}")
    return f"{text} [json-pointer:{at}{''.join(reversed(names))}]"


def _kind(value: Any) -> str:
    kind = value.get("type") if isinstance(value, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return kind if isinstance(kind, str) else ""


def _find_duplicates(parts: Sequence[Any], name: str, at: Place) -> Sequence[str]:
    given = [value for part in parts if isinstance(part, dict) and isinstance(value := part.get(name), str)]  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return [_problem(f"{name} must be unique", at)] if len(set(given)) < len(given) else ()  # pyright: ignore[reportUnknownArgumentType]


def text(most: int, least: int = 1) -> Check:
    """Return the check for a string of `least` to `most` characters."""

    def check(value: Any, at: Place) -> Sequence[str]:
        if not isinstance(value, str):
            return [_problem("must be a string", at)]
        if least <= len(value) <= most:
            return ()
        said = f"more than {least - 1}" if len(value) < least else f"less than {most + 1}"
        return [_problem(f"must be {said} characters", at)]

    return check


def choice(*values: str) -> Check:
    """Return the check for one of these strings."""

    def check(value: Any, at: Place) -> Sequence[str]:
        return () if value in values else [_problem(f"must be one of {', '.join(values)}", at)]

    return check


def number(least: int, most: int) -> Check:
    """Return the check for a whole number from `least` to `most`, both included."""

    def check(value: Any, at: Place) -> Sequence[str]:
        if not isinstance(value, int) or isinstance(value, bool):
            return [_problem("must be a whole number", at)]
        return () if least <= value <= most else [_problem(f"must be from {least} to {most}", at)]

    return check


def boolean(value: Any, at: Place) -> Sequence[str]:
    """Check that the value is a boolean."""
    return () if isinstance(value, bool) else [_problem("must be a boolean", at)]


def items(each: Check, most: int, least: int = 1, unique: str = "") -> Check:
    """Return the check for a list of `least` to `most` items; `unique` names a property whose values must differ."""

    def check(value: Any, at: Place) -> Sequence[str]:
        if not isinstance(value, list):
            return [_problem("must be an array", at)]
        parts = cast("list[Any]", value)
        if len(parts) > most:
            return [_problem(f"no more than {most} items allowed", at)]
        few = [_problem(f"no fewer than {least} items allowed", at)] if len(parts) < least else []
        errors = [problem for index, part in enumerate(parts) for problem in each(part, (at, index))]
        return [*few, *errors, *(_find_duplicates(parts, unique, at) if unique else ())]

    return check


def shape(
    required: Shape, optional: Shape | None = None, *, either: Sequence[str] = (), more: str | None = None
) -> Check:
    """Return the check for an object that has at least one property of `either`.

    `more` names its other properties, which are not checked; without it, unknown properties are allowed.
    """
    rules = tuple((name, rule, name in required) for name, rule in {**required, **(optional or {})}.items())
    known = None if more is None else {"type", *required, *(optional or {}), *more.split()}

    def check(value: Any, at: Place) -> Sequence[str]:
        if not isinstance(value, dict):
            return [_problem("must be an object", at)]
        get = cast("dict[str, Any]", value).get
        errors: Sequence[str] = ()
        if either and not any(map(get, either)) and all(get(name) is None for name in either):
            errors = [_problem("must define either " + " or ".join(f"`{name}`" for name in either), at)]
        for name, rule, is_required in rules:
            part = get(name)
            if part is not None:
                if wrong := rule(part, (at, name)):
                    errors = [*errors, *wrong]
            elif is_required:
                errors = [*errors, _problem(f"missing required field: {name}", at)]
        if known and not value.keys() <= known:
            unknown = [name for name in cast("dict[str, Any]", value) if name not in known]
            errors = [*errors, *(_problem(f"invalid additional property: {name}", at) for name in unknown)]
        return errors

    return check


def by_type(checks: dict[str, Check], *, only: Sequence[str] = (), others_pass: bool = False) -> Check:
    """Return the check for an object whose `type` selects the rules; `only` restricts the types.

    `others_pass` accepts types without rules.
    """

    def check(value: Any, at: Place) -> Sequence[str]:
        kind = _kind(value)
        rules = checks.get(kind)
        if rules and (not only or kind in only):
            return rules(value, at)
        if not kind:
            return [_problem("missing required field: type", at)]
        return () if others_pass else [_problem(f"unsupported type: {kind}", at)]

    return check


def text_object(most: int, *types: str) -> Check:
    """Return the check for a text object of one of these types, by default `plain_text` or `mrkdwn`."""
    return shape({"type": choice(*(types or ("plain_text", "mrkdwn"))), "text": text(most)})


def plain(most: int) -> Check:
    """Return the check for a `plain_text` object."""
    return text_object(most, "plain_text")


# Elements

_ACTION: Shape = {"action_id": text(255)}
_CONFIRM = shape({"title": plain(100), "text": text_object(300), "confirm": plain(30), "deny": plain(30)}, more="style")
_COMMON: Shape = {**_ACTION, "confirm": _CONFIRM, "focus_on_load": boolean}
_SHOWN: Shape = {**_COMMON, "placeholder": plain(150)}
_OPTION = shape(
    {"text": text_object(75), "value": text(150)}, {"description": text_object(75), "url": text(3000)}, more=""
)
_OPTION_GROUP = shape({"label": plain(75), "options": items(_OPTION, 100)})
_OPTIONS: Shape = {"options": items(_OPTION, 100), "option_groups": items(_OPTION_GROUP, 100)}
_IMAGE_FILE = shape({}, {"id": text(255), "url": text(3000)}, either=("id", "url"))
_CHOSEN = {
    "static_select": "option",
    "external_select": "option",
    "users_select": "user",
    "conversations_select": "conversation",
    "channels_select": "channel",
}
"""What is chosen in the menus of each type."""
_OF_SELECTS = {
    "external_select": "min_query_length",
    "conversations_select": "default_to_current_conversation filter response_url_enabled",
    "channels_select": "response_url_enabled",
}


def _select(name: str, prefix: str) -> Check:
    """Return the check for a menu that takes one choice, or with `multi_` several."""
    initial = f"initial_{_CHOSEN[name]}s max_selected_items" if prefix else f"initial_{_CHOSEN[name]}"
    more = f"{initial} {_OF_SELECTS.get(name, '')}"
    if name == "static_select":
        return shape({}, {**_SHOWN, **_OPTIONS}, either=("options", "option_groups"), more=more)
    return shape({}, _SHOWN, more=more)


_FEEDBACK = shape({"text": plain(75), "value": text(2000)})
_SELECTS = tuple(_CHOSEN)
_TYPED = "dispatch_action_config initial_value"
_PICKERS = ("datepicker", "timepicker", "datetimepicker")

ELEMENTS: dict[str, Check] = {
    "button": shape(
        {"text": plain(75)},
        {
            **_ACTION,
            "value": text(2000, 0),
            "url": text(3000),
            "style": choice("primary", "danger"),
            "confirm": _CONFIRM,
        },
        more="accessibility_label agent_prompt agent_prompt_display alt_text visible_to_user_ids",
    ),
    "checkboxes": shape({"options": items(_OPTION, 10)}, _SHOWN, more="initial_options"),
    "radio_buttons": shape({"options": items(_OPTION, 10)}, _SHOWN, more="initial_option"),
    "overflow": shape({"options": items(_OPTION, 5)}, _COMMON, more="alt_text"),
    "image": shape(
        {"alt_text": text(2000)},
        {"image_url": text(3000), "slack_file": _IMAGE_FILE},
        either=("image_url", "slack_file"),
    ),
    "datepicker": shape({}, {**_SHOWN, "initial_date": text(10, 10)}, more=""),
    "timepicker": shape({}, {**_SHOWN, "initial_time": text(5, 5)}, more="timezone"),
    "datetimepicker": shape({}, {**_SHOWN, "initial_date_time": number(10**9, 10**10 - 1)}, more=""),
    "workflow_button": shape({"text": plain(75)}, _ACTION, more="accessibility_label alt_text confirm style workflow"),
    "plain_text_input": shape({}, {**_SHOWN, "multiline": boolean}, more=f"{_TYPED} min_length max_length"),
    "email_text_input": shape({}, _SHOWN, more=_TYPED),
    "url_text_input": shape({}, _SHOWN, more=_TYPED),
    "number_input": shape({"is_decimal_allowed": boolean}, _SHOWN, more=f"{_TYPED} min_value max_value"),
    "rich_text_input": shape({}, _SHOWN, more=f"{_TYPED} min_lines max_lines"),
    "file_input": shape({}, _SHOWN, more="filetypes max_files"),
    "feedback_buttons": shape({"positive_button": _FEEDBACK, "negative_button": _FEEDBACK}, _ACTION),
    "icon_button": shape({"icon": text(255), "text": plain(75)}, _ACTION),
    **{f"{prefix}{name}": _select(name, prefix) for name in _SELECTS for prefix in ("", "multi_")},
}

_MULTI_SELECTS = tuple(f"multi_{name}" for name in _SELECTS)
_CHOICES = (
    "button",
    "checkboxes",
    "overflow",
    "radio_buttons",
    "workflow_button",
    *_SELECTS,
    *_MULTI_SELECTS,
    *_PICKERS,
)
_ACCESSORY = by_type(ELEMENTS, only=(*_CHOICES, "image"))
_IN_ACTIONS = by_type(ELEMENTS, only=(*_CHOICES, "rich_text_input"))
_IN_INPUT = by_type(
    ELEMENTS, only=[name for name in ELEMENTS if name not in ("button", "overflow", "image", "icon_button")]
)
_TEXTS = {"plain_text": text_object(3000), "mrkdwn": text_object(3000)}
_IN_CONTEXT = by_type({**_TEXTS, "image": ELEMENTS["image"]})

# Rich text

_INLINE = by_type(
    {
        "text": shape({"text": text(40_000, 0)}),
        "link": shape({"url": text(40_000)}),
        "emoji": shape({"name": text(255)}),
        "user": shape({"user_id": text(255)}),
        "channel": shape({"channel_id": text(255)}),
        "usergroup": shape({"usergroup_id": text(255)}),
        "team": shape({"team_id": text(255)}),
        "broadcast": shape({"range": choice("here", "channel", "everyone")}),
        "date": shape({"timestamp": number(0, 10**11), "format": text(1000)}),
        "color": shape({"value": text(50)}),
    },
    others_pass=True,
)
_RUN = items(_INLINE, 10_000, 0)
_SECTION = by_type({"rich_text_section": shape({"elements": _RUN})})
_RICH_TEXT = shape(
    {
        "elements": items(
            by_type(
                {
                    "rich_text_section": shape({"elements": _RUN}),
                    "rich_text_preformatted": shape({"elements": _RUN}, {"border": number(0, 1)}),
                    "rich_text_quote": shape({"elements": _RUN}, {"border": number(0, 1)}),
                    "rich_text_list": shape(
                        {"style": choice("bullet", "ordered"), "elements": items(_SECTION, 1000, 0)},
                        {"indent": number(0, 8), "offset": number(0, 10**6), "border": number(0, 1)},
                    ),
                }
            ),
            1000,
            0,
        )
    }
)

# Blocks

_CELL = by_type({"raw_text": shape({"text": text(10_000, 0)}), "raw_number": shape({}), "rich_text": _RICH_TEXT})
_COLUMN = shape({}, {"align": choice("left", "center", "right"), "is_wrapped": boolean})
_ANY_TEXT = by_type({**_TEXTS, "rich_text": _RICH_TEXT})
_CARD = shape(
    {},
    {
        "hero_image": ELEMENTS["image"],
        "title": text_object(150),
        "subtitle": text_object(150),
        "body": text_object(200),
        "actions": items(_IN_ACTIONS, 25, unique="action_id"),
    },
    either=("hero_image", "title", "actions", "body"),
)
_TASK = shape(
    {"task_id": text(255), "title": text(1000)}, {"status": choice("pending", "in_progress", "complete", "error")}
)

BLOCKS: dict[str, Check] = {
    "section": shape(
        {},
        {"text": text_object(3000), "fields": items(text_object(2000), 10), "accessory": _ACCESSORY, "expand": boolean},
        either=("fields", "text"),
    ),
    "header": shape({"text": plain(150)}),
    "divider": shape({}),
    "call": shape({"call_id": text(255)}),
    "image": shape(
        {"alt_text": text(2000)},
        {"image_url": text(3000), "slack_file": _IMAGE_FILE, "title": plain(2000)},
        either=("image_url", "slack_file"),
    ),
    "context": shape({"elements": items(_IN_CONTEXT, 10)}),
    "actions": shape({"elements": items(_IN_ACTIONS, 25, unique="action_id")}),
    "context_actions": shape({"elements": items(by_type(ELEMENTS, only=("feedback_buttons", "icon_button")), 5)}),
    "input": shape({"label": plain(2000), "element": _IN_INPUT}, {"hint": plain(2000), "optional": boolean}),
    "file": shape({"external_id": text(255), "source": choice("remote")}),
    "video": shape(
        {"video_url": text(3000), "thumbnail_url": text(3000), "alt_text": text(2000), "title": plain(199)},
        {"author_name": text(49), "title_url": text(3000), "description": plain(200), "provider_name": text(255)},
    ),
    "markdown": shape({"text": text(_MAX_MARKDOWN_CHARACTERS)}),
    "rich_text": _RICH_TEXT,
    "table": shape({"rows": items(items(_CELL, 20), 100)}, {"column_settings": items(_COLUMN, 20, 0)}),
    "data_table": shape(
        {"rows": items(items(_CELL, 20), 101, 2), "caption": text(1000)}, {"page_size": number(1, 100)}
    ),
    "alert": shape({"text": _ANY_TEXT}, {"level": choice("default", "info", "warning", "error", "success")}),
    "card": _CARD,
    "carousel": shape({"elements": items(by_type({"card": _CARD}), 10)}),
    "task_card": _TASK,
    "plan": shape({"title": text(1000)}, {"tasks": items(_TASK, 100, 0)}),
}
# A container may hold all types of blocks except containers, which bounds the nesting.
_CONTAINED = by_type(
    {name: shape({"type": text(50)}) if name == "container" else rules for name, rules in BLOCKS.items()}
)
BLOCKS["container"] = shape({"child_blocks": items(_CONTAINED, 10)}, {"title": text_object(150)})
_OF_EVERY_TYPE = by_type(BLOCKS)
_BLOCK_ID = shape({}, {"block_id": text(255, 0)})


def _block(value: Any, at: Place) -> Sequence[str]:
    errors = _OF_EVERY_TYPE(value, at)
    if not isinstance(value, dict) or "block_id" not in value:
        return errors
    return [*errors, *_BLOCK_ID(value, at)]
