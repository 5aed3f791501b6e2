"""Modals and home tabs."""

import pytest

from tests.harness import JOHN
from twindiff.twins.slack.tests.calls import MODAL

HOME = {"type": "home", "blocks": [{"type": "divider"}], "external_id": "home-of-john"}


@pytest.fixture
def modal(slack):
    return slack("views.open", trigger_id="1.2.ab", view={**MODAL, "external_id": "order"})["view"]


def test_a_modal_has_what_was_sent_and_a_hash(modal):
    assert (modal["title"], modal["root_view_id"], bool(modal["hash"])) == (MODAL["title"], modal["id"], True)
    assert modal["blocks"][0].keys() == {"type", "block_id"}


def test_a_trigger_opens_one_view(slack, modal):
    assert slack("views.open", trigger_id="1.2.ab", view=MODAL)["error"] == "exchanged_trigger_id"


@pytest.mark.parametrize("method", ["views.open", "views.push"])
@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"trigger_id": "nope"}, "invalid_trigger_id", None),
        ({"trigger_id": ""}, "invalid_trigger_id", None),
        ({"interactivity_pointer": "1.2"}, "invalid_trigger_id", None),
        ({"trigger_id": "1.2.ab"}, "exchanged_trigger_id", None),
        ({"interactivity_pointer": "1.2.ab"}, "exchanged_trigger_id", None),
        ({}, "invalid_arguments", "missing required field: trigger_id"),
        (
            {"trigger_id": "1.5.ab", "interactivity_pointer": "1.6.ab"},
            "invalid_arguments",
            "Cannot provide both `trigger_id` and `interactivity_pointer`",
        ),
        (
            {"trigger_id": "nope", "view": {}},
            "invalid_arguments",
            "failed to match all allowed schemas [json-pointer:/view]",
        ),
    ],
)
def test_a_trigger_that_opens_nothing_is_refused_after_the_view(slack, modal, method, given, error, said):
    answer = slack(method, **{"view": MODAL, **given})
    assert answer["error"] == error
    assert said is None or answer["response_metadata"]["messages"][0] == f"[ERROR] {said}"


def test_an_empty_hash_is_one_that_has_changed(slack, modal):
    assert slack("views.update", view_id=modal["id"], view=MODAL, hash="")["error"] == "hash_conflict"
    home = {"user_id": JOHN, "view": HOME}
    assert slack("views.publish", **home, hash="")["ok"]
    assert slack("views.publish", **home, hash="")["error"] == "hash_conflict"


@pytest.mark.parametrize("external_id", ["", "order"])
def test_a_view_is_named_by_one_id(slack, modal, external_id):
    answer = slack("views.update", view_id=modal["id"], external_id=external_id, view=MODAL)
    assert answer["response_metadata"]["messages"] == ["[ERROR] Cannot provide both `view_id` and `external_id`"]


def test_an_external_id_is_one_view_s(slack, modal):
    again = slack("views.open", trigger_id="1.3.ab", view={**MODAL, "external_id": "order"})
    assert again["error"] == "duplicate_external_id"


def test_views_are_laid_upon_each_other_three_deep(slack, modal):
    pushed = [slack("views.push", trigger_id=f"2.{number}.ab", view=MODAL) for number in range(3)]
    first, second = pushed[0]["view"], pushed[1]["view"]
    assert (first["root_view_id"], second["previous_view_id"]) == (modal["id"], first["id"])
    assert pushed[2]["error"] == "push_limit_reached"


def test_nothing_is_laid_upon_nothing(slack):
    assert slack("views.push", trigger_id="1.2.ab", view=MODAL)["error"] == "not_found"


def test_a_view_is_updated_by_either_id_unless_it_has_changed(slack, modal):
    new = {**MODAL, "callback_id": "c", "external_id": "order"}
    view = slack("views.update", external_id="order", view=new, hash=modal["hash"])["view"]
    assert (view["callback_id"], view["hash"] > modal["hash"]) == ("c", True)
    assert slack("views.update", view_id=modal["id"], view=MODAL, hash=modal["hash"])["error"] == "hash_conflict"


def test_a_person_has_one_home_tab(slack):
    first = slack("views.publish", user_id=JOHN, view=HOME)["view"]
    second = slack("views.publish", user_id=JOHN, view={**HOME, "private_metadata": "x"})["view"]
    assert (first["id"], second["private_metadata"]) == (second["id"], "x")
    assert [row["__table__"] for row in slack.diff()["inserts"]] == ["views"]


def test_a_view_has_up_to_100_blocks(slack):
    view = {**MODAL, "blocks": [{"type": "divider"}] * 100}
    assert slack("views.open", trigger_id="1.2.ab", view=view)["ok"]
    view["blocks"] = [{"type": "divider"}] * 101
    assert slack("views.open", trigger_id="1.3.ab", view=view)["error"] == "invalid_arguments"
