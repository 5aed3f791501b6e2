"""The channels by topic with their members, and the direct and group messages."""

from __future__ import annotations

from typing import NamedTuple

from .people import AGENT, LEFT, PEOPLE, person


class Room(NamedTuple):
    """A channel; `weight` is its share of the messages, `topic` the key of its sentences in talk.toml."""

    name: str
    topic: str
    about: str
    purpose: str
    crews: tuple[str, ...] = ()
    guests: tuple[str, ...] = ()
    weight: int = 3
    is_private: bool = False
    is_archived: bool = False

    @property
    def id(self) -> str:
        return f"{'G' if self.is_private else 'C'}0LH{self.name.replace('-', '').upper()[:12]:X<6}"

    @property
    def members(self) -> list[str]:
        """User ids: all users but guests if no crew is named, and the assistant unless the channel is private."""
        inside = [each.id for each in PEOPLE if each.crew in self.crews or (not self.crews and each.role != "guest")]
        named = [person(name).id for name in self.guests]
        helper = [] if self.is_private else [AGENT]
        return list(dict.fromkeys([*inside, *named, *helper]))


ROOMS: tuple[Room, ...] = (
    Room(
        "general",
        "company",
        "Beacon 4.0 leaves harbour in March",
        "News for everyone at Lighthouse",
        guests=("molly",),
        weight=5,
    ),
    Room("random", "harbour", "Boats, birds and bread", "Everything that is not work", weight=7),
    Room(
        "beacon-release",
        "release",
        "4.0: date in the pinned plan",
        "All that Beacon 4.0 needs",
        ("lead", "platform", "apps", "product", "charts"),
        ("hannah", "marcus", "sam"),
        9,
    ),
    Room(
        "platform",
        "platform",
        "On call: see the bookmark",
        "Services, databases, queues",
        ("platform",),
        ("magnus", "thabo"),
        8,
    ),
    Room(
        "incidents",
        "incident",
        "One thread an incident, please",
        "Something is broken, and who mends it",
        ("platform", "support", "apps", "charts"),
        ("magnus", "ruth"),
        5,
    ),
    Room("deploys", "deploy", "Freeze from 20 March", "What went out, and what came back", ("platform", "apps"), (), 5),
    Room("charts", "charts", "Edition 12 in review", "Depths, buoys, wrecks", ("charts",), ("freya", "luca"), 7),
    Room(
        "tides",
        "tides",
        "Feed of Marisol Data: questions to Sofie",
        "Tide tables and where they come from",
        ("charts",),
        ("tomasz", "hedda", "nils"),
        5,
    ),
    Room("app-ipad", "app", "Night mode in test", "Beacon on the iPad", ("apps", "design"), ("luca",), 5),
    Room("app-android", "app", "Minimum version 13 from April", "Beacon on Android", ("apps",), ("beatriz", "luca"), 4),
    Room(
        "web",
        "web",
        "Harbour dashboard, second try",
        "The dashboard for harbour masters",
        ("apps", "design"),
        ("freya",),
        4,
    ),
    Room(
        "quality",
        "quality",
        "Green is a colour, not a feeling",
        "Tests, devices, bugs that come back",
        ("apps",),
        ("caleb", "arjun"),
        4,
    ),
    Room(
        "design",
        "design",
        "Red must be readable at night",
        "Screens, words, icons",
        ("design",),
        ("luca", "freya", "oskar", "molly"),
        4,
    ),
    Room(
        "research",
        "research",
        "Next rides: Aveiro, Halifax",
        "What pilots tell us on board",
        ("design", "product"),
        ("sam",),
        3,
    ),
    Room(
        "support",
        "support",
        "Queue under 30, please",
        "Questions from harbours",
        ("support",),
        ("freya", "luca", "nils", "thabo", "grace", "siti"),
        6,
    ),
    Room(
        "sales",
        "sales",
        "Q1: 9 of 12 signed",
        "Harbours that are ours, and those that will be",
        ("sales",),
        ("ines", "helena"),
        4,
    ),
    Room(
        "product",
        "product",
        "What we do not do matters too",
        "What comes next and why",
        ("product", "lead", "design"),
        ("petra", "oskar"),
        4,
    ),
    Room(
        "docs",
        "docs",
        "Pilot guide 4.0: chapter 6",
        "Guides and help pages",
        ("product",),
        ("molly", "rosa", "beatriz"),
        2,
    ),
    Room("office-lisbon", "office", "The new house opens in March", "The Lisbon office", (), (), 3)._replace(
        crews=("office",), guests=tuple(each.username for each in PEOPLE if each.zone == "Europe/Lisbon")
    ),
    Room(
        "office-bergen",
        "office",
        "Rain is no excuse",
        "The Bergen office",
        ("office",),
        tuple(each.username for each in PEOPLE if each.zone == "Europe/Oslo"),
        3,
    ),
    Room(
        "sailing-club",
        "harbour",
        "Regatta on 18 April",
        "Who sails with whom",
        ("office",),
        ("oskar", "magnus", "petra", "davor", "leo", "ellie", "victor", "sofie"),
        3,
    ),
    Room(
        "leads",
        "leads",
        "Mondays, 14:00 UTC",
        "What the leads must settle",
        ("lead",),
        ("hedda", "petra", "oskar", "luca", "freya", "marcus", "sam", "victor", "helena", "joana"),
        4,
        is_private=True,
    ),
    Room(
        "hiring-pilots",
        "hiring",
        "Two roles open",
        "Candidates; nothing from here leaves here",
        ("people", "lead"),
        ("hedda", "oskar", "petra"),
        3,
        is_private=True,
    ),
    Room(
        "deal-aveiro",
        "deal",
        "Signature by 20 March",
        "Renewal of the Port of Aveiro",
        ("finance",),
        ("victor", "ines", "nils", "grace"),
        3,
        is_private=True,
    ),
    Room(
        "security",
        "security",
        "Report of the test: due in February",
        "Holes and how to close them",
        ("platform",),
        ("magnus", LEFT, "thabo"),
        3,
        is_private=True,
    ),
    Room(
        "beacon-3",
        "release",
        "Closed: go to beacon-release",
        "All that Beacon 3 needed",
        ("apps", "product"),
        (),
        1,
        is_archived=True,
    ),
)


class Circle(NamedTuple):
    """A direct message between two users or a group message of more, by user names."""

    people: tuple[str, ...]
    topic: str

    @property
    def ids(self) -> list[str]:
        return sorted(person(name).id for name in self.people)

    @property
    def id(self) -> str:
        return f"{'D' if len(self.people) == 2 else 'G'}0LH{'X'.join(id[4:9] for id in self.ids)[:20]}"


CIRCLES: tuple[Circle, ...] = (
    Circle(("tomasz", "hedda"), "platform"),
    Circle(("nomsa", "leo"), "oncall"),
    Circle(("sofie", "tomasz"), "tides"),
    Circle(("ines", "ruth"), "leads"),
    Circle(("victor", "helena"), "deal"),
    Circle(("priya", "beatriz"), "app"),
    Circle(("rosa", "sam"), "support"),
    Circle(("luca", "freya"), "product"),
    Circle(("duarte", "joana"), "office"),
    Circle(("petra", "davor"), "charts"),
    Circle(("skipper", "ines"), "helper"),
    Circle(("skipper", "luca"), "helper"),
    Circle(("hedda", "nomsa", "leo", "arjun"), "oncall"),
    Circle(("luca", "oskar", "petra", "hannah"), "release"),
    Circle(("skipper", "sam", "rosa"), "helper"),
)
