"""What quickAdd understands, on Sunday the 17th of June 2018 at noon in Los Angeles."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twindiff.twins.calendar.quick_add import read_quick_text
from twindiff.twins.calendar.times import micros_of

NOW = micros_of(datetime.fromisoformat("2018-06-17T12:00:00-07:00"))
LA = "America/Los_Angeles"

UNDERSTOOD = {
    "Lunch tomorrow at noon": ("Lunch", "2018-06-18T12:00", "2018-06-18T13:00", None),
    "Dinner with Bea 7pm-9:30pm": ("Dinner with Bea", "2018-06-17T19:00", "2018-06-17T21:30", None),
    "Call 9am": ("Call", "2018-06-18T09:00", "2018-06-18T10:00", None),
    "Review on June 26, 2018 at 8:00pm for 45 minutes": ("Review", "2018-06-26T20:00", "2018-06-26T20:45", None),
    "Review 26 June at 5": ("Review", "2018-06-26T17:00", "2018-06-26T18:00", None),
    "Party Jan 3": ("Party", "2019-01-03", "2019-01-04", None),
    "Offsite next Friday for 2 days": ("Offsite", "2018-06-22", "2018-06-24", None),
    "Swim every Tuesday 7am": ("Swim", "2018-06-19T07:00", "2018-06-19T08:00", "RRULE:FREQ=WEEKLY;BYDAY=TU"),
    "Pills daily at 22:15": ("Pills", "2018-06-17T22:15", "2018-06-17T23:15", "RRULE:FREQ=DAILY"),
    "Demo 2018-07-02 from 9 to 11am": ("Demo", "2018-07-02T09:00", "2018-07-02T11:00", None),
    "Night shift tonight 11pm to 6am": ("Night shift", "2018-06-17T23:00", "2018-06-18T06:00", None),
    "Dentist 7/3 at 3pm": ("Dentist", "2018-07-03T15:00", "2018-07-03T16:00", None),
    "Buy milk": ("Buy milk", "2018-06-17", "2018-06-18", None),
}


@pytest.mark.parametrize("text", UNDERSTOOD)
def test_a_sentence_is_understood(text):
    event = read_quick_text(text, NOW, LA)
    times = [event[name].get("date") or event[name]["dateTime"][:16] for name in ("start", "end")]
    assert (event["summary"], *times, (event.get("recurrence") or [None])[0]) == UNDERSTOOD[text]


def test_a_place_is_what_stands_at_the_end():
    event = read_quick_text("Dinner tomorrow 7pm at Chez Panisse", NOW, LA)
    assert (event["summary"], event["location"]) == ("Dinner", "Chez Panisse")


WORDS = [
    "at",
    "on",
    "9",
    "13pm",
    "from",
    "to",
    "-",
    "noon",
    "Feb",
    "30",
    "99/99",
    "every",
    "for",
    "2018-13-45",
    "x",
    "0am",
]


@given(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join) | st.text(max_size=40))
def test_any_sentence_is_an_event(text):
    event = read_quick_text(text, NOW, LA)
    assert event["start"].keys() == event["end"].keys()
