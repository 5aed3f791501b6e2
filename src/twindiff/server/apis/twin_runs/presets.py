"""The built-in scenarios: ten worlds whose people, projects and troubles are consistent across the twins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from twindiff.server.apis.twin_runs.preset_records import RECORDS


class Preset(NamedTuple):
    """A built-in, immutable scenario."""

    id: str
    name: str
    description: str
    prompt: str
    tags: tuple[str, ...]
    seed_config: dict[str, dict[str, Any]]


class Trouble(NamedTuple):
    """A problem that is discussed in a Slack channel and tracked as a Linear issue."""

    channel: str
    author: str
    said: str
    answered: str
    title: str
    priority: int


def _preset(
    name: str,
    description: str,
    people: Mapping[str, str],
    team: tuple[str, str],
    project: str,
    troubles: Sequence[Trouble],
    *tags: str,
) -> Preset:
    """Build a preset from a cast (time zones by name), one team, one project and its troubles."""
    cast = [{"name": who, "email": _address(who), "timezone": zone} for who, zone in people.items()]
    names = [*people]
    rooms: dict[str, list[dict[str, Any]]] = {"general": [{"user": names[0], "text": f"Welcome to {project}."}]}
    issues: list[dict[str, Any]] = []
    for number, each in enumerate(troubles):
        helper = names[(names.index(each.author) + 1 + number) % len(names)]
        replies = [{"user": helper, "text": each.answered}]
        rooms.setdefault(each.channel, []).append({"user": each.author, "text": each.said, "replies": replies})
        issue = {"team_key": team[0], "project": project, "title": each.title, "description": each.said}
        comments = [{"user": helper, "body": each.answered}]
        issues.append({**issue, "priority": each.priority, "assignee": helper, "comments": comments})
    slack = {"users": cast, "channels": [{"name": room, "messages": messages} for room, messages in rooms.items()]}
    linear = {
        "users": cast,
        "teams": [{"key": team[0], "name": team[1]}],
        "projects": [{"team_key": team[0], "name": project}],
        "issues": issues,
    }
    identity = "-".join("".join(letter if letter.isalnum() else " " for letter in name.lower()).split())
    config = {"slack": slack, "linear": linear, **RECORDS[name].config(cast)}
    return Preset(identity, name, description, description, tags, config)


def _address(name: str) -> str:
    plain = name.lower().translate(str.maketrans("àáäãåçčéèêëíïñóöôøúüğışžł", "aaaaacceeeeiinoooouugiszl"))
    return (
        ".".join("".join(letter for letter in word if letter.isascii()) or "x" for word in plain.split())
        + "@example.com"
    )


PRESETS: dict[str, Preset] = {
    each.id: each
    for each in (
        _preset(
            "E-commerce Checkout",
            "A web shop in the week before its sale: carts, payments, deliveries, and who looks after them.",
            {"Maren Voss": "Europe/Berlin", "Tobi Adeyemi": "Africa/Lagos", "Lucia Prado": "America/Sao_Paulo"},
            ("SHOP", "Shop"),
            "Winter sale",
            [
                Trouble(
                    "checkout",
                    "Maren Voss",
                    "The voucher field rejects codes in lower case.",
                    "I can make it ignore case.",
                    "Voucher codes must not depend on case",
                    2,
                ),
                Trouble(
                    "checkout",
                    "Tobi Adeyemi",
                    "Two customers paid twice after the page hung.",
                    "Both were refunded; the button stays active too long.",
                    "Pay button can be pressed twice",
                    1,
                ),
                Trouble(
                    "deliveries",
                    "Lucia Prado",
                    "Parcels to Madeira show no delivery date.",
                    "The carrier has no table for it.",
                    "Show a delivery date for islands",
                    3,
                ),
            ],
            "payments",
            "shop",
        ),
        _preset(
            "SaaS Billing & Upgrades",
            "A subscription business: upgrades within a month, failed cards, and a customer who wants a refund.",
            {"Ivo Marek": "Europe/Prague", "Hannah Lee": "America/New_York", "Sunil Rao": "Asia/Kolkata"},
            ("BILL", "Billing"),
            "Yearly plans",
            [
                Trouble(
                    "billing",
                    "Hannah Lee",
                    "Northlake upgraded three weeks ago and was charged a full month.",
                    "Proration was off for their plan.",
                    "Prorate upgrades of legacy plans",
                    1,
                ),
                Trouble(
                    "billing",
                    "Sunil Rao",
                    "Three cards failed again last night.",
                    "I wrote to all three.",
                    "Retry failed cards on paydays",
                    3,
                ),
                Trouble(
                    "customers",
                    "Ivo Marek",
                    "Atelier Sud asks for a refund of their last month.",
                    "They cancelled before it began, so yes.",
                    "Refund the last month to Atelier Sud",
                    2,
                ),
            ],
            "billing",
            "payments",
        ),
        _preset(
            "DevOps CI/CD Pipeline",
            "A platform team on the day of a release: a red build, a rollback and a certificate that runs out.",
            {"Greta Solberg": "Europe/Oslo", "Dmitri Volkov": "Europe/Berlin", "Amara Nwosu": "Europe/London"},
            ("OPS", "Platform"),
            "Release 4.2",
            [
                Trouble(
                    "builds",
                    "Greta Solberg",
                    "The build is red since the compiler update.",
                    "The image still has the old one.",
                    "Pin the compiler in the build image",
                    1,
                ),
                Trouble(
                    "incidents",
                    "Dmitri Volkov",
                    "I rolled 4.2 back in Frankfurt: latency doubled.",
                    "A missing index, I think.",
                    "Find why 4.2 is slow in Frankfurt",
                    1,
                ),
                Trouble(
                    "incidents",
                    "Amara Nwosu",
                    "The certificate of the registry ends on Friday.",
                    "Renewal is not automated there.",
                    "Renew the registry certificate by itself",
                    2,
                ),
            ],
            "devops",
        ),
        _preset(
            "Customer Support Portal",
            "A support desk with a backlog: an angry customer, a bug that three report, and an article to write.",
            {"Nadia Haddad": "Asia/Beirut", "Owen Clarke": "Europe/Dublin", "Pilar Ortiz": "Europe/Madrid"},
            ("SUP", "Support"),
            "Backlog zero",
            [
                Trouble(
                    "support",
                    "Nadia Haddad",
                    "Brightwell waits for an answer since Monday.",
                    "I will call them today.",
                    "Answer Brightwell about their export",
                    1,
                ),
                Trouble(
                    "support",
                    "Owen Clarke",
                    "Three people cannot sign in after the reset mail.",
                    "The link breaks over two lines.",
                    "Reset link breaks in some mail programs",
                    2,
                ),
                Trouble(
                    "articles",
                    "Pilar Ortiz",
                    "We have no article on team roles.",
                    "I will draft one.",
                    "Write the article on team roles",
                    4,
                ),
            ],
            "support",
        ),
        _preset(
            "Document Collaboration",
            "An agency and its client over one brochure: versions, approvals and a picture without a licence.",
            {"Celine Moreau": "Europe/Paris", "Jack Whitfield": "Europe/London", "Yuki Tanabe": "Asia/Tokyo"},
            ("DOC", "Studio"),
            "Brochure",
            [
                Trouble(
                    "brochure",
                    "Celine Moreau",
                    "The client edited version 3 while we were on 5.",
                    "I merged their text into 5.",
                    "Merge the client's edits into version 5",
                    2,
                ),
                Trouble(
                    "brochure",
                    "Yuki Tanabe",
                    "Page 4 has a picture without a licence.",
                    "I found one we may use.",
                    "Replace the picture on page 4",
                    1,
                ),
                Trouble(
                    "approvals",
                    "Jack Whitfield",
                    "Who approves the Japanese cover?",
                    "Yuki does.",
                    "Have the Japanese cover approved",
                    3,
                ),
            ],
            "documents",
        ),
        _preset(
            "Payment Fraud & Edge Cases",
            "A risk team: stolen cards, disputes with a deadline, and rules that stop honest customers.",
            {"Ruth Abrams": "America/New_York", "Kenji Mori": "Asia/Tokyo", "Elif Demir": "Europe/Istanbul"},
            ("RISK", "Risk"),
            "Dispute season",
            [
                Trouble(
                    "fraud",
                    "Kenji Mori",
                    "Forty attempts from one address within a minute.",
                    "Blocked; all cards were declined.",
                    "Limit attempts from one address",
                    1,
                ),
                Trouble(
                    "disputes",
                    "Ruth Abrams",
                    "The evidence for the Harlow dispute is due tomorrow.",
                    "I have the delivery note.",
                    "Send evidence for the Harlow dispute",
                    1,
                ),
                Trouble(
                    "fraud",
                    "Elif Demir",
                    "The new rule declines honest travellers.",
                    "It looks at the country alone.",
                    "Do not decline travellers by country",
                    2,
                ),
            ],
            "payments",
            "fraud",
        ),
        _preset(
            "Access Control & Auth Boundaries",
            "Who may see what: a guest in the wrong channel, a contractor who left, and a private project.",
            {"Ingrid Holm": "Europe/Stockholm", "Marcus Bell": "America/Chicago", "Leila Nasser": "Africa/Cairo"},
            ("SEC", "Security"),
            "Access review",
            [
                Trouble(
                    "access-review",
                    "Ingrid Holm",
                    "A contractor who left in March can still sign in.",
                    "I deactivated the account.",
                    "Deactivate contractors when they leave",
                    1,
                ),
                Trouble(
                    "access-review",
                    "Leila Nasser",
                    "Guests can read the roadmap.",
                    "They were added by mistake.",
                    "Remove guests from the roadmap",
                    1,
                ),
                Trouble(
                    "requests",
                    "Marcus Bell",
                    "I need to read the payroll project until Friday.",
                    "Only with Ingrid's word.",
                    "Decide on access to payroll",
                    3,
                ),
            ],
            "security",
        ),
        _preset(
            "High Volume Messaging",
            "A newsroom that never stops: many channels, long threads and a correction that has to reach all of them.",
            {
                "Bela Szabo": "Europe/Budapest",
                "Tess Morgan": "Australia/Sydney",
                "Omar Farouk": "Africa/Cairo",
                "June Park": "Asia/Seoul",
            },
            ("NEWS", "Newsroom"),
            "Election night",
            [
                Trouble(
                    room,
                    who,
                    f"{place} reports {count} of 100 districts.",
                    "Thank you, it is on the map.",
                    f"Check the count of {place}",
                    3,
                )
                for count, (room, who, place) in enumerate(
                    [
                        (room, who, f"{town} {part}")
                        for part in ("North", "South", "East", "West")
                        for room, who, town in (
                            ("desk", "Bela Szabo", "Riverside"),
                            ("counts", "Tess Morgan", "Hillcrest"),
                            ("counts", "Omar Farouk", "Lakeview"),
                            ("map", "June Park", "Oldtown"),
                        )
                    ],
                    start=11,
                )
            ],
            "messaging",
        ),
        _preset(
            "Internationalization & Unicode",
            "A translation team: names with accents, text from right to left, and letters that programs get wrong.",
            {
                "Zoë Łukasik": "Europe/Warsaw",
                "Søren Ågård": "Europe/Copenhagen",
                "José Núñez": "America/Mexico_City",
                "İpek Şahin": "Europe/Istanbul",
            },
            ("I18N", "Localisation"),
            "Ten languages",
            [
                Trouble(
                    "translations",
                    "İpek Şahin",
                    "The button says İPTAL, but search finds only iptal.",
                    "Upper case of i is İ in Turkish.",
                    "Search must know the Turkish İ",
                    2,
                ),
                Trouble(
                    "translations",
                    "Zoë Łukasik",
                    "مرحبا بالعالم is shown from left to right.",
                    "The page lacks a direction.",
                    "Show Arabic from right to left",
                    1,
                ),
                Trouble(
                    "names",
                    "José Núñez",
                    "The badge prints José Nu\u0301n\u0303ez in two forms. 👩‍👩‍👧",
                    "They need to be normalised.",
                    "Normalise names before printing",
                    3,
                ),
            ],
            "i18n",
        ),
        _preset(
            "Calendar Scheduling Conflicts",
            "A team over four time zones: a meeting that nobody can attend, a summer-time change and a double booking.",
            {
                "Ana Sousa": "Europe/Lisbon",
                "Ravi Menon": "Asia/Kolkata",
                "Kate Doyle": "America/Los_Angeles",
                "Mika Laine": "Europe/Helsinki",
            },
            ("PLAN", "Planning"),
            "Spring offsite",
            [
                Trouble(
                    "scheduling",
                    "Ana Sousa",
                    "The review at 9:00 in Lisbon is 1:00 for Kate.",
                    "Could we do 16:00?",
                    "Find a time for the review that suits four zones",
                    1,
                ),
                Trouble(
                    "scheduling",
                    "Kate Doyle",
                    "After 8 March we will be an hour off for three weeks.",
                    "The series should follow Lisbon.",
                    "Fix the series over the change of clocks",
                    2,
                ),
                Trouble(
                    "offsite",
                    "Mika Laine",
                    "The big room is booked twice on Tuesday.",
                    "Ours was first.",
                    "Settle the double booking of the big room",
                    3,
                ),
            ],
            "calendar",
        ),
    )
}
