"""Records of the presets besides messages and issues: customers, products, documents, and meetings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from twindiff.server.apis.twin_runs.preset_billing import BILLING

AGENT = "Agent"
"""The acting user of a run; invited to every meeting that is not private, since users cannot see each other's
calendars.
"""


class Product(NamedTuple):
    """A product with one price, in the smallest unit of its currency."""

    name: str
    amount: int
    currency: str = "eur"
    interval: str | None = None


class PresetFolder(NamedTuple):
    """A folder of text files, shared with `readers`, or with all users if that is None."""

    name: str
    files: Mapping[str, str]
    readers: Sequence[str] | None = None


class Meeting(NamedTuple):
    """A meeting in its organizer's time zone, with times as `2026-01-06T10:00`; without `guests` all are invited."""

    summary: str
    organizer: str
    start: str
    end: str
    guests: Sequence[str] | None = None
    rule: str | None = None
    location: str | None = None


class PresetRecords(NamedTuple):
    """The records of one preset; `customers` maps names to email addresses."""

    customers: Mapping[str, str]
    products: Sequence[Product]
    folders: Sequence[PresetFolder]
    meetings: Sequence[Meeting]
    billing: Mapping[str, list[dict[str, Any]]] = {}
    """Subscriptions, charges, refunds and disputes, as in Stripe's seed configuration."""

    def config(self, cast: list[dict[str, str]]) -> dict[str, dict[str, Any]]:
        """Build the seed configurations of stripe, box and calendar for a cast of users."""
        names = [each["name"] for each in cast]
        customers = [{"name": name, "email": email} for name, email in self.customers.items()]
        return {
            "stripe": {
                "customers": customers,
                "products": [_product(each) for each in self.products],
                **self.billing,
            },
            "box": {"users": cast, "folders": [_folder(each, names) for each in self.folders]},
            "calendar": {"users": cast, "events": [_event(each, names) for each in self.meetings]},
        }


def _product(product: Product) -> dict[str, Any]:
    price = {"unit_amount": product.amount, "currency": product.currency, "interval": product.interval}
    return {"name": product.name, "prices": [price]}


def _folder(folder: PresetFolder, names: Sequence[str]) -> dict[str, Any]:
    files = [{"name": name, "content": text} for name, text in folder.files.items()]
    readers = names if folder.readers is None else folder.readers
    return {"name": folder.name, "files": files, "shared_with": [{"user": name} for name in readers]}


def _event(meeting: Meeting, names: Sequence[str]) -> dict[str, Any]:
    guests = [name for name in names if name != meeting.organizer] if meeting.guests is None else [*meeting.guests]
    event = {"summary": meeting.summary, "organizer": meeting.organizer, "start": meeting.start, "end": meeting.end}
    rules = [f"RRULE:{meeting.rule}"] if meeting.rule else []
    attendees = [*guests, AGENT] if guests else []
    return {**event, "attendees": attendees, "recurrence": rules, "location": meeting.location}


MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY = (f"2026-01-{day:02}" for day in range(5, 10))

FAILED_CARDS = "customer,attempts\nJuniper Labs,2\nMarlow Press,2\nQuay Street Dental,2\n"

RECORDS: dict[str, PresetRecords] = {
    "E-commerce Checkout": PresetRecords(
        {
            "Petra Lindqvist": "petra@lindqvist.example",
            "Sam Oduya": "sam@oduya.example",
            "Rita Faria": "rita@faria.example",
        },
        [Product("Wool scarf", 3900), Product("Down jacket", 18900), Product("Island delivery", 1450)],
        [
            PresetFolder(
                "Winter sale",
                {"vouchers.csv": "code,percent\nFROST10,10\nthaw20,20\n", "plan.txt": "Sale from Friday, 8:00."},
            ),
            PresetFolder("Deliveries", {"madeira.txt": "The carrier has no table for Madeira; ask for one."}),
        ],
        [
            Meeting("Go or no-go for the sale", "Maren Voss", f"{THURSDAY}T15:00", f"{THURSDAY}T16:00"),
            Meeting("Double payments", "Tobi Adeyemi", f"{TUESDAY}T10:00", f"{TUESDAY}T10:30", ["Maren Voss"]),
        ],
        BILLING["E-commerce Checkout"],
    ),
    "SaaS Billing & Upgrades": PresetRecords(
        {
            "Northlake": "billing@northlake.example",
            "Atelier Sud": "compta@ateliersud.example",
            "Juniper Labs": "ap@juniperlabs.example",
            "Marlow Press": "accounts@marlowpress.example",
            "Quay Street Dental": "office@quaystreet.example",
        },
        [
            Product("Starter", 1900, "usd", "month"),
            Product("Team", 4900, "usd", "month"),
            Product("Team, yearly", 49000, "usd", "year"),
        ],
        [
            PresetFolder(
                "Contracts",
                {
                    "northlake.txt": "Northlake: Team for three weeks, prorated.",
                    "atelier-sud.txt": "Cancelled before the last month began.",
                },
            ),
            PresetFolder("Reports", {"failed-cards.csv": FAILED_CARDS}),
        ],
        [
            Meeting("Northlake: their invoice", "Hannah Lee", f"{TUESDAY}T11:00", f"{TUESDAY}T11:30", ["Ivo Marek"]),
            Meeting(
                "Billing review", "Ivo Marek", f"{WEDNESDAY}T15:00", f"{WEDNESDAY}T16:00", None, "FREQ=WEEKLY;COUNT=8"
            ),
        ],
        BILLING["SaaS Billing & Upgrades"],
    ),
    "DevOps CI/CD Pipeline": PresetRecords(
        {"Frankfurt Freight": "it@frankfurtfreight.example", "Bluefin": "ops@bluefin.example"},
        [Product("Build minutes", 800, "eur", "month"), Product("Private runners", 12000, "eur", "month")],
        [
            PresetFolder(
                "Runbooks",
                {
                    "rollback.md": "# Rollback\n1. Stop the rollout.\n2. Return to 4.1.\n",
                    "certificates.md": "The registry's ends on Friday.",
                },
            ),
            PresetFolder("Release 4.2", {"notes.txt": "4.2 needs an index on events before it goes to Frankfurt."}),
        ],
        [
            Meeting(
                "Stand-up",
                "Greta Solberg",
                f"{MONDAY}T09:30",
                f"{MONDAY}T09:45",
                None,
                "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;COUNT=20",
            ),
            Meeting("Why 4.2 was slow", "Dmitri Volkov", f"{WEDNESDAY}T14:00", f"{WEDNESDAY}T15:00"),
        ],
    ),
    "Customer Support Portal": PresetRecords(
        {
            "Brightwell": "help@brightwell.example",
            "Corner Cafe": "owner@cornercafe.example",
            "Tallgrass": "it@tallgrass.example",
        },
        [Product("Support, standard", 2500, "eur", "month"), Product("Support, one hour", 9900, "eur", "month")],
        [
            PresetFolder(
                "Brightwell",
                {"export.csv": "id,state\n1,sent\n2,missing\n", "complaint.txt": "Our export lacks half of March."},
            ),
            PresetFolder("Articles", {"team-roles.md": "# Team roles\nTo be written.\n"}),
        ],
        [
            Meeting("Call with Brightwell", "Owen Clarke", f"{TUESDAY}T14:00", f"{TUESDAY}T14:30", ["Nadia Haddad"]),
            Meeting("Backlog", "Nadia Haddad", f"{MONDAY}T10:00", f"{MONDAY}T11:00", None, "FREQ=WEEKLY;COUNT=6"),
        ],
        BILLING["Customer Support Portal"],
    ),
    "Document Collaboration": PresetRecords(
        {"Hotel Belvedere": "marketing@belvedere.example", "Kyoto Tea": "press@kyototea.example"},
        [Product("Brochure, eight pages", 240000), Product("Translation, page", 4500)],
        [
            PresetFolder(
                "Brochure", {"version-3.txt": "The client's words.", "version-5.txt": "Ours, with the client's words."}
            ),
            PresetFolder("Pictures", {"licences.csv": "page,licence\n3,bought\n4,none\n"}, ["Yuki Tanabe"]),
        ],
        [
            Meeting("Brochure with Hotel Belvedere", "Celine Moreau", f"{WEDNESDAY}T10:00", f"{WEDNESDAY}T11:00"),
            Meeting("Japanese cover", "Yuki Tanabe", f"{THURSDAY}T17:00", f"{THURSDAY}T17:30", ["Jack Whitfield"]),
        ],
    ),
    "Payment Fraud & Edge Cases": PresetRecords(
        {
            "T. Harlow": "t.harlow@mail.example",
            "Tara Harlow": "tara@harlow.example",
            "Nomad Travel": "pay@nomad.example",
        },
        [
            Product("Gift card", 10000, "usd"),
            Product("Yen gift card", 10000, "jpy"),
            Product("Smallest charge", 50, "usd"),
        ],
        [
            PresetFolder(
                "Disputes",
                {
                    "harlow.txt": "Delivered five weeks ago, signed T. Harlow.",
                    "deadlines.csv": "case,due\nHarlow,2026-01-06\n",
                },
            ),
            PresetFolder("Rules", {"country.txt": "Decline where card and address differ in country."}, ["Elif Demir"]),
        ],
        [
            Meeting("Evidence for Harlow", "Ruth Abrams", f"{TUESDAY}T09:00", f"{TUESDAY}T10:00"),
            Meeting(
                "Rules that hit travellers", "Elif Demir", f"{WEDNESDAY}T11:00", f"{WEDNESDAY}T12:00", ["Kenji Mori"]
            ),
        ],
        BILLING["Payment Fraud & Edge Cases"],
    ),
    "Access Control & Auth Boundaries": PresetRecords(
        {"Fjord Bank": "security@fjordbank.example", "Delta Clinic": "it@deltaclinic.example"},
        [Product("Seat", 1200, "eur", "month"), Product("Audit log", 30000, "eur", "year")],
        [
            PresetFolder("Payroll", {"january.csv": "name,amount\nMarcus Bell,1\n"}, ["Ingrid Holm"]),
            PresetFolder("Roadmap", {"roadmap.txt": "Not for guests."}),
            PresetFolder(
                "Access review", {"leavers.csv": "name,left\nPaul Reiter,2025-03-31\n"}, ["Ingrid Holm", "Leila Nasser"]
            ),
        ],
        [
            Meeting("Access review", "Ingrid Holm", f"{THURSDAY}T13:00", f"{THURSDAY}T14:00", ["Leila Nasser"]),
            Meeting("Payroll: who may read it", "Marcus Bell", f"{FRIDAY}T09:00", f"{FRIDAY}T09:30", ["Ingrid Holm"]),
        ],
    ),
    "High Volume Messaging": PresetRecords(
        {f"Reader {number:02}": f"reader{number:02}@mail.example" for number in range(1, 31)},
        [Product("Morning paper", 2900, "usd", "month"), Product("Day pass", 200, "usd")],
        [
            PresetFolder(
                town,
                {
                    f"{part.lower()}.csv": f"district,counted\n{town} {part},yes\n"
                    for part in ("North", "South", "East", "West")
                },
            )
            for town in ("Riverside", "Hillcrest", "Lakeview", "Oldtown")
        ],
        [
            Meeting(f"Desk at {hour}:00", "Bela Szabo", f"{TUESDAY}T{hour}:00", f"{TUESDAY}T{hour}:15")
            for hour in range(10, 24)
        ],
    ),
    "Internationalization & Unicode": PresetRecords(
        {
            "Café Ñandú": "hola@nandu.example",
            "株式会社さくら": "info@sakura.example",
            "شركة النور": "office@alnoor.example",
        },
        [Product("Übersetzung, Seite", 4200), Product("翻訳", 5000, "jpy"), Product("Çeviri", 90000, "try")],
        [
            PresetFolder(
                "Übersetzungen",
                {"İptal.txt": "İPTAL → iptal", "العربية.txt": "مرحبا بالعالم", "日本語.txt": "こんにちは"},
            ),
            PresetFolder("Names", {"badges.csv": "name\nJosé Núñez\nJose\u0301 Nu\u0301n\u0303ez\n"}),
        ],
        [
            Meeting("Grüße & Namen 👋", "Zoë Łukasik", f"{WEDNESDAY}T10:00", f"{WEDNESDAY}T11:00"),
            Meeting("مراجعة العربية", "Søren Ågård", f"{THURSDAY}T09:00", f"{THURSDAY}T09:30", ["İpek Şahin"]),
        ],
    ),
    "Calendar Scheduling Conflicts": PresetRecords(
        {"Quinta do Vale": "eventos@quintadovale.example"},
        [Product("Offsite, person", 32000), Product("Big room, day", 45000)],
        [
            PresetFolder(
                "Spring offsite", {"rooms.csv": "room,day,for\nBig room,Tuesday,Planning\nBig room,Tuesday,Sales\n"}
            ),
            PresetFolder("Reviews", {"times.txt": "9:00 in Lisbon is 1:00 for Kate; 16:00 suits four zones."}),
        ],
        [
            Meeting("Review", "Ana Sousa", f"{TUESDAY}T09:00", f"{TUESDAY}T10:00", None, "FREQ=WEEKLY;COUNT=16"),
            Meeting("Offsite planning", "Mika Laine", f"{TUESDAY}T14:00", f"{TUESDAY}T15:00", None, None, "Big room"),
            Meeting("Sales", "Ana Sousa", f"{TUESDAY}T12:00", f"{TUESDAY}T13:00", ["Ravi Menon"], None, "Big room"),
            Meeting("Dentist", "Kate Doyle", f"{TUESDAY}T08:00", f"{TUESDAY}T09:00", []),
        ],
    ),
}
