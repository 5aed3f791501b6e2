"""Saved things: user groups, bookmarks, canvases, reminders, saved items, statuses and scheduled messages."""

from __future__ import annotations

from .channels import ROOMS
from .people import AGENT, PEOPLE, person
from .writer import TEAM, Writer, mentions_in, room_id

_STARTED = "2026-01-05T09:00:00"

_GROUPS = (
    ("Platform crew", "platform-crew", "platform", "Everything that hums"),
    ("Chart makers", "chart-makers", "charts", "Edition by edition"),
    ("App builders", "app-builders", "apps", "iPad, Android, web, quality"),
    ("Support watch", "support-watch", "support", "Answers within a day"),
    ("Leads of the house", "house-leads", "lead", "Mondays, 14:00 UTC"),
)

_BOOKMARKS = (
    ("platform", "On-call calendar", "https://calendar.lighthouse.example/on-call", ":pager:"),
    ("platform", "Runbook", "https://docs.lighthouse.example/runbook", ":books:"),
    ("incidents", "Status page", "https://status.lighthouse.example", ":vertical_traffic_light:"),
    ("beacon-release", "Bug list of 4.0", "https://bugs.lighthouse.example/beacon-4", ":bug:"),
    ("beacon-release", "Build machine", "https://builds.lighthouse.example", ":hammer:"),
    ("charts", "Log of edition 12", "https://docs.lighthouse.example/edition-12", ":world_map:"),
    ("tides", "Contact at Marisol Data", "https://partners.lighthouse.example/marisol", ":ocean:"),
    ("support", "Queue", "https://support.lighthouse.example/queue", ":headphones:"),
    ("sales", "Price list", "https://docs.lighthouse.example/prices-2026", ":moneybag:"),
    ("office-lisbon", "Floor plan, Rua das Gáveas", "https://docs.lighthouse.example/gaveas", ":house:"),
    ("docs", "Style of the pilot guide", "https://docs.lighthouse.example/style", ":pencil:"),
    ("general", "Holidays 2026", "https://docs.lighthouse.example/holidays", ":palm_tree:"),
)

_CANVASES = (
    (
        "incidents",
        "hedda",
        "When something breaks",
        ("First", "Say so in the channel, one thread each."),
        ("Then", "Roll back before you understand."),
        ("After", "Write the review within two days."),
    ),
    (
        "beacon-release",
        "luca",
        "Beacon 4.0, week by week",
        ("Until the freeze", "- Night palette\n- Tide curves"),
        ("After the freeze", "- The long run\n- Release notes"),
    ),
    (
        "research",
        "anneke",
        "How to ride along",
        ("Before", "Bring gloves and a spare tablet."),
        ("On board", "Ask nothing while berthing."),
    ),
)

_STATUSES = (
    ("davor", "On board the survey ship", ":anchor:"),
    ("anneke", "Riding along in Halifax", ":memo:"),
    ("joana", "Planning June", ":ice_cream:"),
    ("hannah", "Sleeping", ":zzz:"),
    ("victor", "On the road", ":car:"),
)

_REMINDERS = (
    ("tomasz", "Close finding 1: the reset links", 1774861200),
    ("grace", "Tell Durban about the berth list", 1774944000),
    ("duarte", "Return the moving boxes", 1775030400),
    ("skipper", "Ask everyone for their diets", 1774947600),
)

_WAITING = (
    ("general", "joana", "Last call: what can you not eat in Split?", 1774951200),
    ("office-bergen", "ida", "The boat shed is closed on Thursday.", 1775109600),
)


def keepsakes(writer: Writer) -> None:
    """Write the rows of all saved things, and the settings of the workspace."""
    _groups(writer)
    _at_the_head_of_channels(writer)
    _of_people(writer)


def _groups(writer: Writer) -> None:
    for number, (name, handle, crew, description) in enumerate(_GROUPS, 1):
        group, owner = f"S0LH{number:06d}", next(each.id for each in PEOPLE if each.crew == crew)
        writer.add(
            "usergroups",
            usergroup_id=group,
            team_id=TEAM,
            name=name,
            handle=handle,
            description=description,
            creator_id=owner,
            created_at=_STARTED,
        )
        for each in PEOPLE:
            if each.crew == crew:
                writer.add("usergroup_members", usergroup_id=group, user_id=each.id)


def _at_the_head_of_channels(writer: Writer) -> None:
    for number, (room, title, link, emoji) in enumerate(_BOOKMARKS, 1):
        at = {"bookmark_id": f"Bk0LH{number:05d}", "channel_id": room_id(room), "created_at": _STARTED, "rank": number}
        writer.add("bookmarks", **at, title=title, link=link, emoji=emoji)
    for number, (room, owner, title, *parts) in enumerate(_CANVASES, 1):
        at = {"canvas_id": f"F0LHCANVAS{number}", "channel_id": room_id(room), "created_at": _STARTED}
        text = "\n\n".join(f"# {heading}\n\n{said}" for heading, said in parts)
        writer.add("canvases", **at, user_id=person(owner).id, title=title, markdown=text)
    writer.add("team_settings", team_id=TEAM, default_channel_id=ROOMS[0].id, allow_file_uploads=True)


def _of_people(writer: Writer) -> None:
    for name, text, emoji in _STATUSES:
        writer.add("user_profiles", user_id=person(name).id, status_text=text, status_emoji=emoji)
    for number, (name, text, at) in enumerate(_REMINDERS, 1):
        user = person(name).id
        who = {"creator_id": user, "user_id": user}
        writer.add("reminders", reminder_id=f"Rm0LH{number:05d}", reminder_text=text, remind_at=at, **who)
    for number, (room, name, text, at) in enumerate(_WAITING, 1):
        place = {"scheduled_message_id": f"Q0LH{number:06d}", "channel_id": room_id(room)}
        writer.add("scheduled_messages", **place, user_id=person(name).id, post_at=at, message_text=mentions_in(text))
    for pin in writer.rows["pins"][:4]:
        item = {"item_type": "message", "item_id": pin["message_id"], "channel_id": pin["channel_id"]}
        writer.add("stars", user_id=AGENT, created_at=pin["created_at"], **item)
