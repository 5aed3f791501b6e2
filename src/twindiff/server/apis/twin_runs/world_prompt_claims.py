"""Verifies the sentences of a prompt against the rows of the world that was generated from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import Any, NamedTuple

from twindiff.server.apis.twin_runs.world_prompt_details import FIRST_MONDAY, RULES, Price
from twindiff.server.apis.twin_runs.world_prompt_groups import OF, TWIN_OF, PromptGroup, Sentence

Rows = Mapping[str, Sequence[Mapping[str, Any]]]
"""The rows of a twin, by table name."""
AGENT_EMAIL = "agent@example.com"
ARTICLES = ("a", "an", "the", "der", "die", "das")
LIVE = ("active", "trialing", "past_due")
NEXT_MONDAY = FIRST_MONDAY + timedelta(weeks=1)


class ClaimedRecord(NamedTuple):
    """A record in the terms of a prompt: its names, its containers, and its text."""

    names: tuple[str, ...]
    places: frozenset[str] = frozenset()
    text: str = ""
    row: Mapping[str, Any] = {}
    prices: tuple[Price, ...] = ()
    people: frozenset[str] = frozenset()
    """The email addresses of its members, guests, author or assignee, except the agent's."""
    state: tuple[str, str] = ("", "")
    """The name and the type of an issue's state."""


class WorldRecords:
    """The records of a world by kind."""

    def __init__(self, rows: Mapping[str, Rows]) -> None:
        self.rows = rows
        self._known: dict[str, list[ClaimedRecord]] = {}

    def of(self, kind: str) -> list[ClaimedRecord]:
        """The records of a kind."""
        if kind not in self._known:
            self._known[kind] = [*_RECORDS[kind](self)]
        return self._known[kind]

    def people(self, twin: str) -> list[tuple[str, str]]:
        """The users of a twin except the agent, as pairs of name and email address."""
        table, name, email = _PEOPLE[twin]
        return [(row[name] or "", row[email] or "") for row in self._table(twin, table) if row[email] != AGENT_EMAIL]

    def emails(self, twin: str, names: Sequence[str]) -> frozenset[str]:
        """The email addresses of people who are named by name or address; a name that nobody has stays as it is."""
        known = {each: email for name, email in self.people(twin) for each in (name, email)}
        return frozenset(known.get(name, name) for name in names)

    def _members(self, twin: str, table: str, of: str, user: str = "email") -> dict[str, frozenset[str]]:
        """The email addresses of people by the record that they belong to; column `user` has their id or address."""
        users, _, email = _PEOPLE[twin]
        known = {
            str(row[key]): row[email] for row in self._table(twin, users) for key in ("id", "user_id") if key in row
        }
        members: dict[str, set[str]] = {}
        for row in self._table(twin, table):
            members.setdefault(row[of], set()).add(known.get(row[user] or "", row[user] or ""))
        return {record: frozenset(each - {AGENT_EMAIL}) for record, each in members.items()}

    def _table(self, twin: str, table: str) -> Sequence[Mapping[str, Any]]:
        return self.rows.get(twin, {}).get(table, ())

    def channels(self) -> Iterator[ClaimedRecord]:
        """Slack channels."""
        members = self._members("slack", "channel_members", "channel_id", "user_id")
        for row in self._table("slack", "channels"):
            yield ClaimedRecord((row["channel_name"],), row=row, people=members.get(row["channel_id"], frozenset()))

    def messages(self) -> Iterator[ClaimedRecord]:
        """Slack messages with their channels."""
        rooms = {row["channel_id"]: row["channel_name"] for row in self._table("slack", "channels")}
        authors = self._members("slack", "messages", "message_id", "user_id")
        for row in self._table("slack", "messages"):
            text, by = row["message_text"], authors[row["message_id"]]
            yield ClaimedRecord((text,), frozenset({rooms[row["channel_id"]]}), text, people=by)

    def teams(self) -> Iterator[ClaimedRecord]:
        """Linear teams."""
        members = self._members("linear", "team_memberships", "teamId", "userId")
        for row in self._table("linear", "teams"):
            yield ClaimedRecord((row["name"],), people=members.get(row["id"], frozenset()))

    @cached_property
    def _team_names(self) -> dict[str, str]:
        return {row["id"]: row["name"] for row in self._table("linear", "teams")}

    def projects(self) -> Iterator[ClaimedRecord]:
        """Linear projects with their teams."""
        teams: dict[str, set[str]] = {}
        for row in self._table("linear", "team_project_association"):
            project, team = (row[column] for column in _ASSOCIATION)
            teams.setdefault(project, set()).add(self._team_names[team])
        for row in self._table("linear", "projects"):
            yield ClaimedRecord((row["name"],), frozenset(teams.get(row["id"], ())), row=row)

    def issues(self) -> Iterator[ClaimedRecord]:
        """Linear issues with their teams and projects."""
        projects = {row["id"]: row["name"] for row in self._table("linear", "projects")}
        states = {row["id"]: (row["name"], row["type"]) for row in self._table("linear", "workflow_states")}
        assignees = self._members("linear", "issues", "id", "assigneeId")
        for row in self._table("linear", "issues"):
            places = {self._team_names[row["teamId"]], projects.get(row["projectId"] or "", "")}
            text = f"{row['title']} {row['description'] or ''}"
            state, people = states[row["stateId"]], assignees[row["id"]] - {""}
            yield ClaimedRecord((row["title"],), frozenset(places), text, row, people=people, state=state)

    def customers(self) -> Iterator[ClaimedRecord]:
        """Stripe customers by name and email address."""
        for row in self._table("stripe", "customers"):
            yield ClaimedRecord((row["name"] or "", row["email"] or ""), row=row)

    @cached_property
    def _prices(self) -> dict[str, list[tuple[str, Price]]]:
        """Pairs of price id and price, by the id of the Stripe product."""
        prices: dict[str, list[tuple[str, Price]]] = {}
        for row in self._table("stripe", "prices"):
            repeated: dict[str, Any] = row["recurring"] or {}
            interval = repeated.get("interval")
            price = Price(row["unit_amount"] or 0, row["currency"], interval)
            prices.setdefault(row["product"], []).append((row["id"], price))
        return prices

    def products(self) -> Iterator[ClaimedRecord]:
        """Stripe products with their prices."""
        for row in self._table("stripe", "products"):
            yield ClaimedRecord((row["name"],), prices=tuple(price for _, price in self._prices.get(row["id"], ())))

    def subscriptions(self) -> Iterator[ClaimedRecord]:
        """Stripe subscriptions by product name, with their customers."""
        owners = {row["id"]: (row["name"] or "", row["email"] or "") for row in self._table("stripe", "customers")}
        names = {row["id"]: row["name"] for row in self._table("stripe", "products")}
        sold = {id: (names[product], price) for product, each in self._prices.items() for id, price in each}
        items = {row["subscription"]: sold[row["price"]] for row in self._table("stripe", "subscription_items")}
        for row in self._table("stripe", "subscriptions"):
            name, price = items[row["id"]]
            yield ClaimedRecord((name,), frozenset(owners[row["customer"]]), row=row, prices=(price,))

    def folders(self) -> Iterator[ClaimedRecord]:
        """Box folders except the root."""
        shared = self._members("box", "box_collaborations", "item_id", "accessible_by_id")
        for row in self._table("box", "box_folders"):
            if row["id"] != "0":
                yield ClaimedRecord((row["name"],), people=shared.get(row["id"], frozenset()))

    def files(self) -> Iterator[ClaimedRecord]:
        """Box files with their folders and their content."""
        folders = {row["id"]: row["name"] for row in self._table("box", "box_folders")}
        texts = {row["sha_1"]: row["text"] for row in self._table("box", "box_content_texts")}
        for row in self._table("box", "box_files"):
            home = folders.get(row["parent_id"] or "", "")
            yield ClaimedRecord((row["name"],), frozenset({home}), f"{row['name']} {texts.get(row['sha_1'], '')}")

    def meetings(self) -> Iterator[ClaimedRecord]:
        """Google Calendar events."""
        guests = self._members("calendar", "calendar_event_attendees", "event_id")
        for row in self._table("calendar", "calendar_events"):
            named = row["summary"] or ""
            yield ClaimedRecord((named,), text=named, row=row, people=guests.get(row["id"], frozenset()))


_ASSOCIATION = ("project_id", "team_id")
_PEOPLE = {
    "slack": ("users", "real_name", "email"),
    "linear": ("users", "name", "email"),
    "box": ("box_users", "name", "login"),
    "calendar": ("calendar_users", "display_name", "email"),
}
"""By twin: the table of its users, and the columns of their names and email addresses."""
BORN_IN_BOX = 3
"""Number of users that every Box enterprise has."""
_RECORDS = {
    kind: getattr(WorldRecords, kind)
    for kind in (
        "channels",
        "messages",
        "teams",
        "projects",
        "issues",
        "customers",
        "products",
        "subscriptions",
        "folders",
        "files",
        "meetings",
    )
}


def refute(sentence: Sentence, facts: WorldRecords) -> list[str]:
    """The reasons why a world does not show a sentence; empty if it does."""
    reasons: list[str] = []
    if sentence.unread:
        reasons.append(f"no rule takes {', '.join(repr(words) for words in sentence.unread)}")
    if not (sentence.groups or sentence.twins or sentence.is_seed):
        reasons.append("it says nothing of what a twin holds")
    reasons += [f"there is no twin {twin} in this world" for twin in sentence.twins if twin not in facts.rows]
    for group in sentence.groups:
        reasons += _refute_group(group, sentence, facts)
    return [*dict.fromkeys(reasons)]


def _refute_group(group: PromptGroup, sentence: Sentence, facts: WorldRecords) -> Iterator[str]:
    twin = TWIN_OF.get(group.kind)
    if twin is None:
        yield from _refute_users(group, sentence, facts)
    elif sentence.twins and twin not in sentence.twins:
        other = sentence.twins[0]
        yield f"{other} has no {group.kind}, {twin} has" if other in OF else f"prompts create nothing in {other}"
    elif twin not in facts.rows:
        yield f"there is no twin {twin} in this world, which has the {group.kind}"
    elif group.kind == "subscriptions":
        yield from _refute_subscriptions(group, facts)
    else:
        yield from _refute_records(group, facts)


def _refute_users(group: PromptGroup, sentence: Sentence, facts: WorldRecords) -> Iterator[str]:
    twins = [twin for twin in _PEOPLE if twin in facts.rows and (not sentence.twins or twin in sentence.twins)]
    if not twins:
        yield "no twin of this world has users"
    for twin in twins:
        people = facts.people(twin)
        known = {each for person in people for each in person}
        yield from (f"{twin} has no user '{name}'" for name in group.names if name not in known)
        count = len(people) - (BORN_IN_BOX if twin == "box" else 0)
        wanted = group.count or 0
        if count != wanted if group.is_exact else count < wanted:
            yield f"{twin} has {count} users beside the agent, not {wanted}"
        yield from _refute_names(group, Counter(name for name, _ in people))
    if group.within and TWIN_OF[group.within.kind] in twins:
        yield from _refute_membership(group, group.within, facts)


def _refute_membership(group: PromptGroup, place: PromptGroup, facts: WorldRecords) -> Iterator[str]:
    """Compare users with the members or guests of the records that they belong to."""
    named = facts.emails(TWIN_OF[place.kind], group.names)
    for record in facts.of(place.kind):
        if place.names and record.names[0] not in place.names:
            continue
        has = len(record.people)
        wanted = 1 if group.count is None else group.count
        if has != wanted if group.is_exact else has < wanted:
            yield f"'{record.names[0]}' has {has} users beside the agent, not {wanted}"
        yield from (f"'{record.names[0]}' does not have '{email}'" for email in sorted(named - record.people))


def _refute_names(group: PromptGroup, known: Counter[str]) -> Iterator[str]:
    """Compare the count of a group with how many have its names, as in "two customers named Acme"."""
    having = sum(known[name] for name in group.names)
    if group.names and group.is_exact and (group.count or 0) > len(group.names) and having != group.count:
        yield f"{having} of the {group.kind} have that name, not {group.count}"


def _refute_records(group: PromptGroup, facts: WorldRecords) -> Iterator[str]:
    records = [each for each in facts.of(group.kind) if _is_described(each, group, facts)]
    said = _spoken(group)
    known = Counter(name for record in records for name in {*record.names})
    yield from (f"there is no {_singular(group.kind)} '{name}'{said}" for name in group.names if not known[name])
    yield from _refute_names(group, known)
    if group.part_of:
        if group.kind == "issues":
            yield from _refute_part(group, group.part_of, facts)
        return
    if group.kind == "issues" and said:
        others = [each.names[0] for each in facts.of("issues") if each not in records and each.names[0] in group.names]
        yield from (f"another issue '{name}' is not so" for name in others)
    places = group.within.names if group.within else []
    homes = places or [each.names[0] for each in facts.of(group.within.kind)] if group.within else []
    if group.is_each:
        counts = {home: sum(home in each.places for each in records) for home in homes}
        wrong = {home: count for home, count in counts.items() if _is_wrong(count, group)}
        yield from (f"{has} {group.kind}{said} are in '{home}', not {group.count}" for home, has in wrong.items())
        return
    is_placed = bool(places or (group.within and group.names))
    here = [each for each in records if not is_placed or not each.places.isdisjoint(homes)]
    strays = [name for name in group.names if not any(name in each.names for each in here)]
    around = ", ".join(places) or (f"one of the {group.within.kind}" if group.within else "")
    yield from (f"'{name}' is not in {around}" for name in strays if around and known[name])
    meant = [each for each in here if not group.names or not {*group.names}.isdisjoint(each.names)]
    bare = [place for place in places if not any(place in each.places for each in meant)]
    yield from (f"no {_singular(group.kind)}{said} is in '{place}'" for place in bare if here and group.count != 0)
    if _is_wrong(len(here), group):
        where = f" in {', '.join(places)}" if places else ""
        wanted = group.count if group.is_exact else group.wanted or 1
        yield f"there are {len(here)} {group.kind}{said}{where}, not {wanted}"


def _is_described(record: ClaimedRecord, group: PromptGroup, facts: WorldRecords) -> bool:
    """Whether a record matches a group's description and people, regardless of its container."""
    people = facts.emails(TWIN_OF[group.kind], group.people) if group.people else frozenset[str]()
    return people in (frozenset(), record.people) and _is_meant(record, group)


def _refute_part(part: PromptGroup, whole: PromptGroup, facts: WorldRecords) -> Iterator[str]:
    """Compare the count of a part of issues, such as "two of them are urgent", with the issues of the whole."""
    homes = whole.within.names if whole.within else []
    of_whole = [
        each
        for each in facts.of(whole.kind)
        if _is_described(each, whole, facts) and (not homes or not each.places.isdisjoint(homes))
    ]
    if len(of_whole) != whole.count:
        yield f"there are {len(of_whole)} {whole.kind}{_spoken(whole)}, not {whole.count}"
    count = sum(_is_described(each, part, facts) for each in of_whole)
    if count != part.count:
        yield f"there are {count} {part.kind}{_spoken(part)} of these {whole.count}, not {part.count}"


def _is_wrong(count: int, group: PromptGroup) -> bool:
    if group.is_exact:
        return count != group.count
    return count < max(1 if group.count is None else group.count, len(group.names))


def _is_meant(record: ClaimedRecord, group: PromptGroup) -> bool:
    """Whether a record matches a group's description, regardless of its container."""
    if group.topic and not _is_about(record.text, group.topic):
        return False
    if group.priority is not None and int(record.row["priority"]) != group.priority:
        return False
    if group.is_private and not record.row["is_private"]:
        return False
    if group.kind == "issues" and group.status is not None and not _is_in_state(record, group.status):
        return False
    if group.prices and not group.names and not any(_costs(record, price) for price in group.prices):
        return False
    if group.prices and group.names and record.names[0] in group.names:
        return all(_costs(record, price) for price in group.prices) and not _has_other_price(record, group.prices)
    return group.kind != "meetings" or _is_then(record.row, group)


def _is_in_state(record: ClaimedRecord, wanted: str) -> bool:
    """Whether an issue is in a state of Linear, or in one of those that `wanted` stands for."""
    name, kind = record.state
    is_closed = kind in ("completed", "canceled", "duplicate")
    if wanted in ("open", "closed"):
        return is_closed == (wanted == "closed")
    return kind == wanted if wanted == "started" else name.lower() == wanted


def _is_about(text: str, topic: str) -> bool:
    words = [word for word in topic.casefold().split() if word not in ARTICLES]
    return " ".join(words) in text.casefold()


def _costs(record: ClaimedRecord, price: Price) -> bool:
    """Whether a product has a price; without an interval, both one-time and recurring prices match."""
    same = [each for each in record.prices if each[:2] == price[:2]]
    return any(price.interval is None or each.interval == price.interval for each in same)


def _has_other_price(record: ClaimedRecord, prices: Sequence[Price]) -> bool:
    """Whether a product has a price besides these in one of their currencies and intervals."""
    return any(
        each.amount not in [price.amount for price in prices if price[1:] == each[1:]]
        for each in record.prices
        if each[1:] in [price[1:] for price in prices]
    )


def _is_then(row: Mapping[str, Any], group: PromptGroup) -> bool:
    """Whether the time of a meeting matches a group's description."""
    when = group.when
    if "dateTime" not in row["start"]:  # an all-day event has no time, and no sentence that rules read says one
        return not (when.day or when.weeks or when.time or when.minutes or when.rule)
    start, end = (datetime.fromisoformat(row[edge]["dateTime"]).replace(tzinfo=None) for edge in ("start", "end"))
    days = [when.day] if when.day else [NEXT_MONDAY + timedelta(days=day) for day in range(7)] if when.weeks else []
    return (
        (not days or any(_falls_on(day, start.date(), row["recurrence"] or ()) for day in days))
        and when.time in (None, start.time())
        and when.minutes in (None, (end - start) // timedelta(minutes=1))
        and (when.rule is None or when.rule in (row["recurrence"] or ()))
    )


def _falls_on(day: date, start: date, rules: Sequence[str]) -> bool:
    """Whether a meeting, which may recur by one of `RULES`, has an occurrence on a day."""
    since, months = (day - start).days, (day.year - start.year) * 12 + day.month - start.month
    return since == 0 or (
        (RULES["day"] in rules and 0 < since < 20)
        or (RULES["week"] in rules and since % 7 == 0 and 0 < since < 12 * 7)
        or (RULES["month"] in rules and day.day == start.day and 0 < months < 12)
        or (RULES["year"] in rules and day.day == start.day and months % 12 == 0 and 0 < months < 5 * 12)
    )


def _spoken(group: PromptGroup) -> str:
    """The description of a group's records besides their number, for messages."""
    said = [f"about {group.topic}"] if group.topic else []
    people = " and ".join(group.people)
    forms = {"messages": f"from {people}", "issues": f"assigned to {people}"}
    said += [forms.get(group.kind, f"with {people} alone")] if people else []
    said += ["that are private"] if group.is_private else []
    said += [f"that are {group.status}"] if group.kind == "issues" and group.status else []
    said += ["at that price"] if group.prices else []
    said += ["of that priority"] if group.priority is not None else []
    said += ["at that time"] if group.kind == "meetings" and any(vars(group.when).values()) else []
    return "".join(f" {each}" for each in said)


def _refute_subscriptions(group: PromptGroup, facts: WorldRecords) -> Iterator[str]:
    meant = [each for each in facts.of("subscriptions") if _is_subscribed(each, group)]
    said = f"{group.status or 'running'} subscriptions"
    within, count = group.within, group.count if group.count is not None else 1
    if within is None:
        if _is_wrong(len(meant), group):
            yield f"there are {len(meant)} {said}, not {count}"
        return
    if within.names:
        owned = {name: sum(name in each.places for each in meant) for name in within.names}
        if group.is_exact and not group.is_each and len(within.names) > 1:
            owned = {", ".join(within.names): sum(owned.values())}
        wrong = {name: has for name, has in owned.items() if _is_wrong(has, group)}
        yield from (f"'{name}' has {has} {said}, not {count}" for name, has in wrong.items())
        return
    owners = Counter(each.row["customer"] for each in meant)
    if group.is_exact and not group.is_each and (within.count or 2) > 1:
        yield from [f"there are {len(meant)} {said}, not {count}"] if len(meant) != count else []
        return
    able = sum(has == count if group.is_exact else has >= count for has in owners.values())
    wanted = within.count if within.count is not None else len(facts.of("customers"))
    if able != wanted if within.is_exact else able < max(1, wanted):
        yield f"{able} customers have such {said}, not {wanted}"


def _is_subscribed(record: ClaimedRecord, group: PromptGroup) -> bool:
    status = record.row["status"]
    if status != group.status if group.status else status not in LIVE:
        return False
    product = group.product
    if product is None:
        return True
    is_named = not product.names or record.names[0] in product.names
    return is_named and (not product.prices or any(_costs(record, price) for price in product.prices))


def _singular(kind: str) -> str:
    return kind.removesuffix("s")
