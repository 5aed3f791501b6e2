"""Blogs, posts, authors, topics, pages, redirects, domains, templates and tables of HubSpot's CMS, versions 2 and 3.

https://developers.hubspot.com/docs/reference/api/cms, https://legacydocs.hubspot.com/docs/methods/blogv2/blog_overview
"""

from __future__ import annotations

from typing import Any, cast

from twindiff.kit.http import ValueResponse
from twindiff.kit.twin import Operations

from ..document_collections import (
    ALL,
    DocumentCollection,
    DocumentRequest,
    Shown,
    declare_operation,
    serve_collections,
)
from .account import PORTAL
from .document_styles import ContentOfVersion3, DocumentsOfVersion2, TopicsOfVersion3
from .wire_style import HubSpotError, show_time

api = Operations()
_V2, _V3, _TOPICS = DocumentsOfVersion2(), ContentOfVersion3(), TopicsOfVersion3()
_READ = frozenset(["list", "read"])
_STATES = {"DRAFT", "PUBLISHED", "SCHEDULED"}


def _slug_of(name: Any) -> str:
    return "-".join("".join(each if each.isalnum() else " " for each in str(name or "").lower()).split())


def _show_post_v2(_request: DocumentRequest, fields: Shown) -> Shown:
    shown = {"portal_id": PORTAL, **fields}
    shown.setdefault("slug", _slug_of(fields.get("name")))
    return {"html_title": fields.get("name"), "label": fields.get("name"), **shown}


_POST_V2: Shown = {
    "archived": False, "attached_stylesheets": [], "author_user_id": None, "blog_author": {}, "blog_author_id": None,
    "campaign": None, "campaign_name": None, "category_id": 3, "comment_count": 0, "css": {}, "css_text": "",
    "deleted_at": 0, "featured_image": "", "footer_html": "", "head_html": "", "is_draft": True, "keywords": [],
    "meta_description": None, "meta_keywords": None, "post_body": "", "post_summary": "", "publish_date": None,
    "publish_immediately": True, "state": "DRAFT", "subcategory": "", "topic_ids": [], "use_featured_image": True,
    "widgets": {}, "is_published": False,
}  # fmt: skip
_POST_V3: Shown = {
    "state": "DRAFT", "currentState": "DRAFT", "htmlTitle": "", "metaDescription": "", "postBody": "",
    "postSummary": "", "language": "en", "tagIds": [], "featuredImage": "", "useFeaturedImage": True,
    "currentlyPublished": False, "archivedAt": "1970-01-01T00:00:00Z", "authorName": "", "blogAuthorId": "0",
    "contentGroupId": "0", "domain": "", "url": "", "widgets": {},
}  # fmt: skip


def _check_state(_request: DocumentRequest, fields: Shown) -> None:
    if fields.get("state") not in _STATES:
        raise HubSpotError(f"Invalid input JSON: '{fields.get('state')}' is not one of {', '.join(sorted(_STATES))}")


BLOGS = DocumentCollection(
    table="blogs", path="/content/api/v2/blogs", style=_V2, serves=_READ, filters=("name", "slug")
)
POSTS = DocumentCollection(
    table="blog_posts", path="/content/api/v2/blog-posts", style=_V2, name="blog post", updates_by=("PUT",),
    required=("content_group_id",), defaults=_POST_V2, show=_show_post_v2,
    filters=("content_group_id", "blog_author_id", "campaign", "state", "slug", "name", "archived", "is_draft"),
)  # fmt: skip
TOPICS_V2 = DocumentCollection(
    table="blog_topics", path="/content/api/v2/topics", style=_V2, name="topic", updates_by=("PUT",),
    required=("name",), defaults={"deleted_at": 0, "description": ""}, filters=("name", "slug"),
    show=lambda _request, fields: {**fields, "slug": fields.get("slug") or _slug_of(fields.get("name"))},
)  # fmt: skip
TOPICS = DocumentCollection(
    table="blog_topics", path="/blogs/v3/topics", style=_TOPICS, name="topic", updates_by=("PUT",),
    required=("name",), defaults={"deleted_at": 0, "description": ""}, filters=("name", "slug"),
    show=TOPICS_V2.show,
)  # fmt: skip
_MAPPING_FIELDS = (
    "routePrefix, destination: text; redirectStyle, precedence: integer; isMatchFullUrl, isMatchQueryString,"
    "isOnlyAfterNotFound, isPattern, isProtocolAgnostic, isTrailingSlashOptional: boolean"
)
_MAPPING: Shown = {
    "isMatchFullUrl": False, "isMatchQueryString": False, "isOnlyAfterNotFound": False, "isPattern": False,
    "isProtocolAgnostic": False, "isTrailingSlashOptional": False, "precedence": 1_000_000_000,
}  # fmt: skip


def _page(table: str, path: str, name: str) -> DocumentCollection:
    return DocumentCollection(
        table=table, path=path, style=_V3, name=name, required=("name",), check=_check_state, defaults=_POST_V3,
        fields="name, slug, state, htmlTitle, metaDescription, postBody, postSummary, language, featuredImage,"
               "authorName, domain: text; tagIds: list; useFeaturedImage: boolean; widgets: object; publishDate: time",
        filters=("name", "slug", "state"),
    )  # fmt: skip


POSTS_V3 = _page("cms_blog_posts", "/cms/v3/blogs/posts", "blog post")
SITE_PAGES = _page("site_pages", "/cms/v3/pages/site-pages", "site page")
LANDING_PAGES = _page("landing_pages", "/cms/v3/pages/landing-pages", "landing page")
TABLES_V3 = DocumentCollection(
    table="hubdb_tables", path="/cms/v3/hubdb/tables", style=_V3, name="table", required=("name", "label"),
    fields="name, label: text; columns: list; useForPages, allowPublicApiAccess, allowChildTables,"
           "enableChildTablePages: boolean",
    unique=("name",), aliases=("name",),
    defaults={"columns": [], "published": False, "columnCount": 0, "rowCount": 0, "useForPages": False,
              "allowPublicApiAccess": False, "allowChildTables": False, "enableChildTablePages": False},
    serves=ALL - {"update"},
)  # fmt: skip
TABLE_ROWS = DocumentCollection(
    table="hubdb_rows", path="/cms/v3/hubdb/tables/{tableId}/rows", style=_V3, name="row",
    fields="values: object; path, name: text",
    defaults={"values": {}, "path": None, "name": None, "childTableId": "0"},
    serves=frozenset(["list", "create", "read"]),
    resolve=lambda call, given: [_find_table(call, given[0])],
)  # fmt: skip


def _find_table(call: Any, key: str) -> str:
    for row in TABLES_V3.rows_in(call, ""):
        if key in (row.key, row.fields.get("name")):
            return row.key
    raise _V3.refuse_missing("table", key)


COLLECTIONS = (
    BLOGS, POSTS, TOPICS_V2, TOPICS, POSTS_V3, SITE_PAGES, LANDING_PAGES, TABLES_V3, TABLE_ROWS,
    DocumentCollection(
        table="blog_authors", path="/blogs/v3/blog-authors", style=_V2, name="blog author", updates_by=("PUT",),
        required=("fullName",), defaults={"deletedAt": 0, "bio": "", "avatar": "", "website": "", "twitter": ""},
        filters=("slug", "email"),
    ),
    DocumentCollection(
        table="cms_blog_authors", path="/cms/v3/blogs/authors", style=_V3, name="blog author", required=("fullName",),
        fields="fullName, email, slug, bio, avatar, website, twitter, facebook, linkedin: text",
        defaults={"bio": "", "avatar": "", "website": "", "twitter": "", "facebook": "", "linkedin": "", "email": ""},
        filters=("fullName", "email", "slug"),
    ),
    DocumentCollection(
        table="cms_blog_tags", path="/cms/v3/blogs/tags", style=_V3, name="tag", required=("name",),
        fields="name, slug, language: text",
        defaults={"language": "en", "deletedAt": "1970-01-01T00:00:00Z"}, filters=("name", "slug"),
        show=lambda _request, fields: {**fields, "slug": fields.get("slug") or _slug_of(fields.get("name"))},
    ),
    DocumentCollection(
        table="url_redirects", path="/cms/v3/url-redirects", style=_V3, name="URL redirect",
        required=("routePrefix", "destination", "redirectStyle"), fields=_MAPPING_FIELDS, defaults=_MAPPING,
    ),
    DocumentCollection(
        table="url_mappings", path="/url-mappings/v3/url-mappings", style=_V2, name="URL mapping", updates_by=("PUT",),
        required=("routePrefix", "destination"), fields=_MAPPING_FIELDS, defaults={**_MAPPING, "redirectStyle": 301},
    ),
    DocumentCollection(table="domains", path="/cms/v3/domains", style=_V3, name="domain", serves=_READ),
    DocumentCollection(
        table="domains_v1", path="/cos-domains/v1/domains", style=_V2, name="domain", serves=_READ,
    ),
    DocumentCollection(
        table="cos_pages", path="/content/api/v2/pages", style=_V2, name="page", updates_by=("PUT",),
        defaults={"deleted_at": 0, "is_draft": True, "archived": False, "widgets": {}, "subcategory": "site_page"},
        filters=("name", "slug", "campaign", "archived", "is_draft"),
    ),
    DocumentCollection(
        table="cos_templates", path="/content/api/v2/templates", style=_V2, name="template", updates_by=("PUT",),
        required=("path",),
        defaults={"category_id": 2, "deleted_at": 0, "folder": "custom", "is_available_for_new_content": False},
        filters=("label", "path", "category_id", "folder"),
    ),
    DocumentCollection(
        table="cos_layouts", path="/content/api/v2/layouts", style=_V2, name="layout", updates_by=("PUT",),
        defaults={"deleted_at": 0, "category_id": 3}, filters=("label", "path", "category_id"),
    ),
    DocumentCollection(
        table="comments", path="/comments/v3/comments", style=_V2, name="comment", updates_by=(),
        required=("comment", "contentId"), defaults={"state": "PENDING_MODERATION", "deletedAt": 0},
        serves=ALL - {"update"}, filters=("contentId", "state", "portalId"),
    ),
)  # fmt: skip
serve_collections(api, COLLECTIONS)
_BATCHED = (POSTS_V3, SITE_PAGES, LANDING_PAGES)


def _publish_v2(request: DocumentRequest) -> Any:
    """Publish, schedule or cancel a post of version 2."""
    row = POSTS.find(request, request.path["id"])
    action = request.read_object().get("action")
    if action not in ("schedule-publish", "cancel-publish", "push-buffer-live"):
        raise HubSpotError(f"Invalid action '{action}'")
    state = {"state": "DRAFT", "is_draft": True, "is_published": False}
    if action != "cancel-publish":
        now = request.call.clock.micros // 1000
        state = {"state": "PUBLISHED", "is_draft": False, "is_published": True, "publish_date": now}
    POSTS.change(request, row, state)
    return ValueResponse(None, 204)


def _search_topics(request: DocumentRequest) -> Any:
    """Find topics by words of their names."""
    wanted = request.query.get("q", "").lower()
    shown = [each for each in TOPICS.list_shown(request) if wanted in str(each.get("name")).lower()]
    return _TOPICS.show_list(request, shown)


def _push_live(collection: DocumentCollection) -> Any:
    def respond(request: DocumentRequest) -> Any:
        """Publish the draft."""
        now = show_time(request.call.clock.iso())
        live = {"state": "PUBLISHED", "currentState": "PUBLISHED", "currentlyPublished": True, "publishDate": now}
        collection.change(request, collection.find(request, request.path["id"]), live)
        return ValueResponse(None, 204)

    return respond


def _clone(collection: DocumentCollection) -> Any:
    def respond(request: DocumentRequest) -> Any:
        """Create a draft like another document."""
        given = request.read_object()
        row = collection.find(request, str(given.get("id")))
        fresh = {"state": "DRAFT", "currentState": "DRAFT", "currentlyPublished": False}
        name = given.get("cloneName") or f"{row.fields.get('name')} (Clone)"
        own = {each: value for each, value in row.fields.items() if each != "slug"}
        return collection.style.show_one(
            collection.view(request, collection.add(request, {**own, **fresh, "name": name}))
        )

    return respond


def _batch_read(collection: DocumentCollection) -> Any:
    def respond(request: DocumentRequest) -> Any:
        """Return documents by their ids; those that do not exist are left out."""
        inputs: Any = request.read_object().get("inputs")
        wanted = [str(each) for each in cast(list[Any], inputs)] if isinstance(inputs, list) else []
        known = {row.key: row for row in collection.rows(request)}
        now = show_time(request.call.clock.iso())
        results = [collection.view(request, known[each]) for each in wanted if each in known]
        return {"status": "COMPLETE", "results": results, "startedAt": now, "completedAt": now}

    return respond


def _publish_table(request: DocumentRequest) -> Any:
    """Publish the draft of a table."""
    now = show_time(request.call.clock.iso())
    row = TABLES_V3.find(request, request.path["id"])
    return TABLES_V3.view(request, TABLES_V3.change(request, row, {"published": True, "publishedAt": now}))


def _patch_table(request: DocumentRequest) -> Any:
    """Change the draft of a table."""
    row = TABLES_V3.find(request, request.path["id"])
    return TABLES_V3.view(request, TABLES_V3.change(request, row, request.read_object()))


def _read_draft_row(request: DocumentRequest) -> Any:
    """Change the draft of a row."""
    row = TABLE_ROWS.find(request, request.path["id"])
    return TABLE_ROWS.view(request, TABLE_ROWS.change(request, row, request.read_object()))


def _delete_draft_row(request: DocumentRequest) -> Any:
    """Remove a row from the draft of a table."""
    TABLE_ROWS.remove(request.call, TABLE_ROWS.find(request, request.path["id"]))
    return ValueResponse(None, 204)


declare_operation(api, "POST /content/api/v2/blog-posts/{id}/publish-action", _publish_v2)
declare_operation(api, "GET /blogs/v3/topics/search", _search_topics)
declare_operation(api, "POST /cms/v3/hubdb/tables/{id}/draft/publish", _publish_table)
declare_operation(api, "PATCH /cms/v3/hubdb/tables/{id}/draft", _patch_table)
declare_operation(api, "PATCH /cms/v3/hubdb/tables/{tableId}/rows/{id}/draft", _read_draft_row)
declare_operation(api, "DELETE /cms/v3/hubdb/tables/{tableId}/rows/{id}/draft", _delete_draft_row)
for _each in _BATCHED:
    declare_operation(api, f"POST {_each.path}/clone", _clone(_each), "Create a draft like another document.")
    declare_operation(api, f"POST {_each.path}/batch/read", _batch_read(_each), "Return documents by their ids.")
    declare_operation(api, f"POST {_each.path}/{{id}}/draft/push-live", _push_live(_each), "Publish the draft.")
