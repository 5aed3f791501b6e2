"""The part of the plot about the product: the release, the stale tides, the security test, and customers' questions."""

from __future__ import annotations

from .plot_messages import Paper, PlotMessage, Reply

_PLAN = Paper(
    "beacon-4-plan.md",
    "Plan for Beacon 4.0",
    "# Beacon 4.0\n\nRelease: 17 March 2026\nFreeze: 10 March\n\n1. Night palette (Priya)\n2. Offline charts "
    "(Mariana)\n"
    "3. Berth list, second version (Thabo)\n4. Tide curves from the new feed (Sofie, Tomasz)\n",
)
_REVIEW = Paper(
    "review-stale-tides.md",
    "Review: stale tide tables, 11 February",
    "# Stale tide tables\n\nFrom 05:40 to 08:25 UTC on 11 February, Leixões and Bergen were shown the tides "
    "of two days "
    "before.\n\nCause: build 771 of 9 February kept tables for 72 hours instead of 6.\nHarm: none known. Two pilots "
    "noticed and used paper.\n\n## To do\n\n- Tomasz: alarm on the age of a table\n- Sofie: ask Marisol Data "
    "to stamp "
    "their files\n- Nomsa: a page in the runbook\n- Arjun: a test that ages the cache\n",
)
_FINDINGS = Paper(
    "penetration-test.md",
    "Penetration test, February 2026",
    "# Findings\n\n| number | weight | what |\n|---|---|---|\n| 1 | high | reset links of the login service "
    "never expire |\n"
    "| 2 | high | the berth list of one port can be read with the token of another |\n"
    "| 3 | middle | the tiler tells its version |\n| 4 | low | cookies of the dashboard live for a year |\n",
)
_RELEASE: tuple[PlotMessage, ...] = (
    PlotMessage(
        "beacon-release",
        "2026-01-08 10:05",
        "luca",
        "The plan for Beacon 4.0 is here. We release on 17 March, freeze on the 10th. Please shout now or help then.",
        (
            Reply(12, "oskar", "Tight for the night palette, but yes."),
            Reply(31, "petra", "Offline charts depend on edition 12. Edition 12 depends on Davor's knee."),
            Reply(33, "davor", "The knee is fine."),
        ),
        (("ship", ("oskar", "petra", "hannah", "priya", "magnus")), ("eyes", ("sam",))),
        _PLAN,
        "luca",
    ),
    PlotMessage(
        "beacon-release",
        "2026-02-24 13:20",
        "hannah",
        "I have to say it: with 31 open bugs, 9 of them in tide curves, 17 March is not honest any more.",
        (
            Reply(6, "oskar", "I see the same. The new feed is the problem, not the team."),
            Reply(
                15, "sofie", "Marisol promise the stamped files for 6 March. Before that the curves cannot be final."
            ),
            Reply(
                42, "luca", "Then let us look at 24 March. {@magnus} {@ines}, I will bring it to the leads on Thursday."
            ),
        ),
        (("pray", ("priya", "kavita", "goncalo")),),
    ),
    PlotMessage(
        "leads",
        "2026-02-26 14:08",
        "ines",
        "Decided: Beacon 4.0 moves from 17 to 24 March. Freeze on the 20th. Luca tells everyone, Victor tells "
        "Aveiro and Bergen.",
        (
            Reply(3, "luca", "I will."),
            Reply(5, "victor", "So will I, today."),
            Reply(30, "magnus", "Thank you, Hannah, for saying it."),
        ),
        (("+1", ("magnus", "ruth", "hedda", "petra", "oskar", "freya")),),
        None,
        "ines",
    ),
    PlotMessage(
        "general",
        "2026-03-02 09:00",
        "luca",
        "Beacon 4.0 comes a week later than planned: *24 March*. The plan in {#beacon-release} says how we "
        "use the week.",
        (Reply(20, "grace", "Durban will be relieved, they have a regatta on the 17th."),),
        (("sailboat", ("sam", "rosa", "petra", "ellie")), ("+1", ("victor", "helena", "nils", "thabo"))),
        None,
        "ruth",
    ),
    PlotMessage(
        "sales",
        "2026-03-04 15:45",
        "owen",
        "Told Halifax that they get 4.0 on the 17th. They are planning a training for the 18th.",
        (
            Reply(
                9,
                "victor",
                "Owen, it is the 24th since last week. Could you call them again before they book the room?",
            ),
            Reply(14, "owen", "Oh no. Calling."),
            Reply(71, "owen", "Training is on the 25th now. They laughed."),
        ),
        (("sweat_smile", ("victor", "nils", "siti")),),
    ),
    PlotMessage(
        "beacon-release",
        "2026-03-20 16:00",
        "oskar",
        "Freeze. What is in is in. Seven known bugs, none of which sinks a ship; the list is in ticket 940.",
        (Reply(4, "hannah", "Starting the long run. See you on Monday."),),
        (("snowflake", ("hannah", "kavita", "thabo", "luca")),),
        None,
        "oskar",
    ),
    PlotMessage(
        "general",
        "2026-03-24 11:30",
        "ines",
        "Beacon 4.0 has left harbour. 212 ports, eleven languages, one very tired quality team. Thank you all.",
        (
            Reply(2, "hannah", "Tired and happy."),
            Reply(18, "molly", "The guide is out too, 94 pages, no parking places."),
        ),
        (
            (
                "tada",
                ("luca", "oskar", "petra", "hedda", "hannah", "sam", "victor", "freya", "marcus", "priya", "thabo"),
            ),
            ("ship", ("magnus", "ruth", "davor", "sofie")),
        ),
        None,
        "luca",
    ),
)

_TIDES: tuple[PlotMessage, ...] = (
    PlotMessage(
        "deploys",
        "2026-02-09 14:32",
        "tomasz",
        "Out: the tide cache, build 771. Tables are kept for 72 hours now, so that Marisol's weekends do not hurt us.",
        (
            Reply(5, "hedda", "Nice idea. Do we know how old what we show is?"),
            Reply(7, "tomasz", "We will see it in the graphs."),
        ),
        (("rocket", ("arjun",)),),
    ),
    PlotMessage(
        "incidents",
        "2026-02-11 06:02",
        "rosa",
        "A pilot in Leixões says our tide curve is two days old. Bergen says the same. Is that possible?",
        (
            Reply(4, "nomsa", "Possible. Looking at the cache."),
            Reply(11, "sofie", "The curve of Leixões is that of Monday, no doubt about it."),
            Reply(
                19,
                "leo",
                "Build 771 keeps tables for 72 hours. Marisol's file of Tuesday came late and was never asked "
                "for again.",
            ),
            Reply(24, "nomsa", "{@tomasz} I am rolling back to 768."),
            Reply(31, "tomasz", "Yes, please do. Mine. Sorry."),
            Reply(143, "nomsa", "08:25 UTC: both ports show today's tides. Watching for another hour."),
            Reply(150, "sam", "Both harbours told, by phone."),
        ),
        (("fire_engine", ("leo", "hedda")), ("eyes", ("magnus", "ruth", "petra"))),
        None,
        "hedda",
    ),
    PlotMessage(
        "incidents",
        "2026-02-12 13:00",
        "hedda",
        "The review of yesterday. Four things to do: {@tomasz}, {@sofie}, {@nomsa}, {@arjun}. Please answer "
        "here when yours is done.",
        (
            Reply(1490, "tomasz", "Done: an alarm rings when a table is older than 8 hours."),
            Reply(5700, "nomsa", "Done: page 14 of the runbook."),
            Reply(11460, "sofie", "Done: Marisol will stamp their files from 6 March on."),
        ),
        (("pray", ("magnus", "rosa", "sam", "petra")),),
        _REVIEW,
        "hedda",
    ),
    PlotMessage(
        "tides",
        "2026-03-06 09:40",
        "sofie",
        "The first stamped files of Marisol are here. Bergen, Leixões and Split are right to the minute.",
        (
            Reply(8, "petra", "Finally!"),
            Reply(25, "tomasz", "Then the cache may go to 12 hours. After the freeze, not before."),
        ),
        (("ocean", ("petra", "caleb", "davor")),),
    ),
)

_SAFETY: tuple[PlotMessage, ...] = (
    PlotMessage(
        "security",
        "2026-02-13 08:45",
        "farid",
        "My report. Two findings are high; I would close those before anything else.",
        (
            Reply(20, "magnus", "Number 2 hurts. {@thabo}, yours? {@tomasz}, number 1?"),
            Reply(27, "thabo", "Mine. Out on Tuesday."),
            Reply(35, "tomasz", "After the tide review, this month."),
        ),
        (("lock", ("hedda", "nomsa")),),
        _FINDINGS,
        "magnus",
    ),
    PlotMessage(
        "security",
        "2026-02-18 10:00",
        "thabo",
        "Finding 2 is closed: tokens are checked against the port. Build 806.",
        (Reply(90, "farid", "Retested: closed."),),
        (("white_check_mark", ("magnus", "farid")),),
    ),
    PlotMessage(
        "security",
        "2026-02-26 16:20",
        "farid",
        "Tomorrow is my last day. Findings 2, 3 and 4 are closed; number 1, the reset links, is still open.",
        (
            Reply(12, "magnus", "Thank you, Farid. {@tomasz} please do not let it slip."),
            Reply(15, "tomasz", "In March."),
        ),
    ),
)

_SUPPORT: tuple[PlotMessage, ...] = (
    PlotMessage(
        "support",
        "2026-03-16 07:30",
        "dipti",
        "The harbour master of Durban writes: the berth list is empty every Monday morning until nine. Ticket 918.",
        (
            Reply(16, "thabo", "Their week begins in another time zone than ours. I think I see it."),
            Reply(1620, "thabo", "Fixed in build 952, it goes out with 4.0. Who tells them?"),
            Reply(1641, "sam", "Grace knows them best. {@grace}?"),
        ),
        (("eyes", ("sam", "grace")),),
    ),
    PlotMessage(
        "support",
        "2026-03-26 06:55",
        "jun",
        "Penang asks for invoices in ringgit. I have told them that Siti comes back to them this week.",
        (Reply(35, "siti", "On Friday."),),
    ),
    PlotMessage(
        "app-ipad",
        "2026-02-05 11:11",
        "priya",
        "The night palette is ready to be tried: *deep red* by default, *amber* as a choice, blue is gone for good.",
        (
            Reply(13, "marcus", "Amber fails at the alarm page. Could that stay red always?"),
            Reply(19, "priya", "Yes, it does now."),
        ),
        (("crescent_moon", ("marcus", "beatriz", "anneke")),),
        None,
        "oskar",
    ),
    PlotMessage(
        "charts",
        "2026-03-18 15:00",
        "davor",
        "Edition 12 is closed: 418 sheets, 63 wrecks, one wrong lighthouse. It was ours.",
        (Reply(4, "petra", "Bravo, Davor!"),),
        (("world_map", ("petra", "sofie", "caleb", "mariana")),),
        None,
        "petra",
    ),
)

PRODUCT: tuple[PlotMessage, ...] = (*_RELEASE, *_TIDES, *_SAFETY, *_SUPPORT)
