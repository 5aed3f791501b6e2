"""The vocabulary of prompts, in English and German, as patterns."""

from __future__ import annotations

NUMBERS = [
    ("zero", "null"),
    ("an?", "one", "ein(?:e[mnrs]?)?"),
    ("two", "zwei"),
    ("three", "drei"),
    ("four", "vier"),
    ("five", "f(?:ü|ue)nf"),
    ("six", "sechs"),
    ("seven", "sieben"),
    ("eight", "acht"),
    ("nine", "neun"),
    ("ten", "zehn"),
    ("eleven", "elf"),
    ("twelve", "zw(?:ö|oe)lf"),
]
"""The names of each number, by its value."""
NUMBER = rf"(?:\d{{1,4}}|{'|'.join(word for words in NUMBERS for word in words)})"

NAMEABLE = {
    "customers": r"customers?|clients?|kund(?:en?|innen|in)",
    "products": r"products?|produkt(?:e[ns]?|s)?|plans?",
    "folders": r"folders?|director(?:y|ies)|ordnern?|verzeichniss?(?:en?)?",
    "files": r"files?|documents?|docs?|dateie?n?|dokument(?:en?)?",
    "meetings": (
        r"meetings?|events?|appointments?|calls?"
        r"|termin(?:en?)?|besprechung(?:en)?|sitzung(?:en)?|treffen|telefonate?n?|veranstaltung(?:en)?"
    ),
}
"""Patterns of the kinds of records that may have names."""
KINDS = {
    "users": (
        r"users?|people|persons?|members?|employees?|colleagues?"
        r"|benutzer(?:innen|in|n)?|nutzer(?:innen|in|n)?|leuten?|person(?:en)?|mitglied(?:ern?)?"
        r"|mitarbeiter(?:innen|in|n)?|angestellten?|kolleg(?:en?|innen|in)"
    ),
    "channels": r"channels?|kan(?:ä|ae)len?|kanal",
    "messages": r"messages?|posts?|nachricht(?:en)?|beitr(?:ä|ae)gen?|beitrag",
    "teams": r"teams?",
    "projects": r"projects?|projekt(?:en?)?",
    "issues": r"issues?|bugs?|tickets?|tasks?|stories|aufgaben?|fehlern?|vorg(?:ä|ae)ngen?|vorgang",
    **NAMEABLE,
    "subscriptions": r"subscriptions?|abos?|abonnements?",
}
ZERO = "no|without|kein(?:e[mnrs]?)?|ohne"
ARTICLE = r"an?|ein(?:e[mnrs]?)?"

DAYS = (
    ("monday", "montag"),
    ("tuesday", "dienstag"),
    ("wednesday", "mittwoch"),
    ("thursday", "donnerstag"),
    ("friday", "freitag"),
    ("saturday", "samstag", "sonnabend"),
    ("sunday", "sonntag"),
)
DAY = "|".join(word for words in DAYS for word in words)
NEXT = r"next|n(?:ä|ae)chste[mnrs]?"
COMING = r"this|the\s+coming|diese[mnrs]?|kommende[mnrs]?"
NEARBY = (("today", "heute"), ("tomorrow", "morgen"), (r"(?:the\s+)?day\s+after\s+tomorrow", r"(?:ü|ue)bermorgen"))
"""The names of days, by their distance from today."""

UNITS = {
    "minute": r"minuten?|minutes?",
    "hour": r"stunden?|hours?",
    "day": r"tag(?:en?)?|days?|t(?:ä|ae)glich|daily",
    "week": r"wochen?|weeks?|w(?:ö|oe)chentlich|weekly",
    "month": r"monat(?:en?)?|months?|mo|monatlich|monthly",
    "year": r"jahr(?:en?)?|years?|yr|j(?:ä|ae)hrlich|yearly",
}
"""Units of time, with their adverbs of frequency."""
OFTEN = r"daily|weekly|monthly|yearly|t(?:ä|ae)glich|w(?:ö|oe)chentlich|monatlich|j(?:ä|ae)hrlich"
EVERY = r"every|each|jede[mnrs]?"
CURRENCIES = {"usd": r"\$|usd|dollars?", "eur": r"€|eur|euros?", "gbp": r"£|gbp|pounds?|pfund"}
PRICED = r"pric(?:es?|ed)|preis(?:en?)?|kostet|costs?"
NAMED = r"named|called|(?:en)?titled|namens|genannt"

ABOUT = r"about|regarding|concerning|über|ueber"
EACH = "each|jeweils"
SUBSCRIBED = r"subscribed|subscribes?|abonniert"
END_OF_TOPIC = (
    "and|or|but|that|which|who|whose|where|when|while|with|without|from|by|not|no|in|at|on|since|until|after|before"
    "|assigned|due|labell?ed|tagged|posted|sent|written|created|reported|filed|has|have|had|is|are|was|were|contains?|each|und|oder|aber|mit|ohne|von|nicht|kein|hat|haben|ist|sind|seit|nach|vor"
)
"""Words that cannot be part of a topic."""
END_OF_MEETING_TOPIC = (
    rf"{END_OF_TOPIC}|(?:for|für|fuer)\s+(?:{NUMBER})|am|um|gegen|{NEXT}|{COMING}|{EVERY}|{OFTEN}|{DAY}"
    rf"|{'|'.join(word for words in NEARBY for word in words)}"
)
"""Such words for topics of meetings, whose days and times may follow."""

_PREPOSITIONS = "in inside within of for to on im ins von vom für fuer auf zu zum"
CONTAINED = frozenset(_PREPOSITIONS.split())
"""Prepositions that introduce a container or an owner."""
ARTICLES = frozenset(["the", "this", "der", "die", "das", "den", "dem", "des"])
PRONOUNS = frozenset(["it", "its", "they", "them", "their", "these", "those"])
PLURAL_VERBS = frozenset(("have", "contain", "haben", "enthalten"))
_FILLERS = """
and und plus also too auch with mit at by from through am um bei als as well
has having contains containing includes include including hat enthält gibt es there is are be sind ist
should shall must soll sollen please bitte create make build set up add seed generate prepare give erstelle lege
i we me us want need ich wir brauche brauchen that which who whose whom where it its they them their these those
some exactly genau workspace account instance environment world data sample example fake test
"""
FILLERS = CONTAINED | ARTICLES | PLURAL_VERBS | frozenset(_FILLERS.split())
"""Words that make no claim which a world could contradict."""

_DETERMINERS = """
each every all any both either neither another other several many most few some such same half no one
my our your his her their its jede[mnrs]? alle[mnrs]? beide[mnrs]? mehrere viele einige andere
mein(?:e[mnrs]?)? unser(?:e[mnrs]?)? dein(?:e[mnrs]?)? ihr(?:e[mnrs]?)? sein(?:e[mnrs]?)?
first second third fourth fifth last only whole erste[mnrs]? zweite[mnrs]? dritte[mnrs]? letzte[mnrs]?
thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty hundred dozen
"""
_ADJECTIVES = """
busiest largest biggest smallest newest latest oldest
private public internal external shared empty full hidden locked open closed active inactive archived deleted
default main primary new old big large small long short busy quiet existing extra additional
daily weekly monthly quarterly yearly annual annually
"""
NOT_NAMES = "|".join((_DETERMINERS + _ADJECTIVES).split())
"""Words before a noun that say which or what records are meant, and are no name of one, capitalized or not."""

NO_PERSONS = (
    rf"{NOT_NAMES}|{DAY}s?|nobody|everybody|everyone|somebody|someone|anybody|anyone|niemand|jemand|all|alle|i|you|he|she|it"
    r"|we|they|er|sie|es|wir|ihr|january|february|march|april|may|june|july|august|september|october|november|december"
    r"|today|yesterday|now|management|team"
)
"""Words that are no name of a person, capitalized or not."""

SUBSCRIPTION_STATUSES = {
    "active": "active|aktive[mnrs]?",
    "trialing": r"trialing|trial|in\s+trial|on\s+trial",
    "past_due": r"past[\s_-]due|overdue|überfällige[mnrs]?",
    "canceled": "cancell?ed|gekündigte[mnrs]?",
    "incomplete": "incomplete",
}
PRIORITIES = {
    1: r"urgent(?:\s+priority)?|priority:?\s+urgent|dringende[mnrs]?",
    2: r"high[\s-]priority|priority:?\s+high",
    3: r"medium[\s-]priority|priority:?\s+medium",
    4: r"low[\s-]priority|priority:?\s+low",
}
"""Patterns of issue priorities, by Linear's number."""
ISSUE_STATES = {
    "backlog": r"in\s+(?:the\s+)?backlog|im\s+backlog",
    "todo": r"(?:in\s+)?to-?do",
    "in progress": r"in\s+progress|in\s+arbeit",
    "started": r"started|begun|begonnen",
    "done": r"done|completed|finished|resolved|erledigte?[mnrs]?",
    "open": r"open|unresolved|offene?[mnrs]?",
    "closed": r"closed|geschlossene?[mnrs]?",
}
"""Patterns of the states of issues: Linear's, and `started`, `open` and `closed`, which are several of them."""
THEM = "them|which|these|those|denen"
HALF, NONE = r"half|die\s+h(?:ä|ae)lfte", r"none|keine[rs]?"
REST = r"the\s+(?:rest|others?|remaining(?:\s+ones)?)|der\s+rest|die\s+(?:anderen|(?:ü|ue)brigen)"
MINE = r"my|our|your|mein(?:e[mnrs]?)?|unser(?:e[mnrs]?)?|euer|eure[mnrs]?"
ASSIGNED = r"assigned\s+to|zugewiesen\s+an"
WRITTEN_BY = "from|by|von"
WROTE = "wrote|posted|sent|said|schrieb"
REPORTED = "complained|reported|asked|complains|reports|asks|writes|announced|mentioned|posts|says"
DEPARTMENTS = (
    "engineering|support|marketing|sales|design|product|growth|platform|infrastructure|operations|mobile|security"
)
"""Names of teams that need no noun, as in "Engineering has 8 issues"."""

TWINS = {"calendar": "calendar|kalender"}
"""Patterns of twins with names besides their own."""


def words(pattern: str) -> str:
    """Restrict a pattern to whole words."""
    return rf"\b(?:{pattern})\b"


def classify_letter(letter: str) -> str:
    """Return what a text begins with, by its first letter: `letter`, `digit`, `blank` or `mark`."""
    return "letter" if letter.isalpha() else "digit" if letter.isdigit() else "blank" if letter.isspace() else "mark"
