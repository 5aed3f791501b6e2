"""Finds the control that an intent means: `do=add >> Lentil soup` is the one button or link that adds lentil soup.

A control is meant if its name says the verb and the object, or if its name says the verb and it is the only such
control in the row, item or card of the object. Articles, case and plurals do not matter; of two, none is meant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from twindiff.browser.visible_text import IS_SEEN

if TYPE_CHECKING:
    from playwright.async_api import Frame, Locator

PART = " >> "
"""Separator of the parts of an intent."""
DO = "do="
"""`do=VERB >> OBJECT`, or `do=VERB >> OBJECT >> PLACE`: a control by what it does to what, and where to."""
NEW = "new="
"""`new=NOUN`: the control that leads to the form of a new one."""
LABEL = "the="
"""`the=LABEL`: the only field whose label says these words."""
OFFERING = "offering="
"""`offering=OPTION`: the only list, or group of radio buttons, that offers this option."""
END_OF_FORM = "submit="
"""The button that ends the form of the field that was filled in last."""
CONFIRM = "confirm="
"""The button of the open dialog that confirms what the dialog asks."""
INTENTS = (DO, NEW, LABEL, OFFERING, END_OF_FORM, CONFIRM)
SYNONYMS = {
    "add": ("put", "new", "create"),
    "put": ("add",),
    "give": ("lend",),
    "create": ("new", "add"),
    "remove": ("delete",),
    "delete": ("remove",),
    "view": ("open", "show", "details"),
    "open": ("view", "show", "details"),
}
"""Verbs that a control may say instead, if none says the verb itself."""
LABELS = {
    "name": ("name", "title"),
    "assignee": ("assignee", "assigned to", "assign to"),
    "due": ("due", "due date", "due on", "deadline"),
}
"""Labels that a field of a sentence may have, if none is the word itself."""
BEGINNING = ("new", "add", "add new", "create", "create new", "register", "register new")
AFFIRMING = ("yes", "ok", "okay", "confirm", "continue", "proceed", "sure", "agree")
"""First words of a button that confirms."""
REFUSING = (
    "no",
    "cancel",
    "keep",
    "close",
    "back",
    "abort",
    "dismiss",
    "don",
    "do",
    "never",
    "not",
    "go",
    "stay",
    "return",
    "later",
    "maybe",
    "skip",
    "undo",
    "help",
    "learn",
    "more",
    "details",
)
"""First words of a button of a dialog that confirms nothing."""
ENDING = ("save", "create", "add", "submit", "register", "ok", "done", "send", "invite", "update", "confirm")


class SeveralControls(Exception):
    """More than one element may be meant."""


def is_intent(selector: str) -> bool:
    """Return whether a selector names an intent rather than an element."""
    return selector.startswith(INTENTS)


def list_verbs(verb: str) -> list[str]:
    """Return a verb and what a control may say instead."""
    marked = [f"mark {verb.removeprefix('mark as ')}"] if verb.startswith("mark as ") else []
    return [verb, *SYNONYMS.get(verb, ()), *marked]


async def find_intended(frame: Frame, selector: str) -> Locator | None:
    """Return the element that an intent means, None without one; raises SeveralControls."""
    kind, _, said = selector.partition("=")
    verb, *rest = said.split(PART) if kind == "do" else ["", said]
    asked = {
        "kind": kind,
        "verbs": list_verbs(verb),
        "labels": LABELS.get(rest[0], (rest[0],)),
        "object": rest[0],
        "place": rest[1] if len(rest) > 1 else "",
        "beginning": BEGINNING,
        "ending": ENDING,
        "affirming": AFFIRMING,
        "refusing": REFUSING,
    }
    meant: dict[str, str | int] | None = await frame.evaluate(_FIND, asked)
    if meant is None:
        return None
    if "several" in meant:
        raise SeveralControls(f"{meant['several']} elements may be '{selector}'; name the one in quotation marks")
    return frame.locator(f"xpath={meant['path']}")


_FIND = (
    rf"""asked => {{
  const seen = {IS_SEEN};"""
    r"""
  const words = text => (text || '').toLowerCase().replace(/e-mail/g, 'email').replace(/[^\p{L}\p{N}#+@.]+/gu, ' ')
    .split(' ').map(word => word.replace(/^\.+|\.+$/g, ''))
    .filter(word => word && !['a', 'an', 'the', 'my', 'your', 'our'].includes(word))
    .map(word => word.length > 3 && /[^s]s$/.test(word) ? word.slice(0, -1) : word).join(' ');
  const plain = text => text.toLowerCase().replace(/\s+/g, ' ').trim();
  const has = (text, part) => part && ` ${text} `.includes(` ${part} `);
  const all = (of, root = document) => [...root.querySelectorAll(of)].filter(seen);
  const controls = all('button, a[href], input[type=submit], input[type=button], summary, '
    + '[role=button], [role=link], [role=menuitem], [role=tab]');
  const names = each => [each.getAttribute('aria-label'), each.innerText, each.value, each.title].map(words);
  const path = each => each === document.documentElement ? '/html' : path(each.parentElement)
    + `/*[${[...each.parentElement.children].indexOf(each) + 1}]`;
  const one = found => {
    const to = new Set(found.map(each => each.href || each));
    return found.length === 0 ? null : to.size > 1 ? {several: to.size} : {path: path(found[0])};
  };
  const TYPED = 'input:not([type=checkbox], [type=radio], [type=submit], [type=button], [type=search], [type=hidden]),'
    + 'textarea';
  const object = words(asked.object), place = words(asked.place);
  const says = (name, whole) => {
    const [rest] = name === whole ? [''] : name.startsWith(`${whole} `) ? [name.slice(whole.length + 1)] : [null];
    return rest === '' || (rest !== null && /^(to|from|in|into) /.test(rest) && (!place || has(rest, place)));
  };
  const ROW = 'tr, li, article, [role=row], [role=listitem], [role=article]';
  const cardOf = (control, rivals) => {
    const row = control.closest(ROW);
    if (row) return has(words(row.innerText), object) ? row : null;
    for (let at = control.parentElement; at && at !== document.body && rivals.length > 1; at = at.parentElement) {
      if (rivals.some(each => each !== control && at.contains(each))) return null;
      if (has(words(at.innerText), object)) return at;
    }
    return null;
  };
  const isWhole = card => all('*', card).some(each => words(each.innerText) === object);
  const inCards = rivals => {
    const cards = rivals.map(each => [each, cardOf(each, rivals)]).filter(([, card]) => card);
    const whole = cards.filter(([, card]) => isWhole(card));
    return (whole.length ? whole : cards).map(([each]) => each);
  };
  const perform = () => {
    const isOpened = asked.verbs.includes('view');
    const itself = isOpened ? controls.filter(each => plain(each.innerText) === plain(asked.object)) : [];
    if (itself.length) return one(itself);
    for (const verb of asked.verbs.map(words)) {
      const named = controls.filter(each => names(each).some(name => says(name, `${verb} ${object}`)));
      if (named.length) return one(named);
      if (!object) return one(controls.filter(each => names(each).some(name => ` ${name}`.startsWith(` ${verb}`))));
      const rivals = controls.filter(each => names(each).some(name => says(name, verb)));
      const meant = inCards(rivals);
      if (meant.length) return one(meant);
      const about = words(document.title + ' ' + all('h1').map(each => each.innerText).join(' '));
      if (rivals.length && object.split(' ').every(word => has(about, word))) return one(rivals);
    }
    if (!isOpened) return null;
    const rows = all('tr, li, [role=row], [role=listitem]').filter(row =>
      all('td, th, [role=cell], h2, h3, strong, span', row).some(each => words(each.innerText) === object));
    const links = rows.flatMap(row => all('a[href]', row));
    return rows.length === 1 && links.length === 1 ? one(links) : null;
  };
  const begin = () => {
    const wanted = asked.beginning.map(each => `${each} ${object}`);
    const found = controls.filter(each => names(each).some(name => wanted.includes(name.replace('+', '').trim())));
    const isOpen = found.length === 1 && found[0].form && found[0].type === 'submit';
    const fields = isOpen ? all(TYPED, found[0].form) : [];
    return fields.length ? {path: path(fields[0])} : one(found);  // a click on a field of an open form does nothing
  };
  const field = () => {
    const label = each => [...(each.labels || [])].map(one => one.innerText)
      .concat(each.getAttribute('aria-label'), each.placeholder).map(words);
    const title = each => [each.querySelector('legend')?.innerText, each.getAttribute('aria-label')].map(words);
    const groups = all('fieldset, [role=radiogroup]').filter(each => all('input[type=radio]', each).length);
    const grouped = groups.filter(each => title(each).includes(object));
    if (grouped.length) return one(grouped);
    const fields = all(`${TYPED}, select`);
    for (const said of asked.labels.map(words)) {
      const whole = fields.filter(each => label(each).includes(said));
      const found = whole.length ? whole : fields.filter(each => label(each).some(name => has(name, said)));
      if (found.length) return one(found);
    }
    return null;
  };
  const offering = () => {
    const isOption = text => words(text) === object;
    const lists = all('select').filter(each => [...each.options].some(option => isOption(option.label)));
    const groups = all('fieldset, [role=radiogroup]').filter(each =>
      all('input[type=radio]', each).some(radio => [...radio.labels].some(label => isOption(label.innerText))));
    return one([...lists, ...groups]);
  };
  const submit = () => {
    let at = document.activeElement;
    for (; at && at !== document.documentElement; at = at.parentElement) {
      const buttons = all('button, input[type=submit], [role=button]', at);
      if (at.tagName !== 'FORM' && !buttons.length) continue;
      const ending = buttons.filter(each => names(each).some(name => asked.ending.includes(name.split(' ')[0])));
      const typed = buttons.filter(each => at.tagName === 'FORM' && each.type === 'submit');
      return one(typed.length === 1 ? typed : ending);
    }
    return null;
  };
  const confirm = () => {
    const said = each => words(each.innerText || each.value || each.getAttribute('aria-label'));
    const first = each => said(each).split(' ')[0];
    const dialogs = all('dialog[open], [role=dialog], [role=alertdialog], [aria-modal=true]')
      .filter((each, at, every) => !every.some(other => other !== each && each.contains(other)));
    if (dialogs.length > 1) return {several: dialogs.length};
    const inside = dialogs.length ? all('button, input[type=submit], a[href], [role=button]', dialogs[0]) : controls;
    const affirming = inside.filter(each => asked.affirming.includes(first(each)));
    if (!dialogs.length) return one(affirming.filter(each => first(each) === 'yes' || said(each) === 'confirm'));
    if (affirming.length) return one(affirming);
    return one(inside.filter(each => first(each) && !asked.refusing.includes(first(each))));
  };
  return {do: perform, new: begin, the: field, offering, submit, confirm}[asked.kind]();
}"""
)
"""Runs in the page; returns `{path}` of the one element, `{several}` if that many match, or null."""
