"""Worlds that are filled from a configuration."""

from __future__ import annotations

import pytest

from tests.harness import LiveServer
from twindiff.kit.seeding import InvalidSeedConfig, Person
from twindiff.server import Settings
from twindiff.server.apis.twin_runs.worlds import Worlds

PEOPLE = [Person("Agent", "agent@example.com"), Person("Bea", "bea@example.com", "Europe/Berlin")]
EVENT = {"summary": "Review", "start": "2026-03-02T09:00", "end": "2026-03-02T10:00"}


@pytest.fixture(scope="module")
def made():
    """The counts of a world by its configuration."""
    server = LiveServer(Settings())
    worlds, twin = Worlds(server.service), server.service.registry.get("calendar")
    yield lambda **config: server.on_loop(lambda: worlds.world(twin, config, PEOPLE).counts)
    server.close()


def test_a_world_has_people_calendars_and_events(made):
    event = {**EVENT, "organizer": "Bea", "attendees": ["Agent"], "recurrence": ["RRULE:FREQ=DAILY;COUNT=2"]}
    calendars = ["Garden", {"name": "Orchard", "owner": "Bea", "timezone": "Europe/Berlin"}]
    assert made(users=["Bea"], calendars=calendars, events=[event, {**EVENT, "calendar": "Garden"}]) == {
        "users": 2,
        "calendars": 4,
        "events": 2,
    }


def test_events_may_stand_below_their_calendar(made):
    calendar = {"name": "Orchard", "owner": "Bea", "events": [EVENT, {**EVENT, "start": "2026-03-02T07:00:00Z"}]}
    assert made(users=["Bea"], calendars=[calendar])["events"] == 2


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"calendars": [{"name": "X", "events": [{**EVENT, "end": "2026"}]}]}, "calendars[0].events[0]: "),
        ({"calendars": [{"name": "X", "events": [{**EVENT, "calendar": "Y"}]}]}, "it stands below 'X'"),
        ({"events": [{**EVENT, "organizer": "Zed"}]}, "events[0].organizer: there is no 'Zed'"),
        ({"events": [{**EVENT, "calendar": "Moon"}]}, "events[0].calendar: there is no 'Moon'"),
        ({"events": [{**EVENT, "end": "2026-03-02T08:00"}]}, "events[0]: The specified time range is empty."),
        ({"calendars": [{"name": "X", "timezone": "Mars"}]}, "calendars[0]: Invalid time zone"),
        ({"events": [{**EVENT, "color": "red"}]}, "events[0]"),
    ],
)
def test_what_cannot_be_is_named(made, config, said):
    with pytest.raises(InvalidSeedConfig) as refused:
        made(**config)
    assert said in str(refused.value)
