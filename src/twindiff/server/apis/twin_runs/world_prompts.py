"""Generates worlds from prompts by rules: deterministic, and reports which sentences the world does not show.

The tables of the vendors (`prompt_language`) say what a prompt may speak of. A prompt is read into groups of records
(`sentence_reader`), a seed configuration is made of them (`entity_builder`), and each sentence is verified on the rows
of the finished world (`claim_checker`). Prompts of browser tests are parsed in `twindiff.browser`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from twindiff.server.apis.twin_runs.prompt_language.claim_checker import FoundWorld
from twindiff.server.apis.twin_runs.prompt_language.entity_builder import build_config
from twindiff.server.apis.twin_runs.prompt_language.groups import Statement
from twindiff.server.apis.twin_runs.prompt_language.kinds import Rows
from twindiff.server.apis.twin_runs.prompt_language.sentence_reader import PromptReader

ADVICE = (
    "no sentence of the prompt was understood: the world shows none of them whole. Say how many there are of what the "
    "twins hold, with names in quotation marks, or give a seed_config"
)


class PromptReading(NamedTuple):
    """A seed configuration, and the sentences that it was built from."""

    config: dict[str, dict[str, Any]]
    sentences: list[Statement]


class Understanding(NamedTuple):
    """The sentences that a finished world shows, those it does not, and the reasons."""

    understood: list[str]
    not_understood: list[str]
    warnings: list[str]


def read_prompt(prompt: str, twins: Sequence[str]) -> PromptReading:
    """Build the world of a prompt for the twins that it speaks of."""
    reader = PromptReader(twins)
    reader.read(prompt)
    named = [twin for statement in reader.statements for twin in statement.twins if twin in twins]
    return PromptReading(build_config(prompt, reader.groups, named), reader.statements)


def compare(sentences: Sequence[Statement], rows: Mapping[str, Rows]) -> Understanding:
    """Compare a prompt with the rows of its world, by twin and table; a sentence is understood wholly or not."""
    outcome = Understanding([], [], [])
    for sentence, reasons in FoundWorld(rows).refute_all(sentences):
        (outcome.not_understood if reasons else outcome.understood).append(sentence.text)
        if reasons:
            outcome.warnings.append(f"'{sentence.text}': {'; '.join(reasons)}")
    if sentences and not outcome.understood:
        outcome.warnings.insert(0, ADVICE)
    return outcome
