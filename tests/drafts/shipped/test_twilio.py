"""Twilio's draft: what of a message is refused, with Twilio's codes, and how a new message begins."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from twindiff.drafts.shipped import find_shipped
from twindiff.local import Twindiff

DESCRIPTION = Path(__file__).parents[4] / "shared" / "specs" / "twilio" / "twilio_api_v2010.json"
ACCOUNT, SERVICE = "AC00000000000000000000000000000001", "MG" + "0" * 32
MESSAGE = {"From": "+15017122661", "To": "+15558675310", "Body": "Ahoy"}


@pytest.fixture(scope="module")
def server() -> Iterator[Twindiff]:
    if not DESCRIPTION.exists():
        pytest.skip(f"needs Twilio's description in {DESCRIPTION}")
    with Twindiff(twins=[find_shipped("twilio").twin([DESCRIPTION])]) as here:
        yield here


@pytest.fixture
def client(server: Twindiff) -> Iterator[httpx.Client]:
    with server.create("twilio:twilio_base", clock={"mode": "steps", "start": "2026-03-02T12:00:00"}) as environment:
        base = f"https://api.twilio.com/2010-04-01/Accounts/{ACCOUNT}"
        transport, auth = server.transport(environment, "twilio"), (ACCOUNT, environment.token)
        with httpx.Client(transport=transport, base_url=base, auth=auth) as client:
            yield client


def _without(*names: str, **more: Any) -> dict[str, Any]:
    return {**{name: each for name, each in MESSAGE.items() if name not in names}, **more}


@pytest.mark.parametrize(
    ("form", "code"),
    [
        (_without("To"), 21604),
        (_without(To=""), 21604),
        (_without("From"), 21603),
        (_without("Body"), 21602),
        (_without(To="5558675310"), 21211),
        (_without(To="+0558675310"), 21211),
        (_without(To="+1234567890123456"), 21211),
        (_without(From="+1"), 21212),
        (_without(From="TwelveLetter"), 21212),
        (_without(To="+15017122661"), 21266),
        (_without(Body="x" * 1601), 21617),
        (_without(MediaUrl=[f"https://example.com/{number}.png" for number in range(11)]), 21623),
        (_without(MediaUrl="picture"), 21620),
        (_without(StatusCallback="nowhere"), 21609),
        (_without("From", MessagingServiceSid=SERVICE, ScheduleType="fixed"), 35111),
        (_without(ScheduleType="fixed", SendAt="2026-03-02T13:00:00Z"), 35118),
        (_without("From", MessagingServiceSid=SERVICE, ScheduleType="daily", SendAt="2026-03-02T13:00:00Z"), 35126),
        (_without("From", MessagingServiceSid=SERVICE, ScheduleType="fixed", SendAt="2026-03-02T12:04:00Z"), 35115),
        (_without("From", MessagingServiceSid=SERVICE, ScheduleType="fixed", SendAt="2026-04-07T12:00:00Z"), 35115),
    ],
)
def test_a_message_is_refused_with_the_code_and_is_not_kept(client: httpx.Client, form: dict[str, Any], code: int):
    answer = client.post("/Messages.json", data=form)
    told = answer.json()
    assert (answer.status_code, told["code"], told["status"]) == (400, code, 400)
    assert told["more_info"] == f"https://www.twilio.com/docs/errors/{code}"
    assert client.get("/Messages.json").json()["messages"] == []


@pytest.mark.parametrize(
    ("form", "status", "segments", "media"),
    [
        (MESSAGE, "queued", "1", "0"),
        (_without(From="Bakery"), "queued", "1", "0"),
        (_without(From="12345"), "queued", "1", "0"),
        (_without(From="whatsapp:+15017122661", To="whatsapp:+15558675310"), "queued", "1", "0"),
        (_without(Body="x" * 160), "queued", "1", "0"),
        (_without(Body="x" * 161), "queued", "2", "0"),
        (_without(Body="x" * 1600), "queued", "11", "0"),
        (_without(Body="\u2603" * 71), "queued", "2", "0"),
        (_without("Body", MediaUrl="https://example.com/a.png"), "queued", "1", "1"),
        (_without("From", MessagingServiceSid=SERVICE), "accepted", "0", "0"),
        (
            _without("From", MessagingServiceSid=SERVICE, ScheduleType="fixed", SendAt="2026-03-02T12:06:00Z"),
            "scheduled",
            "0",
            "0",
        ),
    ],
)
def test_a_message_begins_in_its_state(
    client: httpx.Client, form: dict[str, Any], status: str, segments: str, media: str
):
    answer = client.post("/Messages.json", data=form)
    sent = answer.json()
    assert answer.status_code == 201, sent
    assert (sent["status"], sent["num_segments"], sent["num_media"]) == (status, segments, media)
    assert client.get(f"/Messages/{sent['sid']}.json").json()["status"] == status
