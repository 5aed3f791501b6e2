"""The employees of Lighthouse, which makes navigation software for harbours, and their offices."""

from __future__ import annotations

from typing import NamedTuple


class Person(NamedTuple):
    id: str
    username: str
    name: str
    title: str
    zone: str
    crew: str
    role: str = "member"


AGENT = "U01AGENBOT9"

_LISBON, _BERGEN, _BOSTON, _SINGAPORE = "Europe/Lisbon", "Europe/Oslo", "America/New_York", "Asia/Singapore"
_HALIFAX, _SPLIT, _CAPE, _PUNE = "America/Halifax", "Europe/Zagreb", "Africa/Johannesburg", "Asia/Kolkata"

_ROSTER: tuple[tuple[str, str, str, str, str], ...] = (
    ("Inês Carvalho", "Chief executive", _LISBON, "lead", "owner"),
    ("Magnus Eide", "Chief technology officer", _BERGEN, "lead", "admin"),
    ("Ruth Abara", "Chief operating officer", _BOSTON, "lead", "admin"),
    ("Tomasz Wilk", "Platform engineer", _BERGEN, "platform", "member"),
    ("Hedda Solberg", "Platform lead", _BERGEN, "platform", "member"),
    ("Arjun Deshpande", "Platform engineer", _PUNE, "platform", "member"),
    ("Nomsa Dlamini", "Site reliability engineer", _CAPE, "platform", "member"),
    ("Leo Fontaine", "Site reliability engineer", _HALIFAX, "platform", "member"),
    ("Yuki Tanabe", "Database engineer", _SINGAPORE, "platform", "member"),
    ("Petra Marušić", "Charts lead", _SPLIT, "charts", "member"),
    ("Davor Kovač", "Hydrographer", _SPLIT, "charts", "member"),
    ("Sofie Lund", "Tide analyst", _BERGEN, "charts", "member"),
    ("Wei Ling Tan", "Chart engineer", _SINGAPORE, "charts", "member"),
    ("Caleb Morse", "Chart engineer", _BOSTON, "charts", "member"),
    ("Mariana Teles", "Chart engineer", _LISBON, "charts", "member"),
    ("Oskar Nyberg", "App lead", _BERGEN, "apps", "member"),
    ("Priya Raman", "iPad engineer", _PUNE, "apps", "member"),
    ("Gonçalo Reis", "Android engineer", _LISBON, "apps", "member"),
    ("Ellie Chambers", "Web engineer", _HALIFAX, "apps", "member"),
    ("Thabo Nkosi", "Web engineer", _CAPE, "apps", "member"),
    ("Hannah Weiss", "Quality engineer", _BOSTON, "apps", "member"),
    ("Kavita Joshi", "Quality engineer", _PUNE, "apps", "member"),
    ("Luca Bianchi", "Product manager, Beacon", _LISBON, "product", "member"),
    ("Freya Halvorsen", "Product manager, Charts", _BERGEN, "product", "member"),
    ("Marcus Odell", "Design lead", _BOSTON, "design", "member"),
    ("Beatriz Nunes", "Product designer", _LISBON, "design", "member"),
    ("Anneke Botha", "User researcher", _CAPE, "design", "member"),
    ("Sam Whitlock", "Support lead", _HALIFAX, "support", "member"),
    ("Rosa Pinto", "Support engineer", _LISBON, "support", "member"),
    ("Jun Hao Lim", "Support engineer", _SINGAPORE, "support", "member"),
    ("Dipti Kulkarni", "Support engineer", _PUNE, "support", "member"),
    ("Victor Almeida", "Sales lead, Europe", _LISBON, "sales", "member"),
    ("Grace Mbeki", "Account manager", _CAPE, "sales", "member"),
    ("Owen Tremblay", "Account manager", _HALIFAX, "sales", "member"),
    ("Siti Rahman", "Account manager", _SINGAPORE, "sales", "member"),
    ("Nils Aasen", "Sales engineer", _BERGEN, "sales", "member"),
    ("Helena Duarte", "Finance lead", _LISBON, "finance", "admin"),
    ("Peter Lindqvist", "Accountant", _BERGEN, "finance", "member"),
    ("Joana Sequeira", "People partner", _LISBON, "people", "admin"),
    ("Erin Castellano", "Recruiter", _BOSTON, "people", "member"),
    ("Duarte Falcão", "Office manager, Lisbon", _LISBON, "office", "member"),
    ("Ida Brekke", "Office manager, Bergen", _BERGEN, "office", "member"),
    ("Farid Haddad", "Contract penetration tester", "Asia/Dubai", "guests", "guest"),
    ("Molly Sinclair", "Contract technical writer", "Europe/London", "guests", "guest"),
)

_PLAIN = str.maketrans("áãçêéíóõšćč", "aaceeiooscc")


def _person(number: int, name: str, title: str, zone: str, crew: str, role: str) -> Person:
    first, *_, last = name.lower().translate(_PLAIN).split()
    return Person(f"U0LH{number:02d}{first[:5].upper():X<5}", f"{first}.{last}", name, title, zone, crew, role)


PEOPLE: tuple[Person, ...] = (
    Person(AGENT, "skipper", "Skipper", "Assistant of everyone", "Etc/UTC", "bots"),
    *(_person(number, *row) for number, row in enumerate(_ROSTER, 1)),
)

LEFT = "farid.haddad"
"""The user who left at the end of a contract, and whose account is deactivated."""

BY_NAME = {person.username: person for person in PEOPLE}


def person(username: str) -> Person:
    """Return the user with this username, or else the first one with this first name."""
    return BY_NAME.get(username) or next(each for name, each in BY_NAME.items() if name.startswith(f"{username}."))
