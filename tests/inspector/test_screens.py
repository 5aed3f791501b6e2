"""What people see of the twins that hold more than conversations and boards."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.harness import GENERAL, Environment
from tests.inspector.conftest import AGENDA, OWN, SCRIPT, World

Json = dict[str, Any]


def seen(world: World, environment: Environment, twin: str, path: str = "") -> str:
    """A screen as one reads it: without tags, each run of white space a blank."""
    page = world.page(f"environments/{environment.id}/screens/{twin}{f'/{path}' if path else ''}")
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page.partition('<div class="screen">')[2]))


def missing(world: World, environment: Environment, twin: str, path: str) -> bool:
    path = f"/inspect/environments/{environment.id}/screens/{twin}/{path}"
    return world.server.in_process.get(path).status_code == 404


def charge(shop: Environment, path: str, **parameters: str) -> Json:
    answer = shop.ask(f"v1/{path}", verb="POST", twin="stripe", token="sk_test_shop", data=parameters)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_stripe_shows_payments_with_what_became_of_them(world: World, shop: Environment) -> None:
    customer = charge(shop, "customers", name=SCRIPT)["id"]
    parameters = {"payment_method": "pm_card_visa", "payment_method_types[]": "card", "confirm": "true"}
    paid = charge(shop, "payment_intents", amount="1999", currency="usd", customer=customer, **parameters)["id"]
    yen = charge(shop, "payment_intents", amount="1999", currency="jpy")["id"]
    charge(shop, "refunds", payment_intent=paid, amount="500")
    payments = seen(world, shop, "stripe")
    assert "19.99 USD partially refunded &lt;script&gt;" in payments
    assert "1,999 JPY requires_payment_method" in payments
    payment = seen(world, shop, "stripe", f"payments/{paid}")
    assert "Received 19.99 USD" in payment
    assert "5.00 USD succeeded" in payment
    assert "Refunds None" in seen(world, shop, "stripe", f"payments/{yen}")


def test_stripe_shows_customers_with_their_subscriptions_and_invoices(world: World, shop: Environment) -> None:
    active = shop.ask("v1/subscriptions?limit=1&status=active", verb="GET", twin="stripe", token="sk_test_shop").json()[
        "data"
    ][0]
    customer = seen(world, shop, "stripe", f"customers/{active['customer']}")
    assert re.search(r"Subscriptions Product Status Price Period ends Created .+ active \d+\.00 USD / month", customer)
    assert re.search(r"Invoices Number Total Status .+ paid ", customer)
    subscription = seen(world, shop, "stripe", f"subscriptions/{active['id']}")
    assert re.search(r"Items Product Price Quantity Current period .+ USD / month", subscription)
    assert "Lines Description Quantity Amount" in seen(world, shop, "stripe", f"invoices/{active['latest_invoice']}")
    assert "active" in seen(world, shop, "stripe", "customers")


def test_stripe_shows_the_newest_and_says_how_many_it_leaves_out(world: World, shop: Environment) -> None:
    invoices = seen(world, shop, "stripe", "invoices")
    assert re.search(r"[1-9]\d* earlier ones are left out\.", invoices)
    assert invoices.count(" paid ") <= 100


@pytest.mark.parametrize("path", ["nope", "payments/pi_nope", "customers/cus_nope", "balance/1", "invoices/in_nope/x"])
def test_stripe_shows_nothing_where_there_is_nothing(world: World, shop: Environment, path: str) -> None:
    assert missing(world, shop, "stripe", path)


def send(bikes: Environment, verb: str, path: str, **options: Any) -> Json:
    answer = bikes.ask(path, verb=verb, twin="box", token="any", **options)
    assert answer.status_code < 300, answer.text
    return answer.json()


def test_box_shows_folders_with_their_items_and_the_way_to_them(world: World, bikes: Environment) -> None:
    outer = send(bikes, "POST", "2.0/folders", json={"name": "R&D <b>", "parent": {"id": "0"}})["id"]
    inner = send(bikes, "POST", "2.0/folders", json={"name": "2027", "parent": {"id": outer}})["id"]
    link = {"name": "Map", "url": "https://map.test/", "parent": {"id": inner}}
    link_id = send(bikes, "POST", "2.0/web_links", json=link)["id"]
    root = seen(world, bikes, "box")
    assert "Harbor Bikes folder" in root
    assert "R&amp;D &lt;b&gt;" in root
    folder = seen(world, bikes, "box", f"folders/{inner}")
    assert re.search("All files / R&amp;D &lt;b&gt; / 2027 .* Map web link", folder)
    assert "Address https://map.test/" in seen(world, bikes, "box", f"web_links/{link_id}")


def test_box_shows_a_file_with_its_versions_shared_link_and_comments(world: World, bikes: Environment) -> None:
    made = send(bikes, "POST", "api/2.0/files/content", **upload("plan.txt", b"one"))["entries"][0]["id"]
    send(bikes, "POST", f"api/2.0/files/{made}/content", **upload("plan.txt", b"second"))
    shared = {"shared_link": {"access": "open", "password": "hidden-well", "permissions": {"can_download": True}}}
    url = send(bikes, "PUT", f"2.0/files/{made}?fields=shared_link", json=shared)["shared_link"]["url"]
    send(bikes, "POST", "2.0/comments", json={"message": SCRIPT, "item": {"type": "file", "id": made}})
    file = seen(world, bikes, "box", f"files/{made}")
    assert f"Shared link {url} Open to open Allows download Password yes" in file
    assert "hidden-well" not in file
    assert re.search(r"2 \(current\) plan.txt 6 bytes .* 1 plan.txt 3 bytes", file)
    assert "&lt;script&gt;" in file


def test_box_shows_what_is_in_the_trash_there_alone(world: World, bikes: Environment) -> None:
    made = send(bikes, "POST", "api/2.0/files/content", **upload("old.txt", b"old"))["entries"][0]["id"]
    assert bikes.ask(f"2.0/files/{made}", verb="DELETE", twin="box", token="any").status_code == 204
    assert "old.txt" not in seen(world, bikes, "box")
    assert "old.txt 3 bytes" in seen(world, bikes, "box", "trash")
    assert re.search("Trash / old.txt Size 3 bytes .* In the trash since", seen(world, bikes, "box", f"files/{made}"))


@pytest.mark.parametrize("path", ["nope", "folders/9", "files/", "web_links/x", "trash/0"])
def test_box_shows_nothing_where_there_is_nothing(world: World, bikes: Environment, path: str) -> None:
    assert missing(world, bikes, "box", path)


def upload(name: str, data: bytes) -> Json:
    attributes = json.dumps({"name": name, "parent": {"id": "0"}})
    return {"data": {"attributes": attributes}, "files": {"file": (name, data)}}


def insert(company: Environment, **event: Any) -> Json:
    path = "calendars/primary/events"
    answer = company.ask(path, verb="POST", twin="calendar", token="any", json=event)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_calendar_shows_a_week_in_the_zone_of_the_calendar_with_series_expanded(
    world: World, company: Environment
) -> None:
    begins, ends = ({"dateTime": f"2018-06-18T{hour}:00:00Z", "timeZone": "UTC"} for hour in (16, 17))
    rule = ["RRULE:FREQ=WEEKLY;BYDAY=MO,WE"]
    guests = [{"email": "ann@x.test", "responseStatus": "accepted"}, {"email": "ben@x.test"}]
    insert(company, summary=SCRIPT, start=begins, end=ends, recurrence=rule, location="Pier 9", attendees=guests)
    insert(company, summary="Off", start={"date": "2018-06-18"}, end={"date": "2018-06-20"})
    insert(company, summary="Later", start={"date": "2018-06-24"}, end={"date": "2018-06-25"})
    week = seen(world, company, "calendar")
    assert "Sun 17 Jun to Sat 23 Jun 2018 Zone America/Los_Angeles" in week
    assert "Mon 18 Jun all day, Mon 18 Jun to Tue 19 Jun Off 09:00 to 10:00 &lt;script&gt;" in week
    assert re.search(r"Wed 20 Jun 09:00 to 10:00 &lt;script&gt;.*repeats Pier 9 1 of 2 accepted", week)
    assert "Later" not in week
    assert "Sun 24 Jun all day Later" in seen(world, company, "calendar", f"{AGENDA}/weeks/2018-06-27")


def test_calendar_shows_a_month_in_whole_weeks_with_an_event_on_each_of_its_days(
    world: World, company: Environment
) -> None:
    begins, ends = ({"dateTime": f"2018-10-{day}-07:00"} for day in ("30T23:00:00", "31T01:00:00"))
    insert(company, summary="Night watch", start=begins, end=ends)
    insert(company, summary="Fair", start={"date": "2018-10-30"}, end={"date": "2018-11-02"})
    insert(company, summary="Ice", start={"date": "2018-11-10"}, end={"date": "2019-03-03"})
    month = seen(world, company, "calendar", f"{AGENDA}/months/2018-10-15")
    assert re.search(r"Month October 2018 Zone America/Los_Angeles Sun 30 Sep .* Sat 3 Nov $", month)
    assert "Tue 30 Oct all day Fair 23:00 Night watch Wed 31 Oct all day Fair goes on Night watch" in month
    assert "Thu 1 Nov all day Fair Fri 2 Nov Sat 3 Nov" in month
    assert "Fri 1 Mar all day Ice Sat 2 Mar all day Ice Sun 3 Mar Mon 4 Mar" in seen(
        world, company, "calendar", f"{AGENDA}/months/2019-03-01"
    )
    assert "Sun 17 Jun, today Mon 18 Jun" in seen(world, company, "calendar", f"{AGENDA}/months/2018-06-01")


def test_calendar_shows_an_event_of_a_series_with_its_guests(world: World, company: Environment) -> None:
    begins, ends = ({"dateTime": f"2018-07-02T{hour}:00:00-07:00", "timeZone": "UTC"} for hour in ("09", "10"))
    about = {
        "recurrence": ["RRULE:FREQ=DAILY;COUNT=3"],
        "attendees": [{"email": "ann@x.test"}],
        "description": "Bring it",
    }
    series = insert(company, summary="Review", start=begins, end=ends, **about)["id"]
    event = seen(world, company, "calendar", f"{AGENDA}/events/{series}_20180703T160000Z")
    assert "When Tue 3 Jul 2018, 09:00 to 10:00" in event
    assert "Repeats as its series" in event
    assert "Bring it" in event
    assert "ann@x.test needsAction" in event
    assert "RRULE:FREQ=DAILY;COUNT=3" in seen(world, company, "calendar", f"{AGENDA}/events/{series}")


@pytest.mark.parametrize(
    "path",
    [
        "nope",
        "calendars/x@y.z",
        f"{AGENDA}/weeks/soon",
        f"{AGENDA}/weeks/9999-12-31",
        f"{AGENDA}/months/2018-06",
        "a/b/c/d",
    ],
)
def test_calendar_shows_nothing_where_there_is_nothing(world: World, company: Environment, path: str) -> None:
    assert missing(world, company, "calendar", path)
    assert missing(world, company, "calendar", f"{AGENDA}/events/nope")


def test_screens_mask_passwords_tokens_and_cards_as_all_pages_do(world: World, shop: Environment) -> None:
    said = "the password: hunter2secret with sk_live_51HabcdefGHIJK, card 4242 4242 4242 4242"
    customer = charge(shop, "customers", name=said, description=said)["id"]
    mine = world.platform.environment()
    mine.slack("chat.postMessage", channel=GENERAL, text=said)
    screens = [
        seen(world, shop, "stripe", "customers"),
        seen(world, shop, "stripe", f"customers/{customer}"),
        seen(world, mine, "slack", f"channels/{GENERAL}"),
    ]
    for text in screens:
        assert [secret for secret in ("hunter2secret", "sk_live_51H", "4242 4242 4242") if secret in text] == []
    assert all("•••4242" in each for each in screens)


def test_rows_and_changes_mask_what_is_named_a_secret(world: World) -> None:
    shop = world.platform.environment("stripe:stripe_default", user=OWN)
    url = "http://127.0.0.1:9/hooks?token=query-Zx9q"
    hook = charge(shop, "webhook_endpoints", url=url, **{"enabled_events[]": "*"})
    customer = charge(shop, "customers", **{"metadata[password]": "Zx9q word", "description": "password: Zx9q"})
    tables = f"environments/{shop.id}/tables/stripe"
    pages = {
        "rows": world.page(f"{tables}/customers"),
        "row": world.page(f"{tables}/customers/row", key=json.dumps([customer["id"]])),
        "hook": world.page(f"{tables}/webhook_endpoints/row", key=json.dumps([hook["id"]])),
        "changes": world.page(f"environments/{shop.id}/difference"),
    }
    assert [name for name, page in pages.items() if "Zx9q" in page] == []
    assert [name for name, page in pages.items() if "•••" not in page] == []
