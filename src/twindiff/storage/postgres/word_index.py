"""An index of the words of a text, by GIN: which rows may have a word.

It keeps each word behind the beginning of its environment's id, so that one environment's search reads no other's. The
rows are given by a function of the owner's: PostgreSQL lets nobody use the index who may see only some of the rows, and
expects so few of a new environment that it would rather read them all.
"""

from __future__ import annotations

from collections.abc import Iterator

from twindiff.kit.rows import Table
from twindiff.kit.words import LETTERS, UNSPACED, Part
from twindiff.storage.sql.names import quote
from twindiff.storage.sql.word_query import Spelling

from .text import literal

LONGEST_WORD = 200
"""Letters that are kept of a word; PostgreSQL takes 2,046 bytes."""
LONGEST_TEXT = 50_000
"""Letters of a text that is taken apart; a longer one is looked into by every search."""
ENVIRONMENT_LETTERS = 12
_ANY = "!"
"""The word of texts that are too long."""
_HERE = "@"
"""Where the environment stands in what is asked."""


def _part(part: Part) -> str:
    kept = part.text[:LONGEST_WORD]
    return f"'{_HERE} {kept}'{':*' if part.is_start and kept == part.text else ''}"


SPELLING = Spelling(" & ", " | ", _part)


def function() -> str:
    """What creates `twindiff.words`, the words of a text of an environment."""
    here = f"rpad(env, {ENVIRONMENT_LETTERS}, '0') || ' '"
    longest = ENVIRONMENT_LETTERS + 1 + LONGEST_WORD
    between, apart = literal(f"[^{LETTERS}{UNSPACED}]+"), literal(f"([{UNSPACED}])")
    return f"""
        CREATE OR REPLACE FUNCTION twindiff.words(env text, given text) RETURNS tsvector
        LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS $$
        DECLARE
            bare text;
        BEGIN
            IF length(given) > {LONGEST_TEXT} THEN
                RETURN array_to_tsvector(ARRAY[{here} || '{_ANY}']);
            END IF;
            IF octet_length(given) = length(given) THEN  -- what is not run is not made ready either, for each row anew
                bare := regexp_replace(lower(given COLLATE "C"), '[^0-9a-z]+', '~' || {here}, 'g');
            ELSE
                bare := regexp_replace(twindiff.without_accents(given), {apart}, ' \\1 ', 'g');
                bare := regexp_replace(bare, {between}, '~' || {here}, 'g');
            END IF;
            IF bare ~ '[^~]{{{LONGEST_WORD}}}' THEN
                RETURN array_to_tsvector(ARRAY(
                    SELECT left(word, {longest}) FROM unnest(string_to_array({here} || bare, '~')) word
                ));
            END IF;
            RETURN array_to_tsvector(string_to_array({here} || bare, '~'));
        END $$
    """


def words_of(column: str) -> str:
    """The words of a column, as its index has them."""
    return f"twindiff.words(env_id, {quote(column)})"


def lookup(schema: str, table: Table, column: str) -> str:
    """The name of the function that gives the rows."""
    return f"{quote(schema)}.{quote(f'{table.name}({column} words)')}"


def lookups(schema: str, table: Table) -> Iterator[str]:
    """What creates these functions."""
    here = "current_setting('app.env_id', true)"
    asked = f"replace($1, '{_HERE}', rpad({here}, {ENVIRONMENT_LETTERS}, '0'))::tsquery"
    place = f"{quote(schema)}.{quote(table.name)}"
    for column in table.words:
        # Not `env_id =`, of whose rows PostgreSQL expects so few that it would take an index by that.
        having = f"{words_of(column)} @@ {asked} AND env_id || '' = {here}"
        rows = f"SELECT * FROM {place} WHERE {having}"
        head = f"RETURNS SETOF {place} LANGUAGE sql STABLE SECURITY DEFINER ROWS 100"
        name = f"{lookup(schema, table, column)}(text)"
        yield f"CREATE OR REPLACE FUNCTION {name} {head} AS $$ {rows} $$"
        yield f"REVOKE ALL ON FUNCTION {name} FROM PUBLIC"


def asked(parts: str) -> str:
    """What the function is asked, texts that are too long besides."""
    return f"'{_HERE} {_ANY}' | {parts}"
