"""LinkedIn: the profile, posts, comments and reactions by handlers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from twindiff.kit.call import Call
from twindiff.kit.inspector_views import Screen, ScreenLink, ScreenPost
from twindiff.kit.seeding import InvalidSeedConfig, Person, Seeding, SeedSection, Variables
from twindiff.kit.twin import Users

from .. import ShippedDraft
from .posts import LinkedInStyle, add_post, api, member_rows
from .tables import TABLES, LinkedInComment, LinkedInMember, LinkedInPost, LinkedInReaction

MAX_POSTS = 200


class SeedMember(SeedSection):
    """A member."""

    name: str
    email: str
    headline: str = ""
    vanity_name: str = ""


class SeedPost(SeedSection):
    """A post by the member with an address."""

    author_email: str
    text: str
    visibility: str = "PUBLIC"


class LinkedInConfig(msgspec.Struct):
    """The configuration of LinkedIn."""

    members: list[SeedMember] = msgspec.field(default_factory=list[SeedMember])
    posts: list[SeedPost] = msgspec.field(default_factory=list[SeedPost])


def _write(call: Call, config: LinkedInConfig, people: Sequence[Person]) -> dict[str, int]:
    known = {person.email: SeedMember(person.name, person.email) for person in people}
    known |= {each.email: each for each in config.members}
    ids: dict[str, str] = {}
    for number, each in enumerate(known.values()):
        ids[each.email] = f"mEmBeR{number:04d}"
        vanity = each.vanity_name or each.name.lower().replace(" ", "-")
        call.db.add(
            LinkedInMember(
                id=ids[each.email], name=each.name, email=each.email, headline=each.headline, vanity_name=vanity
            )
        )
    strangers = [n for n, each in enumerate(config.posts) if each.author_email not in ids]
    if strangers:
        raise InvalidSeedConfig([f"posts[{n}]: there is no member '{config.posts[n].author_email}'" for n in strangers])
    for each in config.posts:
        add_post(call, f"urn:li:person:{ids[each.author_email]}", each.text, each.visibility.upper())
    return {"members": len(config.members), "posts": len(config.posts)}


def _look(call: Call, path: str) -> Screen | None:
    names = {f"urn:li:person:{each.id}": each.name for each in call.db.rows(LinkedInMember)}
    if path:
        post = call.db.find(LinkedInPost, LinkedInPost.urn == path)
        if post is None:
            return None
        rows = call.db.rows(LinkedInComment, LinkedInComment.post == path, limit=MAX_POSTS)
        comments = [ScreenPost(names.get(each.actor, each.actor), each.created_at, each.text) for each in rows]
        return Screen("Post", trail=[ScreenLink("Posts", "")], entries=[_show_post(call, post, names), *comments])
    rows = call.db.rows(LinkedInPost, order=-LinkedInPost.created_at, limit=MAX_POSTS)
    return Screen("Posts", entries=[_show_post(call, each, names) for each in rows])


def _show_post(call: Call, post: LinkedInPost, names: Mapping[str, str]) -> ScreenPost:
    """Return a post with its number of reactions by their kind, and a link to its comments."""
    reactions = Counter(each.type for each in call.db.rows(LinkedInReaction, LinkedInReaction.post == post.urn))
    notes = [post.visibility, *(f"{kind} {count}" for kind, count in reactions.items())]
    count = call.db.count(LinkedInComment, LinkedInComment.post == post.urn)
    link = ScreenLink(f"{count} comment{'s' * (count != 1)}", post.urn) if count else None
    return ScreenPost(names.get(post.author, post.author), post.created_at, post.commentary, notes, link)


draft = ShippedDraft(
    "linkedin",
    "LinkedIn",
    stands_alone=True,
    pages=(api,),
    tables=TABLES,
    rows=member_rows,
    style=LinkedInStyle,
    options={
        "users": Users(LinkedInMember, LinkedInMember.id, LinkedInMember.email),
        "seeding": Seeding(LinkedInConfig, _write),
        "screen": _look,
        "hosts": {"api.linkedin.com": ""},
        "variables": Variables(
            tokens={"LINKEDIN_ACCESS_TOKEN": "{secret}", "LINKEDIN_TOKEN": "{secret}"},
            urls={"LINKEDIN_API_URL": "", "LINKEDIN_BASE_URL": ""},
        ),
    },
)
