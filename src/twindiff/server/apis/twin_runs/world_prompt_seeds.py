"""Builds seed configurations from parsed prompts; fills what is not specified with plausible records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import time, timedelta
from typing import Any, NamedTuple

from twindiff.server.apis.twin_runs.world_prompt_choices import (
    AMOUNTS,
    LAST,
    PLANS,
    SAID,
    TITLES,
    TOPICS,
    TRADES,
    PromptChoices,
)
from twindiff.server.apis.twin_runs.world_prompt_details import FIRST_MONDAY, Price, span
from twindiff.server.apis.twin_runs.world_prompt_groups import GATHERINGS, PromptGroup
from twindiff.server.apis.twin_runs.world_prompt_subscriptions import write_subscriptions

MAX_RECORDS = {
    "users": 100,
    "channels": 50,
    "messages": 1000,
    "teams": 20,
    "projects": 50,
    "issues": 500,
    "customers": 200,
    "products": 50,
    "subscriptions": 200,
    "folders": 50,
    "files": 200,
    "meetings": 100,
}
"""Maximum records of each kind that a prompt creates; a larger number is reported as not shown."""
MANY = MAX_RECORDS["messages"]
_STATES = {"open": "Todo", "started": "In Progress", "closed": "Done"}
"""States of issues for words that stand for several of them."""


class Placed(NamedTuple):
    """A record of a group; `container` is None if the prompt names none."""

    container: str | None
    group: PromptGroup
    name: str | None


class PromptRequest:
    """The groups of a prompt by kind."""

    def __init__(self, groups: Sequence[PromptGroup]) -> None:
        self._by_kind: dict[str, list[PromptGroup]] = {}
        for group in groups:
            self._by_kind.setdefault(group.kind, []).append(group)

    def of(self, kind: str) -> list[PromptGroup]:
        """The groups of a kind."""
        return self._by_kind.get(kind, [])

    def count(self, kind: str, otherwise: int) -> int:
        """The total number of records of a kind, including named ones; `otherwise` if the prompt does not say."""
        exact = [each.count or 0 for each in self.of(kind) if each.is_exact and not each.part_of]
        return min(max(exact), MAX_RECORDS[kind]) if exact else otherwise

    def is_counted(self, kind: str) -> bool:
        """Whether the prompt says the total number of a kind."""
        return any(each.is_exact and not each.part_of for each in self.of(kind))

    def names(self, kind: str) -> list[str]:
        """The names that the prompt gives to records of a kind."""
        return [*dict.fromkeys(name for group in self.of(kind) for name in group.names)]

    @property
    def people(self) -> list[str]:
        """The names of users that the prompt gives, also as members, guests, authors and assignees."""
        members = (each for kind in (*GATHERINGS, "messages", "issues") for each in self.list_members(kind))
        return [*dict.fromkeys([*self.names("users"), *members])]

    def list_members(self, kind: str, name: str | None = None) -> list[str]:
        """The people of all groups of a kind, or of those of this name."""
        groups = [group for group in self.of(kind) if name is None or name in group.names]
        return [*dict.fromkeys(person for group in groups for person in group.people)]

    def name_person(self, given: str) -> str:
        """The name in the world of a person that the prompt names by name or email address.

        It is the address itself if somebody else has the name that would be read from it, so that both are there.
        """
        name = _person(given, 0)["name"]
        others = [each for each in self.people if each != given and _person(each, 0)["name"] == name]
        return given if others and "@" in given else name

    def titles(self, kind: str, otherwise: int, made: Sequence[str]) -> list[str]:
        """The names of all records of a kind: those given by the prompt, then names from `made`."""
        given = self.names(kind)
        wanted = max(self.count(kind, len(given) or otherwise), len(given), self._least(kind))
        known = {*given}
        others = (name if not turn else f"{name} {turn + 1}" for turn in range(wanted + 1) for name in made)
        fresh = (each for each in others if each not in known)
        return [*given, *(next(fresh) for _ in range(wanted - len(given)))]

    def _least(self, kind: str) -> int:
        """The minimum number of a kind that its partial groups need, such as "two of the customers"."""
        parts = sum(each.count or 0 for each in self.of(kind) if each.part_of)
        return 0 if self.is_counted(kind) else min(parts, MAX_RECORDS[kind])


def build_world(prompt: str, groups: Sequence[PromptGroup], twins: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Build the seed configuration of a prompt's groups, for those of the twins that prompts can seed."""
    choice, asked = PromptChoices(prompt), PromptRequest(groups)
    named = [{**_person(name, number), "name": asked.name_person(name)} for number, name in enumerate(asked.people)]
    wanted = max(asked.count("users", 0 if named else 5), len(named))
    people = [*named, *(choice.person(number) for number in range(wanted - len(named)))]
    made = {"slack": _slack, "linear": _linear, "stripe": _stripe, "box": _box, "calendar": _calendar}
    return {twin: made[twin](choice, people, asked) for twin in twins if twin in made}


def _person(name: str, number: int) -> dict[str, Any]:
    """A person named in a prompt, by name or by email address."""
    if "@" in name:
        return {"name": name.partition("@")[0].replace(".", " ").title(), "email": name}
    letters = "".join(letter if letter.isascii() and letter.isalnum() else "." for letter in name.lower()).strip(".")
    return {"name": name, "email": f"{letters or 'person'}{number}@example.com"}


def place(groups: Sequence[PromptGroup], containers: Sequence[str]) -> Iterator[Placed]:
    """Yield the records of groups with their containers, evenly distributed over several ones."""
    for group in groups:
        scope = containers_of(group, containers)
        if not scope and not group.topic and not group.names:
            continue
        count = group.wanted if group.wanted is not None else (3 if group.topic else 0)
        homes: Sequence[str | None] = scope or (group.within and containers) or [None]
        for home in homes if group.is_each else [None]:
            for at in range(min(count, MANY)):
                name = group.names[at] if at < len(group.names) else None
                yield Placed(home or homes[at % len(homes)], group, name)


def containers_of(group: PromptGroup, containers: Sequence[str]) -> list[str]:
    """The names of the containers of a group: those given, or all for "each"."""
    within = group.within
    if within is None:
        return []
    return within.names or ([*containers] if group.is_each else [])


def _list_filled(groups: Sequence[PromptGroup], containers: Sequence[str]) -> list[str]:
    """The containers that a prompt does not say to be empty."""
    empty = {home for group in groups if group.count == 0 for home in containers_of(group, containers)}
    return [name for name in containers if name not in empty]


def text_about(choice: PromptChoices, forms: Sequence[str], topic: str, number: int) -> str:
    """A sentence about a topic of the prompt, with the right article."""
    first, _, rest = topic.partition(" ")
    spoken = f"the {rest}" if first.lower() in ("a", "an", "the") and rest else topic
    text = choice.of(forms, "about", topic, number).format(topic=spoken)
    return f"{text[:1].upper()}{text[1:]}"


def _slack(choice: PromptChoices, people: list[Any], asked: PromptRequest) -> dict[str, Any]:
    names = _channels(asked)
    rooms: dict[str, list[dict[str, Any]]] = {name: [] for name in names}

    members = {name: [asked.name_person(each) for each in asked.list_members("channels", name)] for name in names}

    writers = {asked.name_person(each) for each in asked.list_members("messages")}

    def say(room: str, text: str, number: int, group: PromptGroup | None = None) -> None:
        known = members[room] or [each["name"] for each in people]
        authors = [each for each in known if each not in writers] or ["Agent"]
        authors = [asked.name_person(each) for each in group.people] if group and group.people else authors
        rooms[room].append({"text": text, "user": choice.of(authors, "author", number)})

    number, scoped = 0, set[str]()
    for number, (home, group, name) in enumerate(place(asked.of("messages"), names), start=1):
        room = home or names[number % len(names)] if names else None
        if room is None or room not in rooms:
            continue
        scoped |= {home} if home else set()
        say(room, name or _message(choice, group, number), number, group)
    known = _list_filled(asked.of("messages"), names)
    free = [name for name in known if name not in scoped] or known
    total = _total(asked, "messages", number, 4 * len(free) if len(free) < len(names) or not scoped else 0)
    for more in range(total if free else 0):
        topic = choice.of(TOPICS, "topic", more)
        say(free[more % len(free)], choice.of(SAID, "text", more).format(topic=topic), number + more)
    private = {name for group in asked.of("channels") if group.is_private for name in group.names}
    shown = [
        {"name": name, "messages": said, "members": members[name] or None, "private": name in private}
        for name, said in rooms.items()
    ]
    return {"users": people, "channels": shown}


def _message(choice: PromptChoices, group: PromptGroup, number: int) -> str:
    topic = group.topic or choice.of(TOPICS, "topic", "placed", number)
    return text_about(choice, SAID, topic, number)


def _total(asked: PromptRequest, kind: str, placed: int, otherwise: int) -> int:
    """The number of records of a kind still to create, besides those `placed` already."""
    totals = [
        each.count or 0
        for each in asked.of(kind)
        if each.is_exact
        and not each.topic
        and not each.names
        and not each.is_each
        and not each.part_of
        and (each.within is None or not each.within.names)
    ]
    return max(0, min(max(totals), MAX_RECORDS[kind]) - placed) if totals else otherwise


def _channels(asked: PromptRequest) -> list[str]:
    named = asked.names("channels")
    wanted = max(asked.count("channels", 3), len(named))
    more = ["general", *TOPICS, *(f"team-{number}" for number in range(wanted))]
    return [*named, *[each for each in more if each not in named][: wanted - len(named)]]


def _linear(choice: PromptChoices, people: list[Any], asked: PromptRequest) -> dict[str, Any]:
    teams = dict(_teams(asked))
    projects = _projects(choice, asked, [*teams])
    homes = {"projects": [*projects], "teams": [*teams]}
    members = {name: [asked.name_person(each) for each in asked.list_members("teams", name)] for name in teams}
    filled = _list_filled(asked.of("issues"), [*teams])
    spare = filled or [*teams]
    issues: list[dict[str, Any]] = []
    made: dict[int, list[dict[str, Any]]] = {}
    """The issues of each group, by `id(group)`."""
    assignees = {asked.name_person(each) for each in asked.list_members("issues")}

    def add(title: str, home: str | None, group: PromptGroup | None) -> None:
        number = len(issues)
        team = projects.get(home or "") or (home if home in teams else None) or spare[number % len(spare)]
        issue: dict[str, Any] = {"team_key": teams[team], "title": title}
        issue |= {"project": home} if home in projects else {}
        known = group and group.priority
        issue |= {"priority": choice.number("priority", number) % 5 if known is None else known}
        able = [each for each in members[team] or [each["name"] for each in people] if each not in assignees]
        issue |= {"assignee": choice.of(able, "assignee", number)} if able else {}
        issue |= _describe_issue(asked, group) if group else {}
        issues.append(issue)
        made.setdefault(id(group), []).append(issue)

    qualified = [*_placed_issues(asked, homes)]
    for number, (home, group, name) in enumerate(qualified if teams else []):
        topic = group.topic or choice.of(TOPICS, "issue", "placed", number)
        add(name or text_about(choice, TITLES, topic, number), home, group)
    for number in range(_total(asked, "issues", len(qualified), 0 if qualified else 6) if filled else 0):
        topic = choice.of(TOPICS, "issue", number)
        add(text_about(choice, TITLES, topic, number), None, None)
    _divide_issues(asked, made, issues)
    shown = [{"key": key, "name": name, "members": members[name] or None} for name, key in teams.items()]
    return {
        "users": people,
        "teams": shown,
        "projects": [{"team_key": teams[team], "name": name} for name, team in projects.items()],
        "issues": issues,
    }


def _describe_issue(asked: PromptRequest, group: PromptGroup) -> dict[str, Any]:
    """What a group says of each of its issues, as fields of a seed."""
    said: dict[str, Any] = {} if group.priority is None else {"priority": group.priority}
    said |= {"state": _STATES.get(group.status, group.status)} if group.status else {}
    return said | ({"assignee": asked.name_person(group.people[0])} if group.people else {})


def _divide_issues(
    asked: PromptRequest, made: Mapping[int, Sequence[dict[str, Any]]], issues: Sequence[dict[str, Any]]
) -> None:
    """Apply to the first issues of each whole what the prompt says of its parts, and to no other of its issues."""
    parts = [each for each in asked.of("issues") if each.part_of]
    for whole in {id(each.part_of): each.part_of for each in parts}.values():
        own = [each for each in parts if each.part_of is whole]
        pool, at = made.get(id(whole), issues), 0
        priorities = {each.priority for each in own}
        for issue in pool:
            issue["priority"] = 0 if issue["priority"] in priorities else issue["priority"]
        for part in own:
            for issue in pool[at : at + (part.count or 0)]:
                issue.update(_describe_issue(asked, part))
            at += part.count or 0
        if any(each.status == "open" for each in own):
            for issue in pool[at:]:
                issue.setdefault("state", "Done")


def _placed_issues(asked: PromptRequest, homes: Mapping[str, Sequence[str]]) -> Iterator[Placed]:
    """Issues with a given container, topic or priority; `homes` are the names of projects and teams."""
    for group in (each for each in asked.of("issues") if not each.part_of):
        known = homes[group.within.kind] if group.within else ()
        is_described = group.priority is not None or bool(group.status or group.people)
        if is_described and not group.topic and not group.names and not containers_of(group, known):
            count = 3 if group.wanted is None else group.wanted
            yield from [Placed(None, group, None)] * min(count, MAX_RECORDS["issues"])
        else:
            yield from place([group], known)


def _teams(asked: PromptRequest) -> Iterator[tuple[str, str]]:
    """Yield the names of teams with unique keys."""
    keys: set[str] = set()
    made = [f"Team {chr(65 + number)}" for number in range(MAX_RECORDS["teams"])]
    for number, name in enumerate(asked.titles("teams", 1, made)):
        letters = "".join(letter for letter in name.upper() if letter.isascii() and letter.isalnum())
        key = f"T{name[-1]}" if name in made else letters[:5].lstrip("0123456789") or "TEAM"
        key = key if key not in keys else f"{key[:3]}{number}"
        keys.add(key)
        yield name, key


def _projects(choice: PromptChoices, asked: PromptRequest, teams: Sequence[str]) -> dict[str, str]:
    """The team of each project, by name."""
    if not teams:
        return {}
    made = [f"{choice.of(TOPICS, 'project', number).title()} {number + 1}" for number in range(MAX_RECORDS["projects"])]
    names = asked.titles("projects", 0, made)
    team_of: dict[str, str] = {name: teams[number % len(teams)] for number, name in enumerate(names)}
    for group in asked.of("projects"):
        scope = group.within.names if group.within else []
        team_of.update({name: scope[at % len(scope)] for at, name in enumerate(group.names) if scope})
    spare = [name for name in names if name not in asked.names("projects")]
    for group in asked.of("projects"):
        scope = containers_of(group, teams)
        for at in range((group.count or 0) * (len(scope) if group.is_each else 1) if scope and not group.names else 0):
            if spare:
                team_of[spare.pop(0)] = scope[at % len(scope)]
    return team_of


def _stripe(choice: PromptChoices, people: list[Any], asked: PromptRequest) -> dict[str, Any]:
    turn = choice.number("trade")
    companies = [
        f"{LAST[(turn + number) % len(LAST)]} {TRADES[(turn + number) % len(TRADES)]}" for number in range(126)
    ]
    customers = [
        {"name": _person(name, 0)["name"], "email": name if "@" in name else f"billing{number}@customer.example"}
        for number, name in enumerate(asked.titles("customers", 5, companies), start=1)
    ]
    prices = _prices(asked)
    loose = [price for group in asked.of("products") if not group.names for price in group.prices]
    products = list[dict[str, Any]]()
    for number, name in enumerate(asked.titles("products", max(3, len(loose)), PLANS)):
        other = Price(choice.of(AMOUNTS, "amount", number), "usd", "month")
        mine = prices.get(name) or ([loose[number % len(loose)]] if loose else [other])
        products.append({"name": name, "prices": [_price(each) for each in mine]})
    world: dict[str, Any] = {"customers": customers, "products": products}
    subscriptions = write_subscriptions(asked.of("subscriptions"), asked.of("customers"), customers, products)
    return world | ({"subscriptions": subscriptions} if subscriptions else {})


def _prices(asked: PromptRequest) -> Mapping[str, list[Price]]:
    """The prices given by the prompt, by product name."""
    prices: dict[str, list[Price]] = {}
    for group in asked.of("products"):
        for name in group.names if group.prices else ():
            known = prices.setdefault(name, [])
            known += [each for each in group.prices if each not in known]
    return prices


def _price(price: Price) -> dict[str, Any]:
    return {"unit_amount": price.amount, "currency": price.currency, "interval": price.interval}


def _box(choice: PromptChoices, people: list[Any], asked: PromptRequest) -> dict[str, Any]:
    names = asked.titles("folders", 3, [each.title() for each in TOPICS])
    folders: dict[str, dict[str, str]] = {name: {} for name in names}
    top: dict[str, str] = {}
    placed = [*place(asked.of("files"), names)]
    for number, (home, group, name) in enumerate(placed):
        topic = group.topic or choice.of(TOPICS, "of", number)
        said = name or f"{'-'.join(topic.split()[-2:]).lower()}-{number + 1}.txt"
        folders.get(home or "", top)[said] = text_about(choice, SAID, topic, number)
    known = _list_filled(asked.of("files"), names)
    free = [name for name in known if name not in {each.container for each in placed}] or known
    for number in range(_total(asked, "files", len(placed), 0 if placed else 2 * len(names))):
        topic = choice.of(TOPICS, "more", number)
        home = folders[free[number % len(free)]] if free else top
        home[f"{topic}-{len(placed) + number + 1}.txt"] = choice.of(SAID, "text", number).format(topic=topic)
    guests = {
        name: [{"user": asked.name_person(each)} for each in asked.list_members("folders", name)] for name in folders
    }
    shown = [{"name": name, "files": _files(files), "shared_with": guests[name]} for name, files in folders.items()]
    return {"users": people, "folders": shown, "files": _files(top)}


def _files(files: dict[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "content": text} for name, text in files.items()]


def _calendar(choice: PromptChoices, people: list[Any], asked: PromptRequest) -> dict[str, Any]:
    events: list[dict[str, Any]] = []
    groups = asked.of("meetings") or [PromptGroup("meetings", 4)]
    for group in groups:
        for at in range(min(max(group.wanted if group.wanted is not None else 4, 0), MAX_RECORDS["meetings"])):
            events.append(_event(choice, people, asked, group, at, len(events)))
    return {"users": people, "events": events}


def _event(
    choice: PromptChoices, people: list[Any], asked: PromptRequest, group: PromptGroup, at: int, number: int
) -> dict[str, Any]:
    """A meeting of a group, with the agent and two others as guests."""
    day = FIRST_MONDAY + timedelta(days=choice.number("day", number) % 5, weeks=group.when.weeks)
    start, end = span(group.when, day, time(9 + choice.number("hour", number) % 8))
    topic = f"{group.topic or choice.of(TOPICS, 'meeting', number)} meeting".capitalize()
    summary = group.names[at] if at < len(group.names) else topic
    names = [person["name"] for person in people]
    first = choice.number("organizer", number) % len(names) if names else 0
    guests = [*names[first + 1 :], *names[:first]][:2]
    who: dict[str, Any] = {"organizer": names[first], "attendees": ["Agent", *guests]} if names else {}
    who = {"attendees": [asked.name_person(each) for each in group.people]} if group.people else who
    rules = [group.when.rule] if group.when.rule else []
    return {"summary": summary, "start": start, "end": end, **who, "recurrence": rules}
