"""TestConfig: the steps of a test in the form in which they are written, stored and replayed."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Literal, cast
from urllib.parse import urljoin, urlsplit

import msgspec

from twindiff.browser.masking import MASK
from twindiff.browser.run_dates import is_date

MAX_STEPS = 200
MAX_STATEMENTS = 100
"""Statements of a prompt that one step serves."""
MAX_PROMPT_CHARACTERS = 20_000
MAX_FILES = 20
MAX_FILE_BYTES = 500_000
MAX_WAIT_MS = 60_000
MAX_PARAMETERS = 200
MAX_TEXT_CHARACTERS = 20_000
"""Characters of a text after its parameters are filled in."""
MAX_TIMEOUT_MS = 600_000
MAX_NAME_CHARACTERS = 200
"""The longest unknown field for which a near one is looked for."""
WRAPPERS = ("test_config_json", "test_config")
ANSWER = "answer"
"""The parameter that holds the answer to the last question."""
REFERENCE = re.compile(r"\{\{\s*([\w.-]+)\s*\}\}")

Action = Literal[
    "goto", "fill", "click", "press", "select", "choose", "check", "uncheck", "hover", "scroll", "back", "reload",
    "expect", "wait", "upload", "close_tab", "ask_user_question",
]  # fmt: skip
Scalar = str | int | float | bool


class ConfigError(ValueError):
    """A TestConfig cannot be run; the message names the field."""


class Expect(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """A condition that must hold, or with `negated` must not hold.

    `text`, `url`, `title`, `value` (of a field) and the name of a `download` are compared with `contains` or `equals`.
    `visible`, `disabled`, `checked` and `focused` are states of an element. `count` is the number of elements of
    `selector`, or of occurrences of `contains` on the page: from `min` to `max`. `new_tab` is another open window.
    `labelled` is the value of the field labelled `selector`, or the text beside that label: as a text, or as a number
    from `min` to `max`. `placeholder` is that of a field. `signed_in` holds where the page says the name `contains`,
    and asks nobody to sign in. `state` holds where the entry `row=NAME`, its column `row=NAME >> COLUMN`, or each
    entry of `entry=each NOUN`, shows the whole text `equals` in any case.
    """

    type: Literal[
        "text", "url", "title", "value", "visible", "disabled", "checked", "focused", "count", "download", "new_tab",
        "labelled", "placeholder", "signed_in", "state",
    ]  # fmt: skip
    contains: str | None = None
    selector: str | None = None
    equals: str | None = None
    negated: bool = False
    min: Annotated[int, msgspec.Meta(ge=0)] | None = None
    max: Annotated[int, msgspec.Meta(ge=0)] | None = None

    def __str__(self) -> str:
        """Describe the expectation, for the caption of its step."""
        wanted = self.contains if self.equals is None else self.equals
        verb = "is" if self.equals is not None else "contains"
        parts = ["not"] if self.negated else []
        if self.type == "labelled" and wanted is None:
            span = f"{self.min} or more" if self.max is None else f"{self.min or 0} to {self.max}"
            return f"{self.type} is {span}"
        if self.type == "count":
            few, many = self.min, self.max
            span = str(few) if few == many else f"at least {few}" if many is None else f"{few or 0} to {many}"
            return " ".join([*parts, span, "times", f"'{wanted}'" if wanted else "the element"])
        return " ".join([*parts, self.type] if wanted is None else [*parts, self.type, verb, f"'{wanted}'"])


class TwinCheck(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """An expectation about a twin: how many rows of a table were added while the test ran.

    `where` is as in the assertion language. `named` maps columns to names of rows, such as `{"channel_id": "general"}`;
    each name is resolved to the row's id when the test runs.
    """

    sentence: str
    twin: str
    entity: str
    where: dict[str, Any] = {}
    named: dict[str, str] = {}
    min: Annotated[int, msgspec.Meta(ge=0)] = 1
    max: Annotated[int, msgspec.Meta(ge=0)] | None = None


class DialogAnswer(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """How a step answers the browser's dialog (alert, confirm, prompt) that it must open: accepts it or not, and with
    which `text`. `says` must be part of the dialog's message.
    """

    accept: bool = True
    text: str | None = None
    says: str | None = None


class BrowserStep(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """One step; afterwards an element of the CSS selector `wait_for` must be visible, and then `expect` must hold.

    `statements` are the numbers of the sentences of the prompt that the step does or proves, as its model said.
    """

    action: Action
    id: str = ""
    ordinal: int = 0
    selector: str | None = None
    target: str | None = None
    value: Scalar | None = None
    wait_for: str | None = None
    parameter_refs: list[str] = []
    expect: Expect | None = None
    dialog: DialogAnswer | None = None
    timeout_ms: Annotated[int, msgspec.Meta(ge=1, le=MAX_TIMEOUT_MS)] | None = None
    repaired: bool | None = None
    statements: Annotated[list[Annotated[int, msgspec.Meta(ge=1)]], msgspec.Meta(max_length=MAX_STATEMENTS)] = []


class TestParameter(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """A value that steps refer to as `{{name}}`."""

    name: str
    default: Scalar | None = None


class UploadFile(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """A file that steps upload by its name: its content as `text`, or as `base64`."""

    __test__ = False

    name: str
    text: str | None = None
    base64: str | None = None


class TestConfig(msgspec.Struct, forbid_unknown_fields=True):
    """A test; if `fallback` is `agent`, a model may repair a step that fails."""

    __test__ = False

    version: Literal[1] = 1
    prompt: str = ""
    starting_url: str = ""
    fallback: Literal["agent", "none"] = "agent"
    defaults: dict[str, Scalar] = {}
    parameters: list[TestParameter] = []
    steps: list[BrowserStep] = []
    twin_checks: list[TwinCheck] = []
    files: list[UploadFile] = []


NEEDS: dict[str, tuple[str, ...]] = {
    "goto": ("value",),
    "fill": ("selector", "value"),
    "click": ("selector",),
    "press": ("value",),
    "select": ("selector", "value"),
    "choose": ("selector",),
    "check": ("selector",),
    "uncheck": ("selector",),
    "hover": ("selector",),
    "scroll": (),
    "back": (),
    "reload": (),
    "expect": ("expect",),
    "wait": (),
    "upload": ("value",),
    "close_tab": (),
    "ask_user_question": ("value",),
}
"""The required fields of each action."""


STATES = ("visible", "disabled", "checked", "focused")
OF_AN_ELEMENT = (*STATES, "value", "labelled")


def read(given: Mapping[str, Any]) -> TestConfig:
    """Parse a TestConfig, bare or wrapped, and normalise it; raises ConfigError."""
    try:
        config = msgspec.convert(_unwrap(given), TestConfig, strict=False)
    except msgspec.ValidationError as error:
        text, _, path = str(error).partition(" - at `$")
        path = path.removesuffix("`")
        raise ConfigError(f"test_config{path}: {text}{_suggest(text, path)}") from None
    if len(config.steps) > MAX_STEPS:
        raise ConfigError(f"test_config.steps: {len(config.steps)} steps; a test has at most {MAX_STEPS}")
    if config.starting_url and not REFERENCE.search(config.starting_url):
        check_url(config.starting_url, "test_config.starting_url")
    for number, step in enumerate(config.steps, 1):
        _normalise(step, number)
    if len(config.files) > MAX_FILES:
        raise ConfigError(f"test_config.files: {len(config.files)} files; a test has at most {MAX_FILES}")
    for number, file in enumerate(config.files):
        content_of(file, f"test_config.files[{number}]")
    return config


def content_of(file: UploadFile, where: str) -> bytes:
    """Return the content of a file; raises ConfigError, which names the place `where`, if it has none or too much."""
    check_file_name(file.name, f"{where}.name")
    if (file.text is None) == (file.base64 is None):
        raise ConfigError(f"{where}: give its content as text, or as base64")
    try:
        content = file.text.encode() if file.text is not None else b64decode(file.base64 or "", validate=True)
    except ValueError:
        raise ConfigError(f"{where}.base64: it is no base64") from None
    if len(content) > MAX_FILE_BYTES:
        raise ConfigError(f"{where}: {len(content):,} bytes; a file has at most {MAX_FILE_BYTES:,}")
    return content


def check_file_name(name: str, where: str) -> None:
    """Raise ConfigError for a name that no file has; a path is none."""
    if not name or len(name) > MAX_NAME_CHARACTERS or "/" in name or "\\" in name or not name.isprintable():
        raise ConfigError(f"{where}: '{name[:100]}' is no name of a file; a path is none")


PARTS: dict[str, type[msgspec.Struct]] = {
    "": TestConfig,
    "steps": BrowserStep,
    "expect": Expect,
    "dialog": DialogAnswer,
    "parameters": TestParameter,
    "twin_checks": TwinCheck,
    "files": UploadFile,
}
"""The parts of a TestConfig, by the key that holds them."""


def _suggest(problem: str, path: str) -> str:
    """Return the nearest field for one that a part of a TestConfig lacks, as the end of a sentence."""
    unknown = re.search(r"unknown field `(.*)`", problem)
    part = PARTS.get(re.sub(r"\[.*?\]$", "", path.rpartition(".")[2]))
    if not (unknown and part):
        return ""
    known = [field.encode_name for field in msgspec.structs.fields(part)]
    near = get_close_matches(unknown[1][:MAX_NAME_CHARACTERS], known, n=1)
    return f". Did you mean `{near[0]}`?" if near else f". Known: {', '.join(known)}."


def _unwrap(given: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in WRAPPERS:
        inner = given.get(name)
        if "steps" not in given and isinstance(inner, Mapping):
            return cast(Mapping[str, Any], inner)
    if "blocks" in given and "steps" not in given:
        return {"steps" if name == "blocks" else name: value for name, value in given.items()}
    return given


def _normalise(step: BrowserStep, number: int) -> None:
    where = f"test_config.steps[{number - 1}]"
    step.id = step.id or f"step_{number}"
    step.ordinal = number
    expect = step.expect
    step.selector, step.target = step.selector or step.target or (expect and expect.selector), None
    for name in NEEDS[step.action]:
        if getattr(step, name) is None:
            raise ConfigError(f"{where}.{name}: a step that does '{step.action}' needs it")
    if MASK in str(step.value or ""):
        raise ConfigError(f"{where}.value: '{MASK}' stands for a secret that was masked; give it in credentials")
    if expect:
        _check_expect(expect, step, f"{where}.expect")
    if step.action == "wait":
        _check_wait(step, where)


def _check_expect(expect: Expect, step: BrowserStep, where: str) -> None:
    if expect.type in OF_AN_ELEMENT:
        expect.selector = expect.selector or step.selector
        if not expect.selector:
            raise ConfigError(f"{where}.selector: to expect something {expect.type}, say what")
    if expect.type == "count":
        _check_count(expect, where)
    elif expect.type == "labelled" and (expect.min is not None or expect.max is not None):
        return
    elif expect.type not in (*STATES, "new_tab") and not expect.contains and expect.equals is None:
        raise ConfigError(f"{where}.contains: to expect a {expect.type}, say what it contains")


def _check_count(expect: Expect, where: str) -> None:
    if not (expect.contains or expect.selector):
        raise ConfigError(f"{where}.selector: to expect a count, say of what: a selector, or a text under contains")
    if expect.min is None and expect.max is None:
        raise ConfigError(f"{where}.min: to expect a count, say how many: min, max or both")


def _check_wait(step: BrowserStep, where: str) -> None:
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
    if not 0 <= milliseconds <= MAX_WAIT_MS:
        raise ConfigError(f"{where}.value: between 0 and {MAX_WAIT_MS} milliseconds, not {step.value}")


def check_url(url: str, field: str) -> str:
    """Return the URL if it is absolute, http or https, and has a host; raises ConfigError."""
    try:
        parts = urlsplit(url)
        is_fine = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_fine = False
    if not is_fine or any(letter.isspace() for letter in url):
        raise ConfigError(f"{field}: '{url[:200]}' is no absolute http(s) address; write it as https://app.example.com")
    return url


def join_url(start_url: str, given: str, field: str) -> str:
    """Resolve an address that may be relative to the start URL; raises ConfigError."""
    try:
        return check_url(urljoin(start_url, given), field)
    except ConfigError:
        raise
    except ValueError:
        raise ConfigError(f"{field}: '{given[:200]}' is no address") from None


def to_json(config: TestConfig) -> dict[str, Any]:
    """Convert a TestConfig to JSON values."""
    return msgspec.to_builtins(config)


def values(config: TestConfig, given: Mapping[str, Scalar]) -> dict[str, str]:
    """Return the value of each parameter: the given one, else that of `defaults`, else its own default.

    Values may refer to other parameters, but not in a cycle. Raises ConfigError.
    """
    own = {each.name: each.default for each in config.parameters if each.default is not None}
    answers = {name for step in config.steps if step.action == "ask_user_question" for name in _answer_names(step)}
    raw = {name: str(value) for name, value in {**own, **config.defaults, **given}.items()}
    if len(raw) > MAX_PARAMETERS:
        raise ConfigError(f"parameters: {len(raw)} of them; a test has at most {MAX_PARAMETERS}")
    for where, text in _texts(config):
        for name in REFERENCE.findall(text):
            if name not in raw and name not in answers and not is_date(name):
                raise ConfigError(
                    f"{where} refers to {{{{{name}}}}}, which has no value: "
                    "give it a default, or a value under parameters"
                )
    done: dict[str, str] = {}
    for name in raw:
        _resolve(name, raw, done, [])
    return done


def _resolve(name: str, raw: Mapping[str, str], done: dict[str, str], outer: list[str]) -> str:
    """Return the value of a parameter with references resolved; raises ConfigError for a cycle."""
    if name in outer:
        raise ConfigError(f"parameters refer to one another without end: {' → '.join([*outer, name])[:200]}")
    if name not in done:
        named = {each for each in REFERENCE.findall(raw[name]) if each in raw}
        inner = {each: _resolve(each, raw, done, [*outer, name]) for each in sorted(named)}
        done[name] = fill_parameters(raw[name], inner)
    return done[name]


def _answer_names(step: BrowserStep) -> list[str]:
    """Return the parameters that hold the answer to a question in later steps."""
    return [*step.parameter_refs, ANSWER]


def _texts(config: TestConfig) -> Iterator[tuple[str, str]]:
    """Yield every text that may refer to parameters, with its place."""
    yield "test_config.starting_url", config.starting_url
    for number, step in enumerate(config.steps):
        where = f"test_config.steps[{number}]"
        if step.action == "ask_user_question":
            continue
        yield f"{where}.parameter_refs", " ".join(f"{{{{{name}}}}}" for name in step.parameter_refs)
        expect = step.expect or Expect("url")
        texts = {"value": step.value, "selector": step.selector, "wait_for": step.wait_for}
        dialog = step.dialog or DialogAnswer()
        of_dialog = {"dialog.text": dialog.text, "dialog.says": dialog.says}
        for name, text in {**texts, **of_dialog, **_texts_of(expect)}.items():
            if isinstance(text, str):
                yield f"{where}.{name}", text


def _texts_of(expect: Expect) -> dict[str, str | None]:
    return {f"expect.{name}": getattr(expect, name) for name in ("contains", "equals", "selector")}


def fill_parameters(text: str, given: Mapping[str, str]) -> str:
    """Replace the parameters in a text by their values. Raises ConfigError if it becomes too long."""
    size = len(text)

    def value(reference: re.Match[str]) -> str:
        nonlocal size
        size += len(given.get(reference[1], ""))
        if size > MAX_TEXT_CHARACTERS:
            raise ConfigError(f"parameters make '{text[:100]}' longer than {MAX_TEXT_CHARACTERS} characters")
        return given.get(reference[1], "")

    return REFERENCE.sub(value, text)
