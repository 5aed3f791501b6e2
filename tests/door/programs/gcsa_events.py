import os
from datetime import UTC, datetime, timedelta

from gcsa.event import Event
from gcsa.google_calendar import GoogleCalendar
from google.oauth2.credentials import Credentials

calendar = GoogleCalendar("primary", credentials=Credentials(token=os.environ["GOOGLE_CALENDAR_TOKEN"]))
begin = datetime(2018, 6, 20, 10, tzinfo=UTC)
calendar.add_event(Event("by gcsa", start=begin, end=begin + timedelta(hours=1)))
print([each.summary for each in calendar.get_events(begin, begin + timedelta(days=1))])
