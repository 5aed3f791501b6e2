"""The Google Calendar twin: calendars, events and sharing, with the endpoints of the Calendar API v3."""

from __future__ import annotations

from pathlib import Path

from twindiff.kit import Users
from twindiff.kit.oauth import OAUTH_SECRETS, OauthToken
from twindiff.kit.seeding import Variables
from twindiff.kit.styles.google_twin import GoogleTwin

from . import (
    acl,
    calendar_list,
    calendars,
    channels,
    colors,
    event_reads,
    events,
    freebusy,
    oauth,
    reminders,
    settings,
    template_rows,
    world,
)
from .scopes import require_scope
from .screens import screen
from .seeding import seeding
from .tables import TABLES, CalendarChannel, CalendarUser
from .vendor_tools import tools as vendor_tools

_HERE = Path(__file__).parent

_PATHS = ("/calendar/v3", "/batch/calendar/v3")

twin = GoogleTwin(
    "calendar",
    "calendar/v3",
    *(
        page.api
        for page in (
            acl,
            calendar_list,
            calendars,
            channels,
            colors,
            event_reads,
            events,
            freebusy,
            oauth,
            reminders,
            settings,
        )
    ),
    tables=(*TABLES, OauthToken),
    actor_of=oauth.actor_of,
    secret_columns=(*OAUTH_SECRETS, CalendarChannel.token),
    hosts=dict.fromkeys((vendor_tools.host, *oauth.HOSTS, *(f"www.googleapis.com{path}" for path in _PATHS)), ""),
    missing=(),
    layers=(require_scope,),
    aliases=("google_calendar",),
    users=Users(CalendarUser, CalendarUser.id, CalendarUser.email),
    seeds=_HERE / "seeds",
    templates={"calendar_default": world.world},
    completes=template_rows.complete_rows,
    clocks=dict.fromkeys(("calendar_base", "calendar_default"), template_rows.BEGINS),
    webhooks=channels.webhooks,
    seeding=seeding,
    descriptions={
        "calendar_base": "1 person with an empty calendar",
        "calendar_default": "A company of 60 people in seven time zones, with their meetings",
    },
    vendor_tools=vendor_tools,
    screen=screen,
    variables=Variables(
        tokens=dict.fromkeys(("GOOGLE_CALENDAR_TOKEN", "GOOGLE_ACCESS_TOKEN"), "ya29.{secret}"),
        urls={"GOOGLE_CALENDAR_API_URL": "", "GOOGLE_CALENDAR_BASE_URL": "", "GOOGLE_TOKEN_URI": "/token"},
        refresh={"GOOGLE_REFRESH_TOKEN": "1//{secret}"},
        secrets={"GOOGLE_CLIENT_ID": "{secret}", "GOOGLE_CLIENT_SECRET": "secret-{secret}"},
        client=("GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET"),
    ),
)
