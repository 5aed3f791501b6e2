"""Stand-ins: what exports carry in place of the tokens, client secrets and keys that calls have made or given.

A twin names the columns that hold them. The same secret has the same stand-in wherever it is, in rows, events and
transcripts, so that the journal still fits together; who reads the file can use neither it nor the original. What a
template names is carried as it is: its rows are the template's, which is found again by its content.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, TypeVar, cast

import msgspec

from twindiff.storage.journal import JournalRecord, Values

from ..transcripts import without_secrets
from .format import CallLine, ChangeLine, ExportLine, RecordLine, RowLine

Secrets = Mapping[str, frozenset[tuple[str, str]]]
"""Table and column of what is secret, by twin."""
L = TypeVar("L", bound=ExportLine)

MIN_WORD_LENGTH = 16
"""Characters of the shortest secret that is looked for in texts: anything else could be a word of the language."""

_WORD = re.compile(r"%[0-9A-Fa-f]{2}|\\[a-z]|[A-Za-z0-9_\-]{16,}")
_PREFIX = re.compile(r"xox\w-|xapp-|whsec_|lin_wh_|ek_test_|[\w-]+_secret_")
"""By what programs tell kinds of secrets, which stand-ins begin with too."""
_STAND_IN = re.compile(r"(?:.*[-_])?leftout[0-9a-f]{24}")


class StandIns:
    """The stand-ins of one export; `key` is known to nobody who reads the file."""

    def __init__(self, secrets: Secrets, key: str) -> None:
        self._secrets = secrets
        self._key = key.encode()[:64]
        self._known: dict[str, str] = {}
        self._words: dict[str, str] = {}

    def learn(self, record: JournalRecord) -> None:
        """Find the secrets of a record."""
        secrets = self._secrets.get(record.twin, ())
        for table, name in secrets:
            for change in record.changes:
                if change.table == table:
                    self._learn_value((change.before or {}).get(name))
                    self._learn_value((change.after or {}).get(name))

    def _learn_value(self, value: Any) -> None:
        if not isinstance(value, str) or value in self._known or _STAND_IN.fullmatch(value):
            return
        if any(letter.isalnum() for letter in value):
            prefix = _PREFIX.match(value)
            digest = blake2b(value.encode("utf-8", "surrogatepass"), digest_size=12, key=self._key).hexdigest()
            self._known[value] = f"{prefix[0] if prefix else ''}leftout{digest}"
            if (word := _WORD.fullmatch(value)) and len(word[0]) >= MIN_WORD_LENGTH:
                self._words[value] = self._known[value]

    def keep_row(self, line: RowLine) -> RowLine:
        """A row of a template, as it is: what it names has no stand-in anywhere."""
        if self._known:
            for table, name in self._secrets.get(line.twin, ()):
                if line.table == table and isinstance(value := line.values.get(name), str):
                    self._forget(value)
            for text in _texts_of(line.values):
                for word in _WORD.findall(text):
                    self._forget(word)
        return line

    def _forget(self, secret: str) -> None:
        self._known.pop(secret, None)
        self._words.pop(secret, None)

    def in_record(self, line: RecordLine) -> RecordLine:
        """A record with stand-ins."""
        if not self._known:
            return line
        changes = [self._in_change(line.twin, change) for change in line.changes]
        changed = msgspec.structs.replace(line, changes=changes)
        return self._in_texts(changed) if self._words else changed

    def _in_change(self, twin: str, change: ChangeLine) -> ChangeLine:
        names = [name for table, name in self._secrets.get(twin, ()) if table == change.table]
        if not names:
            return change
        before, after = (self._in_row(names, values) for values in (change.before, change.after))
        key = tuple([self._known.get(part, part) if isinstance(part, str) else part for part in change.key])
        return ChangeLine(change.table, key, before, after)

    def _in_row(self, names: list[str], values: Values | None) -> Values | None:
        if values is None:
            return None
        return {**values, **{name: self._known.get(value, value) for name in names if (value := values.get(name))}}

    def in_call(self, line: CallLine) -> CallLine:
        """A call whose transcript names no secrets, and has stand-ins for those that are known."""
        if line.said:
            line = msgspec.structs.replace(line, said=without_secrets(line.said))
        return self._in_texts(line) if self._words and line.said else line

    def _in_texts(self, line: L) -> L:
        return msgspec.convert(self._replace(msgspec.to_builtins(line)), type(line))

    def _replace(self, value: Any) -> Any:
        if isinstance(value, str):
            return _WORD.sub(lambda word: self._words.get(word[0], word[0]), value)
        if isinstance(value, dict):
            return {name: self._replace(each) for name, each in cast(dict[str, Any], value).items()}
        if isinstance(value, list | tuple):
            return [self._replace(each) for each in cast(Sequence[Any], value)]
        return value


def _texts_of(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        value = list(cast(dict[str, Any], value).values())
    if isinstance(value, list | tuple):
        return [text for each in cast(Sequence[Any], value) for text in _texts_of(each)]
    return []
