"""The shapes of HubSpot's collections beside the CRM: those of version 3, of version 2, and bare lists.

https://developers.hubspot.com/docs/reference/api, https://legacydocs.hubspot.com/docs/overview
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError

from ..document_collections import CollectionStyle, DocumentCollection, DocumentRequest, Shown
from ..document_fields import FieldType
from .account import PORTAL
from .wire_style import HubSpotError, NoSuchRecord, RecordConflict, page_results, show_time

MAX_PAGE = 100


class DocumentsOfVersion3(CollectionStyle):
    """Lists are `{"results", "paging"}`, ids are texts, and times ISO 8601 in `createdAt` and `updatedAt`."""

    has_total = False
    times = ("createdAt", "updatedAt")
    numbers_keys = False
    """Whether ids are numbers."""
    is_lenient = True

    def refuse_invalid(self, name: str, field: str, kind: FieldType, value: Any) -> ApiError:
        said = f"Invalid input JSON: '{field}' must be {kind.description}"
        return HubSpotError(said, body={"errors": [{"message": said, "in": field}]})

    def show_list(self, request: DocumentRequest, shown: list[Shown]) -> Any:
        limit = min(max(request.read_whole("limit", 20), 1), MAX_PAGE)
        page = page_results(shown, request.query.get("after", ""), limit)
        return {"total": len(shown), **page} if self.has_total else page

    def read_list(self, answer: Any) -> list[Any]:
        listed = cast(Shown, answer).get("results") if isinstance(answer, dict) else None
        return cast(list[Any], listed) if isinstance(listed, list) else []

    def refuse_missing(self, name: str, key: str) -> ApiError:
        return NoSuchRecord(f"No {name} found with id '{key}'")

    def refuse_absent(self, name: str, absent: Sequence[str]) -> ApiError:
        errors = [{"message": f"{each} is a required field", "in": each} for each in absent]
        return HubSpotError("Invalid input JSON: some required fields were not set", body={"errors": errors})

    def refuse_taken(self, name: str, taken: str, value: Any) -> ApiError:
        return RecordConflict(f"A {name} with the {taken} '{value}' exists already.")

    def make_key(self, call: Call, collection: DocumentCollection) -> Any:
        number = 70_000_000 + call.db.next("document")
        return number if self.numbers_keys else str(number)

    def show_now(self, call: Call) -> Any:
        return show_time(call.clock.iso())


class ContentOfVersion3(DocumentsOfVersion3):
    """As those of version 3, with `total`, and times in `created` and `updated`."""

    has_total = True
    times = ("created", "updated")


class NumberedDocuments(DocumentsOfVersion3):
    """As those of version 3, with ids that are numbers."""

    numbers_keys = True


class DocumentsByGuid(DocumentsOfVersion3):
    """As those of version 3, with UUIDs as ids."""

    def make_key(self, call: Call, collection: DocumentCollection) -> Any:
        return call.ids.uuid()


class DocumentsOfVersion2(DocumentsOfVersion3):
    """Lists are `{"total_count", "objects", "limit", "offset"}`, ids are numbers, and times milliseconds."""

    times = ("created", "updated")
    numbers_keys = True
    names_account = True
    """Whether documents say of which account they are."""

    def show_list(self, request: DocumentRequest, shown: list[Shown]) -> Any:
        limit = min(max(request.read_whole("limit", 20), 1), 300)
        start = max(request.read_whole("offset", 0), 0)
        shown = [each for each in shown if _meets_bounds(each, request)]
        beside = {"total_count": len(shown), "total": len(shown), "limit": limit, "offset": start}
        return {**beside, "objects": shown[start : start + limit]}

    def read_list(self, answer: Any) -> list[Any]:
        listed = cast(Shown, answer).get("objects") if isinstance(answer, dict) else None
        return cast(list[Any], listed) if isinstance(listed, list) else []

    def show_now(self, call: Call) -> Any:
        return call.clock.micros // 1000

    def stamp(self, call: Call, *, is_new: bool) -> Shown:
        account = {"portal_id": PORTAL} if is_new and self.names_account else {}
        return {**super().stamp(call, is_new=is_new), **account}


class TopicsOfVersion3(DocumentsOfVersion2):
    """As those of version 2; members have camelCase times and account, lists do not."""

    def show_one(self, shown: Shown) -> Any:
        return {_CAMEL.get(name, name): value for name, value in shown.items()}

    def read_one(self, answer: Any) -> Any:
        back = {camel: name for name, camel in _CAMEL.items()}
        fields = cast(Shown, answer) if isinstance(answer, dict) else {}
        return {back.get(name, name): value for name, value in fields.items()}


_CAMEL = {"portal_id": "portalId", "deleted_at": "deletedAt"}


class BareDocuments(DocumentsOfVersion2):
    """Lists are bare, ids are UUIDs in `guid`, and times milliseconds in `createdAt` and `updatedAt`."""

    times = ("createdAt", "updatedAt")
    names_account = False

    def show_list(self, request: DocumentRequest, shown: list[Shown]) -> Any:
        start = max(request.read_whole("offset", 0), 0)
        return shown[start : start + min(max(request.read_whole("limit", 500), 1), 500)]

    def read_list(self, answer: Any) -> list[Any]:
        return cast(list[Any], answer) if isinstance(answer, list) else []

    def refuse_missing(self, name: str, key: str) -> ApiError:
        return NoSuchRecord(f"No {name} found with guid '{key}'", body={"type": "NOT_FOUND"})

    def make_key(self, call: Call, collection: DocumentCollection) -> Any:
        return call.ids.uuid()


_BOUNDS = {"gt": 1, "gte": 1, "lt": -1, "lte": -1}


def _meets_bounds(shown: Shown, request: DocumentRequest) -> bool:
    """Return whether a document meets parameters such as `created__gt` and `updated__range`."""
    for name, value in request.query.items():
        field, _, bound = name.partition("__")
        known = shown.get(field)
        if bound not in _BOUNDS or not isinstance(known, int) or not value.isdecimal() or len(value) > 15:
            continue
        ahead = (known - int(value)) * _BOUNDS[bound]
        if ahead < 0 or (ahead == 0 and not bound.endswith("e")):
            return False
    return True
