"""The profile, posts, comments and reactions of LinkedIn.

https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, cast
from urllib.parse import unquote

from twindiff.kit.call import Call
from twindiff.kit.clock import micros_of
from twindiff.kit.errors import ApiError
from twindiff.kit.http import Response, json_answer
from twindiff.kit.parameter_sources import Body, Header
from twindiff.kit.request_context import RequestContext
from twindiff.kit.twin import Operations, Rows

from ...wire_style import DRAFTED_HEADER, DraftStyle
from .tables import LinkedInComment, LinkedInMember, LinkedInPost, LinkedInReaction

api = Operations()
MAX_COMMENTARY_LETTERS = 3000
AGENT = "aGeNt00001"
_REACTIONS = ("LIKE", "PRAISE", "EMPATHY", "INTEREST", "APPRECIATION", "ENTERTAINMENT")
Shown = dict[str, Any]


class LinkedInError(ApiError):
    """The request is not valid."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status  # pyright: ignore[reportAttributeAccessIssue] - one class for all statuses


class LinkedInStyle(DraftStyle):
    """Errors are `{"status", "code", "message"}`."""

    naming = "camel"

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        codes = {401: "UNAUTHORIZED", 403: "ACCESS_DENIED", 404: "RESOURCE_NOT_FOUND", 501: "NOT_IMPLEMENTED"}
        body = {"status": error.status, "code": codes.get(error.status, "ILLEGAL_ARGUMENT"), "message": str(error)}
        return json_answer(body, error.status, (*error.headers, (DRAFTED_HEADER, "refused")))


def member_rows() -> Rows:
    """Return the member who calls."""
    return {"members": [{"id": AGENT, "name": "Agent", "email": "agent@example.com", "vanity_name": "agent"}]}


def find_caller(call: Call) -> LinkedInMember:
    """Return the member who calls."""
    member = call.db.find(LinkedInMember, LinkedInMember.id == call.actor) or call.db.find(LinkedInMember)
    if member is None:
        raise LinkedInError("There is no member.", 404)
    return member


def _millis(timestamp: str) -> int:
    return micros_of(datetime.fromisoformat(timestamp)) // 1000


@api.get("/v2/userinfo")
def get_userinfo(call: Call) -> Shown:
    """Return the caller as OpenID Connect does."""
    member = find_caller(call)
    first, _, last = member.name.partition(" ")
    return {
        "sub": member.id,
        "name": member.name,
        "given_name": first,
        "family_name": last,
        "locale": {"country": "US", "language": "en"},
        "email": member.email,
        "email_verified": True,
    }


@api.get("/v2/me")
def get_me(call: Call) -> Shown:
    """Return the caller's profile."""
    member = find_caller(call)
    first, _, last = member.name.partition(" ")
    return {
        "id": member.id,
        "localizedFirstName": first,
        "localizedLastName": last,
        "localizedHeadline": member.headline,
        "vanityName": member.vanity_name,
    }


def add_post(call: Call, author: str, commentary: str, visibility: str = "PUBLIC", content: Any = None) -> LinkedInPost:
    """Add a post; raises LinkedInError for a text that is too long or an author who is not the caller's to name."""
    if len(commentary) > MAX_COMMENTARY_LETTERS:
        raise LinkedInError(f"The commentary exceeds the limit of {MAX_COMMENTARY_LETTERS} characters.")
    if visibility not in ("PUBLIC", "CONNECTIONS", "LOGGED_IN", "CONTAINER"):
        raise LinkedInError(f"'{visibility}' is not a visibility.")
    id = author.removeprefix("urn:li:person:")
    is_member = id != author and call.db.find(LinkedInMember, LinkedInMember.id == id) is not None
    if not is_member and not author.startswith("urn:li:organization:"):
        raise LinkedInError(f"The author '{author}' is no member or organization.", 403)
    now = call.clock.iso()
    urn = f"urn:li:share:{7_000_000_000_000_000_000 + call.db.next('share')}"
    return call.db.add(
        LinkedInPost(
            urn=urn,
            author=author,
            commentary=commentary,
            visibility=visibility,
            content=content,
            created_at=now,
            updated_at=now,
        )
    )


def _show_post(post: LinkedInPost) -> Shown:
    shown: Shown = {
        "id": post.urn,
        "author": post.author,
        "commentary": post.commentary,
        "visibility": post.visibility,
        "lifecycleState": post.lifecycle_state,
        "distribution": {"feedDistribution": "MAIN_FEED", "targetEntities": [], "thirdPartyDistributionChannels": []},
        "createdAt": _millis(post.created_at),
        "publishedAt": _millis(post.created_at),
        "lastModifiedAt": _millis(post.updated_at),
        "isReshareDisabledByAuthor": False,
        "lifecycleStateInfo": {"isEditedByAuthor": post.created_at != post.updated_at},
    }
    return shown | ({"content": post.content} if post.content else {})


def _get_post(call: Call, urn: str) -> LinkedInPost:
    post = call.db.find(LinkedInPost, LinkedInPost.urn == unquote(urn))
    if post is None:
        raise LinkedInError(f"There is no post '{unquote(urn)}'.", 404)
    return post


@api.post("/rest/posts", status=201)
def post_post(
    call: Call,
    author: str,
    commentary: str = "",
    visibility: str = "PUBLIC",
    content: dict[str, Any] | None = None,
    method: Annotated[str, Header("X-RestLi-Method")] = "",
) -> Response:
    """Publish a post; the header `x-restli-id` is its URN."""
    post = add_post(call, author, commentary, visibility, content)
    return Response(b"", 201, headers=(("x-restli-id", post.urn),))


def _read_inside(body: Any, *names: str) -> Any:
    """Return the value at a path of names; None where there is none."""
    for name in names:
        body = cast(Shown, body).get(name) if isinstance(body, dict) else None
    return body


@api.post("/v2/ugcPosts", status=201)
def post_ugc(call: Call, author: str, body: Annotated[dict[str, Any], Body]) -> Response:
    """Publish a post by the older API."""
    text = _read_inside(body, "specificContent", "com.linkedin.ugc.ShareContent", "shareCommentary", "text")
    visibility = _read_inside(body, "visibility", "com.linkedin.ugc.MemberNetworkVisibility")
    post = add_post(call, author, str(text or ""), str(visibility or "PUBLIC"))
    return json_answer({"id": post.urn}, 201, (("x-restli-id", post.urn),))


@api.get("/rest/posts")
def list_posts(call: Call, author: str = "", start: int = 0, count: int = 10) -> Shown:
    """List the posts of an author, the newest first."""
    where = [LinkedInPost.author == unquote(author)] if author else []
    rows = call.db.rows(LinkedInPost, *where, order=-LinkedInPost.created_at)
    elements = [_show_post(each) for each in rows[start : start + count]]
    return {"paging": {"start": start, "count": count, "links": [], "total": len(rows)}, "elements": elements}


@api.get("/rest/posts/{urn}")
def get_post(call: Call, urn: str) -> Shown:
    """Return a post."""
    return _show_post(_get_post(call, urn))


@api.post("/rest/posts/{urn}", status=204)
def patch_post(call: Call, urn: str, patch: dict[str, Any]) -> None:
    """Change the text of a post: `{"patch": {"$set": {"commentary": text}}}`."""
    text = _read_inside(patch, "$set", "commentary")
    if not isinstance(text, str):
        raise LinkedInError("Only the commentary of a post can be changed.")
    call.db.change(_get_post(call, urn), commentary=text, updated_at=call.clock.iso())


@api.delete("/rest/posts/{urn}", status=204)
def delete_post(call: Call, urn: str) -> None:
    """Delete a post; one that does not exist is no error."""
    post = call.db.find(LinkedInPost, LinkedInPost.urn == unquote(urn))
    if post:
        call.db.remove(post)


def _show_comment(comment: LinkedInComment) -> Shown:
    return {
        "id": comment.id,
        "actor": comment.actor,
        "object": comment.post,
        "message": {"text": comment.text, "attributes": []},
        "commentUrn": f"urn:li:comment:({comment.post},{comment.id})",
        "created": {"actor": comment.actor, "time": _millis(comment.created_at)},
    }


@api.get("/rest/socialActions/{urn}/comments")
def list_comments(call: Call, urn: str, start: int = 0, count: int = 10) -> Shown:
    """List the comments on a post."""
    post = _get_post(call, urn)
    rows = call.db.rows(LinkedInComment, LinkedInComment.post == post.urn, order=LinkedInComment.created_at)
    elements = [_show_comment(each) for each in rows[start : start + count]]
    return {"paging": {"start": start, "count": count, "links": [], "total": len(rows)}, "elements": elements}


@api.post("/rest/socialActions/{urn}/comments", status=201)
def post_comment(call: Call, urn: str, message: dict[str, Any], actor: str = "") -> Shown:
    """Comment on a post."""
    post = _get_post(call, urn)
    text = str(message.get("text", ""))
    if not text:
        raise LinkedInError("The message has no text.")
    comment = LinkedInComment(
        id=str(7_100_000_000_000_000_000 + call.db.next("comment")),
        post=post.urn,
        actor=actor or f"urn:li:person:{find_caller(call).id}",
        text=text,
        created_at=call.clock.iso(),
    )
    return _show_comment(call.db.add(comment))


@api.post("/rest/reactions", status=201)
def post_reaction(call: Call, root: str, actor: str, reaction_type: str = "LIKE") -> Shown:
    """React to a post."""
    post = _get_post(call, root)
    if reaction_type not in _REACTIONS:
        raise LinkedInError(f"'{reaction_type}' is no reaction. Reactions: {', '.join(_REACTIONS)}.")
    actor = unquote(actor)
    known = call.db.find(LinkedInReaction, LinkedInReaction.post == post.urn, LinkedInReaction.actor == actor)
    if known:
        call.db.change(known, type=reaction_type)
    else:
        call.db.add(LinkedInReaction(post=post.urn, actor=actor, type=reaction_type))
    return {"id": f"urn:li:reaction:({actor},{post.urn})", "reactionType": reaction_type, "root": post.urn}
