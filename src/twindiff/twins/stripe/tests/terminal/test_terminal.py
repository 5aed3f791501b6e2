"""Payments in person.  https://docs.stripe.com/terminal/payments/collect-card-payment"""

import pytest

ADDRESS = {
    "line1": "1272 Valencia Street",
    "city": "San Francisco",
    "state": "CA",
    "country": "US",
    "postal_code": "94110",
}
CHOICES = {"choices": [{"id": "s", "text": "S"}]}


@pytest.fixture
def location(stripe):
    return stripe.post("terminal/locations", display_name="HQ", address=ADDRESS)["id"]


@pytest.fixture
def reader(stripe, location):
    made = stripe.post("terminal/readers", registration_code="simulated-wpe", location=location, label="Till")
    return f"terminal/readers/{made['id']}"


def present(stripe, reader, **given):
    return stripe.post(f"test_helpers/{reader}/present_payment_method", **given)


def payment(stripe, amount=1000, **more):
    given = {"amount": amount, "currency": "usd", "payment_method_types": ["card_present"], **more}
    return stripe.post("payment_intents", **given)["id"]


def test_a_presented_card_pays(stripe, reader):
    intent = payment(stripe)
    action = stripe.post(f"{reader}/process_payment_intent", payment_intent=intent)["action"]
    assert (action["type"], action["status"]) == ("process_payment_intent", "in_progress")
    done = present(stripe, reader)["action"]
    assert (done["status"], done["failure_code"]) == ("succeeded", None)
    paid = stripe.get(f"payment_intents/{intent}", expand=["latest_charge"])
    details = paid["latest_charge"]["payment_method_details"]
    assert (paid["status"], details["card_present"]["last4"]) == ("succeeded", "4242")
    assert stripe.get("events", type="terminal.reader.action_succeeded")["data"][0]["data"]["object"]["action"] == done


def test_a_manual_payment_is_captured_afterwards_and_a_tip_adds_to_it(stripe, reader):
    intent = payment(stripe, capture_method="manual")
    stripe.post(f"{reader}/process_payment_intent", payment_intent=intent)
    present(stripe, reader, amount_tip=200)
    held = stripe.get(f"payment_intents/{intent}")
    assert (held["status"], held["amount_capturable"]) == ("requires_capture", 1200)
    assert held["amount_details"]["tip"] == {"amount": 200}
    assert stripe.post(f"payment_intents/{intent}/capture")["amount_received"] == 1200


@pytest.mark.parametrize(
    ("amount", "given", "code", "decline"),
    [
        (1001, {}, "card_declined", "call_issuer"),
        (1005, {}, "card_declined", "generic_decline"),
        (1055, {}, "incorrect_pin", "incorrect_pin"),
        (1000, {"card_present": {"number": "4000000000009995"}}, "card_declined", "insufficient_funds"),
    ],
)
def test_a_decline_fails_the_action_and_the_payment_can_be_tried_again(stripe, reader, amount, given, code, decline):
    intent = payment(stripe, amount)
    stripe.post(f"{reader}/process_payment_intent", payment_intent=intent)
    action = present(stripe, reader, **given)["action"]
    assert (action["status"], action["failure_code"]) == ("failed", code)
    failed = stripe.get(f"payment_intents/{intent}")
    assert (failed["status"], failed["last_payment_error"]["decline_code"]) == ("requires_payment_method", decline)
    stripe.post(f"{reader}/process_payment_intent", payment_intent=intent)


def test_a_busy_reader_takes_no_second_action_until_the_first_is_canceled(stripe, reader):
    first, second = payment(stripe), payment(stripe)
    stripe.post(f"{reader}/process_payment_intent", payment_intent=first)
    refused = stripe.error("POST", f"{reader}/process_payment_intent", payment_intent=second)
    assert refused["code"] == "terminal_reader_busy"
    assert stripe.post(f"{reader}/cancel_action")["action"] is None
    assert stripe.error("POST", f"test_helpers/{reader}/present_payment_method")["message"].startswith(
        "The reader has no"
    )
    stripe.post(f"{reader}/process_payment_intent", payment_intent=second)


def test_payments_that_are_not_in_person_or_already_paid_are_refused(stripe, reader):
    online = stripe.post("payment_intents", amount=1000, currency="usd")["id"]
    refused = stripe.error("POST", f"{reader}/process_payment_intent", payment_intent=online)
    assert refused["code"] == "payment_intent_invalid_parameter"
    intent = payment(stripe)
    stripe.post(f"{reader}/process_payment_intent", payment_intent=intent)
    present(stripe, reader)
    again = stripe.error("POST", f"{reader}/process_payment_intent", payment_intent=intent)
    assert again["code"] == "intent_invalid_state"
    unknown = stripe.error("POST", f"{reader}/process_payment_intent", payment_intent="pi_none")
    assert unknown["code"] == "resource_missing"


def test_a_card_is_collected_first_and_the_payment_confirmed_later(stripe, reader):
    intent = payment(stripe)
    stripe.post(f"{reader}/collect_payment_method", payment_intent=intent)
    action = present(stripe, reader)["action"]
    assert action["collect_payment_method"]["payment_method"]["card_present"]["brand"] == "visa"
    assert stripe.get(f"payment_intents/{intent}")["status"] == "requires_confirmation"
    assert stripe.post(f"{reader}/confirm_payment_intent", payment_intent=intent)["action"]["status"] == "succeeded"
    assert stripe.get(f"payment_intents/{intent}")["status"] == "succeeded"


def test_a_card_is_saved_and_a_payment_refunded_in_person(stripe, reader):
    customer = stripe.post("customers")["id"]
    setup = stripe.post("setup_intents", customer=customer, payment_method_types=["card_present"])["id"]
    stripe.post(f"{reader}/process_setup_intent", setup_intent=setup, allow_redisplay="always")
    present(stripe, reader)
    assert stripe.get(f"setup_intents/{setup}")["status"] == "succeeded"
    intent = payment(stripe)
    stripe.post(f"{reader}/process_payment_intent", payment_intent=intent)
    present(stripe, reader)
    stripe.post(f"{reader}/refund_payment", payment_intent=intent, amount=400)
    refund = present(stripe, reader)["action"]["refund_payment"]["refund"]
    assert stripe.get(f"refunds/{refund}")["amount"] == 400


def test_a_reader_shows_a_cart_and_collects_inputs(stripe, reader):
    lines = [{"amount": 100, "description": "Tea", "quantity": 1}]
    cart = {"currency": "USD", "line_items": lines, "total": 110, "tax": 10}
    shown = stripe.post(f"{reader}/set_reader_display", type="cart", cart=cart)["action"]
    assert (shown["status"], shown["set_reader_display"]["cart"]["currency"]) == ("succeeded", "usd")
    inputs = [{"type": "signature", "custom_text": {"title": "Sign"}, "required": True},
              {"type": "selection", "custom_text": {"title": "Size"}, "selection": CHOICES}]  # fmt: skip
    stripe.post(f"{reader}/collect_inputs", inputs=inputs)
    done = stripe.post(f"test_helpers/{reader}/succeed_input_collection", skip_non_required_inputs="none")["action"]
    assert [each["skipped"] for each in done["collect_inputs"]["inputs"]] == [False, False]
    assert done["collect_inputs"]["inputs"][1]["selection"]["id"] == "s"
    stripe.post(f"{reader}/collect_inputs", inputs=inputs)
    late = stripe.post(f"test_helpers/{reader}/timeout_input_collection")["action"]
    assert (late["status"], late["failure_code"]) == ("failed", "terminal_reader_timeout")


def test_readers_are_registered_by_codes_for_tests_and_listed_by_location(stripe, location, reader):
    refused = stripe.error("POST", "terminal/readers", registration_code="puppies-plug-could", location=location)
    assert refused["param"] == "registration_code"
    other = stripe.post("terminal/readers", registration_code="simulated-s700")
    assert (other["label"], other["device_type"]) == ("simulated-s700", "simulated_stripe_s700")
    ids = [each["id"] for each in stripe.get("terminal/readers", location=location)["data"]]
    assert ids == [reader.rpartition("/")[2]]
    assert stripe.get(reader, expand=["location"])["location"]["display_name"] == "HQ"
    assert stripe.delete(reader)["deleted"] is True
    assert stripe.get(reader)["deleted"] is True
    assert stripe.error("POST", f"{reader}/cancel_action", 404)["code"] == "resource_missing"
    assert [each["id"] for each in stripe.get("terminal/readers")["data"]] == [other["id"]]


def test_a_location_keeps_its_country_and_gives_a_connection_token(stripe, location):
    path = f"terminal/locations/{location}"
    assert stripe.error("POST", path, address={"country": "DE"})["param"] == "address[country]"
    moved = stripe.post(path, address={"line1": "1 Main Street"}, display_name="Shop", metadata={"a": "b"})
    assert (moved["address"]["line1"], moved["address"]["country"], moved["display_name"]) == (
        "1 Main Street",
        "US",
        "Shop",
    )
    token = stripe.post("terminal/connection_tokens", location=location)
    assert token["secret"].startswith("pst_test_")
    assert stripe.delete(path) == {"id": location, "object": "terminal.location", "deleted": True}
    assert stripe.error("POST", "terminal/connection_tokens", 404, location=location)["code"] == "resource_missing"
    assert stripe.get("terminal/locations")["data"] == []


@pytest.mark.parametrize(
    ("given", "param"),
    [({"address": ADDRESS}, "display_name"), ({"display_name": "HQ"}, "address"),
     ({"display_name": "HQ", "address": {"city": "Rome"}}, "address[country]")],
)  # fmt: skip
def test_a_location_needs_a_name_and_a_country(stripe, given, param):
    assert stripe.error("POST", "terminal/locations", **given)["param"] == param


def test_configurations_hold_tips_and_networks(stripe):
    tips = {"usd": {"percentages": [15, 20], "fixed_amounts": [100]}}
    made = stripe.post("terminal/configurations", name="Cafe", tipping=tips, offline={"enabled": True})
    assert (made["tipping"], made["offline"]) == (tips, {"enabled": True})
    path = f"terminal/configurations/{made['id']}"
    changed = stripe.post(path, tipping="", reboot_window={"start_hour": 2, "end_hour": 4})
    assert ("tipping" in changed, changed["reboot_window"]["end_hour"]) == (False, 4)
    assert (
        stripe.error("POST", path, reboot_window={"start_hour": 24, "end_hour": 4})["param"]
        == "reboot_window[start_hour]"
    )
    assert stripe.error("POST", path, tipping={"xxx": {"percentages": [1]}})["param"] == "tipping[xxx]"
    assert stripe.delete(path)["deleted"] is True


def test_no_request_creates_a_card_in_person(stripe):
    assert stripe.error("POST", "payment_methods", type="card_present")["param"] == "type"
