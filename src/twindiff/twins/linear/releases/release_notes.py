"""Release notes: their texts and the releases they cover.

https://linear.app/docs/releases#release-notes
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.graphql import Section, entity_operations
from twindiff.kit.graphql.errors import InvalidInput

from ..model.documents import DocumentContent
from ..model.releases import Release, ReleaseNote
from ..projects.projects import workspace

api = Section()

_RANGE = ("rangeFromReleaseId", "rangeToReleaseId")


@api.before_create(ReleaseNote)
def create_note(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Set the URL of a new note and store its text."""
    values["slugId"] = values["id"].replace("-", "")[:12]
    values["url"] = f"https://linear.app/{workspace(call)}/release-note/{values['slugId']}"
    _write(call, values, None, given)


@api.before_update(ReleaseNote)
def update_note(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Change the text of a note."""
    _write(call, changes, row.documentContentId, given)


def _write(call: Call, columns: dict[str, Any], content_id: str | None, given: dict[str, Any]) -> None:
    if given.get("content") is None:
        return
    content, now = DocumentContent.row, call.clock.iso()
    if content_id:
        row = call.db.get(content, content_id)
        if row.content != given["content"]:
            call.db.change(row, content=given["content"], updatedAt=now)
        return
    columns["documentContentId"] = call.ids.uuid()
    call.db.add(content(id=columns["documentContentId"], createdAt=now, updatedAt=now, content=given["content"]))


@api.after_create(ReleaseNote)
def note_is_about(call: Call, row: Any, given: dict[str, Any]) -> Any:
    """Assign the releases of a new note."""
    return _cover(call, row, given)


@api.after_update(ReleaseNote)
def note_is_now_about(call: Call, before: Any, after: Any, given: dict[str, Any]) -> Any:
    """Assign the releases of a changed note."""
    return _cover(call, after, given)


def _cover(call: Call, note: Any, given: dict[str, Any]) -> Any:
    """Assign the releases in an input to a note and return it. Notes that covered them before lose them."""
    wanted = _resolve_releases(call, note, given)
    if wanted is None:
        return note
    release = Release.row
    kept = {each.id for each in wanted}
    losing = {each.releaseNoteId for each in wanted} - {None, note.id}
    for each in call.db.rows(release, release.releaseNoteId == note.id):
        if each.id not in kept:
            call.db.change(each, releaseNoteId=None)
    for each in wanted:
        if each.releaseNoteId != note.id:
            call.db.change(each, releaseNoteId=note.id)
    for other in losing:
        _count(call, call.db.get(ReleaseNote.row, other))
    return _count(call, note)


def _resolve_releases(call: Call, note: Any, given: dict[str, Any]) -> list[Any] | None:
    """Return the releases in an input, listed by id or as a range of first and last; None if it has neither."""
    ends = [given[name] for name in _RANGE if given.get(name) is not None]
    listed = given.get("releaseIds")
    if ends and (listed is not None or len(ends) != len(_RANGE)):
        raise InvalidInput("releaseIds: name the releases, or both ends of a range of them, and not both.")
    if listed is not None:
        return [_of_pipeline(call, note, each) for each in dict.fromkeys(listed)]
    if not ends:
        return None
    release = Release.row
    first, last = (_of_pipeline(call, note, each).createdAt for each in ends)
    between = (release.createdAt >= first, release.createdAt <= last, release.archivedAt.is_null())
    return call.db.rows(release, release.pipelineId == note.pipelineId, *between)


def _of_pipeline(call: Call, note: Any, id: str) -> Any:
    release = entity_operations.find(call, Release, id)
    if release.pipelineId != note.pipelineId:
        raise InvalidInput(f"releaseIds: the release '{release.name}' belongs to another pipeline.")
    return release


def _count(call: Call, note: Any) -> Any:
    """Store the number of a note's releases, and the first and last of them."""
    release = Release.row
    order = (release.createdAt, release.id)
    ids = [id for (id,) in call.db.rows(release, release.releaseNoteId == note.id, order=order, columns=(release.id,))]
    ends = {"firstReleaseId": ids[0] if ids else None, "lastReleaseId": ids[-1] if ids else None}
    return call.db.change(note, releaseCount=len(ids), **ends)


@api.field(Release, "releaseNotes", needs="releaseNoteId")
def release_notes(call: Call, rows: list[Any]) -> list[list[Any]]:
    """Return the notes that cover each release."""
    note = ReleaseNote.row
    ids = [each.releaseNoteId for each in rows if each.releaseNoteId]
    notes = {each.id: each for each in call.db.rows(note, note.id.in_(ids))} if ids else {}
    return [[notes[each.releaseNoteId]] if each.releaseNoteId in notes else [] for each in rows]
