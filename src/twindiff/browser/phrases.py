"""What the planner understands, as a table: for each kind of step the sentences that ask for it, English and German.

`{x}` is a thing of the page, `{v}` a value, `{u}` an address; a sentence is matched as a whole, the first match wins.
"""

from __future__ import annotations

import re
from typing import NamedTuple

QUOTED = r"\x02\d+\x03"
"""What stands for words in quotation marks while a prompt is taken apart."""
ADDRESS = r"(?P<u>https?://\S+|/\S*)"
KEYS = {
    "enter": "Enter",
    "return": "Enter",
    "eingabe": "Enter",
    "eingabetaste": "Enter",
    "tab": "Tab",
    "tabulator": "Tab",
    "escape": "Escape",
    "esc": "Escape",
    "space": "Space",
    "leertaste": "Space",
    "backspace": "Backspace",
    "delete": "Delete",
    "arrowdown": "ArrowDown",
    "arrowup": "ArrowUp",
    "pagedown": "PageDown",
    "pageup": "PageUp",
}
_MAKE_SURE = (
    r"(?:expect|verify|check|assert|ensure|confirm|make sure|(?:you |i |we )?should (?:now )?see|see|look for|"
    r"erwarte|prüfe|überprüfe|pruefe|verifiziere|kontrolliere|stelle? sicher|vergewissere dich|"
    r"(?:du |man )?solltest? .{0,12}?sehen)"
)
_THAT = r"(?:,? (?:that|whether|if|dass|daß|ob))?(?: to see| to find| for)?"
_IS_SEEN = (
    r"(?:(?:is|are|to be|should be|becomes?|ist|sind|wird|werden)? ?"
    r"(?:visible|shown|displayed|present|there|on the page|on screen|sichtbar(?: ist)?|zu sehen(?: ist)?|"
    r"angezeigt(?: wird)?|vorhanden(?: ist)?)|appears?|exists?|shows up|erscheint|existiert)"
)
_PAGE = r"(?:(?:the |this )?(?:page|site|screen|it|app)|(?:die |der )?(?:seite|bildschirm)|es)"
_SAYS = (
    r"(?:(?:should |must |to |will |soll(?:te)? |muss )?"
    r"(?:says?|shows?|contains?|displays?|reads?|includes?|have|has|zeigt|enthält|enthaelt|steht|sagt|lautet))"
)
_HAS = (
    r"(?:(?:should |must |to |soll(?:te)? )?(?:is|be|has|have|contains?|includes?|ends? with|starts? with|equals?|ist|enthält|"
    r"lautet|endet (?:mit|auf))|soll(?:te)?)"
)
_ARTICLE = r"(?:the |a |an |der |die |das |den |dem |im |ein |eine |einen )?"


class Phrase(NamedTuple):
    """A kind of step and a sentence that asks for it."""

    kind: str
    pattern: re.Pattern[str]


_TABLE: tuple[tuple[str, str], ...] = (
    ("login", r"(?:log|sign) ?in(?: with| as| using)? {x}(?: and| with|,|/)+(?: the)?(?: password| passwort)? {v}"),
    ("login", r"(?:log|sign) ?in(?: to .*| with .*credentials| with the .*| using .*| as .*)?"),
    ("login", r"melde? dich (?:mit|als) {x}(?: und|,|/)+(?: dem)?(?: passwort)? {v} an"),
    ("login", r"(?:melde? dich .*an|logge? dich .*ein|anmelden|einloggen)"),
    ("ask", r"ask(?: the user| me)?(?: for| to)? {v}"),
    ("ask", r"frage?(?: den (?:be)?nutzer| mich)?(?: nach)? {v}"),
    ("pause", r"(?:wait|pause)(?: for)? (?P<n>\d+(?:\.\d+)?) ?(?P<unit>ms|milliseconds?|s|secs?|seconds?)"),
    ("pause", r"warte (?P<n>\d+(?:[.,]\d+)?) ?(?P<unit>ms|millisekunden?|s|sek|sekunden?)"),
    ("appears", rf"wait (?:for|until|till)(?: {_PAGE} {_SAYS})? {{v}}(?: {_IS_SEEN})?"),
    ("appears", rf"warte(?: auf|,? bis)(?: {_PAGE})? {{v}}(?: {_IS_SEEN}| zeigt)?"),
    (
        "url",
        rf"{_MAKE_SURE}{_THAT} {_ARTICLE}(?:current )?(?:url|address|adresse) (?:{_HAS} )?{{v}}(?: enthält| lautet| ist)?",
    ),
    ("url", rf"{_ARTICLE}(?:current )?(?:url|address|adresse) {_HAS} {{v}}(?: enthalten| lauten)?"),
    (
        "button",
        rf"{_MAKE_SURE}{_THAT} {_ARTICLE}(?P<x>{QUOTED}) (?:button|link|field|input|knopf|feld)(?: {_IS_SEEN})?",
    ),
    (
        "button",
        rf"{_MAKE_SURE}{_THAT} {_ARTICLE}(?:button|link|field|knopf|feld|schaltfläche) (?P<x>{QUOTED})(?: {_IS_SEEN})?",
    ),
    ("text", rf"{_MAKE_SURE}{_THAT} {_PAGE} {_SAYS} {{v}}(?: enthält| zeigt| anzeigt)?"),
    ("text", rf"{_MAKE_SURE}{_THAT} {_PAGE} {{v}} (?:enthält|zeigt|anzeigt|steht)"),
    ("text", rf"{_PAGE} {_SAYS} {{v}}(?: enthalten| zeigen| anzeigen)?"),
    ("text", r"(?:die seite|es) soll(?:te)? {v} (?:enthalten|zeigen|anzeigen|stehen)"),
    ("inside", rf"{_MAKE_SURE}{_THAT} {_ARTICLE}(?P<x>{QUOTED}) {_SAYS} (?P<v>{QUOTED})"),
    ("text", rf"{_MAKE_SURE}{_THAT} .*?(?P<v>{QUOTED})(?:[^\x02]*)?"),
    (
        "text",
        rf"{_MAKE_SURE}{_THAT} {_ARTICLE}(?:text |message |word |meldung )?{{v}}(?: {_IS_SEEN}| on the page| auf der seite)",
    ),
    ("text", rf"(?:expect|should see|erwarte|see){_THAT} (?:text |message |word |meldung )?{{v}}"),
    ("goto", rf"(?:go|navigate|browse|head)(?: back)?(?: to)? {_ARTICLE}(?:page |url |address )?{ADDRESS}(?: page)?"),
    ("goto", rf"(?:open|visit|load|start (?:at|on)) {_ARTICLE}(?:page |url |address |website )?{ADDRESS}(?: page)?"),
    ("goto", rf"(?:gehe?|navigiere?|wechs[el]+e?)(?: zurück)? (?:zu|zur|zum|auf|nach) {_ARTICLE}(?:seite )?{ADDRESS}"),
    ("goto", rf"(?:öffne|oeffne|besuche|lade|starte (?:auf|bei)) {_ARTICLE}(?:seite |adresse )?{ADDRESS}"),
    ("goto", rf"rufe? {_ARTICLE}(?:seite )?{ADDRESS} auf"),
    ("home", r"(?:go|navigate|return)(?: back)? to the (?:home ?page|start page)|gehe? (?:zurück )?zur startseite"),
    ("fill", r"(?:fill|complete)(?: in| out)? {x} (?:with|using) {v}"),
    ("fill", r"set {x} to {v}"),
    ("fill", r"(?:enter|type|input|write|put|insert|fill in) {v} (?:into|in|for|as|to) {x}"),
    ("fill", r"füll(?:e)? {x} mit {v}(?: aus)?"),
    ("fill", r"(?:gib|gebe|trage?|tippe|schreibe?|setze) {v} (?:in|ins|bei|als|für|unter) {x}(?: ein)?"),
    ("fill", r"(?:gib|gebe|trage?) (?:in|ins|im|bei) {x} {v} ein"),
    ("select", r"(?:select|choose|pick) {v} (?:from|in|for|as) {x}"),
    ("select", r"wähle? {v} (?:aus|in|bei|im|von|als|für|unter) {x}(?: aus)?"),
    ("select", r"wähle? (?:in|bei|im|unter) {x} {v}(?: aus)?"),
    ("key", rf"(?:press|hit)(?: the)? (?P<key>{'|'.join(KEYS)})(?: key)?(?: (?:in|on) {{x}})?"),
    ("key", rf"drücke?(?: die)?(?: taste)? (?P<key>{'|'.join(KEYS)})(?:-?taste)?(?: (?:in|im) {{x}})?"),
    ("hover", r"(?:hover|mouse)(?: the mouse)?(?: over| on)? {x}|move the mouse (?:over|to|onto) (?P<x2>.+)"),
    ("hover", r"(?:fahre|bewege)(?: mit der maus| die maus)? (?:über|auf) {x}"),
    ("click", r"(?:click|tap|press|push|hit|submit|tick|untick|uncheck)(?: on| the)? {x}"),
    ("click", r"(?:klicke?|tippe?|drücke?)(?: auf| an)? {x}(?: an)?"),
    ("click", rf"(?:open|select|choose|pick|check|go to|navigate to|expand) {_ARTICLE}(?P<x>{QUOTED}.*)"),
    ("click", rf"(?:öffne|wähle?|gehe? (?:zu|zur|zum|auf)) {_ARTICLE}(?P<x>{QUOTED}.*?)(?: aus)?"),
)


def _compiled(pattern: str) -> re.Pattern[str]:
    text = pattern.replace("{x}", "(?P<x>.+?)").replace("{v}", "(?P<v>.+?)")
    return re.compile(rf"(?:please |bitte |now |jetzt |you |i |we )*{text}", re.IGNORECASE)


PHRASES = tuple(Phrase(kind, _compiled(pattern)) for kind, pattern in _TABLE)
VERB = re.compile(
    r"(?:please |bitte )?(?:go|navigate|browse|open|visit|load|fill|enter|type|input|write|put|insert|set|select|choose|pick|"
    r"click|tap|press|push|hit|submit|tick|untick|uncheck|hover|wait|pause|expect|verify|check|assert|ensure|confirm|"
    r"make sure|see|look for|should|log|sign|ask|gehe?|navigiere|wechsle|öffne|besuche|lade|rufe?|füll|fülle|gib|gebe|"
    r"trage?|tippe?|schreibe?|setze|wähle?|klicke?|drücke?|fahre|bewege|warte|erwarte|prüfe|überprüfe|stelle|melde?|"
    r"logge?|frage?|the page|die seite|die url|the url)\b",
    re.IGNORECASE,
)
"""How a sentence begins that asks for something."""
NOUNS = re.compile(
    r"\s+(?:button|link|field|input|box|text ?box|tab|check ?box|drop ?down|menu|option|icon|select|list|entry|page|"
    r"knopf|feld|schaltfläche|reiter|auswahl|liste|an|ein|aus)$",
    re.IGNORECASE,
)
SUBJECT = re.compile(
    r"(?:tests?|teste|try|smoke|scenario|szenario|title|titel|goal|ziel|you are|du bist|as an? |given|angenommen|this|dies|"
    r"in this|the following|background|story)\b",
    re.IGNORECASE,
)
"""How a sentence begins that says what a test is about."""
MORE = re.compile(r"(?:the |das |den |die )?[^\x02]{0,40}(?:\x02\d+\x03)?[^\x02]{0,40}? (?:with|mit) ", re.IGNORECASE)
"""What goes on with filling in."""
FILL = re.compile(r"(?:please |bitte )?(?:fill|füll)\w*(?: in| out)? ", re.IGNORECASE)
FIRST_NOUNS = re.compile(
    r"^(?:(?:the|a|an|on|der|die|das|den|dem|dein|deine|your|my|ein|eine|einen|auf)\s+)*"
    r"(?:(?:button|link|field|tab|checkbox|dropdown|knopf|feld|schaltfläche|reiter|auswahlfeld|auswahl|eingabefeld)\s+(?=\S))?",
    re.IGNORECASE,
)
