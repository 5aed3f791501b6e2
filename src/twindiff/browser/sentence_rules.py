"""The planner's grammar as a table of rules: the sentences that ask for each kind of step, in English and German.

A rule matches a clause as a whole, each of its words by a word of the pattern. The first match wins, so a rule stands
above all rules that also match its sentences and mean less. See docs/design/prompt-grammar.md.

Slots of a pattern: `{x}` is an element, `{f}` a field, `{k}` an element whose kind is named, `{v}` a value, `{qs}` one or
more quotations, `{qo}` one or more quotations that must all be absent, `{n}` a count, and `{u}` an address. A digit tells
slots of one pattern apart. No slot matches a reserved word (`words.py`).
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from twindiff.browser.entry_rules import list_entry_rules, list_placeholder_rules
from twindiff.browser.intents import INTENT_RULES, VERBS
from twindiff.browser.message_rules import list_login_rules, list_message_rules, list_popup_rules
from twindiff.browser.record_rules import list_record_rules
from twindiff.browser.state_rules import list_state_rules
from twindiff.browser.twin_rules import TWIN_RULES
from twindiff.browser.words import ADDRESS, BARE, NO_ONE, NUMBERS, PERSONS, PLAIN, QUOTED, SPOKEN, allow_separators

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
NOUNS = {
    "button": r"buttons?|knopf|schaltfläche",
    "link": r"(?:navigation |nav |menu )?links?",
    "checkbox": r"check ?box(?:es)?|tick ?box(?:es)?|toggles?|switch(?:es)?|kontrollkästchen|kästchen",
    "radio": r"radio(?: ?buttons?)?",
    "field": r"(?:(?:text|input|date|search|eingabe|auswahl) ?)?(?:fields?|box(?:es)?|area|feld)|inputs?|"
    r"drop-?down(?: list| menu)?|combobox|select|list|auswahl",
    "tab": r"tabs?|reiter",
    "menuitem": r"menu (?:item|entry|option)s?|menüpunkt",
    "option": r"options?|entry",
    "heading": r"headings?|headlines?|überschrift",
    "image": r"images?|icons?|pictures?|logos?",
    "dialog": r"dialogs?|modals?|pop-?ups?",
    "place": r"menu|section|view",
}
"""Nouns of the kinds of elements. A name before or after one of these is searched among elements of that kind."""
ELEMENT_NOUNS = "|".join(NOUNS.values())
COUNTED = rf"{ELEMENT_NOUNS}|(?:data |table )?rows?|(?:list )?items?"

_ARTICLE = r"(?:(?:the|a|an|(?-i:my|your|our)|this|der|die|das|den|dem|dein|deine|ein|eine|einen) )?"
_TEXT = (
    r"(?:(?:text|message|word|words|label|phrase|error|error message|success message|warning|notice|notification|banner|"
    r"toast|status|meldung|fehlermeldung|wort) )?"
)
_QUOTE = rf"{_ARTICLE}{_TEXT}{QUOTED}"
_CALLED = r"(?:(?:named|called|labell?ed|saying|namens|with the (?:text|label|name)|mit dem namen) )?"
_PERSON = rf"(?:i|we|you|he|she|they|one|(?:the |a |an )?{PERSONS}|man|du|ich)"
_MODAL = r"(?:should|must|shall|will|has to|have to|needs? to)"
_SO = r"(?: (?:now|also|then|still))?"
_SEE = rf"(?:(?:{_PERSON} )?(?:{_MODAL}{_SO} )?(?:see|sees)|{_PERSON} can see|look for)"
_SURE = (
    r"(?:expects?|verif(?:y|ies)|checks?|asserts?|ensures?|confirms?|validates?|makes? sure|see to it|erwarte|prüfe|"
    r"überprüfe|pruefe|verifiziere|kontrolliere|stelle? sicher|vergewissere dich)"
)
_MAKE_SURE = rf"(?:{_PERSON} )?{_SURE}"
_THAT = r"(?:,? (?:that|whether|if|dass|daß|ob))?"
_M = rf"(?:{_MAKE_SURE}{_THAT} |{_PERSON} (?:should see|can see|sees?) that )?"
"""The beginning of an expectation that has a verb of its own."""
_TO_SEE = rf"(?:{_MAKE_SURE}(?: to see| to find| to get| for)?|{_SEE}|{_MAKE_SURE}{_THAT} (?:{_PERSON} )?(?:can )?sees?|{_M}there (?:is|are|{_MODAL} be))"
"""The beginning of an expectation without one."""
_SEE_NOT = (
    rf"(?:(?:{_PERSON} )?(?:{_MODAL}|do|does|can) (?:not|no longer) see|{_M}{_PERSON} (?:(?:do|does|can) not|no longer|cannot) sees?|"
    rf"(?:{_PERSON} )?do(?:es)? not expect(?: to see)?|(?:{_MAKE_SURE}) (?:not to|to not) see|erwarte nicht)"
)
_ANY = r"(?: any ?more| any longer)?"
_IS = rf"(?:(?:is|are|to be|gets?|becomes?|{_MODAL}{_SO} be(?:come)?){_SO})"
_IS_NOT = r"(?:(?:is|are|must|should|will|shall) (?:not|no longer)(?: be(?:come)?)?|(?:not|no longer) to be|to (?:not|no longer) be)"
_ADJECTIVE = r"(?:visible|shown|displayed|present|there|listed)"
_DOES_NOT = rf"(?:(?:does|do|{_MODAL}) not|not to|to not|(?:{_MODAL} )?no longer)"
_ON_PAGE = r"(?: (?:anywhere )?on (?:the|this) (?:page|screen)| auf der seite)?"
_SEEN = (
    rf"(?:{_IS} (?:{_ADJECTIVE}{_ON_PAGE}|on (?:the |this )?(?:page|screen))|"
    rf"(?:(?:{_MODAL}{_SO} |to )?(?:appears?|exists?|shows? up)|can be seen){_ON_PAGE}|"
    r"(?:ist|wird|sind|werden) (?:sichtbar|zu sehen|angezeigt|vorhanden)|erscheint|existiert|"
    r"(?:sichtbar|zu sehen|angezeigt|vorhanden) (?:ist|wird|sind|werden))"
)
_GONE = (
    rf"(?:{_IS_NOT} {_ADJECTIVE}{_ON_PAGE}{_ANY}|{_IS_NOT} on (?:the |this )?(?:page|screen){_ANY}|"
    rf"{_IS} (?:hidden|invisible|gone|absent|missing|removed){_ON_PAGE}|"
    rf"(?:has|have) (?:disappeared|been removed|vanished)|"
    rf"(?:(?:{_MODAL}{_SO} |to )?(?:disappears?|vanish(?:es)?|go(?:es)? away)|cannot be seen){_ON_PAGE}|"
    rf"{_DOES_NOT} (?:appears?|exists?|shows? up){_ON_PAGE}{_ANY}|"
    r"(?:ist|wird|sind|werden) nicht (?:mehr )?(?:sichtbar|zu sehen|angezeigt|vorhanden)|"
    r"nicht (?:mehr )?(?:sichtbar|zu sehen|angezeigt|vorhanden) (?:ist|wird|sind|werden)|erscheint nicht|nicht erscheint|verschwindet)"
)
_PAGE = r"(?:(?:the |this )?(?:page|site|screen|app)|it|(?:die |der )?(?:seite|bildschirm)|es)"
_SAY = r"(?:says?|(?:confirms?|answers?|responds?) with|shows?|tells? (?:me|us|them|the user)|offers?|contains?|displays?|reads?|includes?|lists?|mentions?|ha(?:s|ve))"
_SAYS = (
    rf"(?:(?:{_MODAL}{_SO} |to |now |also |then |still )?{_SAY}|soll(?:te)?|zeigt|enthält|enthaelt|steht|sagt|lautet)"
)
_URL = rf"{_ARTICLE}(?:current )?(?:url|address|adresse)"
_NUMBER = rf"(?:\d{{1,4}}|{'|'.join(NUMBERS)})"
_OF_ROW = r"(?:of|for|with|containing|that (?:contains|has|shows|says))"
_CARD = r"(?:(?:table )?row|card|tile|panel|section)"
_ROW = rf"(?:(?:the )?{_CARD} {_OF_ROW} (?:the (?:text|name|customer|user) )?(?P<row>{QUOTED}|{PLAIN}|{BARE})|(?:the )?(?P<row2>{QUOTED}|{PLAIN}|{BARE})(?:'s| 's) {_CARD}|(?:the )?row (?P<row3>(?<=\x20)#\d{{1,6}}|(?<=\x20)(?-i:[A-Z][\w-]*)(?:\x20[\w-]+){{0,3}}?|{QUOTED})|the (?P<row4>{QUOTED}|{BARE}) (?:row|card|tile|panel|section))"
_IN_ROW = rf"(?: (?:in|on) {_ROW})?"
_TIMES = rf"(?P<times>once|twice|thrice|{_NUMBER} times)"


class SentenceRule(NamedTuple):
    """A kind of step, which `clauses.py` turns into steps, and the pattern of a sentence that asks for it."""

    kind: str
    source: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern; all of them take a third of a second, so each is compiled when a sentence meets it."""
        return _compile_rule(self.source)


_LOG_IN = r"(?:(?:(?:do|does|makes?|performs?) (?:(?:the|a) )?)?(?:log|sign)s?(?: |-)?in(?: to the (?:app|application|site|page|system|shop))?|(?:(?:am|is|are) )?(?:logged|signed) in|after (?:logging|signing) in|after (?:the )?(?:login|sign-in))"
_AS = r"(?:(?: ?[(:])|(?: (?:with|as|using|by|under|the|my|your|an?|user(?:name)?|account|e-?mail|address|credentials|login)[:,]?))*"
"""What stands between *log in* and the address, and says no more than that the address follows."""
_WITH = r"(?:,|(?: ?(?:\(|/))|(?: (?:and|with|using|by|the|my|your|his|her|its|this)))*"
_SECRET_WORD = (
    r"(?: ?\(?(?:wrong |incorrect |invalid |right |correct )?(?:password|passwort|pass|pw)(?!\w)(?: is|[:=])?)"  # noqa: S105 - a pattern
)
_SECRET = rf"(?:{QUOTED}|{PLAIN}|(?<!\x01)[^\s\x01-\x07(),/]+)"
_ODD_SECRET = (
    rf"(?:{QUOTED}|{PLAIN}|(?<!\x01)(?=\S*[^a-zA-Z\s,)])[^\s\x01-\x07(),/]+|(?<!\x01)(?!(?:{'|'.join(VERBS)})\b)[a-z]+)"
)
"""A password that no word introduces; what a person does next is none."""
_CREDENTIALS = rf"(?P<x>{PLAIN}|{QUOTED})(?:(?:{_WITH}{_SECRET_WORD} ?(?P<v>{_SECRET})|{_WITH} ?(?P<slash>{ADDRESS}) (?P<v_2>{_SECRET})|{_WITH} ?(?P<v_3>{_ODD_SECRET}))\)?)"
_USER = rf"(?P<ux>(?<=[\x20(])(?!(?:{PERSONS})[\x20\x01])(?-i:[a-z][\w.-]*)(?<!\.)(?![\w.-])|{QUOTED})"
_ODD_USER_SECRET = r"(?<!\x01)(?=\S*[\d!#$%&*+?^~_@-])[^\s\x01-\x07(),/]*[^\s\x01-\x07(),/.]"  # noqa: S105 - a pattern
_USER_CREDENTIALS = (
    rf"(?:{_USER}(?:{_WITH}{_SECRET_WORD} ?(?P<uv>{_SECRET})|{_WITH} ?(?P<uslash>{ADDRESS}) (?P<uv_2>{_SECRET})"
    rf"|{_WITH} ?(?P<uv_3>{_ODD_USER_SECRET}|{QUOTED}))|(?P<ux_2>(?<=[\x20(])(?-i:[a-z][\w.-]*))/(?P<uv_4>[^\s\x01-\x07(),/]+))\)?"
)
"""A user name without an `@`, whose password must be said to be one, or look like one."""
_AS_USER = r"(?:(?: ?[(:])|,|:|(?: (?:with|as|using|by|my|your|the(?= user)|user(?:name)?|account|login)[:,]?))*"
_WHO = rf"(?<=\x20)(?!{NO_ONE})(?-i:[a-z][a-z-]*)"
_PERSONA = rf"(?<=\x20)(?!{NO_ONE})(?-i:[A-Z][\w'-]*)"
"""A person of whom a test speaks by name."""
_LANDMARKS = r"navigation|header|footer|sidebar"
_DIALOG = r"(?:(?:the|this|a|an) )?(?:browser(?:'s)? )?(?:dialog|alert|confirm|confirmation|prompt)(?: dialog| box)?"
_ABOUT_WHAT = rf"(?: (?:that |which )?(?:says?|saying|asks?|asking|with the text) (?P<q>{QUOTED}))?"
_RULES: tuple[tuple[str, str], ...] = (
    *TWIN_RULES,
    # Dialogs of the browser, which the step before opens; tabs
    ("dialog", rf"(?P<d>accepts?|confirms?|dismiss(?:es)?|cancels?|declines?|rejects?) {_DIALOG}{_ABOUT_WHAT}"),
    ("dialog", rf"(?P<d>(?:says?|answers?) (?:yes|no)) when {_PAGE.replace('page|', 'page|browser|')} asks (?P<q>{QUOTED})"),
    ("dialog_says", rf"{_M}(?:an?|the) (?:browser )?(?:alert|confirm(?:ation)?|prompt)(?: dialog| box)? (?:{_SAYS}|asks?|appears? (?:with|saying)(?: the text)?) (?P<q>{QUOTED})"),
    ("dialog_text", rf"(?:types?|enters?|writes?) (?P<v>{QUOTED}|{PLAIN}|{BARE}) (?:into|in) (?:the )?(?:dialog|prompt)"),
    ("dialog", r"(?P<d>accepts?|confirms?|cancels?|declines?) when asked(?: to confirm)?"),
    ("dialog_it", r"(?P<d>accepts?|confirms?|dismiss(?:es)?|cancels?) it"),
    ("new_tab", rf"{_M}a new (?:tab|window) {_IS} opened|{_M}a new (?:tab|window) (?:{_MODAL} )?(?:opens?|appears?)|{_M}(?:it|this|the page) (?:{_MODAL} )?opens? in a new (?:tab|window)"),
    ("opens_tab", rf"{_M}{_ARTICLE}(?:(?:(?P<x>{QUOTED}|{BARE}) (?P<x_noun>link|button))|(?P<x_2>{QUOTED})) (?:{_MODAL} )?opens? in a new (?:tab|window)"),
    ("tab_says", rf"{_M}the new (?:tab|window) {_SAYS} (?P<qs>(?:the (?:heading|text|title) )?{QUOTED}(?: and (?:the (?:heading|text) )?{QUOTED})*)"),
    ("close_tab", r"closes? (?:the|this) (?:new )?(?:tab|window)"),
    # Actions
    ("signed_in", rf"{_M}{_PERSON} (?:am|is|are|{_MODAL} be) (?:logged|signed) in as (?P<x>{QUOTED}|(?<=\x20)(?-i:[A-Z][\w'-]*(?: [A-Z][\w'-]*){{0,3}}))"),
    ("login", rf"{_LOG_IN}{_AS} ?{_CREDENTIALS}"),
    ("login", rf"{_LOG_IN}{_AS} ?(?P<x>{PLAIN}|{QUOTED})\)?"),
    ("login", rf"{_LOG_IN}{_AS_USER} ?{_USER_CREDENTIALS}"),
    ("login", rf"{_LOG_IN}(?: as)? (?:{_PERSONA}|the {_WHO}) \((?:{_CREDENTIALS}|{_USER_CREDENTIALS})"),
    ("login", rf"(?:{_PERSONA}|(?:the |an? )?(?:{_WHO} )?{_WHO}) (?:is (?:already )?(?:logged|signed)|(?:log|sign)s)(?: |-)in{_AS_USER} ?(?:{_CREDENTIALS}|{_USER_CREDENTIALS})"),
    ("login", rf"(?:{_PERSONA}|(?:the |an? )?(?:{_WHO} )?{_WHO}) \(?(?:with )?(?:{_CREDENTIALS}|{_USER_CREDENTIALS}) (?:is (?:already )?(?:logged|signed)|(?:log|sign)s)(?: |-)in"),
    ("login", rf"(?P<x>{_WHO}) (?:is )?(?:logged|signed)(?: |-)in with(?: the)?(?: password)? (?P<v>{_ODD_USER_SECRET}|{QUOTED})"),
    ("login", rf"{_ARTICLE}{PERSONS} \(?{_CREDENTIALS} {_LOG_IN}"),
    ("login_note", rf"(?P<x>{PLAIN})(?: ?/ ?| (?P<slash>{ADDRESS}) )(?P<v>{_SECRET})"),
    ("login", rf"{_LOG_IN}(?: (?:with|using) (?:(?:the|my|your) )?(?:given |provided )?credentials)?"),
    ("login", r"melde? dich (?:mit|als) {x}(?: und|,|/)+(?: dem)?(?: passwort)? {v} an"),
    ("login", r"(?:melde? dich(?: mit den zugangsdaten)? an|logge? dich ein|anmelden|einloggen)"),
    ("logout", r"(?:log|sign)s? ?(?:out|off)(?: (?:of|from) the (?:app|application|site|page|system|shop))?|melde? dich ab|abmelden|ausloggen"),
    ("ask", rf"asks?(?: the user| me)?(?: for| to)? (?P<v>{QUOTED}|{BARE})"),
    ("ask", rf"frage?(?: den (?:be)?nutzer| mich)?(?: nach)? (?P<v>{QUOTED}|{BARE})"),
    ("pause", r"(?:wait|pause)s?(?: for)? (?P<n>\d{1,5}(?:\.\d{1,3})?) ?(?P<unit>ms|milliseconds?|s|secs?|seconds?)"),
    ("pause", r"warte (?P<n>\d{1,5}(?:[.,]\d{1,3})?) ?(?P<unit>ms|millisekunden?|s|sek|sekunden?)"),
    ("loaded", r"waits? (?:for|until|till) the page(?: (?:to load|to be loaded|is loaded|has loaded|loads))?(?: to be ready)?"),
    ("vanishes", rf"(?:waits? (?:for|until|till)|once|as soon as|warte,? bis) {{qs}} {_GONE}"),
    ("vanishes_thing", rf"(?:waits? (?:for|until|till)|once|as soon as) {{k}} {_GONE}"),
    ("appears", rf"(?:(?:waits? (?:for|until|till)|once|as soon as)(?: {_PAGE} {_SAYS})?|warte(?: auf|,? bis)(?: {_PAGE})?) {{qs}}(?: {_SEEN}| zeigt)?"),
    ("appears_thing", rf"(?:waits? (?:for|until|till)|once|as soon as) {{k}}(?: {_SEEN})?"),
    ("appears", rf"(?:waits? (?:for|until|till)(?: {_PAGE} {_SAYS})?|warte auf) (?P<qs>{SPOKEN})(?: {_SEEN})?"),
    ("home", r"(?:goe?s?|navigates?|returns?)(?: back)? to the (?:home ?page|start page)|(?:opens?|visits?) the (?:home ?page|start page)|gehe? (?:zurück )?zur startseite"),
    ("goto", rf"(?:goe?s?|navigates?|browses?|heads?)(?: back)?(?: to)? {_ARTICLE}(?:page |url |address )?{{u}}(?: page)?"),
    ("home_standing", r"(?:am|is|are|should be|must be|lands?|ends? up)(?: back)? (?:on|at) the (?:home ?page|home page|start page)"),
    ("standing_named", rf"(?:am|is|are) (?:on|at) (?:the )?(?P<x>{QUOTED}|{BARE}) page"),
    ("standing", rf"(?:am|is|are)(?: still| now| back)? (?:on|at) {_ARTICLE}(?:page |url |address )?{{u}}(?: page)?"),
    ("goto", rf"(?:opens?|visits?|loads?|starts? (?:at|on)) {_ARTICLE}(?:page |url |address |website )?{{u}}(?: page)?"),
    ("goto", rf"(?:gehe?|navigiere?|wechs[el]+e?)(?: zurück)? (?:zu|zur|zum|auf|nach) {_ARTICLE}(?:seite )?{{u}}"),
    ("goto", rf"(?:öffne|oeffne|besuche|lade|starte (?:auf|bei)) {_ARTICLE}(?:seite |adresse )?{{u}}"),
    ("goto", rf"rufe? {_ARTICLE}(?:seite )?{{u}} auf"),
    ("back", r"(?:goe?s?|navigates?) back(?: (?:to the previous page|one page|in the browser))?|gehe? zurück"),
    ("reload", r"(?:reload|refresh)(?:e?s)?(?: the page| the browser)?|lade? (?:die )?seite neu"),
    ("scroll", r"scrolls?(?: (?:up|down))?(?: to)?(?: the)? (?P<end>top|bottom|end)(?: of the page)?"),
    ("scroll_to", r"scrolls?(?: (?:up|down))? to {x}"),
    *INTENT_RULES,
    ("fill", r"(?:fills?|completes?)(?: in| out)? {f} (?:with|using|as) {v}"),
    ("fill_unit", rf"sets? (?:the )?(?P<f>{BARE}) to (?P<v>(?<=\x20)\d{{1,6}}) (?P<unit>(?<=\x20)[a-z]+)"),
    ("fill", r"sets? {f} to {v}"),
    ("fill", r"(?:enters?|types?|inputs?|writes?|puts?|inserts?|fills? in) {va} (?:into|in|for|as|to) {f}"),
    ("fill", rf"(?:enters?|types?|inputs?|fills? in) {_ARTICLE}(?P<f>{BARE}) (?P<v>{QUOTED}|{PLAIN}|(?<=\x20)\d{{1,9}}(?:\.\d+)?)"),
    ("fill", r"füll(?:e)? {f} mit {v}(?: aus)?"),
    ("fill", r"(?:gib|gebe|trage?|tippe|schreibe?|setze) {v} (?:in|ins|bei|als|für|unter) {f}(?: ein)?"),
    ("fill", r"(?:gib|gebe|trage?) (?:in|ins|im|bei) {f} {v} ein"),
    ("upload", rf"(?:uploads?|attach(?:es)?) (?:{_ARTICLE}file )?{{v}} (?:to|in|into|as|for|at|under) {{f}}"),
    ("upload", rf"(?:uploads?|attach(?:es)?) {_ARTICLE}(?:file )?(?P<v>{QUOTED})"),
    ("upload", rf"lade? (?:{_ARTICLE}datei )?{{v}} (?:in|bei|als|unter) {{f}} hoch"),
    ("empty", r"(?:clears?|empt(?:y|ies)) {f}|leaves? {f2} (?:empty|blank)"),
    ("check_all", rf"(?:checks?|ticks?) (?P<qs>{QUOTED}(?:(?:,? and |, ){QUOTED})+)"),
    ("check", rf"(?:checks?|ticks?|selects?|enables?|activates?|turns? on|switch(?:es)? on) {_ARTICLE}(?:(?:{NOUNS['checkbox']}) {_CALLED}(?P<x>{QUOTED}|{BARE})|(?P<x2>{QUOTED}|{BARE}) (?:{NOUNS['checkbox']}))"),
    ("check", rf"(?:checks?|ticks?|hake?) {_ARTICLE}(?:box )?(?P<x>{QUOTED})(?: an)?|ticks? {_ARTICLE}(?P<x2>{BARE})"),
    ("uncheck", rf"(?:unchecks?|unticks?|deselects?|disables?|deactivates?|clears?|turns? off|switch(?:es)? off) {_ARTICLE}(?:(?:{NOUNS['checkbox']}) {_CALLED}(?P<x>{QUOTED}|{BARE})|(?P<x2>{QUOTED}|{BARE}) (?:{NOUNS['checkbox']}))"),
    ("check", rf"(?:turns?|switch(?:es)?) on (?P<x>{QUOTED}|{BARE})"),
    ("uncheck", rf"(?:turns?|switch(?:es)?) off (?P<x>{QUOTED}|{BARE})"),
    ("uncheck", rf"(?:unchecks?|unticks?) {_ARTICLE}(?:box )?(?P<x>{QUOTED}|{BARE})"),
    ("select", rf"(?:selects?|chooses?|picks?) {_ARTICLE}(?:option )?{{v}} (?:from|in|for|as|under) {{f}}"),
    ("select", r"wähle? {v} (?:aus|in|bei|im|von|als|für|unter) {f}(?: aus)?"),
    ("select", r"wähle? (?:in|bei|im|unter) {f} {v}(?: aus)?"),
    ("set_field", r"(?:selects?|chooses?|picks?) the (?P<f>(?<=\x20)(?-i:[a-z]+)) (?P<v>§|(?<=\x20)(?-i:[A-Z][\w-]*))".replace("§", QUOTED)),
    ("choose", rf"(?:selects?|chooses?|picks?) {_ARTICLE}(?:(?:{NOUNS['radio']}|{NOUNS['option']}) {_CALLED})?(?P<x>{QUOTED}|{BARE})(?: (?:{NOUNS['radio']}|{NOUNS['option']}|plan|tier))?"),
    ("choose", rf"wähle? {_ARTICLE}(?P<x>{QUOTED}|{BARE})(?: aus)?"),
    ("search", rf"search(?:es)?(?: for)? (?P<v>{QUOTED}|{PLAIN}|{BARE})"),
    ("key", rf"(?:press(?:es)?|hits?)(?: the)? (?P<key>{'|'.join(KEYS)})(?: key)?(?: (?:in|on) {{f}})?"),
    ("key", rf"drücke?(?: die)?(?: taste)? (?P<key>{'|'.join(KEYS)})(?:-?taste)?(?: (?:in|im) {{f}})?"),
    ("hover", r"(?:hovers?|mouse)(?: the mouse)?(?: over| on)? {x}|move the mouse (?:over|to|onto) {x2}"),
    ("hover", r"(?:fahre|bewege)(?: mit der maus| die maus)? (?:über|auf) {x}"),
    ("click", rf"(?:clicks?|taps?|press(?:es)?|push(?:es)?|hits?)(?: on)? {{x}}{_IN_ROW}"),
    ("click", rf"(?:clicks?|taps?|press(?:es)?|push(?:es)?|hits?)(?: on)? (?P<x>(?<=\x20)(?-i:[A-Z][\w-]*) (?:(?:a|an|the|my|your) {BARE}|it))"),
    ("click", rf"in {_ROW},? (?:{_PERSON} )?(?:clicks?|taps?|press(?:es)?)(?: on)? {{x}}"),
    ("click", r"(?:klicke?|tippe?|drücke?)(?: auf| an)? {x}(?: an)?"),
    ("open", rf"(?:opens?|takes? a look at|starts? (?:on|at|in)|goe?s?(?: back)? (?:to|in|into|on)|looks? at|navigates?(?: back)? to|returns? to|visits?|switch(?:es)? to|heads? to|expands?) {_ARTICLE}(?:(?:page|tab|menu|section|link|view) )?(?P<x>{QUOTED}|{BARE})(?: (?:page|tab|menu|section|link|view|screen))?"),
    ("open", rf"(?:öffne|gehe? (?:zu|zur|zum|auf)) {_ARTICLE}(?P<x>{QUOTED}|{BARE})(?: seite)?"),
    ("on_page", rf"on the (?P<x>{QUOTED}|{BARE})(?: page| screen)?"),
    # Expectations
    ("url", rf"{_M}{_URL} (?:{_MODAL} |to )?(?P<how>is|be|equals?|contains?|includes?|has) {{v}}"),
    ("url_not", rf"{_M}{_URL} (?:{_DOES_NOT} |(?P<be>is not|is no longer|should not be|must not be) ?)(?P<how>be|equals?|contains?|includes?)? ?{{v}}"),
    ("url", rf"{_M}{_URL} {{v}} (?P<how>enthält|lautet|ist)"),
    ("url", rf"{_M}{_URL} (?P<how>enthält|lautet|ist|soll(?:te)?) {{v}}(?: enthalten| lauten)?"),
    ("url_not", rf"{_M}{_PERSON} {_MODAL} (?:not|no longer) be (?:on|at) {{u}}"),
    ("url", rf"{_M}{_PERSON} (?:lands?|ends? up|(?:am|is|are) redirected|{_MODAL}{_SO} be|{_MODAL} land)(?: redirected| taken| sent)? (?:on|at|to) (?P<how>the page )?{{u}}"),
    ("title", rf"{_M}the (?:page )?title (?:of the page )?(?:{_MODAL} |to )?(?P<how>is|be|equals?|contains?|says?|includes?) {{v}}"),
    ("row_says", rf"{_M}(?:(?:back )?(?:on|in) the (?:list|table),? )?{_ROW} {_SAYS} {{qs}}"),
    ("row_says", rf"{_M}(?:(?:back )?(?:on|in) the (?:list|table),? )?{_ROW} {_SAYS} (?P<qs>{SPOKEN})(?: and (?P<qs2>{SPOKEN}))?"),
    ("row_says", rf"(?:{_TO_SEE}) {{qs}} in {_ROW}|in {{rowb}},? (?:{_TO_SEE}) {{qs2}}"),
    ("row_says_not", rf"{_M}{_ROW} {_DOES_NOT} {_SAY} {{qo}}"),
    ("rows_seen", rf"(?:{_TO_SEE}) (?:a|the) row {_OF_ROW} (?P<x>{QUOTED})"),
    ("thing", rf"(?:{_TO_SEE}) {{k}}|{_M}{{k2}} (?:{_SEEN}|{_IS} available)"),
    ("thing_gone", rf"(?:{_M}{{k}} {_GONE}|(?:{_SEE_NOT}) {{k2}}|(?:{_TO_SEE}) no {{k3}}|{_M}no {{k4}} {_SEEN})"),
    ("state", rf"{_M}{{kc}} {_IS} (?:visible|shown) (?:and|but) (?:is )?(?P<not>not )?(?P<state>disabled|enabled|checked|ticked|selected|unchecked|unticked|focused|empty)"),
    ("state", rf"(?:{_M}|(?P<wait>waits? (?:for|until|till) )){{kc}} (?P<not>{_IS_NOT}|{_IS}) (?P<state>disabled|enabled|greyed out|clickable|checked|ticked|selected|unchecked|unticked|focused|in focus|empty|blank){_ANY}"),
    ("state", rf"{_M}{{kc}} (?P<state>has (?:the )?focus)"),
    ("state", rf"{_M}{_ARTICLE}(?P<kc>{BARE}) (?P<not>{_IS_NOT}|{_IS}) (?P<state>disabled|enabled|checked|ticked|unchecked|unticked|switched on|switched off)"),
    ("redirects", r"(?:opening|visiting|going to) (?P<from>§) (?:redirects?|leads?) to {u}".replace("§", ADDRESS)),
    ("list_says", rf"{_M}the (?<=\x20)(?-i:[a-z][a-z-]*) (?:list|table) {_SAYS} (?P<qs>{QUOTED}|{SPOKEN})"),
    ("value", rf"{_M}{{field}} (?P<how>contains?|(?:{_MODAL} |to )(?:contain|have|be|read|show|say)|ha(?:s|ve)|is|equals?|reads|shows|says|is set to|is filled with)(?: the value)? {{v}}"),
    ("value_not", rf"{_M}{{field}} (?:{_DOES_NOT} |(?P<be>is not|is no longer|not to be) ?)(?P<how>contain|have|be|read|show|say)?(?: the value)? ?{{v}}"),
    ("count", rf"(?:(?:{_TO_SEE}) |{_M}(?:there (?:is|are|{_MODAL} be|to be) )?|{_M}(?:{_PAGE}|the table|the list) {_SAYS} ){{n}} (?P<things>{COUNTED})(?: (?:in|of) the (?:table|list))?(?: (?:called|named|labell?ed|with(?: the (?:text|label|name))?|that (?:says?|contains?|shows?)|containing|saying)? ?(?P<x>{QUOTED}))?(?: {_SEEN})?{_ON_PAGE}"),
    ("heading_is", rf"{_M}the (?:page |main )?heading (?:is|reads|says|{_MODAL} (?:be|read|say)) (?P<qs>{QUOTED})"),
    ("asked_to_log_in", rf"{_M}(?:{_PERSON} )?(?:am|is|are|{_MODAL} be) asked to (?:log|sign) ?in"),
    ("list_says", rf"{_M}the (?:list|table) {_SAYS} {{qs}}|{_M}{{qs2}} {_IS} (?:on|in) the (?:list|table)"),
    ("list_says_not", rf"{_M}the (?:list|table) {_DOES_NOT} {_SAY} (?P<qo>{QUOTED}|{SPOKEN}){_ANY}|{_M}{{qo2}} {_IS_NOT} (?:on|in) the (?:list|table){_ANY}"),
    ("cell", rf"{_M}the (?P<f>(?<=\x20)(?-i:[a-z][\w-]*)) of (?:(?:the )?(?:order|row|ticket|number|invoice) )?(?P<row>{QUOTED}|{BARE}|#\d{{1,6}}) (?:is|equals|(?:should|must) be|to be) (?P<v>{QUOTED}|(?<=\x20)[$€£]?\d[\d.,:]*\d|(?<=\x20)\d)"),
    ("labelled", rf"{_M}(?:the )?(?P<f>{BARE}) (?:is|equals|(?:should|must) be|to be) (?P<v>{QUOTED}|{PLAIN}|(?<=\x20)(?-i:[A-Z][\w-]*)|(?<=\x20)[$€£]?\d[\d.,:]*\d|(?<=\x20)\d)"),
    ("count_empty", rf"{_M}the (?:table|list) {_IS} (?:empty)"),
    ("count_text", rf"(?:(?:{_TO_SEE}) |{_M}(?:there (?:is|are|{_MODAL} be) )?|{_M}{_PAGE} {_SAYS} ){{n}} (?P<q>{QUOTED})(?: {_SEEN})?{_ON_PAGE}"),
    ("count_text", rf"(?:(?:{_TO_SEE}) |{_M}{_PAGE} {_SAYS} |{_M})(?P<q>{_QUOTE})(?: {_SEEN})?{_ON_PAGE} (?:exactly )?{_TIMES}"),
    ("inside", rf"{_M}{_ARTICLE}(?P<x>{QUOTED}) {_SAYS} (?P<v>{QUOTED})"),
    ("landmark", rf"{_M}the (?P<region>{_LANDMARKS}) {_SAYS} {{qs}}"),
    ("landmark_not", rf"{_M}the (?P<region>{_LANDMARKS}) {_DOES_NOT} {_SAY} {{qo}}"),
    ("text_but", rf"(?:(?:{_TO_SEE}) |{_M}{_PAGE} {_SAYS} ){{qs}},? (?:but|and) not {{qo2}}"),
    ("text_but", rf"{_M}{{qs}} {_IS} {_ADJECTIVE},? (?:but|and) {{qo2}} {_IS_NOT}(?: {_ADJECTIVE})?"),
    ("text", rf"{_M}{_PAGE} {_SAYS} {{qs}}(?: again| enthalten| zeigen| anzeigen| enthält| zeigt| anzeigt| stehen)?"),
    ("text", rf"{_M}{_PAGE} {_SAYS} (?P<qs>{SPOKEN})(?: enthalten| zeigen| anzeigen| stehen)?"),
    ("text", rf"{_M}{_PAGE} {{qs}} (?:enthält|zeigt|anzeigt|steht)"),
    ("text", rf"{_M}{{qs}} {_SEEN}"),
    ("text", rf"(?:{_MAKE_SURE} )?{_SEE} {{qs}}{_ON_PAGE}|(?:{_TO_SEE}) {{qs2}}{_ON_PAGE}"),
    ("text", rf"(?:(?:{_PERSON} )?(?:expects?|{_SEE}|erwarte|look for)) (?P<qs>{SPOKEN}){_ON_PAGE}"),
    ("downloaded", rf"{_M}{_ARTICLE}(?:file )?{{q1}} (?:{_IS}|has been|was) downloaded|(?:{_TO_SEE}) {_ARTICLE}download(?: of| named| called)? (?P<q2>{QUOTED}|(?<=\x20)[\w-]+\.\w{{1,5}})"),
    ("text_not", rf"{_M}{_PAGE} {_DOES_NOT} {_SAY} {{qo}}{_ANY}|{_M}{_PAGE} {_SAYS} no {{qo2}}"),
    ("text_not", rf"(?:{_SEE_NOT}) {{qo}}{_ON_PAGE}{_ANY}|(?:(?:{_TO_SEE}|check for|check that there is)) (?:no|not|keine?n?) {{qo2}}{_ON_PAGE}{_ANY}"),
    ("text_not", rf"{_M}{{qo}} {_GONE}|{_M}(?:no|keine?n?) {{qo2}} {_SEEN}|{_M}neither {{qo3}} {_SEEN}"),
)  # fmt: skip


def _slots(pattern: str) -> str:
    """Replace the slots of a pattern by regular expressions; each has a group of its name."""
    for name, regex in _SLOTS.items():
        pattern = re.sub(rf"\{{({name})\}}", lambda slot, regex=regex: regex.replace("§", slot[1]), pattern)
    return pattern


_VALUE = f"(?:{QUOTED}|{PLAIN}|{ADDRESS}|{BARE})"
_NAME = f"(?:{QUOTED}|{BARE})"
_KIND = (
    rf"{_ARTICLE}(?:(?P<§_noun>{ELEMENT_NOUNS}) {_CALLED}(?P<§>{_NAME})|(?P<§_2>{_NAME}) (?P<§_noun2>{ELEMENT_NOUNS}))"
)
_FIELD = rf"{_ARTICLE}(?:(?:{NOUNS['field']}) {_CALLED})?(?P<§>{_NAME})(?: (?:{NOUNS['field']}))?"
_MANY = rf"(?P<§>{_QUOTE}(?:(?:,? and |, |,? und ){_QUOTE})*)"
_SLOTS = {
    "x2?": rf"{_ARTICLE}(?:(?P<§_noun>{ELEMENT_NOUNS}) {_CALLED})?(?P<§>{QUOTED}|{PLAIN}|{BARE})(?: (?P<§_noun2>{ELEMENT_NOUNS}))?",
    "f2?": _FIELD,
    "field": rf"(?:the value of {_ARTICLE}(?P<§>{_NAME})(?: (?:{NOUNS['field']}))?|{_ARTICLE}(?:(?:{NOUNS['field']}) {_CALLED}(?P<§_2>{_NAME})|(?P<§_3>{_NAME}) (?:{NOUNS['field']})))",
    "k[234]?": _KIND,
    "kc": rf"(?:{_KIND}|{_ARTICLE}(?P<§_3>{QUOTED}))",
    "v": rf"(?P<§>{_VALUE})",
    "va": rf"(?P<v>{_VALUE}|a)",
    "u": rf"(?P<§>{ADDRESS})",
    "q": QUOTED,
    "q[12]": rf"(?P<§>{QUOTED})",
    "qs2?": _MANY,
    "qo[23]?": rf"(?P<§>{_QUOTE}(?:(?:,? and |,? or |,? nor |, |,? und |,? oder ){_QUOTE})*)",
    "n": rf"(?P<§>(?:exactly |only |just |at least |at most |no more than |more than |(?:fewer|less) than (?!0\b|zero))?{_NUMBER}|no|zero)",
    "rowb": rf"(?:the )?(?:table )?row {_OF_ROW} (?P<§>{QUOTED}|{PLAIN}|{BARE})",
}


@cache
def _compile_rule(pattern: str) -> re.Pattern[str]:
    person = rf"(?: (?:i|we|you|he|she|they|(?:(?:the|a|an) )?{PERSONS}))?"
    return re.compile(allow_separators(rf"{person} (?:{_slots(pattern)})"), re.IGNORECASE)


_SHARED = {
    "sure": _M,
    "modal": _MODAL,
    "says": _SAYS,
    "does_not": _DOES_NOT,
    "say": _SAY,
    "quoted": QUOTED,
    "spoken": SPOKEN,
    "to_see": _TO_SEE,
    "page": _PAGE,
    "any_more": _ANY,
    "row": _ROW,
    "person": _PERSON,
    "is": _IS,
    "is_not": _IS_NOT,
    "shown": r"(?:listed|shown|displayed)",
}
SENTENCE_RULES = tuple(
    SentenceRule(kind, pattern)
    for kind, pattern in (
        *list_placeholder_rules(_SHARED),
        *list_popup_rules(_SHARED),
        ("start", r"(?:opens?|starts?|launch(?:es)?|visits?) the (?:web ?)?(?:app|application|website)"),
        *_RULES,
        *list_entry_rules(_SHARED),
        *list_message_rules(_SHARED),
        *list_login_rules(_SHARED),
        *list_record_rules(_SHARED),
        *list_state_rules(_SHARED),
    )
)
"""All rules in the order in which they are tried: `the placeholder of Email` is no cell, so placeholders come first."""
