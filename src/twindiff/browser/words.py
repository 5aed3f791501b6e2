"""Words of a prompt: reserved words, and the regular expressions for names and values without quotation marks.

A name or value without quotation marks never contains a reserved word. A word that changes the meaning of a sentence,
such as `not`, `twice` or `in`, therefore cannot become part of a name; the sentence is then not understood as a whole.
"""

from __future__ import annotations

import re

QUOTED = r"\x02\d+\x03"
"""Placeholder of quoted words while a prompt is parsed."""
PLAIN = r"\x04\d+\x05"
"""Placeholder of an e-mail address, or of a parameter such as {{name}}."""
ADDRESS = r"\x06\d+\x07"
"""Placeholder of a URL, or of a path such as /cart."""
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_RESERVED = """
not no never none nothing neither nor either cannot without nobody except unless if else while until till during before after when
whenever once twice thrice times exactly only least most any fewer less than still already yet longer anymore gone instead
rather always roughly almost
iframe iframes frame frames dialog alert tab tabs available
disabled enabled checked unchecked ticked unticked selected deselected focused visible invisible hidden shown displayed
present absent missing appear appears appeared appearing disappear disappears vanish vanishes exist exists empty blank
greyed readonly clickable
above below under beside besides between within behind
in on at of from to for with by as into onto out off against per via through across along upon
and or but that which who whose where whether
is are be been being was were am has have had having do does did should must shall will would can could may might
contains containing says saying shows reads includes equals displays matches
slack linear stripe
page pages screen button buttons link links field fields checkbox checkboxes row rows column columns table tables cell
the a an this these those it its they them him me us he she we i you
nicht kein keine keinen keiner keinem nie niemals ohne genau nur mindestens höchstens einmal zweimal dreimal weniger
wenn falls bevor nachdem während außer weder
und oder aber dass daß ob in im ins an am auf mit bei von vom aus zu zur zum für unter über als nach zwischen oberhalb
unterhalb ist sind wird werden soll sollte sollen muss hat haben enthält zeigt steht lautet sichtbar angezeigt
deaktiviert aktiviert leer seite knopf feld schaltfläche die der das den dem ein eine einen einem
"""
_VAGUE = """
big large small tiny long short green red blue yellow grey gray black white main primary secondary correct wrong valid invalid
random unique different same new old existing some something anything everything someone proper appropriate
successful successfully correctly properly quickly slowly immediately carefully my your our his her
first second third fourth fifth last next previous top bottom left right near inside outside over about around again
more all each every both another other others really maybe perhaps nearly hardly also then nowhere everywhere offline online
click clicks press fill enter type select choose pick open visit wait expect verify check assert ensure hover scroll
kaputt richtig falsch neu alt rot grün blau groß klein gültig ungültig erste zweite dritte letzte mehr alle jede jeder jedes
"""
"""Words that identify an element without its name, or begin a sentence. With a capital letter they are a name."""
IDIOMS = (
    r"(?:log|sign|check|opt) ?(?:in|out|up|on|off)|(?:first|last|full|middle) name|name on card|date of birth|"
    r"add to (?:cart|basket|bag)|terms of (?:service|use)|"
    r"(?-i:(?:Close|Delete|Remove|Archive|Export|Download|Restore|Assign|Approve|Reject) (?:selected|all))"
)
"""Names with reserved words that nearly every application has."""


SEPARATOR = "\x01"
"""Stands before a reserved word, in place of a blank, while rules match a clause."""
_CARRIERS = frozenset([*_RESERVED.split(), *NUMBERS])
_LOWER_CARRIERS = frozenset(_VAGUE.split())
_IDIOM = re.compile(rf"(?:{IDIOMS})(?![\w'’-])", re.IGNORECASE)  # noqa: RUF001
_WORD = r"(?:[\w$€£#@%&+]+(?:[./'’:-]+[\w%]+)*|\([\w%]{1,20}\))"  # noqa: RUF001
BARE = rf"(?<=\x20){_WORD}(?:\x20{_WORD}){{0,5}}?"
"""A name or value of up to six words without quotation marks."""
SPOKEN = rf"(?:(?<=\x20){_WORD}|(?<=\x20)(?=(?-i:[A-Z\d$€£]))(?!\d{{1,4}}\x20(?-i:[a-z]))(?:{BARE}))"
"""A text of a page without quotation marks: one word, or several beginning with a capital letter."""


PERSONS = (
    r"(?:users?|customers?|visitor|tester|admin(?:istrator)?|manager|librarian|coach|agent|operator|clerk|member|guest|owner|"
    r"editor|author|reader|teacher|student|nurse|doctor|patient|driver|cashier|employee|seller|buyer|shopper|receptionist|"
    r"trainer|accountant|dispatcher|organi[sz]er|host|chef|waiter|mechanic|volunteer|curator|planner|reviewer|team)"
)
"""Nouns of those who use an application: `the librarian signs in` asks for what `sign in` asks for."""
NO_ONE = r"(?:no|not|none|nobody|noone|never|neither|hardly|rarely|without|if|unless|someone|somebody|anyone|anybody)\b"
"""Words that are no person who does something, capitalized or not."""
UNNAMED = _CARRIERS | _LOWER_CARRIERS
"""Words that begin no name, even with a capital letter, where a sentence begins with them."""


def mark_words(text: str) -> str:
    """Put a separator before each reserved word of a clause, and a blank before each other word."""
    idioms = [match.span() for match in _IDIOM.finditer(text)]
    marked: list[str] = []
    for word in re.finditer(r"\S+", text):
        is_name = any(begin <= word.start() and word.end() <= end for begin, end in idioms)
        bare = word[0].strip(",.:()")
        carries = bare.lower() in _CARRIERS or bare in _LOWER_CARRIERS
        marked.append((SEPARATOR if carries and not is_name else " ") + word[0])
    return "".join(marked)


def allow_separators(pattern: str) -> str:
    """Make the blanks of a pattern also match the separators before reserved words."""
    return pattern.replace(" ", "[ \x01]")
