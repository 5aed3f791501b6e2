"""Makes values that fit a schema where a description does not say which value the vendor would give."""

from __future__ import annotations

import random
import re
from email.utils import format_datetime
from typing import Any, cast
from uuid import UUID

import rstr

from twindiff.kit.clock import Clock

from .documents import Schema
from .names import split_words
from .schemas import SchemaSet

MAX_DEPTH = 6
"""How deep objects are made; what lies deeper is made as small as its schema allows."""
MAX_VALUES = 1_000
"""The most values of which one is made; what is left is made as small as its schema allows."""
MAX_INTEGER = 2**63 - 1
MAX_PATTERN = 300
_TEXTS = {
    "email": "sample@example.com",
    "url": "https://example.com/{seed}",
    "uri": "https://example.com/{seed}",
    "href": "https://example.com/{seed}",
    "link": "https://example.com/{seed}",
    "timezone": "Etc/UTC",
    "currency": "USD",
    "country": "US",
    "language": "en",
    "locale": "en-US",
    "phone": "+15555550100",
    "color": "#4a90d9",
    "version": "1",
}
"""Texts for fields whose last word says what they hold."""


class ValueMaker:
    """Makes values of schemas; the same seed makes the same value."""

    def __init__(self, schemas: SchemaSet) -> None:
        self._schemas = schemas
        self._left = MAX_VALUES

    @property
    def count(self) -> int:
        """The number of values that the last one consists of."""
        return MAX_VALUES - self._left + 1

    def make(self, schema: Schema, name: str, seed: str, clock: Clock, depth: int = 0) -> Any:
        """Return a value of a schema for a field of this name: its example, default or first choice, else one made."""
        self._left = self._left - 1 if depth else MAX_VALUES
        flat = self._schemas.flatten(schema)
        for each in ("const", "default", "example"):
            if flat.get(each) is not None and self._schemas.fits(schema, flat[each]):
                return flat[each]
        choices: Any = flat.get("enum")
        if isinstance(choices, list) and choices:
            return next((each for each in cast(list[Any], choices) if each is not None), None)
        examples: Any = flat.get("examples")
        if isinstance(examples, list) and examples and self._schemas.fits(schema, examples[0]):
            return cast(Any, examples[0])
        if self._schemas.allows_null(schema):
            return None
        return self._of_type(self._schemas.type_of(schema), flat, name, seed, clock, depth)

    def make_key(self, schema: Schema, stem: str, number: int) -> Any:
        """Return the key with a number, in the form that a schema says: a number, a UUID, its pattern, or `stem_1`."""
        if self._schemas.type_of(schema) == "integer":
            return number
        flat = self._schemas.flatten(schema)
        example = flat.get("example")
        if flat.get("format") == "uuid":
            return str(UUID(int=random.Random(f"{stem}{number}").getrandbits(128), version=4))
        if isinstance(example, str) and example.isdecimal():
            return str(10 ** (len(example) - 1) + number)
        candidates = [f"{stem}_{number}", f"{stem}-{number}", str(10**18 + number), f"{stem}{number}"]
        made = next((each for each in candidates if self._schemas.fits(schema, each)), None)
        return made or self._by_pattern(flat, f"{stem}{number}") or candidates[0]

    def _of_type(self, kind: str, flat: Schema, name: str, seed: str, clock: Clock, depth: int) -> Any:
        match kind:
            case "object":
                return self._object(flat, seed, clock, depth)
            case "array":
                few = min(flat.get("minItems", 0), 50) if self._left > 0 else 0
                items: Schema = flat.get("items") or {}
                return [self.make(items, name, f"{seed}{n}", clock, depth + 1) for n in range(few)]
            case "integer" | "number":
                return make_number(flat, kind)
            case "boolean":
                return False
            case "null":
                return None
            case _:
                return self._text(flat, name, seed, clock)

    def _object(self, flat: Schema, seed: str, clock: Clock, depth: int) -> dict[str, Any]:
        if depth >= MAX_DEPTH or self._left <= 0:
            return {}
        properties = flat.get("properties", {})
        return {
            name: self.make(properties.get(name, {}), name, f"{seed}.{name}", clock, depth + 1)
            for name in flat.get("required", ())
            if not self._schemas.is_flagged(properties.get(name, {}), "writeOnly")
        }

    def _text(self, flat: Schema, name: str, seed: str, clock: Clock) -> str:
        made = make_time(flat, name, clock)
        if made is None:
            made = self._by_pattern(flat, seed) or _by_format(str(flat.get("format", "")), seed)
        if made is None:
            words = split_words(name)
            made = _TEXTS.get(words[-1] if words else "", f"{name or 'text'}").format(seed=_number_of(seed))
        least, most = flat.get("minLength", 0), flat.get("maxLength", len(str(made)) + 1000)
        return str(made).ljust(min(least, 10_000), "0")[: max(most, 0)]

    def _by_pattern(self, flat: Schema, seed: str) -> str | None:
        pattern = flat.get("pattern")
        if not isinstance(pattern, str) or len(pattern) > MAX_PATTERN:
            return None
        try:
            return str(rstr.Rstr(random.Random(seed)).xeger(pattern))
        except Exception:  # noqa: BLE001 - a pattern of another dialect fails in any way
            return None


def make_number(flat: Schema, kind: str) -> Any:
    """Return the number nearest to 0 that a schema admits."""
    low = flat.get("minimum", flat.get("exclusiveMinimum"))
    high = flat.get("maximum", flat.get("exclusiveMaximum"))
    value: Any = 0
    if isinstance(low, (int, float)) and value < low:
        value = low
    if isinstance(high, (int, float)) and value > high:
        value = high
    if value == flat.get("exclusiveMinimum"):
        value += 1
    if value == flat.get("exclusiveMaximum"):
        value -= 1
    if kind == "integer":
        return int(max(-MAX_INTEGER, min(value, MAX_INTEGER)))
    return value


_TIME_WORDS = frozenset(["at", "on", "date", "time", "timestamp", "created", "updated", "modified"])


def make_time(flat: Schema, name: str, clock: Clock) -> Any:
    """Return the environment's time as a schema of a time wants it; None if it is no time."""
    form, words = flat.get("format", ""), split_words(name)
    if form == "date":
        return clock.iso()[:10]
    if form == "date-time-rfc-2822":
        return format_datetime(clock.now)
    if form == "date-time":
        return clock.iso()[:19] + "Z"
    if form in ("unix-time", "timestamp", "unixtime"):
        return clock.unix()
    is_time = bool(words) and (words[-1] in _TIME_WORDS or words[0] in ("date", "created", "updated"))
    if is_time and "enum" not in flat and not form and flat.get("type") == "string":
        return _time_by_pattern(flat.get("pattern"), clock.iso()[:19])
    return None


def _time_by_pattern(pattern: Any, iso: str) -> str | None:
    """Return a time as a pattern wants it, `2026-01-31T09:30:00Z` without one; None if it wants it otherwise."""
    if pattern is None:
        return iso + "Z"
    if not isinstance(pattern, str) or len(pattern) > MAX_PATTERN:
        return None
    forms = (iso + "Z", iso.replace("T", " "), iso, iso[:10], iso + ".000Z", iso + "+00:00")
    try:
        return next((each for each in forms if re.search(pattern, each)), None)
    except (re.error, RecursionError):
        return None


def _by_format(form: str, seed: str) -> str | None:
    digits = _number_of(seed)
    return {
        "uuid": f"{digits:032x}"[:8] + f"-{digits % 65536:04x}-4{digits % 4096:03x}-8{digits % 4096:03x}-{digits:012x}",
        "email": "sample@example.com",
        "uri": f"https://example.com/{digits}",
        "url": f"https://example.com/{digits}",
        "hostname": "example.com",
        "ipv4": "192.0.2.1",
        "ipv6": "2001:db8::1",
        "time": "00:00:00Z",
        "byte": "",
        "binary": "",
    }.get(form)


def _number_of(seed: str) -> int:
    """Return a number below a million that depends on the seed only."""
    return random.Random(seed).randrange(1_000_000)
