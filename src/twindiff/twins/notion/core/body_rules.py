"""Rules of request bodies, and the texts with which Notion refuses what breaks them.

A rule is a function of a value and its path that yields problems: `body.parent should be defined, instead was
`undefined`.` Rules of objects are closed: names that they do not know are refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeGuard
from uuid import UUID

from twindiff.kit import Call, RequestContext
from twindiff.kit.twin import BODY_LIMIT

from ..wire_style import PAYLOAD_TOO_LARGE, ValidationError

Problems = Iterator[str]
Rule = Callable[[Any, str], Problems]
Rules = Mapping[str, Rule]
MAX_PROBLEMS = 20
MAX_SHOWN_LETTERS = 200
MAX_TEXT_LENGTH = 2000
MAX_URL_LENGTH = 2000
MAX_ITEMS = 100
MAX_PAYLOAD_BYTES = 500 * 1024
MISSING: Any = object()
_WEB_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)


def limit_payload(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Any:
    """Middleware that raises ValidationError for a body over 500 KB, except where an operation takes larger ones.

    https://developers.notion.com/reference/request-limits#size-limits
    """
    if exchange.operation.declared.body_limit <= BODY_LIMIT and len(exchange.request.body) > MAX_PAYLOAD_BYTES:
        raise ValidationError(PAYLOAD_TOO_LARGE)
    return proceed()


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Return whether a JSON value is an object."""
    return isinstance(value, dict)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Return whether a JSON value is a list."""
    return isinstance(value, list)


def check_body(rule: Rule, body: Any, path: str = "body") -> None:
    """Raise ValidationError with all problems of a request body, or of what it has at a path."""
    problems = [problem for problem, _ in zip(rule(body, path), range(MAX_PROBLEMS), strict=False)]
    whole_path = path.partition(".")[0]
    if problems and not any(problem.startswith(path) for problem in problems):
        raise ValidationError("Content creation Failed. Fix the following: \n" + "\n".join(problems))
    if len(problems) == 1:
        raise ValidationError(f"{whole_path} failed validation: {problems[0]}")
    if problems:
        raise ValidationError(f"{whole_path} failed validation. Fix one:\n" + "\n".join(problems))


def invalid_at(path: str, wanted: str, value: Any) -> str:
    """Return the text of one problem."""
    given = "undefined" if value is MISSING else json.dumps(value, ensure_ascii=False)[:MAX_SHOWN_LETTERS]
    return f"{path} should be {wanted}, instead was `{given}`."


def invalid_body(path: str, wanted: str, value: Any = MISSING) -> ValidationError:
    """Return the error for a body with one problem."""
    return ValidationError(f"body failed validation: {invalid_at(path, wanted, value)}")


def obj(required: Rules | None = None, /, **optional: Rule) -> Rule:
    """A rule of an object by its required and its optional fields."""
    needed = dict(required or {})
    known = {**needed, **optional}

    def check(value: Any, path: str) -> Problems:
        if not is_object(value):
            yield invalid_at(path, "an object", value)
            return
        for name in needed:
            if name not in value:
                yield invalid_at(f"{path}.{name}", "defined", MISSING)
        for name, each in value.items():
            if name not in known:
                yield invalid_at(f"{path}.{name}", "not present", each)
            else:
                yield from known[name](each, f"{path}.{name}")

    return check


def need_one(names: Sequence[str], rule: Rule) -> Rule:
    """A rule of an object that must have one of several fields."""

    def check(value: Any, path: str) -> Problems:
        if is_object(value) and all(value.get(name) is None for name in names):
            yield from (invalid_at(f"{path}.{name}", "defined", MISSING) for name in names)
        yield from rule(value, path)

    return check


def allow_one(names: Sequence[str], rule: Rule) -> Rule:
    """A rule of an object that has at most one of several fields."""

    def check(value: Any, path: str) -> Problems:
        if is_object(value):
            for name in [name for name in names if name in value][1:]:
                yield invalid_at(f"{path}.{name}", "not present", value[name])
        yield from rule(value, path)

    return check


def array(item: Rule, *, most: int = MAX_ITEMS, least: int = 0) -> Rule:
    """A rule of a list."""

    def check(value: Any, path: str) -> Problems:
        if not is_list(value):
            yield invalid_at(path, "an array", value)
            return
        if len(value) > most:
            yield invalid_at(f"{path}.length", f"≤ `{most}`", len(value))
        elif len(value) < least:
            yield invalid_at(f"{path}.length", f"≥ `{least}`", len(value))
        else:
            for number, each in enumerate(value):
                yield from item(each, f"{path}[{number}]")

    return check


def mapping(item: Rule) -> Rule:
    """A rule of an object with any names."""

    def check(value: Any, path: str) -> Problems:
        if not is_object(value):
            yield invalid_at(path, "an object", value)
            return
        for name, each in value.items():
            yield from item(each, f"{path}.{name}")

    return check


def text(most: int = MAX_TEXT_LENGTH, least: int = 0) -> Rule:
    """A rule of a text, whose length counts UTF-16 units as Notion does."""

    def check(value: Any, path: str) -> Problems:
        if not isinstance(value, str):
            yield invalid_at(path, "a string", value)
            return
        length = len(value) if value.isascii() else len(value.encode("utf-16-le", "surrogatepass")) // 2
        if length > most:
            yield invalid_at(f"{path}.length", f"≤ `{most}`", length)
        elif length < least:
            yield invalid_at(f"{path}.length", f"≥ `{least}`", length)

    return check


def web_address(wrong: str, most: int = MAX_URL_LENGTH) -> Rule:
    """A rule of an address of the web; `wrong` is Notion's text for a text that is none."""

    def check(value: Any, path: str) -> Problems:
        yield from text(most)(value, path)
        if value == "":
            yield invalid_at(path, "populated", value)
        elif isinstance(value, str) and not _WEB_ADDRESS.fullmatch(value):
            yield wrong

    return check


def choice(*values: Any) -> Rule:
    """A rule of a value that is one of a few."""
    named = [f"`{json.dumps(each)}`" for each in values]
    wanted = " or ".join(named) if len(named) <= 2 else ", ".join(named[:-1]) + f", or {named[-1]}"

    def check(value: Any, path: str) -> Problems:
        if not any(value is each or (type(value) is type(each) and value == each) for each in values):
            yield invalid_at(path, wanted, value)

    return check


def _plain(wanted: str, fits: Callable[[Any], bool]) -> Rule:
    def check(value: Any, path: str) -> Problems:
        if not fits(value):
            yield invalid_at(path, wanted, value)

    return check


def is_number(value: Any) -> bool:
    """Return whether a JSON value is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


number = _plain("a number", is_number)
whole = _plain("an integer", lambda value: isinstance(value, int) and not isinstance(value, bool))
boolean = _plain("a boolean", lambda value: isinstance(value, bool))
anything = _plain("defined", lambda value: value is not MISSING)
empty = _plain("an object", is_object)


def uuid(value: Any, path: str) -> Problems:
    """A rule of an id."""
    if not isinstance(value, str):
        yield invalid_at(path, "a string", value)
    elif as_uuid(value) is None:
        yield invalid_at(path, "a valid uuid", value)


def as_uuid(value: str) -> str | None:
    """Return an id with dashes in lower case, None for a text that is none."""
    if len(value) not in (32, 36) or not all(each in "0123456789abcdefABCDEF-" for each in value):
        return None
    try:
        return str(UUID(value))
    except ValueError:
        return None


def nullable(rule: Rule) -> Rule:
    """A rule of a value that may be null."""

    def check(value: Any, path: str) -> Problems:
        if value is not None:
            wanted = f"{path} should be a"
            for problem in rule(value, path):
                is_type = problem.startswith(wanted)
                yield problem.replace(", instead was", " or `null`, instead was", 1) if is_type else problem

    return check


def typed_object(variants: Rules, **also: Rule) -> Rule:
    """A rule of an object that holds its content under the name of its kind, as in `{"type": "emoji", "emoji": "🚀"}`.

    The kind may be left out. `also` are further fields.
    """
    names = choice(*variants)
    shapes = {kind: obj({kind: rule}, type=choice(kind), **also) for kind, rule in variants.items()}

    def check(value: Any, path: str) -> Problems:
        if not is_object(value):
            yield invalid_at(path, "an object", value)
            return
        kind = value.get("type") or next((name for name in variants if name in value), None)
        if kind is None:
            for name in variants:
                yield invalid_at(f"{path}.{name}", "defined", MISSING)
        elif not isinstance(kind, str) or kind not in variants:
            yield from names(kind, f"{path}.type")
        else:
            yield from shapes[kind](value, path)

    return check
