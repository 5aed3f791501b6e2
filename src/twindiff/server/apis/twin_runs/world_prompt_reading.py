"""The parser of prompts: turns a prompt, word by word, into groups of records; collects words that no rule matches.
A sentence ends with a full stop, a semicolon or a line break. Each step consumes at least one character, and patterns
have bounded lookahead, so the time is linear in the length of a prompt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from twindiff.server.apis.twin_runs.world_prompt_details import PRICE as PRICED_AT
from twindiff.server.apis.twin_runs.world_prompt_details import WEEKDAY, number_of, pattern, price_of, read_when
from twindiff.server.apis.twin_runs.world_prompt_groups import CONTAINERS, GATHERINGS, TWIN_OF, PromptGroup, Sentence
from twindiff.server.apis.twin_runs.world_prompt_phrases import (
    ABOUT_SOMETHING,
    ASSIGNED_PATTERN,
    CAPITALS,
    DEPARTMENT,
    EMAIL,
    HALF_PATTERN,
    HAS,
    HOLDS,
    IS,
    JOINED,
    LINKS,
    NONE_PATTERN,
    ONE_WORD,
    OWNS_ISSUES,
    PART,
    POSSESSED_TWIN,
    PRIVATE,
    QUOTED,
    REFERRING,
    REPORT,
    REPORTED_FOR,
    REST_OF,
    SAYING,
    SHARED,
    SUBJECT,
    TIME_WORDS,
    VAGUE_WORDS,
    WRITTEN_BY_PATTERN,
    WROTE_PATTERN,
    is_filler,
    kind_of,
    pattern_of_twin,
)
from twindiff.server.apis.twin_runs.world_prompt_sentences import split_sentences
from twindiff.server.apis.twin_runs.world_prompt_words import (
    ABOUT,
    ARTICLE,
    ARTICLES,
    CONTAINED,
    DEPARTMENTS,
    EACH,
    END_OF_MEETING_TOPIC,
    END_OF_TOPIC,
    EVERY,
    ISSUE_STATES,
    KINDS,
    NAMED,
    NO_PERSONS,
    NOT_NAMES,
    NUMBER,
    PRICED,
    PRIORITIES,
    PRONOUNS,
    SUBSCRIBED,
    SUBSCRIPTION_STATUSES,
    ZERO,
    classify_letter,
)

MAX_PHRASES = 500
"""Maximum number of groups in one prompt."""

_SPACE = re.compile(r"\s+")
_BREAK = re.compile(r"[,:()\u2013\u2014&]|-(?=\s)")
_QUOTE = re.compile(QUOTED)
_CHANNEL = re.compile(r"#([a-z0-9][a-z0-9_-]{0,79})(?![\w-])")
_ISSUE_KEY = re.compile(r"[A-Z][A-Z0-9]{0,9}-\d+")
_SEED = pattern(r"seed\s+\d{1,9}\b")
_EDGE = r"(?![\w.:%@-]{0,20}\w|%)"
_NUMBER = pattern(rf"({NUMBER}|(?:{ZERO})(?:\s+any(?=\s))?){_EDGE}")
_ARTICLE = pattern(ARTICLE)
_WORD = re.compile(ONE_WORD)
_TOKEN = re.compile(r'[^\s,;:()"]+(?::\d[^\s,;:()"]*)?|.', re.DOTALL)
_NAME = re.compile(rf"{CAPITALS}(?:\s(?!(?:{NAMED})\b){CAPITALS}){{0,4}}")
_NAMED = re.compile(rf'((?i:{NAMED}))\s+(?:{QUOTED}|([^\s",;:]{{1,100}}(?:\s[A-ZÄÖÜ][^\s",;:]{{0,60}}){{0,4}}))')
_BEFORE = re.compile(
    rf"(?:{QUOTED}|({CAPITALS}(?:\s{CAPITALS}){{0,3}}))\s+((?i:team|projekt|project|plan|product|folder|channel))\b"
)
_BEFORE_CHANNEL = pattern(
    r"(?:(#)([a-z0-9][a-z0-9_-]{0,79})|(?:the|der|den|dem)\s+([a-z0-9][a-z0-9_-]{0,79}))\s+(?:channel|kanal)\b"
    r"(?!\s+[#\"])"
)
_NO_NAME = pattern(NOT_NAMES)
_NO_PERSON = pattern(rf"(?:{NO_PERSONS}|{NUMBER}|{ZERO}|{DEPARTMENTS})")
_TOPIC, _MEETING_TOPIC = (
    pattern(rf"(?:{ABOUT})\s+(?:{QUOTED}|((?:(?!(?:{ends})\b){ONE_WORD}(?:\s+|(?=\W)|$)){{1,12}}))")
    for ends in (END_OF_TOPIC, END_OF_MEETING_TOPIC)
)
_EACH = pattern(rf"(?:({EACH})|{EVERY})\b(?=(?:\s+({ONE_WORD}))?)")
_PRICES = pattern(rf"(?:{PRICED})\b")
_SUBSCRIBED = pattern(rf"(?:{SUBSCRIBED})\b")
_STATUS = [(name, pattern(rf"(?:{said})(?![\w-])")) for name, said in SUBSCRIPTION_STATUSES.items()]
_PRIORITY = [(number, pattern(rf"(?:{said})(?![\w-])")) for number, said in PRIORITIES.items()]
_STATE = [(name, pattern(rf"(?:{said})(?![\w-])")) for name, said in ISSUE_STATES.items()]
Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], bool]]
"""A pattern, and the handler of its match, which returns whether it accepts it."""


class PromptReader:
    """Parses sentences in order; a detail without a noun of its own applies to the latest noun."""

    def __init__(self, twins: Sequence[str]) -> None:
        self._twins = [(twin, pattern_of_twin(twin)) for twin in twins]
        self._before_sentence: list[PromptGroup] = []
        """The counted groups of the sentence before."""
        self.sentences: list[Sentence] = []
        self.groups: list[PromptGroup] = []
        self.steps = 0
        """The number of parsing steps."""
        self._spoken: PromptGroup | None = None
        self._begin("")
        self._rules = self._rules_by_first()

    def _rules_by_first(self) -> dict[str, list[Rule]]:
        """The rules to try, by class of the first character: `digit`, `letter`, `mark`, `blank`."""
        marks: list[Rule] = [
            (_BREAK, self._break),
            (_BEFORE_CHANNEL, self._before_channel),
            (_BEFORE, self._before),
            (_QUOTE, self._quote),
            (_CHANNEL, lambda match: self._channel(match[1])),
            (PRICED_AT, self._price),
        ]
        digits: list[Rule] = [(PART, self._part), (PRICED_AT, self._price), (_NUMBER, self._count)]
        digits.append((EMAIL, self._email))
        letters = [*self._list_phrases(), *self._list_words()]
        return {"mark": marks, "digit": digits, "letter": letters, "blank": [(_SPACE, lambda _: True)]}

    def _list_phrases(self) -> list[Rule]:
        """The rules of phrases about parts, people and reports."""
        return [
            (PART, self._part),
            (REST_OF, self._part),
            (PRIVATE, self._qualify_channel),
            (POSSESSED_TWIN, lambda match: self._is_twin(match[1])),
            (ASSIGNED_PATTERN, lambda match: self._take_person("issues", match)),
            (WRITTEN_BY_PATTERN, lambda match: self._take_person("messages", match)),
            (SAYING, self._say),
            (WROTE_PATTERN, self._announce_author),
            (REPORT, self._report),
            (REPORTED_FOR, self._report_about),
            (SUBJECT, self._subject),
        ]

    def _list_words(self) -> list[Rule]:
        """The rules of names and single words."""
        return [
            (_BEFORE_CHANNEL, self._before_channel),
            (_BEFORE, self._before),
            (EMAIL, self._email),
            (_SEED, self._seed),
            (PRICED_AT, self._price),
            (_NUMBER, self._count),
            (_MEETING_TOPIC, lambda match: self._topic(match, is_of_meetings=True)),
            (_TOPIC, lambda match: self._topic(match, is_of_meetings=False)),
            (_NAMED, self._read_name),
            (_EACH, self._each),
            (_SUBSCRIBED, self._read_subscription),
            *((said, lambda match, name=name: self._qualify("subscriptions", name, match)) for name, said in _STATUS),
            *((said, lambda match, value=value: self._qualify("issues", value, match)) for value, said in _PRIORITY),
            *((said, lambda match, value=value: self._qualify("issues", value, match)) for value, said in _STATE),
            *((said, lambda _, twin=twin: self._twin(twin)) for twin, said in self._twins),
            (_NAME, self._capitals),
            (_PRICES, self._prices),
            (_WORD, self._word),
        ]

    def read(self, prompt: str) -> None:
        """Parse all sentences of a prompt."""
        for original, text in split_sentences(prompt):
            self._before_sentence = [group for group in self._sentence.groups if group.is_exact and not group.part_of]
            self._begin(original)
            self.sentences.append(self._sentence)
            at = 0
            while at < len(text):
                at = self._step(text, at)
            self._end()

    def _begin(self, text: str) -> None:
        self._sentence = Sentence(text)
        self._latest: dict[str, PromptGroup] = {}
        """The last group of each kind in this sentence, except groups that only name a container."""
        self._last: PromptGroup | None = None
        self._number: tuple[int, bool, str] | None = None
        self._adjectives: list[tuple[str, str | int, str]] = []
        self._is_private = False
        """Whether `private` stands before the next noun."""
        self._author = ""
        """Who wrote the messages that are spoken of next."""
        self._reported: PromptGroup | None = None
        """The message whose topic follows `for`, as in "Ada asked in #ops for a review"."""
        self._preposition = self._verb = ""
        self._after_noun = self._is_each = False
        self._is_each_noun = False
        """Whether `each` stands before the next noun, as in "each channel"."""
        self._each_of: PromptGroup | None = None
        """The group that such a noun has opened."""
        self._gathering: PromptGroup | None = None
        """The group whose people are being named."""
        self._is_shared = False
        """Whether the word before was `shared`."""
        self._members = ""
        """The noun `members`, until a name follows it."""
        self._is_linked = True
        """Whether a linking word or punctuation allows another noun."""
        self._link = ""
        """The word that relates the next noun to the one before."""
        self._is_twin_subject = False
        """Whether a twin that is no place, as in "and Linear with", is what a linking word relates to."""

    def _step(self, text: str, at: int) -> int:
        """Consume the token or phrase at a position; returns its end."""
        self.steps += 1
        if self._spoken and self._spoken.kind == "meetings" and (end := read_when(text, at, self._spoken.when)) > at:
            return end
        for said, take in self._rules[classify_letter(text[at])]:
            match = said.match(text, at)
            if match and take(match):
                return match.end()
        token = _TOKEN.match(text, at)
        self._leave(token[0] if token else text[at])
        return token.end() if token else at + 1

    def _end(self) -> None:
        self._drop_number()
        self._drop_adjectives()
        for part in (each for each in self._sentence.groups if each.part_of and not self._is_qualified(each)):
            self._leave(str(part.count))
        if self._author:
            self._leave(self._author)
        if self._is_each:
            self._leave("each")
        if self._members or self._is_shared:
            self._leave(self._members or "shared")

    def _leave(self, words: str) -> None:
        """Record words that no rule matches."""
        self._sentence.unread.append(words)
        self._after_noun = False

    def _drop_number(self) -> None:
        if self._number and self._number[1]:
            self._sentence.unread.append(self._number[2])
        self._number = None

    def _drop_adjectives(self) -> None:
        self._sentence.unread += [words for _, _, words in self._adjectives]
        self._adjectives = []

    def _is_qualified(self, part: PromptGroup) -> bool:
        """Whether a sentence says something of a part, such as "two of them"."""
        is_owner = any(each.within is part for each in self._sentence.groups)
        return is_owner or part.status is not None or part.priority is not None or bool(part.people)

    # Handlers of matches

    def _break(self, match: re.Match[str]) -> bool:
        self._drop_number()
        self._preposition = self._link = ""
        self._after_noun = self._after_noun and (match[0] == ":" or (match[0] == "," and self._goes_on()))
        self._is_linked = True
        return True

    def _goes_on(self) -> bool:
        """Whether another name may follow, as in "customers Acme and Beta"."""
        spoken = self._spoken
        return (
            self._after_noun and spoken is not None and (bool(spoken.names) or (spoken.is_exact and spoken.count != 1))
        )

    def _before_channel(self, match: re.Match[str]) -> bool:
        name = match[2] or match[3]
        if self._number:
            return False
        if not match[1] and (
            is_filler(name) or self._is_twin(name) or _NUMBER.fullmatch(name) or _NO_NAME.fullmatch(name)
        ):
            return False
        return self._channel(name.lower())

    def _before(self, match: re.Match[str]) -> bool:
        """Handle a name before its noun, such as "the Support team"."""
        name, kind = match[1] or match[2], kind_of(match[3])
        first = name.split()[0]
        is_plan = kind == "products"
        if kind is None or (self._number and self._number[1]):
            return False
        if not match[1] and (is_filler(first) or self._is_twin(first) or (kind_of(first) and not is_plan)):
            return False
        if not match[1] and (_NUMBER.fullmatch(first) or _NO_NAME.fullmatch(first) or self._is_status(first)):
            return False
        self._open(kind, names=[name])
        return True

    def _is_status(self, word: str) -> bool:
        return any(said.fullmatch(word) for _, said in (*_STATUS, *_PRIORITY, *_STATE))

    def _is_twin(self, word: str) -> bool:
        return any(said.fullmatch(word) for _, said in self._twins)

    def _quote(self, match: re.Match[str]) -> bool:
        return self._may_be_named() and self._name(match[1])

    def _may_be_named(self) -> bool:
        """Whether a name is allowed here: after its noun, or after another name and a comma."""
        named = self._spoken.names if self._spoken else ()
        is_next = self._after_noun and (not named or self._is_linked)
        return self._number is None and (is_next or self._is_of_subscription())

    def _is_of_subscription(self) -> bool:
        return self._preposition != "" and self._spoken is not None and self._spoken.kind == "subscriptions"

    def _channel(self, name: str) -> bool:
        spoken = self._spoken
        last = self._last
        is_latest = spoken is last or (last is not None and last.within is spoken)
        is_room = spoken and spoken.kind == "channels" and is_latest and not spoken.people
        if spoken and is_room and self._preposition == "" and len(spoken.names) < (spoken.count or MAX_PHRASES):
            spoken.names.append(name)
            return True
        self._open("channels", names=[name])
        return True

    def _person(self, name: str) -> bool:
        """Take a name after `with` as that of a person, if what is spoken of has people."""
        if self._gathering is None or self._gathering is self._each_of or not self._is_linked or self._number:
            return False
        if _NO_PERSON.fullmatch(name):
            return False
        self._gathering.people.append(name)
        self._is_linked, self._members = False, ""
        return True

    def _email(self, match: re.Match[str]) -> bool:
        if self._person(match[0]):
            return True
        if self._spoken is None or self._spoken.kind not in ("customers", "users"):
            return False
        return self._may_be_named() and self._name(match[0])

    def _seed(self, _: re.Match[str]) -> bool:
        self._sentence.is_seed = True
        return True

    def _price(self, match: re.Match[str]) -> bool:
        price, target = price_of(match), self._priced_group()
        if price is None or target is None or (target.prices and len(target.names) > 1) or self._link == "from":
            return False
        if price.interval and any(each.interval is None for each in target.prices):
            return False
        target.prices.append(price)
        self._drop_number()
        self._after_noun = False
        return True

    def _priced_group(self) -> PromptGroup | None:
        """The group that a price applies to: a product, or the product of a subscription."""
        spoken = self._spoken
        if spoken and spoken.kind == "subscriptions":
            spoken.product = spoken.product or PromptGroup("products", twin="stripe")
            return spoken.product
        return spoken if spoken and spoken.kind == "products" else None

    def _count(self, match: re.Match[str]) -> bool:
        self._drop_number()
        is_article = _ARTICLE.fullmatch(match[1]) is not None
        self._number = (number_of(match[1]), not is_article, match[1])
        self._after_noun = False
        return True

    def _topic(self, match: re.Match[str], *, is_of_meetings: bool) -> bool:
        target = next((each for each in reversed(self._sentence.groups) if each.kind in ABOUT_SOMETHING), None)
        topic = (match[1] or match[2] or "").strip()
        if target is None or target.topic or target.names or target.part_of or not topic:
            return False
        if is_of_meetings != (target.kind == "meetings"):
            return False
        if match[2] and any(REFERRING.fullmatch(word) for word in topic.split()):
            return False
        if any(kind_of(word) in KINDS and number for number, word in _mark_counted(topic)) or self._speaks_of_twin(
            topic
        ):
            return False
        target.topic = topic
        self._drop_number()
        self._after_noun = False
        return True

    def _speaks_of_twin(self, topic: str) -> bool:
        return any(self._is_twin(word) for word in topic.split())

    def _read_name(self, match: re.Match[str]) -> bool:
        is_second_name = bool(self._spoken and self._spoken.names) and not self._is_linked
        return not is_second_name and self._name(match[2] or match[3])

    def _name(self, name: str) -> bool:
        """Name the latest group; false if it cannot have a name."""
        spoken = self._spoken
        if spoken is None or spoken.topic or (spoken.kind == "issues" and spoken.part_of):
            return False
        self._drop_number()
        if spoken.kind == "subscriptions":
            spoken.product = spoken.product or PromptGroup("products", twin="stripe")
            spoken = spoken.product
        if spoken.kind == "products" and spoken.prices:
            self._open("products", names=[name])
        elif name in spoken.names or (spoken.kind == "issues" and _ISSUE_KEY.fullmatch(name)):
            return False
        else:
            spoken.names.append(name)
        self._after_noun, self._is_linked = True, False
        return True

    def _each(self, match: re.Match[str]) -> bool:
        last = self._last
        if kind_of(match[2] or ""):
            if self._is_each:
                return False
            self._is_each = self._is_each_noun = True
        elif not match[1]:
            return False
        elif last and last.kind in CONTAINERS and last.within:
            last.is_each = True
        elif last is None or self._is_each:
            return False
        else:
            self._is_each = True
        return True

    def _read_subscription(self, _: re.Match[str]) -> bool:
        if "customers" not in self._latest:
            return False
        self._open("subscriptions")
        self._preposition = "to"
        return True

    def _qualify(self, kind: str, value: str | int, match: re.Match[str]) -> bool:
        """Apply a status, state or priority to the noun before or to a part of it, or keep it for the noun after."""
        last, is_after = self._last, self._is_before_noun(match)
        if last and last.kind == kind and self._number is None and self._may_follow(last, match[0], is_after):
            return self._set_quality(last, value)
        if kind == "issues" and not is_after and self._number and self._number[1] and (whole := self._find_whole()):
            count, self._number = self._number[0], None
            return whole.kind == kind and self._set_quality(self._add_part(whole, count), value)
        self._adjectives.append((kind, value, match[0]))
        return True

    def _may_follow(self, last: PromptGroup, said: str, is_before_noun: bool) -> bool:
        """Whether a quality may stand after its noun, as in "are urgent", "with high priority", "in progress"."""
        if last.kind != "issues" or is_before_noun:
            return self._verb in IS
        first = said.split(maxsplit=1)[0].lower()
        return self._verb in (*IS, *HAS) or first in ("in", "im", "priority", "priority:") or last.part_of is not None

    def _is_before_noun(self, match: re.Match[str]) -> bool:
        """Whether a noun, or another quality, follows."""
        after = _WORD.match(match.string, match.end() + 1)
        return after is not None and (kind_of(after[0]) is not None or self._is_status(after[0]))

    def _set_quality(self, group: PromptGroup, value: str | int) -> bool:
        if (group.priority if isinstance(value, int) else group.status) is not None:
            return False
        if isinstance(value, int):
            group.priority = value
        else:
            group.status = value
        return True

    def _find_whole(self) -> PromptGroup | None:
        """The counted issues or customers of which parts are spoken of: of this sentence, or else of the one before."""
        here = [self._latest[kind] for kind in ("issues", "customers") if kind in self._latest]
        if not here and self._last is None and len(self._before_sentence) == 1:
            here = [each for each in self._before_sentence if each.kind in ("issues", "customers")]
        whole = here[0].part_of or here[0] if len(here) == 1 else None
        is_counted = whole is not None and whole.is_exact and not whole.is_each and not whole.names
        return whole if is_counted else None

    def _add_part(self, whole: PromptGroup, count: int) -> PromptGroup:
        part = PromptGroup(whole.kind, count, is_exact=True, part_of=whole, twin=whole.twin)
        self._add(part)
        self._is_linked, self._preposition, self._verb, self._after_noun = True, "", "", False
        if whole.kind == "customers":
            self._latest["customers"] = part
        return part

    def _part(self, match: re.Match[str]) -> bool:
        """Handle a part of what was spoken of: "two of them", "of which 2", "half of them", "the rest"."""
        whole = self._find_whole()
        if whole is None or whole.count is None or self._number:
            return False
        said = next((each for each in match.groups() if each), "")
        known = sum(each.count or 0 for each in self.groups if each.part_of is whole)
        if not said:
            count = whole.count - known if known else -1
        elif HALF_PATTERN.fullmatch(said):
            count = -1 if whole.count % 2 else whole.count // 2
        else:
            count = 0 if NONE_PATTERN.fullmatch(said) else number_of(said)
        if count < 0:
            return False
        self._add_part(whole, count)
        return True

    def _qualify_channel(self, _: re.Match[str]) -> bool:
        self._is_private = True
        return True

    def _take_person(self, kind: str, match: re.Match[str]) -> bool:
        """Handle "assigned to Ada" after issues, and "from Ada" after messages."""
        last = self._last
        if last is None or last.kind != kind or last.people or self._number or self._is_no_person(match[1]):
            return False
        last.people.append(match[1])
        self._after_noun = False
        return True

    def _is_no_person(self, name: str) -> bool:
        words = name.split()
        is_known = any(name in each.names for each in self.groups if each.kind not in ("users", "customers"))
        is_common = bool(is_filler(words[0]) or _NO_PERSON.fullmatch(words[0]) or kind_of(words[0]))
        return is_known or is_common or any(map(self._is_twin, words))

    def _say(self, match: re.Match[str]) -> bool:
        last = self._last
        if last is None or last.kind != "messages" or last.topic or last.names:
            return False
        last.names, self._after_noun = [match[1]], False
        return True

    def _announce_author(self, match: re.Match[str]) -> bool:
        """Handle "Ada posted" before messages."""
        if not self._is_linked or self._number or self._is_no_person(match[1]):
            return False
        self._author = match[1]
        self._latest.pop("channels", None)
        return True

    def _report(self, match: re.Match[str]) -> bool:
        """Handle a message that the prompt reports: "Ada complained in #support that the export is broken"."""
        if not self._is_linked or self._number or (match[1] and self._is_no_person(match[1])):
            return False
        if any(VAGUE_WORDS.fullmatch(word) for word in (match[3] or "").split()):
            return False
        self._open("channels", names=[match[2]])
        self._is_linked = True
        self._open("messages")
        message = self._sentence.groups[-1]
        if message.kind != "messages":
            return False
        message.people = [match[1]] if match[1] else []
        message.names = [f"{match[3][:1].upper()}{match[3][1:]}"] if match[3] else []
        self._reported = None if match[3] else message
        return True

    def _report_about(self, match: re.Match[str]) -> bool:
        """Handle "for a review" after "Ada asked in #ops"."""
        message, topic = self._reported, (match[1] or match[2] or "").strip()
        if message is None or self._last is not message or message.topic or self._speaks_of_twin(topic):
            return False
        if any(VAGUE_WORDS.fullmatch(word) or TIME_WORDS.fullmatch(word) for word in topic.split()):
            return False
        message.topic = topic
        return True

    def _subject(self, match: re.Match[str]) -> bool:
        """Handle the name of a known team, project or customer, or of a department, as the subject of a sentence."""
        name = self._find_customer(match[1]) or match[1]
        if not self._is_linked or self._number or self._after_noun or self._gathering or self._preposition:
            return False
        known = [
            each.kind for each in self.groups if name in each.names and each.kind in ("teams", "projects", "customers")
        ]
        if any(name in (*each.people, *(each.names if each.kind == "users" else ())) for each in self.groups):
            return False
        kinds = {*known} or ({"teams"} if self._is_department(match) else set[str]())
        if len(kinds) != 1:
            return False
        self._open(kinds.pop(), names=[name])
        return True

    def _find_customer(self, first_name: str) -> str | None:
        """The full name of the only customer with a first name."""
        known = [name for each in self.groups if each.kind == "customers" for name in each.names]
        full = {name for name in known if name.split()[0] == first_name}
        return full.pop() if len(full) == 1 else None

    def _is_department(self, match: re.Match[str]) -> bool:
        """Whether a department, which needs no noun, has issues or projects."""
        after = OWNS_ISSUES.match(match.string, match.end())
        return DEPARTMENT.fullmatch(match[1]) is not None and after is not None

    def _twin(self, twin: str) -> bool:
        if twin not in self._sentence.twins:
            self._sentence.twins.append(twin)
        self._after_noun = False
        self._is_linked = True
        self._is_twin_subject = self._preposition == ""
        self._preposition = self._link = ""
        return True

    def _capitals(self, match: re.Match[str]) -> bool:
        """Handle a name after its noun, such as "the project Apollo"."""
        words = match[0].split()
        is_person = not is_filler(words[0]) and not kind_of(words[0]) and not any(map(self._is_twin, words))
        if is_person and self._person(match[0]):
            return True
        if is_person and self._is_plan_of_part():
            self._open("products", names=[match[0]])
            return True
        if not self._may_be_named() or self._adjectives:
            return False
        if (
            is_filler(words[0])
            or self._is_twin(words[0])
            or (len(words) == 1 and kind_of(words[0]) and not self._is_one())
            or (self._spoken and self._spoken.kind == "meetings" and WEEKDAY.fullmatch(words[0]))
        ):
            return False
        return not any(self._is_twin(word) for word in words) and self._name(match[0])

    def _is_plan_of_part(self) -> bool:
        """Whether a name after "on" is that of a product, as in "and the others on Starter"."""
        last = self._last
        is_part = last is not None and last.kind == "customers" and last.part_of is not None
        return is_part and self._preposition == "on" and self._number is None

    def _is_one(self) -> bool:
        """Whether the latest group is a single record, whose name may be a capitalized noun, as in "a folder Plans"."""
        spoken = self._spoken
        return spoken is not None and spoken.count == 1 and not spoken.is_exact and not spoken.names

    def _prices(self, _: re.Match[str]) -> bool:
        self._drop_number()
        return self._priced_group() is not None

    def _word(self, match: re.Match[str]) -> bool:
        word = match[0].lower()
        kind = kind_of(word)
        if kind == "users" and self._is_of_gathering():
            self._gathering, self._is_linked = self._last, True
            self._members = word
            return True
        if kind is not None:
            self._open(kind, is_plural=word.endswith("s"), noun=word)
            return True
        if word in SHARED and self._last and self._last.kind == "folders":
            self._is_shared = True
            return True
        if not is_filler(word) or (word in PRONOUNS and self._last is None):
            return False
        if word not in ARTICLES:
            self._split_off(word)
            self._is_linked = True
            self._preposition = word if word in CONTAINED else ""
            self._verb = "" if word in CONTAINED else word
            self._link = word if word in LINKS and self._last and not self._is_twin_subject else ""
            self._gather(word)
            self._after_noun = word in ("and", "und") and self._goes_on()
        return True

    def _is_of_gathering(self) -> bool:
        """Whether `members` are those of the group before, as in "#ops has the members Ada and Ben"."""
        last = self._last
        is_gathering = last is not None and last.kind in GATHERINGS and last.kind != "folders"
        return is_gathering and self._number is None and self._verb in HAS

    def _gather(self, word: str) -> None:
        """Begin or end the people of a group at a linking word."""
        if word in JOINED:
            last = self._last if self._last and self._last.kind in GATHERINGS else None
            self._gathering = last if last and self._is_shared == (last.kind == "folders") else None
            self._is_shared = False
        elif word not in ("and", "und"):
            self._gathering = None

    def _split_off(self, word: str) -> None:
        """Handle a number without a noun, as in "two on a plan", as a part of the customers."""
        whole = self._latest.get("customers")
        if self._number is None or not self._number[1] or whole is None:
            return
        if word in ("on", "with", "have", "has", "mit", "haben", "are"):
            count, _, _ = self._number
            self._number = None
            self._add(PromptGroup("customers", count, is_exact=True, part_of=whole.part_of or whole, twin="stripe"))
            self._latest["customers"] = self._sentence.groups[-1]

    # Groups

    def _open(self, kind: str, *, names: Sequence[str] = (), is_plural: bool = False, noun: str = "") -> None:
        """Start a group of a kind, with the preceding number and adjective."""
        self._gathering = None
        if self._number:
            count, is_exact = self._number[:2]
        else:
            count, is_exact = (None if is_plural or names or self._is_each_noun else 1), False
        group = PromptGroup(kind, count, is_exact, [*names], twin=TWIN_OF.get(kind), noun=noun)
        self._number = None
        own, self._adjectives = self._adjectives, []
        for of, value, words in own:
            if of != kind or not self._set_quality(group, value):
                self._sentence.unread.append(words)
        group.is_private, self._is_private = self._is_private, False
        if self._author and kind == "messages":
            group.people, self._author = [self._author], ""
        if len(self.groups) >= MAX_PHRASES or not (self._is_linked or is_exact):
            self._leave(" ".join([*names, kind]))
            return
        self._place(group)
        self._each_of = group if self._is_each_noun else self._each_of
        self._is_linked = self._is_twin_subject = self._is_each_noun = False
        self._preposition = self._link = ""
        self._after_noun = True

    def _place(self, group: PromptGroup) -> None:
        """Add a group, and link it to its container or its contents."""
        last, kind = self._last, group.kind
        is_place = bool(self._preposition) and last is not None
        if last and is_place and kind == "products" and last.kind in ("subscriptions", "customers"):
            self._subscribe_to(last, group)
        elif last and is_place and kind in CONTAINERS.get(last.kind, ()):
            self._put_in(last, group)
            if self._is_each_noun:
                last.is_each, self._is_each = True, False
            self._add(group, is_spoken=True)
        else:
            if last and self._link and not self._is_held(last, kind):
                self._leave(self._link)
            group.within = self._find_container(kind)
            group.is_each = self._is_each and group.within is not None and not self._is_each_noun
            self._is_each = self._is_each and not group.is_each
            self._add(group)
            self._latest[kind] = group

    def _is_held(self, last: PromptGroup, kind: str) -> bool:
        """Whether a noun belongs to the noun before by its linking word, as messages to "a channel with"."""
        if kind == "users" and last.kind in GATHERINGS:
            return self._link in (*HOLDS, "of", "for", "von", "für", "fuer")
        return self._link in HOLDS and last.kind in CONTAINERS.get(kind, ())

    def _find_container(self, kind: str) -> PromptGroup | None:
        """The container of what is spoken of next; users are in what was spoken of last, if they are linked to it."""
        last = self._last
        if kind == "users":
            is_gathering = last is not None and last.kind in GATHERINGS
            return last if last and is_gathering and (self._link or last.people) else None
        return next(filter(None, (self._latest.get(each) for each in CONTAINERS.get(kind, ()))), None)

    def _put_in(self, group: PromptGroup, place: PromptGroup) -> None:
        """Set the container of a group; if it has one already, as a project, set the container of that, as its team."""
        known = group.within
        if group.part_of and group.kind == "issues":
            self._leave(f"{' '.join(place.names)} {place.kind}".strip())
        elif known is None:
            group.within = place
        elif place.kind in CONTAINERS.get(known.kind, ()) and known.within is None:
            known.within = place
        else:
            self._leave(f"{' '.join(place.names)} {place.kind}".strip())

    def _subscribe_to(self, last: PromptGroup, product: PromptGroup) -> None:
        if last.kind == "customers":
            last = PromptGroup("subscriptions", 1, within=last, twin="stripe")
            self._add(last)
        elif last.product is not None:
            self._leave(" ".join([*product.names, product.kind]))
            return
        last.product = product
        self.groups.append(product)
        self._sentence.groups.append(product)
        self._spoken = product

    def _add(self, group: PromptGroup, *, is_spoken: bool = False) -> None:
        self.groups.append(group)
        self._sentence.groups.append(group)
        self._spoken = group
        self._last = self._last if is_spoken else group


def _mark_counted(topic: str) -> Iterator[tuple[bool, str]]:
    """Yield the words of a topic, each with whether it follows a number."""
    before = ""
    for word in topic.split():
        yield _NUMBER.fullmatch(before) is not None, word
        before = word
