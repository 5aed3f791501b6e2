"""The secrets of a run: credentials, what is typed into secret fields, and the variables of its application."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

from twindiff.browser.config import REFERENCE
from twindiff.browser.masking import (
    MASK,
    TextMask,
    find_passwords,
    is_credential_name,
    is_identity_name,
    is_secret_name,
    mask_tokens,
    secret_names,
)
from twindiff.catalog import TestRunRecord

TYPED = "typed_secrets"
"""The key of a request under which secrets are stored that were recognized while they were typed."""
FALSE_SECRETS = ("true", "false", "none", "null", "development", "production", "test", "localhost")
"""Values of variables with secret names that are none."""
MIN_VARIABLE_LETTERS = 4


def find_run_secrets(run: TestRunRecord) -> list[str]:
    """Return the texts that no record of a run may show."""
    secrets = [*_of_credentials(run.secrets), *_of_config(run.test_config or {}), *run.asked.get(TYPED, [])]
    parameters = {name: str(value) for name, value in run.asked.get("parameters", {}).items()}
    secrets += [parameters[name] for name in secret_names(parameters)]
    secrets += _of_variables(run.asked.get("env_vars", {}))
    return [each for each in dict.fromkeys(secrets) if each and not REFERENCE.search(each)]


@lru_cache(maxsize=256)
def mask_of(secrets: tuple[str, ...]) -> TextMask:
    """The mask of these secrets; compiling it takes a millisecond, and a run has thousands of lines."""
    return TextMask(secrets)


def _of_credentials(credentials: Mapping[str, str]) -> Iterator[str]:
    for name, value in credentials.items():
        if not is_identity_name(name):
            yield str(value)


def _of_config(config: Mapping[str, Any]) -> Iterator[str]:
    """Texts that steps type into fields with names of secrets or expect there, and defaults of secret parameters."""
    for step in config.get("steps", ()):
        expect: dict[str, Any] = step.get("expect") or {}
        if is_secret_name(str(step.get("selector") or "")) and step.get("action") in ("fill", "select"):
            yield str(step.get("value") or "")
        if expect.get("type") == "value" and is_secret_name(str(expect.get("selector") or step.get("selector") or "")):
            yield str(expect.get("equals") or expect.get("contains") or "")
    given = {each["name"]: str(each.get("default") or "") for each in config.get("parameters", ())}
    given |= {name: str(value) for name, value in config.get("defaults", {}).items()}
    for name in secret_names(given):
        yield given[name]


def _of_variables(variables: Mapping[str, str]) -> Iterator[str]:
    for name, value in variables.items():
        yield from find_passwords(value)
        if is_secret_variable(name, value):
            yield value


def is_secret_variable(name: str, value: str) -> bool:
    """Whether the value of a variable is a password or a token, and not the address or the kind of one."""
    is_telling = len(value) >= MIN_VARIABLE_LETTERS and value.lower() not in FALSE_SECRETS and "://" not in value
    return is_telling and is_credential_name(name)


def mask_variables(variables: Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    """Mask the secrets among the named variables; others, such as those of twins, stay as clients need them, and so do
    named ones that repeat them.
    """
    others = {value for name, value in variables.items() if name not in names}
    return {
        name: _mask_variable(name, value) if name in names and value not in others else value
        for name, value in variables.items()
    }


def _mask_variable(name: str, value: str) -> str:
    for password in find_passwords(value):
        value = value.replace(f":{password}@", f":{MASK}@")
    return MASK if is_secret_variable(name, value) else mask_tokens(value)


def restore_masked(given: Any, stored: Any, mask: TextMask) -> Any:
    """Replace texts that are masked texts of a stored value by the stored ones."""
    originals = {mask.text(text): text for text in _list_texts(stored) if mask.text(text) != text}

    def restore(value: Any) -> Any:
        if isinstance(value, str):
            return originals.get(value, value)
        if isinstance(value, list):
            return [restore(each) for each in cast("list[Any]", value)]
        if isinstance(value, dict):
            return {name: restore(each) for name, each in cast("dict[str, Any]", value).items()}
        return value

    return restore(given)


def _list_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in cast("list[Any]", value):
            yield from _list_texts(each)
    elif isinstance(value, dict):
        for each in cast("dict[str, Any]", value).values():
            yield from _list_texts(each)
