"""Generates worlds from prompts by rules: deterministic, and reports which sentences the world does not show.

A prompt is parsed (`world_prompt_reading`), a seed configuration is built (`world_prompt_seeds`), and each sentence is
verified against the rows of the finished world (`world_prompt_claims`). Prompts of browser tests are parsed in
`twindiff.browser`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from twindiff.server.apis.twin_runs.world_prompt_claims import Rows, WorldRecords, refute
from twindiff.server.apis.twin_runs.world_prompt_groups import OF, PromptGroup, Sentence
from twindiff.server.apis.twin_runs.world_prompt_reading import PromptReader
from twindiff.server.apis.twin_runs.world_prompt_seeds import build_world

ADVICE = (
    "no sentence of the prompt was understood: the world shows none of them whole. Say how many there are of what the "
    "twins hold, with names in quotation marks, or give a seed_config"
)


class PromptReading(NamedTuple):
    """A seed configuration, and the sentences that it was built from."""

    config: dict[str, dict[str, Any]]
    sentences: list[Sentence]


class Understanding(NamedTuple):
    """The sentences that a finished world shows, those it does not, and the reasons."""

    understood: list[str]
    not_understood: list[str]
    warnings: list[str]


def read_prompt(prompt: str, twins: Sequence[str]) -> PromptReading:
    """Build the world of a prompt for the twins that it mentions, or for all if it mentions none."""
    reader = PromptReader(twins)
    reader.read(prompt)
    named = {twin for sentence in reader.sentences for twin in sentence.twins}
    kinds = {group.kind for group in reader.groups}
    asked = [twin for twin in twins if twin in named or kinds & {*OF.get(twin, ())}] if named else twins
    return PromptReading(build_world(prompt, reader.groups, asked), reader.sentences)


def compare(sentences: Sequence[Sentence], rows: Mapping[str, Rows]) -> Understanding:
    """Compare a prompt with the rows of its world, by twin and table; a sentence is understood wholly or not."""
    outcome, facts = Understanding([], [], []), WorldRecords(rows)
    doubled = _find_doubled(sentences)
    for sentence in sentences:
        reasons = refute(sentence, facts)
        same = {each.kind for each in sentence.groups if id(each) in doubled and each.count}
        reasons += [f"its numbers of {kind} are of the same records" for kind in sorted(same)]
        (outcome.not_understood if reasons else outcome.understood).append(sentence.text)
        if reasons:
            outcome.warnings.append(f"'{sentence.text}': {'; '.join(reasons)}")
    if sentences and not outcome.understood:
        outcome.warnings.insert(0, ADVICE)
    return outcome


def _find_doubled(sentences: Sequence[Sentence]) -> set[int]:
    """The `id` of groups that only differ in their noun, or stand in one sentence, as in "5 bugs and 5 tasks".

    The prompt means different records, which nothing in the world tells apart. A number beside that of described
    records, as in "2 urgent issues and 5 issues", may or may not include them.
    """
    known: dict[tuple[str, ...], list[tuple[Sentence, PromptGroup]]] = {}
    doubled: set[int] = set()
    for sentence in sentences:
        for group in sentence.groups:
            if group.is_exact and group.noun and not group.part_of and not group.is_described and group.kind != "users":
                known.setdefault((group.kind, *_homes_of(group)), []).append((sentence, group))
                doubled |= {id(group)} if any(_may_include(group, each) for each in sentence.groups) else set()
    return doubled | {
        id(one)
        for same in known.values()
        for sentence, one in same
        for other_sentence, other in same
        if one is not other and (sentence is other_sentence or one.noun.rstrip("s") != other.noun.rstrip("s"))
    }


def _homes_of(group: PromptGroup) -> list[str]:
    return group.within.names if group.within else []


def _may_include(group: PromptGroup, other: PromptGroup) -> bool:
    """Whether a number of records may include another number of described ones in the same place."""
    is_same = (group.kind, _homes_of(group)) == (other.kind, _homes_of(other))
    is_counted = other.is_exact and other.is_described and not other.part_of and not other.names
    return is_same and is_counted and other is not group
