"""Finds the user that calls act as in each twin: a user id, or one person in all twins by email address."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from twindiff.catalog import TemplateRecord
from twindiff.kit.errors import ApiError
from twindiff.storage import StorageEngine

from .registry import Registry, did_you_mean

NOBODY = "agent"
"""The acting user of an environment whose templates have no users, as those of drafted twins."""


class UnknownUser(ApiError):
    """The template has no such user to act as."""


class People(NamedTuple):
    """The users of a template: `ids` and `emails` have the same length and order."""

    ids: list[str]
    emails: list[str]

    def with_email(self, email: str) -> str | None:
        """Return the id of the user who has this email address, or None."""
        return self.ids[self.emails.index(email)] if email and email in self.emails else None


NAMED = 8
"""Users listed in an error message."""


def _some(known: Sequence[str]) -> str:
    more = f" and {len(known) - NAMED:,} more" if len(known) > NAMED else ""
    return ", ".join(known[:NAMED]) + more


class ActorMap(NamedTuple):
    """The acting user ids by twin; `actor` is the user id for a twin that is not in `users`."""

    actor: str
    users: dict[str, str]


class Actors:
    """Looks up users in templates; caches the users of each template."""

    def __init__(self, engine: StorageEngine, registry: Registry) -> None:
        self._engine = engine
        self._registry = registry
        self._people_of: dict[tuple[str, str], People] = {}

    def resolve(self, templates: Sequence[TemplateRecord], user: str, email: str, users: Mapping[str, str]) -> ActorMap:
        """Find the acting user of each twin.

        `users` maps twins to user ids or email addresses and takes precedence. In the other twins, `email` selects the
        user with that address; `user` selects the user with that id, or the user with the same address. Raises
        UnknownUser, UnknownTwin.
        """
        explicit = dict(self._user_of(templates, twin, who) for twin, who in users.items())
        if user:
            self.check(templates, user)
            email = self._email_of(templates, user)
        by_id = {each.service: user for each in templates if user in self.people(each).ids}
        by_email = {each.service: id for each in templates if (id := self.people(each).with_email(email))}
        if email and not by_email:
            raise self._unknown(templates, email, "emails")
        acting = {**by_email, **by_id, **explicit}
        return ActorMap(user or acting.get(templates[0].service) or next(iter(acting.values()), ""), acting)

    def check(self, templates: Sequence[TemplateRecord], user: str) -> None:
        """Raise UnknownUser if no template has this user. Templates without any users accept every user."""
        ids = [id for template in templates for id in self.people(template).ids]
        if ids and user not in ids:
            raise self._unknown(templates, user, "ids")

    def first(self, templates: Sequence[TemplateRecord]) -> str:
        """Return the id of the first user of the first template that has users, or "": the default actor."""
        return next((people.ids[0] for template in templates if (people := self.people(template)).ids), "")

    def people(self, template: TemplateRecord) -> People:
        """Return the users of a template."""
        key = (template.service, template.hash)
        if key not in self._people_of:
            self._people_of[key] = self._read(template)
        return self._people_of[key]

    def forget(self, twin: str, hash: str) -> None:
        """Drop the cached users of a removed template."""
        self._people_of.pop((twin, hash), None)

    def _user_of(self, templates: Sequence[TemplateRecord], twin: str, who: str) -> tuple[str, str]:
        """Return the twin's own name, and the id of a user in it."""
        name = self._registry.get(twin).name
        template = next((each for each in templates if each.service == name), None)
        if template is None:
            have = ", ".join(each.service for each in templates)
            raise UnknownUser(f"users: the environment has no twin '{twin}'; it has {have}")
        if "@" in who:
            user = self.people(template).with_email(who)
            if user is None:
                raise self._unknown([template], who, "emails")
            return name, user
        self.check([template], who)
        return name, who

    def _email_of(self, templates: Sequence[TemplateRecord], user: str) -> str:
        for template in templates:
            people = self.people(template)
            if user in people.ids:
                return people.emails[people.ids.index(user)] or ""
        return ""

    def _unknown(self, templates: Sequence[TemplateRecord], who: str, field: str) -> UnknownUser:
        known = [each for template in templates for each in getattr(self.people(template), field) if each]
        there = f" It has {_some(known)}." if known else " It has no users."
        return UnknownUser(f"unknown user '{who}' in template '{templates[0].name}'.{there}{did_you_mean(who, known)}")

    def _read(self, template: TemplateRecord) -> People:
        users = self._registry.get(template.service).users
        if users is None:
            return People([], [])
        rows = self._engine.template(template.service, template.hash)
        people = rows.rows(users.table, columns=(users.id, users.email))
        return People([id for id, _ in people], [email for _, email in people])
