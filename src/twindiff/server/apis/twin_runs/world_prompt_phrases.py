"""Patterns of phrases about parts, people and reports, for the parser of prompts."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from twindiff.server.apis.twin_runs.world_prompt_details import pattern
from twindiff.server.apis.twin_runs.world_prompt_words import (
    ASSIGNED,
    CONTAINED,
    DEPARTMENTS,
    END_OF_TOPIC,
    FILLERS,
    HALF,
    KINDS,
    MINE,
    NONE,
    NUMBER,
    REPORTED,
    REST,
    THEM,
    TWINS,
    WRITTEN_BY,
    WROTE,
    ZERO,
)

ABOUT_SOMETHING = ("messages", "issues", "files", "meetings")
JOINED = ("with", "mit")
SHARED = ("shared", "geteilt")
HAS = (*JOINED, "has", "have", "hat", "haben")
HOLDS = (*HAS, *["contain", "contains", "containing", "include", "includes", "including", "enthält", "enthalten"])
LINKS = (*CONTAINED, *HOLDS, "by", "from", "through", "at", "bei", "am", "um")
"""Words that say how a noun relates to the noun before."""
IS = ("is", "are", "be", "ist", "sind")
ONE_WORD = r"[^\W\d_][\w'\u2019-]*"
CAPITALS = r"[A-ZÄÖÜ][\w.&'-]{0,60}"
QUOTED = r'["„“]([^"„“”\n]{1,100})["“”]'
EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
PRIVATE = pattern(r"(?:private[mnrs]?)\s+(?=(?:channels?|kan(?:a|ä)le?n?)\b|#)")
POSSESSED_TWIN = pattern(rf"(?:{MINE})\s+(?=({ONE_WORD}))")
SHARE = rf"{NUMBER}|{HALF}|{NONE}"
PART = pattern(rf"(?:({SHARE}|{ZERO})\s+(?:of|von)\s+(?:{THEM})|of\s+(?:{THEM})\s+({SHARE}))\b")
REST_OF = pattern(rf"(?:{REST})\b")
PERSON = rf"(?:{EMAIL.pattern}|{CAPITALS}(?:\s{CAPITALS}){{0,2}})"
ASSIGNED_PATTERN = re.compile(rf"(?i:{ASSIGNED})\s+({PERSON})")
WRITTEN_BY_PATTERN = re.compile(rf"(?i:{WRITTEN_BY})\s+({PERSON})")
SAYING = pattern(rf"(?:(?:that|which)\s+)?(?:says|saying|reads|reading)\s+{QUOTED}")
WROTE_PATTERN = re.compile(rf"({PERSON})\s+(?i:{WROTE})\s+(?=(?i:{NUMBER})\s+(?i:{KINDS['messages']})\b)")
REPORT = re.compile(
    rf"(?:(?i:somebody|someone|a\s+user|jemand)|({PERSON}))\s+(?i:{REPORTED}|{WROTE})\s+(?:in|on)\s+"
    rf"#([a-z0-9][a-z0-9_-]{{0,79}})\s+(?:that\s+((?:{ONE_WORD}|\d+)(?:\s+(?:{ONE_WORD}|\d+)){{1,19}})(?=\s*(?:$|,))"
    rf"|(?=(?:about|regarding|concerning|for)\s))"
)
REPORTED_FOR = pattern(rf"for\s+(?:{QUOTED}|((?:(?!(?:{END_OF_TOPIC})\b){ONE_WORD}(?:\s+|(?=\W)|$)){{1,12}}))")
SUBJECT = re.compile(rf"({CAPITALS}(?:\s{CAPITALS}){{0,3}})(?=\s+(?i:has|have|is|hat|ist)\b)")
OWNS_ISSUES = pattern(
    rf"\s+(?:has|have|hat)\s+(?:{ONE_WORD}|\d+)(?:\s+{ONE_WORD}){{0,2}}?"
    rf"\s+(?:{KINDS['issues']}|{KINDS['projects']})\b"
)
HALF_PATTERN, NONE_PATTERN = pattern(HALF), pattern(NONE)
SUBJECTS = ("teams", "projects", "customers")
DEPARTMENT = pattern(rf"(?:{DEPARTMENTS})")
REFERRING = pattern(
    r"it|its|this|he|she|they|them|him|her|hers|his|their|theirs|these|those|both|same|er|sie|es|ihn|ihr"
)
"""Words in a topic that stand for something which a prompt said before."""
VAGUE_WORDS = pattern(
    r"(?:i|he|she|they|it|we|you|him|her|his|hers|their|theirs|them|its|my|our|your|who|whose|and|or|but|nobody|someone|er|sie|und|oder)"
)
"""Words that leave open of whom or what a report speaks, or that may begin another statement."""

TIME_WORDS = pattern(r"yesterday|today|tonight|tomorrow|now|ago|last|again|gestern|heute|morgen")
"""Words in what was asked for that say when it was asked."""


def pattern_of_twin(twin: str) -> re.Pattern[str]:
    """The pattern of the names of a twin."""
    return pattern(rf"(?:{TWINS.get(twin) or re.escape(twin)})(?:['\u2019]s)?(?![\w-])")


@cache
def _kinds() -> dict[str, re.Pattern[str]]:
    return {kind: pattern(said) for kind, said in KINDS.items()}


@lru_cache(4096)
def kind_of(word: str) -> str | None:
    """The kind of records that a noun names, or None."""
    return next((kind for kind, said in _kinds().items() if said.fullmatch(word)), None)


def is_filler(word: str) -> bool:
    """Whether a word makes no claim."""
    return word.lower() in FILLERS
