"""The pages of the shipped drafts: how sure each operation is, or what the overlay says of a vendor's description."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from twindiff.cli.drafts import reason_of, report_draft
from twindiff.drafts.drafting import hosts_of
from twindiff.drafts.overlay import IdForm, Overlay, StateMachine
from twindiff.drafts.shipped import NAMES, ShippedDraft, find_shipped

WRITTEN_BY = "Written by `docs/reference/generate.py`."


def draft_pages() -> dict[str, str]:
    """Return the text of each page by its path below docs/reference."""
    drafts = [find_shipped(name) for name in NAMES]
    return {f"drafts/{each.name}.md": "\n".join([*_page_of(each), ""]) for each in drafts}


def _page_of(draft: ShippedDraft) -> Iterator[str]:
    yield from (f"# {draft.label}, a shipped draft", "", WRITTEN_BY)
    serve = f"`twindiff serve --draft {draft.name}"
    if draft.unproven:
        yield from ("", f"From memory, shown by no recording or documentation: {'; '.join(draft.unproven)}.", "")
    if draft.stands_alone:
        yield from (f"{serve}` serves it; see [Draft a twin of any API](../../how-to/draft-a-twin.md).", "")
        yield from _report(draft)
    else:
        yield f"{serve}=FILE` serves the vendor's description, which is at <{draft.description}>."
        yield f"`twindiff twins {draft.name} --draft {draft.name}=FILE` says of each operation how sure it is."
        yield from ("", *_overlay(draft.overlay()))


def _report(draft: ShippedDraft) -> Iterator[str]:
    twin = draft.twin()
    report = report_draft(twin)
    assert report is not None
    shares = ", ".join(f"{count} {name}" for name, count in report.shares.items())
    yield f"{len(report.lines)} operations: {shares}."
    yield "*Written* is served by a handler, *derived* follows from the description, *partly* has guessed fields or"
    yield "parameters without a known meaning, *not served* answers 501."
    yield from (
        "",
        f"Hosts: {_quote(sorted({host.name for host in twin.hosts}))}. Templates: {_quote(report.templates)}.",
    )
    yield f"Tables: {_quote(sorted(each.name for each in twin.tables if each.visibility != 'bookkeeping'))}."
    yield from ("", "| operation | does | confidence | because |", "|---|---|---|---|")
    for line in report.lines:
        yield f"| `{line['operation']}` | {line['does']} | {line['confidence']} | {reason_of(line)} |"


def _quote(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _overlay(overlay: Overlay) -> Iterator[str]:
    yield f"Hosts beside those of the description: {_quote(hosts_of(overlay)) or 'none'}."
    if overlay.resources:
        yield from ("", "| table | id | state | other defaults |", "|---|---|---|---|")
    for table, about in overlay.resources.items():
        names = _quote([*about.defaults, *about.computed])
        yield f"| `{table}` | {_describe_id(about.id or overlay.id)} | {_describe_states(about.states)} | {names} |"
    if overlay.tables:
        names = ", ".join(f"`{usual}` is `{name}`" for usual, name in overlay.tables.items())
        yield from ("", f"Tables are named otherwise than by convention: {names}.")
    lines = [*_operations(overlay)]
    yield from ("", "| operation | does |", "|---|---|", *lines) if lines else ()
    yield from _errors_and_webhooks(overlay)


def _describe_id(form: IdForm | None) -> str:
    if form is None:
        return ""
    kind = f"{form.length} letters" if form.kind == "letters" else f"a {form.kind}"
    return f"`{form.prefix}` and {kind}" if form.prefix else kind


def _describe_states(states: StateMachine | None) -> str:
    if states is None:
        return ""
    moves = (f"{now} → {', '.join(map(str, to))}" for now, to in states.moves.items() if to)
    return f"`{states.field}`: {'; '.join(moves)}"


def _operations(overlay: Overlay) -> Iterator[str]:
    for name, each in overlay.operations.items():
        if name not in overlay.actions:
            pairs = f"{_pairs(each.by, ' by')}{_pairs(each.where, ' where')}{_pairs(each.set, ' with')}"
            yield f"| `{name}` | {each.does or 'as derived'} {each.table}{pairs} |"
    for name, change in overlay.actions.items():
        sets = {**({change.field: change.to} if change.field else {}), **change.set}
        pairs = f"{_pairs(sets, ' sets')}{_pairs(change.add, ' adds to')}{_pairs(change.remove, ' removes from')}"
        yield f"| `{name}` |{pairs} |"


def _errors_and_webhooks(overlay: Overlay) -> Iterator[str]:
    if overlay.errors:
        codes = {**overlay.errors.codes, **overlay.errors.kinds}
        listed = ", ".join(f"{name} {code}" for name, code in codes.items())
        yield from ("", f"Codes of errors: {listed or 'none'}.")
    hooks = overlay.webhooks
    if hooks:
        events = "; ".join(f"`{name}`: {_quote(dict.fromkeys(each.values()))}" for name, each in hooks.events.items())
        yield from ("", f"Webhooks tell of {events}.")
    if hooks and hooks.signature:
        yield f"Requests are signed in `{hooks.signature.header}` ({hooks.signature.scheme})."


def _pairs(fields: Iterable[str], word: str) -> str:
    return f"{word} {_quote(fields)}" if fields else ""
