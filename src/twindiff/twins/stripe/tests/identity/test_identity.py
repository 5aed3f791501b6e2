"""Verification of people.  https://docs.stripe.com/identity"""

import pytest

SESSIONS = "identity/verification_sessions"


@pytest.fixture
def session(stripe):
    return stripe.post(SESSIONS, type="document", client_reference_id="u1", metadata={"a": "b"})


def verify(stripe, session, **given):
    secret = {"client_secret": session["client_secret"], "outcome": "success", **given}
    answer = stripe.environment.ask(f"start/{session['id']}", verb="POST", twin="stripe", data=secret)
    assert answer.status_code in (200, 303), answer.text
    return stripe.get(f"{SESSIONS}/{session['id']}", expand=["verified_outputs", "last_verification_report"])


def test_a_person_is_verified_on_the_page(stripe, session):
    assert (session["status"], session["last_error"], "verified_outputs" in session) == ("requires_input", None, False)
    page = stripe.environment.ask(
        f"start/{session['id']}?client_secret={session['client_secret']}", verb="GET", twin="stripe"
    )
    assert "Verification success" in page.text
    done = verify(stripe, session)
    assert (done["status"], done["url"], done["verified_outputs"]["first_name"]) == ("verified", None, "Jenny")
    report = done["last_verification_report"]
    assert (report["document"]["status"], report["verification_session"]) == ("verified", session["id"])
    types = [each["type"].rpartition(".")[2] for each in stripe.get("events")["data"]][::-1]
    assert types == ["created", "processing", "verified"]


def test_a_person_who_is_not_verified_may_try_again(stripe, session):
    failed = verify(stripe, session, outcome="failure", error="document_expired")
    assert (failed["status"], failed["last_error"]["code"]) == ("requires_input", "document_expired")
    assert failed["last_verification_report"]["document"]["status"] == "unverified"
    assert verify(stripe, session)["last_error"] is None
    reports = stripe.get("identity/verification_reports", verification_session=session["id"])["data"]
    assert [each["document"]["status"] for each in reports] == ["verified", "unverified"]
    assert stripe.get(f"identity/verification_reports/{reports[0]['id']}")["client_reference_id"] == "u1"


@pytest.mark.parametrize("action", ["", "/cancel"])
def test_only_a_session_that_waits_for_input_changes(stripe, session, action):
    path = f"{SESSIONS}/{session['id']}"
    changed = stripe.post(path, options={"document": {"require_matching_selfie": True}})
    assert changed["options"]["document"]["require_matching_selfie"] is True
    assert verify(stripe, session)["last_verification_report"]["selfie"]["status"] == "verified"
    assert "status of verified" in stripe.error("POST", f"{path}{action}")["message"]


def test_a_canceled_session_cannot_be_used(stripe, session):
    canceled = stripe.post(f"{SESSIONS}/{session['id']}/cancel")
    assert (canceled["status"], canceled["client_secret"], canceled["url"]) == ("canceled", None, None)
    assert [each["id"] for each in stripe.http("GET", SESSIONS, status="canceled").json()["data"]] == [session["id"]]
    gone = stripe.environment.ask(f"start/{session['id']}?client_secret=x", verb="GET", twin="stripe")
    assert gone.status_code == 404


def test_a_redacted_session_forgets_the_person(stripe, session):
    verify(stripe, session)
    path = f"{SESSIONS}/{session['id']}"
    assert stripe.post(f"{path}/redact")["redaction"] == {"status": "redacted"}
    shown = stripe.get(path, expand=["verified_outputs", "last_verification_report"])
    assert (shown["verified_outputs"], shown["last_verification_report"]["document"]["first_name"]) == (None, None)
    assert "already been redacted" in stripe.error("POST", f"{path}/redact")["message"]


@pytest.mark.parametrize(("given", "param"), [
    ({}, "type"), ({"type": "document", "related_customer": "cus_none"}, "related_customer"),
    ({"type": "document", "provided_details": {"email": "x"}}, "provided_details[email]"), ({"type": "face"}, "type"),
])  # fmt: skip
def test_a_session_is_checked(stripe, given, param):
    assert stripe.error("POST", SESSIONS, **given)["param"] == param


def test_an_id_number_is_verified_without_a_document(stripe):
    done = verify(stripe, stripe.post(SESSIONS, type="id_number"))
    assert (done["options"], done["last_verification_report"]["id_number"]["status"]) == ({"id_number": {}}, "verified")
