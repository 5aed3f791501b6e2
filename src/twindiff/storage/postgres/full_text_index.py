"""The full-text index of a column, by GIN: finds the rows that may have a word.

Each word is prefixed with the start of its environment's id, so that a search of one environment reads no entries of
others. Rows are read through a SECURITY DEFINER function, for two reasons: PostgreSQL does not use the index under
row-level security, and expects so few rows of a new environment that it would rather read all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

from twindiff.kit.full_text import LETTERS, UNSPACED, IndexTerm, SearchTerm, without_accents
from twindiff.kit.rows import AllOf, AnyOf, Column, Expression, Not, Table, Where
from twindiff.storage.sql.full_text_query import Spelling
from twindiff.storage.sql.names import names, quote

from .text_encoding import literal

MAX_WORD_CHARACTERS = 200
"""Characters of a word in the index; PostgreSQL's limit is 2,046 bytes."""
MAX_TEXT_CHARACTERS = 50_000
"""Characters of a text up to which it is indexed; every search tests longer texts themselves."""
MANY_ROWS = 2_000
"""Matching rows beyond which it is checked whether other conditions leave fewer rows."""
MAX_COUNTED_ROWS = 20_000
"""Matching rows up to which they are counted for that."""
ENVIRONMENT_LETTERS = 12
_ANY = "!"
"""The only indexed word of texts that are too long."""
_HERE = "@"
"""The placeholder of the environment in a query."""
TOO_LONG = f"'{_HERE} {_ANY}'"
"""The query for texts that are too long."""


def _part(part: IndexTerm) -> str:
    kept = part.text[:MAX_WORD_CHARACTERS]
    return f"'{_HERE} {kept}'{':*' if part.is_start and kept == part.text else ''}"


SPELLING = Spelling(" & ", " | ", _part)


def function() -> str:
    """Return the DDL of `twindiff.words(env, given)`, the words of a text with the prefix of its environment.

    For the text "Red cat" of the environment "0123456789abcdef…" it returns `'0123456789ab cat' '0123456789ab red'`.
    """
    here = f"rpad(env, {ENVIRONMENT_LETTERS}, '0') || ' '"
    longest = ENVIRONMENT_LETTERS + 1 + MAX_WORD_CHARACTERS
    between, apart = literal(f"[^{LETTERS}{UNSPACED}]+"), literal(f"([{UNSPACED}])")
    return f"""
        CREATE OR REPLACE FUNCTION twindiff.words(env text, given text) RETURNS tsvector
        LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS $$
        DECLARE
            bare text;
        BEGIN
            IF length(given) > {MAX_TEXT_CHARACTERS} THEN
                RETURN array_to_tsvector(ARRAY[{here} || '{_ANY}']);
            END IF;
            IF octet_length(given) = length(given) THEN  -- what is not run is not made ready either, for each row anew
                bare := regexp_replace(lower(given COLLATE "C"), '[^0-9a-z]+', '~' || {here}, 'g');
            ELSE
                bare := regexp_replace(twindiff.without_accents(given), {apart}, ' \\1 ', 'g');
                bare := regexp_replace(bare, {between}, '~' || {here}, 'g');
            END IF;
            IF bare ~ '[^~]{{{MAX_WORD_CHARACTERS}}}' THEN
                RETURN array_to_tsvector(ARRAY(
                    SELECT left(word, {longest}) FROM unnest(string_to_array({here} || bare, '~')) word
                ));
            END IF;
            RETURN array_to_tsvector(string_to_array({here} || bare, '~'));
        END $$
    """


def words_of(column: str) -> str:
    """Return the index expression of a column's words."""
    return f"twindiff.words(env_id, {quote(column)})"


def lookup(schema: str, table: Table, column: str, what: str = "words") -> str:
    """Return the name of a column's lookup function.

    `what` is "words" (returns matching rows), "page" (returns the first keys in order) or "count".
    """
    return f"{quote(schema)}.{quote(f'{table.name}({column} {what})')}"


def lookups(schema: str, table: Table) -> Iterator[str]:
    """Yield the DDL of the lookup functions of a table."""
    # CREATE OR REPLACE FUNCTION "twin_slack"."messages(text words)"(text) RETURNS SETOF "twin_slack"."messages"
    #   LANGUAGE sql STABLE SECURITY DEFINER ROWS 100 AS $$ SELECT * FROM "twin_slack"."messages"
    #   WHERE twindiff.words(env_id, "text") @@ replace($1, '@', rpad(current_setting('app.env_id', true), 12, '0'))
    #   ::tsquery AND env_id || '' = current_setting('app.env_id', true) $$
    here = "current_setting('app.env_id', true)"
    asked = f"replace($1, '{_HERE}', rpad({here}, {ENVIRONMENT_LETTERS}, '0'))::tsquery"
    place, key = f"{quote(schema)}.{quote(table.name)}", names(table.key)
    of_key = ", ".join(f"{quote(name)} {place}.{quote(name)}%TYPE" for name in table.key)
    for column in table.words:
        # Not `env_id =`, for which PostgreSQL expects so few rows that it would use an index by env_id.
        having = f"FROM {place} WHERE {words_of(column)} @@ {asked} AND env_id || '' = {here}"
        for what, given, answer, query in (
            ("words", "text", f"SETOF {place}", f"SELECT * {having}"),
            ("page", "text, bigint", f"TABLE ({of_key})", f"SELECT {key} {having} ORDER BY {key} LIMIT $2"),
            ("count", "text, bigint", "bigint", f"SELECT count(*) FROM (SELECT 1 {having} LIMIT $2) s"),
        ):
            name = f"{lookup(schema, table, column, what)}({given})"
            rows = "" if what == "count" else " ROWS 100"
            head = f"RETURNS {answer} LANGUAGE sql STABLE SECURITY DEFINER{rows}"
            yield f"CREATE OR REPLACE FUNCTION {name} {head} AS $$ {query} $$"
            yield f"REVOKE ALL ON FUNCTION {name} FROM PUBLIC"


def function_argument(parts: str) -> str:
    """Return the argument of a lookup function: a query, extended to match texts that are too long too."""
    return f"{TOO_LONG} | {parts}"


def exactly_asked(part: Expression, text: Column[Any]) -> str | None:
    """Return a query that matches exactly the texts for which a condition holds, except those too long; None if none.

    For `has_word` of "red" and not of "cat" it is `((('@ red')) & !(('@ cat')))`.
    """
    if isinstance(part, AnyOf):
        return _all_known((exactly_asked(each, text) for each in part.parts), SPELLING.either)
    if isinstance(part, AllOf):
        wanted = [each for each in part.parts if not isinstance(each, Not)]
        having = _all_known((exactly_asked(each, text) for each in wanted), SPELLING.both)
        unwanted = [each.part for each in part.parts if isinstance(each, Not)]
        if not unwanted or having is None:
            return having
        lacking = _all_known((exactly_asked(each, text) for each in unwanted), SPELLING.either)
        return lacking and f"({having} & !{lacking})"
    if isinstance(part, Where) and part.column is text and part.op == "has_word":
        return _exactly_asked_of(cast(SearchTerm, part.value))
    return None


def _exactly_asked_of(word: SearchTerm) -> str | None:
    """Return the exact query for a word, if each of its forms is a single word that is indexed untruncated."""
    forms = zip(word.forms, word.parts, strict=True)
    known = [part for form, parts in forms for part in parts if part.text == without_accents(form)]
    is_known = len(known) == len(word.forms) and all(len(part.text) < MAX_WORD_CHARACTERS for part in known)
    return _all_known(map(SPELLING.part, known), SPELLING.either) if is_known else None


def _all_known(parts: Iterable[str | None], operator: str) -> str | None:
    known = [*parts]
    return f"({operator.join(cast(list[str], known))})" if known and None not in known else None
