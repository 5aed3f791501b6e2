"""The words of English that no vendor's table has."""

from __future__ import annotations

from twindiff.server.apis.twin_runs.world_prompt_words import DAYS

NUMBERS = {
    word: number
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
}
ARTICLES = frozenset({"a", "an"})
DEFINITE = frozenset({"the"})
NONE = frozenset({"no", "zero", "without"})
EACH = frozenset({"each", "every"})
HOLDING = (
    "has", "have", "had", "having", "with", "contains", "contain", "containing", "includes", "include", "including",
    "holds", "holding", "sells", "uses", "consisting of",
    "where there are", "where there is", "and has", "has only", "got",
)  # fmt: skip
"""Words after which what a record holds follows."""
LYING = ("in", "inside", "within", "of", "on", "for", "to", "under", "below", "at", "into", "from", "inside of", "per")
"""Words after which what a record is in follows."""
BEING = ("is", "are", "was", "were", "has been", "have been", "be", "being")
RELATIVE = frozenset({"that", "which", "who", "whose", "where"})
FILLERS = frozenset(
    [
        "and",
        "also",
        "then",
        "please",
        "create",
        "make",
        "set",
        "up",
        "we",
        "there",
        "it's",
        "currently",
        "already",
        "workspace",
        "account",
        "organization's",
        "server",
        "instance",
        "setup",
        "app",
        "environment",
        "world",
        "need",
        "want",
        "prepare",
        "build",
        "add",
        "given",
        "i",
        "you",
        "called",
        "named",
        "titled",
        "entitled",
        "as",
        "well",
        "total",
    ]
) - {"called", "named", "titled", "entitled"}
NAMING = (
    "named",
    "called",
    "titled",
    "entitled",
    "with the title",
    "with the name",
    "with the names",
    "by the name of",
)
PRONOUNS = frozenset({"it", "this", "they", "these"})
PERSONAL = frozenset({"she", "he"})
THEM = frozenset({"them", "which", "whom", "these", "those"})
AS_PEOPLE = ("as attendees", "as guests", "as participants", "as members", "as collaborators", "as an attendee")
REST = (
    "the rest", "the others", "the other ones", "the remaining ones", "the other one", "all the others",
)  # fmt: skip
DAY_NAMES = frozenset(name for names in DAYS for name in names)
NO_PERSONS = (
    frozenset(
        [
            "nobody",
            "noone",
            "everyone",
            "everybody",
            "someone",
            "somebody",
            "anyone",
            "anybody",
            "no-one",
            "me",
            "you",
            "him",
            "her",
            "us",
            "them",
            "who",
            "whom",
            "all",
            "both",
        ]
    )
    | DAY_NAMES
)
SAYING = ("says", "saying", "reading", "that says", "that reads", "with the text", "which says")
TOPIC_ENDS = frozenset(
    [
        "and",
        "by",
        "am",
        "um",
        "gegen",
        "seit",
        "her",
        "his",
        "its",
        "their",
        "posted",
        "sent",
        "written",
        "created",
        "reported",
        "filed",
        "assigned",
        "due",
        "labelled",
        "labeled",
        "tagged",
    ]
)
VAGUE = frozenset(
    ["she", "he", "it", "they", "her", "his", "him", "them", "this", "that", "and", "but", "or", "not", "we", "i"]
)
"""Words with which a reported text depends on something else."""
DEPARTMENTS = frozenset(
    [
        "engineering",
        "marketing",
        "sales",
        "support",
        "finance",
        "design",
        "product",
        "operations",
        "legal",
        "hr",
        "security",
    ]
)
"""Names of teams that need no noun."""
NEVER_NAMES = frozenset(
    [
        "no",
        "not",
        "never",
        "nobody",
        "none",
        "nothing",
        "except",
        "unless",
        "without",
        "but",
        "or",
        "nor",
        "neither",
        "either",
        "only",
        "other",
        "another",
        "same",
        "every",
        "each",
        "all",
        "both",
        "most",
        "some",
        "several",
        "many",
        "few",
        "more",
        "less",
        "least",
        "at",
        "any",
        "anyone",
        "if",
        "when",
        "while",
        "until",
        "before",
        "after",
        "because",
        "although",
        "our",
        "my",
        "your",
        "daily",
        "weekly",
        "monthly",
        "yearly",
        "first",
        "second",
        "third",
        "last",
        "next",
        "new",
        "old",
        "previous",
        "current",
        "average",
        "different",
        "however",
        "instead",
        "otherwise",
        "plus",
        "minus",
        "roughly",
        "about",
        "almost",
        "nearly",
    ]
)
"""Words that no name in lower case is, since they change what a sentence says."""
