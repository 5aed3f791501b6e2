"""Generates seed configurations from prompts with a language model, which also claims what rows show each statement.

Configurations are validated like any other, and claims are compared with the rows of the finished world: what the
model says of its world is never believed.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from twindiff.browser.prompt_facts import PromptStatement, list_statements
from twindiff.kit.clock import Clock
from twindiff.kit.seeding import InvalidSeedConfig
from twindiff.kit.twin import Twin
from twindiff.server.apis.twin_runs.claim_accounting import StatementProof
from twindiff.server.apis.twin_runs.world_claims import WorldClaim
from twindiff.server.apis.twin_runs.worlds import Config
from twindiff.server.language_models import ModelFailed
from twindiff.storage.schema import Schema

MAX_TRIES = 3
"""Number of attempts; each repeats to the model what the previous one lacked."""
MAX_CLAIMS = 500
MAX_TABLE_CHARACTERS = 5_000
"""Characters of the tables and columns of each twin that a model is told."""
MAX_COLUMNS = 30
"""Columns of each table that a model is told."""
MAX_ADVICE_CHARACTERS = 8_000
_USUAL_COLUMNS = ("status", "state", "type", "name", "title", "customer", "amount", "price", "product", "start", "end")
_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SYSTEM = """You write seed data for copies of SaaS APIs, and claim what rows of theirs show each statement about them.
Answer with one JSON object and nothing else:
{{"seeds": {{API: configuration}}, "claims": [claim], "background": [number]}}
"seeds" has, by the name of each API, what it holds. Only these are valid:
{shapes}
Names of users that messages, issues or comments refer to must be among that API's users,
or "Agent", who is always there with the email address agent@example.com.
Give people the same names and email addresses in every API. Leave out APIs that the description does not need.
{time}

The description is given as numbered statements. "claims" says for each of them which rows of the finished APIs show it:
{{"statement": 2, "twin": "slack", "table": "messages", "count": 3,
  "where": {{"user_id.real_name": "Ben", "channel_id.channel_name": "dev"}}}}
- "count" is the exact number of such rows; or give "min" or "max". A number of records in a statement needs "count".
- "where" compares columns: {{"column": value}}, or an operator as in {{"column": {{"contains": text}}}}: of texts
  contains, starts_with, ends_with, in, not_in, ne; of numbers gt, gte, lt, lte.
  Times are texts (starts_with a day), or numbers of seconds since 1970.
  A column with the id of another row may be followed by a dot and a column of that row, also several times.
- Names, quoted texts, numbers, states (paid, open) and dates of a clause must all be in one claim, on joined rows.
  For an enumeration, give one claim for each item; they differ in one column only.
- What is said of all, both or each of some rows needs two claims about one table with the same "count": of these rows,
  and of those of which it is so.
- What a clause denies (no, nobody, without) needs a claim with "count": 0 that compares with what the clause says, and
  with nothing else.
- Amounts of Stripe are in cents. Users include the agent, unless {{"email": {{"ne": "agent@example.com"}}}}.
- "background" has the numbers of statements that say nothing of any data. All others need claims.
Tables with their columns:
{tables}"""


class ModelWorld(NamedTuple):
    """A seed configuration that a model wrote, with its claims and the numbers of statements it calls background."""

    seeds: dict[str, dict[str, Any]]
    claims: Sequence[WorldClaim] = ()
    background: frozenset[int] = frozenset()


class ProvenWorld(NamedTuple):
    """A valid world of a model, and what it shows of each statement."""

    seeds: Config
    proofs: list[StatementProof]

    @property
    def proven(self) -> int:
        """The number of statements that it shows."""
        return sum(not each.reasons for each in self.proofs)


Prove = Callable[[ModelWorld], Awaitable[ProvenWorld]]
"""Builds a world and compares claims with its rows; raises InvalidSeedConfig."""


async def generate_world(
    answer: Callable[[str, list[dict[str, Any]]], Awaitable[str]],
    system: str,
    prompt: str,
    twins: Mapping[str, Twin],
    prove: Prove,
) -> ProvenWorld:
    """Ask a model for the world of a prompt until all statements are proven, `MAX_TRIES` times; return the best valid
    one. Raises ModelFailed if no attempt is valid.
    """
    statements = list_statements(prompt)
    said: list[dict[str, Any]] = [{"role": "user", "content": write_statements(prompt, statements)}]
    best: ProvenWorld | None = None
    problems = ""
    for _ in range(MAX_TRIES):
        try:
            text = await answer(system, said)
        except ModelFailed:
            if best is None:
                raise
            return best
        try:
            world = await prove(_read_answer(text, twins, len(statements)))
        except InvalidSeedConfig as error:
            problems = str(error)
            advice = f"That cannot be used: {problems}. Answer with the whole corrected JSON object."
        else:
            best = world if best is None or world.proven > best.proven else best
            advice = _describe_lacking(world)
            if not advice:
                return world
        said += [{"role": "assistant", "content": text}, {"role": "user", "content": advice}]
    if best is None:
        raise ModelFailed(f"The model gave no valid world after {MAX_TRIES} tries: {problems}")
    return best


def write_statements(prompt: str, statements: Sequence[PromptStatement]) -> str:
    """Write a prompt and its numbered statements for a model."""
    numbered = "\n".join(f"{number}. {each.text}" for number, each in enumerate(statements, 1))
    return f"{prompt}\n\nIts statements:\n{numbered}"


def write_instructions(twins: Mapping[str, Twin], schemas: Mapping[str, Schema], now: int) -> str:
    """Write what a model must know of twins, and of the instant at which they start, in microseconds since 1970."""
    shapes = {name: msgspec.json.schema(twin.seeding.shape) for name, twin in twins.items() if twin.seeding}
    tables = {name: _write_tables(schemas[name], msgspec.json.encode(shapes[name]).decode()) for name in shapes}
    return _SYSTEM.format(
        shapes=msgspec.json.encode(shapes).decode(),
        tables="\n".join(f"{name}: {text}" for name, text in tables.items()),
        time=_write_time(now),
    )


def _write_time(now: int) -> str:
    instant = Clock(now).iso()[:16]
    day = _DAYS[(now // 86_400_000_000 + 3) % 7]
    return f"The clock of the APIs starts at {instant} UTC, a {day}: write all dates as of then, none created later."


def _write_tables(schema: Schema, shape: str) -> str:
    """Write tables with columns, first those whose names are in the shape of the seeds; the rest by name alone."""
    words = {*re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", shape).lower())}
    names = sorted(schema.tables, key=lambda name: (-_likeness(name, schema.twin, words), len(name)))
    parts: list[str] = []
    left = MAX_TABLE_CHARACTERS
    for name in names:
        text = f"{name}({','.join(_choose_columns(schema, name, words))})"
        text = text if len(text) <= left else name
        left -= len(text) + 1
        if left < 0:
            break
        parts.append(text)
    return " ".join(parts)


def _choose_columns(schema: Schema, table: str, words: set[str]) -> list[str]:
    """At most `MAX_COLUMNS` of a table: first ids of other rows and what seeds name, in the order of the table."""
    columns = schema.tables[table].columns

    def rank(name: str) -> int:
        is_chosen = columns[name].references is not None or name in _USUAL_COLUMNS or name.lower() in words
        return 0 if is_chosen else 1

    chosen = {*sorted(columns, key=rank)[:MAX_COLUMNS]}
    return [name for name in columns if name in chosen]


def _likeness(table: str, twin: str, words: set[str]) -> float:
    own = [word for word in re.sub(r"(?<=[a-z])(?=[A-Z])", "_", table).lower().split("_") if word != twin]
    return sum(word in words or f"{word}s" in words for word in own) / len(own) if own else 0


def _read_answer(text: str, twins: Mapping[str, Twin], count: int) -> ModelWorld:
    """Parse a reply: seeds alone, or an object with `seeds`, `claims` and `background`; raises InvalidSeedConfig."""
    fenced = _FENCE.search(text)
    try:
        given = msgspec.json.decode((fenced[1] if fenced else text).strip(), type=dict[str, Any])
        is_whole = "seeds" in given and "seeds" not in twins
        seeds = msgspec.convert(given["seeds"] if is_whole else given, type=dict[str, dict[str, Any]])
    except msgspec.MsgspecError as error:
        raise InvalidSeedConfig([f"the answer is no JSON object of objects: {error}"]) from None
    unknown = [name for name in seeds if name not in twins]
    if unknown:
        raise InvalidSeedConfig([f"there is no API '{unknown[0]}'; there are {', '.join(twins)}"])
    if not is_whole:
        return ModelWorld(seeds)
    try:
        claims = msgspec.convert(given.get("claims", []), type=list[WorldClaim])
        background = msgspec.convert(given.get("background", []), type=list[int])
    except msgspec.ValidationError as error:
        raise InvalidSeedConfig([f"claims or background: {error}"]) from None
    if len(claims) > MAX_CLAIMS:
        raise InvalidSeedConfig([f"claims: {len(claims)} are more than {MAX_CLAIMS}"])
    return ModelWorld(seeds, [each for each in claims if 0 < each.statement <= count], frozenset(background))


def _describe_lacking(world: ProvenWorld) -> str:
    """Tell a model which statements its claims do not prove; empty if there is nothing to be told."""
    lacking = [
        f"statement {number} ('{proof.statement.text[:200]}'): {'; '.join(proof.reasons)}"
        for number, proof in enumerate(world.proofs, 1)
        if proof.reasons and proof.is_checkable
    ]
    if not lacking:
        return ""
    said = "\n".join(lacking)[:MAX_ADVICE_CHARACTERS]
    return f"That is valid, but does not show all statements:\n{said}\nAnswer with the whole corrected JSON object."
