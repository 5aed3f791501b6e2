"""The part of the plot about the company: a contract, the move, the summer meeting, and new colleagues."""

from __future__ import annotations

from .plot_messages import Paper, PlotMessage, Reply


def _votes(emoji: str, *voters: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return ((emoji, voters),)


_MOVE = Paper(
    "moving-list.txt",
    "Moving list, Lisbon",
    "Boxes: blue for desks, green for the kitchen, red for the lab.\nLabel with name and floor.\nPlants "
    "travel by hand.\n",
)
_TERMS = Paper(
    "aveiro-terms.txt",
    "Aveiro: terms agreed",
    "Three years from 1 April 2026.\n42,500 EUR a year, support included.\nTwo training days on site, the "
    "first in May.\n",
)

_DEAL: tuple[PlotMessage, ...] = (
    PlotMessage(
        "deal-aveiro",
        "2026-01-20 11:10",
        "victor",
        "Aveiro renews if the price is right. I ask for 48,000 a year, as last year plus the new modules.",
        (Reply(22, "helena", "Good. What will they say?"), Reply(29, "victor", "Forty. They always say forty.")),
    ),
    PlotMessage(
        "deal-aveiro",
        "2026-02-17 16:25",
        "victor",
        "They said forty.",
        (
            Reply(3, "ines", "How nice to be right."),
            Reply(12, "nils", "They would pay more for training on site. Two days a year?"),
            Reply(20, "helena", "Below 42,000 we earn nothing."),
        ),
        (("joy", ("helena", "nils", "grace")),),
    ),
    PlotMessage(
        "victor helena",
        "2026-03-10 08:50",
        "victor",
        "Between us: I can close Aveiro at 42,500 with two training days. May I?",
        (Reply(7, "helena", "Yes. Not a euro less, and three years."),),
    ),
    PlotMessage(
        "deal-aveiro",
        "2026-03-12 10:15",
        "victor",
        "Agreed by phone: 42,500 a year, three years, two training days. Papers follow.",
        (Reply(4, "ines", "Very good."), Reply(55, "helena", "Booked as expected for April.")),
        (("tada", ("ines", "helena", "nils", "grace")),),
        _TERMS,
        "helena",
    ),
    PlotMessage(
        "deal-aveiro",
        "2026-03-19 17:32",
        "victor",
        "Signed, two hours ago, with a fountain pen.",
        (),
        (("handshake", ("ines", "helena", "nils", "grace")),),
    ),
)

_OFFICE: tuple[PlotMessage, ...] = (
    PlotMessage(
        "general",
        "2026-01-28 09:30",
        "duarte",
        "The Lisbon office moves to Rua das Gáveas 12 on *6 March*. No work there on the day; take your "
        "laptop home on the 5th.",
        (Reply(14, "rosa", "Is there a place for bicycles?"), Reply(16, "duarte", "For twenty of them, in the yard.")),
        (("house", ("rosa", "luca", "beatriz", "helena", "goncalo")),),
    ),
    PlotMessage(
        "office-lisbon",
        "2026-02-19 15:05",
        "duarte",
        "The electricians need three days more: we move on *9 March*, a Monday. I have told the movers; "
        "please forget the 6th.",
        (
            Reply(
                5,
                "joana",
                "Could you write that in {#general} too? People from Bergen have booked flights for the 6th.",
            ),
            Reply(9, "duarte", "I will."),
        ),
        (("+1", ("joana", "rosa", "mariana")),),
        None,
        "duarte",
    ),
    PlotMessage(
        "office-lisbon",
        "2026-03-03 10:20",
        "duarte",
        "The moving list. The red boxes are for the lab and for nothing else.",
        (),
        (("package", ("goncalo", "mariana", "beatriz")),),
        _MOVE,
    ),
    PlotMessage(
        "office-lisbon",
        "2026-03-09 18:10",
        "duarte",
        "We are in. The door code is in your mail, the coffee machine is on the second floor, the view is free.",
        (Reply(11, "ines", "Obrigada, Duarte!"),),
        (("tada", ("rosa", "luca", "helena", "victor", "mariana", "beatriz")),),
    ),
)

_SUMMER: tuple[PlotMessage, ...] = (
    PlotMessage(
        "general",
        "2026-02-03 13:00",
        "joana",
        "Where do we meet in June? One message for each place follows; vote with :ballot_box_with_ballot: "
        "until Friday. The most votes win, no discussion.",
    ),
    PlotMessage(
        "general",
        "2026-02-03 13:01",
        "joana",
        "Bergen: fjords, rain, fish.",
        (),
        _votes("ballot_box_with_ballot", "magnus", "hedda", "oskar", "sofie", "ida", "nils", "peter", "caleb", "jun"),
    ),
    PlotMessage(
        "general",
        "2026-02-03 13:02",
        "joana",
        "Split: islands, heat, ice cream.",
        (),
        _votes(
            "ballot_box_with_ballot",
            "petra",
            "davor",
            "priya",
            "arjun",
            "kavita",
            "dipti",
            "grace",
            "thabo",
            "nomsa",
            "anneke",
            "siti",
            "yuki",
            "owen",
            "ellie",
        ),
    ),
    PlotMessage(
        "general",
        "2026-02-03 13:03",
        "joana",
        "Aveiro: canals, salt, a customer next door.",
        (),
        _votes(
            "ballot_box_with_ballot",
            "ines",
            "victor",
            "luca",
            "rosa",
            "helena",
            "goncalo",
            "mariana",
            "beatriz",
            "duarte",
            "sam",
            "leo",
        ),
    ),
    PlotMessage(
        "general",
        "2026-02-06 17:00",
        "joana",
        "Counted: Split. 15 to 19 June; please tell me by the end of March what you cannot eat.",
        (Reply(3, "davor", "You will not regret it."),),
        (("ice_cream", ("petra", "davor", "priya", "thabo")),),
        None,
        "joana",
    ),
)

_PEOPLE: tuple[PlotMessage, ...] = (
    PlotMessage(
        "hiring-pilots",
        "2026-01-15 14:00",
        "erin",
        "Two roles are open: platform engineer in Bergen or remote, and support engineer in Halifax.",
        (),
        (),
        None,
        "erin",
    ),
    PlotMessage(
        "hiring-pilots",
        "2026-02-20 15:30",
        "hedda",
        "Ana M. is the one for platform: she found a bug in our task and was polite about it.",
        (Reply(10, "magnus", "Offer, please."), Reply(26, "joana", "It goes out on Monday.")),
        (("+1", ("magnus", "ines", "erin")),),
    ),
    PlotMessage(
        "hiring-pilots",
        "2026-03-05 09:12",
        "joana",
        "Ana has said yes and begins on 4 May. Please say nothing outside of here before she has told her people.",
        (),
        (("tada", ("hedda", "magnus", "erin", "ruth")),),
    ),
    PlotMessage(
        "hiring-pilots",
        "2026-03-27 12:40",
        "erin",
        "Halifax: three interviews, no yes. I would open the role to Boston as well.",
        (Reply(33, "ruth", "Do that."),),
    ),
    PlotMessage(
        "sailing-club",
        "2026-03-13 19:05",
        "leo",
        "Regatta on 18 April: boats are Albatross (Oskar steers), Curlew (Petra) and Dipper (Sofie). Each "
        "takes four. Write here where you want to be.",
        (
            Reply(8, "davor", "Curlew, of course."),
            Reply(15, "ellie", "Albatross, if I may throw up in peace."),
            Reply(40, "victor", "Dipper."),
            Reply(95, "magnus", "Albatross."),
        ),
        (("sailboat", ("oskar", "petra", "sofie")),),
    ),
    PlotMessage(
        "random",
        "2026-02-25 12:12",
        "ida",
        "The cat of the boat shed needs a name. Ballast, Bilge or Boson?",
        (
            Reply(2, "oskar", "Ballast."),
            Reply(3, "sofie", "Ballast!"),
            Reply(9, "magnus", "Boson."),
            Reply(64, "ida", "Ballast it is. She has not come when called."),
        ),
        (("cat", ("sofie", "oskar", "ellie", "priya", "grace")),),
    ),
)

HOUSE: tuple[PlotMessage, ...] = (*_DEAL, *_OFFICE, *_SUMMER, *_PEOPLE)
