"""One understood sentence for each kind of rule, of which a refusal shows the nearest."""

from __future__ import annotations

import re

EXAMPLES = {
    "goto": "Go to /cart",
    "open": "Open the Billing page",
    "page_shown": "I am taken to the Billing page",
    "back": "Go back",
    "reload": "Reload the page",
    "scroll": "Scroll to the bottom of the page",
    "login": "Log in as a@b.c with the password x",
    "logout": "Log out",
    "signed_in": "I should be signed in as Ada Byron",
    "pause": "Wait 2 seconds",
    "appears": 'Wait until "Paid" appears',
    "vanishes": 'Wait until "Loading" disappears',
    "click": 'In the row of "Ada" click "Edit"',
    "nth_click": 'Click the second button "Rent"',
    "do": "Add Soup to the basket",
    "do_record": 'Delete the invoice "March"',
    "open_record": 'Open the ticket "Printer on fire"',
    "create": "Create a customer named Ada with the email a@b.c",
    "set_field": 'Change the status to "Closed"',
    "filter": 'Filter the orders by state "New"',
    "search": 'Search for "Ada"',
    "invite": "Invite a@b.c as an Admin",
    "fill": 'Fill "Email" with "a@b.c"',
    "empty": 'Clear "Email"',
    "select": 'Select "Large" from "Size"',
    "choose": 'Choose "Team"',
    "check": 'Tick "I agree"',
    "uncheck": 'Untick "I agree"',
    "upload": 'Upload "cv.pdf" to "Attachment"',
    "downloaded": 'The file "report.csv" is downloaded',
    "key": "Press Enter",
    "hover": 'Hover over "Help"',
    "text": '"Saved" should be shown',
    "text_not": 'Make sure that "Error" is not shown',
    "text_but": 'Expect "Paid" but not "Error"',
    "thing": 'The button "Delete" is visible',
    "thing_gone": 'The button "Delete" is no longer visible',
    "state": 'The button "Pay" is disabled',
    "state_in": 'The button "Edit" in the row of "Ada" is enabled',
    "value": 'The field "Email" contains "ada"',
    "field_empty": "The email field is empty",
    "count": 'Expect 2 rows with "Open"',
    "count_text": '"Ada" appears twice',
    "count_of": "2 of them are Open",
    "things": "There are 3 dishes",
    "row_says": 'The row of "Ada" shows "Owner"',
    "row_says_not": 'The row of "Ada" does not show "Owner"',
    "row_column": 'The state of "Ada" is New',
    "row_compare": 'The amount of "Bo" is more than 297',
    "entry_says": 'The second row shows "Ada"',
    "list_has": '"Ada" is in the list',
    "list_lacks": '"Ada" is no longer in the list',
    "each_click": 'For each row, click "Send"',
    "each_do": "Remove every order",
    "each_is": "All orders are Sent",
    "each_column": "Every order has the state Sent",
    "each_has": "Each product has an Edit button",
    "labelled": "The total is €6.50",
    "compare": "The limit is at least 30",
    "url": "The URL is /done",
    "title": 'The page title is "Shop"',
    "heading_is": 'The heading is "Team"',
    "landmark": 'The navigation shows "Ada"',
    "placeholder": 'The Email field has the placeholder "a@b.c"',
    "new_tab": "A new tab opens",
    "noted": 'The error message says "Name is required"',
    "dialog": 'Click "Remove" and dismiss the dialog',
    "slack": 'Expect one new message in the Slack channel #general that contains "Paid"',
    "linear": 'There is a new issue in Linear titled "Login is broken"',
    "stripe": "Expect exactly 3 payments of $49 in Stripe",
}
"""Sentences by the kind of their rule, or by what they are about."""
_WORD = re.compile(r"[^\W\d_]+")
_COMMON = frozenset(
    [
        *("a", "an", "the", "of", "to", "in", "on", "at", "with", "for", "and", "or", "that", "is", "are", "be", "as"),
        *("by", "it", "i", "should", "then", "when", "given", "not", "no", "expect", "check", "make", "sure", "new"),
        *("go", "ha"),
    ]
)
"""Words that nearly every sentence has, so that they make none alike."""


def find_nearest_example(sentence: str) -> str | None:
    """Return the example that shares most words with a sentence, None if none shares any."""
    said = _words(sentence)
    shared = {example: said & _words(example) for example in EXAMPLES.values()}
    nearest = max(shared, key=lambda example: len(shared[example]) / len(said | _words(example)) if said else 0)
    return nearest if shared[nearest] else None


def _words(sentence: str) -> frozenset[str]:
    """Return the words of a sentence outside of quotation marks, without plurals."""
    bare = re.sub(r'"[^"]*"', " ", sentence.lower())
    return frozenset(word.removesuffix("s") for word in _WORD.findall(bare) if word not in _COMMON)
