"""Written solutions of the public tasks that take few calls; each uses the API alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .suite_solutions import LA, SOLUTIONS, Desk, solves

__all__ = ["SOLUTIONS"]


def times(start: str, end: str, zone: str = LA) -> dict[str, Any]:
    return {name: {"dateTime": at, "timeZone": zone} for name, at in (("start", start), ("end", end))}


def replace_event(desk: Desk, calendar: str, event: str, start: str, end: str, **fields: Any) -> None:
    """Replace an event whole, of which only the title stays."""
    path = f"calendars/{calendar}/events/{event}"
    desk.call("PUT", path, {"summary": desk.call("GET", path)["summary"], **times(start, end), **fields})


def replace_role(desk: Desk, calendar: str, email: str, role: str) -> None:
    rule = {"role": role, "scope": {"type": "user", "value": email}}
    desk.call("PUT", f"calendars/{calendar}/acl/user:{email}", rule)


def revoke(desk: Desk, calendar: str, email: str) -> None:
    rules = desk.call("GET", f"calendars/{calendar}/acl")["items"]
    (rule,) = [each["id"] for each in rules if each["scope"].get("value") == email]
    desk.call("DELETE", f"calendars/{calendar}/acl/{rule}")


def replace_entry(desk: Desk, calendar: str, **fields: Any) -> None:
    desk.call("GET", f"users/me/calendarList/{calendar}")
    desk.call("PUT", f"users/me/calendarList/{calendar}", fields)


def move(desk: Desk, event: str, source: str, destination: str) -> None:
    desk.call("POST", f"calendars/{source}/events/{event}/move", destination=destination)


def unsubscribe(desk: Desk, calendar: str) -> None:
    desk.call("DELETE", f"users/me/calendarList/{calendar}")


def clear(desk: Desk, calendar: str) -> None:
    desk.call("POST", f"calendars/{calendar}/clear")


def find_free(desk: Desk, emails: Sequence[str], day: str, last_day: str, hours: float) -> str:
    return desk.free(emails, f"{day}T00:00:00-07:00", f"{last_day}T23:59:59-07:00", hours)


@solves("test_18")
def aviary(desk: Desk) -> None:
    legacy = {"iCalUID": "saffron-dusk-20180622@aviary", "location": "Windglass Roost"}
    when = times("2018-06-22T18:00:00", "2018-06-22T19:00:00")
    entry = {"summary": "Saffron Dusk Feather-Mending", **legacy, **when}
    desk.call("POST", "calendars/primary/events/import", entry)
    revoke(desk, desk.calendar("Sandglass Aviary"), "salma@test.com")


@solves("test_19")
def herbarium(desk: Desk) -> None:
    desk.book("primary", "Quartzloom Spore Cataloging", "2018-06-21T09:00:00", 1)
    revoke(desk, "cal_quartzloom_herbarium", "mina@test.com")


@solves("test_20")
def starfen(desk: Desk) -> None:
    main = desk.calendar("Starfen Observatory")
    desk.call("GET", f"calendars/{main}/acl")
    session = desk.event(main, "Comet Scribe Session")["id"]
    replace_event(desk, main, session, "2018-06-24T14:00:00", "2018-06-24T15:00:00", location="Dome 3")
    desk.call("DELETE", f"calendars/{desk.calendar('Dust Ledger')}")


@solves("test_21")
def kiln(desk: Desk) -> None:
    desk.book("primary", "Emberglass Kiln Glow", "2018-06-25T19:00:00", 1.5)


@solves("test_22")
def lantern_check(desk: Desk) -> None:
    text = "Fogloom Archive Lantern Check on June 26, 2018 at 8:00pm for 45 minutes"
    made = desk.call("POST", "calendars/primary/events/quickAdd", text=text)
    desk.call("GET", f"calendars/primary/events/{made['id']}")
    desk.watch("users/me/settings")


@solves("test_23")
def scriptorium(desk: Desk) -> None:
    main = desk.calendar("Lumenfjord Scriptorium")
    assert desk.call("GET", f"calendars/{main}/acl/user:scribe@lumenfjord.example")["role"]
    drying = desk.event(main, "Aurora Ink Drying")["id"]
    replace_event(desk, main, drying, "2018-06-27T15:00:00", "2018-06-27T16:00:00", location="North Alcove")
    desk.events(main)


@solves("test_24")
def sunthread(desk: Desk) -> None:
    desk.delete("primary", "evt_sunthread_loom_001")
    desk.call("GET", "users/me/settings")


@solves("test_25")
def cartography(desk: Desk) -> None:
    desk.made("Emberpine Cartography Ledger")


@solves("test_26")
def mistforge(desk: Desk) -> None:
    desk.call("GET", "users/me/settings")
    desk.watch("users/me/settings")


@solves("test_29")
def weave_circle(desk: Desk) -> None:
    desk.call("GET", "users/me/calendarList/cal_aurora_loom")
    desk.delete("cal_aurora_loom", "evt_starlit_weave_series")


@solves("test_30")
def choir(desk: Desk) -> None:
    desk.delete("cal_cinderflock_choir", "evt_cinderflock_vespers")


@solves("test_31")
def driftglass(desk: Desk) -> None:
    main = desk.calendar("Driftglass Studio")
    lesson = desk.event(main, "Tide-Polish Lesson")["id"]
    move(desk, lesson, main, desk.calendar("Mariner Annex"))


@solves("test_33")
def survey_log(desk: Desk) -> None:
    replace_entry(desk, desk.made("Latticewren Survey Log"), hidden=True, selected=False)


@solves("test_34")
def icefern(desk: Desk) -> None:
    move(desk, "evt_icefern_maps_07", "cal_icefern_annex", "cal_boreal_classroom")
    desk.watch("calendars/cal_boreal_classroom/events")


@solves("test_35")
def nightglass(desk: Desk) -> None:
    clear(desk, "cal_nightglass_repository")
    desk.entry("cal_nightglass_repository", hidden=True)


@solves("test_36")
def brasswillow(desk: Desk) -> None:
    made = desk.made("Brasswillow Registry")
    desk.share(made, "ewa@test.com", "writer")
    desk.call("DELETE", f"calendars/{made}")


@solves("test_38")
def driftweave(desk: Desk) -> None:
    replace_role(desk, "cal_driftweave_annex", "iryna@test.com", "writer")
    desk.watch("calendars/cal_driftweave_annex/events")
    unsubscribe(desk, "cal_old_aster_lodge")
    desk.stop("chan_annex_77", "res_annex_77")


@solves("test_39")
def mossquill(desk: Desk) -> None:
    main = "cal_mossquill_archive"
    clear(desk, main)
    desk.call("PATCH", f"calendars/{main}", {"description": "Restoration ledger and vault access."})
    replace_role(desk, main, "salma@test.com", "reader")
    desk.call("GET", "users/me/settings/timezone")
    check = {"location": "Lower Vault Door", "status": "confirmed"}
    replace_event(desk, main, "evt_mossquill_vault_check", "2018-06-29T16:00:00", "2018-06-29T17:00:00", **check)
    desk.call("GET", "users/me/settings/dateFieldOrder")


@solves("test_40")
def glimmerforge(desk: Desk) -> None:
    made = desk.made("Glimmerforge Atlas")
    desk.share(made, "mina@test.com", "writer")
    desk.share(made, "sven@test.com", "writer")
    desk.call("GET", "users/me/settings/timezone")


@solves("test_41")
def tidemire(desk: Desk) -> None:
    path = "calendars/cal_tidemire_conservatory/events/evt_tidemire_orchid_rounds"
    desk.call("GET", path)
    desk.call("GET", f"{path}/instances")
    desk.call("GET", "users/me/settings")
    clear(desk, "cal_tidemire_conservatory")


@solves("test_42")
def lanternbraid(desk: Desk) -> None:
    path = "calendars/cal_lanternbraid_pavilion"
    desk.call("GET", f"{path}/events/evt_lanternbraid_opening")
    desk.call("PATCH", path, {"location": "Harborline Rotunda"})
    desk.watch(f"{path}/acl")
    unsubscribe(desk, "cal_old_copper_annex")


@solves("test_43")
def meridian(desk: Desk) -> None:
    main = "cal_meridian_drift_folio"
    desk.call("POST", "users/me/calendarList", {"id": main})
    replace_entry(desk, main, hidden=True, selected=False, colorId="7")
    desk.change(main, "evt_meridian_index", description="Catalog spine check.")
    for calendar in desk.call("GET", "users/me/calendarList", maxResults=250, showHidden=True)["items"]:
        if any("coolcoolcool" in each.get("summary", "") for each in desk.events(calendar["id"], "coolcoolcool")):
            desk.watch(f"calendars/{calendar['id']}/acl")


@solves("test_44")
def ashline(desk: Desk) -> None:
    main = "cal_ashline_relay_commons"
    desk.call("GET", f"calendars/{main}/acl/user:hana@test.com")
    desk.share(main, "chinedu@test.com", "writer")
    desk.share(main, "noah@test.com", "reader")
    people = [f"{name}@test.com" for name in ("hana", "chinedu", "noah")]
    desk.book("primary", "Ashline Relay Briefing", find_free(desk, people, "2018-06-28", "2018-06-29", 1), 1)
    desk.entry(main, hidden=True, selected=False)


@solves("test_45")
def silverroot(desk: Desk) -> None:
    path = "calendars/cal_silverroot_observatory"
    desk.call("GET", f"{path}/acl/user:zahra@test.com")
    desk.call("PATCH", path, {"description": "Lens rotation and night ledger."})
    desk.call("GET", f"{path}/events/evt_silverroot_rotation/instances")
    weekly = {"recurrence": ["RRULE:FREQ=WEEKLY;BYDAY=MO"], "location": "West Dome"}
    when = ("2018-07-02T19:00:00", "2018-07-02T20:00:00")
    replace_event(desk, "cal_silverroot_observatory", "evt_silverroot_rotation", *when, **weekly)
    for watched in ("events", "acl"):
        desk.watch(f"{path}/{watched}")


@solves("test_46")
def brineglass(desk: Desk) -> None:
    main = "cal_brineglass_works"
    desk.call("GET", f"calendars/{main}/events/evt_brineglass_forge_demo")
    move(desk, "evt_brineglass_forge_demo", main, "cal_harbor_kiln_hall")
    at = find_free(desk, ["lucia@test.com", "noah@test.com"], "2018-06-30", "2018-06-30", 0.5)
    desk.book(main, "Saltglass Alignment", at, 0.5)
    replace_role(desk, main, "lucia@test.com", "writer")
    desk.watch("users/me/settings")


@solves("test_49")
def thistlewire(desk: Desk) -> None:
    main = "cal_thistlewire_workshop"
    desk.call("GET", f"calendars/{main}/events/evt_thistlewire_cycles/instances")
    desk.book(main, "Bronze Fret Alignment", "2018-06-30T10:00:00", 1)
    desk.entry(main, hidden=True)
    desk.watch("users/me/calendarList")
    desk.call("DELETE", "calendars/cal_copperwind_annex")


@solves("test_50")
def rookery(desk: Desk) -> None:
    main = "cal_emberveil_rookery"
    desk.call("POST", "users/me/calendarList", {"id": main})
    desk.watch(f"calendars/{main}/events")
    slot = ("2018-06-30T09:00:00+09:00", "2018-06-30T09:30:00+09:00")
    held = desk.events("hana@test.com", singleEvents=True, timeZone="Asia/Tokyo")
    if slot in [(each["start"].get("dateTime"), each["end"].get("dateTime")) for each in held]:
        desk.watch("users/me/settings")
    week = {"timeMin": "2018-06-20T00:00:00-07:00", "timeMax": "2018-06-28T00:00:00-07:00"}
    if len(desk.events(main, singleEvents=True, **week)) > 7:
        revoke(desk, main, "salma@test.com")
    desk.call("DELETE", "calendars/cal_ashfeather_annex")


@solves("test_52")
def stoneglow(desk: Desk) -> None:
    main = "cal_stoneglow_depot"
    desk.call("GET", f"users/me/calendarList/{main}")
    whole = {"summary": "Stoneglow Depot", "description": "Crate intake ledger", "timeZone": LA}
    desk.call("PUT", f"calendars/{main}", whole)
    replace_role(desk, main, "clerk@stoneglow.example", "reader")
    week = {"timeMin": "2018-07-01T00:00:00-07:00", "timeMax": "2018-07-08T00:00:00-07:00"}
    for event in desk.events(main, singleEvents=True, **week):
        said = f"{event.get('description', '')}\nWeek-of intake note".strip()
        desk.change(main, event["id"], description=said)
    move(desk, "evt_stoneglow_manifest", main, "cal_harbor_ledger")


@solves("test_53")
def crystalfold(desk: Desk) -> None:
    main = "cal_crystalfold_foundry"
    when = ("2018-07-01T09:00:00", "2018-07-01T10:30:00")
    replace_event(desk, main, "evt_crystalfold_quench", *when, location="Forge Bay 2")
    for event in ("evt_crystalfold_slag", "evt_crystalfold_mold"):
        desk.delete(main, event)
    unsubscribe(desk, "cal_old_lattice_mill")


@solves("test_54")
def sablewind(desk: Desk) -> None:
    main = "cal_sablewind_archive"
    desk.call("GET", f"users/me/calendarList/{main}")
    desk.entry(main, hidden=False, colorId="5")
    desk.share(main, "keiko@test.com", "writer")
    revoke(desk, main, "salma@test.com")
    desk.watch("users/me/settings")


@solves("test_55")
def skyloom(desk: Desk) -> None:
    main = "cal_skyloom_observatory"
    desk.events(main)
    when = ("2018-07-02T20:00:00", "2018-07-02T21:00:00")
    replace_event(desk, main, "evt_skyloom_alignment", *when, location="Upper Ring")
    replace_role(desk, main, "mechanic@skyloom.example", "reader")
    desk.watch(f"calendars/{main}/events")
    desk.events(main)


@solves("test_56")
def ironlace(desk: Desk) -> None:
    main = "cal_ironlace_conservatory"
    desk.call("GET", f"calendars/{main}/events/evt_ironlace_orchid/instances")
    clear(desk, main)
    orchid = {"location": "Glassbed Hall", "status": "confirmed"}
    replace_event(desk, main, "evt_ironlace_orchid", "2018-07-03T10:00:00", "2018-07-03T11:00:00", **orchid)
    desk.call("PATCH", f"calendars/{main}/acl/user:mina@test.com", {"role": "reader"})
    desk.stop("chan_ironlace_12", "res_ironlace_12")
    desk.call("DELETE", "calendars/cal_old_driftgreen")


@solves("test_60")
def ivory_loom(desk: Desk) -> None:
    main = "cal_ivory_loom_archive"
    zone = desk.call("GET", "calendars/ewa@test.com")["timeZone"]
    desk.call("PATCH", f"calendars/{main}", {"timeZone": zone})
    desk.call("GET", f"calendars/{main}/acl")
    for event in desk.events(main):
        if "blood" in f"{event['summary']} {event.get('description', '')}".lower():
            desk.delete(main, event["id"])
