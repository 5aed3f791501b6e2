"""TestConfig: the steps of a test, as they are written, kept and replayed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, cast
from urllib.parse import urlsplit

import msgspec

MOST_STEPS = 200
LONGEST_WAIT_MS = 60_000
MOST_NESTED = 10
"""How deep references to parameters may go."""
WRAPPERS = ("test_config_json", "test_config")
ANSWER = "answer"
"""What the answer to the last question is called."""
REFERENCE = re.compile(r"\{\{\s*([\w.-]+)\s*\}\}")

Action = Literal["goto", "fill", "click", "press", "select", "hover", "expect", "wait", "ask_user_question"]
Scalar = str | int | float | bool


class ConfigError(ValueError):
    """A TestConfig cannot be run; the message names the field."""


class Expect(msgspec.Struct, omit_defaults=True):
    """What must hold: a text on the page or in an element, a part of the address, an element that is to be seen."""

    type: Literal["text", "url", "visible"]
    contains: str | None = None
    selector: str | None = None


class Step(msgspec.Struct, omit_defaults=True):
    """One thing to do; `wait_for` is a CSS selector that must be seen afterwards, and then `expect` must hold."""

    action: Action
    id: str = ""
    ordinal: int = 0
    selector: str | None = None
    target: str | None = None
    value: Scalar | None = None
    wait_for: str | None = None
    parameter_refs: list[str] = []
    expect: Expect | None = None
    timeout_ms: int | None = None
    repaired: bool | None = None


class Parameter(msgspec.Struct, omit_defaults=True):
    """A value that steps refer to as `{{name}}`."""

    name: str
    default: Scalar | None = None


class TestConfig(msgspec.Struct):
    """A test; where `fallback` is `agent`, a model may repair a step that breaks."""

    __test__ = False

    version: Literal[1] = 1
    prompt: str = ""
    starting_url: str = ""
    fallback: str = "agent"
    defaults: dict[str, Scalar] = {}
    parameters: list[Parameter] = []
    steps: list[Step] = []


NEEDS: dict[str, tuple[str, ...]] = {
    "goto": ("value",),
    "fill": ("selector", "value"),
    "click": ("selector",),
    "press": ("value",),
    "select": ("selector", "value"),
    "hover": ("selector",),
    "expect": ("expect",),
    "wait": (),
    "ask_user_question": ("value",),
}
"""What each action cannot do without."""


def read(given: Mapping[str, Any]) -> TestConfig:
    """A TestConfig, bare or wrapped, in its normal form; raises ConfigError."""
    try:
        config = msgspec.convert(_unwrapped(given), TestConfig, strict=False)
    except msgspec.ValidationError as error:
        text, _, path = str(error).partition(" - at `$")
        where = f"test_config{path.removesuffix('`')}"
        raise ConfigError(f"{where}: {text}") from None
    if len(config.steps) > MOST_STEPS:
        raise ConfigError(f"test_config.steps: {len(config.steps)} steps; a test has at most {MOST_STEPS}")
    if config.starting_url and not REFERENCE.search(config.starting_url):
        check_url(config.starting_url, "test_config.starting_url")
    for number, step in enumerate(config.steps, 1):
        _normalise(step, number)
    return config


def _unwrapped(given: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in WRAPPERS:
        inner = given.get(name)
        if "steps" not in given and isinstance(inner, Mapping):
            return cast(Mapping[str, Any], inner)
    if "blocks" in given and "steps" not in given:
        return {**given, "steps": given["blocks"]}
    return given


def _normalise(step: Step, number: int) -> None:
    where = f"test_config.steps[{number - 1}]"
    step.id = step.id or f"step_{number}"
    step.ordinal = number
    expect = step.expect
    step.selector, step.target = step.selector or step.target or (expect and expect.selector), None
    for name in NEEDS[step.action]:
        if getattr(step, name) is None:
            raise ConfigError(f"{where}.{name}: a step that does '{step.action}' needs it")
    if expect:
        _check_expect(expect, step, f"{where}.expect")
    if step.action == "wait":
        _check_wait(step, where)


def _check_expect(expect: Expect, step: Step, where: str) -> None:
    if expect.type == "visible":
        expect.selector = expect.selector or step.selector
        if not expect.selector:
            raise ConfigError(f"{where}.selector: to expect something visible, say what")
    elif not expect.contains:
        raise ConfigError(f"{where}.contains: to expect a {expect.type}, say what it contains")


def _check_wait(step: Step, where: str) -> None:
    if step.value is None:
        if not (step.selector or step.wait_for or step.expect):
            raise ConfigError(f"{where}.value: a step that waits needs milliseconds, a selector or wait_for")
        return
    try:
        milliseconds = float(step.value)
    except ValueError:
        if REFERENCE.search(str(step.value)):
            return
        raise ConfigError(f"{where}.value: '{step.value}' is no number of milliseconds") from None
    if not 0 <= milliseconds <= LONGEST_WAIT_MS:
        raise ConfigError(f"{where}.value: between 0 and {LONGEST_WAIT_MS} milliseconds, not {step.value}")


def check_url(url: str, field: str) -> str:
    """The URL, which must be absolute, http or https, and name a host; raises ConfigError."""
    try:
        parts = urlsplit(url)
        is_fine = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_fine = False
    if not is_fine or any(letter.isspace() for letter in url):
        raise ConfigError(f"{field}: '{url[:200]}' is no absolute http(s) address; write it as https://app.example.com")
    return url


def built(config: TestConfig) -> dict[str, Any]:
    """A TestConfig as JSON."""
    return msgspec.to_builtins(config)


def values(config: TestConfig, given: Mapping[str, Scalar]) -> dict[str, str]:
    """The value of each parameter: as given, else by `defaults`, else its own default. Raises ConfigError."""
    found = {each.name: each.default for each in config.parameters if each.default is not None}
    answers = {name for step in config.steps if step.action == "ask_user_question" for name in _answered(step)}
    raw = {name: str(value) for name, value in {**found, **config.defaults, **given}.items()}
    for where, text in _texts(config):
        for name in REFERENCE.findall(text):
            if name not in raw and name not in answers:
                raise ConfigError(
                    f"{where} refers to {{{{{name}}}}}, which has no value: "
                    "give it a default, or a value under parameters"
                )
    return {name: filled(text, raw) for name, text in raw.items()}


def _answered(step: Step) -> list[str]:
    """The names under which steps after a question have its answer."""
    return [*step.parameter_refs, ANSWER]


def _texts(config: TestConfig) -> Iterator[tuple[str, str]]:
    """Every text in which a parameter may be named, with its place."""
    yield "test_config.starting_url", config.starting_url
    for number, step in enumerate(config.steps):
        where = f"test_config.steps[{number}]"
        if step.action == "ask_user_question":
            continue
        yield f"{where}.parameter_refs", " ".join(f"{{{{{name}}}}}" for name in step.parameter_refs)
        expect = step.expect or Expect("url")
        texts = {"value": step.value, "selector": step.selector, "wait_for": step.wait_for}
        for name, text in {**texts, "expect.contains": expect.contains, "expect.selector": expect.selector}.items():
            if isinstance(text, str):
                yield f"{where}.{name}", text


def filled(text: str, given: Mapping[str, str]) -> str:
    """A text with the values of the parameters it names, which may name others. Raises ConfigError."""
    for _ in range(MOST_NESTED):
        if not REFERENCE.search(text):
            return text
        text = REFERENCE.sub(lambda found: given.get(found[1], ""), text)
    raise ConfigError(f"parameters refer to one another without end: '{text[:100]}'")
