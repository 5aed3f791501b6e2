"""Numbers, prices, days and times of prompts, in English and German, as patterns."""

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

ZERO = "no|without|kein(?:e[mnrs]?)?|ohne"

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
